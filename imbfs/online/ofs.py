"""Online feature selection by sparse projection, the reference that later papers compare with."""

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Lt

from imbfs.methods import Count, Positive
from imbfs.online import kernels
from imbfs.online.learner import RowLearner


class OFS(RowLearner):
    """Online feature selection: update, project into a ball, keep the largest, [Wang2014].

    A margin of at most 1 calls for an update by eta y x; the ball has radius 1 / sqrt(lam). Weights
    also `shrink` by 1 - lam eta: never, as in the authors' own code, with every update, or in
    every round. `keep` None keeps all features.
    """

    def __init__(
        self,
        *,
        eta: Positive = 0.2,
        lam: Annotated[float, Gt(0), Lt(1)] = 0.01,
        shrink: Literal["none", "on_update", "always"] = "none",
        zero: Literal["majority", "minority"] = "majority",
        keep: Count | None = None,
    ):
        self.eta = eta
        self.lam = lam
        self.shrink = shrink
        self.zero = zero
        self.keep = keep

    @property
    def keeps(self) -> bool:
        return True

    def _pass(self, problem, rows, y, scores):
        form = float(self.eta), float(self.lam), self.shrink == "on_update", self.shrink == "always"
        kernels.ofs(*rows, y, *form, *self._memory(problem, lazy=False), scores)

    def _weights(self) -> np.ndarray:
        return self._w * self._state["scale"][:, None]
