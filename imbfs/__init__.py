"""imbfs: feature selection on class-imbalanced data, compared as in the papers and on your own."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = [
    "FGM",
    "L1SVM",
    "AucSVM",
    "Data",
    "DecisionTree",
    "GaussianNaiveBayes",
    "Learner",
    "LinearSVM",
    "NearestNeighbour",
    "OnlineLearner",
    "Select",
    "UserError",
    "load",
    "online",
    "score",
    "stability",
]

if TYPE_CHECKING:
    from imbfs import online
    from imbfs.classifiers.auc import AucSVM
    from imbfs.classifiers.bayes import GaussianNaiveBayes
    from imbfs.classifiers.linear import LinearSVM
    from imbfs.classifiers.neighbours import NearestNeighbour
    from imbfs.classifiers.tree import DecisionTree
    from imbfs.datasets.data import Data
    from imbfs.errors import UserError
    from imbfs.learner import Learner, OnlineLearner
    from imbfs.loading import load
    from imbfs.select import Select, score
    from imbfs.selectors.sparse.fgm import FGM
    from imbfs.selectors.sparse.l1svm import L1SVM
    from imbfs.stats import stability

_HOME = {
    "FGM": "imbfs.selectors.sparse.fgm",
    "L1SVM": "imbfs.selectors.sparse.l1svm",
    "AucSVM": "imbfs.classifiers.auc",
    "Data": "imbfs.datasets.data",
    "DecisionTree": "imbfs.classifiers.tree",
    "GaussianNaiveBayes": "imbfs.classifiers.bayes",
    "Learner": "imbfs.learner",
    "LinearSVM": "imbfs.classifiers.linear",
    "NearestNeighbour": "imbfs.classifiers.neighbours",
    "OnlineLearner": "imbfs.learner",
    "Select": "imbfs.select",
    "UserError": "imbfs.errors",
    "load": "imbfs.loading",
    "score": "imbfs.select",
    "stability": "imbfs.stats",
}


def __getattr__(name: str):
    """Import on first use: `imbfs --help` must not wait for scikit-learn."""
    if name == "online":
        return import_module("imbfs.online")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'imbfs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
