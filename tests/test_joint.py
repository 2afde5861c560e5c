"""Jointly sparse regression: every step that of Algorithm 1, its end the least of all, by hand."""

import numpy as np
import oracles as oracle
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, issparse, random_array

from imbfs.selectors.sparse import joint
from imbfs.selectors.sparse.joint import Costs, Problem

TALL, SQUARE, WIDE, ONE = (30, 5, 3), (14, 12, 2), (12, 40, 4), (20, 6, 1)
FORMS = [joint._by_row, joint._by_feature]


def problem(n, d, m, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    member = X[:, :m] + 0.5 * rng.normal(size=(n, m)) > 0.4
    return Problem(X, member), rng.normal(size=(d + 1, m))


def costs_of(name, n, m):
    rows = np.random.default_rng(1).uniform(0.5, 1.5, size=n)
    return {
        "misses": Costs(np.full(m, 1.6), 0.4),
        "alarms": Costs(np.full(m, 0.3), 1.7),
        "equal": Costs(np.ones(m), 1.0),
        "misses alone": Costs(np.linspace(0.5, 1.5, m), 0.0),
        "by row": Costs(np.ones(m), 1.0, rows),
        "by row and label": Costs(np.full(m, 1.3), 0.7, rows),
    }[name]


NAMES = ["misses", "alarms", "equal", "misses alone", "by row", "by row and label"]


def matrix(costs, member):
    C = np.where(member, costs.own, costs.other)
    return C if costs.row is None else C * costs.row[:, None]


def letter(posed, costs):
    """What the oracles take: features in rows, labels, costs."""
    return posed.X.T, posed.Y, matrix(costs, posed.member)


# One step after the other


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [TALL, SQUARE, WIDE, ONE])
def test_every_step_is_that_of_algorithm_1(shape, name, form, monkeypatch):
    monkeypatch.setattr(joint, "ITERATIONS", 4)
    posed, start = problem(*shape)
    posed._solved = dict.fromkeys((True, False), form)
    costs = costs_of(name, shape[0], shape[2])
    for lam in (1e-2, 0.3, 5.0):
        expected = oracle.csfs_algorithm_1(*letter(posed, costs), lam, 1e-8, start, 4)
        found = posed.solve(costs, lam, start=start, zeta=1e-8, tolerance=1e-300, momentum=False)
        assert_allclose(found.W, expected, atol=1e-6)


def test_the_objective_is_what_the_footnote_says():
    posed, start = problem(*TALL)
    costs = costs_of("misses", 30, 3)
    found = posed.solve(costs, 0.5, zeta=1e-6)
    expected = oracle.csfs_objective(*letter(posed, costs), 0.5, 1e-6, found.W)
    assert found.objective[-1] == pytest.approx(expected, rel=1e-12)


# Where it ends


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [TALL, ONE])
def test_it_ends_at_the_least_that_a_generic_solver_finds(shape, name):
    posed, _ = problem(*shape)
    costs = costs_of(name, shape[0], shape[2])
    for lam in (0.1, 2.0):
        W, least = oracle.csfs_least(*letter(posed, costs), lam, 1e-4)
        found = posed.solve(costs, lam, zeta=1e-4, tolerance=1e-12)
        assert found.objective[-1] == pytest.approx(least, rel=1e-6)
        assert_allclose(found.W, W, atol=2e-3)


@pytest.mark.parametrize("shape", [TALL, WIDE, ONE])
def test_momentum_ends_in_the_same_place_in_fewer_steps(shape):
    posed, _ = problem(*shape)
    costs = costs_of("misses", shape[0], shape[2])
    with_it, without = (
        posed.solve(costs, 0.5, zeta=1e-6, tolerance=1e-8, momentum=momentum)
        for momentum in (True, False)
    )
    assert with_it.objective[-1] == pytest.approx(without.objective[-1], rel=1e-5)
    assert len(with_it.objective) < len(without.objective)


def test_equal_costs_end_where_the_textbook_form_of_rfs_does():
    for shape in (TALL, WIDE):
        posed, _ = problem(*shape)
        costs = costs_of("equal", shape[0], shape[2])
        W = oracle.rfs_textbook(posed.X.T, posed.Y, 0.7, 1e-12, 400)
        found = posed.solve(costs, 0.7, tolerance=1e-12)
        expected = oracle.csfs_objective(*letter(posed, costs), 0.7, 1e-10, W)
        assert found.objective[-1] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("momentum", [True, False])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [TALL, SQUARE, WIDE, ONE])
def test_the_objective_never_rises(shape, name, momentum):
    for seed in range(3):
        posed, _ = problem(*shape, seed)
        costs = costs_of(name, shape[0], shape[2])
        for lam in (1e-6, 1e-2, 1.0, 100.0, 1e6):
            found = posed.solve(costs, lam, tolerance=1e-9, momentum=momentum)
            values = np.array(found.objective)
            assert (np.diff(values) <= 1e-9 * values[1:]).all()


