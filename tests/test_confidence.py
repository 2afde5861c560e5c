"""SBCW and ASCW: against the algorithms written out with full matrices, by hand, as estimators."""

import math
import tracemalloc
from itertools import pairwise

import numpy as np
import oracles as oracle
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs import measures
from imbfs.online import ASCW, SBCW
from imbfs.online.confidence import kernels
from imbfs.online.confidence.covariance import Covariance, Update
from imbfs.online.confidence.kernels import PANEL
from imbfs.online.confidence.model import Form
from imbfs.online.confidence.tallies import N_BINS, Tally
from imbfs.ranking import best

SIGNS = np.array([-1, 1])
SMALL = {"batch": 20, "keep": 5}
LEARNERS = [
    SBCW(**SMALL),
    SBCW(**SMALL, loss="hinge", r=2),
    SBCW(**SMALL, start="last"),
    ASCW(**SMALL),
    ASCW(**SMALL, loss="hinge", C=0.3, start="cost_weighted"),
    ASCW(**SMALL, start="cost_weighted", unselected="keep", K=4),
    ASCW(**SMALL, r=2, sigma=2.0, start="cost_weighted"),
    ASCW(**SMALL, loss="hinge", r=1, sigma=5.0, unselected="keep", K=2),
    ASCW(**SMALL, cost=0.8, start="cost_weighted", C=4.0),
]
SINGLE = {"batch": 1, "keep": 4}
BY_ROW = [
    SBCW(**SINGLE),
    SBCW(**SINGLE, loss="hinge", start="last"),
    ASCW(**SINGLE, K=3),
    ASCW(**SINGLE, K=2, loss="hinge", C=0.3, start="cost_weighted"),
    ASCW(**SINGLE, K=3, sigma=2.0, start="cost_weighted", unselected="keep"),
    ASCW(**SINGLE, cost=0.8, C=50.0, unselected="keep"),
]
LONG = 2 * PANEL + 40


