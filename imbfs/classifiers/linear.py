"""The linear support vector machine."""

from typing import Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_sample_weight

from imbfs.classifiers import newton
from imbfs.classifiers.base import DecisionClassifier
from imbfs.methods import NonNegative, Positive

# libsvm's time grows with the square of the rows, its matrix of inner products too.
LIBSVM_ROWS = 2_000
LIBSVM_STEPS = 2_000_000
TOLERANCE = 1e-3  # of the optimality conditions, for both solvers: libsvm's own


class LinearSVM(DecisionClassifier):
    """min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w x_i + b)), one class against the rest beyond two.

    libsvm and Newton's method solve the same problem to the same tolerance; auto takes the one that
    is likely to be faster: libsvm up to 2,000 training rows, unless they have few features, or it
    takes far longer than the other would, whose time grows with the rows and not with their square.
    Where no feature is worth a weight (few weak ones, a rare class), the exact w is 0: libsvm then
    leaves noise, and auto takes the other's, which points to where a smoother loss would be less.
    A balanced class weight multiplies C by n / (2 n_class) in each problem of one class against the
    rest; a dictionary gives the factor of every class, 1 where it names none.
    Either solver stops at a limit far beyond what scaled data need, with scikit-learn's
    ConvergenceWarning: scale the features then, or lower C.
    """

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        class_weight: Literal["none", "balanced"] | dict[Any, NonNegative] = "none",
        solver: Literal["auto", "libsvm", "newton"] = "auto",
    ):
        self.C = C
        self.class_weight = class_weight
        self.solver = solver

    def _learn(self, X, codes):
        rest = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        targets = [np.where(codes == k, 1, -1) for k in rest]
        by_libsvm = self.solver == "libsvm" or (self.solver == "auto" and _suits_libsvm(X))
        factors = None
        if isinstance(self.class_weight, dict):
            factors = compute_sample_weight(self.class_weight, self.classes_[codes])
        solve = self._libsvm if by_libsvm else self._newton
        learned = solve(X, targets, factors)
        weights, biases = zip(*learned, strict=True)
        self.coef_, self.intercept_ = np.vstack(weights), np.array(biases)

    def _decide(self, X):
        decision = X @ self.coef_.T + self.intercept_
        return decision.ravel() if len(self.classes_) == 2 else decision

    def _libsvm(self, X, targets, factors):
        small = X.shape[0] <= LIBSVM_ROWS
        # All inner products at once take BLAS a fraction of libsvm's time, and serve every target.
        products = _dense(X @ X.T) if small else X
        kernel = "precomputed" if small else "linear"
        weights = "balanced" if self.class_weight == "balanced" else None
        steps = _enough_steps(X) if self.solver == "auto" else LIBSVM_STEPS
        model = SVC(kernel=kernel, C=self.C, class_weight=weights, tol=TOLERANCE, max_iter=steps)
        for target in targets:
            with catch_warnings():
                if self.solver == "auto":
                    simplefilter("ignore", ConvergenceWarning)
                model.fit(products, target, sample_weight=factors)
            dual = np.zeros(X.shape[0])
            dual[model.support_] = _dense(model.dual_coef_)[0]
            w, b = X.T @ dual, model.intercept_[0]
            if self.solver == "auto":
                hinge = np.maximum(0.0, 1.0 - target * (products @ dual + b))
                prices = self._prices(target, factors)
                value = 0.5 * w @ w + prices @ hinge
                if model.n_iter_.max() >= steps or value >= _without_weights(target, prices):
                    w, b = next(self._newton(X, [target], factors))
            yield w, b

    def _newton(self, X, targets, factors):
        for target in targets:
            yield newton.solve(X, target, self._prices(target, factors), TOLERANCE)

    def _prices(self, target, factors) -> np.ndarray:
        """The C of every row."""
        C = np.full(len(target), self.C) * (1.0 if factors is None else factors)
        if self.class_weight == "balanced":
            for side in (target > 0, target < 0):
                C[side] *= len(target) / (2 * np.sum(side))
        return C


def _suits_libsvm(X) -> bool:
    """Whether its matrix of inner products is no larger than what Newton's method passes over."""
    n = X.shape[0]
    return n <= LIBSVM_ROWS and n * n <= 32 * _n_values(X)


def _enough_steps(X) -> int:
    """Steps of libsvm, about 5 ns for each of n rows, that take three times as long as Newton's.

    These take about 10 ms and, as they pass over all values a hundred times, 250 ns for each.
    """
    return min(LIBSVM_STEPS, (6_000_000 + 150 * _n_values(X)) // X.shape[0])


def _without_weights(target: np.ndarray, prices: np.ndarray) -> float:
    """The least objective with w = 0: every row of the cheaper class is missed by 2."""
    return 2.0 * min(prices[target > 0].sum(), prices[target < 0].sum())


def _n_values(X) -> int:
    return X.nnz if issparse(X) else X.size


def _dense(X) -> np.ndarray:
    return X.toarray() if issparse(X) else X
