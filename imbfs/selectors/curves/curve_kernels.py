"""Compiled loops over the ROC and precision-recall curves of features.

A feature comes as values in order, with the number of zeros that are not stored among them. `above`
lists (majority, minority) samples at or above a threshold, from all of them down to none.
"""

from math import log1p

import numpy as np
from numba import njit

# Which curve's area is wanted: the ROC, or the precision-recall curve of the minority above the
# threshold or of one of these, whichever has more.
ROC, MAJORITY_BELOW, MAJORITY_ABOVE, MINORITY_BELOW = range(4)
ROUNDING = 1e-9  # of the width of a bin


@njit(cache=True)
def dense_areas(majority, minority, curve, areas):
    """Exact area of every feature; a row holds its values in a class, in order."""
    above = np.empty((2 * minority.shape[1] + 2, 2), np.int64)
    for j in range(len(areas)):
        count = _points_of_values(majority[j], 0, minority[j], 0, above)
        areas[j] = _area(above[:count], curve)


@njit(cache=True)
def dense_roc_areas(majority, minority, areas):
    """As `dense_areas` of the ROC, without a branch that a processor would guess wrong.

    Two features are merged side by side, for one step of a merge has to wait for the one before.
    """
    lows = np.full((2, majority.shape[1] + 1), np.inf)
    highs = np.full((2, minority.shape[1] + 1), np.inf)
    whole = 2 * majority.shape[1] * minority.shape[1]
    for j in range(0, len(areas), 2):
        both = j, min(j + 1, len(areas) - 1)
        for side in range(2):
            lows[side, :-1] = majority[both[side]]
            highs[side, :-1] = minority[both[side]]
        for side, wins in enumerate(_doubled_wins(lows[0], highs[0], lows[1], highs[1])):
            areas[both[side]] = max(wins, whole - wins) / whole


@njit(cache=True)
def _doubled_wins(low_a, high_a, low_b, high_b):
    """Pairs of two features in which `high` is above `low`, twice, and those that tie, once.

    Counted over two merges each, one with ties in front and one with ties behind; both arrays are
    in order and end with inf.
    """
    zero, one = np.uint64(0), np.uint64(1)  # unsigned: no test for negative indices
    under_a = upto_a = under_b = upto_b = wins_a = wins_b = zero
    for step in range(np.uint64(len(low_a) + len(high_a) - 2)):
        less_a = np.uint64(low_a[under_a] < high_a[step - under_a])
        some_a = np.uint64(low_a[upto_a] <= high_a[step - upto_a])
        less_b = np.uint64(low_b[under_b] < high_b[step - under_b])
        some_b = np.uint64(low_b[upto_b] <= high_b[step - upto_b])
        under_a, upto_a = under_a + less_a, upto_a + some_a
        under_b, upto_b = under_b + less_b, upto_b + some_b
        wins_a += under_a * (one - less_a) + upto_a * (one - some_a)
        wins_b += under_b * (one - less_b) + upto_b * (one - some_b)
    return np.int64(wins_a), np.int64(wins_b)


@njit(cache=True)
def dense_binned_areas(values, minority, edges, curve, areas):
    """Area of every feature over bins; a row holds its values in order, all or the minority's."""
    cuts, above = _room(edges)
    for j in range(len(areas)):
        _bin_means(values[j], 0, edges, cuts)
        _points_of_cuts(values[j], 0, minority[j], 0, cuts, above)
        areas[j] = _area(above, curve)


@njit(cache=True)
def sparse_areas(data, indptr, minority_data, minority_indptr, sizes, curve, areas):
    """As `dense_areas`, of the columns of two matrices of `sizes` rows; sorts their data."""
    above = np.empty((2 * sizes[1] + 2, 2), np.int64)
    for j in range(len(areas)):
        majority, zeros = _column(data, indptr, j, sizes[0])
        minority, minority_zeros = _column(minority_data, minority_indptr, j, sizes[1])
        count = _points_of_values(majority, zeros, minority, minority_zeros, above)
        areas[j] = _area(above[:count], curve)


@njit(cache=True)
def sparse_binned_areas(data, indptr, minority_data, minority_indptr, sizes, edges, curve, areas):
    """As `dense_binned_areas`, of the columns of two matrices; sorts their data."""
    cuts, above = _room(edges)
    for j in range(len(areas)):
        values, zeros = _column(data, indptr, j, sizes[0])
        minority, minority_zeros = _column(minority_data, minority_indptr, j, sizes[1])
        _bin_means(values, zeros, edges, cuts)
        _points_of_cuts(values, zeros, minority, minority_zeros, cuts, above)
        areas[j] = _area(above, curve)


@njit(cache=True)
def _column(data, indptr, j, n_rows):
    """The stored values of a column in order, and the number of zeros that are not stored."""
    values = data[indptr[j] : indptr[j + 1]]
    values.sort()
    return values, n_rows - len(values)


