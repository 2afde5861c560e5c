"""The features of a file ranked: scores, agreement, stability, direction and significance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from scipy.stats import false_discovery_control
from threadpoolctl import threadpool_limits

from imbfs.methods import BINARY, Choice
from imbfs.own import ranked, resamples, significance
from imbfs.own.intake import Intake
from imbfs.prepare import impute, standardize
from imbfs.ranking import ranking
from imbfs.selectors.passes import class_codes, moments


@dataclass(frozen=True)
class Selection:
    """A table of all features, best first, and what it rests on."""

    table: pd.DataFrame
    methods: list[Choice]
    k: int
    resamples: int
    permutations: int
    X: np.ndarray  # the k features, missing values filled in

    @property
    def chosen(self) -> pd.DataFrame:
        return self.table.head(self.k)

    @property
    def significant(self) -> int:
        return int((self.table["q"] < significance.LEVEL).sum())


@threadpool_limits.wrap(limits=1, user_api="blas")
def select(
    intake: Intake,
    methods: list[Choice],
    *,
    k: int = 50,
    count: int = 50,
    seed: int = 0,
    jobs: int = 1,
    landed: Callable[[], None] = lambda: None,
) -> Selection:
    """Rank the features of a set; `count` half-samples tell how stable the first `k` are."""
    X, y, k = filled(intake.X), intake.y, min(k, intake.X.shape[1])
    ready = standardize(X).fit_transform(X)
    found, ranks = ranked.every_rank(methods, ready, y, seed)
    order = ranking(found[0]) if len(methods) == 1 else ranked.agreed(ranks)
    landed()
    seeds = resamples.seeds(seed, count)
    often = resamples.frequency(
        methods, ready, y, k=k, seeds=seeds, groups=intake.together, jobs=jobs, landed=landed
    )
    p, permutations = significance.p_values(*_distinct(intake, X), seed=seed)
    landed()
    columns = {"feature": np.array(intake.names, dtype=object)}
    columns |= {"selected": often, **_sides(intake, X), "p": p}
    columns["q"] = false_discovery_control(p, method="bh")
    columns["mean_rank"] = ranks.mean(axis=0)
    for choice, its_scores, its_ranks in zip(methods, found, ranks, strict=True):
        columns |= {f"score {choice.label}": its_scores, f"rank {choice.label}": its_ranks}
    table = pd.DataFrame({name: values[order] for name, values in columns.items()})
    table.insert(0, "rank", np.arange(1, len(order) + 1))
    chosen = X[:, order[:k]]
    dense = chosen.toarray() if issparse(chosen) else np.array(chosen)
    return Selection(table, methods, k, count, permutations, dense)


def _distinct(intake: Intake, X) -> tuple:
    """Features, classes and groups of the rows that repeat no other: a copy is no evidence."""
    if intake.copies is None:
        return X, intake.y, intake.groups
    kinds = np.column_stack((intake.copies, intake.y))
    rows = np.sort(np.unique(kinds, axis=0, return_index=True)[1])
    groups = None if intake.groups is None else intake.together[rows]
    return X[rows], intake.y[rows], groups


def filled(X):
    """The features with medians in the place of missing values."""
    values = X.data if issparse(X) else X
    return impute(X).fit_transform(X) if np.isnan(values).any() else X


def _sides(intake: Intake, X) -> dict[str, np.ndarray]:
    """In which class a feature is higher, by mean rank; its area under the ROC; class means."""
    y, ranks = intake.y, significance.centred_ranks(X)
    codes, sizes = class_codes(y)
    names = [intake.classes[code] for code in np.unique(y)]
    inside = (codes == np.arange(len(sizes))[:, None]).astype(np.float64)
    heights = (ranks.at @ inside.T).T / sizes[:, None] + ranks.zero
    higher = np.array(names, dtype=object)[heights.argmax(axis=0)]
    higher[ranks.scatter == 0] = ""
    told = {"higher_in": higher}
    if intake.kind == BINARY:
        # The mean ranks of the classes differ by n (area - 1/2).
        told["auc"] = 0.5 + (heights[1] - heights[0]) / len(y)
    means, _ = moments(X, codes, sizes)
    return told | {f"mean {name}": row for name, row in zip(names, means, strict=True)}
