"""What the methods reached, as claims look at it: curves over the number of features."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import AfterValidator

from imbfs.classifiers import CLASSIFIERS
from imbfs.config.fields import Strict
from imbfs.config.shown import BEST, MEAN
from imbfs.methods import Method, read_label
from imbfs.prepare import RESAMPLERS
from imbfs.selectors import SELECTORS
from imbfs.showing.tables import GROUP, last

_OWN = "own"  # the classifier of learners that pick a cost
_DEAD = "dead"  # the measure: 1 where all weights of a run are 0
_RATIO, _RESAMPLING, _CLASSIFIER = 1, 2, 3  # where they stand in a place; the set comes first


def label_of(table: dict[str, Method], *others: str):
    """The type of a field that holds the label of a method, or one of some other words."""
    known = AfterValidator(lambda label: (label in others or read_label(table, label)) and label)
    return Annotated[str, known]


Selector, Resampling = label_of(SELECTORS), label_of(RESAMPLERS)
Classifier = label_of(CLASSIFIERS, MEAN)
ClassifierLabel = label_of(CLASSIFIERS)


class Approach(Strict):
    """What a name stands for: a selector, maybe with a resampling or a classifier of its own."""

    selector: Selector
    resampling: Resampling | None = None
    classifier: Classifier | None = None

    def takes(self, place: tuple[str, ...]) -> bool:
        """Whether a place is one of its own."""
        own = self.resampling, self.classifier
        there = place[_RESAMPLING], place[_CLASSIFIER]
        return all(mine in (None, its) for mine, its in zip(own, there, strict=True))


class About(NamedTuple):
    """The sets that a claim is about, and the ratios if it is not about all."""

    datasets: tuple[str, ...]
    ratios: tuple[str, ...] | None = None

    def has(self, dataset: str, ratio: str) -> bool:
        return dataset in self.datasets and (self.ratios is None or ratio in self.ratios)

    def among(self, datasets: Iterable[str], ratios: Iterable[str]) -> np.ndarray:
        """Which of some rows it is about."""
        return np.fromiter(map(self.has, datasets, ratios), dtype=bool)


class Point(NamedTuple):
    """A mean at one number of features; dead if the method died in over half of its runs.

    `sd` is its spread, and `at` the number of features if it is the best of a curve.
    """

    value: float
    dead: bool
    sd: float = np.nan
    at: str = ""

    def of(self, method: str) -> str:
        """The method whose point it is, as cells name it."""
        return f"{method} ({self.at})" if self.at else method


Curves = dict[tuple[str, ...], dict[str, Point]]


class Reached:
    """What every selector reached on one part, at the last checkpoint: curves over features."""

    def __init__(self, frame: pd.DataFrame, part: str, measures: list[str]):
        self.ratios = frame["ratio"].nunique()
        missing = frame[frame["missing"] > 0]
        self.lacking = set(zip(missing["selector"], _places(missing), strict=True))
        dead = _last(frame, part, _DEAD) if _DEAD in set(frame["measure"]) else frame[:0]
        died = {row[:3] for row in _points(dead) if row[3] > 0.5}
        self.curves: dict[tuple[str, str], Curves] = {}
        for measure in measures:
            for selector, place, features, value, sd in _points(_last(frame, part, measure)):
                point = Point(value, (selector, place, features) in died, sd)
                curves = self.curves.setdefault((measure, selector), {})
                curves.setdefault(place, {})[features] = point


def _last(frame: pd.DataFrame, part: str, measure: str) -> pd.DataFrame:
    return last(frame, measure, part).dropna(subset="mean").sort_values("k", kind="stable")


def _points(rows: pd.DataFrame) -> zip:
    told = (rows[name] for name in ("features", "mean", "sd"))
    return zip(rows["selector"], _places(rows), *told, strict=True)


def _places(rows: pd.DataFrame) -> zip:
    return zip(*(rows[name] for name in GROUP), strict=True)


@dataclass(frozen=True)
class View:
    """What the methods reached by one measure in one setting on some sets.

    A place is a set and what else tells results apart: the ratio, where the experiment has several;
    the resampling and the classifier, where it has several of one of the methods. `at_best`, each
    curve is its best point alone.
    """

    reached: Reached
    measure: str
    methods: dict[str, Approach]
    about: About
    picks: pd.DataFrame
    at_best: bool = False

    def curves(self, method: str) -> Curves:
        """The curve of a method in every place, by number of features from few to many."""
        found = {place: _best(c) if self.at_best else c for place, c in self._own(method).items()}
        return {tuple(place[i] for i in self._telling): curve for place, curve in found.items()}

    shapes = curves  # of one set, the same whatever the number of features

    @property
    def tasks(self) -> list[tuple[str, str]]:
        """The sets and ratios on which a method has results."""
        every = (place[:2] for method in self.methods for place in self._own(method))
        return list(dict.fromkeys(every))

    def by(self, measure: str) -> "View":
        """What they reached by another measure."""
        return replace(self, measure=measure)

    def errors(self, method: str) -> Iterator[tuple[tuple[str, ...], str, float]]:
        """How far the costs are from the best that a method picks, by place and features."""
        for row in self._picks(method).to_dict("records"):
            place = row["dataset"], row["ratio"], row["resampling"], _OWN
            yield tuple(place[i] for i in self._telling), row["features"], row["error"]

    def picked_whole(self, method: str) -> bool:
        """Whether the picks of a method are known on all sets, and none of their runs missing."""
        own = self._picks(method)
        return set(own["dataset"]) == set(self.about.datasets) and not (own["missing"] > 0).any()

    def _picks(self, method: str) -> pd.DataFrame:
        by = self.picks[self.picks["measure"] == self.measure]
        own = by[by["selector"] == self.methods[method].selector]
        return own[self.about.among(own["dataset"], own["ratio"])]

    def complete(self, methods: tuple[str, ...]) -> bool:
        """Whether no result of these methods is missing on any of the sets."""
        return all(self._whole(method) for method in methods)

    def _whole(self, method: str) -> bool:
        there = {place[0] for place in self._own(method)}
        approach = self.methods[method]
        lacks = [place for selector, place in self.reached.lacking if selector == approach.selector]
        missing = any(approach.takes(place) and self.about.has(*place[:2]) for place in lacks)
        return there == set(self.about.datasets) and not missing

    def _own(self, method: str) -> Curves:
        approach = self.methods[method]
        found = self.reached.curves.get((self.measure, approach.selector), {})
        about = {place: curve for place, curve in found.items() if self.about.has(*place[:2])}
        return {place: curve for place, curve in about.items() if approach.takes(place)}

    @cached_property
    def _telling(self) -> list[int]:
        """Where in a place stands what tells those of the methods apart."""
        every = [list(self._own(method)) for method in self.methods]
        differ = [
            i
            for i in (_RESAMPLING, _CLASSIFIER)
            if any(len({place[i] for place in places}) > 1 for places in every)
        ]
        return [0, *([_RATIO] if self.reached.ratios > 1 else []), *differ]


def _best(curve: dict[str, Point]) -> dict[str, Point]:
    """The highest point of those that live, if any do; the one with the fewest of equals."""
    alive = {features: point for features, point in curve.items() if not point.dead} or curve
    at = max(alive, key=lambda features: alive[features].value)
    return {BEST: alive[at]._replace(at=at)}
