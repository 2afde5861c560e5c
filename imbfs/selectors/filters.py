"""Filters that score one feature at a time by its means and its spreads.

A score is higher for a better feature and never NaN: a feature that separates the classes without
any spread scores inf, a constant one scores 0.
"""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from imbfs.selectors.passes import class_codes, minority_codes, moments, ratio, shifts


def none(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """No selection: all features score the same."""
    return np.ones(X.shape[1])


def random(X: np.ndarray | csr_array, y: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """A random order of the features, the floor that every other selector must beat."""
    return np.random.default_rng(seed).permutation(X.shape[1]).astype(np.float64)


def s2n(
    X: np.ndarray | csr_array, y: np.ndarray, *, sided: Literal["one", "two"] = "one"
) -> np.ndarray:
    """Signal-to-noise ratio (mu+ - mu-) / (sigma+ + sigma-), [Wasikowski2009] Eq. (3.5).

    As printed it is one-sided, and a feature that is larger in the majority scores below 0; the
    two-sided form takes the absolute value. The thesis leaves sigma open: here it is divided by n,
    as in the CLOP toolbox it used (which ranks by the absolute value); one sample has spread 0.
    """
    codes, sizes = minority_codes(y)
    means, scatters = moments(X, codes, sizes)
    sigma = np.sqrt(scatters / sizes[:, None])
    scores = ratio(means[1] - means[0], sigma[1] + sigma[0])
    return np.abs(scores) if sided == "two" else scores


def fisher(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    form: Literal["printed", "textbook"] = "printed",
) -> np.ndarray:
    """Fisher score, (mu+ - mu-)^2 / (S+^2 + S-^2) with two classes, [Yin2013] Eq. (5)-(9).

    S^2 is a class's sum of squared deviations as printed, Eq. (6), so the larger class weighs more;
    the textbook form has its variance (divided by n) there. With more classes both forms
    are Eq. (7), the sum of squares between the classes over that within them.
    """
    codes, sizes = class_codes(y)
    means, scatters = moments(X, codes, sizes)
    if len(sizes) == 2:
        spreads = scatters if form == "printed" else scatters / sizes[:, None]
        return ratio((means[1] - means[0]) ** 2, spreads.sum(axis=0))  # Eq. (5)
    between = (sizes[:, None] * shifts(means, sizes) ** 2).sum(axis=0)  # Eq. (8)
    return ratio(between, scatters.sum(axis=0))  # Eq. (7)


def f_statistic(X: np.ndarray | csr_array, y: np.ndarray) -> np.ndarray:
    """F of the one-way analysis of variance, (between / (c - 1)) / (within / (n - c)).

    A baseline of [Liu2017]. Between and within are the sums of squares of `fisher` with more
    classes, and F orders features as it does. With a class for every sample nothing is within, and
    a feature that varies scores inf.
    """
    codes, sizes = class_codes(y)
    means, scatters = moments(X, codes, sizes)
    n, c = len(y), len(sizes)
    between = (sizes[:, None] * shifts(means, sizes) ** 2).sum(axis=0)
    return ratio(between / (c - 1), scatters.sum(axis=0) / max(n - c, 1))


def pcc(
    X: np.ndarray | csr_array, y: np.ndarray, *, sided: Literal["one", "two"] = "one"
) -> np.ndarray:
    """Pearson's correlation of the feature with the class +1 / -1, [Wasikowski2009] Eq. (3.4).

    One-sided, as the thesis calls it, with the sign; the two-sided form is the square.
    """
    codes, sizes = minority_codes(y)
    scores = _correlation(*moments(X, codes, sizes), sizes)
    return scores**2 if sided == "two" else scores


def corr(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    classes: Literal["mean", "maximum", "codes"] = "mean",
) -> np.ndarray:
    """Squared correlation rho^2 of the feature and the class, [Yin2013] Eq. (2): two-sided `pcc`.

    The paper has no form for more than two classes and yet applies it to pseudo-classes. Here it is
    the mean of the rho^2 of each class against the rest, their maximum, or with "codes" the rho^2
    with the numbers 0, 1, ... of the classes, which rests on their order.
    """
    codes, sizes = class_codes(y)
    means, scatters = moments(X, codes, sizes)
    if len(sizes) == 2:
        return _correlation(means, scatters, sizes) ** 2
    n, weights = len(y), sizes[:, None]
    apart = shifts(means, sizes)
    total = scatters.sum(axis=0) + (weights * apart**2).sum(axis=0)
    if classes == "codes":
        places = np.arange(len(sizes)) - codes.mean()
        products = ((sizes * places)[:, None] * apart).sum(axis=0)
        return ratio(products**2, total * (sizes * places**2).sum())
    scores = ratio(apart**2 * (weights * n / (n - weights)), total)
    return scores.max(axis=0) if classes == "maximum" else scores.mean(axis=0)


def _correlation(means, scatters, sizes):
    """rho of every feature and the second of two classes."""
    # The sum of squares about the common mean is that between the classes plus that within them.
    between = (means[1] - means[0]) * np.sqrt(sizes.prod() / sizes.sum())
    return ratio(between, np.hypot(between, np.sqrt(scatters.sum(axis=0))))
