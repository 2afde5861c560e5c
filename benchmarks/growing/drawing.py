"""Figures of what was measured: time and memory against size, slopes beside the curves."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from growing.slopes import Curve, curves
from imbfs.showing.style import styles

FIGURES = {
    "learners": {
        "rows": "rows of a stream",
        "non-zeros": "values that are not 0 in a stream",
        "features": "features of a stream",
    },
    "filters": {"dense": "features, dense", "sparse": "features, sparse"},
}
_GAP = 0.027  # of the height of a panel, between two labels
_GUIDE = {"color": "0.75", "linewidth": 0.8, "linestyle": (0, (4, 3)), "zorder": 0}


def draw(table: pd.DataFrame, folder: Path) -> None:
    """Write a figure each of learners and filters: a column an axis, time above memory."""
    known = curves(table)
    for name, axes in FIGURES.items():
        figure = Figure(figsize=(5.4 * len(axes), 11), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(2, len(axes), squeeze=False)
        looks = _looks(dict.fromkeys(method for method, axis in known if axis in axes))
        for column, (axis, words) in enumerate(axes.items()):
            own = [curve for curve in known.values() if curve.against == axis]
            _panel(panels[0, column], own, "seconds", looks)
            _panel(panels[1, column], own, "megabytes", looks)
            panels[1, column].set_xlabel(words)
        panels[0, 0].set_ylabel("seconds of the processor")
        panels[1, 0].set_ylabel("peak memory, MB")
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})


def _looks(methods: Iterable[str]) -> dict[str, dict]:
    """The style that a method has in all figures; a budget always makes a variant of it."""
    labels = {name: name.replace(" always", "(budget=always)") for name in methods}
    labels = {name: label.replace("stream mbpa", "mbpa(stream)") for name, label in labels.items()}
    looks = styles(list(labels.values()))
    return {name: looks[label] for name, label in labels.items()}


def _panel(panel: Axes, own: list[Curve], what: str, looks: dict[str, dict]) -> None:
    panel.set(xscale="log", yscale="log")
    for curve in own:
        panel.plot(curve.sizes, getattr(curve, what), markersize=3.5, **looks[curve.method])
    if own:
        _guide(panel, own, what)
        _tick(panel)
        _name(panel, own, what, looks)
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def _guide(panel: Axes, own: list[Curve], what: str) -> None:
    """A line of slope 1 through the middle of the panel."""
    sizes = np.array([min(c.sizes[0] for c in own), max(c.sizes[-1] for c in own)])
    values = np.concatenate([getattr(curve, what) for curve in own])
    middle = np.exp(np.log(values[values > 0]).mean())
    bounds = panel.get_ylim()
    panel.plot(sizes, middle * sizes / np.sqrt(sizes.prod()), **_GUIDE)
    panel.set_ylim(bounds)


def _tick(panel: Axes) -> None:
    """Plain numbers at the left; between powers of ten where these are few."""
    low, high = panel.get_ylim()
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 300 * low else (1,)))
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    panel.yaxis.set_minor_formatter(NullFormatter())


def _name(panel: Axes, own: list[Curve], what: str, looks: dict[str, dict]) -> None:
    """Name and slope of every curve at the right, in the order in which they end."""
    slopes = {c.method: c.time if what == "seconds" else c.memory for c in own}
    low, high = np.log10(panel.get_ylim())
    ends = {c.method: (np.log10(getattr(c, what)[-1]) - low) / (high - low) for c in own}
    order = sorted(own, key=lambda curve: ends[curve.method])
    for curve, place in zip(order, _spread([ends[c.method] for c in order]), strict=True):
        told = "" if np.isnan(slopes[curve.method]) else f"  {slopes[curve.method]:.2f}"
        panel.annotate(
            f"{curve.method}{told}",
            (curve.sizes[-1], getattr(curve, what)[-1]),
            (1.04, place),
            textcoords="axes fraction",
            va="center",
            fontsize=7.5,
            color=looks[curve.method]["color"],
            arrowprops={"arrowstyle": "-", "color": "0.8", "linewidth": 0.5},
        )


def _spread(places: list[float]) -> np.ndarray:
    """Places in the same order with a gap between them, moved as little as that takes."""
    steps = _GAP * np.arange(len(places))
    lowest = np.maximum.accumulate(np.array(places) - steps)
    highest = np.minimum.accumulate((np.array(places) - steps)[::-1])[::-1]
    spread = (lowest + highest) / 2 + steps
    return spread - max(0.0, spread[-1] - 1.05)
