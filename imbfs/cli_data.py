"""The commands of `imbfs data`: which sets there are, how they look, getting and checking them."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from imbfs.errors import Unwritable, UserError, lookup

app = typer.Typer(
    name="data",
    help="The datasets: list, show, fetch and verify them.\n\nStart with: imbfs data list --all",
    no_args_is_help=True,
)

VERIFIED, DIFFERS, NOT_AT_HAND, FAILED = "verified", "differs", "not at hand", "failed"

_BAR = 30  # columns of the longest bar
_MOST = 20  # classes drawn
_CACHED = re.compile(r"[0-9a-f]{24}|\.new-.+")  # what the cache calls its folders


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _use(context: typer.Context, folder: Path | None) -> Path | None:
    """Let --data stand for IMBFS_DATA until the command ends."""
    if folder is not None:
        context.with_resource(_environment("IMBFS_DATA", str(folder)))
    return folder


DataFolder = Annotated[
    Path | None,
    typer.Option("--data", callback=_use, help="The data directory, in place of IMBFS_DATA."),
]
Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Names of sets.")]


@app.command("list")
def list_sets(
    everything: Annotated[bool, typer.Option("--all", help="Those not at hand too.")] = False,
    data: DataFolder = None,
) -> None:
    """List the sets at hand: kind, samples x features, largest to smallest class.

    Example: imbfs data list --all
    """
    from imbfs.datasets import DATASETS
    from imbfs.datasets.describe import ratio

    rows = [("name", "kind", "shape", "ratio", "")]
    for name, entry in DATASETS.items():
        place = _place(name)
        if place or everything:
            shape = f"{entry.n_samples:,} x {entry.n_features:,}"
            skew = ratio((entry.class_counts or {}).values())
            rows.append((name, entry.kind, shape, skew, "at hand" if place else "-"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        typer.echo(line.rstrip())
    if absent := len(DATASETS) + 1 - len(rows):
        typer.echo(f"{absent} more are not at hand: imbfs data list --all")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Name of a set.")], data: DataFolder = None
) -> None:
    """Show a set: shape, classes, and what is empty, constant, repeated or missing in it.

    Example: imbfs data show breast_cancer
    """
    from imbfs.datasets import DATASETS, PROBLEMS, Source, load
    from imbfs.datasets.describe import counts, facts, ratio

    if name in PROBLEMS:
        _show_problem(name)
        return
    entry = lookup(DATASETS | PROBLEMS, name, "dataset")
    typer.echo(f"{name}: {entry.summary}")
    place = _place(name)
    told = [("kind", entry.kind), ("at hand", place or "no")]
    told += [
        (field, text) for field, text in (("origin", entry.url), ("cite", entry.citation)) if text
    ]
    if not place:
        told += [("shape", f"{entry.n_samples:,} x {entry.n_features:,}")]
        told += [("ratio", ratio((entry.class_counts or {}).values()))]
        _echo_facts(told)
        _echo_bars(entry.class_counts or {}, entry.n_samples)
        typer.echo(_state(name)[1])
        return
    loaded = load(Source(name))
    _echo_facts(told + facts(loaded))
    _echo_bars(counts(loaded), loaded.X.shape[0])


@app.command("fetch")
def fetch_sets(
    names: Names = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every set with a public address.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Fetch sets from their public addresses into the data directory, and verify them.

    What is there already is not fetched again; what is interrupted leaves nothing behind.

    Example: imbfs data fetch w7a w8a
    """
    from imbfs.datasets import DATASETS

    if bool(names) == everything:
        raise UserError("name the sets to fetch, or give --all; imbfs data list --all names them.")
    failed = False
    for name in _known(names) or DATASETS:
        state, why = _fetched(name)
        typer.echo(f"{name}: {state}" if state == VERIFIED else why)
        # Nobody asked by name for what has no public address.
        failed |= state != VERIFIED and not (everything and state == NOT_AT_HAND)
    raise typer.Exit(1 if failed else 0)


