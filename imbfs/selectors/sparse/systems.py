"""Gram matrices and systems of rows that are dense, sparse, or sparse but for a shift."""

import numpy as np
from scipy.linalg import lapack
from scipy.sparse import csr_array, issparse

from imbfs.selectors.sparse.shifted import Shifted


def gram(X, weight) -> np.ndarray:
    """X' diag(weight) X, dense."""
    if isinstance(X, Shifted):
        return X.gram(weight)
    if issparse(X):
        return (X.T @ X.multiply(weight[:, None])).toarray()
    scaled = X * np.sqrt(weight)[:, None]
    return scaled.T @ scaled


def solve_any(A, right: np.ndarray) -> np.ndarray:
    """A^-1 right, of a symmetric A that need not be positive definite and may be written over."""
    if len(A) == 0:
        return right
    _, _, solution, failed = lapack.dgesv(A.T, right, overwrite_a=1, overwrite_b=1)
    if failed:
        raise np.linalg.LinAlgError("the system of a label's rows is singular")
    return solution


def solve(A, diagonal, right) -> np.ndarray:
    """(A + diag(diagonal))^-1 right."""
    if len(A) == 0:
        return right
    return lapack.dpotrs(factored(A, diagonal), right, lower=1)[0]


def factored(A, diagonal) -> np.ndarray:
    """The Cholesky factor of A + diag(diagonal).

    Where rounding leaves it none, the least shift of the diagonal, in powers of ten, that gives it
    one: rows or features that repeat others make A singular, and the diagonal may be far smaller.
    """
    shift = 0.0
    size = np.trace(A) / len(A)
    while True:
        system = A.T.copy(order="F")  # A is symmetric, and most often lies row by row
        system[np.diag_indices(len(A))] += diagonal + shift
        factor, failed = lapack.dpotrf(system, lower=1, overwrite_a=1)
        if not failed:
            return factor
        shift = 10.0 * shift or np.finfo(float).eps * size


def transposed(X):
    return csr_array(X.T) if issparse(X) else X.T
