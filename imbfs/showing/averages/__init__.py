"""Averages over problems: how the selectors do on all sets together, and on every group of them.

A problem is a set at one ratio. At a number of features it counts where every selector has a
complete value, and then for all of them alike; a set with fewer features counts for none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from imbfs.config.shown import EACH, MEAN, Shown
from imbfs.showing.averages.groups import members
from imbfs.showing.ranks import rank

PROBLEM = ["dataset", "ratio"]
BASELINES = ("none", "random")  # shown beside the selectors, and no rivals of theirs
TOLERANCES = range(11)  # percent


@dataclass(frozen=True)
class Block:
    """The values of every selector on the problems of a group, by one classifier or their mean.

    A row is a problem at one number of features, a column a selector.
    """

    resampling: str
    classifier: str
    group: str
    values: pd.DataFrame

    @property
    def counts(self) -> list[str]:
        """The numbers of features by size, then percentages, then all."""
        names = self.values.index.unique("features")
        return sorted(names, key=lambda n: (n == "all", n.endswith("%"), _number(n)))

    def at(self, features: int | str) -> pd.DataFrame:
        """The values at one number of features, a row for every problem."""
        chosen = self.values.index.get_level_values("features") == str(features)
        return self.values[chosen].droplevel("features")


def _number(features: str) -> float:
    return 0.0 if features == "all" else float(features.rstrip("%"))


def blocks(frame: pd.DataFrame, shown: Shown) -> Iterator[Block]:
    """What a table or figure over problems shows: for every resampling, classifier and group.

    The frame tells the `group` of every set. The mean over classifiers is of those that serve every
    selector, on problems that all of them have complete.
    """
    groups = members(frame, shown.group)
    for resampling, rows in frame.groupby("resampling", sort=False):
        for classifier, values in _by_classifier(rows, shown).items():
            datasets = values.index.get_level_values("dataset")
            for group, own in groups.items():
                yield Block(resampling, classifier, group, values[datasets.isin(own)])


def _by_classifier(rows: pd.DataFrame, shown: Shown) -> dict[str, pd.DataFrame]:
    """Comparable values by each classifier and by the mean over them, as far as wanted."""
    each = {
        name: rank(own, shown.measure).values.droplevel(["resampling", "classifier"])
        for name, own in rows.groupby("classifier", sort=False)
    }
    return chosen(each, shown.classifier)


def chosen(each: dict[str, pd.DataFrame], wanted: str) -> dict[str, pd.DataFrame]:
    """Of the values by each classifier, those that are wanted: one, the mean, or each and it."""
    if wanted not in (EACH, MEAN):
        return {name: values for name, values in each.items() if name == wanted}
    selectors = set().union(*(values.columns for values in each.values()))
    whole = [values for values in each.values() if set(values.columns) == selectors]
    mean = {MEAN: _mean(whole)} if whole else {}
    return mean if wanted == MEAN else each | (mean if len(whole) > 1 else {})


def _mean(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """The mean of frames, in the rows that all of them have."""
    common = frames[0].index
    for frame in frames[1:]:
        common = common[common.isin(frame.index)]
    return sum(frame.loc[common, frames[0].columns] for frame in frames) / len(frames)


def average(block: Block) -> pd.DataFrame:
    """Mean and sd over the problems of a block, and their number n, by selector and features."""
    parts = []
    for features in block.counts:
        values = block.at(features)
        told = {"mean": values.mean(), "sd": values.std(ddof=1)}
        part = pd.DataFrame({"features": features, **told, "n": len(values)})
        parts.append(part.rename_axis("selector").reset_index())
    columns = ["selector", "features", "mean", "sd", "n"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def within(values: pd.DataFrame) -> pd.DataFrame:
    """Share of the problems with a value of at least (1 - t / 100) times the best, by selector.

    t is a tolerance of 0 to 10 percent, [Wasikowski2009] Sec. 4.4. The best is that of the rivals:
    `none` and `random` are measured by it, and do not set it.
    """
    rivals = values[[name for name in values if name not in BASELINES] or list(values)]
    best, reached = rivals.max(axis=1).to_numpy()[:, None], values.to_numpy()
    # Values are rounded to six digits: what falls short by less does not fall short.
    counts = {t: (reached >= (1 - t / 100) * best - 1e-9).sum(axis=0) for t in TOLERANCES}
    shares = pd.DataFrame(counts, index=values.columns) / (len(values) or np.nan)
    return shares.rename_axis("selector")
