"""From records to tables: a tidy frame of means and spreads, summaries of a measure.

Every number rests on tasks of the plan, and what is missing of them is counted beside it. Rounding
to six digits happens once, here: a frame read back from results.csv is the frame that was written.
Times are in a frame of the same shape: they differ from run to run, and results may not.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.errors import UserError, lookup
from imbfs.measures import DESCRIPTIVE
from imbfs.showing import markup

COUNTS = ("features_used",)  # the measures that are numbers of something; the rest lie in [0, 1]
CELL = ["dataset", "ratio", "resampling", "selector", "classifier"]
GROUP = ["dataset", "ratio", "resampling", "classifier"]  # inside one, selectors are compared
RESULTS = [*CELL, "part", "features", "k", "seen", "measure", "mean", "sd", "n", "over", "missing"]
RANKED_ON = "ranked_on"  # a column of tables whose rankings saw the test rows, and of no others
LEAK = "Ranked on all rows, test rows too: too good by design."
_FIRST = 20  # features of a ranking that are worth a name
_WHOLE, _REAL = ["k", "seen", "n", "missing"], ["mean", "sd"]


def completeness(plan: dict, records: dict[str, dict]) -> tuple[int, int, int]:
    """How many tasks are planned, how many of them are done, how many failed."""
    status = Counter(records[task[0]]["status"] for task in plan["tasks"] if task[0] in records)
    return len(plan["tasks"]), status["ok"], status["failed"]


def results(plan: dict, records: dict[str, dict]) -> pd.DataFrame:
    """Mean and sd of every measure in every cell of the grid, in the order of the plan.

    With several repeats the folds of a repeat are averaged first and the spread is over repeats,
    else over folds; undefined values are left out. A cell without any result has a row for every
    measure with n = 0 and no features; without any result at all the frame is empty.
    """
    return _averaged(plan, records, list(plan["measures"]))


def seconds(plan: dict, records: dict[str, dict]) -> pd.DataFrame:
    """Mean and sd of the seconds spent learning, like `results`; only what records tell of them."""
    frame = _averaged(plan, records, ["seconds"])
    return frame[frame["n"] > 0].reset_index(drop=True)


def _averaged(plan: dict, records: dict[str, dict], measures: list[str]) -> pd.DataFrame:
    rows, planned = measured(plan, records, measures)
    if not rows["done"].any():
        return pd.DataFrame(columns=RESULTS)
    unit = "repeat" if len({task[-2] for task in plan["tasks"]}) > 1 else "fold"
    by = ["cell", "progressive", "place", "checkpoint"]
    same = dict.fromkeys(["part", "features", "k"], "first")
    facts = rows.groupby(by).agg({**same, "seen": "mean", "done": "sum"})
    units = rows.groupby([*by, unit])[measures].mean().groupby(by)
    mean, sd, n = units.mean(), units.std(ddof=1), units.count()
    frame = pd.concat(
        facts.assign(order=order, measure=name, mean=mean[name], sd=sd[name], n=n[name])
        for order, name in enumerate(measures)
    )
    frame = frame.reset_index().sort_values([*by, "order"], ignore_index=True)
    frame[CELL] = np.array(list(planned))[frame["cell"]]
    frame["over"] = f"{unit}s"
    frame["missing"] = np.array(list(planned.values()))[frame["cell"]] - frame["done"]
    return _typed(frame[RESULTS])


def measured(
    plan: dict, records: dict[str, dict], measures: list[str]
) -> tuple[pd.DataFrame, dict[tuple, int]]:
    """A row for all that was measured, and the number of tasks planned for every cell."""
    planned = Counter(tuple(task[1:6]) for task in plan["tasks"])
    number = {cell: i for i, cell in enumerate(planned)}
    rows = []
    for key, *cell, repeat, fold in plan["tasks"]:
        record = records.get(key)
        if record and record["status"] == "ok":
            task = {"cell": number[tuple(cell)], "repeat": repeat, "fold": fold, "done": 1}
            rows += [task | row for row in _numbered(record["rows"])]
    empty = set(number.values()) - {row["cell"] for row in rows}
    blank = {"part": "test", "features": "", "k": np.nan, "seen": np.nan}
    nothing = {"repeat": 0, "fold": 0, "done": 0, **next(_numbered([blank]))}
    rows += [{"cell": cell, **nothing} for cell in empty]
    frame = pd.DataFrame(rows, columns=["cell", *nothing, *measures])
    frame[measures] = frame[measures].astype(float)
    return frame, planned


def _numbered(rows: list[dict]) -> Iterator[dict]:
    """The rows of a record with the place of their number of features and of their checkpoint.

    Folds differ by a sample or two in what they have seen: checkpoints are matched by number.
    """
    places, checkpoints = {}, Counter()
    for row in sorted(rows, key=lambda row: row["seen"]):
        curve = row["part"], row["features"]
        place = places.setdefault(curve, len(places))
        order = {"progressive": row["part"] == "progressive", "place": place}
        yield {**order, "checkpoint": checkpoints[curve], **row}
        checkpoints[curve] += 1


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Text, whole numbers that may be absent, and six digits of the rest."""
    kinds = {name: "str" for name in RESULTS if name not in _WHOLE + _REAL}
    kinds |= dict.fromkeys(_WHOLE, "Int64")
    whole = {name: np.floor(frame[name].astype(float) + 0.5) for name in _WHOLE}
    real = {name: frame[name].map(lambda value: float(f"{value:.6g}")) for name in _REAL}
    return frame.assign(**whole, **real).astype(kinds)


