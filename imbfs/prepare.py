"""What is done to the training part before anything is learned from it.

A preprocessing step is called with the training part and its parameters, and returns a
scikit-learn transformer to fit on that part. It is applied to the test part unchanged. Resampling
changes the training rows only.
"""

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.errors import UserError, lookup
from imbfs.methods import BINARY, EVERY_KIND, MULTICLASS, Count, Finite, Method


def keep_values(X):
    """Leave the features as they are."""
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(accept_sparse=True)


def unit_rows(X):
    """Scale every sample to Euclidean length 1; a zero row stays zero."""
    from sklearn.preprocessing import Normalizer

    return Normalizer()


def standardize(X):
    """Give every feature mean 0 and variance 1; a constant one becomes 0.

    Sparse features are divided by their standard deviation but not centred, to stay sparse; a
    constant one keeps its value.
    """
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not issparse(X))


def minmax(X):
    """Map every feature's range on the training part to [0, 1]; a constant one becomes 0.

    Sparse features are divided by their largest absolute value instead, to stay sparse. Test values
    may fall outside.
    """
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    return MaxAbsScaler() if issparse(X) else MinMaxScaler()


def log(X):
    """Take sign(x) ln(1 + |x|) of every value."""
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(_signed_log, accept_sparse=True)


def binarize(X, *, threshold: Finite = 0.0):
    """Make values above the threshold 1 and the others 0."""
    from sklearn.preprocessing import Binarizer

    if issparse(X) and threshold < 0:
        raise UserError(
            f"binarize: a threshold of {threshold:g} would turn every zero of sparse data into 1. "
            "Choose 0 or more."
        )
    return Binarizer(threshold=threshold)


def tfidf(X):
    """Weigh counts by how rare the word is, ln((1 + n) / (1 + df)) + 1, in rows of length 1."""
    from sklearn.feature_extraction.text import TfidfTransformer

    return TfidfTransformer()


def impute(X):
    """Put the median of the training part in the place of a missing value; 0 if all are missing."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median", keep_empty_features=True)


PREPROCESSORS = {
    "none": Method(keep_values, kinds=EVERY_KIND),
    "unit_rows": Method(unit_rows, kinds=EVERY_KIND),
    "standardize": Method(standardize, kinds=EVERY_KIND),
    "minmax": Method(minmax, kinds=EVERY_KIND),
    "log": Method(log, kinds=EVERY_KIND),
    "binarize": Method(binarize, kinds=EVERY_KIND),
    "tfidf": Method(tfidf, kinds=EVERY_KIND),
    "impute": Method(impute, kinds=EVERY_KIND),
}


def preprocess(steps: list[tuple[str, dict]], X_train, X_test):
    """Both parts after the steps, in order, each learned on the training part as it then is."""
    for name, params in steps:
        method = lookup(PREPROCESSORS, name, "preprocessing step")
        transformer = method.call(X_train, **params).fit(X_train)
        X_train, X_test = (_like(X, transformer.transform(X)) for X in (X_train, X_test))
    return X_train, X_test


def _like(before, after):
    """The outcome of a step in the storage its input had."""
    if issparse(before):
        return csr_array(after)
    return np.ascontiguousarray(after.toarray() if issparse(after) else after)


def keep_rows(X, y: np.ndarray, *, seed: int):
    """Leave the classes as they are."""
    return X, y


def under(X, y: np.ndarray, *, seed: int):
    """Keep, of every class, a random choice of as many samples as the smallest has."""
    from imblearn.under_sampling import RandomUnderSampler

    return _balanced(RandomUnderSampler(random_state=seed), X, y, seed)


def over(X, y: np.ndarray, *, seed: int):
    """Repeat random samples of every class until it has as many as the largest."""
    from imblearn.over_sampling import RandomOverSampler

    return _balanced(RandomOverSampler(random_state=seed), X, y, seed)


def smote(X, y: np.ndarray, *, k: Count = 5, seed: int):
    """Add to every class, up to the largest, points between a sample and one of its k nearest.

    A class of k samples or fewer is an error: with a smaller k it would be another method.
    """
    from imblearn.over_sampling import SMOTE

    counts = np.unique_counts(y).counts
    if counts.min() < counts.max():
        _check_neighbours("smote", counts.min(), k)
    return _balanced(SMOTE(k_neighbors=k, random_state=seed), X, y, seed)


def smote_under(X, y: np.ndarray, *, k: Count = 5, seed: int):
    """Double the minority by SMOTE, then under-sample the larger class, [Wasikowski2009] Sec. 3.3.

    If the doubled minority is the larger one, samples old and new are dropped from it. Classes of
    the same size stay as they are; a minority of k samples or fewer is an error, as for smote.
    """
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    labels, counts = np.unique_counts(y)
    if counts.min() == counts.max():
        return X, y
    _check_neighbours("smote_under", counts.min(), k)
    doubled = {labels[counts.argmin()]: 2 * counts.min()}
    both = make_pipeline(
        SMOTE(sampling_strategy=doubled, k_neighbors=k, random_state=seed),
        RandomUnderSampler(random_state=seed),
    )
    return _balanced(both, X, y, seed)


RESAMPLERS = {
    "none": Method(keep_rows, kinds=EVERY_KIND),
    "under": Method(under, kinds=(BINARY, MULTICLASS)),
    "over": Method(over, kinds=(BINARY, MULTICLASS)),
    "smote": Method(smote, kinds=(BINARY, MULTICLASS)),
    "smote_under": Method(smote_under),
}


def _check_neighbours(name: str, smallest: int, k: int) -> None:
    if smallest <= k:
        raise UserError(
            f"{name}: a class has {smallest} training samples, too few for k = {k} neighbours. "
            "Choose a smaller k, or 'over'."
        )


def _balanced(sampler, X, y, seed: int):
    """Resampled rows in random order: a stream must not bring one class after the other."""
    if (y == y[0]).all():
        return X, y
    X, y = sampler.fit_resample(X, y)
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def _signed_log(X):
    if not issparse(X):
        return np.sign(X) * np.log1p(np.abs(X))
    logs = X.copy()
    logs.data = _signed_log(X.data)
    return logs
