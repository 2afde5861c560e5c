"""The tables of docs/scale.md, made of what is kept and put between its marks."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd

from growing.measuring import MEMORY, SECONDS
from growing.slopes import AIMS, Curve, curves
from growing.work import WIDE
from imbfs.showing.markup import FORMATS, Section, Sheet

STREAMS = ("rows", "non-zeros", "features")


def parts(folder: Path) -> dict[str, str]:
    """What stands between the marks, by name, of the files in a folder."""
    table = pd.read_csv(folder / "growth.csv")
    made = {"learners": _slopes(table, STREAMS), "filters": _slopes(table, WIDE)}
    made["limits"] = f"{SECONDS:g} seconds or {MEMORY / 2**30:g} GiB\n"
    if (path := folder / "machine.json").exists():
        made["machine"] = ", ".join(json.loads(path.read_text()).values()) + ".\n"
    if (path := folder / "peers.csv").exists():
        made["peers"] = _peers(pd.read_csv(path, keep_default_na=False))
    return made


def filled(page: str, made: dict[str, str]) -> str:
    """The page with every part between its marks; what is not made stays as it is."""
    for name, text in made.items():
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- -->)", re.S)
        page = marked.sub(lambda match, text=text: match[1] + text + match[2], page)
    return page


def _slopes(table: pd.DataFrame, axes: tuple[str, ...]) -> str:
    """A line a method: where each curve ends, its two slopes, and whether all are as aimed at."""
    known = curves(table)
    heads = [head for axis in axes for head in (axis, "time", "memory")]
    aims = [text for axis in axes for text in ("", *(f"{aim:g}" for aim in AIMS[axis]))]
    rows = [["aim", *aims, ""]]
    for method in dict.fromkeys(table[table["against"].isin(axes)]["method"]):
        own = [known.get((method, axis)) for axis in axes]
        rows.append([method, *(text for curve in own for text in _cells(curve)), _verdict(own)])
    return _markdown(["method", *heads, "holds"], rows)


def _cells(curve: Curve | None) -> list[str]:
    """What the largest size took, and the slopes."""
    if curve is None:
        return [""] * 3
    most = _short(curve.sizes[-1]) + ("" if curve.complete else "\N{DAGGER}")
    end = f"{most}: {curve.seconds[-1]:.2g} s, {curve.megabytes[-1]:,.0f} MB"
    slopes = ["" if np.isnan(value) else f"{value:.2f}" for value in (curve.time, curve.memory)]
    return [end, *slopes]


def _short(size: float) -> str:
    """A size as 10M or 500k."""
    return f"{size / 1e6:g}M" if size >= 1e6 else f"{size / 1e3:g}k"


def _verdict(own: list[Curve | None]) -> str:
    faults = [f"{fault} ({curve.against})" for curve in own if curve for fault in curve.faults]
    return f"no: {', '.join(faults)}" if faults else "yes"


def _peers(table: pd.DataFrame) -> str:
    rows = [[work, f"{ratio:.2f}", str(aim)] for work, ratio, aim in table.itertuples(index=False)]
    return _markdown(["work", "ratio", "aim"], rows)


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    return FORMATS["md"][1](Sheet([], [Section(header, rows, set())], pd.DataFrame()))
