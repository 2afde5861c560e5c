"""Scaling a feature changes no score: rounding decides on which side of a cut a value lies."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from imbfs import score

CUT = {
    "chi": {},
    "ig": {},
    "odds_ratio": {},
    "bns": {},
    "fast": {},
    "fair": {},
    "mi": {},
    "hellinger": {},
    "decomposed": {"scorer": "mi", "clustering": "random"},
    "mrmr": {"cut": "width"},
}
every_filter = pytest.mark.parametrize("name", CUT)


def levels_of_expression(n_features=600):
    """Whole numbers of few different sizes, of which many lie exactly on a cut, and two classes."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, rng.integers(12, 60, size=n_features), size=(60, n_features)) * 10.0
    return X, rng.permutation([1] * 20 + [-1] * 40)


@every_filter
def test_standardizing_changes_no_score(name):
    X, y = levels_of_expression()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = score(name, X, y, **CUT[name])
    np.testing.assert_allclose(score(name, scaled, y, **CUT[name]), expected, rtol=1e-9)


@every_filter
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_a_factor_changes_no_score(name, container):
    X, y = levels_of_expression()
    X *= np.random.default_rng(1).random(X.shape) < 0.5
    factors = np.random.default_rng(2).uniform(0.001, 3.0, size=X.shape[1])
    expected = score(name, X, y, **CUT[name])
    found = score(name, container(X * factors), y, **CUT[name])
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@every_filter
def test_the_order_of_the_rows_that_are_scaled_changes_no_score(name):
    X, y = levels_of_expression()
    mean = np.add.accumulate(X)[-1] / len(X)
    other = np.add.accumulate(X[::-1])[-1] / len(X) * (1 + 2**-52)  # as another order might round
    first, second = ((X - centre) / 7.0 for centre in (mean, other))
    found = [score(name, some, y, **CUT[name]) for some in (first, second)]
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_values_apart_by_more_than_rounding_are_told_apart():
    # Cut at 1 and 2; each bin holds one class.
    X = np.array([[0.0], [1 - 1e-6], [1.0], [2 - 1e-6], [2.0], [3.0]] * 2)
    y = np.array([-1, -1, 1, 1, -1, -1] * 2)
    assert score("fast", X, y, K=12)[0] == score("auc", X, y)[0]
    assert score("mi", X, y, bins=3)[0] == pytest.approx(np.log2(3) - 2 / 3)
