"""Figures of a nested comparison: estimates with intervals, and curves of what was compared."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from imbfs.showing.figures import LOOK, _save
from imbfs.showing.style import name, styles, words
from imbfs.stats import Interval

_MOST_LINES = 9


def draw(
    folder: Path,
    estimates: dict[str, dict[str, Interval]],
    largest: float,
    compared: pd.DataFrame,
    measure: str,
) -> list[Path]:
    """Both figures, as files of the folder."""
    paths = [folder / "figures" / "estimates.png", folder / "figures" / "compared.png"]
    with rc_context(LOOK):
        _save(intervals(estimates, largest, measure), paths[0])
        _save(curves(compared, measure), paths[1])
    return paths


def intervals(estimates: dict[str, dict[str, Interval]], largest: float, measure: str) -> Figure:
    """A panel for every measure, a line for each estimate, the first on top."""
    measures = list(next(iter(estimates.values())))
    figure = Figure(figsize=(2.4 * len(measures), 1.3), layout="constrained")
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axes, one in zip(panels, measures, strict=True):
        for place, of in enumerate(estimates.values()):
            found, colour = of[one], "#0072B2" if place == 0 else "0.45"
            axes.hlines(place, found.low, found.high, color=colour, linewidth=1.6)
            axes.plot(found.value, place, "o", color=colour, markersize=4.5)
        if one == measure:
            axes.plot(largest, 0, "|", color="#D55E00", markersize=9)
            axes.annotate(
                "best of all tried", (largest, 0), (0, 7), textcoords="offset points",
                ha="center", color="#D55E00", fontsize=6,
            )  # fmt: skip
        axes.set_yticks(range(len(estimates)), list(estimates))
        axes.set_ylim(len(estimates) - 0.5, -0.8)
        axes.set_xlabel(f"{words(one)}, 95% interval")
    return figure


def curves(compared: pd.DataFrame, measure: str) -> Figure:
    """The mean against the number of features, a panel for each classifier."""
    classifiers = list(dict.fromkeys(compared["classifier"]))
    shown = _strongest(compared, measure)
    looks = styles(shown)
    figure = Figure(figsize=(0.9 + 2.2 * len(classifiers), 2.6), layout="constrained")
    panels = figure.subplots(1, len(classifiers), sharey=True, squeeze=False)[0]
    drawn, marks = {}, sorted(set(compared.loc[compared["selector"] != "none", "k"]))
    for axes, classifier in zip(panels, classifiers, strict=True):
        own = compared[compared["classifier"] == classifier]
        for selector in shown:
            rows = own[own["selector"] == selector].sort_values("k")
            values = rows[f"{measure}_mean"]
            if selector == "none" and len(rows):
                look = {k: v for k, v in looks[selector].items() if k != "marker"}
                drawn[selector] = axes.axhline(values.iloc[0], **look)
            elif len(rows):
                (drawn[selector],) = axes.plot(rows["k"], values, **looks[selector])
        axes.set_xscale("log")
        axes.set_xticks(marks, [str(mark) for mark in marks])
        axes.set_xticks([], minor=True)
        axes.set_title(classifier)
        axes.set_xlabel("number of features")
    panels[0].set_ylabel(f"{words(measure)}, mean of the outer folds")
    lines = [drawn[one] for one in shown if one in drawn]
    labels = [name(one) for one in shown if one in drawn]
    figure.legend(lines, labels, loc="outside right upper", frameon=False)
    return figure


def _strongest(compared: pd.DataFrame, measure: str) -> Sequence[str]:
    """The baselines, and the selectors with the best means."""
    best = compared.groupby("selector", sort=False)[f"{measure}_mean"].max()
    order = best.sort_values(ascending=False, kind="stable").index
    others = [one for one in order if one not in ("none", "random")]
    return [one for one in ("none", "random") if one in best.index] + others[:_MOST_LINES]
