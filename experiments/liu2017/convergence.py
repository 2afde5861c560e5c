"""Theorem 1 of Liu 2017 and what it says of speed: the objective falls, in fewer than 50 steps.

Algorithm 1 as printed, from random weights, on whole training sets: how many steps until one lowers
the objective by less than a share of it, and how far it is then from where it ends.

Run as: python experiments/liu2017/convergence.py [RESULTS]
"""

from itertools import product

import numpy as np
import pandas as pd
from matplotlib import figure as drawing
from matplotlib import rc_context
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from imbfs.datasets import PROBLEMS, NotAtHand, Source, load, view
from imbfs.selectors.sparse.csfs import Form, Labels
from imbfs.selectors.sparse.joint import Problem
from imbfs.showing.figures import LOOK
from imbfs.showing.markup import Section, Sheet
from imbfs.showing.scripts import png, publish, results

NAME = "csfs_convergence"
SETS = ("liu2017/usps", "liu2017/yaleb", "liu2017/yeast", "wasikowski2009/golub-all_t")
COSTS = (0.4, 1.0, 1.6)
LAMBDAS = (0.01, 1.0, 100.0)
TOLERANCE = 1e-5
OTHERS = (1e-3, 1e-4, 1e-6)
WITHIN = 1e-12  # what rounding may add to an objective, as a share of it
SHOWN = 100  # steps


def posed(name: str) -> tuple[Problem, Labels]:
    """A set as the selectors see it: standardized, the constant put last."""
    problem = PROBLEMS[name]
    data = load(Source(problem.dataset))
    seen = view(data, **problem.view)
    X = seen.take(data.X, np.arange(len(seen.y)))
    labels = Labels(seen.y)
    return Problem(StandardScaler().fit_transform(X), labels.member), labels


def run(problem: Problem, labels: Labels, r: float, lam: float) -> np.ndarray:
    """The objective after every step of Algorithm 1 from random weights."""
    shape = problem.X.shape[1], labels.member.shape[1]
    start = np.random.default_rng(0).normal(size=shape)
    costs = Form().of(labels, 2.0 - r, r)
    found = problem.solve(costs, lam, start=start, tolerance=min(OTHERS), momentum=False)
    return np.array(found.objective)


def told(name: str, r: float, lam: float, values: np.ndarray) -> dict:
    """How many steps it takes, and whether every one of them went down."""
    falls = (values[:-1] - values[1:]) / values[1:]
    steps = {f"steps {t:g}": _steps(falls, t) for t in OTHERS}
    at = _steps(falls, TOLERANCE)
    return {
        "dataset": name,
        "r": r,
        "lam": lam,
        "iterations": at,
        "monotone": bool((falls >= -WITHIN).all()),
        "excess": values[at - 1] / values[-1] - 1.0,
        **steps,
    }


def _steps(falls: np.ndarray, tolerance: float) -> int:
    """Steps until the fall is below the tolerance, that step among them."""
    below = np.flatnonzero(falls <= tolerance)
    return int(below[0]) + 2 if len(below) else len(falls) + 1


def runs() -> tuple[pd.DataFrame, dict]:
    rows, curves = [], {}
    for name in SETS:
        try:
            problem, labels = posed(name)
        except NotAtHand as error:
            print(error)
            continue
        for r, lam in product(COSTS, LAMBDAS):
            values = run(problem, labels, r, lam)
            label = name.split("/")[1]
            rows.append(told(label, r, lam, values))
            curves[label, r, lam] = values
    return pd.DataFrame(rows), curves


def sheet(found: pd.DataFrame) -> Sheet:
    texts = found.assign(
        r=found["r"].map("{:g}".format),
        lam=found["lam"].map("{:g}".format),
        monotone=found["monotone"].map({True: "yes", False: "no"}),
        excess=found["excess"].map("{:.1e}".format),
    ).astype(str)
    quick = (found["iterations"] < 50).sum()
    notes = [
        "Steps of Algorithm 1 from random weights until one lowers the objective by less than "
        f"{TOLERANCE:g} of it (iterations), and by other shares of it; excess: how far it is then "
        f"above where it is at {min(OTHERS):g}.",
        f"Fewer than 50 iterations: {quick} of {len(found)}. Never rising: "
        f"{found['monotone'].sum()} of {len(found)}.",
    ]
    return Sheet(notes, [Section(list(texts), texts.to_numpy().tolist(), set())], found)


def draw(curves: dict) -> bytes:
    """How far the objective is above where it ends, a panel for every set."""
    names = list(dict.fromkeys(name for name, _, _ in curves))
    colours = dict(zip(LAMBDAS, ("#0072B2", "#D55E00", "#009E73"), strict=True))
    lines = dict(zip(COSTS, (":", "-", "--"), strict=True))
    with rc_context(LOOK):
        figure = drawing.Figure(figsize=(8, 2.7), layout="constrained")
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for axis, name in zip(panels, names, strict=True):
            for (_, r, lam), values in ((k, v) for k, v in curves.items() if k[0] == name):
                above = values[:SHOWN] / values[-1] - 1.0
                steps = np.arange(1, len(above) + 1)[above > 0]
                label = f"lambda = {lam:g}, r = {r:g}"
                axis.semilogy(steps, above[above > 0], lines[r], color=colours[lam], label=label)
            axis.axvline(50, color="0.6", linewidth=0.8)
            axis.yaxis.set_major_formatter("{x:.0e}")
            axis.set(xlabel="steps", title=name, ylim=(1e-7, None))
        panels[0].set_ylabel("objective above its end, relative")
        legend = panels[0].get_legend_handles_labels()
        figure.legend(*legend, loc="outside lower center", ncols=len(COSTS))
        return png(figure)


def main() -> None:
    with threadpool_limits(1):
        found, curves = runs()
    note = {"sets": SETS, "tolerance": TOLERANCE, "others": OTHERS}
    publish(results() / NAME, "convergence", sheet(found), draw(curves), note)


if __name__ == "__main__":
    main()
