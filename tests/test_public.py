"""What `import imbfs` offers: documented, typed, and at home in scikit-learn."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline as make_imbalanced_pipeline
from imblearn.under_sampling import RandomUnderSampler
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import imbfs
from imbfs.classifiers import CLASSIFIERS
from imbfs.selectors import SELECTORS

NAMES = [name for name in imbfs.__all__ if name != "online"]
PUBLIC = {name: getattr(imbfs, name) for name in NAMES}
PUBLIC |= {f"online.{name}": getattr(imbfs.online, name) for name in imbfs.online.__all__}
ABSTRACT = ("Learner", "OnlineLearner")
ESTIMATORS = {
    name: one
    for name, one in PUBLIC.items()
    if inspect.isclass(one) and issubclass(one, BaseEstimator) and name not in ABSTRACT
}
CLASSIFYING = {name: one for name, one in ESTIMATORS.items() if name != "Select"}
STREAMING = {name: one for name, one in ESTIMATORS.items() if hasattr(one, "partial_fit")}


@pytest.fixture(scope="module")
def rare():
    y = np.repeat([0, 1], [90, 30])[np.random.default_rng(1).permutation(120)]
    X = np.random.default_rng(0).normal(size=(120, 12))
    X[y == 1, :3] += 1.5
    return X, y


def own_members(cls: type) -> dict[str, object]:
    """The public methods and properties of a class that are ours, and not scikit-learn's."""
    found = {}
    for home in reversed(cls.__mro__):
        if home.__module__.startswith("imbfs"):
            found |= {name: one for name, one in vars(home).items() if not name.startswith("_")}
    return {name: one for name, one in found.items() if callable(one) or isinstance(one, property)}


def check_typed(call, what: str, returns: bool = True) -> None:
    signature = inspect.signature(call)
    for parameter in signature.parameters.values():
        if parameter.name != "self":
            assert parameter.annotation is not parameter.empty, f"{what}: {parameter.name}"
    assert not returns or signature.return_annotation is not signature.empty, what


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented_and_typed(name):
    one = PUBLIC[name]
    assert (inspect.getdoc(one) or "").strip(), name
    if not inspect.isclass(one):
        check_typed(one, name)
        return
    if issubclass(one, BaseEstimator):
        check_typed(one, name, returns=False)
    for key, member in own_members(one).items():
        call = member.fget if isinstance(member, property) else member
        call = getattr(call, "__func__", call)
        assert inspect.getdoc(member), f"{name}.{key}"
        check_typed(call, f"{name}.{key}")


def test_every_method_that_is_a_class_is_public():
    public = set(PUBLIC.values())
    assert {method.call for method in SELECTORS.values() if method.learns} <= public
    made = {type(m.call()) for name, m in CLASSIFIERS.items() if name != "own"}
    assert made <= public


def test_names_are_listed_and_imported_when_asked_for():
    assert set(imbfs.__all__) <= set(dir(imbfs))
    with pytest.raises(AttributeError, match="has no attribute 'selct'"):
        imbfs.selct  # noqa: B018
    program = "import sys, imbfs; sys.exit('sklearn' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.parametrize("name", CLASSIFYING)
def test_every_classifier_is_cloned_pickled_and_takes_frames_and_sparse_rows(name, rare):
    X, y = rare
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(12)])
    model = clone(CLASSIFYING[name]()).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    sparse = clone(model).fit(csr_array(X), y)
    assert (sparse.predict(csr_array(X)) == model.predict(frame)).mean() > 0.9


@pytest.mark.parametrize("name", STREAMING)
def test_streams_may_come_in_any_chunks(name, rare):
    X, y = rare
    whole, parts = STREAMING[name](), STREAMING[name]()
    whole.partial_fit(X, y, classes=[0, 1])
    for start, stop in ((0, 7), (7, 8), (8, 120)):
        parts.partial_fit(X[start:stop], y[start:stop], classes=[0, 1])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_select_is_at_home_in_pipelines_and_searches(rare):
    X, y = rare
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(12)])
    model = make_pipeline(imbfs.Select(k=3), imbfs.LinearSVM()).set_output(transform="pandas")
    grid = {"select__k": [1, 3, "50%"], "select__method": ["fast", "s2n", middle_gap]}
    search = GridSearchCV(model, grid, scoring="roc_auc", cv=3, error_score="raise").fit(frame, y)
    chosen = search.best_estimator_[0]
    kept = chosen.transform(frame)
    assert isinstance(kept, pd.DataFrame)
    assert list(kept.columns) == list(chosen.get_feature_names_out())
    assert pickle.loads(pickle.dumps(search)).best_params_ == search.best_params_
    told = cross_validate(model, frame, y, cv=3, scoring="roc_auc", error_score="raise")
    assert told["test_score"].mean() > 0.8
    balanced = make_imbalanced_pipeline(
        RandomUnderSampler(random_state=0), imbfs.Select("relieff", k=3), imbfs.AucSVM()
    )
    told = cross_validate(balanced, frame, y, cv=3, scoring="roc_auc", error_score="raise")
    assert told["test_score"].mean() > 0.8


def middle_gap(X, y):
    return np.abs(np.median(X[y > 0], axis=0) - np.median(X[y < 0], axis=0))


@pytest.mark.parametrize("method", ["fast", "mbpa", "random"])
def test_select_keeps_sparse_rows_sparse(method, rare):
    X, y = rare
    rows = csr_array(np.where(np.abs(X) > 0.5, X, 0))
    kept = imbfs.Select(method, k=4).fit_transform(rows, y)
    assert issparse(kept) and kept.shape == (120, 4)


def test_select_gives_its_seed_to_learners_too(rare):
    X, y = rare
    scores = [imbfs.Select("csoal", k=1, seed=seed).fit(X, y).scores_ for seed in (0, 0, 1)]
    assert (scores[0] == scores[1]).all() and (scores[0] != scores[2]).any()


def test_load_reads_sets_by_name_and_files_by_path(tmp_path):
    cancer = imbfs.load("breast_cancer")
    assert cancer.X.shape == (569, 30) and set(np.unique(cancer.y)) == {0, 1}
    path = tmp_path / "patients.csv"
    path.write_text("a;b;state\n1;2;ill\n3;4;well\n5;6;well\n")
    data = imbfs.load(path, target="state")
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]] and data.names == ("a", "b")
    assert [data.classes[code] for code in data.y] == ["ill", "well", "well"]
    assert imbfs.score("s2n", data.X, data.y).shape == (2,)
    with pytest.raises(imbfs.UserError, match="nowhere.csv: there is no such file"):
        imbfs.load("nowhere.csv")


def test_weights_of_classes_may_be_given_one_by_one(rare):
    X, y = rare
    for solver in ("libsvm", "newton"):
        balanced = imbfs.LinearSVM(class_weight="balanced", solver=solver).fit(X, y)
        weight = {k: len(y) / (2 * np.sum(y == k)) for k in (0, 1)}
        given = imbfs.LinearSVM(class_weight=weight, solver=solver).fit(X, y)
        np.testing.assert_allclose(given.coef_, balanced.coef_, rtol=1e-2, atol=1e-2)
        heavy = imbfs.LinearSVM(class_weight={1: 1000.0}, solver=solver, C=0.01).fit(X, y)
        assert heavy.predict(X).mean() > balanced.predict(X).mean()
