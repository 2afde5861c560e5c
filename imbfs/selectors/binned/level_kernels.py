"""Compiled loops that count how features in bins go together with another variable.

`sizes` says how often each value of the variable occurs, and `logs` has log2 of 0 .. n, 0 for 0.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def dense_bits(codes, counts, given, sizes, logs, bits):
    """Mutual information in bits of every feature, a row of `codes`, with the variable."""
    room = np.zeros((counts.max(), len(sizes)), dtype=np.int64)
    for j in range(len(codes)):
        table = room[: counts[j]]
        table[:] = 0
        for i in range(len(given)):
            table[codes[j, i], given[i]] += 1
        bits[j] = _bits(table, sizes, logs)


@njit(cache=True)
def sparse_bits(codes, rows, indptr, home, counts, given, sizes, logs, bits):
    """As `dense_bits`, of sparse columns: all rows where a 0 lies, then the stored ones moved."""
    room = np.zeros((counts.max(), len(sizes)), dtype=np.int64)
    for j in range(len(counts)):
        table = room[: counts[j]]
        table[:] = 0
        table[home[j]] = sizes
        for at in range(indptr[j], indptr[j + 1]):
            table[home[j], given[rows[at]]] -= 1
            table[codes[at], given[rows[at]]] += 1
        bits[j] = _bits(table, sizes, logs)


@njit(cache=True)
def _bits(table, sizes, logs):
    """sum_ab n_ab / n log2 (n n_ab / (n_a n_b)); exactly 0 where the two are independent."""
    n, total = len(logs) - 1, 0.0
    for a in range(len(table)):
        inside = 0
        for b in range(len(sizes)):
            inside += table[a, b]
        for b in range(len(sizes)):
            both = table[a, b]
            if both > 0 and both * n != inside * sizes[b]:
                total += both * (logs[both] + logs[n] - logs[inside] - logs[sizes[b]])
    return max(total / n, 0.0)
