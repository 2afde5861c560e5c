"""The commands `imbfs table`, `plot` and `report`: results as tables, figures and pages."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli.shared import list_paths, show, tell_of_altered

Results = Annotated[
    Path, typer.Argument(help="The folder of one experiment, or of several, such as results/.")
]


class TableFormat(StrEnum):
    csv = "csv"
    md = "md"
    latex = "latex"


class FigureFormat(StrEnum):
    png = "png"
    pdf = "pdf"
    svg = "svg"


def table(
    results: Results,
    format: Annotated[TableFormat, typer.Option(help="Format of the tables.")] = TableFormat.md,
) -> None:
    """Write the tables of RESULTS from its records, and show the first.

    Example: imbfs table results/quickstart --format latex
    """
    from imbfs.showing import results as kept
    from imbfs.showing import sheets

    for store in kept.stores(results, with_records=True):
        experiment = kept.experiment(store)
        frame, paths = kept.write_tables(experiment, store, [format.value])
        show(sheets.terminal(frame, experiment.measures[0]))
        list_paths(paths)


def plot(
    results: Results,
    format: Annotated[FigureFormat, typer.Option(help="Format of the figures.")] = FigureFormat.png,
) -> None:
    """Draw the figures of RESULTS: those its config names, or a default set.

    Tables are enough to draw from; records are used where they are at hand.

    Example: imbfs plot results/ --format pdf
    """
    from imbfs.showing import figures
    from imbfs.showing import results as kept

    for store in kept.stores(results):
        experiment = kept.experiment(store)
        if store.path.exists():
            kept.write_tables(experiment, store, [])
        list_paths(figures.draw(store.folder, experiment.figures, [format.value]))


def report(
    results: Results = Path("results"),
    open: Annotated[bool, typer.Option("--open", help="Show the first page in a browser.")] = False,
    experiments: Annotated[
        Path, typer.Option("--experiments", help="Where the papers' claims are kept.")
    ] = Path("experiments"),
) -> None:
    """Write a page for every experiment of RESULTS, and one over them where there are several.

    A page is one file: it needs no server and no network, and tables are enough to make it.

    Example: imbfs report results/ --open
    """
    from imbfs.showing import report

    paths = report.write(results, experiments)
    tell_of_altered(results)
    for path in paths:
        typer.echo(str(path))
    if open:
        import webbrowser

        webbrowser.open(paths[0].absolute().as_uri())
