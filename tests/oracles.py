"""Slow, obvious versions of every formula.

Filters take one feature as a list of numbers, a float standing for the exact number it holds, and
count in exact fractions. Measures are plain Python; y is +1 / -1. Online learners take one row at a
time and move every weight every round, in the paper's own sense of the signs, [Han2016]: +1 is the
majority, -1 the minority.
"""

import math
from fractions import Fraction
from itertools import permutations, product
from statistics import NormalDist, mean, stdev

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize, minimize_scalar

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


def pcc(feature, y, sided="one"):
    """[Wasikowski2009] Eq. (3.4)."""
    x, c = _centred(feature), _centred(y)
    squares = sum(v * v for v in x) * sum(v * v for v in c)
    products = sum(a * b for a, b in zip(x, c, strict=True))
    score = math.copysign(math.sqrt(products**2 / squares), products) if squares else 0.0
    return score**2 if sided == "two" else score


def cut_table(feature, y):
    """tp, fp, fn and tn of the feature cut at the midpoint of the class means."""
    cut = (_mean(_of(feature, y, 1)) + _mean(_of(feature, y, -1))) / 2
    above = [c for x, c in zip(feature, y, strict=True) if x >= cut]
    below = [c for x, c in zip(feature, y, strict=True) if x < cut]
    return above.count(1), above.count(-1), below.count(1), below.count(-1)


def ig(feature, y):
    """[Wasikowski2009] Eq. (3.2)."""
    tp, fp, fn, tn = cut_table(feature, y)
    N = len(y)
    return _bits(tp + fn, fp + tn) - ((tp + fp) / N * _bits(tp, fp) + (tn + fn) / N * _bits(fn, tn))


def odds_ratio(feature, y, sided="one", zero="product"):
    """[Wasikowski2009] Eq. (3.3)."""
    tp, fp, fn, tn = cut_table(feature, y)
    if tp + fp == 0 or fn + tn == 0:
        return 0.0
    if zero == "product":
        denominator = fp * fn if fp * fn > 0 else 1
    else:
        denominator = (fp if fp > 0 else 1) * (fn if fn > 0 else 1)
    score = math.log(Fraction(tp * tn, denominator)) if tp * tn > 0 else -math.inf
    return score**2 if sided == "two" else score


def bns(feature, y):
    """[Forman2003], bi-normal separation."""
    tp, fp, fn, tn = cut_table(feature, y)
    tpr, fpr = (min(max(r, 0.0005), 0.9995) for r in (tp / (tp + fn), fp / (fp + tn)))
    return abs(NormalDist().inv_cdf(tpr) - NormalDist().inv_cdf(fpr))


def _bits(a, b):
    shares = [count / (a + b) for count in (a, b) if count > 0]
    return -sum(share * math.log2(share) for share in shares)


def corr(feature, y, classes="mean"):
    """[Yin2013] Eq. (2) squared; of more than two classes, each against the rest or their codes."""
    labels = sorted(set(y))
    if len(labels) == 2:
        return pcc(feature, [1 if c == labels[1] else -1 for c in y]) ** 2
    if classes == "codes":
        return pcc(feature, [labels.index(c) for c in y]) ** 2
    scores = [pcc(feature, [1 if c == label else -1 for c in y]) ** 2 for label in labels]
    return max(scores) if classes == "maximum" else sum(scores) / len(scores)


def binned(feature, bins, cut="width"):
    """The bin of every value: the value itself, where there are no more of them than bins."""
    values = [Fraction(x) for x in feature]
    bins = 3 if cut == "deviation" else bins
    if len(set(values)) <= bins:
        return [sorted(set(values)).index(x) for x in values]
    if cut == "width":
        low, high = min(values), max(values)
        return [min(math.floor((x - low) / (high - low) * bins), bins - 1) for x in values]
    if cut == "deviation":
        mean, deviation = float(_mean(values)), math.sqrt(_variance(values))
        return [(x >= mean - deviation) + (x >= mean + deviation) for x in values]
    ranks = [sum(v < x for v in values) + Fraction(sum(v == x for v in values), 2) for x in values]
    return [math.ceil(rank * bins / len(values)) - 1 for rank in ranks]


def mi(feature, y, bins=10, cut="width"):
    """[Yin2013] Eq. (4) in bits."""
    places, N = binned(feature, bins, cut), len(y)
    score = 0.0
    for x, c in set(zip(places, y, strict=True)):
        joint = sum(a == x and b == c for a, b in zip(places, y, strict=True))
        score += joint / N * math.log2(Fraction(joint * N, places.count(x) * y.count(c)))
    return score


