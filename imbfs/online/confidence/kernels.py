"""The passes of Algorithm 1 over a batch and over batches of one row each, [Liu2019].

For single rows: with Z the groups learned, each a row in its selected features alone, Eq. (10) is
Sigma = (I + C Z'Z)^-1 = I - Z'(R R')^-1 Z with the triangular root R R' = I / C + Z Z'. A row of Z
is a row of R and one of its inverse N, and changes no other: products with Sigma need N Z, and
nothing as large as Sigma.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

PANEL = 128  # rows of R that wait to become rows of N together
_LEAST_RIDGE = 1e-8  # of a row's square: what rounding takes where C is out of all reason
_SUMS = {"reassoc", "contract", "nsz"}


class Row(NamedTuple):
    """A row's values and features, and where in Y these are: -1 where Y would be 0."""

    x: np.ndarray
    features: np.ndarray
    places: np.ndarray


class Entries(NamedTuple):
    """Z by feature: the last entry of each, the one before each entry (-1 for none), and how many.

    `n` counts rows and entries.
    """

    last: np.ndarray
    before: np.ndarray
    row: np.ndarray
    value: np.ndarray
    n: np.ndarray


class Panel(NamedTuple):
    """The rows of R that N does not have yet: left of the panel and in it; and Y = N Z.

    Y has a row for each feature that the rows to come share with N's.
    """

    left: np.ndarray
    corner: np.ndarray
    Y: np.ndarray


@njit(cache=True, error_model="numpy")
def descend(X, XS, bases, norms, y, D, q, C, sigma, edges, alpha):
    """Learn from the rows of a batch one by one; return what the mean moves by, update `alpha`.

    Columns edges[k] to edges[k + 1] of X are those of group k, XS is X Sigma_k in each, column k of
    `norms` the squared norms of x^_k, and `bases` the decisions before. The paper has x^ = gamma x
    and w = gamma^-1 mu with gamma^2 = Sigma. Here u = gamma z stands for z: x^' x^ = x' Sigma x,
    z_k' x^_k = u_k' x_k and mu = mean + gamma v need no root of Sigma.
    """
    n_groups = edges.size - 1
    u = np.zeros(edges[-1])
    share = np.zeros(n_groups)  # v_k = share_k z_k
    moved, squares, lengths = np.zeros(n_groups), np.zeros(n_groups), np.zeros(n_groups)
    for i in range(len(y)):
        margin, total = bases[i], 0.0
        for k in range(n_groups):
            moved[k] = 0.0
            for j in range(edges[k], edges[k + 1]):
                moved[k] += X[i, j] * u[j]
            margin += share[k] * moved[k]
            total += norms[i, k]
        loss = 1.0 - y[i] * margin
        if loss <= 0.0 or total <= 0.0:
            continue
        if q == 1:
            alpha[i] = min(loss / (C * total), D[i])
        else:
            alpha[i] = loss / (C * total + 0.5 / D[i])
        step = C * alpha[i] * y[i]  # z = z + C alpha_i y_i x^_i; the paper prints no y_i
        for j in range(edges[-1]):
            u[j] += step * XS[i, j]
        for k in range(n_groups):
            squares[k] += 2.0 * step * moved[k] + step**2 * norms[i, k]  # |z_k|^2
            lengths[k] = np.sqrt(max(squares[k], 0.0))
        tau = group_threshold(lengths, sigma)
        for k in range(n_groups):
            share[k] = (1.0 - tau / lengths[k]) / sigma if lengths[k] > tau else 0.0
    for k in range(n_groups):
        for j in range(edges[k], edges[k + 1]):
            u[j] *= share[k]
    return u


@njit(cache=True, error_model="numpy")
def group_threshold(norms, sigma):
    """tau = sum_k max(0, n_k - tau) / sigma: what grad Omega*(z) takes from each group's norm.

    With the terms of all groups tau is too small; those of the groups it takes all from go, which
    makes it larger, until there are none.
    """
    tau, before = -1.0, len(norms) + 1
    while True:
        total, count = 0.0, 0
        for n in norms:
            if n > tau:
                total += n
                count += 1
        if count >= before:  # more only by rounding
            return tau
        tau, before = total / (sigma + count), count


