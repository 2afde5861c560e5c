"""The command `imbfs reproduce`: every config and script of the papers, then their claims."""

import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.claims import EVERY, verify
from imbfs.cli.shared import (
    DataFolder,
    Jobs,
    ResultsFolder,
    TaskTimeout,
    cores,
    load,
    planned,
    say,
    stopped,
    stopping_soon,
)
from imbfs.errors import UserError


def reproduce(
    quick: Annotated[
        bool, typer.Option("--quick", help="Cut every experiment short as its quick: says.")
    ] = False,
    jobs: Jobs = None,
    configs: Annotated[Path, typer.Option(help="Where the configs are.")] = Path("configs"),
    experiments: Annotated[Path, typer.Option(help="Where scripts and claims are.")] = Path(
        "experiments"
    ),
    results: ResultsFolder = Path("results"),
    task_timeout: TaskTimeout = None,
    data: DataFolder = None,
) -> None:
    """Run every config, then the papers' scripts, and say which claims hold.

    Stop it at any time: what is done is kept, and running again goes on from there.

    Example: imbfs reproduce --quick
    """
    try:
        with stopping_soon(results):
            works = _works(configs, results, quick)
            failed = _run(works, jobs or cores(), task_timeout)
            failed += _scripts(experiments, results, quick)
    except KeyboardInterrupt:
        stopped(results)
    for why in dict.fromkeys(why for work in works for why in work.plan.absent.values()):
        say(why, "yellow")
    if failed:
        say(f"{failed} failed; the same command tries again.", "red")
    verify(EVERY, results, experiments, quick)
    if failed:
        raise typer.Exit(1)


def _works(configs: Path, results: Path, quick: bool) -> list:
    """What is to do, the shortest first: by the seconds it took before, else by its tasks."""
    works, named = [], {}
    for config in sorted(configs.glob("*.yaml")):
        experiment, kept = load(config, quick)
        if experiment.name in named:
            raise UserError(
                f"{config}: name: {experiment.name!r} is that of {named[experiment.name]} too. "
                "Results are kept by name: give each one of its own."
            )
        named[experiment.name] = config
        works.append(_work(config, experiment, kept, results))
    if not works:
        raise UserError(f"{configs}: holds no config, such as quickstart.yaml.")
    known = [work.seconds for work in works if work.seconds is not None]
    usual = sum(known) / len(known) if known else 1.0
    works = [replace(work, seconds=work.seconds or usual) for work in works]
    return sorted(works, key=lambda work: work.left * work.seconds)


def _work(config: Path, experiment, kept: dict, results: Path) -> object:
    from imbfs.config import QUICK
    from imbfs.running.launch import seconds_a_task
    from imbfs.running.runner import missing
    from imbfs.running.several import Work
    from imbfs.running.store import Store

    plan, store = planned(config, experiment), Store(results / experiment.name)
    whole = Store(results / experiment.name.removesuffix(QUICK))
    left = len(missing(plan.tasks, store.records(whole=False)))
    seconds = seconds_a_task(store) or seconds_a_task(whole)
    return Work(experiment, kept, plan, store, left, seconds)


def _run(works: list, jobs: int, task_timeout: float | None) -> int:
    """Run what is left of every experiment under one progress; how many tasks failed."""
    from imbfs.running.launch import How
    from imbfs.running.progress import progress
    from imbfs.running.several import carry_out_all

    for work in works:
        if not work.plan.tasks:
            say(f"{work.experiment.name}: none of its datasets is at hand.", "yellow")
    total = sum(work.left for work in works)
    how = How(jobs, wait=True, task_timeout=task_timeout)
    with progress(total, jobs, sum(work.left * work.seconds for work in works)) as shown:
        return carry_out_all(works, how, shown, _publish, _tell)


def _publish(experiment, store, account) -> None:
    """Write tables and figures at the end of an experiment, unless they are there already."""
    from imbfs.showing import results as kept

    if account.done and (account.ran or not kept.finished(store)):
        kept.publish(experiment, store)


def _tell(title: str, work, account) -> None:
    failed = f", {account.failed} failed" if account.failed else ""
    done = f"{account.done} of {account.planned} tasks done{failed}"
    typer.echo(f"{title}: {done}; {work.store.folder}")


def _scripts(experiments: Path, results: Path, quick: bool) -> int:
    """Run the scripts of the papers that were not run as they are; how many failed.

    Cut short, only those are run of which a table that a claim names is not there.
    """
    failed, tables = 0, _tables(experiments)
    for script in sorted(experiments.glob("*/*.py")):
        named = [results / table for table in tables.get(script.resolve(), [])]
        there = bool(named) and all(table.exists() for table in named)
        marks = {table.parents[1] / "published.json": _made_by(script) for table in named}
        if there and (quick or all(_reads(path) == mark for path, mark in marks.items())):
            typer.echo(f"{script}: its tables are there.")
            continue
        typer.echo(f"{script}: running")
        if subprocess.run([sys.executable, str(script), str(results)]).returncode:
            failed += 1
            continue
        for path, mark in marks.items():
            path.write_text(mark, encoding="utf-8")
    return failed


def _made_by(script: Path) -> str:
    """What tells that tables came from a script as it is now; like records, it is not committed."""
    return json.dumps({"script": sha256(script.read_bytes()).hexdigest()}) + "\n"


def _reads(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _tables(experiments: Path) -> dict[Path, list[str]]:
    """The tables of every script that claims name."""
    from imbfs.showing import claims

    found: dict[Path, list[str]] = {}
    for path in claims.papers(experiments).values():
        for claim in claims.load(path).claims.values():
            if claim.script is not None:
                script = (path.absolute().parents[2] / claim.script).resolve()
                found.setdefault(script, []).extend(t.predicate.table for t in claim.tests)
    return found
