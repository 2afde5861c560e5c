"""What a paper prints beside what we measured: how far apart, and whether within our spread."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.config import Table
from imbfs.config.printed import Ours
from imbfs.config.shown import BEST, EACH
from imbfs.errors import UserError
from imbfs.measures import DESCRIPTIVE
from imbfs.showing import markup
from imbfs.showing.markup import Section, Sheet
from imbfs.showing.tables import last

_NATURAL = "natural"
_PLACE = ["dataset", "ratio"]
_OURS = ["resampling", "selector", "classifier", "measure", "features"]
SPREAD = 2  # standard deviations over repeats within which a printed value is inside
_COLUMNS = ["printed as", "method", *_PLACE, *_OURS, "printed", "printed sd", "suspect"]
_COLUMNS += ["mean", "sd", "missing"]
_NUMBERS = ["printed", "printed sd", "mean", "sd"]


@dataclass(frozen=True)
class Agreement:
    """How many pairs of a printed value and a reading of ours are inside our spread.

    Of those that are sound: nothing speaks against the printed value, and ours has a spread.
    `apart` is how far these are from ours on average; others are suspect, or have none of ours.
    """

    inside: int
    sound: int
    apart: float
    suspect: int
    absent: int


def agreement(told: pd.DataFrame) -> Agreement:
    """What comes of a table of printed values beside ours."""
    sound = told[(told["inside"] != "") & (told["suspect"] == "")]
    inside, apart = int((sound["inside"] == "yes").sum()), sound["difference"].abs().mean()
    suspect, absent = int((told["suspect"] != "").sum()), int(told["mean"].isna().sum())
    return Agreement(inside, len(sound), float(apart), suspect, absent)


def read(path: Path) -> pd.DataFrame:
    """A table of printed values beside ours as it was written, its numbers as numbers."""
    try:
        told = markup.texts(path)
        if not set(told) >= {*_COLUMNS, "difference", "inside"} - {"printed as"}:
            raise ValueError
        numbers = {name: pd.to_numeric(told[name]) for name in (*_NUMBERS, "difference")}
        return told.assign(**numbers)
    except (OSError, ValueError):
        raise UserError(f"{path}: is no table of printed values beside ours.") from None


def within(paths: list[Path]) -> str:
    """How many pairs of some tables are inside our spread, `3 of 7`; nothing if there is none."""
    found = [agreement(read(path)) for path in paths]
    sound = sum(one.sound for one in found)
    return f"{sum(one.inside for one in found)} of {sound}" if sound else ""


def written(folder: Path) -> list[Path]:
    """The tables of printed values in the folder of an experiment."""
    return sorted((folder / "tables").glob("beside_*.csv"))


def beside(frame: pd.DataFrame, printed: list[dict], table: Table) -> pd.DataFrame:
    """A row for every printed value and every cell of ours that it stands for.

    Where we have none the row has no mean. `inside` is nothing where either has no value.
    """
    reached = {measure: last(frame, measure) for measure in frame["measure"].unique()}
    reached = defaultdict(lambda: frame[:0], reached)
    rows = [row for said in printed for row in _rows(reached, said, table)]
    told = pd.DataFrame(rows, columns=_COLUMNS)
    told = told.astype(dict.fromkeys(_NUMBERS, float))
    told["difference"] = (told["mean"] - told["printed"]).round(9)
    inside = told["difference"].abs() <= (SPREAD * told["sd"]).round(9)
    known = told["difference"].notna() & told["sd"].notna()
    return told.assign(inside=inside.map({True: "yes", False: "no"}).where(known, ""))


def _rows(reached: dict[str, pd.DataFrame], said: dict, table: Table) -> Iterator[dict]:
    """The cells that one printed value stands for: its measures on its sets with its methods."""
    value = {"printed": said["value"], "printed sd": said["sd"]}
    measures = table.measures.get(said["metric"], (said["metric"],))
    methods = table.methods.get(said["method"], (Ours(selector=said["method"]),))
    for measure, dataset, ours in product(measures, _datasets(said, table), methods):
        own = reached[measure]
        names = {"printed as": said["dataset"], "method": said["method"], "measure": measure}
        place = {"dataset": dataset, "ratio": said.get("ratio") or _NATURAL}
        cells = _cells(own, place, ours, table).to_dict("records")
        blank = {**place, "selector": ours.selector, "mean": np.nan, "sd": np.nan, "missing": 0}
        for cell in cells or [blank]:
            kept = {name: cell.get(name, "") for name in (*_PLACE, *_OURS)}
            found = {name: cell[name] for name in ("mean", "sd", "missing")}
            yield {**kept, **names, **value, "suspect": _suspect(said, measure), **found}


def _suspect(said: dict, measure: str) -> str:
    """Why a printed value cannot be what it says: as its file tells, or as anyone can see."""
    if said.get("suspect"):
        return said["suspect"]
    if said["value"] is None:
        return "not printed"
    judging = measure not in DESCRIPTIVE
    return "outside [0, 1]" if judging and not 0 <= said["value"] <= 1 else ""


def _datasets(said: dict, table: Table) -> tuple[str, ...]:
    """Our sets for a printed one, by its name with the ratio behind it or by its name alone."""
    at_ratio = table.datasets.get(f"{said['dataset']} {said.get('ratio')}")
    return at_ratio or table.datasets.get(said["dataset"], (said["dataset"],))


def _cells(own: pd.DataFrame, place: dict, ours: Ours, table: Table) -> pd.DataFrame:
    """Our rows; a set that we have at one ratio alone is taken at that."""
    rows = own[(own["dataset"] == place["dataset"]) & (own["selector"] == ours.selector)]
    wanted = {"classifier": ours.classifier or table.classifier, "resampling": ours.resampling}
    for column, name in wanted.items():
        rows = rows if name in (None, EACH) else rows[rows[column] == name]
    if rows["ratio"].nunique() > 1:
        rows = rows[rows["ratio"] == place["ratio"]]
    if table.features == BEST:
        return _best(rows)
    whole = set(rows["features"]) == {"all"}
    return rows if whole else rows[rows["features"] == str(table.features)]


def _best(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each resampling and classifier the row of the highest mean, of equal ones the fewest."""
    ranked = rows.dropna(subset="mean").sort_values(["mean", "k"], ascending=[False, True])
    return ranked.drop_duplicates(["resampling", "classifier"]).sort_index()


