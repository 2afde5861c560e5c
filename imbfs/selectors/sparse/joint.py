"""Regression with weights that are sparse in all classes at once, [Liu2017] Eq. (10), [Nie2010].

min_W sum_i |c^i * (x_i W - y^i)| + lam sum_j |w^j|, rows in Euclidean norm, * element by element.
Algorithm 1 of [Liu2017] meets no large matrix here: D and G are vectors, what the classes share is
worked out once a step, and systems are of the rows or of the features, whichever cost less.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import blas, lapack
from scipy.sparse import csr_array, hstack, issparse

from imbfs.selectors.sparse.shifted import Shifted, shifted
from imbfs.selectors.sparse.systems import factored, gram, solve, solve_any, transposed

ITERATIONS = 300  # at most
DENSE = 2**25  # values up to which sparse rows are filled in: BLAS is faster than their products
FEW = 2**22  # values up to which they are whatever they store; beyond, it is an eighth or more
ZETA = 1e-10  # of footnote 1 in [Liu2017]
DEAD = 10 * ZETA**0.5  # smoothing leaves a row that would be 0 no larger, unless it is just so


@dataclass(frozen=True)
class Costs:
    """What errors cost: c_ik is `own[k]` where row i has label k, else `other`, times `row[i]`."""

    own: np.ndarray
    other: float
    row: np.ndarray | None = None

    @property
    def equal(self) -> bool:
        """Whether all labels of a row cost the same, so that all have the same system."""
        return bool(np.all(self.own == self.other))


@dataclass(frozen=True)
class Solution:
    """The weights, features by labels, and the smoothed objective at every iteration's end."""

    W: np.ndarray
    objective: list[float] = field(default_factory=list)


class Problem:
    """Rows, the constant feature 1 put last among their features, and their labels."""

    def __init__(self, X: np.ndarray | csr_array, member: np.ndarray, *, coding: str = "signs"):
        filled = with_constant(X)
        self.X = filled if issparse(filled) else shifted(filled)
        self.member = member
        self.Y = np.where(member, 1.0, -1.0 if coding == "signs" else 0.0)
        self._plan()

    def _plan(self) -> None:
        """Whether systems of the rows or of the features cost less, and each label's rows.

        Where all costs are equal there is one system for all labels.
        """
        member = self.member
        n, d = self.X.shape
        sizes = member.sum(axis=0)
        by_feature = 2.0 * n * d**2 + member.shape[1] * d**3 / 3
        by_row = float(n**2 * d + n**3) + np.sum(sizes.astype(float) ** 3)
        apart = _by_row if by_row < by_feature else _by_feature
        self._solved = {False: apart, True: _by_row if n < d else _by_feature}  # costs equal or not
        self._apart = None
        if sizes.sum() == n and member.any(axis=1).all() and len(sizes) * d**2 <= DENSE:
            rows = [np.flatnonzero(of_label) for of_label in member.T]
            self._apart = [(own, self.X[own]) for own in rows]

    def follow(self, costs: Costs, lam: float, start: np.ndarray, tolerance: float) -> np.ndarray:
        """The weights at lambda, from those at a smaller one, whose dead rows are left out.

        A larger lambda rarely brings a row back. Where it would, as the gradient of the errors
        tells, all rows are in the solution again.
        """
        live = np.linalg.norm(start, axis=1) > DEAD
        if not live.all():
            part = copy(self)
            part.X = self.X[:, live]
            part._plan()
            W = np.zeros_like(start)
            if live.any():
                W[live] = part.solve(costs, lam, start=start[live], tolerance=tolerance).W
            if np.all(self._pull(W, costs)[~live] <= lam):
                return W
        return self.solve(costs, lam, start=start, tolerance=tolerance).W

    def _pull(self, W: np.ndarray, costs: Costs) -> np.ndarray:
        """How strongly the errors draw every row of W: one at 0 stays there up to lambda."""
        C = self._matrix(costs)
        F = self.X @ W
        _, g, _ = self._weights(W, F, C, 0.0, ZETA)
        return np.linalg.norm(self.X.T @ (2.0 * g[:, None] * C**2 * (F - self.Y)), axis=1)

    def _matrix(self, costs: Costs) -> np.ndarray:
        C = np.where(self.member, costs.own, costs.other)
        return C if costs.row is None else C * costs.row[:, None]

    def solve(
        self,
        costs: Costs,
        lam: float,
        *,
        start: np.ndarray | None = None,
        zeta: float = ZETA,
        tolerance: float = 1e-4,
        momentum: bool = True,
    ) -> Solution:
        """Algorithm 1 from the weights given, until a step lowers the objective by too little.

        That is `tolerance` of it, which does not bound how far the end is from the least. Rows and
        residuals are smoothed by zeta (footnote 1). Without weights to start from, D and G are the
        identity at first. With momentum, D and G are those of weights further on in the direction
        of the last step, and where that leads uphill the step is taken again without: the same
        solution in fewer steps, and the objective never rises either way.
        """
        C = self._matrix(costs)
        W, value, objective, pace = start, np.inf, [], 1.0
        F = None if start is None else self.X @ start  # of a step ahead, no product is needed
        d, g = np.ones(self.X.shape[1]), np.ones(len(C))
        if W is not None:
            d, g, value = self._weights(W, F, C, lam, zeta)
        while len(objective) < ITERATIONS:
            stepped = self._solved[costs.equal](self, costs, C, lam * d, g)
            decided = self.X @ stepped
            d, g, lower = self._weights(stepped, decided, C, lam, zeta)
            gain = value - lower
            if gain >= 0.0:
                before, W, F, value = (W, F), stepped, decided, lower
                objective.append(value)
            if not gain > tolerance * lower:
                if pace == 1.0:
                    break
                pace = 1.0
                d, g, _ = self._weights(W, F, C, lam, zeta)
            elif momentum and before[0] is not None:
                following = (1.0 + np.sqrt(1.0 + 4.0 * pace**2)) / 2.0
                share = (pace - 1.0) / following
                ahead = (
                    now + share * (now - then) for now, then in zip((W, F), before, strict=True)
                )
                d, g, _ = self._weights(*ahead, C, lam, zeta)
                pace = following
        return Solution(W, objective)

    def grams(self, weight: np.ndarray) -> tuple[np.ndarray, Iterable[np.ndarray]]:
        """X' diag(weight) X of all rows, and of the rows that have each label.

        Where every row has one label, the first is the sum of the others.
        """
        if self._apart is not None:
            own = [gram(X, weight[rows]) for rows, X in self._apart]
            return np.sum(own, axis=0), own
        every = gram(self.X, weight)
        return every, (self._gram_of(rows, weight, every) for rows in self.member.T)

    def _gram_of(self, rows: np.ndarray, weight: np.ndarray, every: np.ndarray) -> np.ndarray:
        if isinstance(self.X, Shifted):
            return self.X.gram(np.where(rows, weight, 0.0))
        if 2 * np.count_nonzero(rows) > len(rows):
            return every - gram(self.X[~rows], weight[~rows])
        return gram(self.X[rows], weight[rows])

    def _weights(self, W, F, C, lam, zeta) -> tuple[np.ndarray, np.ndarray, float]:
        """The diagonals of D and G, and the objective, at W, where F = X W."""
        residual = (F - self.Y) * C
        rows = np.sqrt(np.einsum("jk,jk->j", W, W) + zeta)
        errors = np.sqrt(np.einsum("ik,ik->i", residual, residual) + zeta)
        return 0.5 / rows, 0.5 / errors, errors.sum() + lam * rows.sum()


