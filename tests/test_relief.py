from functools import partial

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array

from imbfs.selectors.neighbours import relief as module
from imbfs.selectors.neighbours.relief import relief, relieff

SCORES = {
    "relief": (relief, partial(oracles.relieff, neighbours=1, squared=True)),
    "relieff": (relieff, oracles.relieff),
    "relieff 3": (partial(relieff, neighbours=3), partial(oracles.relieff, neighbours=3)),
}
every_score = pytest.mark.parametrize("score, oracle", SCORES.values(), ids=SCORES)
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


def text(n_samples, n_features):
    """Counts with many ties and many zeros."""
    rng = np.random.default_rng(2)
    return rng.integers(0, 4, size=(n_samples, n_features)) * (
        rng.random((n_samples, n_features)) < 0.3
    ).astype(float)


@every_score
@every_container
@pytest.mark.parametrize("minority, majority", [(6, 12), (1, 9), (1, 1), (12, 12)])
def test_scores_follow_the_algorithm(score, oracle, container, minority, majority):
    y = binary(minority, majority)
    X = oracles.awkward(y, seed=minority)[:, ::2]
    scores = score(container(X), y)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, oracle(X.tolist(), y.tolist()), rtol=1e-10, atol=1e-14)


@every_container
def test_relieff_weighs_the_misses_of_several_classes(container):
    y = np.random.default_rng(6).permutation([0] * 14 + [1] * 5 + [2] * 3)
    X = oracles.awkward(y, seed=1)[:, ::2]
    expected = oracles.relieff(X.tolist(), y.tolist(), neighbours=4)
    np.testing.assert_allclose(relieff(container(X), y, neighbours=4), expected, atol=1e-14)


@every_score
@every_container
def test_counts_with_ties_follow_the_algorithm(score, oracle, container):
    y = binary(5, 15)
    X = text(20, 12)
    X[3] = X[7] = X[11]
    expected = oracle(X.tolist(), y.tolist())
    np.testing.assert_allclose(score(container(X), y), expected, rtol=1e-10, atol=1e-14)


def test_relief_by_hand():
    # Ranges 10 and 2. By squares, the miss of (0, 0) is (9, 0), .81 away, not (10, 2), 2 away; that
    # of (1, 2) is (10, 2), of (9, 0) (0, 0), of (10, 2) (1, 2); hits are the other of the class.
    # Feature 1: misses .9 each, hits .1 each. Feature 2: misses 0, hits 1.
    X = np.array([[0.0, 0.0], [1.0, 2.0], [9.0, 0.0], [10.0, 2.0]])
    y = np.array([-1, -1, 1, 1])
    np.testing.assert_allclose(relief(X, y), [0.8, -1.0], rtol=1e-14)


def test_relief_goes_by_squares_and_relieff_does_not():
    # Of (0, 0), the misses (0.7, 0.7) and (0, 1) are .98 and 1 away by squares, 1.4 and 1 by
    # differences. Ranges are 1; the majority has no hit, and the hits of the minority are the same.
    X = np.array([[0.0, 0.0], [0.7, 0.7], [0.0, 1.0], [1.0, 0.0]])
    y = np.array([-1, 1, 1, 1])
    difference = relief(X, y) - relieff(X, y, neighbours=1)
    np.testing.assert_allclose(difference[:1], [0.7 / 4], rtol=1e-14)


def test_relieff_by_hand():
    # Range 4. The hits of 0 and 1 are each other, 1/4 away; 3 and 4, alone in a class, have none.
    # Misses, with P = 1/2, 1/4, 1/4: of 0, (3/4 + 4/4)/2 = 7/8; of 1, (2/4 + 3/4)/2 = 5/8; of 3,
    # 5/8 from class 0 times (1/2)/(3/4) and 1/4 times 1/3: 1/2; of 4, 7/8 and 1/4: 2/3.
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    y = np.array([0, 0, 1, 2])
    expected = (7 / 8 + 5 / 8 + 1 / 2 + 2 / 3 - 2 / 4) / 4
    np.testing.assert_allclose(relieff(X, y), [expected], rtol=1e-14)


