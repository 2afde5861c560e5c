"""Gaussian naive Bayes with a decision that does not saturate."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches
from sklearn.utils.sparsefuncs import mean_variance_axis

from imbfs.classifiers.base import DecisionClassifier, decision_of

SMOOTHING = 1e-9  # of the largest variance, added to all: as in scikit-learn's GaussianNB
ROUNDING = 1e-12  # the standard deviation of a constant 0.1 is not quite 0
BLOCK = 2**21  # values held densely at a time


class GaussianNaiveBayes(DecisionClassifier):
    """Naive Bayes, p(x_j | class) = N(mu_j, sigma_j^2): scikit-learn's GaussianNB, and sparse rows.

    The decision is ln p(x, minority) - ln p(x, majority), or ln p(x, class) for more than two
    classes: unlike probabilities, it keeps ranking when there are many features.
    """

    def _learn(self, X, codes):
        moments = [_mean_variance(X[codes == k]) for k in range(len(self.classes_))]
        self.mean_ = np.array([mean for mean, _ in moments])
        mean, variance = _mean_variance(X)
        varies = variance > (ROUNDING * mean) ** 2
        # Where nothing varies every variance may as well be 1: the priors decide.
        smoothing = SMOOTHING * variance.max() if varies.any() else 1.0
        self.variance_ = np.array([variance for _, variance in moments]) + smoothing
        self.prior_ = np.bincount(codes) / len(codes)

    def _decide(self, X):
        blocks = gen_batches(X.shape[0], max(1, BLOCK // X.shape[1]))
        return decision_of(np.vstack([self._log_joint(X[block]) for block in blocks]))

    def _log_joint(self, X):
        X = X.toarray() if issparse(X) else X
        constant = np.log(self.prior_) - 0.5 * np.log(2 * np.pi * self.variance_).sum(axis=1)
        squares = zip(self.mean_, self.variance_, strict=True)
        return constant - 0.5 * np.column_stack([(X - m) ** 2 @ (1 / v) for m, v in squares])


def _mean_variance(X) -> tuple[np.ndarray, np.ndarray]:
    return mean_variance_axis(X, axis=0) if issparse(X) else (X.mean(axis=0), X.var(axis=0))
