"""CSFS and RFS: features by the weights of a jointly sparse regression, [Liu2017], [Nie2010].

Both are of one solver: RFS is CSFS with equal costs. What is not given is chosen by the F-measure
of the weights' own predictions on a share of the rows that is kept from the fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from imbfs.errors import UserError
from imbfs.measures import measure
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL, Count, Positive
from imbfs.selectors.sparse.joint import DEAD, Costs, Problem, with_constant
from imbfs.splits import Share, hold_out

SEARCH = 10.0  # times the tolerance is enough to tell which costs and lambda are best
LAMBDAS = (-6, 6)  # powers of ten between which lambda is sought, [Liu2017] Sec. Experiments
F_MEASURES = {BINARY: "f_measure", MULTICLASS: "mc_f1", MULTILABEL: "micro_f1"}  # Eq. (2), (4), (3)

CostReading = Literal["per_label", "first_class", "per_sample"]
Coding = Literal["signs", "indicator"]
Judged = Literal["classes", "labels"]


def csfs(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    r: Positive | None = None,
    lam: Positive | None = None,
    n_costs: Count = 19,
    n_lambdas: Count = 13,
    costs: CostReading = "per_label",
    judged: Judged = "classes",
    beta: Positive = 1.0,
    validation: Share = 1 / 3,
    refit: bool = True,
    coding: Coding = "signs",
    tolerance: Positive = 1e-4,
    seed: int = 0,
) -> np.ndarray:
    """Row norms |w^j| of the cost-sensitive W of Eq. (10) with the best F-measure, [Liu2017].

    A miss costs 1 + beta^2 - r and a false alarm r (Fig. 1b): `n_costs` values of r, evenly within
    0 and 1 + beta^2, times `n_lambdas` of lambda within 1e-6 and 1e6 are tried, those with the best
    F on the `validation` share of the rows are kept, and W is fitted again to all rows, or with
    `refit: false` stays that of the rest. Ties go to the larger lambda, then to the larger r.

    F is Eq. (2) of two classes, Eq. (3) of labels, and Eq. (4) of several classes, or, with
    `judged: labels`, Eq. (3) of classes decided one by one.

    For several classes Eq. (4) has a cost of 1 + beta^2 - r for missing any class but the first, r
    for missing the first, and none for false alarms. "per_label" takes Eq. (3)'s costs for every
    class against the rest instead; "first_class" is Eq. (4) to the letter, in which rows that are
    not of a class cost nothing in its column; "per_sample" has the cost of missing a row's class in
    all of its columns. Two classes and several labels have one reading, "per_label".

    A fit ends when a step lowers the objective by no more than `tolerance` of it, ten times that
    while costs and lambda are sought. This bounds the last step, not how far the end is from the
    least: with 500 features of 72 rows (golub) that is up to 0.001 of it at the default, and of the
    20 best features 15 to 20 are those at the least. Where rows outnumber features (digits) it is
    under 0.0001, and 19 or 20 are.
    """
    if r is not None and r >= 1 + beta**2:
        raise UserError(f"csfs.r: {r:g} is not below 1 + beta^2 = {1 + beta**2:g}.")
    grid = [r] if r is not None else evenly(n_costs, 1 + beta**2)
    form = Form(costs, coding, judged, tolerance)
    sought = [(1 + beta**2 - one, one) for one in grid]
    return search(X, y, form, sought, _lambdas(lam, n_lambdas), validation, refit, seed).scores


def rfs(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    lam: Positive | None = None,
    n_lambdas: Count = 13,
    judged: Judged = "classes",
    validation: Share = 1 / 3,
    refit: bool = True,
    coding: Coding = "signs",
    tolerance: Positive = 1e-4,
    seed: int = 0,
) -> np.ndarray:
    """Row norms |w^j| of W = argmin sum_i |x_i W - y^i| + lam sum_j |w^j|, [Nie2010] Eq. (8).

    lambda is sought as by `csfs`, of which this is the case of equal costs; `tolerance` bounds what
    it bounds there.
    """
    form = Form("per_label", coding, judged, tolerance)
    lambdas = _lambdas(lam, n_lambdas)
    return search(X, y, form, [(1.0, 1.0)], lambdas, validation, refit, seed).scores


@dataclass(frozen=True)
class Form:
    """How labels and the costs of errors are told to the solver, and how it is judged."""

    costs: CostReading = "per_label"
    coding: Coding = "signs"
    judged: Judged = "classes"
    tolerance: float = 1e-4

    def of(self, labels: "Labels", miss: float, alarm: float) -> Costs:
        """The costs of all rows and labels where a miss and a false alarm cost this."""
        m = labels.member.shape[1]
        if self.costs == "per_label":
            return Costs(np.full(m, miss), alarm)
        if labels.kind != MULTICLASS:
            raise UserError(f"csfs.costs: {self.costs} is a reading for several classes.")
        if self.costs == "per_sample":
            return Costs(np.ones(m), 1.0, np.where(labels.member[:, 0], alarm, miss))
        return Costs(np.where(np.arange(m) == 0, alarm, miss), 0.0)


@dataclass(frozen=True)
class Found:
    """The weights chosen, a row a feature and the constant last, and what they were chosen for."""

    W: np.ndarray
    miss: float
    alarm: float
    lam: float
    f_measure: float

    @property
    def scores(self) -> np.ndarray:
        return np.linalg.norm(self.W[:-1], axis=1)


class Labels:
    """y as the solver takes it, a column a label, and back from its decisions."""

    def __init__(self, y: np.ndarray):
        self.kind = MULTILABEL if y.ndim == 2 else BINARY if y.min() < 0 else MULTICLASS
        self.classes = np.unique(y) if self.kind == MULTICLASS else None
        self.member = y[:, None] == self.classes if self.kind == MULTICLASS else _columns(y) > 0

    def by_class(self, decision: np.ndarray) -> np.ndarray:
        """A column for every class 0, 1, ..., whichever of them there were to learn."""
        columns = np.full((len(decision), self.classes[-1] + 1), -np.inf)
        columns[:, self.classes] = decision
        return columns

    def predicted(self, decision: np.ndarray) -> np.ndarray:
        if self.kind == MULTICLASS:
            return decision.argmax(axis=1)
        above = decision > 0
        return np.where(above[:, 0], 1, -1) if self.kind == BINARY else above.astype(np.int8)


def search(
    X,
    y: np.ndarray,
    form: Form,
    costs: list[tuple[float, float]],
    lambdas: np.ndarray,
    validation: float = 1 / 3,
    refit: bool = True,
    seed: int = 0,
) -> Found:
    """The weights for the pair of costs and the lambda with the best F on rows kept for it.

    One pair and one lambda need no such rows, and all are fitted. Where a class is too small to be
    split, none are kept, and weights are judged by the rows that they were fitted to.
    """
    if len(costs) == len(lambdas) == 1:
        return _fitted(X, y, form, *costs[0], lambdas[0], None)
    try:
        fit, kept = hold_out(y, Labels(y).kind, validation, seed)
    except ValueError:
        fit = kept = np.arange(len(y))
    best, judged = None, (X[kept], y[kept], Labels(y[fit]))
    for miss, alarm, lam, W in path(X[fit], y[fit], form, costs, lambdas):
        value = judge(*judged, W, form)
        if best is None or value >= best.f_measure:
            best = Found(W, miss, alarm, lam, value)
    rows = slice(None) if refit else fit
    return _fitted(X[rows], y[rows], form, best.miss, best.alarm, best.lam, best)


def path(X, y: np.ndarray, form: Form, costs, lambdas) -> Iterator[tuple]:
    """The weights for every lambda, from the least on, and pair of costs.

    Each starts from those for the same costs and the lambda before, whose rows are to shrink: a row
    that has died comes back slowly.
    """
    labels = Labels(y)
    problem = Problem(X, labels.member, coding=form.coding)
    last = [None] * len(costs)
    for lam in lambdas:
        for at, (miss, alarm) in enumerate(costs):
            terms = form.of(labels, miss, alarm)
            close = SEARCH * form.tolerance
            if last[at] is None:
                start = last[at - 1]
                last[at] = problem.solve(terms, lam, start=start, tolerance=close).W
            else:
                last[at] = problem.follow(terms, lam, last[at], close)
            yield miss, alarm, lam, last[at]


def judge(X, y: np.ndarray, labels: Labels, W: np.ndarray, form: Form) -> float:
    """The F-measure of what the weights predict, Eq. (2) to (4); -inf where it is undefined.

    Rows that are 0 but for the smoothing predict nothing.
    """
    W = np.where(np.linalg.norm(W, axis=1, keepdims=True) > DEAD, W, 0.0)
    decision = with_constant(X) @ W - (0.0 if form.coding == "signs" else 0.5)
    name = F_MEASURES[labels.kind]
    if labels.kind == MULTICLASS:
        decision = labels.by_class(decision)
        name = name if form.judged == "classes" else "ovr_f1"
    value = measure(labels.kind, [name], y, labels.predicted(decision), decision)[name]
    return -np.inf if np.isnan(value) else value


def evenly(count: int, end: float) -> np.ndarray:
    """So many values between 0 and the end, as far from them as from one another."""
    return end * np.arange(1, count + 1) / (count + 1)


def _lambdas(lam: float | None, count: int) -> np.ndarray:
    return np.logspace(*LAMBDAS, count) if lam is None else np.array([lam])


def _fitted(X, y, form, miss, alarm, lam, chosen: Found | None) -> Found:
    """The weights for one pair of costs and lambda, from all rows."""
    labels = Labels(y)
    start, value = (None, np.nan) if chosen is None else (chosen.W, chosen.f_measure)
    if start is not None and start.shape[1] != labels.member.shape[1]:
        start = None  # a class that none of the rows fitted has
    problem = Problem(X, labels.member, coding=form.coding)
    terms = form.of(labels, miss, alarm)
    W = problem.solve(terms, lam, start=start, tolerance=form.tolerance).W
    return Found(W, miss, alarm, lam, value)


def _columns(y: np.ndarray) -> np.ndarray:
    return y[:, None] if y.ndim == 1 else y
