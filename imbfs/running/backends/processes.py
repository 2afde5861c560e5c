"""Units on several processes of this machine, which end when the one that started them does."""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from threading import Thread
from time import sleep

from imbfs.running.backends.attempt import Unit, attempt, failed
from imbfs.running.backends.workers import spread


def on_processes(
    parts: Iterable[Iterable[Unit]], jobs: int, timeout: float | None = None
) -> Iterator[list[dict]]:
    """The record of each task as it comes."""
    for task, outcome in spread(parts, jobs, _follow, timeout):
        yield failed([task], outcome) if isinstance(outcome, BaseException) else outcome


def _follow(unit: Unit, parent: int) -> list[dict]:
    """Attempt a unit in a worker process that ends when its parent does, even by a kill."""
    _end_with(parent)
    return attempt(unit)


@cache
def _end_with(parent: int) -> None:
    def watch() -> None:
        while os.getppid() == parent:
            sleep(0.5)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
