"""Approaches: every selector with every resampling and classifier, on the same problems."""

from typing import NamedTuple

import pandas as pd

from imbfs.config.shown import ALL, MEAN, Shown
from imbfs.showing.averages import blocks

PLAIN = "none"  # the selector and the resampling that leave the data as they are
_APPROACH = ["selector", "resampling", "classifier"]


class Approaches(NamedTuple):
    """Mean and sd over problems of every approach, the best first; their number, the plain mean.

    The plain approach has all features, no resampling and the first classifier; nan without it.
    """

    table: pd.DataFrame
    problems: int
    plain: float


def approaches(frame: pd.DataFrame, shown: Shown) -> Approaches:
    """Compare the approaches at one number of features, [Wasikowski2009] Fig. 5.13.

    On the problems where every one of them has a complete value. Equal ones keep their order.
    """
    every = shown.model_copy(update={"group": ALL})
    columns = {}
    for block in blocks(frame, every):
        if block.classifier != MEAN:
            for selector, values in block.at(shown.features).items():
                columns[selector, block.resampling, block.classifier] = values
    values = pd.concat(columns, axis=1, join="inner", names=_APPROACH) if columns else _NOTHING
    # Without what binary fractions add, or equal means would not be.
    table = pd.DataFrame({"mean": values.mean().round(9), "sd": values.std(ddof=1)})
    plain = table["mean"].get((PLAIN, PLAIN, frame["classifier"].iloc[0]), float("nan"))
    ordered = table.dropna(subset="mean").sort_values("mean", ascending=False, kind="stable")
    return Approaches(ordered.reset_index(), len(values), plain)


_NOTHING = pd.DataFrame(columns=pd.MultiIndex.from_tuples([], names=_APPROACH))
