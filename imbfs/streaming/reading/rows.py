"""Blocks of text as rows: LIBSVM by the byte parser, CSV by columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from imbfs.datasets.formats import tabular, text
from imbfs.datasets.formats.libsvm import Lines
from imbfs.errors import UserError, first_of
from imbfs.streaming.reading.source import BLOCK, Place, Source, start_of


@dataclass
class Chunk:
    """Some rows, their labels (None: there are none) and the place after them."""

    X: csr_array | np.ndarray
    labels: np.ndarray | None
    place: Place

    def __len__(self) -> int:
        return self.X.shape[0]


@dataclass(frozen=True)
class Layout:
    """How the text of a stream is written; the last five are of CSV."""

    format: str
    hash_bits: int | None = None
    separator: str | None = None
    decimal: str | None = None
    names: tuple[str, ...] | None = None
    target: int | None = None
    width: int | None = None


def chunks(
    source: Source,
    reader: "LibsvmRows | CsvRows",
    after: Place,
    size: int = BLOCK,
    read: Callable[[Iterator[bytes]], Iterator[bytes]] = iter,
) -> Iterator[Chunk]:
    """The rows of a stream after a place, a block at a time; `read` may get blocks ahead."""
    place = after
    try:
        for block in read(source.blocks(after, size)):
            start = place.start or start_of(block)
            X, labels = reader.rows(block, place.n_lines)
            place = Place(place.n_bytes + len(block), reader.n_lines, start)
            yield Chunk(X, labels, place)
    except UserError as error:
        said = str(error)
        raise error if said.startswith(source.name) else error.within(source.name) from None


class LibsvmRows:
    """Rows of LIBSVM text. A column is the index as it is written, or what it is hashed to."""

    def __init__(self, name: str, layout: Layout, labelled: bool = True):
        self.layout = layout
        self._name = name
        self._labelled = labelled
        self._lines = None
        self.n_lines = 0  # that were read, with those before

    def rows(self, block: bytes, n_before: int) -> tuple[csr_array, np.ndarray | None]:
        """Rows and labels of a block that has so many lines before it."""
        if self._lines is None or n_before == 0:
            self._lines = Lines(self._name, "0", n_before)
        rows = self._lines.rows(block)
        self.n_lines = self._lines.n_lines
        if self._labelled:
            self._check_labels()
        one_each = len(rows.labels) == len(rows) and not self._lines.unlabelled
        bits = self.layout.hash_bits
        columns = rows.indices if bits is None else hashed(rows.indices, bits)
        width = int(columns.max(initial=0)) + 1 if bits is None else 1 << bits
        X = csr_array((rows.data, columns, rows.indptr), shape=(len(rows), width))
        if bits is None:
            X.has_canonical_format = True  # the parser has seen to it
        else:
            _add_up(X)
        return X, rows.labels if one_each else None

    def _check_labels(self) -> None:
        for line, what in (
            (self._lines.unlabelled, "no label"),
            (self._lines.several, "several labels"),
        ):
            if line:
                raise UserError(f"line {line}: has {what}. A row has one of two labels.")


class CsvRows:
    """Rows of CSV. The first block tells how it is written unless a layout does."""

    def __init__(self, layout: Layout, lay: Callable[[text.Table], Layout], wanted: list[str]):
        self.layout = layout
        self._lay = lay
        self._wanted = wanted
        self.n_lines = 0  # that were read, with those before

    def rows(self, block: bytes, n_before: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows and labels of a block that has so many lines before it."""
        self.n_lines = n_before + block.count(b"\n")
        if n_before == 0:
            block = block.removeprefix(b"\xef\xbb\xbf")
        if not block.strip():
            return np.empty((0, 0)), np.empty(0, dtype=str)
        layout = self.layout
        found = text.rows_of(block, layout.separator, width=layout.width if n_before else None)
        if not found.lines:
            return np.empty((0, 0)), np.empty(0, dtype=str)
        numbers = [n_before + number for number in found.numbers]
        table = self._table(replace(found, numbers=numbers), n_before == 0)
        X, labels = tabular.taken(table, self.layout.target)
        _check_finite(X, table)
        return X, None if labels is None else np.array(labels)

    def _table(self, rows: text.Rows, first: bool) -> text.Table:
        if self.layout.separator is None:
            found = text.fields(rows.lines[0], rows.separator)
            known = len(found) > 1 and found == [name for name in self._wanted if name in found]
            table = text.table(rows, True if known else None, self._wanted)
            self.layout = self._lay(table)
            return table
        layout, lines, numbers = self.layout, rows.lines, rows.numbers
        names = None if layout.names is None else list(layout.names)
        if first and names is not None and text.fields(lines[0], layout.separator) == names:
            lines, numbers = lines[1:], numbers[1:]
        if not lines:
            raise UserError("has names but no rows.")
        text.check_widths(lines, numbers, layout.separator, layout.width)
        return text.Table(lines, numbers, layout.separator, layout.decimal, names)


def with_target(target: str | int | None, table: text.Table) -> Layout:
    """How a table is written whose class is in that column."""
    if target is None:
        shown = first_of(table.names or [f"0 to {table.width - 1}"])
        raise UserError(f"--target: which column holds the class? Columns: {shown}.")
    place = tabular.position(table.names, table.width, target, "--target")
    if table.width == 1:
        raise UserError("has no column but the class. Features are in others.")
    return _layout(table, place)


def like(model: Layout, n_features: int, table: text.Table) -> Layout:
    """How a table is written that has the features of a model, with or without the class."""
    if model.names is not None and table.names is not None:
        name = model.names[model.target]
        place = table.names.index(name) if name in table.names else None
        features = [other for j, other in enumerate(model.names) if j != model.target]
        same = features == [other for j, other in enumerate(table.names) if j != place]
    else:
        place = model.target if table.width == n_features + 1 else None
        same = table.width - (place is not None) == n_features
    if not same:
        raise UserError("has other columns than those that the model was learned from.")
    return _layout(table, place)


def _layout(table: text.Table, target: int | None) -> Layout:
    names = None if table.names is None else tuple(table.names)
    return Layout("csv", None, table.separator, table.decimal, names, target, table.width)


def _check_finite(X: np.ndarray, table: text.Table) -> None:
    if np.isfinite(X).all():
        return
    row, column = np.argwhere(~np.isfinite(X))[0]
    what = "missing" if np.isnan(X[row, column]) else "infinite"
    raise UserError(f"line {table.numbers[row]}: feature {column + 1} is {what}. Fill it in.")


def _add_up(X: csr_array) -> None:
    """Add up what was hashed to one column of a row."""
    X.sum_duplicates()
    if not np.isfinite(X.data).all():
        raise UserError("values hashed to one column are too large to add up. Give no --hash-bits.")


def hashed(indices: np.ndarray, bits: int) -> np.ndarray:
    """Columns below 2^bits, the same for the same index everywhere: the mixer of SplitMix64."""
    x = indices.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return (x >> np.uint64(64 - bits)).astype(np.int32)
