"""What is compared on a set, best first, and the config that says so."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import issparse

from imbfs import splits
from imbfs.classifiers import CLASSIFIERS
from imbfs.config.fields import judging
from imbfs.errors import UserError, lookup
from imbfs.measures import MEASURES
from imbfs.methods import parameters
from imbfs.own.intake import Intake
from imbfs.selectors import SELECTORS

BASELINES = ("none", "random")  # all features, and features chosen blindly
YARDSTICK = "random"  # compared, and never recommended
# Cheap and strong ones first; those that are not named come behind, in the order of the table.
_SELECTORS = "none random s2n fisher fast mi hellinger relieff auc chi l1svm mbpa mrmr".split()
_CLASSIFIERS = ("naive_bayes", "svm", "nearest_neighbour")
_COUNTS, _FEW_COUNTS = (5, 10, 20, 50, 100, 200), (1, 2, 3, 5, 10)
_REPORTED = ("auc", "f_measure", "g_mean")
_MOST_FOLDS, _MANY_ROWS = 4, 5000  # three folds are enough of many rows
CANDIDATE = ["selector", "classifier", "features"]


@dataclass(frozen=True)
class Candidate:
    """A selector, a classifier and a number of features."""

    selector: str
    classifier: str
    features: str


@dataclass(frozen=True)
class Asked:
    """What a user asked of a comparison, beyond the data."""

    measure: str = "auc"
    selectors: tuple[str, ...] = ()
    classifiers: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    repeats: int = 5
    seed: int = 0


def config(taken: Intake, asked: Asked, name: str) -> dict:
    """The experiment as a config has it."""
    kind = taken.kind
    judged(asked.measure, kind)
    spec = {**taken.spec, "path": str(Path(taken.spec["path"]).absolute())}
    return {
        "name": re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_.-") or "benchmark",
        "datasets": [spec],
        "selectors": [entry(name) for name in selectors(kind, asked.selectors)],
        "classifiers": classifiers(kind, asked.classifiers),
        "features": counts(taken.X.shape[1], asked.counts),
        "measures": list(dict.fromkeys((asked.measure, *_REPORTED))),
        "protocol": {"cv": {"repeats": asked.repeats, "folds": folds(taken)}},
        "preprocess": "unit_rows" if issparse(taken.X) else "standardize",
        "seed": asked.seed,
    }


def written(content: dict, notes: list[str]) -> str:
    """A config as text, one line a key, under some notes."""
    lines = [f"# {note}".rstrip() for note in notes]
    for key, value in content.items():
        shown = json.dumps(value, ensure_ascii=False) if key == "datasets" else None
        text = shown or yaml.safe_dump(value, default_flow_style=True, width=10**6).strip()
        lines.append(f"{key}: {text.removesuffix('...').strip()}")
    return "\n".join(lines) + "\n"


def judged(measure: str, kind: str) -> str:
    """The measure that chooses, if it can."""
    method = lookup(MEASURES, measure, "measure")
    judging(measure)
    if kind not in method.kinds or measure == "recovery":
        raise UserError(f"--measure {measure}: is no measure of {kind} data of one's own.")
    return measure


def selectors(kind: str, given: tuple[str, ...] = ()) -> list[str]:
    """Names of selectors in the order in which they are tried, the baselines always among them."""
    fitting = [name for name, method in SELECTORS.items() if kind in method.kinds]
    for name in given:
        lookup(SELECTORS, name, "selector")
        if name not in fitting:
            raise UserError(f"selector {name} takes no {kind} data. These do: {_row(fitting)}.")
    wanted = [*BASELINES, *(given or (*_SELECTORS, *fitting))]
    return [name for name in dict.fromkeys(wanted) if name in fitting]


def entry(name: str) -> str | dict:
    """A selector as a config has it: one that can look at both sides of a difference does."""
    sided = "sided" in parameters(SELECTORS[name].call).model_fields
    return {name: {"sided": "two"}} if sided else name


def classifiers(kind: str, given: tuple[str, ...] = ()) -> list[str]:
    for name in given:
        lookup(CLASSIFIERS, name, "classifier")
        if name == "own" or kind not in CLASSIFIERS[name].kinds:
            raise UserError(f"classifier {name} does not go with every selector on {kind} data.")
    return list(dict.fromkeys(given or _CLASSIFIERS))


def counts(n_features: int, given: tuple[int, ...] = ()) -> list[int]:
    """Numbers of features below all of them."""
    for count in given:
        if not 1 <= count <= n_features:
            raise UserError(f"--features {count}: there are 1 to {n_features} to choose.")
    usual = _COUNTS if n_features > 2 * _COUNTS[0] else _FEW_COUNTS
    fitting = [count for count in usual if count < n_features]
    return sorted(set(given)) or fitting or [1]


def folds(taken: Intake) -> int:
    """As many folds as leave every class on either side of every outer and inner split."""
    most = _MOST_FOLDS if len(taken.y) <= _MANY_ROWS else 3
    y, kept = taken.y, taken.together
    groups = np.arange(len(y)) if kept is None else kept
    name, fewest = next(iter(taken.independent.items()))
    for number in range(most, 1, -1):
        if fewest >= splits.Inner(folds=number).smallest_class:
            if all(_has_all(y, taken.kind, groups, number, seed) for seed in range(3)):
                return number
    what = "samples" if kept is None else "samples or groups of them that stay together"
    raise UserError(
        f"{taken.spec['path']}: class {name!r} has {fewest} {what}: too few to choose a "
        f"method on some and test it on others. Get at least "
        f"{splits.Inner(folds=2).smallest_class}, join the class to another, or rank features "
        "without an estimate: imbfs select."
    )


def _has_all(y, kind: str, groups, number: int, seed: int) -> bool:
    """Whether every class is on either side of every split, tried with one seed."""
    if len(np.unique(groups)) == len(y):
        return True  # single rows are dealt evenly
    protocol, classes = splits.Inner(folds=number), len(np.unique(y))
    parts = [protocol.split(y, kind, seed, fold, 0, groups) for fold in range(protocol.n_folds)]
    return all(len(np.unique(y[rows])) == classes for part in parts for rows in part)


def _row(names: list[str]) -> str:
    return ", ".join(names)
