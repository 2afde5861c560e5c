"""From tables/results.csv to figures; nothing else is read, so committed tables suffice to redraw.

Only time has a table of its own, seconds.csv, and the groups of sets have theirs, problems.csv.
This folder alone imports matplotlib, and its objects alone: no window, the same bytes every time.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from textwrap import fill
from warnings import catch_warnings, filterwarnings

import pandas as pd
from matplotlib import figure as drawing
from matplotlib import rc_context

from imbfs.config import Figure
from imbfs.config.shown import OVER_PROBLEMS
from imbfs.errors import UserError, lookup
from imbfs.measures import DESCRIPTIVE
from imbfs.running.store import write_bytes
from imbfs.showing import tables
from imbfs.showing.averages import groups
from imbfs.showing.figures.kinds import KINDS
from imbfs.showing.style import shortened

LOOK = {
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7.5,
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
_LETTERS = 16  # of 8 points, that fit into an inch
_UNDATED = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
}


def draw(
    folder: Path, figures: tuple[Figure, ...] | None = None, formats: Sequence[str] = ("png",)
) -> list[Path]:
    """Draw the figures that a config names, from tables/results.csv of the folder.

    If it says nothing of figures: curves of the first three measures, the stream of the first two
    if there is one, and the ranks by the first where more than one group was measured.
    """
    if figures == ():
        return []
    source = folder / "tables" / "results.csv"
    frame = tables.read(source)
    if any(wanted.kind == "time" for wanted in figures or ()):
        frame = tables.timed(frame, source.with_name("seconds.csv"))
    if any(wanted.kind in OVER_PROBLEMS for wanted in figures or ()):
        frame = groups.grouped(frame, groups.read(source.with_name("problems.csv")))
    paths = []
    with rc_context(LOOK):
        for wanted in _default(frame) if figures is None else figures:
            try:
                drawn = dict(KINDS[wanted.kind](_shown(frame, wanted), wanted))
            except UserError as error:
                raise error.within(str(source)) from None
            for name, figure in drawn.items():
                if tables.leaks(frame):
                    said = fill(tables.LEAK, int(figure.get_figwidth() * _LETTERS))
                    figure.supxlabel(f"{figure.get_supxlabel()}\n{said}".strip(), fontsize=8)
                for extension in formats:
                    paths.append(folder / "figures" / f"{name}.{extension}")
                    _save(figure, paths[-1])
    return paths


def _shown(frame: pd.DataFrame, wanted: Figure) -> pd.DataFrame:
    """The rows of the selectors to draw, under names as short as these leave them."""
    if wanted.selectors is not None:
        frame = frame[frame["selector"].isin(wanted.selectors)]
    return frame.assign(selector=frame["selector"].map(shortened(frame["selector"].unique())))


def _default(frame: pd.DataFrame) -> list[Figure]:
    measures = list(frame["measure"].unique())
    wanted = {"curves": measures[:3]}
    if (frame["part"] == "progressive").any():
        wanted["stream"] = measures[:2]
    if len(frame[tables.GROUP].drop_duplicates()) > 1:
        wanted["ranks"] = [name for name in measures if name not in DESCRIPTIVE][:1]
    return [Figure(kind=kind, measure=name) for kind, names in wanted.items() for name in names]


def rendered(figure: drawing.Figure, kind: str, **given) -> bytes:
    """A figure as a file of this kind, without dates."""
    drawn = BytesIO()
    with catch_warnings():
        # A letter that the font lacks is a box in the figure, which says enough.
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        figure.savefig(drawn, format=kind, metadata=lookup(_UNDATED, kind, "format"), **given)
    return drawn.getvalue()


def _save(figure: drawing.Figure, path: Path) -> None:
    """Write a figure whole or not at all."""
    write_bytes(path, rendered(figure, path.suffix[1:]))
