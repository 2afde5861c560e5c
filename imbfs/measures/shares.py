"""What several measures are made of."""

import numpy as np


def both_classes(y: np.ndarray) -> bool:
    """Whether y has a minority and a majority: else no measure of the two is defined."""
    return 0 < np.count_nonzero(y > 0) < len(y)


def share(hits: np.ndarray) -> float:
    """The share of True; nan of nothing."""
    return float(hits.mean()) if hits.size else np.nan


def share_of(own: np.ndarray, hits: np.ndarray) -> float:
    """The share of the samples in the mask `own` that are hits; nan of none."""
    size = np.count_nonzero(own)
    return float(np.count_nonzero(own & hits) / size) if size else np.nan


def labels_of(y: np.ndarray) -> np.ndarray:
    """The values in y, in order; where there are two, without a table of all."""
    if len(y):
        ends = np.array([y.min(), y.max()])
        if sum(np.count_nonzero(y == end) for end in ends) == len(y):
            return ends
    return np.unique(y)
