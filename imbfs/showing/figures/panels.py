"""A grid of panels, one for every set, and what a panel can show."""

import math
import re
from collections.abc import Callable, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

from imbfs import config
from imbfs.measures import CLASS_MEANS
from imbfs.showing import tables
from imbfs.showing.style import BASELINES, name, styles, words

_ABREAST = 4  # panels side by side
_LOG_FROM = 20  # times the least number of features: from here on the axis is logarithmic
_LABEL = 0.045  # width of a digit of a tick label, as a share of a panel
_FLAT = 2.5  # times the usual span of a panel: a common axis may not be wider
_PANEL = 1.7, 1.45  # inches, with what stands around it
_LINE = 22  # letters that fit beside a panel


def grid(
    rows: pd.DataFrame, wanted: config.Figure, xlabel: str, paint: Callable, ylabel: str = ""
) -> Figure:
    """A panel for every set and ratio, a line of panels for every classifier; long lines wrap.

    The y-axis speaks of the measure unless it is told another label.
    """
    measure = words(wanted.measure, wanted.part)
    sets = list(dict.fromkeys(zip(rows["dataset"], rows["ratio"], strict=True)))
    if not sets:
        return empty(f"no {measure} by {xlabel} was measured")
    columns = math.ceil(len(sets) / math.ceil(len(sets) / _ABREAST))
    blocks = [sets[i : i + columns] for i in range(0, len(sets), columns)]
    classifiers = rows["classifier"].unique()
    lines = [(block, classifier) for block in blocks for classifier in classifiers]
    size = max(3.5, 0.5 + _PANEL[0] * columns), 0.4 + _PANEL[1] * len(lines)
    figure = Figure(figsize=size, layout="constrained")
    every = figure.subplots(len(lines), columns, squeeze=False)
    looks = styles(rows["selector"].unique())
    for line, (block, classifier) in zip(every, lines, strict=True):
        own = rows[rows["classifier"] == classifier]
        parts = [own[(own["dataset"] == d) & (own["ratio"] == r)] for d, r in block]
        for axes, part, place in zip(line, parts, block, strict=False):
            axes.set_title(_title(place, sets) if classifier == classifiers[0] else "")
            paint(axes, part[part["features"] != ""], looks)
        line[0].set_ylabel(_said(ylabel or measure, classifier, classifiers))
        scale(line, parts, wanted.measure)
    figure.supxlabel(xlabel + note(rows, " (hollow or absent)"), fontsize=8)
    _legend(figure, looks, line[len(parts) :])
    return figure


def _title(place: tuple[str, str], sets: Sequence[tuple[str, str]]) -> str:
    """The set, and its ratio where any set has another than its own."""
    natural = all(ratio == "natural" for _, ratio in sets)
    return place[0] if natural else " · ".join(place)


def _said(measure: str, classifier: str, classifiers: Sequence[str]) -> str:
    """The measure, and the classifier without its module unless every learner decides by itself."""
    measure = fill(measure, _LINE)
    short = re.sub(r"^[\w.]+:", "", classifier)
    return measure if list(classifiers) == ["own"] else f"{measure}\n{fill(short, _LINE)}"


