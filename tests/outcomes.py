"""Made-up plans and records for the tests of tables and figures."""

import random
from itertools import product


def row(features="10", part="test", k=10, seen=80, **measures):
    return {"part": part, "features": features, "k": k, "seen": seen, **measures}


def experiment(outcomes, measures=("auc",), absent=None):
    """Plan and records from (dataset, selector, classifier, repeat, fold) and what came of it.

    That is a list of rows, "failed", or None for a task that has not run.
    """
    tasks, records = [], {}
    for number, ((dataset, selector, classifier, repeat, fold), outcome) in enumerate(outcomes):
        key = f"key{number}"
        tasks.append([key, dataset, "1:20", "none", selector, classifier, repeat, fold])
        if outcome == "failed":
            records[key] = {"key": key, "status": "failed", "error": "why"}
        elif outcome is not None:
            records[key] = {"key": key, "status": "ok", "rows": outcome, "top": ["g1", "g2"]}
    plan = {"measures": list(measures), "tasks": tasks, "absent": absent or {}}
    return plan, records


def one_cell(values, **given):
    """A cell from {(repeat, fold): auc, or what else came of it}."""
    outcomes = []
    for (repeat, fold), value in values.items():
        ran = not isinstance(value, str) and value is not None
        rows = [row(auc=None if value is UNDEFINED else value)] if ran else value
        outcomes.append((("digits", "fast", "svm", repeat, fold), rows))
    return experiment(outcomes, **given)


UNDEFINED = object()


def comparison(means, classifier="svm"):
    """Outcomes of one task per selector from {dataset: {selector: {features: auc}}}."""
    return [
        ((dataset, selector, classifier, 0, 0), [row(f, auc=value) for f, value in values.items()])
        for dataset, selectors in means.items()
        for selector, values in selectors.items()
    ]


def random_experiment(seed, missing=0.2):
    """Two sets, three selectors, two repeats of three folds, some undefined, some missing."""
    rng = random.Random(seed)
    outcomes = []
    for dataset, repeat, fold in product(("a", "b"), range(2), range(3)):
        for selector in ("none", "fast", "chi"):
            counts = ["all"] if selector == "none" else ["5", "50%"]
            value = lambda: None if rng.random() < 0.1 else rng.random()  # noqa: E731
            rows = [row(f, seen=80 + fold, auc=value(), g_mean=value()) for f in counts]
            outcome = rows if rng.random() > missing else rng.choice([None, "failed"])
            outcomes.append(((dataset, selector, "svm", repeat, fold), outcome))
    return experiment(outcomes, measures=("auc", "g_mean"))
