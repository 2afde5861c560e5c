"""Telling how a run goes on: a bar in a terminal, plain lines elsewhere."""

import sys
from contextlib import contextmanager
from time import monotonic

from imbfs.running.plan import Task

_EVERY = 5.0  # seconds between plain lines


class Progress:
    """Counts what was handed out and what has landed, and shows nothing."""

    def __init__(self, total: int, jobs: int):
        self.total, self.jobs = total, jobs
        self.done = self.failed = 0
        self.started = monotonic()
        self._out: dict[str, str] = {}

    def handed_out(self, unit: list[Task]) -> None:
        for task in unit:
            self._out[task.key] = f"{task.setting.label} {task.selector.label}"
        self.show()

    def landed(self, record: dict) -> None:
        self._out.pop(record["key"], None)
        self.done += 1
        self.failed += record["status"] == "failed"
        self.show()

    @property
    def running(self) -> str:
        """What is at work: the oldest of what was handed out, one for each job."""
        names = list(dict.fromkeys(self._out.values()))[: self.jobs]
        return ", ".join(names)

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
        left = (self.total - self.done) / self.rate if self.done else float("inf")
        failed = f", {self.failed} failed" if self.failed else ""
        print(
            f"{self.done}/{self.total} tasks{failed}, {self.rate:.1f}/s, {clock(left)} left, "
            f"running {self.running}",
            file=sys.stderr,
            flush=True,
        )


class Bar(Progress):
    """A rich progress bar."""

    def __init__(self, total: int, jobs: int, console):
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        super().__init__(total, jobs)
        self.bar = RichProgress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("[red]{task.fields[failed]}"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("[dim]{task.fields[running]}"),
            console=console,
            transient=True,
        )
        self.line = self.bar.add_task("", total=total, failed="", rate="", running="")

    def show(self) -> None:
        self.bar.update(
            self.line,
            completed=self.done,
            failed=f"{self.failed} failed" if self.failed else "",
            rate=f"{self.rate:.0f}/s" if self.done else "",
            running=self.running[:30],
        )


@contextmanager
def progress(total: int, jobs: int):
    """A bar on a terminal, lines otherwise."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines(total, jobs)
        return
    bar = Bar(total, jobs, console)
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
