"""Units on several processes of this machine, which end when the one that started them does."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Thread
from time import sleep

from imbfs.errors import UserError
from imbfs.running.backends.attempt import Unit, attempt


def on_processes(units: Iterable[Unit], jobs: int) -> Iterator[list[dict]]:
    """The records of each unit as they come."""
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", inner_max_num_threads=1), _workers_end_with_us():
        pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
        here = os.getpid()
        with _interrupts_held():
            landed = pool(delayed(_follow)(unit, here) for unit in units)
        yield from landed


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


@contextmanager
def _workers_end_with_us():
    """Stop the worker processes at once when the run is interrupted."""
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        yield
    except TerminatedWorkerError:
        raise UserError(
            "a worker process died, perhaps for want of memory. What is done is kept; run again "
            "to go on, with fewer --jobs if it dies again."
        ) from None
    except BaseException:
        get_reusable_executor().shutdown(wait=False, kill_workers=True)
        raise
