"""Least squares on all labels at once, with few rows of weights: a feature is used or is not."""

from collections.abc import Callable
from typing import Annotated

import numpy as np
from annotated_types import Gt, Le
from scipy.sparse import csr_array, issparse

from imbfs.methods import Positive
from imbfs.selectors.passes import power_of_two
from imbfs.selectors.sparse.rows import least_penalty, shrink
from imbfs.selectors.sparse.shifted import Shifted, shifted

_ITERATIONS = 5_000  # at most
_START = 10.0  # times the tolerance: how close the start comes to the W of p = 1
_POWERS = 30  # iterations for the largest curvature
_ROUNDING = 1e-12  # of the sizes that a value sums: what is no rise of it


def ncfs(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    lam_share: Positive = 0.1,
    p: Annotated[float, Gt(0), Le(1)] = 0.5,
    tolerance: Positive = 1e-5,
) -> np.ndarray:
    """max_k |w_jk| of the W least in |Y - XW - b|^2 + lam sum_j (max_k |w_jk|)^p, [Kong2014].

    Y is +1 / -1, one column for two classes and else one for each class or label. lam is a share of
    the least one at which no feature alone is worth its penalty, whatever the scale of the data.
    Solved by proximal gradient until a step moves W by no more than `tolerance` of itself.
    Features without weight score between -1 and 0, in the order of the slope that the loss has
    there, sum_k |dL / dw_jk|. For features of one scale; a constant one scores -1.

    Deviation: of the paper, the penalty and that it is solved by proximal gradient are known here.
    Least squares, a bias b free of penalty and the order by the largest weight are assumed. With
    p < 1 the start decides what is found: it is the W of p = 1 at the same share.
    """
    scores, (X, varying) = np.full(X.shape[1], -1.0), _varying(X)
    if len(varying) == 0:
        return scores
    scale = float(power_of_two(np.abs(X.data if issparse(X) else X).max()))
    product, B, squares = centred(_unshifted(X if scale == 1.0 else X * scale), _signs(y))
    W = np.zeros_like(B)
    for power, close in ((1.0, _START * tolerance), (p, tolerance)):
        lam = lam_share * least_penalty(B, squares, power)
        W = solve(product, B, lam, power, W, close)
    largest, slope = np.abs(W).max(axis=1), np.abs(B - product(W)).sum(axis=1)
    steepest = slope[largest == 0].max(initial=0.0)
    without = slope / steepest - 1.0 if steepest > 0.0 else -np.ones_like(slope)
    scores[varying] = np.where(largest > 0, largest * scale, without)
    return scores


def centred(X, Y: np.ndarray) -> tuple[Callable, np.ndarray, np.ndarray]:
    """W -> G W with G = X'X of the centred columns, B = X'Y, and the diagonal of G.

    Centring takes up the bias. G is kept where a product with it is no more work than two with X.
    """
    n, mean = X.shape[0], _flat(X.mean(axis=0))
    X, gone = (X, mean) if issparse(X) else (X - mean, np.zeros_like(mean))
    B = X.T @ (Y - Y.mean(axis=0))  # the columns of which sum to 0: X need not be centred
    if X.shape[1] ** 2 > 2 * X.size:
        squares = _flat((X * X).sum(axis=0)) - n * gone**2
        return lambda W: X.T @ (R := X @ W - gone @ W) - np.outer(gone, R.sum(axis=0)), B, squares
    G = X.T @ X
    G = (G.toarray() if issparse(G) else G) - n * np.outer(gone, gone)
    return lambda W: _of_used(G, W), B, np.diag(G).copy()


def solve(
    product: Callable, B: np.ndarray, lam: float, p: float, W: np.ndarray, tolerance: float
) -> np.ndarray:
    """The W least in tr W'(G W - 2 B) + lam sum_j (max_k |w_jk|)^p, from the given one on.

    Accelerated proximal gradient. A step ahead that would raise the value is taken from where it
    stands instead, and if that raises it too, the curvature was too small: the value never rises.
    """
    curvature = _curvature(product, B)

    def standing(W):
        GW = product(W)
        return W, GW, np.vdot(W, GW - 2.0 * B) + lam * (np.abs(W).max(axis=1) ** p).sum()

    def step(W, GW):
        tau = np.full(len(B), lam / (2.0 * curvature))
        return standing(shrink(W - (GW - B) / curvature, tau, p))

    W, GW, value = standing(W)
    before, G_before, momentum = W, GW, 1.0
    for _ in range(_ITERATIONS):
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        share = (momentum - 1.0) / following
        ahead = W + share * (W - before)
        V, GV, reached = step(ahead, GW + share * (GW - G_before))
        if reached > value:
            ahead, following = W, 1.0
            V, GV, reached = step(W, GW)
        if reached > value + _ROUNDING * np.vdot(np.abs(W), np.abs(B)):
            curvature *= 2.0
            continue
        moved = max(np.linalg.norm(V - W), np.linalg.norm(V - ahead))
        before, G_before, W, GW = W, GW, V, GV
        value, momentum = min(value, reached), following
        if moved <= tolerance * np.linalg.norm(W):
            break
    return W


def _of_used(G: np.ndarray, W: np.ndarray) -> np.ndarray:
    used = np.flatnonzero(W.any(axis=1))
    return G[used].T @ W[used] if 2 * len(used) < len(W) else G @ W


def _curvature(product: Callable, B: np.ndarray) -> float:
    """The largest eigenvalue of G, nearly, by powers of it on a column of B, never lost on G."""
    v = B[:, [np.linalg.norm(B, axis=0).argmax()]]
    size = 0.0
    for _ in range(_POWERS if v.any() else 0):
        v = product(v / np.linalg.norm(v))
        size = np.linalg.norm(v)
    return 1.05 * size if size > 0.0 else 1.0


def _signs(y: np.ndarray) -> np.ndarray:
    if y.ndim == 2:
        return np.where(y > 0, 1.0, -1.0)
    classes = np.unique(y)
    return np.where(y[:, None] == (classes[1:] if len(classes) == 2 else classes), 1.0, -1.0)


def _varying(X) -> tuple[np.ndarray | csr_array, np.ndarray]:
    """The features that are not constant, and their places.

    A sparse one that never is 0 is moved to begin there, for centring to cancel little.
    """
    X = csr_array(X, dtype=np.float64) if issparse(X) else np.asarray(X, dtype=np.float64)
    low, high = (_flat(bound) for bound in (X.min(axis=0), X.max(axis=0)))
    varying = np.flatnonzero(high > low)
    X = X if len(varying) == len(low) else X[:, varying]
    if issparse(X):
        shift = np.where((low <= 0) & (high >= 0), 0.0, low)[varying]
        X = csr_array((X.data - shift[X.indices], X.indices, X.indptr), shape=X.shape)
    return X, varying


def _unshifted(X) -> np.ndarray | csr_array:
    """The rows, sparse if a shift makes them so: centring takes it back."""
    X = X if issparse(X) else shifted(X)
    return X.S if isinstance(X, Shifted) else X


def _flat(bound) -> np.ndarray:
    return bound.toarray().ravel() if issparse(bound) else np.asarray(bound).ravel()
