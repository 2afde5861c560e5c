"""Imposed ratios: of two classes one is cut, of several all are, to a long tail."""

import math

import numpy as np

from imbfs.errors import UserError
from imbfs.methods import BINARY


def impose_ratio(y: np.ndarray, ratio: float | None, seed: int, by: str = "either") -> np.ndarray:
    """Rows that leave `ratio` majority samples per minority sample; None keeps all.

    Reached `by` dropping samples of the minority, of the majority, or of `either`: the minority for
    a ratio above the natural one, the majority for one below. On either side of the natural ratio
    the rows of one seed are nested: those of 1:20 are among those of 1:10.
    """
    if ratio is None:
        return np.arange(len(y))
    n_minority, n_majority = counts_at(y, ratio, by)
    rng = np.random.default_rng(seed)
    minority = rng.permutation(np.flatnonzero(y > 0))[:n_minority]
    majority = rng.permutation(np.flatnonzero(y < 0))[:n_majority]
    return np.sort(np.concatenate([minority, majority]))


def counts_at(y: np.ndarray, ratio: float | None, by: str = "either") -> tuple[int, int]:
    """How many minority and majority samples an imposed ratio leaves."""
    n_minority, n_majority = int(np.sum(y > 0)), int(np.sum(y < 0))
    if ratio is None:
        return n_minority, n_majority
    natural = n_majority / n_minority
    if by == ("majority" if ratio > natural else "minority") and ratio != natural:
        raise UserError(
            f"ratios: {ratio:g} cannot be reached by dropping {by} samples; the natural ratio is "
            f"{natural:.3g}. Leave ratio_by at either."
        )
    if ratio >= natural:
        return round(n_majority / ratio), n_majority
    return n_minority, round(n_minority * ratio)


def impose_tail(
    y: np.ndarray, ratio: float | None, seed: int, like: np.ndarray | None = None
) -> np.ndarray:
    """Rows that leave several classes with a long tail; None keeps all.

    The rows of one seed are nested: those of a tail of 1:50 are among those of 1:10.
    """
    if ratio is None:
        return np.arange(len(y))
    rng = np.random.default_rng(seed)
    counts = tail_counts(y, ratio, like)
    kept = [rng.permutation(np.flatnonzero(y == k))[:count] for k, count in enumerate(counts)]
    return np.sort(np.concatenate(kept))


def tail_counts(y: np.ndarray, ratio: float | None, like: np.ndarray | None = None) -> list[int]:
    """How many samples of each class a long tail leaves, n_k = n_0 ratio^(-k / (c - 1)), [Cui2019].

    k = 0 is the largest of c classes, of equal ones the first; whether in y, or in another that it
    has to be `like`. n_k is rounded, and a class that has fewer samples keeps them.
    """
    natural = np.bincount(y)
    if ratio is None:
        return natural.tolist()
    sizes = natural if like is None else np.bincount(like, minlength=len(natural))
    k = np.argsort(np.argsort(-sizes, kind="stable"))
    tail = np.rint(natural.max() * ratio ** (-k / max(1, len(sizes) - 1)))
    return np.minimum(natural, tail[: len(natural)]).astype(int).tolist()


def counts_left(
    y: np.ndarray,
    kind: str,
    ratio: float | None,
    by: str = "either",
    like: np.ndarray | None = None,
) -> list[int]:
    """How many samples a ratio leaves of each class; of two, the minority comes first."""
    if kind == BINARY:
        return list(counts_at(y, ratio, by))
    if ratio is not None and ratio <= 1:
        raise UserError(f"ratios: {ratio:g} leaves no long tail of classes. One above 1 does.")
    if ratio is not None and by != "either":
        raise UserError("ratio_by: of several classes all may be cut. Leave it at either.")
    return tail_counts(y, ratio, like)


def natural_ratio(y: np.ndarray, kind: str) -> float:
    """Samples of the majority, or of the largest class, for one of the minority or smallest."""
    counts = counts_left(y, kind, None)
    few, many = counts if kind == BINARY else (min(counts), max(counts))
    return many / few if few else math.inf
