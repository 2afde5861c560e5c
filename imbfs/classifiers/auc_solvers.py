"""Two ways to the linear model with the least pair loss: pair by pair, and by cutting planes.

The rows of X come with the minority first, and dense ones centred: differences of rows are all that
counts. A model w = X^T v is held as v, which sums to 0, and as the scores X w.
"""

import warnings

import numpy as np
from numba import njit
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

TOLERANCE = 1e-6  # of the objective: how far it may be from a lower bound of it
SWEEPS = 10_000
PLANES = 500
MOVES = 10_000  # of weight between planes, after each new one
_PART = 0.1  # of the largest violation of the sweep before: what is worth a step
_BOUND_EVERY = 5  # sweeps
_AHEAD = 0.1  # where the next plane touches, from the best model to that of the planes
_HALVINGS = 8  # of a step's interval


def pair_loss(scores: np.ndarray, P: int) -> tuple[float, np.ndarray]:
    """(b, slope) of the mean of max(0, 1 - (f_i - f_j)) over pairs, [Joachims2005] Algorithm 3.

    i is one of the first P rows, j one of the others. The loss is b - slope.f at these scores, and
    b - slope.g or more at any others g. Sorting the minority finds it in O(n log P).
    """
    slope = np.empty(len(scores))
    _losing(scores, P, np.argsort(scores[:P]), slope)
    slope /= P * (len(scores) - P)
    return slope[:P].sum(), slope


def by_pairs(K: np.ndarray, P: int, total: float, seed: int) -> np.ndarray:
    """The v with the least 1/2 |w|^2 + total * pair loss, by its dual, one pair at a time.

    The dual is max sum a_ij - 1/2 |w|^2 with w = sum a_ij (x_i - x_j), 0 <= a_ij <= total / pairs,
    climbed along one a_ij after the other in random order, [Hsieh2008]. K = X X^T.
    """
    n = len(K)
    rng = np.random.default_rng(seed)
    weights, v, scores, worst = np.zeros((P, n - P)), np.zeros(n), np.zeros(n), 1.0
    cap = total / weights.size
    for sweep in range(1, SWEEPS + 1):
        orders = rng.permutation(P), rng.permutation(n - P)
        worst = _sweep(K, cap, *orders, _PART * worst, weights, v, scores)
        if sweep % _BOUND_EVERY == 0 or sweep == SWEEPS:
            scores = K @ v
            bound = weights.sum() - 0.5 * v @ scores
            value, scale = _objective(v, scores, P, total)
            if value - bound <= TOLERANCE * value:
                return scale * v
    _warn(value - bound, value)
    return scale * v


def by_planes(X, P: int, total: float) -> np.ndarray:
    """The same v by planes below the loss, [Joachims2005], with the line search of [Franc2009].

    Every plane touches the pair loss near the best model so far. What the planes alone would make
    least is the next model to move to, and its objective a lower bound of the true one.
    """
    best = model = np.zeros((2, X.shape[0]))
    planes = [model]  # the first one says that no loss is below 0
    H, b, weights = np.zeros((PLANES, PLANES)), np.zeros(PLANES), np.zeros(PLANES)
    weights[0] = gap = total
    for m in range(1, PLANES):
        b[m], slope = pair_loss(best[1] + _AHEAD * (model[1] - best[1]), P)
        planes.append(np.array([slope, _products(X, slope)]))
        H[m, : m + 1] = H[: m + 1, m] = [slope @ plane[1] for plane in planes]
        rise = b[: m + 1] - H[: m + 1, : m + 1] @ weights[: m + 1]
        _reweigh(H, rise, 0.2 * gap / total, weights[: m + 1])
        held = np.flatnonzero(weights)
        model = np.tensordot(weights[held], [planes[t] for t in held], axes=1)
        bound = b @ weights - 0.5 * model[0] @ model[1]
        best = best + _step(best, model - best, P, total) * (model - best)
        value, scale = _objective(*best, P, total)
        gap = value - bound
        if gap <= TOLERANCE * value:
            return scale * best[0]
    _warn(gap, value)
    return scale * best[0]


def _objective(v, scores, P: int, total: float) -> tuple[float, float]:
    """The objective at w, or at the multiple of w that just has no loss if that is less, and which.

    Where the loss weighs so much that none is left, rounding would hide how near the optimum is.
    """
    b, slope = pair_loss(scores, P)
    value = 0.5 * v @ scores + total * (b - slope @ scores)
    margin = scores[:P].min() - scores[P:].max()
    if margin > 0 and 0.5 * v @ scores / margin**2 < value:
        return 0.5 * v @ scores / margin**2, 1 / margin
    return value, 1.0


