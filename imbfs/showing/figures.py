"""From tables/results.csv to figures; nothing else is read, so committed tables suffice to redraw.

The only importer of matplotlib, and of its objects alone: no window, the same bytes every time.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from zlib import crc32

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

from imbfs.errors import UserError, lookup
from imbfs.running.store import write_bytes
from imbfs.selectors import SELECTORS
from imbfs.showing import tables

_ABREAST = 4  # panels side by side
_LOG_FROM = 20  # times the least number of features: from here on the axis is logarithmic
_LABEL = 0.045  # width of a digit of a tick label, as a share of a panel
_FLAT = 2.5  # times the usual span of a panel: a common axis may not be wider
_WORDS = {
    "auc": "AUC",
    "prc": "area under the PR curve",
    "f_measure": "F-measure",
    "g_mean": "g-mean",
    "sensitivity": "recall of the minority",
    "specificity": "recall of the majority",
}
_NAMES = {"none": "all features", "random": "random features"}
# The palette of Okabe and Ito, safe for the colour-blind, without its yellow.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]
_DASHES = [(0, (4, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1.5, 1))]
_BASELINES = {
    "none": {"color": "0.35", "linestyle": (0, (5, 2.5)), "marker": ""},
    "random": {"color": "0.6", "linestyle": ":", "marker": ""},
}
_LOOK = {
    "font.size": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.hashsalt": "imbfs",
    "text.parse_math": False,  # a name may have dollars
}
_UNDATED = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
}


def draw(folder: Path, figures: Sequence = (), formats: Sequence[str] = ("png",)) -> list[Path]:
    """Draw the figures that a config names, from tables/results.csv of the folder.

    If it names none: curves of the first three measures, the stream of the first two if there is
    one, and the ranks by the first where more than one group was measured.
    """
    source = folder / "tables" / "results.csv"
    frame = tables.read(source)
    paths = []
    with rc_context(_LOOK):
        for kind, measure, x in [(f.kind, f.measure, f.x) for f in figures] or _default(frame):
            try:
                drawn = dict(_KINDS[kind](frame, measure, x))
            except UserError as error:
                raise error.within(str(source)) from None
            for name, figure in drawn.items():
                for extension in formats:
                    paths.append(folder / "figures" / f"{name}.{extension}")
                    _save(figure, paths[-1])
    return paths


def style(label: str, turn: int = 0) -> dict:
    """Colour, line and marker of a selector, the same in every figure of every experiment.

    They follow from its place in SELECTORS. A variant such as `fast(K=5)` has the colour of `fast`
    with another line and marker; a `turn` takes the next ones.
    """
    name, _, parameters = label.partition("(")
    if name in _BASELINES:
        return _BASELINES[name]
    known = [key for key in SELECTORS if key not in _BASELINES]
    place = known.index(name) if name in known else crc32(name.encode())
    variant = turn + (crc32(parameters.encode()) if parameters else 0)
    return {
        "color": _COLOURS[place % len(_COLOURS)],
        "linestyle": _DASHES[variant % len(_DASHES)] if parameters or turn else "-",
        "marker": _MARKERS[(place + variant) % len(_MARKERS)],
    }


def styles(labels: Sequence[str]) -> dict[str, dict]:
    """The style of every label, turned on where two would look alike."""
    chosen: dict[str, dict] = {}
    for label in labels:
        looks = (style(label, turn) for turn in range(len(_MARKERS)))
        chosen[label] = next((k for k in looks if k not in chosen.values()), style(label))
    return chosen


def _default(frame: pd.DataFrame) -> list[tuple[str, str, str]]:
    measures = list(frame["measure"].unique())
    wanted = [("curves", measure, "count") for measure in measures[:3]]
    if (frame["part"] == "progressive").any():
        wanted += [("stream", measure, "count") for measure in measures[:2]]
    if len(frame[tables.GROUP].drop_duplicates()) > 1:
        wanted.append(("ranks", measures[0], "count"))
    return wanted


def _curves(frame: pd.DataFrame, measure: str, x: str) -> Iterator[tuple[str, Figure]]:
    """The measure on the test part against the number of features, a line for every selector."""
    rows, suffix, xlabel = tables.last(frame, measure), "", "number of features"
    rows = rows.assign(x=rows["k"].astype(float))
    if x == "percent":
        suffix, xlabel = "_percent", "features, % of all"
        rows["x"] = _percent(frame, rows)
    for ending, part in _by_resampling(rows):
        yield f"curves_{measure}{suffix}{ending}", _panels(part, measure, xlabel, _curve_panel)


def _stream(frame: pd.DataFrame, measure: str, _x: str) -> Iterator[tuple[str, Figure]]:
    """The progressive measure against the samples seen, a line for every learner."""
    rows, absent = tables.rows_of(frame, measure, "progressive"), tables.last(frame, measure)
    absent = absent[(absent["features"] == "") & absent["classifier"].isin(rows["classifier"])]
    rows = pd.concat([rows, absent]).sort_index()
    rows = rows.assign(x=rows["seen"].astype(float))
    for ending, part in _by_resampling(rows):
        yield f"stream_{measure}{ending}", _panels(part, measure, "samples seen", _stream_panel)


def _ranks(frame: pd.DataFrame, measure: str, _x: str) -> Iterator[tuple[str, Figure]]:
    """Mean ranks, the best on top; a bar spans the middle half of the cells, a line all of them."""
    ranks = tables.rank(frame, measure)
    if ranks.cells.empty:
        yield f"ranks_{measure}", _empty("no cell has a complete value of every selector")
        return
    table, spread = ranks.table, ranks.cells.quantile([0, 0.25, 0.75, 1])
    figure = Figure(figsize=(3.5, 0.8 + 0.19 * len(table)), layout="constrained")
    axes = figure.add_subplot()
    looks = styles(frame["selector"].unique())
    for y, (name, mean) in enumerate(zip(table["selector"], table["mean rank"], strict=True)):
        colour, marker = looks[name]["color"], looks[name]["marker"] or "o"
        least, lower, upper, most = spread[name]
        axes.hlines(y, lower, upper, color=colour, linewidth=5, alpha=0.25)
        axes.hlines(y, least, most, color=colour, linewidth=0.8)
        axes.plot(mean, y, color=colour, marker=marker, markersize=5)
    axes.set_yticks(range(len(table)), [_NAMES.get(name, name) for name in table["selector"]])
    axes.set_ylim(len(table) - 0.5, -0.5)
    label = f"mean rank by {_words(measure)} in {len(ranks.cells)} cells, 1 is best"
    axes.set_xlabel(label + _note(tables.last(frame, measure)))
    yield f"ranks_{measure}", figure


_KINDS = {"curves": _curves, "stream": _stream, "ranks": _ranks}


def _by_resampling(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every resampling with an ending for its file, empty if there is only one."""
    names = rows["resampling"].unique()
    if len(names) <= 1:
        yield "", rows
        return
    for name in names:
        safe = re.sub(r"[^A-Za-z0-9.=-]+", "_", name).strip("_")
        yield f"_{safe}", rows[rows["resampling"] == name]


