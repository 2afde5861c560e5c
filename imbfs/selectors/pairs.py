"""Filters for two classes on several: the mean over the pairs of classes."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array


def over_pairs(
    score: Callable, X: np.ndarray | csr_array, y: np.ndarray, parents: np.ndarray | None
) -> np.ndarray:
    """The mean of score(X, y) over the pairs of classes, as [Hand2001] extends the ROC area."""
    classes = np.unique(y)
    pairs = class_pairs(len(classes), parents)
    total = np.zeros(X.shape[1])
    for a, b in pairs:
        rows = np.flatnonzero((y == classes[a]) | (y == classes[b]))
        own = X if len(rows) == len(y) else X[rows]
        total += score(own, np.where(y[rows] == classes[b], 1, -1))
    return total / len(pairs)


def class_pairs(n_classes: int, parents: np.ndarray | None) -> list[tuple[int, int]]:
    """All pairs of classes; of pseudo-classes, only those whose parents are different classes.

    Telling apart two parts of one class is nothing that a feature is wanted for.
    """
    pairs = combinations(range(n_classes), 2)
    return [(a, b) for a, b in pairs if parents is None or parents[a] != parents[b]]
