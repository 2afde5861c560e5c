"""From an Experiment to tasks, fully resolved: nothing about a task is left to defaults.

A task's key is a hash of all that can change its result: the content of the data, the parameters of
every method with the revision of its numbers, the protocol and the seed. Names, paths and the
number of repeats are not in it: renaming a set or adding repeats runs nothing again.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from imbfs import ratios, splits
from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Experiment, printed
from imbfs.config.fields import ratio_label
from imbfs.datasets import NotAtHand, Source
from imbfs.errors import UserError
from imbfs.measures import MEASURES
from imbfs.methods import BINARY, MULTILABEL, Choice
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.ranking import how_many
from imbfs.running.found import Found, find
from imbfs.selectors import SELECTORS

LABELS = ("dataset", "ratio", "resampling", "selector", "classifier", "repeat", "fold")


@dataclass(frozen=True)
class Setting:
    """What all tasks on one data set share."""

    label: str
    source: Source
    view: dict
    fingerprint: str
    kind: str
    features: tuple[tuple[str, int], ...]
    measures: tuple[str, ...]
    protocol: splits.CV | splits.Holdout | splits.Online
    preprocess: tuple[Choice, ...]
    tuning: dict
    ratio_by: str
    rank_on: str
    seed: int
    test: tuple[Source, str] | None = None  # a set of test rows, and its fingerprint
    together: tuple[str, str] | None = None  # a file of groups of rows, and a hash of its content

    @property
    def fixed(self) -> bool:
        """Whether every repeat has the same training and test rows."""
        return self.test is not None or self.protocol.fixed

    @cached_property
    def identity(self) -> dict:
        """All of it that can change a result. `features` and `measures` are a task's own."""
        return {
            "data": [self.fingerprint, self.view],
            "ratio_by": self.ratio_by,
            "protocol": splits.identity(self.protocol, given=self.test is not None),
            "preprocess": [step.identity() for step in self.preprocess],
            "seed": self.seed,
            **({"rank_on": self.rank_on} if self.rank_on != "training" else {}),
            **({"test": self.test[1]} if self.test else {}),
            **({"together": self.together[1]} if self.together else {}),
        }


@dataclass(frozen=True)
class Task:
    """One cell of the grid: a selector and a classifier on one part of one data set."""

    setting: Setting
    ratio: float | None
    resampling: Choice
    selector: Choice
    classifier: Choice
    repeat: int
    fold: int
    features: tuple[tuple[str, int], ...] = field(default=())

    @cached_property
    def key(self) -> str:
        parts = {
            **self.setting.identity,
            "ratio": self.ratio,
            "resampling": self.resampling.identity(),
            "selector": self.selector.identity(),
            "classifier": self.classifier.identity(),
            "repeat": None if self.repeats_alike else self.repeat,
            "fold": self.fold,
            "features": self.features,
            "measures": [(name, MEASURES[name].revision) for name in self.setting.measures],
            "tuning": self._tuning if self.selector.tune or self.classifier.tune else None,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]

    @property
    def repeats_alike(self) -> bool:
        """Whether one result serves every repeat: the rows are fixed, and their order is no matter.

        Nor is a seed. What a method from outside does with rows and seeds is not known.
        """
        drawn = self.resampling.name != "none" or self.selector.tune or self.classifier.tune
        if drawn or not self.setting.fixed:
            return False
        methods = SELECTORS[self.selector.name], CLASSIFIERS[self.classifier.name]
        return not any(m.streams or m.takes_seed or m.outside for m in methods)

    @property
    def _tuning(self) -> dict:
        tuning = self.setting.tuning
        return tuning | {"revision": MEASURES[tuning["measure"]].revision}

    @property
    def labels(self) -> tuple:
        """Its place in the tables, in the order of LABELS."""
        return (
            self.setting.label,
            ratio_label(self.ratio),
            self.resampling.label,
            self.selector.label,
            self.classifier.label,
            self.repeat,
            self.fold,
        )

    @cached_property
    def part(self) -> str:
        """What decides its training and test rows: the tasks that share it share these rows."""
        rows = [self.ratio, self.resampling.identity(), self.repeat, self.fold]
        return json.dumps([self.setting.identity, rows])

    def seed(self, purpose: str) -> int:
        """A seed for one purpose; it depends on the rows and never on the method.

        What decides the rows of a fixed part is the same in every repeat.
        """
        rows = [self.setting.seed, *self.setting.identity["data"]]
        if not (self.setting.fixed and purpose in ("ratio", "split")):
            rows.append(self.repeat)
        if purpose == "ratio":  # the same for every ratio, so that the rows are nested
            return splits.seed_for(purpose, *rows)
        if purpose == "split":  # the same for every fold
            return splits.seed_for(purpose, *rows, self.ratio)
        return splits.seed_for(purpose, *rows, self.ratio, self.fold)


@dataclass(frozen=True)
class Plan:
    """The tasks of an experiment in the order of its config, and the sets that are not at hand.

    `problems` says what every set at every ratio is: its group, size and classes. `held_out` are
    the sets of which a part is held out, as the test set of their paper is not at hand; `printed`
    is what a paper has in the tables that stand beside ours.
    """

    tasks: list[Task]
    absent: dict[str, str]
    problems: list[dict]
    held_out: dict[str, str]
    printed: dict[str, list[dict]]


def expand(experiment: Experiment) -> Plan:
    """Every task of the experiment. What cannot work is refused here, before anything runs."""
    tasks, absent, problems, held_out = [], {}, [], {}
    for i, dataset in enumerate(experiment.datasets):
        try:
            found = find(dataset, experiment.protocol)
            tasks += _tasks(experiment, found)
            problems += _problems(experiment, found)
            held_out |= {dataset.label: found.why} if found.why else {}
        except NotAtHand as error:
            absent[dataset.label] = str(error)
        except UserError as error:
            place = "" if dataset.path and str(error).startswith(dataset.path) else dataset.label
            raise error.within(f"datasets[{i}]: {place}".removesuffix(": ")) from None
    beside = [table for table in experiment.tables if table.kind == "beside"]
    told = {table.stem: printed.read(table) for table in beside}
    return Plan(tasks, absent, problems, held_out, told)


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
