"""Rows that lie far nearer to some others than rows of a set do: near copies, or one patient's."""

import numpy as np
from scipy.sparse import issparse

_NEIGHBOURS = 20  # the most near copies of a row
_COLUMNS = 200  # enough for distances; drawn from ten times as many
_VALUES = 20  # different ones of a column that is a measure: others are equal by chance
_NARROW = 5  # columns, below which near copies do not stand out
_PRODUCTS = 2e9  # that are affordable
_FEWEST = 100  # rows looked at, below which nothing is said of a large set
_BLOCK = 2**22  # distances held at a time
_JUMP = np.log(2)  # of the log distance, from the last near copy to the next row
_SURE = 10.0  # the jump of a row without near copies is larger with a chance of exp(-10)
_SHARE, _ROWS = 0.05, 5  # of a class that are told of


def told(X, y: np.ndarray, classes: dict[int, str], together: np.ndarray | None) -> list[str]:
    """A line on the classes that have near copies; rows that stay together may be such."""
    looked, near = found(X, y, together)
    shares = []
    for code, name in classes.items():
        of = near[y[looked] == code]
        if of.sum() >= max(_ROWS, _SHARE * len(of)):
            shares.append(f"{of.mean():.0%} of the rows of {name}")
    if not shares:
        return []
    return [
        f"{', '.join(shares)} lie far nearer to another row than is usual here: near copies, or "
        "rows of one patient? On both sides of a split they make results look better; --group "
        "keeps rows together"
    ]


def found(X, y: np.ndarray, together: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows that were looked at, some of every class, and which of them have near copies.

    Where rows are drawn one by one, the k-th neighbour of a row is nearer than the next by a factor
    whose log is exponential with mean 1 / (k m), m the dimension of the data where the row lies.
    Behind the last near copy it is far larger. m comes from the more distant half of neighbours.
    """
    none = np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    at_once = int(_PRODUCTS / (1 + X.shape[0] * min(_COLUMNS, X.shape[1])))
    if issparse(X) or len(X) < 2 * _NEIGHBOURS or at_once < min(_FEWEST, len(X)):
        return none
    rng = np.random.default_rng(0)
    Z, first = np.unique(_scaled(X, rng), axis=0, return_index=True)
    if Z.shape[1] < _NARROW or len(Z) < 2 * _NEIGHBOURS:
        return none
    groups = np.arange(len(X)) if together is None else together
    groups, y = groups[first], y[first]
    codes = np.unique(y)
    some = [rng.permutation(np.flatnonzero(y == c))[: -(-at_once // len(codes))] for c in codes]
    some = np.concatenate(some)
    jumps, dimension = _jumps(Z, groups, some)
    of = (jumps > _JUMP) & (jumps * np.arange(1, _NEIGHBOURS + 1) * dimension > _SURE)
    return first[some], of.any(axis=1)


def _jumps(Z: np.ndarray, groups: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, float]:
    """Log of how much farther each next neighbour of some rows is; the dimension, by its median.

    Rows of its own group are no neighbours of a row.
    """
    half = (len(Z) - np.bincount(np.unique(groups, return_inverse=True)[1]).max()) // 2
    if half <= _NEIGHBOURS + 1:
        return np.zeros((len(some), _NEIGHBOURS)), 1.0
    lengths, jumps, spreads = (Z**2).sum(axis=1), [], []
    for part in np.array_split(some, -(-len(some) * len(Z) // _BLOCK)):
        squares = lengths[part, None] + lengths - 2 * Z[part] @ Z.T
        squares[groups[part, None] == groups] = np.inf
        logs = np.log(np.sort(squares, axis=1)[:, :half].clip(1e-12)) / 2
        jumps.append(np.diff(logs[:, : _NEIGHBOURS + 1]))
        spreads.append((logs[:, -1:] - logs[:, _NEIGHBOURS:-1]).mean(axis=1))
    return np.vstack(jumps), 1 / max(1e-12, float(np.median(np.concatenate(spreads))))


def _scaled(X: np.ndarray, rng) -> np.ndarray:
    """Some columns of measures with mean 0 and sd 1, medians in the place of missing values."""
    rows = rng.permutation(len(X))[: 50 * _VALUES]
    columns = rng.permutation(X.shape[1])[: 10 * _COLUMNS]
    ordered = np.sort(X[np.ix_(rows, columns)], axis=0)
    columns = columns[(ordered[1:] > ordered[:-1]).sum(axis=0) >= _VALUES - 1]
    Z = X[:, np.sort(columns[:_COLUMNS])]
    missing = np.isnan(Z)
    if missing.any():
        Z = np.where(missing, np.nanmedian(Z, axis=0), Z)
    Z = Z / np.abs(Z).max(axis=0)  # squares of the largest numbers would overflow
    return (Z - Z.mean(axis=0)) / Z.std(axis=0)
