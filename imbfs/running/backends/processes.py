"""Units on several processes of this machine, which end when the one that started them does."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from threading import Thread
from time import sleep

from imbfs.running.backends.attempt import Unit, attempt, failed
from imbfs.running.backends.workers import begin_process, spread


def on_processes(
    parts: Iterable[Iterable[Unit]], jobs: int, timeout: float | None = None
) -> Iterator[list[dict]]:
    """The record of each task as it comes."""
    for task, outcome in spread(parts, jobs, _follow, timeout):
        yield failed([task], outcome) if isinstance(outcome, BaseException) else outcome


@contextmanager
def aside(jobs: int):
    """A way to call what is no task in a process beside the workers, or here if there is one job.

    It gives the future of each call; calls are done one after the other.
    """
    executor = None

    def call_aside(call: Callable, *given) -> Future:
        nonlocal executor
        if jobs == 1:
            answer = Future()
            answer.set_result(call(*given))
            return answer
        if executor is None:
            executor, _ = begin_process(_end_with, os.getpid())
        return executor.submit(call, *given)

    try:
        yield call_aside
    finally:
        if executor is not None:
            executor.shutdown(kill_workers=True)


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
