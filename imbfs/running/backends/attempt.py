"""What a process does with tasks, wherever it runs: attempt them, one thread each."""

import os
import threading
import traceback
import warnings
from contextlib import suppress
from time import perf_counter, thread_time

import numpy as np

from imbfs.running.pipeline import execute
from imbfs.running.task import Task

Unit = list[Task]  # tasks that differ in the classifier alone: one ranking serves them all


def attempt(unit: Unit) -> list[dict]:
    """The records of a unit. A failed task is a record too: reported, and retried next time."""
    _use_one_thread()
    return [_attempt(task) for task in unit]


def failed(unit: Unit, error: BaseException) -> list[dict]:
    """Records that say of every task of a unit why it has no result."""
    out_of_memory = "there is not as much memory as it asks for"
    said = _said(error) or (out_of_memory if isinstance(error, MemoryError) else "")
    reason = f"{type(error).__name__}: {said}".split("\n")[0]
    trace = reason
    with suppress(Exception):
        trace = "".join(traceback.format_exception(error))
    outcome = {"status": "failed", "error": reason, "trace": trace, "seconds": {}}
    return [{"key": task.key, **outcome} for task in unit]


def _said(what: object) -> str:
    """What an error or a warning says, if it can."""
    try:
        return str(what)
    except Exception as error:
        return f"(its text cannot be read: {type(error).__name__})"


_limits = threading.local()


def _use_one_thread() -> None:
    """Let a task use one thread, for good: its bits must not depend on the number of cores.

    The limit holds for libraries that are loaded already, so those that bring threads come first;
    that of OpenMP holds for the calling thread alone.
    """
    if hasattr(_limits, "held"):
        return
    import scipy.linalg  # noqa: F401
    import sklearn.neighbors
    import sklearn.svm  # noqa: F401
    from threadpoolctl import threadpool_limits

    _limits.held = threadpool_limits(1)


def _attempt(task: Task) -> dict:
    """The record of a task, whatever a method from outside raises: that may be no Exception.

    A process that a method forked and did not end is ended here, before it goes on as we would.
    """
    started, worked, process = perf_counter(), thread_time(), os.getpid()
    with warnings.catch_warnings(record=True) as caught, np.errstate():
        warnings.simplefilter("always")
        try:
            record = {"key": task.key, "status": "ok", **execute(task)}
        except KeyboardInterrupt:  # the user's; one that a method raises cannot be told from it
            raise
        except BaseException as error:
            if isinstance(error, MemoryError):  # what filled it up is still held by the frames
                traceback.clear_frames(error.__traceback__)
            (record,) = failed([task], error)
        finally:
            if os.getpid() != process:
                os._exit(1)
    if caught:
        record["warnings"] = sorted({f"{w.category.__name__}: {_said(w.message)}" for w in caught})
    record["seconds"] |= {"total": perf_counter() - started, "cpu": thread_time() - worked}
    return record
