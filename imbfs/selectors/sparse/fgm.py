"""Feature generating machine: a few features at a time, those the machine so far misses most."""

from typing import Literal

import numpy as np
from scipy.sparse import csc_array, issparse

from imbfs.errors import UserError
from imbfs.learner import Learner
from imbfs.methods import Count, Positive
from imbfs.ranking import ranking
from imbfs.selectors.passes import LARGEST
from imbfs.selectors.sparse.groups import group_norms, group_shrink

_FEATURES = 50  # where no number is asked for
_GAP = 0.1  # of eps: how close to its optimum every step is solved
_LOOKS = 10  # iterations from one look at the gap to the next
_ITERATIONS = 10_000  # at most, a multiple of that


class FGM(Learner):
    """Feature generating machine: each step adds the r features of most violation, [Tan2014].

    Violation is (sum_i alpha_i y_i x_ij)^2, with alpha_i = C max(0, 1 - m_i) of the margins m so
    far; these are 0 at first, so that every alpha_i is C. Then the weights of all groups added are
    those least in (sum_k |w_k|)^2 / 2 + (C / 2) sum_i max(0, 1 - m_i)^2. It stops at `keep`
    features (None: 50), when no other is violated, or when a step lowers that value by no more than
    eps of itself. For two classes, and features of one scale: with others a step may end short of
    its optimum, by no more than `gap_` of it.

    Deviation: a feature is added once only, for there to be as many as asked for; the last step
    adds fewer if `keep` is no multiple of r.
    """

    def __init__(
        self,
        *,
        C: Positive = 10.0,
        r: Count = 10,
        eps: Positive = 1e-3,
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.C = C
        self.r = r
        self.eps = eps
        self.zero = zero
        self.keep = keep

    @property
    def keeps(self) -> bool:
        return True

    def _start(self, n_problems, n_features):
        if n_problems > 1:
            raise ValueError("Only binary classification is supported.")
        self._w = np.zeros((1, n_features))
        self.n_steps_, self.gap_ = 0, 0.0

    def _learn(self, X, signs):
        largest = np.abs(X.data if issparse(X) else X).max(initial=0.0)
        if largest > LARGEST**2:
            raise UserError(f"X: values up to {largest:.0e} are too large for FGM. Scale them.")
        y, columns = signs[0].astype(np.float64), csc_array(X) if issparse(X) else X
        room = min(_FEATURES if self.keep is None else self.keep, X.shape[1])
        chosen, starts, w = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
        A, alpha, before = np.empty((len(y), 0), order="F"), np.full(len(y), self.C), np.inf
        while len(chosen) < room:
            added = _most_violated(X.T @ (alpha * y), chosen, min(self.r, room - len(chosen)))
            if len(added) == 0:
                break
            starts = np.append(starts, len(chosen))
            chosen = np.concatenate((chosen, added))
            A = np.hstack((A, y[:, None] * _dense(columns[:, added])))
            w = np.concatenate((w, np.zeros(len(added))))
            w, alpha, value, gap = solve(A, starts, float(self.C), w, _GAP * self.eps)
            self.n_steps_, self.gap_ = self.n_steps_ + 1, max(self.gap_, gap)
            if before - value <= self.eps * value:
                break
            before = value
        self._w[0, chosen] = w

    def _weights(self) -> np.ndarray:
        return self._w.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def solve(A, starts: np.ndarray, C: float, w: np.ndarray, gap: float) -> tuple:
    """The w least in (sum_k |w_k|)^2 / 2 + (C / 2) sum_i max(0, 1 - (A w)_i)^2.

    Accelerated proximal gradient from the given w, [Tan2014], with the momentum dropped whenever it
    points uphill. Ends when the dual shows the value to be within `gap` of the least, relative to
    it, or after many iterations. Returns w, alpha, the value and the gap.
    """
    sigma = C * np.linalg.eigvalsh(A.T @ A)[-1]
    margin, momentum = A @ w, 1.0
    ahead, ahead_margin = w, margin
    for iteration in range(_ITERATIONS + 1):
        if iteration % _LOOKS == 0:
            alpha, value, bound = _standing(A, starts, C, w, margin)
            if value - bound <= gap * value or iteration == _ITERATIONS:
                return w, alpha, value, 1.0 - bound / value if value > 0.0 else 0.0
        slope = -(A.T @ (C * np.maximum(1.0 - ahead_margin, 0.0)))
        w_next = group_shrink(sigma * ahead - slope, starts, sigma)
        margin_next = A @ w_next
        if (ahead - w_next) @ (w_next - w) > 0.0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        share = (momentum - 1.0) / following
        ahead = w_next + share * (w_next - w)
        ahead_margin = margin_next + share * (margin_next - margin)
        w, margin, momentum = w_next, margin_next, following


def _standing(A, starts, C, w, margin) -> tuple[np.ndarray, float, float]:
    """alpha at w, the value there, and what the dual says no value can be less than.

    Of all multiples s alpha, the dual s sum_i alpha_i - (s^2 / 2) q, q = |alpha|^2 / C +
    max_k |A_k' alpha|^2, is largest at s = sum_i alpha_i / q.
    """
    alpha = C * np.maximum(1.0 - margin, 0.0)
    loss = alpha @ alpha / C
    value = (group_norms(w, starts).sum() ** 2 + loss) / 2.0
    curvature = loss + group_norms(A.T @ alpha, starts).max() ** 2
    bound = alpha.sum() ** 2 / (2.0 * curvature) if curvature > 0.0 else 0.0
    return alpha, value, bound


def _most_violated(slope: np.ndarray, chosen: np.ndarray, r: int) -> np.ndarray:
    """The r features of largest slope squared, none of those chosen, none without a slope."""
    violation = slope**2
    violation[chosen] = 0.0
    best = ranking(violation)[:r]
    return best[violation[best] > 0.0]


def _dense(columns) -> np.ndarray:
    return columns.toarray() if issparse(columns) else columns
