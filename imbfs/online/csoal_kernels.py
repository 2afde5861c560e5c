"""One pass of cost-sensitive online active learning over rows given as raw arrays.

A row is data[start:stop] with its columns indices[start:stop]; dense rows come with `indices` None
and fill every column.
"""

from numba import njit

# Divisors are positive, so numba need not test them; sums may be taken several terms at a time.
_kernel = njit(cache=True, error_model="numpy")
_sum = njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz"})


@_kernel
def csoal(data, indices, indptr, y, rng, query, delta, C, rho, weighs, w, state, scores):
    """CSOAL, [Zhao2013]: asks for few labels, then moves as PA-I does with the costs in its loss.

    p and n count the labels of the majority and of the minority asked for, from 1 on. A rho of 0
    stands for their ratio. Updates `w` and `state`; writes each row's decision before its update.
    """
    t, p, n, empty = state.t, state.p, state.n, state.empty
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w)
        empty += scores[i] == 0.0 and _sqnorm(data, start, stop) == 0.0
        t += 1
        asked = p + n - 2
        if asked >= query * t or rng.random() * (delta + abs(scores[i])) >= delta:
            continue
        if y[i] < 0:
            p += 1
        else:
            n += 1
        cost = 1.0 if y[i] < 0 else (rho if rho > 0.0 else p / n)
        loss = (1.0 if weighs else cost) - y[i] * scores[i]
        sqnorm = _sqnorm(data, start, stop)
        if loss > 0.0 and sqnorm > 0.0:
            cap = C * cost if weighs else C
            _add(min(cap, loss / sqnorm) * y[i], data, indices, start, stop, w)
    state.t, state.p, state.n, state.empty = t, p, n, empty


@_sum
def _dot(data, indices, start, stop, w):
    total = 0.0
    if indices is None:
        for j in range(stop - start):
            total += data[start + j] * w[j]
    else:
        for k in range(start, stop):
            total += data[k] * w[indices[k]]
    return total


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
