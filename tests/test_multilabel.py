"""What every selector of data with several labels keeps to, whatever it computes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from imbfs.datasets import Source, load
from imbfs.methods import MULTILABEL
from imbfs.selectors import SELECTORS

OF_LABELS = [name for name, method in SELECTORS.items() if MULTILABEL in method.kinds]
LOOKING = [name for name in OF_LABELS if name not in ("none", "random")]
every_selector = pytest.mark.parametrize("name", OF_LABELS)
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def problem(n_samples=60, n_features=12, seed=0):
    """Four labels that rest on the first features, one of them rare."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.6)
    cuts = [0.0, 0.2, 0.5, 1.2]
    y = (X[:, :4] + 0.2 * rng.normal(size=(n_samples, 4)) > cuts).astype(np.int64)
    return X, y


def never(X, y):
    """A label that no sample has."""
    return X, np.column_stack([y, np.zeros(len(y), np.int64)])


def always(X, y):
    """A label that every sample has."""
    return X, np.column_stack([np.ones(len(y), np.int64), y])


def unlabelled(X, y):
    """Samples without a label."""
    return X, y * (np.arange(len(y)) % 3 > 0)[:, None]


def nothing(X, y):
    """No label at all."""
    return X, np.zeros_like(y)


def everything(X, y):
    """All labels always."""
    return X, np.ones_like(y)


def alone(X, y):
    """One label only."""
    return X, y[:, :1]


def single(X, y):
    """Labels of one sample each."""
    return X, np.eye(len(y), 5, dtype=np.int64)


def repeated(X, y):
    """A label twice, and its opposite."""
    return X, np.column_stack([y, y[:, 0], 1 - y[:, 0]])


def constant(X, y):
    """Features of one value."""
    return np.column_stack(
        [np.full(len(X), 0.1), X, np.zeros(len(X)), np.full(len(X), -7e8 / 3)]
    ), y


def duplicate(X, y):
    """Every feature twice."""
    return np.hstack([X, X]), y


def copied(X, y):
    """Features that are the labels."""
    return np.hstack([X, y.astype(float)]), y


def still(X, y):
    """No feature that varies."""
    return np.ones_like(X), y


def wide(X, y):
    """More features than samples."""
    return np.random.default_rng(0).normal(size=(len(X), 3 * len(X))), y


CASES = [never, always, unlabelled, nothing, everything, alone, single, repeated, constant]
CASES += [duplicate, copied, still, wide]


@every_selector
@every_container
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_score_is_nan_whatever_the_labels_and_features(name, container, case):
    X, y = case(*problem())
    scores = SELECTORS[name].call(container(X), y)
    assert scores.shape == (X.shape[1],) and scores.dtype == np.float64
    assert not np.isnan(scores).any()


@every_selector
def test_dense_and_sparse_data_score_the_same(name):
    for X, y in (problem(), wide(*problem()), load_topics()):
        dense = SELECTORS[name].call(X, y)
        np.testing.assert_allclose(
            SELECTORS[name].call(csr_array(X), y), dense, rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize("name", LOOKING)
@every_container
def test_permuting_columns_permutes_scores(name, container):
    for X, y in (problem(), load_topics()):
        order = np.random.default_rng(1).permutation(X.shape[1])
        expected = SELECTORS[name].call(container(X), y)[order]
        scores = SELECTORS[name].call(container(X[:, order]), y)
        np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-9)


@every_selector
@every_container
def test_nothing_is_written_into_the_data_and_scores_come_out_the_same_again(name, container):
    X, y = problem()
    given, before = container(X), y.copy()
    y.flags.writeable = False
    (given if container is np.asarray else given.data).flags.writeable = False
    first = SELECTORS[name].call(given, y)
    np.testing.assert_array_equal(SELECTORS[name].call(given, y), first)
    np.testing.assert_array_equal(y, before)
    np.testing.assert_array_equal(given if container is np.asarray else given.toarray(), X)


@every_selector
@pytest.mark.parametrize("kind", [bool, np.int8, np.float64])
def test_other_types_of_labels_score_the_same(name, kind):
    X, y = problem()
    expected = SELECTORS[name].call(X, y)
    np.testing.assert_array_equal(SELECTORS[name].call(X, y.astype(kind)), expected)


@pytest.mark.parametrize("name", LOOKING)
def test_features_that_labels_rest_on_come_before_noise(name):
    X, y = problem(n_samples=400)
    best = np.argsort(-SELECTORS[name].call(X, y), kind="stable")[:4]
    assert len(set(best) & {0, 1, 2, 3}) >= 3


def load_topics():
    data = load(Source("topics"))
    return data.X, data.y
