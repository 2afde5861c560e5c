"""Rows that are sparse but for a shift: stored so where it pays, and the same in all products."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import random_array

from imbfs.selectors.sparse.joint import Costs, Problem
from imbfs.selectors.sparse.ncfs import ncfs
from imbfs.selectors.sparse.shifted import Shifted, shifted


def rare(n=60, d=40, density=0.05, seed=0):
    """Rows with few values, each column standardised."""
    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=density, rng=rng).toarray()
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0), rng


def test_products_and_grams_are_those_of_the_dense_rows():
    X, rng = rare()
    S = shifted(X)
    assert isinstance(S, Shifted) and S.S.nnz < 0.1 * X.size
    W, V = rng.normal(size=(40, 3)), rng.normal(size=(60, 3))
    some, columns = rng.random(60) < 0.5, rng.random(40) < 0.5
    weight, penalty = rng.random(60) * some, rng.random(40)
    assert_allclose(S @ W, X @ W, atol=1e-12)
    assert_allclose(S.T @ V, X.T @ V, atol=1e-12)
    assert_allclose(S[some] @ W, X[some] @ W, atol=1e-12)
    assert_allclose(S[:, columns] @ W[columns], X[:, columns] @ W[columns], atol=1e-12)
    assert_allclose(S.gram(weight), (X.T * weight) @ X, atol=1e-12)
    assert_allclose(S.T.gram(penalty), (X * penalty) @ X.T, atol=1e-12)


def test_rows_of_many_values_stay_as_they_are():
    X, _ = rare(density=0.6)
    assert shifted(X) is X


@pytest.mark.parametrize("d", [20, 150])  # systems of the features, and of the rows
def test_the_joint_regression_is_that_of_the_dense_rows(d, monkeypatch):
    X, rng = rare(d=d)
    member = rng.random((60, 3)) < 0.4
    costs = Costs(np.full(3, 1.4), 0.6)
    found = Problem(X, member)
    assert isinstance(found.X, Shifted)
    monkeypatch.setattr("imbfs.selectors.sparse.joint.shifted", lambda X: X)
    dense = Problem(X, member)
    one, other = (posed.solve(costs, 0.5).W for posed in (found, dense))
    assert_allclose(one, other, atol=1e-8)
    one, other = (posed.follow(costs, 1.0, one, 1e-4) for posed in (found, dense))
    assert_allclose(one, other, atol=1e-8)


def test_ncfs_is_that_of_the_dense_rows(monkeypatch):
    X, rng = rare(d=100)
    y = (rng.random((60, 3)) < 0.4).astype(np.int8)
    found = ncfs(X, y)
    monkeypatch.setattr("imbfs.selectors.sparse.ncfs.shifted", lambda X: X)
    assert_allclose(found, ncfs(X, y), atol=1e-8)
