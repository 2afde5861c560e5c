"""Verdicts on the papers' claims as their tables tell them, with the words of the claims files."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing import claims
from imbfs.showing.claims import overview
from imbfs.showing.claims.verdicts import HOLDS, UNTESTABLE, VERDICTS, count
from imbfs.showing.report.found import texts

_COLUMNS = ("claim", "part", "verdict", "in favour", "cells", "incomplete")
_SWEPT = ("claim", "part", "parameter", "settings", HOLDS, UNTESTABLE)
_EVERY = "every setting"


@dataclass(frozen=True)
class Judged:
    """What came of one claim on one part: the rows of its tests, and the words it is made in."""

    name: str
    part: str
    experiment: str
    tests: pd.DataFrame
    claim: claims.Claim | None
    settings: list[str]

    @property
    def key(self) -> str:
        """What a link calls it."""
        return f"claim-{self.name}-{self.part}"

    @property
    def own(self) -> bool:
        """Whether it is a question of ours that no paper claims to answer."""
        return self.claim is not None and self.claim.own

    @property
    def verdict(self) -> str:
        return self.tests["verdict"].iloc[0]

    @property
    def effect(self) -> list[str]:
        """By how much tasks are in favour, how sure that is, and what share of settings agrees."""
        row, told = self.tests.iloc[0], []
        if row.get("effect"):
            effect = f"effect {float(row['effect']):+.3f}"
            if row["low"]:
                effect += f" [{float(row['low']):+.3f}, {float(row['high']):+.3f}]"
            several = "task" if row["tasks"] == "1" else "tasks"
            told.append(f"{effect} over {row['tasks']} {several}")
        if row.get("p holm"):
            told.append(f"p {float(row['p holm']):.2g} (Wilcoxon, Holm)")
        if row.get("settings"):
            share = int(row["settings agree"]) / int(row["settings"])
            told.append(f"the same verdict in {share:.0%} of {row['settings']} settings")
        return told

    @property
    def incomplete(self) -> bool:
        return bool((self.tests["incomplete"] == "yes").any())

    @property
    def favour(self) -> int:
        return int(pd.to_numeric(self.tests["in favour"]).sum())

    @property
    def cells(self) -> int:
        return int(pd.to_numeric(self.tests["cells"]).sum())


@dataclass(frozen=True)
class Judgement:
    """The verdicts on a paper, and the experiment whose table holds them."""

    paper: str
    home: str
    notes: tuple[str, ...]
    judged: list[Judged]
    results: Path
    file: claims.Paper | None = None

    @cached_property
    def headlines(self) -> list[list[str]]:
        """The paper's headline values, read where they are shown."""
        return overview.headlines(self.file, self.results) if self.file else []

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many claims came to which verdict, as `imbfs verify` counts them."""
        return count((one.name, one.verdict) for one in self.judged if not one.own)

    @property
    def asides(self) -> list[str]:
        """What a reader who counts the verdicts must know."""
        parts: dict[str, set[str]] = {}
        for one in self.judged:
            parts.setdefault(one.name, set()).add(one.verdict)
        told = {
            "* on fewer results than planned.": any(one.incomplete for one in self.judged),
            "Claims are counted, not parts: one that parts judge differently holds partly, and a "
            "part that cannot be tested has no say.": any(
                len(verdicts) > 1 for verdicts in parts.values()
            ),
            "Questions of ours are not counted.": any(one.own for one in self.judged),
        }
        return [note for note, applies in told.items() if applies]

    def only(self, experiment: str) -> "Judgement":
        """Those that rest on an experiment; of the paper's own, all."""
        own = experiment == self.home
        judged = [one for one in self.judged if own or one.experiment == experiment]
        return replace(self, judged=judged)


def judgements(results: Path, experiments: Path) -> list[Judgement]:
    """Every paper with a table of verdicts below the results, then verdicts of no known paper."""
    files = [claims.load(path) for path in sorted(experiments.glob(f"*/{claims.FILE}"))]
    told = [_judgement(results, file) for file in files if _table(results, file.experiment)]
    known = {file.experiment for file in files}
    others = [path.parent.parent.name for path in sorted(results.glob("*/tables/claims.csv"))]
    return told + [_unknown(results, name) for name in others if name not in known]


def _table(results: Path, experiment: str, name: str = "claims") -> Path | None:
    path = results / experiment / "tables" / f"{name}.csv"
    return path if path.exists() else None


def _judgement(results: Path, paper: claims.Paper) -> Judgement:
    judged = []
    for name, part, tests in _tested(_table(results, paper.experiment)):
        claim = paper.claims.get(name)
        experiment = (claim and claim.experiment) or paper.experiment
        swept = dict.fromkeys(filter(None, (experiment, paper.sensitivity)))
        settings = [text for home in swept for text in _settings(results, home, name, part)]
        judged.append(Judged(name, part, experiment, tests, claim, settings))
    return Judgement(paper.paper, paper.experiment, paper.notes, judged, results, paper)


def _unknown(results: Path, home: str) -> Judgement:
    told = _tested(_table(results, home))
    judged = [Judged(name, part, home, tests, None, []) for name, part, tests in told]
    return Judgement(f"Claims tested on {home}", home, (), judged, results)


def _tested(path: Path) -> list[tuple[str, str, pd.DataFrame]]:
    """The tests of every claim on every part, in the order of the table."""
    frame = texts(path)
    known = set(_COLUMNS) <= set(frame.columns) and set(frame["verdict"]) <= set(VERDICTS)
    if not known or not frame[["in favour", "cells"]].stack().str.isdigit().all():
        raise UserError(f"{path}: is no table of verdicts, with the columns {', '.join(_COLUMNS)}.")
    return [(*key, tests) for key, tests in frame.groupby(["claim", "part"], sort=False)]


def _settings(results: Path, experiment: str, name: str, part: str) -> list[str]:
    """In how many settings of an experiment the claim holds, if it was tested in several."""
    path = _table(results, experiment, "claims_parameters")
    if path is None:
        return []
    frame = texts(path)
    if not set(_SWEPT) <= set(frame.columns):
        raise UserError(f"{path}: is no table of settings, with the columns {', '.join(_SWEPT)}.")
    own = (frame["claim"] == name) & (frame["part"] == part) & (frame["parameter"] == _EVERY)
    return [
        f"holds in {row[HOLDS]} of the {testable} settings of {experiment} that can test it"
        for row in frame[own].to_dict("records")
        if (testable := int(row["settings"]) - int(row[UNTESTABLE])) > 1
    ]
