"""Matrices that are sparse but for a shift: standardised counts, say, most of which were 0."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from scipy.sparse import csr_array

_FEWER = 32  # times as many sums take BLAS as long as those of stored values take a kernel


@dataclass(frozen=True)
class Shifted:
    """S + a b', S sparse, of which products and Gram matrices take as long as those of S."""

    S: csr_array
    a: np.ndarray
    b: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.S.shape

    @cached_property
    def T(self) -> "Shifted":
        return Shifted(csr_array(self.S.T), self.b, self.a)

    def __matmul__(self, W: np.ndarray) -> np.ndarray:
        return self.S @ W + np.multiply.outer(self.a, self.b @ W)

    def __getitem__(self, places) -> "Shifted":
        """Some rows, or some columns of all."""
        if isinstance(places, tuple):
            return Shifted(self.S[places], self.a, self.b[places[1]])
        return Shifted(self.S[places], self.a[places], self.b)

    def gram(self, weight: np.ndarray) -> np.ndarray:
        """(S + a b')' D (S + a b') = S'DS + t b' + b t' + (a'Da) b b', t = S'Da, D = diag(weight).

        Rows of weight 0 take no time.
        """
        pulled = weight * self.a
        parts = self.S.data, self.S.indices, self.S.indptr
        return _gram(*parts, weight, pulled @ self.S, self.b, pulled @ self.a)


def shifted(X: np.ndarray) -> np.ndarray | Shifted:
    """The rows as 1 b' and what differs from it, b the median of every column, if that is little.

    A value that most of a column has is its median.
    """
    n, d = X.shape
    b = np.partition(X, n // 2, axis=0)[n // 2]
    differs = X != b
    by_column, by_row = (np.sum(differs.sum(axis=at, dtype=float) ** 2) for at in (0, 1))
    if _FEWER * by_column > n * n * d or _FEWER * by_row > n * d * d:
        return X
    S = csr_array(differs, dtype=np.float64)
    S.data = (X - b)[differs]
    return Shifted(S, np.ones(n), b)


@njit(cache=True)
def _gram(data, indices, indptr, weight, t, b, total):
    """sum_i weight_i s_i s_i' of sparse rows s_i, columns in order, + t b' + b t' + total b b'."""
    d = len(b)
    G = np.zeros((d, d))
    for i in range(len(weight)):
        if weight[i] == 0.0:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            value, row = weight[i] * data[p], G[indices[p]]
            for q in range(indptr[i], p + 1):
                row[indices[q]] += value * data[q]
    for j in range(d):
        for k in range(j + 1):
            G[j, k] += t[j] * b[k] + b[j] * t[k] + total * b[j] * b[k]
            G[k, j] = G[j, k]
    return G
