"""Files from public addresses into the data directory, whole and checked, or not at all.

Everything is written into a hidden folder beside its place and moved there once it is right. What a
killed fetch leaves behind is removed by the next one; a lock keeps two of them apart.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from imbfs.datasets.archives import leads_out, unpack, why
from imbfs.errors import Unwritable, UserError

TIMEOUT = 30.0  # seconds without a byte
WAITS = (1.0, 3.0)  # seconds before the second and the third try

_SCRATCH = ".fetching-"
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_WEB_PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True)
class RemoteFile:
    """A file to get: its address, its place below the data directory, and the hash of its content.

    With `member` the address is that of a zip or tar archive and the file is the one in it that has
    this name; `sha256` is always that of the file as it is kept.
    """

    url: str
    path: str
    sha256: str | None = None
    member: str | None = None


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
        _download(url, body, bar)
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


def _download(url: str, target: Path, bar) -> None:
    """Write what `url` answers to `target`; what may pass is tried again, from the start."""
    from pooch import HTTPDownloader
    from requests import RequestException

    for wait in (*WAITS, None):
        try:
            with ExitStack() as answers:
                get = HTTPDownloader(
                    progressbar=bar,
                    chunk_size=2**16,
                    timeout=TIMEOUT,
                    # .gz files are not to be sent as an encoding, which would be undone here.
                    headers={"Accept-Encoding": "identity"},
                    # pooch leaves answers open when something goes wrong.
                    hooks={"response": lambda answer, **_: answers.enter_context(answer)},
                )
                return get(url, str(target), None)
        except RequestException as error:
            response = error.response
            if wait is None or (response is not None and response.status_code not in _TRY_AGAIN):
                raise UserError(_reason(error)) from None
        time.sleep(wait)


def _reason(error) -> str:
    """Why a download failed, in our words."""
    from requests import ConnectionError, Timeout
    from requests.exceptions import ChunkedEncodingError
    from urllib3.exceptions import ReadTimeoutError

    tries = f" Tried {len(WAITS) + 1} times."
    if error.response is not None:
        status = f"the server answers {error.response.status_code} {error.response.reason}."
        return status + tries if error.response.status_code in _TRY_AGAIN else status
    if isinstance(error, Timeout) or isinstance(error.args[0], ReadTimeoutError):
        return f"the server sent nothing for {TIMEOUT:g} s." + tries
    if isinstance(error, ChunkedEncodingError):
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
    if not (progress and console.is_terminal):
        yield False
        return
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn(compact=True))
    with Progress(*columns, console=console, transient=True) as drawn:
        yield _Bar(drawn)


class _Bar:
    """What pooch calls a progress bar, drawn by rich."""

    def __init__(self, drawn):
        self.drawn, self.line = drawn, drawn.add_task("", total=None)

    def _start(self, total: int) -> None:
        self.drawn.reset(self.line, total=total or None)

    total = property(fset=_start)  # pooch sets it when the answer begins

    def update(self, size: int) -> None:
        self.drawn.advance(self.line, size)

    def reset(self) -> None:
        self.drawn.reset(self.line)

    def close(self) -> None:
        pass
