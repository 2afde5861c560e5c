"""The commands of `imbfs data`: which sets there are, how they look, getting and checking them."""

import typer

from imbfs.cli.data.folders import clean, where
from imbfs.cli.data.sets import fetch_sets, list_sets, verify
from imbfs.cli.data.shown import show

app = typer.Typer(
    name="data",
    help="The datasets: list, show, fetch and verify them.\n\nStart with: imbfs data list --all",
    no_args_is_help=True,
)

app.command("list")(list_sets)
app.command()(show)
app.command("fetch")(fetch_sets)
app.command()(verify)
app.command()(where)
app.command()(clean)
