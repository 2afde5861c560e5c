"""The linear support vector machine of many rows, its bias free, by the method of multipliers.

The hinge is replaced by a smooth loss, shifted in every row by the row's multiplier a_i. Newton's
method makes it least in a few steps, which costs little, for rows that are well classified or at
their bound count for nothing. That point gives the next multipliers, and these tend to the dual
variables of the hinge.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack  # cho_factor and cho_solve take longer than small systems do
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from imbfs.classifiers import newton_kernels as kernels

STEPS = 1_000  # of Newton's method, in all; 250 is the most that a set at hand took
GROWTH = 1.6  # of sigma
_FEW_GROWTH, _FEW_START = 2.5, 10.0  # with few features, where stiff systems cost nothing more
_DIRECT = 600  # unknowns of a system that is solved directly
_FEW = 128  # features up to which kernels are faster
_PRODUCTS = 300  # with the matrix of a larger one
_HOLD = 1e-6  # on b, so that it moves by so much only where no row says how far
_FILLED = 0.3  # share of values that makes a sparse matrix slower than a dense one


def solve(X, y: np.ndarray, C: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """(w, b) of the least 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w x_i + b)), y_i +1 or -1.

    No margin is further than `tolerance` from what its dual variable asks for, which is where
    libsvm stops too: at 1 within bounds, above at 0, below at C_i.
    """
    X = X.toarray() if issparse(X) and X.nnz > _FILLED * np.prod(X.shape) else X
    X = X if issparse(X) else np.ascontiguousarray(X)
    y = y.astype(np.float64)
    length = np.sqrt(1.0 + _squares(X).sum() / len(y))  # of a row
    model, f, a = np.zeros(X.shape[1] + 1), np.zeros(len(y)), np.zeros(len(y))
    start, growth = (1.0, GROWTH) if _is_large(X) else (_FEW_START, _FEW_GROWTH)
    sigma, left, reach = start / length**2, STEPS, np.inf
    while left:
        loss = _Loss(X, y, C, a, sigma, model[-1], _HOLD * C.mean())
        before = f
        model, f, left = _least(loss, model, f, reach, length, tolerance, left)
        reach = 2.0 * np.abs(f - before).max()
        s = loss.multipliers(f)
        violation = np.abs(s - a).max() / sigma
        if left and violation <= tolerance:
            return model[:-1], float(model[-1])
        a = s
        sigma *= growth
    warnings.warn(
        f"a margin is still {violation:.1g} from optimal: scale the features, or lower C",
        ConvergenceWarning,
        stacklevel=4,
    )
    return model[:-1], float(model[-1])


@dataclass(frozen=True)
class _Loss:
    """1/2 |w|^2 + sum_i max_s (s u_i - s^2 / (2 sigma)), where 0 <= s <= C_i, of models (w, b).

    u_i = 1 - y_i (w x_i + b) + a_i / sigma. The largest s is the next a_i; a larger sigma comes
    nearer to the hinge. A small term, of weight `hold`, holds b near where it was.
    """

    X: np.ndarray | csr_array
    y: np.ndarray
    C: np.ndarray
    a: np.ndarray
    sigma: float
    anchor: float
    hold: float

    def of(self, rows: np.ndarray) -> "_Loss":
        """The loss of some rows alone."""
        parts = (values[rows] for values in (self.X, self.y, self.C, self.a))
        return _Loss(*parts, self.sigma, self.anchor, self.hold)

    def near(self, f: np.ndarray, reach: float) -> np.ndarray:
        """Which rows count, or would if their decision moved by `reach`."""
        return (self.a > 0.0) | (self.y * f < 1.0 + reach)

    def decide(self, model: np.ndarray) -> np.ndarray:
        return self.X @ model[:-1] + model[-1]

    def multipliers(self, f: np.ndarray) -> np.ndarray:
        s = self.a + self.sigma * (1.0 - self.y * f)
        return np.minimum(np.maximum(s, 0.0, out=s), self.C, out=s)

    def value(self, model: np.ndarray, f: np.ndarray, s: np.ndarray) -> float:
        smooth = s @ (1.0 - self.y * f + (self.a - 0.5 * s) / self.sigma)
        w, b = model[:-1], model[-1] - self.anchor
        return 0.5 * (w @ w + self.hold * b * b) + smooth

    def gradient(self, model: np.ndarray, s: np.ndarray) -> np.ndarray:
        pull = self.y * s
        bias = self.hold * (model[-1] - self.anchor) - pull.sum()
        return np.append(model[:-1] - self.X.T @ pull, bias)

    def step(self, s: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Newton's: only rows with their s within bounds bend the loss."""
        A = self.X[np.flatnonzero((s > 0) & (s < self.C))]
        solver = _by_rows if A.shape[0] <= min(_DIRECT, A.shape[1]) else _by_products
        if A.shape[1] < min(_DIRECT, A.shape[0]):
            solver = _by_features
        return solver(A, self.sigma, self.hold, -gradient)


