"""The predicate about leads: how far the best of some methods is ahead of the best of others."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from imbfs.config.fields import MeasureName, Strict, listed
from imbfs.errors import UserError
from imbfs.showing.claims.averaged import Averaged
from imbfs.showing.claims.predicates import Cell, Counts, Names, Predicate, exact, wanted
from imbfs.showing.claims.predicates.comparisons import Gap
from imbfs.showing.claims.view import Point, View


class Lead(Strict):
    """A measure by which a lead is looked at too, and by whom if not by the same methods."""

    measure: MeasureName
    these: Names | None = None
    those: Names | None = None


def _lead(given):
    """A measure alone stands for the lead of the same methods by it."""
    return {"measure": given} if isinstance(given, str) else given


Others = Annotated[
    tuple[Annotated[Lead, BeforeValidator(_lead)], ...],
    BeforeValidator(listed),
    Field(strict=False),
]


class Leads(Predicate):
    """The best of these is above the best of `those` by more than `by`, and than by other measures.

    A cell is a place and one of the `features`, if given, and its value the lead. `more_than` names
    the other measures, and who these and those are by them if they are others. Who died is not the
    best of anyone who lives.
    """

    those: Names
    features: Counts | None = None
    by: float = 0.0
    more_than: Others = ()

    @model_validator(mode="after")
    def _others(self):
        if both := set(self.these) & set(self.those):
            raise UserError(f"those: {min(both)!r} is one of these.")
        if self.more_than and self.averaged is not None:
            raise UserError("more_than: is told set by set, and not of an average.")
        return self

    @property
    def measures(self) -> tuple[str, ...]:
        return self.measure, *(other.measure for other in self.more_than)

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        named = super().named
        for i, other in enumerate(self.more_than):
            roles = {"these": other.these, "those": other.those}
            named |= {f"more_than[{i}].{role}": names for role, names in roles.items() if names}
        return named

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        others = [(other.measure, self._places(view, other)) for other in self.more_than]
        for gap in _leads(view, self.these, self.those):
            beside = [(measure, gaps.get((gap.place, gap.features))) for measure, gaps in others]
            smaller = [other for _, other in beside]
            if wanted(gap.features, self.features) and None not in smaller:
                told = ", ".join(f"{measure} {other.value:+.3f}" for measure, other in beside)
                margin = gap.value - max([self.by, *(other.value for other in smaller)])
                dead = gap.dead or any(other.dead for other in smaller)
                name = f"{gap.name} ({told})" if told else gap.name
                yield Cell(name, gap.value, exact(margin), dead)

    def _places(self, view: View, other: Lead) -> dict[tuple, Gap]:
        """The leads by another measure, by place and number of features."""
        gaps = _leads(view.by(other.measure), other.these or self.these, other.those or self.those)
        return {(gap.place, gap.features): gap for gap in gaps}


def _leads(view: View | Averaged, these: tuple[str, ...], those: tuple[str, ...]) -> Iterator[Gap]:
    """The lead of the best of these over the best of those, where everyone has a value."""
    curves = {method: view.curves(method) for method in (*these, *those)}
    for place in curves[these[0]]:
        here = {method: found.get(place, {}) for method, found in curves.items()}
        counts = dict.fromkeys(chain.from_iterable(c for c in here.values() if set(c) != {"all"}))
        for features in counts or ["all"]:
            points = {m: c.get("all" if set(c) == {"all"} else features) for m, c in here.items()}
            if None not in points.values():
                this, that = _best(points, these), _best(points, those)
                yield Gap(this, that, place, features, points[this], points[that])


def _best(points: dict[str, Point], methods: tuple[str, ...]) -> str:
    """The best of those who live, if any do; the first of equals."""
    alive = [method for method in methods if not points[method].dead]
    return max(alive or methods, key=lambda method: points[method].value)
