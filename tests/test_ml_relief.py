"""ReliefF of labels."""

import numpy as np
import oracles
import pytest
from scipy.sparse import csr_array, random_array

from imbfs.selectors.multilabel.relief import ml_relieff
from imbfs.selectors.neighbours import relief as module
from imbfs.selectors.neighbours.relief import relieff

every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def labelled(n_samples, shares, seed=0):
    return (np.random.default_rng(seed).random((n_samples, len(shares))) < shares).astype(int)


def counts(n_samples, n_features):
    """Counts with many ties and many zeros."""
    rng = np.random.default_rng(2)
    stored = rng.random((n_samples, n_features)) < 0.3
    return rng.integers(0, 4, size=stored.shape) * stored.astype(float)


@every_container
@pytest.mark.parametrize("neighbours", [1, 3, 10])
@pytest.mark.parametrize(
    "shares", [(0.5, 0.3, 0.1), (1.0, 0.4, 0.0, 0.2), (0.2,) * 4, (0.9, 0.8), (0.4,)]
)
def test_scores_follow_the_algorithm(container, shares, neighbours):
    y = labelled(18, shares)
    X = oracles.awkward(y[:, 0], seed=1)[:, ::4]
    expected = oracles.ml_relieff(X.tolist(), y.tolist(), neighbours)
    scores = ml_relieff(container(X), y, neighbours=neighbours)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-14)


@every_container
def test_counts_with_ties_follow_the_algorithm(container):
    y = labelled(20, (0.4, 0.4, 0.2))
    X = counts(20, 12)
    X[3] = X[7] = X[11]
    expected = oracles.ml_relieff(X.tolist(), y.tolist(), 3)
    np.testing.assert_allclose(ml_relieff(container(X), y, neighbours=3), expected, atol=1e-14)


@every_container
@pytest.mark.parametrize("given", [{}, {"neighbours": 3}, {"samples": 40, "seed": 4}], ids=str)
@pytest.mark.parametrize("sizes", [(90, 30, 7, 1), (40, 60), (1, 1, 1)])
def test_with_one_label_a_sample_it_is_relieff(container, given, sizes):
    rng = np.random.default_rng(0)
    classes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = np.column_stack([rng.normal(size=(len(classes), 9)), counts(len(classes), 9)])
    y = np.eye(len(sizes), dtype=int)[classes]
    expected = relieff(X, classes, **given)
    np.testing.assert_allclose(
        ml_relieff(container(X), y, **given), expected, rtol=1e-12, atol=1e-15
    )


def test_it_by_hand():
    # Range 4. a has 0 and 1, both labels 2, b 4, none 3. P = 3/5 of a, 2/5 of b; 2/5 / (1 - 3/5)
    # and 3/5 / (1 - 2/5) are 1. Of 0: miss 4, hit 1 (2 is ambiguous): 4/4 - 1/4. Of 1: miss 4, hit
    # 0: 3/4 - 1/4. Of 4: misses 1 and 0, 3.5/4 in the mean, no hit. 2 has no label to miss; 3 is
    # not there. The mean is over the four that have a label.
    X = np.array([[0.0], [1.0], [2.0], [4.0], [3.0]])
    y = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    expected = (3 / 4 + 2 / 4 + 3.5 / 4) / 4
    np.testing.assert_allclose(ml_relieff(X, y), [expected], rtol=1e-14)


def test_pairs_of_labels_are_weighted_by_how_often_the_other_is_given():
    # Range 4. P = 2/4, 1/4, 1/4. Of 0 and 1 in a: misses 3 and 4 weigh 1/2 each, the hit 1 in all.
    # Of 3: a, 2.5/4 in the mean, weighs 1/2 / (3/4) = 2/3, and 4 the rest; of 4 alike.
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.eye(3, dtype=int)[[0, 0, 1, 2]]
    of_a = (3 / 4 + 4 / 4) / 2 + (2 / 4 + 3 / 4) / 2 - 2 * 1 / 4
    of_others = 2 / 3 * (2.5 + 3.5) / 4 + 2 * 1 / 3 * 1 / 4
    np.testing.assert_allclose(ml_relieff(X, y), [(of_a + of_others) / 4], rtol=1e-14)


