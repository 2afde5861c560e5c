"""Cost-sensitive online gradient descent, the baseline "CS" of [Han2016]."""

import math
from functools import partial
from typing import Literal

from imbfs.methods import Count, Limit, NonNegative, Positive
from imbfs.online import kernels
from imbfs.online.learner import TruncatedLearner


class CS(TruncatedLearner):
    """Cost-sensitive online gradient descent, CSOGD-I and CSOGD-II, [Zhao2013].

    A row of the minority costs rho, one of the majority 1. Loss "one" asks the cost as margin,
    max(0, rho_y - m); "two" weighs the usual loss with it, rho_y max(0, 1 - m). rho is the ratio of
    majority to minority rows so far, "running", or a number. The step is C / sqrt(t), or C if
    "constant". The other parameters are those of PA.
    """

    def __init__(
        self,
        *,
        loss: Literal["one", "two"] = "one",
        C: Positive = 1.0,
        step: Literal["sqrt", "constant"] = "sqrt",
        rho: Literal["running"] | Positive = "running",
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Limit = math.inf,
        K: Count = 10,
        budget: Literal["final", "always"] = "final",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.loss = loss
        self.C = C
        self.step = step
        self.rho = rho
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.budget = budget
        self.zero = zero
        self.keep = keep

    def _kernel(self, rows, y, problem):
        rho = 0.0 if self.rho == "running" else float(self.rho)
        form = self.step == "sqrt", self.loss == "two", rho
        return partial(kernels.cs, *rows, y, float(self.C), *form)
