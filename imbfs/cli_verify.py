"""The command `imbfs verify`: what the results say of the papers' claims."""

from pathlib import Path
from typing import Annotated

import typer

from imbfs.errors import UserError, lookup

EVERY = "all"


def verify(
    paper: Annotated[
        str, typer.Argument(help="A folder of experiments/, or all of those with results.")
    ] = EVERY,
    results: Annotated[Path, typer.Option("--results", help="Where results are kept.")] = Path(
        "results"
    ),
    experiments: Annotated[
        Path, typer.Option("--experiments", help="Where the papers' claims are kept.")
    ] = Path("experiments"),
) -> None:
    """Say of each claim of PAPER whether it holds, and in how many settings, and write tables.

    Example: imbfs verify han2016
    """
    from imbfs.showing import claims

    found = claims.papers(experiments)
    chosen = found if paper == EVERY else {paper: lookup(found, paper, "paper")}
    files = {path: claims.load(path) for path in chosen.values()}
    there = {path: p for path, p in files.items() if _table(results, p.experiment).exists()}
    if not there:
        names = ", ".join(str(results / file.experiment) for file in files.values())
        raise UserError(f"{names}: holds no results. Make some with imbfs run CONFIG.")
    for path, file in files.items():
        if path in there:
            _verify(path, file, results)
        else:
            typer.echo(f"{results / file.experiment}: holds no results.")


def _verify(path: Path, paper, results: Path) -> None:
    """Show and write the verdicts on one paper's claims, and in how many settings they hold."""
    from rich.console import Console

    from imbfs.showing import tables
    from imbfs.showing.claims import sheets, verdicts
    from imbfs.showing.claims.survey import survey

    console, paths = Console(), []
    for name in filter(None, dict.fromkeys((paper.experiment, paper.sensitivity))):
        source = _table(results, name)
        if not source.exists():
            typer.echo(f"{results / name}: holds no results; settings are not compared.")
            continue
        frame = tables.read(source)
        try:
            if name == paper.experiment:
                findings = verdicts.main(paper, frame)
                console.print(sheets.terminal(paper, findings))
                paths += sheets.write_findings(results / name, paper, findings)
            settings = survey(paper, frame)
        except UserError as error:
            raise error.within(f"{path}: {source}") from None
        if settings.swept:
            console.print(sheets.terminal_survey(name, settings))
            paths += sheets.write_survey(results / name, paper, settings)
    for written in paths:
        typer.echo(str(written))


def _table(results: Path, experiment: str) -> Path:
    return results / experiment / "tables" / "results.csv"
