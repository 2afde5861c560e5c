"""ITFR against plain Python and hand."""

from itertools import combinations

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array

from imbfs.selectors import SELECTORS
from imbfs.selectors.binned.bins import mi
from imbfs.selectors.multilabel.information import itfr

every_cut = pytest.mark.parametrize("cut", ["width", "frequency"])
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def indicator(n_samples, n_labels, seed=0):
    """Labels of all frequencies, some together, one that nobody has and one that all have."""
    rng = np.random.default_rng(seed)
    Y = rng.random((n_samples, n_labels)) < rng.random(n_labels)
    Y[:, 1] = Y[:, 0] | Y[:, 1]
    Y[:, -2:] = [False, True]
    return Y.astype(np.int64)


def features(Y):
    awkward = oracles.awkward(2 * Y[:, 0] - 1, seed=1)[:, ::3]
    return np.hstack([awkward, Y[:, :3], Y[:, :1] ^ Y[:, 2:3]]).astype(float)


def same(scores, expected):
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-12)


@every_cut
@every_container
@pytest.mark.parametrize("labels", [1, 2, 4, 50])
@pytest.mark.parametrize("bins", [2, 6, 10_000])
def test_scores_follow_the_formula(cut, container, labels, bins):
    Y = indicator(30, 6)
    X = features(Y)
    given = {"labels": labels, "bins": bins, "cut": cut}
    scores = itfr(container(X), Y, **given)
    assert scores.dtype == np.float64
    same(scores, [oracles.itfr(x, Y.T.tolist(), **given) for x in X.T.tolist()])


def test_scores_by_hand():
    # Two independent labels. Either of them tells 1 bit of itself, and the two share nothing. Of a
    # feature that is their xor neither tells anything and both tell all: I(x; l; m) = -1, score 1.
    # Both at once, four values: 1 + 1 - 0. l and m, 1 in a quarter: H(1/4) - 1/2 = 0.311278 with
    # each, 0.811278 with both: 0.622556 - (0.622556 - 0.811278).
    Y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    a, b = Y.T
    X = np.column_stack([a, a ^ b, 2 * a + b, a & b, np.full(8, 0.1)])
    np.testing.assert_allclose(itfr(X, Y), [1, 1, 2, 0.811278, 0], atol=1e-6)
    np.testing.assert_allclose(itfr(X, Y, labels=1), [1, 0, 2, 0.622556, 0], atol=1e-6)


def test_what_the_authors_program_leaves_out_is_the_same_for_all_features():
    # It takes H(x) - H(x, l) for I(x; l), and for the pairs H(x, l) + H(x, m) - H(x) - H(x, l, m).
    Y = indicator(40, 5)[:, :3]
    X = np.random.default_rng(0).integers(0, 2, size=(40, 12))
    H, labels = oracles.joint_bits, Y.T.tolist()
    shown = []
    for x in X.T.tolist():
        score = sum(H(x) - H(x, a) for a in labels)
        for a, b in combinations(labels, 2):
            score += H(x, a) + H(x, b) - H(x) - H(x, a, b)
        shown.append(score)
    difference = itfr(X, Y) - shown
    same(difference, np.full(12, difference[0]))


def test_a_label_that_repeats_another_adds_nothing():
    # Of x = a: two equal labels tell 1 bit each and share it, 2 - 1.
    a = np.arange(8) % 2
    X = np.column_stack([a, np.arange(8) // 4])
    np.testing.assert_array_equal(itfr(X, np.column_stack([a, a])), [1, 0])


def test_two_labels_are_scored_as_the_four_classes_they_make():
    # All pairs of two labels: I(x; l) + I(x; m) - I(x; l; m) = I(x; l, m).
    Y = indicator(60, 4)[:, :2]
    X = np.random.default_rng(3).normal(size=(60, 25)) + Y[:, :1]
    same(itfr(X, Y), mi(X, 2 * Y[:, 0] + Y[:, 1]))
    same(itfr(X, Y[:, :1]), mi(X, Y[:, 0]))


def test_pairs_are_of_the_labels_with_most_entropy():
    # 2, 8 and 9 of 16 samples: the pair is that of the last two, whatever the order.
    rng = np.random.default_rng(0)
    Y = np.array([rng.permutation(np.arange(16) < count) for count in (2, 8, 9)]).T.astype(int)
    X = rng.normal(size=(16, 30))
    pair = mi(X, 2 * Y[:, 1] + Y[:, 2])
    same(itfr(X, Y, labels=2), mi(X, Y[:, 0]) + pair)
    same(itfr(X, Y[:, [2, 0, 1]], labels=2), mi(X, Y[:, 0]) + pair)


def test_every_way_to_mark_a_label_is_the_same():
    Y = indicator(40, 5)
    X = features(Y)
    for marks in (Y.astype(bool), 2 * Y - 1, Y.astype(np.uint8), Y.astype(float)):
        np.testing.assert_array_equal(itfr(X, marks), itfr(X, Y))


@every_cut
def test_dense_and_sparse_data_score_the_same_to_the_bit(cut):
    Y = indicator(80, 6)
    X = features(Y)
    for sparse in (csr_array(X), csc_array(X)):
        np.testing.assert_array_equal(itfr(sparse, Y, cut=cut), itfr(X, Y, cut=cut))


@every_container
def test_permuting_columns_permutes_scores_to_the_bit(container):
    Y = indicator(30, 6)
    X = features(Y)
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_array_equal(itfr(container(X[:, order]), Y), itfr(container(X), Y)[order])


@every_container
def test_constant_features_score_exactly_0_and_copies_the_same(container):
    Y = indicator(31, 6)
    X = np.random.default_rng(0).normal(size=(31, 5))
    X[:, 1], X[:, 2], X[:, 4] = 0.1, 0.0, X[:, 3]
    scores = itfr(container(X), Y)
    assert scores[1] == scores[2] == 0 and scores[3] == scores[4] != 0


@every_container
def test_nothing_is_written_into_the_data(container):
    Y = indicator(31, 6)
    X = container(features(Y))
    Y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(itfr(X, Y)).any()


def test_a_sparse_matrix_too_large_to_be_dense_is_scored():
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    scores = itfr(X, indicator(200_000, 5))
    assert not np.isnan(scores).any() and len(np.unique(scores)) > 1


def test_it_takes_labels_alone():
    assert SELECTORS["itfr"].kinds == ("multilabel",)
