"""How often a feature is chosen when half of the samples are left out: stability selection."""

from collections.abc import Callable

import numpy as np

from imbfs.errors import UserError
from imbfs.methods import Choice
from imbfs.own import ranked
from imbfs.splits import seed_for

_TRIES = 100  # draws of groups, until every class is among them


def half(y: np.ndarray, groups: np.ndarray | None, seed: int) -> np.ndarray:
    """Half of the samples of every class, or of the groups of every class, at least 2, in order."""
    rng = np.random.default_rng(seed)
    if groups is None:
        return np.sort(np.concatenate([_some(np.flatnonzero(y == c), rng) for c in np.unique(y)]))
    names, first = np.unique(groups, return_index=True)
    for _ in range(_TRIES):
        drawn = np.concatenate([_some(names[y[first] == c], rng) for c in np.unique(y[first])])
        rows = np.flatnonzero(np.isin(groups, drawn))
        if all(np.sum(y[rows] == c) >= 2 for c in np.unique(y)):
            return rows
    raise UserError("groups and copies of rows: half of them never hold 2 samples of every class.")


def frequency(
    methods: list[Choice],
    X,
    y: np.ndarray,
    *,
    k: int,
    seeds: list[int],
    groups: np.ndarray | None = None,
    jobs: int = 1,
    landed: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """The share of half-samples, one a seed, in which a feature is among the k agreed on."""
    from joblib import Parallel, delayed

    counts = np.zeros(X.shape[1], dtype=np.int64)
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", max_nbytes="1M")
    for chosen in pool(delayed(_chosen)(methods, X, y, k, groups, seed) for seed in seeds):
        counts[chosen] += 1
        landed()
    return counts / len(seeds)


def seeds(seed: int, count: int) -> list[int]:
    return [seed_for("select", seed, number) for number in range(count)]


def _some(from_: np.ndarray, rng) -> np.ndarray:
    return rng.permutation(from_)[: max(2, -(-len(from_) // 2))]


def _chosen(methods, X, y, k, groups, seed) -> np.ndarray:
    rows = half(y, groups, seed)
    return ranked.top(methods, X[rows], y[rows], k, seed)
