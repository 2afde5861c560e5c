"""What came of a stream, in lines."""

import numpy as np

from imbfs.streaming.model import Model
from imbfs.streaming.tally import Checkpoint, Tally

_SHOWN = 8  # features of largest weight


def warnings(model: Model) -> list[str]:
    """What the user should know before trusting a model."""
    tally, (other, positive) = model.tally, model.classes
    n_other = tally.rows - tally.positives
    if tally.positives == 0 or n_other == 0:
        only = positive if n_other == 0 else other
        return [f"all rows are of class {only}: there is nothing to tell apart."]
    if tally.positives > n_other:
        return [
            f"class {positive}, which was to be found, has more rows than {other}. "
            f"Was --positive {other} meant?"
        ]
    return []


def summary(model: Model, checkpoints: list[Checkpoint]) -> list[str]:
    """Rows, measures and the features of largest weight."""
    tally, positive = model.tally, model.classes[1]
    lines = [
        f"{tally.rows:,} rows, {tally.positives:,} of class {positive}, {_passes(model.epoch)}"
    ]
    last = [c for c in checkpoints if c.part == "progressive"][-1:]
    for checkpoint in last + [c for c in checkpoints if c.part == "test"]:
        lines.append(f"{checkpoint.part:<12} {_measures(checkpoint)}")
    return [*lines, f"{'features':<12} {features(model)}"]


def _passes(epochs: int) -> str:
    return "one pass" if epochs == 1 else f"{epochs} passes"


def features(model: Model) -> str:
    """How many it predicts with, and those of largest weight as they are called."""
    selected, coef = model.arrays["selected"], model.arrays["coef"]
    order = np.argsort(-np.abs(coef), kind="stable")[:_SHOWN]
    names = [f"{_name(model, int(selected[i]))} ({coef[i]:+.3g})" for i in order]
    more = ", ..." if len(coef) > len(names) else ""
    return f"{len(coef):,}: {', '.join(names)}{more}" if names else "0"


def compared(tally: Tally) -> str:
    """The measures of a tally."""
    return _measures(Checkpoint.of(tally, "", 0, 0, 0))


def _measures(checkpoint: Checkpoint) -> str:
    values = {
        "g-mean": checkpoint.g_mean,
        "sensitivity": checkpoint.sensitivity,
        "specificity": checkpoint.specificity,
    }
    shown = {name: "-" if value is None else f"{value:.4f}" for name, value in values.items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def _name(model: Model, column: int) -> str:
    layout = model.layout
    if layout.names is None:
        return str(column)
    return [name for j, name in enumerate(layout.names) if j != layout.target][column]
