"""Several experiments as one run: no worker waits for the last tasks of one, nor for its tables."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field

from imbfs.config import Experiment
from imbfs.running import runner
from imbfs.running.backends.attempt import Unit
from imbfs.running.backends.processes import aside
from imbfs.running.launch import Account, How, begun
from imbfs.running.plan import Plan
from imbfs.running.progress import Progress
from imbfs.running.store import Store


@dataclass(frozen=True)
class Work:
    """An experiment with its plan, where its results go, how many tasks are left, their seconds."""

    experiment: Experiment
    kept: dict  # of the config, by run.json
    plan: Plan
    store: Store
    left: int
    seconds: float | None  # a task


@dataclass
class _Begun:
    """A work whose tasks are handed out: what has landed of them, and what is to end with it."""

    work: Work
    title: str
    lock: ExitStack
    journal: ExitStack
    account: Account
    schedule: runner.Schedule
    serves: Counter[str]
    published: Future | None = None
    landed: set[str] = field(default_factory=set)


def carry_out_all(
    works: list[Work], how: How, shown: Progress, publish: Callable, tell: Callable
) -> int:
    """Run what is missing of every work, one after the other; how many tasks failed.

    When all tasks of one are done, `publish(experiment, store, account)` is called in a process
    beside the workers (here, where there is but one), then `tell(title, work, account)`.
    """
    with ExitStack() as ends, aside(how.jobs) as beside:
        run = _Run(works, how, shown, lambda *given: beside(publish, *given), tell, ends)
        given = run.parts(), run, how.jobs, shown.handed_out
        for record in runner.run_parts(*given, timeout=how.task_timeout):
            run.landed(record)
            run.close()
        return run.close(wait=True)


class _Run:
    """The works that have begun, and those to which a record belongs that is still to come."""

    def __init__(self, works, how, shown, publish, tell, ends):
        self.works, self.how, self.shown, self.ends = works, how, shown, ends
        self.publish, self.tell = publish, tell
        self.failed = 0
        self._open: list[_Begun] = []
        self._waiting: dict[str, list[_Begun]] = defaultdict(list)

    def parts(self) -> Iterator[list[Unit]]:
        for number, work in enumerate(self.works):
            if work.plan.tasks:
                one = self._begin(number, work)
                yield from one.schedule

    def append(self, records: list[dict]) -> None:
        """Add every record to the store of its work, as a store would to its own."""
        for record in records:
            self._waiting[record["key"]][0].work.store.append([record])

    def landed(self, record: dict) -> None:
        one = self._waiting[record["key"]].pop(0)
        tasks = one.serves[record["key"]]
        one.schedule.landed(record)
        one.account.landed(record, tasks)
        one.landed.add(record["key"])
        self.shown.landed(record, tasks, one.work.seconds)
        self._publish_if_done(one)

    def close(self, wait: bool = False) -> int:
        """End the works that are published, or all; how many tasks failed so far."""
        for one in list(self._open):
            if one.published and (wait or one.published.done()):
                one.published.result()
                one.lock.close()
                self._open.remove(one)
                self.failed += one.account.failed
                self.tell(one.title, one.work, one.account)
        return self.failed

    def _begin(self, number: int, work: Work) -> _Begun:
        title = f"{number + 1}/{len(self.works)} {work.experiment.name}"
        lock, journal = (self.ends.enter_context(ExitStack()) for _ in range(2))
        lock.enter_context(work.store.create().locked(self.how.wait))
        parts = work.experiment, work.plan, work.store, self.how, work.kept
        lent = self._lent(work, self.works[:number])
        todo, account = journal.enter_context(begun(*parts, lent))
        serves = Counter(task.key for task in todo)
        one = _Begun(work, title, lock, journal, account, runner.Schedule(todo), serves)
        for key in serves:
            self._waiting[key].append(one)
        self._open.append(one)
        self.shown.at(title)
        self._publish_if_done(one)
        return one

    def _lent(self, work: Work, before: list[Work]) -> dict[str, dict]:
        """Results of tasks that works before it have in common with it."""
        planned, found = {task.key for task in work.plan.tasks}, {}
        for other in before:
            common = planned.intersection(task.key for task in other.plan.tasks)
            if common:
                records = other.store.records(whole=False)
                found |= {key: records[key] for key in common if key in records}
        return found

    def _publish_if_done(self, one: _Begun) -> None:
        if len(one.landed) == len(one.serves):
            one.journal.close()
            one.published = self.publish(one.work.experiment, one.work.store, one.account)
