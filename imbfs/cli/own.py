"""The commands on a user's own file: `imbfs init` and `imbfs select`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import Jobs, cores, list_paths, say, show
from imbfs.errors import UserError


class Samples(StrEnum):
    rows = "rows"
    columns = "columns"


DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="A file: CSV, LIBSVM, MATLAB, ARFF, NPZ or Parquet, plain or packed."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column of the class, by name or place (-1: last)."),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", help="The class to find; the rarer of two unless given."),
]
Group = Annotated[
    str | None, typer.Option("--group", help="A column whose rows belong together: one patient.")
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="A column that is no feature; may be repeated.")
]
SamplesIn = Annotated[
    Samples | None, typer.Option("--samples", help="Where the samples are: genes in rows: columns.")
]
Read = Annotated[
    list[str] | None,
    typer.Option("--read", help="Another option of the reader, as in X=fea or labels=classes.csv."),
]


def init(
    data: DataFile,
    target: Target = None,
    positive: Positive = None,
    group: Group = None,
    drop: Drop = None,
    samples: SamplesIn = None,
    read: Read = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The config; beside DATA unless given.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a config that is there.")] = False,
) -> None:
    """Look at DATA, say what it holds, and write a commented config for it.

    Example: imbfs init patients.csv --target diagnosis
    """
    from imbfs.own import drafting
    from imbfs.running.store import write_text

    config = out or data.with_name(f"{drafting.name_of(data)}.yaml")
    if config.exists() and not force:
        raise UserError(f"{config}: is there already. Give --force to replace it, or --out FILE.")
    target = target or _guess(data, samples, read)
    intake = taken(data, target, positive, group, drop, samples, read)
    write_text(config, drafting.draft(intake, config))
    list_paths([config])
    given = {"target": intake.spec.get("target"), "positive": positive, "group": group}
    words = [str(data), *(f"--{key} {value}" for key, value in given.items() if value is not None)]
    say(f"\nNext:  imbfs select {' '.join(words)}", err=False)
    say(f"       imbfs benchmark {' '.join(words)}\n       imbfs run {config}", err=False)


def select(
    data: DataFile,
    target: Target = None,
    positive: Positive = None,
    k: Annotated[
        int | None, typer.Option("--k", min=1, help="Features to choose; 50 or a fifth, if fewer.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="A selector, as in fast or '{fast: {K: 5}}'; again."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write; NAME-selected unless given.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of everything random.")] = 0,
    resamples: Annotated[
        int, typer.Option("--resamples", min=2, help="Half-samples that tell what is stable.")
    ] = 50,
    group: Group = None,
    drop: Drop = None,
    samples: SamplesIn = None,
    read: Read = None,
    jobs: Jobs = None,
) -> None:
    """Rank the features of DATA: which, how sure, and in which class they are higher.

    Several selectors vote unless --method names some. A permutation test says which features are
    tied to the class at all, half-samples say which would be chosen again.

    Example: imbfs select patients.csv --target diagnosis --positive relapse --k 20
    """
    from imbfs.own import drafting, ranked, selecting, told
    from imbfs.running.progress import progress

    intake = taken(data, target, positive, group, drop, samples, read)
    methods = ranked.choices([_parsed(text, "--method") for text in method or []], intake.kind)
    n_features = intake.X.shape[1]
    if k is not None and k > n_features:
        raise UserError(f"--k {k}: there are {n_features} features.")
    k = k or min(50, max(1, n_features // 5))
    at_once = jobs or cores()
    with progress(resamples + 2, at_once) as bar:
        selection = selecting.select(
            intake,
            methods,
            k=k,
            count=resamples,
            seed=seed,
            jobs=at_once,
            landed=lambda: bar.landed({"key": "", "status": "ok"}),
        )
    show(told.terminal(selection))
    for line in told.concluded(selection):
        typer.echo(_filled(line))
    folder = out or Path(f"{drafting.name_of(data)}-selected")
    list_paths(told.write(intake, selection, folder, seed))


def taken(data: Path, target, positive, group, drop, samples, read):
    """The file taken in, what it holds and what is odd about it told."""
    from imbfs.own import told
    from imbfs.own.intake import take

    options = dict(_option(text) for text in read or [])
    side = samples.value if samples else None
    intake = take(data, target, positive, group, samples=side, drop=drop or (), read=options)
    say(f"{data}\n{told.saw(intake)}.", err=False)
    for line in intake.warnings:
        say(_filled(f"  note: {line}."), "yellow")
    return intake


def _filled(text: str) -> str:
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(text, max(40, get_terminal_size().columns), subsequent_indent="    ")


def _guess(data: Path, samples: Samples | None, read: list[str] | None) -> str | None:
    """The column that its name makes the target, said aloud."""
    from imbfs.own import columns

    options = dict(_option(text) for text in read or [])
    options |= {"samples": samples.value} if samples else {}
    name = columns.guessed(columns.look(data, options))
    if name is not None:
        say(f"{name!r} is taken as the class. Name another with --target.", "yellow")
    return name


def _option(text: str):
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"--read {text}: write NAME=VALUE, as in X=fea.")
    return name, _parsed(value, f"--read {name}")


def _parsed(text: str, option: str):
    """A text as YAML has it: a name, a number, {name: {...}}."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise UserError(f"{option} {text}: is no YAML.") from None
