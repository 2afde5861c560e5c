"""The folders that hold the data and the cache of parsed data."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.data.sets import place_of
from imbfs.cli.shared import DataFolder

_CACHED = re.compile(r"(own-)?[0-9a-f]{24}|\.new-.+")  # what the cache calls its folders


def where(data: DataFolder = None) -> None:
    """Say which folders hold the data and the cache of parsed data, and why these.

    Example: imbfs data where --data my/data
    """
    from imbfs.datasets import DATASETS, data_directory
    from imbfs.datasets.cache import cache_directory

    why = "--data" if data else _why("IMBFS_DATA")
    n_files = sum(entry.make is None for entry in DATASETS.values())
    found = sum(DATASETS[name].make is None and bool(place_of(name)) for name in DATASETS)
    kept = _kept(cache_directory())
    typer.echo(f"data   {data_directory()} ({why}): {found} of {n_files} sets")
    typer.echo(
        f"cache  {cache_directory()} ({_why('IMBFS_CACHE')}): {len(kept)} parsed, "
        f"{_megabytes(_size(kept))}"
    )


def clean(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataFolder = None,
) -> None:
    """Remove the cache of parsed data; the data itself stays, and is parsed again when needed.

    Example: imbfs data clean --yes
    """
    from shutil import rmtree

    from imbfs.datasets.cache import cache_directory

    kept = _kept(cache_directory())
    if not kept:
        typer.echo(f"{cache_directory()}: nothing to remove.")
        return
    if not yes:
        typer.confirm(f"Remove {len(kept)} parsed sets from {cache_directory()}?", abort=True)
    before = _size(kept)
    for folder in kept:
        rmtree(folder, ignore_errors=True)
    typer.echo(f"{cache_directory()}: {_megabytes(before - _size(kept))} freed.")


def _why(variable: str) -> str:
    return variable if os.environ.get(variable) else f"default; {variable} is not set"


def _kept(root: Path) -> list[Path]:
    """The folders of the cache; whatever else lies beside them is not ours to remove."""
    if not root.is_dir():
        return []
    return [path for path in root.iterdir() if path.is_dir() and _CACHED.fullmatch(path.name)]


def _size(folders: list[Path]) -> int:
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*"))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
