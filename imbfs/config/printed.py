"""What a paper prints: the file that holds it, and which of our names its names stand for."""

import csv
import math
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from imbfs.config.fields import MeasureName, Strict, listed
from imbfs.errors import UserError, lookup

COLUMNS = ("dataset", "method", "metric", "value")
OPTIONAL = ("ratio", "sd", "suspect")  # suspect: why a value cannot be what it says
_NUMBERS = ("value", "sd")


class Ours(Strict):
    """A method of ours: a selector by its label, and its classifier and resampling if told."""

    selector: str
    classifier: str | None = None
    resampling: str | None = None


def _ours(given):
    """A label stands for the selector of that label."""
    return {"selector": given} if isinstance(given, str) else given


def _absolute(path: str, info: ValidationInfo) -> str:
    return str(((info.context or {}).get("folder", Path()) / path).absolute())


def _listed_values(given):
    return {k: listed(v) for k, v in given.items()} if isinstance(given, dict) else given


def _by_name(kind):
    """Printed names with what they stand for here, one or several."""
    several = Annotated[tuple[kind, ...], Field(min_length=1, strict=False)]
    return Annotated[dict[str, several], BeforeValidator(_listed_values)]


PrintedFile = Annotated[str, AfterValidator(_absolute)]
Datasets = _by_name(str)
Methods = _by_name(Annotated[Ours, BeforeValidator(_ours)])
Measures = _by_name(MeasureName)


def refuse_names_of_others(experiment, entry) -> None:
    """What printed names stand for must be of the experiment."""
    methods = [method for several in entry.methods.values() for method in several]
    named = {
        "datasets": [label for several in entry.datasets.values() for label in several],
        "measures": [name for several in entry.measures.values() for name in several],
        "selectors": [method.selector for method in methods],
        "classifiers": [method.classifier for method in methods if method.classifier],
        "resampling": [method.resampling for method in methods if method.resampling],
    }
    for field, names in named.items():
        known = {getattr(there, "label", there): None for there in getattr(experiment, field)}
        for name in names:
            try:
                lookup(known, name, field.removesuffix("s"))
            except UserError as error:
                place = field if field in ("datasets", "measures") else "methods"
                raise error.within(place) from None


def read(table) -> list[dict]:
    """The rows of the file of a table `beside`, a value that is not printed as None."""
    try:
        with open(table.printed, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise UserError(f"{table.printed}: cannot be read: {reason}.") from None
    try:
        _refuse_other_widths(rows)
        _refuse_other_columns(rows)
        _refuse_unprinted_names(rows, table)
        return [_typed(row, line) for line, row in enumerate(rows, 2)]
    except UserError as error:
        raise error.within(table.printed) from None


def _refuse_other_columns(rows: list[dict]) -> None:
    found = set(rows[0]) if rows else set()
    if not set(COLUMNS) <= found <= {*COLUMNS, *OPTIONAL}:
        raise UserError(
            f"is no printed table. It has the columns {', '.join(COLUMNS)}, "
            f"and if need be {', '.join(OPTIONAL)}."
        )


def _refuse_other_widths(rows: list[dict]) -> None:
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise UserError(f"line {line}: has not as many fields as the first.")


def _refuse_unprinted_names(rows: list[dict], table) -> None:
    printed = {column: {row[column]: None for row in rows} for column in COLUMNS[:3]}
    printed["dataset"] |= {f"{row['dataset']} {row.get('ratio')}": None for row in rows}
    given = {"dataset": table.datasets, "method": table.methods, "metric": table.measures}
    for column, names in given.items():
        for name in names:
            lookup(printed[column], name, f"printed {column}")


def _typed(row: dict, line: int) -> dict:
    try:
        numbers = {name: float(row.get(name) or "nan") for name in _NUMBERS}
    except ValueError as error:
        raise UserError(f"line {line}: {error}.") from None
    if math.inf in map(abs, numbers.values()):
        raise UserError(f"line {line}: has a value that is not finite.")
    return row | {k: None if value != value else value for k, value in numbers.items()}