def hellinger(feature, y, bins=10, cut="width", parents=None):
    """[Yin2013] Eq. (12), the mean over pairs of classes that have different parents."""
    places = binned(feature, bins, cut)
    distances = []
    for a, b in class_pairs(y, parents):
        total = 0.0
        for x in set(places):
            shares = [_share(places, y, x, label) for label in (a, b)]
            total += (math.sqrt(shares[0]) - math.sqrt(shares[1])) ** 2
        distances.append(math.sqrt(total))
    return sum(distances) / len(distances)


def _share(places, y, x, label):
    inside = sum(p == x and c == label for p, c in zip(places, y, strict=True))
    return Fraction(inside, y.count(label))


def class_pairs(y, parents=None):
    """Pairs of classes; `parents` says which class a pseudo-class is a part of."""
    labels = sorted(set(y))
    pairs = [(a, b) for a in labels for b in labels if a < b]
    return [(a, b) for a, b in pairs if parents is None or parents[a] != parents[b]]


def over_pairs(score, feature, y, parents=None):
    """The mean of a score for two classes, +1 and -1, over the pairs of classes."""
    scores = []
    for a, b in class_pairs(y, parents):
        rows = [i for i, c in enumerate(y) if c in (a, b)]
        labels = [1 if y[i] == b else -1 for i in rows]
        scores.append(score([feature[i] for i in rows], labels))
    return sum(scores) / len(scores)


def two_sided_auc(feature, y):
    """The area under the ROC of the feature as decision, or 1 less it."""
    return max(auc(y, feature), 1 - auc(y, feature))


def _sides(feature, y):
    """Labels above and below the mean of the class means."""
    labels = sorted(set(y))
    cut = _mean([_mean(_of(feature, y, label)) for label in labels])
    above = [c for x, c in zip(feature, y, strict=True) if x >= cut]
    return above, [c for x, c in zip(feature, y, strict=True) if x < cut]


def chi_of_classes(feature, y):
    """[Wasikowski2009] Eq. (3.1) over both sides of the cut of every class."""
    score = Fraction(0)
    for label in set(y):
        for side in _sides(feature, y):
            expected = Fraction(len(side) * y.count(label), len(y))
            if expected > 0:
                score += (side.count(label) - expected) ** 2 / expected
    return float(score)


def ig_of_classes(feature, y):
    """[Wasikowski2009] Eq. (3.2) with the entropy of several classes."""
    sides = _sides(feature, y)
    return _bits_of(y) - sum(len(side) / len(y) * _bits_of(side) for side in sides)


def _bits_of(labels):
    return -sum(
        labels.count(c) / len(labels) * math.log2(labels.count(c) / len(labels))
        for c in set(labels)
    )


