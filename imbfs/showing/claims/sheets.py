"""Verdicts in files: claims, and claims in every setting, in CSV and in Markdown."""

from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.running.store import write_text
from imbfs.showing.claims import Paper
from imbfs.showing.claims.effects import NOTE, TEST, Effect
from imbfs.showing.claims.judged import Judged
from imbfs.showing.claims.survey import Survey
from imbfs.showing.claims.verdicts import HOLDS, UNTESTABLE, Finding, Tested
from imbfs.showing.markup import FORMATS, Section, Sheet

_TEST = dict.fromkeys(["test", "measure", "needs", "test verdict"], "")
ASTERISK = "* rests on fewer results than planned, or on fewer sets than the paper's."


def write_findings(folder: Path, paper: Paper, told: list[Judged]) -> list[Path]:
    """Write claims.csv, with a row for every test, and claims.md, with one for every claim."""
    findings = [one.finding for one in told]
    notes = [f"What the results of {' and '.join(paper.experiments)} say of {paper.paper}."]
    notes += [f"{name} ({c.where}): {c.claim}." for name, c in paper.claims.items()]
    notes += [ASTERISK] if any(finding.incomplete for finding in findings) else []
    notes += [f"{f.name} is not testable on {f.part}: {f.why}." for f in findings if f.why]
    header = ["claim", "part", "verdict", "in favour", "effect", "p", "settings", "dead", "mean"]
    rows = [_row(one) for one in told]
    numbers = pd.DataFrame([row for one in told for row in _tests(one)])
    section = Section([*header, "worst"], rows, set())
    return _write(folder, "claims", Sheet([*notes, NOTE, *paper.notes], [section], numbers))


def _row(told: Judged) -> list[str]:
    f, effect = told.finding, told.effect
    judged = [f.name, f.part, verdict_text(f), favour_text(f), effect_text(effect), p_text(effect)]
    return [*judged, settings_text(told), str(f.dead), _means(f), worst_text(f)]


def _tests(told: Judged) -> list[dict]:
    """The tests of a claim, with what is told of it as a whole in every row."""
    finding, effect = told.finding, told.effect
    claim = {"claim": finding.name, "part": finding.part, "verdict": finding.verdict}
    blank = {"needs": finding.claim.needs, "in favour": 0, "cells": 0, "dead": 0}
    tests = [_test(tested) for tested in finding.tested] or [blank | {"incomplete": "no"}]
    whole = {
        "tasks": effect.tasks,
        "effect": effect.mean,
        "low": effect.low,
        "high": effect.high,
        "p by": "" if np.isnan(effect.p) else TEST,
        "p": effect.p,
        "p holm": effect.adjusted,
        "settings agree": told.agree,
        "settings": told.settings,
        "why": finding.why,
    }
    return [claim | _TEST | test | whole for test in tests]


def _test(tested: Tested) -> dict:
    return {
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


def verdict_text(finding: Finding) -> str:
    return f"{finding.verdict}{'*' if finding.incomplete else ''}"


def favour_text(finding: Finding) -> str:
    return f"{finding.favour}/{finding.cells}"


def effect_text(effect: Effect) -> str:
    """As in `+0.033 [-0.010, +0.076]`, without an interval where tasks are too few."""
    if not effect.tasks:
        return ""
    interval = "" if np.isnan(effect.low) else f" [{effect.low:+.3f}, {effect.high:+.3f}]"
    return f"{effect.mean:+.3f}{interval}"


def p_text(effect: Effect) -> str:
    return "" if np.isnan(effect.adjusted) else f"{effect.adjusted:.2g}"


def settings_text(told: Judged) -> str:
    return "" if not told.settings else f"{told.agree / told.settings:.0%} of {told.settings}"


def _means(finding: Finding) -> str:
    """The mean of what every test looks at: a difference, a range, a gain or a value."""
    return ", ".join(
        f"{tested.test.kind} {tested.test.predicate.measure} {tested.mean:.3f}"
        for tested in finding.tested
        if tested.mean is not None
    )


def worst_text(finding: Finding) -> str:
    return f"{finding.worst.place}: {finding.worst.value:.3f}" if finding.worst else ""


def write_survey(folder: Path, paper: Paper, survey: Survey) -> list[Path]:
    """Write claims_settings and claims_parameters: where each claim holds, and where it breaks."""
    table, values = survey.table, survey.by_value()
    favour = table["in favour"].astype(str) + "/" + table["cells"].astype(str)
    wide = _wide(table.assign(cell=table["verdict"] + " " + favour), ["part", *survey.swept])
    notes = [f"{paper.paper}: the verdict on each claim in every setting, with cells in favour."]
    paths = _write(folder, "claims_settings", Sheet(notes, [wide], table))
    testable = values["settings"] - values[UNTESTABLE]
    cell = values["share"].map(share_text) + " (" + values[HOLDS].astype(str) + " of "
    cell = (cell + testable.astype(str) + ")").where(testable > 0, "-")
    wide = _wide(values.assign(cell=cell), ["part", "parameter", "value"])
    notes = [
        f"{paper.paper}: share of cells in favour of each claim by value of a parameter, and in "
        "how many of the settings that can test it the claim holds."
    ]
    return paths + _write(folder, "claims_parameters", Sheet(notes, [wide], values))


def share_text(share: float) -> str:
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
