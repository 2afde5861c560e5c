"""Sparse matrices at every door: however they store their values, these alone decide."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import (
    bsr_array,
    coo_array,
    csc_array,
    csr_array,
    csr_matrix,
    dok_array,
    lil_array,
)
from sklearn.base import clone

import imbfs
from imbfs.classifiers import CLASSIFIERS
from imbfs.errors import UserError
from imbfs.learner import Learner
from imbfs.matrices import canonical
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL
from imbfs.selectors import SELECTORS

TARGETS = {
    BINARY: np.tile([-1, -1, 1], 20),
    MULTICLASS: np.tile([0, 1, 2, 0, 1], 12),
    MULTILABEL: np.tile([[0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]], (15, 1)),
}
SCORED = [(name, kind) for name, method in SELECTORS.items() for kind in method.kinds]
ESTIMATORS = {name: method.call for name, method in SELECTORS.items() if method.learns}
ESTIMATORS |= {name: method.call for name, method in CLASSIFIERS.items() if name != "own"}
STREAMS = [name for name, method in SELECTORS.items() if method.streams]


@pytest.fixture(autouse=True)
def quiet():
    """So few rows do not converge everywhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def values() -> np.ndarray:
    """Counts and measured values with zeros, a feature of zeros alone and one that is constant.

    In single precision, so that a value is the sum of its quarter and the rest to the last bit.
    """
    rng = np.random.default_rng(0)
    X = np.maximum(rng.poisson(1.0, size=(60, 8)) - 0.5, 0.0)
    X[:, :4] *= rng.normal(size=(60, 4)).astype(np.float32)
    X[:, 6], X[:, 7] = 0.0, 1.5
    return X


def plain(X: np.ndarray) -> csr_array:
    """As the package's readers give rows: every value stored once, in order, and no zero."""
    at = [np.flatnonzero(row) for row in X]
    parts = X[X != 0], np.concatenate(at).astype(np.int32)
    ends = np.cumsum([0, *map(len, at)]).astype(np.int32)
    return csr_array((*parts, ends), shape=X.shape)


def doubled(X: np.ndarray, make=csr_array):
    """Every value, zeros too, stored as the sum of two, in falling order of the features."""
    n, d = X.shape
    backwards = np.arange(d)[::-1]
    data = np.stack([X[:, backwards] * 0.25, X[:, backwards] * 0.75], axis=2).ravel()
    indices = np.tile(np.repeat(backwards, 2), n)
    return make((data, indices, 2 * d * np.arange(n + 1)), shape=X.shape)


def said_to_be_canonical(X: np.ndarray) -> csr_array:
    rows = doubled(X)
    rows.has_canonical_format = rows.has_sorted_indices = True
    return rows


def with_zeros(X: np.ndarray) -> csr_array:
    n, d = X.shape
    return csr_array((X.ravel(), np.tile(np.arange(d), n), d * np.arange(n + 1)), shape=X.shape)


def unsorted(X: np.ndarray) -> csr_array:
    rows = plain(X)
    for at, to in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        rows.indices[at:to] = rows.indices[at:to][::-1].copy()
        rows.data[at:to] = rows.data[at:to][::-1].copy()
    return rows


