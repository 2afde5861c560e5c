"""The AUC-maximising SVM against the explicit problem over all pairs, and numbers by hand."""

import tracemalloc

import numpy as np
import oracles
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.classifiers import CLASSIFIERS, auc, auc_solvers, fit_predict
from imbfs.classifiers.auc import AucSVM
from imbfs.classifiers.auc_solvers import pair_loss
from imbfs.classifiers.linear import LinearSVM
from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL, resolve

SOLVERS = ["pairs", "planes"]
STORAGES = [np.asarray, csr_array]


def clouds(n=60, d=6, seed=0, gap=1.0, minority=0.25):
    """Two imbalanced clouds that overlap; +1 is the minority."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < minority * n, 1, -1)
    X = rng.normal(size=(n, d))
    X[y > 0, : d // 2] += gap
    order = rng.permutation(n)
    return X[order], y[order]


def differences(X, y):
    """x_i - x_j for every minority i and majority j."""
    return (X[y > 0][:, None] - X[y < 0]).reshape(-1, X.shape[1])


def objective(w, X, y, C):
    losses = np.maximum(0, 1 - differences(X, y) @ w)
    return 0.5 * w @ w + C * len(y) * losses.mean()


def explicit(X, y, C):
    """scikit-learn's SVM on the differences, half of them turned round to make two classes."""
    D = differences(X, y)
    sign = np.where(np.arange(len(D)) % 2, 1, -1)
    model = LinearSVC(
        loss="hinge", C=C * len(y) / len(D), fit_intercept=False, tol=1e-9, max_iter=1_000_000
    )
    return model.fit(D * sign[:, None], sign).coef_[0]


@parametrize_with_checks([AucSVM(solver="pairs"), AucSVM(solver="planes")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("seed", range(5))
def test_the_pair_loss_is_a_sum_over_pairs(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 5, size=12) / 2 if seed % 2 else rng.normal(size=12)
    P = 1 + 2 * seed
    b, slope = pair_loss(scores, P)
    loss, expected = oracles.pair_loss(scores[:P], scores[P:])
    assert b - slope @ scores == pytest.approx(loss, abs=1e-12)
    np.testing.assert_allclose(-slope, expected, atol=1e-15)
    # A plane that touches from below: at other scores the loss is no smaller.
    for _ in range(20):
        others = scores + rng.normal(size=12)
        assert oracles.pair_loss(others[:P], others[P:])[0] >= b - slope @ others - 1e-12


def test_inner_products_of_sparse_rows_are_those_of_centred_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) * (rng.random((30, 12)) < 0.3)
    centred = X - X.mean(axis=0)
    rows = csr_array(X)
    np.testing.assert_allclose(auc._inner_products(rows), centred @ centred.T, atol=1e-12)
    halves, twice = np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2)
    stored_twice = csr_array((halves, twice, 2 * rows.indptr), shape=X.shape)
    np.testing.assert_array_equal(auc._inner_products(stored_twice), auc._inner_products(rows))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rows", STORAGES)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("d", [4, 80])
def test_it_solves_the_problem_over_all_pairs(solver, rows, C, d):
    X, y = clouds(d=d)
    theirs = explicit(X, y, C)
    ours = AucSVM(C=C, solver=solver).fit(rows(X), y).coef_[0]
    least = objective(theirs, X, y, C)
    above = 1e-6 * least
    assert objective(ours, X, y, C) <= least + above
    # 1/2 |w - w*|^2 is at most what the objective is above the least one.
    assert np.linalg.norm(ours - theirs) <= 1.1 * np.sqrt(2 * above)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_step_in_any_direction_helps(solver):
    X, y = clouds(d=3)
    w = AucSVM(solver=solver).fit(X, y).coef_[0]
    found = minimize(objective, w, args=(X, y, 1.0), method="Nelder-Mead", tol=1e-10)
    assert objective(w, X, y, 1.0) <= (1 + 1e-6) * found.fun


