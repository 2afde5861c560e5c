"""A stream cut into batches, whatever chunks it comes in."""

from copy import deepcopy

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from imbfs.learner import OnlineLearner
from imbfs.online.confidence.model import Batch, Models

FEATURES = 50  # what [Liu2019] keeps, where nothing else is asked for

# The matrices are small: threads of BLAS wait for one another ten times longer than they work.
_one_thread = threadpool_limits.wrap(limits=1, user_api="blas")


class BatchLearner(OnlineLearner):
    """An online learner that learns from `batch` rows at a time, with two classes.

    All rows of a batch are predicted before any is learned. Rows that do not fill a batch yet are
    learned from as if the stream ended with them, until more come: as a short batch (`last_batch`
    keep), not at all (drop), or together with the batch before (merge). Where there is no batch
    before, they are one.
    """

    @property
    def keeps(self) -> bool:
        return True

    @property
    def by_row(self) -> bool:
        """Whether every row is a batch, with all its features chosen at once: see RowModel."""
        p = self.keep or FEATURES
        return self.batch == 1 and (self.r or p) >= p

    @property
    def n_seen_(self) -> int:
        """How many rows it has learned from."""
        check_is_fitted(self)
        return self._n_learned + len(self._y)

    def _new(self, n_features: int) -> Models:
        """Models that know nothing yet."""
        raise NotImplementedError

    def _start(self, n_problems, n_features):
        if n_problems > 1:
            raise ValueError(
                f"Only binary classification is supported. There are {n_problems} classes."
            )
        self._models = self._new(n_features)
        self._n_learned = 0
        self._X, self._y = csr_array((0, n_features)), np.empty(0)  # rows that fill no batch yet
        self._before = None  # the models before the last batch, and its rows
        self._ended = []  # the models if the stream ends here, once somebody asked

    @_one_thread
    def _learn(self, X, signs):
        if self._models.by_row:
            self._n_learned += X.shape[0]
            return self._models.learn_rows(_sorted(csr_array(X)), signs[0])[None]
        known = len(self._y)
        X, y = _joined(self._X, self._y, csr_array(X), signs[0])
        n_full = len(y) // self.batch * self.batch
        decisions = []
        for start in range(0, n_full, self.batch):
            rows = X[start : start + self.batch], y[start : start + self.batch]
            batch = Batch(*rows)
            decisions.append(batch.decisions(self._models.best))
            if self.last_batch == "merge" and start + self.batch == n_full:
                self._before = deepcopy(self._models), rows
            self._models.learn(batch)
        self._n_learned += n_full
        self._X, self._y = X[n_full:], y[n_full:]
        self._ended = []
        decisions.append(Batch(self._X, self._y).decisions(self._models.best))
        return np.concatenate(decisions)[None, known:]

    def _weights(self):
        return self._last.best.weights(self.n_features_in_)[None]

    @property
    def _last(self) -> Models:
        """The models once the rows that fill no batch have been dealt with."""
        if not self._ended:
            self._ended.append(self._end())
        return self._ended[0]

    @_one_thread
    def _end(self) -> Models:
        how = self.last_batch if self._n_learned else "keep"
        if how == "drop" or len(self._y) == 0:
            return self._models
        models, rows = self._models, (self._X, self._y)
        if how == "merge":
            models, before = self._before
            rows = _joined(*before, *rows)
        return models.ended(Batch(*rows))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _joined(X, y, X_more, y_more) -> tuple[csr_array, np.ndarray]:
    return vstack((X, X_more), format="csr"), np.concatenate((y, y_more))


def _sorted(X: csr_array) -> csr_array:
    """The same with the features of a row in order, each once; the given one stays as it is."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
