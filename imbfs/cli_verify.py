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
    """Test one paper's claims on its experiments, and in every setting of them."""
    from imbfs.showing import picks
    from imbfs.showing.claims import verdicts
    from imbfs.showing.claims.survey import survey

    findings, surveys = [], {}
    for name in filter(None, dict.fromkeys((*paper.experiments, paper.sensitivity))):
        part, source = paper.on(name), _table(results, name)
        frame = _frame(source)
        there = frame is not None
        try:
            found = (part, frame, picks.read(source.parent))
            if name in paper.experiments:
                findings += verdicts.main(*found) if there else verdicts.untested(part)
            surveys[name] = survey(*found) if there else None
        except UserError as error:
            raise error.within(f"{path}: {source}") from None
    findings.sort(key=lambda finding: list(paper.claims).index(finding.name))
    _show(paper, results, findings, surveys)


def _show(paper, results: Path, findings: list, surveys: dict) -> None:
    """Show and write the verdicts, and in how many settings the claims hold."""
    from rich.console import Console

    from imbfs.showing.claims import sheets

    console = Console()
    console.print(sheets.terminal(paper, findings))
    paths = sheets.write_findings(results / paper.experiment, paper, findings)
    for name, settings in surveys.items():
        if settings is None:
            typer.echo(f"{results / name}: holds no results; settings are not compared.")
        elif settings.swept:
            console.print(sheets.terminal_survey(name, settings))
            paths += sheets.write_survey(results / name, paper, settings)
    for written in paths:
        typer.echo(str(written))


def _frame(source: Path):
    """The results of an experiment with the group of every set, if there are any."""
    from imbfs.showing import tables
    from imbfs.showing.averages import groups

    if not source.exists():
        return None
    return groups.grouped(tables.read(source), groups.read(source.with_name("problems.csv")))


def _table(results: Path, experiment: str) -> Path:
    return results / experiment / "tables" / "results.csv"
