"""Exact areas under a feature's own ROC and precision-recall curves."""

from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.selectors.curves import curve_kernels as kernels
from imbfs.selectors.pairs import over_pairs

# Values sorted at a time, so that the copies stay in the cache whatever the size of the data.
BLOCK = 2**18

# What the precision-recall curve of the minority at or above the thresholds is compared with.
Reading = Literal["majority_below", "majority_above", "minority_below"]


def auc(
    X: np.ndarray | csr_array, y: np.ndarray, *, parents: np.ndarray | None = None
) -> np.ndarray:
    """Area under the feature's ROC, U / (n+ n-) of Mann and Whitney: what `fast` approximates.

    Two-sided, the larger of the area and 1 - area; a constant feature scores 0.5. With more classes
    it is the mean over their pairs.
    """
    return over_pairs(partial(areas, curve=kernels.ROC), X, y, parents)


def prc(
    X: np.ndarray | csr_array, y: np.ndarray, *, reading: Reading = "majority_below"
) -> np.ndarray:
    """Area under the feature's precision-recall curve by [Davis2006]: what `fair` approximates.

    The larger of two areas, of which `reading` names the second as in `fair`. A constant feature
    scores the share of the minority, or of the majority where that is the second.
    """
    return areas(X, y, CURVES[reading])


CURVES = {
    "majority_below": kernels.MAJORITY_BELOW,
    "majority_above": kernels.MAJORITY_ABOVE,
    "minority_below": kernels.MINORITY_BELOW,
}


def areas(
    X: np.ndarray | csr_array, y: np.ndarray, curve: int, edges: np.ndarray | None = None
) -> np.ndarray:
    """The area under that curve of every feature, every value being a threshold.

    With `edges`, ranks of the sorted values, the thresholds are the means of the bins between them.
    """
    found = np.empty(X.shape[1])
    # Bins are made of all values; without them, the two classes are sorted apart and merged.
    rows = slice(None) if edges is not None else np.flatnonzero(y <= 0)
    fill = _fill_sparse if issparse(X) else _fill_dense
    fill(X, rows, np.flatnonzero(y > 0), curve, edges, found)
    return found


def _fill_dense(X, rows, minority_rows, curve, edges, found):
    width = max(1, BLOCK // len(X))
    for start in range(0, len(found), width):
        block = slice(start, start + width)
        values, minority = (_sorted_columns(X[some, block]) for some in (rows, minority_rows))
        if edges is not None:
            kernels.dense_binned_areas(values, minority, edges, curve, found[block])
        elif curve == kernels.ROC:
            kernels.dense_roc_areas(values, minority, found[block])
        else:
            kernels.dense_areas(values, minority, curve, found[block])


def _sorted_columns(X):
    columns = np.array(X.T, dtype=np.float64, order="C")
    columns.sort(axis=1)
    return columns


def _fill_sparse(X, rows, minority_rows, curve, edges, found):
    X = X.astype(np.float64, copy=False).tocsr()
    # Copies, for the kernel sorts the values of every column where they lie.
    values, minority = X[rows].tocsc(copy=True), X[minority_rows].tocsc(copy=True)
    columns = values.data, values.indptr, minority.data, minority.indptr
    sizes = np.array([values.shape[0], minority.shape[0]])
    if edges is not None:
        kernels.sparse_binned_areas(*columns, sizes, edges, curve, found)
    else:
        kernels.sparse_areas(*columns, sizes, curve, found)
