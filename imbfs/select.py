"""Selectors for use from Python: scores of a matrix, and a scikit-learn transformer."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self
from warnings import warn

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from imbfs.errors import UserError
from imbfs.matrices import canonical, checked
from imbfs.methods import (
    BINARY,
    EVERY_KIND,
    MULTICLASS,
    MULTILABEL,
    Method,
    check_scores,
    from_callable,
    resolve,
)
from imbfs.ranking import feature_count, how_many, ranking
from imbfs.selectors import SELECTORS
from imbfs.types import Matrix, Target

Scorer = str | Callable  # a name of the table, package.module:name, or a function of X and y


def score(method: Scorer, X: Matrix, y: Target, **parameters: Any) -> np.ndarray:
    """The score of every feature of `X` for telling the classes of `y` apart; higher is better.

    `method` is a name of `imbfs list selectors`, `package.module:name`, or a function of X and y.
    With two classes the rarer one counts as the minority (the later one when they are equal). With
    several labels a sample, `y` has one column of 0 and 1 for each.
    """
    X, y = check_X_y(*_canonical(X, y), **_checks(y))
    return _score(method, X, y, parameters)


class Select(SelectorMixin, BaseEstimator):
    """Keep the `k` features that a selector scores highest.

    `method` is a name of `imbfs list selectors`, `package.module:name`, or a function of X and y;
    `k` is a count, a percentage such as "5%", or "all"; `params` are the selector's parameters, and
    `seed` its randomness, where it has any. Where there are no more than `k` features it keeps all,
    and warns if there are fewer, as scikit-learn's SelectKBest does.
    """

    def __init__(
        self,
        method: Scorer = "fast",
        k: int | str = 10,
        params: dict[str, Any] | None = None,
        seed: int = 0,
    ):
        self.method = method
        self.k = k
        self.params = params
        self.seed = seed

    def fit(self, X: Matrix, y: Target) -> Self:
        """Score every feature, and note which to keep."""
        X, y = validate_data(self, *_canonical(X, y), **_checks(y))
        parameters = dict(self.params or {})
        if "seed" not in parameters and _entry(self.method)[1].takes_seed:
            parameters["seed"] = self.seed
        self.scores_ = _score(self.method, X, y, parameters)
        count, n_features = feature_count(self.k), X.shape[1]
        if isinstance(count, int) and count > n_features:
            told = f"k: {count} is more than the {n_features} features there are; all are kept."
            warn(told, UserWarning, stacklevel=2)
            count = "all"
        self.n_selected_ = how_many(count, n_features)
        return self

    def transform(self, X: Matrix) -> Any:
        """The selected features of the rows, in the container that these came in."""
        return super().transform(checked(X))

    def inverse_transform(self, X: Matrix) -> Any:
        """Rows of the selected features with zeros for all the others."""
        return super().inverse_transform(checked(X))

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[ranking(self.scores_)[: self.n_selected_]] = True
        return mask

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        kinds = EVERY_KIND
        with suppress(UserError):  # fit will tell
            kinds = _entry(self.method)[1].kinds
        tags.classifier_tags = ClassifierTags(multi_class=MULTICLASS in kinds)
        tags.target_tags.multi_output = MULTILABEL in kinds
        tags.target_tags.single_output = BINARY in kinds
        return tags


def _entry(method: Scorer) -> tuple[str, Method]:
    """The method under a name that errors can tell."""
    if not callable(method):
        return method, SELECTORS.find(method)
    name = getattr(method, "__name__", type(method).__name__)
    return name, from_callable(method, name)


def _score(method: Scorer, X, y, parameters: dict) -> np.ndarray:
    name, entry = _entry(method)
    seed = entry.seeded(parameters.pop("seed")) if "seed" in parameters else None
    choices = resolve({name: entry}, {name: parameters}, "selector")
    if len(choices) > 1 or choices[0].tune:
        raise UserError(f"{name}: give each parameter one value.")
    if seed == {}:
        raise UserError(f"{name} has no parameter 'seed'.")
    codes, kind = _coded(y)
    if kind not in entry.kinds:
        raise UserError(f"{name} takes {_taken(entry.kinds)} only, and y has {_given(codes)}.")
    X, codes = entry.given(csr_array(X) if issparse(X) else X, codes)
    given = choices[0].params | (seed or {})
    scores = (
        entry.call(**given).fit(X, codes).scores_ if entry.learns else entry.call(X, codes, **given)
    )
    return check_scores(name, scores, X.shape[1])


def _canonical(X, y) -> tuple:
    return canonical(X), canonical(y, "y")


def _checks(y) -> dict[str, Any]:
    return {"accept_sparse": "csr", "dtype": np.float64, "multi_output": _has_columns(y)}


def _has_columns(y) -> bool:
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def _coded(y) -> tuple[np.ndarray, str]:
    """`y` as the selectors expect it: +1 for the rarer of two classes, 0..c-1, or an indicator."""
    if y.ndim == 2:
        return _indicator(y.toarray() if issparse(y) else y), MULTILABEL
    check_classification_targets(y)
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise UserError("y has one class only. Two or more are needed.")
    if len(classes) > 2:
        return codes, MULTICLASS
    minority = 0 if counts[0] < counts[1] else 1
    return np.where(codes == minority, 1, -1), BINARY


def _indicator(y: np.ndarray) -> np.ndarray:
    values = set(np.unique(y).tolist()) if y.dtype.kind in "biuf" else {None}
    if not (values <= {0, 1} or values <= {-1, 1}):
        raise UserError("y has several columns, and not of 0 and 1. Give one for each label.")
    return (y > 0).astype(np.int64)


def _taken(kinds: tuple[str, ...]) -> str:
    names = {BINARY: "two classes", MULTICLASS: "more", MULTILABEL: "columns of labels"}
    return " or ".join(name for kind, name in names.items() if kind in kinds)


def _given(codes: np.ndarray) -> str:
    if codes.ndim == 2:
        return f"{codes.shape[1]} columns of labels"
    return f"{len(np.unique(codes))} classes"
