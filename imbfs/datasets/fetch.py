"""Files from public addresses into the data directory, whole and checked, or not at all.

Everything is written into a hidden folder beside its place and moved there once it is right. What a
killed fetch leaves behind is removed by the next one; a lock keeps two of them apart.
"""

import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from imbfs.datasets.archives import leads_out, unpack, why
from imbfs.errors import Unwritable, UserError

TIMEOUT = 30.0  # seconds without a byte
WAITS = (1.0, 3.0)  # seconds before the second and the third try
GRACE = 60.0  # seconds that a body may take, and more by its size
SLOWEST = 2_000.0  # bytes a second
MOST = 1 << 31  # bytes of a file, unless it is known to be smaller

_SCRATCH = ".fetching-"
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_WEB_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True)
class RemoteFile:
    """A file to get: its address, its place below the data directory, and the hash of its content.

    With `member` the address is that of a zip or tar archive and the file is the one in it that has
    this name; `sha256` is always that of the file as it is kept. Of an address no more than `most`
    bytes are taken.
    """

    url: str
    path: str
    sha256: str | None = None
    member: str | None = None
    most: int = MOST


def fetch(files: list[RemoteFile], folder: Path, progress: bool = True) -> list[Path]:
    """Get what is missing of `files` in `folder`, or is wrong there; return where all of them lie.

    An archive that holds several of them is fetched once. A file without a hash is right if there.
    """
    paths = [_place(file, folder) for file in files]
    if not _missing(files, folder):
        return paths
    try:
        with _at_work(folder, progress) as scratch, _shown(progress) as bar:
            for url, wanted in _by_url(_missing(files, folder)).items():
                _get(url, wanted, folder, scratch, bar)
    except OSError as error:
        raise Unwritable.of(folder, error) from None
    return paths


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(file: RemoteFile, folder: Path) -> Path:
    if leads_out(file.path):
        raise UserError(f"{file.path}: is a path outside the data directory.")
    return folder / file.path


def _missing(files: list[RemoteFile], folder: Path) -> list[RemoteFile]:
    return [file for file in files if not _is_right(_place(file, folder), file.sha256)]


def _is_right(path: Path, known: str | None) -> bool:
    return path.is_file() and (known is None or sha256(path) == known)


def _by_url(files: list[RemoteFile]) -> dict[str, list[RemoteFile]]:
    return {f.url: [other for other in files if other.url == f.url] for f in files}


