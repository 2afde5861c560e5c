"""The commands `imbfs run` and `imbfs plan`: an experiment, and what it comes to."""

from enum import StrEnum
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import (
    DataFolder,
    Jobs,
    NoCache,
    Quick,
    ResultsFolder,
    TaskTimeout,
    cores,
    list_paths,
    load,
    planned,
    say,
    show,
    stopped,
    stopping_soon,
)
from imbfs.errors import UserError

ConfigFile = Annotated[Path, typer.Argument(help="The YAML config of an experiment.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only these tasks, as in dataset=w8a or selector=fast."),
]


class Backend(StrEnum):
    loky = "loky"
    dask = "dask"


RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Run the failed tasks only.")]
Redo = Annotated[
    list[str] | None,
    typer.Option(
        "--redo",
        metavar="START",
        help="Do again what the run that began then made; run.json has its start.",
    ),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for another run on the same results.")]
BackendName = Annotated[
    Backend, typer.Option("--backend", help="Processes here, or a dask cluster.")
]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", help="Address of the dask scheduler, tcp://host:8786.")
]
Patience = Annotated[
    float,
    typer.Option("--patience", min=0, help="Minutes to wait while the cluster has no worker."),
]


def run(
    config: ConfigFile,
    jobs: Jobs = None,
    results: ResultsFolder = Path("results"),
    only: Only = None,
    quick: Quick = False,
    retry_failed: RetryFailed = False,
    redo: Redo = None,
    wait: Wait = False,
    backend: BackendName = Backend.loky,
    scheduler: Scheduler = None,
    patience: Patience = 5,
    task_timeout: TaskTimeout = None,
    data: DataFolder = None,
    no_cache: NoCache = False,
) -> None:
    """Run what is missing from the results of CONFIG, then write its tables and figures.

    Stop it at any time: what is done is kept, and running again goes on from there.

    Example: imbfs run configs/quickstart.yaml --only selector=fast
    """
    from imbfs.running import launch
    from imbfs.running.store import Store

    if (backend is Backend.dask) != (scheduler is not None):
        raise UserError("--backend dask and --scheduler ADDRESS go together.")
    if scheduler is not None and task_timeout is not None:
        raise UserError("--task-timeout is for processes of this machine, not for --backend dask.")
    if redo and retry_failed:
        raise UserError(
            "--redo and --retry-failed do not go together: what is undone did not fail."
        )
    if scheduler is not None and no_cache:
        raise UserError("--no-cache is for this machine: set IMBFS_NO_CACHE=1 for dask's workers.")
    experiment, kept = load(config, quick)
    plan = planned(config, experiment)
    if not plan.tasks:
        raise UserError(f"{config}: none of its datasets is at hand. See imbfs plan {config}.")
    store = Store(results / experiment.name)
    where = (jobs or cores(), scheduler, 60 * patience)
    how = launch.How(*where, tuple(only or ()), retry_failed, wait, task_timeout, tuple(redo or ()))
    report = partial(_report, experiment, plan, store)
    try:
        with stopping_soon(store.folder):
            account = launch.carry_out(experiment, plan, store, how, kept, report)
    except KeyboardInterrupt:
        stopped(store.folder)
    if account.failed:
        raise typer.Exit(1)


def plan(
    config: ConfigFile,
    results: ResultsFolder = Path("results"),
    only: Only = None,
    quick: Quick = False,
    data: DataFolder = None,
    no_cache: NoCache = False,
) -> None:
    """Say what CONFIG would run: tasks done, missing and failed, data not at hand, time.

    Example: imbfs plan configs/quickstart.yaml
    """
    from imbfs.running import cost, launch
    from imbfs.running.runner import missing
    from imbfs.running.store import Store
    from imbfs.showing import results as kept

    experiment, _ = load(config, quick)
    expanded = planned(config, experiment)
    store = Store(results / experiment.name)
    tasks = launch.only(expanded, tuple(only or ()))
    records = store.records()
    todo = missing(tasks, records)
    failed = len(missing(tasks, records, only_failed=True))
    typer.echo(f"{experiment.name}: {len(tasks)} tasks")
    typer.echo(f"  done     {len(tasks) - len(todo)}")
    typer.echo(f"  missing  {len(todo) - failed}")
    typer.echo(f"  failed   {failed}")
    for why in (*expanded.absent.values(), *expanded.notes):
        say(f"  {why}", "yellow", err=False)
    if todo:
        guess = cost.estimate(todo, *kept.earlier(results))
        unknown = ["no earlier record; a run with --quick gives one"]
        lines = guess.told(cores()) if guess else unknown
        for name, line in zip_longest(["time"], lines, fillvalue=""):
            typer.echo(f"  {name:<8} {line}")


def _report(experiment, plan, store, account) -> None:
    """The end of a run: what was done, what failed and why, and where the results are."""
    from imbfs.running import launch
    from imbfs.showing import results as kept

    for why in (*plan.absent.values(), *plan.notes):
        say(why, "yellow")
    typer.echo(
        f"{experiment.name}: {account.planned} tasks, {account.before} done before, "
        f"{account.ran - account.failed} done now, {account.failed} failed."
    )
    every = store.records()
    records = {task.key: every[task.key] for task in plan.tasks if task.key in every}
    for reason, places in launch.failures(plan, records).items():
        say(f"{len(places)} failed: {reason}", "red")
        say(f"  first: {places[0]}; tracebacks in {store.path}")
    for text, count in launch.warned(plan, records).items():
        say(f"{count} tasks warned: {text}", "yellow")
    paths = kept.finished(store) if account.ran == 0 else []
    if not paths and any(record["status"] == "ok" for record in records.values()):
        from imbfs.showing import sheets

        frame, paths = kept.publish(experiment, store)
        show(sheets.terminal_ranks(frame, experiment.measures[0]))
    list_paths(paths)
