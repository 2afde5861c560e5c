"""Filters on features cut in two at the midpoint of the class means, [Wasikowski2009] Sec. 3.1.

A value equal to the cut lies above it, and so does one that is below it by no more than a part in
10^9 of the distance between the means: scaling a feature may round either. All rest on the same
table of every feature: tp and fp, the minority and majority samples above the cut, fn and tn, those
below. A constant feature scores 0. Several classes, where a filter takes them, are cut at the mean
of all their means.
"""

import math
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import entr, ndtri

from imbfs.selectors import passes
from imbfs.selectors.passes import ratio

SMALLEST_RATE = 0.0005
ROUNDING = 1e-9  # of the distance between the class means
EXACT = 2**53  # floats up to here hold every whole number


def chi(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Chi-square statistic of the class and the feature cut in two, [Wasikowski2009] Eq. (3.1).

    A term whose expected count is 0 counts 0. Several classes add two terms each.
    """
    above, sizes = _above(X, y)
    high, low = above.sum(axis=0), (sizes[:, None] - above).sum(axis=0)
    if len(sizes) == 2:
        surplus = above[1] * sizes[0] - above[0] * sizes[1]
        # The four terms on one denominator: a feature and its mirror image tie exactly.
        return ratio(len(y) * surplus**2, sizes.prod() * (high * low))
    surplus = above * len(y) - high * sizes[:, None]
    return ratio((surplus**2 / sizes[:, None]).sum(axis=0), high * low)


def ig(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """Information gain e(pos, neg) - sum of n_side / N e(side), [Wasikowski2009] Eq. (3.2).

    The entropy of the classes, in bits, less that on either side of the cut; the thesis leaves the
    base of the logarithm open.
    """
    above, sizes = _above(X, y)
    sizes = sizes[:, None]
    sides = above, sizes - above
    remaining = sum(side.sum(axis=0) / len(y) * _entropy(side) for side in sides)
    return np.maximum(_entropy(sizes) - remaining, 0.0)


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
    (fp, tp), (neg, pos) = _above(X, y)
    return tp, fp, pos - tp, neg - fp


def _above(X, y):
    """How many of every class lie above the cut of every feature, and how many there are."""
    codes, sizes = passes.class_codes(y)
    cuts = _midpoints(passes.sums(X, codes, sizes), sizes)
    return passes.counts(X, codes, sizes, cuts), sizes


def _midpoints(sums, sizes):
    """The mean of the class means, less what rounding may have added to it."""
    common = math.prod(sizes.tolist()) if len(sizes) == 2 else math.lcm(*sizes.tolist())
    common = common if common < EXACT else 1
    weights = (common / sizes)[:, None]
    cuts = (weights * sums).sum(axis=0) / (len(sizes) * common)
    return cuts - ROUNDING * np.ptp(sums / sizes[:, None], axis=0)


def _entropy(counts):
    """e of Eq. (3.2) in bits, over the classes; without samples, 0."""
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    return entr(shares).sum(axis=0) / np.log(2)