def sheet(frame: pd.DataFrame, plan: dict, table: Table) -> Sheet:
    """The table as people read it, a section for every set of ours."""
    told = beside(frame, plan.get("printed", {}).get(table.stem, []), table)
    texts = _texts(told, at_best=table.features == BEST)
    sections = [
        Section(list(own), own.to_numpy().tolist(), set())
        for _, own in texts.groupby([told[name] for name in _PLACE], sort=False)
    ]
    over = "runs" if frame.empty else frame["over"].iloc[0]
    return Sheet(_notes(told, table, over), sections, told)


def _texts(told: pd.DataFrame, at_best: bool) -> pd.DataFrame:
    """Columns that say the same in every row, and the marks if there are none, are left out."""
    star = told["missing"].map(lambda lacks: "*" if lacks else "")
    names = [*_PLACE, "method", "selector", "classifier", "resampling", "measure", "features"]
    texts = told[names].assign(
        printed=_spreads(told["printed"], told["printed sd"]),
        ours=[m + s for m, s in zip(_spreads(told["mean"], told["sd"]), star, strict=True)],
        difference=["" if np.isnan(d) else f"{d:+.3f}" for d in told["difference"]],
        inside=told["inside"],
        suspect=told["suspect"],
    )
    said = {name: set(told[name]) - {""} for name in ("ratio", "classifier", "resampling")}
    telling = [name for name, values in said.items() if len(values) > 1]
    telling += ["features"] if at_best else []
    kept = ["dataset", *telling, "method", "selector", "measure", "printed", "ours"]
    kept += ["difference", "inside", *(["suspect"] if told["suspect"].any() else [])]
    return texts[[name for name in texts if name in kept]]


def _spreads(means: pd.Series, sds: pd.Series) -> list[str]:
    pairs = zip(means.astype(float), sds.astype(float), strict=True)
    return [
        "" if np.isnan(m) else f"{m:.3f}" + ("" if np.isnan(s) else f" ± {s:.3f}") for m, s in pairs
    ]


def _notes(told: pd.DataFrame, table: Table, over: str) -> list[str]:
    """How to read it, and what comes of it over the values that nothing speaks against."""
    found, at = agreement(told), f"with {table.features} features"
    at = "at the number of features that is best for each" if table.features == BEST else at
    what = "Printed errors of the cost picked" if table.picks else "Printed values"
    notes = [
        f"{what} beside ours {at}, mean ± sd over {over}; "
        f"inside: the printed one is within {SPREAD} sd of our mean."
    ]
    if found.sound:
        notes.append(
            f"Inside: {found.inside} of {found.sound} that are not suspect; they are "
            f"{found.apart:.3f} apart on average."
        )
    if found.suspect:
        notes.append(f"Suspect, and not counted: {found.suspect}.")
    if found.absent:
        notes.append(f"Without a value of ours: {found.absent}.")
    if (told["missing"] > 0).any():
        notes.append("* rests on fewer results than planned.")
    return notes
