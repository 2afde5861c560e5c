"""Classifiers against scikit-learn's own, brute force and numbers worked by hand."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.classifiers import CLASSIFIERS, bayes, fit_predict, linear, newton
from imbfs.classifiers.bayes import GaussianNaiveBayes
from imbfs.classifiers.linear import LinearSVM
from imbfs.classifiers.neighbours import NearestNeighbour
from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL, resolve

NAMES = ["svm", "naive_bayes", "nearest_neighbour"]


def classes(c=2, n=90, d=6, seed=0, gap=1.5):
    """Imbalanced clouds around c centres; -1 and +1 when there are two."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.75, 0.25]) if c == 2 else np.arange(c, 0, -1) / (c * (c + 1) / 2)
    y = np.append(np.arange(c), rng.choice(c, size=n - c, p=shares))
    X = rng.normal(size=(n, d)) + gap * np.eye(c, d)[y]
    return X, 2 * y - 1 if c == 2 else y


# Some checks learn noise around 100, on which libsvm rightly says that it did not converge.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [LinearSVM(), LinearSVM(solver="newton"), GaussianNaiveBayes(), NearestNeighbour()]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("c", [2, 4])
def test_sparse_rows_give_what_dense_rows_give(name, c):
    X, y = classes(c)
    X[np.abs(X) < 0.5] = 0
    dense = CLASSIFIERS[name].call().fit(X[:60], y[:60]).decision_function(X[60:])
    rows = csr_array(X)
    sparse = CLASSIFIERS[name].call().fit(rows[:60], y[:60]).decision_function(rows[60:])
    np.testing.assert_allclose(sparse, dense, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("class_weight", ["none", "balanced"])
def test_svm_is_libsvm_with_a_linear_kernel(class_weight):
    X, y = classes()
    weights = None if class_weight == "none" else "balanced"
    theirs = SVC(kernel="linear", C=0.3, class_weight=weights).fit(X, y)
    ours = LinearSVM(C=0.3, class_weight=class_weight).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)


def test_svm_by_hand():
    # Hard margin between -1 at x = 0 and +1 at x = 4: w = 2 / 4, b = -1.
    model = LinearSVM(C=10.0).fit(np.array([[0.0], [4.0]]), np.array([-1, 1]))
    assert model.coef_.item() == pytest.approx(0.5)
    assert model.intercept_.item() == pytest.approx(-1.0)


@pytest.mark.parametrize("seed", [0, 2, 3, 4])  # for 1 there is a weight to be found
def test_where_no_feature_is_worth_a_weight_the_sign_is_not_left_to_chance(seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) < 3, 1, -1)
    X = rng.normal(size=(60, 2)) + 0.8 * (y[:, None] > 0)
    assert linear._suits_libsvm(X)
    solvers = "libsvm", "auto", "newton"
    exact, found, newton = (LinearSVM(solver=solver).fit(X, y).coef_ for solver in solvers)
    assert np.abs(exact).max() < 0.001 and np.array_equal(found, newton)
    towards = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    assert found[0] @ towards > 0


def test_long_rows_alike_in_both_classes_hide_no_weights():
    rng = np.random.default_rng(0)
    y = np.append(np.repeat([-1, 1], 30), [-1, 1])
    X = rng.normal(size=(62, 400)) + 0.2 * y[:, None]
    X[-2:] = 3_000.0 * rng.normal(size=400)  # the same row twice, once of each class
    exact, found = (LinearSVM(solver=solver).fit(X, y).coef_ for solver in ("libsvm", "auto"))
    assert np.linalg.norm(exact) > 0.01 and np.array_equal(found, exact)


def test_where_libsvm_does_not_end_newton_does():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 10)) * 300 + 400  # as they were measured
    y = np.where(X[:, :3].sum(axis=1) + rng.normal(size=150) * 500 > 1200, 1, -1)
    with pytest.warns(ConvergenceWarning):
        given_up = LinearSVM(solver="libsvm").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, by_newton = LinearSVM().fit(X, y), LinearSVM(solver="newton").fit(X, y)
    np.testing.assert_array_equal(found.coef_, by_newton.coef_)
    losses = [
        0.5 * np.sum(model.coef_**2) + np.maximum(0, 1 - y * model.decision_function(X)).sum()
        for model in (found, given_up)
    ]
    assert losses[0] < 0.99 * losses[1]


