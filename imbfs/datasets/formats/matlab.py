"""MATLAB files: v4 and v5 through scipy; v7.3, which is HDF5, in `hdf5`."""

import io
import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from annotated_types import MinLen
from scipy.sparse import issparse, vstack

from imbfs.datasets.data import Data
from imbfs.datasets.formats import compression, hdf5, matlab_tags
from imbfs.datasets.formats.arrays import assembled, brief, is_number
from imbfs.datasets.formats.labels import Unlabelled, beside, labels_in, listed_in
from imbfs.errors import Mendable, UserError, did_you_mean, first_of
from imbfs.matrices import sound

HDF5 = b"\x89HDF\r\n\x1a\n"
MAGIC = (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file", HDF5)

Side = Literal["rows", "columns"]
Name = str | Annotated[list[str], MinLen(1)]
Variables = Mapping[str, Callable[[], object]]

# What other files call their features and their classes.
_USUAL_X = ("x", "fea", "data", "features", "obs", "dtm", "counts")
_USUAL_Y = ("y", "gnd", "label", "labels", "class", "classes", "target", "grp", "group", "classid")


def read(
    path: Path,
    *,
    X: Name = "X",
    y: Name = "Y",
    samples: Side = "rows",
    y_samples: Side | None = None,
    ids: str | None = None,
    names: str | None = None,
    labels: str | None = None,
    target: str | int | None = None,
    unlabelled: Unlabelled = "error",
) -> Data:
    """Read the variables `X` and `y`, whichever way they are capitalised; sparse stays sparse.

    `y` is a vector of numbers, a char matrix, a cell array of texts, or an indicator (0/1 or
    -1/+1); `y_samples` says where the samples of a square indicator run. Several variables, as many
    of either, are one set. `ids` and `names` are a variable or a file, one a line; `labels`,
    `target` and `unlabelled` are as for CSV.
    """
    with compression.opened(path) as file, ExitStack() as stack:
        variables = _variables(path, file, stack)
        parts = [_features(variables, name, samples) for name in _several(X)]
        features = _joined(parts, "X")
        ids = ids and _listed(variables, path, ids)
        names = names and _listed(variables, path, names)
        if labels is None:
            if len(_several(y)) != len(parts):
                raise UserError(f"y: names {len(_several(y))} variables, and X {len(parts)}.")
            pairs = zip(_several(y), (part.shape[0] for part in parts), strict=True)
            found = _joined([_labels(variables, *pair, y_samples) for pair in pairs], "y")
        else:
            found = labels_in(beside(path, labels), features.shape[0], target=target, ids=ids)
    classified = ", ".join(_several(y)) if labels is None else labels
    how = f"features in {', '.join(_several(X))}, classes in {classified}, samples in {samples}"
    return assembled(features, found, names, unlabelled=unlabelled, how=how)


def _variables(path: Path, file, stack: ExitStack) -> Variables:
    """The variables by name, each read when it is called."""
    plain = file.seekable()
    file = file if plain else io.BytesIO(file.read())
    start = file.read(520)
    file.seek(0)
    try:
        if HDF5 in (start[:8], start[512:]):
            return _hdf5(path, file, plain, stack)
        if 0 not in start[:4]:  # as it is in v4
            file = matlab_tags.checked(file)
        return _version5(file)
    except UserError:
        raise
    except Exception as error:  # scipy raises all sorts of them on a damaged file
        raise UserError(f"is no MATLAB file, or damaged ({brief(error)}).") from None


def _version5(file) -> Variables:
    from scipy.io import loadmat, whosmat

    def strictly(call, **options):
        file.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # scipy only warns of what it cannot read
            return call(file, **options)

    def value(name):
        found = strictly(loadmat, variable_names=[name], spmatrix=False)[name]
        if issparse(found):
            return sound(found)
        return _texts(found) if found.dtype.kind in "OUV" else found

    return {name: lambda name=name: value(name) for name, *_ in strictly(whosmat)}


def _hdf5(path: Path, file, plain: bool, stack: ExitStack) -> Variables:
    source = stack.enter_context(closing(hdf5.Hdf5(path, file, plain)))
    if source.is_anndata:
        raise UserError(
            "is an AnnData file (h5ad). Write it as CSV, in Python: a = anndata.read_h5ad(FILE); "
            'a.to_df().join(a.obs["CLASS"]).to_csv("FILE.csv").'
        )

    def value(name):
        found = source.value(name)
        return [_text([text]) for text in found] if isinstance(found, hdf5.Cells) else found

    return {name: lambda name=name: value(name) for name in source.names}


def _value(variables: Variables, name: str):
    """The variable of that name, or the only one that differs from it in capitals alone."""
    alike = [other for other in variables if other.lower() == name.lower()]
    chosen = name if name in variables else alike[0] if len(alike) == 1 else None
    if chosen is None:
        hint = did_you_mean(name, variables)
        listed = first_of([*variables], 20) or "none"
        said = f"there is no variable {name!r}.{hint} Variables: {listed}."
        raise Mendable(said, _usual(variables))
    try:
        return variables[chosen]()
    except UserError as error:
        raise error.within(chosen) from None
    except Exception as error:  # scipy raises all sorts of them on a damaged file
        raise UserError(f"{chosen}: cannot be read ({brief(error)}).") from None


def _usual(variables: Variables) -> dict[str, str]:
    """The options that name features and classes, where one usual name of each is there."""
    known = {name.lower(): name for name in variables}
    found = [[known[name] for name in names if name in known] for names in (_USUAL_X, _USUAL_Y)]
    if not all(len(names) == 1 for names in found):
        return {}
    return {"X": found[0][0], "y": found[1][0]}


def _several(names: Name) -> list[str]:
    return [names] if isinstance(names, str) else names


def _features(variables: Variables, name: str, samples: Side):
    """A variable of numbers, a row a sample."""
    found = _value(variables, name)
    if not hasattr(found, "dtype"):
        raise UserError(f"{name}: holds texts, not numbers.")
    return found.T if samples == "columns" else found


def _joined(parts: list, name: str):
    """Parts of a set one below the other: of features, of classes, or of an indicator."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, list) for part in parts):
        return list(chain.from_iterable(parts))
    shapes = {np.shape(part)[1:] for part in parts}
    if any(isinstance(part, list) for part in parts) or len(shapes) > 1:
        raise UserError(f"{name}: its variables do not fit below one another.")
    return vstack(parts) if any(map(issparse, parts)) else np.concatenate(parts)


def _listed(variables: Variables, path: Path, name: str) -> list[str]:
    if name not in variables:
        return listed_in(beside(path, name))
    found = _value(variables, name)
    return found if isinstance(found, list) else [f"{value:.15g}" for value in found.ravel()]


def _labels(variables: Variables, name: str, n_samples: int, y_samples: Side | None):
    """Classes as texts or numbers, one a sample, or an indicator with a row a sample."""
    found = _value(variables, name)
    if isinstance(found, list):
        return found
    if issparse(found):
        compression.check_room(8 * math.prod(found.shape), found.data.nbytes)
        found = found.toarray()
    found = np.atleast_1d(found)
    if found.dtype.kind not in "biuf":
        raise UserError(f"{name}: is of type {found.dtype}. Numbers or texts are read.")
    if found.size == n_samples == max(found.shape):
        return found.ravel()
    if found.ndim == 2 and y_samples is None:
        if found.shape == (n_samples, n_samples):
            raise UserError("y_samples: do the samples of a square y run in rows or columns?")
        return found.T if found.shape[1] == n_samples else found
    return found.T if y_samples == "columns" else found


def _texts(found: np.ndarray) -> list[str]:
    """The texts of a cell array or of a char matrix."""
    if found.dtype.names or type(found) is not np.ndarray:
        raise UserError("is a MATLAB object or struct. Save its fields as variables.")
    return [_text(cell) for cell in found.ravel("F")]


def _text(cell) -> str:
    """The text in a cell, which may hold a number as well."""
    if isinstance(cell, str):
        return cell.strip()
    if np.size(cell) == 0:
        return ""
    if np.size(cell) == 1:
        text = str(np.ravel(cell)[0]).strip()
        return f"{float(text):.15g}" if is_number(text) else text
    raise UserError("has cells that hold no single text or number.")
