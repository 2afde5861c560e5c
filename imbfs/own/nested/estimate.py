"""What a comparison came to: what to recommend, and what it is worth on rows it has not met.

Two things are estimated. For the search, the choice is made anew for every outer fold by the inner
folds of its training rows, and measured on its test rows: the mean of that is not the best of many
noisy means, which is too good. For what is recommended, it is the outer folds of that combination
alone.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from imbfs import stats
from imbfs.own.nested.compared import BASELINES, CANDIDATE, YARDSTICK, Candidate
from imbfs.own.nested.decision import decide, difference
from imbfs.own.nested.schedule import Comparison, Pair, alike, rankings_of

GUESSING = 0.5  # the AUC of a guess, whatever the classes


@dataclass(frozen=True)
class Estimate:
    """The value of every outer fold by measure, and what was chosen in each."""

    values: dict[str, np.ndarray]
    chosen: list[Candidate]
    test_to_train: float
    sizes: tuple[int, ...]  # of the classes, the smallest first: samples, or groups of them

    def interval(self, measure: str) -> stats.Interval:
        """Mean and 95% interval, corrected for overlapping training rows, inside [0, 1].

        Folds that happen to agree do not make a few samples many: each end is at least as far out
        as `left_open` puts it.
        """
        found = stats.corrected_mean(self.values[measure], self.test_to_train)
        least = left_open(measure, min(1.0, max(0.0, found.value)), self.sizes)
        low, high = min(found.low, least.low), max(found.high, least.high)
        return stats.Interval(found.value, max(0.0, low), min(1.0, high))

    def beats_guessing(self) -> bool:
        return self.interval("auc").low > GUESSING


def left_open(measure: str, value: float, sizes: tuple[int, ...]) -> stats.Interval:
    """What classes of such sizes leave open about a value in [0, 1] that was measured on them.

    Of the AUC the interval of Hanley and McNeil, which has no width at 0 and 1; so its ends are
    never inside those of all or none of the smallest class. With several classes the AUC is a mean
    of one for each class against the rest. Of other measures, the binomial interval of a share of
    the smallest class.
    """
    if measure != "auc":
        return stats.binomial(value, sizes[0])
    parts = sizes if len(sizes) > 2 else sizes[:1]  # the two of two classes are the same
    errors = [stats.auc_error(value, n, sum(sizes) - n) for n in parts]
    reach = norm.ppf(0.975) * np.linalg.norm(errors) / len(parts)
    perfect = stats.binomial(1.0, sizes[0]).low
    return stats.Interval(value, min(value - reach, perfect), max(value + reach, 1 - perfect))


@dataclass(frozen=True)
class Answer:
    """All that is told of a comparison.

    `choice` is recommended and `recommended` its own estimate. `procedure` is that of searching for
    the best, `baseline` that of all features with a classifier chosen in the same way, `yardstick`
    that of random features. `kept` is all features with the classifier that suits them best, and
    `gain` what the `contender` has over that: the recommended selection, or else the best one.
    There is `nothing` where neither all features nor the search predict better than guessing, and
    no selection is recommended where the search loses: `search_gain` is what it has over
    `baseline`. `same` names selectors that rank as another does, which is compared for all of them.
    """

    measure: str
    measures: list[str]
    choice: Candidate
    kept: Candidate
    contender: Candidate | None
    recommended: Estimate
    procedure: Estimate
    baseline: Estimate
    yardstick: Estimate
    gain: stats.Interval | None
    search_gain: float
    nothing: bool
    compared: pd.DataFrame
    pairs: list[Pair]
    same: dict[str, str]
    repeats: int
    folds: int

    @property
    def above_random(self) -> stats.Interval:
        """What is recommended minus random features."""
        mine, other = self.recommended.values[self.measure], self.yardstick.values[self.measure]
        return difference(mine - other, self.recommended.test_to_train)

    @property
    def largest(self) -> float:
        """The best mean of all that was compared: optimistic."""
        return float(self.compared[f"{self.measure}_mean"].max())

    @property
    def picks(self) -> list[tuple[Candidate, int]]:
        """What was chosen in the outer folds, the most frequent first."""
        return Counter(self.procedure.chosen).most_common()


def answer(
    comparison: Comparison, records: dict[str, dict], measure: str, sizes: tuple[int, ...]
) -> Answer:
    """What the records come to; `sizes` are those of the classes, the smallest first."""
    pairs, repeats = counted(comparison, records)
    setting = comparison.plan.tasks[0].setting
    measures, folds = list(setting.measures), setting.protocol.folds
    frame = measured(comparison, records, pairs, repeats, measures)
    outer, selector = frame[frame["inner"] < 0], frame["selector"]
    procedure = estimate(frame[selector != YARDSTICK], measure, folds, sizes)
    baseline = estimate(frame[selector == "none"], measure, folds, sizes)
    yardstick = estimate(frame[selector == YARDSTICK], measure, folds, sizes)
    every = fixed(outer, measures, folds, sizes)
    kept = choose(outer[outer["selector"] == "none"], measure)
    all_features = every[kept].values[measure]
    selections = {
        one: of.values[measure]
        for one, of in every.items()
        if one.selector not in BASELINES and np.isfinite(of.values[measure]).all()
    }
    counts = outer.groupby(CANDIDATE, sort=False)["k"].first()
    counts = {Candidate(*key): int(k) for key, k in counts.items()}
    least, ratio = yardstick.values[measure].mean(), baseline.test_to_train
    nothing = not (baseline.beats_guessing() or procedure.beats_guessing())
    search_gain = float((procedure.values[measure] - baseline.values[measure]).mean())
    best = None
    if not nothing and search_gain >= 0:
        best = decide(all_features, selections, counts, least, ratio)
    contender = best or max(selections, key=lambda one: selections[one].mean(), default=None)
    gain = contender and difference(selections[contender] - all_features, ratio)
    choice = best or kept
    return Answer(
        measure,
        measures,
        choice,
        kept,
        contender,
        every[choice],
        procedure,
        baseline,
        yardstick,
        gain,
        search_gain,
        nothing,
        compared(outer, measures, Counter(procedure.chosen)),
        pairs,
        alike(comparison, rankings_of(records)),
        repeats,
        folds,
    )


def counted(comparison: Comparison, records: dict[str, dict]) -> tuple[list[Pair], int]:
    """Pairs and repeats that the answer rests on: all of the pairs have all of the repeats.

    Of what is complete, the widest comparison, weighed by how precise its repeats make it: by the
    number of pairs over the corrected standard error, 1/n + n_test/n_train of n folds.
    """
    same = alike(comparison, rankings_of(records))
    tried = [pair for pair in comparison.pairs if pair[0] not in same]
    done = {pair: _repeats_done(comparison, records, pair) for pair in tried}
    folds = comparison.plan.tasks[0].setting.protocol.folds
    best = [], 0
    for repeats in sorted(set(done.values()) - {0}):
        pairs = [pair for pair in tried if done[pair] >= repeats]
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


def estimate(frame: pd.DataFrame, measure: str, folds: int, sizes: tuple[int, ...]) -> Estimate:
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
    return Estimate(by, chosen, 1 / (folds - 1), sizes)


def fixed(outer: pd.DataFrame, measures, folds: int, sizes) -> dict[Candidate, Estimate]:
    """The estimate of every combination by itself, its outer folds in the order of `estimate`."""
    found = {}
    ordered = outer.sort_values(["repeat", "fold"], kind="stable")
    for key, part in ordered.groupby(CANDIDATE, sort=False):
        values = {name: part[name].to_numpy(dtype=float) for name in measures}
        found[Candidate(*key)] = Estimate(values, [], 1 / (folds - 1), sizes)
    return found


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