def stream(n_samples=110, n_features=12, seed=0):
    """A sparse, imbalanced, noisy stream with a few rows of zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.4)
    X[rng.random(n_samples) < 0.05] = 0.0
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n_samples) > 0.5, 1, -1)
    return X, y


def ends(n_samples, batch, last_batch):
    """Where the batches of a stream start and stop."""
    marks = [*range(0, n_samples, batch), n_samples]
    if n_samples % batch and len(marks) > 2:
        if last_batch == "drop":
            marks.pop()
        elif last_batch == "merge":
            del marks[-2]
    return list(pairwise(marks))


def costs_of(learner):
    """The costs in the words of the paper: theta_j = j / (K + 1), c+ = 1 - theta_j / 2."""
    if isinstance(learner, SBCW):
        return [None]
    thetas = [j / (learner.K + 1) for j in range(1, learner.K + 1)]
    return [learner.cost] if learner.cost else [1 - theta / 2 for theta in thetas]


def by_oracle(learner, X, y):
    adaptive = isinstance(learner, ASCW)
    form = {
        "q": 1 if learner.loss == "hinge" else 2,
        "C": learner.C,
        "sigma": learner.sigma,
        "p": min(learner.keep, X.shape[1]),
        "r": learner.r or learner.keep,
        "cost_weighted": adaptive and learner.start == "cost_weighted",
        "informed": adaptive,
        "warm": adaptive or learner.start == "last",
        "reset": not adaptive or learner.unselected == "reset",
    }
    batches = ends(len(y), learner.batch, learner.last_batch)
    return oracle.ascw(X, y, batches, costs_of(learner), form)


# Against the slow versions


@pytest.mark.parametrize("last_batch", ["keep", "drop", "merge"])
@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_follow_the_paper(learner, layout, last_batch):
    X, y = stream()
    learner = clone(learner).set_params(last_batch=last_batch).fit(layout(X), y)
    means, F, picks = by_oracle(learner, X, y)
    mean = means[F.index(max(F))]
    assert np.count_nonzero(mean)
    assert_allclose(learner.coef_[0], mean, atol=1e-9)
    if isinstance(learner, ASCW):
        known = [costs_of(learner)[0], *picks][-20:]
        assert learner.cost_ == pytest.approx(np.mean(known))


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("learner", BY_ROW, ids=str)
def test_batches_of_one_row_follow_the_paper(learner, layout):
    X, y = stream(LONG)
    learner = clone(learner).fit(layout(X), y)
    assert learner._models.by_row
    means, F, picks = by_oracle(learner, X, y)
    mean = means[F.index(max(F))]
    assert np.count_nonzero(mean)
    assert_allclose(learner.coef_[0], mean, atol=1e-9)
    if isinstance(learner, ASCW):
        assert learner.cost_ == pytest.approx(np.mean(picks[-20:]))


def test_rows_in_several_groups_follow_the_paper():
    X, y = stream(60)
    learner = ASCW(**SINGLE, K=2, r=3, unselected="keep").fit(X, y)
    assert not learner._models.by_row
    means, F, _ = by_oracle(learner, X, y)
    assert_allclose(learner.coef_[0], means[F.index(max(F))], atol=1e-9)


@pytest.mark.parametrize("target", ["f_measure", "auc", "average_precision"])
@pytest.mark.parametrize("unselected", ["reset", "keep"])
def test_rows_are_learned_as_batches_of_one(unselected, target, monkeypatch):
    X, y = stream(LONG, 90, seed=1)
    learner = ASCW(batch=1, keep=25, K=3, unselected=unselected, target=target)
    decisions = learner.progress(X, y, classes=SIGNS)
    monkeypatch.setattr(Form, "by_row", False)
    batches = clone(learner)
    assert_allclose(batches.progress(X, y, classes=SIGNS), decisions, atol=1e-10)
    assert not batches._models.by_row
    assert np.count_nonzero(learner.coef_) > 10
    assert_allclose(learner.coef_, batches.coef_, atol=1e-10)
    assert learner.cost_ == batches.cost_


def test_the_learners_tried_pick_several_costs_and_drop_groups():
    X, y = stream()
    _, _, picks = by_oracle(LEARNERS[4].set_params(last_batch="keep"), X, y)
    assert len(set(picks)) > 1
    means, _, _ = by_oracle(LEARNERS[1].set_params(last_batch="keep"), X, y)
    assert 0 < np.count_nonzero(means[0]) < 5  # a group whose norm is under tau gets no weight


def test_steps_go_on_until_no_feature_has_a_score():
    # s = ((1, 0, 1) - (0, 2, 1)) / 2 is 0 at the third feature: the first step has but two, and
    # leaves the rows other dual variables, by which the third has a score. ceil(p / r) is 1.
    X, y = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]]), np.array([1, -1])
    learner = SBCW(batch=2, r=3, keep=3).fit(X, y)
    assert learner._models.best.covariance.features.tolist() == [0, 1, 2]
    assert_allclose(learner.coef_[0], by_oracle(learner, X, y)[0][0], atol=1e-12)


def test_costs_are_those_of_table_4():
    learner = ASCW(K=9).fit(*stream())
    costs = [model.cost for model in learner._models._models]
    assert_allclose(costs, [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55])


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_sigma_is_the_direct_inverse(C):
    rng = np.random.default_rng(0)
    covariance, P = Covariance(), np.eye(30)
    for n_samples in (3, 8, 20, 1, 8):
        batch = np.sort(rng.choice(30, 17, replace=False))
        update = Update(covariance, batch, 15)
        for eta in np.sort(rng.permutation(17)[:15].reshape(3, 5)):
            features, X = batch[eta], rng.normal(size=(n_samples, 5))
            P[np.ix_(features, features)] += C * X.T @ X
            block = update.learn(eta, X, C)
            Sigma = np.linalg.inv(P)
            assert_allclose(block, Sigma[np.ix_(features, features)], rtol=1e-8, atol=1e-11)
            s = np.zeros(30)
            s[batch] = rng.normal(size=17)
            known = (Sigma @ s)[batch[update.known]]
            assert_allclose(update.product(s[batch]), known, atol=1e-11)
        update.done()
        whole = Sigma[np.ix_(covariance.features, covariance.features)]
        assert_allclose(covariance.sigma, whole, rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("room", [1, 3, 10, 100])
def test_the_most_violated_are_the_best_above_zero(room):
    rng = np.random.default_rng(room)
    for most in range(1, 40):
        scores = rng.integers(-2, most, size=rng.integers(0, 60)).astype(float)  # many of them tie
        expected = np.sort(best(scores, room, above=0.0))
        assert_array_equal(kernels.most_violated(scores, room), expected)


@pytest.mark.parametrize("seed", range(6))
def test_the_group_threshold_is_the_gradient_of_the_conjugate(seed):
    """grad Omega*(z) = argmax_v v'z - Omega(v), found by a generic solver."""
    rng = np.random.default_rng(seed)
    sizes, sigma = rng.integers(1, 4, size=4), rng.choice([0.1, 1.0, 4.0])
    groups = np.repeat(np.arange(4), sizes)
    z = rng.normal(size=len(groups)) * rng.choice([0.1, 1.0, 3.0], size=4)[groups]

    def omega(v):
        norms = [math.sqrt(v[groups == k] @ v[groups == k] + 1e-14) for k in range(4)]
        return sigma / 2 * v @ v + sum(norms) ** 2 / 2

    found = minimize(lambda v: omega(v) - v @ z, z / 10, method="BFGS", options={"gtol": 1e-7})
    norms = np.array([np.linalg.norm(z[groups == k]) for k in range(4)])
    tau = kernels.group_threshold(norms, sigma)
    assert tau == pytest.approx(oracle.group_threshold(norms, sigma), abs=1e-12)
    ours = (np.maximum(0, 1 - tau / norms) / sigma)[groups] * z
    assert_allclose(ours, found.x, atol=2e-4)
    assert omega(ours) - ours @ z <= found.fun + 1e-7


