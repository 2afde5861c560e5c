"""Parsed sets kept as memory-mapped .npy files, so that every process opens them at once.

A set is written into a folder of its own under a temporary name and moved into place whole: two
processes that parse the same file at the same time do no harm, and a reader never sees half a set.
When a process opens a set, its checksums are compared, and its fingerprint, on which the keys of
tasks rest, with all of its values; a set that is damaged or was replaced is parsed again.

Sets from files of the user's own are told of when they are written, and take no more than OWN_BYTES
together: those that were not used for longest go first. IMBFS_NO_CACHE=1 keeps none of them.
"""

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Len
from scipy.sparse import csr_array, issparse

from imbfs import jsonfiles
from imbfs.datasets.data import Data
from imbfs.jsonfiles import Natural, Written
from imbfs.leftovers import is_alive

OWN_BYTES = 2 << 30  # of parsed copies of the user's own files

_FORMAT = 3
_BLOCK = 1 << 20  # values that are hashed at once
_OWN = "own-"  # before the name of a copy of a user's own file
_DAMAGE = (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError)
_Array = Literal["X", "data", "indices", "indptr", "y", "groups"]


class _About(Written):
    """What about.json tells of a set."""

    shape: Annotated[list[Natural], Len(2, 2)]
    sizes: dict[_Array, Annotated[Natural, Ge(1)]]
    checks: dict[_Array, Natural]
    classes: list[str | int | float | bool]
    names: list[str] | None
    relevant: list[Natural] | None
    fingerprint: str
    how: str


def cached(identity: list, parse: Callable[[], Data], own: bool = False) -> Data:
    """The set that `parse` returns, from the cache if something with this identity is there.

    `own` marks a file of the user's own.
    """
    digest = hashlib.sha256(json.dumps([_FORMAT, identity]).encode()).hexdigest()
    folder = cache_directory() / f"{_OWN if own else ''}{digest[:24]}"
    if own and os.environ.get("IMBFS_NO_CACHE", "0") not in ("", "0"):
        data = parse()
        return replace(data, fingerprint=_fingerprint(data))
    _remove_what_a_kill_left(folder.parent)
    try:
        return _open(folder)
    except _DAMAGE:  # or absent: parse again
        data = parse()
    data = replace(data, fingerprint=_fingerprint(data))
    try:
        _write(data, folder)
        if own:
            _make_room(folder)
            _tell(folder.parent)
        return _open(folder)
    except _DAMAGE:  # no room, or no right to write: go on without
        return data


def intact(data: Data) -> bool:
    """Whether the arrays hold what they held when they were parsed; this reads all of them."""
    return _fingerprint(data) == data.fingerprint


def discard(data: Data) -> None:
    """Remove the set from the cache."""
    kept = getattr(data.y, "filename", None)
    if kept is not None:
        shutil.rmtree(Path(kept).parent, ignore_errors=True)


def cache_directory() -> Path:
    """IMBFS_CACHE, else the platform's folder for caches."""
    if given := os.environ.get("IMBFS_CACHE"):
        return Path(given)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("imbfs"))


def _arrays(data: Data) -> dict[str, np.ndarray]:
    if issparse(data.X):
        parts = {"data": data.X.data, "indices": data.X.indices, "indptr": data.X.indptr}
    else:
        parts = {"X": data.X}
    return parts | {"y": data.y}


