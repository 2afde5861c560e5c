"""The tables and figures that a config may name, and what each kind of them can be told."""

import re
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from imbfs.config.fields import MeasureName, MeasureNames, Strict, judging, listed
from imbfs.config.printed import Datasets, Measures, Methods, PrintedFile
from imbfs.errors import UserError
from imbfs.ranking import feature_count

EACH, MEAN, ALL = "each", "mean", "all"  # of the classifiers or groups, instead of a name
BEST = "best"  # of the numbers of features, for each method
_OF_A_MEASURE = ("average", "within", "differences", "corrected")
_OF_SELECTIONS = ("stability", "overlap")
OVER_PROBLEMS = (*_OF_A_MEASURE, "approaches", *_OF_SELECTIONS)
_JUDGE = ("ranks", "settings", "picks", *OVER_PROBLEMS)
_AT_A_COUNT = (
    "within",
    "differences",
    "corrected",
    "approaches",
    *_OF_SELECTIONS,
    "beside",
    "points",
)
_KEPT = 100  # features of a ranking that a record keeps

Labels = Annotated[tuple[str, ...], BeforeValidator(listed), Field(min_length=1, strict=False)]


def _count(given) -> int | str:
    return given if given == BEST else feature_count(given)


class Shown(Strict):
    """What a table or a figure may be told: the kind, the measure, and options of some kinds.

    Over problems: at which number of `features`, by which `classifier` (a name, `mean` over all, or
    `each` and the mean), on which `group` of sets (a name, `all`, or `each` and all).
    """

    kind: str
    measure: MeasureName | None = None
    part: Literal["test", "progressive"] = "test"
    features: Annotated[Any, AfterValidator(_count)] = None
    classifier: str = EACH
    group: str = EACH

    of_kinds: ClassVar[dict[str, tuple[str, ...]]] = {}  # options, and what can be told them

    @model_validator(mode="after")
    def _fits_its_kind(self):
        for option, kinds in self.of_kinds.items():
            if option in self.model_fields_set and self.kind not in kinds:
                raise UserError(
                    f"{option}: is an option of {' and '.join(kinds)}, not of {self.kind}."
                )
        for option in self.needs(self.kind):
            if getattr(self, option) is None:
                raise UserError(f"{option}: is missing.")
        if self.features == BEST and self.kind != "beside":
            raise UserError("features: best is told of the table beside alone.")
        if self.kind in _OF_SELECTIONS:
            _refuse_forgotten(self.features)
        elif self.kind in _JUDGE:
            judging(self.measure)
        return self

    @staticmethod
    def needs(kind: str) -> list[str]:
        """The options that a kind must be told."""
        needed = {
            "measure": kind not in (*_OF_SELECTIONS, "beside", "points"),
            "features": kind in _AT_A_COUNT,
            "printed": kind == "beside",
            "measures": kind == "points",
        }
        return [option for option, applies in needed.items() if applies]

    @property
    def streams(self) -> bool:
        """Whether it shows what the protocol online alone measures."""
        return self.kind in ("stream", "time") or self.picks or self.part == "progressive"

    @property
    def picks(self) -> bool:
        """Whether it shows the costs that learners pick."""
        return "picks" in (self.kind, getattr(self, "of", None))

    @property
    def stem(self) -> str:
        """What its file is called: the kind, the measure, and the options it was told."""
        printed = getattr(self, "printed", None)
        told = [self.kind, Path(printed).stem if printed else self.measure]
        told += [*self.measures] if self.kind == "points" else []
        told += [self.features, self.classifier]
        told += [self.group] if self.kind in OVER_PROBLEMS else []
        told += [getattr(self, "against", None), None if self.part == "test" else self.part]
        words = [str(word) for word in told if word not in (None, EACH)]
        return re.sub(r"[^A-Za-z0-9_.=-]+", "_", "_".join(words).replace("%", "_percent"))


