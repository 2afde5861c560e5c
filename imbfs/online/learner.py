"""What all online learners have in common: chunks, classes, features, the budget, predictions."""

import math
from copy import deepcopy
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from imbfs.methods import check_parameters
from imbfs.online import kernels
from imbfs.online.rows import raw
from imbfs.ranking import ranking

_INPUT = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}


class OnlineLearner(ClassifierMixin, BaseEstimator):
    """A linear classifier without intercept that learns from one row at a time.

    With two classes, classes_[1] is the minority; with more, each is the minority against the
    rest. What it knows does not depend on how the stream was cut into chunks.

    `keep` is the number of features it predicts with, None for all. With a budget of "final" it
    learns with all of them and cuts at the end; with "always" it never has more of them, nor, with
    several classes, for any one class.
    """

    def fit(self, X, y):
        """Forget everything, then learn from the rows in the order given."""
        self._check()
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
        self._check()
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
        copy = deepcopy(self)
        copy._w = _cut(self._settled(), k)
        copy._last[:] = self._state["gravity"][:, None]
        copy._state["scale"] = 1.0
        copy._state["sqnorm"] = (copy._w**2).sum(axis=1)
        for w, kept, state in zip(copy._w, copy._kept, copy._state, strict=True):
            if kept is not None:
                kernels.refill(w, kept, state)
        return copy

    @property
    def keeps(self) -> bool:
        """Whether it keeps a budget of features throughout, so that each k is learned apart."""
        return self.budget == "always"

    @property
    def coef_(self) -> np.ndarray:
        """The weights it predicts with, one row per problem, with the gravity due by now."""
        check_is_fitted(self)
        return self._settled() if self.keep is None else _cut(self._settled(), self.keep)

    @property
    def scores_(self) -> np.ndarray:
        """Importance of each feature: |w|, with more than two classes the norm over them."""
        check_is_fitted(self)
        return _importance(self._settled())

    @property
    def n_seen_(self) -> int:
        """How many rows it has learned from."""
        check_is_fitted(self)
        return int(self._state["t"][0])

    @property
    def n_empty_(self) -> int:
        """How many of them were all zeros and changed nothing."""
        check_is_fitted(self)
        return int(self._state["empty"][0])

    def _check(self) -> None:
        """Refuse parameters that cannot be."""
        check_parameters(self)
        if self.keep is not None and (not isinstance(self.keep, Integral) or self.keep < 1):
            raise ValueError(
                f"keep: the number of features is a whole number from 1 on, not {self.keep}."
            )

    def _start(self, classes: np.ndarray, n_features: int) -> None:
        if len(classes) < 2:
            raise ValueError(f"a classifier needs two classes or more, got 1 class: {classes}.")
        n_problems = 1 if len(classes) == 2 else len(classes)
        self.classes_ = classes
        self._w = np.zeros((n_problems, n_features))
        self._last = np.zeros((n_problems, n_features))
        self._state = np.zeros(n_problems, kernels.STATE)
        for name in ("p", "n", "scale"):
            self._state[name] = 1
        room = min(self.keep or 0, n_features) if self.keeps else 0
        self._kept = [_nothing_kept(room, n_features) for _ in range(n_problems)]

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
        rows = raw(X)
        scores = np.empty(signs.shape)
        for problem, y in enumerate(signs):
            self._pass(problem, rows, y, scores[problem])
        return scores

    def _memory(self, problem: int, lazy: bool) -> tuple:
        """What a kernel updates: w, last, kept and state of one problem."""
        last = self._last[problem] if lazy else None
        return self._w[problem], last, self._kept[problem], self._state[problem]

    def _settled(self) -> np.ndarray:
        """The weights of all features, with the gravity due to them by now."""
        w, last = self._w.copy(), self._last.copy()
        for k, state in enumerate(self._state):
            kernels.settle(w[k], last[k], state["gravity"], float(self.theta))
        return w

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class TruncatedLearner(OnlineLearner):
    """An online learner whose weights shrink by truncated gradient, [Langford2009].

    Every K rounds weights within theta shrink by eta K g, [Han2016] Eq. (9)-(10); g = 0 leaves them
    alone.
    """

    def _truncation(self) -> tuple[float, float, int]:
        """alpha, theta and K of Eq. (9)-(10)."""
        alpha = float(self.eta * self.K * self.g)
        if not math.isfinite(alpha):
            raise ValueError(f"eta * K * g: gravity must be finite, not {alpha}.")
        return alpha, float(self.theta), self.K

    def _pass(self, problem: int, rows: tuple, y: np.ndarray, scores: np.ndarray) -> None:
        alpha, theta, K = self._truncation()
        lazy = alpha > 0 or self._state["gravity"][problem] > 0
        self._kernel(rows, y, problem)(alpha, theta, K, *self._memory(problem, lazy), scores)


def _nothing_kept(room: int, n_features: int) -> tuple | None:
    """An empty budget as the kernels read it; None if there is none, or room for every feature."""
    if not 0 < room < n_features:
        return None
    scratch = room + n_features
    heap, place = np.zeros(room + 1, np.int64), np.zeros(n_features, np.int64)
    return heap, place, np.empty(scratch), np.empty(scratch, np.int64)


def _importance(w: np.ndarray) -> np.ndarray:
    return np.abs(w[0]) if len(w) == 1 else np.linalg.norm(w, axis=0)


def _cut(w: np.ndarray, k: int) -> np.ndarray:
    """The k features of largest weight; the others get none."""
    kept = ranking(_importance(w))[:k]
    cut = np.zeros_like(w)
    cut[:, kept] = w[:, kept]
    return cut


def _shaped(scores: np.ndarray) -> np.ndarray:
    """One value per row for one problem, one column per problem for more."""
    return scores[0] if len(scores) == 1 else scores.T
