"""One set, or a problem that takes a view of one, in words and bars."""

from typing import Annotated

import typer

from imbfs.cli.data.sets import place_of, state_of
from imbfs.cli.shared import DataFolder
from imbfs.errors import UserError, lookup

_BAR = 30  # columns of the longest bar
_MOST = 20  # classes drawn


def show(
    name: Annotated[str, typer.Argument(help="Name of a set.")], data: DataFolder = None
) -> None:
    """Show a set: shape, classes, and what is empty, constant, repeated or missing in it.

    Example: imbfs data show breast_cancer
    """
    from imbfs.config.sets import is_file_name
    from imbfs.datasets import DATASETS, PROBLEMS, Source, load
    from imbfs.datasets.describe import counts, facts, ratio

    if name in PROBLEMS:
        _show_problem(name)
        return
    if name not in DATASETS and is_file_name(name):
        raise UserError(f"{name}: is a file, no set of the table. imbfs init {name} looks at it.")
    entry = lookup(DATASETS | PROBLEMS, name, "dataset")
    typer.echo(f"{name}: {entry.summary}")
    place = place_of(name)
    told = [("kind", entry.kind), ("at hand", place or "no")]
    told += [
        (field, text) for field, text in (("origin", entry.url), ("cite", entry.citation)) if text
    ]
    if not place:
        told += [("shape", f"{entry.n_samples:,} x {entry.n_features:,}")]
        told += [("ratio", ratio((entry.class_counts or {}).values()))]
        _echo_facts(told)
        _echo_bars(entry.class_counts or {}, entry.n_samples)
        typer.echo(state_of(name)[1])
        return
    loaded = load(Source(name))
    _echo_facts(told + facts(loaded))
    _echo_bars(counts(loaded), loaded.X.shape[0])


def _show_problem(name: str) -> None:
    """What a problem of a paper takes from its set, and in what it differs from the paper."""
    import json

    from imbfs.datasets import PROBLEMS

    problem = PROBLEMS[name]
    typer.echo(f"{name}: a view of {problem.dataset}")
    told = [("view", json.dumps(problem.view))] if problem.view else []
    if problem.counts:
        majority, minority = problem.counts
        told.append(("samples", f"{majority:,} : {minority:,} (1:{majority / minority:.1f})"))
    if problem.test:
        absent = "" if place_of(problem.test) else ", not at hand: a part is held out instead"
        told.append(("test", problem.test + absent))
    told += [("differs", problem.differs)] if problem.differs else []
    _echo_facts(told)


def _echo_facts(facts: list[tuple[str, str]]) -> None:
    for name, text in facts:
        typer.echo(f"  {name:<17}  {text}")


def _echo_bars(counts: dict, n_samples: int) -> None:
    """A bar for every class, however small unless empty; the longest is _BAR columns wide."""
    import sys
    from math import ceil

    block = "\N{FULL BLOCK}" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    drawn = [(str(label)[:24], count) for label, count in list(counts.items())[:_MOST]]
    longest = max((len(label) for label, _ in drawn), default=0)
    for label, count in drawn:
        bar = block * ceil(_BAR * count / max(counts.values()))
        line = f"  {label:>{longest}} {count:>9,} {count / n_samples:>6.1%} {bar}"
        typer.echo(line.rstrip())
    if len(counts) > _MOST:
        typer.echo(f"  ... and {len(counts) - _MOST} more")