def test_without_any_group_the_threshold_is_zero():
    assert kernels.group_threshold(np.zeros(3), 0.1) == 0.0


@pytest.mark.parametrize("q", [1, 2])
def test_one_group_and_equal_costs_are_a_pass_of_arow(q):
    """Eq. (5)-(7) in the metric of Sigma = (I + C X'X)^-1, all features, a fresh start."""
    X, y = stream(60, 6)
    C, D, sigma = 0.7, 0.5, 1e-9
    Sigma = np.linalg.inv(np.eye(6) + C * X.T @ X)
    w = np.zeros(6)
    for x, sign in zip(X, y, strict=True):
        loss, square = 1 - sign * w @ x, x @ Sigma @ x
        if loss > 0 and square > 0:
            tau = min(loss / square, C * D) if q == 1 else loss / (square + 1 / (2 * C * D))
            w = w + tau * sign * Sigma @ x
    loss = "hinge" if q == 1 else "squared_hinge"
    learner = ASCW(loss=loss, C=C, cost=0.5, sigma=sigma, batch=60, keep=6).fit(X, y)
    assert_allclose(learner.coef_[0], w, rtol=1e-6)


def test_two_rows_worked_out_by_hand():
    """Rows (1, 0)+ and (0, 2)-, C = 1, c+ = 0.8, hinge, sigma = 1, one batch, all features.

    s = (1, -2) / 2, m = s^2 > 0: both are selected. Sigma = diag(1 + 1, 1 + 4)^-1 = (1/2, 1/5).
    Row 1: loss 1, x'Sx = 1/2, alpha = min(1 / 0.5, 0.8) = 0.8; z = 0.8 (sqrt 1/2, 0); one group:
    v = z / (1 + sigma), mu_1 = 0.8 * (1/2) / 2 = 0.2.
    Row 2: loss 1, x'Sx = 4/5, alpha = min(1 / 0.8, 0.2) = 0.2; mu_2 = -0.2 * (2/5) / 2 = -0.04.
    """
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1, -1])
    learner = ASCW(loss="hinge", cost=0.8, sigma=1.0, batch=2, keep=2).fit(X, y)
    assert_allclose(learner.coef_, [[0.2, -0.04]])


