"""Filters against their rooflines, scikit-learn and skrebate, as ratios of times taken in one run.

The data are generated, in the shape of a mass-spectrometry set: 253 samples of 15,154 features.
"""

from functools import partial
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array, random_array
from timing import best, show

from imbfs.selectors.binned.bins import hellinger, mi
from imbfs.selectors.curves.fast import fair, fast
from imbfs.selectors.curves.roc import auc, prc
from imbfs.selectors.cuts import bns, chi, ig, odds_ratio
from imbfs.selectors.filters import f_statistic, fisher, pcc, s2n
from imbfs.selectors.neighbours.relief import relief, relieff

N_SAMPLES, N_FEATURES, MINORITY = 253, 15_154, 91
SAMPLE = 50  # features that go through the roc_auc_score loop
ROUNDS = 30


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    passes = _passes(*_dense(), "X") + _passes(*_sparse(), "sparse X")
    return _areas() + passes + _binned() + _relief()


def _areas() -> list[tuple[str, float, str]]:
    X, y = _dense()
    columns = np.ascontiguousarray(X.T)
    part = X[:, :: N_FEATURES // SAMPLE]
    scores = {"fast": fast, "auc": auc, "fair": fair, "prc": prc}
    work = {name: partial(score, X, y) for name, score in scores.items()}
    taken = best(work | {"sort": lambda: np.sort(columns, axis=1)}, ROUNDS)
    loop = best({"loop": lambda: _auc_loop(part, y)}, 3)["loop"] * N_FEATURES / part.shape[1]
    aims = {"fast": "<= 3", "auc": "<= 3", "fair": "", "prc": ""}
    found = [
        (f"{name} / np.sort of every feature", taken[name] / taken["sort"], aim)
        for name, aim in aims.items()
    ]
    return found + [
        (f"loop of roc_auc_score / {name}", loop / taken[name], ">= 200")
        for name in ("fast", "auc")
    ]


def _passes(X, y, what: str) -> list[tuple[str, float, str]]:
    """Moments take one pass; the table of a cut takes two, of sums and then of counts."""
    moments = {"s2n": s2n, "fisher": fisher, "pcc": pcc, "f_statistic": f_statistic}
    tables = {"chi": chi, "ig": ig, "odds_ratio": odds_ratio, "bns": bns}
    work = {name: partial(score, X, y) for name, score in (moments | tables).items()}
    taken = best(work | {"pass": lambda: X.sum(axis=0)}, ROUNDS)
    return [
        (f"{name} / one pass over {what}", taken[name] / taken["pass"], aim)
        for names, aim in ((moments, "<= 3"), (tables, ""))
        for name in names
    ]


def _binned() -> list[tuple[str, float, str]]:
    from sklearn.feature_selection import mutual_info_classif

    X = np.random.default_rng(0).normal(size=(77, 7_129))
    y = _labels(77, 19)
    scores = {
        f"{score.__name__} by {cut}": partial(score, X, y, cut=cut)
        for score in (mi, hellinger)
        for cut in ("width", "frequency")
    }
    taken = best(scores, ROUNDS)
    part = X[:, : 4 * SAMPLE]
    peer = best({"peer": lambda: mutual_info_classif(part, y)}, 3)["peer"]
    peer *= X.shape[1] / part.shape[1]
    return [
        (f"mutual_info_classif / {name}", peer / seconds, ">= 100")
        for name, seconds in taken.items()
    ]


def _relief() -> list[tuple[str, float, str]]:
    try:
        from skrebate import ReliefF
    except ImportError:
        print("skrebate is not installed: ReliefF is compared with nothing", flush=True)
        return []
    X = np.random.default_rng(0).normal(size=(77, 7_129))
    y = _labels(77, 19)
    several = np.random.default_rng(1).permutation(np.repeat([0, 1, 2], [40, 27, 10]))
    work = {
        "relieff": lambda: relieff(X, y),
        "relieff, three classes": lambda: relieff(X, several),
        "relief": lambda: relief(X, y),
    }
    taken = best(work, ROUNDS)
    peers = []
    for labels in (y, several):
        started = perf_counter()
        ReliefF(n_neighbors=10).fit(X, labels)
        peers.append(perf_counter() - started)
    return [
        ("skrebate's ReliefF / relieff", peers[0] / taken["relieff"], ">= 50"),
        ("the same of three classes", peers[1] / taken["relieff, three classes"], ">= 50"),
        ("skrebate's ReliefF / relief", peers[0] / taken["relief"], ""),
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
