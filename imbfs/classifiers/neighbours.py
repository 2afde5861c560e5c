"""The nearest neighbour, with a margin."""

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from imbfs.classifiers.base import DecisionClassifier, decision_of


class NearestNeighbour(DecisionClassifier):
    """The class of the nearest training sample, Euclidean, [Wasikowski2009] Sec. 4.1.3.

    The decision is the distance to the nearest majority sample minus that to the nearest minority
    sample; minus the distance to the nearest sample of each class, for more than two classes.
    """

    def _learn(self, X, codes):
        self.samples_ = [X[codes == k] for k in range(len(self.classes_))]
        self.searches_ = [NearestNeighbors(n_neighbors=1).fit(own) for own in self.samples_]

    def _decide(self, X):
        pairs = zip(self.searches_, self.samples_, strict=True)
        return decision_of(-np.column_stack([_distance(X, *pair) for pair in pairs]))


def _distance(X, search: NearestNeighbors, samples) -> np.ndarray:
    """From each row of X to the nearest of the samples."""
    nearest = samples[search.kneighbors(X, return_distance=False)[:, 0]]
    # The search expands |x - z|^2, which leaves identical rows a distance: measure it afresh.
    return row_norms(X - nearest)
