"""Passive-aggressive learners for streams, with features selected by truncated gradient, [Han2016].

[Han2016] calls the majority +1; here +1 is the minority, as everywhere in imbfs, and Eq. (7) is
read with its signs turned round.
"""

import math
from copy import deepcopy
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from imbfs.methods import Count, NonNegative, Positive, check_parameters
from imbfs.online import kernels
from imbfs.ranking import ranking

_INPUT = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}


class OnlineLearner(ClassifierMixin, BaseEstimator):
    """A linear classifier without intercept that learns from one row at a time.

    With two classes, classes_[1] is the minority; with more, each is the minority against the
    rest. What it knows does not depend on how the stream was cut into chunks.
    """

    def fit(self, X, y):
        """Forget everything, then learn from the rows in the order given."""
        check_parameters(self)
        X, y = validate_data(self, X, y, **_INPUT)
        if y.dtype.kind in "fO":  # others cannot be continuous, and the test takes a pass's time
            check_classification_targets(y)
        self._start(np.unique(y), X.shape[1])
        self._learn(X, self._signs(y))
        return self

    def partial_fit(self, X, y, classes=None):
        """Go on learning; the first call must name all the classes there will be."""
        self.progress(X, y, classes)
        return self

    def progress(self, X, y, classes=None) -> np.ndarray:
        """Go on learning, and return each row's decision value before it was learned."""
        check_parameters(self)
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes: the first rows must come with all the classes to expect.")
        X, y = validate_data(self, X, y, reset=first, **_INPUT)
        if first:
            self._start(np.unique(classes), X.shape[1])
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes: {classes} are not those of the first call, {self.classes_}."
            )
        return _shaped(self._learn(X, self._signs(y)))

    def decision_function(self, X) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_INPUT)
        return _shaped((X @ self.coef_.T).T)

    def predict(self, X) -> np.ndarray:
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """The classes that decision values stand for; exactly 0 stands for the class in `zero`."""
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        minority = scores >= 0.0 if self.zero == "minority" else scores > 0.0
        return self.classes_[minority.astype(np.intp)]

    def cut(self, k: int) -> "OnlineLearner":
        """A copy that keeps only its k features of largest weight; ties go to the lower index."""
        if k < 1:
            raise ValueError(f"k: a learner keeps at least one feature, not {k}.")
        kept = ranking(self.scores_)[:k]
        copy = deepcopy(self)
        copy._w = np.zeros_like(self._w)
        copy._w[:, kept] = self.coef_[:, kept]
        copy._last[:] = self._state["gravity"][:, None]
        return copy

    @property
    def coef_(self) -> np.ndarray:
        """The weights, one row per problem, with the gravity due to them by now."""
        check_is_fitted(self)
        w, last = self._w.copy(), self._last.copy()
        for k, state in enumerate(self._state):
            kernels.settle(w[k], last[k], state["gravity"], float(self.theta))
        return w

    @property
    def scores_(self) -> np.ndarray:
        """Importance of each feature: |w|, with more than two classes the norm over them."""
        w = self.coef_
        return np.abs(w[0]) if len(w) == 1 else np.linalg.norm(w, axis=0)

    @property
    def n_seen_(self) -> int:
        """How many rows it has learned from."""
        check_is_fitted(self)
        return int(self._state["t"][0])

    def _start(self, classes: np.ndarray, n_features: int) -> None:
        if len(classes) < 2:
            raise ValueError(f"a classifier needs two classes or more, got 1 class: {classes}.")
        n_problems = 1 if len(classes) == 2 else len(classes)
        self.classes_ = classes
        self._w = np.zeros((n_problems, n_features))
        self._last = np.zeros((n_problems, n_features))
        self._state = np.zeros(n_problems, kernels.STATE)
        self._state["p"] = self._state["n"] = 1

    def _signs(self, y: np.ndarray) -> np.ndarray:
        """One row per problem: +1 where y is its minority, else -1."""
        member = y == self.classes_[:, None]
        known = member.any(axis=0)
        if not known.all():
            raise ValueError(f"y: class {y[~known][0]} is not among the classes {self.classes_}.")
        minority = member[1:] if len(self.classes_) == 2 else member
        return 2 * minority.view(np.int8) - 1

    def _learn(self, X, signs: np.ndarray) -> np.ndarray:
        """Decision values before each row was learned, one row per problem."""
        alpha = float(self.eta * self.K * self.g)  # eta g_t of Eq. (9)
        if not math.isfinite(alpha):
            raise ValueError(f"eta * K * g: gravity must be finite, not {alpha}.")
        rows = _raw(X)
        scores = np.empty(signs.shape)
        for k, state in enumerate(self._state):
            lazy = alpha > 0 or state["gravity"] > 0
            memory = (self._w[k], self._last[k] if lazy else None, state, scores[k])
            self._pass(rows, signs[k], (alpha, float(self.theta), self.K), memory)
        return scores

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class PA(OnlineLearner):
    """Passive-aggressive: the smallest step that gives the row a margin of 1, [Han2016] Eq. (3).

    Variant "one" caps the step at C, Eq. (6); "two" softens it by 1 / 2C; [Crammer2006]. Every K
    rounds weights within theta shrink by eta K g, [Langford2009]; g = 0 leaves them alone. A
    decision value of exactly 0 predicts the class named by `zero`.
    """

    def __init__(
        self,
        *,
        variant: Literal["plain", "one", "two"] = "one",
        C: Positive = 1.0,
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Positive = math.inf,
        K: Count = 10,
        zero: Literal["majority", "minority"] = "majority",
    ):
        self.variant = variant
        self.C = C
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.zero = zero

    def _pass(self, rows, y, truncation, memory):
        cap = float(self.C) if self.variant == "one" else math.inf
        slack = 1 / (2 * self.C) if self.variant == "two" else 0.0
        kernels.pa(*rows, y, cap, slack, *truncation, *memory)


class MBPA(OnlineLearner):
    """Margin-based passive-aggressive: asks a larger margin of the minority, [Han2016] Eq. (7)-(8).

    The margin is the ratio of majority to minority rows so far; of the majority it asks no margin.
    The other parameters are those of PA.
    """

    def __init__(
        self,
        *,
        C: Positive = 1.0,
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Positive = math.inf,
        K: Count = 10,
        zero: Literal["majority", "minority"] = "majority",
    ):
        self.C = C
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.zero = zero

    def _pass(self, rows, y, truncation, memory):
        kernels.mbpa(*rows, y, float(self.C), *truncation, *memory)


def _raw(X) -> tuple:
    """The (data, indices, indptr) that kernels read; a dense X has no indices."""
    if not issparse(X):
        n_samples, n_features = X.shape
        return X.ravel(), None, np.arange(n_samples + 1, dtype=np.uint64) * np.uint64(n_features)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.data, _unsigned(X.indices), _unsigned(X.indptr)


def _unsigned(a: np.ndarray) -> np.ndarray:
    """The same numbers as unsigned: numba need not test them for counting from the end."""
    return a.view(np.dtype(f"u{a.itemsize}"))


def _shaped(scores: np.ndarray) -> np.ndarray:
    """One value per row for one problem, one column per problem for more."""
    return scores[0] if len(scores) == 1 else scores.T
