"""Columns of texts as features of 0 and 1, as ARFF has nominal attributes."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from imbfs.datasets.formats.arrays import is_number
from imbfs.errors import Mendable, UserError

# What becomes of a column of texts: a mistake, or features of 0 and 1.
Texts = Literal["error", "encode"]

_MOST = 20  # different texts of a column that becomes features


def encoded(
    frame, names: dict[int, str | int], lines: Sequence[int] | None = None
) -> tuple[np.ndarray, list[str]]:
    """The columns of a frame as numbers, and what they are called.

    Texts of two values become one feature, 1 where the second in the alphabet is; up to 20 values
    become a feature each; both are called `name=value`. A missing text is missing in all of them.
    A column of more texts, or of numbers with a text among them, is refused; `lines` tells where.
    """
    blocks, told, free = [], [], []
    plain: list[int] = []
    for j, kind in frame.dtypes.items():
        if j not in names:
            continue
        if getattr(kind, "kind", "O") in "biuf":
            plain.append(j)
            told.append(names[j])
            continue
        _flush(frame, plain, blocks)
        values = _values(frame[j], names[j], lines)
        if values is None:
            free.append(names[j])
            continue
        block, its_names = _hot(frame[j], names[j], values)
        blocks.append(block)
        told += its_names
    if free:
        shown = ", ".join(map(repr, free[:5])) + (", ..." if len(free) > 5 else "")
        said = f"{shown}: more than {_MOST} different texts are no feature. Leave out with drop."
        raise Mendable(said, {"drop": free})
    _flush(frame, plain, blocks)
    if not blocks:
        raise UserError("has no column of features.")
    return np.ascontiguousarray(np.hstack(blocks)), told


def _flush(frame, plain: list[int], blocks: list[np.ndarray]) -> None:
    if plain:
        blocks.append(frame[plain].to_numpy(dtype=np.float64, na_value=np.nan))
        plain.clear()


def _values(column, name: str | int, lines) -> list[str] | None:
    """The texts of a column in order, None if they are too many; numbers with a text are wrong."""
    written = column.dropna().map(lambda value: str(value).strip())
    values = sorted(set(written))
    numbers = [value for value in values if is_number(value)]
    if max(1, len(values) // 2) < len(numbers) < len(values):
        at = next(i for i, value in written.items() if not is_number(value))
        where = f"line {lines[at]}: " if lines is not None else ""
        said = f"{where}column {name!r} is not numeric. It has {written[at]!r} among numbers"
        raise UserError(f"{said}; write a number, nothing for a missing one, or drop the column.")
    return values if len(values) <= _MOST else None


def _hot(column, name: str | int, values: list[str]) -> tuple[np.ndarray, list[str]]:
    shown = values if len(values) != 2 else values[1:]
    written = column.map(lambda value: str(value).strip(), na_action="ignore").to_numpy()
    block = np.column_stack([written == value for value in shown]).astype(np.float64)
    block[column.isna().to_numpy()] = np.nan
    return block, [f"{name}={value}" for value in shown]
