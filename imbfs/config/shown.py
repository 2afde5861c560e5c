"""The tables and figures that a config may name, and what each kind of them can be told."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, model_validator

from imbfs.config.fields import MeasureName, Strict, judging
from imbfs.errors import UserError
from imbfs.ranking import feature_count


class Shown(Strict):
    """What a table or a figure may be told: the kind, the measure, and options of some kinds."""

    kind: str
    measure: MeasureName
    part: Literal["test", "progressive"] = "test"

    _of_kinds: ClassVar[dict[str, tuple[str, ...]]] = {}  # options, and what can be told them

    @model_validator(mode="after")
    def _fits_its_kind(self):
        for option, kinds in self._of_kinds.items():
            if option in self.model_fields_set and self.kind not in kinds:
                raise UserError(
                    f"{option}: is an option of {' and '.join(kinds)}, not of {self.kind}."
                )
        if self.kind in ("ranks", "settings"):
            judging(self.measure)
        return self

    @property
    def streams(self) -> bool:
        """Whether it shows what the protocol online alone measures."""
        return self.kind in ("stream", "time") or self.part == "progressive"


class Figure(Shown):
    """A figure to draw: `curves` over features, `stream` over samples, `time`, `ranks` of methods.

    Curves are of the test part or the progressive one; stream and time are at one number of
    `features`, the largest unless given.
    """

    kind: Literal["curves", "stream", "time", "ranks"]
    x: Literal["count", "percent"] = "count"
    features: Annotated[Any, AfterValidator(feature_count)] = None

    _of_kinds = {"x": ("curves",), "part": ("curves",), "features": ("stream", "time")}


class Table(Shown):
    """A table to write: a `summary` of one measure on a part, mean `ranks` of methods, `settings`.

    Settings are the values of swept parameters, by what the methods reach with them.
    """

    kind: Literal["summary", "ranks", "settings"]

    _of_kinds = {"part": ("summary",)}


def kind_outside(given):
    """{curves: {measure: auc}} as {kind: curves, measure: auc}."""
    if isinstance(given, dict) and len(given) == 1:
        kind, options = next(iter(given.items()))
        if isinstance(options, dict):
            return {"kind": kind, **options}
    raise UserError(
        f"{given!r}: write {{kind: {{measure: ...}}}}, as in {{curves: {{measure: auc}}}}."
    )
