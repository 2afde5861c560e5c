"""Where a claim holds and where it breaks: its verdict in every setting of an experiment."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing import markup
from imbfs.showing.claims import Paper
from imbfs.showing.claims.verdicts import VERDICTS, findings, results, settings_of
from imbfs.showing.picks import NO_PICKS
from imbfs.showing.settings import Setting, written

_EVERY = "every setting"
_COLUMNS = ["claim", "part", "verdict", "in favour", "cells", "dead", "incomplete"]


@dataclass(frozen=True)
class Survey:
    """A row for every setting, claim and part, and the parameters that the settings differ in.

    Some claims are `apart` from them: the settings change nothing of what they name.
    """

    table: pd.DataFrame
    swept: list[str]
    apart: frozenset[str] = frozenset()

    def tells(self, claim: str) -> bool:
        """Whether it tests the claim in settings that differ for it."""
        return bool(self.swept) and claim not in self.apart and claim in set(self.table["claim"])

    def overall(self) -> pd.DataFrame:
        """In how many settings each claim holds, holds partly, fails; share of cells in favour."""
        return self._counted(_EVERY, pd.Series("", self.table.index))

    def by_value(self) -> pd.DataFrame:
        """The same over every setting, then over those with each value of each parameter."""
        each = [self._counted(name, self.table[name]) for name in self.swept]
        return pd.concat([self.overall(), *each], ignore_index=True)

    def _counted(self, parameter: str, values: pd.Series) -> pd.DataFrame:
        rows = []
        by = [values.rename("value"), self.table["part"], self.table["claim"]]
        for (value, part, claim), group in self.table.groupby(by, sort=False):
            counts = {verdict: int((group["verdict"] == verdict).sum()) for verdict in VERDICTS}
            cells = group["cells"].sum()
            share = group["in favour"].sum() / cells if cells else float("nan")
            place = {"claim": claim, "part": part, "parameter": parameter, "value": value}
            rows.append({**place, "settings": len(group), **counts, "share": share})
        return pd.DataFrame(rows)


def survey(paper: Paper, frame: pd.DataFrame, picks: pd.DataFrame = NO_PICKS) -> Survey:
    """Test the claims in every setting of an experiment."""
    every, reached, rows = settings_of(paper, frame), results(paper, frame, picks), []
    first = every[0].values if every else {}
    swept = [k for k, value in first.items() if any(s.values[k] != value for s in every)]
    for setting in every:
        values = {name: written(setting.values[name]) for name in swept}
        for found in findings(paper, setting, reached):
            rows.append(
                {
                    **values,
                    "claim": found.name,
                    "part": found.part,
                    "verdict": found.verdict,
                    "in favour": found.favour,
                    "cells": found.cells,
                    "dead": found.dead,
                    "incomplete": "yes" if found.incomplete else "no",
                }
            )
    table = pd.DataFrame(rows, columns=None if rows else [*swept, *_COLUMNS])
    return Survey(table, swept, _apart(paper, every))


def read(path: Path) -> Survey | None:
    """A survey as claims_settings.csv keeps it, if it is there: its experiment may be too large."""
    if not path.exists():
        return None
    try:
        table = markup.texts(path)
        table = table.astype(dict.fromkeys(["in favour", "cells", "dead"], int))
        if not set(_COLUMNS) <= set(table):
            raise ValueError
    except (OSError, ValueError, KeyError, OverflowError):
        raise UserError(f"{path}: is no table of claims in settings.") from None
    return Survey(table, [name for name in table if name not in _COLUMNS])


def _apart(paper: Paper, every: list[Setting]) -> frozenset[str]:
    """The claims whose methods stand for the same in every setting."""
    found = set()
    for name, claim in paper.claims.items():
        methods = [method for test in claim.tests for method in test.predicate.methods]
        meant = {tuple(paper.approach(m, s.labels) for m in methods) for s in every}
        found |= {name} if len(meant) < 2 else set()
    return frozenset(found)
