"""What all learners have in common: classes, features, the budget, predictions, streams.

A learner is a selector that also classifies: it ranks features by the weights it has learned.
"""

from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from imbfs.matrices import canonical
from imbfs.methods import check_finite, check_parameters
from imbfs.ranking import best
from imbfs.types import Matrix

_INPUT = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}


class Learner(ClassifierMixin, BaseEstimator):
    """A linear classifier without intercept.

    With two classes, classes_[1] is the minority; with more, each is the minority against the
    rest. `keep` is the number of features it predicts with, None for all.

    A subclass says what happens in `_start`, `_learn` and `_weights`.
    """

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Forget everything, then learn from the rows in the order given."""
        self._check()
        X, y = validate_data(self, canonical(X), y, **_INPUT)
        if y.dtype.kind in "fO":  # others cannot be continuous, and the test takes a pass's time
            check_classification_targets(y)
        self._begin(np.unique(y), X.shape[1])
        self._learned(X, self._signs(y))
        self._finite()
        return self

    def decision_function(self, X: Matrix) -> np.ndarray:
        """One value a sample, above 0 for the minority; with more classes, one column each."""
        check_is_fitted(self)
        X = validate_data(self, canonical(X), reset=False, **_INPUT)
        return _shaped((X @ self.coef_.T).T)

    def predict(self, X: Matrix) -> np.ndarray:
        """The class of every sample, as its decision says."""
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """The classes that decision values stand for; exactly 0 stands for the class in `zero`."""
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        minority = scores >= 0.0 if self.zero == "minority" else scores > 0.0
        return self.classes_[minority.astype(np.intp)]

    @property
    def keeps(self) -> bool:
        """Whether it learns with a budget of features, so that each k is learned apart."""
        return self.budget == "always"

    @property
    def bounded(self) -> bool:
        """Whether it predicts with no more than `keep` features; some readings of papers do."""
        return True

    def uses(self, k: int) -> int:
        """With how many features it predicts where k are asked for."""
        used = np.count_nonzero(self.scores_)
        return min(k, used) if self.bounded else used

    @property
    def coef_(self) -> np.ndarray:
        """The weights it predicts with, one row per problem."""
        check_is_fitted(self)
        whole = self.keep is None or not self.bounded
        return self._finite() if whole else cut(self._finite(), self.keep)

    @property
    def scores_(self) -> np.ndarray:
        """Importance of each feature: |w|, with more than two classes the norm over them."""
        check_is_fitted(self)
        return importance(self._finite())

    def _check(self) -> None:
        """Refuse parameters that cannot be."""
        check_parameters(self)
        if self.keep is not None and (not isinstance(self.keep, Integral) or self.keep < 1):
            raise ValueError(
                f"keep: the number of features is a whole number from 1 on, not {self.keep}."
            )

    def _begin(self, classes: np.ndarray, n_features: int) -> None:
        if len(classes) < 2:
            raise ValueError(f"a classifier needs two classes or more, got 1 class: {classes}.")
        self.classes_ = classes
        self._start(1 if len(classes) == 2 else len(classes), n_features)

    def _start(self, n_problems: int, n_features: int) -> None:
        """Know nothing yet."""
        raise NotImplementedError

    def _learn(self, X, signs: np.ndarray) -> np.ndarray | None:
        """Learn; a learner of streams returns the decisions before each row was learned."""
        raise NotImplementedError

    def _weights(self) -> np.ndarray:
        """The weights of all features, one row per problem; the caller may not change them."""
        raise NotImplementedError

    def _learned(self, X, signs: np.ndarray) -> np.ndarray | None:
        """Learn; decisions tell of weights that were not finite, even if these are 0 by now."""
        decisions = self._learn(X, signs)
        return decisions if decisions is None else check_finite(self, decisions)

    def _finite(self) -> np.ndarray:
        """The weights of all features, which must be finite."""
        return check_finite(self, self._weights())

    def _signs(self, y: np.ndarray) -> np.ndarray:
        """One row per problem: +1 where y is its minority, else -1."""
        member = y == self.classes_[:, None]
        known = member.any(axis=0)
        if not known.all():
            raise ValueError(f"y: class {y[~known][0]} is not among the classes {self.classes_}.")
        minority = member[1:] if len(self.classes_) == 2 else member
        return 2 * minority.view(np.int8) - 1

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class OnlineLearner(Learner):
    """A learner of streams: what it knows does not depend on how a stream was cut into chunks."""

    by_row = False  # whether it keeps something of every row: see BatchLearner

    def partial_fit(self, X: Matrix, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Go on learning; the first call must name all the classes there will be."""
        self.progress(X, y, classes)
        return self

    def progress(self, X: Matrix, y: ArrayLike, classes: ArrayLike | None = None) -> np.ndarray:
        """Go on learning, and return each row's decision value before it was learned."""
        self._check()
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes: the first rows must come with all the classes to expect.")
        X, y = validate_data(self, canonical(X), y, reset=first, **_INPUT)
        if first:
            self._begin(np.unique(classes), X.shape[1])
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes: {classes} are not those of the first call, {self.classes_}."
            )
        return _shaped(self._learned(X, self._signs(y)))

    def advance(self, X: Matrix, signs: np.ndarray) -> np.ndarray:
        """As `progress`, of two classes and rows that have been checked: signs are +1 and -1."""
        return self._learned(X, signs[None])[0]


def importance(w: np.ndarray) -> np.ndarray:
    """|w|, with more than one row of weights the norm over them."""
    return np.abs(w[0]) if len(w) == 1 else np.linalg.norm(w, axis=0)


def cut(w: np.ndarray, k: int) -> np.ndarray:
    """The k features of largest weight; the others get none. Ties go to the lower index."""
    kept = best(importance(w), k)
    cut = np.zeros_like(w)
    cut[:, kept] = w[:, kept]
    return cut


def _shaped(scores: np.ndarray) -> np.ndarray:
    """One value per row for one problem, one column per problem for more."""
    return scores[0] if len(scores) == 1 else scores.T
