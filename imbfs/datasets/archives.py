"""Zip and tar archives, unpacked so that nothing gets out of its place."""

import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EINVAL
from functools import partial
from lzma import LZMAError
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from imbfs.datasets.formats import compression
from imbfs.errors import UserError

_ZIP = (b"PK\3\4", b"PK\5\6")  # the latter of an empty one
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, LZMAError, zlib.error, EOFError, RuntimeError)


def unpack(archive: Path, members: dict[str, Path]) -> None:
    """Write the named members of a zip or tar archive, each to the path given for it.

    An archive with a name that leads out of it, or with more content than `compression.limit`, is
    refused whatever is asked of it; so is a member that is a link.
    """
    size, seen, most = 0, [], _most(archive)
    with _entries(archive) as entries:
        for entry in entries:
            if entry.size < 0:
                raise UserError(f"holds {entry.name!r} with a negative size.")
            size += entry.size
            if size > most:
                raise UserError(f"unpacks to more than {most:,} bytes, {compression.REFUSED}")
            if leads_out(entry.name):
                raise UserError(f"holds {entry.name!r}, a path outside the archive.")
            name = str(PurePosixPath(entry.name))
            if name in members and name in seen:
                raise UserError(f"holds {name!r} twice.")
            seen.append(name)
            if name in members:
                _extract(entry, members[name])
    for name in members:
        if name not in seen:
            held = ", ".join(seen[:8]) + (", ..." if len(seen) > 8 else "")
            raise UserError(f"holds no file {name!r}. It holds: {held}.")


def _most(archive: Path) -> int:
    return compression.limit(archive.stat().st_size)


def why(error: BaseException) -> str:
    return " ".join(str(getattr(error, "strerror", None) or error).split())


@dataclass(frozen=True)
class _Entry:
    """A member of an archive; `open` is None unless it is a plain file."""

    name: str
    size: int
    open: Callable[[], BinaryIO] | None


@contextmanager
def _entries(archive: Path) -> Iterator[Iterator[_Entry]]:
    """The members of a tar or zip archive, told apart by content."""
    try:
        with compression.unpacked("the archive", archive.open("rb"), _most(archive)) as content:
            if content.peek(4).startswith(_ZIP):
                with zipfile.ZipFile(archive) as opened:
                    yield (_zipped(opened, info) for info in opened.infolist())
            else:
                # As a stream, and not by tarfile's own unpacking, which knows no limit.
                with tarfile.open(fileobj=content, mode="r|") as opened:
                    yield (_tarred(opened, info) for info in opened)
    except UserError:
        raise
    except (*_DAMAGE, OSError, ValueError, IndexError) as error:
        if getattr(error, "errno", None) not in (None, EINVAL):  # the disk, not the archive
            raise
        raise UserError(f"is no zip or tar archive that can be read ({why(error)}).") from None


def _tarred(opened: tarfile.TarFile, info: tarfile.TarInfo) -> _Entry:
    plain = info.isreg() and not info.issparse()
    return _Entry(info.name, info.size, partial(opened.extractfile, info) if plain else None)


def _zipped(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Entry:
    kind = stat.S_IFMT(info.external_attr >> 16)  # 0 where the archive comes from no Unix
    plain = kind in (0, stat.S_IFREG) and info.filename and not info.is_dir()
    return _Entry(info.filename, info.file_size, partial(opened.open, info) if plain else None)


def _extract(entry: _Entry, target: Path) -> None:
    if entry.open is None:
        raise UserError(f"{entry.name!r} in it is no plain file (a link, a folder, a sparse one).")
    with entry.open() as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, 2**20)


def leads_out(name: str) -> bool:
    """Whether a path would end outside the folder it is given for."""
    path = PureWindowsPath(name)  # knows both slashes, and drives
    return bool(path.anchor) or ".." in path.parts
