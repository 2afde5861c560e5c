"""The far side of a cluster: what a dask worker does with a unit, and why it may refuse it.

Data never travel: a task names its files, and a worker opens them by their path.
"""

import hashlib
import os
import platform
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock

import imbfs
from imbfs.datasets import data_directory
from imbfs.errors import UserError
from imbfs.running.backends.attempt import Unit, attempt, failed
from imbfs.running.pipeline import require

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "imbalanced-learn", "joblib")

_OWN_DATA = os.environ.get("IMBFS_DATA")
_turn = Lock()


@dataclass(frozen=True)
class Home:
    """What the process that hands out tasks has: versions, and a folder of data sets."""

    versions: dict[str, str]
    data: str


@dataclass(frozen=True)
class Call:
    """A unit on its way to a worker, which computes it by unpickling this.

    Where dask itself unpickles, a worker without our modules would not say so but die.
    """

    unit: Unit
    home: Home

    def __reduce__(self) -> tuple:
        return answer, (self.unit, self.home)


@dataclass(frozen=True)
class Refusal:
    """Why a worker takes no task, in one line."""

    why: str


def home() -> Home:
    """What a worker has to be like to give the results that would come out here."""
    return Home(_versions(), str(data_directory().absolute()))


def answer(unit: Unit, home: Home) -> list[dict] | Refusal:
    """The records of a unit, or why this worker cannot take it.

    A worker with several threads takes one unit at a time: liblinear draws from one generator for
    the whole process, and Python keeps the warnings of all threads together.
    """
    with _turn:
        if differing := _difference(home.versions):
            return Refusal(differing)
        if _OWN_DATA is None:
            os.environ["IMBFS_DATA"] = home.data
        try:
            for task in unit:
                require(task)
        except (UserError, RuntimeError) as error:
            return Refusal(f"{error}".rstrip(".") + ". Files must be the same on every machine")
        except (MemoryError, OSError) as error:
            return failed(unit, error)
        return attempt(unit)


def _difference(wanted: dict[str, str]) -> str | None:
    """The first thing in which this worker differs, if there is one."""
    found = _versions()
    for name, there in wanted.items():
        if found[name] != there:
            return f"{name} is {found[name]}, and {there} where the tasks come from"
    return None


@cache
def _versions() -> dict[str, str]:
    """What numbers may depend on, by name, as it was when this process first asked."""
    python = ".".join(platform.python_version_tuple()[:2])
    packages = {name: _version(name) for name in (*PACKAGES, "distributed")}
    return {"imbfs": imbfs.__version__, "python": python, **packages, "source of imbfs": _source()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _source() -> str:
    """A hash of all modules of imbfs."""
    root = Path(imbfs.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
