"""Mutual information and Hellinger distance against plain Python, scikit-learn and hand."""

from functools import partial

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array
from scipy.stats import rankdata
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score
from sklearn.preprocessing import KBinsDiscretizer

from imbfs.selectors.binned import bins as module
from imbfs.selectors.binned.bins import hellinger, mi

SCORES = {"mi": (mi, oracles.mi), "hellinger": (hellinger, oracles.hellinger)}
every_score = pytest.mark.parametrize("score, oracle", SCORES.values(), ids=SCORES)
every_cut = pytest.mark.parametrize("cut", ["width", "frequency"])
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


def counts_of_words(n_samples, n_features):
    """Many zeros, and more values than bins."""
    rng = np.random.default_rng(3)
    shown = rng.random((n_samples, n_features)) < 0.4
    return rng.integers(-3, 30, size=(n_samples, n_features)) * shown.astype(float)


def by_oracle(oracle, X, y):
    return np.array([oracle(column, y.tolist()) for column in X.T.tolist()])


@every_score
@every_cut
@every_container
@pytest.mark.parametrize("bins", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("minority, majority", [(6, 25), (1, 12), (1, 1), (9, 9)])
def test_scores_follow_the_equation(score, oracle, cut, container, bins, minority, majority):
    y = binary(minority, majority)
    X = np.hstack([oracles.awkward(y, seed=bins)[:, ::2], counts_of_words(len(y), 12)])
    scores = score(container(X), y, bins=bins, cut=cut)
    assert scores.dtype == np.float64 and scores.shape == (X.shape[1],)
    expected = by_oracle(partial(oracle, bins=bins, cut=cut), X, y)
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)


@every_score
@every_cut
@every_container
def test_scores_of_more_classes_follow_the_equation(score, oracle, cut, container):
    y = np.random.default_rng(6).permutation([0] * 20 + [1] * 8 + [2] * 5 + [3])
    X = np.hstack([oracles.awkward(y, seed=1), counts_of_words(34, 12)])
    expected = by_oracle(partial(oracle, bins=6, cut=cut), X, y)
    scores = score(container(X), y, bins=6, cut=cut)
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)


def test_hellinger_leaves_out_pairs_of_one_parent():
    y = np.random.default_rng(6).permutation([0] * 20 + [1] * 8 + [2] * 5)
    X = oracles.awkward(y, seed=1)
    parents = [-1, -1, 1]
    expected = by_oracle(partial(oracles.hellinger, parents=parents), X, y)
    np.testing.assert_allclose(hellinger(X, y, parents=parents), expected, rtol=1e-10, atol=1e-12)


def test_scores_by_hand():
    # Values 1 2 3, minority in 1 once and 3 once, majority 1 1 2 2. MI: p = 1/6 (1, 3 with +1),
    # 2/6, 2/6: 1/6 log(1/6 / (3/6 2/6)) = 0; 1/6 log(6 / 2); 2/6 log(2 * 6 / (3 * 4)) = 0;
    # 2/6 log(2 * 6 / (2 * 4)). Hellinger: (sqrt 1/2 - sqrt 1/2)^2 + 1/2 + 1/2 = 1.
    X, y = np.array([[1.0, 3, 1, 1, 2, 2]]).T, np.array([1, 1, -1, -1, -1, -1])
    np.testing.assert_allclose(mi(X, y), [np.log2(3) / 6 + np.log2(1.5) / 3])
    np.testing.assert_allclose(hellinger(X, y), [1.0])


def test_equal_width_and_equal_frequency_by_hand():
    # 0 1 2 3 10 in two bins: 10 alone by width (cut 5); by rank 0 1 2 and 3 10, as round(5/2) = 3.
    X, y = np.array([[0.0, 1, 2, 3, 10]]).T, np.array([-1, -1, -1, 1, 1])
    np.testing.assert_allclose(hellinger(X, y, bins=2, cut="frequency"), [np.sqrt(2)])
    split = (1 - np.sqrt(0.5)) ** 2 + 0.5
    np.testing.assert_allclose(hellinger(X, y, bins=2), [np.sqrt(split)])


@every_cut
def test_the_same_histogram_is_at_distance_0_and_disjoint_ones_at_the_square_root_of_2(cut):
    y = np.repeat([1, -1], [30, 90])
    same = np.r_[np.arange(30.0), np.repeat(np.arange(30.0), 3)]
    X = np.column_stack([same, np.arange(120) % 3, np.arange(120) + 200.0 * (y > 0)])
    np.testing.assert_array_equal(hellinger(X, y, cut=cut)[:2], [0, 0])
    np.testing.assert_allclose(mi(X, y, cut=cut)[:2], [0, 0], atol=1e-14)
    disjoint = hellinger(X[:, 2:], y, bins=120, cut=cut)
    np.testing.assert_allclose(disjoint, [np.sqrt(2)], rtol=1e-15)
    assert disjoint[0] <= np.sqrt(2)


def test_the_size_of_a_class_does_not_enter_hellinger():
    y = binary(10, 30)
    X = np.random.default_rng(0).integers(0, 6, size=(40, 20)).astype(float)
    more = np.flatnonzero(np.r_[y, y] < 0)
    X_more, y_more = np.vstack([X, np.vstack([X, X])[more]]), np.r_[y, np.full(len(more), -1)]
    np.testing.assert_allclose(hellinger(X_more, y_more), hellinger(X, y), rtol=1e-12)
    assert np.abs(mi(X_more, y_more) - mi(X, y)).max() > 0.01


