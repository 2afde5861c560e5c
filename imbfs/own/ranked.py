"""The scores of several selectors, and the ranking they agree on."""

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import rankdata

from imbfs.errors import UserError
from imbfs.methods import BINARY, Choice, resolve
from imbfs.ranking import ranking
from imbfs.selectors import SELECTORS

# Four that look at a feature differently: at the order of its values, at means and spreads, at
# the shape of its distribution (which the ratio of the classes does not bend), at near samples.
DEFAULT = {
    BINARY: ["auc", {"s2n": {"sided": "two"}}, "hellinger", {"relieff": {"samples": 200}}],
    "multiclass": ["auc", "f_statistic", "hellinger", {"relieff": {"samples": 200}}],
}
WHY = (
    "order of values (auc), means and spreads (s2n, f_statistic), distribution (hellinger), "
    "neighbours (relieff)"
)


def choices(wanted: list, kind: str) -> list[Choice]:
    """The selectors asked for, or those of DEFAULT, every parameter spelled out."""
    found = []
    for entry in wanted or DEFAULT[kind]:
        for choice in resolve(SELECTORS, entry, "selector"):
            if choice.tune:
                raise UserError(f"--method {choice.name}: nothing is tuned here.")
            if kind not in SELECTORS[choice.name].kinds:
                raise UserError(f"--method {choice.name}: does not take {kind} classes.")
            if choice.label in [other.label for other in found]:
                raise UserError(f"--method {choice.label}: is named twice.")
            found.append(choice)
    return found


def scores(choice: Choice, X: np.ndarray | csr_array, y: np.ndarray, seed: int) -> np.ndarray:
    """One score a feature, higher is better."""
    method = SELECTORS[choice.name]
    seeded = method.seeded(seed)
    X, y = method.given(X, y)
    if method.learns:
        return method.call(**choice.params, **seeded).fit(X, y).scores_
    return method.call(X, y, **choice.params, **seeded)


def places(found: np.ndarray) -> np.ndarray:
    """The rank of every feature by its score, 1 the best; equal scores share their mean rank."""
    return rankdata(-found, method="average")


def agreed(ranks: np.ndarray) -> np.ndarray:
    """Features from best to worst by the mean of their ranks (Borda), given as (methods, features).

    Of equal means the one with the better best rank comes first, then the lower index.
    """
    return np.lexsort((np.arange(ranks.shape[1]), ranks.min(axis=0), ranks.mean(axis=0)))


def every_rank(methods: list[Choice], X, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ranks, (methods, features) each."""
    found = np.array([scores(choice, X, y, seed) for choice in methods])
    return found, np.array([places(row) for row in found])


def top(methods: list[Choice], X, y: np.ndarray, k: int, seed: int) -> np.ndarray:
    """The k features that the selectors agree on; of one selector, its own first k."""
    found, ranks = every_rank(methods, X, y, seed)
    return (ranking(found[0]) if len(methods) == 1 else agreed(ranks))[:k]