def _percent(frame: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    """Numbers of features in percent: as the config wrote them, or of all that the set has."""
    every = frame[frame["features"] == "all"].groupby("dataset")["k"].max()
    percent = 100 * rows["k"].astype(float) / rows["dataset"].map(every).astype(float)
    written = rows["features"].str.endswith("%")
    percent[written] = rows["features"][written].str.rstrip("%").astype(float)
    unknown = rows["dataset"][percent.isna() & (rows["features"] != "")]
    if len(unknown):
        raise UserError(
            f"how many features {unknown.iloc[0]} has is not known. For 'x: percent' give features "
            "in percent, or add the selector none."
        )
    return percent


def _panels(rows: pd.DataFrame, measure: str, xlabel: str, paint: Callable) -> Figure:
    """A panel for every set and ratio, a line of panels for every classifier; long lines wrap."""
    sets = list(dict.fromkeys(zip(rows["dataset"], rows["ratio"], strict=True)))
    if not sets:
        return _empty(f"no {_words(measure)} by {xlabel} was measured")
    columns = math.ceil(len(sets) / math.ceil(len(sets) / _ABREAST))
    blocks = [sets[i : i + columns] for i in range(0, len(sets), columns)]
    classifiers = rows["classifier"].unique()
    lines = [(block, classifier) for block in blocks for classifier in classifiers]
    size = max(3.5, 0.5 + 1.7 * columns), 0.4 + 1.45 * len(lines)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(lines), columns, squeeze=False)
    looks = styles(rows["selector"].unique())
    for line, (block, classifier) in zip(grid, lines, strict=True):
        own = rows[rows["classifier"] == classifier]
        parts = [own[(own["dataset"] == d) & (own["ratio"] == r)] for d, r in block]
        for axes, part, place in zip(line, parts, block, strict=False):
            axes.set_title(" · ".join(place) if classifier == classifiers[0] else "")
            paint(axes, part[part["features"] != ""], looks)
        line[0].set_ylabel(f"{_words(measure)}\n{classifier}")
        _scale(line, parts)
    figure.supxlabel(xlabel + _note(rows, " (hollow or absent)"), fontsize=8)
    _legend(figure, looks)
    return figure


