"""The F-statistic of labels: a good feature differs more between labels than within them."""

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.selectors.passes import in_range, plain_moments, ratio, shifts

# Values of dense rows copied at a time, so that the copies stay in the cache.
BLOCK = 2**18


def ml_f_statistic(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """F-statistic of labels, (S_b / (K - 1)) / (S_w / (N - K)), [Kong2012].

    A sample counts once for each of its labels: of the N that there are so, n_k have label k, with
    the mean m_k, and all have the mean m. S_b = sum_k n_k (m_k - m)^2, and S_w = sum_k sum_i Y_ik
    (x_i - m_k)^2. With one label a sample it is the F of an analysis of variance. Samples without a
    label and labels without a sample count for nothing; a single label has nothing to differ from,
    and every feature scores 0.

    Deviation: other implementations have the number of samples for N, which changes no order.
    """
    labels = [rows for rows in map(np.flatnonzero, (y > 0).T) if len(rows)]
    if len(labels) < 2:
        return np.zeros(X.shape[1])
    sizes = np.array([len(rows) for rows in labels])
    means, scatters = in_range(lambda X: _moments(X, labels, sizes), X)
    between = (sizes[:, None] * shifts(means, sizes) ** 2).sum(axis=0)
    # With one sample a label nothing is within them, and the ratio is infinite or 0 already.
    freedom = max(sizes.sum() - len(labels), 1) / (len(labels) - 1)
    return ratio(between, scatters.sum(axis=0)) * freedom


def _moments(X, labels, sizes):
    """Mean and sum of squared deviations of every label and feature, two arrays (K, d)."""
    means, scatters = np.zeros((2, len(labels), X.shape[1]))
    width = X.shape[1] if issparse(X) else max(1, BLOCK // len(X))
    for start in range(0, X.shape[1], width):
        block = slice(start, start + width)
        some = X if issparse(X) else X[:, block]
        for k, rows in enumerate(labels):
            found = plain_moments(some[rows], np.zeros(len(rows), np.int64), sizes[[k]])
            means[[k], block], scatters[[k], block] = found
    return means, scatters
