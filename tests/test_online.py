"""The online learners: against slow versions, by hand, against scikit-learn, and as estimators."""

import math
import pickle
from itertools import pairwise

import numpy as np
import oracles as oracle
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.online import CS, MBPA, OFS, ONPA, PA
from imbfs.online.pa import SampledONPA

SIGNS = np.array([-1, 1])
LEARNERS = [
    PA(variant="plain"),
    PA(variant="one", C=0.3),
    PA(variant="two", C=0.3),
    MBPA(C=0.3),
    ONPA(),
    ONPA(variant="one", C=0.3, beta=1.7, synthesis="interpolate", seed=5),
    CS(),
    CS(loss="two", C=0.1, step="constant"),
    CS(rho=3.0),
]
OFS_LEARNERS = [OFS(), OFS(shrink="on_update", lam=0.2), OFS(shrink="always", lam=0.3)]
ONE_EACH = [PA(C=0.3), MBPA(C=0.3), ONPA(beta=1.7, seed=5), CS(C=0.3), OFS(lam=0.3)]
ORACLES = {PA: oracle.pa, MBPA: oracle.mbpa, ONPA: oracle.onpa, CS: oracle.cs, OFS: oracle.ofs}
TRUNCATIONS = [
    {"g": 0.0},
    {"g": 0.004, "eta": 0.5, "K": 3},
    {"g": 0.004, "eta": 2.0, "K": 7, "theta": 0.4},
    {"g": 0.01, "K": 1, "theta": 0.05},
]
LAYOUTS = {"dense": np.asarray, "csr": csr_array, "csc": csc_array, "spmatrix": csr_matrix}


