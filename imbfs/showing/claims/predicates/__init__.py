"""The vocabulary of claims: predicates over results, each a list of cells for or against it.

A cell counts in favour when its margin is above 0. Values are compared as tables hold them, at six
digits. What is said of methods against others is in comparisons.py and leads.py, of whole curves in
shapes.py, of costs that are picked in picks.py.
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field, WrapValidator, model_validator

from imbfs.config.fields import Features, MeasureName, Strict, judging, listed
from imbfs.config.shown import BEST
from imbfs.errors import UserError
from imbfs.showing.claims.averaged import Averaged, Over
from imbfs.showing.claims.view import ClassifierLabel, View

Names = Annotated[tuple[str, ...], BeforeValidator(listed), Field(min_length=1, strict=False)]
# Numbers of features, or for each method the one that is best in a place.
Counts = Annotated[
    Features, WrapValidator(lambda given, as_: BEST if given == BEST else as_(given))
]


class Cell(NamedTuple):
    """What one comparison gave; `dead` if a method that takes part in it died."""

    place: str
    value: float
    margin: float
    dead: bool


class Predicate(Strict):
    """Something said of the measure of `these` methods, set by set or `averaged` over problems.

    Set by set it is said of every classifier, or of the one that is told.
    """

    these: Names
    measure: MeasureName
    classifier: ClassifierLabel | None = None
    averaged: Over | None = None

    @model_validator(mode="after")
    def _judges(self):
        if self.averaged is not None or self.at_best:
            judging(self.measure)
        if self.averaged is not None and self.classifier is not None:
            raise UserError("classifier: is told in averaged.")
        if self.averaged is not None and self.at_best:
            raise UserError("features: best is told set by set, and not of an average.")
        return self

    @property
    def at_best(self) -> bool:
        """Whether it is about every method with the number of features that is best for it."""
        return getattr(self, "features", None) == BEST

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The methods that take part, by the role in which they do."""
        roles = {role: getattr(self, role, None) for role in ("these", "those", "among")}
        return {role: names for role, names in roles.items() if names}

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures by which they take part."""
        return (self.measure,)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.named.values() for name in names))

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        raise NotImplementedError

    def complete(self, view: View | Averaged) -> bool:
        """Whether no result that it rests on is missing."""
        return view.complete(self.methods)


class Exceeds(Predicate):
    """The value is above a bound: a cell is a place, a method and one of the given `features`."""

    features: Counts
    above: float

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for method in self.these:
            for place, curve in view.curves(method).items():
                for features, point in curve.items():
                    if wanted(features, self.features):
                        name = named(place, features, point.of(method))
                        margin = exact(point.value - self.above)
                        yield Cell(name, point.value, margin, point.dead)


class Under(Predicate):
    """The best of these, at any number of features, is below a bound: a cell is a place."""

    below: float

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        best: dict[tuple, tuple[float, str]] = {}
        for method in self.these:
            for place, curve in view.curves(method).items():
                for features, point in curve.items():
                    if not point.dead and point.value > best.get(place, (-1.0, ""))[0]:
                        best[place] = point.value, named(place, features, method)
        for value, name in best.values():
            yield Cell(name, exact(value), exact(self.below - value), False)


def named(place: tuple, *parts: str) -> str:
    return " ".join((*place, *parts))


def exact(difference: float) -> float:
    """Without what binary fractions add to a difference of decimal ones."""
    return round(difference, 9)


def wanted(features: str, given: tuple | str | None) -> bool:
    return given in (None, BEST) or features in map(str, given)
