"""The kinds of figures: which rows each one shows, against what, and how its files are called."""

import re
from collections.abc import Callable, Iterator

import pandas as pd
from matplotlib.figure import Figure

from imbfs import config
from imbfs.config.shown import EACH
from imbfs.errors import UserError
from imbfs.showing import averages, tables
from imbfs.showing.averages.approaches import approaches
from imbfs.showing.figures import averages as over_problems
from imbfs.showing.figures import differences, panels
from imbfs.showing.ranks import rank
from imbfs.showing.style import name, styles, words

Drawn = Iterator[tuple[str, Figure]]


def _curves(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """The measure against the number of features, a line for every selector."""
    rows = tables.last(frame, wanted.measure, wanted.part)
    if wanted.x == "ratio":
        yield from _over_ratios(rows, wanted)
        return
    rows, suffix, xlabel = rows.assign(x=rows["k"].astype(float)), "", "number of features"
    if wanted.x == "percent":
        suffix, xlabel = "_percent", "features, % of all"
        rows["x"] = _percent(frame, rows)
    if wanted.part == "progressive":
        suffix += "_progressive"
    for ending, part in _by_resampling(rows):
        figure = panels.grid(part, wanted, xlabel, panels.curve)
        yield f"curves_{wanted.measure}{suffix}{ending}", figure


def _over_ratios(rows: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """The measure against the imposed ratio, a panel for every set, a line for every selector."""
    rows = _at(rows[rows["ratio"].str.startswith("1:")], wanted.features)
    # One panel for all ratios of a set.
    rows = rows.assign(x=rows["ratio"].str.removeprefix("1:").astype(float), ratio="natural")
    suffix, said = _told(wanted.features)
    for ending, part in _by_resampling(rows):
        xlabel = f"majority samples per minority sample{said}"
        figure = panels.grid(part, wanted, xlabel, panels.over_ratios)
        yield f"curves_{wanted.measure}_ratio{suffix}{ending}", figure


def _points(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """Several measures side by side at one number of features, a point for every selector."""
    parts = [_at(tables.last(frame, name), wanted.features) for name in wanted.measures]
    rows = pd.concat([rows.assign(x=float(place)) for place, rows in enumerate(parts)])
    if wanted.classifier != EACH:
        rows = rows[rows["classifier"] == wanted.classifier]
    first = wanted.model_copy(update={"measure": wanted.measures[0]})
    for ending, part in _by_resampling(rows):
        xlabel = f"mean and sd with {wanted.features} features"
        yield f"{wanted.stem}{ending}", panels.grid(part, first, xlabel, panels.points, "value")


def _stream(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """The progressive measure against the samples seen, a line for every learner."""
    rows = _at(tables.rows_of(frame, wanted.measure, "progressive"), wanted.features)
    rows = rows.assign(x=rows["seen"].astype(float))
    suffix, said = _told(wanted.features)
    for ending, part in _by_resampling(rows):
        figure = panels.grid(part, wanted, f"samples seen{said}", panels.stream)
        yield f"stream_{wanted.measure}{suffix}{ending}", figure


def _time(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """The measure on the test part against the seconds spent learning, a line for every learner."""
    rows = _at(tables.rows_of(frame, wanted.measure, "test"), wanted.features)
    rows = rows[(rows["seconds"] > 0) | (rows["features"] == "")]
    rows = rows.assign(x=rows["seconds"])
    suffix, said = _told(wanted.features)
    for ending, part in _by_resampling(rows):
        figure = panels.grid(part, wanted, f"seconds spent learning{said}", panels.time)
        yield f"time_{wanted.measure}{suffix}{ending}", figure


def _ranks(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """Mean ranks, the best on top; a bar spans the middle half of the cells, a line all of them."""
    ranks = rank(frame, wanted.measure)
    if ranks.cells.empty:
        text = "no cell has a complete value of every selector"
        yield f"ranks_{wanted.measure}", panels.empty(text)
        return
    table, spread = ranks.table, ranks.cells.quantile([0, 0.25, 0.75, 1])
    figure = Figure(figsize=(3.5, 0.8 + 0.19 * len(table)), layout="constrained")
    axes = figure.add_subplot()
    looks = styles(frame["selector"].unique())
    for y, (label, mean) in enumerate(zip(table["selector"], table["mean rank"], strict=True)):
        colour, marker = looks[label]["color"], looks[label]["marker"] or "o"
        least, lower, upper, most = spread[label]
        axes.hlines(y, lower, upper, color=colour, linewidth=5, alpha=0.25)
        axes.hlines(y, least, most, color=colour, linewidth=0.8)
        axes.plot(mean, y, color=colour, marker=marker, markersize=5)
    axes.set_yticks(range(len(table)), [name(label) for label in table["selector"]])
    axes.set_ylim(len(table) - 0.5, -0.5)
    label = f"mean rank by {words(wanted.measure)} in {len(ranks.cells)} cells, 1 is best"
    label += panels.note(tables.last(frame, wanted.measure))
    figure.supxlabel(label, fontsize=8)  # long names leave no room below the axes
    yield f"ranks_{wanted.measure}", figure


def _over_problems(draw: Callable) -> Callable:
    """A kind that is drawn from blocks of problems, a file for every resampling."""

    def drawn(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
        for ending, part in _by_resampling(frame):
            blocks = [block for block in averages.blocks(part, wanted) if len(block.values)]
            nothing = panels.empty("no problem has a complete value of every selector")
            yield f"{wanted.stem}{ending}", draw(blocks, wanted) if blocks else nothing

    return drawn


def _approaches(frame: pd.DataFrame, wanted: config.Figure) -> Drawn:
    """Every selector, resampling and classifier by what they reach together, the best on top."""
    found = approaches(frame, wanted)
    nothing = panels.empty("no problem has a complete value of every approach")
    yield wanted.stem, over_problems.bars(found, wanted) if found.problems else nothing


KINDS = {
    "curves": _curves,
    "stream": _stream,
    "time": _time,
    "ranks": _ranks,
    "points": _points,
    "average": _over_problems(over_problems.average),
    "within": _over_problems(over_problems.within),
    "differences": _over_problems(differences.diagrams),
    "approaches": _approaches,
}


def _by_resampling(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every resampling with an ending for its file, empty if there is only one."""
    names = rows["resampling"].unique()
    if len(names) <= 1:
        yield "", rows
        return
    for label in names:
        safe = re.sub(r"[^A-Za-z0-9.=-]+", "_", label).strip("_")
        yield f"_{safe}", rows[rows["resampling"] == label]


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


def _at(rows: pd.DataFrame, features: int | str | None) -> pd.DataFrame:
    """The rows at one number of features, the largest of each cell unless it is given.

    Cells that are measured with all features alone, or not at all, stay as they are.
    """
    most = rows.groupby(tables.CELL)["k"].transform("max")
    chosen = rows["k"] == most if features is None else rows["features"] == str(features)
    alone = rows.groupby(tables.CELL)["features"].transform("nunique") == 1
    rows = rows[chosen.fillna(False) | (alone & rows["features"].isin(["all", ""]))]
    return rows.drop_duplicates([*tables.CELL, "seen"])


def _told(features: int | str | None) -> tuple[str, str]:
    """A number of features in the name of a file and in words; nothing unless it is given."""
    if features is None:
        return "", ""
    whole = "of the " if "%" in str(features) else ""
    return f"_{features}".replace("%", "_percent"), f", with {features} {whole}features"