@pytest.mark.parametrize("solver", SOLVERS)
def test_by_hand(solver):
    # Hard margin: +1 at x = 4 is 2 above the nearest -1, so w = 1/2, and the cut is halfway, at 3.
    X, y = np.array([[0.0], [2.0], [4.0]]), np.array([-1, -1, 1])
    model = AucSVM(C=10.0, solver=solver).fit(X, y)
    assert model.coef_.item() == pytest.approx(0.5, rel=1e-4)
    assert model.intercept_.item() == pytest.approx(-1.5, rel=1e-4)
    # C n = 0.3: while both pairs lose, up to w = 1/4, 1/2 w^2 + 0.3 (1 - 3 w) falls; beyond it is
    # 1/2 w^2 + 0.3 (1 - 2 w) / 2, least at w = 0.3.
    model = AucSVM(C=0.1, solver=solver).fit(X, y)
    assert model.coef_.item() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("solver", SOLVERS)
def test_features_that_say_nothing_get_no_weight(solver):
    y = np.repeat([1, -1], [3, 7])
    model = AucSVM(solver=solver).fit(np.full((10, 2), 0.1), y)
    np.testing.assert_allclose(model.coef_, [[0, 0]], atol=1e-12)
    np.testing.assert_array_equal(model.predict(np.full((10, 2), 0.1)), -1)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rows", STORAGES)
def test_a_feature_that_most_of_one_class_has_and_none_of_the_other(solver, rows):
    # 4 of 5 have x = 1, nobody else: beyond w = 1 only pairs of two zeros lose, whatever w is.
    X, y = np.append(np.ones(4), np.zeros(11))[:, None], np.repeat([1, -1], [5, 10])
    model = AucSVM(C=1.0, solver=solver).fit(rows(X), y)
    assert model.coef_.item() == pytest.approx(1.0, rel=1e-3)
    np.testing.assert_array_equal(model.predict(rows([[0.0], [1.0]])), [-1, 1])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale, shift", [(1e-3, 0.0), (1e4, 0.0), (1.0, 1e5)])
def test_unscaled_features_are_no_obstacle(solver, scale, shift):
    X, y = clouds(d=200, gap=0.5)
    X = scale * X + shift
    w = AucSVM(solver=solver).fit(X, y).coef_[0]
    theirs = AucSVM(C=scale**2, solver="pairs").fit((X - shift) / scale, y).coef_[0] / scale
    np.testing.assert_allclose(w, theirs, atol=0.02 * np.abs(theirs).max())


def test_it_ranks_better_than_the_svm_what_few_features_tell_of_a_rare_minority():
    X, y = clouds(n=1500, d=4, gap=0.7, minority=0.05)
    models = AucSVM(), LinearSVM(solver="libsvm"), LinearSVM()
    ours, exact, theirs = (
        roc_auc_score(y, model.fit(X, y).decision_function(X)) for model in models
    )
    assert ours > exact + 0.01 and ours > theirs


@pytest.mark.parametrize("limit, rounds", [("SWEEPS", [1, 5, 25]), ("PLANES", [3, 6, 12])])
def test_the_objective_falls_and_a_solver_that_is_stopped_says_so(monkeypatch, limit, rounds):
    X, y = clouds(d=30)
    solver = {"SWEEPS": "pairs", "PLANES": "planes"}[limit]
    values = []
    for most in rounds:
        monkeypatch.setattr(auc_solvers, limit, most)
        with pytest.warns(ConvergenceWarning, match="AucSVM stopped .* above its bound"):
            values.append(objective(AucSVM(solver=solver).fit(X, y).coef_[0], X, y, 1.0))
    assert objective(np.zeros(30), X, y, 1.0) > values[0] > values[1] > values[2]


def test_auto_goes_pair_by_pair_for_few_wide_rows_and_by_planes_otherwise(monkeypatch):
    X, y = clouds()
    pairs, planes = (AucSVM(solver=solver).fit(X, y).coef_ for solver in SOLVERS)
    assert not np.array_equal(pairs, planes)
    monkeypatch.setattr(auc, "PAIRS_ROWS_PER_FEATURE", 10)
    np.testing.assert_array_equal(AucSVM().fit(X, y).coef_, pairs)
    monkeypatch.setattr(auc, "PAIRS_ROWS", len(y) - 1)
    np.testing.assert_array_equal(AucSVM().fit(X, y).coef_, planes)
    monkeypatch.undo()
    assert len(y) == 10 * X.shape[1]
    np.testing.assert_array_equal(AucSVM().fit(X, y).coef_, planes)


