"""A data set in memory, and the view of it that an experiment takes."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL


@dataclass(frozen=True)
class Data:
    """Parsed arrays: `X` dense or CSR float64, `y` class codes into `classes`, or an indicator.

    `relevant` holds the columns known to matter, for sets made by us; None where nobody knows.
    """

    X: np.ndarray | csr_array
    y: np.ndarray
    classes: tuple
    names: tuple[str, ...] | None = None
    relevant: tuple[int, ...] | None = None
    fingerprint: str = ""


@dataclass(frozen=True)
class View:
    """Which rows of a set are used, and what they are called: `y` as every method expects it."""

    rows: np.ndarray
    y: np.ndarray
    kind: str


def view(data: Data, positive=None, negative: list | None = None) -> View:
    """The task that a set poses: one class against others, two classes, several, or many labels.

    With `positive` that class is +1 and the rest (or `negative`) -1; otherwise, of two classes, the
    smaller is +1 (the later one when they are equal).
    """
    everything = np.arange(data.X.shape[0])
    if data.y.ndim == 2:
        if positive is not None or negative is not None:
            raise UserError("positive: a multi-label set has no single positive class.")
        return View(everything, data.y, MULTILABEL)
    counts = np.bincount(data.y, minlength=len(data.classes))
    if np.count_nonzero(counts) < 2:
        raise UserError(f"has one class only ({_shown(data.classes)}). Two or more are needed.")
    if positive is None and negative is not None:
        raise UserError("negative: needs positive beside it.")
    if positive is None and len(data.classes) > 2:
        return View(everything, data.y, MULTICLASS)
    if positive is None:
        plus = 0 if counts[0] < counts[1] else 1
        return View(everything, np.where(data.y == plus, 1, -1), BINARY)
    plus = _code(data, positive, "positive")
    minus = [_code(data, label, "negative") for label in negative or []]
    if plus in minus:
        raise UserError(f"negative: {positive!r} is the positive class already.")
    rows = np.flatnonzero(np.isin(data.y, [plus, *minus])) if minus else everything
    return View(rows, np.where(data.y[rows] == plus, 1, -1), BINARY)


def _code(data: Data, label, field: str) -> int:
    """The code of a class, found by value or by how it is written."""
    for code, known in enumerate(data.classes):
        if known == label or str(known) == str(label):
            return code
    raise UserError(f"{field}: no class {label!r}. Classes: {_shown(data.classes)}.")


def _shown(classes: tuple, most: int = 20) -> str:
    text = ", ".join(str(label) for label in classes[:most])
    return text + (f", ... ({len(classes)} in all)" if len(classes) > most else "")
