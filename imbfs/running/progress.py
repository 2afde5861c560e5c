"""Telling how a run goes on: a bar in a terminal, plain lines elsewhere."""

import sys
from contextlib import contextmanager
from time import monotonic

from imbfs.errors import printable
from imbfs.running.task import Task

_EVERY = 5.0  # seconds between plain lines
_FORETOLD = 0.05  # of the work must be done before its own speed outweighs what was foretold


class Progress:
    """Counts what was handed out and what has landed, and shows nothing.

    Over several experiments, `work` is the sum of the seconds that all tasks are likely to take,
    and `at` says which experiment is next.
    """

    def __init__(self, total: int, jobs: int, work: float | None = None):
        self.total, self.jobs = total, jobs
        self.work = float(total) if work is None else work
        self.foretold = 0.0 if work is None else _FORETOLD * work
        self.title, self.worked = "", 0.0
        self.done = self.failed = 0
        self.started = monotonic()
        self.until: float | None = None  # when time is up, for a run with a budget
        self._out: dict[str, str] = {}

    def at(self, title: str) -> None:
        self.title = title
        self.show()

    def handed_out(self, unit: list[Task]) -> None:
        for task in unit:
            self._out[task.key] = f"{task.setting.label} {task.selector.label}"
        self.show()

    def landed(self, record: dict, tasks: int = 1, seconds: float = 1.0) -> None:
        """Count a record that serves so many tasks, each of so many seconds of `work`."""
        self._out.pop(record["key"], None)
        self.done += tasks
        self.worked += tasks * seconds
        self.failed += tasks * (record["status"] == "failed")
        self.show()

    @property
    def running(self) -> str:
        """What is at work: the oldest of what was handed out, one for each job."""
        names = list(dict.fromkeys(self._out.values()))[: self.jobs]
        return ", ".join(names)

    @property
    def left(self) -> float:
        """The seconds that are left, at the speed so far or until time is up.

        The first few of many seconds foretold are spent on loading and compiling: so much more is
        taken to be done, as foretold.
        """
        spent, worked = (
            seconds + self.foretold for seconds in (monotonic() - self.started, self.worked)
        )
        left = (self.work - self.worked) * spent / worked if worked else float("inf")
        return left if self.until is None else min(left, max(0.0, self.until - monotonic()))

    @property
    def share(self) -> float:
        """How much of the way is behind us."""
        spent = monotonic() - self.started
        return 1.0 if self.left == 0 else max(self.worked / self.work, spent / (spent + self.left))

    @property
    def rate(self) -> float:
        return self.done / max(monotonic() - self.started, 1e-9)

    def show(self) -> None:
        pass


class Lines(Progress):
    """A plain line every few seconds, for logs and pipes."""

    _shown = 0.0

    def show(self) -> None:
        now = monotonic()
        if not self._out or now - max(self._shown, self.started) < _EVERY:
            return
        self._shown = now
        failed = f", {self.failed} failed" if self.failed else ""
        title = f"{self.title}: " if self.title else ""
        line = (
            f"{title}{self.done}/{self.total} tasks{failed}, {self.rate:.1f}/s, "
            f"{clock(self.left)} left, running {self.running}"
        )
        print(printable(line), file=sys.stderr, flush=True)


class Bar(Progress):
    """A rich progress bar."""

    def __init__(self, total: int, jobs: int, console, work: float | None = None):
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        super().__init__(total, jobs, work)
        self.bar = RichProgress(
            BarColumn(bar_width=20),
            TextColumn("{task.fields[count]}"),
            TextColumn("{task.fields[failed]}", "red", markup=False),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[running]}", "dim", markup=False),
            console=console,
            transient=True,
        )
        blank = dict.fromkeys(["count", "failed", "rate", "left", "running"], "")
        self.line = self.bar.add_task("", total=self.work, **blank)

    def show(self) -> None:
        self.bar.update(
            self.line,
            completed=self.worked if self.until is None else self.work * self.share,
            count=f"{self.done}/{self.total}",
            failed=f"{self.failed} failed" if self.failed else "",
            rate=f"{self.rate:.0f}/s" if self.done else "",
            left=clock(self.left) if self.done else "",
            running=printable(self.title or self.running)[:30],
        )


@contextmanager
def progress(total: int, jobs: int, work: float | None = None):
    """A bar on a terminal, lines otherwise."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(total, jobs, work)
        return
    bar = Bar(total, jobs, console, work)
    with bar.bar:
        yield bar


def clock(seconds: float) -> str:
    """90 -> '1m30s'; infinity -> '?'."""
    if seconds == float("inf"):
        return "?"
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    return f"{seconds // 3600}h{seconds % 3600 // 60:02d}m"
