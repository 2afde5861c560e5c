"""One pass of each online learner over rows given as raw arrays.

A row is data[start:stop] with its columns indices[start:stop], in order; dense rows come with
`indices` None and fill every column. `last` None means that no gravity has acted or will act,
`kept` None that there is no budget. Numba compiles each kernel once for every such case, and the
tests for None are gone from the compiled code.

Gravity is lazy: `gravity` sums up the shrinkage due so far, last[j] what of it weight j has
had. A weight inside theta stays inside while it shrinks, and one outside stays as it is until
updated: T(T(v, a), b) = T(v, a + b), so what is due can be paid when the feature is next seen.

A budget is `kept` as (heap, place, sizes, numbers). heap[0] is how many features it holds, heap[1],
heap[2], ... are their numbers; place[j] is where feature j stands among them, and if nowhere, 0 or
minus the number of the move that put it out. A row with many features has the largest selected
anew; one with few moves single features in a heap, the least on top. Shrinking changes no order
among weights, so the heap need not be touched by it. The rest is scratch.

Every kernel updates `w`, `last`, `kept` and `state`, and writes each row's decision value
before its update into `scores`. The minority is y = +1: [Han2016] is read with its signs turned
round.
"""

import numpy as np
from numba import njit

# p counts the majority, n the minority, as in [Han2016] Algorithm 1; `empty` the rows of zeros;
# `moves` the updates by a heap, which is `ordered` or not yet. The weights of OFS are scale * w,
# and sqnorm is |w|^2.
STATE = np.dtype(
    [(name, "i8") for name in ("t", "p", "n", "empty", "moves", "ordered")]
    + [(name, "f8") for name in ("gravity", "scale", "sqnorm")]
)
_LEAST_SCALE = 1e-9

# Divisors are positive, so numba need not test them; sums may be taken several terms at a time. The
# interpreter's lock is left to the thread that parses what comes next.
_kernel = njit(cache=True, error_model="numpy", nogil=True)
_sum = njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz"})


@_kernel
def pa(data, indices, indptr, y, cap, slack, alpha, theta, K, w, last, kept, state, scores):
    """PA with step min(cap, loss / (|x|^2 + slack)): the three variants of [Han2016] Sec. 3.1."""
    t, empty, gravity = state.t, state.empty, state.gravity
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        empty += scores[i] == 0.0 and _sqnorm(data, start, stop) == 0.0
        loss = 1.0 - y[i] * scores[i]  # Eq. (1)
        step = _step(data, start, stop, loss, cap, slack)  # Eq. (3), (6)
        _move(step * y[i], data, indices, start, stop, w, last, gravity, theta, kept, state)
        t += 1
        if last is not None and t % K == 0:
            gravity += alpha  # Eq. (9)
    state.t, state.empty, state.gravity = t, empty, gravity


@_kernel
def mbpa(data, indices, indptr, y, C, alpha, theta, K, w, last, kept, state, scores):
    """MBPA, [Han2016] Algorithm 1."""
    t, p, n, empty, gravity = state.t, state.p, state.n, state.empty, state.gravity
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        empty += scores[i] == 0.0 and _sqnorm(data, start, stop) == 0.0
        if y[i] < 0:
            p += 1
        else:
            n += 1
        loss = _margin_loss(y[i], y[i] * scores[i], p / n)  # Eq. (7)
        step = _step(data, start, stop, loss, C, 0.0)  # Eq. (8)
        _move(step * y[i], data, indices, start, stop, w, last, gravity, theta, kept, state)
        t += 1
        if last is not None and t % K == 0:
            gravity += alpha  # Eq. (9)
    state.t, state.p, state.n, state.empty, state.gravity = t, p, n, empty, gravity


