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
from imbfs.methods import BINARY, EVERY_KIND, MULTICLASS, MULTILABEL, Method


def auc(y: np.ndarray, decision: np.ndarray) -> float:
    """Area under the ROC curve: how often a minority sample outranks a majority one, ties half."""
    if not _both_classes(y) or np.isnan(decision).any():
        return np.nan
    minority, majority = np.sort(decision[y > 0]), np.sort(decision[y < 0])
    below = np.searchsorted(majority, minority, side="left").sum()
    not_above = np.searchsorted(majority, minority, side="right").sum()
    return float((below + not_above) / (2 * len(minority) * len(majority)))


def prc(y: np.ndarray, decision: np.ndarray) -> float:
    """Area under the precision-recall curve as interpolated in [Davis2006], exactly.

    Between two achievable points the false positives fp grow linearly with the true positives tp,
    so precision is tp / (a tp + b) and its integral tp / a - b / a^2 ln(a tp + b). Equal decisions
    are one point; up to the first point precision is that of the first point.
    """
    if not _both_classes(y) or np.isnan(decision).any():
        return np.nan
    tp, fp = _achievable_points(y, decision)
    chosen = tp + fp
    grows = np.flatnonzero(tp[1:] > tp[:-1])
    width = tp[grows + 1] - tp[grows]
    a = (chosen[grows + 1] - chosen[grows]) / width
    b = chosen[grows] - a * tp[grows]
    # b = 0 on the segment from the origin, the only one that starts with nothing chosen.
    area = width / a - b / a**2 * np.log1p(a * width / np.maximum(chosen[grows], 1))
    return float(area.sum() / tp[-1])


def average_precision(y: np.ndarray, decision: np.ndarray) -> float:
    """Mean precision at the rank of each minority sample: the precision-recall curve in steps."""
    if not _both_classes(y) or np.isnan(decision).any():
        return np.nan
    tp, fp = _achievable_points(y, decision)
    precision = tp[1:] / (tp + fp)[1:]
    return float((tp[1:] - tp[:-1]) @ precision / tp[-1])


