"""No method changes the rows that it is given: tasks share them."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from imbfs.classifiers import CLASSIFIERS, fit_predict
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL, Method, read_only
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.selectors import SELECTORS

TARGETS = {
    BINARY: np.tile([-1, -1, 1], 20),
    MULTICLASS: np.tile([0, 1, 2, 0, 1], 12),
    MULTILABEL: np.tile([[0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]], (15, 1)),
}
EVERY = {
    (what, name, kind): method
    for what, table in (
        ("selector", SELECTORS),
        ("classifier", CLASSIFIERS),
        ("resampling", RESAMPLERS),
        ("step", PREPROCESSORS),
    )
    for name, method in table.items()
    for kind in method.kinds
    if (what, name) != ("classifier", "own")  # that is the selector
}


def rows(sparse: bool):
    """Counts with zeros, as every method takes them."""
    X = np.random.default_rng(0).poisson(1.0, size=(60, 8)).astype(float)
    return csr_array(X) if sparse else X


def content(array) -> list[bytes]:
    parts = (array.data, array.indices, array.indptr) if issparse(array) else (array,)
    return [part.tobytes() for part in parts]


def use(what: str, method: Method, X, y, X_test, kind: str) -> None:
    if what == "selector" and method.learns:
        learner = method.call(**method.seeded(0)).fit(X, y)
        learner.decision_function(X_test)
        if method.streams:
            method.call(**method.seeded(0)).progress(X, y, classes=np.unique(y))
    elif what == "selector":
        method.call(X, y, **method.seeded(0))
    elif what == "classifier":
        fit_predict(method.call(**method.seeded(0)), X, y, X_test, kind)
    elif what == "resampling":
        method.call(X, y, seed=0)
    else:
        fitted = method.call(X).fit(X)
        fitted.transform(X), fitted.transform(X_test)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("place", EVERY, ids="-".join)
def test_it_leaves_its_input_as_it_was(place, sparse):
    what, _, kind = place
    given = rows(sparse), TARGETS[kind].copy(), rows(sparse)[:20]
    before = [content(array) for array in given]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few rows do not converge
        use(what, EVERY[place], *given, kind)
    assert [content(array) for array in given] == before


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_what_a_method_from_outside_is_given_cannot_be_written_to(sparse):
    X, y = rows(sparse), TARGETS[BINARY].copy()
    own, outside = (Method(len, outside=outside).given(X, y) for outside in (False, True))
    assert own[0] is X and own[1] is y
    for part in (outside[0].data, outside[0].indices) if sparse else outside:
        with pytest.raises(ValueError, match="read-only"):
            part[:] = 0
    with pytest.raises(ValueError, match="read-only"):
        outside[0] *= 0
    seen = outside[0].toarray() if sparse else outside[0]
    np.testing.assert_array_equal(seen, X.toarray() if sparse else X)
    assert np.shares_memory(read_only(y), y) and y.flags.writeable
