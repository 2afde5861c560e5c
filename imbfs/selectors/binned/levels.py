"""Features as the numbers of the bins they fall into, and what these tell of one another.

Bins are those of `bins`, or with "deviation" three: below mean - sd, between, from mean + sd on. A
feature of no more different values than bins is taken as it is.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.selectors.binned import bin_kernels, level_kernels
from imbfs.selectors.binned.bins import BLOCK

CUTS = {
    "width": bin_kernels.WIDTH,
    "frequency": bin_kernels.FREQUENCY,
    "deviation": bin_kernels.DEVIATION,
}
AnyCut = Literal["deviation", "width", "frequency"]


@dataclass(frozen=True)
class Levels:
    """The bin of every value: one byte each, where there are no more than 256 bins.

    Of sparse data `codes` has the stored values alone, and `sparse` says where they are and in
    which bin every other value of a feature lies: rows, indptr, home. `counts` are bins a feature.
    """

    codes: np.ndarray
    counts: np.ndarray
    n_samples: int
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def feature(self, j: int) -> np.ndarray:
        """The bins of one feature, sample by sample."""
        if self.sparse is None:
            return self.codes[j]
        rows, indptr, home = self.sparse
        own = slice(indptr[j], indptr[j + 1])
        found = np.full(self.n_samples, home[j])
        found[rows[own]] = self.codes[own]
        return found

    def information(self, given: np.ndarray) -> np.ndarray:
        """Mutual information in bits of every feature with a variable of values 0, 1, ..."""
        sizes = np.bincount(given)
        given = given.astype(np.min_scalar_type(len(sizes)))
        logs = np.log2(np.maximum(np.arange(self.n_samples + 1), 1))
        bits = np.zeros(len(self.counts))
        if self.sparse is None:
            level_kernels.dense_bits(self.codes, self.counts, given, sizes, logs, bits)
        else:
            where = (self.codes, *self.sparse)
            level_kernels.sparse_bits(*where, self.counts, given, sizes, logs, bits)
        return bits


def levels(X: np.ndarray | csr_array, bins: int, cut: AnyCut) -> Levels:
    """Cut every feature into bins; sparse data stay sparse."""
    n_samples, n_features = X.shape
    bins = min(3 if cut == "deviation" else bins, n_samples)
    kind = np.min_scalar_type(bins - 1)
    room, counts = np.empty(bins - 1), np.zeros(n_features, dtype=np.int64)
    if issparse(X):
        X = X.tocsc().astype(np.float64, copy=False)
        codes, home = np.zeros(len(X.data), dtype=kind), np.zeros(n_features, dtype=kind)
        bin_kernels.sparse_codes(X.data, X.indptr, n_samples, CUTS[cut], room, codes, home, counts)
        return Levels(codes, counts, n_samples, (X.indices, X.indptr, home))
    codes = np.zeros((n_features, n_samples), dtype=kind)
    width = max(1, BLOCK // n_samples)
    for start in range(0, n_features, width):
        block = slice(start, start + width)
        columns = np.array(X[:, block].T, dtype=np.float64, order="C")
        ordered = np.sort(columns, axis=1)
        bin_kernels.dense_codes(columns, ordered, CUTS[cut], room, codes[block], counts[block])
    return Levels(codes, counts, n_samples)
