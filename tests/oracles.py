"""Slow, obvious versions of every formula.

Filters take one feature as a list of numbers, a float standing for the exact number it holds, and
count in exact fractions. Measures are plain Python; y is +1 / -1. Online learners take one row at a
time and move every weight every round, in the paper's own sense of the signs, [Han2016]: +1 is the
majority, -1 the minority.
"""

import math
from fractions import Fraction
from itertools import product

import numpy as np

# Filters


def s2n(feature, y, sided="one"):
    """[Wasikowski2009] Eq. (3.5)."""
    minority, majority = _of(feature, y, 1), _of(feature, y, -1)
    signal = _mean(minority) - _mean(majority)
    noise = math.sqrt(_variance(minority)) + math.sqrt(_variance(majority))
    score = _ratio(signal, noise)
    return abs(score) if sided == "two" else score


def fisher(feature, y, form="printed"):
    """[Yin2013] Eq. (5)-(6) with two classes, Eq. (7)-(9) with more."""
    classes = sorted(set(y))
    groups = [_of(feature, y, label) for label in classes]
    if len(classes) == 2:
        first, second = groups
        spread = _scatter if form == "printed" else _variance
        return _ratio((_mean(first) - _mean(second)) ** 2, spread(first) + spread(second))
    everything = [Fraction(x) for x in feature]
    between = sum(len(group) * (_mean(group) - _mean(everything)) ** 2 for group in groups)
    return _ratio(between, sum(_scatter(group) for group in groups))


def chi(feature, y):
    """[Wasikowski2009] Eq. (3.1) over the four cells of the table."""
    cut = (_mean(_of(feature, y, 1)) + _mean(_of(feature, y, -1))) / 2
    score = Fraction(0)
    for label in (1, -1):
        for above in (True, False):
            count = sum((x >= cut) == above and c == label for x, c in zip(feature, y, strict=True))
            on_side = sum((x >= cut) == above for x in feature)
            in_class = sum(c == label for c in y)
            expected = Fraction(on_side * in_class, len(y))
            if expected > 0:
                score += (count - expected) ** 2 / expected
    return float(score)


