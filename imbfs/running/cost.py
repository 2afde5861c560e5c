"""What tasks will cost, from what like tasks took, and how many processes are worth it.

Tasks that share a ranking run one after the other in one process. However many processes there
are, nothing ends before the longest such unit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapreplace
from math import ceil
from textwrap import wrap

from imbfs.errors import printable
from imbfs.running.progress import clock
from imbfs.running.runner import units_of
from imbfs.running.task import Task

_LADDER = (2, 8, 32, 128)  # numbers of processes to tell of
_WIDTH = 69  # columns of a line, which stands behind eleven others


@dataclass(frozen=True)
class Cost:
    """Seconds of a processor in every unit, in the order in which units are handed out.

    `rests_on` counts the earlier tasks it is guessed from; `longest` names the longest unit.
    """

    seconds: tuple[float, ...]
    rests_on: int
    longest: str

    @property
    def total(self) -> float:
        return sum(self.seconds)

    @property
    def enough(self) -> int:
        """With more processes than this, the longest unit takes longer than a fair share."""
        return ceil(round(self.total / max(self.seconds), 6)) if self.total else 1

    def by(self, processes: int) -> float:
        """Seconds until the last unit ends; a process that is free takes the next unit."""
        ends = [0.0] * processes
        for seconds in self.seconds:
            heapreplace(ends, ends[0] + seconds)
        return max(ends)

    def told(self, cores: int) -> list[str]:
        """Lines for a terminal; this machine's cores are among the numbers of processes."""
        first = f"about {clock(self.total)} of a processor, by {self.rests_on} earlier tasks"
        if self.enough == 1:
            return [first, "more than one process gains nothing"]
        times = list(self._times(cores))
        several = ", ".join(f"{number}: {clock(seconds)}" for number, seconds in times)
        if times[-1][0] < self.enough:
            last = f"more than {times[-1][0]} would save less than a minute"
        else:
            last = f"beyond {times[-1][0]} the longest unit decides, {clock(max(self.seconds))}"
            last += f" ({_cut(printable(self.longest), _WIDTH - len(last) - len(' ()'))})"
        return [first, *wrap(f"processes {several}", _WIDTH), last]

    def _times(self, cores: int) -> Iterator[tuple[int, float]]:
        """Numbers of processes and the seconds they need, until more are not worth it."""
        worth = {n for n in (*_LADDER, cores) if 1 < n < self.enough} | {self.enough}
        for number in sorted(worth):
            yield number, (seconds := self.by(number))
            if seconds < 60:
                return


def estimate(tasks: list[Task], records: list[dict], plans: list[dict]) -> Cost | None:
    """What the tasks will cost; None without a record, or without a task.

    A task is taken to need what those with its dataset, ratio, selector and classifier needed on
    average, or else the same at any ratio, on any dataset, or any task at all.
    """
    took = _took(records, plans)
    units = units_of(tasks)
    if not took or not units:
        return None
    mean = {kind: sum(seconds) / len(seconds) for kind, seconds in took.items()}
    closest = [[next(k for k in _kinds(t.labels) if k in mean) for t in unit] for unit in units]
    seconds = tuple(sum(mean[kind] for kind in unit) for unit in closest)
    task = units[seconds.index(max(seconds))][0]
    longest = f"{task.setting.label} {task.selector.label}"
    return Cost(seconds, len(took[()]), longest)


def _took(records: list[dict], plans: list[dict]) -> dict[tuple, list[float]]:
    """The seconds of earlier tasks, by every kind that they are of."""
    labels = {key: place for plan in plans for key, *place in plan["tasks"]}
    took: dict[tuple, list[float]] = {}
    for record in records:
        if record["status"] == "ok" and record["key"] in labels:
            spent = record["seconds"]
            for kind in _kinds(labels[record["key"]]):
                took.setdefault(kind, []).append(spent.get("cpu", spent["total"]))
    return took


def _kinds(labels) -> Iterator[tuple]:
    """What a task is like, the closest first."""
    dataset, ratio, _, selector, classifier, *_ = labels
    yield dataset, ratio, selector, classifier
    yield dataset, selector, classifier
    yield selector, classifier
    yield ()


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 3] + "..."
