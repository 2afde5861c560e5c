"""RFS and CSFS against their textbook forms, as ratios of times taken in one run.

The textbook forms are written here as they are printed: matrices of (n + d)^2 for RFS, a system of
all features for every class and step for CSFS. The whole path is of 13 lambdas and 20 costs, on two
thirds of three quarters of the rows, as in the experiment; that of Algorithm 1 is its step times
the steps that it takes without momentum from where the path before it ended, at the same tolerance.
"""

from functools import partial
from time import perf_counter

import numpy as np
from sklearn.preprocessing import StandardScaler
from timing import best, show

from imbfs.datasets import NotAtHand, Source, load
from imbfs.selectors.sparse import joint
from imbfs.selectors.sparse.csfs import Form, Labels, evenly, path
from imbfs.selectors.sparse.joint import Costs, Problem

AIMS = {"usps_all": "<= 300", "yaleb": "<= 1800"}  # seconds
LAMBDAS, COSTS = np.logspace(-6, 6, 13), [(2 - r, r) for r in evenly(20, 2.0)]


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    found = [_rfs()]
    for name, aim in AIMS.items():
        try:
            found += _csfs(name, aim)
        except NotAtHand as error:
            print(error)
    return found


def _rfs() -> tuple[str, float, str]:
    rng = np.random.default_rng(0)
    X, member = rng.normal(size=(72, 7_129)), np.arange(72)[:, None] % 3 == np.arange(3)
    problem = Problem(X, member)
    step = partial(_step, problem, Costs(np.ones(3), 1.0))
    ours = best({"rfs": step}, 10)["rfs"]
    started = perf_counter()
    _textbook_rfs_step(X.T, problem.Y, 1.0, np.eye(72 + 7_129))
    return "textbook RFS / rfs, a step, 72 x 7,129", (perf_counter() - started) / ours, ">= 500"


def _csfs(name: str, aim: str) -> list[tuple[str, float, str]]:
    X, y = _rows(name)
    labels = Labels(y)
    problem = Problem(X, labels.member)
    costs = Form().of(labels, 1.5, 0.5)
    C = np.where(labels.member, costs.own, costs.other)
    g, d = np.ones(len(y)), np.ones(problem.X.shape[1])
    ours = best({"csfs": partial(_step, problem, costs)}, 3)["csfs"]
    literal = best({"1": lambda: _algorithm_1_step(problem.X.T, problem.Y, C, d, g)}, 1)["1"]
    started = perf_counter()
    for _ in path(X, y, Form(), COSTS, LAMBDAS):
        pass
    seconds = perf_counter() - started
    whole = literal * _plain_steps(problem, labels) / seconds
    return [
        (f"Algorithm 1 / csfs, a step, {name}", literal / ours, ""),
        (f"Algorithm 1 / csfs, 13 lambdas x 20 costs, {name}", whole, ""),
        (f"csfs, 13 lambdas x 20 costs, {name}: seconds", seconds, aim),
    ]


def _plain_steps(problem: Problem, labels: Labels) -> float:
    """Steps of the whole path without momentum, told from every fourth cost."""
    steps, some = 0, COSTS[::4]
    for pair in some:
        W = None
        for lam in LAMBDAS:
            terms = Form().of(labels, *pair)
            found = problem.solve(terms, lam, start=W, tolerance=1e-3, momentum=False)
            W, steps = found.W, steps + len(found.objective)
    return steps * len(COSTS) / len(some)


def _step(problem: Problem, costs: Costs) -> np.ndarray:
    C = np.where(problem.member, costs.own, costs.other)
    step = problem._solved[costs.equal]
    W = step(problem, costs, C, np.ones(problem.X.shape[1]), np.ones(len(C)))
    return problem._weights(W, problem.X @ W, C, 1.0, joint.ZETA)


def _textbook_rfs_step(X, Y, lam, D):
    A = np.hstack([X.T, lam * np.eye(X.shape[1])])
    inverse = np.linalg.inv(D)
    U = inverse @ A.T @ np.linalg.inv(A @ inverse @ A.T) @ Y
    return np.diag(1 / (2 * np.linalg.norm(U, axis=1)))


def _algorithm_1_step(X, Y, C, d, g):
    """Eq. (12) for every class, diagonal matrices as vectors: the paper has them sparse."""
    W = [
        np.linalg.solve(np.diag(d) + (X * (c**2 * g)) @ X.T, X @ (c**2 * g * y))
        for c, y in zip(C.T, Y.T, strict=True)
    ]
    W = np.column_stack(W)
    return np.linalg.norm(W, axis=1), np.linalg.norm((X.T @ W - Y) * C, axis=1)


def _rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(Source(name))
    order = np.random.default_rng(0).permutation(len(data.y))[: len(data.y) // 2]
    return StandardScaler().fit_transform(data.X[order]), np.asarray(data.y)[order]


if __name__ == "__main__":
    show(rows())
