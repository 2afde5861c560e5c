"""What learners that learn from one row at a time have in common; their budget and gravity."""

import math
from copy import deepcopy

import numpy as np
from sklearn.utils.validation import check_is_fitted

from imbfs import learner
from imbfs.online import kernels
from imbfs.online.rows import raw


class RowLearner(learner.OnlineLearner):
    """An online learner that learns from one row at a time.

    With a budget of "final" it learns with all features and cuts at the end; with "always" it never
    has more than `keep` of them, nor, with several classes, for any one class.
    """

    keeps_rows = False  # of those it has seen

    def cut(self, k: int) -> "RowLearner":
        """A copy that keeps only its k features of largest weight; ties go to the lower index."""
        if k < 1:
            raise ValueError(f"k: a learner keeps at least one feature, not {k}.")
        copy = deepcopy(self)
        copy._w = learner.cut(self._weights(), k)
        copy._last[:] = self._state["gravity"][:, None]
        copy._state["scale"] = 1.0
        copy._state["sqnorm"] = (copy._w**2).sum(axis=1)
        for w, kept, state in zip(copy._w, copy._kept, copy._state, strict=True):
            if kept is not None:
                kernels.refill(w, kept, state)
        return copy

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

    def _start(self, n_problems: int, n_features: int) -> None:
        self._w = np.zeros((n_problems, n_features))
        self._last = np.zeros((n_problems, n_features))
        self._state = np.zeros(n_problems, kernels.STATE)
        for name in ("p", "n", "scale"):
            self._state[name] = 1
        room = min(self.keep or 0, n_features) if self.keeps else 0
        self._kept = [nothing_kept(room, n_features) for _ in range(n_problems)]

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

    def _weights(self) -> np.ndarray:
        """The weights of all features, with the gravity due to them by now."""
        w, last = self._w.copy(), self._last.copy()
        for k, state in enumerate(self._state):
            kernels.settle(w[k], last[k], state["gravity"], float(self.theta))
        return w


class TruncatedLearner(RowLearner):
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


def nothing_kept(room: int, n_features: int) -> tuple | None:
    """An empty budget as the kernels read it; None if there is none, or room for every feature."""
    if not 0 < room < n_features:
        return None
    scratch = room + n_features
    heap, place = np.zeros(room + 1, np.int64), np.zeros(n_features, np.int64)
    return heap, place, np.empty(scratch), np.empty(scratch, np.int64)
