"""Filters on features cut in two at the midpoint of the class means, [Wasikowski2009] Sec. 3.1.

A value equal to the cut lies above it. All rest on the same table of every feature: tp and fp, the
minority and majority samples above the cut, fn and tn, those below. A constant feature scores 0.
"""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import entr, ndtri

from imbfs.selectors import passes
from imbfs.selectors.passes import ratio

SMALLEST_RATE = 0.0005


def chi(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Chi-square statistic of the class and the feature cut in two, [Wasikowski2009] Eq. (3.1).

    A term whose expected count is 0 counts 0.
    """
    tp, fp, fn, tn = _table(X, y)
    pos, neg, above, below = tp + fn, fp + tn, tp + fp, fn + tn
    surplus = tp * neg - fp * pos
    # The four terms of Eq. (3.1) on one denominator: a feature and its mirror image tie exactly.
    return ratio(len(y) * surplus**2, pos * neg * (above * below))


def ig(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Information gain e(pos, neg) - sum of n_side / N e(side), [Wasikowski2009] Eq. (3.2).

    The entropy of the class, in bits, less that on either side of the cut; the thesis leaves the
    base of the logarithm open.
    """
    tp, fp, fn, tn = _table(X, y)
    above, below = tp + fp, fn + tn
    remaining = above / len(y) * _entropy(tp, fp) + below / len(y) * _entropy(fn, tn)
    return np.maximum(_entropy(tp + fn, fp + tn) - remaining, 0.0)


def odds_ratio(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    sided: Literal["one", "two"] = "one",
    zero: Literal["product", "counts"] = "product",
) -> np.ndarray:
    """Logarithm of the odds ratio, log tp tn / (fp fn), [Wasikowski2009] Eq. (3.3).

    A denominator of 0 becomes 1: the product, or with `zero="counts"` each count in it. tp tn = 0
    gives -inf. The two-sided form is the square, inf for -inf.

    Deviation: 0 / 0, where all values lie on one side of the cut, scores 0 and not -inf.
    """
    tp, fp, fn, tn = _table(X, y)
    if zero == "product":
        denominator = np.maximum(fp * fn, 1)
    else:
        denominator = np.maximum(fp, 1) * np.maximum(fn, 1)
    odds = tp * tn / denominator
    odds[(tp * tn == 0) & (fp * fn == 0)] = 1.0
    scores = np.log(odds, out=np.full(len(odds), -np.inf), where=odds > 0)
    return scores**2 if sided == "two" else scores


def bns(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Bi-normal separation |F^-1(tpr) - F^-1(fpr)|, F the normal distribution, [Forman2003].

    Rates are kept within 0.0005 and 0.9995, where F^-1 is finite.
    """
    tp, fp, fn, tn = _table(X, y)
    rates = np.array([tp / (tp + fn), fp / (fp + tn)])
    tpr, fpr = np.clip(rates, SMALLEST_RATE, 1 - SMALLEST_RATE)
    return np.abs(ndtri(tpr) - ndtri(fpr))


def _table(X, y):
    """tp, fp, fn and tn of every feature."""
    codes, sizes = passes.minority_codes(y)
    neg, pos = sizes
    sums = passes.sums(X, codes)
    # (s+/n+ + s-/n-) / 2, rounded once: on whole numbers no tie with the cut is lost.
    cuts = (sums[1] * neg + sums[0] * pos) / (2 * neg * pos)
    fp, tp = passes.counts(X, codes, sizes, cuts)
    return tp, fp, pos - tp, neg - fp


def _entropy(a, b):
    """e(a, b) of Eq. (3.2) in bits; without samples, 0."""
    total = np.maximum(a + b, 1)
    return (entr(a / total) + entr(b / total)) / np.log(2)
