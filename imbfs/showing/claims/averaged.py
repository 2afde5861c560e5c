"""What methods reach on average over problems, as claims look at it."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import pandas as pd
from pydantic import AfterValidator

from imbfs import stats
from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Table
from imbfs.config.fields import Strict
from imbfs.config.shown import ALL, MEAN
from imbfs.methods import Method, read_label
from imbfs.prepare import RESAMPLERS
from imbfs.selectors import SELECTORS
from imbfs.showing.averages import PROBLEM, Block, blocks
from imbfs.showing.claims.view import Point


def _label_of(table: dict[str, Method], *others: str):
    """The type of a field that holds the label of a method, or one of some other words."""
    known = AfterValidator(lambda label: (label in others or read_label(table, label)) and label)
    return Annotated[str, known]


Selector, Resampling = _label_of(SELECTORS), _label_of(RESAMPLERS)
ClassifierLabel = _label_of(CLASSIFIERS)


class Over(Strict):
    """An average over the problems of a `group`, by one classifier or by the mean over them."""

    classifier: _label_of(CLASSIFIERS, MEAN)
    group: str = ALL
    resampling: Resampling = "none"


class Approach(Strict):
    """A selector with a resampling or a classifier of its own, whatever the average is by."""

    selector: Selector
    resampling: Resampling | None = None
    classifier: _label_of(CLASSIFIERS, MEAN) | None = None


class Averages:
    """The blocks of a frame that tells the `group` of every set, each made once."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame
        self._kept: dict[tuple, dict[str, Block]] = {}

    def of(self, measure: str, over: Over) -> Block | None:
        """The values of every selector on the problems that an average is over."""
        key = measure, over.classifier, over.group
        if key not in self._kept:
            told = {"classifier": over.classifier, "group": over.group}
            found = blocks(self._frame, Table(kind="average", measure=measure, **told))
            self._kept[key] = {block.resampling: block for block in found}
        return self._kept[key].get(over.resampling)

    def lacks(self, datasets: tuple[str, ...], group: str) -> bool:
        """Whether a set is absent, or a result is missing on one of the group."""
        own = self._frame[self._frame["dataset"].isin(datasets)]
        there = own if group == ALL else own[own["group"] == group]
        return set(own["dataset"]) != set(datasets) or bool((there["missing"] > 0).any())


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

    def curves(self, method: str) -> dict[tuple, dict[str, Point]]:
        """Means at every number of features, each over the problems that have it."""
        return self._means(self.block, method)

    def shapes(self, method: str) -> dict[tuple, dict[str, Point]]:
        """Means over the same problems at every number of features: those that have all."""
        return self._means(self._same, method)

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
    def _same(self) -> Block:
        values = self.block.values
        whole = values.groupby(level=PROBLEM).transform("size") == len(self.block.counts)
        return replace(self.block, values=values[whole])

    def _means(self, block: Block, method: str) -> dict[tuple, dict[str, Point]]:
        if method not in block.values or block.values.empty:
            return {}
        means = {features: block.at(features)[method].mean() for features in block.counts}
        return {self.place: {features: Point(mean, False) for features, mean in means.items()}}


def averaged(
    averages: Averages, measure: str, over: Over, methods: dict[str, Approach], datasets: tuple
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
    values = values[values.index.get_level_values("dataset").isin(datasets)]
    block = Block(over.resampling, over.classifier, group, values)
    return Averaged(block, averages.lacks(datasets, over.group))


_NOTHING = pd.DataFrame(index=pd.MultiIndex.from_tuples([], names=[*PROBLEM, "features"]))
