"""The sets of the table: listing, fetching and verifying them."""

from typing import Annotated

import typer

from imbfs.cli.shared import DataFolder
from imbfs.errors import Unwritable, UserError, lookup

VERIFIED, DIFFERS, NOT_AT_HAND, FAILED = "verified", "differs", "not at hand", "failed"
SHAPE_ALONE = "of the right shape; its values cannot be checked, for the table has none"

Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Names of sets.")]


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
        place = place_of(name)
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
        typer.echo(why or f"{name}: {state}")
        # Nobody asked by name for what has no public address.
        failed |= state in (DIFFERS, FAILED) or (state == NOT_AT_HAND and not everything)
    raise typer.Exit(1 if failed else 0)


def verify(names: Names = None, data: DataFolder = None) -> None:
    """Load every set at hand, or those named, and say whether it is what the table says.

    Example: imbfs data verify w8a
    """
    from imbfs.datasets import DATASETS

    chosen = _known(names) or list(DATASETS)
    longest = max(map(len, chosen))
    states = []
    for name in chosen:
        state, why = state_of(name)
        states.append(state)
        how = f": {why.removeprefix(f'{name}: ')}" if state == DIFFERS else ""
        typer.echo(f"{name:<{longest}}  {state}{how}")
    raise typer.Exit(1 if DIFFERS in states else 0)


def _known(names: list[str] | None) -> list[str]:
    """The names given, each of which must be in the table."""
    from imbfs.datasets import DATASETS

    for name in names or []:
        lookup(DATASETS, name, "dataset")
    return names or []


def place_of(name: str) -> str:
    """Where a set lies; nothing when it is not at hand."""
    from imbfs.datasets import DATASETS, NotAtHand, find

    if DATASETS[name].make is not None:
        return "made by imbfs"
    try:
        return str(find(name))
    except NotAtHand:
        return ""


def state_of(name: str) -> tuple[str, str]:
    """Whether a set is at hand and what the table says, and why not."""
    from imbfs.datasets import DATASETS, NotAtHand, Source, verified

    try:
        verified(Source(name))
    except NotAtHand as error:
        return NOT_AT_HAND, str(error)
    except UserError as error:
        return DIFFERS, str(error)
    entry = DATASETS[name]
    seen = entry.make or entry.fingerprint or entry.class_counts
    return VERIFIED if seen else SHAPE_ALONE, ""


def _fetched(name: str) -> tuple[str, str]:
    """The state of a set after it was fetched, if it was not at hand and can be."""
    from imbfs.datasets import DATASETS, data_directory
    from imbfs.datasets.fetch import fetch

    state, why = state_of(name)
    if state == DIFFERS:
        return state, f"{why} Remove {place_of(name)} to fetch it anew."
    remote = DATASETS[name].remote_files
    if state != NOT_AT_HAND or not remote:
        return state, why
    try:
        fetch(remote, data_directory())
    except Unwritable:  # nor could the next set be
        raise
    except UserError as error:
        return FAILED, f"{name}: {error}"
    return state_of(name)
