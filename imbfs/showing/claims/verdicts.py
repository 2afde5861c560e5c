"""Verdicts: what the results say of each claim in one setting."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing.claims import Claim, Paper, Test
from imbfs.showing.claims.predicates import Cell
from imbfs.showing.claims.view import Reached, View
from imbfs.showing.settings import Setting, settings, written

HOLDS, PARTLY, FAILS, UNTESTABLE = "holds", "partly", "fails", "not testable"
VERDICTS = (HOLDS, PARTLY, FAILS, UNTESTABLE)


@dataclass(frozen=True)
class Tested:
    """What came of one test: the cells in which nobody died, how many are dead."""

    test: Test
    needs: str
    cells: list[Cell]
    dead: int
    incomplete: bool

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
    """What came of a claim on one part."""

    name: str
    claim: Claim
    part: str
    tested: list[Tested]

    @cached_property
    def verdict(self) -> str:
        """That of its tests where they agree, else partly; those without cells have no say."""
        verdicts = {tested.verdict for tested in self.tested} - {UNTESTABLE}
        return min(verdicts) if len(verdicts) == 1 else PARTLY if verdicts else UNTESTABLE

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
    def worst(self) -> Cell | None:
        against = [tested.worst for tested in self.tested if tested.worst]
        return min(against, key=lambda cell: cell.margin, default=None)


def main(paper: Paper, frame: pd.DataFrame) -> list[Finding]:
    """The findings in the one setting that the claims file names."""
    every = settings(frame["selector"])
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
    return findings(paper, first, parts(paper, frame))


def parts(paper: Paper, frame: pd.DataFrame) -> dict[str, Reached]:
    """What was reached on each part that there are results of."""
    tests = [test for claim in paper.claims.values() for test in claim.tests]
    measures = list(dict.fromkeys(test.predicate.measure for test in tests))
    there = [part for part in paper.parts if (frame["part"] == part).any()]
    if not there:
        raise UserError(f"parts: there are no results of {' or '.join(paper.parts)}.")
    return {part: Reached(frame, part, measures) for part in there}


def findings(paper: Paper, setting: Setting, reached: dict[str, Reached]) -> list[Finding]:
    """What came of every claim on every part, in one setting."""
    found = []
    for name, claim in paper.claims.items():
        for part, there in reached.items():
            view = View(there, setting.labels, paper.about(claim))
            tested = [_tested(test, claim.needs, view) for test in claim.tests]
            found.append(Finding(name, claim, part, tested))
    return found


def _tested(test: Test, needs: str, view: View) -> Tested:
    predicate = test.predicate
    cells = list(predicate.cells(view))
    live = [cell for cell in cells if not cell.dead]
    whole = all(view.complete(method, predicate.measure) for method in predicate.methods)
    return Tested(test, needs, live, len(cells) - len(live), not whole)
