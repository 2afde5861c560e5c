import importlib

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array
from scipy.stats import mannwhitneyu

from imbfs.selectors.fast import fast

every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


def exact_auc(X, y):
    area = mannwhitneyu(X[y > 0], X[y < 0]).statistic / (np.sum(y > 0) * np.sum(y < 0))
    return np.maximum(area, 1 - area)


@every_container
@pytest.mark.parametrize("K", [1, 2, 3, 7, 10, 40])
@pytest.mark.parametrize("minority, majority", [(6, 25), (1, 12), (1, 1), (9, 9), (13, 70)])
def test_scores_are_those_of_the_algorithm_to_the_bit(container, K, minority, majority):
    y = binary(minority, majority)
    X = oracles.awkward(y, seed=K)
    scores = fast(container(X), y, K=K)
    expected = [oracles.fast(column, y.tolist(), K) for column in X.T.tolist()]
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, expected)


def test_fast_by_hand():
    # Bins (1 2) (3 4) (5 9), thresholds 1.5, 3.5, 7. At or above them lie 3 of the minority 2, 5, 9
    # and 2 of the majority 1, 3, 4; then 2 and 1; then 1 and 0. Area, by thirds of the majority:
    # (1/3 + 2/3)/2 * 1/3 + (2/3 + 1)/2 * 1/3 + 1/3 = 1/6 + 5/18 + 1/3 = 7/9.
    X = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 9.0]]).T
    y = np.array([-1, 1, -1, -1, 1, 1])
    assert fast(X, y, K=3) == [7 / 9]
    assert fast(X, -y, K=3) == [7 / 9]


def test_an_edge_at_a_half_goes_up():
    # Five values in two bins, round(2.5) = 3: thresholds 2 and 4.5, which 2 of 2 and 2 of 3 reach,
    # then 1 and 0: (1/2 + 1)/2 * 2/3 + 1/3 = 5/6. With the edge at 2 the area would be 1.
    X = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]).T
    y = np.array([-1, -1, -1, 1, 1])
    assert fast(X, y, K=2) == [5 / 6]


@every_container
def test_a_bin_for_every_sample_gives_the_exact_area(container):
    y = binary(11, 30)
    X = oracles.awkward(y, seed=1)
    np.testing.assert_allclose(fast(container(X), y, K=len(y)), exact_auc(X, y), rtol=1e-14)


@every_container
def test_more_bins_than_samples_change_nothing(container):
    y = binary(4, 9)
    X = oracles.awkward(y, seed=2)
    np.testing.assert_array_equal(fast(container(X), y, K=1000), fast(container(X), y, K=13))


@every_container
def test_two_values_need_no_more_than_one_threshold(container):
    y = binary(20, 80)
    X = (np.random.default_rng(0).random((100, 30)) < 0.2) * 1.7
    np.testing.assert_allclose(fast(container(X), y), exact_auc(X, y), rtol=1e-14)


def test_ten_bins_come_close_to_the_exact_area():
    # The thesis: within 0.02 for over 99% of the features, within 0.005 for over 50%.
    y = binary(91, 162)
    X = (
        np.random.default_rng(4).normal(size=(253, 1000))
        + np.linspace(0, 2, 1000) * (y > 0)[:, None]
    )
    error = np.abs(fast(X, y) - exact_auc(X, y))
    assert np.mean(error < 0.02) > 0.99
    assert np.mean(error < 0.005) > 0.5


@every_container
@pytest.mark.parametrize("value", [0.1, -1 / 3, 7e8 / 3, 0.0])
def test_a_constant_feature_scores_one_half(container, value):
    np.testing.assert_array_equal(fast(container(np.full((101, 1), value)), binary(11, 90)), [0.5])


@every_container
def test_the_label_and_its_opposite_score_1(container):
    y = binary(7, 40)
    X = np.outer(np.where(y > 0, 0.3, 0.1), [1, -1])
    np.testing.assert_array_equal(fast(container(X), y, K=7), [1, 1])


def test_equal_values_reach_their_own_mean():
    # In floats, three times 0.1 over 3 is above 0.1: no value of the second bin would reach it, and
    # the two upper bins would make one step. The exact area: (3 + 2/2 + 2 * (5 + 1/2)) / 18.
    X = np.array([[0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2]]).T
    y = np.array([-1, -1, -1, 1, -1, -1, 1, 1, -1])
    assert fast(X, y, K=3) == [15 / 18]


@every_container
def test_permuting_columns_permutes_scores(container):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_array_equal(fast(container(X[:, order]), y), fast(container(X), y)[order])


def test_blocks_of_columns_do_not_show(monkeypatch):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    whole = fast(X, y)
    module = importlib.import_module("imbfs.selectors.fast")
    for block in (1, 31 * 4, 31 * 13 + 5):
        monkeypatch.setattr(module, "BLOCK", block)
        np.testing.assert_array_equal(fast(X, y), whole)


@every_container
def test_nothing_is_written_into_the_data(container):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(fast(X, y)).any()


@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float32])
def test_other_types_of_numbers_score_as_floats(kind):
    y = binary(6, 25)
    X = np.random.default_rng(1).integers(0, 3, size=(31, 10)).astype(kind)
    expected = fast(X.astype(float), y)
    np.testing.assert_array_equal(fast(X, y.astype(np.int8)), expected)
    np.testing.assert_array_equal(fast(csr_array(X), y.astype(float)), expected)
    np.testing.assert_array_equal(fast(np.asfortranarray(X), y), expected)


def test_stored_zeros_change_nothing():
    y = binary(6, 25)
    X = oracles.awkward(y, seed=7)
    rows, columns = np.indices(X.shape).reshape(2, -1)
    stored = csr_array((X.ravel(), (rows, columns)), shape=X.shape)
    np.testing.assert_array_equal(fast(stored, y), fast(X, y))


def test_sparse_columns_score_as_sparse_rows_and_are_left_unsorted():
    y = binary(6, 25)
    X = oracles.awkward(y, seed=8)
    columns = csc_array(X)
    np.testing.assert_array_equal(fast(columns, y), fast(X, y))
    np.testing.assert_array_equal(columns.toarray(), X)


def test_decimals_tie_alike_in_dense_and_sparse_data():
    y = binary(20, 180)
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(200, 200)), 1) * (rng.random((200, 200)) < 0.4)
    np.testing.assert_array_equal(fast(csr_array(X), y), fast(X, y))


def test_a_sparse_matrix_too_large_to_be_dense_is_scored():
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    scores = fast(X, y)
    assert 0.5 <= scores.min() and scores.max() <= 1
