"""A data set in memory, and the view of it that an experiment takes."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL


@dataclass(frozen=True, eq=False)
class Data:
    """Parsed arrays: `X` dense or CSR float64, `y` class codes into `classes`, or an indicator.

    `relevant` holds the columns known to matter, for sets made by us; None where nobody knows.
    `groups` numbers the group of every row where the file has a column of groups, such as patients.
    `how` says how the file was read: its format, separator, comments and so on.
    """

    X: np.ndarray | csr_array
    y: np.ndarray
    classes: tuple
    names: tuple[str, ...] | None = None
    relevant: tuple[int, ...] | None = None
    fingerprint: str = ""
    groups: np.ndarray | None = None
    how: str = ""


@dataclass(frozen=True)
class View:
    """Which rows and columns of a set are used, and `y` as every method expects it."""

    rows: np.ndarray
    y: np.ndarray
    kind: str
    n_features: int

    def take(self, X: np.ndarray | csr_array, rows: np.ndarray) -> np.ndarray | csr_array:
        """Some of its rows, in memory."""
        X = X[self.rows[rows]]
        X = X if X.shape[1] == self.n_features else X[:, : self.n_features]
        return X if issparse(X) else np.ascontiguousarray(X)


def view(
    data: Data,
    positive=None,
    negative: list | None = None,
    columns: int | None = None,
    drop_empty: bool = False,
    sample: dict[str, int] | None = None,
) -> View:
    """The problem that a set poses: one class against others, two classes, several, many labels.

    With `positive`, a class or label or several, those are +1 and the rest, or `negative`, are -1;
    otherwise, of two classes, the smaller is +1 (the later one when they are equal). `columns`
    keeps the first so many features, `drop_empty` then drops rows without any non-zero value, and
    `sample` keeps so many random rows of the `positive` or `negative` side, always the same ones.
    """
    n_features = _first(columns, data.X.shape[1])
    rows, y, kind = _labelled(data, positive, negative)
    if drop_empty:
        filled = _filled(data.X, n_features)[rows]
        rows, y = rows[filled], y[filled]
    if sample:
        kept = _sampled(y, kind, sample)
        rows, y = rows[kept], y[kept]
    if kind == BINARY and len(np.unique(y)) < 2:
        raise UserError("has one class only once its rows are chosen. Two are needed.")
    return View(rows, y, kind, n_features)


def tested(data: Data, test: Data, **options) -> tuple[Data, View]:
    """The test set of a set, in its columns and class codes, and the view that it has of itself.

    A sparse file has as many columns as its largest index: columns that it lacks are empty, and
    those that training lacks are dropped. `sample` is about training rows alone.
    """
    seen = view(data, **options)
    if seen.kind == BINARY and options.get("positive") is None:
        # Which class is the smaller one is decided by training.
        options["positive"] = data.classes[data.y[seen.rows[seen.y > 0][0]]]
    test = replace(test, X=_in_columns(data, test), y=_in_codes(data, test), classes=data.classes)
    beside = view(test, **options | {"sample": None})
    if seen.kind == MULTICLASS and (lacking := set(seen.y) - set(beside.y)):
        raise UserError(f"has no row of class {data.classes[min(lacking)]!r}, which training has.")
    return test, beside


def _in_columns(data: Data, test: Data) -> np.ndarray | csr_array:
    """The values of a test set under the features of training."""
    X, n_features = test.X, data.X.shape[1]
    if X.shape[1] != n_features and not (issparse(X) and issparse(data.X)):
        raise UserError(f"has {X.shape[1]} features; training has {n_features}.")
    if data.names and test.names and data.names != test.names:
        raise UserError("has features of other names, or in another order, than training.")
    if X.shape[1] == n_features:
        return X
    if X.shape[1] > n_features:
        return X[:, :n_features]
    return csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _in_codes(data: Data, test: Data) -> np.ndarray:
    """The y of a test set, coded as that of training."""
    if test.y.ndim != data.y.ndim:
        raise UserError("has one class a row where training has labels, or the other way round.")
    known = {str(label): code for code, label in enumerate(data.classes)}
    for label in test.classes:
        if str(label) not in known:
            raise UserError(f"class {label!r} is none of training's: {_shown(data.classes)}.")
    codes = np.array([known[str(label)] for label in test.classes], dtype=np.int64)
    if test.y.ndim == 1:
        return codes[test.y]
    y = np.zeros((len(test.y), len(data.classes)), dtype=test.y.dtype)
    y[:, codes] = test.y
    return y


def _labelled(data: Data, positive, negative: list | None) -> tuple[np.ndarray, np.ndarray, str]:
    """Rows, y and the kind of problem, by class alone."""
    everything = np.arange(data.X.shape[0])
    if positive is None and negative is not None:
        raise UserError("negative: needs positive beside it.")
    if data.y.ndim == 2:
        return _of_labels(data, positive, negative)
    counts = np.bincount(data.y, minlength=len(data.classes))
    if np.count_nonzero(counts) < 2:
        raise UserError(f"has one class only ({_shown(data.classes)}). Two or more are needed.")
    if positive is None:
        if len(data.classes) > 2:
            return everything, data.y, MULTICLASS
        plus = 0 if counts[0] < counts[1] else 1
        return everything, np.where(data.y == plus, 1, -1), BINARY
    plus = _codes(data, positive, "positive")
    minus = _codes(data, negative or [], "negative")
    if both := set(plus) & set(minus):
        raise UserError(f"negative: {data.classes[min(both)]!r} is a positive class already.")
    rows = np.flatnonzero(np.isin(data.y, [*plus, *minus])) if minus else everything
    return rows, np.where(np.isin(data.y[rows], plus), 1, -1), BINARY


def _of_labels(data: Data, positive, negative: list | None) -> tuple[np.ndarray, np.ndarray, str]:
    """All labels, or the rows with any of the positive ones against the others."""
    rows = np.arange(data.X.shape[0])
    if positive is None:
        return rows, data.y, MULTILABEL
    plus = data.y[:, _codes(data, positive, "positive")].any(axis=1)
    if negative is not None:
        rows = np.flatnonzero(plus | data.y[:, _codes(data, negative, "negative")].any(axis=1))
    return rows, np.where(plus[rows], 1, -1), BINARY


def _codes(data: Data, labels, field: str) -> list[int]:
    """The codes of classes, found by value or by how they are written."""
    known = {str(label): code for code, label in enumerate(data.classes)}
    codes = []
    for label in labels if isinstance(labels, list | tuple) else [labels]:
        if str(label) not in known:
            raise UserError(f"{field}: no class {label!r}. Classes: {_shown(data.classes)}.")
        codes.append(known[str(label)])
    return codes


def _first(columns: int | None, n_features: int) -> int:
    if columns is None:
        return n_features
    if not 1 <= columns <= n_features:
        raise UserError(f"columns: {columns} is not between 1 and {n_features}.")
    return columns


def _filled(X, n_features: int) -> np.ndarray:
    """Which rows have a non-zero value."""
    X = X if X.shape[1] == n_features else X[:, :n_features]
    return np.asarray((X != 0).sum(axis=1)).ravel() > 0


def _sampled(y: np.ndarray, kind: str, sample: dict[str, int]) -> np.ndarray:
    sides = {"positive": 1, "negative": -1}
    if kind != BINARY or not set(sample) <= set(sides):
        raise UserError("sample: names how many positive or negative rows of two classes to keep.")
    kept = []
    for side, sign in sides.items():
        rows = np.flatnonzero(y == sign)
        count = sample.get(side, len(rows))
        if not 1 <= count <= len(rows):
            raise UserError(f"sample: {count} of {len(rows)} {side} rows cannot be kept.")
        kept.append(np.random.default_rng(0).permutation(rows)[:count])
    return np.sort(np.concatenate(kept))


def _shown(classes: tuple, most: int = 20) -> str:
    text = ", ".join(str(label) for label in classes[:most])
    return text + (f", ... ({len(classes)} in all)" if len(classes) > most else "")
