"""From an Experiment to its tasks; what cannot work is refused before anything runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from imbfs import ratios
from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Experiment, printed
from imbfs.config.fields import ratio_label
from imbfs.datasets import NotAtHand
from imbfs.errors import UserError
from imbfs.measures import MEASURES
from imbfs.methods import BINARY, MULTILABEL, Choice
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.ranking import how_many
from imbfs.running.found import Found, find
from imbfs.running.task import Setting, Task
from imbfs.selectors import SELECTORS


@dataclass(frozen=True)
class Plan:
    """The tasks of an experiment in the order of its config, and the sets that are not at hand.

    `problems` says what every set at every ratio is: its group, size and classes. `notes` tell
    how rows are split where one might not expect it; `printed` is what a paper has in the tables
    that stand beside ours.
    """

    tasks: list[Task]
    absent: dict[str, str]
    problems: list[dict]
    notes: list[str]
    printed: dict[str, list[dict]]


def expand(experiment: Experiment) -> Plan:
    """Every task of the experiment. What cannot work is refused here, before anything runs."""
    tasks, absent, problems, notes = [], {}, [], []
    for i, dataset in enumerate(experiment.datasets):
        try:
            found = find(dataset, experiment.protocol)
            tasks += _tasks(experiment, found)
            problems += _problems(experiment, found)
            notes += found.notes
        except NotAtHand as error:
            absent[dataset.label] = str(error)
        except UserError as error:
            place = "" if dataset.path and str(error).startswith(dataset.path) else dataset.label
            raise error.within(f"datasets[{i}]: {place}".removesuffix(": ")) from None
    beside = [table for table in experiment.tables if table.kind == "beside"]
    told = {table.stem: printed.read(table) for table in beside}
    return Plan(tasks, absent, problems, notes, told)


def _problems(experiment: Experiment, found: Found) -> Iterator[dict]:
    """What a set is at every ratio, and in what it departs from the paper that poses it."""
    dataset, seen = found.dataset, found.seen
    for ratio in dataset.ratios or experiment.ratios:
        counts = [len(seen.y)]
        if seen.kind != MULTILABEL:
            counts = ratios.counts_left(seen.y, seen.kind, ratio, experiment.ratio_by)
        minority, majority = counts if seen.kind == BINARY else (None, None)
        yield {
            "dataset": dataset.label,
            "ratio": ratio_label(ratio),
            "group": dataset.group or "",
            "samples": sum(counts),
            "features": seen.n_features,
            "minority": minority,
            "majority": majority,
            "differs": found.differs,
        }


def _tasks(experiment: Experiment, found: Found) -> Iterator[Task]:
    setting, seen = _setting(experiment, found), found.seen
    ratios = found.dataset.ratios or experiment.ratios
    share = experiment.tuning.validation if experiment.tunes else None
    for ratio in ratios:
        found.check_splittable(ratio, experiment.ratio_by, share)
    for what, table, choices in (
        ("selector", SELECTORS, experiment.selectors),
        ("classifier", CLASSIFIERS, experiment.classifiers),
        ("resampling", RESAMPLERS, experiment.resampling),
        ("preprocessing step", PREPROCESSORS, experiment.preprocess),
    ):
        for choice in choices:
            _refuse_kind(table[choice.name], f"{what} {choice.name}", seen.kind)
    pairs = list(_pairs(experiment))
    folds = range(experiment.protocol.n_folds)
    repeats = range(experiment.protocol.repeats)
    for ratio, resampling, repeat, fold in product(ratios, experiment.resampling, repeats, folds):
        for selector, classifier in pairs:
            # Without selection there is one count to measure: all of them.
            every = (("all", seen.n_features),)
            features = every if selector.name == "none" else setting.features
            yield Task(setting, ratio, resampling, selector, classifier, repeat, fold, features)


def _setting(experiment: Experiment, found: Found) -> Setting:
    dataset, data, seen = found.dataset, found.data, found.seen
    for name in (*experiment.measures, *([experiment.tuning.measure] if experiment.tunes else [])):
        _refuse_kind(MEASURES[name], f"measure {name}", seen.kind)
        if name == "recovery" and data.relevant is None:
            raise UserError("measure recovery needs a set whose relevant features are known.")
    counts = dataset.features or experiment.features
    return Setting(
        dataset.label,
        dataset.source,
        dataset.view,
        data.fingerprint,
        seen.kind,
        tuple((str(count), how_many(count, seen.n_features)) for count in counts),
        experiment.measures,
        found.protocol,
        experiment.preprocess,
        experiment.tuning.model_dump(),
        experiment.ratio_by,
        experiment.rank_on,
        experiment.seed,
        found.test,
        found.together,
    )


def _pairs(experiment: Experiment) -> Iterator[tuple[Choice, Choice]]:
    """Selectors with the classifiers they go with: `own` needs one that learns.

    With `learners: own`, one that learns goes with nothing else.
    """
    for selector in experiment.selectors:
        learns = SELECTORS[selector.name].learns
        fitting = [
            classifier
            for classifier in experiment.classifiers
            if (learns if classifier.name == "own" else not learns or experiment.learners == "all")
        ]
        if not fitting:
            others = ", ".join(name for name in CLASSIFIERS if name != "own")
            raise UserError(
                f"classifiers: {selector.name} ranks features but does not classify, and 'own' is "
                f"the only classifier. Add one of {others}."
            )
        for classifier in fitting:
            yield selector, classifier


def _refuse_kind(method, what: str, kind: str) -> None:
    if kind not in method.kinds:
        raise UserError(f"{what} takes {' or '.join(method.kinds)} data; this set is {kind}.")
