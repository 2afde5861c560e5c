"""Settings: what the methods of an experiment are compared at when their parameters are swept.

A parameter is swept if some method comes with several values of it; one of the same name is the
same parameter in every method. A setting fixes each swept parameter, and holds one variant of every
method: the one that agrees with it. A method without the parameter, or with a fixed value that
nobody sweeps, agrees with any.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from imbfs.methods import read_label
from imbfs.selectors import SELECTORS
from imbfs.showing.tables import last


@dataclass(frozen=True)
class Setting:
    """A value for every swept parameter, and the label of every method's variant."""

    values: dict[str, object] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def joined(self, variant: "_Variant") -> "Setting | None":
        """The setting with one method more, or nothing if they disagree."""
        if any(self.values.get(name, value) != value for name, value in variant.values.items()):
            return None
        return Setting(self.values | variant.values, self.labels | {variant.name: variant.label})

    def agrees(self, given: dict[str, object]) -> bool:
        """Whether it has these values; one that is not swept, some method must have."""
        params = [read_label(SELECTORS, label)[1] for label in self.labels.values()]
        return all(
            self.values[name] == value
            if name in self.values
            else any(value == fixed.get(name) for fixed in params)
            for name, value in given.items()
        )


@dataclass(frozen=True)
class _Variant:
    """A selector by its label: its method, and its values of the swept parameters."""

    name: str
    label: str
    values: dict[str, object]


def settings(labels: Iterable[str]) -> list[Setting]:
    """Every setting that has a variant of each method, in the order of the labels."""
    methods: dict[str, list[_Variant]] = {}
    for variant in _variants(list(dict.fromkeys(labels))):
        methods.setdefault(variant.name, []).append(variant)
    found = [Setting()]
    for variants in methods.values():
        pairs = (setting.joined(variant) for setting in found for variant in variants)
        found = [setting for setting in pairs if setting is not None]
    return found


def _variants(labels: list[str]) -> list[_Variant]:
    read = {label: read_label(SELECTORS, label) for label in labels}
    taken: dict[tuple[str, str], list] = {}  # the values of a method's parameter
    for method, params in read.values():
        for name, value in params.items():
            values = taken.setdefault((method, name), [])
            values += [] if value in values else [value]
    swept: dict[str, list] = {}
    for (_, name), values in taken.items():
        if len(values) > 1:
            swept.setdefault(name, []).extend(values)
    return [
        _Variant(method, label, {k: v for k, v in params.items() if v in swept.get(k, [])})
        for label, (method, params) in read.items()
    ]


def written(value: object) -> str:
    """How tables write the value of a parameter."""
    return f"{value:g}" if isinstance(value, float) else str(value)


class Standing(NamedTuple):
    """The complete settings, the best first, and how many are not complete.

    A row has the values of the swept parameters, the mean over methods, and that of each method.
    """

    table: pd.DataFrame
    incomplete: int


def standing(frame: pd.DataFrame, measure: str) -> Standing:
    """Compare the settings by a measure on the test part, at the last checkpoint.

    Averaged over sets and numbers of features within a method first, then over methods. Equal
    settings keep their order.
    """
    reached = last(frame, measure)
    whole = reached["mean"].where(reached["missing"] == 0)
    means = whole.groupby(reached["selector"]).agg(_mean_of_all)
    rows = []
    for setting in settings(frame["selector"]):
        values = {method: means.get(label, np.nan) for method, label in setting.labels.items()}
        swept = {name: written(value) for name, value in setting.values.items()}
        rows.append({**swept, "mean": np.mean(list(values.values())), **values})
    table = pd.DataFrame(rows, columns=list(rows[0]) if rows else ["mean"])
    complete = table.dropna()
    ordered = complete.sort_values("mean", ascending=False, kind="stable", ignore_index=True)
    return Standing(ordered, len(table) - len(complete))


def _mean_of_all(values: pd.Series) -> float:
    """The mean, or nan if one of them is."""
    return values.mean(skipna=False)
