"""What describes a run: features selected and used, decisions that are ties, means of classes."""

from collections.abc import Callable

import numpy as np

from imbfs.measures.shares import share


def recovery(selected: np.ndarray | None, relevant: np.ndarray | None) -> float:
    """Share of the relevant features that were selected, of as many as there was room for.

    |S and R| / min(|S|, |R|), for sets whose relevant features R are known; else nan.
    """
    if selected is None or relevant is None:
        return np.nan
    room = min(len(selected), len(relevant))
    return len(np.intersect1d(selected, relevant)) / room


def features_used(used: int | None) -> float:
    """How many features have a weight that is not 0; unknown of what has no weights."""
    return np.nan if used is None else float(used)


def zero_share(decision: np.ndarray) -> float:
    """Share of the decision values that are exactly 0, so that a rule for ties decides."""
    return share(decision == 0.0)


def dead(used: int | None) -> float:
    """1 if no feature has a weight, else 0; the mean is the share of runs whose weights died."""
    return np.nan if used is None else float(used == 0)


def positive_share(predicted: np.ndarray) -> float:
    """Share of the samples that are predicted to be of the minority."""
    return share(predicted > 0)


def cost(cost: float | None) -> float:
    """The cost c+ that a learner with several of them picked; unknown of all others."""
    return np.nan if cost is None else float(cost)


def minority_mean(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the minority's test rows: as fresh data tell it."""
    return np.nan if class_mean is None else class_mean("test", +1)


def majority_mean(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the majority's test rows: as fresh data tell it."""
    return np.nan if class_mean is None else class_mean("test", -1)


def minority_mean_seen(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the minority's rows that they were selected on."""
    return np.nan if class_mean is None else class_mean("training", +1)


def majority_mean_seen(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the majority's rows that they were selected on."""
    return np.nan if class_mean is None else class_mean("training", -1)
