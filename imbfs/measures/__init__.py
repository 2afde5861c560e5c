"""How good a prediction is.

A measure takes what it needs by name: `y`, the `predicted` labels, the `decision` values, the
`selected` features, the truly `relevant` ones, how many were `used`, and the `class_mean` of the
selected ones by part and class. Those of the two-class problem read y as +1 (minority) and -1
(majority); `measure` lifts them to several classes and labels. Where y does not define a measure it
is nan, and so is one of a nan decision.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from imbfs.errors import UserError, lookup
from imbfs.measures.classified import (
    accuracy,
    balanced_accuracy,
    f_majority,
    f_measure,
    g_mean,
    sensitivity,
    specificity,
)
from imbfs.measures.described import (
    cost,
    dead,
    features_used,
    majority_mean,
    majority_mean_seen,
    minority_mean,
    minority_mean_seen,
    positive_share,
    recovery,
    zero_share,
)
from imbfs.measures.labelled import (
    jaccard,
    label_accuracy,
    mc_f1,
    micro_f1,
    ovr_accuracy,
    ovr_f1,
    subset_accuracy,
)
from imbfs.measures.ranked import (
    auc,
    average_precision,
    prc,
)
from imbfs.methods import BINARY, EVERY_KIND, MULTICLASS, MULTILABEL, Method

MEASURES = {
    "auc": Method(auc, kinds=EVERY_KIND),
    "prc": Method(prc, kinds=EVERY_KIND),
    "average_precision": Method(average_precision, kinds=EVERY_KIND),
    "f_measure": Method(f_measure, kinds=EVERY_KIND),
    "g_mean": Method(g_mean, kinds=EVERY_KIND),
    "sensitivity": Method(sensitivity),
    "specificity": Method(specificity),
    "balanced_accuracy": Method(balanced_accuracy, kinds=EVERY_KIND),
    "accuracy": Method(accuracy, kinds=EVERY_KIND),
    "recovery": Method(recovery, kinds=EVERY_KIND),
    "features_used": Method(features_used, kinds=EVERY_KIND),
    "zero_share": Method(zero_share, kinds=EVERY_KIND),
    "dead": Method(dead, kinds=EVERY_KIND),
    "positive_share": Method(positive_share),
    "cost": Method(cost, kinds=EVERY_KIND),
    "f_majority": Method(f_majority),
    "minority_mean": Method(minority_mean),
    "majority_mean": Method(majority_mean),
    "minority_mean_seen": Method(minority_mean_seen),
    "majority_mean_seen": Method(majority_mean_seen),
    "micro_f1": Method(micro_f1, kinds=(MULTICLASS, MULTILABEL)),
    "mc_f1": Method(mc_f1, kinds=(MULTICLASS,)),
    "label_accuracy": Method(label_accuracy, kinds=(MULTICLASS, MULTILABEL)),
    "ovr_f1": Method(ovr_f1, kinds=(MULTICLASS,)),
    "ovr_accuracy": Method(ovr_accuracy, kinds=(MULTICLASS,)),
    "jaccard": Method(jaccard, kinds=(MULTILABEL,)),
    "subset_accuracy": Method(subset_accuracy, kinds=(MULTILABEL,)),
}

# What describes the values of features, and may be any number.
CLASS_MEANS = ("minority_mean", "majority_mean", "minority_mean_seen", "majority_mean_seen")
# What describes a run and says nothing about how good it is.
DESCRIPTIVE = ("features_used", "zero_share", "dead", "positive_share", "cost", *CLASS_MEANS)

# What is defined on all classes or labels at once; the rest is averaged over two-class problems.
_CLASSES = {"mc_f1", "ovr_f1", "ovr_accuracy"}
_LABELS = {"accuracy", "micro_f1", "label_accuracy"}
_AT_ONCE = {
    BINARY: set(MEASURES),
    MULTICLASS: {"g_mean", "balanced_accuracy", "recovery", *_CLASSES, *_LABELS, *DESCRIPTIVE},
    MULTILABEL: {"jaccard", "subset_accuracy", "recovery", *_LABELS, *DESCRIPTIVE},
}


def measure(
    kind: str,
    names: Iterable[str],
    y: np.ndarray,
    predicted: np.ndarray,
    decision: np.ndarray,
    selected: np.ndarray | None = None,
    relevant: np.ndarray | None = None,
    used: int | None = None,
    cost: float | None = None,
    class_mean: Callable | None = None,
) -> dict[str, float]:
    """The named measures of one prediction, made from the `selected` features.

    With several classes or labels, the two-class measures are averaged, one against the rest, over
    the classes in y or the labels that have both values in y.
    """
    whole = {"y": y, "predicted": predicted, "decision": decision}
    whole |= {"selected": selected, "relevant": relevant}
    whole |= {"used": used, "cost": cost, "class_mean": class_mean}
    problems = None
    values = {}
    for name in names:
        method = lookup(MEASURES, name, "measure")
        if kind not in method.kinds:
            raise UserError(f"{name} is no measure of {kind} data.")
        if name in _AT_ONCE[kind]:
            values[name] = _call(method.call, whole)
            continue
        if problems is None:
            problems = _two_class_problems(kind, y, predicted, decision)
        values[name] = _macro(method.call, problems)
    return values


def _two_class_problems(kind, y, predicted, decision) -> list[dict[str, np.ndarray]]:
    """Each class or label against the rest, as +1 and -1; without those y has one value of."""
    if kind == MULTICLASS:
        columns = [(y == k, predicted == k, _column(decision, k)) for k in np.unique(y)]
    else:
        columns = list(zip((y > 0).T, (predicted > 0).T, decision.T, strict=True))
    return [
        {"y": _signs(own), "predicted": _signs(chosen), "decision": values}
        for own, chosen, values in columns
        if own.any() and not own.all()
    ]


def _column(decision: np.ndarray, k: int) -> np.ndarray:
    """What was decided of class k; nothing if it is beyond the classes that were learned."""
    return decision[:, k] if k < decision.shape[1] else np.zeros(len(decision))


def _macro(call, problems) -> float:
    return float(np.mean([_call(call, problem) for problem in problems])) if problems else np.nan


def _call(call, given: dict[str, np.ndarray]) -> float:
    return call(**{name: given[name] for name in _needs(call)})


@cache
def _needs(call) -> tuple[str, ...]:
    return tuple(inspect.signature(call).parameters)


def _signs(mask: np.ndarray) -> np.ndarray:
    return np.where(mask, 1, -1)
