"""What is worth knowing of a set before it is used."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from scipy.sparse import issparse

from imbfs.datasets.data import Data


def ratio(samples) -> str:
    """Samples of the largest class for one of the smallest."""
    samples = list(samples)
    return f"1:{max(samples) / min(samples):.1f}" if samples and min(samples) else "-"


def counts(data: Data) -> dict:
    """Samples of every class, or with every label."""
    multilabel = data.y.ndim == 2
    found = data.y.sum(axis=0) if multilabel else np.bincount(data.y, minlength=len(data.classes))
    return dict(zip(data.classes, found.tolist(), strict=True))


def facts(data: Data) -> list[tuple[str, str]]:
    """What is worth knowing of the arrays before they are used."""
    X, samples = data.X, counts(data)
    values = X.data if issparse(X) else X
    filled = (X != 0).sum(axis=1)
    constant = _constant(X)
    repeated = n_repeated(X[:, ~constant] if constant.any() else X)
    if data.y.ndim == 2:  # the rarest label, without it for with it
        rarest = min(samples.values())
        skew = ratio([rarest, X.shape[0] - rarest])
    else:
        skew = ratio(samples.values())
    return [
        ("shape", f"{X.shape[0]:,} x {X.shape[1]:,}, {'sparse' if issparse(X) else 'dense'}"),
        ("ratio", skew),
        ("non-zeros", f"{filled.sum():,} ({filled.sum() / (X.shape[0] * X.shape[1]):.1%})"),
        ("empty rows", f"{np.count_nonzero(filled == 0):,}"),
        ("constant features", f"{np.count_nonzero(constant):,}"),
        ("repeated features", f"{repeated:,}"),
        ("missing values", f"{np.count_nonzero(np.isnan(values)):,}"),
    ]


def _constant(X):
    """Which columns hold one value only; a missing value makes a column none of them."""
    top, low = X.max(axis=0), X.min(axis=0)
    return top.toarray() == low.toarray() if issparse(X) else top == low


def n_repeated(X) -> int:
    """How many columns hold, to the bit, what an earlier one holds; told by their hashes."""
    return X.shape[1] - len({blake2b(column, digest_size=16).digest() for column in _columns(X)})


def _columns(X) -> Iterator[bytes]:
    """The content of every column; of a sparse one, its non-zeros and where they stand."""
    if issparse(X):
        X = X.tocsc()  # from CSR, so a copy: its rows come in order, and it may be changed
        X.eliminate_zeros()
        for start, stop in pairwise(X.indptr):
            yield X.indices[start:stop].tobytes() + X.data[start:stop].tobytes()
        return
    width = max(1, 2**22 // X.shape[0])  # 32 MB at a time
    for start in range(0, X.shape[1], width):
        for column in X[:, start : start + width].T + 0.0:  # -0.0 becomes 0.0
            yield column.tobytes()
