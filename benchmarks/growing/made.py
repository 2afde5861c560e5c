"""Rows made in blocks, never all at once: sparse ones as unequally frequent as words, and text."""

from collections.abc import Iterator
from math import log

import numpy as np
from numba import njit
from scipy.sparse import csr_array

MINORITY = 0.1
BLOCK = 1 << 19  # stored values made at a time
_WIDEST = 24  # bytes of a value as text, its column and the space included


def blocks(
    n_rows: int, n_features: int, per_row: int, seed: int = 0
) -> Iterator[tuple[csr_array, np.ndarray]]:
    """Sparse rows and labels of which the first tenth by a hidden score, with noise, are +1."""
    rng = np.random.default_rng(seed)
    bound = None
    for start in range(0, n_rows, BLOCK // per_row):
        size = min(BLOCK // per_row, n_rows - start)
        columns, values, scores = _drawn(rng, size, n_features, per_row)
        bound = np.quantile(scores, 1 - MINORITY) if bound is None else bound
        indptr = np.arange(0, size * per_row + 1, per_row, dtype=np.int32)
        X = csr_array((values, columns, indptr), shape=(size, n_features))
        X.has_canonical_format = True
        yield X, np.where(scores > bound, 1, -1)


def texts(n_rows: int, n_features: int, per_row: int) -> Iterator[bytes]:
    """The same rows as LIBSVM text."""
    for X, y in blocks(n_rows, n_features, per_row):
        room = np.empty(X.nnz * _WIDEST + 4 * len(y), np.uint8)
        yield room[: _written(X.data, X.indices, X.indptr, y, room)].tobytes()


def wide(n_features: int, n_samples: int, density: float | None) -> np.ndarray | csr_array:
    """Few samples of many features, dense or with a share of the values that is not 0."""
    rng = np.random.default_rng(0)
    if density is None:
        return rng.random((n_samples, n_features))
    per_row = max(1, round(density * n_features))
    columns = np.empty((n_samples, per_row), np.int32)
    width = n_features / per_row
    for row in columns:  # one of every stretch of neighbours: in order, none twice
        row[:] = (np.arange(per_row) + rng.random(per_row)) * width
    indptr = np.arange(0, columns.size + 1, per_row, dtype=np.int32)
    arrays = rng.random(columns.size), columns.ravel(), indptr
    return csr_array(arrays, shape=(n_samples, n_features))


def _drawn(rng, size: int, n_features: int, per_row: int) -> tuple[np.ndarray, ...]:
    columns, values = np.empty(size * per_row, np.int32), np.empty(size * per_row)
    scores = np.empty(size)
    _draw(rng, log(n_features), n_features, columns, values, scores)
    return columns, values, scores


@njit(cache=True)
def _draw(rng, logarithm, n_features, columns, values, scores):
    """One feature of every stretch that is as wide as the others on a logarithmic scale."""
    per_row = len(columns) // len(scores)
    for i in range(len(scores)):
        least, score = 0, 0.0
        for k in range(per_row):
            place = int(np.exp(logarithm * (k + rng.random()) / per_row))
            j = min(max(place - 1, least), n_features - per_row + k)
            least = j + 1
            value = rng.random()
            columns[i * per_row + k], values[i * per_row + k] = j, value
            score += value if (j * 2654435761 >> 16) & 1 else -value
        scores[i] = score / np.sqrt(per_row) + 0.3 * rng.standard_normal()


@njit(cache=True)
def _written(values, columns, indptr, y, room):
    """Write rows, values with four digits and never 0, and return how many bytes they take."""
    at = 0
    for i in range(len(y)):
        room[at : at + 2] = (43, 49) if y[i] > 0 else (45, 49)
        at += 2
        for k in range(indptr[i], indptr[i + 1]):
            room[at] = 32
            at = _number(columns[k] + 1, 1, room, at + 1)
            room[at : at + 3] = (58, 48, 46)
            at = _number(1 + int(values[k] * 9_999), 4, room, at + 3)
        room[at] = 10
        at += 1
    return at


@njit(cache=True)
def _number(number, least, room, at):
    """Write a whole number with `least` digits or more, and return the place after it."""
    digits, rest = 1, number // 10
    while rest > 0 or digits < least:
        digits += 1
        rest //= 10
    for place in range(at + digits - 1, at - 1, -1):
        room[place] = 48 + number % 10
        number //= 10
    return at + digits
