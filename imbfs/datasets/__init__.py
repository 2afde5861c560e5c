"""The way from a name in the tables, or from a path, to arrays."""

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from imbfs.datasets import builtin, synthetic
from imbfs.datasets.cache import cache_directory, cached, discard, intact
from imbfs.datasets.data import Data, View, tested, view
from imbfs.datasets.fetch import sha256
from imbfs.datasets.formats.compression import SUFFIXES
from imbfs.datasets.problems import PROBLEMS
from imbfs.datasets.table import DATASETS, Dataset
from imbfs.errors import UserError, lookup

__all__ = [
    "DATASETS",
    "PROBLEMS",
    "Data",
    "NotAtHand",
    "Source",
    "View",
    "load",
    "tested",
    "verified",
    "view",
]


class NotAtHand(UserError):
    """A set of the table whose file is not on this machine."""


@dataclass(frozen=True)
class Source:
    """Where the arrays of a set come from: a name in the table, or a file of the user's own.

    `options` are those of the reader; `impute` lets missing values through, to be filled in later.
    """

    name: str | None = None
    path: str | None = None
    options: dict = field(default_factory=dict)
    impute: bool = False


def load(source: Source) -> Data:
    """The parsed arrays of a set, memory-mapped from the cache after the first time."""
    if source.path is not None:
        return _file(Path(source.path), source.options, source.impute, own=True)
    entry = lookup(DATASETS, source.name, "dataset")
    if entry.make is not None:
        data = _made(source.name, cache_directory())
    else:
        data = _file(find(source.name), entry.read)
    try:
        _verify(entry, data)
    except UserError as error:
        raise error.within(source.name) from None
    return data


def verified(source: Source) -> Data:
    """The set, with the content of its cache checked against its fingerprint and mended."""
    data = load(source)
    if intact(data):
        return data
    discard(data)
    _opened.cache_clear()
    _made.cache_clear()
    return load(source)


def find(name: str) -> Path:
    """The file of a set of the table, in whatever compression it is kept."""
    entry = DATASETS[name]
    folder = data_directory()
    for suffix in SUFFIXES:
        path = folder / (entry.file + suffix)
        if path.is_file():
            return path
    raise NotAtHand(
        f"{name}: is not at hand. {way(name)}; it belongs at {folder / entry.file} (.gz, .bz2 and "
        ".xz are fine). IMBFS_DATA names another folder."
    )


def way(name: str) -> str:
    """How one gets a set of the table: the command that fetches it, or its address."""
    entry = DATASETS[name]
    return f"imbfs data fetch {name} gets it" if entry.remote else f"Get it from {entry.url}"


def data_directory() -> Path:
    """IMBFS_DATA, else the platform's folder for user data."""
    if given := os.environ.get("IMBFS_DATA"):
        return Path(given)
    from platformdirs import user_data_dir

    return Path(user_data_dir("imbfs"))


def _file(path: Path, options: dict, impute: bool = False, own: bool = False) -> Data:
    """A file, or the cache of it, by its content, its companions' and the options of the reader."""
    from imbfs.datasets.formats import companions

    if not os.path.isfile(path):
        raise UserError(f"{path}: there is no such file.")
    _look_inside(path, options)
    files = [path, *companions(path, options)]
    content = [_content(str(file), *_state(file)) for file in files]
    text = json.dumps(options | ({"impute": "median"} if impute else {}), sort_keys=True)
    return _opened(str(path), text, tuple(content), cache_directory(), own)


def _look_inside(path: Path, options: dict) -> None:
    """Refuse what is of no known format, or too large, before all of it is hashed."""
    from imbfs.datasets.formats import sniff
    from imbfs.datasets.formats.compression import opened

    try:
        opened(path).close()
        if "format" not in options:
            sniff(path)
    except UserError as error:
        raise error if str(error).startswith(f"{path}: ") else error.within(str(path)) from None


def _state(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns


@lru_cache
def _content(path: str, _size: int, _changed: int) -> str:
    return sha256(Path(path))


@lru_cache(maxsize=8)
def _opened(path: str, options: str, content: tuple[str, ...], _cache: Path, own: bool) -> Data:
    from imbfs.datasets import formats

    readers = Path(formats.__file__).parent
    code = [_content(str(file), *_state(file)) for file in sorted(readers.glob("*.py"))]
    identity = ["file", list(content), options, code]
    return cached(identity, lambda: formats.read(Path(path), **json.loads(options)), own)


@lru_cache(maxsize=8)
def _made(name: str, _cache: Path) -> Data:
    makers = [Path(module.__file__).read_text() for module in (builtin, synthetic)]
    identity = ["made", name, makers, version("scikit-learn")]
    return cached(identity, DATASETS[name].make)


def _verify(entry: Dataset, data: Data) -> None:
    """Refuse content that differs from what the table says, saying how."""
    if data.X.shape != (entry.n_samples, entry.n_features):
        expected = f"{entry.n_samples} x {entry.n_features}"
        raise UserError(f"is {data.X.shape[0]} x {data.X.shape[1]}; the table says {expected}.")
    if entry.labels != (data.y.shape[1] if data.y.ndim == 2 else 0):
        raise UserError(f"has not the {entry.labels} labels that the table says.")
    if entry.class_counts is not None:
        counts = dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True))
        if counts != entry.class_counts:
            raise UserError(f"has classes {counts}; the table says {entry.class_counts}.")
    if entry.fingerprint and data.fingerprint != entry.fingerprint:
        raise UserError(f"has other values than the set of {entry.url}.")
