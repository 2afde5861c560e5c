"""NPZ and NPY files, never unpickled."""

import io
import math
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.sparse import csc_array, csr_array

from imbfs.datasets.data import Data
from imbfs.datasets.formats import compression
from imbfs.datasets.formats.arrays import assembled, brief, indicator
from imbfs.datasets.formats.labels import Unlabelled, beside, labels_in, listed_in
from imbfs.errors import UserError, did_you_mean, first_of
from imbfs.matrices import sound

MAGIC = b"\x93NUMPY"
_LAST_LETTER = 0x10FFFF


def read(
    path: Path,
    *,
    X: str = "X",
    y: str = "y",
    samples: Literal["rows", "columns"] = "rows",
    classes: str | None = None,
    names: str | None = None,
    labels: str | None = None,
    unlabelled: Unlabelled = "error",
) -> Data:
    """Read the arrays `X` and `y` of an NPZ, or an NPY whose classes stand in the file `labels`.

    A sparse matrix is `<X>_data`, `<X>_indices`, `<X>_indptr` and `<X>_shape`, or without the
    prefix where there is no array `X`; without data, all are 1. `y` may be an indicator, dense or
    sparse, and `classes` the array of its labels' names. `names` is an array or a file, one a line.
    """
    with compression.opened(path) as file:
        arrays = _arrays(file)
        alone = isinstance(arrays, dict)
        features = arrays[""] if alone else _matrix(arrays, X)
        features = features.T if samples == "columns" else features
        if labels is not None:
            target = labels_in(beside(path, labels), features.shape[0])
        elif alone:
            raise UserError("labels: which file holds the classes?")
        else:
            target = _labels(arrays, y)
        if names is not None:
            inside = names in arrays
            names = _texts(_array(arrays, names)) if inside else listed_in(beside(path, names))
        classes = None if classes is None else _texts(_array(arrays, classes))
    classified = f"classes in {labels if labels is not None else y!r}"
    how = classified if alone else f"features in {X!r}, {classified}"
    return assembled(features, target, names, classes=classes, unlabelled=unlabelled, how=how)


def labels_of(found: bytes) -> np.ndarray | list[str]:
    """The classes in the content of an NPY file."""
    return _flat(_loaded(io.BytesIO(found)), "the array")


