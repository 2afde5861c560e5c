"""The commands on a user's own file: `imbfs init` and `imbfs select`."""

import os
import shlex
from dataclasses import replace
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
    filled,
    parsed,
)
from imbfs.cli.shared import Jobs, NoCache, cores, list_paths, say, show
from imbfs.errors import UserError


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
    no_cache: NoCache = False,
) -> None:
    """Look at DATA, say what it holds, and write a commented config for it.

    Example: imbfs init patients.csv --target diagnosis
    """
    from imbfs.own import drafting
    from imbfs.running.store import write_text

    config = out or data.with_name(f"{drafting.name_of(data)}.yaml")
    if os.path.exists(config) and not force:
        raise UserError(f"{config}: is there already. Give --force to replace it, or --out FILE.")
    options = DataOptions(data, target, positive, group, drop, samples, read)
    options = replace(options, target=target or _guess(options))
    intake = options.take()
    write_text(config, drafting.draft(intake, config))
    list_paths([config])
    commands = [f"select {options.words()}", f"benchmark {options.words()}"]
    commands.append(f"run {shlex.quote(str(config))}")
    also = " --no-cache" if no_cache else ""
    say("\nNext:" + "".join(f"\n  imbfs {command}{also}" for command in commands), err=False)


def select(
    data: DataFile,
    target: Target = None,
    positive: Positive = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", min=1, help="How many features to choose (default: a fifth, at most 50)."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="A selector: fast, or '{fast: {K: 5}}'. May be given several times.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write; NAME-selected unless given.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the half-samples and permutations.")
    ] = 0,
    resamples: Annotated[
        int, typer.Option("--resamples", min=2, help="Half-samples that tell what is stable.")
    ] = 50,
    group: Group = None,
    drop: Drop = None,
    samples: SamplesIn = None,
    read: Read = None,
    jobs: Jobs = None,
    no_cache: NoCache = False,
) -> None:
    """Rank the features of DATA: which, how sure, and in which class they are higher.

    Several selectors vote unless --method names some. A permutation test says which features are
    tied to the class at all, half-samples say which would be chosen again.

    Example: imbfs select patients.csv --target diagnosis --positive relapse --k 20
    """
    from imbfs.own import drafting, ranked, selecting, told
    from imbfs.running.progress import progress

    named = [parsed(text, "--method") for text in method or []]
    intake = DataOptions(data, target, positive, group, drop, samples, read).take()
    methods = ranked.choices(named, intake.kind)
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
        typer.echo(filled(line))
    folder = out or Path(f"{drafting.name_of(data)}-selected")
    list_paths(told.write(intake, selection, folder, seed))


def _guess(options: DataOptions) -> str | None:
    """The column whose name suggests that it is the target, which is printed."""
    from imbfs.own import columns

    reader = options.reader | ({"samples": options.samples.value} if options.samples else {})
    if reader.get("labels") is not None:
        return None
    name = columns.guessed(columns.look(options.data, reader, columns.USUAL))
    if name is not None:
        say(f"{name!r} is taken as the class. Name another with --target.", "yellow")
    return name
