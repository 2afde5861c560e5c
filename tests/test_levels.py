"""Features in bins, and their mutual information, against plain Python, scikit-learn and hand."""

import numpy as np
import oracles
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import mutual_info_score

from imbfs.selectors.binned.levels import levels

every_cut = pytest.mark.parametrize("cut", ["deviation", "width", "frequency"])
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def words(n_samples, n_features):
    """Many zeros, and more values than bins."""
    rng = np.random.default_rng(3)
    shown = rng.random((n_samples, n_features)) < 0.4
    return rng.integers(-3, 30, size=(n_samples, n_features)) * shown.astype(float)


def test_cuts_by_the_deviation_by_hand():
    # Mean 3, squares 9 + 4 + 1 + 0 + 16 + 4 = 34 and the deviation sqrt(34 / 6) = 2.38: cuts at
    # 0.62 and 5.38.
    X = np.array([[0.0, 1, 2, 3, 7, 5]]).T
    for container in (np.asarray, csr_array):
        np.testing.assert_array_equal(
            levels(container(X), 10, "deviation").feature(0), [0, 1, 1, 1, 2, 1]
        )


@every_cut
@every_container
def test_information_is_that_of_scikit_learn(cut, container):
    y = np.random.default_rng(6).permutation([0] * 20 + [1] * 8 + [2] * 5 + [3])
    X = np.hstack([oracles.awkward(y, seed=1), words(34, 12)])
    features = levels(container(X), 6, cut)
    for given in (y, features.feature(3), features.feature(60)):
        expected = [mutual_info_score(given, features.feature(j)) for j in range(X.shape[1])]
        found = features.information(given) * np.log(2)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@every_cut
@every_container
def test_levels_are_the_bins_of_the_oracle(cut, container):
    y = np.repeat([1, -1], [9, 30])
    X = np.hstack([oracles.awkward(y, seed=2), words(39, 12)])
    features = levels(container(X), 5, cut)
    for j, column in enumerate(X.T.tolist()):
        found, expected = features.feature(j), oracles.binned(column, 5, cut)
        assert features.counts[j] > max(found)
        pairs = set(zip(found.tolist(), expected, strict=True))
        assert len(pairs) == len(set(expected)) == len(set(found.tolist()))


def test_information_of_independent_variables_is_exactly_0():
    X = np.array([[0.0, 0, 1, 1, 2, 2] * 7]).T
    assert levels(X, 10, "width").information(np.array([0, 1] * 21)) == 0


@every_container
def test_more_than_256_bins_are_told_apart(container):
    y = np.arange(600) % 300
    X = np.column_stack([y, y // 2]).astype(float)
    features = levels(container(X), 400, "width")
    np.testing.assert_array_equal(features.feature(0), y)
    np.testing.assert_allclose(features.information(y), np.log2([300, 150]))
