"""Rows that belong together, as samples of one patient do: a file with a line for each row."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from imbfs.errors import UserError


def named(path: str, n_rows: int) -> tuple[str, str]:
    """The file and a hash of which rows it keeps together; refused unless it has all rows."""
    groups = _read(path, _changed(path))
    if len(groups) != n_rows:
        raise UserError(f"together: {path} has {len(groups)} lines for {n_rows} rows.")
    return path, sha256(groups.tobytes()).hexdigest()[:16]


def read(path: str, digest: str, n_rows: int) -> np.ndarray:
    """A number for each row, the same for rows that belong together."""
    if named(path, n_rows)[1] != digest:
        raise RuntimeError(f"{path}: the groups changed while the experiment ran")
    return _read(path, _changed(path))


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
