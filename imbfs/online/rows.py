"""Rows as the kernels read them, and a store of rows that grows."""

import numpy as np
from scipy.sparse import csr_array, issparse

Raw = tuple[np.ndarray, np.ndarray | None, np.ndarray]


def raw(X) -> Raw:
    """The (data, indices, indptr) that kernels read; a dense X has no indices."""
    if not issparse(X):
        n_samples, n_features = X.shape
        return X.ravel(), None, np.arange(n_samples + 1, dtype=np.uint64) * np.uint64(n_features)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.data, _unsigned(X.indices), _unsigned(X.indptr)


def _unsigned(a: np.ndarray) -> np.ndarray:
    """The same numbers as unsigned: numba need not test them for counting from the end."""
    return a.view(np.dtype(f"u{a.itemsize}"))


class Rows:
    """Rows kept one after the other, sparse; room is doubled when it runs out."""

    def __init__(self, n_features: int):
        self.n_features = n_features
        self._n = 0
        self._data = np.empty(64)
        self._indices = np.empty(64, np.uint32)
        self._indptr = np.zeros(16, np.uint64)

    def append(self, rows: Raw, chosen: np.ndarray) -> None:
        """Copy the chosen ones of `rows` to the end."""
        data, columns, lengths = _copied(*rows, chosen)
        size = int(self._indptr[self._n])
        self._data = _roomy(self._data, size + len(data))
        self._indices = _roomy(self._indices, size + len(data))
        self._indptr = _roomy(self._indptr, self._n + 1 + len(chosen))
        self._data[size : size + len(data)] = data
        self._indices[size : size + len(data)] = columns
        self._indptr[self._n + 1 : self._n + 1 + len(chosen)] = size + np.cumsum(lengths)
        self._n += len(chosen)

    def __len__(self) -> int:
        return self._n

    def like(self, rows: Raw) -> Raw:
        """All rows, dense if `rows` are."""
        if rows[1] is not None:
            return self._data, self._indices, self._indptr
        lengths = np.diff(self._indptr[: self._n + 1].astype(np.int64))
        size = lengths.sum()
        if (lengths == self.n_features).all():  # they came dense, and are stored so
            return raw(self._data[:size].reshape(self._n, self.n_features))
        dense = np.zeros((self._n, self.n_features))
        dense[np.repeat(np.arange(self._n), lengths), self._indices[:size]] = self._data[:size]
        return raw(dense)


class Sample(Rows):
    """All rows, as long as there is room for them; then a sample, every row as likely as another.

    `places` names the rows that are kept; who learns from rows gives them their places.
    """

    def __init__(self, n_features: int, room: int):
        super().__init__(n_features)
        self.places = np.zeros(room, np.int64)

    def kept(self, n: int) -> csr_array:
        """The rows that are kept, n of them."""
        rows = Rows(self.n_features)
        rows.append((self._data, self._indices, self._indptr), self.places[:n])
        indptr = rows._indptr[: n + 1].astype(np.int64)
        data, indices = rows._data[: indptr[-1]], rows._indices[: indptr[-1]].astype(np.int64)
        return csr_array((data, indices, indptr), shape=(n, self.n_features))

    def keep(self, X: csr_array) -> None:
        """Begin anew with some rows."""
        super().__init__(self.n_features)
        n = X.shape[0]
        self.append(raw(X), np.arange(n))
        self.places[:n] = np.arange(n)

    def tidy(self, n: int) -> None:
        """Forget all but the n rows that are kept, once there are many others."""
        if len(self) > 2 * len(self.places):
            self.keep(self.kept(n))


def _copied(data, indices, indptr, chosen: np.ndarray) -> tuple:
    """The values of the chosen rows one after the other, their columns, and the rows' lengths."""
    if indices is None:
        rows = data.reshape(len(indptr) - 1, -1)
        n_features = rows.shape[1]
        columns = np.tile(np.arange(n_features), len(chosen))
        return rows[chosen].ravel(), columns, np.full(len(chosen), n_features)
    starts, stops = indptr[chosen].astype(np.int64), indptr[chosen + 1].astype(np.int64)
    lengths = stops - starts
    # The place in `data` of every value that is copied, row by row.
    ends = np.cumsum(lengths)
    at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(stops - ends, lengths)
    return data[at], indices[at], lengths


def _roomy(a: np.ndarray, size: int) -> np.ndarray:
    """The array, or a copy with room for `size` values and as many again."""
    if size <= len(a):
        return a
    larger = np.zeros(2 * size, a.dtype)
    larger[: len(a)] = a
    return larger
