"""Pseudo-classes: the large classes of a data set cut into clusters of about the smallest's size.

They are made once for the same rows, classes and options, whichever filters score them.
"""

import hashlib
import warnings
from threading import Lock
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, issparse

Distance = Literal["auto", "cosine", "euclidean"]
Clustering = Literal["kmeans", "em", "random"]
Pseudo = tuple[np.ndarray, np.ndarray]

HIGH_DIMENSION = 100  # more features than these are compared by cosine, [Yin2013] Sec. 6.1
AXES = 10  # principal axes that a mixture is fitted on: on thousands, one Gaussian takes all
KEPT = 16  # data sets whose pseudo-classes are remembered

_recent: dict[bytes, Pseudo] = {}
_lock = Lock()


def pseudo_classes(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    K: int | Literal["ratio"],
    distance: Distance,
    clustering: Clustering,
    starts: int,
    seed: int,
) -> Pseudo:
    """The pseudo-class 0, 1, ... of every row, and the class that each of them is a part of.

    The best of so many `starts` of k-means or EM counts.
    """
    key = _digest(X, y, K, distance, clustering, starts, seed)
    with _lock:
        if key in _recent:
            return _recent[key]
    found = _cut(X, y, K, distance, clustering, starts, seed)
    for array in found:
        array.flags.writeable = False
    with _lock:
        _recent[key] = found
        while len(_recent) > KEPT:
            del _recent[next(iter(_recent))]
    return found


def cluster_counts(sizes: np.ndarray, K: int | Literal["ratio"]) -> np.ndarray:
    """K(i), the number of clusters for classes of these sizes, at most one a sample.

    From the ratio it is the size over that of the smallest class, rounded, a half up. A smallest
    class of one sample counts as two: clusters of one row each would have no spread at all.
    """
    if K == "ratio":
        aim = max(sizes.min(), 2)
        return np.maximum((2 * sizes + aim) // (2 * aim), 1)
    return np.where(sizes > sizes.min(), np.minimum(K, sizes), 1)


def _cut(X, y, K, distance, clustering, starts, seed) -> Pseudo:
    classes, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    by_cosine = distance == "cosine" or (distance == "auto" and X.shape[1] > HIGH_DIMENSION)
    X = X.tocsr() if issparse(X) else X
    pseudo, parents = np.zeros(len(y), dtype=np.int64), []
    for k, n_clusters in enumerate(cluster_counts(sizes, K)):
        rows = np.flatnonzero(codes == k)
        own = np.zeros(len(rows), dtype=np.int64)
        if n_clusters > 1:
            own = _clusters(X[rows], n_clusters, by_cosine, clustering, starts, seed)
        pseudo[rows] = len(parents) + own
        parents += [classes[k]] * (own.max() + 1)
    return pseudo, np.array(parents)


def _clusters(rows, n_clusters, by_cosine, clustering, starts, seed) -> np.ndarray:
    """The cluster of every row, numbered without gaps; fewer, where fewer rows differ."""
    if clustering == "random":
        return np.random.default_rng(seed).permutation(rows.shape[0]) % n_clusters
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.preprocessing import normalize

    # In place, for the rows are a copy; one of zeros stays so, as far from every direction.
    rows = normalize(rows, copy=False) if by_cosine else rows
    make = _by_kmeans if clustering == "kmeans" else _by_mixture
    with warnings.catch_warnings():
        # Of fewer different rows than clusters, and of a mixture that would move on a little.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = make(rows, n_clusters, starts, seed)
    return np.unique(found, return_inverse=True)[1]


def _by_kmeans(rows, n_clusters, starts, seed) -> np.ndarray:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=starts, random_state=seed, copy_x=False).fit_predict(rows)


def _by_mixture(rows, n_clusters, starts, seed) -> np.ndarray:
    """Gaussians with diagonal covariances on the first principal axes, fitted by EM."""
    from sklearn.mixture import GaussianMixture
    from sklearn.utils.extmath import randomized_svd

    axes, lengths, _ = randomized_svd(rows, min(AXES, *rows.shape), random_state=seed)
    points = axes * lengths
    points -= points.mean(axis=0)
    spread = np.abs(points).max()
    if spread == 0:
        return np.zeros(len(points), dtype=np.int64)
    mixture = GaussianMixture(n_clusters, covariance_type="diag", n_init=starts, random_state=seed)
    return mixture.fit_predict(points / spread)


def _digest(X, y, *options) -> bytes:
    """A digest of the content of the data and of the options."""
    parts = (X.data, X.indices, X.indptr) if issparse(X) else (X,)
    digest = hashlib.sha256(repr((X.shape, options)).encode())
    for part in (*parts, y):
        digest.update(str(part.dtype).encode())
        digest.update(np.ascontiguousarray(part))
    return digest.digest()
