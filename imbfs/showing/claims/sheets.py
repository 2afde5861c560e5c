"""Verdicts as people read them: in CSV, in Markdown and in the terminal."""

from pathlib import Path

import pandas as pd

from imbfs.running.store import write_text
from imbfs.showing.claims import Paper
from imbfs.showing.claims.survey import Survey
from imbfs.showing.claims.verdicts import (
    FAILS,
    HOLDS,
    PARTLY,
    UNTESTABLE,
    VERDICTS,
    Finding,
)
from imbfs.showing.markup import FORMATS, Section, Sheet

_COLOURS = {HOLDS: "green", PARTLY: "yellow", FAILS: "red", UNTESTABLE: "dim"}
_ASTERISK = "* rests on fewer results than planned, or on fewer sets than the paper's."


def write_findings(folder: Path, paper: Paper, findings: list[Finding]) -> list[Path]:
    """Write claims.csv, with a row for every test, and claims.md, with one for every claim."""
    notes = [f"What the results of {' and '.join(paper.experiments)} say of {paper.paper}."]
    notes += [f"{name} ({c.where}): {c.claim}." for name, c in paper.claims.items()]
    notes += [_ASTERISK] if any(finding.incomplete for finding in findings) else []
    header = ["claim", "part", "verdict", "in favour", "dead", "mean", "worst"]
    rows = [
        [f.name, f.part, _verdict(f), _favour(f), str(f.dead), _means(f), _worst(f)]
        for f in findings
    ]
    numbers = pd.DataFrame([row for finding in findings for row in _tests(finding)])
    sheet = Sheet([*notes, *paper.notes], [Section(header, rows, set())], numbers)
    return _write(folder, "claims", sheet)


def _tests(finding: Finding) -> list[dict]:
    claim = {"claim": finding.name, "part": finding.part, "verdict": finding.verdict}
    return [
        claim
        | {
            "test": tested.test.kind,
            "measure": tested.test.predicate.measure,
            "needs": tested.needs,
            "test verdict": tested.verdict,
            "in favour": tested.favour,
            "cells": len(tested.cells),
            "dead": tested.dead,
            "mean": tested.mean,
            "worst": tested.worst.place if tested.worst else "",
            "worst value": tested.worst.value if tested.worst else None,
            "incomplete": "yes" if tested.incomplete else "no",
        }
        for tested in finding.tested
    ]


def _verdict(finding: Finding) -> str:
    return f"{finding.verdict}{'*' if finding.incomplete else ''}"


def _favour(finding: Finding) -> str:
    return f"{finding.favour}/{finding.cells}"


def _means(finding: Finding) -> str:
    """The mean of what every test looks at: a difference, a range, a gain or a value."""
    return ", ".join(
        f"{tested.test.kind} {tested.test.predicate.measure} {tested.mean:.3f}"
        for tested in finding.tested
        if tested.mean is not None
    )


def _worst(finding: Finding) -> str:
    return f"{finding.worst.place}: {finding.worst.value:.3f}" if finding.worst else ""


def write_survey(folder: Path, paper: Paper, survey: Survey) -> list[Path]:
    """Write claims_settings and claims_parameters: where each claim holds, and where it breaks."""
    table, values = survey.table, survey.by_value()
    favour = table["in favour"].astype(str) + "/" + table["cells"].astype(str)
    wide = _wide(table.assign(cell=table["verdict"] + " " + favour), ["part", *survey.swept])
    notes = [f"{paper.paper}: the verdict on each claim in every setting, with cells in favour."]
    paths = _write(folder, "claims_settings", Sheet(notes, [wide], table))
    testable = values["settings"] - values[UNTESTABLE]
    cell = values["share"].map(_share) + " (" + values[HOLDS].astype(str) + " of "
    cell = (cell + testable.astype(str) + ")").where(testable > 0, "-")
    wide = _wide(values.assign(cell=cell), ["part", "parameter", "value"])
    notes = [
        f"{paper.paper}: share of cells in favour of each claim by value of a parameter, and in "
        "how many of the settings that can test it the claim holds."
    ]
    return paths + _write(folder, "claims_parameters", Sheet(notes, [wide], values))


def _share(share: float) -> str:
    return "" if pd.isna(share) else f"{share:.2f}"


def _wide(table: pd.DataFrame, rows: list[str]) -> Section:
    """The texts in `cell` with a column for every claim, empty where a claim has none."""
    claims = list(table["claim"].unique())
    wide = table.set_index([*rows, "claim"])["cell"].unstack("claim")[claims]
    wide = wide.reindex(pd.MultiIndex.from_frame(table[rows].drop_duplicates())).reset_index()
    wide = wide.fillna("")  # a claim that is not told of a part
    return Section(list(wide), wide.to_numpy().tolist(), set())


def _write(folder: Path, name: str, sheet: Sheet) -> list[Path]:
    paths = []
    for format in ("csv", "md"):
        extension, render = FORMATS[format]
        paths.append(folder / "tables" / f"{name}.{extension}")
        write_text(paths[-1], render(sheet))
    return paths


def terminal(paper: Paper, findings: list[Finding]):
    """Every claim with its verdict on each part, by rich, in 80 columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    lines = [Text(f"{paper.paper}: {', '.join(paper.experiments)}", "bold")]
    for name, claim in paper.claims.items():
        lines.append(Text(f"{name} {claim.claim} ({claim.where})"))
        block = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
        for width in (1, 11, 13, 9, 8, 32):
            block.add_column(width=width, overflow="fold")
        for f in findings:
            if f.name == name:
                verdict = Text(_verdict(f), _COLOURS[f.verdict])
                dead = f"{f.dead} dead" if f.dead else ""
                block.add_row("", f.part, verdict, _favour(f), dead, Text(_worst(f)))
        lines.append(block)
    if any(finding.incomplete for finding in findings):
        lines.append(Text(_ASTERISK, "yellow"))
    return Group(*lines)


def terminal_survey(experiment: str, survey: Survey):
    """In how many settings each claim holds, by rich, in 80 columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("claim", "part", "settings", *VERDICTS, "cells"):
        block.add_column(name, justify="left" if name in ("claim", "part") else "right")
    for row in survey.overall().to_dict("records"):
        counts = [str(row[name]) for name in ("settings", *VERDICTS)]
        block.add_row(row["claim"], row["part"], *counts, _share(row["share"]))
    title = f"In every setting of {experiment}; cells: the share of them in favour"
    return Group(Text(title, "bold"), block)
