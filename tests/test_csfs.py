"""CSFS and RFS: what they choose, what they find, what they refuse."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

import imbfs
from imbfs.datasets import Source, load
from imbfs.errors import UserError
from imbfs.measures import measure
from imbfs.selectors.filters import f_statistic
from imbfs.selectors.sparse import csfs as module
from imbfs.selectors.sparse.csfs import Form, Labels, csfs, judge, path, rfs, search
from imbfs.selectors.sparse.joint import Problem
from imbfs.splits import hold_out


def data(kind, n=150, d=12, seed=0):
    """Features 2 and 5, and 8 with several labels, tell; the others say nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    noise = 0.3 * rng.normal(size=n)
    if kind == "binary":
        return X, np.where(X[:, 2] - X[:, 5] + noise > 1.2, 1, -1)
    if kind == "multiclass":
        return X, np.digitize(X[:, 2] + noise, [-0.6, 0.5]) + 3 * (X[:, 5] > 0.8)
    return X, np.column_stack([X[:, 2] + noise > 0.5, X[:, 5] > 0, X[:, 8] - noise > 0.8]) * 1


KINDS = {"binary": {2, 5}, "multiclass": {2, 5}, "multilabel": {2, 5, 8}}


@pytest.mark.parametrize("method", [csfs, rfs])
@pytest.mark.parametrize("kind", KINDS)
def test_what_tells_the_classes_is_found(kind, method):
    X, y = data(kind)
    scores = method(X, y)
    assert set(np.argsort(-scores)[: len(KINDS[kind])].tolist()) == KINDS[kind]
    assert_array_equal(method(X, y), scores)


@pytest.mark.parametrize("kind", KINDS)
def test_rfs_is_csfs_with_equal_costs(kind):
    X, y = data(kind)
    assert_allclose(csfs(X, y, r=1.0, lam=0.5), rfs(X, y, lam=0.5), rtol=1e-12)
    assert_allclose(csfs(X, y, r=1.0), rfs(X, y), rtol=1e-12)
    assert not np.allclose(csfs(X, y, r=0.4, lam=0.5), rfs(X, y, lam=0.5))


