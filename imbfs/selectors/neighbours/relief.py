"""RELIEF and ReliefF: a good feature differs between near samples of different classes.

Differences are divided by the range of the feature, so that they lie within 0 and 1, and a constant
feature scores 0. A sample is not its own neighbour; of samples that are equally near, the first
counts as nearer.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.methods import Count
from imbfs.selectors.neighbours import relief_kernels as kernels

# Distances held at a time, and samples whose distances are taken together.
BLOCK = 2**22
TOGETHER = 32


def relief(
    X: np.ndarray | csr_array, y: np.ndarray, *, samples: Count = 1000, seed: int = 0
) -> np.ndarray:
    """RELIEF, mean of |x - nearest miss| - |x - nearest hit|, [Wasikowski2009] Alg. 1.

    The nearest by Euclidean distance, [Kira1992], of up to `samples` samples drawn without
    replacement. A class of one sample has no hit, and nothing is subtracted for it.
    """
    return _weights(X, y, 1, samples, seed, squared=True)


def relieff(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    neighbours: Count = 10,
    samples: Count = 1000,
    seed: int = 0,
) -> np.ndarray:
    """ReliefF, mean of sum_C P(C) / (1 - P(own)) |x - misses in C| - |x - hits|, [Kononenko1994].

    Both are means over the nearest `neighbours` of a class by Manhattan distance, or over all where
    a class has fewer, for up to `samples` samples drawn without replacement.
    """
    return _weights(X, y, neighbours, samples, seed, squared=False)


def _weights(X, y, neighbours, samples, seed, squared):
    classes, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    neighbours = min(neighbours, sizes.max())
    X = scaled(X)
    weights = np.zeros(X.shape[1])
    targets = drawn(len(y), samples, seed)
    for some, distances in distances_from(X, targets, squared):
        near = np.full((len(some), len(classes), neighbours), -1)
        kernels.nearest(distances, some, codes, near)
        add_differences(X, some, near, _factors(sizes)[codes[some]], weights)
    return weights / len(targets)


def drawn(n_samples: int, samples: int, seed: int) -> np.ndarray:
    """Up to `samples` of the samples, without replacement, in order."""
    if samples >= n_samples:
        return np.arange(n_samples)
    chosen = np.random.default_rng(seed).choice(n_samples, samples, replace=False)
    return np.sort(chosen)


def distances_from(
    X: np.ndarray | csr_array, targets: np.ndarray, squared: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some of the targets at a time, and their distances from every row."""
    step = min(TOGETHER, max(1, BLOCK // X.shape[0]))
    take = _sparse_distances(X, squared) if issparse(X) else partial(kernels.dense_distances, X)
    for start in range(0, len(targets), step):
        some = targets[start : start + step]
        distances = np.zeros((len(some), X.shape[0]))
        take(some, squared, distances)
        # Single precision: rounding, which follows the order of the sums, decides between no two.
        yield some, distances.astype(np.float32)


def _sparse_distances(X, squared):
    """The kernel, with the rows of X, its columns and the sizes of its rows."""
    rows, columns = _arrays(X), _arrays(X.tocsc())
    sizes = np.zeros(X.shape[0])
    kernels.sparse_sizes(rows, squared, sizes)
    return partial(kernels.sparse_distances, rows, columns, sizes)


def add_differences(X, targets, near, factors, weights) -> None:
    """Add the mean difference of every target from its near rows of a class, times its factor."""
    if issparse(X):
        buffer = np.zeros(X.shape[1])
        kernels.sparse_differences(*_arrays(X), buffer, targets, near, factors, weights)
    else:
        kernels.dense_differences(X, targets, near, factors, weights)


def _factors(sizes):
    """What a difference from a class (column) counts for a sample of a class (row)."""
    shares = sizes / sizes.sum()
    factors = shares / (1 - shares)[:, None]
    np.fill_diagonal(factors, -1.0)
    return factors


def scaled(X: np.ndarray | csr_array) -> np.ndarray | csr_array:
    """The data divided by the range of every feature.

    A feature that never is 0 is moved to begin there: what is not stored stays 0.
    """
    X = csr_array(X, dtype=np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)
    low, high = (_flat(bound) for bound in (X.min(axis=0), X.max(axis=0)))
    span = np.where(high > low, high - low, 1.0)
    shift = np.where((low <= 0) & (high >= 0), 0.0, low)
    if not issparse(X):
        return np.ascontiguousarray((X - shift) / span)
    X = X.sorted_indices()
    X.data = (X.data - shift[X.indices]) / span[X.indices]
    return X


def _flat(bound):
    return bound.toarray().ravel() if issparse(bound) else bound


def _arrays(X):
    return X.data, X.indices, X.indptr
