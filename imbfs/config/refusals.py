"""What no table or figure of an experiment can show, refused before anything runs."""

from imbfs.config.printed import refuse_names_of_others
from imbfs.config.shown import ALL, BEST, EACH, MEAN, OVER_PROBLEMS, Shown
from imbfs.errors import UserError, lookup
from imbfs.measures import DESCRIPTIVE
from imbfs.splits import Online


def refuse_what_is_not_there(experiment) -> None:
    """The tables and figures of an experiment must show something that it measures."""
    for field in ("figures", "tables"):
        for i, entry in enumerate(getattr(experiment, field) or ()):
            try:
                _refuse_unmeasured(experiment, entry)
                _refuse_unknown_names(experiment, entry)
                if entry.kind == "beside":
                    refuse_names_of_others(experiment, entry)
                _refuse_other_counts(experiment, entry)
            except UserError as error:
                raise UserError(f"{field}[{i}].{error}") from None
    if any(figure.x == "percent" for figure in experiment.figures or ()):
        _refuse_unknown_percentages(experiment)


def _refuse_unmeasured(experiment, entry: Shown) -> None:
    several = entry.measures if entry.kind == "points" else ()
    for name in filter(None, (entry.measure, *several)):
        if name not in experiment.measures:
            raise UserError(
                f"measure: {name!r} is not among the measures ({', '.join(experiment.measures)})."
            )
    if entry.picks and "cost" not in experiment.measures:
        raise UserError("picks: is told by the measure cost, which is not among the measures.")
    if entry.picks and set(experiment.measures) <= set(DESCRIPTIVE):
        raise UserError("picks: is told of measures that judge, and none is among the measures.")
    if entry.streams and not isinstance(experiment.protocol, Online):
        what = entry.part if entry.part == "progressive" else "picks" if entry.picks else entry.kind
        raise UserError(f"{what}: is measured under the protocol online alone.")


def _refuse_unknown_names(experiment, entry: Shown) -> None:
    """The classifier, group and selector that an entry names must be those of the experiment."""
    known = {
        "classifier": [EACH, MEAN, *(choice.label for choice in experiment.classifiers)],
        "group": [EACH, ALL, *(dataset.group for dataset in experiment.datasets)],
        "against": [None, *(choice.label for choice in experiment.selectors)],
    }
    wanted = [(option, getattr(entry, option, None)) for option in known]
    known["selectors"] = known["against"]
    wanted += [("selectors", label) for label in getattr(entry, "selectors", None) or ()]
    for option, name in wanted:
        names = known[option]
        if name not in names:
            there = {known: None for known in names if known is not None}
            try:
                lookup(there, name, "selector" if option in ("against", "selectors") else option)
            except UserError as error:
                raise error.within(option) from None


def _refuse_other_counts(experiment, entry: Shown) -> None:
    """A number of features must be measured on every set; over problems and beside, on some."""
    lists = {d.label: d.features or experiment.features for d in experiment.datasets}
    lacks = {label: counts for label, counts in lists.items() if entry.features not in counts}
    if entry.features in (None, BEST) or not lacks:
        return
    if entry.kind not in (*OVER_PROBLEMS, "beside") or len(lacks) == len(lists):
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
