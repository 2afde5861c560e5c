"""The SVM with an l1 penalty: liblinear's, and its budget."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.learner import cut
from imbfs.selectors.sparse.l1svm import L1SVM


def problem(n_samples=300, n_features=60, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.5)
    f = X[:, :20] @ rng.normal(size=20) + rng.normal(size=n_samples)
    return X, np.searchsorted(np.quantile(f, np.linspace(0, 1, n_classes + 1)[1:-1] ** 0.3), f)


def peer(C, **params):
    form = {"penalty": "l1", "loss": "squared_hinge", "dual": False, "fit_intercept": False}
    return LinearSVC(**form, C=C, random_state=0, **params)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_it_is_scikit_learns_bit_for_bit(C, n_classes, layout):
    X, y = problem(n_classes=n_classes)
    learner, other = L1SVM(C=C).fit(layout(X), y), peer(C).fit(layout(X), y)
    assert_array_equal(learner.coef_, other.coef_)
    assert_array_equal(learner.decision_function(X), other.decision_function(X))
    assert_array_equal(learner.predict(X), other.predict(X))
    assert learner.C_ == C


def test_no_weights_are_better():
    # Where a weight is 0, the slope of the loss lies within 1; elsewhere it is -sign(w).
    X, y = problem()
    y = 2 * y - 1
    w = L1SVM(C=0.05, tol=1e-9).fit(X, y).coef_[0]
    slope = -2 * 0.05 * X.T @ (y * np.maximum(0, 1 - y * (X @ w)))
    assert 0 < np.count_nonzero(w) < 60
    assert_allclose(slope[w != 0], -np.sign(w[w != 0]), atol=1e-5)
    assert (np.abs(slope[w == 0]) <= 1 + 1e-9).all()


def test_a_final_budget_cuts_the_weights_at_the_end():
    X, y = problem()
    whole, some = L1SVM().fit(X, y), L1SVM(keep=5).fit(X, y)
    assert np.count_nonzero(whole.coef_) > 20
    assert_array_equal(some.coef_, cut(whole.coef_, 5))
    assert_array_equal(some.scores_, whole.scores_)
    assert not some.keeps


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("keep", [1, 2, 5, 13, 40])
def test_a_budget_always_kept_takes_the_largest_c_with_so_few_features(keep, n_classes):
    X, y = problem(n_classes=n_classes)
    learner = L1SVM(budget="always", keep=keep).fit(X, y)
    used = np.count_nonzero(learner.coef_.any(axis=0))
    assert used <= keep and learner.uses(keep) == used
    assert_array_equal(learner.coef_, peer(learner.C_).fit(X, y).coef_)
    # A C larger by 1 % has too many.
    assert np.count_nonzero(peer(learner.C_ * 1.01).fit(X, y).coef_.any(axis=0)) > keep


def test_a_budget_with_room_for_all_uses_the_c_given():
    X, y = problem()
    for keep in (60, 500, None):
        learner = L1SVM(C=0.3, budget="always", keep=keep).fit(X, y)
        assert learner.C_ == 0.3
        assert_array_equal(learner.coef_, L1SVM(C=0.3).fit(X, y).coef_)


def test_a_c_too_small_for_any_feature_leaves_none():
    X, y = problem()
    for budget in ("final", "always"):
        learner = L1SVM(C=1e-5, budget=budget, keep=3).fit(X, y)
        assert_array_equal(learner.coef_, np.zeros((1, 60)))
        assert learner.uses(3) == 0
        assert_array_equal(learner.predict(X), np.zeros(300))


def test_equal_features_that_come_together_may_leave_fewer_than_asked():
    # One column tells of the minority just what the other tells of the majority: any C that takes
    # one of them takes both.
    X = np.kron(np.eye(2), np.ones((4, 1)))
    y = np.array([1, 1, 1, 1, -1, -1, -1, -1])
    learner = L1SVM(budget="always", keep=1).fit(X, y)
    assert_array_equal(learner.coef_, [[0.0, 0.0]])
    assert_array_equal(np.sign(L1SVM(budget="always", keep=2).fit(X, y).coef_), [[1.0, -1.0]])


def test_features_of_zeros_have_no_weight():
    X, y = problem()
    X[:, :3] = 0.0
    assert_array_equal(L1SVM().fit(X, y).coef_[0, :3], np.zeros(3))


def test_the_seed_decides_the_order_of_features():
    X, y = problem()
    one, same, other = (L1SVM(seed=s, tol=0.1).fit(X, y).coef_ for s in (0, 0, 1))
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    "wrong", [{"C": 0.0}, {"tol": 0.0}, {"budget": "none"}, {"keep": 0}, {"zero": "both"}], ids=str
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        L1SVM(**wrong).fit(*problem())


# No check is exempted.
@parametrize_with_checks([L1SVM(), L1SVM(budget="always", keep=3)])
def test_scikit_learn_accepts_it_as_a_classifier(estimator, check):
    check(estimator)