@pytest.mark.parametrize("unselected", ["reset", "keep"])
def test_two_batches_of_one_row_worked_out_by_hand(unselected):
    """Rows (1, 2)+ and (1, 0)-, C = 1, c+ = 0.8, hinge, sigma = 1, a uniform start.

    Row 1: Sigma = I - x x' / (1 + 5), Sigma x = x / 6, x'Sx = 5/6, loss 1, alpha = min(6/5, 0.8);
    mu = 0.8 * (1, 2) / 6 / (1 + sigma) = (1, 2) / 15.
    Row 2: s = (-1, 0), S_11 = 5/6, m_1 = (-5/6 + 2/15)(-1) > 0; now S_11 = (5/6) / (1 + 5/6) =
    5/11, loss 1 + 1/15, alpha = min(16/15 * 11/5, 0.2); mu_1 = 1/15 - 0.2 * (5/11) / 2 = 7/330.
    """
    X, y = np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([1, -1])
    form = {"loss": "hinge", "cost": 0.8, "sigma": 1.0, "unselected": unselected}
    learner = ASCW(**form, batch=1, keep=2).fit(X, y)
    assert_allclose(learner.coef_, [[7 / 330, 2 / 15 if unselected == "keep" else 0.0]])


# Streams


@pytest.mark.parametrize("last_batch", ["keep", "drop", "merge"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_chunks_give_the_same_weights_bit_for_bit(learner, last_batch):
    X, y = stream()
    learner = clone(learner).set_params(last_batch=last_batch)
    whole, parts = clone(learner), clone(learner)
    decisions = whole.progress(X, y, classes=SIGNS)
    edges = [0, 1, 2, 19, 20, 21, 63, 64, 110]
    chunks = [parts.progress(X[a:b], y[a:b], classes=SIGNS) for a, b in pairwise(edges)]
    assert_array_equal(np.concatenate(chunks), decisions)
    assert_array_equal(parts.coef_, whole.coef_)
    assert parts.n_seen_ == whole.n_seen_ == 110


@pytest.mark.parametrize("learner", BY_ROW, ids=str)
def test_chunks_of_single_rows_give_the_same_bit_for_bit(learner):
    X, y = stream(LONG, 60)
    whole, parts = clone(learner), clone(learner)
    decisions = whole.progress(X, y, classes=SIGNS)
    edges = [0, 1, 2, PANEL - 1, PANEL, PANEL + 1, 2 * PANEL - 3, 2 * PANEL + 5, LONG]
    chunks = [parts.progress(X[a:b], y[a:b], classes=SIGNS) for a, b in pairwise(edges)]
    assert_array_equal(np.concatenate(chunks), decisions)
    assert_array_equal(parts.coef_, whole.coef_)
    assert parts.n_seen_ == whole.n_seen_ == LONG


@pytest.mark.parametrize("n", [1, PANEL - 1, PANEL, PANEL + 1, LONG - 1])
def test_a_row_is_predicted_before_it_is_learned(n):
    X, y = stream(LONG)
    learner = ASCW(**SINGLE, K=3, unselected="keep")
    decisions = learner.progress(X, y, classes=SIGNS)
    before = clone(learner).partial_fit(X[:n], y[:n], classes=SIGNS)
    assert_allclose(before.decision_function(X[[n]]), decisions[n], atol=1e-12)
    assert decisions[0] == 0.0
    assert len(set(decisions)) > LONG / 2


def test_looking_in_between_changes_nothing():
    X, y = stream()
    watched, alone = ASCW(**SMALL, last_batch="merge"), ASCW(**SMALL, last_batch="merge")
    for a, b in pairwise([0, 15, 37, 80, 110]):
        watched.partial_fit(X[a:b], y[a:b], classes=SIGNS)
        assert watched.coef_.shape == (1, 12)
    assert_array_equal(watched.coef_, alone.fit(X, y).coef_)


def test_a_batch_is_predicted_before_it_is_learned():
    X, y = stream()
    decisions = ASCW(**SMALL).progress(X, y, classes=SIGNS)
    assert_array_equal(decisions[:20], np.zeros(20))
    before = ASCW(**SMALL).fit(X[:80], y[:80])
    assert_allclose(decisions[80:100], before.decision_function(X[80:100]))


@pytest.mark.parametrize("last_batch", ["keep", "drop", "merge"])
def test_fewer_rows_than_a_batch_are_a_batch(last_batch):
    X, y = stream(30)
    short = ASCW(batch=256, keep=5, last_batch=last_batch).fit(X, y)
    assert_array_equal(short.coef_, ASCW(batch=30, keep=5).fit(X, y).coef_)


def test_weights_of_unselected_features_are_reset_or_kept():
    X, y = stream()
    used = {
        unselected: ASCW(batch=10, keep=2, unselected=unselected, start="cost_weighted").fit(X, y)
        for unselected in ("reset", "keep")
    }
    assert np.count_nonzero(used["reset"].coef_) <= 2 < np.count_nonzero(used["keep"].coef_)
    assert used["reset"].uses(2) <= 2 < used["keep"].uses(2)


# The target measure


def test_the_f_measure_is_exact():
    rng = np.random.default_rng(0)
    decision, y = rng.normal(size=200).round(1), rng.choice([-1, 1], 200, p=[0.8, 0.2])
    for zero in ("majority", "minority"):
        tally = Tally("f_measure", zero)
        for rows in np.split(np.arange(200), [30, 31, 150]):
            tally.add(decision[rows], y[rows])
        positive = decision >= 0 if zero == "minority" else decision > 0
        expected = measures.f_measure(y, np.where(positive, 1, -1))
        assert tally.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("target", "exact"), [("auc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_areas_are_those_of_a_histogram(target, exact):
    rng = np.random.default_rng(1)
    y = rng.choice([-1, 1], 500, p=[0.9, 0.1])
    decision = rng.normal(size=500) + (y > 0)
    tally = Tally(target, "majority")
    for rows in np.split(np.arange(500), [100, 101, 102]):
        tally.add(decision[rows], y[rows])
    binned = np.floor((1 + decision / (1 + np.abs(decision))) / 2 * N_BINS)
    assert tally.value == pytest.approx(exact(y, binned))
    assert tally.value == pytest.approx(exact(y, decision), abs=0.02)


@pytest.mark.parametrize("target", ["f_measure", "auc", "average_precision"])
def test_a_measure_without_a_minority_is_zero(target):
    tally = Tally(target, "majority")
    assert tally.value == 0.0
    tally.add(np.array([0.5, -1e300, 1e300]), np.array([-1, -1, -1]))
    assert tally.value == 0.0


# Bad input


def test_a_batch_without_positives_is_learned():
    X, y = stream()
    order = np.argsort(y, kind="stable")
    learner = ASCW(batch=20, keep=5, start="cost_weighted").fit(X[order], y[order])
    assert np.isfinite(learner.coef_).all()


def test_a_batch_of_zeros_selects_nothing():
    X, y = stream()
    X[40:60] = 0.0
    reset = ASCW(**SMALL).fit(X[:60], y[:60])
    kept = ASCW(**SMALL, unselected="keep").fit(X[:60], y[:60])
    assert not reset.coef_.any()
    assert_array_equal(kept.coef_, ASCW(**SMALL, unselected="keep").fit(X[:40], y[:40]).coef_)


def test_a_budget_over_all_features_is_all_of_them():
    X, y = stream()
    assert_array_equal(
        ASCW(batch=20, keep=100).fit(X, y).coef_, ASCW(batch=20, keep=12).fit(X, y).coef_
    )


@pytest.mark.parametrize("C", [1e-12, 1e12, 1e200])
def test_an_ill_conditioned_sigma_is_mended(C):
    X, y = stream()
    X = np.hstack((X, X, X * 1e-9))  # duplicates, and features of another scale
    learner = ASCW(batch=7, keep=30, C=C, unselected="keep").fit(X, y)
    assert np.isfinite(learner.coef_).all()


@pytest.mark.parametrize("C", [1e-200, 1e-12, 1e12, 1e200])
def test_an_ill_conditioned_sigma_of_rows_is_mended(C):
    X, y = stream(LONG)
    X = np.hstack((X, X, X * 1e-9))
    X[1::2], y[1::2] = X[::2], y[::2]  # every row twice
    learner = ASCW(batch=1, keep=30, K=3, C=C, unselected="keep").fit(X, y)
    assert np.isfinite(learner.coef_).all()
    assert np.abs(learner.coef_).max() < 1e3


@pytest.mark.parametrize("unselected", ["reset", "keep"])
def test_a_row_of_zeros_selects_nothing(unselected):
    X, y = stream(50)
    X[-1] = 0.0
    learner = ASCW(**SINGLE, unselected=unselected, K=2)
    before, after = clone(learner).fit(X[:-1], y[:-1]), clone(learner).fit(X, y)
    assert before.coef_.any()
    kept = unselected == "keep"
    assert_array_equal(after.coef_, before.coef_ if kept else np.zeros((1, X.shape[1])))


def test_a_panel_without_room_takes_no_more_groups(monkeypatch):
    X, y = stream(30)
    monkeypatch.setattr("imbfs.online.confidence.rows.MOST_GROUPS", 8 - PANEL)
    learner = ASCW(**SINGLE, cost=0.9, unselected="keep").fit(X, y)
    assert learner._models.best.covariance._Z.n[0] == 8
    assert np.isfinite(learner.coef_).all()


def test_rows_without_anything_are_learned():
    _, y = stream()
    assert not ASCW(batch=1).fit(csr_array((len(y), 7)), y).coef_.any()


def test_equal_features_of_a_row_tie_to_the_lower_index():
    X, y = stream(LONG, 8)
    learner = ASCW(batch=1, keep=6, unselected="keep", K=2).fit(np.hstack((X, X)), y)
    first, second = np.split(learner.coef_[0], 2)
    assert np.count_nonzero(second) and (np.abs(first) >= np.abs(second)).all()


def test_features_of_a_row_may_come_in_any_order_and_in_parts():
    """Entries 3 = 1 + 2 of feature 4 and 5 of feature 1, against the same row put in order."""
    parts = csr_array((np.array([1.0, 5.0, 2.0]), np.array([4, 1, 4]), np.array([0, 3])), (1, 6))
    X, y = stream(30, 6)
    whole = np.vstack((X, parts.toarray()))
    learner = ASCW(**SINGLE, unselected="keep", K=2).fit(X, y)
    learner.partial_fit(parts, np.array([1]))
    assert_array_equal(parts.indices, [4, 1, 4])
    again = ASCW(**SINGLE, unselected="keep", K=2).fit(whole, np.append(y, 1))
    assert_array_equal(learner.coef_, again.coef_)


def test_a_budget_over_the_features_of_a_row_is_all_of_them():
    X, y = stream(LONG)
    few, many = (ASCW(batch=1, K=2, keep=keep, unselected="keep") for keep in (12, 100))
    assert_array_equal(few.fit(X, y).coef_, many.fit(X, y).coef_)


@pytest.mark.parametrize("learner", [SBCW, ASCW])
@pytest.mark.parametrize(
    "wrong",
    [{"C": 0.0}, {"C": -1.0}, {"sigma": 0.0}, {"batch": 0}, {"r": 0}, {"loss": "log"}, {"keep": 0}],
    ids=str,
)
def test_wrong_parameters_are_refused(learner, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        learner(**wrong).fit(*stream())


@pytest.mark.parametrize(
    "wrong", [{"cost": 1.0}, {"K": 0}, {"start": "zero"}, {"target": "g_mean"}]
)
def test_wrong_parameters_of_ascw_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ASCW(**wrong).fit(*stream())


@pytest.mark.parametrize("batch", [1, 20])
def test_memory_grows_with_the_features_and_not_with_their_square(batch):
    rng = np.random.default_rng(0)
    n_features = 200_000
    columns = np.sort(rng.choice(n_features, (100, 30), replace=True), axis=1)
    X = csr_array((rng.random(3000), columns.ravel(), np.arange(0, 3001, 30)), (100, n_features))
    y = rng.choice([-1, 1], 100)
    ASCW(K=2, batch=batch, keep=10).fit(X, y)  # compiling takes memory too
    tracemalloc.start()
    ASCW(K=2, batch=batch, keep=10).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * n_features


@parametrize_with_checks(
    [SBCW(), ASCW(), ASCW(batch=3, K=2, last_batch="merge", r=1), ASCW(batch=1, unselected="keep")]
)
def test_scikit_learn_accepts_them_as_classifiers(estimator, check):
    check(estimator)