def test_mi_of_discrete_features_is_that_of_scikit_learn():
    y = np.random.default_rng(2).choice(3, size=80)
    X = np.random.default_rng(3).poisson(2.0 + y[:, None], size=(80, 25)).astype(float)
    theirs = mutual_info_classif(X, y, discrete_features=True)
    np.testing.assert_allclose(mi(X, y, bins=80) * np.log(2), theirs, rtol=1e-10, atol=1e-12)


def test_bins_of_equal_width_are_those_of_scikit_learn():
    y = binary(20, 60)
    X = np.random.default_rng(3).normal(size=(80, 25)) + 0.4 * y[:, None]
    binned = KBinsDiscretizer(7, encode="ordinal", strategy="uniform").fit_transform(X)
    expected = [mutual_info_score(y, column) for column in binned.T]
    np.testing.assert_allclose(mi(X, y, bins=7) * np.log(2), expected, rtol=1e-10)


def test_bins_of_equal_frequency_hold_as_many_and_keep_equal_values_together():
    y = binary(20, 60)
    X = np.random.default_rng(3).normal(size=(80, 1))
    even = (rankdata(X[:, 0]).astype(int) - 1) // 10
    expected = mutual_info_score(y, even)
    np.testing.assert_allclose(mi(X, y, bins=8, cut="frequency") * np.log(2), [expected])
    # Two thirds zeros and all else different: the zeros stay in one bin, the rest is told apart.
    X = np.r_[np.zeros(60), np.arange(1.0, 31.0)][:, None]
    y = np.repeat([-1, 1], [60, 30])
    np.testing.assert_allclose(hellinger(X, y, cut="frequency"), [np.sqrt(2)])
    np.testing.assert_array_equal(hellinger(csr_array(X), y, cut="frequency"), [np.sqrt(2)])


def test_an_outlier_spoils_bins_of_equal_width_and_not_those_of_equal_frequency():
    y = binary(40, 60)
    X = np.random.default_rng(0).normal(size=(100, 1)) + 3 * y[:, None]
    spoiled = np.where(np.arange(100)[:, None] == 7, 1e9, X)
    assert hellinger(X, y) > 1.3 > 0.3 > hellinger(spoiled, y)
    assert hellinger(spoiled, y, cut="frequency") > 1.2


@every_score
@every_cut
def test_values_near_the_largest_float_are_no_trouble(score, oracle, cut):
    y = binary(6, 14)
    X = np.linspace(-1, 1, 20)[:, None] * 1.7e308
    with np.errstate(over="ignore"):
        assert np.isfinite(score(X, y, bins=3, cut=cut)).all()


@every_score
@every_cut
@every_container
def test_more_bins_than_values_take_each_value_as_it_is(score, oracle, cut, container):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=2)
    exact = score(container(X), y, bins=31, cut=cut)
    np.testing.assert_array_equal(score(container(X), y, bins=10_000, cut=cut), exact)


@every_score
@every_cut
@every_container
@pytest.mark.parametrize("value", [0.1, -7e8 / 3, 0.0])
def test_a_constant_feature_scores_exactly_0(score, oracle, cut, container, value):
    X = container(np.full((1001, 2), value))
    for y in (binary(101, 900), np.arange(1001) % 7):
        np.testing.assert_array_equal(score(X, y, cut=cut), [0, 0])


@every_score
@every_cut
def test_dense_and_sparse_data_score_the_same_to_the_bit(score, oracle, cut):
    y = binary(40, 160)
    X = counts_of_words(200, 90)
    dense = score(X, y, cut=cut)
    np.testing.assert_array_equal(score(csr_array(X), y, cut=cut), dense)
    np.testing.assert_array_equal(score(csc_array(X), y, cut=cut), dense)
    stored = csr_array((X.ravel(), np.indices(X.shape).reshape(2, -1)), shape=X.shape)
    np.testing.assert_array_equal(score(stored, y, cut=cut), dense)


@every_score
@every_cut
@every_container
def test_permuting_columns_permutes_scores_to_the_bit(score, oracle, cut, container):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    order = np.random.default_rng(0).permutation(X.shape[1])
    expected = score(container(X), y, cut=cut)[order]
    np.testing.assert_array_equal(score(container(X[:, order]), y, cut=cut), expected)


@every_score
@every_container
def test_blocks_of_columns_do_not_show(score, oracle, container, monkeypatch):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    whole = score(X, y)
    for block in (1, 31 * 4, 31 * 13 + 5):
        monkeypatch.setattr(module, "BLOCK", block)
        np.testing.assert_array_equal(score(X, y), whole)


@every_score
@every_container
def test_nothing_is_written_into_the_data(score, oracle, container):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(score(X, y)).any()


@every_score
@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float32])
def test_other_types_of_numbers_score_as_floats(score, oracle, kind):
    y = binary(6, 25)
    X = np.random.default_rng(1).integers(0, 3, size=(31, 10)).astype(kind)
    expected = score(X.astype(float), y)
    np.testing.assert_array_equal(score(X, y.astype(np.int8)), expected)
    np.testing.assert_array_equal(score(csr_array(X), y.astype(float)), expected)
    np.testing.assert_array_equal(score(np.asfortranarray(X), y), expected)


@every_score
def test_a_sparse_matrix_too_large_to_be_dense_is_scored(score, oracle):
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    scores = score(X, y)
    assert not np.isnan(scores).any() and len(np.unique(scores)) > 1
