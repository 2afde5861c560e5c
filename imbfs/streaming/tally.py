"""Progressive measures: every row is predicted, then learned; checkpoints of them as CSV."""

import math
from dataclasses import asdict, dataclass, fields

import numpy as np

FIRST = 100  # rows at the first checkpoint; then 200, 500, 1000, ...


@dataclass
class Tally:
    """How many rows of either class were predicted right and wrong."""

    tp: int = 0
    fn: int = 0
    tn: int = 0
    fp: int = 0

    def add(self, signs: np.ndarray, found: np.ndarray) -> None:
        """Count rows that are (+1) or are not (-1) of the class, and whether it was `found`."""
        positive = signs > 0
        counts = (positive, found, positive & found)
        n_positive, n_found, hits = (int(np.count_nonzero(rows)) for rows in counts)
        self.tp += hits
        self.fn += n_positive - hits
        self.fp += n_found - hits
        self.tn += len(signs) - n_positive - n_found + hits

    @property
    def rows(self) -> int:
        return self.tp + self.fn + self.tn + self.fp

    @property
    def positives(self) -> int:
        """How many were of the class to find."""
        return self.tp + self.fn

    @property
    def sensitivity(self) -> float:
        """tp / (tp + fn); nan of no rows, as of the others."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else math.nan

    @property
    def specificity(self) -> float:
        return self.tn / (self.tn + self.fp) if self.tn + self.fp else math.nan

    @property
    def g_mean(self) -> float:
        return math.sqrt(self.sensitivity * self.specificity)


@dataclass(frozen=True)
class Checkpoint:
    """What had come of a stream after so many rows."""

    part: str
    epoch: int
    rows: int
    positives: int
    g_mean: float | None
    sensitivity: float | None
    specificity: float | None
    features: int
    learned: int

    @classmethod
    def of(cls, tally: Tally, part: str, epoch: int, features: int, learned: int) -> "Checkpoint":
        """A tally with measures to six places; one that is not defined is None."""
        measures = (tally.g_mean, tally.sensitivity, tally.specificity)
        shown = (None if math.isnan(value) else round(value, 6) for value in measures)
        return cls(part, epoch, tally.rows, tally.positives, *shown, features, learned)


def next_checkpoint(rows: int) -> int:
    """The first of 100, 200, 500, 1000, ... after so many rows."""
    at = FIRST
    while True:
        for factor in (1, 2, 5):
            if at * factor > rows:
                return at * factor
        at *= 10


def sheet(checkpoints: list[Checkpoint]) -> str:
    """Checkpoints as CSV."""
    lines = [",".join(field.name for field in fields(Checkpoint))]
    for checkpoint in checkpoints:
        values = asdict(checkpoint).values()
        lines.append(",".join("" if value is None else str(value) for value in values))
    return "\n".join(lines) + "\n"
