"""What a learner of rows knows of two classes: made wider, kept as plain arrays, put to use.

Arrays as wide as the largest index are mostly zeros that nobody has written; nothing here writes
them either, so that they take no memory.
"""

from copy import copy

import numpy as np

from imbfs.online.learner import RowLearner, nothing_kept

SIGNS = np.array([-1, 1])  # the majority and the minority
_BLOCK = 1 << 18  # weights looked at in one go


def begin(learner: RowLearner, n_features: int) -> None:
    """Know nothing yet of so many features."""
    learner._check()
    learner.n_features_in_ = n_features
    learner._begin(SIGNS, n_features)


def widen(learner: RowLearner, n_features: int) -> None:
    """Make room for more features; with a budget, there must have been more than it keeps."""
    learner._w = _wider(learner._w, n_features)
    learner._last = _wider(learner._last, n_features)
    if learner._kept[0] is not None:
        learner._kept = [_wider_budget(learner._kept[0], n_features)]
    learner.n_features_in_ = n_features


def remembered(learner: RowLearner) -> dict[str, np.ndarray]:
    """All that what it will learn depends on, but for its random numbers; see `recall`."""
    columns = _nonzero(learner._w[0])
    kept = learner._kept[0]
    return {
        "columns": columns,
        "weights": learner._w[0][columns],
        "paid": learner._last[0][columns],
        "state": learner._state.copy(),
        "kept": np.zeros(0, np.int64) if kept is None else kept[0][1 : kept[0][0] + 1].copy(),
    }


def recall(learner: RowLearner, n_features: int, known: dict[str, np.ndarray]) -> None:
    """Know again what was `remembered`."""
    begin(learner, n_features)
    columns = known["columns"]
    learner._w[0][columns] = known["weights"]
    learner._last[0][columns] = known["paid"]
    learner._state[:] = known["state"]
    if learner._kept[0] is not None:
        heap, place = learner._kept[0][:2]
        heap[0] = len(known["kept"])
        heap[1 : heap[0] + 1] = known["kept"]
        place[known["kept"]] = np.arange(1, heap[0] + 1)


def random_state(learner: RowLearner) -> dict | None:
    """Where its random numbers stand, if it draws any."""
    rng = getattr(learner, "_rng", None)
    return None if rng is None else rng[0].bit_generator.state


def recall_random(learner: RowLearner, state: dict | None) -> None:
    """Go on with random numbers where they stood."""
    if state is not None:
        learner._rng[0].bit_generator.state = state


def in_use(learner: RowLearner) -> tuple[np.ndarray, np.ndarray, int]:
    """The features it predicts with, their weights, and how many have one that may be cut."""
    columns = _nonzero(learner._w[0])
    narrow = copy(learner)
    narrow._w, narrow._last = learner._w[:, columns], learner._last[:, columns]
    weights = narrow.coef_[0]
    used = weights != 0.0
    return columns[used], weights[used], int(np.count_nonzero(narrow.scores_))


def _nonzero(w: np.ndarray) -> np.ndarray:
    parts = [at + np.flatnonzero(w[at : at + _BLOCK]) for at in range(0, len(w), _BLOCK)]
    return np.concatenate(parts)


def _wider(a: np.ndarray, n: int) -> np.ndarray:
    """The same with zeros at its end; blocks of zeros are not copied."""
    wide = np.zeros((*a.shape[:-1], n), a.dtype)
    for at in range(0, a.shape[-1], _BLOCK):
        part = a[..., at : at + _BLOCK]
        if part.any():
            wide[..., at : at + part.shape[-1]] = part
    return wide


def _wider_budget(kept: tuple, n_features: int) -> tuple:
    heap, place = kept[:2]
    _, _, *scratch = nothing_kept(len(heap) - 1, n_features)
    return heap, _wider(place, n_features), *scratch
