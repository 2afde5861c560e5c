"""Every random choice about data but ratios: folds, held-out parts, stream orders; seeds.

Seeds are derived from what is split (experiment seed, data, ratio, repeat, fold) and never from the
method, so that all methods meet the same rows in the same order.
"""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Gt, Lt

from imbfs.errors import UserError
from imbfs.methods import EVERY_KIND, MULTILABEL, Count, Method
from imbfs.ratios import counts_left, natural_ratio

Share = Annotated[float, Gt(0), Lt(1)]


def seed_for(*parts) -> int:
    """A 32-bit seed that depends on every part and on nothing else."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:4], "little")


@dataclass(frozen=True)
class CV:
    """Stratified cross-validation, repeated with new folds each time."""

    repeats: Count = 5
    folds: Annotated[int, Ge(2)] = 4

    fixed = False

    @property
    def n_folds(self) -> int:
        return self.folds

    @property
    def smallest_class(self) -> int:
        """How many samples of each class it takes to have some in every part."""
        return self.folds

    def n_training(self, count: int) -> int:
        """How many of `count` samples of a class are left for training, at least."""
        return count - -(-count // self.folds)

    def split(self, y, kind: str, seed: int, fold: int, repeat: int = 0, together=None):
        if together is not None:
            train, test = _apart(fold_of(y, together, self.folds, seed), fold)
            return shuffled(train, seed, fold), test
        from sklearn.model_selection import KFold, StratifiedKFold

        splitter = KFold if kind == MULTILABEL else StratifiedKFold
        folds = splitter(self.folds, shuffle=True, random_state=seed)
        train, test = list(folds.split(np.zeros(len(y)), y))[fold]
        return shuffled(train, seed, fold), test


@dataclass(frozen=True)
class Inner(CV):
    """Cross-validation of the training rows of every fold of a cross-validation, by as many folds.

    Fold `i * folds + j` leaves the inner fold j of the rows that fold i of the outer one trains on:
    what is chosen there has not met the test rows of fold i.
    """

    @property
    def n_folds(self) -> int:
        return self.folds**2

    @property
    def smallest_class(self) -> int:
        count = self.folds
        while self.n_training(count) < self.folds:
            count += 1
        return count

    def split(self, y, kind: str, seed: int, fold: int, repeat: int = 0, together=None):
        outer, inner = divmod(fold, self.folds)
        rows = np.sort(super().split(y, kind, seed, outer, repeat, together)[0])
        together = None if together is None else together[rows]
        own = seed_for("inner", seed, outer)
        train, test = super().split(y[rows], kind, own, inner, repeat, together)
        return rows[train], rows[test]


@dataclass(frozen=True)
class Holdout:
    """A stratified share of the samples held out, repeated with a new part each time.

    A `fixed` part is drawn once: every repeat has the same training rows, in a new order, and the
    same test rows.
    """

    repeats: Count = 10
    test: Share = 0.25
    part: Literal["fresh", "fixed"] = "fresh"

    n_folds = 1

    @property
    def fixed(self) -> bool:
        return self.part == "fixed"

    @property
    def smallest_class(self) -> int:
        return _enough(self.test)

    def n_training(self, count: int) -> int:
        return math.floor(count * (1 - self.test))

    def split(self, y, kind: str, seed: int, fold: int = 0, repeat: int = 0, together=None):
        train, test = hold_out(y, kind, self.test, seed, together)
        # A fixed part has the same seed in every repeat, a fresh one a seed of its own.
        return shuffled(train, seed, repeat if self.fixed else fold), test


@dataclass(frozen=True)
class Online(Holdout):
    """A stream in random order: measured as it is learned, and on a share that is held out.

    The stream stops at `checkpoints` evenly spaced moments to be measured.
    """

    repeats: Count = 20
    test: Share = 0.2
    checkpoints: Count = 10

    def stops(self, n_samples: int) -> list[int]:
        """How many samples have been seen at each checkpoint; the last one has seen all."""
        marks = np.linspace(0, n_samples, self.checkpoints + 1)[1:]
        return sorted({max(1, round(mark)) for mark in marks})


PROTOCOLS = {
    "cv": Method(CV, kinds=EVERY_KIND),
    "holdout": Method(Holdout, kinds=EVERY_KIND),
    "online": Method(Online, kinds=EVERY_KIND),
}


_NEVER_NAMED = {"inner": Method(Inner, kinds=EVERY_KIND)}  # in a config


class Given:
    """How a set with test rows of its own is split: nothing is held out of either."""

    smallest_class = 1

    @staticmethod
    def n_training(count: int) -> int:
        return count


def identity(protocol, given: bool = False) -> dict:
    """What of a protocol can change one split: all but how often it is repeated.

    Where the test rows are given, how some are held out changes nothing.
    """
    fields = asdict(protocol)
    del fields["repeats"]
    if given:
        del fields["test"]
    if given or not protocol.fixed:
        fields.pop("part", None)  # keys are older than the choice
    revision = (PROTOCOLS | _NEVER_NAMED)[type(protocol).__name__.lower()].revision
    return {"protocol": type(protocol).__name__, "revision": revision, **fields}


def hold_out(y: np.ndarray, kind: str, share: float, seed: int, together=None):
    """Train and test rows, the test part a share of every class.

    Where rows belong together the share is one of 1/2, 1/3, ..., the nearest to it.
    """
    if together is not None:
        return _apart(fold_of(y, together, max(2, round(1 / share)), seed), 0)
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    splitter = ShuffleSplit if kind == MULTILABEL else StratifiedShuffleSplit
    return next(splitter(1, test_size=share, random_state=seed).split(np.zeros(len(y)), y))


def fold_of(y: np.ndarray, together: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """The fold of every row: rows of one number in `together` in one fold, classes spread evenly.

    Groups are dealt out in random order, the largest first, each to the fold that has least of its
    classes; single rows then fill up the folds, class by class.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    classes = np.unique(y if y.ndim == 1 else np.zeros(len(y)), return_inverse=True)[1]
    total = np.bincount(classes)
    group = np.unique(together, return_inverse=True)[1]
    size = np.bincount(group)
    have = np.zeros((folds, len(total)))
    found = np.empty(len(y), dtype=np.int64)
    grouped = order[size[group[order]] > 1]
    for number in sorted(dict.fromkeys(group[grouped]), key=lambda number: -size[number]):
        rows = np.flatnonzero(group == number)
        counts = np.bincount(classes[rows], minlength=len(total))
        # The growth of the sum of squares of class shares, then the size, decide.
        growth = (have * (counts / total**2)).sum(axis=1)
        fold = np.lexsort((have.sum(axis=1), growth))[0]
        have[fold] += counts
        found[rows] = fold
    single = order[size[group[order]] == 1]
    for label in range(len(total)):
        rows = single[classes[single] == label]
        found[rows] = _filling(have[:, label], have.sum(axis=1), len(rows))
        have[:, label] += np.bincount(found[rows], minlength=folds)
    return found