def f_measure(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of the minority, 2 tp / (2 tp + fp + fn); 0 when it is never predicted."""
    if not _both_classes(y):
        return np.nan
    positive, chosen = y > 0, predicted > 0
    hits = np.count_nonzero(positive & chosen)
    return float(2 * hits / (np.count_nonzero(positive) + np.count_nonzero(chosen)))


def f_majority(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of the majority, 2 tn / (2 tn + fn + fp); 0 when it is never predicted."""
    return f_measure(-y, -predicted)


def g_mean(y: np.ndarray, predicted: np.ndarray) -> float:
    """Geometric mean of the recalls of the classes in y: sqrt(sensitivity * specificity) of two."""
    recalls = _recalls(y, predicted)
    return float(recalls.prod() ** (1 / len(recalls))) if len(recalls) > 1 else np.nan


def sensitivity(y: np.ndarray, predicted: np.ndarray) -> float:
    """Recall of the minority, tp / (tp + fn)."""
    return _share(predicted[y > 0] > 0)


def specificity(y: np.ndarray, predicted: np.ndarray) -> float:
    """Recall of the majority, tn / (tn + fp).

    [Han2016] takes the majority for the positive class: its specificity is our sensitivity.
    """
    return _share(predicted[y < 0] < 0)


def balanced_accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of the recalls of the classes in y."""
    recalls = _recalls(y, predicted)
    return float(recalls.mean()) if len(recalls) > 1 else np.nan


def accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the labels predicted right; of all samples' labels when each has several."""
    return _share(y == predicted)


def micro_f1(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 pooled over labels, 2 sum tp_k / (2 sum tp_k + sum fp_k + sum fn_k), [Liu2017] Eq. (3).

    Of one class a sample it is the accuracy: every mistake is missed once and false once.
    """
    if y.ndim == 1:
        return accuracy(y, predicted)
    own, chosen = y > 0, predicted > 0
    if not own.any():
        return np.nan
    hits = np.count_nonzero(own & chosen)
    return float(2 * hits / (np.count_nonzero(own) + np.count_nonzero(chosen)))


def mc_f1(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of all but the first class, the negative one: 2 tp / (2 tp + fn + fp), [Liu2017] Eq. (4).

    tp and fn count the samples of the other classes, fp those of the first that are not found: one
    of the others taken for another is missed, and not false as well. nan if y has the first alone.
    """
    others = y > 0
    if not others.any():
        return np.nan
    right = y == predicted
    hits = np.count_nonzero(others & right)
    false = np.count_nonzero(~others & ~right)
    return float(2 * hits / (hits + np.count_nonzero(others) + false))


def label_accuracy(y: np.ndarray, predicted: np.ndarray, decision: np.ndarray) -> float:
    """Mean over labels of the accuracy of each against the rest; 1 - 2 err / c of c classes.

    c counts the classes up to the last that was learned or is in y.
    """
    if y.ndim == 2 or len(y) == 0:
        return accuracy(y, predicted)
    n_classes = max(decision.shape[1], int(y.max()) + 1)
    return 1 - 2 * _share(y != predicted) / n_classes


def ovr_f1(y: np.ndarray, decision: np.ndarray) -> float:
    """Pooled F1, [Liu2017] Eq. (3), of classes decided one by one, each where it is above 0.

    A sample may be given several classes or none, as where the classes are taken for labels. Of
    classifiers that decide one class against the rest around 0, such as the linear SVM.
    """
    return micro_f1(*_one_by_one(y, decision))


def ovr_accuracy(y: np.ndarray, decision: np.ndarray) -> float:
    """Accuracy of classes decided one by one as by `ovr_f1`, the mean over classes."""
    return accuracy(*_one_by_one(y, decision))


def jaccard(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over samples of |Y and Z| / |Y or Z|, labels and those predicted, [Godbole2004].

    1 of a sample that has no label and gets none.
    """
    own, chosen = y > 0, predicted > 0
    both, either = (own & chosen).sum(axis=1), (own | chosen).sum(axis=1)
    return _share(np.divide(both, either, out=np.ones(len(y)), where=either > 0))


def subset_accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the samples all of whose labels are predicted right."""
    return _share((y == predicted).all(axis=1))


def recovery(selected: np.ndarray | None, relevant: np.ndarray | None) -> float:
    """Share of the relevant features that were selected, of as many as there was room for.

    |S and R| / min(|S|, |R|), for sets whose relevant features R are known; else nan.
    """
    if selected is None or relevant is None:
        return np.nan
    room = min(len(selected), len(relevant))
    return len(np.intersect1d(selected, relevant)) / room


def features_used(used: int | None) -> float:
    """How many features have a weight that is not 0; unknown of what has no weights."""
    return np.nan if used is None else float(used)


def zero_share(decision: np.ndarray) -> float:
    """Share of the decision values that are exactly 0, so that a rule for ties decides."""
    return _share(decision == 0.0)


def dead(used: int | None) -> float:
    """1 if no feature has a weight, else 0; the mean is the share of runs whose weights died."""
    return np.nan if used is None else float(used == 0)


def positive_share(predicted: np.ndarray) -> float:
    """Share of the samples that are predicted to be of the minority."""
    return _share(predicted > 0)


def cost(cost: float | None) -> float:
    """The cost c+ that a learner with several of them picked; unknown of all others."""
    return np.nan if cost is None else float(cost)


def minority_mean(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the minority's test rows: as fresh data tell it."""
    return np.nan if class_mean is None else class_mean("test", +1)


def majority_mean(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the majority's test rows: as fresh data tell it."""
    return np.nan if class_mean is None else class_mean("test", -1)


def minority_mean_seen(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the minority's rows that they were selected on."""
    return np.nan if class_mean is None else class_mean("training", +1)


def majority_mean_seen(class_mean: Callable | None) -> float:
    """Mean value of the selected features in the majority's rows that they were selected on."""
    return np.nan if class_mean is None else class_mean("training", -1)


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


def _one_by_one(y: np.ndarray, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes as labels, a column each, and those decided above 0."""
    n_classes = max(decision.shape[1], int(y.max(initial=-1)) + 1)
    chosen = np.zeros((len(y), n_classes), dtype=bool)
    chosen[:, : decision.shape[1]] = decision > 0
    return y[:, None] == np.arange(n_classes), chosen


def _macro(call, problems) -> float:
    return float(np.mean([_call(call, problem) for problem in problems])) if problems else np.nan


def _call(call, given: dict[str, np.ndarray]) -> float:
    return call(**{name: given[name] for name in _needs(call)})


@cache
def _needs(call) -> tuple[str, ...]:
    return tuple(inspect.signature(call).parameters)


def _signs(mask: np.ndarray) -> np.ndarray:
    return np.where(mask, 1, -1)


def _both_classes(y: np.ndarray) -> bool:
    return 0 < np.count_nonzero(y > 0) < len(y)


def _share(hits: np.ndarray) -> float:
    return float(hits.mean()) if hits.size else np.nan


def _recalls(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The share of each class in y that is predicted right."""
    right = y == predicted
    return np.array([right[y == label].mean() for label in np.unique(y)])


def _achievable_points(y: np.ndarray, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True and false positives at every distinct threshold, from (0, 0) to all predicted."""
    order = np.argsort(-decision)
    ranked = decision[order]
    cuts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    chosen = np.concatenate(([0], cuts, [len(y)]))
    tp = np.concatenate(([0], np.cumsum(y[order] > 0)))[chosen]
    return tp, chosen - tp
