"""The command `imbfs verify`: what the results say of the papers' claims."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import ResultsFolder, show
from imbfs.errors import UserError, lookup

EVERY = "all"


def verify(
    paper: Annotated[
        str, typer.Argument(help="A folder of experiments/, or all of those with results.")
    ] = EVERY,
    results: ResultsFolder = Path("results"),
    experiments: Annotated[
        Path, typer.Option("--experiments", help="Where the papers' claims are kept.")
    ] = Path("experiments"),
    quick: Annotated[
        bool, typer.Option("--quick", help="On the results of experiments cut short.")
    ] = False,
) -> None:
    """Say of each claim of PAPER whether it holds, how sure that is, and in how many settings.

    Writes tables, and ends with exit code 1 if results are missing that the configs plan.

    Example: imbfs verify han2016
    """
    from imbfs.running.store import write_text
    from imbfs.showing import claims
    from imbfs.showing.claims import judged, overview, terminal

    found = claims.papers(experiments)
    chosen = found if paper == EVERY else {paper: lookup(found, paper, "paper")}
    files = {name: claims.load(path) for name, path in chosen.items()}
    files = {name: file.cut_short() if quick else file for name, file in files.items()}
    if not any(_anything(results, file) for file in files.values()):
        names = ", ".join(str(results / file.experiment) for file in files.values())
        raise UserError(f"{names}: holds no results. Make some with imbfs run CONFIG.")
    counts, lacking = {}, {}
    for name, file in files.items():
        if _anything(results, file):
            findings = _verify(chosen[name], file, results, lacking)
            counts[name] = judged.counts(findings)
        else:
            typer.echo(f"{results / file.experiment}: holds no results.")
            lacking[_run(file.experiment)] = f"all of {file.experiment}"
    if paper == EVERY:
        if not quick:
            write_text(results / overview.FILE, overview.overview(files, counts, results))
            typer.echo(str(results / overview.FILE))
        show(terminal.papers(counts))
    if lacking:
        what, how = ", ".join(lacking.values()), " && ".join(lacking)
        typer.echo(f"Missing: {what}. Make them: {how}", err=True)
        raise typer.Exit(1)


def _verify(path: Path, paper, results: Path, lacking: dict[str, str]) -> list:
    """Test one paper's claims, in every setting too; what results are lacking is added."""
    from imbfs.showing import picks
    from imbfs.showing.claims import verdicts
    from imbfs.showing.claims.judged import apart
    from imbfs.showing.claims.survey import read, survey

    findings, surveys = [], {}
    for name in filter(None, dict.fromkeys((*paper.experiments, paper.sensitivity))):
        part, source = paper.on(name), _table(results, name)
        if not part.claims:
            continue
        try:
            frame = _frame(source)
            found = (part, frame, picks.read(source.parent))
            there = frame is not None
            if name in paper.experiments:
                findings += verdicts.main(*found) if there else verdicts.untested(part)
            kept = source.with_name("claims_settings.csv")
            surveys[name] = survey(*found) if there else read(kept)
        except UserError as error:
            raise error.within(f"{path}: {source}") from None
        if cells := "all" if surveys[name] is None else _missing(frame):
            lacking[_run(name)] = f"{cells} of {name}"
    try:
        findings += apart(paper, partial(_written, results))
    except UserError as error:
        raise error.within(str(path)) from None
    for finding in findings:
        if finding.claim.script and finding.lacks:
            lacking[f"python {finding.claim.script}"] = f"the tables of {finding.claim.script}"
    _show(paper, results, findings, surveys)
    return findings


def _show(paper, results: Path, findings: list, surveys: dict) -> None:
    """Show and write the verdicts, and in how many settings the claims hold."""
    from imbfs.showing import beside
    from imbfs.showing.claims import sheets, terminal
    from imbfs.showing.claims.judged import judged

    told = judged(paper, findings, surveys)
    show(terminal.claims(paper, told))
    if printed := [p for name in paper.experiments for p in beside.written(results / name)]:
        named = {f"{p.parts[-3]} {p.stem.removeprefix('beside_')}": p for p in printed}
        show(terminal.beside({name: beside.agreement(beside.read(p)) for name, p in named.items()}))
    paths = sheets.write_findings(results / paper.experiment, paper, told)
    for name, survey in surveys.items():
        if survey is None:
            typer.echo(f"{results / name}: holds no results; settings are not compared.")
        elif survey.swept and len(survey.table):
            show(terminal.settings(name, survey))
            paths += sheets.write_survey(results / name, paper, survey)
    for written in paths:
        typer.echo(str(written))


def _frame(source: Path):
    """The results of an experiment with the group of every set, if there are any."""
    from imbfs.running.store import Store
    from imbfs.showing import tables
    from imbfs.showing.averages import groups

    if not source.exists():
        return None
    folder = source.parents[1]
    name = (Store(folder).read("run.json") or {}).get("name", folder.name)
    if name != folder.name:
        raise UserError(f"{folder / 'run.json'} tells of {name}. Results are kept by name.")
    return groups.grouped(tables.read(source), groups.read(source.with_name("problems.csv")))


def _missing(frame) -> str:
    """How many of the planned cells lack results, in words; nothing if none does."""
    from imbfs.showing.tables import CELL

    if frame is None:
        return ""
    number = len(frame.loc[frame["missing"] > 0, CELL].drop_duplicates())
    return f"{number} cell{'s' if number > 1 else ''}" if number else ""


def _written(results: Path, script: str, table: str):
    """A table that a script wrote; none if the script has not been run."""
    from imbfs.showing.claims.predicates import rows

    path = results / table
    if not (results / Path(table).parts[0]).exists():
        return None
    if not path.exists():
        raise UserError(f"{path}: is missing from what {script} wrote.")
    return rows.read(path)


def _anything(results: Path, paper) -> bool:
    """Whether there is a table that a claim of the paper is tested on."""
    named = [_table(results, name) for name in paper.experiments]
    tests = (test.predicate for claim in paper.claims.values() for test in claim.tests)
    named += [results / test.table for test in tests if hasattr(test, "table")]
    return any(path.exists() or path.parent.exists() for path in named)


def _run(experiment: str) -> str:
    from imbfs.config import QUICK

    name = experiment.removesuffix(QUICK)
    return f"imbfs run configs/{name}.yaml{' --quick' if name != experiment else ''}"


def _table(results: Path, experiment: str) -> Path:
    return results / experiment / "tables" / "results.csv"
