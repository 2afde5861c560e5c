"""What a learner of batches knows, kept as plain arrays: its models and the rows that wait.

Without single rows as batches: these are kept in another form, which grows with every row.
"""

from collections import deque

import numpy as np
from scipy.sparse import csr_array

from imbfs.methods import check_finite
from imbfs.online.confidence.batches import BatchLearner
from imbfs.online.confidence.model import LAST_PICKS, Models
from imbfs.online.memory.plain import Arrays, begin, kept_rows, numbers, part, rows_of, within


class BatchMemory:
    """What a learner of batches knows of two classes, and what it takes to go on."""

    def __init__(self, learner: BatchLearner):
        self._learner = learner

    def begin(self, n_features: int) -> None:
        """Know nothing yet of so many features."""
        begin(self._learner, n_features)

    def widen(self, n_features: int) -> None:
        """Make room for more features: only rows have a width."""
        learner = self._learner
        learner.n_features_in_ = n_features
        learner._X.resize(learner._X.shape[0], n_features)
        if learner._before is not None:
            X = learner._before[1][0]
            X.resize(X.shape[0], n_features)

    def meet(self, X: csr_array | np.ndarray) -> None:
        """Features are known once they are selected."""

    random = None  # numbers: it draws none

    def remembered(self) -> Arrays:
        """All that what it will learn depends on; see `recall`."""
        learner = self._learner
        known = {"learned": np.array([learner._n_learned])}
        known |= _models(learner._models) | part("waiting", kept_rows(learner._X, learner._y))
        if learner._before is not None:
            models, rows = learner._before
            known |= part("before", _models(models) | part("rows", kept_rows(*rows)))
        return known

    def recall(self, n_features: int, known: Arrays) -> None:
        """Know again what was `remembered`."""
        self.begin(n_features)
        learner = self._learner
        learner._n_learned = int(known["learned"][0])
        _recall(learner._models, known)
        learner._X, learner._y = rows_of(within("waiting", known), n_features)
        if before := within("before", known):
            models = learner._new(n_features)
            _recall(models, before)
            learner._before = models, rows_of(within("rows", before), n_features)

    def in_use(self) -> tuple[np.ndarray, np.ndarray, int]:
        """The features it predicts with, their weights, and how many have one."""
        best = self._learner._last.best
        order = np.argsort(best.covariance.features)
        features, weights = best.covariance.features[order], best.mean[order]
        check_finite(self._learner, weights)
        used = weights != 0.0
        return features[used], weights[used], int(np.count_nonzero(used))

    @property
    def n_bytes(self) -> int:
        """Bytes that grow with what it has selected."""
        learner = self._learner
        before = [] if learner._before is None else learner._before[0].all
        return sum(model.covariance.sigma.nbytes for model in [*learner._models.all, *before])

    def check(self, n_features: int, known: Arrays) -> None:
        """Refuse with a ValueError what cannot have been `remembered`."""
        numbers(known, "learned", "i", 1)
        models = self._learner._new(n_features)
        _check(models, known, n_features)
        rows_of(within("waiting", known), n_features, self._learner.batch - 1)
        if before := within("before", known):
            _check(models, before, n_features)
            rows_of(within("rows", before), n_features, self._learner.batch)
        elif self._learner.last_batch == "merge" and known["learned"][0]:
            raise ValueError("before")


def _models(models: Models) -> Arrays:
    known = {
        "best": np.array([models._best]),
        "picks": np.array(models.picks, dtype=float),
        "counts": np.array([tally._counts for tally in models._tallies]),
    }
    if models._tallies[0]._bins is not None:
        known["bins"] = np.array([tally._bins for tally in models._tallies])
    for number, model in enumerate(models.all):
        sigma = model.covariance
        arrays = {"features": sigma.features, "sigma": sigma.sigma, "mean": model.mean}
        known |= part(str(number), arrays)
    return known


def _recall(models: Models, known: Arrays) -> None:
    models._best = int(known["best"][0])
    models.picks = deque(known["picks"].tolist(), maxlen=LAST_PICKS)
    for number, (model, tally) in enumerate(zip(models.all, models._tallies, strict=True)):
        tally._counts = known["counts"][number].copy()
        if tally._bins is not None:
            tally._bins = known["bins"][number].copy()
        own = within(str(number), known)
        model.covariance.know(own["features"], own["sigma"])
        model.mean = own["mean"]


def _check(models: Models, known: Arrays, n_features: int) -> None:
    n_models = len(models.all)
    numbers(known, "best", "i", 1, below=n_models)
    if not 0 < len(numbers(known, "picks", "f")) <= LAST_PICKS:
        raise ValueError("picks")
    numbers(known, "counts", "f", n_models, 3)
    if models._tallies[0]._bins is not None:
        numbers(known, "bins", "f", n_models, *models._tallies[0]._bins.shape)
    for number in range(n_models):
        own = within(str(number), known)
        features = numbers(own, "features", "i", None, below=n_features)
        n = len(features)
        if len(np.unique(features)) < n:
            raise ValueError("features")
        numbers(own, "sigma", "f", n, n)
        numbers(own, "mean", "f", n)