def fast(feature, y, K=10):
    """[Wasikowski2009] Algorithm 2, the area under the ROC by its corners."""
    values = sorted(Fraction(x) for x in feature)
    N = len(values)
    edges = [math.floor(Fraction(j * N, K) + Fraction(1, 2)) for j in range(K + 1)]
    points = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    for bottom, top in zip(edges, edges[1:], strict=False):
        if bottom < top:
            threshold = _mean(values[bottom:top])
            points.add((_rate(feature, y, -1, threshold), _rate(feature, y, 1, threshold)))
    corners = sorted(points)
    area = sum(
        (b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(corners, corners[1:], strict=False)
    )
    return float(max(area, 1 - area))


def _rate(feature, y, label, threshold):
    """Share of the class at or above the threshold."""
    members = _of(feature, y, label)
    return Fraction(sum(x >= threshold for x in members), len(members))


def _of(feature, y, label):
    return [Fraction(x) for x, c in zip(feature, y, strict=True) if c == label]


def _mean(values):
    return sum(values) / Fraction(len(values))


def _scatter(values):
    return sum((x - _mean(values)) ** 2 for x in values)


def _variance(values):
    return _scatter(values) / len(values)


def _ratio(signal, noise):
    if noise > 0:
        return float(signal / noise) if isinstance(noise, Fraction) else float(signal) / noise
    return 0.0 if signal == 0 else math.copysign(math.inf, signal)


def awkward(y, seed):
    """A matrix of the features that go wrong: ties, constants, copies of the label, few values."""
    rng = np.random.default_rng(seed)
    n = len(y)
    counts = rng.integers(-2, 3, size=(n, 25))
    return np.column_stack(
        [
            rng.normal(size=(n, 10)),
            counts,
            counts * (rng.random(size=counts.shape) < 0.2),
            rng.normal(size=(n, 10)) * (rng.random(size=(n, 10)) < 0.3),
            np.full(n, 0.1),
            np.full(n, -7.0),
            np.zeros(n),
            y,
            -y,
            y == y.max(),
            np.arange(n) == 0,
        ]
    ).astype(float)


# Measures


def auc(y, decision):
    pairs = [
        1.0 if p > n else 0.5 if p == n else 0.0
        for p, a in zip(decision, y, strict=True)
        if a > 0
        for n, b in zip(decision, y, strict=True)
        if b < 0
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


def achievable_points(y, decision):
    """(tp, fp) of "predict the minority from here up", for every distinct decision, best first."""
    points = [(0, 0)]
    for threshold in sorted(set(decision), reverse=True):
        chosen = [label for label, value in zip(y, decision, strict=True) if value >= threshold]
        points.append((chosen.count(1), chosen.count(-1)))
    return points


def interpolated_precision(a, b, tp):
    """Precision at `tp` true positives between the points a and b, [Davis2006]."""
    fp = a[1] + (b[1] - a[1]) / (b[0] - a[0]) * (tp - a[0])
    return tp / (tp + fp)


def prc(y, decision, steps=4000):
    """The area under the precision-recall curve, by the midpoint rule between achievable points."""
    positives = sum(label > 0 for label in y)
    points = achievable_points(y, decision)
    area = 0.0
    for a, b in zip(points, points[1:], strict=False):
        width = (b[0] - a[0]) / steps
        for step in range(steps if width else 0):
            area += width * interpolated_precision(a, b, a[0] + (step + 0.5) * width)
    return area / positives


def average_precision(y, decision):
    positives = sum(label > 0 for label in y)
    points = achievable_points(y, decision)
    gains = [(b[0] - a[0]) * b[0] / (b[0] + b[1]) for a, b in zip(points, points[1:], strict=False)]
    return sum(gains) / positives


def recall(y, predicted, label):
    mine = [p for t, p in zip(y, predicted, strict=True) if t == label]
    return mine.count(label) / len(mine)


def f_measure(y, predicted):
    hits = sum(t > 0 and p > 0 for t, p in zip(y, predicted, strict=True))
    if hits == 0:
        return 0.0
    precision = hits / sum(p > 0 for p in predicted)
    sensitivity = hits / sum(t > 0 for t in y)
    return 2 * precision * sensitivity / (precision + sensitivity)


def g_mean(y, predicted):
    recalls = [recall(y, predicted, label) for label in set(y)]
    return math.prod(recalls) ** (1 / len(recalls))


# Online learners


def pa(rows, labels, *, variant="one", C=1.0, eta=1.0, g=0.0, theta=float("inf"), K=10, keep=None):
    """PA, PA-I and PA-II with truncation every K rounds: the weights after each round."""
    w = [0.0] * len(rows[0])
    history = []
    for t, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        w = _kept(_passive_aggressive(w, x, y, variant, C), keep)
        w = _truncated(w, t, eta, g, theta, K)
        history.append(w)
    return history


def mbpa(rows, labels, *, C=1.0, eta=1.0, g=0.0, theta=float("inf"), K=10, keep=None):
    """Algorithm 1 of [Han2016], line by line: the weights after each round."""
    w = [0.0] * len(rows[0])
    p, n = 1, 1
    history = []
    for t, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        if y == +1:
            p = p + 1
        else:
            n = n + 1
        rho = p / n
        loss = _margin_loss(y, y * _dot(w, x), rho)
        w = _kept(_moved(w, _step("one", loss, _dot(x, x), C) * y, x), keep)
        w = _truncated(w, t, eta, g, theta, K)
        history.append(w)
    return history


def onpa(
    rows,
    labels,
    *,
    rng,
    variant="plain",
    C=1.0,
    beta=1.0,
    synthesis="extrapolate",
    eta=1.0,
    g=0.0,
    theta=float("inf"),
    K=10,
    keep=None,
):
    """Algorithm 2 of [Han2016], line by line: the weights after each round."""
    w = [0.0] * len(rows[0])
    p, n = 1, 1
    D = []
    history = []
    for t, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        if y == +1:
            p = p + 1
        else:
            n = n + 1
        N = beta * p / n
        w = _kept(_passive_aggressive(w, x, y, variant, C), keep)
        if y == -1:
            for _ in range(math.floor(N) if D else 0):
                x_p = D[math.floor(rng.random() * len(D))]
                a = rng.random()
                if synthesis == "interpolate":
                    a = -a
                x_q = [v + a * (v - u) for v, u in zip(x, x_p, strict=True)]
                w = _kept(_passive_aggressive(w, x_q, y, variant, C), keep)
            D.append(x)
        w = _truncated(w, t, eta, g, theta, K)
        history.append(w)
    return history


def cs(
    rows,
    labels,
    *,
    loss="one",
    C=1.0,
    step="sqrt",
    rho="running",
    eta=1.0,
    g=0.0,
    theta=float("inf"),
    K=10,
    keep=None,
):
    """CSOGD-I and CSOGD-II, [Zhao2013]: the weights after each round."""
    w = [0.0] * len(rows[0])
    p, n = 1, 1
    history = []
    for t, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        if y == +1:
            p = p + 1
        else:
            n = n + 1
        cost = 1.0 if y == +1 else (p / n if rho == "running" else rho)
        rate = C / math.sqrt(t) if step == "sqrt" else C
        margin = y * _dot(w, x)
        if loss == "one" and margin < cost:
            w = _moved(w, rate * y, x)
        if loss == "two" and margin < 1.0:
            w = _moved(w, rate * cost * y, x)
        w = _truncated(_kept(w, keep), t, eta, g, theta, K)
        history.append(w)
    return history


def ofs(rows, labels, *, eta=0.2, lam=0.01, shrink="none", keep=None):
    """OFS, [Wang2014], with its three forms of shrinking: the weights after each round."""
    w = [0.0] * len(rows[0])
    history = []
    for x, y in zip(rows, labels, strict=True):
        updates = y * _dot(w, x) <= 1.0
        if shrink == "always" or (shrink == "on_update" and updates):
            w = [(1 - lam * eta) * v for v in w]
        if updates:
            w = _moved(w, eta * y, x)
            norm = math.sqrt(_dot(w, w))
            if norm > 1 / math.sqrt(lam):
                w = [v / norm / math.sqrt(lam) for v in w]
            w = _kept(w, keep)
        history.append(w)
    return history


def _passive_aggressive(w, x, y, variant, C):
    margin = y * _dot(w, x)
    loss = 0.0 if margin >= 1.0 else 1.0 - margin  # Eq. (1)
    return _moved(w, _step(variant, loss, _dot(x, x), C) * y, x)


def _kept(w, keep):
    """The largest weights, ties to the lower index, and 0 for the others."""
    if keep is None:
        return w
    order = sorted(range(len(w)), key=lambda j: (-abs(w[j]), j))
    return [v if j in order[:keep] else 0.0 for j, v in enumerate(w)]


def _margin_loss(y, margin, rho):
    """Eq. (7), never below 0."""
    if y == +1 and margin <= 0:
        return -margin
    if y == -1 and margin <= 1:
        return max(0.0, rho - margin)
    return 0.0


def _step(variant, loss, squared_norm, C):
    """tau of Eq. (3), of Eq. (6), or of the unnumbered line below it; a row of zeros takes none."""
    if squared_norm == 0.0:
        return 0.0
    if variant == "plain":
        return loss / squared_norm
    if variant == "one":
        return min(C, loss / squared_norm)
    return loss / (squared_norm + 1 / (2 * C))


def _truncated(w, t, eta, g, theta, K):
    """Eq. (9): g_t is K g when K divides t, else 0."""
    g_t = K * g if t % K == 0 else 0.0
    return [_truncate(v, eta * g_t, theta) for v in w]


def _truncate(v, alpha, theta):
    """Eq. (10)."""
    if 0 < v < theta:
        return max(0.0, v - alpha)
    if -theta < v < 0:
        return min(0.0, v + alpha)
    return v


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def _moved(w, step, x):
    return [v + step * value for v, value in zip(w, x, strict=True)]


def settings(variants: list[tuple[str, dict]]) -> list[dict]:
    """All combinations of swept values with exactly one agreeing variant of every method.

    A variant is (method, parameters). A parameter is swept by a method that has two values of it;
    a variant disagrees with a combination if it has another of the swept values.
    """
    swept: dict[str, list] = {}
    for method, params in variants:
        for name, value in params.items():
            values = {p[name] for m, p in variants if m == method}
            if len(values) > 1 and value not in swept.setdefault(name, []):
                swept[name].append(value)
    found = []
    for values in product(*swept.values()):
        combination = dict(zip(swept, values, strict=True))
        agreeing = [
            method
            for method, params in variants
            if not any(params.get(k) in set(swept[k]) - {v} for k, v in combination.items())
        ]
        if sorted(agreeing) == sorted({method for method, _ in variants}):
            found.append(combination)
    return found
