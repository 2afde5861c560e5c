"""What methods reach on average over problems, as claims look at it."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from imbfs import stats
from imbfs.config import Table
from imbfs.config.fields import Strict
from imbfs.config.shown import ALL
from imbfs.showing.averages import PROBLEM, Block, blocks
from imbfs.showing.claims.view import About, Approach, Classifier, Curves, Point, Resampling


class Over(Strict):
    """An average over the problems of a `group`, by one classifier or by the mean over them."""

    classifier: Classifier
    group: str = ALL
    resampling: Resampling = "none"


class Averages:
    """The blocks of a frame that tells the `group` of every set, each made once."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame
        self._kept: dict[tuple, dict[str, Block]] = {}
        self._lacks: dict[tuple[About, str], bool] = {}

    def of(self, measure: str, over: Over) -> Block | None:
        """The values of every selector on the problems that an average is over."""
        key = measure, over.classifier, over.group
        if key not in self._kept:
            told = {"classifier": over.classifier, "group": over.group}
            found = blocks(self._frame, Table(kind="average", measure=measure, **told))
            self._kept[key] = {block.resampling: block for block in found}
        return self._kept[key].get(over.resampling)

    def lacks(self, about: About, group: str) -> bool:
        """Whether a set is absent, or a result is missing on one of the group."""
        key = about, group
        if key not in self._lacks:
            own = self._frame[about.among(*(self._frame[name] for name in PROBLEM))]
            there = own if group == ALL else own[own["group"] == group]
            absent = set(own["dataset"]) != set(about.datasets)
            self._lacks[key] = absent or bool((there["missing"] > 0).any())
        return self._lacks[key]


@dataclass(frozen=True)
class Averaged:
    """The values of methods, a column each, on the problems that all of them have.

    Curves are their means, and there is one place, the group. Nobody is dead on average.
    """

    block: Block
    lacks: bool

    @property
    def place(self) -> tuple[str, ...]:
        plain = self.block.resampling == "none"
        return self.block.group, self.block.classifier, *([] if plain else [self.block.resampling])

    def curves(self, method: str) -> Curves:
        """Means at every number of features, each over the problems that have it."""
        return self._curve(self._means, method)

    def shapes(self, method: str) -> Curves:
        """Means over the same problems at every number of features: those that have all."""
        return self._curve(self._same, method)

    def problems(self, features: int | str) -> pd.DataFrame:
        """The values at one number of features, a row for every problem."""
        return self.block.at(features)

    def p(self, this: str, that: str, features: str) -> float:
        """The p-value of a paired t-test over problems, 1 if they are too few for one."""
        values = self.problems(features)
        return stats.paired_t(values[this], values[that]).p if len(values) > 1 else 1.0

    def complete(self, methods: tuple[str, ...]) -> bool:
        """Whether every method is there, and no result that the averages might rest on missing."""
        return not self.lacks and set(methods) <= set(self.block.values)

    @cached_property
    def _means(self) -> pd.DataFrame:
        return _by_count(self.block, self.block.values)

    @cached_property
    def _same(self) -> pd.DataFrame:
        values = self.block.values
        whole = values.groupby(level=PROBLEM).transform("size") == len(self.block.counts)
        return _by_count(self.block, values[whole])

    def _curve(self, means: pd.DataFrame, method: str) -> Curves:
        if method not in means or means.empty:
            return {}
        points = {features: Point(mean, False) for features, mean in means[method].items()}
        return {self.place: points}


def _by_count(block: Block, values: pd.DataFrame) -> pd.DataFrame:
    """The mean of every method at every number of features, from few to many."""
    means = values.groupby(level="features").mean()
    return means.loc[[features for features in block.counts if features in means.index]]


def averaged(
    averages: Averages, measure: str, over: Over, methods: dict[str, Approach], about: About
) -> Averaged:
    """What these methods reach on average: on problems that each has in its own block.

    In a block a problem counts where every selector of the experiment has a complete value.
    """
    columns, group = {}, over.group
    for name, approach in methods.items():
        given = approach.model_dump(exclude={"selector"}, exclude_none=True)
        block = averages.of(measure, over.model_copy(update=given))
        if block is not None and approach.selector in block.values:
            columns[name], group = block.values[approach.selector], block.group
    values = pd.concat(columns, axis=1, join="inner") if columns else _NOTHING
    values = values[about.among(*map(values.index.get_level_values, PROBLEM))]
    block = Block(over.resampling, over.classifier, group, values)
    return Averaged(block, averages.lacks(about, over.group))


_NOTHING = pd.DataFrame(index=pd.MultiIndex.from_tuples([], names=[*PROBLEM, "features"]))
