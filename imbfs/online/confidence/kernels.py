"""The pass of Algorithm 1 over one batch, [Liu2019]."""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def descend(X, XS, y, D, q, C, sigma, edges, mean, alpha):
    """Learn from the rows of a batch one by one; return the new mean and update `alpha`.

    Columns edges[k] to edges[k + 1] of X are those of group k, and XS is X Sigma_k in each. The
    paper has x^ = gamma x and w = gamma^-1 mu with gamma^2 = Sigma. Here u = gamma z stands for z:
    x^' x^ = x' Sigma x, z_k' x^_k = u_k' x_k and mu = mean + gamma v need no root of Sigma.
    """
    n_samples, n_features = X.shape
    n_groups = edges.size - 1
    u = np.zeros(n_features)
    share = np.zeros(n_features)  # v_k = share_k z_k
    moved, sqnorm, squares = np.empty(n_groups), np.empty(n_groups), np.zeros(n_groups)
    for i in range(n_samples):
        margin = 0.0
        for k in range(n_groups):
            moved[k], sqnorm[k] = 0.0, 0.0
            for j in range(edges[k], edges[k + 1]):
                margin += X[i, j] * (mean[j] + share[j] * u[j])
                moved[k] += X[i, j] * u[j]
                sqnorm[k] += X[i, j] * XS[i, j]
        loss = 1.0 - y[i] * margin
        total = sqnorm.sum()
        if loss <= 0.0 or total <= 0.0:
            continue
        if q == 1:
            alpha[i] = min(loss / (C * total), D[i])
        else:
            alpha[i] = loss / (C * total + 0.5 / D[i])
        step = C * alpha[i] * y[i]  # z = z + C alpha_i y_i x^_i; the paper prints no y_i
        for k in range(n_groups):
            squares[k] += 2.0 * step * moved[k] + step**2 * sqnorm[k]  # |z_k|^2
        u += step * XS[i]
        norms = np.sqrt(np.maximum(squares, 0.0))
        tau = group_threshold(norms, sigma)
        for k in range(n_groups):
            kept = (1.0 - tau / norms[k]) / sigma if norms[k] > tau else 0.0
            share[edges[k] : edges[k + 1]] = kept
    return mean + share * u


@njit(cache=True, error_model="numpy")
def group_threshold(norms, sigma):
    """tau = sum_k max(0, n_k - tau) / sigma: what grad Omega*(z) takes from each group's norm."""
    total, tau = 0.0, 0.0
    count = 0
    for n in -np.sort(-norms):
        if n <= (total + n) / (sigma + count + 1):
            break
        total += n
        count += 1
        tau = total / (sigma + count)
    return tau
