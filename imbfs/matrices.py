"""Sparse matrices as a caller hands them over, brought into the one form that kernels trust."""

import numpy as np
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, issparse

from imbfs.errors import UserError

_INT32 = np.iinfo(np.int32).max
_COMPRESSED = {"csr": csr_array, "csc": csc_array, "bsr": bsr_array}


def canonical(X, name: str = "X"):
    """A sparse matrix as CSR of float64: every value stored once, in order, and no zero.

    Indices have 32 bits where these hold them. The matrix given stays as it is, and what it says of
    its own order is not trusted. Anything that is not sparse is returned as it came.
    """
    if not issparse(X):
        return X
    check_real(X, name)
    rows = checked(X, name)
    with np.errstate(invalid="ignore"):  # of a NaN that signals
        rows = csr_array(rows.astype(np.float64, copy=False))  # before duplicates are summed
    if not (rows.has_canonical_format and rows.data.all()):
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    if max(rows.shape[1], rows.nnz) <= _INT32:
        rows.indices = rows.indices.astype(np.int32, copy=False)
        rows.indptr = rows.indptr.astype(np.int32, copy=False)
    return rows


def checked(X, name: str = "X"):
    """The same matrix, dense or sparse; a sparse one is refused unless its indices are in range."""
    if issparse(X):
        try:
            sound(X)
        except UserError as error:
            raise error.within(name) from None
    return X


def check_real(X, name: str = "X") -> None:
    """Refuse an array that is no matrix of real numbers."""
    if X.dtype.kind not in "biuf" or X.ndim != 2:
        shape = " x ".join(map(str, X.shape))
        raise UserError(f"{name} is {shape} of type {X.dtype}. A matrix of real numbers is needed.")


def sound(X):
    """A sparse matrix over the same arrays, if its indices are in range; scipy does not look."""
    try:
        if X.format == "coo":
            return coo_array((X.data, X.coords), shape=X.shape)
        if X.format not in _COMPRESSED:
            X = csr_array(X)
        X = _COMPRESSED[X.format]((X.data, X.indices, X.indptr), shape=X.shape)
        X.check_format(full_check=True)
        if np.any(X.indptr[1:] < X.indptr[:-1]):  # where the last says that there are no values
            raise ValueError("index pointer values must form a non-decreasing sequence")
    except (ValueError, TypeError, IndexError) as error:
        raise UserError(f"is no valid sparse matrix ({error}).") from None
    return X
