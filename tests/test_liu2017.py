"""The scripts of Liu 2017: weights against costs, and how fast Algorithm 1 ends."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

ROOT = Path(__file__).parent.parent / "experiments" / "liu2017"


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def weights():
    return script("weights")


@pytest.fixture(scope="module")
def convergence():
    return script("convergence")


def test_weights_are_those_of_a_generic_solver(weights):
    X, positive = weights.place(3)
    y, A = np.where(positive, 1.0, -1.0), np.column_stack([X, np.ones(len(X))])
    for r in (1.2, 1.5):
        c = np.where(positive, 2 - r, r)

        def value(w, c=c):
            return np.sum(c * np.abs(A @ w - y)) + np.abs(w).sum()

        found = weights.weights(X, positive, r)
        least = min(
            minimize(value, start, method="Nelder-Mead", options={"maxiter": 4000}).fun
            for start in (found, np.zeros(3), np.array([-1.0, -1.0, 2.0]))
        )
        assert value(found) == pytest.approx(least, rel=1e-4)


def test_which_feature_weighs_more(weights):
    assert weights.larger(np.array([0.1, -0.2, 5.0])) == 2
    assert weights.larger(np.array([-0.3, 0.2, 5.0])) == 1
    assert weights.larger(np.array([0.0, 0.0, 1.0])) == 0


def test_a_majority_that_costs_more_leaves_the_constant_alone(weights):
    # 300 rows at 1.5 against 100 at 0.5: no line that the minority asks for pays.
    X, positive = weights.place(0)
    X[~positive] = X[positive][:100]  # the classes lie in the same place
    assert weights.weights(X, positive, 0.5).tolist()[:2] == [0.0, 0.0]
    told = weights.flips(X, positive)
    assert told["dead below 1"] and not told["flips"]


def test_steps_are_counted_up_to_the_first_that_lowers_little(convergence):
    # Falls of 50%, 25%, 0.8% and none: the third is the first below 1%.
    falls = np.array([0.5, 0.25, 0.008, 0.0])
    assert convergence._steps(falls, 0.01) == 4
    assert convergence._steps(falls, 0.3) == 3
    assert convergence._steps(falls, -1.0) == 5
    told = convergence.told("a", 1.0, 0.1, np.array([2.0, 1.0, 0.9999999, 0.9999998]))
    assert told["iterations"] == 3
    assert told["monotone"]
    assert not convergence.told("a", 1.0, 0.1, np.array([2.0, 1.0, 1.1]))["monotone"]


@pytest.mark.data
def test_algorithm_1_falls_from_random_weights_on_a_real_set(convergence, data_folder):
    problem, labels = convergence.posed("wasikowski2009/golub-all_t")
    values = convergence.run(problem, labels, 1.0, 1.0)
    assert convergence.told("golub", 1.0, 1.0, values)["monotone"]
    assert values[-1] < 0.1 * values[0]
