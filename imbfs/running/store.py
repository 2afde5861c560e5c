"""What is kept of an experiment: append-only records, the plan they answer, and run.json.

A record is one JSON line with a checksum, written whole and flushed by the parent process. The next
run puts damaged lines aside, cuts off a last line torn by a kill, and does their tasks anew.
"""

import json
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO, TypeVar

from imbfs import jsonfiles
from imbfs.errors import Unwritable, UserError
from imbfs.leftovers import is_alive
from imbfs.running.files import MODELS

FORMAT = 1
_CHECKED = re.compile(rb'(.*), "crc": "([0-9a-f]{8})"\}\s*', re.DOTALL)
_TEXTS = ("part", "features")  # of a row; the rest are numbers
_LARGEST = 2**62
_SCRATCH = ".imbfs-"  # between the name of a file being written and the process that writes it
Result = TypeVar("Result")


class Store:
    """The results folder of one experiment."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / "records.jsonl"
        self.run: str | None = None  # when the run began that is at work here

    def create(self) -> "Store":
        """Make the folder, or say why that cannot be."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            probe.close()
        except (FileExistsError, NotADirectoryError):
            raise UserError(f"{self.folder}: is, or lies below, a file, not a folder.") from None
        except OSError as error:
            raise Unwritable.of(self.folder, error) from None
        refuse_links(self.folder)
        return self

    @contextmanager
    def locked(self, wait: bool = False):
        """Hold the folder for one run; the lock of a process that died is no lock."""
        from filelock import FileLock, Timeout

        lock = FileLock(self.folder / ".lock", timeout=-1 if wait else 0)
        try:
            lock.acquire()
        except Timeout:
            raise UserError(
                f"{self.folder}: another run is at work here. Wait for it with --wait."
            ) from None
        except OSError as error:
            raise Unwritable.of(self.folder, error) from None
        try:
            for home in (self.folder, self.folder / "tables", self.folder / "figures"):
                _remove_what_a_kill_left(home)
            self._mend()
            yield self
        finally:
            lock.release()

    def records(self, whole: bool = True) -> dict[str, dict]:
        """The latest record of every task by key; damaged lines are refused if it is to be whole.

        What follows the last newline is torn: another run may be writing it now.
        """
        latest = {}
        for number, line in enumerate(self._lines()[:-1], 1):
            record = _record(line)
            if record is None and whole:
                raise UserError(
                    f"{self.path}: line {number} is damaged. imbfs run does its task again."
                )
            if record is None:
                continue
            if record["format"] > FORMAT:
                raise UserError(
                    f"{self.path}: line {number} was written by a newer imbfs. Upgrade imbfs, or "
                    "choose another folder with --results."
                )
            key = record["key"]
            if latest.get(key, record)["status"] != "ok" or record["status"] == "ok":
                latest[key] = record
        return latest

    def append(self, records: list[dict]) -> None:
        """Add records to the end, whole and flushed; each says which run made it."""
        head = {"format": FORMAT} | ({} if self.run is None else {"run": self.run})
        content = b"".join(_line({**head, **record}) for record in records)
        try:
            with open(self.path, "ab") as file:
                file.write(content)
        except OSError as error:
            then = "What is done is kept; run again to go on."
            raise Unwritable.of(self.path, error, then) from None

    def undo(self, runs: set[str], keys: set[str] | None = None) -> int:
        """Move what these runs made, of these tasks or all, into records.undone; how many."""
        kept, undone = [], []
        for line in self._lines()[:-1]:
            record = _record(line) or {}
            meant = record.get("run") in runs and (keys is None or record["key"] in keys)
            (undone if meant else kept).append(line)
        if undone:
            self._set_aside(undone, ".undone", kept)
        return len(undone)

    def write(self, name: str, content: dict) -> None:
        """Replace a JSON file of the folder, whole or not at all.

        It carries a checksum, but for run.json, which people may put right by hand.
        """
        path = self.folder / name
        sealed = {} if name == "run.json" else {"crc": _seal(content)}
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: is no plain file. Remove it and run again.")
        try:
            write_text(path, json.dumps(content | sealed, indent=1) + "\n")
        except RecursionError:  # in what was read of it
            raise UserError(f"{path}: is damaged, or not ours. Remove it and run again.") from None

    def read(self, name: str) -> dict | None:
        """The content of a JSON file of the folder, checked; None if there is none."""
        path = self.folder / name
        try:
            content = jsonfiles.loads(jsonfiles.text_of(path))
            newer, seal = content["format"] > FORMAT, content.pop("crc", None)
            if seal not in (None, _seal(content)):
                raise ValueError("crc")
            if not newer:
                jsonfiles.check(content, MODELS[name])
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UserError(f"{path}: is damaged, or not ours. Remove it and run again.") from None
        if newer:
            raise UserError(f"{path}: was written by a newer imbfs. Upgrade imbfs.")
        return content

    def content(self) -> bytes:
        """All bytes of the records."""
        try:
            if self.path.exists() and not self.path.is_file():
                raise UserError(f"{self.path}: cannot be read: it is no plain file.")
            return self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror}.") from None

    def _lines(self) -> list[bytes]:
        return self.content().split(b"\n")

    def _mend(self) -> None:
        """Put damaged lines into a file of their own, and tell that their tasks are done again."""
        *lines, torn = self._lines()
        whole, damaged = [], []
        for line in lines:
            (damaged if _record(line) is None else whole).append(line)
        if damaged:
            self._set_aside(damaged, ".damaged", whole)
        elif torn:
            try:
                os.truncate(self.path, len(_joined(lines)))
            except OSError as error:
                raise Unwritable.of(self.path, error) from None
        if count := len(damaged) + bool(torn):
            said = "line was" if count == 1 else "lines were"
            print(f"{self.path}: {count} {said} damaged; that work is done again.", file=sys.stderr)

    def _set_aside(self, lines: list[bytes], suffix: str, kept: list[bytes]) -> None:
        aside = self.path.with_suffix(suffix)
        before = aside.read_bytes() if aside.exists() else b""
        write_bytes(aside, before + _joined(lines))
        write_bytes(self.path, _joined(kept))


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _seal(content: dict) -> str:
    return f"{zlib.crc32(json.dumps(content).encode()):08x}"


