"""The command in processes that are real to kill and quick to start.

They are forked off a server that has imported what commands need: a kill meets their work and not
their imports.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest

KILLS = int(os.environ.get("IMBFS_KILLS", "4"))  # make faults asks for 20
PATIENCE = 300  # seconds for a command on a machine under load

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "imbfs.cli",
        "imbfs.running.launch",
        "imbfs.showing.results",
        "imbfs.showing.sheets",
        "imbfs.showing.figures",
        "imbfs.streaming.learning",
        "imbfs.datasets.formats",
        "matplotlib.pyplot",
        "requests",
        "filelock",
        "rich.progress",
        "sklearn.neighbors",
        "sklearn.svm",
    ]
)


@contextmanager
def at_work(folder: Path, *arguments, setup: Callable | None = None, **environment: str):
    """A command that has begun in a folder; it and all it started are ended on the way out."""
    given = folder, [str(argument) for argument in arguments], setup, {**os.environ, **environment}
    process = _FORKS.Process(target=_main, args=given)
    process.start()
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def run(folder: Path, *arguments, setup: Callable | None = None, **environment: str):
    """What a command says when it is let be: code, out, err."""
    with at_work(folder, *arguments, setup=setup, **environment) as process:
        process.join(PATIENCE)
        assert process.exitcode is not None, said(process, folder)
        return said(process, folder)


def kill(folder: Path, when: Callable[[], bool], *arguments, setup: Callable | None = None) -> bool:
    """Start a command and kill it at a moment; whether it was still at work then."""
    with at_work(folder, *arguments, setup=setup) as process:
        deadline = time.monotonic() + PATIENCE
        while not when() and process.is_alive() and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        process.join()
        assert "Traceback" not in said(process, folder).err
        return process.exitcode == -signal.SIGKILL


def said(process, folder: Path) -> SimpleNamespace:
    """The code of a process, and what it said but for lines of progress."""
    files = [folder / f"said.{process.pid}.{end}" for end in ("out", "err")]
    out, err = (file.read_text() if file.exists() else "" for file in files)
    err = re.sub(r"^\d+/\d+ tasks.* left, running .*\n", "", err, flags=re.M)
    return SimpleNamespace(code=process.exitcode, out=out, err=err)


def until(happened: Callable[[], bool], process) -> None:
    """Wait for something while a process is at work."""
    deadline = time.monotonic() + PATIENCE
    while not happened() and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert happened(), process.exitcode


def _main(folder: Path, arguments: list[str], setup: Callable | None, environment: dict) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ.update(environment)
    for number, end in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"said.{os.getpid()}.{end}", os.O_CREAT | os.O_WRONLY), number)
    from imbfs import cli
    from imbfs.running.backends import workers

    if setup is not None:
        setup()
    sys.argv = ["imbfs", *arguments]
    try:
        cli.main()
    finally:
        workers.end_resting()  # multiprocessing waits for them before joblib would end them


@contextmanager
def mounted(place: Path, options: str):
    """A small file system of its own at a place, which only root can make."""
    place.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a file system takes root")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


def tables(folder: Path) -> dict[str, bytes]:
    """All tables but that of times, which differ from run to run."""
    found = {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}
    assert "results.csv" in found
    found.pop("seconds.csv", None)
    return found


def one_line(answer, code: int, *parts: str) -> None:
    """The command ended with this code, and said why in one line and without a traceback."""
    assert answer.code == code, answer
    lines = answer.err.splitlines()
    assert "Traceback" not in answer.err and len(lines) == 1, answer.err
    assert all(part in lines[0] for part in parts), answer.err