@njit(cache=True)
def learn_rows(X, y, D, form, Z, panel, mean, used, decisions):
    """Learn from rows one by one until the panel is full; return how many were.

    The decision before each is in `decisions`; updates `Z`, `panel`, `mean` and `used`: how many
    features the last row selected, and which.
    """
    data, indices, indptr, places = X
    for i in range(len(y)):
        if Z.n[0] >= panel.Y.shape[1] + PANEL:
            return i
        at = slice(indptr[i], indptr[i + 1])
        row = Row(data[at], indices[at], places[at])
        decisions[i] = dot(row.x, mean[row.features])
        before = mean[row.features]
        order, after = learn_row(row, y[i : i + 1], D[i : i + 1], form, Z, panel, before)
        if form.reset:
            mean[used[1 : used[0] + 1]] = 0.0
        used[0] = len(order)
        used[1 : used[0] + 1] = row.features[order]
        mean[row.features[order]] = after
    return len(y)


@njit(cache=True, error_model="numpy")
def learn_row(row, y, D, form, Z, panel, mean):
    """Choose features of a batch of one row, step by step: their places in it and their new mean.

    All that are to be had are chosen at once; the new dual variable may then favour others, as long
    as the panel has room for another group.
    """
    n_features = len(row.x)
    alpha = D.copy() if form.cost_weighted else np.ones(1)
    start = mean if form.warm else np.zeros(n_features)
    order, scaled, after = np.empty(n_features, np.int64), np.empty(n_features), np.empty(0)
    edges, norms = np.zeros(1, np.int64), np.zeros((1, n_features))
    product = multiplied(row, row.x, Z, panel)[0] if form.informed else row.x.copy()
    while edges[-1] < form.p and Z.n[0] < panel.Y.shape[1] + len(panel.corner):
        s = alpha[0] * y[0] * row.x
        scores = (alpha[0] * y[0] * product + 2.0 * mean) * s if form.informed else s**2  # Eq. (14)
        scores[order[: edges[-1]]] = 0.0
        eta = most_violated(scores, form.p - edges[-1])
        if len(eta) == 0:
            break
        group = slice(edges[-1], edges[-1] + len(eta))
        order[group] = eta
        scaled[group] = extend(row, eta, form.C, Z, panel, product)
        norms[0, len(edges) - 1] = dot(row.x[eta], scaled[group])
        edges = np.append(edges, group.stop)
        chosen = order[: group.stop]
        x, xs = row.x[chosen].reshape(1, -1), scaled[: group.stop].reshape(1, -1)
        given = (form.q, form.C, form.sigma)
        after = start[chosen]
        bases = np.full(1, dot(x[0], after))
        after += descend(x, xs, bases, norms[:, : len(edges) - 1], y, D, *given, edges, alpha)
    return order[: edges[-1]], after


