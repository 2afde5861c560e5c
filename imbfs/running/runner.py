"""From tasks to records, in parallel; what is done already is not done again."""

import os
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from threading import Thread
from time import perf_counter, process_time, sleep

from imbfs.errors import UserError
from imbfs.running import workers
from imbfs.running.pipeline import execute
from imbfs.running.plan import Task
from imbfs.running.store import Store

PATIENCE = 10.0  # seconds to wait for a dask scheduler
Unit = list[Task]  # tasks that differ in the classifier alone: one ranking serves them all


def missing(tasks: list[Task], records: dict[str, dict], only_failed: bool = False) -> list[Task]:
    """Tasks without a result; with `only_failed`, those that were tried and failed."""
    status = {key: record["status"] for key, record in records.items()}
    if only_failed:
        return [task for task in tasks if status.get(task.key) == "failed"]
    return [task for task in tasks if status.get(task.key) != "ok"]


def run(
    tasks: list[Task],
    store: Store,
    jobs: int = 1,
    scheduler: str | None = None,
    watch=None,
    timeout: float | None = None,
) -> Iterator[dict]:
    """Run the tasks and yield each record as it lands in the store.

    With a `scheduler` address a dask cluster does the work, else `jobs` processes of this machine.
    `watch` is called with every unit that is handed out. A task that takes longer than `timeout`
    seconds fails; on a cluster there is no such limit.
    """
    return run_units(units_of(tasks), store, jobs, scheduler, watch, timeout)


def run_units(
    units: Iterable[Unit],
    store: Store,
    jobs: int = 1,
    scheduler: str | None = None,
    watch=None,
    timeout: float | None = None,
) -> Iterator[dict]:
    """Run units, which may be made as they are handed out, and yield each record as it lands."""
    if scheduler is not None:
        landed = _on_dask(units, scheduler, watch)
    elif jobs == 1 and timeout is None:
        landed = map(attempt, _watched(units, watch))
    else:
        landed = _on_processes(units, jobs, watch, timeout)
    for records in landed:
        store.append(records)
        yield from records


def units_of(tasks: list[Task]) -> list[Unit]:
    """Group neighbouring tasks that share rows and selector."""
    by = groupby(tasks, key=lambda task: (task.part, task.selector.label))
    return [list(group) for _, group in by]


def attempt(unit: Unit) -> list[dict]:
    """The records of a unit. A failed task is a record too: reported, and retried next time."""
    _use_one_thread()
    return [_attempt(task) for task in unit]


@cache
def _use_one_thread() -> None:
    """Let a task use one thread, for good: its bits must not depend on the number of cores.

    The limit holds for libraries that are loaded already, so those that bring threads come first.
    """
    import scipy.linalg  # noqa: F401
    import sklearn.neighbors
    import sklearn.svm  # noqa: F401
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def _attempt(task: Task) -> dict:
    started, worked = perf_counter(), process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record = {"key": task.key, "status": "ok", **execute(task)}
        except Exception as error:
            if isinstance(error, MemoryError):  # what filled it up is still held by the frames
                traceback.clear_frames(error.__traceback__)
            (record,) = _failed([task], error)
    if caught:
        record["warnings"] = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    record["seconds"] |= {"total": perf_counter() - started, "cpu": process_time() - worked}
    return record


def _watched(units: Iterable[Unit], watch: Callable | None) -> Iterator[Unit]:
    for unit in units:
        if watch:
            watch(unit)
        yield unit


def _on_processes(units: Iterable[Unit], jobs: int, watch, timeout=None) -> Iterator[list[dict]]:
    for task, outcome in workers.spread(_watched(units, watch), jobs, _follow, timeout):
        yield _failed([task], outcome) if isinstance(outcome, BaseException) else outcome


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


def _on_dask(units: Iterable[Unit], scheduler: str, watch) -> Iterator[list[dict]]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise UserError("--backend dask needs an extra: pip install 'imbfs[dask]'.") from None
    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise UserError(f"--scheduler {scheduler}: no scheduler answers ({error}).") from None
    with client:
        given = list(_watched(units, watch))
        futures = client.map(attempt, given, pure=False)
        unit_of = dict(zip((future.key for future in futures), given, strict=True))
        try:
            for future in as_completed(futures):
                if future.cancelled():
                    raise UserError(
                        f"--scheduler {scheduler}: is gone. What is done is kept; run again to "
                        "go on."
                    )
                error = future.exception()  # the worker died, again and again
                yield _failed(unit_of[future.key], error) if error else future.result()
        except BaseException:
            client.cancel(futures)
            raise


def _failed(unit: Unit, error: BaseException) -> list[dict]:
    out_of_memory = "there is not as much memory as it asks for"
    said = str(error) or (out_of_memory if isinstance(error, MemoryError) else "")
    reason = f"{type(error).__name__}: {said}".split("\n")[0]
    trace = "".join(traceback.format_exception(error))
    outcome = {"status": "failed", "error": reason, "trace": trace, "seconds": {}}
    return [{"key": task.key, **outcome} for task in unit]
