"""Measures of the classes that are predicted: of the minority, the majority, or each class."""

import numpy as np

from imbfs.measures.shares import both_classes, labels_of, share, share_of


def f_measure(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 of the minority, 2 tp / (2 tp + fp + fn); 0 when it is never predicted."""
    if not both_classes(y):
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
    return share_of(y > 0, predicted > 0)


def specificity(y: np.ndarray, predicted: np.ndarray) -> float:
    """Recall of the majority, tn / (tn + fp).

    [Han2016] takes the majority for the positive class: its specificity is our sensitivity.
    """
    return share_of(y < 0, predicted < 0)


def balanced_accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Mean of the recalls of the classes in y."""
    recalls = _recalls(y, predicted)
    return float(recalls.mean()) if len(recalls) > 1 else np.nan


def accuracy(y: np.ndarray, predicted: np.ndarray) -> float:
    """Share of the labels predicted right; of all samples' labels when each has several."""
    return share(y == predicted)


def _recalls(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The share of each class in y that is predicted right."""
    right = y == predicted
    return np.array([share_of(y == label, right) for label in labels_of(y)])