@njit(cache=True)
def most_violated(scores, room):
    """The places of the largest scores above 0, upwards; ties go to the lower place.

    They are kept in a heap, with the one on top that the next larger score takes the place of.
    """
    heap = np.empty(room, np.int64)
    n = 0
    for j in range(len(scores)):
        if n < room and scores[j] > 0.0:
            k = n
            n += 1
            while k > 0 and scores[j] <= scores[heap[(k - 1) // 2]]:
                heap[k] = heap[(k - 1) // 2]
                k = (k - 1) // 2
            heap[k] = j
        elif n == room and n > 0 and scores[j] > scores[heap[0]]:
            sift(heap, scores, j)
    return np.sort(heap[:n])


@njit(cache=True)
def sift(heap, scores, j):
    """Let j take the place of the top of a heap: the lowest score, of equals the last place."""
    k, n = 0, len(heap)
    while 2 * k + 1 < n:
        below = 2 * k + 1
        if below + 1 < n:
            a, b = heap[below], heap[below + 1]
            below += scores[b] < scores[a] or (scores[b] == scores[a] and b > a)
        if scores[heap[below]] >= scores[j]:
            break
        heap[k] = heap[below]
        k = below
    heap[k] = j


@njit(cache=True)
def sums(data, indices, indptr, alpha, y, n_features):
    """s = sum_i alpha_i y_i x_i, the rows being sparse."""
    s = np.zeros(n_features)
    for i in range(len(y)):
        weight = alpha[i] * y[i]
        for e in range(indptr[i], indptr[i + 1]):
            s[indices[e]] += weight * data[e]
    return s


@njit(cache=True)
def dense(data, indices, indptr, chosen, n_samples):
    """Some columns of a matrix that is sparse by column, dense; they are the rows of the result."""
    X = np.zeros((len(chosen), n_samples))
    for k in range(len(chosen)):
        for e in range(indptr[chosen[k]], indptr[chosen[k] + 1]):
            X[k, indices[e]] += data[e]
    return X


@njit(cache=True)
def upper(A, n):
    """The first n rows of A, with zeros left of the diagonal."""
    R = np.zeros((n, A.shape[1]))
    for i in range(n):
        for j in range(i, A.shape[1]):
            R[i, j] = A[i, j]
    return R


@njit(cache=True, error_model="numpy")
def extend(row, eta, C, Z, panel, product):
    """Add a group to Z, and to the panel: return Sigma x in it; updates `product`, Sigma x."""
    z = np.zeros(len(row.x))
    z[eta] = row.x[eta]
    moved, u, v = multiplied(row, z, Z, panel)
    square = max(dot(z, moved), 0.0)
    ridge = max(1.0 / C, _LEAST_RIDGE * dot(z, z))
    k = len(v)
    panel.left[k] = u
    panel.corner[k, :k] = v
    panel.corner[k, k] = np.sqrt(ridge + square)
    for j in eta:
        e, feature = Z.n[1], row.features[j]
        Z.row[e], Z.value[e] = Z.n[0], z[j]
        Z.before[e], Z.last[feature] = Z.last[feature], e
        Z.n[1] += 1
    Z.n[0] += 1
    add(-dot(z, product) / (ridge + square), moved, product)
    return moved[eta] * (ridge / (ridge + square))


@njit(cache=True)
def multiplied(row, x, Z, panel):
    """Sigma x at the row's features, x being 0 elsewhere; and R^-1 Z x, up to the panel, in it."""
    n, m = panel.Y.shape[1], Z.n[0] - panel.Y.shape[1]
    u, v = np.zeros(n), np.zeros(m)
    for j in np.flatnonzero(x):
        if row.places[j] >= 0:
            add(x[j], panel.Y[row.places[j]], u)
        e = Z.last[row.features[j]]
        while e >= 0 and Z.row[e] >= n:
            v[Z.row[e] - n] += x[j] * Z.value[e]
            e = Z.before[e]
    for k in range(m):
        v[k] -= dot(panel.left[k], u) + dot(panel.corner[k, :k], v[:k])
        v[k] /= panel.corner[k, k]
    return x - explained(row, u, v, Z, panel), u, v


@njit(cache=True)
def explained(row, u, v, Z, panel):
    """Z' R'^-1 (u, v) at the row's features."""
    n, m = len(u), len(v)
    u, v = u.copy(), v.copy()
    for k in range(m - 1, -1, -1):
        v[k] /= panel.corner[k, k]
        add(-v[k], panel.corner[k, :k], v[:k])
        add(-v[k], panel.left[k], u)
    product = np.zeros(len(row.x))
    for j in range(len(row.x)):
        if row.places[j] >= 0:
            product[j] = dot(panel.Y[row.places[j]], u)
        e = Z.last[row.features[j]]
        while e >= 0 and Z.row[e] >= n:
            product[j] += Z.value[e] * v[Z.row[e] - n]
            e = Z.before[e]
    return product


@njit(cache=True)
def columns(Z, features, n_inverted):
    """Z at the features in its first rows: the edges of each feature, rows upwards, values."""
    edges = np.zeros(len(features) + 1, np.int64)
    for k in range(len(features)):
        edges[k + 1] = edges[k]
        e = Z.last[features[k]]
        while e >= 0:
            edges[k + 1] += Z.row[e] < n_inverted
            e = Z.before[e]
    rows, values = np.empty(edges[-1], np.int64), np.empty(edges[-1])
    for k in range(len(features)):
        place = edges[k + 1]
        e = Z.last[features[k]]
        while e >= 0:
            if Z.row[e] < n_inverted:
                place -= 1
                rows[place], values[place] = Z.row[e], Z.value[e]
            e = Z.before[e]
    return edges, rows, values


@njit(cache=True, fastmath=_SUMS)
def multiply(block, first, edges, rows, values, Y):
    """Y = N Z from column `first` on, as far as a block of N' reaches; four entries at a time."""
    sums = np.empty(PANEL)
    for k in range(len(Y)):
        e = edges[k]
        stop = e + np.searchsorted(rows[e : edges[k + 1]], len(block))
        sums[:] = 0.0
        while e + 4 <= stop:
            a, b, c, d = values[e], values[e + 1], values[e + 2], values[e + 3]
            p, q, r, s = block[rows[e]], block[rows[e + 1]], block[rows[e + 2]], block[rows[e + 3]]
            for i in range(PANEL):
                sums[i] += a * p[i] + b * q[i] + c * r[i] + d * s[i]
            e += 4
        for rest in range(e, stop):
            add(values[rest], block[rows[rest]], sums)
        Y[k, first : first + PANEL] = sums


@njit(cache=True, fastmath=_SUMS)
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=True, fastmath=_SUMS)
def add(step, a, b):
    """b = b + step a."""
    for i in range(len(a)):
        b[i] += step * a[i]
