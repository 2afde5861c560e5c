"""The costs that learners pick, beside the best of those that could have been fixed: Table 4.

A learner with a parameter `cost` picks one by its `target` measure where no cost is given. What it
could have done is told by the same learner with a number for it, [Liu2019] Sec. 6.4.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.config import Table
from imbfs.errors import UserError
from imbfs.measures import DESCRIPTIVE
from imbfs.methods import read_label
from imbfs.selectors import SELECTORS
from imbfs.showing import markup
from imbfs.showing.markup import Section, Sheet
from imbfs.showing.tables import CELL, RESULTS, measured

_PICKING = ("cost", "K", "target")  # say how a cost is picked, and nothing once it is fixed
_PROBLEM = ["dataset", "ratio", "resampling"]
_RUN = ["repeat", "fold"]
_MEANS = ["picked", "best", "error", "lost", "best test", "error test", "lost test"]
_SPREADS = ["error", "lost", "error test", "lost test"]
_NAMES = ["measure", *_PROBLEM, "selector", "features", "costs"]
_NUMBERS = [*_MEANS, *(f"{name} sd" for name in _SPREADS), "runs", "missing"]
NO_PICKS = pd.DataFrame(columns=[*_NAMES, *_NUMBERS])


def picks(plan: dict, records: dict[str, dict], measure: str) -> pd.DataFrame:
    """How far the costs picked by a measure are from the best, on average over runs.

    The best fixed cost of a run has the highest measure of the whole stream, each row predicted
    before it was learned; that of the test rows stands beside it. The lowest of equals is the best.
    `lost` is what the best cost reaches more on the test rows than the learner that picks. A run
    counts where the learner and every fixed cost have a value.
    """
    selectors = list(dict.fromkeys(task[4] for task in plan["tasks"]))
    values = _values(plan, records, measure)
    planned = Counter((*task[1:4], task[4]) for task in plan["tasks"] if task[5] == "own")
    rows = []
    for selector, fixed in _pickers(selectors, measure).items():
        runs = _runs(values, measure, selector, fixed)
        for (*problem, features), own in runs.groupby([*_PROBLEM, "features"], sort=False):
            told = {"measure": measure, **dict(zip(_PROBLEM, problem, strict=True))}
            told |= {"selector": selector, "features": features, "costs": _range(fixed)}
            told |= {**own[_MEANS].mean(), **own[_SPREADS].std(ddof=1).add_suffix(" sd")}
            counts = {"runs": len(own), "missing": planned[(*problem, selector)] - len(own)}
            rows.append(told | counts)
    order = {tuple(task[1:4]): place for place, task in enumerate(plan["tasks"])}
    rows.sort(key=lambda row: order[tuple(row[name] for name in _PROBLEM)])
    return pd.DataFrame(rows, columns=list(NO_PICKS))


def errors(plan: dict, records: dict[str, dict]) -> pd.DataFrame:
    """How far the costs picked by every measure are from the best, in the shape of results."""
    judging = [measure for measure in plan["measures"] if measure not in DESCRIPTIVE]
    told = pd.concat([picks(plan, records, measure) for measure in judging])
    told = told.rename(columns={"error": "mean", "error sd": "sd", "runs": "n"})
    place = {"classifier": "own", "part": "test", "over": "repeats", "seen": 0}
    return told.assign(**place, k=told["features"])[RESULTS].reset_index(drop=True)


def _pickers(selectors: Iterable[str], measure: str) -> dict[str, dict[float, str]]:
    """The selectors that pick a cost by this measure, with the same at fixed costs, from low on."""
    read = {label: read_label(SELECTORS, label) for label in selectors}
    fixed: dict[str, dict[float, str]] = {}
    for label, (name, params) in read.items():
        if isinstance(params.get("cost"), float):
            fixed.setdefault(_kin(name, params), {}).setdefault(params["cost"], label)
    found = {}
    for label, (name, params) in read.items():
        picks_one = params.get("target") == measure and params.get("cost", 0) is None
        if picks_one and _kin(name, params) in fixed:
            found[label] = dict(sorted(fixed[_kin(name, params)].items()))
    return found


def _kin(name: str, params: dict) -> str:
    """What learners have in common that differ in their cost alone."""
    rest = {key: value for key, value in params.items() if key not in _PICKING}
    return f"{name} {sorted(rest.items())}"


def _values(plan: dict, records: dict[str, dict], measure: str) -> pd.DataFrame:
    """The measure on each part and the cost picked, at the end of every stream, by selector."""
    rows, planned = measured(plan, records, [measure, "cost"])
    cells = pd.DataFrame(list(planned), columns=CELL).iloc[rows["cell"]].reset_index(drop=True)
    rows = pd.concat([cells, rows.drop(columns="cell").reset_index(drop=True)], axis=1)
    rows = rows[(rows["classifier"] == "own") & (rows["features"] != "")]
    run = [*_PROBLEM, "features", *_RUN]
    ends = rows.drop_duplicates([*run, "selector", "part"], keep="last")
    ends = ends.set_index([*run, "part", "selector"])[[measure, "cost"]]
    return ends.unstack(["part", "selector"], sort=False)


def _runs(
    values: pd.DataFrame, measure: str, selector: str, fixed: dict[float, str]
) -> pd.DataFrame:
    """What was picked in every run, what would have been best, and by how much."""
    costs, labels = np.array(list(fixed)), [selector, *fixed.values()]
    wanted = [(measure, part, label) for part in ("progressive", "test") for label in labels]
    wanted.append(("cost", "test", selector))
    whole = values.reindex(columns=pd.MultiIndex.from_tuples(wanted)).dropna()
    online, test, picked = np.split(whole.to_numpy(), [len(labels), 2 * len(labels)], axis=1)
    found = {"picked": picked[:, 0]}
    for name, by in (("", online), (" test", test)):
        best = by[:, 1:].argmax(axis=1)
        reached = np.take_along_axis(test[:, 1:], best[:, None], axis=1)[:, 0]
        found[f"best{name}"] = costs[best]
        found[f"error{name}"] = np.abs(costs[best] - picked[:, 0]).round(9)
        found[f"lost{name}"] = (reached - test[:, 0]).round(9)
    return pd.DataFrame(found, index=whole.index).reset_index()


def _range(fixed: dict[float, str]) -> str:
    first, *_, last = [*fixed, *fixed]
    return f"{len(fixed)}: {first:g} to {last:g}"


def sheet(plan: dict, records: dict[str, dict], table: Table) -> Sheet:
    """The table as people read it."""
    told = picks(plan, records, table.measure)
    notes = [
        f"Costs picked by {table.measure} at the end of a stream, and the best of fixed ones, by "
        f"the {table.measure} of the stream and by that of the test part, mean ± sd over runs.",
        "error: how far the cost picked is from the best; lost: what the best fixed cost reaches "
        "more on the test part than the learner that picks.",
    ]
    if told.empty:
        notes.append(f"Nobody picks a cost by {table.measure} beside the same at fixed costs.")
    if (told["missing"] > 0).any():
        notes.append("* rests on fewer results than planned.")
    texts = _texts(told)
    return Sheet(notes, [Section(list(texts), texts.to_numpy().tolist(), set())], told)


def _texts(told: pd.DataFrame) -> pd.DataFrame:
    """Resampling and features are left out where they say the same in every row."""
    said = {name: told[name].nunique() for name in ("resampling", "features")}
    names = [name for name in _NAMES[1:] if said.get(name, 2) > 1]
    texts = told[names].copy()
    for name in _MEANS:
        sds = told[f"{name} sd"] if name in _SPREADS else [np.nan] * len(told)
        texts[name] = [_spread(*pair) for pair in zip(told[name], sds, strict=True)]
    runs = zip(told["runs"], told["missing"], strict=True)
    texts["runs"] = [f"{n} of {n + lacks}*" if lacks else str(n) for n, lacks in runs]
    return texts


def _spread(mean: float, sd: float) -> str:
    return f"{mean:.3f}" + ("" if np.isnan(sd) else f" ± {sd:.3f}")


def read(folder: Path) -> pd.DataFrame:
    """The tables of picks in a folder, together; empty without one."""
    frames = []
    for path in sorted(folder.glob("picks_*.csv")):
        try:
            frame = markup.texts(path)
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: cannot be read: {error}.") from None
        if list(frame) != list(NO_PICKS):
            raise UserError(f"{path}: is no table of picks. Write it with imbfs table.")
        try:
            frame[_NUMBERS] = frame[_NUMBERS].apply(pd.to_numeric)
        except ValueError:
            raise UserError(f"{path}: has text where numbers should be.") from None
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else NO_PICKS