def _fingerprint(data: Data) -> str:
    """A hash over the parsed content: the same for any compression, storage type or width of it.

    Groups are no part of it: the same values are the same set, however its rows are split.
    """
    digest = hashlib.sha256(repr((data.X.shape, [str(c) for c in data.classes])).encode())
    for name, array in _arrays(data).items():
        kind = "<f8" if array.dtype.kind == "f" else "<i8"
        digest.update(f"{name} {array.shape}".encode())
        rows = max(1, _BLOCK * len(array) // max(1, array.size))
        for start in range(0, len(array), rows):
            block = array[start : start + rows].astype(kind, copy=False)
            digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()[:32]


def _check(path: Path) -> int:
    """The CRC-32 of a file."""
    check = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            check = zlib.crc32(block, check)
    return check


def _tell(root: Path) -> None:
    print(
        f"A parsed copy of this file is kept in {root} (beyond {OWN_BYTES >> 30} GB of such copies "
        "the oldest go). --no-cache keeps none; imbfs data clean removes them.",
        file=sys.stderr,
    )


def _make_room(newest: Path) -> None:
    """Remove copies of own files beyond OWN_BYTES, none that a process has open."""
    copies = sorted(newest.parent.glob(f"{_OWN}*"), key=lambda folder: _used(folder))
    size = sum(map(_size, copies))
    for folder in copies:
        if size > OWN_BYTES and folder != newest and _is_free(folder):
            size -= _size(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _used(folder: Path) -> float:
    """When a set was last opened."""
    with suppress(OSError):
        return (folder / "about.json").stat().st_mtime
    return 0.0


def _size(folder: Path) -> int:
    with suppress(OSError):
        return sum(path.stat().st_size for path in folder.iterdir())
    return 0


def _hold(data: Data, folder: Path) -> None:
    """Note that a copy is used, and keep it from being removed for as long as `data` is there."""
    with suppress(OSError, ImportError):  # no right to write, or no such locks on this system
        import fcntl

        held = os.open(folder / "about.json", os.O_RDONLY)
        weakref.finalize(data, os.close, held)
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.utime(folder / "about.json")


def _is_free(folder: Path) -> bool:
    """Whether no process has the copy open."""
    try:
        import fcntl

        with (folder / "about.json").open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (OSError, ImportError):
        pass
    return True


def _remove_what_a_kill_left(root: Path) -> None:
    """Remove the unfinished sets of processes of this machine that are gone."""
    for left in root.glob(f"{_scratch('')}*") if os.name == "posix" else ():
        with suppress(ValueError, OverflowError):
            if not is_alive(int(left.name.split("@")[1])):
                shutil.rmtree(left, ignore_errors=True)


def _scratch(pid: int | str) -> str:
    """How the folder of an unfinished set begins: caches may be shared between machines."""
    return f".new-{platform.node()}@{pid}"


def _write(data: Data, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f"{_scratch(os.getpid())}@", dir=folder.parent))
    try:
        sizes, checks = {}, {}
        groups = {} if data.groups is None else {"groups": data.groups}
        for name, array in (_arrays(data) | groups).items():
            np.save(path := scratch / f"{name}.npy", array)
            sizes[name], checks[name] = path.stat().st_size, _check(path)
        about = {
            "shape": data.X.shape,
            "sizes": sizes,
            "checks": checks,
            "classes": data.classes,
            "names": data.names,
            "relevant": data.relevant,
            "fingerprint": data.fingerprint,
            "how": data.how,
        }
        text = json.dumps(about)
        (scratch / "about.json").write_text(f"{text}\n{zlib.crc32(text.encode())}\n")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(scratch, folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _open(folder: Path) -> Data:
    text, check = jsonfiles.text_of(folder / "about.json").splitlines()
    if zlib.crc32(text.encode()) != int(check):
        raise ValueError(f"{folder}: damaged")
    about = jsonfiles.loads(text)
    jsonfiles.check(about, _About)
    arrays = {}
    for name, size in about["sizes"].items():
        path = folder / f"{name}.npy"
        if path.stat().st_size != size or _check(path) != about["checks"][name]:
            raise ValueError(f"{path}: damaged")
        arrays[name] = np.load(path, mmap_mode="r")
    y, groups = arrays.pop("y"), arrays.pop("groups", None)
    if "X" in arrays:
        X = arrays["X"]
    else:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        X = csr_array(parts, shape=tuple(about["shape"]))
    data = Data(
        X,
        y,
        tuple(about["classes"]),
        None if about["names"] is None else tuple(about["names"]),
        None if about["relevant"] is None else tuple(about["relevant"]),
        about["fingerprint"],
        groups,
        about["how"],
    )
    n_features = X.shape[1]
    named = data.names is None or len(data.names) == n_features
    if not (named and intact(data) and max(data.relevant or [0]) < n_features):
        raise ValueError(f"{folder}: holds another set")
    if folder.name.startswith(_OWN):
        _hold(data, folder)
    return data
