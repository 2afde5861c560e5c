"""Weights in groups, few of which are used: the squared sum of norms as a penalty."""

import numpy as np


def group_threshold(norms: np.ndarray, sigma: float) -> float:
    """The tau with tau = (1 / sigma) sum_k max(0, n_k - tau), [Liu2019] Sec. 4.3.

    If the j largest norms exceed it, tau is their sum over sigma + j; there is one such j.
    """
    largest = np.sort(norms)[::-1]
    tau = np.cumsum(largest) / (sigma + np.arange(1, len(norms) + 1))
    exceeding = np.count_nonzero(largest > tau)
    return tau[exceeding - 1] if exceeding else 0.0


def group_norms(z: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """|z_k| of the groups of neighbours that begin at `starts`, the first at 0."""
    return np.sqrt(np.add.reduceat(z * z, starts))


def group_shrink(z: np.ndarray, starts: np.ndarray, sigma: float) -> np.ndarray:
    """The v least in (sum_k |v_k|)^2 / 2 + sigma |v|^2 / 2 - z.v: group soft threshold, [Liu2019].

    v_k = max(0, 1 - tau / |z_k|) z_k / sigma, so that tau = sum_k |v_k|. It is the proximal step of
    the first term from z / sigma, of length 1 / sigma.
    """
    norms = group_norms(z, starts)
    left = np.maximum(norms - group_threshold(norms, sigma), 0.0)
    factor = np.divide(left, sigma * norms, out=np.zeros_like(norms), where=left > 0)
    return z * np.repeat(factor, np.diff(starts, append=len(z)))
