"""mRMR against plain Python and hand."""

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array

from imbfs.ranking import ranking
from imbfs.selectors.binned import levels as module
from imbfs.selectors.binned.mrmr import mrmr

every_form = pytest.mark.parametrize("form", ["difference", "quotient"])
every_cut = pytest.mark.parametrize("cut", ["deviation", "width", "frequency"])
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


def words(n_samples, n_features):
    """Many zeros, and more values than bins."""
    rng = np.random.default_rng(3)
    shown = rng.random((n_samples, n_features)) < 0.4
    return rng.integers(-3, 30, size=(n_samples, n_features)) * shown.astype(float)


def by_oracle(X, y, **parameters):
    return oracles.mrmr(X.T.tolist(), y.tolist(), **parameters)


@every_form
@every_cut
@every_container
@pytest.mark.parametrize("sizes", [(6, 25), (1, 12), (1, 1), (14, 5, 1, 3)])
def test_ranks_follow_the_equation(form, cut, container, sizes):
    y = np.random.default_rng(6).permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = np.hstack([oracles.awkward(y, seed=1)[:, ::5], words(len(y), 4)])
    given = {"form": form, "cut": cut, "bins": 4, "first": 8}
    scores = mrmr(container(X), y, **given)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, by_oracle(X, y, **given))


# Four classes of two samples each: u and w = u xor v each tell one bit of two, and nothing of one
# another. A copy of u tells all of u, one bit. z, the first class against the rest, tells H(1/4) =
# 0.811278 bits of the class, and 0.311278 = H(1/4) - 1/2 each of u and of w.
CLASSES = np.repeat([0, 1, 2, 3], 2)
U, W, Z = CLASSES // 2, (CLASSES // 2) ^ (CLASSES % 2), CLASSES == 0


def test_the_order_by_hand():
    # First u, the lower index of three with one bit. Then w has 1 - 0, z 0.5, the copy 1 - 1 = 0.
    # Then the copy has 1 - (1 + 0) / 2 = 0.5, and z 0.811278 - 0.311278 = 0.5: the lower index.
    np.testing.assert_array_equal(mrmr(np.column_stack([U, U, W, Z]), CLASSES), [4, 2, 3, 1])
    np.testing.assert_array_equal(mrmr(np.column_stack([Z, U, U, W]), CLASSES), [2, 4, 1, 3])


def test_the_order_of_quotients_by_hand():
    # Then w has 1 / 0.0001, z 0.811278 / 0.311378 = 2.605, the copy 1 / 1.0001; then the copy has
    # 1 / 0.5001 = 1.9996.
    X = np.column_stack([U, U, W, Z])
    np.testing.assert_array_equal(mrmr(X, CLASSES, form="quotient"), [4, 1, 3, 2])


@every_form
def test_the_search_goes_on_as_it_began_and_the_rest_follow(form):
    y = binary(12, 40)
    X = np.random.default_rng(3).normal(size=(52, 40)) + 0.4 * y[:, None]
    whole = ranking(mrmr(X, y, form=form))
    for first in (1, 7, 39, 40, 500):
        scores = mrmr(X, y, form=form, first=first)
        assert sorted(scores) == list(range(1, 41))
        np.testing.assert_array_equal(ranking(scores)[:first], whole[:first])


@every_form
@every_container
def test_constant_features_come_last(form, container):
    y = binary(12, 40)
    X = np.random.default_rng(3).normal(size=(52, 20))
    X[:, [0, 7]] = [0.1, 0.0]
    for first in (3, 500):
        scores = mrmr(container(X), y, form=form, first=first)
        np.testing.assert_array_equal(scores[[0, 7]], [2, 1])
    np.testing.assert_array_equal(mrmr(container(np.full((52, 3), 0.1)), y), [3, 2, 1])


def test_the_copies_of_a_feature_are_not_chosen_one_after_the_other():
    y = binary(40, 60)
    rng = np.random.default_rng(0)
    strong, weak = rng.normal(size=(100, 1)) + 2 * y[:, None], rng.normal(size=(100, 1))
    X = np.hstack([strong, strong, strong, weak + 0.7 * y[:, None]])
    assert ranking(mrmr(X, y))[:2].tolist() == [0, 3]


def test_more_bins_than_samples_take_each_value_as_it_is():
    y = binary(6, 25)
    X = oracles.awkward(y, seed=2)
    exact = mrmr(X, y, cut="width", bins=31)
    np.testing.assert_array_equal(mrmr(X, y, cut="width", bins=10_000), exact)
    np.testing.assert_array_equal(mrmr(csr_array(X), y, cut="frequency", bins=10_000), exact)


@every_cut
def test_dense_and_sparse_data_rank_the_same(cut):
    y = binary(40, 160)
    X = words(200, 90)
    dense = mrmr(X, y, cut=cut)
    stored = csr_array((X.ravel(), np.indices(X.shape).reshape(2, -1)), shape=X.shape)
    for sparse in (csr_array(X), csc_array(X), stored):
        np.testing.assert_array_equal(mrmr(sparse, y, cut=cut), dense)


@every_form
@every_container
def test_permuting_columns_permutes_ranks(form, container):
    y = binary(40, 160)
    X = np.random.default_rng(1).normal(size=(200, 60)) + 0.3 * y[:, None]
    order = np.random.default_rng(0).permutation(60)
    expected = mrmr(container(X), y, form=form)[order]
    np.testing.assert_array_equal(mrmr(container(X[:, order]), y, form=form), expected)


def test_blocks_of_columns_do_not_show(monkeypatch):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    whole = mrmr(X, y)
    for block in (1, 31 * 4, 31 * 13 + 5):
        monkeypatch.setattr(module, "BLOCK", block)
        np.testing.assert_array_equal(mrmr(X, y), whole)


@every_container
def test_nothing_is_written_into_the_data(container):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(mrmr(X, y)).any()


@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float32])
def test_other_types_of_numbers_rank_as_floats(kind):
    y = binary(6, 25)
    X = np.random.default_rng(1).integers(0, 5, size=(31, 10)).astype(kind)
    expected = mrmr(X.astype(float), y)
    np.testing.assert_array_equal(mrmr(X, y.astype(np.int8)), expected)
    np.testing.assert_array_equal(mrmr(csr_array(X), y.astype(float)), expected)


@every_cut
def test_values_near_the_largest_float_are_no_trouble(cut):
    X = np.column_stack([np.linspace(-1, 1, 20) * 1.7e308, np.arange(20.0)])
    with np.errstate(over="ignore", invalid="ignore"):
        assert sorted(mrmr(X, binary(6, 14), cut=cut)) == [1, 2]


def test_a_sparse_matrix_too_large_to_be_dense_is_ranked():
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    scores = mrmr(X, y, first=20)
    np.testing.assert_array_equal(np.sort(scores), np.arange(1, 100_001))
