"""The commands `imbfs list` and `imbfs schema`: what a config can say."""

from enum import StrEnum
from typing import Annotated

import typer


class Names(StrEnum):
    datasets = "datasets"
    problems = "problems"
    selectors = "selectors"
    classifiers = "classifiers"
    measures = "measures"


def list_(
    what: Annotated[Names | None, typer.Argument(help="Which names; all unless given.")] = None,
) -> None:
    """List the datasets, problems, selectors, classifiers and measures a config can name.

    Example: imbfs list selectors
    """
    from shutil import get_terminal_size
    from textwrap import shorten

    for names in [what] if what else list(Names):
        if what is None:
            typer.echo(names.value)
        rows = _listing(names)
        longest = max(len(name) for name, _ in rows)
        room = max(get_terminal_size().columns - longest - 4, 20)
        for name, summary in rows:
            typer.echo(f"  {name:<{longest}}  {shorten(summary, room, placeholder=' ...')}")


def schema() -> None:
    """Print the JSON schema of a config, for editors that complete and check YAML.

    Example: imbfs schema > imbfs.config.schema.json
    """
    import json

    from imbfs.config.schema import config_schema

    typer.echo(json.dumps(config_schema(), indent=2))


def _listing(names: Names) -> list[tuple[str, str]]:
    """Name and one line about it."""
    from importlib import import_module

    home = "datasets" if names is Names.problems else names.value
    table = getattr(import_module(f"imbfs.{home}"), names.value.upper())
    if hasattr(table, "listed"):
        return table.listed()
    return [(name, entry.summary) for name, entry in table.items()]
