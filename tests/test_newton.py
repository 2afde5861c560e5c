"""Newton's way to the linear SVM: the optimum of the stated problem, wherever rows make it hard."""

import warnings

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from scipy.sparse import csr_array, random_array
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from imbfs.classifiers import newton
from imbfs.classifiers.linear import LinearSVM


def objective(X, y, C, w, b) -> float:
    return 0.5 * w @ w + np.sum(C * np.maximum(0.0, 1.0 - y * (X @ w + b)))


def by_libsvm(X, y, C) -> tuple[np.ndarray, float]:
    """(w, b), far more exact than either solver is asked to be."""
    model = SVC(kernel="linear", C=1.0, tol=1e-5).fit(X, y, sample_weight=C)
    w = model.coef_.toarray()[0] if hasattr(model.coef_, "toarray") else model.coef_[0]
    return w, model.intercept_[0]


def noisy(n, d, rare=0.2, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < rare, 1, -1)
    X = rng.normal(size=(n, d))
    X[:, : 1 + d // 4] += 0.5 * y[:, None]
    return X * scale, y


def text(n=300, d=800, seed=0):
    """Unit-length rows of words, some of them without any."""
    X = csr_array(random_array((n, d), density=0.01, rng=np.random.default_rng(seed), format="csr"))
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    X = csr_array(X.multiply(1.0 / np.where(lengths > 0, lengths, 1.0)[:, None]))
    y = np.where(X[:, :100].sum(axis=1) > 0.4, 1, -1)
    return X, y


PROBLEMS = {
    "more rows than features": noisy(400, 5),
    "more features than rows": noisy(60, 300),
    "a rare minority": noisy(400, 10, rare=0.03),
    "features of unlike scale": noisy(300, 6, scale=3.0 ** np.arange(-3, 3)),
    "words": text(),
    "few words": (text()[0][:, :20], text()[1]),
}


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("X, y", PROBLEMS.values(), ids=PROBLEMS)
def test_no_model_has_a_smaller_objective(X, y, C):
    prices = np.where(y > 0, 5.0, 1.0) * C
    w, b = newton.solve(X, y, prices, 1e-6)
    least = objective(X, y, prices, *by_libsvm(X, y, prices))
    assert objective(X, y, prices, w, b) <= (1 + 1e-6) * least


@pytest.mark.parametrize("X, y", PROBLEMS.values(), ids=PROBLEMS)
def test_decisions_are_those_of_libsvm(X, y):
    prices = np.where(y > 0, 5.0, 1.0)
    (w, b), (v, c) = newton.solve(X, y, prices, 1e-6), by_libsvm(X, y, prices)
    np.testing.assert_allclose(X @ w + b, X @ v + c, atol=0.002)


@pytest.mark.parametrize("X, y", PROBLEMS.values(), ids=PROBLEMS)
def test_every_margin_is_what_its_dual_variable_asks_for(X, y):
    C, tolerance = np.where(y > 0, 5.0, 1.0), 1e-3
    w, b = newton.solve(X, y, C, tolerance)
    margin = y * (X @ w + b)
    # w is a combination of rows at or below the margin, those below it with all of their price:
    # what the latter leave over must be within reach of the former.
    on, below = np.abs(margin - 1) <= 2 * tolerance, margin < 1 - 2 * tolerance
    dense = X.toarray() if hasattr(X, "toarray") else X
    rest = w - dense[below].T @ (y * C)[below]
    left = -np.sum((y * C)[below])
    A = np.vstack((dense[on].T, np.ones(on.sum()))) * y[on]
    found = lsq_linear(A, np.append(rest, left), bounds=(0, C[on]))
    assert np.linalg.norm(found.fun) < 0.01 * np.linalg.norm(w) + 0.01


@pytest.mark.parametrize("way", ["_by_rows", "_by_features", "_by_products"])
def test_every_way_solves_the_same_system(way):
    rng = np.random.default_rng(0)
    A, r = rng.normal(size=(7, 4)), rng.normal(size=5)
    wide = np.column_stack((A, np.ones(7)))
    H = np.diag([1, 1, 1, 1, 0.3]) + 2.0 * wide.T @ wide
    for rows in (A, csr_array(A)):
        p = getattr(newton, way)(rows, 2.0, 0.3, r)
        if way == "_by_products":  # to a tenth
            assert np.linalg.norm(H @ p - r) < 0.1 * np.linalg.norm(r)
        else:
            np.testing.assert_allclose(H @ p, r, atol=1e-10)


def test_rows_that_seemed_far_take_part_where_they_count():
    X, y = noisy(400, 5)
    loss = newton._Loss(X, y, np.ones(400), np.zeros(400), 10.0, 0.0, 1e-6)
    beyond = np.append(30.0 * np.ones(2), np.zeros(4))  # most rows are far on the right side
    ends = []
    for reach in (0.0, np.inf):
        start = loss.decide(beyond)
        assert (loss.near(start, reach).sum() < 200) == (reach == 0.0)
        ends.append(newton._least(loss, beyond, start, reach, 1.0, 1e-6, 500)[0])
    np.testing.assert_allclose(*ends, atol=1e-4)


def test_a_step_needs_no_row():
    np.testing.assert_allclose(newton._by_rows(np.empty((0, 2)), 3.0, 0.5, np.ones(3)), [1, 1, 2])


@pytest.mark.parametrize("direct", [0, 600])
def test_sparse_and_dense_rows_and_every_way_agree(monkeypatch, direct):
    X, y = text()
    C = np.ones(len(y))
    w, b = newton.solve(X.toarray(), y, C, 1e-5)
    monkeypatch.setattr(newton, "_DIRECT", direct)
    for rows in (X, X.toarray()):
        other = newton.solve(rows, y, C, 1e-5)
        np.testing.assert_allclose(rows @ other[0] + other[1], X @ w + b, atol=1e-3)


def test_rows_without_values_are_decided_by_the_bias():
    # 1/2 w^2 + max(0, 1 - w - b) + 9 max(0, 1 + b): b = -1 costs 2 - w, so w = 1 and b = -1.
    X, y = np.append(1.0, np.zeros(9))[:, None], np.append(1, -np.ones(9))
    w, b = newton.solve(X, y, np.ones(10), 1e-4)
    np.testing.assert_allclose([w.item(), b], [1.0, -1.0], atol=1e-3)


def test_without_any_value_the_dearer_class_wins():
    y = np.array([1, -1, -1])
    w, b = newton.solve(np.zeros((3, 2)), y, np.array([5.0, 1.0, 1.0]), 1e-3)
    assert (w == 0).all() and b == pytest.approx(1.0, abs=0.01)
    # Of equal prices neither does: any b from -1 to 1 is best.
    _, b = newton.solve(np.zeros((3, 2)), y, np.array([2.0, 1.0, 1.0]), 1e-3)
    assert -1 <= b <= 1


def test_many_rows_converge_where_coordinate_descent_did_not():
    X, y = noisy(3_000, 40, rare=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ours = LinearSVM(class_weight="balanced").fit(X, y)
    theirs = SVC(kernel="linear", class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=0.01)


@pytest.mark.parametrize(
    "n, d, sigma", [(200, 5, 0.1), (40, 60, 0.5), (30, 3, 1e4), (6, 1, 2.0), (300, 128, 0.01)]
)
def test_kernels_take_the_steps_of_the_formulas(n, d, sigma):
    X, y = noisy(n, d, seed=d)
    rng = np.random.default_rng(n)
    C, a = rng.uniform(0.5, 2.0, n), rng.uniform(0.0, 0.5, n)
    loss = newton._Loss(X, y.astype(float), C, a, sigma, 0.3, 1e-6)
    assert not newton._is_large(loss.X)
    start = rng.normal(size=d + 1)
    for limit in (1, 2, 100):
        arguments = loss, start, loss.decide(start), 2.0, 1e-3, limit
        (slow, left), (fast, same) = newton._descended(*arguments), newton._by_kernel(*arguments)
        np.testing.assert_allclose(fast, slow, rtol=1e-8, atol=1e-10)
        assert left == same
    assert 0 < left < 100


def test_where_no_row_bends_the_loss_the_step_is_the_same():
    A, r = np.empty((0, 4)), np.arange(5.0)
    np.testing.assert_array_equal(
        newton.kernels._by_rows(A, 2.0, 0.5, r), newton._by_rows(A, 2.0, 0.5, r)
    )


def test_steps_end_on_raw_features_too():
    X, y = load_wine(return_X_y=True)  # of 0.1 to 1,700; without care for rounding some do not end
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(178)[:118], rng.permutation(13)[: rng.integers(1, 14)]
        target, C = np.where(y[rows] == seed % 3, 1, -1), 10.0 ** rng.integers(-1, 2)
        own, prices = X[np.ix_(rows, columns)], np.full(118, C)
        w, b = newton.solve(own, target, prices, 1e-3)  # a warning would be an error
        least = 2 * C * min(np.sum(target > 0), np.sum(target < 0))  # with no weights
        assert objective(own, target, prices, w, b) <= least * (1 + 1e-3)
