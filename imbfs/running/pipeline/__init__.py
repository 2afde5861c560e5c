"""What one task does: split, prepare, rank once, cut at every feature count, classify, measure.

The same way serves filters with any classifier, online learners that classify by themselves, and
methods with parameters tuned on an inner part of the training rows.
"""

import threading
from hashlib import sha256
from itertools import chain, pairwise
from time import perf_counter

import numpy as np

from imbfs import prepare, splits
from imbfs.classifiers import CLASSIFIERS
from imbfs.measures import measure
from imbfs.ranking import ranking
from imbfs.running.pipeline.part import TRUSTING, Part, judged, keeps
from imbfs.running.pipeline.rows import Rows, files, rows_of
from imbfs.running.task import Task
from imbfs.selectors import SELECTORS

TOP = 100  # how many of the best features a record keeps

Setting = tuple[dict, dict]  # parameters of the selector, parameters of the classifier


def execute(task: Task) -> dict:
    """Rows of measures, the best features, what was tuned, and the seconds it took.

    Tasks on the same part that follow one another share its rows and rankings.
    """
    _ready(task)
    train, part = _shared(task)
    started = perf_counter()
    settings = _settings(task, train)
    tuning = perf_counter() - started
    streams = isinstance(task.setting.protocol, splits.Online) and task.classifier.name == "own"
    if streams and SELECTORS[task.selector.name].streams:
        # A stream is learned once, with what its largest feature count chose.
        largest = max(task.features, key=lambda feature: feature[1])[0]
        settings = dict.fromkeys(settings, settings[largest])
        result = _stream(task, part, settings[largest][0])
    else:
        result = _batch(task, part, settings)
    if task.selector.tune or task.classifier.tune:
        result["tuned"] = {label: _tuned(task, setting) for label, setting in settings.items()}
        result["seconds"]["tune"] = tuning
    return result


def require(task: Task) -> None:
    """Refuse a task whose methods or files are not here as they were when it was planned."""
    _ready(task)
    files(task.setting)


def _ready(task: Task) -> None:
    for table, choice in ((SELECTORS, task.selector), (CLASSIFIERS, task.classifier)):
        table.ready(choice.name, choice.revision, choice.home)


def _batch(task: Task, part: Part, settings: dict[str, Setting]) -> dict:
    """Rank on all training rows, then cut at every feature count."""
    rows, select, classify = [], {}, 0.0
    for label, k in task.features:
        selector, classifier = settings[label]
        ranked = part.rank(task.selector.name, selector, k)
        select[id(ranked)] = ranked.seconds
        started = perf_counter()
        prediction = part.classify(ranked, task.classifier.name, classifier, k)
        values = part.measured(task.setting.measures, prediction, ranked.order[:k])
        rows.append(_row("test", label, k, len(part.y_train), values))
        classify += perf_counter() - started
    seconds = {"select": sum(select.values()), "classify": classify}
    return {"rows": rows, **_best(task, part, ranked.order), "seconds": seconds}


def _stream(task: Task, part: Part, params: dict) -> dict:
    """Learn from the stream, stopping at checkpoints to measure.

    Progressive rows judge each sample before it was learned, test rows the held-out part. A learner
    that keeps a budget learns the stream once for each number of features; any other learns it once
    with all of them, its progressive rows are of all, and for the test rows its weights are cut.
    """
    started = perf_counter()
    stops = task.setting.protocol.stops(len(part.y_train))
    chunks = [part.X_train[a:b] for a, b in pairwise([0, *stops])]
    if keeps(task.selector.name, params):
        streams = [
            _streamed(task, part, chunks, params | {"keep": feature[1]}, feature, [feature])
            for feature in task.features
        ]
    else:
        every = ("all", part.X_train.shape[1])
        streams = [_streamed(task, part, chunks, params, every, task.features)]
    rows, learning, orders = zip(*streams, strict=True)
    seconds = {"select": sum(learning), "classify": perf_counter() - started - sum(learning)}
    rows = list(chain.from_iterable(rows))
    largest = np.argmax([k for _, k in task.features]) if len(orders) > 1 else 0
    return {"rows": rows, **_best(task, part, orders[largest]), "seconds": seconds}


