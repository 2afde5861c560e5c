"""Classifiers that judge a selection: the CLASSIFIERS table, and one way to train and apply them.

An entry is called with its parameters and returns an unfitted scikit-learn classifier. Any with
`predict` and `decision_function` will do. scikit-learn is imported when one is made, not before.
"""

from typing import Annotated, Literal

import numpy as np
from annotated_types import Gt, Le

from imbfs.errors import UserError
from imbfs.methods import (
    EVERY_KIND,
    MULTICLASS,
    MULTILABEL,
    Count,
    Method,
    Methods,
    Outside,
    Positive,
)


def svm(
    *,
    C: Positive = 1.0,
    class_weight: Literal["none", "balanced"] = "none",
    solver: Literal["auto", "libsvm", "newton"] = "auto",
):
    """Linear support vector machine with hinge loss, its bias not penalised."""
    from imbfs.classifiers.linear import LinearSVM

    return LinearSVM(C=C, class_weight=class_weight, solver=solver)


def auc_svm(
    *,
    C: Positive = 1.0,
    solver: Literal["auto", "pairs", "planes"] = "auto",
    seed: int = 0,
):
    """Linear support vector machine that maximises the ROC area, [Wasikowski2009] Sec. 3.4."""
    from imbfs.classifiers.auc import AucSVM

    return AucSVM(C=C, solver=solver, seed=seed)


def naive_bayes():
    """Naive Bayes with a Gaussian for every feature and class."""
    from imbfs.classifiers.bayes import GaussianNaiveBayes

    return GaussianNaiveBayes()


def nearest_neighbour():
    """The nearest training sample's class, with the margin of [Wasikowski2009] Sec. 4.1.3."""
    from imbfs.classifiers.neighbours import NearestNeighbour

    return NearestNeighbour()


def tree(
    *, confidence: Annotated[float, Gt(0), Le(0.5)] = 0.25, min_leaf: Count = 2, seed: int = 0
):
    """Decision tree in the manner of C4.5: entropy and pessimistic pruning, [Quinlan1993]."""
    from imbfs.classifiers.tree import DecisionTree

    return DecisionTree(confidence=confidence, min_leaf=min_leaf, seed=seed)


def own():
    """The selector's own decision, of selectors that also classify.

    A name to write in a config, and no classifier: the selector has learned already, so whoever
    meets this name asks the selector for its decision and makes nothing here.
    """
    raise TypeError("'own' is the selector's own decision: there is no classifier to make")


_METHODS = {
    "svm": Method(svm, revision=5, kinds=EVERY_KIND),
    "auc_svm": Method(auc_svm, kinds=EVERY_KIND),
    "naive_bayes": Method(naive_bayes, kinds=EVERY_KIND),
    "nearest_neighbour": Method(nearest_neighbour, revision=2, kinds=EVERY_KIND),
    "own": Method(own, kinds=EVERY_KIND),
    "tree": Method(tree, kinds=EVERY_KIND),
}

CLASSIFIERS = Methods(Outside("classifier", "imbfs.classifiers", EVERY_KIND), _METHODS)


def check_classifier(name: str, made: object) -> object:
    """What an entry made, which must be a classifier that can be cloned, learn and decide."""
    decides = hasattr(made, "decision_function") or hasattr(made, "predict_proba")
    if decides and all(hasattr(made, part) for part in ("get_params", "fit", "predict")):
        return made
    raise UserError(
        f"{name} made a {type(made).__name__}, which is no scikit-learn classifier: it takes fit, "
        "predict, and decision_function or predict_proba."
    )


def fit_predict(
    classifier, X_train, y_train: np.ndarray, X_test, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Predictions in the coding of y, and decision values, for the test rows.

    Decisions have one column for each class up to the largest in y_train, or for each label, but
    none in a binary task. A class that training lacks decides -inf; a label or task with one value
    only is predicted to have it, with decision 0 for all. Labels are learned one by one.
    """
    if kind == MULTILABEL:
        labels = [_single(classifier, X_train, column, X_test) for column in y_train.T]
        predicted, decision = (np.column_stack(parts) for parts in zip(*labels, strict=True))
        return predicted, decision
    predicted, decision = _single(classifier, X_train, y_train, X_test)
    if kind == MULTICLASS:
        decision = _by_class(decision, np.unique(y_train))
    return predicted, decision


def _single(classifier, X_train, y_train, X_test) -> tuple[np.ndarray, np.ndarray]:
    """One target; the caller's classifier stays unfitted."""
    from sklearn.base import clone

    from imbfs.classifiers.base import DecisionClassifier

    n_test = X_test.shape[0]
    if (y_train == y_train[0]).all():
        return np.full(n_test, y_train[0]), np.zeros(n_test)
    model = clone(classifier)
    if isinstance(model, DecisionClassifier) and model.judges:
        predicted, decision = model.judge(X_train, y_train, X_test)
    else:
        decision = _decision(model.fit(X_train, y_train), X_test)
        # Deciding twice would double the cost where the decision is all there is to do.
        predicted = model.decide(decision) if hasattr(model, "decide") else model.predict(X_test)
    _refuse_answer(model, "decided", decision, n_test)
    _refuse_answer(model, "predicted", predicted, n_test)
    return predicted, decision


def _decision(model, X_test) -> np.ndarray:
    """The decision values, from probabilities where there is nothing else."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X_test)
    shares = model.predict_proba(X_test)
    return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares


def _refuse_answer(model, what: str, values, n_test: int) -> None:
    """Refuse predictions or decisions that are not one a sample, or are NaN."""
    values = np.asarray(values)
    if values.shape[:1] != (n_test,):
        told = f"values of shape {values.shape} for {n_test} samples"
    elif values.dtype.kind == "f" and np.isnan(values).any():
        told = f"NaN for some of {n_test} samples"
    else:
        return
    raise UserError(f"{type(model).__name__} {what} {told}.")


def _by_class(decision: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The decision with a column for every class 0, 1, ..., whichever of them were learned."""
    if len(classes) == 2:
        decision = np.column_stack((-decision, decision))
    columns = np.full((len(decision), classes[-1] + 1), -np.inf)
    columns[:, classes] = decision.reshape(len(decision), -1)
    return columns