def test_weighted_medians_by_hand():
    # No feature but the constant: the least of sum_i c_i |w - y_i| + lam |w| is a weighted median.
    # Three rows at 1 cost 0.5 each, one at -1 costs 1.9, and 0 weighs lam.
    posed = Problem(np.empty((4, 0)), np.array([[True], [True], [True], [False]]))
    costs = Costs(np.array([0.5]), 1.9)
    # 1.9 outweighs 1.5 + 0.2: w = -1. With lam = 1, neither side has half of 4.4: w = 0.
    assert posed.solve(costs, 0.2, tolerance=1e-12).W[0, 0] == pytest.approx(-1, abs=1e-3)
    assert posed.solve(costs, 1.0, tolerance=1e-12).W[0, 0] == pytest.approx(0, abs=1e-3)
    # Costs the other way round: 4.5 outweighs the rest.
    dear = Costs(np.array([1.5]), 0.5)
    assert posed.solve(dear, 0.2, tolerance=1e-12).W[0, 0] == pytest.approx(1, abs=1e-3)


def test_a_large_lambda_leaves_nothing_and_a_small_one_fits_wide_data():
    posed, _ = problem(*WIDE)
    costs = costs_of("misses", WIDE[0], WIDE[2])
    none = posed.solve(costs, 1e4)
    assert np.linalg.norm(none.W, axis=1).max() < joint.DEAD
    every = posed.solve(costs, 1e-6, tolerance=1e-8)
    assert np.abs(posed.X @ every.W - posed.Y).max() < 1e-3


# From one lambda to the next


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [TALL, WIDE])
def test_following_lambda_without_dead_rows_is_solving_with_all(shape, name):
    posed, _ = problem(*shape)
    costs = costs_of(name, shape[0], shape[2])
    W = posed.solve(costs, 1.0, tolerance=1e-9).W
    for lam in (2.0, 4.0, 8.0, 1e4):
        full = posed.solve(costs, lam, start=W, tolerance=1e-9).W
        W = posed.follow(costs, lam, W, 1e-9)
        assert_allclose(W, full, atol=10 * joint.DEAD)  # the smoothing of forty dead rows
    assert np.abs(W).max() < joint.DEAD


def test_a_dead_row_that_is_drawn_comes_back():
    posed, _ = problem(*TALL)
    costs = costs_of("misses", 30, 3)
    wanted = posed.solve(costs, 0.1, tolerance=1e-9).W
    start = wanted.copy()
    start[0] = 0.5 * joint.DEAD
    found = posed.follow(costs, 0.1, start, 1e-9)
    assert_allclose(found, wanted, atol=1e-3)


# Storage, and data that are hard


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("filled", [True, False])
def test_sparse_rows_give_the_same_weights(filled, name, form, monkeypatch):
    dense, _ = problem(*SQUARE)
    monkeypatch.setattr(joint, "DENSE", joint.DENSE if filled else 0)
    sparse = Problem(csr_array(dense.X[:, :-1]), dense.member)
    assert issparse(sparse.X) != filled
    costs = costs_of(name, SQUARE[0], SQUARE[2])
    for posed in (dense, sparse):
        posed._solved = dict.fromkeys((True, False), form)
    expected = dense.solve(costs, 0.3).W
    assert_allclose(sparse.solve(costs, 0.3).W, expected, atol=1e-7)


def test_large_rows_that_store_little_are_not_filled_in():
    member = np.ones((50, 1), bool)
    for density, filled in ((0.01, False), (0.2, True)):
        X = random_array((50, 100_000), density=density, format="csr", rng=0)
        assert issparse(Problem(X, member).X) != filled


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lam", [1e-6, 1.0])
def test_repeated_rows_and_features_are_no_obstacle(lam, name, form):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, size=(10, 4)), 3, axis=0).astype(float)
    X = np.hstack([X, X, np.zeros((30, 2)), np.ones((30, 1))])
    member = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, np.zeros(30, bool), np.ones(30, bool)])
    posed = Problem(X, member)
    posed._solved = dict.fromkeys((True, False), form)
    found = posed.solve(costs_of(name, 30, 4), lam, tolerance=1e-6)
    assert np.isfinite(found.W).all()
    # Of two equal features neither is better, and a feature that is 0 has no weight. A lambda of
    # 1e-6 leaves the system so near to singular that rounding shows.
    assert_allclose(found.W[:4], found.W[4:8], atol=1e-2 if lam < 1e-3 else 1e-6)
    assert_allclose(found.W[8:10], 0.0, atol=1e-9)


def test_equal_costs_have_one_system_for_all_labels_and_it_is_the_smaller():
    rng = np.random.default_rng(0)
    posed = Problem(rng.normal(size=(60, 50)), np.eye(20, dtype=bool)[np.arange(60) % 20])
    assert posed._solved == {True: joint._by_feature, False: joint._by_row}


def test_ten_thousand_features_make_systems_of_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 10_000))
    posed = Problem(X, (X[:, :2] > 0.3))
    found = posed.solve(Costs(np.full(2, 1.5), 0.5), 1.0)
    assert posed._solved == {True: joint._by_row, False: joint._by_row}
    best = np.argsort(-np.linalg.norm(found.W[:-1], axis=1))[:20]
    assert {0, 1} <= set(best.tolist())
