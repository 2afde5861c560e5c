"""Verdicts: what the results say of each claim in one setting."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing.claims import Claim, Paper, Test
from imbfs.showing.claims.averaged import Averaged, Averages, averaged
from imbfs.showing.claims.predicates import Cell, Predicate
from imbfs.showing.claims.view import About, Approach, Reached, View
from imbfs.showing.picks import NO_PICKS
from imbfs.showing.settings import Setting, settings, written

HOLDS, PARTLY, FAILS, UNTESTABLE = "holds", "partly", "fails", "not testable"
VERDICTS = (HOLDS, PARTLY, FAILS, UNTESTABLE)
SCRIPT, NO_PART = "script", "-"  # in place of a part, where a script tells or nothing does
_READING = "reading"  # the parameter, so to say, that readings of a paper differ in


@dataclass(frozen=True)
class Tested:
    """What came of one test: the cells in which nobody died, how many are dead, what it saw."""

    test: Test
    needs: str
    cells: list[Cell]
    dead: int
    incomplete: bool
    view: View | Averaged | None = None

    @property
    def favour(self) -> int:
        return sum(cell.margin > 0 for cell in self.cells)

    @property
    def verdict(self) -> str:
        """Holds in all or most of its cells; partly in half of them, or a third if most suffice."""
        favour, total = self.favour, len(self.cells)
        if total == 0:
            return UNTESTABLE
        if self.needs == "all":
            return HOLDS if favour == total else PARTLY if 2 * favour >= total else FAILS
        return HOLDS if 2 * favour > total else PARTLY if 3 * favour >= total else FAILS

    @property
    def mean(self) -> float | None:
        values = [cell.value for cell in self.cells]
        return sum(values) / len(values) if values else None

    @property
    def worst(self) -> Cell | None:
        """The cell that speaks most against it."""
        against = [cell for cell in self.cells if cell.margin <= 0]
        return min(against, key=lambda cell: cell.margin, default=None)


@dataclass(frozen=True)
class Finding:
    """What came of a claim on one part, and what it lacks if it could not be tested."""

    name: str
    claim: Claim
    part: str
    tested: list[Tested]
    lacks: str = ""

    @cached_property
    def verdict(self) -> str:
        """That of its tests where they agree, else partly; those without cells have no say."""
        return agreed({tested.verdict for tested in self.tested})

    @property
    def favour(self) -> int:
        return sum(tested.favour for tested in self.tested)

    @property
    def cells(self) -> int:
        return sum(len(tested.cells) for tested in self.tested)

    @property
    def dead(self) -> int:
        return sum(tested.dead for tested in self.tested)

    @property
    def incomplete(self) -> bool:
        return any(tested.incomplete for tested in self.tested)

    @property
    def why(self) -> str:
        """Why it cannot be tested, if that is so."""
        if self.verdict != UNTESTABLE:
            return ""
        died = (
            "somebody died in every cell" if self.dead else "the results give no cell for its tests"
        )
        return self.claim.untestable or self.lacks or died

    @property
    def worst(self) -> Cell | None:
        against = [tested.worst for tested in self.tested if tested.worst]
        return min(against, key=lambda cell: cell.margin, default=None)


def agreed(verdicts: set[str]) -> str:
    """The verdict on which those that have one agree, else partly."""
    told = verdicts - {UNTESTABLE}
    return min(told) if len(told) == 1 else PARTLY if told else UNTESTABLE


def count(verdicts: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How many claims came to which verdict, from the name of each and its verdict on a part.

    A claim that parts judge differently holds partly.
    """
    parts: dict[str, set[str]] = {}
    for name, verdict in verdicts:
        parts.setdefault(name, set()).add(verdict)
    found = Counter(map(agreed, parts.values()))
    return {verdict: found[verdict] for verdict in VERDICTS}


