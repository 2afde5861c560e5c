"""The command `imbfs report`: pages to read in a browser, made of committed tables."""

from pathlib import Path
from typing import Annotated

import typer

from imbfs.cli_shared import tell_of_altered


def report(
    results: Annotated[
        Path, typer.Argument(help="The folder of one experiment, or of several, such as results/.")
    ] = Path("results"),
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
