"""Files of features and classes in the formats they come in, told apart by what they hold."""

import inspect
import os
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ConfigDict, ValidationError, create_model
from scipy.sparse import issparse

from imbfs.datasets.data import Data
from imbfs.datasets.formats import arff, compression, idx, matlab, npz, parquet, tabular
from imbfs.datasets.formats.labels import beside
from imbfs.errors import Mendable, UserError, did_you_mean, lookup
from imbfs.methods import Count, describe

__all__ = ["FORMATS", "check_options", "companions", "read", "sniff", "sniff_text"]


def _libsvm(
    path: Path,
    *,
    n_features: Count | None = None,
    index_base: Literal["auto", "0", "1"] = "auto",
) -> Data:
    from imbfs.datasets.formats import libsvm  # compiles: only where it is needed

    return libsvm.read(path, n_features=n_features, index_base=index_base)


FORMATS: dict[str, Callable[..., Data]] = {
    "libsvm": _libsvm,
    "csv": tabular.read,
    "matlab": matlab.read,
    "arff": arff.read,
    "idx": idx.read,
    "npz": npz.read,
    "parquet": parquet.read,
}

_START = 1 << 16  # bytes looked at to find out the format
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # xls among others
_SHEET = re.compile(rb"xl/|\[Content_Types\]\.xml|oasis\.opendocument\.spreadsheet")
_LIBSVM_LINE = re.compile(rb"[^\s:|]*(\s+qid:\d+)?(\s+\d+:\S+)*\s*(#.*)?")
_LIBSVM_PAIR = re.compile(rb"[^#]*\s\d+:")
_WORK = 256  # bytes that methods take for a feature: scores, ranks, names
_FILES = ("labels", "ids", "names")  # options that may name a second file


def read(
    path: Path, *, format: str | None = None, impute: Literal["median"] | None = None, **options
) -> Data:
    """Read a file with the reader of its format, found out from its content unless given.

    Infinite values are refused; so are missing ones, unless `impute` says how they will be filled
    in: then they stay NaN here, to be filled in from the training part alone.
    """
    try:
        with compression.in_memory(path):
            format = sniff(path) if format is None else format
            checked = check_options(format, options)
            data = FORMATS[format](path, **checked)
            _check_finite(data, impute)
            _check_width(data)
        data = replace(data, how=f"{format.upper()}: {data.how}")
    except UserError as error:
        if not str(error).startswith(f"{path}: "):
            error.args = error.within(str(path)).args
        raise
    return data


def sniff(path: Path) -> str:
    """The name of the format that a file's content, unpacked, is in."""
    if not os.path.isfile(path):  # that of pathlib raises where a name is too long
        raise UserError("there is no such file.")
    with compression.opened(path) as file:
        start = file.read(_START)
    if not start.strip():
        raise UserError("is empty.")
    if compression.is_packed(start):
        raise UserError("is packed twice. Unpack it once.")
    if start.startswith(matlab.MAGIC) or start[512:520] == matlab.HDF5:
        return "matlab"
    if _is_old_matlab(path, start):
        return "matlab"
    if start.startswith(npz.MAGIC) or start.startswith(b"PK\3\4") and b".npy" in start[:200]:
        return "npz"
    if start.startswith(parquet.MAGIC):
        return "parquet"
    if idx.is_idx(start):
        return "idx"
    return sniff_text(start)


