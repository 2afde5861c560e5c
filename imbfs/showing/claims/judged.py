"""All that is told of a claim on a part: verdict, effect, agreement of settings."""

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing.claims import Claim, Paper
from imbfs.showing.claims.effects import Effect, effects
from imbfs.showing.claims.survey import Survey
from imbfs.showing.claims.verdicts import (
    NO_PART,
    SCRIPT,
    UNTESTABLE,
    Finding,
    count,
    counted,
    nothing,
)

Read = Callable[[str, str], pd.DataFrame | None]  # a table by its script and path


class Judged(NamedTuple):
    """A finding, how far tasks are in favour, and how many of the settings have its verdict."""

    finding: Finding
    effect: Effect
    agree: int | None = None
    settings: int | None = None


def judged(
    paper: Paper, findings: list[Finding], surveys: dict[str, Survey | None]
) -> list[Judged]:
    """The findings in the order of the file, p-values adjusted over all of them."""
    order = list(paper.claims)
    findings = sorted(findings, key=lambda finding: order.index(finding.name))
    pairs = zip(findings, effects(findings), strict=True)
    return [Judged(f, effect, *_agreement(paper, f, surveys)) for f, effect in pairs]


def _agreement(paper: Paper, finding: Finding, surveys: dict) -> tuple[int, int] | tuple[()]:
    """How many of the settings that can test it have the same verdict, where there are several.

    They are those of the paper's sensitivity experiment, else of the experiment it is tested on.
    """
    if finding.verdict == UNTESTABLE:
        return ()
    home = finding.claim.experiment or paper.experiment
    for survey in (surveys.get(paper.sensitivity), surveys.get(home)):
        if survey is None or not survey.tells(finding.name):
            continue
        table = survey.table
        own = table[(table["claim"] == finding.name) & (table["part"] == finding.part)]
        own = own[own["verdict"] != UNTESTABLE]
        if len(own):
            return int((own["verdict"] == finding.verdict).sum()), len(own)
    return ()


def apart(paper: Paper, read: Read) -> list[Finding]:
    """The findings on tables that scripts write, and on claims that say why they are untestable.

    A table that is not there yet leaves its claim untested.
    """
    found = []
    for name, claim in paper.claims.items():
        if claim.untestable is not None:
            found.append(Finding(name, claim, NO_PART, []))
        elif claim.script is not None:
            try:
                found.append(_scripted(name, claim, read))
            except UserError as error:
                raise error.within(f"claims.{name}") from None
    return found


def _scripted(name: str, claim: Claim, read: Read) -> Finding:
    tables = {test.predicate.table: None for test in claim.tests}
    tables = {table: read(claim.script, table) for table in tables}
    if absent := [table for table, rows in tables.items() if rows is None]:
        return Finding(name, claim, SCRIPT, nothing(claim), f"{absent[0]} is not there")
    tested = []
    for i, test in enumerate(claim.tests):
        try:
            cells = test.predicate.cells(tables[test.predicate.table])
            tested.append(counted(test, claim.needs, cells))
        except UserError as error:
            raise error.within(f"tests[{i}].{test.kind}: {test.predicate.table}") from None
    return Finding(name, claim, SCRIPT, tested)


def counts(findings: list[Finding]) -> dict[str, int]:
    """How many claims of a paper came to which verdict. Questions of our own are not counted."""
    return count((found.name, found.verdict) for found in findings if not found.claim.own)
