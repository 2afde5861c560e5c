"""The predicate about costs that learners pick."""

from collections.abc import Iterator

from imbfs.methods import Positive
from imbfs.showing.claims.predicates import Cell, Predicate, exact, named
from imbfs.showing.claims.view import View


class Picks(Predicate):
    """The costs that these pick by the measure are near the best fixed ones of the same streams.

    The mean distance over runs is under a bound, as the table `picks` tells it: a cell is a place,
    a method and a number of features.
    """

    under: Positive
    averaged: None = None

    def cells(self, view: View) -> Iterator[Cell]:
        for method in self.these:
            for place, features, error in view.errors(method):
                margin = exact(self.under - error)
                yield Cell(named(place, features, method), error, margin, False)

    def complete(self, view: View) -> bool:
        return super().complete(view) and all(map(view.picked_whole, self.these))
