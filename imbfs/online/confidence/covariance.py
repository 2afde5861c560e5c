"""The covariance of the weights, where it is not the identity."""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

_LEAST_VARIANCE = 1e-12


class Covariance:
    """Sigma, kept among the features ever selected; elsewhere it is the identity.

    With A such features it takes n_features + A^2 numbers.
    """

    def __init__(self, n_features: int):
        self._slots = np.full(n_features, -1, np.int32)
        self._n = 0
        self._sigma = np.empty((0, 0))

    @property
    def n_selected(self) -> int:
        """How many features were ever selected."""
        return self._n

    def product(self, features: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Sigma s at `features`, for an s that has the values `s` there and is 0 elsewhere."""
        slots = self._slots[features]
        known = np.flatnonzero(slots >= 0)
        product = s.copy()
        if len(known):
            within = np.zeros(self._n)
            within[slots[known]] = s[known]
            product[known] = (self._sigma[: self._n, : self._n] @ within)[slots[known]]
        return product

    def learn(self, features: np.ndarray, X: np.ndarray, C: float) -> np.ndarray:
        """Add C X'X to the inverse of Sigma among `features`, Eq. (10); return Sigma there.

        By Woodbury's identity with X = QR: R has min(n_samples, n_features) rows and R'R = X'X.
        """
        at = self._places(features)
        sigma = self._sigma[: self._n, : self._n]
        R = np.linalg.qr(X, mode="r")
        V = R @ sigma[at]
        root = _root(V[:, at] @ R.T + np.eye(len(R)) / C)
        W = solve_triangular(root, V, lower=True)
        sigma -= W.T @ W
        variances = np.einsum("ii->i", sigma)
        np.maximum(variances, _LEAST_VARIANCE, out=variances)
        return sigma[np.ix_(at, at)]

    def _places(self, features: np.ndarray) -> np.ndarray:
        """Where the features stand in Sigma; those that are new get a place of their own."""
        new = features[self._slots[features] < 0]
        n = self._n + len(new)
        if n > len(self._sigma):
            larger = np.eye(2 * n)
            larger[: self._n, : self._n] = self._sigma[: self._n, : self._n]
            self._sigma = larger
        self._slots[new] = np.arange(self._n, n)
        self._n = n
        return self._slots[features]


def _root(M: np.ndarray) -> np.ndarray:
    """The Cholesky root of M, with as much added to its diagonal as it takes."""
    added = 0.0
    while True:
        try:
            return cholesky(M + added * np.eye(len(M)), lower=True, check_finite=False)
        except LinAlgError:
            added = max(10 * added, 1e-12 * max(np.trace(M), 1.0))
