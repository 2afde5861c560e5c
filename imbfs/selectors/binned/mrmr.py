"""mRMR: features that tell much of the class and little of one another, one after the other."""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from imbfs.methods import Count
from imbfs.ranking import ranking
from imbfs.selectors.binned.levels import AnyCut, levels
from imbfs.selectors.passes import class_codes

# Added to the divisor of the quotient, as the program of [Peng2005] does: it stays finite.
LEAST = 1e-4


def mrmr(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    form: Literal["difference", "quotient"] = "difference",
    cut: AnyCut = "deviation",
    bins: Count = 10,
    first: Count = 500,
) -> np.ndarray:
    """mRMR, rank by I(x; y) - mean of I(x; s) over features s chosen before, [Peng2005] Eq. (7).

    The quotient of the two is the other form, [Ding2005]. Features are cut at mean - sd and mean +
    sd, the three states of the authors' program, or into `bins` bins as in `mi`. A score is a rank,
    from the number of features, which the first chosen has, down to 1. The greedy search ends with
    the `first` features; those after them stand in the order of the criterion it ended with.
    Candidates that differ by rounding alone are equal, and the lower index goes first. A feature
    takes a byte a sample; of sparse data only the stored values do.

    Deviation: constant features come last. They repeat nothing, and by the difference they would
    stand above any feature that is more redundant than relevant. All others are candidates, as in
    the equation; the authors' program takes the 500 most relevant.
    """
    features = levels(X, bins, cut)
    relevance = features.information(class_codes(y)[0])
    left = features.counts > 1
    redundancy = np.zeros(len(left))
    criterion = _criterion(relevance, redundancy, 0, form)
    chosen = []
    for _ in range(min(first, np.count_nonzero(left))):
        best = int(np.argmax(np.where(left, criterion, -np.inf)))
        chosen.append(best)
        left[best] = False
        redundancy += features.information(features.feature(best))
        criterion = _criterion(relevance, redundancy, len(chosen), form)
    return _ranks(chosen, ranking(np.where(left, criterion, -np.inf)))


def _criterion(relevance, redundancy, n_chosen, form):
    """In single precision: rounding, which follows the order of sums, decides between no two."""
    if n_chosen == 0:
        return relevance.astype(np.float32)
    mean = redundancy / n_chosen
    score = relevance - mean if form == "difference" else relevance / (mean + LEAST)
    return score.astype(np.float32)


def _ranks(chosen, others):
    """d for the first chosen and so on, down to 1; `others` may name the chosen again."""
    order = np.append(np.array(chosen, dtype=np.int64), others[~np.isin(others, chosen)])
    scores = np.empty(len(order))
    scores[order] = np.arange(len(order), 0, -1)
    return scores
