"""Rows that stand on one side of every split: those of one group, as one patient, and copies.

A group is named by a column of the file (the option `group` of its reader) or by a file with a line
for every row. Copies are rows with the same values in all features.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.sparse import csgraph, csr_array, issparse

from imbfs.datasets.data import Data
from imbfs.errors import UserError


@dataclass(frozen=True)
class Together:
    """What keeps the rows of a set together, and a hash of which rows that are."""

    file: str | None
    copies: bool
    digest: str


def named(data: Data, file: str | None, copies: bool) -> Together | None:
    """What keeps rows of a set together; None where every row stands alone."""
    found = rows(data, file, copies)
    if found is None:
        return None
    return Together(file, copies, sha256(found.tobytes()).hexdigest()[:16])


def again(data: Data, kept: Together | None) -> np.ndarray | None:
    """The rows that were kept together when the experiment was planned, found once more."""
    if kept is None:
        return None
    found = rows(data, kept.file, kept.copies)
    if found is None or sha256(found.tobytes()).hexdigest()[:16] != kept.digest:
        raise RuntimeError(f"{kept.file}: the groups changed while the experiment ran")
    return found


def rows(data: Data, file: str | None = None, copies: bool = True) -> np.ndarray | None:
    """A number for each row, the same for rows that belong together; None if no two rows do.

    The groups of the file's column, those of `file` and copies are joined where they meet.
    """
    n_rows, kinds = data.X.shape[0], []
    if data.groups is not None:
        kinds.append(data.groups)
    if file is not None:
        kinds.append(_lines(file, n_rows))
    if copies and (first := copied(data)) is not None:
        kinds.append(first)
    return _joined(kinds) if kinds else None


@lru_cache(maxsize=8)
def copied(data: Data) -> np.ndarray | None:
    """The first row that has the values of each row; None if no row repeats another."""
    seen: dict[bytes, int] = {}
    keys = (blake2b(row, digest_size=16).digest() for row in _content(data.X))
    first = np.array([seen.setdefault(key, i) for i, key in enumerate(keys)], dtype=np.int64)
    return None if len(seen) == len(first) else first


def _joined(kinds: list[np.ndarray]) -> np.ndarray:
    """Numbers from 0, in the order of the rows, the same for rows that any kind holds together."""
    n = len(kinds[0])
    firsts = []
    for kind in kinds:
        _, first, inverse = np.unique(kind, return_index=True, return_inverse=True)
        firsts.append(first[inverse])
    ends = np.tile(np.arange(n), len(firsts)), np.concatenate(firsts)
    links = csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
    found = csgraph.connected_components(links, directed=False)[1]
    _, first, inverse = np.unique(found, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def _content(X):
    """The values of every row as bytes; -0 is 0."""
    if not issparse(X):
        for row in X:
            yield (row + 0.0).tobytes()
        return
    for start, stop in pairwise(X.indptr):
        filled = X.data[start:stop] != 0
        indices, values = X.indices[start:stop][filled], X.data[start:stop][filled]
        yield indices.tobytes() + values.tobytes()


def _lines(file: str, n_rows: int) -> np.ndarray:
    """The group of each row, by a file with a line for every row."""
    groups = _read(file, _changed(file))
    if len(groups) != n_rows:
        raise UserError(f"together: {file} has {len(groups)} lines for {n_rows} rows.")
    return groups


def _changed(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError as error:
        raise UserError(f"together: {path}: cannot be read: {error.strerror}.") from None


@lru_cache(maxsize=8)
def _read(path: str, _changed: int) -> np.ndarray:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise UserError(f"together: {path}: is no text file that can be read.") from None
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(line, len(numbers)) for line in lines], dtype=np.int64)
