"""The vocabulary of claims: predicates over results, each a list of cells for or against it.

A cell counts in favour when its margin is above 0. Values are compared as tables hold them, at six
digits.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field

from imbfs.config.fields import Features, MeasureName, Strict, listed
from imbfs.errors import lookup
from imbfs.methods import NonNegative, Positive
from imbfs.selectors import SELECTORS
from imbfs.showing.claims.view import Point, View

Selectors = Annotated[
    tuple[
        Annotated[str, AfterValidator(lambda name: lookup(SELECTORS, name, "selector") and name)],
        ...,
    ],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
]


class Cell(NamedTuple):
    """What one comparison gave; `dead` if a method that takes part in it died."""

    place: str
    value: float
    margin: float
    dead: bool


class Predicate(Strict):
    """Something said of the measure of `these` methods."""

    these: Selectors
    measure: MeasureName

    @property
    def methods(self) -> tuple[str, ...]:
        return self.these

    def cells(self, view: View) -> Iterator[Cell]:
        raise NotImplementedError


class Beats(Predicate):
    """Each of these is above each of `those`: a cell is a set, a number of features and a pair."""

    those: Selectors

    @property
    def methods(self) -> tuple[str, ...]:
        return self.these + self.those

    def cells(self, view: View) -> Iterator[Cell]:
        for this in self.these:
            for that in self.those:
                others = view.curves(that, self.measure)
                for place, curve in view.curves(this, self.measure).items():
                    yield from _pairs(place, f"{this} - {that}", curve, others.get(place, {}))


class Exceeds(Predicate):
    """The value is above a bound: a cell is a set, a method and one of the given `features`."""

    features: Features
    above: float

    def cells(self, view: View) -> Iterator[Cell]:
        wanted = set(map(str, self.features))
        for method in self.these:
            for place, curve in view.curves(method, self.measure).items():
                for features, (_, value, dead) in curve.items():
                    if features in wanted:
                        name = _named(place, features, method)
                        yield Cell(name, value, _exact(value - self.above), dead)


class _Shape(Predicate):
    """Said of whole curves: a cell is a set and a method, dead if it died at any count.

    Fewer than three numbers of features show no shape.
    """

    def cells(self, view: View) -> Iterator[Cell]:
        for method in self.these:
            for place, curve in view.curves(method, self.measure).items():
                if len(curve) >= 3:
                    value, margin = self.judge([point.value for point in curve.values()])
                    dead = any(point.dead for point in curve.values())
                    yield Cell(_named(place, method), _exact(value), _exact(margin), dead)

    def judge(self, values: list[float]) -> tuple[float, float]:
        """The number that tells, and by how much it is in favour."""
        raise NotImplementedError


class Stable(_Shape):
    """The range over all numbers of features is under a tolerance."""

    under: Positive

    def judge(self, values: list[float]) -> tuple[float, float]:
        spread = max(values) - min(values)
        return spread, self.under - spread


class Rises(_Shape):
    """From the fewest features to the most it gains more than `by`, in the second half `late`."""

    by: NonNegative
    late: NonNegative | None = None

    def judge(self, values: list[float]) -> tuple[float, float]:
        gain = values[-1] - values[0]
        if self.late is None:
            return gain, gain - self.by
        late = values[-1] - values[len(values) // 2]
        return gain, min(gain - self.by, late - self.late)


class LevelsOff(_Shape):
    """It gains more than `by` in the first half of the counts; after it the range is `under`."""

    by: NonNegative
    under: Positive

    def judge(self, values: list[float]) -> tuple[float, float]:
        later = values[len(values) // 2 :]
        gain, spread = later[0] - values[0], max(later) - min(later)
        return spread, min(gain - self.by, self.under - spread)


def _pairs(
    place: tuple, who: str, curve: dict[str, Point], other: dict[str, Point]
) -> Iterator[Cell]:
    for features, point in curve.items():
        if features in other:
            rival = other[features]
            gap = _exact(point.value - rival.value)
            yield Cell(_named(place, features, who), gap, gap, point.dead or rival.dead)


def _named(place: tuple, *parts: str) -> str:
    return " ".join((*place, *parts))


def _exact(difference: float) -> float:
    """Without what binary fractions add to a difference of decimal ones."""
    return round(difference, 9)
