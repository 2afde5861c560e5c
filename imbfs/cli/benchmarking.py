"""The command `imbfs benchmark`: which method for one's own data, and how well it will do."""

from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.data_options import (
    DataFile,
    DataOptions,
    Drop,
    Group,
    Positive,
    Read,
    SamplesIn,
    Target,
)
from imbfs.cli.shared import Jobs, NoCache, cores, list_paths, say, stopped, stopping_soon
from imbfs.errors import UserError

_Names = Annotated[str | None, typer.Option(help="Comma-separated; the fitting ones unless given.")]


def benchmark(
    data: DataFile,
    target: Target = None,
    positive: Positive = None,
    group: Group = None,
    drop: Drop = None,
    samples: SamplesIn = None,
    read: Read = None,
    minutes: Annotated[float, typer.Option(min=0, help="Time to spend, over all calls.")] = 5,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder; DATA-benchmark unless given.")
    ] = None,
    measure: Annotated[str, typer.Option(help="The measure that chooses.")] = "auc",
    selectors: _Names = None,
    classifiers: _Names = None,
    features: Annotated[
        str | None, typer.Option(help="Numbers of features, as in 5,20,100.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of the outer folds, at most.")] = 5,
    seed: Annotated[int, typer.Option(help="Another seed, other folds.")] = 0,
    jobs: Jobs = None,
    no_cache: NoCache = False,
) -> None:
    """Find a method, a classifier and a number of features for DATA, and say what they are worth.

    Selectors, classifiers and numbers of features are compared by nested cross-validation, so that
    the figure told is not the best of many tries. All features are recommended unless a selection
    is shown not to be worse. It does what fits into --minutes, best first;
    Ctrl-C keeps what is done, and the same command, or one with more minutes, goes on.

    Example: imbfs benchmark patients.csv --target diagnosis --positive relapse --group patient
    """
    from imbfs.own.nested import compared, made

    taken = DataOptions(data, target, positive, group, drop, samples, read).take()
    counts = tuple(_number(text) for text in _listed(features))
    names = _listed(selectors), _listed(classifiers)
    asked = compared.Asked(measure, *names, counts, repeats, seed)
    folder = out or Path(f"{_stem(data)}-benchmark")
    try:
        with stopping_soon(folder):
            text, paths = made.make(taken, asked, folder, minutes, jobs or cores())
    except KeyboardInterrupt:
        stopped(folder)
    say(text, err=False)
    list_paths(paths)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _number(text: str) -> int:
    if not text.isdecimal():
        raise UserError(f"--features {text}: is no number of features. Write 5,20,100.")
    return int(text)


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name
