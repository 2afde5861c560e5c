"""Printed values beside ours: a line for each, with a strip that shows how far apart they are."""

import re
from pathlib import Path

import pandas as pd

from imbfs.showing.beside import SPREAD, agreement, read
from imbfs.showing.report.html import Html, el, many, table
from imbfs.showing.style import name, shortened, words

_WIDTH, _HEIGHT = 132, 16


def shown(path: Path) -> Html:
    """What is printed, what we have, and what comes of it."""
    frame = read(path)
    ours = frame[frame["mean"].notna()]
    title = _title(path.stem)
    inner = [el("h3", title), el("p", _summary(frame, ours))]
    return many(*inner, _table(f"{title}: printed beside ours", ours) if len(ours) else None, _KEY)


def _title(stem: str) -> str:
    """`beside_table3_auroc_50` is Table 3 auroc, 50 features."""
    first, *others = stem.removeprefix("beside_").split("_")
    named = re.sub(r"^table(?=\d)", "Table ", first)
    plain = [text for text in others if not text.isdigit()]
    return ", ".join([" ".join([named, *plain]), *(f"{n} features" for n in others if n.isdigit())])


def _summary(frame: pd.DataFrame, ours: pd.DataFrame) -> Html:
    told, absent = agreement(ours), frame[frame["mean"].isna()]
    said = [el("strong", f"{told.inside} of {told.sound}"), f" lie within {SPREAD} sd of our mean"]
    apart = ours["difference"][ours["suspect"] == ""].abs()
    said += [f"; they are {apart.mean():.3f} apart on average."] if len(apart) else ["."]
    said += [f" {told.suspect} more are suspect in print and not counted."] if told.suspect else []
    if len(absent):
        sets = ", ".join(dict.fromkeys(absent["dataset"]))
        said.append(f" {len(absent)} have no counterpart here ({sets}).")
    return many(*said)


_KEY = el(
    "p",
    "Strip: a bar for our mean and two standard deviations, a diamond for what is printed.",
    class_="note",
)


def _table(caption: str, frame: pd.DataFrame) -> Html:
    """Both values next to each other, then what else tells the rows apart."""
    told = ("ratio", "measure", "classifier", "features", "resampling")
    several = [key for key in told if key in frame.columns and frame[key].nunique() > 1]
    named = ["ratio"] * ("ratio" in several) + ["method"] + ["measure"] * ("measure" in several)
    behind = [key for key in several if key not in named] + ["selector"]
    behind += ["suspect"] if (frame["suspect"] != "").any() else []
    low, high = _range(frame)
    short = shortened(frame["selector"].unique())
    rows = []
    for row in frame.to_dict("records"):
        values = [_spread(row["printed"], row["printed sd"]), _spread(row["mean"], row["sd"])]
        values += [_strip(row, low, high), _signed(row["difference"])]
        values.append({"yes": "✓ inside", "no": "✗ outside"}.get(row["inside"], "–"))
        row["measure"] = words(row["measure"])
        row["selector"] = el("span", name(short[row["selector"]]), title=row["selector"])
        rows.append([row["dataset"], *(row[k] for k in named), *values, *(row[k] for k in behind)])
    between = ["printed", "ours", f"{low:g} to {high:g}", "difference", f"within {SPREAD} sd"]
    return table(caption, ["dataset", *named, *between, *behind], rows)


def _spread(mean: float, sd: float) -> str:
    if pd.isna(mean):
        return "–"
    return many(f"{mean:.3f}", None if pd.isna(sd) else el("small", f" ± {sd:.3f}"))


def _signed(difference: float) -> str:
    return "–" if pd.isna(difference) else f"{difference:+.3f}"


def _range(frame: pd.DataFrame) -> tuple[float, float]:
    """0 to 1 for what is a share, else from the lowest to the highest."""
    values = pd.concat([frame["printed"], frame["mean"]]).dropna()
    if values.between(0, 1).all():
        return 0.0, 1.0
    return float(f"{values.min():.2g}"), float(f"{values.max():.2g}")


def _strip(row: dict, low: float, high: float) -> Html:
    """A line from low to high with our spread, our mean and the printed value on it."""

    def at(value: float) -> float:
        share = (value - low) / ((high - low) or 1)
        return round(4 + (_WIDTH - 8) * min(1, max(0, share)), 1)

    sd, middle = (0 if pd.isna(row["sd"]) else row["sd"]), _HEIGHT / 2
    left, right = at(row["mean"] - SPREAD * sd), at(row["mean"] + SPREAD * sd)
    inner = [
        el("path", d=f"M4 {middle}H{_WIDTH - 4}", class_="axis"),
        el("path", d=f"M{left} {middle}H{right}", class_="spread"),
        el("circle", cx=at(row["mean"]), cy=middle, r="3", class_="ours"),
    ]
    if not pd.isna(row["printed"]):
        diamond = f"M{at(row['printed'])} {middle - 5}l4 5l-4 5l-4 -5z"
        inner.append(el("path", d=diamond, class_="printed"))
    size = {"width": _WIDTH, "height": _HEIGHT, "viewBox": f"0 0 {_WIDTH} {_HEIGHT}"}
    return el("svg", *inner, class_="strip", aria_hidden="true", **size)
