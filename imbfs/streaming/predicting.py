"""The classes of a stream's rows, as a model says."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TextIO

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.errors import UserError
from imbfs.streaming.model import Model
from imbfs.streaming.reading.labels import Labels
from imbfs.streaming.reading.rows import CsvRows, Layout, LibsvmRows, chunks, like
from imbfs.streaming.reading.source import BLOCK, Place, Source
from imbfs.streaming.tally import Checkpoint, Tally
from imbfs.streaming.told import compared


@dataclass
class Predicted:
    """Some rows: decision values, whether the class is found, and the labels, if they have any."""

    decisions: np.ndarray
    found: np.ndarray
    labels: np.ndarray | None


def predicted(model: Model, source: Source, size: int = BLOCK) -> Iterator[Predicted]:
    """The rows of a stream as a model sees them, a block at a time."""
    if model.n_features == 0:
        raise UserError("the model has learned nothing yet.")
    format, layout = source.format(), model.layout
    if format != layout.format:
        raise UserError(f"{source.name}: is {format}. The model was learned from {layout.format}.")
    if format == "libsvm":
        reader = LibsvmRows(source.name, layout, labelled=False)
    else:
        wanted = [name for name in (layout.names or ()) if name]
        reader = CsvRows(Layout("csv"), partial(like, layout, model.n_features), wanted)
    for chunk in chunks(source, reader, Place(), size):
        if len(chunk):
            decisions = decide(model, chunk.X)
            zero = model.params["zero"] == "minority"
            found = decisions >= 0.0 if zero else decisions > 0.0
            yield Predicted(decisions, found, chunk.labels)


def tested(model: Model, source: Source) -> Checkpoint:
    """What a model is worth on rows that it has not seen; labels must be those it knows."""
    tally = Tally()
    for part in predicted(model, source):
        if part.labels is None:
            raise UserError(f"{source.name}: has rows without a label, or with several.")
        try:
            labels = Labels(*reversed(model.classes))
            labels.meet(part.labels, tally.rows)
        except UserError as error:
            raise error.within(source.name) from None
        if labels.known != model.classes:
            raise UserError(f"{source.name}: has classes that the model does not know.")
        tally.add(labels.signs(part.labels), part.found)
    n_features, learned = len(model.arrays["selected"]), model.checkpoints[-1].learned
    return Checkpoint.of(tally, "test", model.epoch, n_features, learned)


def decide(model: Model, X: csr_array | np.ndarray) -> np.ndarray:
    """One value a row, above 0 for the class to find."""
    selected, coef = model.arrays["selected"], model.arrays["coef"]
    if not issparse(X):
        return X[:, selected] @ coef
    if not len(selected):
        return np.zeros(X.shape[0])
    at = np.minimum(np.searchsorted(selected, X.indices), len(selected) - 1)
    terms = np.where(selected[at] == X.indices, X.data * coef[at], 0.0)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(rows, terms, minlength=X.shape[0])


def written(model: Model, source: Source, sheet: TextIO) -> str:
    """Write a line of CSV for every row; return what came of it, measured if it has labels."""
    tally, labels, n_rows, measured = Tally(), Labels(*reversed(model.classes)), 0, True
    names = [label or "" for label in model.classes]
    out = csv.writer(sheet, lineterminator="\n")
    out.writerow(("row", "class", "decision"))
    for part in predicted(model, source):
        classes = [names[found] for found in part.found.tolist()]
        numbers = range(n_rows + 1, n_rows + 1 + len(classes))
        out.writerows(zip(numbers, classes, part.decisions.tolist(), strict=True))
        n_rows += len(classes)
        measured = measured and part.labels is not None and labels.are_known(part.labels)
        if measured:
            tally.add(labels.signs(part.labels), part.found)
    return f"{n_rows:,} rows predicted" + (f": {compared(tally)}" if measured else "")
