"""The l_{p,infinity} penalty: its proximal step, its least penalty, its solution, its scores."""

import numpy as np
import oracles
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.linear_model import Lasso

import imbfs
from imbfs import UserError
from imbfs.selectors.sparse import ncfs as module
from imbfs.selectors.sparse.ncfs import centred, ncfs, solve
from imbfs.selectors.sparse.rows import least_penalty, shrink

every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])
every_power = pytest.mark.parametrize("p", [1.0, 0.9, 0.5, 0.1])


def problem(n_samples=40, n_features=8, labels=3, seed=0):
    """Labels that rest on features 1, 4 and 5 alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.7)
    f = X[:, [1, 4, 5]] @ rng.normal(size=(3, labels)) + 0.3 * rng.normal(size=(n_samples, labels))
    return X, (f > 0.2).astype(int)


def signs(y):
    return np.where(y > 0, 1.0, -1.0)


def solved(X, Y, lam, p, W=None, tolerance=1e-10):
    product, B, _ = centred(X, Y)
    return solve(product, B, lam, p, np.zeros_like(B) if W is None else W, tolerance)


# The proximal step


@every_power
@pytest.mark.parametrize("width", [1, 2, 5, 40])
def test_the_proximal_step_is_the_best_of_many(width, p):
    rng = np.random.default_rng(0)
    V = rng.normal(size=(12, width)) * rng.gamma(0.5, size=(12, width))
    for tau in (1e-3, 0.1, 0.5, 2.0, 50.0):
        W = shrink(V, np.full(12, tau), p)
        for v, w in zip(V, W, strict=True):
            expected = oracles.capped_row(v, tau, p)
            values = [np.sum((u - v) ** 2) / 2 + tau * max(abs(u)) ** p for u in (w, expected)]
            assert values[0] <= values[1] + 1e-12
            assert_allclose(w, expected, atol=1e-5)


def test_the_proximal_step_by_hand():
    # p = 1: what is cut off sums to tau. 3 and 2 to 1.5: (3 - 1.5) + (2 - 1.5) = 2; 1 is below it.
    assert_allclose(shrink(np.array([[3.0, -2.0, 1.0]]), np.array([2.0]), 1.0), [[1.5, -1.5, 1.0]])
    # All of it, 6, or more: nothing is left.
    assert_array_equal(shrink(np.array([[3.0, -2.0, 1.0]]), np.array([6.0]), 1.0), np.zeros((1, 3)))
    # p = 1/2, one weight: m - 5 + 2 / sqrt(m) = 0 at m = 4, tau = 4: 1/2 + 4 * 2 < 25/2.
    assert_allclose(shrink(np.array([[-5.0]]), np.array([4.0]), 0.5), [[-4.0]])
    # 3 * tau^(2/3) / 2 = v is where both are equal, 3.78 of tau = 4: 3.7 is cut to nothing.
    assert_array_equal(shrink(np.array([[3.7], [3.9]]), np.full(2, 4.0), 0.5)[0], [0.0])
    assert shrink(np.array([[3.7], [3.9]]), np.full(2, 4.0), 0.5)[1] > 2.0


def test_a_row_of_zeros_stays_one():
    assert_array_equal(shrink(np.zeros((2, 3)), np.array([0.0, 1.0]), 0.5), np.zeros((2, 3)))


def test_equal_sizes_are_cut_alike():
    # All four: 4 m - 8 + 1 / sqrt(m) tau / 2 = 0.
    W = shrink(np.array([[2.0, -2.0, 2.0, -2.0]]), np.array([2.0]), 0.5)
    m = abs(W[0, 0])
    assert_allclose(np.abs(W), m)
    assert_allclose(4 * m - 8 + 1 / np.sqrt(m), 0.0, atol=1e-12)


# The penalty


def test_the_least_penalty_by_hand():
    # p = 1: twice the larger sum of sizes. One row and weight, p = 1/2: 2 m B - m^2 over sqrt(m) is
    # largest at m = 2 B / 3, there 4 B^2 / 3 - 4 B^2 / 9 = 8 B^2 / 9 over sqrt(2 B / 3).
    B = np.array([[1.0, -2.0], [0.5, 0.5]])
    assert least_penalty(B, np.array([4.0, 0.1]), 1.0) == pytest.approx(6.0)
    assert least_penalty(np.array([[6.0]]), np.array([1.0]), 0.5) == pytest.approx(32 / 2)
    assert least_penalty(np.zeros((3, 2)), np.ones(3), 0.5) == 0.0


@every_power
def test_at_the_least_penalty_no_feature_alone_lowers_the_value_and_below_one_does(p):
    X, y = problem()
    Y = signs(y)
    _, B, squares = centred(X, Y)
    least = least_penalty(B, squares, p)
    nothing = oracles.ncfs_value(X, Y, np.zeros(B.shape), 1.0, p)
    for lam, worth in ((least * 1.001, False), (least * 0.999, True)):
        found = []
        for j in range(8):
            W = np.zeros(B.shape)
            W[j] = oracles.capped_row(B[j] / squares[j], lam / (2 * squares[j]), p)
            found.append(oracles.ncfs_value(X, Y, W, lam, p) < nothing)
        assert any(found) == worth


def test_with_p_1_nothing_is_used_from_the_least_penalty_on():
    X, y = problem()
    assert (ncfs(X, y, p=1.0, lam_share=1.001) <= 0).all()
    assert (ncfs(X, y, p=1.0, lam_share=0.98) > 0).sum() == 1


# The solution


@pytest.mark.parametrize("shape", [(40, 5), (6, 9)])
@pytest.mark.parametrize("lam", [1.0, 10.0, 40.0])
def test_with_p_1_it_is_the_solution_of_a_generic_solver(lam, shape):
    X, y = problem(*(shape[0], 9))
    X, Y = X[:, : shape[1]], signs(y)
    W = solved(X, Y, lam, 1.0)
    expected, least = oracles.convex_ncfs(X, Y, lam)
    value = oracles.ncfs_value(X, Y, W, lam, 1.0)
    assert value <= least + 1e-6
    assert_allclose(value, least, rtol=1e-6)
    if shape[0] > shape[1]:  # else it need not be the only one
        assert_allclose(W, expected, atol=1e-4)


@every_container
def test_with_p_1_and_two_classes_it_is_the_lasso(container):
    X, y = problem(60, 20, labels=1)
    y = signs(y[:, 0])
    lam = 0.05 * least_penalty(*centred(X, y[:, None])[1:], 1.0)
    expected = np.abs(Lasso(alpha=lam / (2 * 60), tol=1e-12, max_iter=10**6).fit(X, y).coef_)
    scores = ncfs(container(X), y.astype(int), p=1.0, lam_share=0.05, tolerance=1e-10)
    assert 3 <= (expected > 0).sum() < 20
    assert_allclose(np.maximum(scores, 0.0), expected, atol=1e-7)


@every_power
@pytest.mark.parametrize("shape", [(80, 12), (15, 40)])
def test_a_solution_is_one_that_no_proximal_step_changes(shape, p):
    X, y = problem(*shape)
    Y = signs(y)
    product, B, squares = centred(X, Y)
    lam = 0.1 * least_penalty(B, squares, p)
    convex = solved(X, Y, 0.1 * least_penalty(B, squares, 1.0), 1.0)
    W = solved(X, Y, lam, p, convex)
    centre = X - X.mean(axis=0)
    bend = np.linalg.eigvalsh(centre.T @ centre)[-1] * 1.2
    slope = centre.T @ (centre @ W - Y)
    after = [oracles.capped_row(v, lam / (2 * bend), p) for v in W - slope / bend]
    assert_allclose(after, W, atol=1e-5)
    assert 0 < W.any(axis=1).sum() < shape[1]
    values = [oracles.ncfs_value(X, Y, V, lam, p) for V in (convex, W)]
    assert values[1] <= values[0] * (1 + 1e-12)


@every_power
@pytest.mark.parametrize("curvature", [None, 0.01])
def test_the_value_never_rises(p, curvature, monkeypatch):
    X, y = problem(80, 12)
    Y = signs(y)
    _, B, squares = centred(X, Y)
    lam = 0.1 * least_penalty(B, squares, p)
    start = np.random.default_rng(0).normal(size=B.shape)
    if curvature:  # one that is too small
        monkeypatch.setattr(module, "_curvature", lambda product, B: curvature)
    values = []
    for iterations in range(60):
        monkeypatch.setattr(module, "_ITERATIONS", iterations)
        values.append(oracles.ncfs_value(X, Y, solved(X, Y, lam, p, start), lam, p))
    assert (np.diff(values) <= 1e-9 * values[0]).all() and values[-1] < 0.9 * values[0]


@every_container
@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_the_products_are_those_of_centred_data(container, shape):
    X = np.random.default_rng(0).normal(size=shape) + 3.0
    Y = signs(np.random.default_rng(1).normal(size=(shape[0], 4)))
    product, B, squares = centred(container(X), Y)
    centre = X - X.mean(axis=0)
    W = np.random.default_rng(2).normal(size=(shape[1], 4))
    W[::3] = 0.0
    for V in (W, np.where(np.arange(shape[1])[:, None] == 1, W, 0.0)):
        assert_allclose(product(V), centre.T @ centre @ V, atol=1e-10)
    assert_allclose(B, centre.T @ (Y - Y.mean(axis=0)), atol=1e-10)
    assert_allclose(squares, np.diag(centre.T @ centre), atol=1e-10)


# The scores


def test_the_features_that_matter_are_found():
    X, y = problem(300, 40)
    for p in (1.0, 0.5, 0.2):
        assert set(np.argsort(-ncfs(X, y, p=p))[:3]) == {1, 4, 5}
    assert set(np.flatnonzero(ncfs(X, y, p=0.5) > 0)) == {1, 4, 5}


def test_features_without_weight_are_ordered_by_their_slope():
    X, y = problem(100, 30)
    Y = signs(y)
    scores = ncfs(X, y, p=1.0, lam_share=0.5, tolerance=1e-10)
    W = solved(X, Y, 0.5 * least_penalty(*centred(X, Y)[1:], 1.0), 1.0)
    zero = ~W.any(axis=1)
    assert 1 < zero.sum() < 30 and (scores[~zero] > 0).all()
    slope = np.abs((X - X.mean(axis=0)).T @ (X @ W - Y - (X @ W - Y).mean(axis=0))).sum(axis=1)
    assert_array_equal(np.argsort(scores[zero]), np.argsort(slope[zero]))
    assert scores[zero].max() == 0.0 and scores.min() > -1.0


@pytest.mark.parametrize("lam_share", [0.02, 0.3])
def test_neither_the_scale_of_all_data_nor_offsets_change_the_order(lam_share):
    X, y = problem(100, 30)
    moved = 1e3 * X + np.arange(30)
    for p in (1.0, 0.5):
        plain, other = (ncfs(Z, y, p=p, lam_share=lam_share) for Z in (X, moved))
        assert_array_equal(plain > 0, other > 0)
        assert_allclose(np.maximum(other, 0) * 1e3, np.maximum(plain, 0), rtol=1e-4)


def test_classes_are_labels_of_which_each_sample_has_one():
    X, _ = problem(90, 10)
    classes = np.searchsorted([-0.5, 0.8], X[:, 2] - X[:, 6])
    indicator = np.eye(3, dtype=int)[classes]
    assert_array_equal(ncfs(X, classes), ncfs(X, indicator))
    binary = np.where(classes == 2, 1, -1)
    assert_array_equal(ncfs(X, binary), ncfs(X, (binary[:, None] > 0).astype(int)))


@every_container
def test_constant_features_and_labels_are_no_trouble(container):
    X, y = problem(50, 8)
    wide = np.column_stack([np.full(50, 0.1), X, np.zeros(50)])
    more = np.column_stack([np.ones(50, int), y, np.zeros(50, int)])
    scores = ncfs(container(wide), more)
    assert_allclose(scores[1:-1], ncfs(X, y), rtol=1e-9)
    assert_array_equal(scores[[0, -1]], [-1, -1])
    assert_array_equal(ncfs(container(X), more[:, [0, -1]]), np.full(8, -1.0))
    assert_array_equal(ncfs(container(np.ones((50, 3))), y), np.full(3, -1.0))


def test_features_that_sum_to_the_same_in_every_row_are_no_trouble():
    # The row sums of G are 0, and so is G on a vector of ones.
    X = np.eye(4)[np.arange(40) % 4]
    y = (np.random.default_rng(0).random((40, 2)) < X[:, :2] * 0.8 + 0.1).astype(int)
    scores = ncfs(X, y)
    assert np.isfinite(scores).all() and scores[:2].min() > scores[2:].max()


@every_container
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-30, 1e-9, 1e9, 1e30, 1e80, 1e160, 1e300])
def test_data_of_any_scale_are_no_trouble(scale, container):
    X, y = problem()
    for p in (1.0, 0.5):
        scores, found = ncfs(X, y, p=p), ncfs(container(X * scale), y, p=p)
        weights = scores > 0
        assert_allclose(found[weights] * scale, scores[weights], rtol=1e-3)
        assert_allclose(found[~weights], scores[~weights], atol=1e-3)


@every_container
def test_a_feature_too_small_beside_the_others_has_no_weight(container):
    X, y = problem()
    X[:, 3] *= 1e-200
    scores, without = ncfs(container(X), y), ncfs(np.delete(X, 3, axis=1), y)
    assert_allclose(np.delete(scores, 3), without, rtol=1e-6)
    assert scores[3] == -1.0


def test_large_offsets_cancel_little_in_sparse_data():
    X, y = problem()
    scores = ncfs(csr_array(np.round(8 * X) + 2.0**40), y)
    assert_allclose(scores, ncfs(np.round(8 * X), y), rtol=1e-6)


def test_wrong_parameters_are_refused():
    X, y = problem()
    for wrong in ({"p": 0.0}, {"p": 1.5}, {"lam_share": 0.0}, {"tolerance": 0.0}):
        with pytest.raises(UserError, match=f"ncfs.{next(iter(wrong))}"):
            imbfs.score("ncfs", X, y, **wrong)
