"""Cost-sensitive online active learning, a baseline of [Liu2019] without a budget of features."""

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Le
from sklearn.utils.validation import check_is_fitted

from imbfs.methods import Count, Limit, Positive
from imbfs.online import csoal_kernels
from imbfs.online.learner import RowLearner


class CSOAL(RowLearner):
    """Cost-sensitive online active learning: asks for few labels and learns from those, [Zhao2013].

    The label of a row with decision f is asked for with probability delta / (delta + |f|), unless
    that makes more than `query` of the rows so far: of t rows, query t rounded up. [Liu2019] asks
    for 1 %; a `query` of 1 leaves it to delta. The step is PA-I's, capped at C. A row of the
    minority costs rho, the ratio of majority to minority among the labels asked for, "running", or
    a number: with loss "one" it asks for that margin, max(0, rho - m); with "two" the usual loss
    weighs as much, rho max(0, 1 - m). Where [Liu2019] gives every other method 50 features, this
    one has all it has learned, whatever is asked for: `budget` "none"; "final" cuts it at the end.
    """

    def __init__(
        self,
        *,
        query: Annotated[float, Gt(0), Le(1)] = 0.01,
        delta: Positive = 1.0,
        C: Limit = 1.0,
        loss: Literal["one", "two"] = "one",
        rho: Literal["running"] | Positive = "running",
        budget: Literal["none", "final"] = "none",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
        seed: int = 0,
    ):
        self.query = query
        self.delta = delta
        self.C = C
        self.loss = loss
        self.rho = rho
        self.budget = budget
        self.zero = zero
        self.keep = keep
        self.seed = seed

    @property
    def bounded(self) -> bool:
        return self.budget == "final"

    @property
    def n_queried_(self) -> int:
        """How many labels it has asked for: of more than two classes, of each whether it is it."""
        check_is_fitted(self)
        return int((self._state["p"] + self._state["n"] - 2).sum())

    def _start(self, n_problems, n_features):
        super()._start(n_problems, n_features)
        self._rng = [np.random.default_rng([self.seed, problem]) for problem in range(n_problems)]

    def _pass(self, problem, rows, y, scores):
        rho = 0.0 if self.rho == "running" else float(self.rho)
        asking = self._rng[problem], float(self.query), float(self.delta)
        costs = float(self.C), rho, self.loss == "two"
        memory = self._w[problem], self._state[problem]
        csoal_kernels.csoal(*rows, y, *asking, *costs, *memory, scores)

    def _weights(self) -> np.ndarray:
        return self._w.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # One label in a hundred is too few for the toy sets of the checks.
        tags.classifier_tags.poor_score = True
        return tags
