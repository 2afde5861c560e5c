"""Sparse confidence-weighted learning: Algorithms 1 and 2 of [Liu2019]."""

from collections import deque
from copy import copy, deepcopy
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from imbfs.online.confidence import kernels
from imbfs.online.confidence.covariance import Covariance, Update
from imbfs.online.confidence.rows import RowModel
from imbfs.online.confidence.tallies import Tally

LAST_PICKS = 20  # of so many batches Table 4 averages the cost
_WIDE = 8  # times as many features as values: sorting these is faster than counting those


class Form(NamedTuple):
    """How models learn: p features a batch, r at a time, with hinge loss (q = 1) or its square.

    `informed` chooses features by the mean of the last batch and the covariance of the last step as
    well, `warm` starts from that mean; `reset` sets the weights of features that a batch does not
    select to 0.
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
        self.features, columns = _numbered(X.indices, X.shape[1])
        self.X = csr_array((X.data, columns, X.indptr), shape=(X.shape[0], len(self.features)))
        self.y = y.astype(np.float64)

    def sums(self, alpha: np.ndarray) -> np.ndarray:
        """s = sum_i alpha_i y_i x_i at its features."""
        X = self.X
        return kernels.sums(X.data, X.indices, X.indptr, alpha, self.y, X.shape[1])

    def columns(self, chosen: np.ndarray) -> np.ndarray:
        """Some of its features, dense."""
        X = self._by_column
        return kernels.dense(X.data, X.indices, X.indptr, chosen, X.shape[0]).T

    def decisions(self, model: "Model | RowModel") -> np.ndarray:
        return self.X @ model.at(self.features)

    @cached_property
    def _by_column(self):
        return self.X.tocsc()


class Model:
    """Algorithm 1 for one cost c+, or for equal costs: mean and covariance of the weights.

    The mean is kept where the covariance is: features never selected have none.
    """

    def __init__(self, form: Form, cost: float | None):
        self.form = form
        self.cost = cost
        self.covariance = Covariance()
        self.mean = np.empty(0)

    def at(self, features: np.ndarray) -> np.ndarray:
        """The weights of some features, which are in order."""
        known, places = self.covariance.met(features)
        w = np.zeros(len(features))
        w[known] = self.mean[places]
        return w

    def weights(self, n_features: int) -> np.ndarray:
        """The weights of all features."""
        w = np.zeros(n_features)
        w[self.covariance.features] = self.mean
        return w

    def learn(self, batch: Batch, D: np.ndarray) -> None:
        """Choose up to r features a step, by the dual variables of the step before it.

        Steps go on until p are chosen or no score is above 0, which may take more than ceil(p / r).
        A row without loss keeps its dual variable, at first 1 / n or D_i / n; D_i is the cost of
        row i. Every step adds the block of its own features to the inverse of Sigma, so that after
        a batch this has grown by the block of each group and not, as in Eq. (10), by that of all
        features chosen.
        """
        form, n_samples = self.form, len(batch.y)
        update = Update(self.covariance, batch.features, form.p)
        before = np.zeros(len(batch.features))
        before[update.known] = self.mean[update.places[update.known]]
        alpha = (D if form.cost_weighted else np.ones(n_samples)) / n_samples
        groups, mean = Groups(n_samples, min(form.p, len(before))), np.empty(0)
        while len(groups.chosen) < form.p:
            room = min(form.r, form.p - len(groups.chosen))
            eta = self._most_violated(batch.sums(alpha), before, update, groups.chosen, room)
            if not len(eta):
                break
            X = batch.columns(eta)
            groups.add(eta, X, update.learn(eta, X, form.C))
            start = before[groups.chosen] if form.warm else np.zeros(len(groups.chosen))
            mean = groups.descend(form, start, batch.y, D, alpha)
        update.done()
        self._set(update.places[groups.chosen], mean)

    def _most_violated(self, s, before, update: Update, chosen, room: int) -> np.ndarray:
        """The features of largest score m = (Sigma s + 2 mu) s, Eq. (14), as places in the batch.

        The covariance is that of the last step, since the new one depends on the choice. Features
        with a score of 0 or less are better left out, those that were chosen are not chosen again.
        """
        scores = s**2
        if self.form.informed and len(update.known):
            known = update.known
            scores[known] = (update.product(s) + 2.0 * before[known]) * s[known]
        scores[chosen] = 0.0
        return kernels.most_violated(scores, room)

    def _set(self, places: np.ndarray, w: np.ndarray) -> None:
        """Let the weights at some places be w; the others stay, or are reset to 0."""
        mean = np.zeros(len(self.covariance.features))
        if not self.form.reset:
            mean[: len(self.mean)] = self.mean
        mean[places] = w
        self.mean = mean


class Groups:
    """The groups of features that a batch has chosen so far, each of them some columns."""

    def __init__(self, n_samples: int, most: int):
        self.chosen = np.empty(0, np.int64)  # as places in the batch
        self._edges = np.zeros(1, np.int64)  # of the groups among the columns
        self._X, self._scaled, self._norms = (np.empty((n_samples, most)) for _ in range(3))

    def add(self, eta: np.ndarray, X: np.ndarray, sigma: np.ndarray) -> None:
        """Add a group with the columns X, and with Sigma among its features."""
        columns = slice(len(self.chosen), len(self.chosen) + len(eta))
        mine, scaled = self._X[:, columns], self._scaled[:, columns]
        mine[:] = X
        np.matmul(X, sigma, out=scaled)
        np.einsum("ij,ij->i", mine, scaled, out=self._norms[:, len(self._edges) - 1])
        self.chosen = np.concatenate((self.chosen, eta))
        self._edges = np.append(self._edges, columns.stop)

    def descend(self, form: Form, mean: np.ndarray, y, D, alpha: np.ndarray) -> np.ndarray:
        """The new mean at the chosen features, from that before; updates `alpha`."""
        X = self._X[:, : len(mean)]
        rows = self._X, self._scaled, X @ mean, self._norms, y, D
        return mean + kernels.descend(*rows, form.q, form.C, form.sigma, self._edges, alpha)


class Models:
    """Algorithm 2: a model for each cost, all learning from every batch, one of them predicting.

    Each is judged by its own predictions before it learns; the best so far predicts the next batch,
    the first of equals. The paper prints that all are judged by the predictions of the best.
    """

    def __init__(self, form: Form, n_features: int, costs: list, target: str, zero: str):
        self.by_row = form.by_row
        self._models = [
            RowModel(form, n_features, cost) if form.by_row else Model(form, cost) for cost in costs
        ]
        self._tallies = [Tally(target, zero) for _ in costs]
        self.picks = deque([costs[0]], maxlen=LAST_PICKS)
        self._best = 0

    def learn(self, batch: Batch) -> None:
        self._judge([batch.decisions(model) for model in self._models], batch.y)
        for model in self._models:
            model.learn(batch, _costs(model.cost, batch.y))

    def ended(self, batch: Batch) -> "Models":
        """What comes of a last batch: of the models only the one that predicts has learned it."""
        models = copy(self)
        models._models = list(self._models)
        models._tallies, models.picks = deepcopy((self._tallies, self.picks))
        models._judge([batch.decisions(model) for model in self._models], batch.y)
        predicts = deepcopy(models.best)
        predicts.learn(batch, _costs(predicts.cost, batch.y))
        models._models[models._best] = predicts
        return models

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
    def all(self) -> list[Model | RowModel]:
        """The models, one a cost."""
        return self._models

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


def _numbered(indices: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """The features among some indices, in order, and which of these each index is."""
    if n_features > _WIDE * len(indices):
        return np.unique(indices, return_inverse=True)
    number = np.zeros(n_features, np.int32)
    number[indices] = 1
    features = np.flatnonzero(number)
    number[features] = np.arange(len(features))
    return features, number[indices]


def _costs(cost: float | None, y: np.ndarray) -> np.ndarray:
    """D_i, the cost of a row's class: c+ and 1 - c+."""
    return np.ones(len(y)) if cost is None else np.where(y > 0, cost, 1 - cost)