def _least(loss: _Loss, model, f, reach: float, length: float, tolerance: float, left: int):
    """The model of the least loss, its decisions, and how many steps are left.

    Steps are taken with the rows that are near to count alone; where others count in the end, they
    go on with these too.
    """
    near = loss.near(f, reach)
    while True:
        part = loss if near.all() else loss.of(np.flatnonzero(near))
        descend = _descended if _is_large(part.X) else _by_kernel
        model, left = descend(part, model, f[near], length, tolerance, left)
        f = loss.decide(model)
        if left == 0 or not np.any(loss.near(f, 0.0) & ~near):
            return model, f, left
        near |= loss.near(f, reach)


def _by_kernel(loss: _Loss, model, f, length: float, tolerance: float, limit: int) -> tuple:
    """As `_descended`, in a fraction of the time where there is little to sum."""
    parts = loss.X, loss.y, loss.C, loss.a, loss.sigma, loss.anchor, loss.hold
    return kernels.descend(*parts, model, f, length, tolerance, limit)


def _descended(loss: _Loss, model, f, length: float, tolerance: float, limit: int) -> tuple:
    """The model of the least loss, and how many steps are left.

    As exact as the multipliers are worth it: to a tenth of their violation, in units of a margin.
    """
    s = loss.multipliers(f)
    value = loss.value(model, f, s)
    for left in range(limit, -1, -1):
        violation = np.abs(s - loss.a).max() / loss.sigma
        gradient = loss.gradient(model, s)
        error = length * np.linalg.norm(gradient[:-1]), abs(gradient[-1]) / (s.sum() or 1.0)
        if left == 0 or max(error) <= 0.1 * max(min(violation, 1.0), tolerance):
            break
        step = loss.step(s, gradient)
        moved, share = loss.decide(step), 1.0
        here, fall = value, 1e-4 * (gradient @ step)
        for _ in range(kernels.HALVINGS):
            ahead, further = model + share * step, f + share * moved
            s = loss.multipliers(further)
            value = loss.value(ahead, further, s)
            if value <= here + share * fall:
                break
            share /= 2.0
        model, f = ahead, further
    return model, left


def _by_rows(A, sigma: float, hold: float, r: np.ndarray) -> np.ndarray:
    """The p with H p = r, H = diag(1, ..., 1, hold) + sigma [A 1]^T [A 1], where A has few rows.

    K = A A^T + I / sigma has a row and a column for each of them.
    """
    K = _dense(A @ A.T)
    K[np.diag_indices_from(K)] += 1.0 / sigma
    Ar = A @ r[:-1]
    solved = _solved(K, np.column_stack((np.ones(len(K)), Ar)))
    ones, inverse = solved[:, 0], solved[:, 1]
    bias = (r[-1] - ones @ Ar) / (hold + ones.sum())
    return np.append(r[:-1] - A.T @ (inverse + bias * ones), bias)


def _by_features(A, sigma: float, hold: float, r: np.ndarray) -> np.ndarray:
    """The same p where A has few columns."""
    d = A.shape[1]
    H = np.zeros((d + 1, d + 1))
    H[:d, :d] = _dense(A.T @ A)
    H[d, :d] = H[:d, d] = A.sum(axis=0)
    H[d, d] = A.shape[0]
    H = sigma * H + np.diag(np.append(np.ones(d), hold))
    return _solved(H, r)


def _by_products(A, sigma: float, hold: float, r: np.ndarray) -> np.ndarray:
    """Nearly the same p, by conjugate gradients."""
    ones = np.append(np.ones(A.shape[1]), hold)
    diagonal = ones + sigma * np.append(_squares(A).sum(axis=0), A.shape[0])

    def product(p):
        bent = sigma * (A @ p[:-1] + p[-1])
        return ones * p + np.append(A.T @ bent, bent.sum())

    H, inverse = (
        LinearOperator((len(r), len(r)), matvec=matvec, dtype=np.float64)
        for matvec in (product, lambda p: p / diagonal)
    )
    accuracy = min(0.1, np.sqrt(np.linalg.norm(r)))
    return cg(H, r, rtol=accuracy, maxiter=_PRODUCTS, M=inverse)[0]


def _solved(H: np.ndarray, right: np.ndarray) -> np.ndarray:
    """H^-1 right; H is symmetric, so that it may be written over as it stands."""
    if len(H) == 0:
        return right
    _, solution, failed = lapack.dposv(H.T, right, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("a system of Newton's method is not positive definite")
    return solution


def _is_large(X) -> bool:
    """Whether rows are sparse, or so long that sums take the time and not numpy's calls."""
    return issparse(X) or X.shape[1] > _FEW


def _squares(X):
    return X.multiply(X) if issparse(X) else X * X


def _dense(X) -> np.ndarray:
    return X.toarray() if issparse(X) else X
