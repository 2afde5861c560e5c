"""Passive-aggressive learners for streams, with features selected by truncated gradient, [Han2016].

[Han2016] calls the majority +1; here +1 is the minority, as everywhere in imbfs, and Eq. (7) is
read with its signs turned round.
"""

import math
from functools import partial
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le
from sklearn.utils.validation import check_is_fitted

from imbfs.methods import Count, Limit, NonNegative, Positive
from imbfs.online import kernels
from imbfs.online.learner import TruncatedLearner
from imbfs.online.rows import Rows, Sample


class PA(TruncatedLearner):
    """Passive-aggressive: the smallest step that gives the row a margin of 1, [Han2016] Eq. (3).

    Variant "one" caps the step at C, Eq. (6); "two" softens it by 1 / 2C; [Crammer2006]. Every K
    rounds weights within theta shrink by eta K g, [Langford2009]; g = 0 leaves them alone. The
    `budget` is cut to the features to `keep` at the end or kept throughout. A decision value of
    exactly 0 predicts the class named by `zero`.
    """

    def __init__(
        self,
        *,
        variant: Literal["plain", "one", "two"] = "one",
        C: Limit = 1.0,
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Limit = math.inf,
        K: Count = 10,
        budget: Literal["final", "always"] = "final",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.variant = variant
        self.C = C
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.budget = budget
        self.zero = zero
        self.keep = keep

    def _kernel(self, rows, y, problem):
        return partial(kernels.pa, *rows, y, *_cap_and_slack(self))


class MBPA(TruncatedLearner):
    """Margin-based passive-aggressive: asks a larger margin of the minority, [Han2016] Eq. (7)-(8).

    The margin is the ratio of majority to minority rows so far; of the majority it asks no margin.
    The other parameters are those of PA.
    """

    def __init__(
        self,
        *,
        C: Limit = 1.0,
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Limit = math.inf,
        K: Count = 10,
        budget: Literal["final", "always"] = "final",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.C = C
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.budget = budget
        self.zero = zero
        self.keep = keep

    def _kernel(self, rows, y, problem):
        return partial(kernels.mbpa, *rows, y, float(self.C))


class ONPA(TruncatedLearner):
    """Passive-aggressive with synthetic minority rows, [Han2016] Algorithm 2.

    When a row x_t of the minority arrives, floor(beta p / n) more are made of it and earlier ones
    x_p, with p and n the rows of either class so far: x_q = x_t + a (x_t - x_p), 0 < a < 1, which
    lies beyond x_t; `synthesis` "interpolate" lies between the two, as the text has it. Steps are
    those of Eq. (3), "plain", though C is among the inputs: "one" and "two" make use of it. Of the
    rows seen, those of the minority are kept. The other parameters are those of PA.
    """

    keeps_rows = True

    def __init__(
        self,
        *,
        variant: Literal["plain", "one", "two"] = "plain",
        C: Limit = 1.0,
        beta: Positive = 1.0,
        synthesis: Literal["extrapolate", "interpolate"] = "extrapolate",
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Limit = math.inf,
        K: Count = 10,
        budget: Literal["final", "always"] = "final",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
        seed: int = 0,
    ):
        self.variant = variant
        self.C = C
        self.beta = beta
        self.synthesis = synthesis
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.budget = budget
        self.zero = zero
        self.keep = keep
        self.seed = seed

    def _start(self, classes, n_features):
        super()._start(classes, n_features)
        problems = range(len(self._w))
        self._minority = [self._store(n_features) for _ in problems]
        self._rng = [np.random.default_rng([self.seed, problem]) for problem in problems]

    def _store(self, n_features) -> Rows:
        return Rows(n_features)

    def _places(self, problem) -> tuple[np.ndarray | None, int]:
        """Where the rows kept are among those stored, None for all; the number of the next row."""
        return None, 0

    def _kernel(self, rows, y, problem):
        seen, places = self._minority[problem], self._places(problem)
        seen.append(rows, np.flatnonzero(y > 0))
        side = 1.0 if self.synthesis == "extrapolate" else -1.0
        memory = (*seen.like(rows), *places, self._rng[problem])
        return partial(
            kernels.onpa, *rows, y, *memory, *_cap_and_slack(self), float(self.beta), side
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # One pass of uncapped steps ends wherever its last rows, real or made, have pushed it.
        tags.classifier_tags.poor_score = True
        return tags


class SampledONPA(ONPA):
    """ONPA in memory that has a bound: of the minority no more than so many `rows` are kept.

    Up to that many it is ONPA, number for number. Beyond, x_p is drawn from a sample of the rows
    seen that is made anew with every row (reservoir sampling): each earlier row is as likely as
    another, as in Algorithm 2, though draws that follow each other are of one sample.
    """

    def __init__(
        self,
        *,
        rows: Annotated[int, Ge(1), Le(1 << 27)] = 10_000,
        variant: Literal["plain", "one", "two"] = "plain",
        C: Limit = 1.0,
        beta: Positive = 1.0,
        synthesis: Literal["extrapolate", "interpolate"] = "extrapolate",
        eta: Positive = 1.0,
        g: NonNegative = 0.0,
        theta: Limit = math.inf,
        K: Count = 10,
        budget: Literal["final", "always"] = "final",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
        seed: int = 0,
    ):
        self.rows = rows
        self.variant = variant
        self.C = C
        self.beta = beta
        self.synthesis = synthesis
        self.eta = eta
        self.g = g
        self.theta = theta
        self.K = K
        self.budget = budget
        self.zero = zero
        self.keep = keep
        self.seed = seed

    @property
    def n_kept_(self) -> int:
        """How many rows of the minority it keeps."""
        check_is_fitted(self)
        return self._n_kept(0)

    def _n_kept(self, problem) -> int:
        return min(int(self._state["n"][problem]) - 1, self.rows)

    def _store(self, n_features):
        return Sample(n_features, self.rows)

    def _places(self, problem):
        seen = self._minority[problem]
        seen.tidy(self._n_kept(problem))
        return seen.places, len(seen)


def _cap_and_slack(learner) -> tuple[float, float]:
    """The most that a step may be, and what is added to |x|^2, of a variant of PA."""
    cap = float(learner.C) if learner.variant == "one" else math.inf
    slack = 1 / (2 * learner.C) if learner.variant == "two" else 0.0
    return cap, slack
