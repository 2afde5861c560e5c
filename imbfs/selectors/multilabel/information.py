"""Ranking of features by what they tell of labels and of pairs of labels."""

from itertools import combinations

import numpy as np
from scipy.sparse import csr_array

from imbfs.methods import Count
from imbfs.selectors.binned.bins import Cut
from imbfs.selectors.binned.levels import levels


def itfr(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    labels: Count = 10,
    bins: Count = 10,
    cut: Cut = "width",
) -> np.ndarray:
    """ITFR, sum_l I(x; l) - sum_lm I(x; l; m) over the pairs of labels of most entropy, [Lee2015].

    I(x; l; m) = I(x; l) + I(x; m) - I(x; l, m) in bits is what two labels share of the feature; the
    pairs are those of the `labels` labels with most entropy, the first of equal ones, and the sum
    over single labels has them all. Features are cut into bins as in `mi`. A constant one scores 0.

    Deviation: the formula is that of the authors' program, which leaves out what is the same for
    all features and takes binary ones. It can pass over features of little entropy; here all are
    scored. How many labels and bins the paper takes is not known: 10 of each is our choice.
    """
    features = levels(X, bins, cut)
    marks = (np.asarray(y) > 0).astype(np.int64).T
    single = np.array([features.information(mark) for mark in marks])
    scores = single.sum(axis=0)
    for a, b in combinations(_of_most_entropy(marks, labels), 2):
        scores += features.information(2 * marks[a] + marks[b]) - single[a] - single[b]
    return scores


def _of_most_entropy(marks, labels):
    """The entropy of a label grows with the smaller of its two sides."""
    sides = np.minimum(marks.sum(axis=1), (1 - marks).sum(axis=1))
    return np.argsort(-sides, kind="stable")[:labels]
