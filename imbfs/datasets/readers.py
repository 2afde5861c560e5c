"""From a file to a `Data`: LIBSVM text and CSV, plain or compressed, told apart by content."""

import bz2
import gzip
import lzma
import re
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.datasets.data import Data
from imbfs.errors import UserError

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
SUFFIXES = ("", *_OPENERS)
_LIBSVM_LINE = re.compile(r"^[^\s:;\t]+(\s+(qid:\d+\s*)?(\d+:\S+\s*)*)?(#.*)?$")


def read(path: Path, target: str | None = None, missing: bool = False) -> Data:
    """Read a LIBSVM or CSV file; `target` names the column of a CSV that holds the class."""
    try:
        data = _parsed(path, target)
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not text. LIBSVM or CSV is read.") from None
    except (EOFError, lzma.LZMAError, OSError) as error:
        raise UserError(f"{path}: cannot be read ({error}).") from None
    check_finite(data, path, missing)
    return data


def check_finite(data: Data, path, missing: bool = False) -> None:
    """Refuse infinite values, and missing ones unless they are wanted, saying where one is."""
    values = data.X.data if issparse(data.X) else data.X
    bad = np.isinf(values) if missing else ~np.isfinite(values)
    if not bad.any():
        return
    if issparse(data.X):
        spot = np.flatnonzero(bad)[0]
        row = np.searchsorted(data.X.indptr, spot, side="right") - 1
        column, value = data.X.indices[spot], values[spot]
    else:
        row, column = np.argwhere(bad)[0]
        value = values[row, column]
    name = f"{data.names[column]!r}" if data.names else f"{column + 1}"
    what = "missing" if np.isnan(value) else "infinite"
    raise UserError(
        f"{path}: sample {row + 1}, feature {name} is {what}. Fill in or drop such values, or give "
        "impute: median for missing ones."
    )


def _parsed(path: Path, target: str | None) -> Data:
    with _open(path, "rt") as file:
        first = next((line.rstrip("\r\n") for line in file if line.strip()), "")
    if not first:
        raise UserError(f"{path}: is empty.")
    return _libsvm(path) if _is_libsvm(first, target) else _csv(path, first, target)


def _open(path: Path, mode: str):
    opener = _OPENERS.get(path.suffix, open)
    return opener(path, mode, encoding="utf-8") if "t" in mode else opener(path, mode)


def _is_libsvm(first: str, target: str | None) -> bool:
    return target is None and _LIBSVM_LINE.match(first) is not None and ":" in first


def _libsvm(path: Path) -> Data:
    from sklearn.datasets import load_svmlight_file

    with _open(path, "rb") as file:
        labels = [line.split(None, 1)[0] for line in file if line.split(b"#")[0].strip()]
    multilabel = any(b"," in label for label in labels)
    try:
        with _open(path, "rb") as file:
            X, y = load_svmlight_file(file, multilabel=multilabel)
    except ValueError as error:
        raise UserError(f"{path}: is no valid LIBSVM file ({error}).") from None
    X = csr_array(X)
    if not multilabel:
        classes, codes = np.unique(y, return_inverse=True)
        return Data(X, codes.astype(np.int64), tuple(_plain(label) for label in classes))
    classes = sorted({label for row in y for label in row})
    column = {label: i for i, label in enumerate(classes)}
    indicator = np.zeros((X.shape[0], len(classes)), dtype=np.int64)
    for i, row in enumerate(y):
        indicator[i, [column[label] for label in row]] = 1
    return Data(X, indicator, tuple(_plain(label) for label in classes))


def _csv(path: Path, first: str, target: str | None) -> Data:
    import pandas as pd

    separator = max(",;\t", key=first.count)
    try:
        with _open(path, "rt") as file:
            frame = pd.read_csv(file, sep=separator, skipinitialspace=True)
    except (ValueError, pd.errors.ParserError) as error:
        raise UserError(f"{path}: is no valid CSV file ({str(error).strip()}).") from None
    columns = ", ".join(map(str, frame.columns[:8])) + (", ..." if frame.shape[1] > 8 else "")
    if target is None:
        raise UserError(f"{path}: target: which column holds the class? Columns: {columns}.")
    if target not in frame.columns:
        raise UserError(f"{path}: target: there is no column {target!r}. Columns: {columns}.")
    label = frame.pop(target)
    if label.isna().any():
        raise UserError(f"{path}: sample {label.isna().argmax() + 1} has no {target!r}.")
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            raise UserError(f"{path}: column {name!r} is not numeric. Encode it or drop it.")
    if frame.empty:
        raise UserError(f"{path}: has no samples or no features beside {target!r}.")
    codes, classes = pd.factorize(label, sort=True)
    X = np.ascontiguousarray(frame.to_numpy(dtype=np.float64))
    names = tuple(str(name) for name in frame.columns)
    return Data(X, codes.astype(np.int64), tuple(_plain(c) for c in classes), names)


def _plain(label):
    """A class label as JSON can hold it, whole numbers as int."""
    if isinstance(label, str):
        return label
    return int(label) if float(label).is_integer() else float(label)
