"""Newton's steps of the SVM on dense rows of few features, where numpy's calls cost more than sums.

The formulas are those of `newton._Loss`, `_descended`, `_by_rows` and `_by_features`. Arrays are
filled by loops: assignments to slices take seconds to compile.
"""

import numpy as np
from numba import njit

HALVINGS = 40  # of a step


@njit(cache=True)
def descend(X, y, C, a, sigma, anchor, hold, model, f, length, tolerance, limit):
    """The model of the least loss, and how many steps are left; see `newton._descended`."""
    n, d = X.shape
    s, pull, gradient = np.empty(n), np.empty(n), np.empty(d + 1)
    value = _loss(y, C, a, sigma, anchor, hold, model, f, s)
    left = limit
    while True:
        violation, total, bias = 0.0, 0.0, 0.0
        for i in range(n):
            violation = max(violation, abs(s[i] - a[i]) / sigma)
            total += s[i]
            pull[i] = y[i] * s[i]
            bias += pull[i]
        pulled, squares = np.dot(pull, X), 0.0
        for j in range(d):
            gradient[j] = model[j] - pulled[j]
            squares += gradient[j] ** 2
        gradient[d] = hold * (model[d] - anchor) - bias
        error = max(length * np.sqrt(squares), abs(gradient[d]) / (total if total > 0.0 else 1.0))
        if left == 0 or error <= 0.1 * max(min(violation, 1.0), tolerance):
            return model, left
        A = _within(X, s, C)  # only rows with s within bounds bend the loss
        if A.shape[0] <= d:
            step = _by_rows(A, sigma, hold, -gradient)
        else:
            step = _by_features(A, sigma, hold, -gradient)
        moved = np.dot(X, step[:d]) + step[d]
        here, fall, share = value, 1e-4 * np.dot(gradient, step), 1.0
        ahead, further = model, f
        for _ in range(HALVINGS):
            ahead, further = model + share * step, f + share * moved
            value = _loss(y, C, a, sigma, anchor, hold, ahead, further, s)
            if value <= here + share * fall:
                break
            share /= 2.0
        model, f = ahead, further
        left -= 1


@njit(cache=True)
def _within(X, s, C):
    """The rows with 0 < s < C."""
    m = 0
    for i in range(len(s)):
        m += 0.0 < s[i] < C[i]
    A, at = np.empty((m, X.shape[1])), 0
    for i in range(len(s)):
        if 0.0 < s[i] < C[i]:
            for j in range(X.shape[1]):
                A[at, j] = X[i, j]
            at += 1
    return A


@njit(cache=True)
def _loss(y, C, a, sigma, anchor, hold, model, f, s):
    """The smooth loss at decisions f; writes the multipliers into s."""
    smooth, lost = 0.0, 0.0  # steps end where the loss has no more digits: none may be lost here
    for i in range(len(y)):
        missed = 1.0 - y[i] * f[i]
        s[i] = min(max(a[i] + sigma * missed, 0.0), C[i])
        term = s[i] * (missed + (a[i] - 0.5 * s[i]) / sigma) - lost
        total = smooth + term
        lost = (total - smooth) - term
        smooth = total
    w, b = model[:-1], model[-1] - anchor
    return 0.5 * (np.dot(w, w) + hold * b * b) + smooth


@njit(cache=True)
def _by_rows(A, sigma, hold, r):
    """The p with H p = r, H = diag(1, ..., 1, hold) + sigma [A 1]^T [A 1], where A has few rows."""
    m, d = A.shape
    p = r.copy()
    if m == 0:
        p[d] = r[d] / hold
        return p
    K = np.dot(A, A.T)
    ones = np.empty(m)
    for i in range(m):
        K[i, i] += 1.0 / sigma
        ones[i] = 1.0
    L = np.linalg.cholesky(K)
    Ar = np.dot(A, r[:d])
    ones, inverse = _solved(L, ones), _solved(L, Ar)
    bent, mass = r[d], hold
    for i in range(m):
        bent -= ones[i] * Ar[i]
        mass += ones[i]
    p[d] = bent / mass
    for i in range(m):
        inverse[i] += p[d] * ones[i]
    moved = np.dot(inverse, A)
    for j in range(d):
        p[j] -= moved[j]
    return p


@njit(cache=True)
def _by_features(A, sigma, hold, r):
    """The same p where A has few columns."""
    m, d = A.shape
    gram, sums, H = np.dot(A.T, A), np.zeros(d), np.empty((d + 1, d + 1))
    for i in range(m):
        for j in range(d):
            sums[j] += A[i, j]
    for j in range(d):
        for k in range(d):
            H[j, k] = sigma * gram[j, k]
        H[j, j] += 1.0
        H[j, d] = H[d, j] = sigma * sums[j]
    H[d, d] = sigma * m + hold
    return _solved(np.linalg.cholesky(H), r)


@njit(cache=True)
def _solved(L, right):
    """(L L^T)^-1 right."""
    x = right.copy()
    n = len(x)
    for i in range(n):
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        for j in range(i):
            x[j] -= L[i, j] * x[i]
    return x
