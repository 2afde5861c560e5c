"""Filters that score one feature at a time by its means, its spreads or its counts.

A score is higher for a better feature and never NaN: a feature that separates the classes without
any spread scores inf, a constant one scores 0.
"""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.selectors import kernels


def none(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """No selection: all features score the same."""
    return np.ones(X.shape[1])


def random(X: np.ndarray | csr_array, y: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """A random order of the features, the floor that every other selector must beat."""
    return np.random.default_rng(seed).permutation(X.shape[1]).astype(np.float64)


def s2n(
    X: np.ndarray | csr_array, y: np.ndarray, *, sided: Literal["one", "two"] = "one"
) -> np.ndarray:
    """Signal-to-noise ratio (mu+ - mu-) / (sigma+ + sigma-), [Wasikowski2009] Eq. (3.5).

    As printed it is one-sided, and a feature that is larger in the majority scores below 0; the
    two-sided form takes the absolute value. The thesis leaves sigma open: here it is divided by n,
    as in the CLOP toolbox it used (which ranks by the absolute value); one sample has spread 0.
    """
    codes, sizes = _minority_codes(y)
    means, scatters = _moments(X, codes, sizes)
    sigma = np.sqrt(scatters / sizes[:, None])
    ratio = _ratio(means[1] - means[0], sigma[1] + sigma[0])
    return np.abs(ratio) if sided == "two" else ratio


def fisher(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    form: Literal["printed", "textbook"] = "printed",
) -> np.ndarray:
    """Fisher score, (mu+ - mu-)^2 / (S+^2 + S-^2) with two classes, [Yin2013] Eq. (5)-(9).

    S^2 is a class's sum of squared deviations as printed, Eq. (6), so the larger class weighs more;
    the textbook form has its variance (divided by n) there. With more classes both forms
    are Eq. (7), the sum of squares between the classes over that within them.
    """
    classes = np.unique(y)
    codes = np.searchsorted(classes, y)
    sizes = np.bincount(codes)
    means, scatters = _moments(X, codes, sizes)
    if len(classes) == 2:
        spreads = scatters if form == "printed" else scatters / sizes[:, None]
        return _ratio((means[1] - means[0]) ** 2, spreads.sum(axis=0))  # Eq. (5)
    # From the first class's mean, so that the means of a constant feature differ by exactly 0.
    shifts = means - means[0]
    weights = sizes[:, None]
    overall = (weights * shifts).sum(axis=0) / len(y)
    between = (weights * (shifts - overall) ** 2).sum(axis=0)  # Eq. (8)
    return _ratio(between, scatters.sum(axis=0))  # Eq. (7)


def chi(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Chi-square statistic of the class and the feature cut in two, [Wasikowski2009] Eq. (3.1).

    The cut is the midpoint of the class means, and a value equal to it lies above. A term whose
    expected count is 0 counts 0.
    """
    codes, sizes = _minority_codes(y)
    neg, pos = sizes
    sums = _sums(X, codes)
    # (s+/n+ + s-/n-) / 2, rounded once: on whole numbers no tie with the cut is lost.
    cuts = (sums[1] * neg + sums[0] * pos) / (2 * neg * pos)
    fp, tp = _counts(X, codes, sizes, cuts)
    above, surplus = tp + fp, tp * neg - fp * pos
    # The four terms of Eq. (3.1) on one denominator: a feature and its mirror image tie exactly.
    return _ratio(len(y) * surplus**2, pos * neg * (above * (len(y) - above)))


def _ratio(signal, noise):
    """signal / noise; without noise, infinite with the sign of the signal, and 0 / 0 is 0."""
    limit = np.where(signal == 0, 0.0, np.copysign(np.inf, signal))
    return np.divide(signal, noise, out=limit, where=noise > 0)


def _minority_codes(y):
    """Majority 0 and minority 1, and the sizes of the two."""
    codes = (y > 0).astype(np.int64)
    return codes, np.bincount(codes, minlength=2)


def _moments(X, codes, sizes):
    """Mean and sum of squared deviations of every class and feature, two arrays (c, d)."""
    means, scatters = np.zeros((2, len(sizes), X.shape[1]))
    if issparse(X):
        kernels.sparse_moments(*_rows(X), codes, sizes, means, scatters)
    else:
        kernels.dense_moments(_floats(X), codes, means, scatters)
    return means, scatters


def _sums(X, codes):
    sums = np.zeros((2, X.shape[1]))
    if issparse(X):
        kernels.sparse_sums(*_rows(X), codes, sums)
    else:
        kernels.dense_sums(_floats(X), codes, sums)
    return sums


def _counts(X, codes, sizes, cuts):
    """Samples at or above the cut, of every class and feature."""
    if issparse(X):
        counts = np.outer(sizes, cuts <= 0).astype(np.float64)
        kernels.sparse_counts(*_rows(X), codes, cuts, counts)
    else:
        counts = np.zeros((2, X.shape[1]))
        kernels.dense_counts(_floats(X), codes, cuts, counts)
    return counts


def _floats(X):
    return np.ascontiguousarray(X, dtype=np.float64)


def _rows(X):
    """Data, indices and indptr of the sparse rows, as the kernels take them."""
    X = X.tocsr()
    unsigned = f"u{X.indices.itemsize}"
    return X.data.astype(np.float64, copy=False), X.indices.view(unsigned), X.indptr.view(unsigned)
