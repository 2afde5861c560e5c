"""Proposition 1 of Liu 2019 where F* is known: two Gaussians, told apart by linear classifiers.

The bound is max_j F(mu_j) >= F* - Delta - eps0 / P1. A classifier k minimises the cost-weighted
risk <a(theta_k), E(mu_k)>, E = [fn, fp], to within eps0, where k is the best by F. The paper prints
Delta = (theta_j - theta_j+1) / 2 = 1 / (2K); its own theta_j = j / (K + 1) make it 1 / (2K + 2).
All errors are those of the distribution, and no sample of it.

From <a(F), E> = P1 (1 - F) follows F* - F <= 2 eps0 / (2 P1 - fn + fp) at theta = F*, which may be
as much as 2 eps0 / P1: half of what it takes is printed, as `never` shows.

Run as: python experiments/liu2019/bound.py [RESULTS]
"""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from matplotlib import figure as drawing
from matplotlib import rc_context
from scipy.optimize import minimize_scalar
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from imbfs.measures import f_measure
from imbfs.online import ASCW
from imbfs.showing.figures import LOOK
from imbfs.showing.markup import Section, Sheet
from imbfs.showing.scripts import png, publish, results

NAME = "ascw_bound"
SHARES = (1 / 6, 1 / 11, 1 / 21)  # P1, at the paper's ratios
LEARNERS = (1, 3, 9, 19)  # K; the costs of each are among those of the last
LOSSES = {"hinge": "ASCW1", "squared_hinge": "ASCW2"}
ROWS = 20 * 256  # the batches that Table 4 averages over
SEEDS = 10
WITHIN = 1e-9  # what rounding may add


@dataclass(frozen=True)
class Problem:
    """Classes with means -+shift / 2 in some features, sd 1; the last feature is constant."""

    p1: float
    shift: float = 1.0
    informative: int = 4
    n_features: int = 20

    @property
    def gap(self) -> float:
        """The distance between the means."""
        return self.shift * self.informative**0.5

    def sample(self, n_samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(n_samples) < self.p1, 1, -1)
        X = rng.standard_normal((n_samples, self.n_features))
        X[:, : self.informative] += self.shift / 2 * y[:, None]
        X[:, -1] = 1.0
        return X, y

    def errors(self, w: np.ndarray) -> tuple[float, float]:
        """Shares fn and fp of all samples, by the sign of w x; 0 is the majority."""
        norm = np.linalg.norm(w[:-1])
        if norm == 0:
            return (0.0, 1 - self.p1) if w[-1] > 0 else (self.p1, 0.0)
        along = self.shift * w[: self.informative].sum() / norm
        return self._errors(w[-1] / norm, along)

    def _errors(self, bias: float, along: float) -> tuple[float, float]:
        """Of a unit direction on which the means are `along` apart."""
        fn = self.p1 * ndtr(-bias - along / 2)
        return fn, (1 - self.p1) * ndtr(bias - along / 2)

    def f(self, fn: float, fp: float) -> float:
        return 2 * (self.p1 - fn) / (2 * self.p1 - fn + fp)

    def best_f(self) -> float:
        """F*: both errors fall with the distance along a direction, so that one bias is left."""
        found = minimize_scalar(
            lambda bias: -self.f(*self._errors(bias, self.gap)),
            bounds=(-10, 10),
            options={"xatol": 1e-10},
        )
        return -found.fun

    def least_risk(self, theta: float) -> float:
        """The least <a(theta), E>, where the weighted densities of the classes are equal."""
        odds = (1 - theta / 2) * self.p1 / (theta / 2 * (1 - self.p1))
        return risk(theta, *self._errors(np.log(odds) / self.gap, self.gap))


def risk(theta: float, fn: float, fp: float) -> float:
    """<a(theta), E> with a(theta) = [1 - theta / 2, theta / 2]."""
    return (1 - theta / 2) * fn + theta / 2 * fp


@dataclass(frozen=True)
class Learned:
    """One of the K classifiers: its cost, F, distance from the least risk, F over the stream."""

    theta: float
    f: float
    eps0: float
    online: float


def learn(problem: Problem, loss: str, seed: int) -> list[Learned]:
    """The classifiers of all costs, after one stream; they learn apart from one another."""
    X, y = problem.sample(ROWS, seed)
    found = []
    for j in range(1, LEARNERS[-1] + 1):
        theta = j / (LEARNERS[-1] + 1)
        learner = ASCW(loss=loss, cost=1 - theta / 2, keep=problem.n_features)
        decision = learner.progress(X, y, classes=[-1, 1])
        errors = problem.errors(learner.coef_[0])
        eps0 = risk(theta, *errors) - problem.least_risk(theta)
        online = f_measure(y, np.where(decision > 0, 1, -1))
        found.append(Learned(theta, problem.f(*errors), eps0, online))
    return found


