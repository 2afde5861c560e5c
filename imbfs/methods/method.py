"""An entry of a method table, the kinds of task, and the types that parameters share."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt
from pydantic import Field
from scipy.sparse import csr_array, issparse

BINARY, MULTICLASS, MULTILABEL = "binary", "multiclass", "multilabel"
EVERY_KIND = (BINARY, MULTICLASS, MULTILABEL)

Finite = Annotated[
    float, Field(allow_inf_nan=False, json_schema_extra={"maximum": sys.float_info.max})
]
Positive = Annotated[Finite, Gt(0)]
NonNegative = Annotated[Finite, Ge(0)]
Limit = Annotated[float, Gt(0)]  # inf means no limit
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

    def given(self, *arrays) -> tuple:
        """The arrays to call it with: of a method from outside, read-only views.

        Tasks share their rows, and one that wrote into them would change what the next one gets.
        Ours are held to that by tests: numba would compile each kernel twice.
        """
        return tuple(map(read_only, arrays)) if self.outside else arrays


def read_only(array):
    """A view that refuses to be written to."""
    if issparse(array):
        parts = map(read_only, (array.data, array.indices, array.indptr))
        view = csr_array(tuple(parts), shape=array.shape)
        view.has_canonical_format = array.has_canonical_format
        return view
    view = array.view()
    view.flags.writeable = False
    return view
