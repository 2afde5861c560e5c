"""Which combination to recommend: all features, unless fewer are shown not to be worse.

A selection is not worse where the interval of its difference to all features, paired over the outer
folds and corrected for overlapping training rows [Nadeau2003], excludes a loss that matters. A mean
that is merely higher does not do: of many combinations one has it by chance.
"""

import numpy as np

from imbfs import stats
from imbfs.own.nested.compared import Candidate

MARGIN = 0.02  # a smaller loss does not matter
LEVEL = 0.80  # of the interval: benchmarks/advice.py measures what that promises


def decide(
    all_features: np.ndarray,
    selections: dict[Candidate, np.ndarray],
    sizes: dict[Candidate, int],
    least: float,
    test_to_train: float,
) -> Candidate | None:
    """The selection to recommend, or None to keep all features.

    The values are those of the same outer folds. Of the selections that are not worse than all
    features, and in the mean not below `least`, those within one standard error of the best are as
    good as it, and the one with the fewest features wins.
    """
    means = {one: values.mean() for one, values in selections.items()}
    good = [
        one
        for one, values in selections.items()
        if means[one] >= least and not_worse(values - all_features, test_to_train)
    ]
    if not good:
        return None
    best = max(good, key=means.get)
    near = [
        one
        for one in good
        if means[best] - means[one]
        <= stats.corrected_error(selections[best] - selections[one], test_to_train)
    ]
    return min(near, key=lambda one: (sizes[one], -means[one]))


def not_worse(differences: np.ndarray, test_to_train: float) -> bool:
    """Whether the differences to all features exclude a loss of MARGIN and allow for none."""
    found = difference(differences, test_to_train)
    return found.low > -MARGIN and found.high >= 0


def difference(differences: np.ndarray, test_to_train: float) -> stats.Interval:
    return stats.corrected_mean(differences, test_to_train, level=LEVEL)