def judged(problem: Problem, learned: list[Learned], K: int) -> dict:
    """Whether the bound holds for K of the classifiers, and whether Algorithm 2 picks the best."""
    step = (LEARNERS[-1] + 1) // (K + 1)
    own = learned[step - 1 :: step]
    best = max(own, key=lambda model: model.f)
    picked = max(own, key=lambda model: model.online)
    told = {"F*": problem.best_f(), "best F": best.f, "eps0 / P1": best.eps0 / problem.p1}
    for name, delta in (("printed", 1 / (2 * K)), ("own grid", 1 / (2 * K + 2))):
        told[f"bound {name}"] = told["F*"] - delta - told["eps0 / P1"]
        told[f"holds {name}"] = best.f >= told[f"bound {name}"] - WITHIN
    alone = told["F*"] - best.f <= 1 / (2 * K + 2) + WITHIN
    return told | {"holds without eps0": alone, "picked F": picked.f, "best picked": picked is best}


def never(problem: Problem, K: int) -> float:
    """The printed bound for a classifier that never predicts the minority, the cost nearest F*.

    Its F is 0: where the bound is above that, it does not hold.
    """
    best = problem.best_f()
    theta = min((j / (K + 1) for j in range(1, K + 1)), key=lambda theta: abs(theta - best))
    eps0 = risk(theta, problem.p1, 0.0) - problem.least_risk(theta)
    return best - 1 / (2 * K) - eps0 / problem.p1


def runs() -> pd.DataFrame:
    """A row for every loss, P1, K and seed."""
    rows = []
    for loss, name in LOSSES.items():
        for number, p1 in enumerate(SHARES):
            problem = Problem(p1)
            for seed in range(SEEDS):
                learned = learn(problem, loss, SEEDS * number + seed)
                for K in LEARNERS:
                    place = {"method": name, "P1": p1, "K": K, "seed": seed}
                    rows.append(place | judged(problem, learned, K))
    return pd.DataFrame(rows)


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds, the sd of what is reached, and in how many seeds the bound holds."""
    rows = found.drop(columns="seed").groupby(["method", "P1", "K"], sort=False)
    counts = rows.agg({name: "sum" for name in found if found[name].dtype == bool})
    means = rows[[n for n in found if found[n].dtype == float and n != "P1"]].mean()
    sds = rows[["best F", "picked F"]].std(ddof=1).add_suffix(" sd")
    return pd.concat([means, sds, counts], axis=1).assign(seeds=rows.size()).reset_index()


def sheet(told: pd.DataFrame) -> Sheet:
    """The table as people read it."""
    texts = told[["method"]].assign(P1=[f"1/{round(1 / p1)}" for p1 in told["P1"]], K=told["K"])
    for name in ("F*", "best F", "eps0 / P1", "bound printed", "bound own grid", "picked F"):
        sds = told.get(f"{name} sd", [None] * len(told))
        pairs = zip(told[name], sds, strict=True)
        texts[name] = [f"{m:.3f}" + (f" ± {s:.3f}" if s is not None else "") for m, s in pairs]
    for name in ("holds printed", "holds own grid", "holds without eps0", "best picked"):
        texts[name] = [f"{n} of {of}" for n, of in zip(told[name], told["seeds"], strict=True)]
    problem = Problem(SHARES[0])
    notes = [
        f"The bound of Proposition 1 on two Gaussians {problem.gap:g} sd apart in "
        f"{problem.n_features} features, after {ROWS} samples, mean ± sd over seeds.",
        "Printed: F* - 1/(2K) - eps0 / P1; own grid: F* - 1/(2K + 2) - eps0 / P1. Best picked: in "
        "how many seeds the classifier with the best F over the stream has the best F.",
        "It is not true of all classifiers: of 9 that hardly ever predict the minority, where "
        f"P1 = 1/{round(1 / problem.p1)}, it says F >= {never(problem, 9):.3f}, and F is near 0.",
    ]
    return Sheet(notes, [Section(list(texts), texts.astype(str).to_numpy().tolist(), set())], told)


def draw(told: pd.DataFrame) -> bytes:
    """F*, what is reached and the bounds against K, a panel for every method and P1."""
    with rc_context(LOOK):
        figure = drawing.Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots(len(LOSSES), len(SHARES), sharex=True, sharey=True)
        groups = told.groupby(["method", "P1"], sort=False)
        for axis, ((method, p1), own) in zip(axes.flat, groups, strict=True):
            places = np.arange(len(own))
            axis.plot(places, own["F*"], color="0.35", linestyle="--", label="F*")
            reached = own["best F"], own["best F sd"]
            axis.errorbar(places, *reached, marker="o", color="#0072B2", label="best of K")
            axis.plot(places, own["picked F"], "^", color="#D55E00", label="picked")
            axis.plot(places, own["bound printed"], "s:", color="#009E73", label="bound, printed")
            axis.plot(places, own["bound own grid"], "D:", color="#CC79A7", label="bound, own grid")
            axis.set_xticks(places, own["K"])
            axis.set_title(f"{method}, P1 = 1/{round(1 / p1)}")
        for axis in axes[-1]:
            axis.set_xlabel("K")
        for axis in axes[:, 0]:
            axis.set_ylabel("F-measure")
        figure.legend(
            *axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=5
        )
        return png(figure)


def main() -> None:
    with threadpool_limits(1):
        told = summary(runs())
    note = {"problems": [asdict(Problem(p1)) for p1 in SHARES], "rows": ROWS, "seeds": SEEDS}
    publish(results() / NAME, "bound", sheet(told), draw(told), note)


if __name__ == "__main__":
    main()
