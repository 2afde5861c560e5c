"""How far tasks are in favour of a claim, how sure that is, and whether it is more than chance.

A task is a set at a ratio. Cells of one task are no independent witnesses: their margins are
averaged first, over the cells of a test and then over the tests of a claim. Where a cell is an
average over tasks, the margin of a task is its jackknife pseudo-value n t - (n - 1) t_-i, which is
the task's own margin wherever the average of margins is the margin of averages.
"""

from dataclasses import dataclass, replace

import numpy as np

from imbfs import stats
from imbfs.showing.averages import PROBLEM
from imbfs.showing.claims.averaged import Averaged
from imbfs.showing.claims.predicates import Predicate
from imbfs.showing.claims.predicates.comparisons import Beats
from imbfs.showing.claims.verdicts import Finding, Tested
from imbfs.showing.claims.view import About, View

FEWEST = 6  # tasks of a test: with five, Wilcoxon's p is never under 0.06
FEWEST_SPREAD = 3  # tasks of an interval
TEST = "wilcoxon"
NOTE = (
    "effect: the mean margin over tasks, a set at a ratio each, above 0 if in favour, with "
    "Student's 95% interval over tasks, where there are three; p: Wilcoxon's signed-rank test of "
    "these margins against 0, with Holm's correction over the claims here, where there are six "
    "tasks. "
    "Rows of a script are no sample of tasks. Settings: in how many of those that can test the "
    "claim the verdict is the same."
)

Task = tuple[str, ...]


@dataclass(frozen=True)
class Effect:
    """The mean margin over tasks, an interval and p-values where there are tasks enough."""

    tasks: int = 0
    mean: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    adjusted: float = np.nan


def effects(findings: list[Finding]) -> list[Effect]:
    """What came of each claim over its tasks; p-values are adjusted over all of them."""
    found = [of_tasks(_together([margins(t) for t in f.tested])) for f in findings]
    tested = [number for number, effect in enumerate(found) if not np.isnan(effect.p)]
    adjusted = stats.holm([found[number].p for number in tested])
    for number, p in zip(tested, adjusted, strict=True):
        found[number] = replace(found[number], adjusted=float(p))
    return found


def of_tasks(margins: dict[Task, float]) -> Effect:
    """Mean, interval and test over tasks, as far as there are enough."""
    values = np.array(list(margins.values()))
    if not len(values):
        return Effect()
    effect = Effect(len(values), float(values.mean()))
    if len(values) >= FEWEST_SPREAD:
        found = stats.t_mean(values)
        effect = replace(effect, low=found.low, high=found.high)
    if len(values) >= FEWEST:
        effect = replace(effect, p=stats.wilcoxon(values, np.zeros(len(values))).p)
    return effect


def margins(tested: Tested) -> dict[Task, float]:
    """The mean margin of every task over the cells of a test in which nobody died."""
    view, predicate = tested.view, tested.test.predicate
    if view is None or not tested.cells:
        return {}
    if isinstance(predicate, Beats) and predicate.significant is not None:
        predicate = predicate.model_copy(update={"significant": None})  # by how much, not how sure
    if isinstance(view, Averaged):
        return _pseudo(predicate, view)
    alone = {task: replace(view, about=About((task[0],), (task[1],))) for task in view.tasks}
    found = {task: _mean(predicate, own) for task, own in alone.items()}
    return {task: margin for task, margin in found.items() if not np.isnan(margin)}


def _pseudo(predicate: Predicate, view: Averaged) -> dict[Task, float]:
    """The pseudo-value of every problem; none where there is nothing to leave out."""
    values = view.block.values
    problems = list(zip(*map(values.index.get_level_values, PROBLEM), strict=True))
    tasks = list(dict.fromkeys(problems))
    whole, n, found = _mean(predicate, view), len(tasks), {}
    for task in tasks:
        kept = np.array([problem != task for problem in problems])
        rest = replace(view, block=replace(view.block, values=values[kept]))
        found[task] = n * whole - (n - 1) * _mean(predicate, rest)
    return {} if np.isnan(list(found.values())).any() else found


def _mean(predicate: Predicate, view: View | Averaged) -> float:
    live = [cell.margin for cell in predicate.cells(view) if not cell.dead]
    return float(np.mean(live)) if live else np.nan


def _together(tests: list[dict[Task, float]]) -> dict[Task, float]:
    """The mean over the tests that have a task."""
    every = dict.fromkeys(task for found in tests for task in found)
    return {task: float(np.mean([f[task] for f in tests if task in f])) for task in every}
