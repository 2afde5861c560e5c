"""The imbfs command: parse, call, print. Heavy imports happen inside the commands."""

import os
import sys
from typing import Annotated, NoReturn

import typer

from imbfs import __version__
from imbfs.cli import data
from imbfs.cli.benchmarking import benchmark
from imbfs.cli.claims import verify
from imbfs.cli.comparing import compare
from imbfs.cli.names import list_, schema
from imbfs.cli.own import init, select
from imbfs.cli.reproducing import reproduce
from imbfs.cli.results import plot, report, table
from imbfs.cli.runs import plan, run
from imbfs.cli.shared import say
from imbfs.cli.streams import predict, stream
from imbfs.errors import Unwritable, UserError

app = typer.Typer(
    name="imbfs",
    help="Feature selection on class-imbalanced data: rerun the papers, compare on your own.\n\n"
    "Start with: imbfs run configs/quickstart.yaml",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(data.app)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"imbfs {__version__}")
        raise typer.Exit()


app.command()(run)
app.command()(plan)
app.command()(table)
app.command()(plot)
app.command("list")(list_)
app.command()(init)
app.command()(select)
app.command()(verify)
app.command()(compare)
app.command()(benchmark)
app.command()(stream)
app.command()(predict)
app.command()(reproduce)
app.command()(report)
app.command()(schema)


def main() -> None:
    """The console script: a mistake of the user is one line and exit code 2."""
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")
    try:
        app()
    except OSError as error:
        if _can_print():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left of it
        _refuse(Unwritable.of("standard output", error))
    except UserError as error:
        _refuse(error)


def _refuse(error: UserError) -> NoReturn:
    say(f"imbfs: {error}", "red")
    raise SystemExit(2) from None


def _can_print() -> bool:
    try:
        print(flush=True)
    except OSError:
        return False
    return True