def fast(feature, y, K=10):
    """[Wasikowski2009] Algorithm 2, the area under the ROC by its corners."""
    points = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    for threshold in bin_means(feature, K):
        points.add((_rate(feature, y, -1, threshold), _rate(feature, y, 1, threshold)))
    corners = sorted(points)
    area = sum(
        (b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(corners, corners[1:], strict=False)
    )
    return float(max(area, 1 - area))


def bin_means(feature, K):
    """The thresholds of Algorithm 2."""
    values = sorted(Fraction(x) for x in feature)
    N = len(values)
    edges = [math.floor(Fraction(j * N, K) + Fraction(1, 2)) for j in range(K + 1)]
    bins = [values[a:b] for a, b in zip(edges, edges[1:], strict=False) if a < b]
    return [_mean(values) for values in bins]


def larger_prc(feature, y, thresholds, reading):
    """[Wasikowski2009] Sec. 3.2.3: the larger of two areas under precision-recall curves."""
    label = 1 if reading == "minority_below" else -1
    above = reading == "majority_above"
    curves = [(1, True), (label, above)]
    return max(_prc_of_class(feature, y, thresholds, *curve) for curve in curves)


def _prc_of_class(feature, y, thresholds, label, above):
    """The area of one class, predicted above or below the thresholds."""
    points = {(0, 0), (y.count(label), y.count(-label))}
    for threshold in thresholds:
        chosen = [c for x, c in zip(feature, y, strict=True) if (x >= threshold) == above]
        points.add((chosen.count(label), chosen.count(-label)))
    corners = sorted(points)
    areas = [
        quad(lambda tp, a=a, b=b: interpolated_precision(a, b, tp), a[0], b[0])[0]
        for a, b in zip(corners, corners[1:], strict=False)
        if a[0] < b[0]
    ]
    return sum(areas) / y.count(label)


def relieff(rows, y, neighbours=10, squared=False):
    """[Kononenko1994] over all samples; one neighbour by squares is [Wasikowski2009] Alg. 1.

    Distances are compared in single precision.
    """
    rows = [[Fraction(x) for x in row] for row in rows]
    spans = [max(column) - min(column) for column in zip(*rows, strict=True)]
    weights = [Fraction(0)] * len(spans)
    for i, own in enumerate(y):
        gaps = [_gaps(rows[i], row, spans) for row in rows]
        far = [np.float32(float(sum(g * g if squared else g for g in row))) for row in gaps]
        for label in set(y):
            others = [k for k, c in enumerate(y) if c == label and k != i]
            near = sorted(others, key=lambda k: (far[k], k))[:neighbours]
            factor = -1 if label == own else Fraction(y.count(label), len(y) - y.count(own))
            for k in near:
                pull = Fraction(factor, len(near) * len(y))
                weights = [w + pull * gap for w, gap in zip(weights, gaps[k], strict=True)]
    return [float(w) for w in weights]


def _gaps(a, b, spans):
    triples = zip(a, b, spans, strict=True)
    return [abs(x - z) / span if span else Fraction(0) for x, z, span in triples]


def _rate(feature, y, label, threshold):
    """Share of the class at or above the threshold."""
    members = _of(feature, y, label)
    return Fraction(sum(x >= threshold for x in members), len(members))


def _of(feature, y, label):
    return [Fraction(x) for x, c in zip(feature, y, strict=True) if c == label]


def _mean(values):
    return sum(values) / Fraction(len(values))


def _centred(values):
    mean = _mean([Fraction(value) for value in values])
    return [Fraction(value) - mean for value in values]


def _scatter(values):
    mean = _mean(values)
    return sum((x - mean) ** 2 for x in values)


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


def f_majority(y, predicted):
    return f_measure([-t for t in y], [-p for p in predicted])


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


# Averages over problems: {(problem, classifier, selector, features): value}, None if incomplete


def averages(values: dict[tuple, float | None], selectors: list[str], classifiers: list[str]):
    """Mean over problems by (selector, features), and how many; the mean over classifiers of each.

    A problem counts at a number of features if no selector lacks a value by any classifier.
    """
    found = {}
    problems, counts = {key[0] for key in values}, {key[3] for key in values}
    for features in counts:
        cells = {
            problem: [
                [values.get((problem, c, s, features)) for c in classifiers] for s in selectors
            ]
            for problem in problems
        }
        whole = [c for c in cells.values() if all(v is not None for row in c for v in row)]
        for place, selector in enumerate(selectors):
            means = [sum(cell[place]) / len(classifiers) for cell in whole]
            if means:
                found[selector, features] = (sum(means) / len(means), len(means))
    return found


def within(problems: list[dict[str, float]], tolerance: int) -> dict[str, float]:
    """[Wasikowski2009] Sec. 4.4: the share of problems where a selector is near the best one."""
    hits = dict.fromkeys(problems[0], 0)
    for values in problems:
        best = max(value for name, value in values.items() if name not in ("none", "random"))
        for name, value in values.items():
            hits[name] += value >= best - best * tolerance / 100
    return {name: count / len(problems) for name, count in hits.items()}


# Pairs


def pair_loss(minority, majority):
    """The mean of max(0, 1 - (f_i - f_j)) over all pairs, and its slope in every score."""
    pairs = Fraction(1, len(minority) * len(majority))
    loss, up, down = 0.0, [Fraction(0)] * len(minority), [Fraction(0)] * len(majority)
    for i, one in enumerate(minority):
        for j, other in enumerate(majority):
            if other > one - 1.0:
                loss += (1 - (one - other)) * float(pairs)
                up[i] -= pairs
                down[j] += pairs
    return loss, [float(slope) for slope in up + down]


def balanced_threshold(scores, minority):
    """The lowest midpoint of neighbouring scores with the best mean of the two recalls."""
    values = sorted(set(scores))
    best, found = Fraction(-1), values[0]
    for low, high in zip(values, values[1:], strict=False):
        right = [(f > low) == rare for f, rare in zip(scores, minority, strict=True)]
        recalls = [
            Fraction(sum(r for r, m in zip(right, minority, strict=True) if m == rare))
            / sum(m == rare for m in minority)
            for rare in (True, False)
        ]
        if sum(recalls) > best:
            best, found = sum(recalls), (low + high) / 2
    return found


# Statistics


def signed_ranks(differences):
    """T = min(R+, R-) of distinct non-zero differences, and its p over all 2^n signs."""
    order = sorted(differences, key=abs)
    n = len(order)
    plus = sum(rank for rank, d in enumerate(order, start=1) if d > 0)
    T = min(plus, n * (n + 1) // 2 - plus)
    as_low = 0
    for signs in product((0, 1), repeat=n):
        as_low += sum(rank * sign for rank, sign in enumerate(signs, start=1)) <= T
    return T, min(1.0, 2 * as_low / 2**n)


def holm(p):
    """Reject while p <= level / (how many are left): the least level that rejects each."""
    levels, left = {}, sorted(range(len(p)), key=lambda i: p[i])
    needed = 0.0
    while left:
        needed = max(needed, p[left[0]] * len(left))
        levels[left.pop(0)] = min(1.0, needed)
    return [levels[i] for i in range(len(p))]


def mean_ranks(values):
    """Rank = 1 + how many are better + half of how many others are equal, the mean over rows."""
    k = len(values[0])
    ranks = [
        [1 + sum(o > v for o in row) + Fraction(sum(o == v for o in row) - 1, 2) for v in row]
        for row in values
    ]
    return [float(sum(row[j] for row in ranks) / len(ranks)) for j in range(k)]


def friedman_p(values):
    """The share of all orders of the ranks within rows whose sums differ as much, or more."""
    ranks = [mean_ranks([row]) for row in values]

    def apart(rows):
        return sum(sum(column) ** 2 for column in zip(*rows, strict=True))

    orders = list(product(*(permutations(row) for row in ranks)))
    return sum(apart(rows) >= apart(ranks) for rows in orders) / len(orders)


def kuncheva(sets, d):
    """Mean over pairs of (|A and B| - k^2/d) / (k - k^2/d), for sets of one size k."""
    (k,) = {len(one) for one in sets}
    chance = Fraction(k * k, d)
    agreement = [
        (len(one & other) - chance) / (k - chance)
        for i, one in enumerate(sets)
        for other in sets[:i]
    ]
    return float(sum(agreement) / len(agreement))


# Sparse confidence-weighted learning


def sparse_cw_batch(X, y, mu, Sigma, *, D, q, C, sigma, p, r, cost_weighted, informed, warm, reset):
    """One batch of [Liu2019] Algorithm 1 with full matrices: the new mean and covariance.

    Its slips mended: y_i stands in the update of z, and w is w_{h-1} + grad Omega*(z).
    """
    n, d = X.shape
    alpha = D / n if cost_weighted else np.ones(n) / n
    groups, gammas, rest = [], [], set(range(d))
    while sum(map(len, groups)) < p:
        s = sum(alpha[i] * y[i] * X[i] for i in range(n))
        m = (s @ Sigma + 2 * mu) * s if informed else s * s  # Eq. (14)
        left = min(r, p - sum(map(len, groups)))
        eta = sorted(sorted((j for j in rest if m[j] > 0), key=lambda j: (-m[j], j))[:left])
        if not eta:
            break
        rest -= set(eta)
        Xr = np.zeros((n, d))
        Xr[:, eta] = X[:, eta]
        Sigma = np.linalg.inv(np.linalg.inv(Sigma) + C * Xr.T @ Xr)  # Eq. (10)
        values, vectors = np.linalg.eigh(Sigma[np.ix_(eta, eta)])
        groups.append(eta)
        gammas.append(vectors @ np.diag(np.sqrt(values)) @ vectors.T)
        before = [
            np.linalg.solve(g, mu[e]) if warm else np.zeros(len(e))
            for g, e in zip(gammas, groups, strict=True)
        ]
        z, w = [np.zeros(len(e)) for e in groups], list(before)
        alpha = alpha.copy()
        for i in range(n):
            x = [g @ X[i, e] for g, e in zip(gammas, groups, strict=True)]
            loss = max(0, 1 - y[i] * sum(wk @ xk for wk, xk in zip(w, x, strict=True)))
            square = sum(xk @ xk for xk in x)
            if loss > 0 and square > 0:
                if q == 1:
                    alpha[i] = min(loss / (C * square), D[i])
                else:
                    alpha[i] = loss / (C * square + 0.5 / D[i])
                z = [zk + C * alpha[i] * y[i] * xk for zk, xk in zip(z, x, strict=True)]
                norms = [np.linalg.norm(zk) for zk in z]
                tau = group_threshold(norms, sigma)
                shares = [max(0, 1 - tau / n_k) / sigma if n_k else 0 for n_k in norms]
                w = [b + s * zk for b, s, zk in zip(before, shares, z, strict=True)]
    new = np.zeros(d) if reset else mu.copy()
    for g, e, wk in zip(gammas, groups, w if groups else [], strict=True):
        new[e] = g @ wk
    return new, Sigma


def ascw(X, y, batches, costs, form):
    """[Liu2019] Algorithm 2 by F-measure: each learner's weights and F, and the costs picked."""
    d = X.shape[1]
    models = [(np.zeros(d), np.eye(d)) for _ in costs]
    counts = [[0, 0, 0] for _ in costs]
    picks = []
    for start, stop in batches:
        rows, signs = X[start:stop], y[start:stop]
        for k, cost in enumerate(costs):
            for f, sign in zip(rows @ models[k][0], signs, strict=True):
                counts[k][0] += f > 0 and sign > 0
                counts[k][1] += f > 0 and sign < 0
                counts[k][2] += f <= 0 and sign > 0
            D = np.array([1.0 if cost is None else cost if s > 0 else 1 - cost for s in signs])
            models[k] = sparse_cw_batch(rows, signs, *models[k], D=D, **form)
        F = [2 * tp / (2 * tp + fp + fn) if tp else 0 for tp, fp, fn in counts]
        picks.append(costs[F.index(max(F))])
    return [mu for mu, _ in models], F, picks


# Baselines of [Liu2019]: CSOAL, FGM; +1 is the minority


def csoal(rows, labels, *, rng, query=0.01, delta=1.0, C=1.0, loss="one", rho="running"):
    """[Zhao2013]: the weights, and how many labels were asked for, after each round."""
    w = [0.0] * len(rows[0])
    majority, minority, asked = 1, 1, 0
    history = []
    for t, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        f = _dot(w, x)
        if asked < query * t and rng.random() < delta / (delta + abs(f)):
            asked += 1
            if y == +1:
                minority += 1
            else:
                majority += 1
            ratio = majority / minority if rho == "running" else rho
            cost = ratio if y == +1 else 1.0
            if loss == "one":
                step = _step("one", max(0.0, cost - y * f), _dot(x, x), C)
            else:
                step = _step("one", max(0.0, 1.0 - y * f), _dot(x, x), C * cost)
            w = _moved(w, step * y, x)
        history.append((w, asked))
    return history


def group_threshold(norms, sigma):
    """tau = (1 / sigma) sum_k max(0, n_k - tau), by bisection: one side rises, the other falls."""
    low, high = 0.0, max(norms)
    for _ in range(200):
        tau = (low + high) / 2
        if tau < sum(max(0.0, n - tau) for n in norms) / sigma:
            low = tau
        else:
            high = tau
    return tau


def squared_sum_of_norms(smooth, groups):
    """The w least in (sum_k |w_k|)^2 / 2 + smooth(w), by a generic solver, and the value.

    `smooth` returns value and slope; `groups` are lists of indices. A norm is rounded off at 0,
    sqrt(|w_k|^2 + round^2), less and less.
    """
    w = np.full(sum(len(group) for group in groups), 0.01)
    for rounding in 10.0 ** -np.arange(0, 8):

        def target(w, rounding=rounding):
            value, slope = smooth(w)
            norms = [math.sqrt(sum(w[j] ** 2 for j in group) + rounding**2) for group in groups]
            slope = slope.copy()
            for group, norm in zip(groups, norms, strict=True):
                slope[group] += sum(norms) * w[group] / norm
            return sum(norms) ** 2 / 2 + value, slope

        w = minimize(target, w, jac=True, method="BFGS", options={"gtol": 1e-9}).x
    return w, target(w)[0]


def fgm(X, y, *, keep, r, C):
    """[Tan2014] without an early end: the groups in the order they are added, and the weights."""
    groups, chosen, w = [], [], np.zeros(len(X[0]))
    while len(chosen) < keep:
        alpha = [C * max(0.0, 1.0 - c * _dot(w, x)) for x, c in zip(X, y, strict=True)]
        violation = [
            sum(a * c * x[j] for a, c, x in zip(alpha, y, X, strict=True)) ** 2
            for j in range(len(w))
        ]
        left = sorted(set(range(len(w))) - set(chosen), key=lambda j: (-violation[j], j))
        groups.append(left[: min(r, keep - len(chosen))])
        chosen += groups[-1]
        A = np.array([[c * x[j] for j in chosen] for x, c in zip(X, y, strict=True)])
        places = [[chosen.index(j) for j in group] for group in groups]
        w[chosen] = squared_sum_of_norms(lambda v, A=A: squared_hinge(A, C, v), places)[0]
    return groups, w


def squared_hinge(A, C, w):
    """(C / 2) sum_i max(0, 1 - (A w)_i)^2, and its slope."""
    short = [max(0.0, 1.0 - _dot(row, w)) for row in A]
    slope = [-C * sum(s * row[j] for s, row in zip(short, A, strict=True)) for j in range(len(w))]
    return C / 2 * sum(s * s for s in short), np.array(slope)


# Trees


def pessimistic_rate(errors, n, confidence):
    """U of [Quinlan1993] Ch. 4: the rate at which so few errors have that probability."""
    low, high = errors / n, 1.0
    for _ in range(100):
        rate = (low + high) / 2
        terms = (math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(errors + 1))
        low, high = (rate, high) if sum(terms) > confidence else (low, rate)
    return low


def pruned(counts, children, confidence):
    """The nodes of a tree that remain as leaves, each with the pessimistic errors C4.5 compares."""

    def visit(node):
        n, errors = sum(counts[node]), sum(counts[node]) - max(counts[node])
        alone = n * pessimistic_rate(errors, n, confidence)
        if children[node] is None:
            return [node], alone
        (left, few), (right, more) = map(visit, children[node])
        return ([node], alone) if alone <= few + more + 0.1 else (left + right, few + more)

    return visit(0)[0]


# Costs that are picked


def picks(runs, picker, fixed):
    """Mean and sd of what a table of picks tells, from {run: {selector: (online, test, cost)}}.

    `fixed` is {cost: selector}. Runs without a value of everyone count for nothing.
    """
    found = {}
    for values in runs.values():
        needed = [picker, *fixed.values()]
        if any(values.get(name) is None for name in needed):
            continue
        _, test, picked = values[picker]
        for end, by in (("", 0), (" test", 1)):
            best = None
            for cost in sorted(fixed):
                if best is None or values[fixed[cost]][by] > values[fixed[best]][by]:
                    best = cost
            found.setdefault(f"best{end}", []).append(best)
            found.setdefault(f"error{end}", []).append(abs(best - picked))
            found.setdefault(f"lost{end}", []).append(values[fixed[best]][1] - test)
        found.setdefault("picked", []).append(picked)
    means = {name: mean(values) for name, values in found.items()}
    sds = {f"{name} sd": stdev(values) for name, values in found.items()}
    return means | sds | {"runs": len(found["picked"])}


# Measures of several classes and labels


def label_counts(y, predicted):
    """tp, fp and fn of every label, from rows of 0 and 1."""
    counts = []
    for k in range(len(y[0])):
        pairs = [(row[k], guess[k]) for row, guess in zip(y, predicted, strict=True)]
        counts.append([pairs.count(kind) for kind in ((1, 1), (0, 1), (1, 0))])
    return counts


def indicator(y, c):
    return [[int(label == k) for k in range(c)] for label in y]


def micro_f1(y, predicted):
    """[Liu2017] Eq. (3) with beta = 1, in its probabilities, from rows of 0 and 1."""
    n, up, down = len(y), Fraction(0), Fraction(0)
    for tp, fp, fn in label_counts(y, predicted):
        P, missed, false = Fraction(tp + fn, n), Fraction(fn, n), Fraction(fp, n)
        up += 2 * (P - missed)
        down += 2 * P + false - missed
    return up / down


def mc_f1(y, predicted, c):
    """[Liu2017] Eq. (4) with beta = 1, in its probabilities; class 0 is the first of c."""
    n = len(y)
    counts = label_counts(indicator(y, c), indicator(predicted, c))
    missed = [Fraction(fn, n) for _, _, fn in counts]
    P_1 = Fraction(list(y).count(0), n)
    rest = sum(missed[1:])
    return 2 * (1 - P_1 - rest) / (2 * (1 - P_1) - rest + missed[0])


def label_accuracy(y, predicted):
    """The mean over labels of the share that is right, from rows of 0 and 1."""
    n = len(y)
    return mean(Fraction(n - fp - fn, n) for _, fp, fn in label_counts(y, predicted))


def jaccard(y, predicted):
    """The mean over samples of what two sets of labels share, from rows of 0 and 1."""
    shares = []
    for row, guess in zip(y, predicted, strict=True):
        own, chosen = ({k for k, on in enumerate(labels) if on} for labels in (row, guess))
        shares.append(Fraction(len(own & chosen), len(own | chosen)) if own | chosen else 1)
    return mean(shares)


def long_tail(natural, ratio):
    """Class counts that fall by a constant factor from the largest class to the smallest."""
    c, left = len(natural), list(natural)
    for k, label in enumerate(sorted(range(c), key=lambda label: (-natural[label], label))):
        left[label] = min(natural[label], round(max(natural) * ratio ** (-k / (c - 1))))
    return left


def f_statistic(feature, y):
    """The ratio of two variances, each a sum of squares over its degrees of freedom."""
    groups = [_of(feature, y, label) for label in set(y)]
    everything = [Fraction(x) for x in feature]
    between = sum(len(group) * (_mean(group) - _mean(everything)) ** 2 for group in groups)
    within = sum(_scatter(group) for group in groups)
    free = len(y) - len(groups)
    return _ratio(between / (len(groups) - 1), within / free if free else Fraction(0))


def mrmr(columns, y, form="difference", cut="deviation", bins=10, first=500):
    """[Peng2005] Eq. (7), every mutual information anew; compared in single precision."""
    places = [binned(column, bins, cut) for column in columns]
    varied = [j for j, column in enumerate(columns) if len(set(column)) > 1]
    chosen = []

    def criterion(j):
        relevance = shared_bits(places[j], y)
        if not chosen:
            return np.float32(relevance)
        redundancy = mean(shared_bits(places[j], places[s]) for s in chosen)
        if form == "quotient":
            return np.float32(relevance / (redundancy + 0.0001))
        return np.float32(relevance - redundancy)

    def left():
        return sorted(set(varied) - set(chosen), key=lambda j: (-criterion(j), j))

    while len(chosen) < min(first, len(varied)):
        chosen.append(left()[0])
    order = chosen + left() + [j for j in range(len(columns)) if j not in varied]
    return [len(columns) - order.index(j) for j in range(len(columns))]


def itfr(feature, Y, labels=10, bins=10, cut="width"):
    """The formula of [Lee2015], with I(x; l; m) by the seven entropies; Y has a row a label."""
    x = binned(feature, bins, cut)
    most = sorted(range(len(Y)), key=lambda k: (-round(joint_bits(Y[k]), 12), k))[:labels]
    score = sum(shared_bits(x, label) for label in Y)
    for at, a in enumerate(most):
        for b in most[at + 1 :]:
            score -= joint_bits(x) + joint_bits(Y[a]) + joint_bits(Y[b])
            score += joint_bits(x, Y[a]) + joint_bits(x, Y[b]) + joint_bits(Y[a], Y[b])
            score -= joint_bits(x, Y[a], Y[b])
    return score


def shared_bits(a, b):
    """Mutual information I(a; b) = H(a) + H(b) - H(a, b)."""
    return joint_bits(a) + joint_bits(b) - joint_bits(a, b)


def joint_bits(*variables):
    return _bits_of(list(zip(*variables, strict=True)))


# Joint sparse regression


def csfs_algorithm_1(X, Y, C, lam, zeta, W, steps):
    """[Liu2017] Algorithm 1 to the letter, X with a feature a row: dense matrices, smoothed."""
    for _ in range(steps):
        residual = (X.T @ W - Y) * C
        D = np.diag([1 / (2 * math.sqrt(w @ w + zeta)) for w in W])
        G = np.diag([1 / (2 * math.sqrt(e @ e + zeta)) for e in residual])
        columns = []
        for k in range(Y.shape[1]):
            U = np.diag(C[:, k])
            A = lam * D + X @ U @ G @ U @ X.T
            columns.append(np.linalg.solve(A, X @ U @ G @ U @ Y[:, k]))  # Eq. (12)
        W = np.column_stack(columns)
    return W


def csfs_objective(X, Y, C, lam, zeta, W):
    """What footnote 1 of [Liu2017] says is minimised; Eq. (10) where zeta is 0."""
    residual = (X.T @ W - Y) * C
    loss = sum(math.sqrt(e @ e + zeta) for e in residual)
    return loss + lam * sum(math.sqrt(w @ w + zeta) for w in W)


def csfs_least(X, Y, C, lam, zeta):
    """The least of that by a solver that knows nothing of the problem but its value and slope."""
    shape = X.shape[0], Y.shape[1]

    def value(flat):
        W = flat.reshape(shape)
        residual = (X.T @ W - Y) * C
        spread = np.sqrt((residual**2).sum(axis=1) + zeta)
        sizes = np.sqrt((W**2).sum(axis=1) + zeta)
        slope = X @ (C * residual / spread[:, None]) + lam * W / sizes[:, None]
        return spread.sum() + lam * sizes.sum(), slope.ravel()

    options = {"maxiter": 50_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9}
    begin = np.zeros(math.prod(shape))
    found = minimize(value, begin, jac=True, method="L-BFGS-B", options=options)
    return found.x.reshape(shape), found.fun


def rfs_textbook(X, Y, lam, zeta, steps):
    """[Nie2010] Eq. (14) in its (n + d) form, X with a feature a row: U = D^-1 A'(A D^-1 A')^-1 Y.

    A = [X' lam I] and U stacks W on the scaled residuals; D has 1 / (2 |u|) for every row of U.
    """
    n = X.shape[1]
    A = np.hstack([X.T, lam * np.eye(n)])
    inverse = np.eye(A.shape[1])
    for _ in range(steps):
        U = inverse @ A.T @ np.linalg.inv(A @ inverse @ A.T) @ Y
        inverse = np.diag([2 * math.sqrt(u @ u + zeta) for u in U])
    return U[: X.shape[0]]


# Several labels: y holds a list of 0 / 1 for every sample


def ml_f_statistic(feature, labels):
    """[Kong2012]: an analysis of variance of the samples, each once for each of its labels."""
    groups = [
        [Fraction(x) for x, own in zip(feature, labels, strict=True) if own[k]]
        for k in range(len(labels[0]))
    ]
    groups = [group for group in groups if group]
    everything = [x for group in groups for x in group]
    if len(groups) < 2:
        return 0.0
    between = sum(len(group) * (_mean(group) - _mean(everything)) ** 2 for group in groups)
    within = sum(_scatter(group) for group in groups)
    freedom = Fraction(max(1, len(everything) - len(groups)), len(groups) - 1)
    return _ratio(between * freedom, within)


def ml_relieff(rows, labels, neighbours=10):
    """[Kong2012] over all samples with a label; distances are compared in single precision."""
    rows = [[Fraction(x) for x in row] for row in rows]
    spans = [max(column) - min(column) for column in zip(*rows, strict=True)]
    given = sum(map(sum, labels))
    share = [Fraction(sum(column), given) for column in zip(*labels, strict=True)]
    taken = [i for i, own in enumerate(labels) if any(own)]
    weights = [Fraction(0)] * len(spans)
    for i in taken:
        gaps = [_gaps(rows[i], row, spans) for row in rows]
        far = [np.float32(float(sum(row))) for row in gaps]

        def nearest(having, lacking, i=i, far=far):
            found = [j for j, own in enumerate(labels) if own[having] and not own[lacking]]
            return sorted((j for j in found if j != i), key=lambda j: (far[j], j))[:neighbours]

        for k, l in product(range(len(share)), repeat=2):  # noqa: E741
            if not labels[i][k] or labels[i][l] or not nearest(l, k):
                continue
            for near, sign in ((nearest(l, k), 1), (nearest(k, l), -1)):
                for j in near:
                    pull = sign * share[l] / (1 - share[k]) / len(near) / len(taken)
                    weights = [w + pull * gap for w, gap in zip(weights, gaps[j], strict=True)]
    return [float(w) for w in weights]


def capped_row(v, tau, p):
    """The w least in |w - v|^2 / 2 + tau max_k |w_k|^p: the best of many levels to cut v at."""
    v = np.asarray(v)

    def value(level):
        above = np.maximum(np.subtract.outer(np.abs(v), level), 0.0)
        return np.sum(above**2, axis=0) / 2 + tau * level**p

    levels = np.linspace(0.0, np.abs(v).max(), 5001)
    at = int(np.argmin(value(levels)))
    if at > 0:
        around = (levels[at - 1], levels[min(at + 1, 5000)])
        fine = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": 1e-12}).x
        levels[at] = fine if value(fine) < value(0.0) else 0.0
    return np.clip(v, -levels[at], levels[at])


def ncfs_value(X, Y, W, lam, p):
    """|Y - X W - b|^2 + lam sum_j (max_k |w_jk|)^p of [Kong2014], with the best b."""
    left = Y - X @ W
    left = left - left.mean(axis=0)
    return np.sum(left**2) + lam * sum(max(abs(row)) ** p for row in W)


def convex_ncfs(X, Y, lam):
    """The W and b least in [Kong2014] with p = 1, by a generic solver: t_j >= |w_jk| takes it."""
    d, K = X.shape[1], Y.shape[1]

    def parts(z):
        return z[: d * K].reshape(d, K), z[d * K : d * K + K], z[d * K + K :]

    def value(z):
        W, b, t = parts(z)
        left = X @ W + b - Y
        slope = [(2 * X.T @ left).ravel(), 2 * left.sum(axis=0), np.full(d, lam)]
        return np.sum(left**2) + lam * t.sum(), np.concatenate(slope)

    def room(z):
        W, _, t = parts(z)
        return np.concatenate([(t[:, None] - W).ravel(), (t[:, None] + W).ravel()])

    start = np.concatenate([np.zeros(d * K + K), np.ones(d)])
    limits = {"type": "ineq", "fun": room}
    options = {"ftol": 1e-14, "maxiter": 2000}
    found = minimize(value, start, jac=True, method="SLSQP", constraints=limits, options=options)
    return parts(found.x)[0], found.fun
