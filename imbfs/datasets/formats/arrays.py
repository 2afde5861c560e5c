"""From what a file holds to a `Data`: features as float64, classes as codes, labels as 0 and 1."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.datasets.data import Data
from imbfs.errors import Mendable, UserError
from imbfs.matrices import canonical, check_real

_EXACT = 2.0**53
# How a value that is not there is written.
MISSING = frozenset({"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"})

_NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?")  # digits stay taken: fast


def assembled(
    X,
    labels: Sequence[str] | np.ndarray,
    names: Sequence[str] | None = None,
    *,
    classes: Sequence[str] | None = None,
    unlabelled: str = "error",
    groups: Sequence[str] | np.ndarray | None = None,
    how: str = "",
) -> Data:
    """A `Data` of features and one label a sample, or of an indicator with a column a label.

    `classes` names the columns of an indicator (1, 2, ... otherwise); with `unlabelled="drop"`
    samples without a label are left out. `groups` holds what names the group of every sample; `how`
    says how the file was read.
    """
    if X.ndim == 2 and len(labels) != X.shape[0]:
        raise UserError(f"has {X.shape[0]} samples but classes for {len(labels)}.")
    X = matrix(X)
    if names is not None:
        check_names(names, X.shape[1])
    if getattr(labels, "ndim", 1) > 2:
        raise UserError(f"the classes are {' x '.join(map(str, labels.shape))}.")
    if getattr(labels, "ndim", 1) == 2:
        named = tuple(range(1, labels.shape[1] + 1)) if classes is None else tuple(classes)
        _check_size(X)
        if len(named) != labels.shape[1]:
            raise UserError(f"has {labels.shape[1]} labels but {len(named)} names for them.")
        numbers = None if groups is None else _numbers(groups)
        return Data(X, indicator(labels), named, names and tuple(names), groups=numbers, how=how)
    known = _known(labels)
    if unlabelled == "drop":
        X, labels = X[known], _chosen(labels, known)
        groups = None if groups is None else _chosen(groups, known)
    elif not known.all():
        raise UserError(
            f"sample {np.argmin(known) + 1} has no class. To leave out those without one, give "
            "unlabelled=drop (--read, or read: in a config)."
        )
    _check_size(X)
    y, classes = coded(labels)
    numbers = None if groups is None else _numbers(groups)
    n_dropped = int(np.sum(~known))
    how = f"{how}, {n_dropped:,} row{'' if n_dropped == 1 else 's'} dropped"
    return Data(X, y, classes, names and tuple(names), groups=numbers, how=how)


def _numbers(groups: Sequence[str] | np.ndarray) -> np.ndarray:
    """A number for the group of every sample, in the order in which the groups appear."""
    known = _known(groups)
    if not known.all():
        raise UserError(f"sample {np.argmin(known) + 1} has no group.")
    if not isinstance(groups, np.ndarray):
        value = _values(set(groups))
        groups = [value[group] for group in groups]
    seen: dict = {}
    return np.array([seen.setdefault(group, len(seen)) for group in groups], dtype=np.int64)


def _check_size(X) -> None:
    if not X.shape[0] or not X.shape[1]:
        raise UserError(f"has {X.shape[0]} samples with a class and {X.shape[1]} features.")


def matrix(X) -> np.ndarray | csr_array:
    """Features as the methods expect them: C-contiguous float64, or canonical CSR of float64."""
    if issparse(X):
        return canonical(X)
    check_real(X)
    with np.errstate(invalid="ignore"):  # of a NaN that signals
        return np.ascontiguousarray(X, dtype=np.float64)


def coded(labels: Sequence[str] | np.ndarray) -> tuple[np.ndarray, tuple]:
    """Codes 0, 1, ... of the sorted classes; texts that are all numbers count as numbers."""
    if getattr(labels, "dtype", None) is not None and labels.dtype.kind in "biuf":
        found, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), tuple(_whole(label) for label in found)
    value = _values(set(labels))
    classes = sorted(set(value.values()))
    code = {label: i for i, label in enumerate(classes)}
    codes = (code[value[text]] for text in labels)
    return np.fromiter(codes, dtype=np.int64, count=len(labels)), tuple(classes)


def _values(written: set) -> dict:
    """What texts stand for: numbers if all are, but beyond 2^53, where two may be one float."""
    numeric = all(is_number(text) and abs(float(text)) <= _EXACT for text in written)
    return {text: _whole(text) if numeric else str(text) for text in written}


def indicator(labels: np.ndarray) -> np.ndarray:
    """Labels as 0 and 1 (n_samples, n_labels), from 0/1 or from -1/+1."""
    found = set(np.unique(labels).tolist())
    if not found <= {0, 1} and not found <= {-1, 1}:
        odd = [value for value in sorted(found, reverse=True) if value not in (-1, 0, 1)]
        said = f"a label of {odd[0]} stands" if odd else "-1, 0 and 1 stand"
        raise UserError(f"{said} among the labels. 0/1 or -1/+1 are read.")
    return (labels == 1).astype(np.int64)


def check_names(names: Sequence[str], count: int, what: str = "feature") -> None:
    """Refuse names that are too few, too many, empty or used twice."""
    if len(names) != count:
        raise UserError(f"has {count} {what}s but {len(names)} names for them.")
    if "" in names:
        raise UserError(f"{what} {list(names).index('') + 1} has no name.")
    if len(set(names)) < len(names):
        name, times = Counter(names).most_common(1)[0]
        said = f"{times} {what}s are called {name!r}. Rename them apart, or ask for names: number."
        raise Mendable(said, {"names": "number"})


def numbered(names: Sequence[str]) -> list[str]:
    """The names with a number behind those that stand there already: x, x.2, x.3."""
    taken, seen, told = set(names), Counter(), []
    for name in names:
        seen[name] += 1
        new = name if seen[name] == 1 else f"{name}.{seen[name]}"
        while new != name and new in taken:
            seen[name] += 1
            new = f"{name}.{seen[name]}"
        taken.add(new)
        told.append(new)
    return told


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def brief(error: Exception) -> str:
    """What a library says of its error, in one line."""
    return str(error).strip().split("\n")[0] or type(error).__name__


def _whole(label) -> int | float:
    value = float(label)
    return int(value) if value.is_integer() else value


def _known(labels) -> np.ndarray:
    """Whether each sample has a label."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biuf":
        return np.isfinite(labels)
    return np.fromiter((label not in MISSING for label in labels), bool, count=len(labels))


def _chosen(labels, rows: np.ndarray):
    if isinstance(labels, np.ndarray):
        return labels[rows]
    return [label for label, keep in zip(labels, rows, strict=True) if keep]
