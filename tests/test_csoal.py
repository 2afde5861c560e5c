"""Cost-sensitive online active learning: against a slow version, by hand, its laws."""

import pickle
from itertools import pairwise

import numpy as np
import oracles as oracle
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from imbfs.online import CSOAL, PA
from imbfs.running.pipeline.part import judged, scored

SIGNS = np.array([-1, 1])
LEARNERS = [
    CSOAL(),
    CSOAL(query=0.3, delta=0.2, C=3.0, seed=5),
    CSOAL(query=1.0, delta=0.1),
    CSOAL(query=1.0, loss="two", C=0.2, seed=2),
    CSOAL(query=0.5, rho=3.0, C=9.0),
    CSOAL(query=0.5, rho=3.0, loss="two"),
]


def stream(n_samples=400, n_features=12, seed=0):
    """A sparse, imbalanced, noisy stream with a few rows of zeros."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.4)
    X[rng.random(n_samples) < 0.05] = 0.0
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n_samples) > 0.9, 1, -1)
    return X, y


def by_oracle(learner, X, y):
    params = {k: getattr(learner, k) for k in ("query", "delta", "C", "loss", "rho")}
    rng = np.random.default_rng([learner.seed, 0])
    return oracle.csoal(X.tolist(), y.tolist(), rng=rng, **params)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_weights_follow_the_slow_version_after_every_round(learner, layout):
    X, y = stream()
    learner = clone(learner)
    expected = by_oracle(learner, X, y)
    for i in range(60):
        learner.partial_fit(layout(X[[i]]), y[[i]], classes=SIGNS)
        assert_allclose(learner.coef_, [expected[i][0]], atol=1e-12)
        assert learner.n_queried_ == expected[i][1]
    learner.partial_fit(layout(X[60:]), y[60:])
    assert_allclose(learner.coef_, [expected[-1][0]], atol=1e-12)
    assert learner.n_queried_ == expected[-1][1]


# row          1        2        3        4        5
HAND_X = [[1, 0], [0, 1], [1, 1], [0, 2], [1, 0]]
HAND_Y = [-1, -1, +1, -1, +1]
HAND = {
    # A delta so large that every label is asked for: PA-I, and of the minority a margin of rho.
    # Row 3: 3 of the majority, 2 of the minority, loss 3/2 + 2, over |x|^2 = 2 more than C = 1.
    # Row 4: loss 1, over 4. Row 5: rho = 4/3, loss 4/3, capped at 1.
    CSOAL(query=1.0, delta=1e300): [[-1, 0], [-1, -1], [0, 0], [0, -0.5], [1, -0.5]],
    # Row 3: 7/4. Row 4: f = 3/2, loss 5/2, over 4, times x_2 = 2. Row 5: margin 3/4 of rho = 4/3.
    CSOAL(query=1.0, delta=1e300, C=9.0): [
        [-1, 0],
        [-1, -1],
        [0.75, 0.75],
        [0.75, -0.5],
        [4 / 3, -0.5],
    ],
    # The loss is PA's, and the cap 3/2 C in row 3: loss 3, over 2, is just that. Row 4: f = 1,
    # loss 2, over 4. Row 5: margin 1/2.
    CSOAL(query=1.0, delta=1e300, loss="two"): [
        [-1, 0],
        [-1, -1],
        [0.5, 0.5],
        [0.5, -0.5],
        [1, -0.5],
    ],
    # A fifth of the rows, rounded up: the first one only.
    CSOAL(query=0.2, delta=1e300): [[-1, 0]] * 5,
    # Two fifths: rows 1, 3 (3 > 2.5) and no more. Row 3: 2 and 2 counted, rho = 1, loss 2 over 2.
    CSOAL(query=0.4, delta=1e300): [[-1, 0], [-1, 0], [0, 1], [0, 1], [0, 1]],
}


@pytest.mark.parametrize("learner", HAND, ids=str)
def test_the_first_five_updates_are_those_worked_out_by_hand(learner):
    expected, learner = HAND[learner], clone(learner)
    for x, label, w in zip(HAND_X, HAND_Y, expected, strict=True):
        learner.partial_fit([x], [label], classes=SIGNS)
        assert_allclose(learner.coef_, [w], atol=1e-14)


def test_with_equal_costs_and_every_label_it_is_pa():
    X, y = stream()
    learner = CSOAL(query=1.0, delta=1e300, rho=1.0, C=0.3).fit(X, y)
    assert_allclose(learner.coef_, PA(C=0.3).fit(X, y).coef_, atol=1e-12)
    assert learner.n_queried_ == 400


@pytest.mark.parametrize("query", [0.01, 0.1, 0.37, 1.0])
def test_it_never_asks_for_more_than_its_share(query):
    X, y = stream()
    learner = CSOAL(query=query, delta=1e300)
    for i in range(400):
        learner.partial_fit(X[[i]], y[[i]], classes=SIGNS)
        assert learner.n_queried_ == int(np.ceil(query * (i + 1)))


def test_labels_are_asked_for_as_often_as_delta_says():
    # rho = 1 and C = 1 take w to 1 with the first row, asked for since f = 0, and leave it there:
    # later decisions are 1, and one label in 1 + 1 / delta = 4 is asked for. 3,000 draws have a
    # standard deviation of 0.8 %.
    X, y = np.ones((3001, 1)), np.ones(3001)
    learner = CSOAL(query=1.0, delta=1 / 3, rho=1.0).partial_fit(X, y, classes=SIGNS)
    assert learner.coef_ == [[1.0]]
    assert abs(learner.n_queried_ - 1 - 750) < 3000 * 0.032


def test_a_label_not_asked_for_changes_nothing():
    X, y = stream()
    learner = CSOAL(query=0.1, seed=3)
    asked, before = np.zeros(400, bool), 0
    for i in range(400):
        learner.partial_fit(X[[i]], y[[i]], classes=SIGNS)
        asked[i], before = learner.n_queried_ > before, learner.n_queried_
    assert asked.sum() == 40
    other = clone(learner).fit(X, np.where(asked, y, -y))
    assert_array_equal(other.coef_, learner.coef_)
    assert not np.array_equal(clone(learner).fit(X, -y).coef_, learner.coef_)


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_chunks_give_the_same_weights_bit_for_bit(learner, layout):
    X, y = stream()
    X = layout(X)
    chunked, whole = clone(learner), clone(learner)
    seen = whole.progress(X, y, classes=SIGNS)
    parts = [
        chunked.progress(X[start:stop], y[start:stop], classes=SIGNS)
        for start, stop in pairwise([0, 1, 4, *range(11, 400, 37), 400])
    ]
    assert_array_equal(np.concatenate(parts), seen)
    assert_array_equal(chunked.coef_, whole.coef_)
    assert_array_equal(chunked._state, whole._state)


def test_a_pickled_learner_goes_on_bit_for_bit():
    X, y = stream()
    learner = CSOAL(query=0.4, delta=0.1).partial_fit(X[:100], y[:100], classes=SIGNS)
    restored = pickle.loads(pickle.dumps(learner)).partial_fit(X[100:], y[100:])
    assert_array_equal(restored.coef_, learner.partial_fit(X[100:], y[100:]).coef_)


def test_the_seed_decides_which_labels_are_asked_for():
    X, y = stream()
    one, same, other = (CSOAL(query=1.0, delta=0.1, seed=s).fit(X, y).coef_ for s in (0, 0, 1))
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_without_a_budget_it_predicts_with_all_its_features():
    X, y = stream()
    free, bound = (CSOAL(query=0.5, budget=b, keep=3).fit(X, y) for b in ("none", "final"))
    assert_array_equal(free.scores_, bound.scores_)
    assert np.count_nonzero(free.coef_) == free.uses(3) == 12
    assert np.count_nonzero(bound.coef_) == bound.uses(3) == 3
    assert not free.bounded and bound.bounded and not free.keeps


def test_a_cut_never_leaks_into_learning():
    X, y = stream()
    learner = CSOAL(query=0.5, budget="final").partial_fit(X[:100], y[:100], classes=SIGNS)
    cut = learner.cut(3)
    assert np.count_nonzero(cut.coef_) == 3
    cut.partial_fit(X[100:], y[100:])
    expected = CSOAL(query=0.5, budget="final").fit(X, y).coef_
    assert_array_equal(learner.partial_fit(X[100:], y[100:]).coef_, expected)


def test_more_classes_are_learned_one_against_the_rest():
    X, _ = stream()
    y = np.random.default_rng(1).integers(3, size=len(X))
    learner = CSOAL(query=0.3, delta=1e300).fit(X, y)
    for k in range(3):
        alone = clone(learner).fit(X, np.where(y == k, 1, -1))
        assert_array_equal(learner.coef_[k], alone.coef_[0])
    assert learner.n_queried_ == 3 * 120


def test_rows_of_zeros_are_counted_and_change_nothing():
    X, y = stream()
    learner = CSOAL(query=1.0).fit(X, y)
    before = learner.coef_
    learner.partial_fit(np.zeros((7, 12)), [1, -1, 1, -1, 1, 1, 1])
    assert_array_equal(learner.coef_, before)
    assert learner.n_seen_ == 407
    assert learner.n_empty_ == np.count_nonzero(~X.any(axis=1)) + 7


def test_a_stream_without_the_minority_is_learned():
    X = np.abs(stream()[0])
    learner = CSOAL(query=1.0).partial_fit(X, np.full(400, -1), classes=SIGNS)
    assert (learner.coef_ < 0).any() and (learner.predict(X) == -1).all()


def test_the_pipeline_counts_all_features_used():
    X, y = stream()
    learner = scored("csoal", {"query": 0.5}, X, y, seed=0)[1]
    assert judged(learner, 3, np.zeros(2))["used"] == 12


@pytest.mark.parametrize(
    "wrong",
    [{"query": 0.0}, {"query": 1.5}, {"delta": 0.0}, {"C": 0.0}, {"C": -1.0}, {"rho": 0.0}]
    + [{"rho": "full"}, {"loss": "three"}, {"budget": "always"}, {"zero": "both"}, {"keep": 0}],
    ids=str,
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CSOAL(**wrong).fit(*stream())


# No check is exempted.
@parametrize_with_checks([CSOAL(), CSOAL(query=1.0, loss="two", budget="final", keep=3)])
def test_scikit_learn_accepts_it_as_a_classifier(estimator, check):
    check(estimator)
