"""What is odd about a set: refused where nothing can be learned, warned of elsewhere."""

import re
from pathlib import Path
from shlex import quote

import numpy as np
from scipy.sparse import issparse

from imbfs.datasets import Data, together
from imbfs.errors import UserError

FEW = 10  # samples of the smallest class below which nothing is sure
_NAMED = 3  # features that a warning names
_UNEVEN = 1.5  # times the rows of a group in another class: from here on it is told
_ID_WORDS = frozenset("id ids index patient sample row nr no number key case".split())


def refuse_odd_classes(path: Path, data: Data, target) -> None:
    """Refuse a target that holds measurements or ids rather than classes."""
    if data.y.ndim == 2:
        return
    n, found = len(data.y), len(data.classes)
    where = f"{path}: target: {target!r}" if target is not None else f"{path}: target"
    if found < 2:
        raise UserError(f"{where} has one class only ({data.classes[0]}). Two or more are needed.")
    numeric = all(isinstance(label, int | float) for label in data.classes)
    fractions = numeric and any(isinstance(label, float) for label in data.classes)
    if numeric and (found > 10 if fractions else found > 5 and n < 4 * found):
        raise UserError(
            f"{where} looks continuous: {found} different numbers in {n} rows. Name a column of "
            "classes, or cut this one into some first."
        )
    if not numeric and found > 5 and n < 2 * found:
        raise UserError(
            f"{where} looks like ids: {found} different texts in {n} rows. Name a column of "
            "classes."
        )


def refuse_few(path: Path, y: np.ndarray, classes: dict[int, str]) -> None:
    """Refuse classes of one sample."""
    for code, name in classes.items():
        if (count := int(np.sum(y == code))) < 2:
            raise UserError(
                f"{path}: class {name!r} has {count} sample. At least 2 of every class are needed; "
                "leave out its rows, or join it to another."
            )


def of(
    data: Data, y: np.ndarray, classes: dict[int, str], columns: list[str] | None = None
) -> list[str]:
    """What is worth a warning, a line each; `columns` are those of the file."""
    low, high = _bounds(data.X, y, classes)
    found = [_few(y, classes), _repeated_rows(data, y), _missing(data.X)]
    found += _labels(data, low, high, columns) + _ids(data)
    found += [_constant(low, high), _split_groups(data.groups)]
    found += _groups_by_class(data.groups, y, classes)
    return [line for line in found if line]


def n_missing(X) -> int:
    return int(np.isnan(X.data if issparse(X) else X).sum())


def _few(y, classes) -> str | None:
    counts = {name: int(np.sum(y == code)) for code, name in classes.items()}
    name = min(counts, key=counts.get)
    if counts[name] >= FEW:
        return None
    return f"class {name!r} has {counts[name]} samples only: whatever is found rests on them"


def _groups_by_class(groups, y, classes) -> list[str]:
    """Classes of few groups, and those whose groups are of other sizes than the others'."""
    if groups is None:
        return []
    count = {name: len(np.unique(groups[y == code])) for code, name in classes.items()}
    rows = {name: np.sum(y == code) / count[name] for code, name in classes.items()}
    few, fewest, most = min(count, key=count.get), min(rows, key=rows.get), max(rows, key=rows.get)
    told = []
    if count[few] < FEW:
        said = "1 group" if count[few] == 1 else f"{count[few]} groups"
        told.append(f"class {few!r} has {said} only: whatever is found rests on them")
    if rows[most] > _UNEVEN * rows[fewest]:
        told.append(
            f"groups of class {most!r} have {rows[most]:.1f} rows on average, those of {fewest!r} "
            f"{rows[fewest]:.1f}: p-values, which exchange groups, may be too small or too large"
        )
    return told


def _repeated_rows(data: Data, y) -> str | None:
    first = together.copied(data)
    if first is None:
        return None
    repeats = int(np.sum(first != np.arange(len(first))))
    others = int(np.sum(y[first] != y))
    also = f", {others} of them in another class" if others else ""
    said = f"{repeats} rows repeat" if repeats > 1 else "1 row repeats"
    return f"{said} an earlier one{also}: copies are kept on one side of every split"


