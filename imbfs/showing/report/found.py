"""Experiments that a report can tell of: their folders, what their runs and their tables say."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from imbfs.config import Experiment
from imbfs.errors import UserError
from imbfs.running.store import Store, refuse_links
from imbfs.showing import markup
from imbfs.showing import results as kept


@dataclass(frozen=True)
class Found:
    """One experiment: its folder, and run.json where a run wrote it."""

    folder: Path
    run: dict | None

    @property
    def name(self) -> str:
        return self.run["name"] if self.run else self.key

    @property
    def key(self) -> str:
        """The name of its folder, by which papers and links know it."""
        return self.folder.absolute().name

    @cached_property
    def tables(self) -> dict[str, Path]:
        """The tables in CSV by name, those of the figures of other programs among them."""
        return {path.stem: path for path in sorted((self.folder / "tables").glob("*.csv"))}

    @cached_property
    def config(self) -> Experiment | UserError | None:
        """The experiment as its config tells it, or why this version cannot read it."""
        if self.run is None:
            return None
        try:
            return kept.experiment(Store(self.folder))
        except UserError as error:
            return error

    @property
    def description(self) -> str:
        return self.config.description if isinstance(self.config, Experiment) else ""

    @property
    def leaks(self) -> bool:
        """Whether its rankings saw the test rows."""
        return isinstance(self.config, Experiment) and self.config.rank_on == "all"

    @property
    def tasks(self) -> dict[str, int]:
        """How many tasks the last run found, did and saw failing."""
        return self.run["runs"][-1].get("tasks") or {} if self.run and self.run["runs"] else {}

    def table(self, name: str) -> pd.DataFrame | None:
        """A table as the texts that stand in it, if it is there."""
        path = self.tables.get(name)
        return None if path is None else texts(path)

    def notes(self, name: str) -> list[str]:
        """How to read a table, as its Markdown says it above the first line of it."""
        path = self.tables[name].with_suffix(".md")
        above = path.read_text(encoding="utf-8").split("\n|")[0] if path.exists() else ""
        lines = above.split("\n") if not above.startswith("|") else []
        return [re.sub(r"\\(.)", r"\1", line) for line in lines if line.strip()]


def texts(path: Path) -> pd.DataFrame:
    """The table in a CSV file, as texts; one without rows is written as an empty line."""
    try:
        return markup.texts(path)
    except (OSError, ValueError) as error:
        if isinstance(error, pd.errors.EmptyDataError) and path.stat().st_size:
            return pd.DataFrame()
        raise UserError(f"{path}: cannot be read: {error}.") from None


def experiments(folder: Path) -> list[Found]:
    """The experiment in a folder, or those below it, each under a name of its own."""
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder.")
    if _holds(folder):
        return [found(folder)]
    every = [found(path) for path in sorted(folder.iterdir()) if path.is_dir() and _holds(path)]
    if not every:
        raise UserError(f"{folder}: holds no results. Make some with imbfs run CONFIG.")
    homes: dict[str, Path] = {}
    for one in every:
        if one.name in homes:
            both = f"{homes[one.name]} and {one.folder}"
            raise UserError(f"{both}: both are called {one.name}. Rename or remove one of them.")
        homes[one.name] = one.folder
    return every


def _holds(folder: Path) -> bool:
    return (folder / "run.json").exists() or any((folder / "tables").glob("*.csv"))


def found(folder: Path) -> Found:
    """What a folder holds, refused where another version or program wrote its run.json."""
    refuse_links(folder)
    return Found(folder, Store(folder).read("run.json"))