@pytest.mark.parametrize("class_weight", ["none", "balanced"])
def test_libsvm_and_newton_agree_the_more_the_less_they_tolerate(monkeypatch, class_weight):
    monkeypatch.setattr(linear, "TOLERANCE", 1e-5)
    X, y = classes(n=200, gap=3.0)
    one, other = (
        LinearSVM(solver=solver, class_weight=class_weight).fit(X, y).decision_function(X)
        for solver in ("libsvm", "newton")
    )
    np.testing.assert_allclose(other, one, atol=0.001)


def test_svm_with_more_classes_is_one_against_the_rest_by_either_solver():
    X, y = classes(4)
    theirs = OneVsRestClassifier(SVC(kernel="linear")).fit(X, y)
    exact = LinearSVM(solver="libsvm").fit(X, y)
    np.testing.assert_allclose(exact.decision_function(X), theirs.decision_function(X), atol=1e-8)
    other = LinearSVM(solver="newton").fit(X, y)
    np.testing.assert_allclose(other.decision_function(X), theirs.decision_function(X), atol=0.02)


def test_auto_takes_libsvm_for_few_rows_and_newton_for_many(monkeypatch):
    X, y = classes()
    one, other = (LinearSVM(solver=solver).fit(X, y) for solver in ("libsvm", "newton"))
    assert not np.array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(LinearSVM().fit(X, y).coef_, one.coef_)
    monkeypatch.setattr(linear, "LIBSVM_ROWS", len(y) - 1)
    np.testing.assert_array_equal(LinearSVM().fit(X, y).coef_, other.coef_)


@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_libsvm_without_its_matrix_of_inner_products_is_the_same(monkeypatch, rows):
    X, y = classes(3)
    with_matrix = LinearSVM(solver="libsvm").fit(rows(X), y).coef_
    monkeypatch.setattr(linear, "LIBSVM_ROWS", 1)
    without = LinearSVM(solver="libsvm").fit(rows(X), y).coef_
    np.testing.assert_allclose(without, with_matrix, atol=1e-8)


def test_the_bias_is_free_by_either_solver():
    # Many weak features and a rare minority need a bias: penalised as liblinear does it, it stays
    # near 0 (-0.01 where libsvm has -0.6).
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) < 40, 1, -1)
    X = rng.normal(size=(200, 10_000))
    X[y > 0, :5] += 1
    one, other = (LinearSVM(solver=s).fit(X, y).intercept_.item() for s in ("libsvm", "newton"))
    assert one == pytest.approx(-0.61, abs=0.01)
    assert other == pytest.approx(one, abs=0.002)


@pytest.mark.parametrize("solver, place", [("libsvm", linear), ("newton", newton)])
def test_a_solver_that_does_not_converge_says_so(monkeypatch, solver, place):
    monkeypatch.setattr(place, "LIBSVM_STEPS" if place is linear else "STEPS", 1)
    with pytest.warns(ConvergenceWarning):
        LinearSVM(solver=solver).fit(*classes())


def test_a_parameter_out_of_bounds_is_refused():
    with pytest.raises(UserError, match="C: input should be greater than 0, not -1"):
        LinearSVM(C=-1.0).fit(*classes())
    with pytest.raises(UserError, match="svm.solver"):
        resolve(CLASSIFIERS, {"svm": {"solver": "cutting"}}, "classifier")