def _missing(X) -> str | None:
    if not (count := n_missing(X)):
        return None
    values = f"{count:,} values are" if count > 1 else "1 value is"
    return f"{values} missing: medians take their place"


def _bounds(X, y, classes) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every class and feature; NaN where there is none."""
    low, high = [], []
    for code in classes:
        rows = X[np.flatnonzero(y == code)]
        if issparse(X):
            low.append(rows.min(axis=0).toarray().ravel())
            high.append(rows.max(axis=0).toarray().ravel())
        else:
            low.append(np.fmin.reduce(rows, axis=0))
            high.append(np.fmax.reduce(rows, axis=0))
    return np.array(low), np.array(high)


def _labels(data: Data, low: np.ndarray, high: np.ndarray, columns) -> list[str]:
    """Features that are the class under another name, and those that part two classes wholly."""
    varies = low.min(axis=0) != high.max(axis=0)
    known = ~np.isnan(low).any(axis=0)
    is_label = (low == high).all(axis=0) & varies & known
    told = []
    if is_label.any():
        verb = "is" if is_label.sum() == 1 else "are"
        then = _dropping(data, is_label, columns)
        told.append(f"{_named(data, is_label)} {verb} the class under another name: {then}")
    if len(low) == 2:
        apart = ((high[0] < low[1]) | (high[1] < low[0])) & known & ~is_label
        if apart.any():
            verb = "parts" if apart.sum() == 1 else "part"
            gaps = not issparse(data.X) and np.isnan(data.X[:, apart]).any()
            where = " where there is a value" if gaps else ""
            told.append(
                f"{_named(data, apart)} {verb} the classes without error{where}: make sure "
                "that such values are known before the class is"
            )
    return told


def _ids(data: Data) -> list[str]:
    """Features that count or name the rows: whole numbers, all different, in order or so called."""
    X = data.X
    if issparse(X) or len(X) < FEW:
        return []
    steps = np.diff(X, axis=0)
    ordered = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
    called = np.zeros(X.shape[1], dtype=bool)
    for j, name in enumerate(data.names or ()):
        called[j] = not _ID_WORDS.isdisjoint(re.split(r"[\W_]+", name.lower()))
    found = np.zeros(X.shape[1], dtype=bool)
    for j in np.flatnonzero(ordered | called):
        column = X[:, j]
        whole = np.isfinite(column).all() and np.array_equal(column, np.round(column))
        found[j] = whole and len(np.unique(column)) == len(column)
    if not found.any():
        return []
    verb = "is a whole number that differs" if found.sum() == 1 else "are whole numbers that differ"
    return [f"{_named(data, found)} {verb} in every row: if it is an id, drop it"]


def _constant(low: np.ndarray, high: np.ndarray) -> str | None:
    count = int(np.sum(~(np.fmin.reduce(low, axis=0) < np.fmax.reduce(high, axis=0))))
    if not count:
        return None
    return f"{count:,} features are constant" if count > 1 else "1 feature is constant"


def _split_groups(groups) -> str | None:
    if groups is None or len(np.unique(groups)) > 1:
        return None
    return "the group column has one value only: all rows belong together"


def _dropping(data: Data, which: np.ndarray, columns: list[str] | None) -> str:
    """The option that leaves features out; one that a text became is left out with its column."""
    named = [data.names[j] for j in np.flatnonzero(which)[:_NAMED]] if data.names else []
    named = [name if name in columns else name.rpartition("=")[0] for name in named if columns]
    if not named or not set(named) <= set(columns):
        return "drop it" if which.sum() == 1 else "drop them"
    return "give " + " ".join(f"--drop {quote(name)}" for name in dict.fromkeys(named))


def _named(data: Data, which: np.ndarray) -> str:
    """The first few of some features by name, and how many more there are."""
    places = np.flatnonzero(which)
    names = [repr(data.names[j]) if data.names else f"feature {j + 1}" for j in places[:_NAMED]]
    more = f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
    return ", ".join(names) + more
