"""Preprocessing and resampling, with numbers worked by hand."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from imbfs.errors import UserError
from imbfs.methods import resolve
from imbfs.prepare import PREPROCESSORS, RESAMPLERS, preprocess

TRAIN = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 4.0]])
TEST = np.array([[5.0, 6.0, -2.0]])
BALANCING = ["under", "over", "smote", "smote_under"]


def dense(X):
    return X.toarray() if issparse(X) else X


def cloud(counts, seed=0, d=3):
    """Random rows, one class after the other; counts by label."""
    y = np.repeat(list(counts), list(counts.values()))
    return np.random.default_rng(seed).normal(size=(len(y), d)), y


def rows_of(X):
    return {tuple(row) for row in dense(X)}


# Of TRAIN: means 2, 5, 2; standard deviations 1, 0, 2; ranges 2, 0, 4; largest 3, 5, 4.
LN2, LN3, LN4, LN5, LN6, LN7 = np.log([2, 3, 4, 5, 6, 7])
RARE = np.log(3 / 2) + 1  # idf of the last feature, in one of two rows; the others have 1


def unit(*row):
    return np.array(row) / np.linalg.norm(row)


BY_HAND = {
    "tfidf": ([unit(1, 5, 0), unit(3, 5, 4 * RARE)], [unit(5, 6, -2 * RARE)]),
    "impute": (TRAIN, TEST),
    "none": (TRAIN, TEST),
    "unit_rows": (
        TRAIN / np.sqrt([[26.0], [50.0]]),
        TEST / np.sqrt(65.0),
    ),
    "standardize": ([[-1, 0, -1], [1, 0, 1]], [[3, 1, -2]]),
    "minmax": ([[0, 0, 0], [1, 0, 1]], [[2, 1, -0.5]]),
    "log": ([[LN2, LN6, 0], [LN4, LN6, LN5]], [[LN6, LN7, -LN3]]),
    "binarize": ([[1, 1, 0], [1, 1, 1]], [[1, 1, 0]]),
}
# Sparse columns are not shifted.
BY_HAND_SPARSE = BY_HAND | {
    "standardize": ([[1, 5, 0], [3, 5, 2]], [[5, 6, -1]]),
    "minmax": ([[1 / 3, 1, 0], [1, 1, 1]], [[5 / 3, 6 / 5, -1 / 2]]),
}


@pytest.mark.parametrize("name", PREPROCESSORS)
@pytest.mark.parametrize("rows, expected", [(np.asarray, BY_HAND), (csr_array, BY_HAND_SPARSE)])
def test_a_step_by_hand(name, rows, expected):
    train, test = preprocess([(name, {})], rows(TRAIN), rows(TEST))
    np.testing.assert_allclose(dense(train), expected[name][0], atol=1e-12)
    np.testing.assert_allclose(dense(test), expected[name][1], atol=1e-12)


@pytest.mark.parametrize("name", PREPROCESSORS)
def test_storage_and_type_are_kept(name):
    for part in preprocess([(name, {})], csr_array(TRAIN), csr_array(TEST)):
        assert isinstance(part, csr_array) and part.dtype == np.float64
    for part in preprocess([(name, {})], TRAIN, TEST):
        assert part.flags.c_contiguous and part.dtype == np.float64


@pytest.mark.parametrize("name", PREPROCESSORS)
@pytest.mark.parametrize("rows", [np.array, csr_array])
def test_the_given_parts_are_not_changed(name, rows):
    train, test = rows(TRAIN), rows(TEST)
    preprocess([(name, {})], train, test)
    np.testing.assert_array_equal(dense(train), TRAIN)
    np.testing.assert_array_equal(dense(test), TEST)


@pytest.mark.parametrize("name", PREPROCESSORS)
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_nothing_is_learned_from_test_rows(name, rows):
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(20, 4)), rng.normal(size=(10, 4))
    whole_train, whole_test = preprocess([(name, {})], rows(train), rows(test))
    one_train, _ = preprocess([(name, {})], rows(train), rows(1000 * test[:1]))
    _, same_test = preprocess([(name, {})], rows(train), rows(test[:1]))
    np.testing.assert_array_equal(dense(one_train), dense(whole_train))
    np.testing.assert_array_equal(dense(same_test), dense(whole_test)[:1])


@pytest.mark.parametrize("name", ["standardize", "minmax", "unit_rows"])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e9])
def test_constant_features_and_empty_rows_do_not_blow_up(name, rows, value):
    train, test = np.full((7, 2), value), np.array([[0.0, value], [0.0, 0.0]])
    parts = preprocess([(name, {})], rows(train), rows(test))
    assert all(np.abs(dense(part)).max() <= max(1.0, abs(value)) for part in parts)


def test_steps_apply_in_order_each_learned_on_the_last():
    # |x| logged: ln 2, ln 4; then min and max of these: 0, 1; ln 6 -> (ln 6 - ln 2) / ln 2.
    train, test = preprocess([("log", {}), ("minmax", {})], TRAIN[:, :1], TEST[:, :1])
    np.testing.assert_allclose(train, [[0], [1]])
    np.testing.assert_allclose(test, [[LN3 / LN2]])


def test_no_steps_change_nothing():
    train, test = preprocess([], TRAIN, TEST)
    assert train is TRAIN and test is TEST


def test_binarize_takes_a_threshold():
    train, _ = preprocess([("binarize", {"threshold": 3.0})], TRAIN, TEST)
    np.testing.assert_array_equal(train, [[0, 1, 0], [0, 1, 1]])
    train, _ = preprocess([("binarize", {"threshold": -1.0})], TRAIN, TEST)
    np.testing.assert_array_equal(train, np.ones((2, 3)))


def test_a_threshold_below_zero_is_refused_for_sparse_data():
    with pytest.raises(UserError, match="binarize: a threshold of -1 "):
        preprocess([("binarize", {"threshold": -1.0})], csr_array(TRAIN), csr_array(TEST))


def test_a_config_sets_the_threshold_and_nothing_the_program_supplies():
    (choice,) = resolve(PREPROCESSORS, {"binarize": {"threshold": 0.5}}, "step")
    assert choice.params == {"threshold": 0.5}
    assert resolve(RESAMPLERS, "smote", "resampling")[0].params == {"k": 5}
    with pytest.raises(UserError, match="smote.k"):
        resolve(RESAMPLERS, {"smote": {"k": 0}}, "resampling")


def test_an_unknown_step_is_told():
    with pytest.raises(UserError, match="Did you mean 'minmax'"):
        preprocess([("minmx", {})], TRAIN, TEST)


@pytest.mark.parametrize("rows", [np.asarray, csr_array])
@pytest.mark.parametrize(
    "name, per_class", [("none", None), ("under", 7), ("over", 30), ("smote", 30)]
)
@pytest.mark.parametrize("counts", [{-1: 30, 1: 7}, {0: 30, 1: 7, 2: 12}])
def test_resampling_balances_the_classes(name, per_class, rows, counts):
    X, y = cloud(counts)
    X_new, y_new = RESAMPLERS[name].call(rows(X), y, seed=0)
    expected = counts if per_class is None else dict.fromkeys(counts, per_class)
    assert dict(zip(*np.unique(y_new, return_counts=True), strict=True)) == expected
    assert X_new.shape[0] == len(y_new) and X_new.dtype == np.float64
    assert isinstance(X_new, csr_array if rows is csr_array else np.ndarray)
    assert y_new.dtype == y.dtype


def test_under_keeps_the_minority_and_some_of_the_majority():
    X, y = cloud({-1: 30, 1: 7})
    X_new, y_new = RESAMPLERS["under"].call(X, y, seed=0)
    assert rows_of(X_new[y_new > 0]) == rows_of(X[y > 0])
    assert len(rows_of(X_new[y_new < 0])) == 7
    assert rows_of(X_new[y_new < 0]) < rows_of(X[y < 0])


def test_over_keeps_every_sample_and_repeats_the_minority():
    X, y = cloud({-1: 30, 1: 7})
    X_new, y_new = RESAMPLERS["over"].call(X, y, seed=0)
    assert sorted(map(tuple, X_new[y_new < 0])) == sorted(map(tuple, X[y < 0]))
    assert rows_of(X_new[y_new > 0]) == rows_of(X[y > 0])


@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_smote_puts_new_points_between_a_sample_and_a_near_one(rows):
    # The minority lies at 0, 1, 10 and 11: with k = 1 new points lie in [0, 1] or [10, 11].
    X = np.append([0.0, 1.0, 10.0, 11.0], np.full(40, 99.0))[:, None]
    y = np.repeat([1, -1], [4, 40])
    X_new, y_new = RESAMPLERS["smote"].call(rows(X), y, k=1, seed=0)
    minority = dense(X_new)[y_new > 0].ravel()
    assert set(X.ravel()[:4]) <= set(minority) and len(set(minority)) == 40
    assert all(0 <= x <= 1 or 10 <= x <= 11 for x in minority)


def test_smote_refuses_a_class_without_k_neighbours():
    smote = RESAMPLERS["smote"].call
    with pytest.raises(UserError, match="a class has 5 training samples, too few for k = 5"):
        smote(*cloud({-1: 30, 1: 5}), seed=0)
    assert len(smote(*cloud({-1: 30, 1: 6}), seed=0)[1]) == 60
    with pytest.raises(UserError, match="a class has 3 training samples"):
        smote(*cloud({0: 30, 1: 20, 2: 3}), seed=0)


@pytest.mark.parametrize("rows", [np.asarray, csr_array])
@pytest.mark.parametrize("counts, each", [({-1: 30, 1: 7}, 14), ({-1: 20, 1: 15}, 20)])
def test_smote_under_doubles_the_minority_and_balances(rows, counts, each):
    # 7 become 14, and 14 of 30 are left; 15 become 30, and 20 of them are left.
    X, y = cloud(counts)
    X_new, y_new = RESAMPLERS["smote_under"].call(rows(X), y, seed=0)
    assert dict(zip(*np.unique(y_new, return_counts=True), strict=True)) == {-1: each, 1: each}
    assert isinstance(X_new, csr_array if rows is csr_array else np.ndarray)
    assert X_new.dtype == np.float64 and y_new.dtype == y.dtype


def test_smote_under_keeps_the_minority_adds_as_many_and_drops_from_the_majority():
    X, y = cloud({-1: 30, 1: 7})
    X_new, y_new = RESAMPLERS["smote_under"].call(X, y, seed=0)
    assert rows_of(X[y > 0]) < rows_of(X_new[y_new > 0]) and len(rows_of(X_new[y_new > 0])) == 14
    assert rows_of(X_new[y_new < 0]) < rows_of(X[y < 0]) and len(rows_of(X_new[y_new < 0])) == 14


def test_smote_under_puts_new_points_between_a_sample_and_a_near_one():
    # As for smote: the minority lies at 0, 1, 10 and 11, new points in [0, 1] or [10, 11].
    X = np.append([0.0, 1.0, 10.0, 11.0], np.full(40, 99.0))[:, None]
    y = np.repeat([1, -1], [4, 40])
    X_new, y_new = RESAMPLERS["smote_under"].call(X, y, k=1, seed=0)
    minority = X_new[y_new > 0].ravel()
    assert set(X.ravel()[:4]) <= set(minority) and len(set(minority)) == 8
    assert all(0 <= x <= 1 or 10 <= x <= 11 for x in minority)


def test_smote_under_doubles_whichever_class_is_smaller():
    X, y = cloud({-1: 7, 1: 30})
    X_new, y_new = RESAMPLERS["smote_under"].call(X, y, seed=0)
    assert rows_of(X[y < 0]) < rows_of(X_new[y_new < 0])
    assert rows_of(X_new[y_new > 0]) < rows_of(X[y > 0])


def test_smote_under_refuses_a_minority_without_k_neighbours():
    resample = RESAMPLERS["smote_under"].call
    with pytest.raises(UserError, match="smote_under: a class has 5 training samples, too few"):
        resample(*cloud({-1: 30, 1: 5}), seed=0)
    with pytest.raises(UserError, match="smote_under: a class has 1 training samples"):
        resample(*cloud({-1: 30, 1: 1}), k=1, seed=0)
    assert len(resample(*cloud({-1: 30, 1: 2}), k=1, seed=0)[1]) == 8


@pytest.mark.parametrize("name", BALANCING)
def test_balanced_classes_and_a_single_class_need_no_resampling(name):
    X, y = cloud({-1: 4, 1: 4})
    X_new, y_new = RESAMPLERS[name].call(X, y, seed=0)
    assert sorted(map(tuple, np.c_[X_new, y_new])) == sorted(map(tuple, np.c_[X, y]))
    X_new, y_new = RESAMPLERS[name].call(X, np.full(8, -1), seed=0)
    np.testing.assert_array_equal(X_new, X)


@pytest.mark.parametrize("name", BALANCING)
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_the_seed_decides(name, rows):
    X, y = cloud({-1: 30, 1: 7})
    one, same, other = (dense(RESAMPLERS[name].call(rows(X), y, seed=s)[0]) for s in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert sorted(map(tuple, one)) != sorted(map(tuple, other))


@pytest.mark.parametrize("name", BALANCING)
def test_resampled_rows_come_mixed(name):
    X, y = cloud({-1: 300, 1: 70})
    _, y_new = RESAMPLERS[name].call(X, y, seed=0)
    runs = 1 + np.count_nonzero(np.diff(y_new))
    # A fair shuffle of 2m labels has about m + 1 runs; classes one after the other have 2.
    assert runs > 0.35 * len(y_new)


def test_the_tables_can_be_read_without_scikit_learn():
    program = "import sys, imbfs.prepare; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_tfidf_weighs_by_the_training_part_alone():
    # Two documents; the first word is in both, idf = ln(3/3) + 1 = 1, the second in one,
    # idf = ln(3/2) + 1 = 1.405; the rows then have length 1.
    train, test = csr_array([[1.0, 1.0], [1.0, 0.0]]), csr_array([[0.0, 3.0], [2.0, 2.0]])
    found, unseen = preprocess([("tfidf", {})], train, test)
    rare = np.log(3 / 2) + 1
    np.testing.assert_allclose(found.toarray(), [np.array([1, rare]) / np.hypot(1, rare), [1, 0]])
    np.testing.assert_allclose(unseen.toarray(), [[0, 1], np.array([1, rare]) / np.hypot(1, rare)])


def test_missing_values_take_the_median_of_the_training_part():
    train = np.array([[1.0, np.nan], [3.0, np.nan], [8.0, np.nan]])
    test = np.array([[np.nan, 5.0]])
    found, unseen = preprocess([("impute", {})], train, test)
    np.testing.assert_array_equal(found, [[1, 0], [3, 0], [8, 0]])
    np.testing.assert_array_equal(unseen, [[3, 5]])
