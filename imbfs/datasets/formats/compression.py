"""Opening a file by what it holds: plain, gz, bz2, xz or zst, told apart by the first bytes.

What a file may unpack to is limited, here and wherever a head says how much is to come.
"""

import bz2
import gzip
import io
import lzma
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from imbfs.errors import UserError

SUFFIXES = ("", ".gz", ".bz2", ".xz", ".zst")

# A file that unpacks to more than MOST_BYTES, or to more than BOMB_BYTES and BOMB_FOLD times its
# own size, is a decompression bomb or a mistake: reading stops there. The best packed of the
# papers' sets does not reach a tenth of that. VARIABLE in the environment takes their place.
MOST_BYTES = 64 << 30
BOMB_BYTES = 1 << 30
BOMB_FOLD = 200
VARIABLE = "IMBFS_MAX_BYTES"

REFUSED = f"which is refused. Where it is right, set {VARIABLE} higher."
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, OSError, ValueError)


def opened(path: Path, *, endless: bool = False) -> BinaryIO:
    """The content of a file, unpacked as it is read; damage and bombs are mistakes of the user.

    Who reads `endless` keeps nothing of what was read, and no size is too large.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}).") from None
    except ValueError:  # a NUL in its name
        raise UserError(f"{path}: is no path of a file.") from None
    size = path.stat().st_size
    most = math.inf if endless else limit(size)
    if size > most:
        file.close()
        raise TooMuch(f"{path}: has {size:,} bytes, more than {most:,}, {REFUSED}")
    return unpacked(str(path), file, most)


class TooMuch(UserError):
    """Something asks for more bytes than it may, or how many it may is not told well."""


@contextmanager
def in_memory(path: Path) -> Iterator[None]:
    """Tell the file that takes more memory to be read than there is."""
    try:
        yield
    except MemoryError:
        raise UserError(f"{path}: takes more memory to be read than there is.") from None


def limit(size: int) -> int:
    """How many bytes something of a size may unpack to, or ask for."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return min(MOST_BYTES, max(BOMB_BYTES, BOMB_FOLD * size))
    match = re.fullmatch(r"(\d{1,18})([KMGT]?)", given)
    if match is None:
        raise TooMuch(f"{VARIABLE}: {given!r} is no number of bytes, such as 16G.")
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def check_room(needed: int, size: int) -> None:
    """Refuse to take so many bytes for something of a size, before they are taken."""
    if needed > (most := limit(size)):
        raise TooMuch(f"asks for {needed:,} bytes, more than {most:,}, {REFUSED}")


def unpacked(name: str, file: io.BufferedReader, most: float = math.inf) -> BinaryIO:
    """The content of an open file or pipe, unpacked as it is read, up to so many bytes."""
    start = file.peek(6)
    if not is_packed(start):
        return file
    unpack = next(unpack for magic, unpack in _UNPACKERS.items() if start.startswith(magic))
    try:
        return io.BufferedReader(_Guarded(name, most, file, unpack(file)), 1 << 18)
    except ImportError as error:
        file.close()
        message = f"needs the package {error.name} to be unpacked (pip install {error.name})."
        raise UserError(f"{name}: {message}") from None


def is_packed(start: bytes) -> bool:
    """Whether something that starts so is gz, bz2, xz or zst."""
    return start.startswith(tuple(_UNPACKERS))


def content(path: Path) -> bytes:
    """All of a file, unpacked. An empty one is refused, and what is no plain file."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise UserError(f"{path}: is no plain file.")
    with opened(path) as file:
        found = file.read()
    if not found:
        raise UserError(f"{path}: is empty.")
    return found


class _Guarded(io.RawIOBase):
    """A stream that turns damage into a UserError and stops before it fills the memory."""

    def __init__(self, name: str, most: float, packed: BinaryIO, unpacked: BinaryIO):
        self._name = name
        self._files = unpacked, packed
        self._given = 0
        self._most = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        try:
            count = self._files[0].readinto(buffer)
        except _DAMAGE as error:
            raise UserError(
                f"{self._name}: cannot be read: damaged or cut off ({error})."
            ) from None
        self._given += count
        if self._given > self._most:
            raise UserError(f"{self._name}: unpacks to more than {self._most:,} bytes, {REFUSED}")
        return count

    def close(self) -> None:
        for file in self._files:
            file.close()
        super().close()


class _Zstandard(io.RawIOBase):
    """Frames of zstd one after the other; unlike the package's own reader it notices a cut."""

    def __init__(self, file: BinaryIO):
        import zstandard

        self._package = zstandard
        self._file = file
        self._frame = None
        self._packed = self._unpacked = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while not self._unpacked:
            # Small pieces: one of them may unpack to thousands of times its size.
            self._packed = self._packed or self._file.read(1 << 12)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the last frame has no end")
                return 0
            self._advance()
        given, self._unpacked = self._unpacked[: len(buffer)], self._unpacked[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)

    def _advance(self) -> None:
        if self._frame is None:
            self._frame = self._package.ZstdDecompressor().decompressobj()
        try:
            self._unpacked = memoryview(self._frame.decompress(self._packed))
        except self._package.ZstdError as error:
            raise OSError(str(error)) from None
        self._packed = self._frame.unused_data
        if self._frame.eof:
            self._frame = None


_UNPACKERS = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _Zstandard,
}
