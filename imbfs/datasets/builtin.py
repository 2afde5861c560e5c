"""Sets that need no download: scikit-learn's own, and synthetic ones whose truth is known."""

import numpy as np

from imbfs.datasets.data import Data


def digits() -> Data:
    """Handwritten digits, 8 x 8 pixels, ten classes (scikit-learn)."""
    from sklearn.datasets import load_digits

    return _bundled(load_digits(), [str(d) for d in range(10)])


def breast_cancer() -> Data:
    """Breast cancer Wisconsin diagnostic, malignant the smaller class (scikit-learn)."""
    from sklearn.datasets import load_breast_cancer

    return _bundled(load_breast_cancer(), ["malignant", "benign"])


def wine() -> Data:
    """Wine recognition, three cultivars (scikit-learn)."""
    from sklearn.datasets import load_wine

    return _bundled(load_wine(), [str(c) for c in range(3)])


def microarray() -> Data:
    """Synthetic expression matrix: 100 x 2,000, 10 rare samples, 20 relevant genes known.

    Genes come in blocks of 20 that share a latent factor (correlation 0.3) under Student noise with
    5 degrees of freedom. In the rare class the relevant genes, one each in 20 different blocks, are
    moved by one standard deviation, half of them up and half down.
    """
    n, d, block, rare, n_relevant, shift = 100, 2000, 20, 10, 20, 1.0
    rng = np.random.default_rng(20)
    factor = np.repeat(rng.standard_normal((n, d // block)), block, axis=1)
    noise = rng.standard_t(5, size=(n, d)) / np.sqrt(5 / 3)
    X = np.sqrt(0.3) * factor + np.sqrt(0.7) * noise
    relevant = np.sort(rng.choice(d // block, n_relevant, replace=False) * block)
    y = (np.arange(n) < rare).astype(np.int64)
    sign = np.where(np.arange(n_relevant) % 2 == 0, 1.0, -1.0)
    X[np.ix_(y == 1, relevant)] += shift * sign
    names = tuple(f"g{j}" for j in range(d))
    return Data(X, y, ("common", "rare"), names, tuple(int(j) for j in relevant))


def topics() -> Data:
    """Synthetic multi-label counts: 300 documents, 50 words, 5 topics of unequal frequency."""
    from sklearn.datasets import make_multilabel_classification

    X, Y = make_multilabel_classification(
        n_samples=300, n_features=50, n_classes=5, n_labels=2, random_state=0
    )
    return Data(np.ascontiguousarray(X, dtype=np.float64), Y.astype(np.int64), tuple("abcde"))


def _bundled(bunch, classes: list[str]) -> Data:
    names = tuple(str(name).replace(" ", "_") for name in bunch.feature_names)
    X = np.ascontiguousarray(bunch.data, dtype=np.float64)
    return Data(X, bunch.target.astype(np.int64), tuple(classes), names)
