"""The way from a name in the DATASETS table, or from a path, to arrays."""

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from imbfs.datasets import builtin, readers, synthetic
from imbfs.datasets.cache import cache_directory, cached
from imbfs.datasets.data import Data, View, view
from imbfs.datasets.table import DATASETS, Dataset
from imbfs.errors import UserError, lookup

__all__ = ["DATASETS", "Data", "Dataset", "NotAtHand", "Source", "View", "load", "view"]


class NotAtHand(UserError):
    """A set of the table whose file is not on this machine."""


@dataclass(frozen=True)
class Source:
    """Where the arrays of a set come from: a name in the table, or a file of the user's own."""

    name: str | None = None
    path: str | None = None
    target: str | None = None
    impute: bool = False


def load(source: Source) -> Data:
    """The parsed arrays of a set, memory-mapped from the cache after the first time."""
    if source.path is not None:
        return _own(Path(source.path), source.target, source.impute)
    entry = lookup(DATASETS, source.name, "dataset")
    if entry.make is not None:
        data = _made(source.name, cache_directory())
    else:
        data = _own(find(source.name), entry.target)
    try:
        _verify(entry, data)
    except UserError as error:
        raise error.within(source.name) from None
    return data


def find(name: str) -> Path:
    """The file of a set of the table, in whatever compression it is kept."""
    entry = DATASETS[name]
    folder = data_directory()
    for suffix in readers.SUFFIXES:
        path = folder / (entry.file + suffix)
        if path.is_file():
            return path
    raise NotAtHand(
        f"{name}: is not at hand. Get it from {entry.url} and put it at {folder / entry.file} "
        "(.gz, .bz2 and .xz are fine), or set IMBFS_DATA to the folder that holds it."
    )


def data_directory() -> Path:
    """IMBFS_DATA, else the platform's folder for user data."""
    if given := os.environ.get("IMBFS_DATA"):
        return Path(given)
    from platformdirs import user_data_dir

    return Path(user_data_dir("imbfs"))


def _own(path: Path, target: str | None, missing: bool = False) -> Data:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file.")
    state = path.stat()
    return _opened(str(path.resolve()), target, missing, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _made(name: str, _cache: Path) -> Data:
    return cached(["made", name, *_makers()], DATASETS[name].make)


@lru_cache(maxsize=8)
def _opened(path: str, target: str | None, missing: bool, size: int, changed: int) -> Data:
    identity = ["file", path, target, missing, size, changed]
    return cached(identity, lambda: readers.read(Path(path), target, missing))


def _verify(entry: Dataset, data: Data) -> None:
    """Refuse content that differs from what the table says, saying how."""
    if data.X.shape != (entry.n_samples, entry.n_features):
        expected = f"{entry.n_samples} x {entry.n_features}"
        raise UserError(f"is {data.X.shape[0]} x {data.X.shape[1]}; the table says {expected}.")
    if data.y.ndim == 1:
        counts = dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True))
        if counts != entry.class_counts:
            raise UserError(f"has classes {counts}; the table says {entry.class_counts}.")
    if entry.fingerprint and data.fingerprint != entry.fingerprint:
        raise UserError(f"differs in content from the file of {entry.url}.")


@lru_cache
def _makers() -> tuple[str, str]:
    """What made sets are made by: they are made anew when it changes."""
    sources = [Path(module.__file__).read_bytes() for module in (builtin, synthetic)]
    return hashlib.sha256(b"".join(sources)).hexdigest(), version("scikit-learn")
