"""From scores to features: the one place where k are chosen, ties to the lower index."""

import math
import re
from numbers import Integral

import numpy as np

from imbfs.errors import UserError


def ranking(scores: np.ndarray) -> np.ndarray:
    """Feature indices from the highest score to the lowest, ties in order of index."""
    return np.argsort(-np.asarray(scores), kind="stable")


def best(scores: np.ndarray, k: int, above: float = -math.inf) -> np.ndarray:
    """The first k of the ranking, without making the rest of it; only scores `above` a bound."""
    candidates = np.flatnonzero(scores > above)
    if len(candidates) > k:
        last = np.partition(scores[candidates], -k)[-k]
        candidates = candidates[scores[candidates] >= last]
    return candidates[ranking(scores[candidates])][:k]


def feature_count(given) -> int | str:
    """A number of features, a percentage such as '5%', or 'all'; anything else is refused."""
    if isinstance(given, str):
        match = re.fullmatch(r"(\d+(\.\d+)?)%", given)
        if given == "all" or (match and 0 < float(match[1]) <= 100):
            return given
    elif isinstance(given, Integral) and not isinstance(given, bool) and given >= 1:
        return int(given)
    raise UserError(
        f"{given!r} is no number of features. Write 50, 5% (above 0, up to 100) or all."
    )


def how_many(count: int | str, n_features: int) -> int:
    """What a number of features means for a set of `n_features`.

    A percentage is rounded half up, to at least one feature.
    """
    count = feature_count(count)
    if count == "all":
        return n_features
    if isinstance(count, str):
        return max(1, math.floor(float(count.rstrip("%")) * n_features / 100 + 0.5))
    if count > n_features:
        raise UserError(f"features: {count} is more than the {n_features} features there are.")
    return count
