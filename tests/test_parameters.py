"""Numeric parameters: infinite or undefined ones are refused, and so is what extreme ones learn."""

import json
import math
import warnings

import jsonschema
import numpy as np
import pytest

from imbfs.classifiers import CLASSIFIERS
from imbfs.classifiers.linear import LinearSVM
from imbfs.errors import UserError
from imbfs.methods import parameters
from imbfs.methods.parameters import checked
from imbfs.online.pa import SampledONPA
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.selectors import SELECTORS
from imbfs.showing.claims.predicates import Exceeds
from imbfs.splits import PROTOCOLS

TABLES = (SELECTORS, CLASSIFIERS, RESAMPLERS, PREPROCESSORS, PROTOCOLS)
METHODS = {name: method for table in TABLES for name, method in table.items()}
# The cap of a step and the reach of gravity: an infinite one is none.
LIMITS = {(name, "theta") for name in ("pa", "mbpa", "onpa", "cs")}
LIMITS |= {(name, "C") for name in ("pa", "mbpa", "onpa", "csoal")}


def takes(name: str, key: str, value: object) -> bool:
    try:
        return bool(checked(METHODS[name], name, {key: value}))
    except UserError:
        return False


NUMERIC = [
    (name, key)
    for name, method in METHODS.items()
    for key in parameters(method.call).model_fields
    if takes(name, key, 0.25) and not takes(name, key, {})  # which an entry of a table may be
]


def test_the_numeric_parameters_are_found():
    assert LIMITS < set(NUMERIC)
    others = {("cs", "rho"), ("csfs", "lam"), ("tree", "confidence"), ("binarize", "threshold")}
    assert others < set(NUMERIC)


@pytest.mark.parametrize(("name", "key"), NUMERIC, ids=str)
def test_an_infinite_parameter_is_refused_unless_it_is_a_limit(name, key):
    assert takes(name, key, math.inf) == ((name, key) in LIMITS)
    assert not takes(name, key, -math.inf)
    assert not takes(name, key, math.nan)


@pytest.mark.parametrize(("name", "key"), NUMERIC, ids=str)
def test_the_schema_refuses_an_infinite_parameter_too(name, key):
    schema = parameters(METHODS[name].call).model_json_schema()["properties"][key]
    json.dumps({k: v for k, v in schema.items() if k != "default"}, allow_nan=False)
    fits = jsonschema.Draft202012Validator(schema).is_valid
    assert fits(0.25) and fits(1e-300)
    assert fits(math.inf) == ((name, key) in LIMITS)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"selectors": [{"cs": {"C": math.inf}}]}, "cs.C"),
        ({"selectors": [{"ofs": {"eta": {"tune": [0.1, math.inf]}}}]}, "ofs.eta"),
        ({"classifiers": [{"svm": {"C": [1.0, math.inf]}}]}, "svm.C"),
        ({"preprocess": [{"binarize": {"threshold": math.inf}}]}, "binarize.threshold"),
        ({"ratios": [math.inf]}, "ratios"),
        ({"tuning": {"validation": math.inf}}, "tuning.validation"),
        ({"protocol": {"holdout": {"test": math.inf}}}, "holdout.test"),
    ],
    ids=str,
)
def test_a_config_with_an_infinite_number_is_refused_in_one_line(change, field, imbfs, config):
    answer = imbfs("run", config(**change))
    assert answer.code == 2 and answer.err.count("\n") == 1
    assert field in answer.err and "inf" in answer.err


LEARNERS = {name: method.call for name, method in SELECTORS.items() if method.learns}
LEARNERS["sampled_onpa"] = SampledONPA
JUDGES = {name: method.call for name, method in CLASSIFIERS.items() if name != "own"}


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("cs", {"rho": math.inf}, "cs.rho: input should be 'running' or a finite number, not inf."),
        ("cs", {"rho": -1.0}, "cs.rho: input should be 'running' or greater than 0, not -1.0."),
        ("cs", {"rho": "odd"}, "cs.rho: input should be 'running' or a valid number, not 'odd'."),
        ("csfs", {"r": -1.0}, "csfs.r: input should be greater than 0, not -1.0."),
    ],
)
def test_a_parameter_of_several_types_is_refused_with_what_each_would_take(name, given, told):
    with pytest.raises(UserError) as refused:
        checked(METHODS[name], name, given)
    assert str(refused.value) == told


