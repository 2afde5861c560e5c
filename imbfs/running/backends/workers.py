"""Processes of this machine, each with tasks of its own: what ends one leaves the others be.

Every worker is an executor of a single process, so that it is known which task a process was at
when it died or hung. Workers outlive a run, for the next one.
"""

import os
import re
import signal
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from contextlib import contextmanager
from time import monotonic

from imbfs.running.task import Task

Outcome = list[dict] | BaseException
_ONE_THREAD = dict.fromkeys(
    (f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")), "1"
)
# Without it loky prints where every thread was when a process crashes; set it to 1 to see that.
_NO_DUMP = {"PYTHONFAULTHANDLER": os.environ.get("PYTHONFAULTHANDLER", "")}
_resting: list["_Worker"] = []


class WorkerDied(Exception):
    """The process that was at work on a task came to an end."""


class TimedOut(Exception):
    """A task was at work for longer than it may."""


def spread(
    parts: Iterable[Iterable[list[Task]]], jobs: int, call: Callable, timeout: float | None = None
) -> Iterator[tuple[Task, Outcome]]:
    """Every task of the units with what `call([task], our process id)` returned or raised.

    A process begins with a call for no task, so that what it has to load is not on the clock.
    The tasks of a unit are done by one worker, one after the other, and so are the units of a part,
    until there is no other part to begin. A task whose process died beside others is tried once
    more when nothing else is at work: their memory may have been why.
    """
    crew = [_resting.pop() if _resting else _Worker() for _ in range(jobs)]
    for worker in crew:
        worker.call, worker.timeout, worker.part = call, timeout, iter(())
    again = []
    try:
        for task, outcome, alone in _landed(iter(parts), crew):
            if isinstance(outcome, WorkerDied) and not alone:
                again.append([task])
            else:
                yield task, outcome
        for task, outcome, _ in _landed(iter([again]), crew[:1]):
            yield task, outcome
    except BaseException:
        for worker in crew:
            worker.end(wait=False)
        raise
    _resting.extend(crew)


def begin_process(call: Callable, *given) -> tuple:
    """An executor of one process, and the future of its first call."""
    from joblib.externals.loky import ProcessPoolExecutor

    # loky ends a process whose memory has grown and begins another: nothing to tell of.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
    with _interrupts_held():
        executor = ProcessPoolExecutor(1, env=_NO_DUMP | _ONE_THREAD)
        return executor, executor.submit(call, *given)


def end_resting() -> None:
    """End the processes that wait for another run."""
    while _resting:
        _resting.pop().end()


def _landed(parts: Iterator[Iterable[list[Task]]], crew: list["_Worker"]):
    """Tasks, what came of them, and whether they were the only ones at work."""
    while True:
        for worker in crew:
            if worker.task is None and (unit := _next(worker, parts, crew)):
                worker.take(unit)
        busy = [worker for worker in crew if worker.task is not None]
        if not busy:
            return
        left = min(worker.left for worker in busy)
        waited = None if left == float("inf") else max(left, 0.0)
        wait([worker.awaited for worker in busy], waited, FIRST_COMPLETED)
        for worker in busy:
            task, outcome = worker.task, worker.outcome()
            if outcome is not None:
                worker.go_on()
                yield task, outcome, len(busy) == 1


def _next(worker: "_Worker", parts: Iterator, crew: list["_Worker"]) -> list[Task] | None:
    """A unit of the worker's part, else of a new one, else of what another worker is at."""
    while (unit := next(worker.part, None)) is None and (part := next(parts, None)) is not None:
        worker.part = iter(part)
    return unit or next((unit for other in crew for unit in other.part), None)


class _Worker:
    """One process, the part and the task that it is at, and those that it is to do next."""

    call: Callable
    timeout: float | None
    part: Iterator[list[Task]]

    def __init__(self):
        self.executor = self.ready = self.task = self.future = self.since = None
        self.next: deque[Task] = deque()

    @property
    def awaited(self):
        """The future to wait for."""
        return self.future if self.ready.done() else self.ready

    @property
    def left(self) -> float:
        """Seconds until the time of the task is up."""
        if self.timeout is None or not self.ready.done():
            return float("inf")
        self.since = self.since or monotonic()
        return self.since + self.timeout - monotonic()

    def take(self, unit: list[Task]) -> None:
        self.next.extend(unit)
        self.go_on()

    def go_on(self) -> None:
        """Begin the next task, if there is one."""
        self.task = self.since = self.future = None
        if not self.next:
            return
        self.task = self.next.popleft()
        try:
            self._submit()
        except BrokenExecutor:  # it died with nothing to do
            self.executor = None
            self._submit()

    def outcome(self) -> Outcome | None:
        """Records or an error; None while the task is at work."""
        if self.future.done():
            return self._result()
        if self.left > 0:
            return None
        self.end()
        return TimedOut(f"it took longer than the {self.timeout:g} s that --task-timeout gives")

    def end(self, wait: bool = True) -> None:
        """End the process, whatever it is doing."""
        if self.executor is not None:
            self.executor.shutdown(wait=wait, kill_workers=True)
            self.executor = None

    def _submit(self) -> None:
        if self.executor is None:
            self.executor, self.ready = begin_process(self.call, [], os.getpid())
        self.future = self.executor.submit(self.call, [self.task], os.getpid())

    def _result(self) -> Outcome:
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        error = self.future.exception()
        if isinstance(error, BrokenExecutor):
            self.executor = None
        if isinstance(error, TerminatedWorkerError):
            return WorkerDied(f"its process {_how_it_ended(error)}")
        return error or self.future.result()


def _how_it_ended(error: Exception) -> str:
    """In words; SIGKILL is what a system that runs out of memory sends."""
    ended = re.search(r"\{(\w+)\((-?\d+)\)", str(error))
    if ended is None:
        return "came to an end"
    if ended[1] == "SIGKILL":
        return "was killed (SIGKILL), as the system does for want of memory"
    return f"came to an end ({ended[1]} {ended[2]})"


@contextmanager
def _interrupts_held():
    """Start worker processes that never hear Ctrl-C: it is for us, and they end when we do.

    A signal that is blocked here is blocked in what is started, and comes to us a moment later.
    """
    from multiprocessing import resource_tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