def arrays_of(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an NPZ by name."""
    with path.open("rb") as file:
        found = _arrays(file)
        return {name: _array(found, name) for name in found}


def _arrays(file) -> Mapping[str, np.ndarray]:
    """The arrays of an NPZ by name, each read when it is asked for; that of an NPY is ''."""
    file = file if file.seekable() else io.BytesIO(file.read())
    if file.read(len(MAGIC)) == MAGIC:
        return {"": _loaded(file)}
    file.seek(0)
    found = _loaded(file)
    members = found.zip.infolist()
    size, packed = (sum(getattr(m, s) for m in members) for s in ("file_size", "compress_size"))
    compression.check_room(size, packed)
    return found


def _loaded(file):
    """An NPY or an NPZ; the head of an array is looked at before there is room for it."""
    try:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        if file.read(len(MAGIC)) == MAGIC:
            file.seek(0)
            _check_head(file, size)
        file.seek(0)
        with _quiet():
            found = np.load(file, allow_pickle=False)
        return _lettered(found) if isinstance(found, np.ndarray) else found
    except UserError:
        raise
    except Exception as error:  # numpy raises all sorts of them on a damaged file
        raise _refused(error) from None


def _array(arrays: Mapping, name: str) -> np.ndarray:
    if name not in arrays:
        hint = did_you_mean(name, arrays)
        raise UserError(f"there is no array {name!r}.{hint} Arrays: {first_of([*arrays], 20)}.")
    try:
        archive = arrays.zip
        member = name if name in archive.namelist() else f"{name}.npy"
        with archive.open(member) as file:
            _check_head(file, archive.getinfo(member).file_size)
        with _quiet():
            return _lettered(arrays[name])
    except UserError as error:
        raise error.within(name) from None
    except Exception as error:  # numpy raises all sorts of them on a damaged file
        raise _refused(error).within(name) from None


def _lettered(array: np.ndarray) -> np.ndarray:
    """The array, whose texts must be of letters: Python breaks on numbers that stand for none."""
    if array.dtype.kind == "U":
        numbers = np.dtype("u4").newbyteorder(array.dtype.byteorder)
        codes = np.frombuffer(array.tobytes(), numbers)
        if ((codes > _LAST_LETTER) | ((codes >= 0xD800) & (codes < 0xE000))).any():
            raise UserError("holds texts with what is no letter.")
    return array


@contextmanager
def _quiet():
    """Without numpy's words on heads that are written in an old or an odd way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _check_head(file, size: int) -> None:
    """Refuse an NPY whose head promises more than its bytes can hold."""
    version = np.lib.format.read_magic(file)
    heads = {(1, 0): np.lib.format.read_array_header_1_0}
    with _quiet():
        shape, _, kind = heads.get(version, np.lib.format.read_array_header_2_0)(file)
    if kind.hasobject:
        raise ValueError("pickle")
    needed, held = math.prod(shape) * kind.itemsize, size - file.tell()
    if needed > held or min(shape, default=0) < 0 or not kind.itemsize:
        raise UserError(f"holds {held} bytes of values. Its head says {needed}.")


def _refused(error: Exception) -> UserError:
    if "pickle" in str(error):
        return UserError("holds Python objects (a pickle), which are never loaded.")
    return UserError(f"is no valid NumPy file ({brief(error)}).")


def _matrix(arrays: Mapping, name: str):
    """A dense array, or the sparse one whose parts carry its name or no name at all."""
    if name in arrays:
        return _array(arrays, name)
    prefix = f"{name}_" if f"{name}_indptr" in arrays else ""
    if f"{prefix}indptr" not in arrays:
        return _array(arrays, name)
    indices, indptr = (_array(arrays, prefix + part) for part in ("indices", "indptr"))
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise UserError(f"{name}: is no valid sparse matrix (its indices are no whole numbers).")
    given = f"{prefix}data" in arrays
    data = _array(arrays, f"{prefix}data") if given else np.ones(len(indices))
    data = data.astype(data.dtype.newbyteorder("="), copy=False)
    if f"{prefix}shape" in arrays:
        shape = tuple(_array(arrays, f"{prefix}shape").tolist())
    else:
        shape = (len(indptr) - 1, int(indices.max(initial=-1)) + 1)
    columns = f"{prefix}format" in arrays and bytes(_array(arrays, f"{prefix}format")) == b"csc"
    try:
        found = (csc_array if columns else csr_array)((data, indices, indptr), shape=shape)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise UserError(f"{name}: is no valid sparse matrix ({error}).") from None
    return sound(found)


def _labels(arrays: Mapping, name: str) -> np.ndarray | list[str]:
    """Classes as numbers or texts, one a sample, or an indicator with a row a sample."""
    if name not in arrays and f"{name}_indptr" in arrays:
        found = _matrix(arrays, name)
        compression.check_room(8 * math.prod(found.shape), found.data.nbytes)
        return indicator(found.toarray())
    return _flat(_array(arrays, name), name)


def _flat(found: np.ndarray, name: str) -> np.ndarray | list[str]:
    if found.dtype.kind not in "biufUS":
        raise UserError(f"{name}: is of type {found.dtype}. Numbers or texts are read.")
    if found.ndim == 2 and 1 in found.shape:
        found = found.ravel()
    return _texts(found) if found.dtype.kind in "US" else found


def _texts(found: np.ndarray) -> list[str]:
    if found.dtype.kind == "S":
        try:
            found = np.char.decode(found, "utf-8")
        except UnicodeDecodeError:
            raise UserError("has texts that are not UTF-8.") from None
    return [str(text) for text in found.ravel().tolist()]
