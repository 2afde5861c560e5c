"""Selectors in Python: scores, and a transformer that scikit-learn accepts as its own."""

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import Pipeline as ImbalancedPipeline
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_multilabel_classification
from sklearn.exceptions import DataConversionWarning
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import imbfs
from imbfs import Select, UserError
from imbfs.methods import BINARY, MULTILABEL
from imbfs.selectors import SELECTORS

OF_CLASSES = [name for name, method in SELECTORS.items() if BINARY in method.kinds]
OF_LABELS = [name for name, method in SELECTORS.items() if MULTILABEL in method.kinds]
OF_CLASSES_ALONE = [name for name in SELECTORS if name not in OF_LABELS]
OF_LABELS_ALONE = [name for name in SELECTORS if name not in OF_CLASSES]


def mean_gap(X, y):
    """A selector of the user's own."""
    return abs(X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0))


# Its checks are about classes.
@parametrize_with_checks([Select(method, k=1) for method in OF_CLASSES] + [Select(k="50%")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:k. 10 is more than")
@parametrize_with_checks([Select()])
def test_scikit_learn_accepts_it_with_all_defaults(estimator, check):
    check(estimator)


def test_scikit_learn_accepts_it_with_a_function():
    check_estimator(Select(mean_gap, k=1), on_skip=None)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def topics():
    X, y = make_multilabel_classification(n_samples=80, n_features=15, random_state=0)
    return X, y


@pytest.mark.parametrize("method", OF_CLASSES)
def test_every_selector_scores_every_feature(method, cancer):
    X, y = cancer
    scores = imbfs.score(method, X, y)
    assert scores.shape == (30,)
    assert not np.isnan(scores).any()


def test_scores_follow_the_rarer_class_whatever_it_is_called(cancer):
    X, y = cancer
    names = np.where(y == 0, "malignant", "benign")
    np.testing.assert_array_equal(imbfs.score("s2n", X, names), imbfs.score("s2n", X, y))
    np.testing.assert_array_equal(imbfs.score("s2n", X, 1 - y), imbfs.score("s2n", X, y))


def test_fisher_orders_features_as_scikit_learns_f_test_does(cancer):
    X, y = cancer
    np.testing.assert_array_equal(
        np.argsort(-imbfs.score("fisher", X, y)), np.argsort(-f_classif(X, y)[0])
    )


def test_parameters_are_checked_as_in_a_config(cancer):
    X, y = cancer
    assert not np.array_equal(imbfs.score("fast", X, y, K=2), imbfs.score("fast", X, y))
    with pytest.raises(UserError, match="fast has no parameter 'bins'"):
        imbfs.score("fast", X, y, bins=3)
    with pytest.raises(UserError, match="fast.K: input should be greater than or equal to 1"):
        imbfs.score("fast", X, y, K=0)
    with pytest.raises(UserError, match="unknown selector 'fest'. Did you mean 'fast'"):
        imbfs.score("fest", X, y)
    np.testing.assert_array_equal(
        imbfs.score("fast", X, y, K=np.int64(10)), imbfs.score("fast", X, y)
    )


@pytest.mark.parametrize("k, kept", [(3, 3), ("10%", 3), ("all", 30), ("1%", 1)])
def test_it_keeps_as_many_as_asked(k, kept, cancer):
    X, y = cancer
    assert Select("fast", k=k).fit_transform(X, y).shape == (569, kept)


def test_it_keeps_all_features_and_warns_where_there_are_fewer_than_asked(cancer):
    X, y = cancer
    with pytest.warns(UserWarning, match="31 is more than the 30 features"):
        kept = Select("fast", k=31).fit_transform(X, y)
    np.testing.assert_array_equal(kept, X)
    assert Select("fast", k=30).fit(X, y).n_selected_ == 30  # without a warning


def test_what_makes_no_sense_is_refused(cancer):
    X, y = cancer
    with pytest.raises(UserError, match="0 is no number of features"):
        Select("fast", k=0).fit(X, y)
    with pytest.raises(UserError, match="'5' is no number of features"):
        Select("fast", k="5").fit(X, y)
    with pytest.raises(UserError, match="one class only"):
        Select("fast").fit(X, np.zeros(569))
    with pytest.raises(UserError, match="s2n takes two classes only, and y has 3"):
        Select("s2n").fit(X, np.arange(569) % 3)
    with pytest.raises(UserError, match="itfr takes columns of labels only, and y has 2 classes"):
        Select("itfr").fit(X, y)


def test_ties_go_to_the_lower_index():
    X = np.array([[0.0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1]])
    np.testing.assert_array_equal(
        Select("fisher", k=2).fit(X, [0, 1, 1]).get_support(indices=True), [0, 1]
    )


def test_names_go_in_and_out(cancer):
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    select = Select("fast", k=2).set_output(transform="pandas")
    kept = select.fit_transform(frame, y)
    assert isinstance(kept, pd.DataFrame)
    assert list(kept.columns) == list(select.get_feature_names_out())
    assert set(kept.columns) < set(frame.columns)


def test_sparse_stays_sparse_and_scores_the_same(cancer):
    X, y = cancer
    X = np.where(X > np.median(X, axis=0), X, 0)
    dense, sparse = Select("fast", k=5).fit(X, y), Select("fast", k=5).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_)
    assert issparse(sparse.transform(csr_array(X)))


def test_the_seed_decides_what_is_random(cancer):
    X, y = cancer
    chosen = [tuple(Select("random", k=5, seed=s).fit(X, y).get_support()) for s in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]


def test_it_works_in_pipelines_and_searches(cancer):
    X, y = cancer
    model = make_pipeline(StandardScaler(), Select("fast", k=5), LogisticRegression())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    grid = {"select__k": [2, 20], "select__method": ["fast", "s2n"]}
    search = GridSearchCV(clone(model), grid, cv=3).fit(X, y)
    assert search.best_params_["select__k"] == 20
    balanced = ImbalancedPipeline(
        [("over", RandomOverSampler(random_state=0)), ("select", Select("fast", k=5)),
         ("model", GaussianNB())]
    )  # fmt: skip
    assert cross_val_score(balanced, X, y, cv=3).mean() > 0.9


@pytest.mark.parametrize("method", OF_LABELS)
def test_labels_are_scored_however_they_are_written(method, topics):
    X, y = topics
    expected = SELECTORS[method].call(X, y)
    signs, names = 2 * y - 1, [f"topic {k}" for k in range(y.shape[1])]
    frame = pd.DataFrame(y.astype(bool), columns=names)
    for given in (y, y.tolist(), y.astype(bool), y.astype(float), signs, frame, csr_array(y)):
        np.testing.assert_array_equal(imbfs.score(method, X, given), expected)
    select = Select(method, k=4).fit(pd.DataFrame(X), frame)
    np.testing.assert_allclose(select.scores_, expected, rtol=1e-6)  # columns lie otherwise
    assert select.transform(pd.DataFrame(X)).shape == (80, 4)
    assert select.__sklearn_tags__().target_tags.multi_output


@pytest.mark.parametrize("method", OF_CLASSES_ALONE)
def test_labels_are_refused_by_selectors_of_classes(method, topics):
    X, y = topics
    message = rf"^{method} takes two classes( or more)? only, and y has 5 columns of labels\.$"
    for attempt in (lambda: imbfs.score(method, X, y), lambda: Select(method).fit(X, y)):
        with pytest.raises(UserError, match=message):
            attempt()
    assert not Select(method).__sklearn_tags__().target_tags.multi_output


@pytest.mark.parametrize("method", OF_LABELS_ALONE)
def test_classes_are_refused_by_selectors_of_labels(method, topics):
    X, y = topics
    for classes, count in ((y[:, 0], 2), (np.arange(80) % 3, 3)):
        message = rf"^{method} takes columns of labels only, and y has {count} classes\.$"
        with pytest.raises(UserError, match=message):
            imbfs.score(method, X, classes)
    assert not Select(method).__sklearn_tags__().target_tags.single_output


@pytest.mark.parametrize(
    "wrong",
    [lambda y: y + 1, lambda y: y * 0.5, lambda y: y - (y[::-1] > 0), lambda y: y.astype(str)],
    ids=["one and two", "halves", "three values", "text"],
)
def test_columns_that_are_no_labels_are_refused(wrong, topics):
    X, y = topics
    with pytest.raises(UserError, match="^y has several columns, and not of 0 and 1. Give one"):
        imbfs.score("ml_f_statistic", X, wrong(y))
    with pytest.raises(ValueError, match="NaN"):
        imbfs.score("ml_f_statistic", X, np.where(y > 0, np.nan, 0.0))


def test_one_column_is_that_of_classes(cancer):
    X, y = cancer
    with pytest.warns(DataConversionWarning, match="column-vector"):
        scores = imbfs.score("fast", X, y[:, None])
    np.testing.assert_array_equal(scores, imbfs.score("fast", X, y))


def test_labels_work_in_pipelines_and_searches(topics):
    X, y = topics
    model = make_pipeline(
        StandardScaler(), Select("ml_relieff", k=5), MultiOutputClassifier(LogisticRegression())
    )
    grid = {"select__k": [2, 10], "select__method": ["ml_relieff", "ml_f_statistic", "ncfs"]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_params_["select__k"] == 10
    assert search.predict(X).shape == y.shape
