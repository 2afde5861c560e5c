"""Predicates that hold methods against others: who is above, as good, on top, near the best."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BeforeValidator, Field, model_validator

from imbfs.config.fields import Features, listed
from imbfs.errors import UserError
from imbfs.methods import Positive
from imbfs.showing import averages
from imbfs.showing.claims.averaged import Averaged, Over
from imbfs.showing.claims.predicates import Cell, Names, Predicate, exact, named, wanted
from imbfs.showing.claims.view import Point, View

Tolerances = Annotated[
    tuple[Annotated[int, Ge(0), Le(averages.TOLERANCES[-1])], ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
]
Level = Annotated[float, Gt(0), Lt(1)]


class Beats(Predicate):
    """Each of these is above each of `those` by more than `by`, which below 0 is a tolerance.

    A cell is a place, one of the `features`, if given, and a pair. Averaged, the difference may
    have to be `significant` at a level, by a paired t-test over problems.
    """

    those: Names
    features: Features | None = None
    by: float = 0.0
    significant: Level | None = None

    @model_validator(mode="after")
    def _over_problems(self):
        if self.significant is not None and self.averaged is None:
            raise UserError("significant: is told over problems. Say what is averaged.")
        return self

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for gap in _gaps(self, view):
            name, margin = gap.name, exact(gap.value - self.by)
            if self.significant is not None:
                p = view.p(gap.this, gap.that, gap.features)
                name, margin = f"{name} (p = {p:.2g})", min(margin, self.significant - p)
            yield Cell(name, gap.value, margin, gap.dead)


class Ties(Predicate):
    """Each of these differs from each of `those` by less than `under`; cells are those of beats."""

    those: Names
    features: Features | None = None
    under: Positive

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for gap in _gaps(self, view):
            yield Cell(gap.name, gap.value, exact(self.under - abs(gap.value)), gap.dead)


class Top(Predicate):
    """These take the first places `among` some: a cell is a place and one of the `features`.

    Its value is the lead of the last of these over the first of the others.
    """

    among: Names
    features: Features | None = None

    @model_validator(mode="after")
    def _others(self):
        if set(self.among) <= set(self.these):
            raise UserError("among: names nobody besides these.")
        return self

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        curves = {method: view.curves(method) for method in self.methods}
        for place, first in curves[self.these[0]].items():
            for features in first:
                points = {m: c.get(place, {}).get(features) for m, c in curves.items()}
                if wanted(features, self.features) and None not in points.values():
                    others = [method for method in points if method not in self.these]
                    last = min(self.these, key=lambda method: points[method].value)
                    best = max(others, key=lambda method: points[method].value)
                    lead = exact(points[last].value - points[best].value)
                    dead = any(point.dead for point in points.values())
                    yield Cell(named(place, features, f"{last} - {best}"), lead, lead, dead)


class Within(Predicate):
    """These come near the best on a share of problems that is larger than that of those by `by`.

    Or, with `under`, one that differs by less. Near is within a `tolerance` in percent of the best
    of all that are named, `among` whom may be more. A cell is one of the `features`, a tolerance
    and a pair.
    """

    those: Names
    among: Names | None = None
    features: Features
    tolerance: Tolerances
    by: float = 0.0
    under: Positive | None = None
    averaged: Over

    @model_validator(mode="after")
    def _ahead_or_alike(self):
        if self.under is not None and "by" in self.model_fields_set:
            raise UserError("under: is told instead of by.")
        return self

    def cells(self, view: Averaged) -> Iterator[Cell]:
        for features in self.features:
            shares = averages.within(view.problems(features)).dropna()
            for tolerance, pair in product(self.tolerance, _pairs(self.these, self.those)):
                if set(pair) <= set(shares.index):
                    this, that = (shares[tolerance][name] for name in pair)
                    gap = exact(this - that)
                    told = f"{' - '.join(pair)} at {tolerance}%"
                    margin = gap - self.by if self.under is None else self.under - abs(gap)
                    yield Cell(named(view.place, str(features), told), gap, exact(margin), False)


def _pairs(these: tuple[str, ...], those: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each of these with each of those; nobody with itself."""
    return [(this, that) for this, that in product(these, those) if this != that]


class Gap(NamedTuple):
    """By how much one method is above another in a place at a number of features."""

    this: str
    that: str
    place: tuple
    features: str
    value: float
    dead: bool

    @property
    def name(self) -> str:
        return named(self.place, self.features, f"{self.this} - {self.that}")


def _gaps(predicate: "Beats | Ties", view: View | Averaged) -> Iterator[Gap]:
    for this, that in _pairs(predicate.these, predicate.those):
        others = view.curves(that)
        for place, curve in view.curves(this).items():
            for features, point, rival in _abreast(curve, others.get(place, {})):
                if wanted(features, predicate.features):
                    gap = exact(point.value - rival.value)
                    yield Gap(this, that, place, features, gap, point.dead or rival.dead)


def _abreast(
    curve: dict[str, Point], other: dict[str, Point]
) -> Iterator[tuple[str, Point, Point]]:
    """Two curves at the numbers of features that both have; all features alone go with any."""
    if set(other) == {"all"}:
        other = dict.fromkeys(curve, other["all"])
    elif set(curve) == {"all"}:
        curve = dict.fromkeys(other, curve["all"])
    return ((name, curve[name], other[name]) for name in curve if name in other)
