"""Sparse confidence-weighted learning: Algorithms 1 and 2 of [Liu2019]."""

from collections import deque
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from imbfs.online.confidence import kernels
from imbfs.online.confidence.covariance import Covariance
from imbfs.online.confidence.rows import RowModel
from imbfs.online.confidence.tallies import Tally
from imbfs.ranking import best

LAST_PICKS = 20  # of so many batches Table 4 averages the cost


class Form(NamedTuple):
    """How models learn: p features a batch, r at a time, with hinge loss (q = 1) or its square.

    `informed` chooses features by the mean and the covariance of the last batch as well, `warm`
    starts from its mean; `reset` sets the weights of features that a batch does not select to 0.
    """

    q: int
    C: float
    sigma: float
    p: int
    r: int
    batch: int
    cost_weighted: bool
    informed: bool
    warm: bool
    reset: bool

    @property
    def by_row(self) -> bool:
        """Whether every row is a batch and all features are chosen at once: RowModel's case."""
        return self.batch == 1 and self.r == self.p


class Batch:
    """Some rows of a stream, with only the features that they have."""

    def __init__(self, X: csr_array, y: np.ndarray):
        self.features, columns = np.unique(X.indices, return_inverse=True)
        self.X = csr_array((X.data, columns, X.indptr), shape=(X.shape[0], len(self.features)))
        self.y = y.astype(np.float64)

    def sums(self, alpha: np.ndarray) -> np.ndarray:
        """s = sum_i alpha_i y_i x_i at its features."""
        return self.X.T @ (alpha * self.y)

    def columns(self, chosen: np.ndarray) -> np.ndarray:
        """Some of its features, dense."""
        return self._by_column[:, chosen].toarray()

    def decisions(self, w: np.ndarray) -> np.ndarray:
        return self.X @ w[self.features]

    @cached_property
    def _by_column(self):
        return self.X.tocsc()


class Model:
    """Algorithm 1 for one cost c+, or for equal costs: mean and covariance of the weights."""

    def __init__(self, form: Form, n_features: int, cost: float | None):
        self.form = form
        self.cost = cost
        self.mean = np.zeros(n_features)
        self.covariance = Covariance(n_features)
        self._used = np.empty(0, np.int64)  # features that the last batch selected

    def learn(self, batch: Batch, D: np.ndarray) -> None:
        """Choose features in ceil(p / r) steps, each by the dual variables of the one before it.

        D_i is the cost of row i.
        """
        form, n_samples = self.form, len(batch.y)
        alpha = (D if form.cost_weighted else np.ones(n_samples)) / n_samples
        chosen, groups, scaled = [], [], []
        while sum(map(len, chosen)) < form.p:
            room = min(form.r, form.p - sum(map(len, chosen)))
            eta = self._most_violated(batch, batch.sums(alpha), chosen, room)
            if not len(eta):
                break
            X = batch.columns(eta)
            chosen.append(eta)
            groups.append(X)
            scaled.append(X @ self.covariance.learn(batch.features[eta], X, form.C))
            alpha = alpha.copy()
            mean = self._descend(batch, chosen, groups, scaled, D, alpha)
        if form.reset:
            self.mean[self._used] = 0.0
        if chosen:
            self._used = batch.features[np.concatenate(chosen)]
            self.mean[self._used] = mean

    def _most_violated(self, batch: Batch, s: np.ndarray, chosen: list, room: int) -> np.ndarray:
        """The features of largest score m = (Sigma s + 2 mu) s, Eq. (14), as places in the batch.

        The covariance is that of the last batch, since the new one depends on the choice. Features
        with a score of 0 or less are better left out, those that were chosen are not chosen again.
        """
        if self.form.informed:
            product = self.covariance.product(batch.features, s)
            scores = (product + 2.0 * self.mean[batch.features]) * s
        else:
            scores = s**2
        for eta in chosen:
            scores[eta] = 0.0
        return np.sort(best(scores, room, above=0.0))

    def _descend(self, batch, chosen, groups, scaled, D, alpha) -> np.ndarray:
        """The new mean at the chosen features; updates `alpha`."""
        form = self.form
        features = batch.features[np.concatenate(chosen)]
        mean = self.mean[features] if form.warm else np.zeros(len(features))
        edges = np.cumsum([0, *map(len, chosen)])
        X, XS = np.hstack(groups), np.hstack(scaled)
        given = form.q, form.C, form.sigma
        return kernels.descend(X, XS, batch.y, D, *given, edges, mean, alpha)


class Models:
    """Algorithm 2: a model for each cost, all learning from every batch, one of them predicting.

    Each is judged by its own predictions before it learns; the best so far predicts the next batch,
    the first of equals. The paper prints that all are judged by the predictions of the best.
    """

    def __init__(self, form: Form, n_features: int, costs: list, target: str, zero: str):
        model = RowModel if form.by_row else Model
        self.by_row = form.by_row
        self._models = [model(form, n_features, cost) for cost in costs]
        self._tallies = [Tally(target, zero) for _ in costs]
        self.picks = deque([costs[0]], maxlen=LAST_PICKS)
        self._best = 0

    def learn(self, batch: Batch) -> None:
        decisions = [batch.decisions(model.mean) for model in self._models]
        for model in self._models:
            model.learn(batch, _costs(model.cost, batch.y))
        self._judge(decisions, batch.y)

    def learn_rows(self, X: csr_array, y: np.ndarray) -> np.ndarray:
        """Learn from batches of one row each; return the decision before each."""
        y = y.astype(np.float64)
        decisions = [model.learn(X, y, _costs(model.cost, y)) for model in self._models]
        predicted = np.empty(len(y))
        for i in range(len(y)):
            predicted[i] = decisions[self._best][i]
            self._judge([each[i : i + 1] for each in decisions], y[i : i + 1])
        return predicted

    @property
    def best(self) -> Model | RowModel:
        """The model that predicts."""
        return self._models[self._best]

    def _judge(self, decisions: list[np.ndarray], y: np.ndarray) -> None:
        if len(self._models) > 1:
            for tally, decision in zip(self._tallies, decisions, strict=True):
                tally.add(decision, y)
            self._best = int(np.argmax([tally.value for tally in self._tallies]))
        self.picks.append(self.best.cost)


def _costs(cost: float | None, y: np.ndarray) -> np.ndarray:
    """D_i, the cost of a row's class: c+ and 1 - c+."""
    return np.ones(len(y)) if cost is None else np.where(y > 0, cost, 1 - cost)
