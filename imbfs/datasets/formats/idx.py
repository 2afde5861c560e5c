"""IDX files (MNIST): arrays of bytes or numbers, the classes in a second file."""

import math
import struct
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from imbfs.datasets.data import Data
from imbfs.datasets.formats.arrays import assembled
from imbfs.datasets.formats.compression import content
from imbfs.datasets.formats.labels import Unlabelled, beside, labels_in
from imbfs.errors import UserError

# The third byte says what the values are; numbers of several bytes are big-endian.
_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read(
    path: Path,
    *,
    labels: str | None = None,
    unlabelled: Unlabelled = "error",
    sparse: bool = False,
) -> Data:
    """Read an IDX file of samples, each flattened to a row; `labels` is the file of the classes.

    With `sparse` the rows are kept as CSR, which takes a third of the room for MNIST.
    """
    X = array(content(path))
    if X.ndim < 2:
        raise UserError(f"holds {X.size} single values, no samples. Are these the classes?")
    if labels is None:
        raise UserError("labels: which file holds the classes?")
    how = f"arrays of {' x '.join(map(str, X.shape[1:]))}"
    X = X.reshape(X.shape[0], math.prod(X.shape[1:]))
    found = labels_in(beside(path, labels), X.shape[0])
    return assembled(csr_array(X) if sparse else X, found, unlabelled=unlabelled, how=how)


def is_idx(found: bytes) -> bool:
    """Whether this is the beginning of an IDX file."""
    return found[:2] == b"\0\0" and len(found) > 4 and found[2] in _TYPES and 1 <= found[3] <= 8


def array(found: bytes) -> np.ndarray:
    """The array in the content of an IDX file."""
    if not is_idx(found):
        raise UserError("is no IDX file.")
    kind, n_dimensions = np.dtype(_TYPES[found[2]]), found[3]
    start = 4 + 4 * n_dimensions
    if len(found) < start:
        raise UserError("is cut off.")
    shape = struct.unpack(f">{n_dimensions}I", found[4:start])
    size = math.prod(shape) * kind.itemsize
    if len(found) - start != size:
        raise UserError(f"holds {len(found) - start} bytes of values. Its head says {size}.")
    values = np.frombuffer(found, kind, offset=start).reshape(shape)
    return values.astype(kind.newbyteorder("="), copy=False)
