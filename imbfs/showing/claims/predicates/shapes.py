"""Predicates over whole curves: how a measure goes with the number of features."""

from collections.abc import Iterator

from imbfs.config.fields import Features
from imbfs.methods import NonNegative, Positive
from imbfs.showing.claims.averaged import Averaged
from imbfs.showing.claims.predicates import Cell, Predicate, exact, named
from imbfs.showing.claims.view import View


class _Shape(Predicate):
    """Said of whole curves: a cell is a place and a method, dead if it died at any count.

    Fewer than three numbers of features show no shape.
    """

    def cells(self, view: View | Averaged) -> Iterator[Cell]:
        for method in self.these:
            for place, curve in view.shapes(method).items():
                if self.shows(list(curve)):
                    values = {features: point.value for features, point in curve.items()}
                    value, margin = self.judge(values)
                    dead = any(point.dead for point in curve.values())
                    yield Cell(named(place, method), exact(value), exact(margin), dead)

    def shows(self, counts: list[str]) -> bool:
        """Whether these numbers of features can show the shape."""
        return len(counts) >= 3

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        """The number that tells, and by how much it is in favour."""
        raise NotImplementedError


class Stable(_Shape):
    """The range over all numbers of features is under a tolerance."""

    under: Positive

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        spread = max(curve.values()) - min(curve.values())
        return spread, self.under - spread


class Rises(_Shape):
    """From the fewest features to the most it gains more than `by`, in the second half `late`."""

    by: NonNegative
    late: NonNegative | None = None

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        values = list(curve.values())
        gain = values[-1] - values[0]
        if self.late is None:
            return gain, gain - self.by
        late = values[-1] - values[len(values) // 2]
        return gain, min(gain - self.by, late - self.late)


class Falls(_Shape):
    """From the fewest features to the most it loses more than `by`."""

    by: NonNegative

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        first, *_, last = curve.values()
        return first - last, first - last - self.by


class LevelsOff(_Shape):
    """It gains more than `by` in the first half of the counts; after it the range is `under`."""

    by: NonNegative
    under: Positive

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        values = list(curve.values())
        later = values[len(values) // 2 :]
        gain, spread = later[0] - values[0], max(later) - min(later)
        return spread, min(gain - self.by, self.under - spread)


class Peaks(_Shape):
    """The best number of features is one of `at`, and with the most it is lower by more than `by`.

    The value that tells is how much lower.
    """

    at: Features
    by: NonNegative

    def shows(self, counts: list[str]) -> bool:
        inside = set(map(str, self.at)) & set(counts)
        return super().shows(counts) and 0 < len(inside) < len(counts)

    def judge(self, curve: dict[str, float]) -> tuple[float, float]:
        at = set(map(str, self.at))
        peak = max(value for features, value in curve.items() if features in at)
        rest = max(value for features, value in curve.items() if features not in at)
        drop = peak - list(curve.values())[-1]
        return drop, min(drop - self.by, peak - rest)
