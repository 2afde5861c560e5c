"""Critical-difference diagrams: mean ranks over problems, and who cannot be told apart by them."""

import math
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from imbfs import config
from imbfs.config.shown import MEAN
from imbfs.showing.averages import Block
from imbfs.showing.averages.differences import Differences, differences
from imbfs.showing.figures import panels
from imbfs.showing.style import name, styles, words

_ABREAST = 2  # diagrams side by side
_WIDTH, _LINE = 3.6, 0.145  # inches of a diagram and of a line of text in it
_BAR = 0.55  # lines from one bar to the next


def diagrams(blocks: list[Block], wanted: config.Figure) -> Figure:
    """A diagram for every group and classifier: rank 1, the best, is on the left.

    A bar joins selectors whose mean ranks differ by less than the critical difference.
    """
    compared = [(block, block.at(wanted.features)) for block in blocks]
    found = [(block, len(v), d) for block, v in compared if (d := differences(v)) is not None]
    if not found:
        return panels.empty("no two problems have a complete value of every selector")
    columns = min(_ABREAST, len(found))
    lines = math.ceil(len(found) / columns)
    height = max(_depth(d) for *_, d in found) + 3.2
    size = _WIDTH * columns, _LINE * height * lines + 0.4
    figure = Figure(figsize=size, layout="constrained")
    every = figure.subplots(lines, columns, squeeze=False).ravel()
    looks = styles(dict.fromkeys(label for block, *_ in found for label in block.values))
    for axes, (block, n, ranked) in zip(every, found, strict=False):
        _diagram(axes, ranked, looks)
        axes.set_ylim(height - 2.2, -1)
        axes.set_title(_title(block, n, ranked))
    for axes in every:
        axes.set_axis_off()
    said = f"mean rank by {words(wanted.measure)} with {wanted.features} features, 1 is best"
    figure.supxlabel(fill(f"{said}; CD: critical difference", 60 * columns), fontsize=8)
    return figure


def _title(block: Block, n: int, found: Differences) -> str:
    by = "mean of classifiers" if block.classifier == MEAN else block.classifier
    return f"{block.group}, {by}: n = {n}, CD = {found.critical:.2f}"


def _depth(found: Differences) -> float:
    """Lines below the scale: bars, then the names on the longer side."""
    return 0.4 + _BAR * len(found.alike) + math.ceil(len(found.ranks) / 2)


def _diagram(axes: Axes, found: Differences, looks: dict[str, dict]) -> None:
    """A scale of ranks, bars below it, and the names of the better half left, the others right."""
    worst = len(found.ranks)
    axes.set_xlim(1 - 0.42 * worst, 1.42 * worst)
    axes.plot([1, worst], [0, 0], color="black", linewidth=0.8)
    for rank in range(1, worst + 1):
        axes.plot([rank, rank], [0, -0.25], color="black", linewidth=0.6)
        if worst <= 10 or rank % 2:  # or the numbers run together
            axes.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=6.5)
    for place, members in enumerate(found.alike):
        ends = found.ranks[members].agg(["min", "max"])
        y = 0.45 + _BAR * place
        axes.plot(ends + [-0.04, 0.04], [y, y], color="0.3", linewidth=2.2)
    below = 0.4 + _BAR * len(found.alike)
    half = math.ceil(worst / 2)
    for place, (label, rank) in enumerate(found.ranks.items()):
        left = place < half
        y = below + (place if left else worst - 1 - place) + 0.5
        edge, side = (0.9, "right") if left else (worst + 0.1, "left")
        colour = looks[label]["color"]
        axes.plot([rank, rank, edge], [0, y, y], color=colour, linewidth=0.8)
        text = f"{name(label)}  {rank:.2f}" if left else f"{rank:.2f}  {name(label)}"
        axes.text(edge, y, text, ha=side, va="center", fontsize=7, color=colour)
