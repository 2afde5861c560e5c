"""Sparse confidence-weighted learning from batches of one row."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array

from imbfs.online.confidence import kernels
from imbfs.online.confidence.kernels import PANEL, Entries, Panel

MOST_GROUPS = 64  # that a row may add to a panel about to be full; more than one is rare


class RowModel:
    """Algorithm 1 for one cost c+, or for equal costs, where every row is a batch.

    It does what Model does; features that tie in exact arithmetic tie here too, and the lower index
    is chosen.
    """

    def __init__(self, form, n_features: int, cost: float | None):
        self.form = form
        self.cost = cost
        self.mean = np.zeros(n_features)
        self.covariance = RowCovariance(n_features)
        self._used = np.zeros(form.p + 1, np.int64)  # features the last row selected: number, which

    def weights(self, n_features: int) -> np.ndarray:
        """The weights of all features."""
        return self.mean

    def learn(self, X: csr_array, y: np.ndarray, D: np.ndarray) -> np.ndarray:
        """Learn from rows with costs D one by one; return the decision before each."""
        decisions = np.empty(len(y))
        scratch = _Scratch()
        start = 0
        while start < len(y):
            rows = slice(start, start + self.covariance.room)
            ahead = X[rows]
            places, *state = self.covariance.ahead(ahead.indices, scratch)
            given = (ahead.data, ahead.indices, ahead.indptr, places), y[rows], D[rows]
            memory = *state, self.mean, self._used
            learned = kernels.learn_rows(*given, self.form, *memory, decisions[rows])
            self.covariance.settle()
            start += learned
        return decisions


class RowCovariance:
    """Sigma, as the rows it comes from and the inverse root that makes it of them.

    With t rows learned that is about t^2 / 2 numbers, whatever features they selected.
    """

    def __init__(self, n_features: int):
        nothing = np.empty(0, np.int32)
        last = np.full(n_features, -1, np.int32)
        self._Z = Entries(last, nothing, nothing, np.empty(0), np.zeros(2, np.int64))
        self._blocks = []  # N', PANEL columns each, as far down as they are not 0
        height = PANEL + MOST_GROUPS
        self._left, self._corner = np.zeros((height, 0)), np.zeros((height, height))

    @property
    def room(self) -> int:
        """How many groups the panel still waits for."""
        return int(self._n_inverted + PANEL - self._Z.n[0])

    def ahead(self, indices: np.ndarray, scratch: "_Scratch") -> tuple[np.ndarray, Entries, Panel]:
        """What it takes to learn rows: where in Y their entries find their feature, Z, the panel.

        What Y holds for a feature does not depend on the others that are looked up with it.
        """
        features, inverse = np.unique(indices, return_inverse=True)
        edges, rows, values = kernels.columns(self._Z, features, self._n_inverted)
        known = np.diff(edges) > 0
        places = np.where(known, np.cumsum(known) - 1, -1)[inverse]
        edges = np.append(0, edges[1:][known])
        Y = scratch.matrix(len(edges) - 1, self._n_inverted)
        for k, block in enumerate(self._blocks):
            kernels.multiply(block, k * PANEL, edges, rows, values, Y)
        self._make_room(len(indices))
        return places, self._Z, Panel(self._left, self._corner, Y)

    def settle(self) -> None:
        """Once the panel is full, make rows of N of it: -corner^-1 left N, corner^-1."""
        while self.room <= 0:
            new, n = slice(PANEL), self._n_inverted
            inverse = solve_triangular(self._corner[new, new], np.eye(PANEL), lower=True).T
            block = np.zeros((n + PANEL, PANEL))
            for k, known in enumerate(self._blocks):
                block[: len(known)] -= known @ self._left[new, k * PANEL : (k + 1) * PANEL].T
            block[:n] = block[:n] @ inverse
            block[n:] = inverse
            self._blocks.append(block)
            self._shift()

    def _shift(self) -> None:
        """Let the panel begin where N now ends."""
        waiting = slice(PANEL, None)
        left, corner = self._left, self._corner
        self._left = np.zeros((len(corner), self._n_inverted))
        self._left[:-PANEL] = np.hstack((left[waiting], corner[waiting, :PANEL]))
        self._corner = np.zeros_like(corner)
        self._corner[:-PANEL, :-PANEL] = corner[waiting, waiting]

    @property
    def _n_inverted(self) -> int:
        return len(self._blocks) * PANEL

    def _make_room(self, n_entries: int) -> None:
        needed = self._Z.n[1] + n_entries
        if needed > len(self._Z.row):
            larger = (np.resize(part, 2 * needed) for part in self._Z[1:4])
            self._Z = Entries(self._Z.last, *larger, self._Z.n)


class _Scratch:
    """Memory for matrices that are made again and again, and are not small."""

    def __init__(self):
        self._memory = np.empty(0)

    def matrix(self, *shape: int) -> np.ndarray:
        """A matrix with anything in it; the one before is lost."""
        size = shape[0] * shape[1]
        if size > len(self._memory):
            self._memory = np.empty(size + size // 2)
        return self._memory[:size].reshape(shape)
