"""The nearest neighbour, with a margin."""

import numpy as np
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.extmath import row_norms

from imbfs.classifiers.base import DecisionClassifier, decision_of


class NearestNeighbour(DecisionClassifier):
    """The class of the nearest training sample, Euclidean, [Wasikowski2009] Sec. 4.1.3.

    The decision is the distance to the nearest majority sample minus that to the nearest minority
    sample; minus the distance to the nearest sample of each class, for more than two classes.
    """

    def _learn(self, X, codes):
        self.samples_ = [X[codes == k] for k in range(len(self.classes_))]

    def _decide(self, X):
        return decision_of(-np.column_stack([_distance(X, own) for own in self.samples_]))


def _distance(X, samples) -> np.ndarray:
    """From each row of X to the nearest of the samples."""
    nearest = samples[pairwise_distances_argmin(X, samples)]
    # The search expands |x - z|^2, which leaves identical rows a distance: measure it afresh.
    return row_norms(X - nearest)
