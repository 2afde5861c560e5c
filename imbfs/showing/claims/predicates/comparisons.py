"""Predicates that hold methods against others: who is above, by how much, on top, near the best."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from pydantic import BeforeValidator, Field, model_validator

from imbfs.config.fields import Features, listed
from imbfs.errors import UserError
from imbfs.methods import NonNegative, Positive
from imbfs.showing import averages
from imbfs.showing.claims.averaged import Averaged, Over
from imbfs.showing.claims.predicates import Cell, Counts, Names, Predicate, exact, named, wanted
from imbfs.showing.claims.view import Point, View

Tolerances = Annotated[
    tuple[Annotated[int, Ge(0), Le(averages.TOLERANCES[-1])], ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
]
Level = Annotated[float, Gt(0), Lt(1)]


class Beats(Predicate):
    """Each of these is above each of `those` by more than `by`, which below 0 is a tolerance.

    A cell is a place, one of the `features`, if given, and a pair. Set by set, it may have to be
    above by more than so many `spreads`, the larger of the two sd. Averaged, the difference may
    have to be `significant` at a level, by a paired t-test over problems.
    """

    those: Names
    features: Counts | None = None
    by: float = 0.0
    spreads: Positive | None = None
    significant: Level | None = None

    @model_validator(mode="after")
    def _over_problems(self):
        if self.significant is not None and self.averaged is None:
            raise UserError("significant: is told over problems. Say what is averaged.")
        if self.spreads is not None and self.averaged is not None:
            raise UserError("spreads: is told set by set, and not of an average.")
        return self

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for gap in _gaps(self, view):
            bound = self.by if self.spreads is None else np.maximum(self.by, self.spreads * gap.sd)
            if np.isnan(bound):
                continue  # with one run there is no spread
            name, margin = gap.name, exact(float(gap.value - bound))
            if self.significant is not None:
                p = view.p(gap.this, gap.that, gap.features)
                name, margin = f"{name} (p = {p:.2g})", min(margin, self.significant - p)
            yield Cell(name, gap.value, margin, gap.dead)


class Ties(Predicate):
    """Each of these differs from each of `those` by less than `under`; cells are those of beats."""

    those: Names
    features: Counts | None = None
    under: Positive

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for gap in _gaps(self, view):
            yield Cell(gap.name, gap.value, exact(self.under - abs(gap.value)), gap.dead)


class Gains(Predicate):
    """Each of these is above each of `those` by a share of it: more than `by`, less than `under`.

    Cells are those of beats, where the other is above 0; the value is the share.
    """

    those: Names
    features: Counts | None = None
    by: NonNegative = 0.0
    under: Positive | None = None

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for gap in _gaps(self, view):
            if gap.other.value > 0:
                share = gap.value / gap.other.value
                margins = [share - self.by, *([] if self.under is None else [self.under - share])]
                yield Cell(gap.name, exact(share), exact(min(margins)), gap.dead)


class Top(Predicate):
    """These take the first places `among` some: a cell is a place and one of the `features`.

    Its value is the lead of the last of these over the first of the others.
    """

    among: Names
    features: Counts | None = None

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
                    pair = " - ".join(points[method].of(method) for method in (last, best))
                    yield Cell(named(place, features, pair), lead, lead, dead)


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
    point: Point
    other: Point

    @property
    def name(self) -> str:
        pair = f"{self.point.of(self.this)} - {self.other.of(self.that)}"
        return named(self.place, self.features, pair)

    @property
    def value(self) -> float:
        return exact(self.point.value - self.other.value)

    @property
    def dead(self) -> bool:
        return self.point.dead or self.other.dead

    @property
    def sd(self) -> float:
        """The larger spread of the two, if both are known."""
        return float(np.maximum(self.point.sd, self.other.sd))


def _gaps(predicate: "Beats | Ties | Gains", view: View | Averaged) -> Iterator[Gap]:
    for this, that in _pairs(predicate.these, predicate.those):
        others = view.curves(that)
        for place, curve in view.curves(this).items():
            for features, point, rival in _abreast(curve, others.get(place, {})):
                if wanted(features, predicate.features):
                    yield Gap(this, that, place, features, point, rival)


def _abreast(
    curve: dict[str, Point], other: dict[str, Point]
) -> Iterator[tuple[str, Point, Point]]:
    """Two curves at the numbers of features that both have; all features alone go with any."""
    if set(other) == {"all"}:
        other = dict.fromkeys(curve, other["all"])
    elif set(curve) == {"all"}:
        curve = dict.fromkeys(other, curve["all"])
    return ((name, curve[name], other[name]) for name in curve if name in other)
