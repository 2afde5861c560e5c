"""Mutual information and Hellinger distance of features cut into bins, [Yin2013] Sec. 2 and 5.

A feature of no more different values than bins is taken as it is, a bin a value. Any other is cut
into bins of equal width from its least value to its largest, so that an outlier leaves the others
together in one, or of equal frequency: a value goes by its rank, equal ones by their mean rank.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import rel_entr

from imbfs.methods import Count
from imbfs.selectors.binned import bin_kernels as kernels
from imbfs.selectors.pairs import class_pairs
from imbfs.selectors.passes import class_codes

# Values, or counts, held at a time, so that the copies stay in the cache.
BLOCK = 2**18

Cut = Literal["width", "frequency"]


def mi(
    X: np.ndarray | csr_array, y: np.ndarray, *, bins: Count = 10, cut: Cut = "width"
) -> np.ndarray:
    """Mutual information sum_xy p(x, y) log p(x, y) / (p(x) p(y)) in bits, [Yin2013] Eq. (4).

    x runs over the bins of the feature and y over the classes, two or more. A constant feature
    scores 0.
    """
    codes, sizes = class_codes(y)
    blocks = _tables(X, codes, sizes, bins, cut)
    return np.concatenate([_information(table, sizes) for table in blocks])


def hellinger(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    bins: Count = 10,
    cut: Cut = "width",
    parents: np.ndarray | None = None,
) -> np.ndarray:
    """Hellinger distance sqrt(sum_j (sqrt(n+j / n+) - sqrt(n-j / n-))^2), [Yin2013] Eq. (12).

    From 0, where the classes spread over the bins j alike, to sqrt(2), where they share none. With
    more classes it is the mean over their pairs, all in the same bins.
    """
    codes, sizes = class_codes(y)
    pairs = class_pairs(len(sizes), parents)
    blocks = _tables(X, codes, sizes, bins, cut)
    return np.concatenate([_distance(table, sizes, pairs) for table in blocks])


def _information(table, sizes):
    n = sizes.sum()
    expected = table.sum(axis=2, keepdims=True) * sizes / n  # n p(x) p(y)
    terms = rel_entr(table, expected).reshape(len(table), -1)
    return np.maximum(terms.sum(axis=1) / (n * np.log(2)), 0.0)


def _distance(table, sizes, pairs):
    roots = np.sqrt(table / sizes)
    total = np.zeros(len(table))
    for a, b in pairs:
        total += np.sqrt(((roots[:, :, a] - roots[:, :, b]) ** 2).sum(axis=1))
    return np.minimum(total / len(pairs), np.sqrt(2))


def _tables(X, codes, sizes, bins, cut) -> Iterator[np.ndarray]:
    """Counts (features, bins, classes), for one block of features after the other."""
    bins = min(bins, len(codes))
    how = kernels.FREQUENCY if cut == "frequency" else kernels.WIDTH
    if issparse(X):
        X = X.tocsc().astype(np.float64, copy=False)
    width = max(1, BLOCK // max(1 if issparse(X) else len(codes), bins * len(sizes)))
    for start in range(0, X.shape[1], width):
        block = slice(start, min(start + width, X.shape[1]))
        table = np.zeros((block.stop - start, bins, len(sizes)))
        if issparse(X):
            indptr = X.indptr[start : block.stop + 1]
            kernels.sparse_counts(X.data, X.indices, indptr, codes, sizes, how, table)
        else:
            columns = np.array(X[:, block].T, dtype=np.float64, order="C")
            kernels.dense_counts(columns, np.sort(columns, axis=1), codes, how, table)
        yield table
