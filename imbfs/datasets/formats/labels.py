"""Classes, sample ids and feature names that stand in a second file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from imbfs.datasets.formats import text
from imbfs.datasets.formats.compression import content
from imbfs.errors import UserError, first_of

# What becomes of samples that have no class: a mistake, or left out.
Unlabelled = Literal["error", "drop"]


def beside(path: Path, other: str) -> Path:
    """The path of a second file, which stands beside the first unless it is absolute."""
    return path.parent / other


def labels_in(
    path: Path, n_samples: int, *, target: str | int | None = None, ids: Sequence[str] | None = None
) -> Sequence[str] | np.ndarray:
    """One class a sample from a second file; "" for a sample whose id is not in it.

    The file holds one class a line, a CSV with ids in the first column and the class in `target`
    (needed where there are more than two columns), an IDX or an NPY array. Classes are matched by
    id where the samples have ids and the file has more than one column, by order otherwise.
    """
    from imbfs.datasets.formats import idx, npz  # which read their classes from here

    try:
        found = content(path)
        if found.startswith(npz.MAGIC):
            return npz.labels_of(found)
        return idx.array(found) if idx.is_idx(found) else _matched(found, n_samples, target, ids)
    except UserError as error:
        raise error if str(error).startswith(str(path)) else error.within(path) from None


def listed_in(path: Path) -> list[str]:
    """One text a line: the ids of the samples, or the names of the features."""
    try:
        return [line.decode().strip() for line in text.lines_of(content(path))[0]]
    except UserError as error:
        raise error if str(error).startswith(str(path)) else error.within(path) from None


def columns_in(path: Path) -> dict[str, list[str]]:
    """The texts of every column of a second file by its name, if it is a table with names."""
    read = text.rows_of(content(path), blanks=False)
    rows = [text.fields(line, read.separator) for line in read.lines]
    if len(set(rows[0])) < len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        return {}
    return {name: [row[j] for row in rows[1:]] for j, name in enumerate(rows[0])}


def _matched(found: bytes, n_samples: int, target, ids) -> list[str]:
    read = text.rows_of(found, blanks=False)  # a class may be called by several words
    rows = [text.fields(line, read.separator) for line in read.lines]
    for row, number in zip(rows, read.numbers, strict=True):
        if len(row) != len(rows[0]):
            raise UserError(f"line {number}: has {len(row)} fields. The first has {len(rows[0])}.")
    by_id = ids is not None and len(rows[0]) > 1
    if _has_names(rows, n_samples, target, ids if by_id else None):
        names, rows = rows[0], rows[1:]
    else:
        names = None
    column = _column(rows[0] if rows else names, names, target)
    if not by_id:
        if len(rows) != n_samples:
            raise UserError(f"has {len(rows)} classes. There are {n_samples} samples.")
        return [row[column] for row in rows]
    return _by_id(rows, column, ids)


def _has_names(rows, n_samples: int, target, ids) -> bool:
    if isinstance(target, str):
        return True
    return len(rows) == n_samples + 1 if ids is None else rows[0][0] not in set(ids)


def _column(row: list[str], names: list[str] | None, target) -> int:
    """Where the class stands: in the only column, beside the ids, or where `target` says."""
    if isinstance(target, int) and -len(row) <= target < len(row):
        return target
    if target is None and len(row) < 3:
        return -1
    if isinstance(target, str) and target in names:
        return names.index(target)
    shown = first_of(names or (f"0 to {len(row) - 1}",))
    raise UserError(f"target: which column holds the class, not {target!r}? Columns: {shown}.")


def _by_id(rows: list[list[str]], column: int, ids: Sequence[str]) -> list[str]:
    known = {row[0]: row[column] for row in rows}
    for what, values in (("the file has", [row[0] for row in rows]), ("there are", ids)):
        double, times = Counter(values).most_common(1)[0]
        if times > 1:
            raise UserError(f"{what} several samples called {double!r}.")
    found = [known.get(name, "") for name in ids]
    if not any(found):
        raise UserError(f"has no class for any of the samples {ids[0]!r}, ...")
    return found