class Results(NamedTuple):
    """What was reached on each part, averages over problems of the test part, costs picked."""

    parts: dict[str, Reached]
    averages: Averages
    picks: pd.DataFrame

    def view(
        self, test: Predicate, part: str, methods: dict[str, Approach], about: About
    ) -> View | Averaged:
        """What a test looks at: some sets one by one, or an average over them."""
        if test.averaged is None:
            told = {"classifier": test.classifier} if test.classifier else {}
            methods = {
                m: Approach(**told | a.model_dump(exclude_none=True)) for m, a in methods.items()
            }
            told = self.parts[part], test.measure, methods, about, self.picks
            return View(*told, at_best=test.at_best)
        return averaged(self.averages, test.measure, test.averaged, methods, about)


def main(paper: Paper, frame: pd.DataFrame, picks: pd.DataFrame = NO_PICKS) -> list[Finding]:
    """The findings in the one setting that the claims file names."""
    every = settings_of(paper, frame)
    agreeing = [setting for setting in every if setting.agrees(paper.setting)]
    if not every:
        raise UserError(f"{paper.experiment} has no setting with a variant of every method.")
    if not agreeing:
        named = ", ".join(f"{name}={written(value)}" for name, value in paper.setting.items())
        raise UserError(f"setting: no setting of {paper.experiment} has {named}.")
    first, *others = agreeing
    if others:
        differ = [k for k, v in first.values.items() if any(s.values[k] != v for s in others)]
        raise UserError(
            f"setting: {len(agreeing)} settings of {paper.experiment} agree with it. "
            f"Name a value of {', '.join(differ)}."
        )
    return findings(paper, first, results(paper, frame, picks))


def untested(paper: Paper) -> list[Finding]:
    """The findings where an experiment has no results: nothing can be tested."""
    lacks = f"{paper.experiment} holds no results"
    return [
        Finding(name, claim, part, nothing(claim), lacks)
        for name, claim in paper.claims.items()
        for part in paper.parts_of(claim)
    ]


def nothing(claim: Claim) -> list[Tested]:
    return [Tested(test, claim.needs, [], 0, True) for test in claim.tests]


def settings_of(paper: Paper, frame: pd.DataFrame) -> list[Setting]:
    """The readings of a paper as settings, or else the settings that an experiment sweeps."""
    if not paper.readings:
        return settings(frame["selector"])
    labels = {label: label for label in frame["selector"].unique()}
    return [Setting({_READING: name}, labels | reading) for name, reading in paper.readings.items()]


def results(paper: Paper, frame: pd.DataFrame, picks: pd.DataFrame = NO_PICKS) -> Results:
    """What the claims of a paper are tested on, as far as there are results."""
    tests = [test.predicate for claim in paper.claims.values() for test in claim.tests]
    by = chain.from_iterable(test.measures for test in tests if test.averaged is None)
    measures, there = list(dict.fromkeys(by)), {}
    for name, claim in paper.claims.items():
        parts = [part for part in paper.parts_of(claim) if (frame["part"] == part).any()]
        if not parts:
            place = "parts" if claim.parts is None else f"claims.{name}.parts"
            wanted = " or ".join(paper.parts_of(claim))
            raise UserError(f"{place}: there are no results of {wanted}.")
        there |= dict.fromkeys(parts)
    parts = {part: Reached(frame, part, measures) for part in there}
    return Results(parts, Averages(frame), picks)


def findings(paper: Paper, setting: Setting, results: Results) -> list[Finding]:
    """What came of every claim on every part, in one setting."""
    found = []
    for name, claim in paper.claims.items():
        for part in filter(results.parts.get, paper.parts_of(claim)):
            tested = []
            for test in claim.tests:
                methods = {m: paper.approach(m, setting.labels) for m in test.predicate.methods}
                view = results.view(test.predicate, part, methods, paper.about(claim))
                tested.append(_tested(test, claim.needs, view))
            found.append(Finding(name, claim, part, tested))
    return found


def _tested(test: Test, needs: str, view: View | Averaged) -> Tested:
    whole = test.predicate.complete(view)
    found = counted(test, needs, test.predicate.cells(view), incomplete=not whole)
    return replace(found, view=view)


def counted(test: Test, needs: str, cells: Iterable[Cell], incomplete: bool = False) -> Tested:
    cells = list(cells)
    live = [cell for cell in cells if not cell.dead]
    return Tested(test, needs, live, len(cells) - len(live), incomplete)
