"""The target measure of a learner, updated batch by batch without keeping its predictions."""

import numpy as np

N_BINS = 512


class Tally:
    """What of the decisions so far the target measure needs.

    The F-measure is exact. AUC and average precision are those of a histogram of d / (1 + |d|) in
    512 bins, decisions in one bin counting as equal; all batches are in one histogram, although the
    weights, and so the scale of the decisions, change between them.
    """

    def __init__(self, target: str, zero: str):
        self._target = target
        self._zero = zero
        self._counts = np.zeros(3)  # true and false positives, false negatives
        self._bins = np.zeros((2, N_BINS)) if target != "f_measure" else None

    def add(self, decision: np.ndarray, y: np.ndarray) -> None:
        minority = y > 0
        positive = decision >= 0.0 if self._zero == "minority" else decision > 0.0
        self._counts += (
            np.count_nonzero(positive & minority),
            np.count_nonzero(positive & ~minority),
            np.count_nonzero(~positive & minority),
        )
        if self._bins is not None:
            place = (1.0 + decision / (1.0 + np.abs(decision))) / 2
            bins = np.minimum((place * N_BINS).astype(np.intp), N_BINS - 1)
            for row, rows in enumerate((minority, ~minority)):
                self._bins[row] += np.bincount(bins[rows], minlength=N_BINS)

    @property
    def value(self) -> float:
        """The measure so far; 0 while it is undefined."""
        if self._target == "f_measure":
            right, wrong, missed = self._counts
            return 2 * right / (2 * right + wrong + missed) if right else 0.0
        n_minority, n_majority = self._bins.sum(axis=1)
        if n_minority == 0 or n_majority == 0:
            return 0.0
        return self._area() if self._target == "auc" else self._precision()

    def _area(self) -> float:
        minority, majority = self._bins
        below = np.cumsum(majority) - majority
        return float(minority @ (below + majority / 2) / (minority.sum() * majority.sum()))

    def _precision(self) -> float:
        minority, majority = self._bins[:, ::-1]
        right, wrong = np.cumsum(minority), np.cumsum(majority)
        filled = minority > 0
        return float((minority * right)[filled] @ (1 / (right + wrong)[filled]) / right[-1])
