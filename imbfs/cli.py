"""The imbfs command: parse, call, print. Heavy imports happen inside the commands."""

import os
import sys
from enum import StrEnum
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from imbfs import __version__
from imbfs.cli_benchmark import benchmark
from imbfs.cli_compare import compare
from imbfs.cli_data import DataFolder
from imbfs.cli_data import app as data_app
from imbfs.cli_own import init, select
from imbfs.cli_report import report
from imbfs.cli_reproduce import reproduce
from imbfs.cli_shared import (
    Jobs,
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
from imbfs.cli_stream import predict, stream
from imbfs.cli_verify import verify
from imbfs.errors import Unwritable, UserError

app = typer.Typer(
    name="imbfs",
    help="Feature selection on class-imbalanced data: rerun the papers, compare on your own.\n\n"
    "Start with: imbfs run configs/quickstart.yaml",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(data_app)

ConfigFile = Annotated[Path, typer.Argument(help="The YAML config of an experiment.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only these tasks, as in dataset=w8a or selector=fast."),
]
Results = Annotated[
    Path, typer.Argument(help="The folder of one experiment, or of several, such as results/.")
]


class TableFormat(StrEnum):
    csv = "csv"
    md = "md"
    latex = "latex"


class FigureFormat(StrEnum):
    png = "png"
    pdf = "pdf"
    svg = "svg"


class Backend(StrEnum):
    loky = "loky"
    dask = "dask"


class Names(StrEnum):
    datasets = "datasets"
    problems = "problems"
    selectors = "selectors"
    classifiers = "classifiers"
    measures = "measures"


RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Run the failed tasks only.")]
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


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"imbfs {__version__}")
        raise typer.Exit()


@app.command()
def run(
    config: ConfigFile,
    jobs: Jobs = None,
    results: ResultsFolder = Path("results"),
    only: Only = None,
    quick: Quick = False,
    retry_failed: RetryFailed = False,
    wait: Wait = False,
    backend: BackendName = Backend.loky,
    scheduler: Scheduler = None,
    patience: Patience = 5,
    task_timeout: TaskTimeout = None,
    data: DataFolder = None,
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
    experiment, kept = load(config, quick)
    plan = planned(config, experiment)
    if not plan.tasks:
        raise UserError(f"{config}: none of its datasets is at hand. See imbfs plan {config}.")
    store = Store(results / experiment.name)
    where = (jobs or cores(), scheduler, 60 * patience)
    how = launch.How(*where, tuple(only or ()), retry_failed, wait, task_timeout)
    report = partial(_report, experiment, plan, store)
    try:
        with stopping_soon(store.folder):
            account = launch.carry_out(experiment, plan, store, how, kept, report)
    except KeyboardInterrupt:
        stopped(store.folder)
    if account.failed:
        raise typer.Exit(1)


@app.command()
def plan(
    config: ConfigFile,
    results: ResultsFolder = Path("results"),
    only: Only = None,
    quick: Quick = False,
    data: DataFolder = None,
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
    for why in (*expanded.absent.values(), *expanded.held_out.values()):
        say(f"  {why}", "yellow", err=False)
    if todo:
        guess = cost.estimate(todo, *kept.earlier(results))
        unknown = ["no earlier record; a run with --quick gives one"]
        lines = guess.told(cores()) if guess else unknown
        for name, line in zip_longest(["time"], lines, fillvalue=""):
            typer.echo(f"  {name:<8} {line}")


@app.command()
def table(
    results: Results,
    format: Annotated[TableFormat, typer.Option(help="Format of the tables.")] = TableFormat.md,
) -> None:
    """Write the tables of RESULTS from its records, and show the first.

    Example: imbfs table results/quickstart --format latex
    """
    from imbfs.showing import results as kept
    from imbfs.showing import sheets

    for store in kept.stores(results, with_records=True):
        experiment = kept.experiment(store)
        frame, paths = kept.write_tables(experiment, store, [format.value])
        show(sheets.terminal(frame, experiment.measures[0]))
        list_paths(paths)


@app.command()
def plot(
    results: Results,
    format: Annotated[FigureFormat, typer.Option(help="Format of the figures.")] = FigureFormat.png,
) -> None:
    """Draw the figures of RESULTS: those its config names, or a default set.

    Tables are enough to draw from; records are used where they are at hand.

    Example: imbfs plot results/ --format pdf
    """
    from imbfs.showing import figures
    from imbfs.showing import results as kept

    for store in kept.stores(results):
        experiment = kept.experiment(store)
        if store.path.exists():
            kept.write_tables(experiment, store, [])
        list_paths(figures.draw(store.folder, experiment.figures, [format.value]))


@app.command("list")
def list_(
    what: Annotated[Names | None, typer.Argument(help="Which names; all unless given.")] = None,
) -> None:
    """List the datasets, problems, selectors, classifiers and measures a config can name.

    Example: imbfs list selectors
    """
    from shutil import get_terminal_size
    from textwrap import shorten

    for names in [what] if what else list(Names):
        if what is None:
            typer.echo(names.value)
        rows = _listing(names)
        longest = max(len(name) for name, _ in rows)
        room = max(get_terminal_size().columns - longest - 4, 20)
        for name, summary in rows:
            typer.echo(f"  {name:<{longest}}  {shorten(summary, room, placeholder=' ...')}")


app.command()(init)
app.command()(select)
app.command()(verify)
app.command()(compare)
app.command()(benchmark)
app.command()(stream)
app.command()(predict)
app.command()(reproduce)
app.command()(report)


@app.command()
def schema() -> None:
    """Print the JSON schema of a config, for editors that complete and check YAML.

    Example: imbfs schema > imbfs.config.schema.json
    """
    import json

    from imbfs.config.schema import config_schema

    typer.echo(json.dumps(config_schema(), indent=2))


def main() -> None:
    """The console script: a mistake of the user is one line and exit code 2."""
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")
    try:
        app()
    except OSError as error:
        if _can_print():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left of it
        _refuse(Unwritable.of("standard output", error))
    except UserError as error:
        _refuse(error)


def _refuse(error: UserError) -> NoReturn:
    say(f"imbfs: {error}", "red")
    raise SystemExit(2) from None


def _can_print() -> bool:
    try:
        print(flush=True)
    except OSError:
        return False
    return True


def _report(experiment, plan, store, account) -> None:
    """The end of a run: what was done, what failed and why, and where the results are."""
    from imbfs.running import launch
    from imbfs.showing import results as kept

    for why in (*plan.absent.values(), *plan.held_out.values()):
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


def _listing(names: Names) -> list[tuple[str, str]]:
    """Name and one line about it."""
    from importlib import import_module

    home = "datasets" if names is Names.problems else names.value
    table = getattr(import_module(f"imbfs.{home}"), names.value.upper())
    if hasattr(table, "listed"):
        return table.listed()
    return [(name, entry.summary) for name, entry in table.items()]