@every_container
def test_relieff_weighs_misses_by_unequal_priors_by_hand(container):
    # Classes of 3, 2 and 1 samples, range 10, nearest neighbour; shares 1/2, 1/3, 1/6. Misses in
    # class 0 weigh 3/4 for class 1 and 3/5 for class 2, those in 1 2/3 for 0 and 2/5 for 2, those
    # in 2 1/3 for 0 and 1/4 for 1. In tenths:
    #  0: hit 1, misses 4 and 10:  2/3 * 4 + 1/3 * 10 - 1 = 5
    #  1: hit 1, misses 3 and 9:   2/3 * 3 + 1/3 * 9 - 1 = 4
    #  2: hit 1, misses 2 and 8:   2/3 * 2 + 1/3 * 8 - 1 = 3
    #  4: hit 2, misses 2 and 6:   3/4 * 2 + 1/4 * 6 - 2 = 1
    #  6: hit 2, misses 4 and 4:   3/4 * 4 + 1/4 * 4 - 2 = 2
    # 10: no hit, misses 8 and 4:  3/5 * 8 + 2/5 * 4 = 6.4
    X = np.array([[0.0, 1, 2, 4, 6, 10]]).T
    y = np.array([0, 0, 0, 1, 1, 2])
    expected = (5 + 4 + 3 + 1 + 2 + 6.4) / 10 / 6
    np.testing.assert_allclose(relieff(container(X), y, neighbours=1), [expected], rtol=1e-14)


@every_score
@every_container
@pytest.mark.parametrize("value", [0.1, -7e8 / 3, 0.0])
def test_a_constant_feature_scores_exactly_0(score, oracle, container, value):
    y = binary(6, 25)
    X = np.column_stack([np.full(31, value), np.random.default_rng(0).normal(size=(31, 3)), y])
    scores = score(container(X), y)
    assert scores[0] == 0 and scores[4] == max(scores) > 0


@every_score
def test_dense_and_sparse_data_score_the_same_to_the_bit(score, oracle):
    y = binary(40, 160)
    X = text(200, 90)
    np.testing.assert_array_equal(score(csr_array(X), y), score(X, y))
    np.testing.assert_array_equal(score(csr_array(X + 0.5), y), score(X + 0.5, y))


@every_score
@every_container
def test_permuting_columns_permutes_scores_though_distances_tie(score, oracle, container):
    y = binary(40, 160)
    X = text(200, 90)
    order = np.random.default_rng(0).permutation(90)
    np.testing.assert_array_equal(score(container(X[:, order]), y), score(container(X), y)[order])


@every_score
@every_container
def test_neither_units_nor_offsets_matter(score, oracle, container):
    y = binary(8, 30)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(38, 20))
    moved = X * 10.0 ** rng.integers(-5, 6, size=20) + rng.integers(-9, 9, size=20)
    np.testing.assert_allclose(score(container(moved), y), score(X, y), rtol=1e-6, atol=1e-9)


@every_score
def test_blocks_do_not_show(score, oracle, monkeypatch):
    y = binary(8, 30)
    X = np.random.default_rng(3).normal(size=(38, 1100))
    whole = score(X, y)
    for block, together in ((1, 32), (38 * 5, 32), (2**22, 7)):
        monkeypatch.setattr(module, "BLOCK", block)
        monkeypatch.setattr(module, "TOGETHER", together)
        np.testing.assert_array_equal(score(X, y), whole)


@every_score
def test_the_seed_decides_which_samples_are_drawn(score, oracle):
    y = binary(8, 30)
    X = np.random.default_rng(3).normal(size=(38, 20))
    some = score(X, y, samples=10, seed=1)
    np.testing.assert_array_equal(score(X, y, samples=10, seed=1), some)
    assert (score(X, y, samples=10, seed=2) != some).any()
    np.testing.assert_array_equal(score(X, y, samples=38, seed=2), score(X, y))


@every_score
def test_all_samples_are_the_mean_of_each_alone(score, oracle):
    y = binary(3, 5)
    X = np.random.default_rng(3).normal(size=(8, 4))
    alone = {}
    for seed in range(100):
        drawn = int(np.random.default_rng(seed).choice(8, 1, replace=False)[0])
        alone[drawn] = score(X, y, samples=1, seed=seed)
    assert len(alone) == 8
    np.testing.assert_allclose(np.mean(list(alone.values()), axis=0), score(X, y), rtol=1e-12)


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
    np.testing.assert_array_equal(score(csc_array(X), y), expected)


@every_score
def test_a_sparse_matrix_too_large_to_be_dense_is_scored(score, oracle):
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    assert not np.isnan(score(X, y, samples=5)).any()