def _products(X, v) -> np.ndarray:
    """X X^T v, less a constant for sparse X, which is not centred: no difference feels it."""
    scores = X @ (X.T @ v)
    return scores - scores.mean() if issparse(X) else scores


def _step(best, ahead, P: int, total: float) -> float:
    """How far to go ahead, at most 1: where the objective, which is convex, begins to rise."""
    low, high = 0.0, 1.0
    for trial in [1.0] + _HALVINGS * [None]:
        here = (low + high) / 2 if trial is None else trial
        v, scores = best + here * ahead
        rises = v @ ahead[1] - total * pair_loss(scores, P)[1] @ ahead[1] > 0
        low, high = (low, here) if rises else (here, high)
    return low


def _warn(gap: float, value: float) -> None:
    warnings.warn(
        f"AucSVM stopped {gap / value:.1g} of the objective above its bound. Scale the features, "
        "or lower C.",
        ConvergenceWarning,
        stacklevel=4,
    )


@njit(cache=True)
def sparse_products(data, indices, indptr, of_data, of_rows, of_ends, K):
    """Fill K, which is zero, with X X^T, of the rows of X and of its columns, in order.

    Either half is the other: every product is a sum over the columns in their order.
    """
    first = of_ends[:-1].copy()  # in each column, the place of the row at hand
    for i in range(len(K)):
        for at in range(indptr[i], indptr[i + 1]):
            j, value = indices[at], data[at]
            for other in range(first[j], of_ends[j + 1]):
                K[i, of_rows[other]] += value * of_data[other]
            first[j] += 1
        K[i:, i] = K[i, i:]


@njit(cache=True)
def _losing(scores, P, order, slope):
    """With how many rows of the other class each row loses, below 0 for the majority's.

    `order` sorts the minority. The majority is sought in it abreast, halving by halving: no search
    waits for another, and none for a branch.
    """
    bounds, majority = scores[:P][order] - 1.0, scores[P:]
    below, size = np.zeros(len(majority), np.uint32), P
    while size > 1:
        half = np.uint32(size >> 1)
        for j in range(len(majority)):
            beyond = bounds[below[j] + half - np.uint32(1)] < majority[j]
            below[j] += half * np.uint32(beyond)
        size -= size >> 1
    lost = np.zeros(P + 1)
    for j in range(len(majority)):
        below[j] += np.uint32(bounds[below[j]] < majority[j])
        slope[P + j] = -np.float64(below[j])
        lost[below[j]] += 1.0
    total = 0.0
    for r in range(P - 1, -1, -1):
        total += lost[r + 1]
        slope[order[r]] = total


@njit(cache=True)
def _sweep(K, cap, order_i, order_j, least, weights, v, scores):
    """Best a_ij for one pair after the other that violates optimality by more than `least`."""
    P, worst = len(order_i), 0.0
    for i in order_i:
        for q in order_j:
            j = P + q
            slope, old = 1.0 - (scores[i] - scores[j]), weights[i, q]
            if (slope > 0.0 and old < cap) or (slope < 0.0 and old > 0.0):
                worst = max(worst, abs(slope))
                if abs(slope) > least:
                    curvature = max(K[i, i] + K[j, j] - 2.0 * K[i, j], 1e-300)
                    weights[i, q] = min(max(old + slope / curvature, 0.0), cap)
                    step = weights[i, q] - old
                    v[i] += step
                    v[j] -= step
                    for t in range(len(v)):
                        scores[t] += step * (K[i, t] - K[j, t])
    return worst


@njit(cache=True)
def _reweigh(H, slope, tolerance, weights):
    """Climb to max b.a - 1/2 a.H.a over a >= 0 of the same sum, moving weight between two planes.

    slope = b - H.a; both it and the weights are updated.
    """
    for _ in range(MOVES):
        i = np.argmax(slope)
        most, lowest, j, moved = 0.0, slope[i], i, 0.0
        for t in range(len(slope)):
            rise = slope[i] - slope[t]
            if weights[t] > 0.0 and rise > 0.0:
                lowest = min(lowest, slope[t])
                curvature = max(H[i, i] + H[t, t] - 2.0 * H[i, t], 1e-300)
                move = min(rise / curvature, weights[t])
                gain = move * (rise - 0.5 * move * curvature)
                if gain > most:
                    most, j, moved = gain, t, move
        if slope[i] - lowest <= tolerance or j == i:
            return
        weights[i] += moved
        weights[j] -= moved
        for t in range(len(slope)):
            slope[t] -= moved * (H[i, t] - H[j, t])
