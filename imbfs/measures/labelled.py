"""Measures of several classes or labels at once."""

import numpy as np

from imbfs.measures.classified import accuracy
from imbfs.measures.shares import share


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
    return 1 - 2 * share(y != predicted) / n_classes


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
    return share(np.divide(both, either, out=np.ones(len(y)), where=either > 0))


def subset_accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the samples all of whose labels are predicted right."""
    return share((y == predicted).all(axis=1))


def _one_by_one(y: np.ndarray, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes as labels, a column each, and those decided above 0."""
    n_classes = max(decision.shape[1], int(y.max(initial=-1)) + 1)
    chosen = np.zeros((len(y), n_classes), dtype=bool)
    chosen[:, : decision.shape[1]] = decision > 0
    return y[:, None] == np.arange(n_classes), chosen
