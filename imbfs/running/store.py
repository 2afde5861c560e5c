"""What is kept of an experiment: append-only records, the plan they answer, and run.json.

A record is one JSON line, written whole and flushed by the parent process. A torn last line, left
by a kill or a full disk, is cut off before the next record is appended.
"""

import errno
import json
import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from imbfs.errors import UserError

FORMAT = 1
_TEXTS = ("part", "features")  # of a row; the rest are numbers
_LARGEST = 2**62


class Store:
    """The results folder of one experiment."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / "records.jsonl"

    def create(self) -> "Store":
        """Make the folder, or say why that cannot be."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115
            probe.close()
        except (FileExistsError, NotADirectoryError):
            raise UserError(f"{self.folder}: is, or lies below, a file, not a folder.") from None
        except OSError as error:
            raise UserError(f"{self.folder}: cannot be written: {error.strerror}.") from None
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
        try:
            self._cut_torn_line()
            yield self
        finally:
            lock.release()

    def records(self) -> dict[str, dict]:
        """The latest record of every task by key."""
        latest = {}
        if not self.path.exists():
            return latest
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror}.") from None
        for number, line in enumerate(lines[:-1], 1):  # what follows the last newline is torn
            try:
                record = json.loads(line)
                newer, key = record["format"] > FORMAT, record["key"]
                whole = newer or _is_whole(record)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                whole = False
            if not whole:
                raise UserError(
                    f"{self.path}: line {number} is damaged. Delete it to run its task again."
                )
            if newer:
                raise UserError(
                    f"{self.path}: line {number} was written by a newer imbfs. Upgrade imbfs, or "
                    "choose another folder with --results."
                )
            if latest.get(key, record)["status"] != "ok" or record["status"] == "ok":
                latest[key] = record
        return latest

    def append(self, records: list[dict]) -> None:
        """Add records to the end, whole and flushed."""
        text = "".join(json.dumps({"format": FORMAT, **record}) + "\n" for record in records)
        try:
            with open(self.path, "ab") as file:
                file.write(text.encode())
        except OSError as error:
            raise UserError(
                f"{self.path}: cannot be written: {_reason(error)}. What is done is kept; run "
                "again to go on."
            ) from None

    def write(self, name: str, content: dict) -> None:
        """Replace a JSON file of the folder, whole or not at all."""
        write_text(self.folder / name, json.dumps(content, indent=1) + "\n")

    def read(self, name: str) -> dict | None:
        path = self.folder / name
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            newer = content["format"] > FORMAT
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UserError(f"{path}: is damaged, or not ours. Remove it and run again.") from None
        if newer:
            raise UserError(f"{path}: was written by a newer imbfs. Upgrade imbfs.")
        return content

    def _cut_torn_line(self) -> None:
        if not self.path.exists():
            return
        try:
            with open(self.path, "rb+") as file:
                content = file.read()
                whole = content.rfind(b"\n") + 1
                if whole < len(content):
                    file.truncate(whole)
        except OSError as error:
            raise UserError(f"{self.path}: cannot be read: {error.strerror}.") from None


def _is_whole(record: dict) -> bool:
    """Whether a record has what tables take from it, each of its kind."""
    if not isinstance(record["key"], str):
        return False
    if record["status"] != "ok":
        return record["status"] == "failed" and isinstance(record["error"], str)
    return all(map(_is_row, record["rows"])) and all(isinstance(n, str) for n in record["top"])


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


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, under a temporary name first."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        os.replace(scratch, path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink()
        raise UserError(f"{path}: cannot be written: {_reason(error)}.") from None


def _reason(error: OSError) -> str:
    return "no space is left" if error.errno == errno.ENOSPC else error.strerror
