"""mRMR against the package mrmr_selection, as ratios of times taken in one run.

Both choose as many features of the same data, generated in the shape of golub: 72 samples of 7,129
features in three classes. With IMBFS_DATA set to the folder of the real data sets, golub itself is
taken. The peer's relevance is the F-statistic and its redundancy the correlation; ours are mutual
information. One process each.
"""

import os
from functools import partial
from time import perf_counter

import numpy as np
from timing import best, show

from imbfs.datasets import Source, load
from imbfs.selectors.binned.mrmr import mrmr

CHOSEN = 10
ROUNDS = 5


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    try:
        import pandas as pd
        from mrmr import mrmr_classif
    except ImportError:
        print("mrmr_selection is not installed: mRMR is compared with nothing", flush=True)
        return []
    name, X, y = _data()
    frame, labels = pd.DataFrame(X), pd.Series(y)
    started = perf_counter()
    mrmr_classif(frame, labels, K=CHOSEN, n_jobs=1, show_progress=False)
    peer = perf_counter() - started
    scores = {cut: partial(mrmr, X, y, cut=cut, first=CHOSEN) for cut in ("deviation", "width")}
    taken = best(scores, ROUNDS)
    return [
        (f"{name}: mrmr_selection / mrmr, cut by {cut}", peer / seconds, ">= 50")
        for cut, seconds in taken.items()
    ]


def _data() -> tuple[str, np.ndarray, np.ndarray]:
    if "IMBFS_DATA" in os.environ:
        data = load(Source("golub"))
        return "golub", np.asarray(data.X), data.y
    y = np.repeat([0, 1, 2], [38, 9, 25])
    return "like golub", np.random.default_rng(0).normal(size=(72, 7_129)) + 0.5 * y[:, None], y


if __name__ == "__main__":
    show(rows())
