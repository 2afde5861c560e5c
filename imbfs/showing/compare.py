"""What changed between two experiments: their settings, and their results cell by cell.

A cell is a mean at the last checkpoint. It changed beyond noise if the means are further apart than
two standard deviations of their difference, 2 sqrt(sd_a^2 + sd_b^2), each sd over the repeats of
its own experiment, or over folds where there is one repeat.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from imbfs.config import dialect, parse, text_of
from imbfs.config.fields import listed
from imbfs.errors import UserError
from imbfs.running.store import Store
from imbfs.showing import tables
from imbfs.showing.tables import CELL

SAME, WITHIN, BEYOND, UNKNOWN = "same", "within noise", "beyond noise", "no spread"
ONLY_A, ONLY_B = "only in A", "only in B"
OUTCOMES = (BEYOND, UNKNOWN, WITHIN, SAME, ONLY_A, ONLY_B)
_KEY = [*CELL, "part", "features", "measure"]
_SPREADS = 2
_SHOWN = ("name", "description", "figures", "tables", "quick")  # they change no result
_SURROUNDINGS = ("quick", "imbfs", "commit", "python", "packages")


@dataclass(frozen=True)
class Side:
    """One of the two: what it is called, what was asked for, and what came of it, if anything."""

    name: str
    config: dict
    run: dict
    frame: pd.DataFrame | None


class Change(NamedTuple):
    """A field of the config, or of the account of a run, and what each of the two says of it."""

    field: str
    first: str
    second: str


def side(path: Path, results: Path) -> Side:
    """A config with the results that it has below a folder, or a folder of results."""
    if path.is_dir():
        store = Store(path)
        text = (store.read("run.json") or {}).get("config")
        if text is None:
            raise UserError(f"{path}: holds no results, with a run.json. Make some with imbfs run.")
    else:
        try:
            text = text_of(path)
            store = Store(results / parse(text, path.parent).name)
        except UserError as error:
            raise error.within(str(path)) from None
    account = store.read("run.json") or {}
    last = (account.get("runs") or [{}])[-1] | {"quick": account.get("quick", False)}
    table = store.folder / "tables" / "results.csv"
    frame = tables.read(table) if table.exists() else None
    kept = {name: last[name] for name in _SURROUNDINGS if name in last}
    config = {name: told for name, told in _given(text, path).items() if name not in _SHOWN}
    return Side(str(path), config, kept if frame is not None else {}, frame)


def _given(text: str, path: Path) -> dict:
    """The content of a config, which need not be one that this version takes."""
    try:
        given = dialect.read(text)
    except UserError as error:
        raise error.within(f"{path}: config") from None
    if not isinstance(given, dict):
        raise UserError(f"{path}: config: is no mapping of keys such as name: ...")
    return given


def settings(first: Side, second: Side) -> list[Change]:
    """Where the configs differ, and the versions that their results were made with."""
    found = _differing(first.config, second.config, "")
    if first.run and second.run:
        found += _differing(first.run, second.run, "")
    return found


def _differing(first: dict, second: dict, place: str) -> list[Change]:
    """Key by key; of lists, the names that stand in one of them alone and options that differ."""
    found = []
    for key in dict.fromkeys([*first, *second]):
        a, b, name = first.get(key), second.get(key), f"{place}{key}"
        if isinstance(a, list) != isinstance(b, list) and None not in (a, b):
            a, b = listed(a), listed(b)
        named = _by_name(a), _by_name(b)
        if isinstance(a, dict) and isinstance(b, dict):
            found += _differing(a, b, f"{name}.")
        elif None not in named:
            alone = [[n for n in own if n not in other] for own, other in (named, named[::-1])]
            if any(alone):
                found.append(Change(name, *map(_text, alone)))
            for both in (n for n in named[0] if n in named[1]):
                found += _differing(*(own[both] for own in named), f"{name}.{both}.")
        elif a != b:
            found.append(Change(name, _text(a), _text(b)))
    return found


def _by_name(entries) -> dict[str, dict] | None:
    """The options of a list of `name` and `{name: {...}}`, if each name stands in it once."""
    if not isinstance(entries, list):
        return None
    found = {}
    for entry in entries:
        name, options = next(iter(entry.items())) if isinstance(entry, dict) else (entry, {})
        found[str(name)] = options if isinstance(options, dict) else {"": options}
    return found if len(found) == len(entries) else None


def _text(value) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_text(inner)}" for name, inner in value.items())
    return "-" if value is None else str(value)


def cells(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """A row for every cell of either: both means, how far apart, the noise, what is to say.

    The largest differences come first, and of equal ones the order of the first experiment.
    """
    ends = [_ends(frame)[[*_KEY, "mean", "sd"]] for frame in (first, second)]
    told = ends[0].merge(ends[1], how="outer", on=_KEY, suffixes=(" a", " b"), sort=False)
    told["difference"] = (told["mean b"] - told["mean a"]).round(9)
    told["noise"] = _SPREADS * np.hypot(told["sd a"], told["sd b"])
    told["outcome"] = np.select(
        [
            told["mean b"].isna(),
            told["mean a"].isna(),
            told["difference"] == 0,
            told["noise"].isna(),
            told["difference"].abs() > told["noise"].round(9),
        ],
        [ONLY_A, ONLY_B, SAME, UNKNOWN, BEYOND],
        WITHIN,
    )
    rank = told["outcome"].map({name: i for i, name in enumerate(OUTCOMES)})
    size = -told["difference"].abs().fillna(0)
    order = np.lexsort((np.arange(len(told)), size, rank))
    return told.iloc[order].reset_index(drop=True)


def _ends(frame: pd.DataFrame) -> pd.DataFrame:
    """The means at the last checkpoint of every cell."""
    return frame.dropna(subset="mean").drop_duplicates(_KEY, keep="last")
