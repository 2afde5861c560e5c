"""The linear support vector machine that maximises the area under the ROC curve."""

from typing import Literal

import numpy as np
from scipy.sparse import issparse

from imbfs.classifiers.auc_solvers import by_pairs, by_planes, sparse_products
from imbfs.classifiers.base import DecisionClassifier
from imbfs.methods import Positive

# Pair by pair takes the matrix of inner products and a weight for every pair, and many sweeps where
# rows outnumber features by far; planes are slow where every sample has a feature of its own.
PAIRS_ROWS = 4_000
PAIRS_ROWS_PER_FEATURE = 4


class AucSVM(DecisionClassifier):
    """min 1/2 |w|^2 + C n mean_ij max(0, 1 - w (x_i - x_j)), i minority, j majority, [Brefeld2005].

    The loss bounds the share of pairs in the wrong order, 1 - AUC. C is multiplied by the number of
    samples n, so that all losses together weigh what they do in `svm` at the same C. More than two
    classes are learned one against the rest. Of the solvers, `pairs` goes through all pairs;
    `planes` never forms them and scales to many rows; auto takes pairs up to 4,000 training rows
    and 4 rows a feature. Either comes within 1e-6 of the least objective, or stops at a limit with
    scikit-learn's ConvergenceWarning.

    No pair tells where to put the bias: it is minus the score that cuts the training samples with
    the best balanced accuracy, halfway to the next; of equally good ones the lowest, which
    favours the minority.
    """

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        solver: Literal["auto", "pairs", "planes"] = "auto",
        seed: int = 0,
    ):
        self.C = C
        self.solver = solver
        self.seed = seed

    def _learn(self, X, codes):
        rest = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        few = X.shape[0] <= min(PAIRS_ROWS, PAIRS_ROWS_PER_FEATURE * X.shape[1])
        pairs = self.solver == "pairs" or (self.solver == "auto" and few)
        rows = X if issparse(X) else X - X.mean(axis=0)
        K = _inner_products(rows) if pairs else None
        self.coef_ = np.vstack([self._weights(rows, K, codes == k) for k in rest])
        scores = X @ self.coef_.T
        self.intercept_ = np.array(
            [-_threshold(scores[:, t], codes == k) for t, k in enumerate(rest)]
        )

    def _decide(self, X):
        decision = X @ self.coef_.T + self.intercept_
        return decision.ravel() if len(self.classes_) == 2 else decision

    def _weights(self, rows, K, minority):
        order = np.argsort(~minority, kind="stable")
        rows, P, total = rows[order], np.count_nonzero(minority), self.C * len(minority)
        if K is None:
            return rows.T @ by_planes(rows, P, total)
        return rows.T @ by_pairs(K[np.ix_(order, order)], P, total, self.seed)


def _inner_products(X) -> np.ndarray:
    """Those of the centred rows; sparse ones are not centred yet."""
    if not issparse(X):
        return X @ X.T
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    columns = X.tocsc()
    K = np.zeros((X.shape[0], X.shape[0]))
    arrays = (X.data, X.indices, X.indptr, columns.data, columns.indices, columns.indptr)
    sparse_products(*arrays, K)
    mean = K.mean(axis=0)
    return K - mean - mean[:, None] + mean.mean()


def _threshold(scores: np.ndarray, minority: np.ndarray) -> float:
    """The score halfway between two samples that gives the best balanced accuracy, the lowest such.

    When all scores are the same there is nothing to cut, and it is that score.
    """
    order = np.argsort(scores, kind="stable")
    scores, minority = scores[order], minority[order]
    cuts = np.flatnonzero(scores[:-1] < scores[1:])
    if not cuts.size:
        return scores[0]
    # (true negative rate - false negative rate) * P * N, in whole numbers
    below = np.cumsum(~minority) * minority.sum() - np.cumsum(minority) * (~minority).sum()
    best = cuts[np.argmax(below[cuts])]
    return (scores[best] + scores[best + 1]) / 2