def test_planes_never_form_the_pairs():
    # 2,000 x 2,000 pairs, a number for each of which would take 32 MB.
    X, y = clouds(n=4000, d=3, minority=0.5)
    AucSVM().fit(*clouds(n=40, d=3))
    tracemalloc.start()
    AucSVM().fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16_000_000


def test_a_seed_fixes_the_order_of_the_pairs():
    X, y = clouds()
    one, same, other = (AucSVM(solver="pairs", seed=seed).fit(X, y).coef_ for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    np.testing.assert_allclose(one, other, atol=0.003)


@pytest.mark.parametrize("seed", range(6))
def test_the_threshold_is_the_best_balanced_one(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(6, size=15).astype(float)
    minority = np.append([True, False], rng.uniform(size=13) < 0.3)
    expected = oracles.balanced_threshold(scores.tolist(), minority.tolist())
    assert auc._threshold(scores, minority) == expected


def test_predictions_follow_the_threshold():
    # Balanced accuracy on training data is no worse than that of any other threshold.
    X, y = clouds(gap=0.5)
    model = AucSVM().fit(X, y)
    decision = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), np.where(decision > 0, 1, -1))

    def balanced(cut):
        return (np.mean(decision[y > 0] > cut) + np.mean(decision[y < 0] <= cut)) / 2

    assert balanced(0.0) == max(balanced(cut) for cut in decision)


def test_mirrored_classes_mirror_the_weights():
    X, y = clouds()
    np.testing.assert_allclose(AucSVM().fit(X, -y).coef_, -AucSVM().fit(X, y).coef_, atol=0.003)


@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_rows_give_what_dense_rows_give(solver):
    X, y = clouds(n=90, d=8)
    X[np.abs(X) < 0.5] = 0
    rows = csr_array(X)
    dense = AucSVM(solver=solver).fit(X[:60], y[:60]).decision_function(X[60:])
    sparse = AucSVM(solver=solver).fit(rows[:60], y[:60]).decision_function(rows[60:])
    np.testing.assert_allclose(sparse, dense, atol=0.005)


def test_more_classes_are_learned_one_against_the_rest():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    X = rng.normal(size=(90, 5)) + 2 * np.eye(3, 5)[y]
    decision = AucSVM().fit(X, y).decision_function(X)
    for k in range(3):
        one = AucSVM().fit(X, np.where(y == k, 1, -1)).decision_function(X)
        np.testing.assert_allclose(decision[:, k], one, atol=1e-12)


@pytest.mark.parametrize("kind, shape", [(BINARY, (60,)), (MULTICLASS, (60, 2))])
def test_the_table_makes_it(kind, shape):
    X, y = clouds()
    y = y if kind == BINARY else (y > 0).astype(int)
    predicted, decision = fit_predict(CLASSIFIERS["auc_svm"].call(C=0.5), X, y, X, kind)
    assert set(predicted) == set(y) and decision.shape == shape
    labels = np.column_stack((y > 0, X[:, 0] > 0)).astype(int)
    predicted, _ = fit_predict(CLASSIFIERS["auc_svm"].call(), X, labels, X, MULTILABEL)
    assert predicted.shape == (60, 2) and set(predicted.ravel()) == {0, 1}


def test_a_parameter_out_of_bounds_is_refused():
    with pytest.raises(UserError, match="C: input should be greater than 0, not 0"):
        AucSVM(C=0.0).fit(*clouds())
    with pytest.raises(UserError, match="auc_svm.solver"):
        resolve(CLASSIFIERS, {"auc_svm": {"solver": "newton"}}, "classifier")


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_minority_sample_is_enough(solver):
    X, y = clouds(n=12, minority=1 / 12)
    model = AucSVM(solver=solver).fit(X, y)
    w = explicit(X, y, 1.0)
    assert objective(model.coef_[0], X, y, 1.0) <= (1 + 1e-6) * objective(w, X, y, 1.0)