def test_a_class_weight_is_a_finite_number():
    for weight in (math.inf, -1.0):
        with pytest.raises(UserError, match=f"class_weight: input should be .* not {weight}"):
            LinearSVM(class_weight={1: weight}).fit(*rows())


def rows(n_samples: int = 40):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n_samples) % 3 == 0, 1, -1)
    return rng.normal(size=(n_samples, 6)) + 0.5 * y[:, None], y


def fitted(call, X, y, **given):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call(**given).fit(X, y)


def extremes(call):
    """A method with one of its numeric parameters as large or small as floating point allows."""
    for key in parameters(call).model_fields:
        for value in (1e300, 1e-300):
            try:
                call(**{key: value})._check()
            except ValueError:
                continue
            yield {key: value}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_has_finite_weights_or_says_that_it_has_not(name):
    X, y = rows()
    for given in extremes(LEARNERS[name]):
        try:
            learner = fitted(LEARNERS[name], X, y, **given)
        except ValueError as error:
            assert "learned values that are not finite" in str(error), given
            continue
        assert np.isfinite(learner.coef_).all() and np.isfinite(learner.scores_).all(), given


@pytest.mark.parametrize(
    ("name", "given"),
    [("fgm", {"C": 1e300}), ("ascw", {"sigma": 1e-300}), ("sbcw", {"sigma": 1e-300})],
)
@pytest.mark.parametrize("n_samples", [40, 600])  # less than a batch; two and a part of a third
def test_weights_that_are_not_finite_are_an_error(name, given, n_samples):
    X, y = rows(n_samples)
    with pytest.raises(ValueError, match="learned values that are not finite"):
        fitted(LEARNERS[name], X, y, **given)


def test_weights_that_a_stream_made_infinite_are_an_error_when_they_are_used():
    X, y = rows()
    learner = LEARNERS["ascw"](sigma=1e-300)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        learner.partial_fit(X, y, classes=[-1, 1])
        for use in (lambda: learner.predict(X), lambda: learner.coef_, lambda: learner.scores_):
            with pytest.raises(ValueError, match="learned values that are not finite"):
                use()


@pytest.mark.parametrize("name", JUDGES)
def test_a_classifier_of_values_that_overflow_is_finite_or_an_error(name):
    X, y = rows()
    try:
        model = fitted(JUDGES[name], 1e300 * np.sign(X), y)
    except ValueError as error:
        assert "not finite" in str(error) or "too large" in str(error)
        return
    learned = [value for value in vars(model).values() if isinstance(value, np.ndarray)]
    assert all(np.isfinite(value).all() for value in learned)


def test_a_task_whose_learner_is_not_finite_fails(imbfs, config):
    path = config(
        datasets=["breast_cancer"],
        selectors=[{"sbcw": {"sigma": 1e-300}}],
        features=[2],
        protocol={"cv": {"repeats": 1, "folds": 2}},
        classifiers=["naive_bayes"],
    )
    answer = imbfs("run", path, "--jobs", 1)
    assert answer.code == 1
    assert "2 failed" in answer.out + answer.err
    assert "SBCW learned values that are not finite" in answer.out + answer.err


def test_a_stream_whose_learner_is_not_finite_is_an_error(imbfs, tmp_path):
    X, y = rows(100)
    lines = (f"{label} 1:{x[0]} 2:{x[1]}" for x, label in zip(X, y, strict=True))
    (tmp_path / "s.svm").write_text("\n".join(lines) + "\n")
    answer = imbfs("stream", "s.svm", "--learner", "ascw", "--param", "sigma=1e-300")
    assert answer.code == 2 and answer.err.count("\n") == 1
    assert "ASCW learned values that are not finite" in answer.err


@pytest.mark.parametrize("bound", [math.inf, -math.inf, math.nan])
def test_a_claim_has_no_infinite_bound(bound):
    with pytest.raises(ValueError, match="finite number"):
        Exceeds(these="s2n", measure="auc", features=2, above=bound)