def _filling(have: np.ndarray, size: np.ndarray, n_rows: int) -> np.ndarray:
    """The folds that so many rows of a class go to, the emptiest first; of equals the smallest."""
    smallest = np.argsort(size, kind="stable")
    levels = have[smallest] + np.arange(n_rows)[:, None]
    return smallest[np.argsort(levels, axis=None, kind="stable")[:n_rows] % len(have)]


def _apart(folds: np.ndarray, fold: int) -> tuple[np.ndarray, np.ndarray]:
    return np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def shuffled(rows: np.ndarray, seed: int, number: int) -> np.ndarray:
    """The training rows in random order: a file sorted by class must not misguide a learner."""
    return np.random.default_rng([seed, number]).permutation(rows)


def check_splittable(
    protocol,
    y: np.ndarray,
    kind: str,
    ratio: float | None,
    by: str = "either",
    validation: float | None = None,
    like: np.ndarray | None = None,
) -> None:
    """Refuse, before anything runs, a ratio or a protocol that the class counts do not allow."""
    if kind == MULTILABEL:
        if ratio is not None:
            raise UserError("ratios: a multi-label set keeps its natural ratio.")
        return
    smallest = min(counts_left(y, kind, ratio, by, like))
    needed = protocol.smallest_class
    if smallest < needed:
        what = f"{smallest} samples of the smaller class"
        if ratio is not None:
            what = f"a ratio of {ratio:g} leaves {what} (natural: {natural_ratio(y, kind):.3g})"
            raise UserError(f"ratios: {what}, but {needed} are needed.")
        raise UserError(f"protocol: {what} are fewer than the {needed} it takes to split them.")
    if validation is not None and protocol.n_training(smallest) < _enough(validation):
        raise UserError(
            f"tuning: {protocol.n_training(smallest)} training samples of the smaller class are "
            f"too few to keep a share of {validation:g} of them for validation. "
            f"{_enough(validation)} are needed."
        )


def _enough(share: float) -> int:
    """How many samples leave at least one on either side of a share."""
    return math.ceil(1 / min(share, 1 - share) - 1e-9)