def _by_feature(problem: Problem, costs: Costs, C, penalty, g) -> np.ndarray:
    """Eq. (12), w_k = (diag(penalty) + X' U_k G U_k X)^-1 X' U_k G U_k y_k, for every label k.

    The Gram matrices of two labels differ by the rows that have these labels: that of all rows
    serves them all.
    """
    X = problem.X
    weight = g if costs.row is None else g * costs.row**2
    right = X.T @ (C**2 * (g[:, None] * problem.Y))
    if costs.equal:
        return solve(costs.other**2 * gram(X, weight), penalty, right)
    W = np.empty_like(right)
    every, grams = problem.grams(weight)
    for k, own_gram in enumerate(grams):
        own, other = costs.own[k] ** 2, costs.other**2
        system = other * every + (own - other) * own_gram
        W[:, [k]] = solve(system, penalty, right[:, [k]])
    return W


def _by_row(problem: Problem, costs: Costs, C, penalty, g) -> np.ndarray:
    """Eq. (12) turned round: w_k = P^-1 X' (X P^-1 X' + (U_k G U_k)^-1)^-1 y_k, P = diag(penalty).

    The matrices of two labels differ in the diagonal, at the rows that have these labels: the
    inverse root of one matrix serves all, with a system of as many rows as have the label.
    """
    X, member, Y = problem.X, problem.member, problem.Y
    weight = g if costs.row is None else g * costs.row**2
    K = gram(transposed(X), 1.0 / penalty)
    if costs.equal:
        V = solve(K, 1.0 / (costs.other**2 * weight), Y)
        return (X.T @ V) / penalty[:, None]
    other = costs.other**2
    if other == 0.0:
        V = np.zeros_like(Y)
        for k in range(member.shape[1]):  # the other rows cost nothing, and have no part in it
            rows = np.flatnonzero(member[:, k])
            inside = K[np.ix_(rows, rows)]
            V[rows, k] = solve(inside, 1.0 / (costs.own[k] ** 2 * weight[rows]), Y[rows, k])
        return (X.T @ V) / penalty[:, None]
    root, _ = lapack.dtrtri(factored(K, 1.0 / (other * weight)), lower=1, overwrite_c=1)
    half = blas.dtrmm(1.0, root, Y, lower=1)
    for k, own in enumerate(costs.own**2):
        rows = np.flatnonzero(member[:, k])
        columns = root.T[rows]
        inside = columns @ columns.T
        inside.flat[:: len(rows) + 1] += weight[rows] / (1.0 / own - 1.0 / other)
        half[:, k] -= solve_any(inside, columns @ half[:, k]) @ columns
    V = blas.dtrmm(1.0, root, half, lower=1, trans_a=1)
    return (X.T @ V) / penalty[:, None]


def with_constant(X) -> np.ndarray | csr_array:
    """The rows with the constant feature 1 at the end, dense unless that would be too much."""
    ones = np.ones((X.shape[0], 1))
    if issparse(X) and not _to_fill(X):
        return csr_array(hstack([X, ones], format="csr"))
    return np.hstack([X.toarray() if issparse(X) else np.asarray(X, dtype=np.float64), ones])


def _to_fill(X: csr_array) -> bool:
    size = X.shape[0] * X.shape[1]
    return size <= DENSE and (size <= FEW or 8 * X.nnz >= size)