def _line(record: dict) -> bytes:
    """A record as a line, which ends with the CRC-32 of what stands before it."""
    content = json.dumps(record).encode()[:-1]
    return b'%s, "crc": "%08x"}\n' % (content, zlib.crc32(content))


def _record(line: bytes) -> dict | None:
    """The record of a line, if it is whole; those of old have no checksum, and are looked at."""
    checked = _CHECKED.fullmatch(line)
    if checked and zlib.crc32(checked[1]) != int(checked[2], 16):
        return None
    try:
        record = json.loads(checked[1] + b"}" if checked else line)
        newer, _ = record["format"] > FORMAT, record["key"]
        return record if checked or newer or _is_whole(record) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_whole(record: dict) -> bool:
    """Whether a record has what tables take from it, each of its kind, in texts of real letters."""
    json.dumps(record, ensure_ascii=False).encode()
    if not isinstance(record["key"], str):
        return False
    if record["status"] != "ok":
        return record["status"] == "failed" and isinstance(record["error"], str)
    rows, top = record["rows"], record["top"]
    if not (isinstance(rows, list) and isinstance(top, list)):
        return False
    return all(map(_is_row, rows)) and all(isinstance(name, str) for name in top)


def _is_row(row: dict) -> bool:
    """Texts that tell the place, when it was measured, and numbers, which may be undefined."""
    return (
        isinstance(row["part"], str)
        and isinstance(row["features"], str)
        and row["seen"] is not None
        and all(_is_number(value) for key, value in row.items() if key not in _TEXTS)
    )


def _is_number(value) -> bool:
    return value is None or type(value) in (int, float) and abs(value) < _LARGEST


def refuse_links(folder: Path) -> None:
    """Refuse results of which a file is a link, where what is written would land elsewhere.

    So is what is neither a file nor a folder: a pipe would be waited for.
    """
    for home in (folder, folder / "tables", folder / "figures"):
        for path in sorted(home.glob("*")):
            if path.is_symlink() and not path.is_dir():
                raise UserError(f"{path}: is a link, and results are not written through links.")
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise UserError(f"{path}: is no plain file.")


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    write_whole(path, lambda file: file.write(content))


def write_whole(path: Path, write: Callable[[BinaryIO], Result]) -> Result:
    """Let a file be written whole or not at all, under a temporary name first.

    A link stays, and leads to the file; a pipe or a device is written as it is.
    """
    place = Path(os.path.realpath(path))
    scratch = place.with_name(f".{place.name}{_SCRATCH}{os.getpid()}")
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                return write(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_what_a_kill_left(place.parent, escape(place.name))
        with scratch.open("wb") as file:
            result = write(file)
        os.replace(scratch, place)
        return result
    except OSError as error:
        raise Unwritable.of(path, error) from None
    finally:
        with suppress(OSError):
            scratch.unlink()


def _remove_what_a_kill_left(folder: Path, name: str = "*") -> None:
    """Remove temporary files whose process is gone."""
    for left in folder.glob(f".{name}{_SCRATCH}*") if os.name == "posix" else ():
        with suppress(ValueError, OverflowError, OSError):
            if left.is_file() and not is_alive(int(left.name.rpartition(_SCRATCH)[2])):
                left.unlink()