def stream(n_samples=300, n_features=12, seed=0):
    """A sparse, imbalanced, noisy stream with a few rows of zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.4)
    X[rng.random(n_samples) < 0.05] = 0.0
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n_samples) > 0.9, 1, -1)
    return X, y


def with_truncation(learner, truncation):
    """The learner with truncated gradient, which OFS does not have."""
    return clone(learner).set_params(**({} if isinstance(learner, OFS) else truncation))


def with_budget(learner, keep):
    """The learner with a budget that it always keeps."""
    always = {} if isinstance(learner, OFS) else {"budget": "always"}
    return clone(learner).set_params(keep=keep, **always)


def weights_by_oracle(learner, X, y):
    """The weights after each round; the oracle has the signs of the paper, the opposite of ours."""
    params = learner.get_params()
    for name in {"zero", "budget"} & set(params):
        del params[name]
    if "seed" in params:
        params["rng"] = np.random.default_rng([params.pop("seed"), 0])
    return -np.array(ORACLES[type(learner)](X.tolist(), (-y).tolist(), **params))


# Against the slow versions


@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_follow_the_paper_in_every_layout(learner, truncation):
    X, y = stream()
    learner = with_truncation(learner, truncation)
    expected = weights_by_oracle(learner, X, y)[-1]
    for name, layout in LAYOUTS.items():
        w = clone(learner).fit(layout(X), y).coef_
        assert_allclose(w, [expected], atol=1e-12, err_msg=name)


@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_follow_the_paper_after_every_round(learner, truncation):
    X, y = stream(n_samples=60)
    learner = with_truncation(learner, truncation)
    for x, label, expected in zip(X, y, weights_by_oracle(learner, X, y), strict=True):
        learner.partial_fit(csr_array([x]), [label], classes=SIGNS)
        assert_allclose(learner.coef_, [expected], atol=1e-12)


@pytest.mark.parametrize("keep", [1, 3, 7, 11, 12, 50])
@pytest.mark.parametrize("truncation", [TRUNCATIONS[0], TRUNCATIONS[2]], ids=str)
@pytest.mark.parametrize("learner", LEARNERS + OFS_LEARNERS, ids=str)
def test_a_budget_always_kept_leaves_the_largest_weights(learner, truncation, keep):
    X, y = stream(n_samples=150)
    learner = with_budget(with_truncation(learner, truncation), keep)
    expected = weights_by_oracle(learner, X, y)[-1]
    for layout in (np.asarray, csr_array):
        w = clone(learner).fit(layout(X), y).coef_
        assert_allclose(w, [expected], atol=1e-11)
        assert 0 < np.count_nonzero(w) <= keep


@pytest.mark.parametrize("learner", ONE_EACH, ids=str)
def test_long_rows_and_short_ones_keep_the_same_budget(learner):
    # Rows with many entries rebuild the heap, those with few move single features in it.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 40)) * (rng.random((400, 40)) < rng.choice([0.05, 0.9], (400, 1)))
    y = np.where(X[:, 0] - X[:, 1] > 0.9, 1, -1)
    learner = with_budget(learner, 25)
    expected = weights_by_oracle(learner, X, y)
    assert_allclose(learner.fit(csr_array(X), y).coef_, [expected[-1]], atol=1e-11)


def test_in_a_budget_equal_weights_go_to_the_lower_index():
    for keep, kept in [(1, [1]), (2, [1, 2]), (3, [0, 1, 2])]:
        for layout in (np.asarray, csr_array):
            learner = PA(budget="always", keep=keep)
            learner.partial_fit(layout([[3.0, -5.0, 5.0, 1.0]]), [1], classes=SIGNS)
            assert_array_equal(np.flatnonzero(learner.coef_[0]), kept)


def test_a_final_budget_learns_with_all_features_and_predicts_with_some():
    X, y = stream()
    whole, cut = MBPA(g=0.002).fit(X, y), MBPA(g=0.002, keep=4).fit(X, y)
    assert_array_equal(cut.scores_, whole.scores_)
    assert_array_equal(cut.coef_, whole.cut(4).coef_)
    assert_array_equal(cut.decision_function(X), whole.cut(4).decision_function(X))


def test_a_budget_holds_for_several_classes():
    X, _ = stream()
    y = np.random.default_rng(1).integers(3, size=len(X))
    w = MBPA(budget="always", keep=4).fit(X, y).coef_
    assert w.shape == (3, 12) and np.count_nonzero(w.any(axis=0)) == 4


def test_the_truncations_tried_shrink_some_weights_and_spare_others():
    X, y = stream()
    free = PA(C=0.3).fit(X, y).coef_
    for truncation in TRUNCATIONS[1:]:
        assert np.abs(with_truncation(PA(C=0.3), truncation).fit(X, y).coef_ - free).max() > 1e-3
    beyond_theta = np.abs(with_truncation(PA(C=0.3), TRUNCATIONS[2]).fit(X, y).coef_) >= 0.4
    assert 0 < beyond_theta.sum() < 12


def test_long_streams_stay_close_to_eager_truncation():
    X, y = stream(n_samples=5000, n_features=6)
    learner = PA(C=0.1, g=1e-4, K=2)
    assert_allclose(learner.fit(X, y).coef_, [weights_by_oracle(learner, X, y)[-1]], atol=1e-10)


# By hand

# row          1        2        3        4        5
HAND_X = [[1, 0], [0, 1], [1, 1], [0, 2], [1, 0]]
HAND_Y = [-1, -1, +1, -1, +1]
HAND = {
    # plain: step = loss / |x|^2 = 1/1, 1/1, 3/2, 2/4, 0.5/1.
    PA(variant="plain"): [[-1, 0], [-1, -1], [0.5, 0.5], [0.5, -0.5], [1, -0.5]],
    # one: row 3 is held at C = 1, so row 4 has loss 1 (step 1/4) and row 5 loss 1.
    PA(variant="one"): [[-1, 0], [-1, -1], [0, 0], [0, -0.5], [1, -0.5]],
    # two, 1/2C = 1/2: steps 1/1.5, 1/1.5, (7/3)/2.5 = 14/15, (23/15)/4.5 = 46/135, (11/15)/1.5.
    PA(variant="two"): [
        [-2 / 3, 0],
        [-2 / 3, -2 / 3],
        [4 / 15, 4 / 15],
        [4 / 15, -56 / 135],
        [34 / 45, -56 / 135],
    ],
    # The majority at margin 0 has no loss. Row 3: p = 3, n = 2, loss 3/2, step 3/4. Row 4: margin
    # -3/2, loss 3/2, step 3/8. Row 5: p = 4, n = 3, loss 4/3 - 3/4, step the same.
    MBPA(): [[0, 0], [0, 0], [0.75, 0.75], [0.75, 0], [4 / 3, 0]],
    # Steps 1, 1/sqrt 2, ... of y x. Rows 1, 2: margin 0 is below 1. Row 3: margin below rho = 3/2.
    # Row 4: w.x = 2 (0.57735 - 0.70711) = -0.25951, margin 0.25951 < 1, step 1/2 of x = (0, 2).
    # Row 5: rho = 4/3, margin -0.42265 < rho.
    CS(): [
        [-1, 0],
        [-1, -(2**-0.5)],
        [3**-0.5 - 1, 3**-0.5 - 2**-0.5],
        [3**-0.5 - 1, 3**-0.5 - 2**-0.5 - 1],
        [3**-0.5 - 1 + 5**-0.5, 3**-0.5 - 2**-0.5 - 1],
    ],
    # Constant steps of 1, times the cost of the minority: 3/2 in row 3, 4/3 in row 5. Row 4: margin
    # -2 (0.5) = -1, row 5: margin 0.5.
    CS(loss="two", step="constant"): [
        [-1, 0],
        [-1, -1],
        [0.5, 0.5],
        [0.5, -1.5],
        [0.5 + 4 / 3, -1.5],
    ],
    # Steps of 0.2; every margin is below 1, and no weight leaves the ball of radius 10.
    OFS(): [[-0.2, 0], [-0.2, -0.2], [0, 0], [0, -0.4], [0.2, -0.4]],
    # With one feature: row 2 ties and the lower index stays; row 3 leaves (0, 0.2), row 4 (0, -0.2)
    # and row 5 ties again.
    OFS(keep=1): [[-0.2, 0], [-0.2, 0], [0, 0.2], [0, -0.2], [0.2, 0]],
    # A ball of radius 2: row 5 would make (1, -2), of length sqrt 5.
    OFS(eta=1.0, lam=0.25): [[-1, 0], [-1, -1], [0, 0], [0, -2], [2 / 5**0.5, -4 / 5**0.5]],
    # As MBPA above, and rounds 2 and 4 shrink by eta K g = 0.5 * 2 * 0.1 = 0.1: 0.75 -> 0.65.
    MBPA(eta=0.5, g=0.1, K=2): [[0, 0], [0, 0], [0.75, 0.75], [0.65, 0], [4 / 3, 0]],
    # 0.75 is not within theta = 0.7, nor within 0.75, and stays; within 0.76 it shrinks.
    MBPA(eta=0.5, g=0.1, K=2, theta=0.7): [[0, 0], [0, 0], [0.75, 0.75], [0.75, 0], [4 / 3, 0]],
    MBPA(eta=0.5, g=0.1, K=2, theta=0.75): [[0, 0], [0, 0], [0.75, 0.75], [0.75, 0], [4 / 3, 0]],
    MBPA(eta=0.5, g=0.1, K=2, theta=0.76): [[0, 0], [0, 0], [0.75, 0.75], [0.65, 0], [4 / 3, 0]],
}


@pytest.mark.parametrize("learner", HAND, ids=str)
def test_the_first_five_updates_are_those_worked_out_by_hand(learner):
    expected, learner = HAND[learner], clone(learner)
    for x, label, w in zip(HAND_X, HAND_Y, expected, strict=True):
        learner.partial_fit([x], [label], classes=SIGNS)
        assert_allclose(learner.coef_, [w], atol=1e-14)


def test_the_minority_has_no_loss_between_margin_one_and_rho():
    # Row 1 is the minority: p = 1, n = 2, rho = 1/2, step 1/2, w = 1/2. Four rows of zeros make
    # p = 5. Row 6, x = 3: rho = 5/3, margin 1.5 lies between 1 and rho, so the loss is 0.
    X = [[1.0], [0.0], [0.0], [0.0], [0.0], [3.0]]
    assert_array_equal(MBPA().fit(X, [1, -1, -1, -1, -1, 1]).coef_, [[0.5]])


def test_a_negative_loss_counts_as_none():
    # Rows of the minority: rho = 1/2 gives w = 1/2; then rho = 1/3 is below the margin 1/2.
    assert_array_equal(MBPA().partial_fit([[1.0], [1.0]], [1, 1], classes=SIGNS).coef_, [[0.5]])


def test_strong_gravity_leaves_exact_zeros():
    X, y = stream()
    w = PA(g=10.0, K=300).fit(csr_array(X), y).coef_
    assert_array_equal(w, np.zeros((1, 12)))
    assert not np.signbit(w).any()


# Against scikit-learn


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("variant, rate", [("one", "pa1"), ("two", "pa2")])
def test_pa_agrees_with_scikit_learn(variant, rate, n_classes):
    X, _ = stream()
    y = np.random.default_rng(1).integers(n_classes, size=len(X))
    peer = SGDClassifier(
        penalty=None, learning_rate=rate, eta0=0.3, fit_intercept=False, shuffle=False
    )
    peer.partial_fit(X, y, classes=np.arange(n_classes))
    learner = PA(variant=variant, C=0.3).fit(X, y)
    assert_allclose(learner.coef_, peer.coef_, atol=1e-12)
    assert_allclose(learner.decision_function(X), peer.decision_function(X), atol=1e-12)
    assert_array_equal(learner.predict(X), peer.predict(X))


def test_more_classes_are_learned_one_against_the_rest():
    X, _ = stream()
    y = np.random.default_rng(1).integers(3, size=len(X))
    learner = MBPA(g=0.002, theta=0.5).fit(X, y)
    for k in range(3):
        alone = clone(learner).fit(X, np.where(y == k, 1, -1))
        assert_array_equal(learner.coef_[k], alone.coef_[0])


# Laws


def test_mbpa_is_pa_when_rho_is_one_and_the_majority_has_margin_one():
    # Rows alternate, so rho = 1 at every row of the minority; the first row of the majority is
    # zeros and the later ones lie far on the right side: only the minority moves the weights.
    rng = np.random.default_rng(0)
    X = np.empty((60, 5))
    X[0::2] = -10.0
    X[0] = 0.0
    X[1::2] = rng.random((30, 5))
    y = np.tile(SIGNS, 30)
    w = MBPA(C=0.2).fit(X, y).coef_
    assert_array_equal(w, PA(C=0.2).fit(X, y).coef_)
    assert not np.array_equal(w, MBPA(C=0.2).fit(X[:2], y[:2]).coef_)


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=str)
@pytest.mark.parametrize("keep", [None, 5])
@pytest.mark.parametrize("learner", ONE_EACH, ids=str)
def test_chunks_give_the_same_weights_bit_for_bit(learner, keep, truncation, layout):
    X, y = stream()
    X = LAYOUTS[layout](X)
    chunked = with_budget(with_truncation(learner, truncation), keep)
    for start, stop in pairwise([0, 1, 4, *range(11, 300, 7), 300]):
        chunked.partial_fit(X[start:stop], y[start:stop], classes=SIGNS)
        whole = clone(chunked).partial_fit(X[:stop], y[:stop], classes=SIGNS)
        # Looking at the weights must not touch them either.
        assert_array_equal(chunked.coef_, whole.coef_)
        assert_array_equal(chunked._state, whole._state)


@pytest.mark.parametrize("learner", LEARNERS + OFS_LEARNERS, ids=str)
def test_progress_returns_the_decision_before_each_row_was_learned(learner):
    X, y = stream(n_samples=80)
    learner = with_truncation(learner, TRUNCATIONS[2])
    seen = clone(learner).progress(csr_array(X), y, classes=SIGNS)
    assert seen.shape == (80,) and seen[0] == 0.0
    for i in range(80):
        if i > 0:
            assert_allclose(seen[i], learner.decision_function(X[[i]])[0], atol=1e-12)
        learner.partial_fit(X[[i]], y[[i]], classes=SIGNS)


def test_progress_returns_one_column_per_class():
    X, _ = stream(n_samples=40)
    y = np.arange(40) % 3
    learner = MBPA().partial_fit(X[:39], y[:39], classes=[0, 1, 2])
    expected = learner.decision_function(X[39:])
    assert_allclose(learner.progress(X[39:], y[39:]), expected, atol=1e-12)


@pytest.mark.parametrize("keep", [None, 5])
@pytest.mark.parametrize("learner", ONE_EACH, ids=str)
def test_dense_and_sparse_chunks_may_be_mixed(learner, keep):
    X, y = stream()
    learner = with_budget(learner, keep)
    expected = clone(learner).fit(X, y).coef_
    learner.partial_fit(X[:100], y[:100], classes=SIGNS).partial_fit(csr_array(X[100:]), y[100:])
    assert_allclose(learner.coef_, expected, atol=1e-12)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_unsorted_and_repeated_entries_are_read_as_their_sum(index_type):
    indices, indptr = np.array([2, 0, 2], index_type), np.array([0, 3, 3], index_type)
    X = csr_array((np.array([1.0, 2.0, 3.0]), indices, indptr), shape=(2, 3))
    w = PA(variant="plain").fit(X, [1, -1]).coef_
    assert_allclose(w, [[0.1, 0.0, 0.2]])  # x = (2, 0, 4), |x|^2 = 20
    assert_array_equal(X.data, [1.0, 2.0, 3.0])


def test_rows_of_zeros_change_nothing_but_are_seen():
    X, y = stream()
    already = np.count_nonzero(~X.any(axis=1))
    assert already > 0
    for learner in LEARNERS[:4] + LEARNERS[6:] + OFS_LEARNERS[:1]:
        learner = clone(learner).fit(X, y)
        before = learner.coef_
        learner.partial_fit(np.zeros((7, 12)), [1, -1, 1, -1, 1, 1, 1])
        assert_array_equal(learner.coef_, before)
        assert learner.n_seen_ == 307
        assert learner.n_empty_ == already + 7


def test_an_empty_row_of_the_minority_may_still_make_others():
    # x_t = 0 and an earlier x_p: x_q = -a x_p is no row of zeros.
    learner = ONPA(seed=1).partial_fit([[1.0], [0.0], [0.0]], [1, -1, -1], classes=SIGNS)
    before = learner.coef_
    learner.partial_fit([[0.0]], [1])  # p = 3, n = 3: one row is made
    assert learner.coef_[0, 0] < before[0, 0]
    assert learner.n_empty_ == 3


def test_gravity_due_is_paid_after_gravity_is_switched_off():
    X, y = stream()
    learner = PA(C=0.3, g=0.004, K=3).fit(csr_array(X), y).set_params(g=0.0)
    w, x = learner.coef_[0], np.ones(12)
    w_next = w - min(0.3, (1 + w @ x) / 12) * x
    learner.partial_fit(csr_array([x]), [-1])
    assert w_next[0] < w[0]
    assert_allclose(learner.coef_, [w_next], atol=1e-12)


def test_fit_forgets_what_was_learned_before():
    X, y = stream()
    learner = MBPA(g=0.004).fit(X, y)
    assert_array_equal(learner.fit(X[:50], y[:50]).coef_, MBPA(g=0.004).fit(X[:50], y[:50]).coef_)
    assert learner.n_seen_ == 50


def test_a_pickled_learner_goes_on_bit_for_bit():
    X, y = stream()
    learner = MBPA(C=0.3, g=0.004, K=3).partial_fit(X[:100], y[:100], classes=SIGNS)
    restored = pickle.loads(pickle.dumps(learner)).partial_fit(X[100:], y[100:])
    assert_array_equal(restored.coef_, learner.partial_fit(X[100:], y[100:]).coef_)


# Predictions


@pytest.mark.parametrize("learner", ORACLES)
def test_a_decision_of_exactly_zero_predicts_the_class_asked_for(learner):
    X, y = [[1.0, 0.0], [0.5, 0.0]], ["common", "rare"]
    row = [[0.0, 1.0]]
    assert learner(zero="majority").fit(X, y).predict(row) == ["common"]
    assert learner(zero="minority").fit(X, y).predict(row) == ["rare"]
    assert_array_equal(learner(zero="minority").fit(X, y).decide(np.array([-1e-300])), ["common"])


def test_one_class_so_far_still_predicts():
    learner = PA().partial_fit([[1.0, 0.0]], [-1], classes=SIGNS)
    assert_array_equal(learner.predict([[1.0, 0.0], [-1.0, 0.0]]), [-1, 1])
    learner = MBPA().partial_fit([[1.0, 0.0]], ["b"], classes=["a", "b", "c"])
    assert_array_equal(learner.predict([[1.0, 0.0]]), ["b"])
    assert learner.coef_.shape == (3, 2) and learner.decision_function([[1, 0]]).shape == (1, 3)


# The cut


def test_a_cut_keeps_the_largest_weights_and_ties_go_to_the_lower_index():
    # One row: w is proportional to it.
    learner = PA().partial_fit([[3.0, -5.0, 5.0, 1.0]], [1], classes=SIGNS)
    assert_allclose(learner.scores_, np.array([3, 5, 5, 1]) / 60)
    for k, kept in [(1, [1]), (2, [1, 2]), (3, [0, 1, 2]), (4, [0, 1, 2, 3]), (9, [0, 1, 2, 3])]:
        expected = np.zeros((1, 4))
        expected[0, kept] = learner.coef_[0, kept]
        assert_array_equal(learner.cut(k).coef_, expected)


def test_a_cut_among_several_classes_goes_by_the_norm_over_them():
    X = [[1.0, 0.0, 0.9], [0.0, 0.0, 0.9], [0.0, 0.3, 0.9]]
    learner = PA().fit(X, [0, 1, 2])
    assert_allclose(learner.scores_, np.sqrt((learner.coef_**2).sum(axis=0)))
    kept = learner.scores_.argmax()
    assert_array_equal(np.flatnonzero(learner.cut(1).coef_.any(axis=0)), [kept])


@pytest.mark.parametrize("keep", [None, 5])
@pytest.mark.parametrize("learner", ONE_EACH, ids=str)
def test_a_cut_never_leaks_into_learning(learner, keep):
    X, y = stream()
    X = csr_array(X)
    learner = with_budget(with_truncation(learner, TRUNCATIONS[1]), keep)
    expected = clone(learner).fit(X, y).coef_
    learner = clone(learner).partial_fit(X[:100], y[:100], classes=SIGNS)
    cut = learner.cut(3)
    kept = cut.coef_ != 0
    assert kept.sum() == 3
    assert_array_equal(cut.coef_[kept], learner.coef_[kept])
    cut.partial_fit(X[100:], y[100:])
    assert np.count_nonzero(cut.coef_) <= (keep or 12)
    assert_array_equal(learner.partial_fit(X[100:], y[100:]).coef_, expected)


# What is refused


def test_onpa_with_room_for_every_row_of_the_minority_is_onpa():
    X, y = stream(seed=3)
    X = csr_array(X)
    sampled = SampledONPA(rows=int(np.sum(y > 0)), beta=1.7, seed=5)
    assert_array_equal(sampled.fit(X, y).coef_, ONPA(beta=1.7, seed=5).fit(X, y).coef_)
    fewer = clone(sampled).set_params(rows=3).fit(X, y)
    assert fewer.n_kept_ == 3 and not np.array_equal(fewer.coef_, sampled.coef_)


def test_onpa_without_room_keeps_every_row_as_likely_as_another():
    X, y = csr_array(np.eye(40)), np.ones(40, dtype=int)
    kept = np.zeros(40)
    for seed in range(400):
        learner = SampledONPA(rows=8, seed=seed)
        for rows in (slice(0, 5), slice(5, 33), slice(33, 40)):
            learner.partial_fit(X[rows], y[rows], classes=SIGNS)
        kept[learner._minority[0].kept(learner.n_kept_).indices] += 1
    assert kept.sum() == 400 * 8
    assert abs(kept - 80).max() < 4 * math.sqrt(80 * 0.8)


@pytest.mark.parametrize("learner", [PA, MBPA, ONPA, CS])
@pytest.mark.parametrize(
    "wrong",
    [{"C": 0.0}, {"C": -1.0}, {"C": math.nan}, {"C": "1"}, {"eta": 0.0}, {"g": -0.1}]
    + [{"g": math.inf}, {"theta": 0.0}, {"K": 0}, {"K": 2.5}, {"zero": "both"}]
    + [{"budget": "never"}, {"keep": 0}, {"keep": 2.5}],
    ids=str,
)
def test_wrong_parameters_are_refused(learner, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        learner(**wrong).fit(*stream())
    with pytest.raises(ValueError, match=next(iter(wrong))):
        learner(**wrong).partial_fit(*stream(), classes=SIGNS)


@pytest.mark.parametrize(
    "wrong",
    [PA(variant="three"), ONPA(beta=0.0), ONPA(synthesis="between"), CS(loss="three"), CS(rho=0.0)]
    + [CS(rho="full"), CS(step="linear"), OFS(lam=0.0), OFS(lam=1.0), OFS(shrink="often")]
    + [OFS(eta=-1.0), OFS(keep=0)],
    ids=str,
)
def test_wrong_parameters_of_one_learner_are_refused(wrong):
    (name,) = {k for k, v in wrong.get_params().items() if v != type(wrong)().get_params()[k]}
    with pytest.raises(ValueError, match=name):
        wrong.fit(*stream())


def test_a_class_not_named_at_first_is_refused_before_anything_is_learned():
    X, y = stream()
    learner = PA().partial_fit(X, y, classes=SIGNS)
    before = learner.coef_
    with pytest.raises(ValueError, match="class 7"):
        learner.partial_fit(X[:3], [1, 7, -1])
    with pytest.raises(ValueError, match="classes"):
        learner.partial_fit(X, y, classes=[-1, 1, 7])
    assert_array_equal(learner.coef_, before)
    assert learner.n_seen_ == 300


def test_the_first_rows_must_come_with_the_classes():
    for learn in (PA().partial_fit, PA().progress):
        with pytest.raises(ValueError, match="classes"):
            learn(*stream())


def test_another_number_of_features_is_refused():
    X, y = stream()
    learner = MBPA().fit(X, y)
    for use in (lambda Z: learner.partial_fit(Z, y), learner.predict):
        with pytest.raises(ValueError, match="11 features"):
            use(X[:, :11])


def test_a_single_class_is_refused():
    with pytest.raises(ValueError, match="two classes"):
        PA().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="two classes"):
        PA().partial_fit([[1.0]], [1], classes=[1])


def test_a_cut_to_no_feature_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        PA().fit(*stream()).cut(0)


# No check is exempted.
@parametrize_with_checks(
    [PA(), PA(variant="two", g=1e-4, budget="always", keep=3), MBPA(), MBPA(g=1e-4, theta=1.0)]
    + [ONPA(), ONPA(g=1e-4, budget="always", keep=3), CS(), CS(loss="two", g=1e-4), OFS()]
    + [OFS(keep=3, shrink="always")]
)
def test_scikit_learn_accepts_them_as_classifiers(estimator, check):
    check(estimator)
