"""Columns that look like the ids of patients: their values repeat, each with one class alone."""

import shlex
from collections.abc import Iterator

import numpy as np
from scipy.sparse import issparse
from scipy.special import gammaln

from imbfs.datasets import Data, together

_CHANCE = 1e-3  # that some column without a tie to the class looks like this
_MOST = 0.5  # different values a row: of more, hardly any repeats
_LARGEST = 1 / 3  # of all rows, that a patient may have
_NAMED = 3  # columns that are named
_SOME = 100  # values of every class that are enough for the chance
_BLOCK = 2**22  # values held at a time


def suspected(data: Data, y: np.ndarray, left_out: dict, columns: set) -> list[str]:
    """What is said of columns that may tell which rows belong together; nothing with groups.

    `left_out` holds columns that are no features, as numbers; --group takes those in `columns`.
    """
    if data.groups is not None:
        return []
    copies = together.copied(data)
    rows = np.arange(len(y)) if copies is None else np.flatnonzero(copies == np.arange(len(y)))
    looked = len(left_out) + data.X.shape[1]
    found = {}
    for name, values in _candidates(data, left_out):
        known = rows[~np.isnan(values[rows])]
        of = values[known], y[known]
        if looks_like_ids(*of, _CHANCE / looked) and (name in left_out or not _is_measure(*of)):
            found[name] = f"{len(np.unique(values[known]))} values in {len(known)} rows"
    if not found:
        return []
    names = sorted(found, key=lambda name: name not in columns)
    shown = "; ".join(f"{name!r} has {found[name]}" for name in names[:_NAMED])
    more = f"; so have {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    remedy = "No split may part their rows"
    if names[0] in columns:
        remedy = f"Then give --group {shlex.quote(str(names[0]))}"
    return [f"{shown}, one class each{more}: are these patients? {remedy}"]


def looks_like_ids(values: np.ndarray, y: np.ndarray, chance: float) -> bool:
    """Whether values that repeat have one class each, several in every class, beyond chance."""
    codes, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    if not 3 < len(counts) <= _MOST * len(y) or counts.max() > _LARGEST * len(y):
        return False
    classes = np.full(len(counts), y[0])
    classes[codes] = y
    if (classes[codes] != y).any():
        return False
    if any(np.sum(counts[classes == code] > 1) < 2 for code in np.unique(y)):
        return False
    return _chance(counts, classes) < chance


def _is_measure(values: np.ndarray, y: np.ndarray) -> bool:
    """Whether neighbouring values tend to have one class, and some are far more frequent.

    Neighbours among ids are alike if patients are numbered by class, and then most have about as
    many rows.
    """
    _, first, counts = np.unique(values, return_index=True, return_counts=True)
    classes = y[first]
    shares = np.unique(classes, return_counts=True)[1] / len(classes)
    changes = np.sum(classes[1:] != classes[:-1])
    return changes < len(classes) * (1 - np.sum(shares**2)) / 2 and counts.max() > 2 * counts.min()


def _chance(counts: np.ndarray, classes: np.ndarray) -> float:
    """The chance that values with these counts hold one class each if the rows are dealt blindly.

    It is the number of sets of values with as many rows as a class over that of sets of rows, for
    the class of which it is smallest. Some of the values do: that these hold one class each is
    more likely.
    """
    kept = [np.flatnonzero(classes == code)[:_SOME] for code in np.unique(classes)]
    n = sum(int(counts[some].sum()) for some in kept)
    logs = []
    for some in kept:
        size = int(counts[some].sum())
        sets = np.full(size + 1, -np.inf)  # log of the number of sets of values with so many rows
        sets[0] = 0.0
        for count in counts[np.concatenate(kept)]:
            if count <= size:
                sets[count:] = np.logaddexp(sets[count:], sets[: size + 1 - count].copy())
        logs.append(sets[size] - gammaln(n + 1) + gammaln(size + 1) + gammaln(n - size + 1))
    return float(np.exp(min(logs)))


def _candidates(data: Data, left_out: dict) -> Iterator[tuple[str, np.ndarray]]:
    """Columns that are no features, texts of which each value is one, and the other features."""
    yield from left_out.items()
    if issparse(data.X) or not len(data.X):
        return
    names = data.names or tuple(f"feature {j + 1}" for j in range(data.X.shape[1]))
    texts: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        if "=" in name:
            texts.setdefault(name.rpartition("=")[0], []).append(j)
    for name, places in texts.items():
        if len(places) > 2:
            values = data.X[:, places].argmax(axis=1).astype(np.float64)
            values[np.isnan(data.X[:, places]).any(axis=1)] = np.nan
            yield name, values
    step = max(1, _BLOCK // len(data.X))
    for start in range(0, len(names), step):
        block = np.sort(data.X[:, start : start + step], axis=0)
        different = 1 + (block[1:] > block[:-1]).sum(axis=0)
        for j in start + np.flatnonzero((different > 3) & (different <= _MOST * len(data.X))):
            yield names[j], data.X[:, j]
