"""The training and test rows of one fold, once prepared: rank, classify and measure on them."""

import json
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np
import sklearn
from scipy.sparse import csr_array, issparse, vstack

from imbfs.classifiers import CLASSIFIERS, check_classifier, fit_predict
from imbfs.measures import measure
from imbfs.methods import check_scores, read_only
from imbfs.ranking import ranking
from imbfs.selectors import SELECTORS

FILLED = 0.05  # share of values that are not 0 beyond which dense rows are faster
DENSE = 2**24  # values that dense rows may have
AHEAD = 1_000  # best features that are cut out of sparse rows at once: to cut fewer takes as long


@dataclass(frozen=True)
class Ranked:
    """Features from best to worst, the learner that ranked them if it is one, and its cost."""

    order: np.ndarray
    learner: object | None
    seconds: float


@dataclass(frozen=True)
class Part:
    """Training rows, in the order a stream brings them, the rows to measure on, and rankings."""

    X_train: np.ndarray | csr_array
    y_train: np.ndarray
    X_test: np.ndarray | csr_array
    y_test: np.ndarray
    kind: str
    seed: int
    relevant: tuple[int, ...] | None
    names: tuple[str, ...] | None
    leaks: bool
    rankings: dict[str, Ranked] = field(default_factory=dict)
    ahead: dict[int, tuple] = field(default_factory=dict)  # the features cut out last, and the rows

    def rank(self, selector: str, params: dict, k: int) -> Ranked:
        """The ranking by one selector, made when first asked for.

        One ranking serves every number of features k, except of learners that keep a budget.
        """
        if keeps(selector, params):
            params = params | {"keep": k}
        key = json.dumps([selector, SELECTORS[selector].revision, params], sort_keys=True)
        if key not in self.rankings:
            self.rankings[key] = self._ranked(selector, params)
        return self.rankings[key]

    def _ranked(self, selector: str, params: dict) -> Ranked:
        self.warm_up(selector, params)
        X, y = self.X_train, self.y_train
        if self.leaks:
            X, y = _stacked(X, self.X_test), np.concatenate((y, self.y_test))
        started = perf_counter()
        scores, learner = scored(selector, params, X, y, self.seed)
        return Ranked(ranking(scores), learner, perf_counter() - started)

    def warm_up(self, selector: str, params: dict) -> None:
        """Have kernels compiled, on a handful of rows, before the clock starts."""
        compiled = json.dumps([selector, params, self.kind, issparse(self.X_train)])
        if compiled not in _warm:
            rows = np.unique(self.y_train, axis=0, return_index=True)[1]
            with suppress(Exception):  # so few rows may be too few; the real ones will tell
                scored(selector, params, self.X_train[rows], self.y_train[rows], self.seed)
            _warm.add(compiled)

    def classify(self, ranked: Ranked, classifier: str, params: dict, k: int):
        """Prediction on the test rows from the k best features."""
        if classifier == "own":
            return self.judge(ranked.learner, k)
        method = CLASSIFIERS[classifier]
        X_train, X_test = self._cut(ranked, k)
        X_train, y_train, X_test = method.given(X_train, self.y_train, X_test)
        model = check_classifier(classifier, method.call(**params, **method.seeded(self.seed)))
        with TRUSTING():
            predicted, decision = fit_predict(model, X_train, y_train, X_test, self.kind)
        return {"predicted": predicted, "decision": decision}

    def _cut(self, ranked: Ranked, k: int) -> tuple:
        """The rows with the k best features alone, in the order of all."""
        if k >= self.X_train.shape[1]:
            return self.X_train, self.X_test
        columns = np.sort(ranked.order[:k])
        if not issparse(self.X_train):
            return self.X_train[:, columns], self.X_test[:, columns]
        if id(ranked) not in self.ahead or len(self.ahead[id(ranked)][0]) < k:
            best = np.sort(ranked.order[: max(k, AHEAD)])
            self.ahead.clear()
            self.ahead[id(ranked)] = best, self.X_train[:, best], self.X_test[:, best]
        best, X_train, X_test = self.ahead[id(ranked)]
        places = np.searchsorted(best, columns)
        return _filled(X_train[:, places], X_test[:, places])

    def judge(self, learner, k: int) -> dict:
        """Prediction on the test rows by a learner with its k features of largest weight."""
        judging = copy(learner).set_params(keep=k)
        with TRUSTING():
            decision = judging.decision_function(read_only(self.X_test))
        return judged(learner, k, decision)

    def measured(self, names, prediction: dict, selected) -> dict[str, float]:
        """The named measures of a prediction on the test rows."""
        known = {"selected": selected, "relevant": self.relevant}
        known["class_mean"] = partial(self.class_mean, selected)
        return measure(self.kind, names, y=self.y_test, **prediction, **known)

    def class_mean(self, selected: np.ndarray, part: str, label: int) -> float:
        """The mean value of the selected features in the rows of one class."""
        X, y = (self.X_test, self.y_test) if part == "test" else (self.X_train, self.y_train)
        rows = X[y == label]
        return float(rows[:, selected].mean()) if rows.shape[0] else np.nan


def _filled(X_train, X_test) -> tuple:
    """The rows as dense arrays if they are full enough for that to be faster."""
    size = X_train.shape[0] * X_train.shape[1]
    if FILLED * size < X_train.nnz and size <= DENSE:
        return X_train.toarray(), X_test.toarray()
    return X_train, X_test


_warm: set[str] = set()
TRUSTING = partial(sklearn.config_context, assume_finite=True, skip_parameter_validation=True)


def keeps(selector: str, params: dict) -> bool:
    """Whether it is a learner to which a number of features means something before the end.

    One keeps a budget throughout; another has none at all, and no cut makes it one with k features.
    """
    method = SELECTORS[selector]
    learner = method.call(**params) if method.learns else None
    return learner is not None and (learner.keeps or not learner.bounded)


def judged(learner, k: int, decision: np.ndarray) -> dict:
    """What a learner predicts by a decision, with how many features, and at which cost."""
    known = {"used": learner.uses(k), "cost": getattr(learner, "cost_", None)}
    return {"predicted": learner.decide(decision), "decision": decision, **known}


def scored(selector: str, params: dict, X, y: np.ndarray, seed: int):
    """The scores that a selector gives, and the learner if it is one."""
    method = SELECTORS[selector]
    X, y = method.given(X, y)
    if method.learns:
        learner = method.call(**params, **method.seeded(seed)).fit(X, y)
        return learner.scores_, learner
    scores = method.call(X, y, **params, **method.seeded(seed))
    return check_scores(selector, scores, X.shape[1]), None


def _stacked(above, below):
    return vstack((above, below), format="csr") if issparse(above) else np.vstack((above, below))
