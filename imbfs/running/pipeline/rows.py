"""Which rows of which files a task trains and tests on."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from imbfs import ratios, splits
from imbfs.datasets import Data, Source, View, load, tested, together, view
from imbfs.methods import MULTICLASS
from imbfs.running.task import Setting, Task


@dataclass(frozen=True)
class Rows:
    """Some rows of a set as a task sees it, in the order in which it meets them."""

    data: Data
    view: View
    chosen: np.ndarray
    groups: np.ndarray | None = None  # of all rows of the set, a number each

    @property
    def together(self) -> np.ndarray | None:
        """Equal numbers for those of its rows that no split may part."""
        return None if self.groups is None else self.groups[self.view.rows[self.chosen]]

    @property
    def y(self) -> np.ndarray:
        return self.view.y[self.chosen]

    @property
    def X(self) -> np.ndarray | csr_array:
        return self.view.take(self.data.X, self.chosen)

    def some(self, rows: np.ndarray) -> "Rows":
        return replace(self, chosen=self.chosen[rows])


def rows_of(task: Task) -> tuple[Rows, Rows]:
    """The rows to train on, in their order, and those to test on."""
    setting = task.setting
    data, groups, beside = files(setting)
    rows = replace(_left(task, data, view(data, **setting.view)), groups=groups)
    if beside is None:
        place = task.seed("split"), task.fold, task.repeat
        train, test = setting.protocol.split(rows.y, setting.kind, *place, rows.together)
        return rows.some(train), rows.some(test)
    test = tested(data, beside, **setting.view)
    order = splits.shuffled(np.arange(len(rows.y)), task.seed("split"), task.repeat)
    return rows.some(order), _left(task, *test, like=rows.view.y)


def files(setting: Setting) -> tuple[Data, np.ndarray | None, Data | None]:
    """What the files of a set hold: its rows, their groups and its test rows, where it has any."""
    data = _loaded(setting.label, setting.source, setting.fingerprint)
    groups = together.again(data, setting.together)
    return data, groups, None if setting.test is None else _loaded(setting.label, *setting.test)


def _loaded(label: str, source: Source, fingerprint: str) -> Data:
    data = load(source)
    if data.fingerprint != fingerprint:
        raise RuntimeError(f"{label}: the data changed while the experiment ran")
    return data


def _left(task: Task, data: Data, seen: View, like: np.ndarray | None = None) -> Rows:
    """The rows that the ratio leaves; of several classes, the largest are those of training."""
    wanted = seen.y, task.ratio, task.seed("ratio")
    if seen.kind == MULTICLASS:
        return Rows(data, seen, ratios.impose_tail(*wanted, like))
    return Rows(data, seen, ratios.impose_ratio(*wanted, task.setting.ratio_by))