@_kernel
def onpa(
    data, indices, indptr, y, D_data, D_indices, D_indptr, places, new, rng,
    cap, slack, beta, side, alpha, theta, K, w, last, kept, state, scores,
):  # fmt: skip
    """ONPA, [Han2016] Algorithm 2; row m of D is the minority's row that came as number m.

    Unless `places` say which rows of D are a sample of those that came: then the minority's rows
    among these have the numbers `new`, `new` + 1, ... in D, and may take the place of others.
    `side` is +1 to go on from x_p beyond x_t, as printed, and -1 to stay between the two.
    """
    t, p, n, empty, gravity = state.t, state.p, state.n, state.empty, state.gravity
    q_data = np.empty(w.size)
    q_indices = None if indices is None else np.empty(w.size, D_indices.dtype)
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        empty += scores[i] == 0.0 and _sqnorm(data, start, stop) == 0.0
        if y[i] < 0:
            p += 1
        else:
            n += 1
        loss = 1.0 - y[i] * scores[i]  # Eq. (1)
        step = _step(data, start, stop, loss, cap, slack)  # Eq. (3)
        _move(step * y[i], data, indices, start, stop, w, last, gravity, theta, kept, state)
        seen = n - 2  # n started at 1, and x_t itself is not among them
        if y[i] > 0 and seen > 0:
            for _ in range(int(beta * p / n)):
                m = int(rng.random() * (seen if places is None else min(seen, places.size)))
                if places is not None:
                    m = places[m]
                a = side * rng.random()
                size = _synthesise(
                    a, data, indices, start, stop,
                    D_data, D_indices, D_indptr[m], D_indptr[m + 1], q_data, q_indices,
                )  # fmt: skip
                score = _dot(q_data, q_indices, 0, size, w, last, gravity, theta)
                step = _step(q_data, 0, size, 1.0 - score, cap, slack)
                _move(step, q_data, q_indices, 0, size, w, last, gravity, theta, kept, state)
        if y[i] > 0 and places is not None:
            place = seen if seen < places.size else int(rng.random() * (seen + 1))
            if place < places.size:
                places[place] = new
            new += 1
        t += 1
        if last is not None and t % K == 0:
            gravity += alpha  # Eq. (9)
    state.t, state.p, state.n, state.empty, state.gravity = t, p, n, empty, gravity


@_kernel
def cs(
    data, indices, indptr, y, C, decays, weighs, rho,
    alpha, theta, K, w, last, kept, state, scores,
):  # fmt: skip
    """CSOGD, [Zhao2013]: a dearer minority asks a larger margin (I) or, if it `weighs`, a larger
    step (II). A rho of 0 stands for the ratio of the classes so far."""
    t, p, n, empty, gravity = state.t, state.p, state.n, state.empty, state.gravity
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        scores[i] = _dot(data, indices, start, stop, w, last, gravity, theta)
        empty += scores[i] == 0.0 and _sqnorm(data, start, stop) == 0.0
        if y[i] < 0:
            p += 1
        else:
            n += 1
        t += 1
        cost = 1.0 if y[i] < 0 else (rho if rho > 0.0 else p / n)
        rate = C / np.sqrt(t) if decays else C
        if y[i] * scores[i] < (1.0 if weighs else cost):
            step = rate * cost if weighs else rate
            _move(step * y[i], data, indices, start, stop, w, last, gravity, theta, kept, state)
        if last is not None and t % K == 0:
            gravity += alpha
    state.t, state.p, state.n, state.empty, state.gravity = t, p, n, empty, gravity


@_kernel
def ofs(
    data, indices, indptr, y, eta, lam, on_update, always,
    w, last, kept, state, scores,
):  # fmt: skip
    """OFS, [Wang2014] Algorithm 2: update, project into the ball, keep the largest."""
    t, empty, scale, sqnorm = state.t, state.empty, state.scale, state.sqnorm
    for i in range(y.size):
        start, stop = indptr[i], indptr[i + 1]
        dot = _dot(data, indices, start, stop, w, last, 0.0, np.inf)
        scores[i] = scale * dot
        updates = y[i] * scores[i] <= 1.0
        if always or (updates and on_update):
            scale *= 1.0 - lam * eta
        if updates:
            size = _sqnorm(data, start, stop)
            empty += size == 0.0
            step = eta * y[i] / scale
            grown = max(sqnorm + step * (2.0 * dot + step * size), 0.0)
            lost = _move(step, data, indices, start, stop, w, last, 0.0, np.inf, kept, state)
            sqnorm = grown - lost
            scale /= max(1.0, scale * np.sqrt(grown * lam))  # into the ball of radius 1 / sqrt(lam)
        if scale < _LEAST_SCALE:
            for j in np.flatnonzero(w):  # zeros that nobody wrote take no memory
                w[j] *= scale
            sqnorm *= scale * scale
            scale = 1.0
        t += 1
    state.t, state.empty, state.scale, state.sqnorm = t, empty, scale, sqnorm


