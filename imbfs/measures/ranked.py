"""Measures of how decision values rank the samples of two classes."""

import numpy as np

from imbfs.measures.shares import both_classes


def auc(y: np.ndarray, decision: np.ndarray) -> float:
    """Area under the ROC curve: how often a minority sample outranks a majority one, ties half."""
    if not both_classes(y) or np.isnan(decision).any():
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
    if not both_classes(y) or np.isnan(decision).any():
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
    if not both_classes(y) or np.isnan(decision).any():
        return np.nan
    tp, fp = _achievable_points(y, decision)
    precision = tp[1:] / (tp + fp)[1:]
    return float((tp[1:] - tp[:-1]) @ precision / tp[-1])


def _achievable_points(y: np.ndarray, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True and false positives at every distinct threshold, from (0, 0) to all predicted."""
    order = np.argsort(-decision)
    ranked = decision[order]
    cuts = np.flatnonzero(ranked[1:] != ranked[:-1]) + 1
    chosen = np.concatenate(([0], cuts, [len(y)]))
    tp = np.concatenate(([0], np.cumsum(y[order] > 0)))[chosen]
    return tp, chosen - tp
