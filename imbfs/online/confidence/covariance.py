"""The covariance of the weights, where it is not the identity."""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

_LEAST_VARIANCE = 1e-12
_ROOM = 128  # features that Sigma grows by


class Covariance:
    """Sigma, kept among the features ever selected; elsewhere it is the identity.

    With A such features it takes about A^2 numbers, however many features there are.
    """

    def __init__(self):
        self.features = np.empty(0, np.int64)  # by their place in Sigma
        self._sigma = np.empty((0, 0))

    @property
    def sigma(self) -> np.ndarray:
        """Sigma among `features`."""
        n = len(self.features)
        return self._sigma[:n, :n]

    def know(self, features: np.ndarray, sigma: np.ndarray) -> None:
        """Be Sigma among some features."""
        self.features, self._sigma = features, _roomy(sigma, len(features))

    def met(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of some features, in order, were ever selected, and their places in Sigma."""
        at = np.searchsorted(features, self.features)
        known = np.flatnonzero(at < len(features))
        known = known[features[at[known]] == self.features[known]]
        return at[known], known

    def product(self, features: np.ndarray, s: np.ndarray) -> np.ndarray:
        """Sigma s at `features`, for an s that has the values `s` there and is 0 elsewhere."""
        known, places = self.met(features)
        product = s.copy()
        if len(known):
            within = np.zeros(len(self.features))
            within[places] = s[known]
            product[known] = (self.sigma @ within)[places]
        return product

    def learn(self, features: np.ndarray, X: np.ndarray, C: float) -> np.ndarray:
        """Add C X'X to the inverse of Sigma among `features`, Eq. (10); return Sigma there.

        By Woodbury's identity with X = QR: R has min(n_samples, n_features) rows and R'R = X'X.
        """
        at = self._places(features)
        sigma = self.sigma
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
        known, places = self.met(features)
        new = np.ones(len(features), bool)
        new[known] = False
        at, n = np.empty(len(features), np.int64), len(self.features)
        at[known] = places
        at[new] = np.arange(n, n + np.count_nonzero(new))
        sigma = self.sigma
        self.features = np.concatenate((self.features, features[new]))
        if len(self.features) > len(self._sigma):
            self._sigma = _roomy(sigma, len(self.features))
        return at


def _roomy(sigma: np.ndarray, n: int) -> np.ndarray:
    """Sigma and the identity around it, with room for n features or a few more."""
    larger = np.eye(-(-n // _ROOM) * _ROOM)
    larger[: len(sigma), : len(sigma)] = sigma
    return larger


def _root(M: np.ndarray) -> np.ndarray:
    """The Cholesky root of M, with as much added to its diagonal as it takes."""
    added = 0.0
    while True:
        try:
            return cholesky(M + added * np.eye(len(M)), lower=True, check_finite=False)
        except LinAlgError:
            added = max(10 * added, 1e-12 * max(np.trace(M), 1.0))
