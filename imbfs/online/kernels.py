"""One pass of each online learner over rows given as raw arrays.

A row is data[start:stop] with its columns indices[start:stop]; dense rows come with `indices`
None and fill every column. `last` None means that no gravity has acted or will act. Numba compiles
each kernel once for every such case, and the tests for None are gone from the compiled code.

Gravity is lazy: `gravity` sums up the shrinkage due so far, last[j] what of it weight j has
had. A weight inside theta stays inside while it shrinks, and one outside stays as it is until
updated: T(T(v, a), b) = T(v, a + b), so what is due can be paid when the feature is next seen.
"""

import numpy as np
from numba import njit

# p counts the majority, n the minority, as in [Han2016] Algorithm 1.
STATE = np.dtype([("t", "i8"), ("p", "i8"), ("n", "i8"), ("gravity", "f8")])

# Divisors are positive, so numba need not test them; sums may be taken several terms at a time.
_kernel = njit(cache=True, error_model="numpy")
_sum = njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz"})


@_kernel
def pa(data, indices, indptr, y, cap, slack, alpha, theta, K, w, last, state, scores):
    """PA with step min(cap, loss / (|x|^2 + slack)), which covers the three of [Han2016] Sec. 3.1.

    Updates `w`, `last` and `state`; writes each row's decision value before its update.
    """
    t, gravity = state.t, state.gravity
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        loss = 1.0 - y[i] * scores[i]  # Eq. (1)
        _update(data, indices, start, stop, y[i], loss, cap, slack, w)  # Eq. (3), (6)
        t += 1
        if last is not None and t % K == 0:
            gravity += alpha  # Eq. (9)
    state.t, state.gravity = t, gravity


@_kernel
def mbpa(data, indices, indptr, y, C, alpha, theta, K, w, last, state, scores):
    """MBPA, [Han2016] Algorithm 1, with the minority as y = +1.

    Updates `w`, `last` and `state`; writes each row's decision value before its update.
    """
    t, p, n, gravity = state.t, state.p, state.n, state.gravity
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        if y[i] < 0:
            p += 1
        else:
            n += 1
        loss = _margin_loss(y[i], y[i] * scores[i], p / n)  # Eq. (7)
        _update(data, indices, start, stop, y[i], loss, C, 0.0, w)  # Eq. (8)
        t += 1
        if last is not None and t % K == 0:
            gravity += alpha  # Eq. (9)
    state.t, state.p, state.n, state.gravity = t, p, n, gravity


@_kernel
def settle(w, last, gravity, theta):
    """Pay the shrinkage due to every weight."""
    for j in range(w.size):
        _weight(j, w, last, gravity, theta)


@_kernel
def _margin_loss(y, margin, rho):
    """Eq. (7) of [Han2016] with its signs turned round."""
    if y > 0:
        return rho - margin if margin <= 1.0 else 0.0
    return -margin


@_kernel
def _update(data, indices, start, stop, y, loss, cap, slack, w):
    """w += tau y x with tau = min(cap, loss / (|x|^2 + slack)).

    A loss below 0 counts as none; a row of zeros changes nothing.
    """
    if loss > 0.0:
        sqnorm = _sqnorm(data, start, stop)
        if sqnorm > 0.0:
            _add(min(cap, loss / (sqnorm + slack)) * y, data, indices, start, stop, w)


@_sum
def _dot(data, indices, start, stop, w, last, gravity, theta):
    """w . x, with the shrinkage due to the weights of the row paid first."""
    total = 0.0
    if indices is None:
        for j in range(stop - start):
            total += data[start + j] * _weight(j, w, last, gravity, theta)
    else:
        for k in range(start, stop):
            total += data[k] * _weight(indices[k], w, last, gravity, theta)
    return total


@_kernel
def _weight(j, w, last, gravity, theta):
    """w[j] with its shrinkage paid."""
    if last is None:
        return w[j]
    v = _truncate(w[j], gravity - last[j], theta)
    w[j] = v
    last[j] = gravity
    return v


@_kernel
def _truncate(v, alpha, theta):
    """Eq. (10) without branches: of the two terms, the one against the sign of v is 0."""
    shrunk = max(v - alpha, 0.0) + min(v + alpha, 0.0)
    return shrunk if abs(v) < theta else v


@_sum
def _sqnorm(data, start, stop):
    total = 0.0
    for k in range(start, stop):
        total += data[k] * data[k]
    return total


@_kernel
def _add(step, data, indices, start, stop, w):
    """w += step x."""
    if indices is None:
        for j in range(stop - start):
            w[j] += step * data[start + j]
    else:
        for k in range(start, stop):
            w[indices[k]] += step * data[k]