def marked(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the mark of rankings that saw the test rows."""
    return frame.assign(**{RANKED_ON: "all rows"}) if len(frame.columns) else frame


def leaks(frame: pd.DataFrame) -> bool:
    """Whether a table has that mark."""
    return RANKED_ON in frame.columns


def features(plan: dict, records: dict[str, dict]) -> pd.DataFrame:
    """The features that every selector chose first: in what share of its tasks, at what mean place.

    Among the first 20 of a ranking.
    """
    rows = []
    for group, folds in rankings(plan, records).items():
        tops = folds.values()
        found: dict[str, list[int]] = {}
        for place, name in chain.from_iterable(enumerate(top[:_FIRST], 1) for top in tops):
            found.setdefault(name, []).append(place)
        order = sorted(found, key=lambda name: (-len(found[name]), sum(found[name]), name))
        for name in order[:_FIRST]:
            share = len(found[name]) / len(tops)
            rows.append((*group, name, share, sum(found[name]) / len(found[name])))
    return pd.DataFrame(rows, columns=[*CELL[:4], "feature", "share", "mean_place"])


def rankings(plan: dict, records: dict[str, dict]) -> dict[tuple, dict[tuple, list[str]]]:
    """The first features of every ranking, by set, ratio, resampling and selector, then by fold.

    A ranking that serves several classifiers counts once.
    """
    found: dict[tuple, dict[tuple, list[str]]] = {}
    for key, *cell, repeat, fold in plan["tasks"]:
        record = records.get(key)
        if record and record["status"] == "ok":
            found.setdefault(tuple(cell[:4]), {}).setdefault((repeat, fold), record["top"])
    return found


def read(path: Path) -> pd.DataFrame:
    """The frame that was written to results.csv or seconds.csv."""
    try:
        frame = markup.texts(path)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such table. Write it with imbfs table.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}.") from None
    if list(frame.columns) not in (RESULTS, [*RESULTS, RANKED_ON]):
        raise UserError(f"{path}: is no table of results, with the columns {', '.join(RESULTS)}.")
    try:
        frame[_WHOLE + _REAL] = frame[_WHOLE + _REAL].apply(pd.to_numeric)
        return _typed(frame)
    except (ValueError, OverflowError):
        raise UserError(f"{path}: has text or no end where numbers should be.") from None


def timed(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The frame with the `seconds` spent learning that the table at `path` tells."""
    if not path.exists():
        raise UserError(
            f"{path}: there is no such table, and time is drawn from it. Records of the protocol "
            "online tell their seconds: make them with imbfs run CONFIG."
        )
    place = [*CELL, "part", "features", "seen"]
    return frame.join(read(path).set_index(place)["mean"].rename("seconds"), on=place)


def rows_of(frame: pd.DataFrame, measure: str, part: str) -> pd.DataFrame:
    """The rows of one measure on the `test` part or the `progressive` one.

    With those of cells without any result, if their classifier was measured on this part.
    """
    lookup(dict.fromkeys(frame["measure"]), measure, "measure")
    rows = frame[frame["measure"] == measure]
    there = rows["part"] == part
    absent = (rows["features"] == "") & rows["classifier"].isin(rows["classifier"][there])
    return rows[there | absent]


def last(frame: pd.DataFrame, measure: str, part: str = "test") -> pd.DataFrame:
    """The rows of one measure on one part, at the last checkpoint of each."""
    return rows_of(frame, measure, part).drop_duplicates([*CELL, "features"], keep="last")


@dataclass(frozen=True)
class Summary:
    """One measure, with a row for every cell and a column for every number of features.

    `best` marks the highest mean of a column among the complete cells of a group, if several; of a
    measure that describes a run, nothing.
    """

    mean: pd.DataFrame
    sd: pd.DataFrame
    best: pd.DataFrame
    missing: pd.Series
    counts: bool = False

    def texts(self, between: str) -> list[list[str]]:
        """`0.912 ± 0.013`, or `41.3 ± 0.9` of a count, with an asterisk where results are missing.

        Empty without a mean.
        """
        rows = zip(self.mean.to_numpy(), self.sd.to_numpy(), self.missing, strict=True)
        return [
            [self._text(m, s, between, lacks) for m, s in zip(mean, sd, strict=True)]
            for mean, sd, lacks in rows
        ]

    def _text(self, mean: float, sd: float, between: str, lacks: int) -> str:
        if np.isnan(mean):
            return ""
        decimals = 3 if not self.counts else 1 if mean < 1000 else 0
        spread = "" if np.isnan(sd) else f"{between}{sd:.{decimals}f}"
        return f"{mean:.{decimals}f}{spread}{'*' if lacks else ''}"


def summarise(frame: pd.DataFrame, measure: str, part: str = "test") -> Summary:
    """The measure on one part at the last checkpoint, the selectors of a group together."""
    rows = last(frame, measure, part)
    rows = rows.iloc[np.argsort(rows.groupby(GROUP, sort=False).ngroup(), kind="stable")]
    index = [*GROUP, "selector"]
    missing = rows.groupby(index, sort=False)["missing"].max()
    long, columns = rows.set_index([*index, "features"]), _feature_columns(rows)
    mean, sd = (long[name].unstack().reindex(missing.index, columns=columns) for name in _REAL)
    complete = mean[missing == 0].reindex(mean.index)
    groups = complete.groupby(GROUP)
    best = complete.eq(groups.transform("max")) & (groups.transform("count") > 1)
    best &= measure not in DESCRIPTIVE
    return Summary(mean, sd, best, missing, measure in COUNTS)


def _feature_columns(rows: pd.DataFrame) -> list[str]:
    """The numbers of features in the order of the config, `all` last unless it is listed.

    Where sets differ in their lists: counts by size, then percentages.
    """
    lists = set(rows[rows["features"] != ""].groupby(CELL)["features"].agg(tuple))
    names = list(dict.fromkeys(chain.from_iterable(lists - {("all",)})))
    if len(lists - {("all",)}) > 1:
        names = sorted(set(names) - {"all"}, key=lambda n: (n.endswith("%"), float(n.rstrip("%"))))
    absent = "all" not in names and (rows["features"] == "all").any()
    return [*names, "all"] if absent else names
