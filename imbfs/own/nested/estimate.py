"""What a comparison came to: the choice, and what it is worth on rows that it has not met.

For every outer fold the choice is made anew by the inner folds of its training rows, and measured
on its test rows: the mean of that is not the best of many noisy means, which is too good.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from imbfs import stats
from imbfs.own.nested.compared import YARDSTICK
from imbfs.own.nested.schedule import Comparison, Pair

CANDIDATE = ["selector", "classifier", "features"]


@dataclass(frozen=True)
class Candidate:
    """A selector, a classifier and a number of features."""

    selector: str
    classifier: str
    features: str


@dataclass(frozen=True)
class Estimate:
    """The value of every outer fold by measure, and what was chosen in each."""

    values: dict[str, np.ndarray]
    chosen: list[Candidate]
    test_to_train: float
    n_rare: int

    def interval(self, measure: str) -> stats.Interval:
        """Mean and 95% interval, corrected for overlapping training rows, inside [0, 1].

        Folds that differ by less than one rare sample do not say how large the variance is: an
        interval narrower than 1 / n_rare is replaced by the binomial one of a share of n_rare.
        """
        found = stats.corrected_mean(self.values[measure], self.test_to_train)
        if found.high - found.low < 1 / self.n_rare:
            return stats.binomial(min(1.0, max(0.0, found.value)), self.n_rare)
        return stats.Interval(found.value, max(0.0, found.low), min(1.0, found.high))


@dataclass(frozen=True)
class Answer:
    """All that is told of a comparison."""

    measure: str
    measures: list[str]
    choice: Candidate
    procedure: Estimate
    baseline: Estimate
    yardstick: Estimate
    compared: pd.DataFrame
    pairs: list[Pair]
    repeats: int
    folds: int
    n_features: int

    @property
    def test(self) -> stats.Test:
        """The choice against all features, by the corrected resampled t-test."""
        mine, other = self.procedure.values[self.measure], self.baseline.values[self.measure]
        return stats.corrected_t(mine, other, self.procedure.test_to_train)

    @property
    def gain(self) -> stats.Interval:
        mine, other = self.procedure.values[self.measure], self.baseline.values[self.measure]
        return stats.corrected_mean(mine - other, self.procedure.test_to_train)

    @property
    def largest(self) -> float:
        """The best mean of all that was compared: optimistic."""
        return float(self.compared[f"{self.measure}_mean"].max())

    @property
    def picks(self) -> list[tuple[Candidate, int]]:
        """What was chosen in the outer folds, the most frequent first."""
        return Counter(self.procedure.chosen).most_common()


def answer(comparison: Comparison, records: dict[str, dict], measure: str, n_rare: int) -> Answer:
    """What the records come to; `n_rare` is the number of samples of the smallest class."""
    pairs, repeats = counted(comparison, records)
    setting = comparison.plan.tasks[0].setting
    measures = list(setting.measures)
    frame = measured(comparison, records, pairs, repeats, measures)
    outer = frame[frame["inner"] < 0]
    folds = setting.protocol.folds
    selector = frame["selector"]
    nested = {
        "procedure": estimate(frame[selector != YARDSTICK], measure, folds, n_rare),
        "baseline": estimate(frame[selector == "none"], measure, folds, n_rare),
        "yardstick": estimate(frame[selector == YARDSTICK], measure, folds, n_rare),
    }
    choice = choose(outer[outer["selector"] != YARDSTICK], measure)
    table = compared(outer, measures, Counter(nested["procedure"].chosen))
    n_features = max(k for task in comparison.plan.tasks for _, k in task.features)
    facts = {"pairs": pairs, "repeats": repeats, "folds": folds, "n_features": n_features}
    return Answer(measure, measures, choice, compared=table, **nested, **facts)


def counted(comparison: Comparison, records: dict[str, dict]) -> tuple[list[Pair], int]:
    """Pairs and repeats that the answer rests on: all of the pairs have all of the repeats.

    Of what is complete, the widest comparison, weighed by how precise its repeats make it: by the
    number of pairs over the corrected standard error, 1/n + n_test/n_train of n folds.
    """
    done = {pair: _repeats_done(comparison, records, pair) for pair in comparison.pairs}
    folds = comparison.plan.tasks[0].setting.protocol.folds
    best = [], 0
    for repeats in sorted(set(done.values()) - {0}):
        pairs = [pair for pair in comparison.pairs if done[pair] >= repeats]
        worth = len(pairs) / np.sqrt(1 / (folds * repeats) + 1 / (folds - 1))
        if not best[0] or worth > best[1]:
            best = pairs, worth
            chosen = pairs, repeats
    return chosen if best[0] else ([], 0)


def _repeats_done(comparison: Comparison, records: dict, pair: Pair) -> int:
    for repeat in range(comparison.repeats):
        for task in comparison.tasks[pair, repeat]:
            if records.get(task.key, {}).get("status") != "ok":
                return repeat
    return comparison.repeats


def measured(comparison, records, pairs, repeats: int, measures) -> pd.DataFrame:
    """A row for everything measured; `inner` is the inner fold, -1 in rows of the outer one."""
    rows = []
    for pair in pairs:
        for repeat in range(repeats):
            for task in comparison.tasks[pair, repeat]:
                place = _place(task)
                for row in records[task.key]["rows"]:
                    values = [row[name] for name in measures]
                    rows.append((*pair, row["features"], row["k"], repeat, *place, *values))
    columns = [*CANDIDATE, "k", "repeat", "fold", "inner", *measures]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(measures, float))


def _place(task) -> tuple[int, int]:
    protocol = task.setting.protocol
    return (
        (task.fold, -1) if protocol.n_folds == protocol.folds else divmod(task.fold, protocol.folds)
    )


def estimate(frame: pd.DataFrame, measure: str, folds: int, n_rare: int) -> Estimate:
    """What choosing by the inner folds is worth on the outer ones."""
    measures = list(frame.columns[frame.columns.get_loc("inner") + 1 :])
    values, chosen = [], []
    for _, part in frame.groupby(["repeat", "fold"]):
        inside = part["inner"] >= 0
        choice = choose(part[inside], measure)
        rows = part[~inside].set_index(CANDIDATE).loc[tuple(vars(choice).values())]
        values.append(rows[measures].to_numpy(dtype=float))
        chosen.append(choice)
    columns = np.array(values).T
    by = dict(zip(measures, columns, strict=True))
    return Estimate(by, chosen, 1 / (folds - 1), n_rare)


def choose(rows: pd.DataFrame, measure: str) -> Candidate:
    """The candidate with the largest mean; of equals the one with fewest features, then the first.

    One that is not defined somewhere is not chosen, unless none is everywhere.
    """
    by = rows.groupby(CANDIDATE, sort=False)
    found = by.agg(k=("k", "first"), mean=(measure, lambda values: values.mean(skipna=False)))
    found["mean"] = found["mean"].round(9).fillna(-np.inf)
    found = found.sort_values(["mean", "k"], ascending=[False, True], kind="stable")
    return Candidate(*found.index[0])


def compared(outer: pd.DataFrame, measures: list[str], picks: Counter) -> pd.DataFrame:
    """Mean and sd over the outer folds of every candidate, the best mean first."""
    by = outer.groupby(CANDIDATE, sort=False)
    table = by.agg(k=("k", "first"), folds=("fold", "size"))
    for name in measures:
        table[f"{name}_mean"], table[f"{name}_sd"] = by[name].mean(), by[name].std(ddof=1)
    table = table.reset_index()
    table["chosen_in"] = [picks.get(Candidate(*row), 0) for row in table[CANDIDATE].to_numpy()]
    order = [f"{measures[0]}_mean", "k"]
    table = table.sort_values(order, ascending=[False, True], kind="stable", ignore_index=True)
    return table.round(6)