def _streamed(task: Task, part: Part, chunks: list, params: dict, learned, features) -> tuple:
    """The rows of one stream, learned with so many features; the seconds and the last ranking."""
    part.warm_up(task.selector.name, params)
    method = SELECTORS[task.selector.name]
    learner = method.call(**params, **method.seeded(part.seed))
    classes = np.unique(part.y_train)
    rows, decisions, seen, learning = [], [], 0, 0.0
    for X in chunks:
        X, y = method.given(X, part.y_train[seen : seen + X.shape[0]])
        before = perf_counter()
        with TRUSTING():
            decisions.append(learner.progress(X, y, classes=classes))
        learning += perf_counter() - before
        seen += len(y)
        decision = np.concatenate(decisions)
        prediction = judged(learner, learned[1], decision)
        values = measure(part.kind, task.setting.measures, part.y_train[:seen], **prediction)
        rows.append(_row("progressive", *learned, seen, values, learning))
        order = ranking(learner.scores_)
        for label, k in features:
            values = part.measured(task.setting.measures, part.judge(learner, k), order[:k])
            rows.append(_row("test", label, k, seen, values, learning))
    return rows, learning, order


def _best(task: Task, part: Part, order: np.ndarray) -> dict:
    """The best features by name, or by number from 1; none where nothing was selected.

    Of those behind the first ones, up to the largest number of features, a digest.
    """
    if task.selector.name == "none":
        return {"top": []}
    best = order[: max(k for _, k in task.features)]
    top = [part.names[j] if part.names else str(j + 1) for j in best[:TOP]]
    if len(best) <= TOP:
        return {"top": top}
    return {"top": top, "rest": sha256(best[TOP:].astype("<i8").tobytes()).hexdigest()[:16]}


def _row(part: str, label: str, k: int, seen: int, values: dict, seconds: float | None = None):
    values = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
    learned = {} if seconds is None else {"seconds": seconds}
    return {"part": part, "features": label, "k": k, "seen": seen, **learned, **values}


def _settings(task: Task, train: Rows) -> dict[str, Setting]:
    """The parameters to use at every feature count, tuned where the config asks for it.

    Candidates are judged on a share of the training rows that is kept from ranking, preparation and
    learning; the first of equals wins.
    """
    candidates = [
        (selector, classifier)
        for selector in task.selector.candidates()
        for classifier in task.classifier.candidates()
    ]
    if len(candidates) == 1:
        return {label: candidates[0] for label, _ in task.features}
    share, seed = task.setting.tuning["validation"], task.seed("tuning")
    fit, validation = splits.hold_out(train.y, task.setting.kind, share, seed, train.together)
    inner = _prepared(task, train.some(fit), train.some(validation))
    best: dict[str, tuple[float, Setting]] = {}
    for selector, classifier in candidates:
        for label, k in task.features:
            ranked = inner.rank(task.selector.name, selector, k)
            prediction = inner.classify(ranked, task.classifier.name, classifier, k)
            name = task.setting.tuning["measure"]
            value = inner.measured([name], prediction, ranked.order[:k])[name]
            if np.isnan(value):
                raise ValueError(f"tuning: {name} is undefined on the validation part")
            if label not in best or value > best[label][0]:
                best[label] = (value, (selector, classifier))
    return {label: setting for label, (_, setting) in best.items()}


def _tuned(task: Task, setting: Setting) -> dict:
    """The values that tuning chose, apart from those the config fixed."""
    chosen = {f"selector.{name}": setting[0][name] for name in task.selector.tune}
    return chosen | {f"classifier.{name}": setting[1][name] for name in task.classifier.tune}


_at_work = threading.local()


def _shared(task: Task) -> tuple[Rows, Part]:
    """Training rows and part of the task, kept until a task on another part comes along."""
    if getattr(_at_work, "part", None) != task.part:
        train, test = rows_of(task)
        _at_work.content = train, _prepared(task, train, test)
        _at_work.part = task.part
    return _at_work.content


def _prepared(task: Task, train: Rows, test: Rows) -> Part:
    """Preprocessing learned on the training rows and resampling of these alone."""
    steps = [("impute", {})] if task.setting.source.impute else []
    steps += [(step.name, step.params) for step in task.setting.preprocess]
    X_train, X_test = prepare.preprocess(steps, train.X, test.X)
    resample = prepare.RESAMPLERS[task.resampling.name].call
    X_train, y_train = resample(
        X_train, train.y, seed=task.seed("resampling"), **task.resampling.params
    )
    kind, seed = task.setting.kind, task.seed("method")
    known = train.data.relevant, train.data.names
    leaks = task.setting.rank_on == "all"
    return Part(X_train, y_train, X_test, test.y, kind, seed, *known, leaks)
