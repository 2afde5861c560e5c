"""Weights in rows, few of which are used: the largest of a row to the power p as a penalty."""

import numpy as np
from numba import njit


@njit(cache=True)
def shrink(V, tau, p):
    """Of every row v, the w least in |w - v|^2 / 2 + tau_j (max_k |w_k|)^p: v cut at a level."""
    W = np.empty_like(V)
    for j in range(len(V)):
        level = _level(np.abs(V[j]), tau[j], p)
        W[j] = np.minimum(np.maximum(V[j], -level), level)
    return W


@njit(cache=True)
def least_penalty(B, squares, p):
    """The least lam at which no single row w makes squares_j |w|^2 - 2 B_j w + lam |w|^p negative.

    With p = 1 it is 2 max_j sum_k |B_jk|, and W = 0 is least at it.
    """
    low = 0.0
    for j in range(len(B)):
        if squares[j] == 0.0:  # too small, beside the others, to be worth anything
            continue
        sizes = np.abs(B[j]) / squares[j]
        scale = 2.0 * squares[j]
        if _level(sizes, low / scale, p) == 0.0:
            continue
        high = max(low, scale * sizes.sum() ** (2.0 - p), 1e-300)
        while _level(sizes, high / scale, p) > 0.0:
            high *= 2.0
        while high - low > 1e-12 * high:
            middle = (low + high) / 2.0
            if _level(sizes, middle / scale, p) > 0.0:
                low = middle
            else:
                high = middle
        low = high
    return low


@njit(cache=True)
def _level(sizes, tau, p):
    """The m least in sum_k max(0, a_k - m)^2 / 2 + tau m^p, of the sizes a_k.

    While r of them exceed m, there is one minimum at most; 0 is another if p < 1. What m saves is
    at most m sum_k a_k, and nothing is worth its penalty where that is less for the largest m.
    """
    top = sizes.max()
    if top ** (1.0 - p) * sizes.sum() <= tau:
        return 0.0
    sizes = _falling(sizes)
    best, least, total = 0.0, (sizes * sizes).sum() / 2.0, 0.0
    for r in range(1, len(sizes) + 1):
        if sizes[r - 1] == 0.0:
            break
        total += sizes[r - 1]
        end = sizes[r] if r < len(sizes) else 0.0
        m = _stationary(total, r, tau, p, end, sizes[r - 1])
        if m == 0.0:
            continue
        value = _squares_above(sizes[:r], m) / 2.0 + tau * _power(m, p)
        if value < least:
            best, least = m, value
    return best


@njit(cache=True)
def _falling(sizes):
    """The sizes from the largest on; of so few, insertion is the fastest."""
    if len(sizes) > 64:
        return np.sort(sizes)[::-1]
    for i in range(1, len(sizes)):
        size, j = sizes[i], i
        while j > 0 and sizes[j - 1] < size:
            sizes[j] = sizes[j - 1]
            j -= 1
        sizes[j] = size
    return sizes


@njit(cache=True)
def _squares_above(sizes, m):
    total = 0.0
    for size in sizes:
        total += (size - m) ** 2
    return total


@njit(cache=True)
def _stationary(total, r, tau, p, low, high):
    """The largest m with r m - total + tau p m^(p - 1) = 0, if it lies within the bounds, or 0.

    The left side is convex: Newton's steps from above fall to m, or past the bound below.
    """
    m = high
    if r * m - total + _slope(m, tau, p) < -1e-12 * total:
        return 0.0
    for _ in range(100):
        pull = _slope(m, tau, p)
        slope = r - (1.0 - p) * pull / m
        lower = m - (r * m - total + pull) / slope if slope > 0.0 else -1.0
        if lower <= 0.0 or lower < low * (1.0 - 1e-12):
            return 0.0
        if lower >= m:
            break
        m = lower
    return m


@njit(cache=True)
def _slope(m, tau, p):
    """tau p m^(p - 1), of the penalty."""
    return tau if p == 1.0 else tau * p * _power(m, p) / m


@njit(cache=True)
def _power(m, p):
    """m^p; a root is several times faster than a power."""
    return np.sqrt(m) if p == 0.5 else m**p
