"""Which selectors differ over problems: paired tests of every two, and mean ranks of all."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import pandas as pd

from imbfs import stats

ALPHA = 0.05


@dataclass(frozen=True)
class Differences:
    """Selectors by mean rank, the best first, the critical difference, and who is within it."""

    ranks: pd.Series
    critical: float
    alike: list[list[str]]
    values: pd.DataFrame
    against: str | None

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The mean difference of every two selectors and the p-values of paired tests."""
        rows = []
        for one, other in paired(self.values, self.against):
            pair = self.values[one].to_numpy(), self.values[other].to_numpy()
            tests = stats.paired_t(*pair).p, stats.wilcoxon(*pair).p
            rows.append((one, other, (pair[0] - pair[1]).mean(), *tests))
        pairs = pd.DataFrame(rows, columns=["selector", "against", "difference", "t", "wilcoxon"])
        return pairs.assign(holm=stats.holm(pairs["wilcoxon"].to_numpy()))


def differences(values: pd.DataFrame, against: str | None = None) -> Differences | None:
    """Compare selectors on the same problems, a row of `values` each; nothing on too few.

    All of them by mean rank with Nemenyi's critical difference; every two, or each `against` one,
    by the paired t-test of [Wasikowski2009] and by Wilcoxon's test, the latter also with Holm's
    correction for their number.
    """
    if len(values) < 2 or values.shape[1] < 2:
        return None
    ranks = stats.mean_ranks(values.to_numpy())
    critical = stats.critical_difference(values.shape[1], len(values), ALPHA)
    alike = [[values.columns[i] for i in group] for group in stats.groups(ranks, critical)]
    ordered = pd.Series(ranks, values.columns).sort_values(kind="stable")
    return Differences(ordered, critical, alike, values, against)


def paired(values: pd.DataFrame, against: str | None) -> Iterator[tuple[str, str]]:
    """Every two selectors, or every one and the one they are held `against`."""
    if against is None:
        return combinations(values.columns, 2)
    held = [against] if against in values else []
    return ((name, other) for other in held for name in values if name != other)
