"""Sets that come with scikit-learn and need no download."""

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


def _bundled(bunch, classes: list[str]) -> Data:
    names = tuple(str(name).replace(" ", "_") for name in bunch.feature_names)
    X = np.ascontiguousarray(bunch.data, dtype=np.float64)
    return Data(X, bunch.target.astype(np.int64), tuple(classes), names)
