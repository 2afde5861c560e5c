"""What happens while a stream is learned: a line tells how far it is, and the model is saved."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from imbfs.running.store import write_whole
from imbfs.streaming.learning import Learning
from imbfs.streaming.model import Model

SAVE_EVERY = 60.0  # seconds after which the model is saved on the way
_MOST_SAVING = 0.05  # of the time
_TELL_EVERY = 0.5  # seconds between two progress lines


def save(learning: Learning, path: Path | None) -> Model:
    """What was learned so far, written whole or not at all: a kill leaves the model of before."""
    model = learning.model

    def write(file: BinaryIO) -> None:
        model.write(file)
        file.flush()
        os.fsync(file.fileno())

    if path is not None:
        write_whole(path, write)
    return model


@contextmanager
def going(learning: Learning, path: Path | None) -> Iterator[Callable[[], None]]:
    """A function to call again and again: it tells and it saves, each if that was long ago."""
    with _line(learning) as tell:
        save_if_due = _saving(learning, path)

        def go_on() -> None:
            tell()
            save_if_due()

        yield go_on


def _saving(learning: Learning, path: Path | None) -> Callable[[], None]:
    due = monotonic() + SAVE_EVERY

    def save_if_due() -> None:
        nonlocal due
        began = monotonic()
        if path is not None and began > due:
            save(learning, path)
            now = monotonic()
            due = now + max(SAVE_EVERY, (now - began) / _MOST_SAVING)

    return save_if_due


@contextmanager
def _line(learning: Learning) -> Iterator[Callable[[], None]]:
    """A function that tells in one line of a terminal how far it is."""
    shown, began = sys.stderr.isatty(), monotonic()
    last, before = began, learning.progress[1]

    def tell() -> None:
        nonlocal last
        now = monotonic()
        if shown and now - last >= _TELL_EVERY:
            last = now
            rows = learning.progress[1] - before
            _show(_progress(learning, rows / (now - began)))

    try:
        yield tell
    finally:
        if shown:
            _show("")


def _progress(learning: Learning, speed: float) -> str:
    n_bytes, rows, g_mean = learning.progress
    text = f"{n_bytes / 1e6:,.0f} MB, {rows:,} rows, {speed:,.0f}/s"
    return f"{text}, g-mean {g_mean:.3f}, {learning.features_in_use():,} features"


def _show(text: str) -> None:
    sys.stderr.write(f"\r{text}\x1b[K")
    sys.stderr.flush()
