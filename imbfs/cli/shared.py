"""What several commands do: print, load a config, stop soon."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from imbfs.errors import UserError, printable

ResultsFolder = Annotated[Path, typer.Option("--results", help="Where results are kept.")]
Quick = Annotated[bool, typer.Option("--quick", help="Cut short as the config's quick: says.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Processes at once; all cores unless given. With 1, what kills a task ends all.",
    ),
]
TaskTimeout = Annotated[
    float | None,
    typer.Option("--task-timeout", min=0.001, help="Seconds after which a task is given up."),
]


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _use(context: typer.Context, folder: Path | None) -> Path | None:
    """Let --data stand for IMBFS_DATA until the command ends."""
    if folder is not None:
        context.with_resource(_environment("IMBFS_DATA", str(folder)))
    return folder


DataFolder = Annotated[
    Path | None,
    typer.Option("--data", callback=_use, help="The data directory, in place of IMBFS_DATA."),
]


def _keep_no_copy(context: typer.Context, asked: bool) -> bool:
    """Let --no-cache stand for IMBFS_NO_CACHE until the command ends."""
    if asked:
        context.with_resource(_environment("IMBFS_NO_CACHE", "1"))
    return asked


NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        callback=_keep_no_copy,
        help="Keep no parsed copy of files of one's own; every process reads them itself.",
    ),
]


def say(text: str, colour: str | None = None, err: bool = True) -> None:
    """Print a line, in colour unless the user wants none (NO_COLOR)."""
    text = printable(text)
    plain = colour is None or os.environ.get("NO_COLOR")
    typer.echo(text if plain else typer.style(text, fg=colour), err=err)


def show(renderable) -> None:
    from rich.console import Console

    Console().print(_Printable(renderable))


class _Printable:
    """What rich draws, with nothing in its texts that a terminal obeys."""

    def __init__(self, inner):
        self._inner = inner

    def __rich_console__(self, console, options):
        from rich.segment import Segment

        for text, style, control in console.render(self._inner, options):
            yield Segment(printable(text), style, control)


def list_paths(paths: list[Path]) -> None:
    for path in paths:
        say(str(path), err=False)


def tell_of_altered(results: Path) -> None:
    """Warn of tables that are not what their records made them: somebody or something else did."""
    from imbfs.running.store import Store
    from imbfs.showing.results import altered

    homes = [results, *sorted(path.parent for path in results.glob("*/published.json"))]
    for path in (path for home in homes for path in altered(Store(home))):
        home = path.parents[1]
        say(f"{path}: is not what the records of {home} say. imbfs run mends it.", "yellow")


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load(config: Path, quick: bool):
    """The experiment, and what run.json keeps of its config."""
    from imbfs.config import load

    experiment = load(config)
    kept = {"name": experiment.name, "config": config.read_text(encoding="utf-8"), "quick": quick}
    if not quick:
        return experiment, kept
    experiment = experiment.cut_short()
    return experiment, {**kept, "name": experiment.name}


def planned(config: Path, experiment):
    """The plan; what the data do not allow is told with the config's name."""
    from imbfs.running.plan import expand

    try:
        return expand(experiment)
    except UserError as error:
        raise error.within(str(config)) from None


@contextmanager
def stopping_soon(folder: Path):
    """Let Ctrl-C or TERM end the process within two seconds, even in a long computation.

    The main thread cannot be interrupted inside compiled code, and loses an interrupt that meets
    it in a callback of the interpreter's own, which would tell of it in a traceback: the signal
    wakes another thread.
    """
    import signal
    import sys
    from threading import Thread
    from time import sleep

    stops = [bytes([number]) for number in (signal.SIGINT, signal.SIGTERM)]
    heard, told = os.pipe()
    os.set_blocking(told, False)

    def listen() -> None:
        while (signals := os.read(heard, 1)) not in stops:
            if not signals:
                return  # nobody will tell any more
        sleep(1.5)  # the usual way comes first
        stopped(folder)

    def unraisable(lost) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            usual(lost)

    Thread(target=listen, daemon=True).start()
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    term = signal.signal(signal.SIGTERM, signal.default_int_handler)
    usual, sys.unraisablehook = sys.unraisablehook, unraisable
    try:
        yield
    finally:
        sys.unraisablehook = usual
        signal.signal(signal.SIGTERM, term or signal.SIG_DFL)
        signal.set_wakeup_fd(before)
        os.close(told)


def stopped(folder: Path) -> None:
    typer.echo(
        f"\nStopped. What is done is kept in {folder}; the same command goes on from there.",
        err=True,
    )
    os._exit(130)  # worker processes end by themselves; nothing is left to wait for


@contextmanager
def until_interrupted():
    """An event that the first Ctrl-C or TERM sets; the second ends the process as usual."""
    import signal
    from threading import Event, current_thread, main_thread

    stop = Event()
    if current_thread() is not main_thread():
        yield stop
        return
    stops = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in stops}

    def usual() -> None:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)

    def heard(*_) -> None:
        stop.set()
        usual()

    for number in stops:
        signal.signal(number, heard)
    try:
        yield stop
    finally:
        usual()
