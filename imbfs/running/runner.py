"""From tasks to records, in parallel; what is done already is not done again."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby

from imbfs.running.backends.attempt import Unit, attempt
from imbfs.running.backends.cluster import PATIENCE, on_cluster
from imbfs.running.backends.processes import on_processes
from imbfs.running.store import Store
from imbfs.running.task import Task


def missing(tasks: list[Task], records: dict[str, dict], only_failed: bool = False) -> list[Task]:
    """Tasks without a result; with `only_failed`, those that were tried and failed."""
    status = {key: record["status"] for key, record in records.items()}
    if only_failed:
        return [task for task in tasks if status.get(task.key) == "failed"]
    return [task for task in tasks if status.get(task.key) != "ok"]


def run(tasks: list[Task], store: Store, jobs: int = 1, watch=None, **how) -> Iterator[dict]:
    """Run the tasks and yield each record as it lands in the store, one for all of a key.

    With a `scheduler` address a dask cluster does the work, else `jobs` processes of this machine.
    `watch` is called with every unit that is handed out. A task that takes longer than `timeout`
    seconds fails; on a cluster there is no such limit.
    """
    schedule = Schedule(tasks)
    for record in run_parts(schedule, store, jobs, watch, **how):
        schedule.landed(record)
        yield record


class Schedule:
    """The parts of some tasks, in each those units first that took longest on parts before.

    A long one begun last would leave the other workers without anything to do at the end.
    """

    def __init__(self, tasks: list[Task]):
        self._units = units_of(tasks)
        self._place = {task.key: _place(task) for task in tasks}
        self._spent: dict[tuple, float] = {}

    def __iter__(self) -> Iterator[list[Unit]]:
        for _, part in groupby(self._units, key=lambda unit: unit[0].part):
            yield sorted(part, key=lambda unit: -self._spent.get(_place(unit[0]), 0.0))

    def landed(self, record: dict) -> None:
        """Note what a task took."""
        at, took = self._place[record["key"]], record["seconds"].get("total", 0.0)
        self._spent[at] = max(self._spent.get(at, 0.0), took)


def run_parts(
    parts: Iterable[Iterable[Unit]],
    store: Store,
    jobs: int = 1,
    watch: Callable | None = None,
    scheduler: str | None = None,
    patience: float = PATIENCE,
    timeout: float | None = None,
) -> Iterator[dict]:
    """Run units part by part, which may be made as they are handed out; yield records as they land.

    Units of a part share their rows, so that a process best does several of them.
    """
    parts = (_watched(units, watch) for units in parts)
    if scheduler is not None:
        landed = on_cluster(chain.from_iterable(parts), scheduler, patience)
    elif jobs == 1 and timeout is None:
        landed = map(attempt, chain.from_iterable(parts))
    else:
        landed = on_processes(parts, jobs, timeout)
    for records in landed:
        store.append(records)
        yield from records


def units_of(tasks: list[Task]) -> list[Unit]:
    """Group neighbouring tasks that share rows and selector; of equal keys the first serves all."""
    first: dict[str, Task] = {}
    for task in tasks:
        first.setdefault(task.key, task)
    by = groupby(first.values(), key=lambda task: (task.part, task.selector.label))
    return [list(group) for _, group in by]


def _place(task: Task) -> tuple:
    return task.setting.label, task.ratio, task.selector.label


def _watched(units: Iterable[Unit], watch: Callable | None) -> Iterator[Unit]:
    for unit in units:
        if watch:
            watch(unit)
        yield unit
