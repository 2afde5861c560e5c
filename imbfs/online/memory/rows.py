"""What a learner of rows knows, kept as plain arrays.

Arrays as wide as the largest index are mostly zeros that nobody has written; nothing here writes
them either, so that they take no memory, and nothing reads them, so that they take no time.
"""

from collections.abc import Iterator
from copy import copy

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.online.kernels import STATE
from imbfs.online.learner import RowLearner, nothing_kept
from imbfs.online.memory.plain import Arrays, begin, kept_rows, numbers, part, rows_of, within

_BLOCK = 1 << 12  # columns that are met or not
_MOST = 1 << 6  # blocks looked at in one go


class RowMemory:
    """What a learner of rows knows of two classes, and what it takes to go on."""

    n_bytes = 0  # that grow with what it has selected

    def __init__(self, learner: RowLearner):
        self._learner = learner

    def begin(self, n_features: int) -> None:
        """Know nothing yet of so many features."""
        begin(self._learner, n_features)
        self._met = np.zeros(-(-n_features // _BLOCK), bool)

    def widen(self, n_features: int) -> None:
        """Make room for more features; with a budget, there must have been more than it keeps."""
        learner = self._learner
        learner._w = self._wider(learner._w, n_features)
        learner._last = self._wider(learner._last, n_features)
        if learner._kept[0] is not None:
            heap, place, *_ = learner._kept[0]
            _, _, *scratch = nothing_kept(len(heap) - 1, n_features)
            learner._kept = [(heap, self._wider(place, n_features), *scratch)]
        if learner.keeps_rows:
            learner._minority[0].n_features = n_features
        learner.n_features_in_ = n_features
        self._met = np.append(self._met, np.zeros(-(-n_features // _BLOCK) - len(self._met), bool))

    def meet(self, X: csr_array | np.ndarray) -> None:
        """Look from now on at the features of rows that will be learned."""
        if not self._met.all():
            self._met[X.indices // _BLOCK if issparse(X) else slice(None)] = True

    def remembered(self) -> Arrays:
        """All that what it will learn depends on, but for its random numbers; see `recall`."""
        learner, columns = self._learner, self._nonzero()
        kept = learner._kept[0]
        known = {
            "columns": columns,
            "weights": learner._w[0][columns],
            "paid": learner._last[0][columns],
            "state": learner._state.copy(),
            "kept": np.zeros(0, np.int64) if kept is None else kept[0][1 : kept[0][0] + 1].copy(),
        }
        if learner.keeps_rows:
            rows = learner._minority[0].kept(learner.n_kept_)
            known |= part("rows", kept_rows(rows, np.ones(rows.shape[0])))
        return known

    def recall(self, n_features: int, known: Arrays) -> None:
        """Know again what was `remembered`."""
        self.begin(n_features)
        learner, columns = self._learner, known["columns"]
        learner._w[0][columns] = known["weights"]
        learner._last[0][columns] = known["paid"]
        learner._state[:] = known["state"]
        self._met[columns // _BLOCK] = True
        if learner._kept[0] is not None:
            heap, place = learner._kept[0][:2]
            heap[0] = len(known["kept"])
            heap[1 : heap[0] + 1] = known["kept"]
            place[known["kept"]] = np.arange(1, heap[0] + 1)
        if learner.keeps_rows:
            X, _ = rows_of(within("rows", known), n_features)
            self.meet(X)
            learner._minority[0].keep(X)

    @property
    def random(self) -> dict | None:
        """Where its random numbers stand, if it draws any."""
        rng = getattr(self._learner, "_rng", None)
        return None if rng is None else rng[0].bit_generator.state

    @random.setter
    def random(self, state: dict | None) -> None:
        if state is not None:
            self._learner._rng[0].bit_generator.state = state

    def in_use(self) -> tuple[np.ndarray, np.ndarray, int]:
        """The features it predicts with, their weights, and how many have one that may be cut."""
        learner, columns = self._learner, self._nonzero()
        narrow = copy(learner)
        narrow._w, narrow._last = learner._w[:, columns], learner._last[:, columns]
        weights = narrow.coef_[0]
        used = weights != 0.0
        return columns[used], weights[used], int(np.count_nonzero(narrow.scores_))

    def check(self, n_features: int, known: Arrays) -> None:
        """Refuse with a ValueError what cannot have been `remembered`."""
        n = len(numbers(known, "columns", "i", None, below=n_features))
        for name in ("weights", "paid"):
            numbers(known, name, "f", n)
        n_kept = len(numbers(known, "kept", "i", None, below=n_features))
        if known["state"].dtype != STATE or known["state"].shape != (1,):
            raise ValueError("state")
        if n_kept > (self._learner.keep or 0):
            raise ValueError("kept")
        if self._learner.keeps_rows:
            _, y = rows_of(within("rows", known), n_features, self._learner.rows)
            if len(y) != min(known["state"]["n"][0] - 1, self._learner.rows):
                raise ValueError("rows")

    def _nonzero(self) -> np.ndarray:
        w = self._learner._w[0]
        parts = [at + np.flatnonzero(w[at:to]) for at, to in self._spans()]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    def _wider(self, a: np.ndarray, n: int) -> np.ndarray:
        """The same with zeros at its end; what was not met is not copied."""
        wide = np.zeros((*a.shape[:-1], n), a.dtype)
        for at, to in self._spans():
            wide[..., at : min(to, a.shape[-1])] = a[..., at:to]
        return wide

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Where the features that were met begin and end."""
        met = np.flatnonzero(self._met)
        for run in np.split(met, np.flatnonzero(np.diff(met) > 1) + 1) if len(met) else ():
            for at in range(int(run[0]), int(run[-1]) + 1, _MOST):
                to = min(at + _MOST, int(run[-1]) + 1)
                yield at * _BLOCK, to * _BLOCK