@app.command()
def verify(names: Names = None, data: DataFolder = None) -> None:
    """Load every set at hand, or those named, and say whether it is what the table says.

    Example: imbfs data verify w8a
    """
    from imbfs.datasets import DATASETS

    chosen = _known(names) or list(DATASETS)
    longest = max(map(len, chosen))
    states = []
    for name in chosen:
        state, why = _state(name)
        states.append(state)
        how = f": {why.removeprefix(f'{name}: ')}" if state == DIFFERS else ""
        typer.echo(f"{name:<{longest}}  {state}{how}")
    raise typer.Exit(1 if DIFFERS in states else 0)


@app.command()
def where(data: DataFolder = None) -> None:
    """Say which folders hold the data and the cache of parsed data, and why these.

    Example: imbfs data where --data my/data
    """
    from imbfs.datasets import DATASETS, data_directory
    from imbfs.datasets.cache import cache_directory

    why = "--data" if data else _why("IMBFS_DATA")
    n_files = sum(entry.make is None for entry in DATASETS.values())
    found = sum(DATASETS[name].make is None and bool(_place(name)) for name in DATASETS)
    kept = _kept(cache_directory())
    typer.echo(f"data   {data_directory()} ({why}): {found} of {n_files} sets")
    typer.echo(
        f"cache  {cache_directory()} ({_why('IMBFS_CACHE')}): {len(kept)} parsed, "
        f"{_megabytes(_size(kept))}"
    )


@app.command()
def clean(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataFolder = None,
) -> None:
    """Remove the cache of parsed data; the data itself stays, and is parsed again when needed.

    Example: imbfs data clean --yes
    """
    from shutil import rmtree

    from imbfs.datasets.cache import cache_directory

    kept = _kept(cache_directory())
    if not kept:
        typer.echo(f"{cache_directory()}: nothing to remove.")
        return
    if not yes:
        typer.confirm(f"Remove {len(kept)} parsed sets from {cache_directory()}?", abort=True)
    before = _size(kept)
    for folder in kept:
        rmtree(folder, ignore_errors=True)
    typer.echo(f"{cache_directory()}: {_megabytes(before - _size(kept))} freed.")


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
        absent = "" if _place(problem.test) else ", not at hand: a part is held out instead"
        told.append(("test", problem.test + absent))
    told += [("differs", problem.differs)] if problem.differs else []
    _echo_facts(told)


def _known(names: list[str] | None) -> list[str]:
    """The names given, each of which must be in the table."""
    from imbfs.datasets import DATASETS

    for name in names or []:
        lookup(DATASETS, name, "dataset")
    return names or []


def _place(name: str) -> str:
    """Where a set lies; nothing when it is not at hand."""
    from imbfs.datasets import DATASETS, NotAtHand, find

    if DATASETS[name].make is not None:
        return "made by imbfs"
    try:
        return str(find(name))
    except NotAtHand:
        return ""


def _state(name: str) -> tuple[str, str]:
    """Whether a set is at hand and what the table says, and why not."""
    from imbfs.datasets import NotAtHand, Source, verified

    try:
        verified(Source(name))
    except NotAtHand as error:
        return NOT_AT_HAND, str(error)
    except UserError as error:
        return DIFFERS, str(error)
    return VERIFIED, ""


def _fetched(name: str) -> tuple[str, str]:
    """The state of a set after it was fetched, if it was not at hand and can be."""
    from imbfs.datasets import DATASETS, data_directory
    from imbfs.datasets.fetch import fetch

    state, why = _state(name)
    if state == DIFFERS:
        return state, f"{why} Remove {_place(name)} to fetch it anew."
    remote = DATASETS[name].remote_files
    if state == VERIFIED or not remote:
        return state, why
    try:
        fetch(remote, data_directory())
    except Unwritable:  # nor could the next set be
        raise
    except UserError as error:
        return FAILED, f"{name}: {error}"
    return _state(name)


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


def _why(variable: str) -> str:
    return variable if os.environ.get(variable) else f"default; {variable} is not set"


def _kept(root: Path) -> list[Path]:
    """The folders of the cache; whatever else lies beside them is not ours to remove."""
    if not root.is_dir():
        return []
    return [path for path in root.iterdir() if path.is_dir() and _CACHED.fullmatch(path.name)]


def _size(folders: list[Path]) -> int:
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*"))


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