def check_options(format: str, options: dict) -> dict:
    """The options given to a reader, checked against its signature."""
    reader = lookup(FORMATS, format, "format")
    known = {
        name: (parameter.annotation, parameter.default)
        for name, parameter in inspect.signature(reader, eval_str=True).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            shown = ", ".join(known)
            raise UserError(f"{format} has no option {name!r}.{hint} Options: {shown}.")
    model = create_model("Options", __config__=ConfigDict(strict=True), **known)
    try:
        checked = model.model_validate(options)
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        said = str(cause) if isinstance(cause, UserError) else describe(first)
        raise UserError(f"{first['loc'][0]}: {said}") from None
    return {name: getattr(checked, name) for name in options}


def companions(path: Path, options: dict) -> list[Path]:
    """The second files that the options name: what is read depends on them as well."""
    named = [options[name] for name in _FILES if isinstance(options.get(name), str)]
    return [file for name in named if os.path.isfile(file := beside(path, name))]


def sniff_text(start: bytes) -> str:
    """The name of the format that a text is in, from its first bytes."""
    if start.startswith(_OLD_OFFICE) or start.startswith(b"PK\3\4") and _SHEET.search(start):
        raise UserError("is a spreadsheet. Save its sheet as CSV, and read that.")
    if start.startswith(b"PK\3\4"):
        raise UserError("is a zip archive. Unpack it first.")
    if b"\0" in start or start.startswith(b"\x80"):
        known = ", ".join(FORMATS)
        raise UserError(f"is not text, nor a binary format that is read. Formats: {known}.")
    lines = start.removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(start) == _START:
        lines[-1] = b"".join(lines[-1].rsplit(None, 1)[:1])  # it may stop in the middle of a pair
    lines = [line for line in lines if line.strip()]
    plain = [line.strip().lower() for line in lines if not line.startswith(b"%")]
    if plain and plain[0].startswith((b"@relation", b"@attribute")):
        return "arff"
    return "libsvm" if _is_libsvm(lines) else "csv"


def _is_libsvm(lines: list[bytes]) -> bool:
    """Whether there are pairs of index and value, and most rows are a label with such pairs.

    Not all of them: a row that is wrong is to be told by the reader.
    """
    rows = [line for line in lines if not line.startswith(b"#")]
    pairs = [bool(_LIBSVM_PAIR.match(row)) for row in rows]
    right = sum(
        (pair or not re.search(rb"[,;\t]", row)) and bool(_LIBSVM_LINE.fullmatch(row))
        for pair, row in zip(pairs, rows, strict=True)
    )
    return any(pairs) and 2 * right >= len(rows)


def _is_old_matlab(path: Path, start: bytes) -> bool:
    """MATLAB v4 begins with no magic bytes: a name that ends in .mat and a head must do.

    The head is five numbers of 32 bits: kind, rows, columns, whether complex, length of the name.
    """
    if ".mat" not in path.suffixes or b"\0" not in start:
        return False
    if 0 not in start[:4]:  # of v5, with another first line
        return True
    heads = (struct.unpack(f"{order}5i", start[:20].ljust(20, b"\0")) for order in "<>")
    return any(
        0 <= kind < 5000 and rows >= 0 and columns >= 0 and flag in (0, 1) and 0 < length < 1 << 16
        for kind, rows, columns, flag, length in heads
    )


def _check_width(data: Data) -> None:
    """Refuse more features than a sparse file of its size may ask for, before there is any work."""
    if not issparse(data.X):
        return
    n_features, needed = data.X.shape[1], _WORK * data.X.shape[1]
    if needed > compression.limit(data.X.data.nbytes + data.X.indices.nbytes):
        raise UserError(
            f"has {n_features:,} features, for which methods take {needed / 1e9:,.0f} GB. Count "
            f"those in use from 1 on, or, where it is right, set {compression.VARIABLE} higher."
        )


def _check_finite(data: Data, impute: str | None) -> None:
    """Refuse infinite and missing values, saying where the first one is."""
    values = data.X.data if issparse(data.X) else data.X
    wrong = ~np.isfinite(values) if impute is None else np.isinf(values)
    if not wrong.any():
        return
    spot = np.argwhere(wrong)[0]
    if issparse(data.X):
        row = np.searchsorted(data.X.indptr, spot[0], side="right") - 1
        column, value = data.X.indices[spot[0]], values[spot[0]]
    else:
        (row, column), value = spot, values[tuple(spot)]
    name = repr(data.names[column]) if data.names else column + 1
    where = f"sample {row + 1}, feature {name} is"
    if not np.isnan(value):
        raise UserError(f"{where} infinite.")
    mend = {"impute": "median"}
    raise Mendable(f"{where} missing. Fill it in, or ask for impute: median.", mend)
