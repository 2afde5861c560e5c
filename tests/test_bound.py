"""The bound of Proposition 1 of Liu 2019: exact errors, what is best possible, what is told."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from imbfs.measures import f_measure
from imbfs.online import ASCW

PATH = Path(__file__).parent.parent / "experiments" / "liu2019" / "bound.py"


@pytest.fixture
def bound():
    spec = importlib.util.spec_from_file_location("bound", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_errors_are_those_of_a_large_sample(bound):
    problem = bound.Problem(0.2, shift=0.8, informative=3, n_features=6)
    X, y = problem.sample(400_000, seed=1)
    assert X[:, -1].tolist() == [1.0] * len(y)
    w = np.array([1.0, 0.5, -0.2, 0.3, 0.0, -0.4])
    positive = X @ w > 0
    fn, fp = problem.errors(w)
    assert np.mean(~positive & (y > 0)) == pytest.approx(fn, abs=0.002)
    assert np.mean(positive & (y < 0)) == pytest.approx(fp, abs=0.002)
    assert f_measure(y, np.where(positive, 1, -1)) == pytest.approx(problem.f(fn, fp), abs=0.005)


@pytest.mark.parametrize("bias, errors", [(0.0, (0.2, 0.0)), (-1.0, (0.2, 0.0)), (1.0, (0.0, 0.8))])
def test_without_a_direction_all_samples_are_of_one_class(bound, bias, errors):
    problem = bound.Problem(0.2)
    assert problem.errors(np.append(np.zeros(19), bias)) == errors
    assert problem.f(*errors) == pytest.approx(0 if bias <= 0 else 1 / 3)  # 2 P1 / (1 + P1)


@pytest.mark.parametrize("p1", [1 / 6, 1 / 21])
@pytest.mark.parametrize("theta", [None, 0.1, 0.5, 0.95])
def test_no_linear_classifier_is_better_than_the_best_possible(bound, p1, theta):
    problem = bound.Problem(p1, informative=2, n_features=4)
    if theta is None:
        reached, best = lambda w: -problem.f(*problem.errors(w)), -problem.best_f()
    else:
        reached = lambda w: bound.risk(theta, *problem.errors(w))  # noqa: E731
        best = problem.least_risk(theta)
    rng = np.random.default_rng(0)
    starts = [np.array([1.0, 0.5, 0.2, bias]) for bias in (-2, -1, 0, 1)]
    found = [minimize(reached, w, method="Nelder-Mead", tol=1e-12).fun for w in starts]
    assert min(found) == pytest.approx(best, abs=1e-6)
    assert min(reached(rng.standard_normal(4)) for _ in range(500)) >= best - 1e-12


def test_at_theta_of_the_best_f_the_least_risk_is_what_the_proof_says(bound):
    problem = bound.Problem(1 / 11)
    best = problem.best_f()
    assert problem.least_risk(best) == pytest.approx((1 - best) / 11)  # P1 (1 - F*)


def test_the_pick_is_that_of_the_learner_with_all_costs(bound, monkeypatch):
    monkeypatch.setattr(bound, "ROWS", 1000)
    problem = bound.Problem(1 / 6)
    learned = bound.learn(problem, "squared_hinge", seed=4)
    X, y = problem.sample(1000, seed=4)
    for K in bound.LEARNERS:
        whole = ASCW(K=K, keep=20).partial_fit(X, y, classes=[-1, 1])
        told = bound.judged(problem, learned, K)
        assert told["picked F"] == problem.f(*problem.errors(whole.coef_[0]))
        thetas = [j / (K + 1) for j in range(1, K + 1)]
        own = [model for model in learned if np.isclose(model.theta, thetas).any()]
        assert len(own) == K
        assert told["best F"] == max(model.f for model in own)


def test_the_bound_by_hand(bound):
    problem = bound.Problem(0.2)
    best = problem.best_f()
    models = [
        bound.Learned(j / 20, best - 0.3, eps0=0.01, online=0.3 if j == 5 else 0.1)
        for j in range(1, 20)
    ]
    models[9] = bound.Learned(0.5, best - 0.2, eps0=0.02, online=0.2)
    told = bound.judged(problem, models, 3)  # theta 1/4, 1/2, 3/4
    assert told["best F"] == best - 0.2
    assert told["picked F"] == best - 0.3 and not told["best picked"]
    assert told["eps0 / P1"] == pytest.approx(0.1)
    assert told["bound printed"] == pytest.approx(best - 1 / 6 - 0.1)
    assert told["bound own grid"] == pytest.approx(best - 1 / 8 - 0.1)
    assert told["holds printed"] and told["holds own grid"]  # 0.2 < 0.225 < 0.267
    assert not told["holds without eps0"]  # 0.2 > 0.125
    told = bound.judged(problem, models, 9)  # 0.2 > 1/18 + 0.1 = 0.156
    assert not told["holds printed"] and not told["holds own grid"]


def test_the_bound_as_printed_is_broken_by_who_never_predicts_the_minority(bound):
    problem = bound.Problem(1 / 6)
    best = problem.best_f()
    assert bound.never(problem, 9) > 0.2
    # at theta = F*: eps0 = (1 - F* / 2) P1 - P1 (1 - F*) = P1 F* / 2, and twice that / P1 is F*
    eps0 = bound.risk(best, problem.p1, 0.0) - problem.least_risk(best)
    assert 2 * eps0 / problem.p1 == pytest.approx(best)


def test_the_tables_and_the_figure_are_written(bound, monkeypatch, tmp_path, capsys):
    changed = {"ROWS": 600, "SEEDS": 2, "SHARES": (1 / 6, 1 / 11), "NAME": "b"}
    monkeypatch.setattr("sys.argv", ["bound.py", str(tmp_path / "r")])
    for name, value in changed.items():
        monkeypatch.setattr(bound, name, value)
    bound.main()
    lines = (tmp_path / "r/b/tables/bound.md").read_text().splitlines()
    assert len([line for line in lines if line.startswith("| ASCW")]) == 2 * 2 * 4
    assert "| ASCW1  | 1/6  | 1 " in lines[-16]
    assert (tmp_path / "r/b/figures/bound.png").read_bytes().startswith(b"\x89PNG")
    told = capsys.readouterr().out.splitlines()
    assert told == [f"r/b/{n}" for n in ("bound.json", "figures/bound.png", "tables/bound.csv")] + [
        "r/b/tables/bound.md"
    ]
