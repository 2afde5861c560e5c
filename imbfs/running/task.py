"""A task, fully resolved: nothing about it is left to defaults.

A task's key is a hash of all that can change its result: the content of the data, the parameters of
every method with the revision of its numbers, the protocol and the seed. Names, paths and the
number of repeats are not in it: renaming a set or adding repeats runs nothing again.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property

from imbfs import splits
from imbfs.classifiers import CLASSIFIERS
from imbfs.config.fields import ratio_label
from imbfs.datasets import Source
from imbfs.datasets.together import Together
from imbfs.measures import MEASURES
from imbfs.methods import Choice
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
    together: Together | None = None

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
            **({"together": self.together.digest} if self.together else {}),
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