def long(X: np.ndarray) -> csr_array:
    rows = plain(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


def by_columns(X: np.ndarray) -> csc_array:
    rows = doubled(X.T)
    return csc_array((rows.data, rows.indices, rows.indptr), shape=X.shape)


def by_places(X: np.ndarray) -> coo_array:
    rows = doubled(X)
    place = np.repeat(np.arange(len(X)), np.diff(rows.indptr))
    return coo_array((rows.data, (place, rows.indices)), shape=X.shape)


FORMS = {
    "duplicates": doubled,
    "flags that lie": said_to_be_canonical,
    "explicit zeros": with_zeros,
    "unsorted": unsorted,
    "64-bit indices": long,
    "spmatrix": lambda X: doubled(X, csr_matrix),
    "csc": by_columns,
    "coo": by_places,
}
MORE = FORMS | {
    "bsr": lambda X: bsr_array(X, blocksize=(2, 2)),
    "lil": lil_array,
    "dok": dok_array,
    "integers": lambda X: long(np.rint(4 * X)).astype(np.int8),
    "room at the end": lambda X: _with_room(plain(X)),
}


def _with_room(rows: csr_array) -> csr_array:
    """More is stored than the last pointer says, as after a value was taken away."""
    rows.data, rows.indices = np.append(rows.data, [np.nan, 9.0]), np.append(rows.indices, [0, 1])
    return rows


def content(X) -> dict:
    """Every part of a matrix: its arrays, their types, and the arrays themselves."""
    if X.format == "lil":
        return {"rows": X.rows.tolist(), "data": X.data.tolist()}
    if X.format == "dok":
        return dict(X.items())
    names = ("data", "row", "col") if X.format == "coo" else ("data", "indices", "indptr")
    parts = {name: getattr(X, name) for name in names}
    return {n: (part.tobytes(), part.dtype, part.shape, id(part)) for n, part in parts.items()}


@pytest.mark.parametrize("form", MORE)
def test_a_matrix_is_brought_into_one_form(form):
    X = values() if form != "integers" else np.rint(4 * values())
    given = MORE[form](values())
    before, found = content(given), canonical(given)
    assert content(given) == before
    assert isinstance(found, csr_array) and found.dtype == np.float64
    for part in ("data", "indices", "indptr"):
        assert_array_equal(getattr(found, part), getattr(plain(X), part))
        assert getattr(found, part).dtype == getattr(plain(X), part).dtype
    assert found.has_canonical_format


def test_what_is_canonical_already_is_not_copied():
    rows = plain(values())
    found = canonical(rows)
    assert np.shares_memory(found.data, rows.data) and np.shares_memory(found.indices, rows.indices)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name, kind", SCORED)
def test_scores_follow_values_alone(name, kind, form):
    X, y = values(), TARGETS[kind]
    given = FORMS[form](X)
    before = content(given)
    found = imbfs.score(name, given, y)
    assert content(given) == before
    assert_array_equal(found, imbfs.score(name, plain(X), y))


@pytest.mark.parametrize("name, kind", SCORED)
def test_sparse_rows_score_as_dense_ones_do(name, kind):
    X, y = values(), TARGETS[kind]
    assert_allclose(imbfs.score(name, plain(X), y), imbfs.score(name, X, y), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_decisions_follow_values_alone(name, form):
    X, y = values(), TARGETS[BINARY]
    given, tested = FORMS[form](X), FORMS[form](X[:20])
    before = content(given), content(tested)
    model, expected = ESTIMATORS[name]().fit(given, y), ESTIMATORS[name]().fit(plain(X), y)
    decision = expected.decision_function(plain(X[:20]))
    assert_array_equal(model.decision_function(tested), decision)
    assert_array_equal(model.predict(tested), expected.predict(plain(X[:20])))
    dense = clone(model).fit(X, y)
    # The SVM's solvers agree to the tolerance of 1e-3 that both have.
    assert_allclose(decision, dense.decision_function(X[:20]), rtol=1e-6, atol=5e-3)
    if name in STREAMS:
        model, expected = ESTIMATORS[name](), ESTIMATORS[name]()
        for rows in (slice(0, 7), slice(7, 60)):
            seen = model.progress(FORMS[form](X[rows]), y[rows], classes=[-1, 1])
            assert_array_equal(seen, expected.progress(plain(X[rows]), y[rows], classes=[-1, 1]))
    assert (content(given), content(tested)) == before


@pytest.mark.parametrize("form", FORMS)
def test_a_selection_follows_values_alone(form):
    X, y = values(), TARGETS[BINARY]
    given = FORMS[form](X)
    before = content(given)
    select = imbfs.Select("auc", k=3).fit(given, y)
    assert_array_equal(select.scores_, imbfs.score("auc", X, y))
    kept = select.transform(given)
    assert_array_equal(kept.toarray(), X[:, select.get_support()])
    back = select.inverse_transform(kept)
    assert_array_equal(back.toarray(), np.where(select.get_support(), X, 0.0))
    assert content(given) == before


@pytest.mark.parametrize("method", [name for name, kind in SCORED if kind == MULTILABEL])
def test_labels_may_be_sparse_too(method):
    X, y = values(), TARGETS[MULTILABEL]
    expected = imbfs.score(method, X, y)
    for form in FORMS.values():
        assert_array_equal(imbfs.score(method, X, form(y.astype(float))), expected)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_frames_of_sparse_columns_are_rows_too(name):
    X, y = values(), TARGETS[BINARY]
    frame = pd.DataFrame.sparse.from_spmatrix(csr_matrix(X), columns=list("abcdefgh"))
    model, expected = ESTIMATORS[name]().fit(frame, y), ESTIMATORS[name]().fit(plain(X), y)
    assert_array_equal(model.decision_function(frame), expected.decision_function(plain(X)))


def test_a_scorer_of_ones_own_is_given_canonical_rows():
    def nonzero(X, y):
        return np.bincount(X.indices, minlength=X.shape[1]).astype(float)

    X, y = values(), TARGETS[BINARY]
    assert_array_equal(imbfs.score(nonzero, doubled(X), y), np.count_nonzero(X, axis=0))


def _altered(part: str, at: int, to: int, make=csr_array):
    """A matrix that was sound when it was made, and is no longer."""
    X = values()
    given = plain(X)
    given = given if make is csr_array else make(given)
    parts = {name: array.copy() for name, array in vars(given).items() if name == part}
    parts[part][at] = to
    setattr(given, part, parts[part])
    return given


def _at_places(axis: int, to: int) -> coo_array:
    given = coo_array(values())
    given.coords[axis][0] = to
    return given


def _in_lists() -> lil_array:
    given = lil_array(values())
    given.rows[0][0] = 1_000
    return given


def _cut_short() -> csr_array:
    given = plain(values())
    given.data = given.data[:-1]
    return given


UNSOUND = {
    "index too large": lambda: _altered("indices", 0, 8),
    "index far out": lambda: _altered("indices", 3, 2**30),
    "negative index": lambda: _altered("indices", 0, -1),
    "falling pointer": lambda: _altered("indptr", 3, 0),
    "pointer beyond": lambda: _altered("indptr", 60, 10_000),
    "negative pointer": lambda: _altered("indptr", 60, -1),
    "first pointer": lambda: _altered("indptr", 0, 1),
    "values missing": _cut_short,
    "csc": lambda: _altered("indices", 0, 60, csc_array),
    "bsr": lambda: _altered("indices", 0, 9, bsr_array),
    "coo row": lambda: _at_places(0, 60),
    "coo column": lambda: _at_places(1, -1),
    "lil": _in_lists,
}


def fitted(estimator):
    return estimator.fit(values(), TARGETS[BINARY])


def doors():
    """Everything public that takes X, as functions of it."""
    y = TARGETS[BINARY]
    yield lambda X: imbfs.score("auc", X, y)
    yield lambda X: imbfs.score("ncfs", values(), X)
    yield lambda X: imbfs.Select("auc", k=3).fit(X, y)
    yield lambda X: fitted(imbfs.Select("auc", k=3)).transform(X)
    yield lambda X: fitted(imbfs.Select("auc", k="all")).inverse_transform(X)
    for make in ESTIMATORS.values():
        yield lambda X, make=make: make().fit(X, y)
        yield lambda X, make=make: fitted(make()).decision_function(X)
        yield lambda X, make=make: fitted(make()).predict(X)
    for name in STREAMS:
        yield lambda X, name=name: ESTIMATORS[name]().partial_fit(X, y, classes=[-1, 1])
        yield lambda X, name=name: ESTIMATORS[name]().progress(X, y, classes=[-1, 1])


@pytest.mark.parametrize("what", UNSOUND)
def test_no_door_lets_unsound_indices_in(what):
    for door in doors():
        with pytest.raises(UserError, match=r"^[Xy]: is no valid sparse matrix \(.*\)\.$"):
            door(UNSOUND[what]())


def test_matrices_of_anything_else_are_refused():
    X, y = values(), TARGETS[BINARY]
    for wrong in (csr_array(X * 1j), coo_array(X[:, 0])):
        with pytest.raises(UserError, match=r"^X is 60( x 8)? of type .* A matrix of real numbers"):
            imbfs.score("auc", wrong, y)


def test_every_class_that_learns_goes_through_the_door():
    public = {name: getattr(imbfs, name) for name in imbfs.__all__ if name[0].isupper()}
    public |= {name: getattr(imbfs.online, name) for name in imbfs.online.__all__}
    made = {make if isinstance(make, type) else type(make()) for make in ESTIMATORS.values()}
    base = (imbfs.Select, Learner, imbfs.OnlineLearner)
    assert {one for one in public.values() if hasattr(one, "fit")} - {*base} == made


def test_small_integers_that_add_up_beyond_their_type_are_summed_as_numbers():
    twice = np.array([100, 100], np.int8), (np.array([0, 0]), np.array([1, 1]))
    assert canonical(coo_array(twice, shape=(1, 2))).toarray().tolist() == [[0.0, 200.0]]
