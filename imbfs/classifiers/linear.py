"""The linear support vector machine."""

from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.svm import SVC, LinearSVC

from imbfs.classifiers.base import DecisionClassifier
from imbfs.methods import Positive

# libsvm's time grows with the square of the rows, its matrix of inner products too.
LIBSVM_ROWS = 2_000
LIBSVM_STEPS = 2_000_000
LIBLINEAR_PASSES = 50_000
TOLERANCE = 1e-3  # of the optimality conditions, for both: libsvm's own
# liblinear penalises the bias as a weight on a constant feature of this value: 1 holds it near 0,
# which hurts the minority; 100 takes too many passes.
BIAS_FEATURE = 10.0


class LinearSVM(DecisionClassifier):
    """min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w x_i + b)), one class against the rest beyond two.

    libsvm solves it exactly, with b free; liblinear penalises b slightly and scales to many rows;
    auto takes libsvm up to 2,000 training rows. A balanced class weight multiplies C by
    n / (2 n_class) in each problem of one class against the rest. Either solver stops at a limit
    far beyond what scaled data need, with scikit-learn's ConvergenceWarning: scale the features
    then, or lower C.
    """

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        class_weight: Literal["none", "balanced"] = "none",
        solver: Literal["auto", "libsvm", "liblinear"] = "auto",
        seed: int = 0,
    ):
        self.C = C
        self.class_weight = class_weight
        self.solver = solver
        self.seed = seed

    def _learn(self, X, codes):
        rest = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        targets = [np.where(codes == k, 1, -1) for k in rest]
        small = X.shape[0] <= LIBSVM_ROWS
        exact = self.solver == "libsvm" or (self.solver == "auto" and small)
        learned = self._libsvm(X, targets) if exact else self._liblinear(X, targets)
        weights, biases = zip(*learned, strict=True)
        self.coef_, self.intercept_ = np.vstack(weights), np.array(biases)

    def _decide(self, X):
        decision = X @ self.coef_.T + self.intercept_
        return decision.ravel() if len(self.classes_) == 2 else decision

    def _libsvm(self, X, targets):
        small = X.shape[0] <= LIBSVM_ROWS
        # All inner products at once take BLAS a fraction of libsvm's time, and serve every target.
        products = _dense(X @ X.T) if small else X
        kernel = "precomputed" if small else "linear"
        model = SVC(kernel=kernel, max_iter=LIBSVM_STEPS, **self._shared)
        for target in targets:
            model.fit(products, target)
            dual = np.zeros(X.shape[0])
            dual[model.support_] = _dense(model.dual_coef_)[0]
            yield X.T @ dual, model.intercept_[0]

    def _liblinear(self, X, targets):
        model = LinearSVC(
            loss="hinge",
            intercept_scaling=BIAS_FEATURE,
            max_iter=LIBLINEAR_PASSES,
            random_state=self.seed,
            **self._shared,
        )
        for target in targets:
            model.fit(X, target)
            yield model.coef_[0], model.intercept_[0]

    @property
    def _shared(self):
        weights = None if self.class_weight == "none" else self.class_weight
        return {"C": self.C, "class_weight": weights, "tol": TOLERANCE}


def _dense(X) -> np.ndarray:
    return X.toarray() if issparse(X) else X
