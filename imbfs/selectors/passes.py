"""One pass over the data, dense or sparse: moments, sums and counts of every class and feature.

`codes` holds the class of every row, 0 .. c-1. Indices of sparse rows come unsigned to the kernels,
which spares numba a test for negative ones at every access.
"""

from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.sparse import csr_array, issparse

LARGEST = 2.0**200  # sums of fourth powers up to this, and down to its inverse, are normal numbers


def minority_codes(y):
    """Majority 0 and minority 1, and the sizes of the two."""
    codes = (y > 0).astype(np.int64)
    return codes, np.bincount(codes, minlength=2)


def class_codes(y):
    """The classes there are, in order, as 0 .. c-1, and their sizes."""
    codes = np.searchsorted(np.unique(y), y)
    return codes, np.bincount(codes)


def moments(X, codes, sizes):
    """Mean and sum of squared deviations of every class and feature, two arrays (c, d).

    Those of a feature whose squares would over- or underflow are of a multiple of it, by a power of
    two: for scores that do not depend on its scale.
    """
    return in_range(lambda X: plain_moments(X, codes, sizes), X)


def in_range(find: Callable, X):
    """The moments that `find` finds in X, with features that are far too large or small scaled."""
    means, scatters = find(X)
    odd = np.flatnonzero(~_has_squares(np.sqrt(scatters.sum(axis=0))))
    if len(odd):
        some = X[:, odd].tocsr() if issparse(X) else X[:, odd]
        scale = power_of_two(_sizes(some))
        if (scale != 1.0).any():
            means[:, odd], scatters[:, odd] = find(_scaled(some, scale))
    return means, scatters


def power_of_two(sizes):
    """What brings sizes near to 1 whose powers may over- or underflow; 1 for others, and for 0."""
    exponents = np.minimum(-np.frexp(sizes)[1], 1000)
    return np.where(_has_squares(sizes) | (sizes == 0.0), 1.0, np.ldexp(1.0, exponents))


def _has_squares(sizes):
    return (sizes > 1 / LARGEST) & (sizes < LARGEST)


def _sizes(X):
    """The largest absolute value of every feature."""
    sizes = np.zeros(X.shape[1])
    if issparse(X):
        np.maximum.at(sizes, X.indices, np.abs(X.data))
        return sizes
    return np.abs(X).max(axis=0, initial=0.0)


def _scaled(X, scale):
    if issparse(X):
        return csr_array((X.data * scale[X.indices], X.indices, X.indptr), shape=X.shape)
    return X * scale


def plain_moments(X, codes, sizes):
    """The same of all features as they are."""
    means, scatters = np.zeros((2, len(sizes), X.shape[1]))
    if issparse(X):
        _sparse_moments(*_rows(X), codes, sizes, means, scatters)
    else:
        _dense_moments(_floats(X), codes, means, scatters)
    return means, scatters


def sums(X, codes, sizes):
    """Sum of every class and feature, an array (c, d)."""
    totals = np.zeros((len(sizes), X.shape[1]))
    if issparse(X):
        _sparse_sums(*_rows(X), codes, totals)
    else:
        _dense_sums(_floats(X), codes, totals)
    return totals


def counts(X, codes, sizes, cuts):
    """Samples of every class in which a feature is at or above its cut, an array (c, d)."""
    if issparse(X):
        above = np.outer(sizes, cuts <= 0).astype(np.float64)
        _sparse_counts(*_rows(X), codes, cuts, above)
    else:
        above = np.zeros((len(sizes), X.shape[1]))
        _dense_counts(_floats(X), codes, cuts, above)
    return above


def ratio(signal, noise):
    """signal / noise; without noise, infinite with the sign of the signal, and 0 / 0 is 0."""
    limit = np.where(signal == 0, 0.0, np.copysign(np.inf, signal))
    return np.divide(signal, noise, out=limit, where=noise > 0)


def shifts(means, sizes):
    """How far the mean of every class is from the common one."""
    # From the first class's mean, so that the means of a constant feature differ by exactly 0.
    apart = means - means[0]
    return apart - (sizes[:, None] * apart).sum(axis=0) / sizes.sum()


def _floats(X):
    return np.ascontiguousarray(X, dtype=np.float64)


def _rows(X):
    """Data, indices and indptr of the sparse rows, as the kernels take them."""
    X = X.tocsr()
    unsigned = f"u{X.indices.itemsize}"
    return X.data.astype(np.float64, copy=False), X.indices.view(unsigned), X.indptr.view(unsigned)


@njit(cache=True)
def _dense_moments(X, codes, means, scatters):
    """Mean and sum of squared deviations of every class and feature, by Welford's update.

    One pass without sums of squares: a scatter is right to about 1e-15 mean / sd of itself. Equal
    values have exactly that value as mean, and scatter 0.
    """
    seen = np.zeros(len(means))
    for i in range(X.shape[0]):
        k = codes[i]
        seen[k] += 1.0
        share = 1.0 / seen[k]
        mean, scatter = means[k], scatters[k]
        for j in range(X.shape[1]):
            step = X[i, j] - mean[j]
            mean[j] += step * share
            scatter[j] += step * (X[i, j] - mean[j])


@njit(cache=True)
def _sparse_moments(data, indices, indptr, codes, sizes, means, scatters):
    """As `_dense_moments`: the stored values, then the zeros of every class joined to them."""
    # Number, mean and scatter side by side: a value touches one cache line.
    state = np.zeros((*means.shape, 3))
    for i in range(len(codes)):
        feature = state[codes[i]]
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            step = data[at] - feature[j, 1]
            seen = feature[j, 0] + 1.0
            mean = feature[j, 1] + step * (1.0 / seen)
            feature[j, 0] = seen
            feature[j, 1] = mean
            feature[j, 2] += step * (data[at] - mean)
    _join_zeros(state, sizes, means, scatters)


@njit(cache=True)
def _join_zeros(state, sizes, means, scatters):
    """Join two groups of values, the second of mean 0 and scatter 0."""
    for k in range(len(sizes)):
        for j in range(state.shape[1]):
            seen, mean, scatter = state[k, j]
            share = seen / sizes[k]
            means[k, j] = mean * share
            scatters[k, j] = scatter + mean * mean * share * (sizes[k] - seen)


@njit(cache=True)
def _dense_sums(X, codes, sums):
    """Sum of every feature over every class, in the order of the rows."""
    for i in range(X.shape[0]):
        total = sums[codes[i]]
        for j in range(X.shape[1]):
            total[j] += X[i, j]


@njit(cache=True)
def _sparse_sums(data, indices, indptr, codes, sums):
    """As `_dense_sums`, and the same to the last bit: adding a zero changes nothing."""
    for i in range(len(codes)):
        total = sums[codes[i]]
        for at in range(indptr[i], indptr[i + 1]):
            total[indices[at]] += data[at]


@njit(cache=True)
def _dense_counts(X, codes, cuts, counts):
    """Count the rows of every class in which a feature is at or above its cut."""
    for i in range(X.shape[0]):
        count = counts[codes[i]]
        for j in range(X.shape[1]):
            count[j] += X[i, j] >= cuts[j]


@njit(cache=True)
def _sparse_counts(data, indices, indptr, codes, cuts, counts):
    """As `_dense_counts`; `counts` come as if every value were 0, and stored ones correct them."""
    for i in range(len(codes)):
        count = counts[codes[i]]
        for at in range(indptr[i], indptr[i + 1]):
            cut = cuts[indices[at]]
            count[indices[at]] += int(data[at] >= cut) - int(0.0 >= cut)
