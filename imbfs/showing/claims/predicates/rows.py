"""Predicates over a table that a script of the paper writes: what its rows say, one by one.

A table is named by its path below the results. Rows are no sample of tasks: they are for or against
a claim, and nothing is tested or estimated from them.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated

import pandas as pd
from pydantic import Field

from imbfs.config.fields import Strict
from imbfs.errors import UserError, lookup
from imbfs.showing import markup
from imbfs.showing.claims.predicates import Cell, exact

TablePath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)+\.csv$")]
Bound = float | int | str
_TRUE = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


class Rows(Strict):
    """Something said of a `column` of a `table`."""

    table: TablePath
    column: str

    @property
    def measure(self) -> str:
        return self.column

    def cells(self, rows: pd.DataFrame) -> Iterator[Cell]:
        raise NotImplementedError

    def _told(self, rows: pd.DataFrame) -> Iterator[tuple[str, float]]:
        """The name of every row and its value; that of one without a number is nan."""
        values = numbers(rows, self.column)
        return zip(_names(rows, self.column), values, strict=True)


class AllTrue(Rows):
    """Every row says yes: true, yes or 1, or as often as the column `of` counts.

    A cell is a row, and its value 1 or the share that is true.
    """

    of: str | None = None

    def cells(self, rows: pd.DataFrame) -> Iterator[Cell]:
        totals = [1.0] * len(rows) if self.of is None else numbers(rows, self.of)
        for (name, value), of in zip(self._told(rows), totals, strict=True):
            share = value / of if of else float("nan")
            yield Cell(name, exact(share), 1.0 if share == 1 else exact(share - 1), share != share)


class _Bounded(Rows):
    """Held against a `bound`, a number or another column of the same row; a cell is a row."""

    bound: Bound

    def cells(self, rows: pd.DataFrame) -> Iterator[Cell]:
        fixed = not isinstance(self.bound, str)
        bounds = [float(self.bound)] * len(rows) if fixed else numbers(rows, self.bound)
        for (name, value), bound in zip(self._told(rows), bounds, strict=True):
            margin = self._margin(value, bound)
            yield Cell(name, exact(value), exact(margin), margin != margin)

    def _margin(self, value: float, bound: float) -> float:
        raise NotImplementedError


class Below(_Bounded):
    """Every row is below a `bound`, a number or another column; a cell is a row."""

    def _margin(self, value: float, bound: float) -> float:
        return bound - value


class Above(_Bounded):
    """Every row is above a `bound`, a number or another column; a cell is a row."""

    def _margin(self, value: float, bound: float) -> float:
        return value - bound


class Flips(Rows):
    """The value where `along` is below `at` is another than where it is above.

    A cell is a row below and a row above, and its value the difference. Where one of them is
    `undecided` the cell is dead.
    """

    along: str
    at: float | int
    undecided: float | int | None = None

    def cells(self, rows: pd.DataFrame) -> Iterator[Cell]:
        along = numbers(rows, self.along)
        told = list(zip(along, numbers(rows, self.column), strict=True))
        below = [row for row in told if row[0] < self.at]
        above = [row for row in told if row[0] > self.at]
        for (start, before), (end, after) in product(below, above):
            change = exact(after - before)
            dead = change != change or self.undecided in (before, after)
            yield Cell(f"{self.along} {start:g} and {end:g}", change, 1.0 if change else -1.0, dead)


def numbers(rows: pd.DataFrame, column: str) -> pd.Series:
    """A column as numbers, yes and no as 1 and 0; nan where there is none."""
    lookup(dict.fromkeys(rows), column, "column")
    texts = rows[column].astype(str).str.strip().str.lower()
    return pd.to_numeric(texts.map(_TRUE).where(texts.isin(list(_TRUE)), texts), errors="coerce")


def _names(rows: pd.DataFrame, column: str) -> list[str]:
    """What tells the rows apart, for reading: what stands before the column, or the number."""
    before = list(rows)[: list(rows).index(column)]
    if not before:
        return [f"row {number}" for number in range(1, len(rows) + 1)]
    return [" ".join(map(str, row)) for row in rows[before[:3]].itertuples(index=False)]


def read(path) -> pd.DataFrame:
    """A table that a script wrote, all of it as text."""
    try:
        return markup.texts(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as CSV: {str(error).splitlines()[0]}.") from None