@pytest.mark.parametrize("judged", ["classes", "labels"])
@pytest.mark.parametrize("coding", ["signs", "indicator"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_pair_with_the_best_f_on_rows_kept_for_it_is_chosen(kind, coding, judged):
    X, y = data(kind)
    form = Form(coding=coding, judged=judged)
    costs, lambdas = [(1.6, 0.4), (1.0, 1.0), (0.4, 1.6)], np.array([0.1, 3.0, 30.0])
    found = search(X, y, form, costs, lambdas, 0.3, True, 7)
    fit, kept = hold_out(y, kind, 0.3, 7)
    middle = 0.0 if coding == "signs" else 0.5
    values = {}
    for miss, alarm, lam, W in path(X[fit], y[fit], form, costs, lambdas):
        decision = X[kept] @ W[:-1] + W[-1] - middle
        values[miss, alarm, lam] = f_of(kind, y[kept], decision, judged)
    assert found.f_measure == pytest.approx(max(values.values()))
    tied = [place for place, value in values.items() if value == max(values.values())]
    assert (found.miss, found.alarm, found.lam) == tied[-1]


def f_of(kind, y, decision, judged):
    """Counted by label, or, for several classes, by Eq. (4)."""
    if kind == "multiclass" and judged == "classes":
        predicted = decision.argmax(axis=1)
        hits = sum(a == b > 0 for a, b in zip(predicted, y, strict=True))
        missed = sum(a != b > 0 for a, b in zip(predicted, y, strict=True))
        false = sum(a != b == 0 for a, b in zip(predicted, y, strict=True))
        return 2 * hits / (2 * hits + missed + false)
    own = y[:, None] == np.arange(decision.shape[1]) if kind == "multiclass" else y > 0
    own, chosen = own.reshape(len(y), -1), decision > 0
    return 2 * np.sum(own & chosen) / (np.sum(own) + np.sum(chosen))


def test_without_refit_the_weights_are_those_of_the_rows_left():
    X, y = data("binary")
    form, costs, lambdas = Form(tolerance=1e-9), [(1.5, 0.5), (0.5, 1.5)], np.array([0.1, 1.0])
    once = search(X, y, form, costs, lambdas, 0.3, False, 3)
    fit, _ = hold_out(y, "binary", 0.3, 3)
    alone = search(X[fit], y[fit], form, [(once.miss, once.alarm)], np.array([once.lam]))
    assert_allclose(once.scores, alone.scores, atol=1e-3)
    again = search(X, y, form, costs, lambdas, 0.3, True, 3)
    assert not np.allclose(once.scores, again.scores, atol=1e-2)


def test_a_class_too_small_to_split_is_judged_by_the_rows_fitted():
    X, y = data("binary")
    few = np.concatenate([np.flatnonzero(y > 0)[:1], np.flatnonzero(y < 0)[:9]])
    costs, lambdas = [(1.9, 0.1), (1.0, 1.0)], np.array([0.01, 10.0])
    found = search(X[few], y[few], Form(), costs, lambdas)
    values = [
        judge(X[few], y[few], Labels(y[few]), W, Form())
        for *_, W in path(X[few], y[few], Form(), costs, lambdas)
    ]
    assert found.f_measure == max(values) > 0
    assert np.isfinite(csfs(X[few], y[few])).all()
    assert np.isfinite(csfs(X[few], y[few], r=0.5, lam=1.0)).all()


def test_rows_that_smoothing_alone_keeps_from_zero_predict_nothing():
    X, y = data("multilabel")
    W = np.zeros((13, 3))
    W[[2, 5, 8], [0, 1, 2]] = 1e-5
    assert judge(X, y, Labels(y), W, Form()) == 0.0
    assert judge(X, y, Labels(y), 100 * W, Form()) > 0.5


def test_the_readings_of_costs_differ_for_several_classes_alone():
    X, y = data("multiclass")
    readings = ("per_label", "per_sample", "first_class")
    per_label, per_sample, first = (csfs(X, y, r=0.5, lam=0.5, costs=c) for c in readings)
    assert not np.allclose(per_label, per_sample, atol=1e-3)
    # Where rows of other classes cost nothing, the constant says all there is to say.
    assert first.max() < 0.01 * per_label.max()
    for kind in ("binary", "multilabel"):
        with pytest.raises(UserError, match="csfs.costs: per_sample is a reading for several"):
            csfs(*data(kind), r=0.5, lam=1.0, costs="per_sample")


def test_costs_of_a_class_by_hand():
    # Two rows of the first class, one each of two others; missing one costs 1.6, an alarm 0.4.
    labels = Labels(np.array([0, 0, 1, 2]))
    assert_array_equal(labels.member, [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert Form("per_label").of(labels, 1.6, 0.4).own.tolist() == [1.6, 1.6, 1.6]
    assert Form("per_label").of(labels, 1.6, 0.4).other == 0.4
    assert Form("first_class").of(labels, 1.6, 0.4).own.tolist() == [0.4, 1.6, 1.6]
    assert Form("first_class").of(labels, 1.6, 0.4).other == 0.0
    assert Form("per_sample").of(labels, 1.6, 0.4).row.tolist() == [0.4, 0.4, 1.6, 1.6]


def test_a_cost_of_missing_more_finds_more_of_the_rare_class():
    X, y = data("binary", n=400, seed=1)
    rare = []
    for r in (0.1, 0.4, 1.0):
        found = search(X, y, Form(), [(2 - r, r)], np.array([1.0]))
        decision = X @ found.W[:-1, 0] + found.W[-1, 0]
        predicted = np.where(decision > 0, 1, -1)
        rare.append(measure("binary", ["sensitivity"], y, predicted, decision)["sensitivity"])
    assert rare[0] > rare[1] > rare[2]


@pytest.mark.parametrize(
    "given, said",
    [
        ({"r": 2.0}, "csfs.r: 2 is not below 1 \\+ beta\\^2 = 2"),
        ({"r": 0.0}, "csfs.r: .*greater than 0"),
        ({"lam": 0.0}, "csfs.lam: .*greater than 0"),
        ({"costs": "both"}, "csfs.costs"),
        ({"n_lambdas": 0}, "csfs.n_lambdas"),
        ({"validation": 1.0}, "csfs.validation"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(given, said):
    X, y = data("binary")
    with pytest.raises(UserError, match=said):
        imbfs.score("csfs", X, y, **given)


def test_one_class_is_refused():
    X, _ = data("binary")
    with pytest.raises(UserError, match="one class only"):
        imbfs.score("rfs", X, np.ones(len(X)))


def test_a_class_that_only_the_validation_rows_have_is_no_obstacle():
    X, y = data("multiclass")
    form, lambdas = Form(), np.array([0.1, 1.0])
    for _, _, _, W in path(X[y < 4], y[y < 4], form, [(1.0, 1.0)], lambdas):
        assert 0 < judge(X, y, Labels(y[y < 4]), W, form) < 1


def test_costs_are_spread_evenly_and_lambdas_by_decades():
    assert_allclose(module.evenly(19, 2.0), np.arange(1, 20) / 10)
    assert_allclose(module._lambdas(None, 13), [10.0**power for power in range(-6, 7)])
    assert module._lambdas(0.3, 13).tolist() == [0.3]


# How far from the end the default tolerance stops: what the docstring says


def stopped_early(X, y, r, lam):
    """How far the objective is above the least, of it, and how many of the 20 best are the same."""
    labels = Labels(y)
    posed, costs = Problem(X, labels.member), Form().of(labels, 2 - r, r)
    early, late = (posed.solve(costs, lam, tolerance=tolerance) for tolerance in (DEFAULT, 1e-13))
    best = [np.argsort(-np.linalg.norm(found.W[:-1], axis=1))[:20] for found in (early, late)]
    above = early.objective[-1] / late.objective[-1] - 1
    return above, len(np.intersect1d(*best))


DEFAULT = inspect.signature(csfs).parameters["tolerance"].default
GIVEN = [(r, lam) for r in (0.1, 1.0) for lam in (0.1, 1.0, 10.0)]  # r = 1 is rfs


@pytest.mark.parametrize(("r", "lam"), GIVEN)
def test_the_default_tolerance_stops_near_the_end_where_rows_outnumber_features(r, lam):
    X, y = load_digits(return_X_y=True)
    above, same = stopped_early(StandardScaler().fit_transform(X), y, r, lam)
    assert 0 <= above < 1e-4 and same >= 19


@pytest.mark.data
@pytest.mark.parametrize(("r", "lam"), GIVEN)
def test_the_default_tolerance_stops_a_little_earlier_with_many_features(data_folder, r, lam):
    found = load(Source("golub"))
    X = StandardScaler().fit_transform(found.X)
    X = X[:, np.sort(np.argsort(-f_statistic(X, found.y))[:500])]
    above, same = stopped_early(X, found.y, r, lam)
    assert 1e-4 < above < 1e-3 and 16 <= same