class Figure(Shown):
    """A figure to draw: `curves` over features, `stream` over samples, `time`, `ranks` of methods.

    Curves are of the test part or the progressive one, and with `x: ratio` over imposed ratios, at
    one number of `features`; stream and time are at the largest unless one is given. `points` are
    several `measures` side by side at one number of features. All of these may be told by their
    labels which `selectors` to draw. Over problems: the `average` over
    features, the share of them `within` a tolerance of the best, whose mean ranks have significant
    `differences`, and what `approaches` of selector, resampling and classifier reach.
    """

    kind: Literal[
        "curves",
        "stream",
        "time",
        "ranks",
        "points",
        "average",
        "within",
        "differences",
        "approaches",
    ]
    x: Literal["count", "percent", "ratio"] = "count"
    measures: MeasureNames | None = None
    selectors: Labels | None = None

    of_kinds = {
        "x": ("curves",),
        "part": ("curves",),
        "features": ("curves", "stream", "time", "points", "within", "differences", "approaches"),
        "measures": ("points",),
        "selectors": ("curves", "stream", "time", "points"),
        "classifier": ("points", "average", "within", "differences"),
        "group": ("average", "within", "differences"),
    }

    @model_validator(mode="after")
    def _at_a_count_over_ratios(self):
        if self.kind == "curves" and (self.x == "ratio") != (self.features is not None):
            raise UserError("features: is told of curves with x: ratio, and only of these.")
        return self


class Table(Shown):
    """A table to write: a `summary` of one measure on a part, mean `ranks` of methods, `settings`.

    Settings are the values of swept parameters, by what the methods reach with them; `picks` are
    the costs that learners pick by a measure, beside the best of fixed ones. Over problems: the
    `average`, the share `within` a tolerance of the best, `differences` of every two selectors or
    of all `against` one, how many of them stay significant when `corrected` for the overlap of
    folds, what `approaches` of selector, resampling and classifier reach, the `stability` of what
    is selected, and the `overlap` of what every two selectors select. `beside` what a paper has
    `printed` in a table: its names of `datasets`, `methods` and `measures` are ours unless it is
    told which of ours they stand for, and a name of a set may have the ratio behind it; with
    `features: best` ours are at the number of features that is best for each, with `of: picks` they
    are how far a cost that is picked by a measure is from the best.
    """

    kind: Literal[
        "summary",
        "ranks",
        "settings",
        "picks",
        "average",
        "within",
        "differences",
        "corrected",
        "approaches",
        "stability",
        "overlap",
        "beside",
    ]
    against: str | None = None
    of: Literal["results", "picks"] = "results"
    printed: PrintedFile | None = None
    datasets: Datasets = Field(default_factory=dict)
    methods: Methods = Field(default_factory=dict)
    measures: Measures = Field(default_factory=dict)

    of_kinds = {
        "measure": (
            "summary",
            "ranks",
            "settings",
            "picks",
            "average",
            "within",
            "differences",
            "corrected",
            "approaches",
        ),
        "part": ("summary",),
        "features": _AT_A_COUNT,
        "classifier": (*_OF_A_MEASURE, "beside"),
        "group": (*_OF_A_MEASURE, *_OF_SELECTIONS),
        "against": ("differences", "corrected"),
        **dict.fromkeys(("of", "printed", "datasets", "methods", "measures"), ("beside",)),
    }


def _refuse_forgotten(features: int | str) -> None:
    if isinstance(features, str) or features > _KEPT:
        raise UserError(
            f"features: {features!r} is no number up to {_KEPT}, which is how many features of a "
            "ranking are kept."
        )


def kind_outside(given):
    """{curves: {measure: auc}} as {kind: curves, measure: auc}."""
    if isinstance(given, dict) and len(given) == 1:
        kind, options = next(iter(given.items()))
        if isinstance(options, dict):
            return {"kind": kind, **options}
    raise UserError(
        f"{given!r}: write {{kind: {{measure: ...}}}}, as in {{curves: {{measure: auc}}}}."
    )
