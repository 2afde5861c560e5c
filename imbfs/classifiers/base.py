"""What the classifiers share: checked input, classes, and predictions read off the decision."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from imbfs.matrices import canonical
from imbfs.methods import check_finite, check_parameters
from imbfs.types import Matrix


class DecisionClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose prediction follows from its decision.

    With two classes a decision above 0 means the second, which is the minority; with more, the
    largest decides. Ties go to the class listed first. A subclass gives `_learn` and `_decide`.
    """

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Learn from all rows at once."""
        check_parameters(self)
        X, y = validate_data(self, canonical(X), y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        return self._trust(X, y)

    def judge(
        self, X: np.ndarray | csr_array, y: np.ndarray, X_test: np.ndarray | csr_array
    ) -> tuple[np.ndarray, np.ndarray]:
        """Predictions and decisions for the test rows, learned from rows as they are.

        The runner's were checked on loading: to check them again for every number of features
        takes as long as many a machine does to learn.
        """
        decision = self._trust(X, y)._decide(X_test)
        return self.decide(decision), decision

    @property
    def judges(self) -> bool:
        """Whether `judge` does what fitting and predicting would: no subclass has its own way."""
        own = type(self)
        return all(
            getattr(own, name) is getattr(DecisionClassifier, name)
            for name in ("fit", "decision_function", "predict", "decide")
        )

    def _trust(self, X: np.ndarray | csr_array, y: np.ndarray) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes to learn; y has one class.")
        self._learn(X, codes)
        for learned in vars(self).values():
            if isinstance(learned, np.ndarray) and learned.dtype.kind == "f":
                check_finite(self, learned)
        return self

    def decision_function(self, X: Matrix) -> np.ndarray:
        """One value a sample, above 0 for the second class; with more, one column each."""
        check_is_fitted(self)
        checks = {"accept_sparse": "csr", "dtype": np.float64, "reset": False}
        return self._decide(validate_data(self, canonical(X), **checks))

    def predict(self, X: Matrix) -> np.ndarray:
        """The class of every sample, as its decision says."""
        return self.decide(self.decision_function(X))

    def decide(self, decision: np.ndarray) -> np.ndarray:
        """The classes that decision values stand for."""
        codes = np.argmax(decision, axis=1) if decision.ndim == 2 else (decision > 0).astype(int)
        return self.classes_[codes]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def decision_of(evidence: np.ndarray) -> np.ndarray:
    """One column of evidence a class as a decision: the difference when there are two."""
    return evidence[:, 1] - evidence[:, 0] if evidence.shape[1] == 2 else evidence
