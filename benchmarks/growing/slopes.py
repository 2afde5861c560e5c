"""Curves of what was measured, their slopes in log-log, and whether these are as they should be."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from growing.work import DENSITY, N_SAMPLES

UPPER = 100.0  # a slope is that of the sizes from the largest down to this part of it
LEAST = 1.0  # megabytes; less is as much as none
CLOSE = 0.2  # how much steeper a slope may be than its aim
# Of time and of memory. A stream has no more features when it has more rows.
AIMS = {
    "rows": (1.0, 0.0),
    "non-zeros": (1.0, 0.0),
    "features": (1.0, 1.0),
    "dense": (1.0, 1.0),
    "sparse": (1.0, 1.0),
}


class Curve(NamedTuple):
    """A method against a size: what was taken, and the slopes of seconds and megabytes."""

    method: str
    against: str
    sizes: np.ndarray
    seconds: np.ndarray
    megabytes: np.ndarray
    time: float
    memory: float
    complete: bool

    @property
    def faults(self) -> list[str]:
        """What is steeper than its aim, and whether sparse data were filled in."""
        time, memory = AIMS[self.against]
        found = ["time"] if self.time > time + CLOSE else []
        found += ["memory"] if self.memory > memory + CLOSE else []
        return found + (["filled in"] if self._filled_in else [])

    @property
    def _filled_in(self) -> bool:
        """Whether it took half as much as all values would, where few are stored."""
        whole = 8e-6 * N_SAMPLES * self.sizes[-1]
        few = self.against == "sparse" and DENSITY < 0.1
        return few and self.megabytes[-1] > max(whole / 2, LEAST)


def curves(table: pd.DataFrame) -> dict[tuple[str, str], Curve]:
    """All curves of a table, by method and size, in its order."""
    found = {}
    for (against, method), rows in table.groupby(["against", "method"], sort=False):
        taken = rows[rows["seconds"].notna()].sort_values("size")
        if len(taken):
            arrays = (taken[name].to_numpy(float) for name in ("size", "seconds", "megabytes"))
            found[method, against] = _curve(method, against, *arrays, len(taken) == len(rows))
    return found


def _curve(method, against, sizes, seconds, megabytes, complete) -> Curve:
    megabytes = np.maximum(megabytes, LEAST)
    slopes = slope(sizes, seconds), slope(sizes, megabytes)
    return Curve(method, against, sizes, seconds, megabytes, *slopes, complete)


def slope(sizes: np.ndarray, values: np.ndarray) -> float:
    """The slope of a line through the logarithms over the upper sizes; NaN of one point."""
    upper = (sizes >= sizes.max() / UPPER) & (values > 0)
    if upper.sum() < 2:
        return np.nan
    return float(np.polyfit(np.log10(sizes[upper]), np.log10(values[upper]), 1)[0])
