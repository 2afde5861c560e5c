"""What the methods reached, as claims look at it: curves over the number of features."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from imbfs.showing.tables import GROUP, last

_DEAD = "dead"  # the measure: 1 where all weights of a run are 0


class Point(NamedTuple):
    """A mean at one number of features; dead if the method died in over half of its runs."""

    value: float
    dead: bool


class Reached:
    """What every selector reached on one part, at the last checkpoint: curves over features."""

    def __init__(self, frame: pd.DataFrame, part: str, measures: list[str]):
        several = [name for name in GROUP[1:] if frame[name].nunique() > 1]
        self._place = ["dataset", *several]
        self._classifier = frame["classifier"].iloc[0]  # of all, where it tells no places apart
        missing = frame[frame["missing"] > 0]
        self.lacking = set(zip(missing["selector"], missing["dataset"], strict=True))
        dead = self._last(frame, part, _DEAD) if _DEAD in set(frame["measure"]) else frame[:0]
        died = {row[:3] for row in self._points(dead) if row[-1] > 0.5}
        self.curves: dict[tuple[str, str], dict[tuple, dict[str, Point]]] = {}
        for measure in measures:
            rows = self._last(frame, part, measure)
            for selector, place, features, value in self._points(rows):
                point = Point(value, (selector, place, features) in died)
                curves = self.curves.setdefault((measure, selector), {})
                curves.setdefault(place, {})[features] = point

    def classifier_of(self, place: tuple) -> str:
        """The classifier of a place."""
        return dict(zip(self._place, place, strict=True)).get("classifier", self._classifier)

    @staticmethod
    def _last(frame: pd.DataFrame, part: str, measure: str) -> pd.DataFrame:
        return last(frame, measure, part).dropna(subset="mean").sort_values("k", kind="stable")

    def _points(self, rows: pd.DataFrame) -> Iterator[tuple]:
        places = zip(*(rows[name] for name in self._place), strict=True)
        facts = (rows[name] for name in ("features", "mean"))
        yield from zip(rows["selector"], places, *facts, strict=True)


@dataclass(frozen=True)
class View:
    """What the methods reached by one measure in one setting on some sets."""

    reached: Reached
    measure: str
    labels: dict[str, str]
    datasets: tuple[str, ...]
    classifier: str | None = None  # every one

    def curves(self, method: str) -> dict[tuple, dict[str, Point]]:
        """The curve of a method in every place, by number of features from few to many."""
        found = self.reached.curves.get((self.measure, self.labels.get(method)), {})
        return {
            place: curve
            for place, curve in found.items()
            if place[0] in self.datasets
            and self.classifier in (None, self.reached.classifier_of(place))
        }

    shapes = curves  # of one set, the same whatever the number of features

    def complete(self, methods: tuple[str, ...]) -> bool:
        """Whether no result of these methods is missing on any of the sets."""
        return all(self._whole(method) for method in methods)

    def _whole(self, method: str) -> bool:
        there = {place[0] for place in self.curves(method)}
        label = self.labels.get(method)
        return there == set(self.datasets) and not any(
            (label, dataset) in self.reached.lacking for dataset in self.datasets
        )
