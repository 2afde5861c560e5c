import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from imbfs import measures
from imbfs.selectors.curves import roc
from imbfs.selectors.curves.roc import auc, prc

every_score = pytest.mark.parametrize("score", [auc, prc])
every_reading = pytest.mark.parametrize("reading", roc.CURVES)
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])
every_size = pytest.mark.parametrize(
    "minority, majority", [(6, 25), (1, 12), (1, 1), (9, 9), (13, 70)]
)


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


@every_container
@every_size
def test_auc_counts_pairs_to_the_bit(container, minority, majority):
    y = binary(minority, majority)
    X = oracles.awkward(y, seed=minority)
    won = [oracles.auc(y.tolist(), column) for column in X.T.tolist()]
    scores = auc(container(X), y)
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, [max(area, 1 - area) for area in won], rtol=1e-15)


@every_container
@pytest.mark.parametrize("n_features", [1, 2, 7])
def test_auc_of_any_number_of_features_is_that_of_other_libraries(container, n_features):
    y = binary(20, 61)
    X = np.round(np.random.default_rng(n_features).normal(size=(81, n_features)), 1)
    area = np.array([roc_auc_score(y, column) for column in X.T])
    won = mannwhitneyu(X[y > 0], X[y < 0]).statistic / (20 * 61)
    np.testing.assert_allclose(area, won)
    np.testing.assert_allclose(auc(container(X), y), np.maximum(area, 1 - area), rtol=1e-14)


def test_auc_tells_neighbouring_floats_apart():
    # 4 of the 4 pairs, though the values differ in their last bit alone.
    X = np.array([1.0, 1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 2)])[:, None]
    np.testing.assert_array_equal(auc(X, np.array([-1, -1, 1, 1])), [1])


@every_container
@pytest.mark.parametrize("parents", [None, [0, 0, 1, 0], [0, 1, 2, 2]])
def test_auc_of_more_classes_is_the_mean_over_their_pairs(container, parents):
    y = np.random.default_rng(5).permutation([0] * 12 + [1] * 7 + [2] * 5 + [3])
    X = oracles.awkward(y, seed=2)
    expected = [
        oracles.over_pairs(oracles.two_sided_auc, column, y.tolist(), parents)
        for column in X.T.tolist()
    ]
    np.testing.assert_allclose(auc(container(X), y, parents=parents), expected, rtol=1e-14)


def test_auc_of_more_classes_by_hand():
    # Class 0 at 1 and 4, class 1 at 2 and 3, class 2 at 5: pairs won 2 of 4, 2 of 2, 2 of 2. If 0
    # and 1 are parts of one class, theirs is not asked for.
    X, y = np.array([[1.0, 4, 2, 3, 5]]).T, np.array([0, 0, 1, 1, 2])
    np.testing.assert_allclose(auc(X, y), [2.5 / 3])
    np.testing.assert_array_equal(auc(X, y, parents=np.array([-1, -1, 1])), [1])


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (-5, -3)])
def test_auc_takes_any_two_labels(labels):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    np.testing.assert_array_equal(auc(X, np.where(y > 0, labels[1], labels[0])), auc(X, y))


@every_container
@every_reading
@every_size
def test_prc_is_the_larger_area_over_all_values(container, reading, minority, majority):
    y = binary(minority, majority)
    X = oracles.awkward(y, seed=minority)[:, ::4]
    expected = [
        oracles.larger_prc(column, y.tolist(), sorted(set(column)), reading)
        for column in X.T.tolist()
    ]
    np.testing.assert_allclose(prc(container(X), y, reading=reading), expected, rtol=1e-11)


@every_container
def test_prc_is_the_measure_of_the_feature_as_decision(container):
    # A class predicted where the feature is low is one predicted where its opposite is high.
    y = binary(13, 40)
    X = oracles.awkward(y, seed=3)
    up = np.array([measures.prc(y, column) for column in X.T])
    second = {
        "majority_below": [measures.prc(-y, -column) for column in X.T],
        "majority_above": [measures.prc(-y, column) for column in X.T],
        "minority_below": [measures.prc(y, -column) for column in X.T],
    }
    for reading, areas in second.items():
        scores = prc(container(X), y, reading=reading)
        np.testing.assert_allclose(scores, np.maximum(up, areas), rtol=1e-12)


