"""Figures over problems: averages, shares of them within a tolerance of the best, approaches."""

from itertools import groupby

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from imbfs import config
from imbfs.config.shown import MEAN
from imbfs.showing import averages
from imbfs.showing.averages import Block
from imbfs.showing.averages.approaches import PLAIN, Approaches
from imbfs.showing.figures import panels
from imbfs.showing.style import BASELINES, name, styles, words


def average(blocks: list[Block], wanted: config.Figure) -> Figure:
    """The mean over problems against the number of features, a line for every selector.

    Drawn at counts, or at percentages where there are no counts. What all features give is the line
    of `none`, over the same problems as the others.
    """
    rows = pd.concat([_of_panel(block, _averaged(block)) for block in blocks])
    counts = rows["features"].str.isdecimal()
    rows = rows[counts if counts.any() else rows["features"].str.endswith("%")]
    rows = rows.assign(x=rows["features"].str.rstrip("%").astype(float))
    xlabel = "number of features" if counts.any() else "features, % of all"
    return panels.grid(rows, wanted, xlabel, _means)


def _averaged(block: Block) -> pd.DataFrame:
    """The averages of a block, with the problems that each is over."""
    problems = {features: frozenset(block.at(features).index) for features in block.counts}
    rows = averages.average(block)
    return rows.assign(problems=rows["features"].map(problems))


def _of_panel(block: Block, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows over the problems of a block in the shape of a panel's: a group stands for a set."""
    by = "mean of classifiers" if block.classifier == MEAN else block.classifier
    place = {"dataset": block.group, "ratio": "natural", "resampling": block.resampling}
    return rows.assign(**place, classifier=by, sd=np.nan, missing=0)


def _means(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Lines over numbers of features, broken where the problems are others."""
    for label, line in rows.groupby("selector", sort=False):
        for _, points in groupby(line.to_dict("records"), key=lambda row: row["problems"]):
            xs, means = zip(*((row["x"], row["mean"]) for row in points), strict=True)
            alone = {"marker": looks[label]["marker"] or "_"} if len(xs) == 1 else {}
            axes.plot(xs, means, **looks[label] | alone)
    panels.set_counts(axes, sorted(rows["x"].unique()))
    _entitle(axes, rows)


def within(blocks: list[Block], wanted: config.Figure) -> Figure:
    """The share of problems within a tolerance of the best, a line for every selector."""
    rows = pd.concat([_of_panel(block, _shares(block, wanted.features)) for block in blocks])
    xlabel = f"tolerance, % of the best {words(wanted.measure)} with {wanted.features} features"
    return panels.grid(rows, wanted, xlabel, _tolerances, "share of problems")


def _shares(block: Block, features: int | str) -> pd.DataFrame:
    values = block.at(features)
    shares = averages.within(values).reset_index().dropna()
    rows = shares.melt("selector", var_name="x", value_name="mean").astype({"x": float})
    return rows.assign(features=str(features), n=len(values))


def _tolerances(axes: Axes, rows: pd.DataFrame, looks: dict[str, dict]) -> None:
    for label, line in rows.groupby("selector", sort=False):
        axes.plot(line["x"], line["mean"], **looks[label])
    axes.set_xticks(averages.TOLERANCES[::2])
    _entitle(axes, rows)


def _entitle(axes: Axes, rows: pd.DataFrame) -> None:
    """The group, and of how many problems the panel tells, from the fewest to the most."""
    if len(rows):
        n = "–".join(str(n) for n in sorted({rows["n"].min(), rows["n"].max()}))
        axes.set_title(f"{rows['dataset'].iloc[0]}, n = {n}")


def bars(found: Approaches, wanted: config.Figure) -> Figure:
    """A bar for every approach from the plain one, which is a line, to its mean; one sd is thin.

    Without the plain one bars start at 0.
    """
    table = found.table
    figure = Figure(figsize=(5, 0.8 + 0.17 * len(table)), layout="constrained")
    axes = figure.add_subplot()
    looks = styles(table["selector"].unique())
    start = 0.0 if np.isnan(found.plain) else found.plain
    for y, (label, mean, sd) in enumerate(table[["selector", "mean", "sd"]].to_numpy()):
        axes.barh(y, mean - start, 0.7, start, color=looks[label]["color"], alpha=0.6)
        point = {"color": looks[label]["color"], "marker": looks[label]["marker"] or "o"}
        axes.errorbar(mean, y, xerr=None if np.isnan(sd) else sd, elinewidth=0.6, **point)
    if not np.isnan(found.plain):
        axes.axvline(found.plain, **{**BASELINES["none"], "linewidth": 0.9})
    axes.set_yticks(table.index, [_said(row) for row in table.to_dict("records")])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_xlim(right=min(1.0, axes.get_xlim()[1]))
    said = f"{words(wanted.measure)} with {wanted.features} features"
    figure.supxlabel(f"{said}, mean and sd over {found.problems} problems", fontsize=8)
    return figure


def _said(approach: dict) -> str:
    """The selector, the resampling if there is any, and the classifier."""
    resampling = [] if approach["resampling"] == PLAIN else [approach["resampling"]]
    return " + ".join([name(approach["selector"]), *resampling, approach["classifier"]])
