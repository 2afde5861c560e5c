"""Feature selection by decomposition: score on pseudo-classes of like size, [Yin2013] Sec. 4."""

import inspect
from typing import Annotated, Any, Literal

import numpy as np
from scipy.sparse import csr_array

from imbfs.methods import MULTICLASS, Count, Entries, Method
from imbfs.selectors.decomposition.clusters import Clustering, Distance, pseudo_classes


def scorers() -> dict[str, Method]:
    """The filters that take several classes, and so can score pseudo-classes."""
    from imbfs.selectors import SELECTORS

    return {
        name: method
        for name, method in SELECTORS.items()
        if MULTICLASS in method.kinds and not method.learns and method.call is not decomposed
    }


SCORER = Entries(scorers, "filter of several classes")


def decomposed(
    X: np.ndarray | csr_array,
    y: np.ndarray,
    *,
    scorer: Annotated[Any, SCORER] = "mi",
    K: Count | Literal["ratio"] = "ratio",
    distance: Distance = "auto",
    clustering: Clustering = "kmeans",
    starts: Count = 10,
    seed: int = 0,
) -> np.ndarray:
    """Score of a filter on pseudo-classes, the clusters within large classes, [Yin2013] Fig. 4.

    `scorer` is any filter that takes several classes: `mi`, or {mi: {bins: 5}}. A class is cut into
    as many clusters as it is times the size of the smallest, rounded, or each that is larger than
    the smallest into K. Where nothing is cut, the scores are those of the filter alone. Filters
    that compare pairs of classes leave out the pairs of clusters of one class. The paper's way is
    k-means; `random` cuts without looking, the control for it. The best of `starts` runs of k-means
    counts: a single one gives other clusters, and other features, with every seed.
    """
    (chosen,) = SCORER.each(scorer)
    method = scorers()[chosen["name"]]
    pseudo, parents = pseudo_classes(X, y, K, distance, clustering, starts, seed)
    given = chosen["params"] | method.seeded(seed)
    if len(parents) == len(np.unique(y)):
        return method.call(X, y, **given)
    if "parents" in inspect.signature(method.call).parameters:
        given["parents"] = parents
    return method.call(X, pseudo, **given)
