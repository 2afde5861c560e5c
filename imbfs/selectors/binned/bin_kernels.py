"""Compiled loops that cut features into bins and count the classes in them.

A bin is bounded by cuts in ascending order, and a value lies above those that do not exceed it.
Cuts that are computed from the values lie lower by a part in 10^9 of the range: a value that equals
such a cut stays above it however rounding, as in scaling, has moved the two.
"""

import numpy as np
from numba import njit

WIDTH, FREQUENCY, DEVIATION = 0, 1, 2
ROUNDING = 1e-9  # of the range


@njit(cache=True)
def dense_counts(columns, ordered, codes, cut, table):
    """Count the rows of every class in the bins of every feature; `ordered` has its values so."""
    room = np.empty(table.shape[1] - 1)
    for j in range(len(columns)):
        cuts = room[: _fill(ordered[j], 0, cut, room)]
        for i in range(len(codes)):
            table[j, _bin(cuts, columns[j, i]), codes[i]] += 1.0


@njit(cache=True)
def sparse_counts(data, rows, indptr, codes, sizes, cut, table):
    """As `dense_counts`, of sparse columns: all rows where a 0 lies, then the stored ones moved."""
    room = np.empty(table.shape[1] - 1)
    for j in range(len(table)):
        own = slice(indptr[j], indptr[j + 1])
        zeros = len(codes) - len(data[own])
        cuts = room[: _fill(np.sort(data[own]), zeros, cut, room)]
        home = _bin(cuts, 0.0)
        table[j, home] = sizes
        for at in range(indptr[j], indptr[j + 1]):
            table[j, home, codes[rows[at]]] -= 1.0
            table[j, _bin(cuts, data[at]), codes[rows[at]]] += 1.0


@njit(cache=True)
def dense_codes(columns, ordered, cut, room, codes, counts):
    """Write the bin of every value into `codes`, and how many bins each feature has."""
    for j in range(len(columns)):
        cuts = room[: _fill(ordered[j], 0, cut, room)]
        counts[j] = len(cuts) + 1
        for i in range(columns.shape[1]):
            codes[j, i] = _bin(cuts, columns[j, i])


@njit(cache=True)
def sparse_codes(data, indptr, n_samples, cut, room, codes, home, counts):
    """As `dense_codes`, of the stored values of sparse columns; a 0 lies in the bin `home`."""
    for j in range(len(counts)):
        own = data[indptr[j] : indptr[j + 1]]
        cuts = room[: _fill(np.sort(own), n_samples - len(own), cut, room)]
        counts[j] = len(cuts) + 1
        home[j] = _bin(cuts, 0.0)
        for at in range(indptr[j], indptr[j + 1]):
            codes[at] = _bin(cuts, data[at])


@njit(cache=True)
def _bin(cuts, value):
    """The number of cuts that do not exceed the value."""
    start, stop = 0, len(cuts)
    while start < stop:
        middle = (start + stop) // 2
        if cuts[middle] <= value:
            start = middle + 1
        else:
            stop = middle
    return start


@njit(cache=True)
def _fill(ordered, zeros, cut, cuts):
    """Cuts of a feature with these values and so many zeros besides; their number."""
    found = _cuts_at_values(ordered, zeros, False, cuts)
    if found <= len(cuts):
        return found
    if cut == FREQUENCY:
        return _cuts_at_values(ordered, zeros, True, cuts)
    low, high = ordered[0], ordered[-1]
    if zeros:
        low, high = min(low, 0.0), max(high, 0.0)
    slack = ROUNDING * (high - low)
    if cut == DEVIATION:
        mean, deviation = _moments(ordered, zeros)
        cuts[0], cuts[1] = mean - deviation - slack, mean + deviation - slack
        return 2
    for j in range(len(cuts)):
        cuts[j] = low + (high - low) * (j + 1) / (len(cuts) + 1) - slack
    return len(cuts)


@njit(cache=True)
def _moments(ordered, zeros):
    """Mean and standard deviation, divided by n; zeros, stored or not, are taken together."""
    n, total, scatter = len(ordered) + zeros, 0.0, 0.0
    for value in ordered:
        total += value
        zeros += value == 0.0
    mean = total / n
    for value in ordered:
        if value != 0.0:
            scatter += (value - mean) ** 2
    return mean, np.sqrt((scatter + zeros * mean**2) / n)


@njit(cache=True)
def _cuts_at_values(ordered, zeros, even, cuts):
    """Cut at every value but the least, or where a bin of even size begins; the number of cuts.

    One more than there is room for, if so many were needed.
    """
    n, bins = len(ordered) + zeros, len(cuts) + 1
    at = below = found = last = 0
    to_come = zeros
    while at < len(ordered) or to_come:
        tied = 0
        if to_come and (at == len(ordered) or ordered[at] >= 0.0):
            value, tied, to_come = 0.0, to_come, 0
        else:
            value = ordered[at]
        while at < len(ordered) and ordered[at] == value:
            at += 1
            tied += 1
        # The bin of the mean rank; one half goes down, as in FAST.
        place = ((2 * below + tied) * bins - 1) // (2 * n) if even else below
        if below and place > last:
            if found == len(cuts):
                return found + 1
            cuts[found] = value
            found += 1
        last = place
        below += tied
    return found