@_kernel
def settle(w, last, gravity, theta):
    """Pay the shrinkage due to every weight."""
    for j in range(w.size):
        _weight(j, w, last, gravity, theta)


@_kernel
def refill(w, kept, state):
    """Make the budget anew of the features with a weight; nothing is due to them."""
    heap, place, _, _ = kept
    heap[0] = 0
    place[:] = 0
    for j in range(w.size):
        if w[j] != 0.0:
            heap[0] += 1
            heap[heap[0]] = j
            place[j] = heap[0]
    state.ordered = 0


@_kernel
def _margin_loss(y, margin, rho):
    """Eq. (7) of [Han2016]."""
    if y > 0:
        return rho - margin if margin <= 1.0 else 0.0
    return -margin


@_kernel
def _step(data, start, stop, loss, cap, slack):
    """min(cap, loss / (|x|^2 + slack)); none without a loss, none for a row of zeros."""
    if loss > 0.0:
        sqnorm = _sqnorm(data, start, stop)
        if sqnorm > 0.0:
            return min(cap, loss / (sqnorm + slack))
    return 0.0


@_kernel
def _synthesise(
    a, data, indices, start, stop, D_data, D_indices, D_start, D_stop, q_data, q_indices
):
    """Write x_q = x_t + a (x_t - x_p) and return its length."""
    if indices is None:
        for j in range(stop - start):
            q_data[j] = data[start + j] + a * (data[start + j] - D_data[D_start + j])
        return np.int64(stop - start)
    at, D_at, size = np.int64(start), np.int64(D_start), 0
    while at < stop or D_at < D_stop:
        in_t = at < stop and (D_at == D_stop or indices[at] <= D_indices[D_at])
        in_p = D_at < D_stop and (at == stop or D_indices[D_at] <= indices[at])
        x_t = data[at] if in_t else 0.0
        x_p = D_data[D_at] if in_p else 0.0
        q_indices[size] = indices[at] if in_t else D_indices[D_at]
        q_data[size] = x_t + a * (x_t - x_p)
        at += in_t
        D_at += in_p
        size += 1
    return size


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
def _move(step, data, indices, start, stop, w, last, gravity, theta, kept, state):
    """w += step x, keeping only the largest weights if there is a budget: |w|^2 lost by that."""
    if step == 0.0:
        return 0.0
    if kept is None:
        _add(step, data, indices, start, stop, w)
        return 0.0
    if stop - start > kept[0][0] // 2:
        return _select(step, data, indices, start, stop, w, last, gravity, theta, kept, state)
    return _exchange(step, data, indices, start, stop, w, last, gravity, theta, kept, state)


@_kernel
def _add(step, data, indices, start, stop, w):
    """w += step x."""
    if indices is None:
        for j in range(stop - start):
            w[j] += step * data[start + j]
    else:
        for k in range(start, stop):
            w[indices[k]] += step * data[k]


