"""Is a feature tied to the class at all? Rank tests by permutation, corrected for their number.

The statistic is that of Kruskal and Wallis, corrected for ties; of two classes, the square of Mann
and Whitney's z. It rests on ranks alone, so all features without ties have the same distribution
where nothing is tied to the class: the values of all of them under all permutations of the class
are pooled, and p far below 1 / permutations can be told. Features with ties are pooled with those
that have about as many.

Where whole groups are permuted, the spread of the statistic grows with the likeness of the rows of
a group, which differs from feature to feature. A feature then stands against its own permutations,
and only where hardly any of these reach it against the pool, in which every statistic is divided by
the mean that it has over the permutations of its feature.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import gammaln
from scipy.stats import rankdata

LEVEL = 0.05  # of false discoveries among the features called significant
_POOL, _WORK = 5e6, 5e9  # values that are enough, and products that are affordable
_FEWEST, _MOST = 100, 5_000  # permutations
_BLOCK = 2**22  # values held at a time
_OWN = 10  # with groups: permutations of a feature that reach it, from which on they tell its p
_DIGITS = 9  # of a statistic: rounding errors decide between no two


@dataclass(frozen=True)
class Ranks:
    """Ranks of some features less their mean, a row a feature: `at + zero`, `at` maybe sparse."""

    at: np.ndarray | csr_array
    zero: np.ndarray
    scatter: np.ndarray

    def take(self, features: np.ndarray) -> "Ranks":
        return Ranks(self.at[features], self.zero[features], self.scatter[features])


def p_values(
    X, y: np.ndarray, groups: np.ndarray | None = None, *, seed: int = 0, count: int | None = None
) -> tuple[np.ndarray, int]:
    """p of every feature, and how many permutations it rests on.

    p is the share of the pooled values, the feature's own among them, that are at least its own.
    With `groups` whole groups change their class; where a group has several, rows within it do. p
    is then the share of the feature's own permutations, if ten of them or more reach it, and never
    below that of a single labelling. Groups are taken to be alike in size: see `warnings`.
    """
    count = count or _how_many(X, y)
    ranks = centred_ranks(X)
    alike = _alike(ranks.scatter, len(y))
    if groups is not None:
        ranks = _standardized(ranks, y, groups, seed, count)
    own = statistics(ranks, y[None])[0]
    pools = [(some, ranks.take(some), np.sort(own[some])) for some in alike]
    above = [np.zeros(len(some) + 1, dtype=np.int64) for some, _, _ in pools]
    reached_by = np.zeros(X.shape[1], dtype=np.int64)  # permutations of the feature itself
    for labels in _labellings(y, groups, seed, count):
        for (some, its_ranks, values), found in zip(pools, above, strict=True):
            for part, null in _nulls(its_ranks, labels):
                places = np.searchsorted(values, null.ravel(), side="right")
                found += np.bincount(places, minlength=len(found))
                if groups is not None:
                    reached_by[some[part]] += (null >= own[some[part]]).sum(axis=0)
    p = np.ones(X.shape[1])
    for (some, _, values), found in zip(pools, above, strict=True):
        reached = np.cumsum(found[::-1])[::-1][1:]  # values that are at least each sorted one
        first = np.searchsorted(values, own[some], side="left")
        p[some] = (1 + reached[first]) / (1 + count * len(some))
    p = np.where(reached_by >= _OWN, (1 + reached_by) / (1 + count), p)
    p = np.maximum(p, _least(y, groups))
    return np.where(ranks.scatter > 0, p, 1.0), count


def statistics(ranks: Ranks, labels: np.ndarray) -> np.ndarray:
    """The statistic under every labelling (row) of every feature; 0 where nothing varies."""
    n = labels.shape[1]
    total = np.zeros((len(labels), len(ranks.scatter)))
    codes = np.unique(labels)
    for code in codes[1:] if len(codes) == 2 else codes:
        inside = (labels == code).astype(np.float64)
        size = inside.sum(axis=1)[:, None]
        sums = (ranks.at @ inside.T).T + size * ranks.zero
        # Of two classes the sums of ranks are opposite: one tells both.
        weight = n / (size * (n - size)) if len(codes) == 2 else 1 / size
        total += weight * sums**2
    scale = np.divide(
        n - 1, ranks.scatter, out=np.zeros(len(ranks.scatter)), where=ranks.scatter > 0
    )
    return np.round(total * scale, _DIGITS)


def centred_ranks(X) -> Ranks:
    """Ranks of the values of every feature, ties sharing their mean, less the mean of all."""
    n, d = X.shape
    if issparse(X):
        return _sparse_ranks(X)
    at = np.empty((d, n))
    step = max(1, _BLOCK // n)
    for start in range(0, d, step):
        some = slice(start, start + step)
        at[some] = rankdata(np.ascontiguousarray(X[:, some].T), axis=1) - (n + 1) / 2
    return Ranks(at, np.zeros(d), (at**2).sum(axis=1))


def permuted(y: np.ndarray, groups: np.ndarray | None, rng) -> np.ndarray:
    """The classes in another order: of rows, or of groups of one class, and within the others."""
    if groups is None:
        return rng.permutation(y)
    names, first, inside = np.unique(groups, return_index=True, return_inverse=True)
    mixed = np.zeros(len(names), dtype=bool)
    np.logical_or.at(mixed, inside, y != y[first][inside])
    classes = y[first]
    classes[~mixed] = rng.permutation(classes[~mixed])
    new = classes[inside]
    for group in np.flatnonzero(mixed):
        rows = np.flatnonzero(inside == group)
        new[rows] = rng.permutation(y[rows])
    return new


def _labellings(y: np.ndarray, groups, seed: int, count: int) -> Iterator[np.ndarray]:
    """`count` permutations of the class, the same for the same seed, some at a time."""
    rng, step = np.random.default_rng(seed), max(1, _BLOCK // len(y))
    for start in range(0, count, step):
        yield np.array([permuted(y, groups, rng) for _ in range(min(step, count - start))])


def _least(y: np.ndarray, groups: np.ndarray | None) -> float:
    """The share that one labelling has of all, where whole groups change their class."""
    if groups is None:
        return 0.0
    kinds = np.unique(np.column_stack((groups, y)), axis=0)
    if len(kinds) > len(np.unique(groups)):  # rows within a group change theirs, too
        return 0.0
    sizes = np.unique(kinds[:, 1], return_counts=True)[1]
    return float(np.exp(gammaln(sizes + 1).sum() - gammaln(sizes.sum() + 1)))


def _standardized(ranks: Ranks, y: np.ndarray, groups, seed: int, count: int) -> Ranks:
    """Ranks whose statistic has the mean 1 over data and permutations, for each feature."""
    total = statistics(ranks, y[None])[0]
    for labels in _labellings(y, groups, seed, count):
        for part, null in _nulls(ranks, labels):
            total[part] += null.sum(axis=0)
    return replace(ranks, scatter=ranks.scatter * total / (1 + count))


def _how_many(X, y: np.ndarray) -> int:
    """Permutations that fill the pool, within what is affordable."""
    filled = X.nnz if issparse(X) else X.size
    classes = len(np.unique(y))
    work = max(1, filled * (1 if classes == 2 else classes))
    return int(np.clip(min(_POOL / X.shape[1], _WORK / work), _FEWEST, _MOST))


def _sparse_ranks(X) -> Ranks:
    """As of dense data: what is not stored is 0, in the middle of the values below and above."""
    n, d = X.shape
    columns = X.tocsc(copy=True)
    columns.eliminate_zeros()
    zero, scatter = np.zeros(d), np.zeros(d)
    data = columns.data.astype(np.float64)
    for j in range(d):
        some = slice(columns.indptr[j], columns.indptr[j + 1])
        values = columns.data[some]
        empty, below = n - len(values), int(np.sum(values < 0))
        zero[j] = below + (empty + 1) / 2 - (n + 1) / 2 if empty else 0.0
        ranks = rankdata(values) + empty * (values > 0) - (n + 1) / 2
        scatter[j] = (ranks**2).sum() + empty * zero[j] ** 2
        data[some] = ranks - zero[j]
    at = csr_array((data, columns.indices, columns.indptr), shape=(d, n))
    return Ranks(at, zero, scatter)


def _alike(scatter: np.ndarray, n: int) -> list[np.ndarray]:
    """Features that have about as many ties, together.

    Ties of t values take t^3 - t off 12 times the scatter: it tells how many are not tied to one
    another. Up to ten are counted, then they are told apart by a quarter, and from half of all on
    not at all.
    """
    most = (n**3 - n) / 12
    apart = n * (1 - np.cbrt(np.clip(1 - scatter / most, 0, 1)))
    kinds = np.where(apart < 10, np.round(apart), np.floor(np.log(apart.clip(1)) / np.log(1.25)))
    kinds = np.where(apart < 10, kinds, kinds + 1000)
    kinds[apart >= n / 2] = -1
    order = np.argsort(kinds, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)


def _nulls(ranks: Ranks, labels: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Some features at a time, and their statistics under every labelling."""
    step = max(1, _BLOCK // len(labels))
    for start in range(0, len(ranks.scatter), step):
        part = slice(start, start + step)
        yield part, statistics(ranks.take(part), labels)
