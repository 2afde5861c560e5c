"""Mean ranks of the selectors over all cells of a frame that they can be compared in."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from imbfs.errors import UserError
from imbfs.measures import DESCRIPTIVE
from imbfs.showing.tables import GROUP, last

_TOLD = 10  # names that are listed at the most


@dataclass(frozen=True)
class Ranks:
    """The value of every selector in every cell it was compared in, and what was left out."""

    values: pd.DataFrame
    incomplete: int
    unequal: int
    unranked: list[str]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """The rank of every selector in every cell: 1 is best, ties average."""
        return self.values.rank(axis=1, ascending=False)

    @property
    def table(self) -> pd.DataFrame:
        """Selectors by mean rank, the best first; a tie for the best is a win of each."""
        wins = self.cells.eq(self.cells.min(axis=1), axis=0).sum()
        table = pd.DataFrame({"mean rank": self.cells.mean(), "sd": self.cells.std(ddof=1)})
        table = table.assign(wins=wins, cells=len(self.cells)).rename_axis("selector")
        return table.sort_values("mean rank", kind="stable").reset_index()

    @property
    def left_out(self) -> list[str]:
        """What was not ranked and why."""
        reasons = {
            f"Cells left out, not complete: {self.incomplete}.": self.incomplete,
            f"Cells left out, some selector has no value: {self.unequal}.": self.unequal,
            f"Not ranked, without any result: {_some(self.unranked)}.": self.unranked,
        }
        return [reason for reason, applies in reasons.items() if applies]


def _some(names: list[str]) -> str:
    """The names, or the first of many and how many more there are."""
    rest = f" and {len(names) - _TOLD} more" if len(names) > _TOLD else ""
    return ", ".join(names[:_TOLD]) + rest


def rank(frame: pd.DataFrame, measure: str) -> Ranks:
    """Rank the selectors in every cell where each has a complete value: 1 is best, ties average.

    A cell is a group at one number of features. A selector that is measured with all features alone
    enters every cell of its group with that value.
    """
    if measure in DESCRIPTIVE:
        raise UserError(f"{measure} describes a run: no value of it is best, and nothing to rank.")
    rows = last(frame, measure)
    ranked = list(rows.dropna(subset="mean")["selector"].unique())
    unranked = [name for name in rows["selector"].unique() if name not in ranked]
    rows = rows[rows["selector"].isin(ranked)]
    lacks = (rows["missing"] > 0).groupby([rows[name] for name in GROUP]).any()
    values = _comparable(rows[rows["features"] != ""])[ranked]
    incomplete = lacks.reindex(values.index.droplevel("features")).to_numpy(dtype=bool)
    unequal = values.isna().any(axis=1).to_numpy() & ~incomplete
    return Ranks(
        values[~incomplete & ~unequal], int(incomplete.sum()), int(unequal.sum()), unranked
    )


def _comparable(rows: pd.DataFrame) -> pd.DataFrame:
    """Means by cell and selector; who is measured with all features alone stands in every cell."""
    place = [*GROUP, "features"]
    values = rows.set_index([*place, "selector"])["mean"].unstack("selector")
    counts = rows.groupby("selector")["features"].agg(set)
    whole = counts.index[[found == {"all"} for found in counts]]
    if len(whole) in (0, len(counts)):
        return values
    everything = values[whole].xs("all", level="features")
    values = values.loc[rows[~rows["selector"].isin(whole)].set_index(place).index.unique()]
    values[whole] = everything.reindex(values.index.droplevel("features")).to_numpy()
    return values
