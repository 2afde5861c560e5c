"""Sets made by us, of which the truth is known: what is relevant, and what is not."""

import numpy as np

from imbfs.datasets.data import Data


def microarray(
    n_samples: int = 100,
    n_features: int = 2000,
    *,
    ratio: float = 9.0,
    n_relevant: int = 20,
    shift: float = 1.0,
    block: int = 20,
    correlation: float = 0.3,
    tails: float = 5.0,
    seed: int = 20,
) -> Data:
    """An expression matrix: correlated blocks of genes, heavy tails, some relevant genes known.

    Genes come in blocks that share a latent factor with the given correlation, under Student noise
    with `tails` degrees of freedom, each with variance 1. In the rare class the relevant genes, one
    each in as many blocks, are moved by `shift` standard deviations, half of them up and half down.
    """
    rng = np.random.default_rng(seed)
    n_rare, n_blocks = round(n_samples / (1 + ratio)), -(-n_features // block)
    factor = np.repeat(rng.standard_normal((n_samples, n_blocks)), block, axis=1)[:, :n_features]
    noise = rng.standard_t(tails, size=(n_samples, n_features)) / np.sqrt(tails / (tails - 2))
    X = np.sqrt(correlation) * factor + np.sqrt(1 - correlation) * noise
    relevant = np.sort(rng.choice(n_blocks, n_relevant, replace=False) * block)
    y = (np.arange(n_samples) < n_rare).astype(np.int64)
    sign = np.where(np.arange(n_relevant) % 2 == 0, 1.0, -1.0)
    X[np.ix_(y == 1, relevant)] += shift * sign
    names = tuple(f"g{j}" for j in range(n_features))
    return Data(X, y, ("common", "rare"), names, tuple(int(j) for j in relevant))


def gaussians(*, times: int = 1, seed: int = 0) -> Data:
    """The simulation of [Yin2013] Sec. 3.1: 100 features, N(0.1, 1) in 900 rows, N(-0.1, 1) in 100.

    All features are alike and relevant. Table 1 calls the means + and -; here the rare class is -.
    There are `times` as many rows of each class, for as many simulations.
    """
    rng = np.random.default_rng(seed)
    y = (np.arange(1000 * times) >= 900 * times).astype(np.int64)
    X = rng.standard_normal((1000 * times, 100)) + np.where(y == 1, -0.1, 0.1)[:, None]
    return Data(X, y, ("common", "rare"), relevant=tuple(range(100)))


def gaussians_pool() -> Data:
    """The simulation of [Yin2013] Sec. 3.1 with ten times the rows: a tenth of them is one run."""
    return gaussians(times=10, seed=1)


def uniforms(*, seed: int = 0) -> Data:
    """The two-feature problem of [Liu2017] Fig. 4: two uniform classes, 300 and 100 rows.

    The paper gives no coordinates. Here the majority fills [0, 2] x [0, 1] and the minority
    [1.5, 2.5] x [0.5, 1.5]: they overlap in a corner, and the first feature is the wider one.
    """
    rng = np.random.default_rng(seed)
    majority = rng.uniform((0.0, 0.0), (2.0, 1.0), size=(300, 2))
    minority = rng.uniform((1.5, 0.5), (2.5, 1.5), size=(100, 2))
    y = np.repeat([0, 1], [300, 100])
    return Data(np.vstack([majority, minority]), y, ("common", "rare"), relevant=(0, 1))


def topics() -> Data:
    """Multi-label counts: 300 documents, 50 words, 5 topics of unequal frequency."""
    from sklearn.datasets import make_multilabel_classification

    X, Y = make_multilabel_classification(
        n_samples=300, n_features=50, n_classes=5, n_labels=2, random_state=0
    )
    return Data(np.ascontiguousarray(X, dtype=np.float64), Y.astype(np.int64), tuple("abcde"))
