"""The command `imbfs compare`: what changed between two experiments, beyond noise."""

from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import ResultsFolder, show

_SHOWN = 20  # cells in the terminal
_LONG = 200  # characters of a setting there
_PLAIN = {"ratio": "natural", "resampling": "none", "part": "test"}  # not told


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A config, or a folder of results.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    results: ResultsFolder = Path("results"),
    out: Annotated[
        Path | None, typer.Option("--out", help="Write every cell to this CSV file.")
    ] = None,
) -> None:
    """Say what changed from A to B: settings, and results cell by cell, beyond noise.

    Example: imbfs compare results/fast results/fast_raw --out changes.csv
    """
    from imbfs.errors import UserError
    from imbfs.running.store import write_text
    from imbfs.showing import compare as comparing
    from imbfs.showing.markup import csv

    sides = [comparing.side(path, results) for path in (first, second)]
    show(_settings(comparing.settings(*sides)))
    lacking = [side.name for side in sides if side.frame is None]
    if lacking and out is not None:
        raise UserError(f"--out {out}: {lacking[0]} has no results.")
    if lacking:
        typer.echo(f"{' and '.join(lacking)}: no results; cells are not compared.")
        return
    told = comparing.cells(*(side.frame for side in sides))
    show(_cells(told))
    if out is not None:
        write_text(out, csv(told))
        typer.echo(str(out))


def _settings(changes):
    """The settings that changed, by rich, in 80 columns."""
    from textwrap import shorten

    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not changes:
        return Text("The settings are the same.")
    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name, width in (("setting", 18), ("A", 28), ("B", 28)):
        block.add_column(name, width=width, overflow="fold")
    for change in changes:
        block.add_row(*(Text(shorten(text, _LONG, placeholder=" ...")) for text in change))
    return Group(Text("Settings that differ", "bold"), block)


def _cells(told):
    """How many cells changed, and those that did so most, by rich, in 80 columns."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from imbfs.showing.compare import BEYOND, OUTCOMES, UNKNOWN

    counts = told["outcome"].value_counts()
    both = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if name in counts)
    lines = [
        Text(f"{len(told)} cells: {both or 'none'}.", "bold"),
        Text("Beyond noise: the means differ by more than 2 sqrt(sd_a^2 + sd_b^2) over repeats."),
    ]
    changed = told[told["outcome"].isin([BEYOND, UNKNOWN])]
    if len(changed):
        block = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        block.add_column("cell", width=47, overflow="fold")
        for name in ("A", "B", "B - A", "noise"):
            block.add_column(name, justify="right")
        for row in changed.head(_SHOWN).to_dict("records"):
            numbers = [f"{row['mean a']:.3f}", f"{row['mean b']:.3f}"]
            difference = Text(
                f"{row['difference']:+.3f}", "green" if row["difference"] > 0 else "red"
            )
            noise = "?" if row["outcome"] == UNKNOWN else f"{row['noise']:.3f}"
            block.add_row(Text(_name(row)), *numbers, difference, noise)
        lines.append(block)
    if len(changed) > _SHOWN:
        lines.append(Text(f"and {len(changed) - _SHOWN} more; --out FILE writes all.", "yellow"))
    return Group(*lines)


def _name(row: dict) -> str:
    """What tells a cell apart, without what is so in most."""
    names = (
        "dataset",
        "ratio",
        "resampling",
        "selector",
        "classifier",
        "features",
        "measure",
        "part",
    )
    return " ".join(row[name] for name in names if row[name] != _PLAIN.get(name))
