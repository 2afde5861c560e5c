"""Plain arrays by name: parts of others, rows among them, checked before they are trusted."""

from math import inf

import numpy as np
from scipy.sparse import csr_array

Arrays = dict[str, np.ndarray]
SIGNS = np.array([-1, 1])  # the majority and the minority


def begin(learner, n_features: int) -> None:
    """Let a learner of two classes know nothing yet of so many features."""
    learner._check()
    learner.n_features_in_ = n_features
    learner._begin(SIGNS, n_features)


def part(name: str, arrays: Arrays) -> Arrays:
    """Arrays as a part of others; see `within`."""
    return {f"{name}.{key}": array for key, array in arrays.items()}


def within(name: str, arrays: Arrays) -> Arrays:
    """The arrays of a part; none if there is none of that name."""
    start = f"{name}."
    return {key[len(start) :]: array for key, array in arrays.items() if key.startswith(start)}


def kept_rows(X: csr_array, y: np.ndarray) -> Arrays:
    """Rows and their signs, the same whatever types their numbers have."""
    return {
        "values": X.data,
        "columns": X.indices.astype(np.int64),
        "ends": X.indptr.astype(np.int64),
        "signs": y.astype(np.int8),
    }


def rows_of(known: Arrays, n_features: int, most: float = inf) -> tuple[csr_array, np.ndarray]:
    """The rows and signs that were kept, of which there are no more than `most`."""
    signs = numbers(known, "signs", "i")
    ends = numbers(known, "ends", "i", len(signs) + 1)
    values = numbers(known, "values", "f", int(ends[-1]))
    columns = numbers(known, "columns", "i", int(ends[-1]), below=n_features)
    if ends[0] != 0 or (np.diff(ends) < 0).any() or (np.abs(signs) != 1).any():
        raise ValueError("rows")
    if len(signs) > most:
        raise ValueError("rows")
    X = csr_array((values, columns, ends), shape=(len(signs), n_features))
    return X, signs.astype(np.float64)


def numbers(
    known: Arrays, name: str, kind: str, *shape: int | None, below: int | None = None
) -> np.ndarray:
    """An array of a kind and a shape (None: any length), its numbers from 0 to below a bound.

    Without a shape it has one dimension.
    """
    array, shape = known[name], shape or (None,)
    fits = len(shape) == array.ndim and all(
        wanted in (None, n) for wanted, n in zip(shape, array.shape, strict=True)
    )
    if array.dtype.kind != kind or not fits:
        raise ValueError(name)
    if below is not None and array.size and not 0 <= array.min() <= array.max() < below:
        raise ValueError(name)
    return array
