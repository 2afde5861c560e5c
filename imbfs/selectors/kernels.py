"""Compiled loops of the filters, over raw arrays; the last arguments are filled in place.

`codes` holds the class of every row, 0 .. c-1. Indices of sparse rows come unsigned, which spares
numba a test for negative ones at every access.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def dense_moments(X, codes, means, scatters):
    """Mean and sum of squared deviations of every class and feature, by Welford's update.

    One pass, no cancellation: equal values have exactly that value as mean, and scatter 0.
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
def sparse_moments(data, indices, indptr, codes, sizes, means, scatters):
    """As `dense_moments`: the stored values first, then the zeros of every class joined to them."""
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
def dense_sums(X, codes, sums):
    """Sum of every feature over every class, in the order of the rows."""
    for i in range(X.shape[0]):
        total = sums[codes[i]]
        for j in range(X.shape[1]):
            total[j] += X[i, j]


@njit(cache=True)
def sparse_sums(data, indices, indptr, codes, sums):
    """As `dense_sums`, and the same to the last bit: adding a zero changes nothing."""
    for i in range(len(codes)):
        total = sums[codes[i]]
        for at in range(indptr[i], indptr[i + 1]):
            total[indices[at]] += data[at]


@njit(cache=True)
def dense_counts(X, codes, cuts, counts):
    """Count the rows of every class in which a feature is at or above its cut."""
    for i in range(X.shape[0]):
        count = counts[codes[i]]
        for j in range(X.shape[1]):
            count[j] += X[i, j] >= cuts[j]


@njit(cache=True)
def sparse_counts(data, indices, indptr, codes, cuts, counts):
    """As `dense_counts`; `counts` come as if every value were 0, and stored ones correct them."""
    for i in range(len(codes)):
        count = counts[codes[i]]
        for at in range(indptr[i], indptr[i + 1]):
            cut = cuts[indices[at]]
            count[indices[at]] += int(data[at] >= cut) - int(0.0 >= cut)


@njit(cache=True)
def dense_areas(values, minority, edges, areas):
    """FAST of every feature; a row holds its values in order, all of them and the minority's."""
    cuts = np.empty(len(edges) - 1)
    for j in range(len(values)):
        _bin_means(values[j], 0, edges, cuts)
        areas[j] = _area(values[j], 0, minority[j], 0, cuts)


@njit(cache=True)
def sparse_areas(data, indptr, minority_data, minority_indptr, sizes, edges, areas):
    """FAST of every column of a matrix and of its minority rows; sorts their data.

    `sizes` are the numbers of rows of the two: what is not stored is 0.
    """
    cuts = np.empty(len(edges) - 1)
    for j in range(len(areas)):
        values = data[indptr[j] : indptr[j + 1]]
        minority = minority_data[minority_indptr[j] : minority_indptr[j + 1]]
        values.sort()
        minority.sort()
        zeros, minority_zeros = sizes[0] - len(values), sizes[1] - len(minority)
        _bin_means(values, zeros, edges, cuts)
        areas[j] = _area(values, zeros, minority, minority_zeros, cuts)


@njit(cache=True)
def _bin_means(values, zeros, edges, cuts):
    """Thresholds of Algorithm 2: the mean of every bin of the sorted values and `zeros` zeros.

    Rounding must not take a mean out of its bin: equal values have that value as mean.
    """
    below = _first(values, 0, 0.0) if zeros else 0
    for j in range(len(cuts)):
        bottom, top = edges[j], edges[j + 1]
        total = 0.0
        for at in range(_stored(bottom, below, zeros), _stored(top, below, zeros)):
            total += values[at]
        low, high = _value(values, bottom, below, zeros), _value(values, top - 1, below, zeros)
        cuts[j] = min(max(total / (top - bottom), low), high)


@njit(cache=True)
def _area(values, zeros, minority, minority_zeros, cuts):
    """Area under the ROC through the thresholds and both ends, or 1 minus it if that is more.

    The trapezoids are summed as whole numbers, so the one rounding is that of the last division.
    """
    positive = len(minority) + minority_zeros
    negative = len(values) + zeros - positive
    tp, fp = positive, negative
    double = at = minority_at = 0
    for cut in cuts:
        at = _first(values, at, cut)
        minority_at = _first(minority, minority_at, cut)
        left, minority_left = at, minority_at
        if cut > 0.0:
            left, minority_left = at + zeros, minority_at + minority_zeros
        next_tp, next_fp = positive - minority_left, negative - (left - minority_left)
        double += (fp - next_fp) * (tp + next_tp)
        tp, fp = next_tp, next_fp
    double += fp * tp
    whole = 2 * positive * negative
    return max(double, whole - double) / whole


@njit(cache=True)
def _first(values, start, cut):
    """Index of the first of the sorted values, from `start` on, that is at or above `cut`."""
    stop = len(values)
    while start < stop:
        middle = (start + stop) // 2
        if values[middle] < cut:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(cache=True)
def _stored(rank, below, zeros):
    """Number of stored values among the `rank` lowest; the zeros come after `below` of them."""
    return min(rank, max(below, rank - zeros))


@njit(cache=True)
def _value(values, rank, below, zeros):
    """The value of that rank, counted from 0."""
    return 0.0 if below <= rank < below + zeros else values[_stored(rank, below, zeros)]
