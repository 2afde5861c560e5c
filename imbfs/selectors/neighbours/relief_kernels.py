"""Compiled loops of RELIEF; the last argument is filled in place.

A `buffer` is a zero for every feature, and left so.
"""

import numpy as np
from numba import njit

# Features at a time, so that the rows in hand stay in the cache.
WIDTH = 512


@njit(cache=True)
def dense_distances(X, targets, squared, distances):
    """Sum of the differences, or of their squares, between the targets and every row."""
    for start in range(0, X.shape[1], WIDTH):
        for i in range(X.shape[0]):
            row = X[i, start : start + WIDTH]
            for t in range(len(targets)):
                distances[t, i] += _apart(row, X[targets[t], start : start + WIDTH], squared)


@njit(cache=True, fastmath={"reassoc", "nsz"})
def _apart(a, b, squared):
    total = 0.0
    if squared:
        for j in range(len(a)):
            total += (a[j] - b[j]) * (a[j] - b[j])
    else:
        for j in range(len(a)):
            total += abs(a[j] - b[j])
    return total


@njit(cache=True)
def sparse_distances(rows, columns, sizes, targets, squared, distances):
    """As `dense_distances`, of rows and columns that are each (data, indices, indptr), in order.

    |a - b| is |a| + |b| less twice the smaller of the two, if their signs are the same, and
    (a - b)^2 is a^2 + b^2 - 2 a b: only what both rows store is looked at, column by column. The
    `sizes` of the rows are what the rest sums up to. Equal rows are exactly 0 apart.
    """
    data, indices, indptr = rows
    for t in range(len(targets)):
        common = np.zeros(len(sizes))
        for at in range(indptr[targets[t]], indptr[targets[t] + 1]):
            _add_common(data[at], columns, indices[at], squared, common)
        for i in range(len(sizes)):
            distances[t, i] = max(sizes[targets[t]] + sizes[i] - 2.0 * common[i], 0.0)


@njit(cache=True)
def _add_common(value, columns, j, squared, common):
    data, indices, indptr = columns
    for at in range(indptr[j], indptr[j + 1]):
        i = np.uint64(indices[at])  # unsigned: numba need not test it for counting from the end
        if squared:
            common[i] += value * data[at]
        elif value > 0.0:
            common[i] += max(min(value, data[at]), 0.0)
        else:
            common[i] -= min(max(value, data[at]), 0.0)


@njit(cache=True)
def sparse_sizes(rows, squared, sizes):
    """Sum of the values of every row without their signs, or of their squares."""
    data, _, indptr = rows
    for i in range(len(sizes)):
        for at in range(indptr[i], indptr[i + 1]):
            sizes[i] += data[at] * data[at] if squared else abs(data[at])


@njit(cache=True)
def nearest(distances, targets, codes, near):
    """The nearest rows of every class, by insertion; the first of those equally near is nearer."""
    last = near.shape[2] - 1
    bounds = np.empty(near.shape[1:], distances.dtype)
    for t in range(len(targets)):
        bounds[:] = np.inf
        for i in range(len(codes)):
            bound, rows, distance = bounds[codes[i]], near[t, codes[i]], distances[t, i]
            if i == targets[t] or distance >= bound[last]:
                continue
            at = last
            while at > 0 and bound[at - 1] > distance:
                bound[at], rows[at] = bound[at - 1], rows[at - 1]
                at -= 1
            bound[at], rows[at] = distance, i


@njit(cache=True)
def dense_differences(X, targets, near, factors, weights):
    """Add the mean difference of every target from its near rows of a class, times its factor."""
    for t in range(len(targets)):
        target = X[targets[t]]
        for k in range(near.shape[1]):
            rows = near[t, k][near[t, k] >= 0]
            for i in rows:
                factor = factors[t, k] / len(rows)
                for j in range(len(weights)):
                    weights[j] += factor * abs(X[i, j] - target[j])


@njit(cache=True)
def sparse_differences(data, indices, indptr, buffer, targets, near, factors, weights):
    """As `dense_differences`, and the same to the last bit."""
    for t in range(len(targets)):
        mine = slice(indptr[targets[t]], indptr[targets[t] + 1])
        for k in range(near.shape[1]):
            rows = near[t, k][near[t, k] >= 0]
            for i in rows:
                factor = factors[t, k] / len(rows)
                buffer[indices[mine]] = data[mine]
                for at in range(indptr[i], indptr[i + 1]):
                    weights[indices[at]] += factor * abs(data[at] - buffer[indices[at]])
                    buffer[indices[at]] = 0.0
                for j in indices[mine]:  # what only the target stores
                    weights[j] += factor * abs(buffer[j])
                    buffer[j] = 0.0
