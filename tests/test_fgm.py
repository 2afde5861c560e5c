"""Feature generating machine: its threshold, its inner problem, its steps, as an estimator."""

import numpy as np
import oracles as oracle
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.errors import UserError
from imbfs.selectors import SELECTORS
from imbfs.selectors.sparse import fgm
from imbfs.selectors.sparse.fgm import FGM
from imbfs.selectors.sparse.groups import group_norms, group_shrink, group_threshold


def problem(n_samples=40, n_features=9, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.6)
    y = np.where(X[:, 2] - X[:, 5] + 0.5 * X[:, 7] + 0.4 * rng.normal(size=n_samples) > 0.8, 1, -1)
    return X, y


def groups_of(starts, d):
    return [list(range(a, b)) for a, b in zip(starts, [*starts[1:], d], strict=True)]


# The threshold


@pytest.mark.parametrize("sigma", [1e-6, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("n_groups", [1, 2, 3, 8, 40])
def test_the_threshold_solves_its_equation(n_groups, sigma):
    for seed in range(10):
        norms = np.random.default_rng(seed).gamma(0.5, size=n_groups)
        expected = oracle.group_threshold(norms.tolist(), sigma)
        assert_allclose(group_threshold(norms, sigma), expected, rtol=1e-10)


def test_the_threshold_by_hand():
    # sigma = 1: with one group 5 / 2 = 2.5; with two (5 + 3) / 3 = 8/3; a third of 1 lies below it.
    assert group_threshold(np.array([1.0, 5.0, 3.0]), 1.0) == pytest.approx(8 / 3)
    # sigma = 1: 6 / 2 = 3 is just the second norm, which adds nothing either way: (6 + 3) / 3 = 3.
    assert group_threshold(np.array([6.0, 3.0]), 1.0) == 3.0
    assert group_threshold(np.zeros(3), 1.0) == 0.0


@pytest.mark.parametrize("sigma", [0.3, 2.0])
@pytest.mark.parametrize("starts", [[0], [0, 3], [0, 1, 2, 3, 4], [0, 2, 3]])
def test_the_proximal_step_is_that_of_a_generic_solver(starts, sigma):
    for seed in range(3):
        z = np.random.default_rng(seed).normal(size=5) * [1.0, 0.2, 3.0, 1.0, 0.1]

        def smooth(v, z=z):
            return sigma / 2 * v @ v - z @ v, sigma * v - z

        expected, _ = oracle.squared_sum_of_norms(smooth, groups_of(starts, 5))
        v = group_shrink(z, np.array(starts), sigma)
        assert_allclose(v, expected, atol=2e-5)
        # tau is the sum of the norms that are left.
        tau = group_threshold(group_norms(z, np.array(starts)), sigma)
        assert_allclose(group_norms(v, np.array(starts)).sum(), tau)


def test_the_proximal_step_drops_small_groups_whole():
    # Norms 5 and 1, sigma = 1: tau = 5 / 2, so that v_1 = (1 - 2.5 / 5) z_1, and v_2 is 0.
    assert_allclose(group_shrink(np.array([3.0, 4.0, 1.0]), np.array([0, 2]), 1.0), [1.5, 2.0, 0.0])
    assert_array_equal(group_shrink(np.zeros(3), np.array([0, 2]), 1.0), np.zeros(3))


# The inner problem


@pytest.mark.parametrize("C", [0.05, 1.0, 10.0])
@pytest.mark.parametrize("starts", [[0], [0, 2], [0, 2, 4], [0, 1, 2, 3, 4, 5]])
def test_the_inner_problem_is_solved_as_by_a_generic_solver(starts, C):
    X, y = problem()
    A = y[:, None] * X[:, :6]
    expected, least = oracle.squared_sum_of_norms(
        lambda w: oracle.squared_hinge(A, C, w), groups_of(starts, 6)
    )
    w, alpha, value, _ = fgm.solve(A, np.array(starts), C, np.zeros(6), 1e-10)
    assert_allclose(w, expected, atol=1e-4)
    assert_allclose(value, least, rtol=1e-6)
    assert_allclose(alpha, C * np.maximum(0, 1 - A @ w))


def test_with_one_group_it_is_the_usual_machine():
    X, y = problem()
    peer = LinearSVC(C=5.0, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-10)
    w, _, _, _ = fgm.solve(y[:, None] * X, np.array([0]), 10.0, np.zeros(9), 1e-12)
    assert_allclose(w, peer.fit(X, y).coef_[0], atol=1e-5)  # C / 2 of ours is C of theirs


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-8])
def test_the_value_is_as_close_to_the_least_as_asked(gap):
    X, y = problem(n_samples=300, n_features=30)
    A, starts = y[:, None] * X, np.arange(0, 30, 5)
    _, _, least, _ = fgm.solve(A, starts, 10.0, np.zeros(30), 1e-13)
    _, _, value, reached = fgm.solve(A, starts, 10.0, np.zeros(30), gap)
    assert 0 <= value - least <= reached * value <= gap * value


def test_it_goes_on_from_where_it_stood():
    X, y = problem(n_samples=300, n_features=30)
    A, starts = y[:, None] * X, np.arange(0, 30, 5)
    w, alpha, value, _ = fgm.solve(A, starts, 10.0, np.zeros(30), 1e-6)
    again = fgm.solve(A, starts, 10.0, w, 1e-6)
    assert again[0] is w and again[2] == value