@every_container
def test_a_label_that_includes_another_is_not_told_from_it(container):
    # Whatever has b has a: there is no miss of a pair of them.
    y = labelled(30, (0.5, 0.5))
    y[:, 0] = 1
    np.testing.assert_array_equal(ml_relieff(container(counts(30, 5)), y), np.zeros(5))


@every_container
def test_without_pairs_of_labels_every_feature_scores_0(container):
    X = counts(30, 5)
    for shares in ((0.5,), (0.0, 0.0), (1.0, 1.0), (0.0, 0.6)):
        np.testing.assert_array_equal(ml_relieff(container(X), labelled(30, shares)), np.zeros(5))


@every_container
def test_labels_without_a_sample_and_samples_without_a_label_change_nothing(container):
    y = labelled(40, (0.3, 0.0, 0.3, 0.2))
    X = counts(40, 12)
    X[0], X[1] = 0.0, 3.0  # the ranges are those of all samples
    y[:2] = [[1, 0, 0, 0], [0, 0, 1, 0]]
    some = y.any(axis=1)
    expected = ml_relieff(X[some], y[some][:, [0, 2, 3]])
    np.testing.assert_allclose(ml_relieff(container(X), y), expected, rtol=1e-12, atol=1e-15)


def test_the_feature_that_tells_labels_apart_scores_highest():
    y = labelled(200, (0.5, 0.3, 0.4))
    X = np.random.default_rng(1).normal(size=(200, 12))
    X[:, [2, 5, 7]] += 2.5 * y
    assert set(np.argsort(-ml_relieff(X, y))[:3]) == {2, 5, 7}


def test_dense_and_sparse_data_score_the_same_to_the_bit():
    y = labelled(200, (0.5, 0.3, 0.1, 0.05))
    for X in (counts(200, 90), counts(200, 90) + 0.5):
        np.testing.assert_array_equal(ml_relieff(csr_array(X), y), ml_relieff(X, y))


@every_container
def test_permuting_columns_permutes_scores_though_distances_tie(container):
    y = labelled(200, (0.5, 0.3, 0.1, 0.05))
    X = counts(200, 90)
    order = np.random.default_rng(0).permutation(90)
    expected = ml_relieff(container(X), y)[order]
    np.testing.assert_array_equal(ml_relieff(container(X[:, order]), y), expected)


def test_blocks_do_not_show(monkeypatch):
    y = labelled(38, (0.5, 0.3, 0.1))
    X = np.random.default_rng(3).normal(size=(38, 1100))
    whole = ml_relieff(X, y)
    for block, together in ((1, 32), (38 * 5, 32), (2**22, 7)):
        monkeypatch.setattr(module, "BLOCK", block)
        monkeypatch.setattr(module, "TOGETHER", together)
        np.testing.assert_array_equal(ml_relieff(X, y), whole)


def test_the_seed_decides_which_samples_are_drawn():
    y = labelled(60, (0.5, 0.3, 0.1))
    X = np.random.default_rng(3).normal(size=(60, 20))
    some = ml_relieff(X, y, samples=10, seed=1)
    np.testing.assert_array_equal(ml_relieff(X, y, samples=10, seed=1), some)
    assert (ml_relieff(X, y, samples=10, seed=2) != some).any()
    np.testing.assert_array_equal(ml_relieff(X, y, samples=60, seed=2), ml_relieff(X, y))


def test_more_neighbours_than_samples_are_all_of_them():
    y = labelled(30, (0.5, 0.3, 0.1))
    X = np.random.default_rng(3).normal(size=(30, 5))
    expected = ml_relieff(X, y, neighbours=30)
    np.testing.assert_array_equal(ml_relieff(X, y, neighbours=10**12), expected)


def test_a_sparse_matrix_too_large_to_be_dense_is_scored():
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = labelled(200_000, (0.01, 0.5))
    assert not np.isnan(ml_relieff(X, y, samples=5)).any()
