"""The tables and figures that a config may name, and what each kind of them can be told."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, model_validator

from imbfs.config.fields import MeasureName, Strict, judging
from imbfs.errors import UserError, lookup
from imbfs.ranking import feature_count
from imbfs.splits import Online

EACH, MEAN, ALL = "each", "mean", "all"  # of the classifiers or groups, instead of a name
_OF_A_MEASURE = ("average", "within", "differences", "corrected")
OVER_PROBLEMS = (*_OF_A_MEASURE, "approaches", "stability")
_JUDGE = ("ranks", "settings", "picks", *OVER_PROBLEMS)
_AT_A_COUNT = ("within", "differences", "corrected", "approaches", "stability")
_KEPT = 100  # features of a ranking that a record keeps


class Shown(Strict):
    """What a table or a figure may be told: the kind, the measure, and options of some kinds.

    Over problems: at which number of `features`, by which `classifier` (a name, `mean` over all, or
    `each` and the mean), on which `group` of sets (a name, `all`, or `each` and all).
    """

    kind: str
    measure: MeasureName | None = None
    part: Literal["test", "progressive"] = "test"
    features: Annotated[Any, AfterValidator(feature_count)] = None
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
        if self.kind == "stability":
            _refuse_forgotten(self.features)
        elif self.kind in _JUDGE:
            judging(self.measure)
        return self

    @staticmethod
    def needs(kind: str) -> list[str]:
        """The options that a kind must be told."""
        needed = {"measure": kind != "stability", "features": kind in _AT_A_COUNT}
        return [option for option, applies in needed.items() if applies]

    @property
    def streams(self) -> bool:
        """Whether it shows what the protocol online alone measures."""
        return self.kind in ("stream", "time", "picks") or self.part == "progressive"

    @property
    def stem(self) -> str:
        """What its file is called: the kind, the measure, and the options it was told."""
        told = [self.kind, self.measure, self.features]
        told += [self.classifier, self.group] if self.kind in OVER_PROBLEMS else []
        told += [getattr(self, "against", None), None if self.part == "test" else self.part]
        words = [str(word) for word in told if word not in (None, EACH)]
        return re.sub(r"[^A-Za-z0-9_.=-]+", "_", "_".join(words).replace("%", "_percent"))


class Figure(Shown):
    """A figure to draw: `curves` over features, `stream` over samples, `time`, `ranks` of methods.

    Curves are of the test part or the progressive one; stream and time are at one number of
    `features`, the largest unless given. Over problems: the `average` over features, the share of
    them `within` a tolerance of the best, whose mean ranks have significant `differences`, and what
    `approaches` of selector, resampling and classifier reach.
    """

    kind: Literal[
        "curves", "stream", "time", "ranks", "average", "within", "differences", "approaches"
    ]
    x: Literal["count", "percent"] = "count"

    of_kinds = {
        "x": ("curves",),
        "part": ("curves",),
        "features": ("stream", "time", "within", "differences", "approaches"),
        "classifier": ("average", "within", "differences"),
        "group": ("average", "within", "differences"),
    }


class Table(Shown):
    """A table to write: a `summary` of one measure on a part, mean `ranks` of methods, `settings`.

    Settings are the values of swept parameters, by what the methods reach with them; `picks` are
    the costs that learners pick by a measure, beside the best of fixed ones. Over problems:
    the `average`, the share `within` a tolerance of the best, `differences` of every two selectors
    or of all `against` one, how many of them stay significant when `corrected` for the overlap of
    folds, what `approaches` of selector, resampling and classifier reach, and the `stability` of
    what is selected.
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
    ]
    against: str | None = None

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
        "classifier": _OF_A_MEASURE,
        "group": (*_OF_A_MEASURE, "stability"),
        "against": ("differences", "corrected"),
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


def refuse_what_is_not_there(experiment) -> None:
    """The tables and figures of an experiment must show something that it measures."""
    for field in ("figures", "tables"):
        for i, entry in enumerate(getattr(experiment, field) or ()):
            try:
                _refuse_unmeasured(experiment, entry)
                _refuse_unknown_names(experiment, entry)
                _refuse_other_counts(experiment, entry)
            except UserError as error:
                raise UserError(f"{field}[{i}].{error}") from None
    if any(figure.x == "percent" for figure in experiment.figures or ()):
        _refuse_unknown_percentages(experiment)


def _refuse_unmeasured(experiment, entry: Shown) -> None:
    if entry.measure is not None and entry.measure not in experiment.measures:
        raise UserError(
            f"measure: {entry.measure!r} is not among the measures "
            f"({', '.join(experiment.measures)})."
        )
    if entry.kind == "picks" and "cost" not in experiment.measures:
        raise UserError("picks: is told by the measure cost, which is not among the measures.")
    if entry.streams and not isinstance(experiment.protocol, Online):
        what = entry.part if entry.part == "progressive" else entry.kind
        raise UserError(f"{what}: is measured under the protocol online alone.")


def _refuse_unknown_names(experiment, entry: Shown) -> None:
    """The classifier, group and selector that an entry names must be those of the experiment."""
    known = {
        "classifier": [EACH, MEAN, *(choice.label for choice in experiment.classifiers)],
        "group": [EACH, ALL, *(dataset.group for dataset in experiment.datasets)],
        "against": [None, *(choice.label for choice in experiment.selectors)],
    }
    for option, names in known.items():
        name = getattr(entry, option, None)
        if name not in names:
            there = {known: None for known in names if known is not None}
            try:
                lookup(there, name, "selector" if option == "against" else option)
            except UserError as error:
                raise error.within(option) from None


def _refuse_other_counts(experiment, entry: Shown) -> None:
    """A number of features must be measured on every set, or over problems, on some."""
    lists = {d.label: d.features or experiment.features for d in experiment.datasets}
    lacks = {label: counts for label, counts in lists.items() if entry.features not in counts}
    if entry.features is None or not lacks:
        return
    if entry.kind not in OVER_PROBLEMS or len(lacks) == len(lists):
        label, counts = next(iter(lacks.items()))
        raise UserError(
            f"features: {entry.features!r} is not among those of {label} "
            f"({', '.join(map(str, counts))})."
        )


def _refuse_unknown_percentages(experiment) -> None:
    """A figure in percent must be able to tell of how many features."""
    whole = any(selector.name == "none" for selector in experiment.selectors)
    for dataset in experiment.datasets:
        counts = dataset.features or experiment.features
        if not whole and "all" not in counts and any(isinstance(c, int) for c in counts):
            raise UserError(
                f"figures: x: percent of {dataset.label}: give its features in percent, or add "
                "the selector none."
            )