def test_prc_by_hand():
    # From the top: minority, majority, minority. Precision is 1 up to recall 1/2; from (tp, fp)
    # (1, 1) to (2, 1) it is tp / (tp + 1), in all 1 - ln(3/2). Area (2 - ln 1.5) / 2 = 0.797. The
    # majority from below goes from (0, 1) to (1, 1): 1 - ln 2 = 0.307.
    X = np.array([[3.0], [2.0], [1.0]])
    y = np.array([1, -1, 1])
    np.testing.assert_allclose(prc(X, y), [(2 - np.log(1.5)) / 2], rtol=1e-14)


@every_container
@pytest.mark.parametrize("value", [0.1, -1 / 3, 0.0])
def test_a_constant_feature_scores_as_chance_does(container, value):
    X, y = container(np.full((100, 3), value)), binary(11, 89)
    np.testing.assert_array_equal(auc(X, y), [0.5] * 3)
    np.testing.assert_allclose(prc(X, y), [0.89] * 3, rtol=1e-14)
    np.testing.assert_allclose(prc(X, y, reading="minority_below"), [0.11] * 3, rtol=1e-14)


@every_container
def test_the_label_scores_1(container):
    y = binary(7, 40)
    X = np.outer(np.where(y > 0, 0.3, 0.1), [1, -1])
    np.testing.assert_array_equal(auc(container(X), y), [1, 1])
    np.testing.assert_array_equal(prc(container(X), y, reading="minority_below"), [1, 1])


@every_container
def test_a_feature_and_its_opposite_tie_exactly(container):
    y = binary(13, 40)
    X = oracles.awkward(y, seed=6)
    np.testing.assert_array_equal(auc(container(-X), y), auc(container(X), y))
    mirrored = prc(container(-X), y, reading="minority_below")
    np.testing.assert_array_equal(mirrored, prc(container(X), y, reading="minority_below"))


@every_score
def test_dense_and_sparse_data_score_the_same_to_the_bit(score):
    y = binary(20, 180)
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(200, 200)), 1) * (rng.random((200, 200)) < 0.4)
    np.testing.assert_array_equal(score(csr_array(X), y), score(X, y))


@every_score
@every_container
def test_permuting_columns_permutes_scores(score, container):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_array_equal(score(container(X[:, order]), y), score(container(X), y)[order])


@every_score
def test_blocks_of_columns_do_not_show(score, monkeypatch):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    whole = score(X, y)
    for block in (1, 31 * 4, 31 * 13 + 5):
        monkeypatch.setattr(roc, "BLOCK", block)
        np.testing.assert_array_equal(score(X, y), whole)


@every_score
@every_container
def test_nothing_is_written_into_the_data(score, container):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(score(X, y)).any()


@every_score
@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float32])
def test_other_types_of_numbers_score_as_floats(score, kind):
    y = binary(6, 25)
    X = np.random.default_rng(1).integers(0, 3, size=(31, 10)).astype(kind)
    expected = score(X.astype(float), y)
    np.testing.assert_array_equal(score(X, y.astype(np.int8)), expected)
    np.testing.assert_array_equal(score(csr_array(X), y.astype(float)), expected)
    np.testing.assert_array_equal(score(csc_array(X), y), expected)
    np.testing.assert_array_equal(score(np.asfortranarray(X), y), expected)


@every_score
def test_stored_zeros_change_nothing(score):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=7)
    rows, columns = np.indices(X.shape).reshape(2, -1)
    stored = csr_array((X.ravel(), (rows, columns)), shape=X.shape)
    np.testing.assert_array_equal(score(stored, y), score(X, y))


@every_score
def test_a_sparse_matrix_too_large_to_be_dense_is_scored(score):
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    scores = score(X, y)
    assert 0.5 <= scores.min() and scores.max() <= 1
    assert len(np.unique(scores)) > 1
