"""Fig. 4 of Liu 2017: how costs change which of two features weighs more.

Two uniform classes, three rows of the majority to one of the minority, the majority being positive
as in the paper: it costs 2 - r, the minority r. The paper gives no coordinates, so that the figure
is drawn for the set `uniforms`, and other places of the two classes are tried as well.

Run as: python experiments/liu2017/weights.py [RESULTS]
"""

import numpy as np
import pandas as pd
from matplotlib import figure as drawing
from matplotlib import rc_context
from threadpoolctl import threadpool_limits

from imbfs.datasets import Source, load
from imbfs.running.store import write_text
from imbfs.selectors.sparse.csfs import Form, evenly, search
from imbfs.selectors.sparse.joint import DEAD
from imbfs.showing.figures import LOOK
from imbfs.showing.markup import Section, Sheet, csv
from imbfs.showing.scripts import png, publish, results

NAME = "csfs_weights"
COSTS = evenly(19, 2.0)
LAMBDA = 1.0
DRAWN = (0.5, 1.0, 1.8)
PLACES = 200  # of the two classes, drawn at random
SHIFTS, SIDES = (0.2, 2.0), (0.5, 2.0)


def weights(X: np.ndarray, positive: np.ndarray, r: float, lam: float = LAMBDA) -> np.ndarray:
    """The weights of both features and the constant; 0 where smoothing alone keeps them from it."""
    y = np.where(positive, 1, -1)
    found = search(X, y, Form(tolerance=1e-9), [(2.0 - r, r)], np.array([lam]))
    return np.where(np.abs(found.W[:, 0]) > DEAD, found.W[:, 0], 0.0)


def larger(w: np.ndarray) -> int:
    """Which of the two features weighs more: 1 or 2, or 0 if neither does."""
    first, second = np.abs(w[:2])
    return 0 if first == second else 1 if first > second else 2


def table(X: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
    """The weights for every cost."""
    rows = []
    for r in COSTS:
        w = weights(X, positive, r)
        rows.append({"r": round(r, 6), "w1": w[0], "w2": w[1], "bias": w[2], "first": larger(w)})
    return pd.DataFrame(rows)


def place(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping rectangles of random sides, 300 rows of the majority and 100 of the other."""
    rng = np.random.default_rng(seed)
    sides, shift = rng.uniform(*SIDES, size=(2, 2)), rng.uniform(*SHIFTS, size=2)
    X = rng.uniform(size=(400, 2)) * np.repeat(sides, (300, 100), axis=0)
    X[300:] += shift * np.minimum(*sides)
    return X, np.arange(400) < 300


def flips(X: np.ndarray, positive: np.ndarray) -> dict[str, bool]:
    """Whether the order differs between costs below 1 and above, and whether any are dead."""
    order = {r: larger(weights(X, positive, r)) for r in COSTS}
    below = {first for r, first in order.items() if r < 0.999} - {0}
    above = {first for r, first in order.items() if r > 1.001} - {0}
    return {
        "flips": any(a != b for a in below for b in above),
        "flips above 1": len(above) > 1,
        "dead below 1": not below,
    }


def places() -> pd.DataFrame:
    """What happens in each of many places of the classes."""
    return pd.DataFrame([{"place": n} | flips(*place(n)) for n in range(PLACES)])


def sheet(told: pd.DataFrame, elsewhere: pd.DataFrame) -> Sheet:
    happened = elsewhere.drop(columns="place").sum()
    texts = told.assign(r=told["r"].map("{:.1f}".format))
    for name in ("w1", "w2", "bias"):
        texts[name] = told[name].map("{:.3f}".format)
    texts["first"] = told["first"].map({0: "neither", 1: "x1", 2: "x2"})
    notes = [
        f"Weights of both features of uniforms for every cost r, lambda = {LAMBDA:g}: an error on "
        "the majority costs 2 - r, one on the minority r.",
        f"Of {PLACES} other places of the two classes the order differs between r < 1 and r > 1 in "
        f"{happened['flips']}, and between two values of r > 1 in {happened['flips above 1']}; in "
        f"{happened['dead below 1']} no feature has a weight at any r < 1: the constant says all.",
    ]
    return Sheet(notes, [Section(list(texts), texts.to_numpy().tolist(), set())], told)


def draw(X: np.ndarray, positive: np.ndarray, told: pd.DataFrame) -> bytes:
    """The decision lines at three costs, and the weights against all."""
    with rc_context(LOOK):
        figure = drawing.Figure(figsize=(8, 2.7), layout="constrained")
        *panels, curves = figure.subplots(1, len(DRAWN) + 1)
        for axis, r in zip(panels, DRAWN, strict=True):
            w = weights(X, positive, r)
            axis.scatter(*X[positive].T, s=4, color="#0072B2", label="majority")
            axis.scatter(*X[~positive].T, s=4, color="#D55E00", marker="^", label="minority")
            x = np.linspace(X[:, 0].min(), X[:, 0].max(), 2)
            if w[1]:
                axis.plot(x, -(w[2] + w[0] * x) / w[1], color="0.15")
            axis.set(xlabel="x1", ylim=(X[:, 1].min() - 0.1, X[:, 1].max() + 0.1))
            heavier = {0: "no weights, no line", 1: "|w1| > |w2|", 2: "|w2| > |w1|"}[larger(w)]
            axis.set_title(f"r = {r:g}: {heavier}")
        panels[0].set_ylabel("x2")
        curves.plot(told["r"], told["w1"].abs(), "o-", markersize=3, color="#009E73", label="|w1|")
        curves.plot(told["r"], told["w2"].abs(), "s--", markersize=3, color="#CC79A7", label="|w2|")
        curves.axvline(1.0, color="0.6", linewidth=0.8)
        curves.set(xlabel="r", title="weights")
        handles = [axis.get_legend_handles_labels() for axis in (panels[0], curves)]
        figure.legend(
            handles[0][0] + handles[1][0],
            handles[0][1] + handles[1][1],
            loc="outside lower center",
            ncols=4,
        )
        return png(figure)


def main() -> None:
    data = load(Source("uniforms"))
    X, positive = np.asarray(data.X), np.asarray(data.y) == 0
    with threadpool_limits(1):
        told, elsewhere = table(X, positive), places()
    note = {"lambda": LAMBDA, "places": PLACES, "shifts": SHIFTS, "sides": SIDES}
    write_text(results() / NAME / "tables" / "places.csv", csv(elsewhere))
    publish(results() / NAME, "weights", sheet(told, elsewhere), draw(X, positive, told), note)


if __name__ == "__main__":
    main()
