"""Sparse confidence-weighted learners: with equal costs, and with the cost that did best so far."""

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Lt
from sklearn.utils.validation import check_is_fitted

from imbfs.methods import Count, Positive
from imbfs.online.confidence.batches import FEATURES, BatchLearner
from imbfs.online.confidence.model import Form, Models


class SBCW(BatchLearner):
    """Sparse confidence-weighted learning, equal costs, [Tan2016] as [Liu2019] Sec. 4.4 reads it.

    Every batch selects the features of largest s^2, s = sum_i y_i x_i / n, `r` at a time (None: all
    at once). Weights `start` at zero, as [Liu2019] says, so that only the covariance goes from
    batch to batch, or at those of the last batch. A hinge loss is the paper's SBCW1, a squared one
    SBCW2; `sigma` is the weight of the term that makes Eq. (17) strongly convex. `keep` None keeps
    50 features.
    """

    def __init__(
        self,
        *,
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        C: Positive = 1.0,
        r: Count | None = None,
        sigma: Positive = 0.01,
        start: Literal["zero", "last"] = "zero",
        batch: Count = 256,
        last_batch: Literal["keep", "drop", "merge"] = "keep",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.loss = loss
        self.C = C
        self.r = r
        self.sigma = sigma
        self.start = start
        self.batch = batch
        self.last_batch = last_batch
        self.zero = zero
        self.keep = keep

    def _new(self, n_features):
        warm = self.start == "last"
        differs = {"cost_weighted": False, "informed": False, "warm": warm, "reset": True}
        form = _form(self, n_features, **differs)
        return Models(form, n_features, [None], "f_measure", self.zero)


class ASCW(BatchLearner):
    """Adaptive sparse confidence-weighted learning, [Liu2019] Algorithms 1 and 2.

    K models with costs c+ = 1 - j / (2K + 2) learn from every batch; the one with the best `target`
    measure of its own predictions so far predicts. A number for `cost` leaves one model with that
    c+. The dual variables of a batch `start` at 1 / n, as printed, or at the cost of the row's
    class over n. Weights of features that a batch does not select are reset to 0, or, as Eq. (11)
    reads literally, kept: then more than `keep` features are used. A hinge loss is the paper's
    ASCW1, a squared one ASCW2; the rest is as in SBCW.
    """

    def __init__(
        self,
        *,
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        C: Positive = 1.0,
        r: Count | None = None,
        sigma: Positive = 0.01,
        K: Count = 9,
        cost: Annotated[float, Gt(0), Lt(1)] | None = None,
        target: Literal["f_measure", "auc", "average_precision"] = "f_measure",
        start: Literal["uniform", "cost_weighted"] = "uniform",
        unselected: Literal["reset", "keep"] = "reset",
        batch: Count = 256,
        last_batch: Literal["keep", "drop", "merge"] = "keep",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.loss = loss
        self.C = C
        self.r = r
        self.sigma = sigma
        self.K = K
        self.cost = cost
        self.target = target
        self.start = start
        self.unselected = unselected
        self.batch = batch
        self.last_batch = last_batch
        self.zero = zero
        self.keep = keep

    @property
    def bounded(self) -> bool:
        return self.unselected == "reset"

    @property
    def cost_(self) -> float:
        """The cost c+ that predicted, on average over the last 20 batches."""
        check_is_fitted(self)
        return float(np.mean(self._last.picks))

    def _new(self, n_features):
        weighted, reset = self.start == "cost_weighted", self.unselected == "reset"
        differs = {"cost_weighted": weighted, "informed": True, "warm": True, "reset": reset}
        form = _form(self, n_features, **differs)
        costs = (
            [self.cost] if self.cost else [1 - j / (2 * self.K + 2) for j in range(1, self.K + 1)]
        )
        return Models(form, n_features, costs, self.target, self.zero)


def _form(learner, n_features: int, **differs) -> Form:
    p = min(learner.keep or FEATURES, n_features)
    q = 1 if learner.loss == "hinge" else 2
    r = min(learner.r or p, p)
    return Form(q, float(learner.C), float(learner.sigma), p, r, learner.batch, **differs)
