"""The covariance of the weights, where it is not the identity."""

import numpy as np
from scipy.linalg import blas, lapack  # scipy's own functions take longer than these systems do

from imbfs.online.confidence import kernels

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

    def ahead(self, n: int) -> np.ndarray:
        """Sigma among the features there are, with the identity around it to make it n wide."""
        if n > len(self._sigma):
            self._sigma = _roomy(self.sigma, n)
        return self._sigma[:n, :n]

    def change(self, features: np.ndarray, W: np.ndarray) -> None:
        """Subtract W'W from Sigma, where its last places are now those of new features."""
        self.features = np.concatenate((self.features, features))
        sigma = self.sigma
        sigma -= W.T @ W
        variances = np.einsum("ii->i", sigma)
        np.maximum(variances, _LEAST_VARIANCE, out=variances)


class Update:
    """Sigma while it learns from a batch, step by step: Sigma - W'W, with Sigma that before it.

    A step makes a few rows of W. Sigma is read and written as a whole when the batch is `done`, and
    not in every step.
    """

    def __init__(self, covariance: Covariance, features: np.ndarray, most: int):
        """Be about to learn groups of some features, in order, `most` of them in all."""
        self._covariance, self._features = covariance, features
        self.known, self._met = covariance.met(features)
        self.places = np.full(len(features), -1)  # in Sigma; those that are new get one in `learn`
        self.places[self.known] = self._met
        self._n_known = len(covariance.features)
        self._new = [np.empty(0, np.int64)]
        self._width = self._n_known
        width = self._n_known + min(most, len(features) - len(self.known))
        self._sigma = covariance.ahead(width)
        self._W = np.empty((min(most, len(features)), width))
        self._height = 0

    def product(self, s: np.ndarray) -> np.ndarray:
        """Sigma s at the `known` features, for an s that has the values `s` at all `features`."""
        n, W = self._n_known, self._W[: self._height]
        within = np.zeros(self._W.shape[1])
        within[self._met] = s[self.known]
        product = self._sigma[:n, :n] @ within[:n]
        if len(W):
            new = np.concatenate(self._new)
            within[self.places[new]] = s[new]
            product -= (W @ within) @ W[:, :n]
        return product[self._met]

    def learn(self, eta: np.ndarray, X: np.ndarray, C: float) -> np.ndarray:
        """Add C X'X to the inverse of Sigma among the features `eta`, Eq. (10); return Sigma there.

        By Woodbury's identity with X = QR: R has min(n_samples, n_features) rows and R'R = X'X.
        """
        at, W = self._places(eta), self._W[: self._height]
        rows = self._sigma[at]
        if len(W):
            rows -= W[:, at].T @ W
        R = kernels.upper(lapack.dgeqrf(X)[0], min(X.shape))
        V = R @ rows
        M = V[:, at] @ R.T
        M.flat[:: len(R) + 1] += 1.0 / C
        new = blas.dtrsm(1.0, _root(M), V.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
        self._W[self._height : self._height + len(R)] = new
        self._height += len(R)
        there = new[:, at]
        block = rows[:, at] - there.T @ there
        variances = np.einsum("ii->i", block)
        np.maximum(variances, _LEAST_VARIANCE, out=variances)
        return block

    def done(self) -> None:
        """Let the covariance be what it has become."""
        new = np.concatenate(self._new)
        if self._height:
            W = self._W[: self._height, : self._width]
            self._covariance.change(self._features[new], W)

    def _places(self, eta: np.ndarray) -> np.ndarray:
        """Where the features stand in Sigma; those that are new get a place of their own."""
        new = eta[self.places[eta] < 0]
        if len(new):
            self.places[new] = np.arange(self._width, self._width + len(new))
            self._width += len(new)
            self._new.append(new)
        return self.places[eta]


def _roomy(sigma: np.ndarray, n: int) -> np.ndarray:
    """Sigma and the identity around it, with room for n features or a few more."""
    larger = np.eye(-(-n // _ROOM) * _ROOM)
    larger[: len(sigma), : len(sigma)] = sigma
    return larger


def _root(M: np.ndarray) -> np.ndarray:
    """The Cholesky root of M, with as much added to its diagonal as it takes."""
    added = 0.0
    while True:
        root, failed = lapack.dpotrf(M.T, lower=1)
        if not failed:
            return root
        added = max(10 * added, 1e-12 * max(np.trace(M), 1.0))
        M = M + added * np.eye(len(M))
