"""What several measures are made of."""

import numpy as np


def both_classes(y: np.ndarray) -> bool:
    """Whether y has a minority and a majority: else no measure of the two is defined."""
    return 0 < np.count_nonzero(y > 0) < len(y)


def share(hits: np.ndarray) -> float:
    """The share of True; nan of nothing."""
    return float(hits.mean()) if hits.size else np.nan
