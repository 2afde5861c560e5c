"""An entry of a method table, the kinds of task, and the types that parameters share."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt

BINARY, MULTICLASS, MULTILABEL = "binary", "multiclass", "multilabel"
EVERY_KIND = (BINARY, MULTICLASS, MULTILABEL)

Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Count = Annotated[int, Ge(1)]

_SEEDS = ("seed", "random_state")  # ours, and scikit-learn's


@dataclass(frozen=True)
class Method:
    """A callable with the revision of its numbers and the kinds of task it can take.

    Bump `revision` when the numbers change on purpose: only this method's tasks run again. That of
    a method from outside imbfs is a hash of its source; `home` is the folder it was found in, if
    that is one of the user's and not where packages are installed.
    """

    call: Callable
    revision: int | str = 1
    kinds: tuple[str, ...] = (BINARY,)
    outside: bool = False
    home: str = ""

    @property
    def learns(self) -> bool:
        """Whether it is a learner, which ranks features and classifies as well."""
        return inspect.isclass(self.call)

    @property
    def streams(self) -> bool:
        """Whether it is a learner that learns from a stream as it comes."""
        return hasattr(self.call, "progress")

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.call) or "").split("\n")[0]

    @property
    def takes_seed(self) -> bool:
        return bool(self.seeded(0))

    def seeded(self, seed: int) -> dict[str, int]:
        """The seed as an argument, for a method that takes one."""
        taken = inspect.signature(self.call).parameters
        return {name: seed for name in _SEEDS if name in taken}
