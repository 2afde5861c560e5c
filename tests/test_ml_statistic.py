"""The F-statistic of labels."""

import numpy as np
import oracles
import pytest
from scipy.sparse import csr_array
from sklearn.feature_selection import f_classif

from imbfs.selectors.multilabel.statistic import ml_f_statistic

every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def labelled(n_samples, shares, seed=0):
    return (np.random.default_rng(seed).random((n_samples, len(shares))) < shares).astype(int)


def same(scores, expected):
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-10)


@every_container
@pytest.mark.parametrize(
    "shares", [(0.5, 0.3, 0.1), (0.9, 0.9), (1.0, 0.4, 0.0, 0.2), (0.1,) * 7, (0.3,), (0.0, 0.0)]
)
def test_scores_follow_the_formula(container, shares):
    y = labelled(30, shares)
    X = oracles.awkward(y[:, 0], seed=1)
    scores = ml_f_statistic(container(X), y)
    assert scores.dtype == np.float64 and scores.shape == (X.shape[1],)
    same(scores, [oracles.ml_f_statistic(x, y.tolist()) for x in X.T.tolist()])


@every_container
def test_with_one_label_a_sample_it_is_the_f_of_an_analysis_of_variance(container):
    classes = np.random.default_rng(6).choice(4, size=60, p=[0.5, 0.3, 0.1, 0.1])
    X = np.random.default_rng(0).normal(size=(60, 30)) + 0.3 * classes[:, None]
    same(ml_f_statistic(container(X), np.eye(4, dtype=int)[classes]), f_classif(X, classes)[0])


def test_with_several_labels_a_sample_it_is_that_of_the_samples_written_out():
    y = labelled(50, (0.5, 0.3, 0.4))
    X = np.random.default_rng(0).normal(size=(50, 30)) + y[:, :1]
    rows, labels = np.nonzero(y)
    same(ml_f_statistic(X, y), f_classif(X[rows], labels)[0])


def test_it_by_hand():
    # Label a has 1, 3 and label b 3, 5, 7: means 2 and 5, and of all five 19 / 5 = 3.8.
    # S_b = 2 * 1.8^2 + 3 * 1.2^2 = 10.8, S_w = 2 + 8 = 10; N - K = 3: F = 10.8 / (10 / 3).
    # The last sample has no label.
    X = np.array([[1.0], [3.0], [5.0], [7.0], [100.0]])
    y = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 0]])
    same(ml_f_statistic(X, y), [3.24])


@every_container
def test_samples_without_a_label_and_labels_without_a_sample_count_for_nothing(container):
    y = labelled(40, (0.3, 0.0, 0.3, 0.2))
    X = np.random.default_rng(0).normal(size=(40, 6))
    some = y.any(axis=1)
    expected = ml_f_statistic(X[some], y[some][:, [0, 2, 3]])
    np.testing.assert_array_equal(ml_f_statistic(container(X), y), expected)


@every_container
def test_a_label_that_is_always_on_is_one_more_group(container):
    # All of 0, 0, 2, 2 and the last two again: means 1 and 2, of six 4/3. S_b = 4/9 + 8/9 = 4/3,
    # S_w = 4, N - K = 4.
    X, y = np.array([[0.0], [0.0], [2.0], [2.0]]), np.array([[1, 0], [1, 0], [1, 1], [1, 1]])
    same(ml_f_statistic(container(X), y), [4 / 3])


@every_container
def test_a_single_label_has_nothing_to_differ_from(container):
    X = np.random.default_rng(0).normal(size=(20, 3))
    for shares in ((0.5,), (0.0, 0.5), (1.0, 0.0), (0.0, 0.0)):
        np.testing.assert_array_equal(ml_f_statistic(container(X), labelled(20, shares)), [0, 0, 0])


@every_container
def test_labels_without_scatter_are_told_apart_for_certain_or_not_at_all(container):
    X = np.array([[0.3, 0.1, 0.1], [0.3, 0.1, 0.3], [0.1, 0.1, 0.1], [0.1, 0.1, 0.3]])
    y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_array_equal(ml_f_statistic(container(X), y), [np.inf, 0.0, 0.0])
    alone = ml_f_statistic(container(X[1:3]), y[1:3])  # one sample a label
    np.testing.assert_array_equal(alone, [np.inf, 0.0, np.inf])


@every_container
@pytest.mark.parametrize("power", [-1000, -530, 530, 1000])
def test_it_does_not_depend_on_the_scale_however_large_or_small(container, power):
    y = labelled(30, (0.5, 0.3, 0.1))
    X = np.random.default_rng(0).normal(size=(30, 5)) * (np.arange(5) > 0)
    expected = ml_f_statistic(X, y)
    same(ml_f_statistic(container(np.ldexp(X, power)), y), expected)
    some = np.ldexp(X, [0, power, 0, -power, 0])
    same(ml_f_statistic(container(some), y), expected)


@pytest.mark.parametrize("kind", [bool, np.int8, np.float64, "signs"])
def test_labels_may_be_written_in_several_ways(kind):
    y = labelled(30, (0.5, 0.3, 0.1))
    X = np.random.default_rng(0).normal(size=(30, 5))
    other = 2 * y - 1 if kind == "signs" else y.astype(kind)
    np.testing.assert_array_equal(ml_f_statistic(X, other), ml_f_statistic(X, y))


@every_container
def test_a_large_offset_cancels_nothing(container):
    y = labelled(40, (0.5, 0.3, 0.1))
    X = np.random.default_rng(2).integers(0, 9, size=(40, 20)).astype(float)
    moved = ml_f_statistic(container(X + 2.0**27), y)
    np.testing.assert_allclose(moved, ml_f_statistic(X, y), rtol=1e-5)