def test_it_says_how_far_it_got_on_features_of_very_different_scales(monkeypatch):
    monkeypatch.setattr(fgm, "_ITERATIONS", 100)
    X, y = problem(n_samples=300, n_features=30)
    A = y[:, None] * X * np.logspace(0, 4, 30)
    w, alpha, value, gap = fgm.solve(A, np.array([0]), 10.0, np.zeros(30), 1e-6)
    assert 1e-6 < gap < 1 and np.isfinite(w).all()
    peer = LinearSVC(C=5.0, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-10)
    best = peer.fit(y[:, None] * A, y).coef_[0]
    least = best @ best / 2 + oracle.squared_hinge(A, 10.0, best)[0]
    assert least < value and value - least <= gap * value
    assert FGM(r=30).fit(y[:, None] * A, y).gap_ == pytest.approx(gap)
    assert 0 < FGM().fit(X, y).gap_ <= 1e-4


# The steps


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("keep, r", [(1, 10), (4, 2), (5, 2), (9, 3), (3, 1), (50, 4)])
def test_features_and_weights_are_those_of_the_slow_version(keep, r, layout):
    X, y = problem()
    groups, w = oracle.fgm(X.tolist(), y.tolist(), keep=min(keep, 9), r=r, C=10.0)
    learner = FGM(keep=keep, r=r, eps=1e-9).fit(layout(X), y)
    assert learner.n_steps_ == len(groups)
    assert_allclose(learner.coef_, [w], atol=1e-4)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_the_first_step_picks_the_most_violated_features(layout):
    # Every alpha is equal at first: the largest (sum_i y_i x_ij)^2.
    X, y = problem(n_samples=200, n_features=25)
    expected = np.argsort(-((y @ X) ** 2), kind="stable")[:6]
    learner = FGM(keep=6, r=6).fit(layout(X), y)
    assert_array_equal(np.flatnonzero(learner.scores_), np.sort(expected))


def test_the_second_step_picks_what_the_first_leaves_unexplained():
    # Columns 0 and 1 are the same: once 0 explains the rows, column 2, weaker, is violated more.
    # sum y x = 12, 12 and 4 at first; column 0 leaves rows 9 to 12, which column 2 tells apart.
    signal = np.array([1.0] * 8 + [0.0] * 4)
    rest = 1.0 - signal
    y = np.tile([1, -1], 6)
    X = y[:, None] * np.column_stack((1.5 * signal, 1.5 * signal, rest))
    chosen = np.flatnonzero(FGM(keep=2, r=1, C=10.0).fit(X, y).scores_)
    assert_array_equal(chosen, [0, 2])


def test_it_keeps_no_more_than_asked_and_fifty_if_nothing_is_asked():
    X, y = problem(n_samples=400, n_features=80)
    for keep, most in [(1, 1), (7, 7), (13, 13), (None, 50)]:
        assert 0 < np.count_nonzero(FGM(keep=keep, eps=1e-9).fit(X, y).coef_) <= most
    assert FGM(eps=1e-9).fit(X, y).n_steps_ == 5
    assert FGM().keeps
    assert np.count_nonzero(FGM(keep=500).fit(X, y).coef_) <= 80


def test_it_stops_when_a_step_gains_too_little():
    X, y = problem(n_samples=300, n_features=60)
    steps = [FGM(keep=60, r=2, eps=eps).fit(X, y).n_steps_ for eps in (0.5, 0.01, 1e-3, 1e-9)]
    assert steps[0] < steps[1] < steps[3] and steps == sorted(steps)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
def test_values_too_large_for_its_products_are_refused(layout):
    X, y = problem()
    found = [FGM().fit(layout(X * scale), y).scores_ * scale for scale in (1e20, 1e100)]
    assert_allclose(found[1], found[0], rtol=1e-6)
    with pytest.raises(UserError, match=r"^X: values up to \de\+160 are too large for FGM\. Scale"):
        FGM().fit(layout(X * 1e160), y)


def test_features_of_zeros_are_never_added():
    X, y = problem()
    X[:, [2, 4]] = 0.0
    learner = FGM(keep=9, r=3, eps=1e-9).fit(X, y)
    assert_array_equal(learner.scores_[[2, 4]], [0.0, 0.0])
    nothing = FGM().fit(np.zeros((6, 3)), [1, -1, -1, 1, -1, -1])
    assert_array_equal(nothing.coef_, np.zeros((1, 3)))
    assert nothing.n_steps_ == 0 and nothing.predict(np.ones((1, 3))) == [-1]


def test_permuting_columns_permutes_weights():
    X, y = problem(n_samples=200, n_features=25)
    order = np.random.default_rng(1).permutation(25)
    w = FGM(keep=6, r=2, eps=1e-9).fit(X, y).coef_
    assert_allclose(FGM(keep=6, r=2, eps=1e-9).fit(X[:, order], y).coef_, w[:, order], atol=1e-6)


def test_more_than_two_classes_are_refused():
    X, _ = problem()
    with pytest.raises(ValueError, match="binary"):
        FGM().fit(X, np.arange(40) % 3)
    assert SELECTORS["fgm"].kinds == ("binary",)


@pytest.mark.parametrize(
    "wrong", [{"C": 0.0}, {"r": 0}, {"eps": 0.0}, {"keep": 0}, {"zero": "both"}], ids=str
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FGM(**wrong).fit(*problem())


# No check is exempted.
@parametrize_with_checks([FGM(), FGM(keep=2, r=1)])
def test_scikit_learn_accepts_it_as_a_classifier(estimator, check):
    check(estimator)
