"""Support vector machine with an l1 penalty, which leaves most weights exactly zero."""

from math import log, sqrt
from typing import Literal

import numpy as np

from imbfs.learner import Learner
from imbfs.methods import Count, Positive

_CLOSE = 0.01  # the C found is within 1 % of one with too many features
_PASSES = 100_000  # at most; features that are not scaled take many


class L1SVM(Learner):
    """Linear SVM least in |w|_1 + C sum_i max(0, 1 - m_i)^2, without intercept, [Yuan2010].

    It is liblinear's, which is what [Liu2019] runs, by way of scikit-learn. With a `budget` of
    "final" it learns once with C and is cut at the end; with "always", C is the largest up to that
    with no more than `keep` features, found by bisection of log C to within 1 %. The number of
    features need not grow with C everywhere: a larger C with as few may be missed. Of more than two
    classes each is learned against the rest, and a feature is used that any of them uses.
    """

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        budget: Literal["final", "always"] = "final",
        tol: Positive = 1e-4,
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
        seed: int = 0,
    ):
        self.C = C
        self.budget = budget
        self.tol = tol
        self.zero = zero
        self.keep = keep
        self.seed = seed

    def _start(self, n_problems, n_features):
        self._w = np.zeros((n_problems, n_features))

    def _learn(self, X, signs):
        y = signs[0] if len(signs) == 1 else signs.argmax(axis=0)
        self.C_, self._w = float(self.C), self._fitted(X, y, float(self.C))
        if self.keeps and self.keep is not None and _used(self._w) > self.keep:
            self._bisect(X, y)

    def _bisect(self, X, y) -> None:
        """Find the largest C with no more than `keep` features, between one with none and C."""
        from sklearn.svm import l1_min_c

        low, high = l1_min_c(X, y, loss="squared_hinge", fit_intercept=False), float(self.C)
        self.C_, self._w = low, np.zeros_like(self._w)
        while log(high / low) > log(1.0 + _CLOSE):
            middle = sqrt(low * high)
            w = self._fitted(X, y, middle)
            if _used(w) > self.keep:
                high = middle
            else:
                low = self.C_ = middle
                self._w = w

    def _fitted(self, X, y, C: float) -> np.ndarray:
        from sklearn.svm import LinearSVC

        form = {"penalty": "l1", "loss": "squared_hinge", "dual": False, "fit_intercept": False}
        effort = {"tol": self.tol, "max_iter": _PASSES, "random_state": self.seed}
        return LinearSVC(**form, **effort, C=C).fit(X, y).coef_

    def _weights(self) -> np.ndarray:
        return self._w.copy()


def _used(w: np.ndarray) -> int:
    """How many features have a weight in any problem."""
    return np.count_nonzero(w.any(axis=0))