def _curve_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    ticks = sorted(rows["x"][rows["selector"] != "none"].unique())
    alone = len(ticks) == 1
    flat = rows["selector"].isin(_BASELINES if alone else ["none"])
    for name, mean in zip(rows["selector"][flat], rows["mean"][flat], strict=True):
        axes.axhline(mean, **looks[name])
    if alone:
        _side_by_side(axes, rows[~flat], looks, ticks[0])
        return
    for name, line in rows[~flat].groupby("selector", sort=False):
        _line(axes, line.sort_values("x"), looks[name])
    if ticks and ticks[-1] > _LOG_FROM * ticks[0]:
        axes.set_xscale("log")
    axes.set_xticks(_apart(ticks, axes.get_xscale() == "log"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _apart(ticks: list[float], log: bool) -> list[float]:
    """The ticks whose labels do not run into one another, the last one among them."""
    places = [math.log(x) if log else x for x in ticks]
    kept = []
    for x, place in reversed(list(zip(ticks, places, strict=True))):
        room = _LABEL * len(f"{x:g}") * (places[-1] - places[0])
        if not kept or kept[-1][1] - place >= room:
            kept.append((x, place))
    return [x for x, _ in reversed(kept)]


def _stream_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    for name, line in rows.groupby("selector", sort=False):
        _line(axes, line, looks[name])
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def _line(axes: Axes, rows: pd.DataFrame, look: dict) -> None:
    """A mean with a band of one sd; hollow markers where results are missing."""
    low, high = rows["mean"] - rows["sd"], rows["mean"] + rows["sd"]
    axes.fill_between(rows["x"], low, high, color=look["color"], alpha=0.12, linewidth=0)
    marks = {"markevery": math.ceil(len(rows) / 12), **_face(look, rows["missing"].any())}
    axes.plot(rows["x"], rows["mean"], **look, **marks)


def _side_by_side(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict], x: float) -> None:
    """Means with bars of one sd next to one another, for a single number of features."""
    for place, row in enumerate(rows.to_dict("records")):
        look = {**looks[row["selector"]], "linestyle": "none"}
        axes.errorbar(place, row["mean"], row["sd"], **look, **_face(look, row["missing"]))
    axes.set_xlim(-1, len(rows))
    axes.set_xticks([(len(rows) - 1) / 2], [f"{x:g}"])


def _face(look: dict, missing: int) -> dict:
    return {"markerfacecolor": "white" if missing else look["color"]}


def _scale(line: Sequence[Axes], parts: list[pd.DataFrame]) -> None:
    """One y-axis for a line of panels, unless it would flatten them."""
    low = pd.Series([(p["mean"] - p["sd"].fillna(0)).min() for p in parts]).clip(lower=0)
    high = pd.Series([(p["mean"] + p["sd"].fillna(0)).max() for p in parts]).clip(upper=1)
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


def _legend(figure: Figure, looks: dict[str, dict]) -> None:
    names = sorted(looks, key=lambda name: name in _BASELINES)
    handles = [Line2D([], [], label=_NAMES.get(name, name), **looks[name]) for name in names]
    room = figure.get_figwidth() / (0.5 + 0.07 * max(len(handle.get_label()) for handle in handles))
    columns = max(1, min(len(names), int(room)))
    figure.set_figheight(figure.get_figheight() + 0.17 * math.ceil(len(names) / columns))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)


def _note(rows: pd.DataFrame, how: str = "") -> str:
    """A line on the cells of the grid that rest on fewer results than planned, if any."""
    cells = rows[rows["missing"] > 0][tables.CELL].drop_duplicates()
    return f"\nincomplete cells: {len(cells)}{how}" if len(cells) else ""


def _empty(text: str) -> Figure:
    figure = Figure(figsize=(3.5, 1))
    figure.text(0.5, 0.5, text, ha="center", va="center", color="0.5")
    return figure


def _words(measure: str) -> str:
    return _WORDS.get(measure, measure.replace("_", " "))


def _save(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all, without dates."""
    kind = path.suffix[1:]
    drawn = BytesIO()
    figure.savefig(drawn, format=kind, metadata=lookup(_UNDATED, kind, "format"))
    write_bytes(path, drawn.getvalue())
