"""A file or a pipe as blocks of whole lines, unpacked, from any byte on."""

import io
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from imbfs.datasets.formats import compression, sniff_text
from imbfs.datasets.formats.libsvm import blocks
from imbfs.errors import UserError

BLOCK = 1 << 21  # bytes parsed at a time: less, and threads wait for one another too often
_START = 1 << 16  # bytes that tell the format, and a stream from another


@dataclass
class Place:
    """How far into a stream: bytes and lines before the next row; `start` tells the stream."""

    n_bytes: int = 0
    n_lines: int = 0
    start: tuple[int, int] | None = None  # how many bytes, and their checksum


class Source:
    """What FILE or - names; a pipe can be read once."""

    def __init__(self, path: str):
        self.is_pipe = path == "-"
        self.name = "standard input" if self.is_pipe else path
        if not self.is_pipe and not os.path.isfile(path):
            raise UserError(f"{path}: there is no such file.")
        self._path = Path(path)
        self._file = None

    def format(self) -> str:
        """The format of its text, libsvm or csv; others are refused."""
        start = self._opened().peek(_START)[:_START]
        if not self.is_pipe:
            self._close()
        if not start.strip():
            raise UserError(f"{self.name}: is empty.")
        whole = start[: start.rfind(b"\n") + 1]
        texts = [whole] if whole.strip() else [start, start.rsplit(None, 1)[0]]
        try:
            found = {sniff_text(text) for text in texts}
        except UserError as error:
            raise error.within(self.name) from None
        format = "libsvm" if "libsvm" in found else found.pop()
        if format not in ("libsvm", "csv"):
            raise UserError(f"{self.name}: is {format}. A stream is LIBSVM text or CSV.")
        return format

    def is_plain(self) -> bool:
        """Whether it is a file that is not packed: reading it takes next to no time."""
        if self.is_pipe:
            return False
        with open(self._path, "rb") as file:
            return not compression.is_packed(file.read(6))

    def blocks(self, after: Place, size: int = BLOCK) -> Iterator[bytes]:
        """Whole lines after a place, which must be one of this stream."""
        try:
            self._skip(self._opened(), after)
            yield from blocks(self._file, size)
        finally:
            self._close()

    def _close(self) -> None:
        self._file.close()
        self._file = None

    def _opened(self) -> BinaryIO:
        if self._file is None:
            if self.is_pipe:
                pipe = io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False), _START)
                file = compression.unpacked(self.name, pipe)
            else:
                file = compression.opened(self._path, endless=True)
            self._file = io.BufferedReader(file, 2 * _START)
        return self._file

    def _skip(self, file: BinaryIO, after: Place) -> None:
        if after.start is None:
            return
        n, checksum = after.start
        if zlib.crc32(file.read(n)) != checksum:
            raise UserError(f"{self.name}: is not the stream that the model was learned from.")
        if not _gone_on(file, n, after.n_bytes):
            raise UserError(f"{self.name}: ends before the place where the model stopped.")


def _gone_on(file: BinaryIO, at: int, to: int) -> bool:
    """Go on to a byte of a file; whether it is there.

    The last line may have had no end, which was counted all the same.
    """
    if file.seekable():
        file.seek(max(to - 2, 0))
        there = bool(file.read(1))
        file.seek(to)
        return there
    left = to - at
    while left > 0 and (block := file.read(min(left, BLOCK))):
        left -= len(block)
    return left <= 1


def start_of(text: bytes) -> tuple[int, int]:
    """What tells a stream from others, from its first block."""
    start = text[:_START].rstrip(b"\n")
    return len(start), zlib.crc32(start)
