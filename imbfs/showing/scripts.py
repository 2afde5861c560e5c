"""What the scripts below experiments/ write: a table, a figure, a note on how they were made."""

import json
import platform
import sys
from io import BytesIO
from pathlib import Path

import numpy as np

from imbfs import __version__
from imbfs.running.store import write_bytes, write_text
from imbfs.showing.markup import FORMATS, Sheet


def results() -> Path:
    """The folder of results that a script was given, else that of the project."""
    return Path(sys.argv[1]) if len(sys.argv) > 1 else Path("results")


def publish(folder: Path, name: str, sheet: Sheet, drawn: bytes, note: dict) -> None:
    """Write NAME.csv, .md, .png and .json below a folder of results, and say where."""
    for form in ("csv", "md"):
        extension, render = FORMATS[form]
        write_text(folder / "tables" / f"{name}.{extension}", render(sheet))
    write_bytes(folder / "figures" / f"{name}.png", drawn)
    made = {"imbfs": __version__, "python": platform.python_version(), "numpy": np.__version__}
    write_text(folder / f"{name}.json", json.dumps(made | note, indent=1) + "\n")
    for path in sorted(folder.rglob(f"{name}.*")):
        print(path.relative_to(folder.parents[1]))


def png(figure) -> bytes:
    """A figure as a file, the same to the byte each time."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", metadata={"Software": None})
    return drawn.getvalue()