@_kernel
def _select(step, data, indices, start, stop, w, last, gravity, theta, kept, state):
    """As `_move`: the largest of all that were kept and of all in the row."""
    heap, place, sizes, numbers = kept
    found, room = heap[0], heap.size - 1
    numbers[:found] = heap[1 : found + 1]
    for k in range(start, stop):
        j = np.int64(k - start if indices is None else indices[k])
        w[j] += step * data[k]
        if place[j] <= 0 and data[k] != 0.0:
            numbers[found] = j
            found += 1
    for i in range(found):
        sizes[i] = abs(_weight(numbers[i], w, last, gravity, theta))
    if found > room:
        _largest_first(sizes, numbers, found, room)
    lost = 0.0
    for i in range(room, found):
        lost += sizes[i] * sizes[i]
        w[numbers[i]] = 0.0
        place[numbers[i]] = 0
    heap[0] = min(found, room)
    for i in range(heap[0]):
        heap[i + 1] = numbers[i]
        place[numbers[i]] = i + 1
    state.ordered = 0
    return lost


@_kernel
def _largest_first(sizes, numbers, found, room):
    """Bring the `room` largest to the front, the lower number first among equals: quickselect."""
    low, high = 0, found - 1
    while low < high:
        size, number = sizes[(low + high) // 2], numbers[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while sizes[i] > size or (sizes[i] == size and numbers[i] < number):
                i += 1
            while sizes[j] < size or (sizes[j] == size and numbers[j] > number):
                j -= 1
            if i <= j:
                sizes[i], sizes[j] = sizes[j], sizes[i]
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if room <= j:
            high = j
        elif room >= i:
            low = i
        else:
            return


@_kernel
def _exchange(step, data, indices, start, stop, w, last, gravity, theta, kept, state):
    """As `_move`: the features of the row move in the heap, and newcomers put out the least."""
    heap, place, _, _ = kept
    if not state.ordered:
        for at in range(heap[0] // 2, 0, -1):
            _sink(at, w, last, gravity, theta, heap, place)
        state.ordered = 1
    state.moves += 1
    lost = 0.0
    for k in range(start, stop):
        j = np.int64(k - start if indices is None else indices[k])
        if place[j] > 0:
            w[j] += step * data[k]
            _rise(place[j], w, last, gravity, theta, heap, place)
            _sink(place[j], w, last, gravity, theta, heap, place)
    for k in range(start, stop):
        j = np.int64(k - start if indices is None else indices[k])
        # What this very move has put out must not come back.
        if place[j] <= 0 and place[j] != -state.moves and data[k] != 0.0:
            lost += _push(j, step * data[k], w, last, gravity, theta, heap, place, state.moves)
    return lost


@_kernel
def _push(j, v, w, last, gravity, theta, heap, place, move):
    """Take feature j in with weight v; without room, the least goes: its weight squared."""
    if heap[0] < heap.size - 1:
        heap[0] += 1
        heap[heap[0]] = j
        w[j] = v
        _rise(heap[0], w, last, gravity, theta, heap, place)
        return 0.0
    out = heap[1]
    least = _weight(out, w, last, gravity, theta)
    if abs(v) < abs(least) or (abs(v) == abs(least) and j > out):
        return v * v
    w[out] = 0.0
    place[out] = -move
    heap[1] = j
    w[j] = v
    _sink(1, w, last, gravity, theta, heap, place)
    return least * least


@_kernel
def _rise(at, w, last, gravity, theta, heap, place):
    """Move the feature at this place up to where it belongs."""
    j = heap[at]
    while at > 1 and _less(j, heap[at // 2], w, last, gravity, theta):
        heap[at] = heap[at // 2]
        place[heap[at]] = at
        at //= 2
    heap[at] = j
    place[j] = at


@_kernel
def _sink(at, w, last, gravity, theta, heap, place):
    """Move the feature at this place down to where it belongs."""
    j = heap[at]
    while 2 * at <= heap[0]:
        child = 2 * at
        if child < heap[0] and _less(heap[child + 1], heap[child], w, last, gravity, theta):
            child += 1
        if not _less(heap[child], j, w, last, gravity, theta):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = j
    place[j] = at


@_kernel
def _less(a, b, w, last, gravity, theta):
    """Whether feature a goes before feature b; of equal weights the higher index goes first."""
    of_a = abs(_weight(a, w, last, gravity, theta))
    of_b = abs(_weight(b, w, last, gravity, theta))
    return of_a < of_b or (of_a == of_b and a > b)
