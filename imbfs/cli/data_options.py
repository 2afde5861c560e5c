"""The options that say how a file of the user's own is read: the same in every command."""

import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import say
from imbfs.errors import UserError


class Samples(StrEnum):
    rows = "rows"
    columns = "columns"


DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="A file: CSV, LIBSVM, MATLAB, ARFF, NPZ or Parquet, plain or packed."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column of the class: its name or number (-1: last)."),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", help="The class to find; the rarer of two unless given."),
]
Group = Annotated[
    str | None,
    typer.Option("--group", help="The column, such as the patient, whose rows stay together."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="A column that is no feature. May be given several times."),
]
SamplesIn = Annotated[
    Samples | None,
    typer.Option("--samples", help="columns: the file has a row per feature, as gene tables do."),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        help="How the file is read, as NAME=VALUE, where what is printed as found is wrong. "
        "Of CSV: header=yes|no, separator=SIGN (or comma, semicolon, tab, blanks), decimal=SIGN, "
        "comments=yes|no (lines that begin with #), unlabelled=drop (rows without class), "
        "labels=FILE (classes in a second file), ids=COLUMN, texts=encode, names=number. "
        "Of MATLAB: X=NAME, y=NAME. May be given several times.",
    ),
]

# Options of the reader that are options of the command.
_OWN = ("target", "drop", "samples")


@dataclass(frozen=True)
class DataOptions:
    """A data file and how to read it, as given on the command line."""

    data: Path
    target: str | None = None
    positive: str | None = None
    group: str | None = None
    drop: list[str] | None = None
    samples: Samples | None = None
    read: list[str] | None = None

    @property
    def reader(self) -> dict:
        """The options of --read."""
        return dict(map(_option, self.read or []))

    def take(self):
        """Read the file; print what it holds, and a note for everything odd about it."""
        from imbfs.own import told
        from imbfs.own.intake import take

        intake = take(
            self.data,
            self.target,
            self.positive,
            self.group,
            samples=self.samples and self.samples.value,
            drop=self.drop or (),
            read=self.reader,
        )
        say(f"{self.data}\n{told.saw(intake)}.", err=False)
        say(filled(f"read as {intake.how}"), err=False)
        for line in intake.warnings:
            say(filled(f"  note: {line}."), "yellow")
        return intake

    def words(self) -> str:
        """The same file and options as a shell takes them."""
        path = str(self.data)
        given = [
            ("target", [self.target]),
            ("positive", [self.positive]),
            ("group", [self.group]),
            ("drop", self.drop or []),
            ("samples", [self.samples and self.samples.value]),
            ("read", self.read or []),
        ]
        options = [
            word
            for name, values in given
            for value in values
            if value is not None
            for word in (f"--{name}", str(value))
        ]
        return shlex.join([f"./{path}" if path.startswith("-") else path, *options])


def filled(text: str) -> str:
    """A text in lines as wide as the terminal."""
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(text, max(40, get_terminal_size().columns), subsequent_indent="    ")


def parsed(text: str, option: str):
    """The value of an option in the YAML of configs: a name, a number, {name: {...}}."""
    from imbfs.config import dialect

    try:
        return dialect.read(text)
    except UserError as error:
        raise error.within(f"{option} {text[:80]}") from None


def _option(text: str) -> tuple[str, object]:
    """A name and its value; what is no list, mapping, quote, number, true or false is a text."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"--read {text[:80]}: write NAME=VALUE, as in header=no.")
    if name in _OWN:
        raise UserError(f"--read {name}: give it as --{name}.")
    if value.lstrip()[:1] in tuple("[{\"'!"):
        return name, parsed(value, f"--read {name}")
    try:
        found = parsed(value, f"--read {name}")
    except UserError:
        return name, value
    return name, value if isinstance(found, str | dict) or found is None else found
