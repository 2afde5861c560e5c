"""Figures of chosen features: each by class, and all of them over the samples."""

import math

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from imbfs.showing.figures import LOOK, rendered
from imbfs.showing.style import FEW

_SHOWN, _ABREAST = 12, 4  # features by class, and how many side by side
_POINTS = 200  # samples of a class that are drawn as points
_ROWS = 400  # samples of a heat map
_BOUND = 3  # standard deviations at which its colours end
_LONG = 22  # characters of a name
_ROOM = 20  # characters side by side below a panel


def by_class(
    X: np.ndarray, y: np.ndarray, names: list[str], classes: dict[int, str], notes: list[str]
) -> bytes:
    """The first features by class, a panel each: points, and a box from quarter to quarter."""
    names, notes = names[:_SHOWN], notes[:_SHOWN]
    columns = min(_ABREAST, len(names))
    lines = math.ceil(len(names) / columns)
    with rc_context(LOOK):
        figure = Figure(figsize=(1.9 * columns + 0.3, 1.7 * lines + 0.3), layout="constrained")
        panels = figure.subplots(lines, columns, squeeze=False).ravel()
        for j, axes in enumerate(panels):
            if j < len(names):
                _strips(axes, X[:, j], y, classes)
                axes.set_title(f"{_short(names[j])}\n{notes[j]}", fontsize=7)
            else:
                axes.set_axis_off()
        return _png(figure)


def heat_map(X: np.ndarray, y: np.ndarray, names: list[str], classes: dict[int, str]) -> bytes:
    """Samples by features: classes one below the other, features that rise together side by side.

    Values are standardized and their colours end at 3 standard deviations. Within a class samples
    stand in the order of the mean over the features, each turned to rise with the last class.
    """
    rows, columns, values = _ordered(X, y, list(classes))
    with rc_context(LOOK):
        size = max(4.0, min(10.0, 1.6 + 0.14 * len(names))), max(3.0, min(8.0, 0.06 * len(rows)))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        drawn = axes.imshow(
            values, aspect="auto", cmap="RdBu_r", vmin=-_BOUND, vmax=_BOUND, interpolation="nearest"
        )
        figure.colorbar(drawn, ax=axes, label="standard deviations from the mean", shrink=0.7)
        _mark_classes(axes, y[rows], classes)
        few = len(names) <= 60
        axes.set_xticks(range(len(names)) if few else [])
        axes.set_xticklabels([_short(names[j]) for j in columns] if few else [], rotation=90)
        axes.tick_params(length=0, labelsize=6)
        axes.set_xlabel("" if few else f"{len(names)} features")
        return _png(figure)


def _strips(axes, values: np.ndarray, y: np.ndarray, classes: dict[int, str]) -> None:
    many = len(classes) > 3
    for place, (code, colour) in enumerate(zip(classes, _colours(len(classes)), strict=True)):
        own = values[y == code]
        points = (
            own if len(own) <= _POINTS else np.random.default_rng(0).choice(own, _POINTS, False)
        )
        aside = np.random.default_rng(1).uniform(-0.16, 0.16, len(points))
        axes.plot(place + aside, points, ".", color=colour, alpha=0.6, ms=4, mew=0, zorder=2)
        box = {"color": "0.15", "linewidth": 0.8}
        axes.boxplot(
            [own],
            positions=[place],
            widths=0.6,
            showfliers=False,
            whis=0,
            showcaps=False,
            boxprops=box,
            medianprops={"color": "0.15", "linewidth": 1.4},
            whiskerprops={"linewidth": 0},
        )
    axes.set_xlim(-0.6, len(classes) - 0.4)
    axes.set_xticks(range(len(classes)))
    room = 12 if many else _ROOM // len(classes)
    axes.set_xticklabels([_short(name, room) for name in classes.values()], rotation=90 * many)


def _ordered(X: np.ndarray, y: np.ndarray, codes: list[int]):
    """Rows and columns in the order of the map, and its values."""
    sd = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1.0)
    last = Z[y == codes[-1]].mean(axis=0)
    turned = np.where(last < 0, -1.0, 1.0)
    columns = np.concatenate([np.flatnonzero(turned > 0), np.flatnonzero(turned < 0)])
    height = (Z * turned).mean(axis=1)
    each = max(2, _ROWS // len(codes))
    rows = []
    for code in codes:
        own = np.flatnonzero(y == code)
        own = own[np.argsort(height[own], kind="stable")]
        if len(own) > each:  # evenly spaced ones stand for all
            own = own[np.linspace(0, len(own) - 1, each).round().astype(int)]
        rows.append(own)
    rows = np.concatenate(rows)
    return rows, columns, Z[np.ix_(rows, columns)]


def _mark_classes(axes, y: np.ndarray, classes: dict[int, str]) -> None:
    ticks, start = [], 0
    for code in classes:
        count = int(np.sum(y == code))
        ticks.append(start + count / 2 - 0.5)
        start += count
        if start < len(y):
            axes.axhline(start - 0.5, color="black", linewidth=0.8)
    axes.set_yticks(ticks)
    axes.set_yticklabels([_short(name) for name in classes.values()])


def _colours(count: int) -> list[str]:
    return [FEW[i % len(FEW)] for i in range(count)]


def _short(name: str, most: int = _LONG) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _png(figure: Figure) -> bytes:
    return rendered(figure, "png", dpi=150)
