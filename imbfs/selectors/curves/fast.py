"""FAST and FAIR, areas under a feature's own curves over thresholds from bins of even size."""

import numpy as np
from scipy.sparse import csr_array

from imbfs.methods import Count
from imbfs.selectors.curves import curve_kernels as kernels
from imbfs.selectors.curves.roc import CURVES, Reading, areas
from imbfs.selectors.pairs import over_pairs


def fast(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    K: Count = 10,
    parents: np.ndarray | None = None,
) -> np.ndarray:
    """FAST, area under the ROC of the feature over K sliding thresholds, [Wasikowski2009] Alg. 2.

    The sorted values are cut into K bins of even size, a bin's mean is a threshold, and a value at
    or above it counts as minority; two-sided, the larger of the area and 1 - area (Sec. 3.2.3).
    With fewer samples than K the empty bins give no threshold; K of at least the number of samples
    gives the exact area. A constant feature scores 0.5. With more classes it is the mean over their
    pairs, each with bins of its own.
    """

    def area(X, y):
        return areas(X, y, kernels.ROC, _edges(len(y), K))

    return over_pairs(area, X, y, parents)


def fair(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    K: Count = 10,
    reading: Reading = "majority_below",
) -> np.ndarray:
    """FAIR, `fast` with the area under the precision-recall curve, [Wasikowski2009] Sec. 3.2.3.

    The larger of two areas, interpolated by [Davis2006]: the minority's, predicted at or above the
    thresholds, and that of "a parallel tabulation for the majority class". `majority_below` takes
    the majority from the same predictions, those below. That does not find a feature that is lower
    in the minority; `majority_above` does, by predicting the majority where the minority was, and
    so does `minority_below`, by turning the direction alone.
    """
    return areas(X, y, CURVES[reading], _edges(len(y), K))


def _edges(n_samples, K):
    """Ranks that bound the bins which are not empty."""
    split = (2 * np.arange(K + 1) * n_samples + K) // (2 * K)  # round(j N / K), a half goes up
    return np.unique(split)