def _get(url: str, wanted: list[RemoteFile], folder: Path, scratch: Path, bar) -> None:
    """Download one address, unpack and check what is wanted of it, and move that into place."""
    body = scratch / "body"
    try:
        _download(url, wanted[0], body, bar)
        members = {f.member: scratch / f"member{i}" for i, f in enumerate(wanted) if f.member}
        if members:
            unpack(body, members)
        parts = [(members[file.member] if file.member else body, file) for file in wanted]
        for part, file in parts:
            _check(part, file)
    except UserError as error:
        raise error.within(url) from None
    for part, file in parts:
        path = _place(file, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(part, path)


def _check(part: Path, file: RemoteFile) -> None:
    if file.sha256 is not None and (found := sha256(part)) != file.sha256:
        raise UserError(f"has sha256 {found}, not {file.sha256}. Nothing of it was kept.")
    with part.open("rb") as content:
        if content.read(512).lstrip().lower().startswith(_WEB_PAGE):
            raise UserError("is a web page, not a data file. Nothing of it was kept.")


def _download(url: str, file: RemoteFile, target: Path, bar) -> None:
    """Write what `url` answers to `target`; what may pass is tried again, from the start."""
    from requests import RequestException
    from urllib3.exceptions import HTTPError

    for wait in (*WAITS, None):
        try:
            with _asked(url) as answer, target.open("wb") as body:
                return _receive(answer, file, body, bar)
        except (RequestException, HTTPError) as error:
            response = getattr(error, "response", None)
            if wait is None or (response is not None and response.status_code not in _TRY_AGAIN):
                raise UserError(_reason(error)) from None
        time.sleep(wait)


def _asked(url: str):
    """The answer with its headers read; they must come within a time in all.

    No timeout holds for headers that come byte by byte, so another thread reads them.
    """
    import requests

    def ask() -> None:
        try:
            # .gz files are not to be sent as an encoding.
            headers = {"Accept-Encoding": "identity"}
            answer = requests.get(url, stream=True, timeout=TIMEOUT, headers=headers)
            if given_up.is_set():
                answer.close()
            found.append(answer)
        except BaseException as error:
            found.append(error)

    found, given_up = [], threading.Event()
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(4 * TIMEOUT)
    if not found:
        given_up.set()
        raise UserError(f"the server has not begun to answer after {4 * TIMEOUT:g} s.")
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _receive(answer, file: RemoteFile, body: BinaryIO, bar) -> None:
    """Write the body as it is sent, whole, no larger than the file may be, and no slower."""
    answer.raise_for_status()
    if answer.status_code != 200:
        raise UserError(f"the server answers {answer.status_code} {answer.reason}, not a file.")
    length = _length(answer, file)
    bar.begin(length)
    size, started = 0, time.monotonic()
    while chunk := answer.raw.read1(2**16, decode_content=False):
        body.write(chunk)
        bar.advance(len(chunk))
        size += len(chunk)
        if size > file.most:
            raise UserError(f"has more than {file.most:,} bytes, too many for this file.")
        if (spent := time.monotonic() - started) > GRACE + size / SLOWEST:
            raise UserError(f"is too slow: {size:,} bytes in {spent:.0f} s.")
    if not size:
        raise UserError("is empty.")


def _length(answer, file: RemoteFile) -> int | None:
    """How long the body will be; a server must say it, or the file be known, to notice a cut."""
    told = answer.headers.get("Content-Length")
    if told is not None and not (told.isascii() and told.isdecimal() and len(told) < 20):
        raise UserError(f"the server sends a length that is no number, {told[:20]!r}.")
    if told is not None and int(told) > file.most:
        raise UserError(f"has {int(told):,} bytes, more than the {file.most:,} of this file.")
    chunked = "chunked" in answer.headers.get("Transfer-Encoding", "").lower()
    if told is None and not chunked and file.sha256 is None:
        raise UserError("the server does not say how long it is: it could be cut unnoticed.")
    return None if told is None or chunked else int(told)


def _reason(error) -> str:
    """Why a download failed, in our words."""
    from requests import ConnectionError, Timeout
    from requests.exceptions import ChunkedEncodingError
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    tries = f" Tried {len(WAITS) + 1} times."
    response = getattr(error, "response", None)
    if response is not None:
        status = f"the server answers {response.status_code} {response.reason}."
        return status + tries if response.status_code in _TRY_AGAIN else status
    if isinstance(error, Timeout | ReadTimeoutError):
        return f"the server sent nothing for {TIMEOUT:g} s." + tries
    if isinstance(error, ChunkedEncodingError | HTTPError):
        return "the connection broke off half way." + tries
    if isinstance(error, ConnectionError):
        return f"cannot be reached ({why(_deepest(error))}). Is there a network?" + tries
    return f"cannot be fetched ({why(error)})."


def _deepest(error: BaseException) -> BaseException:
    while inner := error.__cause__ or error.__context__:
        error = inner
    return error


@contextmanager
def _at_work(folder: Path, progress: bool) -> Iterator[Path]:
    """A folder of our own inside `folder`, which no other fetch works in and which goes again."""
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".fetch.lock")
    try:
        held = lock.acquire(timeout=0)
    except Timeout:
        if progress:
            print(f"{folder}: waiting for another fetch.", file=sys.stderr)
        held = lock.acquire()
    with held:
        for left in folder.glob(f"{_SCRATCH}*"):
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=_SCRATCH, dir=folder) as scratch:
            yield Path(scratch)


@contextmanager
def _shown(progress: bool):
    """A bar on a terminal; nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn(compact=True))
    shown = progress and console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not shown) as drawn:
        yield _Bar(drawn)


class _Bar:
    """The bytes of the file that is on its way."""

    def __init__(self, drawn):
        self.drawn, self.line = drawn, drawn.add_task("", total=None)

    def begin(self, length: int | None) -> None:
        self.drawn.reset(self.line, total=length)

    def advance(self, size: int) -> None:
        self.drawn.advance(self.line, size)
