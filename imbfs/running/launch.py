"""Carrying out an experiment: what is still to do, the run itself, and the account of it.

run.json says how the results came about: the config's text and, for every run that did anything,
the versions, the machine's kind, the commit, the methods from outside with the hashes of their
sources, start, end and counts. A record names the start of the run that made it.
"""

import os
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from imbfs import __version__
from imbfs.config import Experiment
from imbfs.errors import UserError, did_you_mean
from imbfs.running import runner
from imbfs.running.backends.cluster import PATIENCE
from imbfs.running.backends.node import PACKAGES
from imbfs.running.plan import Plan
from imbfs.running.progress import progress
from imbfs.running.store import FORMAT, Store
from imbfs.running.task import LABELS, Task

_FILTERS = ("dataset", "ratio", "resampling", "selector", "classifier")


@dataclass(frozen=True)
class How:
    """How a run is carried out; nothing of this changes a result."""

    jobs: int
    scheduler: str | None = None
    patience: float = PATIENCE
    only: tuple[str, ...] = ()
    only_failed: bool = False
    wait: bool = False
    task_timeout: float | None = None
    redo: tuple[str, ...] = ()


@dataclass
class Account:
    """What a run found and did, and the seconds of a processor that its tasks took."""

    planned: int
    before: int
    ran: int = 0
    failed: int = 0
    cpu_seconds: float = 0.0

    @property
    def done(self) -> int:
        return self.before + self.ran - self.failed

    def landed(self, record: dict, tasks: int = 1) -> None:
        """Count a record that serves so many tasks."""
        self.ran += tasks
        self.failed += tasks * (record["status"] == "failed")
        self.cpu_seconds += record["seconds"].get("cpu", 0.0)


def carry_out(
    experiment: Experiment,
    plan: Plan,
    store: Store,
    how: How,
    config: dict,
    publish: Callable,
) -> Account:
    """Run what is missing; `config` is what run.json keeps of the config file.

    `publish` is called with the account while the folder is still ours. How it goes on is told by a
    progress of its own.
    """
    with store.create().locked(how.wait):
        with begun(experiment, plan, store, how, config) as (todo, account):
            with progress(len(todo), how.jobs) as shown:
                where = {"scheduler": how.scheduler, "patience": how.patience}
                where["timeout"] = how.task_timeout
                serves = Counter(task.key for task in todo)
                for record in runner.run(todo, store, how.jobs, shown.handed_out, **where):
                    account.landed(record, serves[record["key"]])
                    shown.landed(record, serves[record["key"]])
        publish(account)
    return account


@contextmanager
def begun(
    experiment: Experiment,
    plan: Plan,
    store: Store,
    how: How,
    config: dict,
    lent: dict[str, dict] | None = None,
):
    """The tasks that are to do in a folder that is ours, and the account that run.json keeps.

    Results that other experiments lend are taken over.
    """
    chosen = only(plan, how.only)
    _undo(store, how.redo, {task.key for task in chosen} if how.only else None)
    records = store.records()
    lent = {task.key: (lent or {}).get(task.key) for task in runner.missing(chosen, records)}
    lent = {key: record for key, record in lent.items() if record and record["status"] == "ok"}
    records |= lent
    todo = runner.missing(chosen, records, how.only_failed)
    known = {key for key, record in records.items() if record["status"] == "ok"}
    account = Account(len(chosen), sum(task.key in known for task in chosen))
    store.write("plan.json", _plan_file(experiment, plan))
    busy = [task for task in chosen if task.key in lent] + todo
    with journal(store, config, how, account, busy):
        if lent:
            store.append(list(lent.values()))
        yield todo, account


def only(plan: Plan, filters: tuple[str, ...]) -> list[Task]:
    """The tasks that `--only dataset=w8a` and the like leave."""
    tasks = plan.tasks
    for text in filters:
        key, _, wanted = text.partition("=")
        if key not in _FILTERS or not wanted:
            hint = did_you_mean(key, _FILTERS)
            raise UserError(
                f"--only {text}: write KEY=NAME, KEY one of {', '.join(_FILTERS)}.{hint}"
            )
        place = LABELS.index(key)
        names = list(dict.fromkeys(task.labels[place] for task in tasks))
        if key == "dataset" and wanted in plan.absent:
            raise UserError(plan.absent[wanted])
        kept = [t for t in tasks if wanted in (t.labels[place], t.labels[place].split("(")[0])]
        if not kept:
            hint = did_you_mean(wanted, names)
            raise UserError(f"--only {text}: no such {key}.{hint} Known: {', '.join(names)}.")
        tasks = kept
    return tasks


