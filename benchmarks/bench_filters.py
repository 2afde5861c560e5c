"""Filters against their rooflines and against scikit-learn, as ratios of times taken in one run.

The data are generated, in the shape of a mass-spectrometry set: 253 samples of 15,154 features.
"""

import numpy as np
from scipy.sparse import csr_array, random_array
from timing import best, show

from imbfs.selectors.fast import fast
from imbfs.selectors.filters import fisher, s2n

N_SAMPLES, N_FEATURES, MINORITY = 253, 15_154, 91
SAMPLE = 50  # features that go through the roc_auc_score loop
ROUNDS = 30


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    X, y = _dense()
    columns = np.ascontiguousarray(X.T)
    part = X[:, :: N_FEATURES // SAMPLE]
    S, y_sparse = _sparse()
    taken = best(
        {
            "sort": lambda: np.sort(columns, axis=1),
            "fast": lambda: fast(X, y),
            "pass": lambda: X.sum(axis=0),
            "s2n": lambda: s2n(X, y),
            "fisher": lambda: fisher(X, y),
            "sparse pass": lambda: S.sum(axis=0),
            "sparse s2n": lambda: s2n(S, y_sparse),
            "sparse fisher": lambda: fisher(S, y_sparse),
        },
        ROUNDS,
    )
    loop = best({"loop": lambda: _auc_loop(part, y)}, 3)["loop"]
    loop *= N_FEATURES / part.shape[1]
    return [
        ("fast / np.sort of every feature", taken["fast"] / taken["sort"], "<= 3"),
        ("loop of roc_auc_score / fast", loop / taken["fast"], ">= 200"),
        ("s2n / one pass over X", taken["s2n"] / taken["pass"], "<= 3"),
        ("fisher / one pass over X", taken["fisher"] / taken["pass"], "<= 3"),
        ("s2n / one pass over sparse X", taken["sparse s2n"] / taken["sparse pass"], "<= 3"),
        (
            "fisher / one pass over sparse X",
            taken["sparse fisher"] / taken["sparse pass"],
            "<= 3",
        ),
    ]


def _dense() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(N_SAMPLES, N_FEATURES))
    return X, _labels(N_SAMPLES, MINORITY)


def _sparse() -> tuple[csr_array, np.ndarray]:
    X = random_array((20_000, 50_000), density=0.0016, format="csr", rng=0)
    return csr_array(X), _labels(20_000, 4_000)


def _labels(n_samples: int, minority: int) -> np.ndarray:
    return np.random.default_rng(1).permutation(np.where(np.arange(n_samples) < minority, 1, -1))


def _auc_loop(X: np.ndarray, y: np.ndarray) -> list[float]:
    from sklearn.metrics import roc_auc_score

    return [roc_auc_score(y, X[:, j]) for j in range(X.shape[1])]


if __name__ == "__main__":
    show(rows())
