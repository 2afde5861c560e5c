"""ReliefF of labels: a good feature differs between near samples that two labels tell apart."""

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from imbfs.methods import Count
from imbfs.selectors.neighbours.relief import add_differences, distances_from, drawn, scaled


def ml_relieff(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    neighbours: Count = 10,
    samples: Count = 1000,
    seed: int = 0,
) -> np.ndarray:
    """ReliefF, mean of sum_kl P(l) / (1 - P(k)) (|x - misses| - |x - hits|), [Kong2012].

    Labels are taken in pairs, k one that the sample has and l one that it has not. Samples with
    both are ambiguous and left out: hits have k and not l, misses l and not k. Both are means over
    the nearest `neighbours` by Manhattan distance, or over all if there are fewer, for up to
    `samples` samples that have a label. A pair without a miss counts for nothing, and without a hit
    nothing is subtracted. With one label a sample it is `relieff`.

    Deviation: the paper is known here by what is said of it, pairs of labels without the samples
    of both; the rest is as in `relieff`. P(k) is the share of label k in all labels given, so that
    those of the other labels sum to 1 - P(k), as with classes.
    """
    labels = np.ascontiguousarray(y > 0)
    with_label = np.flatnonzero(labels.any(axis=1))
    weights = np.zeros(X.shape[1])
    if len(with_label) == 0:
        return weights
    X, rows = scaled(X), np.arange(X.shape[0])
    shares = labels.sum(axis=0) / labels.sum()
    targets = with_label[drawn(len(with_label), samples, seed)]
    for some, distances in distances_from(X, targets, squared=False):
        order = np.argsort(distances, axis=1, kind="stable")
        pulls = np.zeros(distances.shape)
        _pulls(order, some, labels, shares, min(neighbours, len(rows)), pulls)
        near = np.where(pulls != 0, rows, -1)[:, :, None]
        add_differences(X, some, near, pulls, weights)
    return weights / len(targets)


@njit(cache=True)
def _pulls(order, targets, labels, shares, neighbours, pulls):
    """What the difference of every target from every row counts, summed over the pairs of labels.

    `order` holds the rows from the nearest on; `pulls` is filled in place.
    """
    n_labels = labels.shape[1]
    members = np.empty((n_labels, labels.shape[0]), np.int64)
    near = np.empty(neighbours, np.int64)
    for t in range(len(targets)):
        own, pull = labels[targets[t]], pulls[t]
        sizes = _members(order[t], targets[t], labels, members)
        for k in range(n_labels):
            for other in range(n_labels):
                if not own[k] or own[other]:
                    continue
                misses = _nearest(members[other, : sizes[other]], labels[:, k], near)
                factor = shares[other] / (1.0 - shares[k]) if misses else 0.0
                for i in near[:misses]:
                    pull[i] += factor / misses
                hits = _nearest(members[k, : sizes[k]], labels[:, other], near) if misses else 0
                for i in near[:hits]:
                    pull[i] -= factor / hits


@njit(cache=True)
def _members(order, target, labels, members):
    """The rows of every label but the target, from the nearest on, and how many there are."""
    sizes = np.zeros(labels.shape[1], np.int64)
    for i in order:
        for k in range(labels.shape[1]):
            if labels[i, k] and i != target:
                members[k, sizes[k]] = i
                sizes[k] += 1
    return sizes


@njit(cache=True)
def _nearest(members, excluded, near):
    """The first of the members that are not excluded, and how many were found."""
    found = 0
    for i in members:
        if found == len(near):
            break
        if not excluded[i]:
            near[found] = i
            found += 1
    return found