def _undo(store: Store, starts: tuple[str, ...], keys: set[str] | None) -> None:
    """Put aside what the runs that began then made of these tasks, to be done again."""
    if not starts:
        return
    runs = (store.read("run.json") or {}).get("runs", [])
    known = {record["run"]: "" for record in store.records().values() if "run" in record}
    known |= {run["start"]: ", ".join(run.get("outside", {})) for run in runs}
    for start in starts:
        if start not in known:
            told = (f"{run} ({methods})" if methods else run for run, methods in known.items())
            raise UserError(
                f"--redo {start}: no run of {store.folder} began then. Runs: "
                f"{', '.join(told) or 'none'}."
            )
    count = store.undo(set(starts), keys)
    print(
        f"{store.path}: {count} records of {', '.join(starts)} were moved to records.undone.",
        file=sys.stderr,
    )


def failures(plan: Plan, records: dict[str, dict]) -> dict[str, list[str]]:
    """Reasons of the failed tasks, each with the places it struck."""
    reasons = {}
    for task in plan.tasks:
        record = records.get(task.key)
        if record and record["status"] == "failed":
            place = ", ".join(str(label) for label in task.labels)
            reasons.setdefault(record["error"], []).append(place)
    return reasons


def warned(plan: Plan, records: dict[str, dict]) -> Counter:
    """What tasks warned of, and how many did."""
    found = (records.get(task.key, {}).get("warnings", ()) for task in plan.tasks)
    return Counter(text.split("\n")[0] for texts in found for text in texts)


def seconds_a_task(store: Store) -> float | None:
    """What a task took on average, with as many processes, in the runs that run.json tells of."""
    runs = (store.read("run.json") or {}).get("runs", [])
    ended = [run for run in runs if run["end"] and (run.get("tasks") or {}).get("ran")]
    spent = sum(map(_seconds, ended))
    return spent / sum(run["tasks"]["ran"] for run in ended) if ended else None


def _seconds(run: dict) -> float:
    """Of a processor for every job, whatever else it had to do; by the clock in runs of old."""
    if run["tasks"].get("cpu_seconds"):
        return run["tasks"]["cpu_seconds"] / run["jobs"]
    took = datetime.fromisoformat(run["end"]) - datetime.fromisoformat(run["start"])
    return max(0.0, took.total_seconds())


@contextmanager
def journal(store: Store, config: dict, how: How, account: Account, tasks: list[Task]):
    """Keep run.json: the config as it is now, and an entry for this run if it has tasks to do.

    The entry of a run that was killed has no end.
    """
    before = store.read("run.json") or {}
    # Runs whose records are gone, as in a fresh clone, gave none of what is shown from now on.
    runs = before.get("runs", []) if store.path.exists() else []
    content = {"format": FORMAT, **config, "runs": runs}
    if content != before:
        store.write("run.json", content)
    if not tasks:
        yield
        return
    began, started = monotonic(), datetime.now(UTC)
    entry = {"start": _stamp(started), "end": None, **_surroundings(), **asdict(how)}
    entry["outside"] = _from_outside(tasks)
    content["runs"].append(entry)
    store.write("run.json", content)
    store.run = entry["start"]
    try:
        yield
    except BaseException:
        with suppress(UserError):  # what went wrong matters more than that it cannot be noted
            _close(store, content, account, started, began)
        raise
    _close(store, content, account, started, began)


def _close(store: Store, content: dict, account: Account, started: datetime, began: float) -> None:
    """Note the end: the start and the seconds since, whatever was done to the clock meanwhile."""
    tasks = asdict(account) | {"cpu_seconds": round(account.cpu_seconds, 1)}
    ended = started + timedelta(seconds=monotonic() - began)
    content["runs"][-1] |= {"end": _stamp(ended), "tasks": tasks}
    store.write("run.json", content)


def _plan_file(experiment: Experiment, plan: Plan) -> dict:
    return {
        "format": FORMAT,
        "name": experiment.name,
        "labels": LABELS,
        "measures": experiment.measures,
        "tasks": [[task.key, *task.labels] for task in plan.tasks],
        "absent": plan.absent,
        "problems": plan.problems,
        "printed": plan.printed,
        "test_share": getattr(experiment.protocol, "test", 1 / experiment.protocol.n_folds),
    }


def _from_outside(tasks: list[Task]) -> dict[str, str]:
    """The methods from outside imbfs that tasks call, with the hashes of their sources."""
    choices = {choice.label: choice for t in tasks for choice in (t.selector, t.classifier)}
    waiting: list = [choice.identity() for choice in choices.values()]
    found = {}
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("revision"), str):
                found[one["name"]] = one["revision"]
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return dict(sorted(found.items()))


def _surroundings() -> dict:
    return {
        "imbfs": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "cores": os.cpu_count(),
    }


def _commit() -> str | None:
    """The commit that imbfs was run from, `+` behind it if its files were changed since."""
    git = ["git", "-C", str(Path(__file__).parent.parent)]
    try:
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        status = subprocess.run(
            [*git, "status", "--porcelain", "."], capture_output=True, text=True
        )
    except OSError:
        return None
    if commit.returncode:
        return None
    return commit.stdout.strip() + ("+" if status.stdout.strip() else "")


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