@njit(cache=True)
def _room(edges):
    """Space for the thresholds and for the points of one curve."""
    return np.empty(len(edges) - 1), np.empty((len(edges) + 1, 2), np.int64)


@njit(cache=True)
def _points_of_values(majority, zeros, minority, minority_zeros, above):
    """Points before and behind every value that the minority has; their number.

    Between two of them no other bends a curve: the majority alone grows.
    """
    above[0] = len(majority) + zeros, len(minority) + minority_zeros
    count, at, minority_at, to_come = 1, 0, 0, minority_zeros
    while minority_at < len(minority) or to_come:
        tied = 0
        if to_come and (minority_at == len(minority) or minority[minority_at] >= 0.0):
            value, tied, to_come = 0.0, minority_zeros, 0
        else:
            value = minority[minority_at]
        while at < len(majority) and majority[at] < value:
            at += 1
        above[count, 0] = above[0, 0] - at - (zeros if value > 0.0 else 0)
        above[count, 1] = above[count - 1, 1]
        while at < len(majority) and majority[at] == value:
            at += 1
        while minority_at < len(minority) and minority[minority_at] == value:
            minority_at += 1
            tied += 1
        above[count + 1, 0] = above[0, 0] - at - (zeros if value >= 0.0 else 0)
        above[count + 1, 1] = above[count, 1] - tied
        count += 2
    above[count] = 0
    return count + 1


@njit(cache=True)
def _points_of_cuts(values, zeros, minority, minority_zeros, cuts, above):
    """Points at every threshold, below all values and above them."""
    above[0, 1] = len(minority) + minority_zeros
    above[0, 0] = len(values) + zeros - above[0, 1]
    at = minority_at = 0
    for j in range(len(cuts)):
        at = _first(values, at, cuts[j])
        minority_at = _first(minority, minority_at, cuts[j])
        left, minority_left = at, minority_at
        if cuts[j] > 0.0:
            left, minority_left = at + zeros, minority_at + minority_zeros
        above[j + 1, 0] = above[0, 0] - (left - minority_left)
        above[j + 1, 1] = above[0, 1] - minority_left
    above[len(cuts) + 1] = 0


@njit(cache=True)
def _bin_means(values, zeros, edges, cuts):
    """Thresholds of Algorithm 2: the mean of every bin of the sorted values and `zeros` zeros.

    A mean lies lower by a part in 10^9 of its bin, so that a value equal to it stays at or above it
    however rounding, as in scaling, has moved the two. It stays inside the bin: equal values have
    that value as mean.
    """
    below = _first(values, 0, 0.0) if zeros else 0
    for j in range(len(cuts)):
        bottom, top = edges[j], edges[j + 1]
        total = 0.0
        for at in range(_stored(bottom, below, zeros), _stored(top, below, zeros)):
            total += values[at]
        low, high = _value(values, bottom, below, zeros), _value(values, top - 1, below, zeros)
        mean = total / (top - bottom) - ROUNDING * (high - low)
        cuts[j] = min(max(mean, low), high)


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


@njit(cache=True)
def _area(above, curve):
    if curve == ROC:
        return _roc_area(above)
    other = 1 if curve == MINORITY_BELOW else 0
    return max(_pr_area(above, 1, False), _pr_area(above, other, curve != MAJORITY_ABOVE))


@njit(cache=True)
def _roc_area(above):
    """Area under the ROC, or 1 minus it if that is more.

    The trapezoids are summed as whole numbers, so the one rounding is that of the last division.
    """
    double = 0
    for t in range(len(above) - 1):
        double += (above[t, 0] - above[t + 1, 0]) * (above[t, 1] + above[t + 1, 1])
    whole = 2 * above[0, 0] * above[0, 1]
    return max(double, whole - double) / whole


@njit(cache=True)
def _pr_area(above, label, below):
    """Area under the precision-recall curve of a class chosen above or below the thresholds.

    Summed from the fewest chosen to the most, so that a feature and its mirror image tie exactly.
    """
    area, hits, chosen = 0.0, 0, 0
    last = len(above) - 1
    for step in range(1, len(above)):
        t = step if below else last - step
        next_hits, next_chosen = above[t, label], above[t, 0] + above[t, 1]
        if below:
            next_hits = above[0, label] - next_hits
            next_chosen = above[0, 0] + above[0, 1] - next_chosen
        if next_hits > hits:
            area += _segment(hits, chosen, next_hits, next_chosen)
        hits, chosen = next_hits, next_chosen
    return area / above[0, label]


@njit(cache=True)
def _segment(hits, chosen, next_hits, next_chosen):
    """Integral of precision over the hits between two points, [Davis2006].

    The number chosen grows linearly with the hits: precision is hits / (a hits + b).
    """
    a = (next_chosen - chosen) / (next_hits - hits)
    if chosen == 0:
        return (next_hits - hits) / a
    b = chosen - a * hits
    return (next_hits - hits) / a - b / a**2 * log1p((next_chosen - chosen) / chosen)
