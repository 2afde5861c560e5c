"""A decision tree in the manner of C4.5."""

from typing import Annotated

import numpy as np
from annotated_types import Gt, Le
from scipy.stats import beta
from sklearn.tree import DecisionTreeClassifier

from imbfs.classifiers.base import DecisionClassifier, decision_of
from imbfs.methods import Count

Confidence = Annotated[float, Gt(0), Le(0.5)]

SLACK = 0.1  # errors by which a leaf may exceed what it replaces, as in C4.5's program


class DecisionTree(DecisionClassifier):
    """Decision tree, entropy splits and pessimistic pruning as in C4.5, [Quinlan1993] Ch. 4.

    Unlike C4.5 it goes by information gain without the gain ratio, and raises no subtree. The
    decision is the share of each class in a leaf, (n_k + 1) / (n + c), or with two classes that of
    the second less that of the first. Values are compared in single precision.
    """

    def __init__(self, *, confidence: Confidence = 0.25, min_leaf: Count = 2, seed: int = 0):
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.seed = seed

    def _learn(self, X, codes):
        grown = DecisionTreeClassifier(
            criterion="entropy", min_samples_leaf=self.min_leaf, random_state=self.seed
        )
        tree = self.tree_ = grown.fit(X, codes).tree_
        counts = tree.value[:, 0] * tree.weighted_n_node_samples[:, None]
        self.counts_ = np.rint(counts)
        children = np.column_stack((tree.children_left, tree.children_right))
        self.leaf_ = pruned(self.counts_, children, self.confidence)

    def _decide(self, X):
        counts = self.counts_[self.leaf_[self.tree_.apply(X.astype(np.float32))]]
        return decision_of((counts + 1) / (counts.sum(axis=1) + counts.shape[1])[:, None])


def pruned(counts: np.ndarray, children: np.ndarray, confidence: float) -> np.ndarray:
    """The node that stands as a leaf for each node of a tree, after pruning from the bottom.

    `counts` are the samples of every class in a node, `children` its two nodes or -1; a node comes
    before its children. A subtree gives way to a leaf whose pessimistic errors are no more.
    """
    leaf = np.arange(len(counts))
    predicted = pessimistic_errors(counts, confidence)
    for node in range(len(counts) - 1, -1, -1):
        below = children[node]
        if below[0] < 0:
            continue
        split = predicted[below].sum()
        if predicted[node] > split + SLACK:
            predicted[node] = split
            leaf[node] = -1
    # From the top: where a node stands as a leaf, it does for all below it.
    for node in range(len(counts)):
        below = children[node]
        if below[0] >= 0 and leaf[node] >= 0:
            leaf[below] = leaf[node]
    return leaf


def pessimistic_errors(counts: np.ndarray, confidence: float) -> np.ndarray:
    """N U(E, N) of every row of counts: N samples, E of them not of the most frequent class.

    U is the upper limit that the rate of errors exceeds with that probability, given E of N.
    """
    n = counts.sum(axis=1)
    errors = n - counts.max(axis=1)
    return n * beta.ppf(1 - confidence, errors + 1, n - errors)
