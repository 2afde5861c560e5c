"""What the rankings of all folds tell: how stable selections are, and how much they overlap."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from imbfs import stats
from imbfs.showing.averages import PROBLEM
from imbfs.showing.averages.folds import told
from imbfs.showing.averages.groups import problems
from imbfs.showing.tables import rankings

_PLACE = ["resampling", *PROBLEM]
_PAIR = ["selector", "against"]


def stability(plan: dict, records: dict[str, dict], k: int) -> pd.DataFrame:
    """Stability of the k features selected in the folds of a problem, [Nogueira2018], by selector.

    An interval of 95% each. A row for every resampling and problem where every selector has all
    planned rankings.
    """
    rows = {
        place: {name: _stability(own) for name, own in every.items()}
        for place, every in _selections(plan, records, k)
    }
    return pd.DataFrame(list(rows.values()), index=_places(rows)).dropna()


def _stability(selected: np.ndarray | None) -> stats.Interval | None:
    """Undefined of a single fold, and if all features are selected."""
    if selected is None or len(selected) < 2:
        return None
    found = stats.stability(selected)
    return None if np.isnan(found.value) else found


def overlap(plan: dict, records: dict[str, dict], k: int) -> pd.DataFrame:
    """How much the k features of every two selectors overlap in the same fold, mean over folds.

    `jaccard` is the share of all their features that both have; `corrected` what they share beyond
    chance, [Kuncheva2007]. A row for every pair and problem where every selector has all planned
    rankings.
    """
    rows = []
    for place, every in _selections(plan, records, k):
        if any(own is None for own in every.values()):
            continue
        for one, other in combinations(every, 2):
            pair = every[one], every[other]
            rows.append((*place, one, other, stats.overlap(*pair), stats.agreement(*pair)))
    frame = pd.DataFrame(rows, columns=[*_PLACE, *_PAIR, "jaccard", "corrected"])
    return frame.dropna().set_index(_PLACE)


def _places(rows: dict[tuple, dict]) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(pd.DataFrame(list(rows), columns=_PLACE))


def _selections(
    plan: dict, records: dict[str, dict], k: int
) -> Iterator[tuple[tuple, dict[str, np.ndarray | None]]]:
    """The k features of every selector, a row a fold, problem by problem; None of incomplete ones.

    All features select nothing, and are left out.
    """
    told(plan, "problems")
    sizes = problems(plan).set_index(PROBLEM)["features"]
    planned = Counter(cell for cell, *_ in {(tuple(t[1:5]), t[6], t[7]) for t in plan["tasks"]})
    found: dict[tuple, dict[str, dict]] = {}
    for (*problem, resampling, selector), folds in rankings(plan, records).items():
        if selector != "none":
            whole = len(folds) == planned[(*problem, resampling, selector)]
            enough = whole and min(map(len, folds.values())) >= k
            found.setdefault((resampling, *problem), {})[selector] = folds if enough else None
    for place, every in found.items():
        yield place, _chosen(every, k, sizes[place[1:]])


def _chosen(every: dict[str, dict | None], k: int, n_features: int) -> dict:
    """Rankings by fold as arrays of booleans, the folds and features in the same order for all."""
    columns: dict[str, int] = {}
    arrays: dict[str, np.ndarray | None] = {}
    for selector, folds in every.items():
        arrays[selector] = None
        if folds is not None:
            arrays[selector] = np.zeros((len(folds), n_features), dtype=bool)
            for row, fold in zip(arrays[selector], sorted(folds), strict=True):
                row[[columns.setdefault(name, len(columns)) for name in folds[fold][:k]]] = True
    return arrays