def curve(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Lines over numbers of features; what was measured with all of them alone goes across."""
    across = rows.groupby("selector")["features"].transform("nunique") == 1
    across &= rows["features"] == "all"
    if across.all():
        across = rows["selector"] == "none"
    ticks = sorted(rows["x"][~across].unique())
    if len(ticks) == 1:
        across |= rows["selector"].isin(BASELINES)
    for row in rows[across].to_dict("records"):
        _across(axes, row, looks[row["selector"]])
    if len(ticks) == 1:
        _side_by_side(axes, rows[~across], looks, ticks[0])
        return
    ticks = set_counts(axes, ticks)
    _lines(axes, rows[~across], looks, lambda line: line["x"].isin(ticks) & _spaced(line))


def set_counts(axes: Axes, counts: list[float]) -> list[float]:
    """An axis for numbers of features, logarithmic if they span much; those worth a marker."""
    log = bool(counts) and counts[-1] > _LOG_FROM * counts[0]
    axes.set_xscale("log" if log else "linear")
    counts = _round(counts) if log else counts
    _set_ticks(axes, _apart(counts, log))
    return counts


def over_ratios(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Lines over imposed ratios, a baseline as any other."""
    axes.set_xscale("log")
    _set_ticks(axes, _apart(sorted(rows["x"].unique()), True))
    _lines(axes, rows, looks, _spaced)


def points(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Means with an sd, the selectors beside one another at the place of each measure."""
    step = 0.8 / max(1, len(looks))
    for turn, (label, look) in enumerate(looks.items()):
        own = rows[rows["selector"] == label]
        look = {**look, "linestyle": "none", "marker": look["marker"] or "_"}
        places = own["x"] + step * (turn - (len(looks) - 1) / 2)
        face = _face(look, own["missing"].any())
        axes.errorbar(places, own["mean"], own["sd"], elinewidth=0.6, **look, **face)
    named = rows.drop_duplicates("x").sort_values("x")
    axes.set_xticks(named["x"], [fill(words(name), 12) for name in named["measure"]])
    axes.tick_params(axis="x", labelsize=6)


def stream(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Lines over the samples seen."""
    _lines(axes, rows, looks, _spaced)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def time(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Lines over the seconds spent learning, each with a marker where it ends."""
    ends = {label: {**look, "marker": look["marker"] or "o"} for label, look in looks.items()}
    _lines(axes, rows, ends, lambda line: line["x"] == line["x"].max())
    if len(rows):
        axes.set_xscale("log")
        ticks = _round_between(rows["x"].min(), rows["x"].max())
        axes.set_xlim(min(ticks[0], axes.get_xlim()[0]), max(ticks[-1], axes.get_xlim()[1]))
        _set_ticks(axes, _apart(ticks, log=True))


def _set_ticks(axes: Axes, ticks: list[float]) -> None:
    axes.set_xticks(ticks)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _apart(ticks: list[float], log: bool) -> list[float]:
    """The ticks whose labels do not run into one another, the last one among them."""
    places = [math.log(x) if log else x for x in ticks]
    kept = []
    for x, place in reversed(list(zip(ticks, places, strict=True))):
        labels = f"{x:g}{kept[-1][0]:g}" if kept else ""
        digits = 1 + len(labels) / 2  # a space, and half of either label
        room = _LABEL * digits * (places[-1] - places[0])
        if not kept or kept[-1][1] - place >= room:
            kept.append((x, place))
    return [x for x, _ in reversed(kept)]


def _round(ticks: list[float]) -> list[float]:
    """Those that are 1, 2 or 5 times a power of ten, if they reach from end to end; else all."""
    found = [x for x in ticks if f"{x:e}"[:8] in ("1.000000", "2.000000", "5.000000")]
    return found if ticks[0] in found and ticks[-1] in found else ticks


def _round_between(low: float, high: float) -> list[float]:
    """At least two round numbers from `low` to `high`, or the next ones outside of them."""
    powers = [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    for steps in ((1,), (1, 3), (1, 2, 5)):
        numbers = [step * power for power in powers for step in steps]
        inside = [x for x in numbers if low <= x <= high]
        if len(inside) > 1:
            return inside
    return [max(x for x in numbers if x <= low), min(x for x in numbers if x >= high)]


def _lines(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict], marked: Callable) -> None:
    """Means with bands of one sd, and markers where `marked`, hollow where results are missing."""
    shade = min(0.12, 0.6 / max(1, rows["selector"].nunique()))
    for label, line in rows.groupby("selector", sort=False):
        line, look = line.sort_values("x"), looks[label]
        low, high = line["mean"] - line["sd"], line["mean"] + line["sd"]
        axes.fill_between(line["x"], low, high, color=look["color"], alpha=shade, linewidth=0)
        face = _face(look, line["missing"].any())
        marks = np.flatnonzero(marked(line)).tolist()
        axes.plot(line["x"], line["mean"], **look, **face, markevery=marks)


def _spaced(line: pd.DataFrame) -> np.ndarray:
    """At most twelve of the points."""
    return np.arange(len(line)) % math.ceil(len(line) / 12) == 0


def _across(axes: Axes, row: dict, look: dict) -> None:
    """A mean from edge to edge; of a learner thin, with its marker at the end."""
    if row["selector"] not in BASELINES:
        look = {**look, "linewidth": 0.7, "markevery": [1], "clip_on": False}
    axes.axhline(row["mean"], **look, **_face(look, row["missing"]))


def _side_by_side(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict], x: float) -> None:
    for place, row in enumerate(rows.to_dict("records")):
        look = {**looks[row["selector"]], "linestyle": "none"}
        axes.errorbar(place, row["mean"], row["sd"], **look, **_face(look, row["missing"]))
    axes.set_xlim(-1, len(rows))
    axes.set_xticks([(len(rows) - 1) / 2], [f"{x:g}"])


def _face(look: dict, missing: int) -> dict:
    return {"markerfacecolor": "white" if missing else look["color"]}


def scale(line: Sequence[Axes], parts: list[pd.DataFrame], measure: str) -> None:
    """One y-axis for a line of panels, unless it would flatten them."""
    least = -np.inf if measure in CLASS_MEANS else 0
    most = np.inf if measure in (*tables.COUNTS, *CLASS_MEANS) else 1
    low = pd.Series([(p["mean"] - p["sd"].fillna(0)).min() for p in parts]).clip(lower=least)
    high = pd.Series([(p["mean"] + p["sd"].fillna(0)).max() for p in parts]).clip(upper=most)
    if high.max() - low.min() <= _FLAT * (high - low).median():
        low, high = low.where(low.isna(), low.min()), high.where(high.isna(), high.max())
        for axes in line[1:]:
            axes.tick_params(labelleft=False)
    margin = 0.05 * (high - low).clip(0.02)
    for axes, bottom, top in zip(line, low - margin, high + margin, strict=False):
        if pd.isna(bottom):
            axes.text(0.5, 0.5, "no results", transform=axes.transAxes, ha="center", color="0.5")
        else:
            axes.set_ylim(bottom, top)
    for axes in line[len(parts) :]:
        axes.set_axis_off()


def _legend(figure: Figure, looks: dict[str, dict], vacant: Sequence[Axes]) -> None:
    """The names, in the vacant place of the last line of panels if they fit in it, else above."""
    labels = sorted(looks, key=lambda label: label in BASELINES)
    handles = [Line2D([], [], label=name(label), **looks[label]) for label in labels]
    width, height = 0.5 + 0.06 * max(len(handle.get_label()) for handle in handles), 0.16
    if len(vacant) and width <= _PANEL[0] and height * len(labels) <= _PANEL[1]:
        vacant[0].legend(handles=handles, loc="center", frameon=False).set_in_layout(False)
        return
    columns = max(1, min(len(labels), int(figure.get_figwidth() / (width + 0.1))))
    figure.set_figheight(figure.get_figheight() + height * math.ceil(len(labels) / columns))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)


def note(rows: pd.DataFrame, how: str = "") -> str:
    """A line on the cells of the grid that rest on fewer results than planned, if any."""
    cells = rows[rows["missing"] > 0][tables.CELL].drop_duplicates()
    return f"\nincomplete cells: {len(cells)}{how}" if len(cells) else ""


def empty(text: str) -> Figure:
    """A figure that says why there is nothing in it."""
    figure = Figure(figsize=(3.5, 1))
    figure.text(0.5, 0.5, text, ha="center", va="center", color="0.5")
    return figure