@pytest.mark.parametrize("c", [2, 3])
def test_naive_bayes_is_that_of_scikit_learn(c):
    X, y = classes(c, gap=0.7)
    X[:, -1] = 3.0
    theirs = GaussianNB().fit(X[:60], y[:60])
    ours = GaussianNaiveBayes().fit(X[:60], y[:60])
    expected = theirs.predict_joint_log_proba(X)
    expected = expected[:, 1] - expected[:, 0] if c == 2 else expected
    np.testing.assert_allclose(ours.decision_function(X), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if c == 2:
        np.testing.assert_array_equal(np.sign(ours.decision_function(X)), theirs.predict(X))


def test_naive_bayes_by_hand():
    # Class -1: mean 0, variance 1; class +1: mean 2, variance 1; at x: 2x - 2 (equal priors).
    X, y = np.array([[-1.0], [1.0], [1.0], [3.0]]), np.array([-1, -1, 1, 1])
    decision = GaussianNaiveBayes().fit(X, y).decision_function(np.array([[0.0], [1.0], [2.0]]))
    np.testing.assert_allclose(decision, [-2, 0, 2], atol=1e-7)


def test_naive_bayes_does_not_saturate_with_a_thousand_features():
    X, y = classes(n=120, d=1000)
    X += 0.8 * y[:, None]
    model = GaussianNaiveBayes().fit(X[:60], y[:60])
    probability = GaussianNB().fit(X[:60], y[:60]).predict_proba(X[60:])[:, 1]
    assert len(np.unique(probability)) < 20
    assert len(np.unique(model.decision_function(X[60:]))) == 60


def test_naive_bayes_blocks_change_nothing(monkeypatch):
    X, y = classes()
    model = GaussianNaiveBayes().fit(X, y)
    whole = model.decision_function(X)
    monkeypatch.setattr(bayes, "BLOCK", 7 * X.shape[1])
    np.testing.assert_allclose(model.decision_function(X), whole, rtol=1e-12)
    monkeypatch.setattr(bayes, "BLOCK", 1)
    np.testing.assert_allclose(model.decision_function(csr_array(X)), whole, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_naive_bayes_falls_back_on_the_priors_when_nothing_varies(value, rows):
    # ln(17/70) - ln(53/70)
    X, y = np.full((70, 2), value), np.repeat([1, -1], [17, 53])
    model = GaussianNaiveBayes().fit(rows(X), y)
    decision = model.decision_function(rows([[0.1, 0.0], [5.0, 1.0]]))
    np.testing.assert_allclose(decision, np.log(17 / 53))


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_nearest_neighbour_is_brute_force(d, rows):
    X, y = classes(d=d)
    X[70:75] = X[:5]
    train, test = slice(0, 70), slice(70, 90)
    distance = cdist(X[test], X[train])
    majority, minority = (distance[:, y[train] == label].min(axis=1) for label in (-1, 1))
    model = NearestNeighbour().fit(rows(X[train]), y[train])
    np.testing.assert_allclose(
        model.decision_function(rows(X[test])), majority - minority, rtol=1e-12
    )
    theirs = KNeighborsClassifier(1).fit(X[train], y[train])
    np.testing.assert_array_equal(model.predict(rows(X[test])), theirs.predict(X[test]))


def test_nearest_neighbour_by_hand():
    # Majority at (0, 0), minority at (3, 4): from (0, 0) 0 - 5, from (3, 0) 3 - 4, from (3, 4) 5.
    model = NearestNeighbour().fit(np.array([[0.0, 0], [3, 4]]), np.array([-1, 1]))
    np.testing.assert_allclose(model.decision_function([[0.0, 0], [3, 0], [3, 4]]), [-5, -1, 5])


def test_nearest_neighbour_finds_identical_rows_at_distance_zero_far_from_the_origin():
    X, y = classes(d=40)
    model = NearestNeighbour().fit(X + 1e6, y)
    decision = model.decision_function(X + 1e6)
    np.testing.assert_array_equal(model.predict(X + 1e6), y)
    away = cdist(X, X)
    other = np.array([away[i, y != y[i]].min() for i in range(len(y))])
    np.testing.assert_allclose(np.abs(decision), other, rtol=1e-6)


def test_nearest_neighbour_decides_by_minus_the_distance_to_each_class():
    X, y = classes(3)
    decision = NearestNeighbour().fit(X, y).decision_function(X + 0.1)
    expected = [-cdist(X + 0.1, X[y == k]).min(axis=1) for k in range(3)]
    np.testing.assert_allclose(decision, np.column_stack(expected), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_decision_of_exactly_zero_follows_predict(name):
    # Mirror images: everything at 0 is undecided.
    X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([-1, -1, 1, 1])
    model = CLASSIFIERS[name].call()
    predicted, decision = fit_predict(model, X, y, np.array([[0.0]]), BINARY)
    np.testing.assert_allclose(decision, 0, atol=1e-12)
    np.testing.assert_array_equal(predicted, clone(model).fit(X, y).predict([[0.0]]))


@pytest.mark.parametrize("name", NAMES)
def test_fit_predict_keeps_to_the_coding_and_shape_of_y(name):
    X, y = classes()
    predicted, decision = fit_predict(CLASSIFIERS[name].call(), X[:60], y[:60], X[60:], BINARY)
    assert set(predicted) == {-1, 1} and decision.shape == (30,)
    X, y = classes(4)
    predicted, decision = fit_predict(CLASSIFIERS[name].call(), X[:60], y[:60], X[60:], MULTICLASS)
    assert set(predicted) <= set(range(4)) and decision.shape == (30, 4)
    np.testing.assert_array_equal(decision.argmax(axis=1), predicted)
    y = np.eye(4, dtype=np.int8)[y]
    predicted, decision = fit_predict(CLASSIFIERS[name].call(), X[:60], y[:60], X[60:], MULTILABEL)
    assert predicted.dtype == np.int8 and predicted.shape == decision.shape == (30, 4)
    np.testing.assert_array_equal(predicted, decision > 0)


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_learned_one_against_the_rest(name):
    X, _ = classes()
    y = (X[:, :3] + 0.1 * np.random.default_rng(1).normal(size=(90, 3)) > 0.8).astype(int)
    model = CLASSIFIERS[name].call()
    predicted, decision = fit_predict(model, X[:60], y[:60], X[60:], MULTILABEL)
    theirs = OneVsRestClassifier(model).fit(X[:60], y[:60])
    np.testing.assert_array_equal(predicted, theirs.predict(X[60:]))
    np.testing.assert_allclose(decision, theirs.decision_function(X[60:]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, 1])
def test_a_label_with_one_value_in_training_keeps_it(name, value):
    X, y = classes()
    labels = np.column_stack((y > 0, np.full(len(y), value))).astype(int)
    predicted, decision = fit_predict(CLASSIFIERS[name].call(), X, labels, X, MULTILABEL)
    assert set(predicted[:, 1]) == {value} and set(decision[:, 1]) == {0.0}
    assert set(predicted[:, 0]) == {0, 1}


@pytest.mark.parametrize("kind, shape", [(BINARY, (5,)), (MULTICLASS, (5, 2))])
def test_a_task_with_one_class_in_training_predicts_it(kind, shape):
    X = np.arange(10.0).reshape(5, 2)
    predicted, decision = fit_predict(NearestNeighbour(), X, np.ones(5, dtype=int), X, kind)
    assert set(predicted) == {1} and decision.shape == shape
    assert np.ptp(decision[..., -1]) == 0


@pytest.mark.parametrize("present", [[0, 3], [0, 2, 3]])
def test_a_class_missing_from_training_gets_no_vote(present):
    X, y = classes(4)
    kept = np.isin(y, present)
    predicted, decision = fit_predict(NearestNeighbour(), X[kept], y[kept], X, MULTICLASS)
    absent = [k for k in range(4) if k not in present]
    assert decision.shape == (90, 4) and np.all(decision[:, absent] == -np.inf)
    np.testing.assert_array_equal(decision.argmax(axis=1), predicted)


def test_fit_predict_leaves_the_classifier_unfitted():
    X, y = classes()
    model = LinearSVM()
    fit_predict(model, X, y, X, BINARY)
    assert not hasattr(model, "coef_")


def test_own_makes_no_classifier():
    assert "selector's own decision" in CLASSIFIERS["own"].summary
    with pytest.raises(TypeError, match="no classifier to make"):
        CLASSIFIERS["own"].call()


def test_the_table_can_be_read_without_scikit_learn():
    program = "import sys, imbfs.classifiers; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_what_a_subclass_does_in_its_own_way_is_done_so():
    class Shy(GaussianNaiveBayes):
        def decision_function(self, X):
            return np.full(len(X), -1.0)

    X, y = np.arange(12.0)[:, None], np.repeat([-1, 1], 6)
    assert GaussianNaiveBayes().judges and not Shy().judges
    predicted, decision = fit_predict(Shy(), X, y, X, BINARY)
    assert set(predicted) == {-1} and set(decision) == {-1.0}
    assert set(fit_predict(GaussianNaiveBayes(), X, y, X, BINARY)[0]) == {-1, 1}
