"""What one task does: split, prepare, rank once, cut at every feature count, classify, measure.

The same way serves filters with any classifier, online learners that classify by themselves, and
methods with parameters tuned on an inner part of the training rows.
"""

import json
import threading
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from time import perf_counter

import numpy as np
import sklearn
from scipy.sparse import csr_array, issparse, vstack

from imbfs import prepare, ratios, splits
from imbfs.classifiers import CLASSIFIERS, check_classifier, fit_predict
from imbfs.datasets import Data, Source, View, load, tested, together, view
from imbfs.measures import measure
from imbfs.methods import MULTICLASS, check_scores
from imbfs.ranking import ranking
from imbfs.running.plan import Task
from imbfs.selectors import SELECTORS

TOP = 100  # how many of the best features a record keeps

Setting = tuple[dict, dict]  # parameters of the selector, parameters of the classifier


@dataclass(frozen=True)
class Ranked:
    """Features from best to worst, the learner that ranked them if it is one, and its cost."""

    order: np.ndarray
    learner: object | None
    seconds: float


@dataclass(frozen=True)
class Part:
    """Training rows, in the order a stream brings them, the rows to measure on, and rankings."""

    X_train: np.ndarray | csr_array
    y_train: np.ndarray
    X_test: np.ndarray | csr_array
    y_test: np.ndarray
    kind: str
    seed: int
    relevant: tuple[int, ...] | None
    names: tuple[str, ...] | None
    leaks: bool
    rankings: dict[str, Ranked] = field(default_factory=dict)

    def rank(self, selector: str, params: dict, k: int) -> Ranked:
        """The ranking by one selector, made when first asked for.

        One ranking serves every number of features k, except of learners that keep a budget.
        """
        if _keeps(selector, params):
            params = params | {"keep": k}
        key = json.dumps([selector, SELECTORS[selector].revision, params], sort_keys=True)
        if key not in self.rankings:
            self.rankings[key] = self._ranked(selector, params)
        return self.rankings[key]

    def _ranked(self, selector: str, params: dict) -> Ranked:
        self.warm_up(selector, params)
        X, y = self.X_train, self.y_train
        if self.leaks:
            X, y = _stacked(X, self.X_test), np.concatenate((y, self.y_test))
        started = perf_counter()
        scores, learner = _scored(selector, params, X, y, self.seed)
        return Ranked(ranking(scores), learner, perf_counter() - started)

    def warm_up(self, selector: str, params: dict) -> None:
        """Have kernels compiled, on a handful of rows, before the clock starts."""
        compiled = json.dumps([selector, params, self.kind, issparse(self.X_train)])
        if compiled not in _warm:
            rows = np.unique(self.y_train, axis=0, return_index=True)[1]
            with suppress(Exception):  # so few rows may be too few; the real ones will tell
                _scored(selector, params, self.X_train[rows], self.y_train[rows], self.seed)
            _warm.add(compiled)

    def classify(self, ranked: Ranked, classifier: str, params: dict, k: int):
        """Prediction on the test rows from the k best features."""
        if classifier == "own":
            return self.judge(ranked.learner, k)
        columns = np.sort(ranked.order[:k])
        everything = k == self.X_train.shape[1]
        X_train = self.X_train if everything else self.X_train[:, columns]
        X_test = self.X_test if everything else self.X_test[:, columns]
        method = CLASSIFIERS[classifier]
        model = check_classifier(classifier, method.call(**params, **method.seeded(self.seed)))
        with _TRUSTING():
            predicted, decision = fit_predict(model, X_train, self.y_train, X_test, self.kind)
        return {"predicted": predicted, "decision": decision}

    def judge(self, learner, k: int) -> dict:
        """Prediction on the test rows by a learner with its k features of largest weight."""
        judging = copy(learner).set_params(keep=k)
        with _TRUSTING():
            decision = judging.decision_function(self.X_test)
        return _judged(learner, k, decision)

    def measured(self, names, prediction: dict, selected) -> dict[str, float]:
        """The named measures of a prediction on the test rows."""
        known = {"selected": selected, "relevant": self.relevant}
        known["class_mean"] = partial(self.class_mean, selected)
        return measure(self.kind, names, y=self.y_test, **prediction, **known)

    def class_mean(self, selected: np.ndarray, part: str, label: int) -> float:
        """The mean value of the selected features in the rows of one class."""
        X, y = (self.X_test, self.y_test) if part == "test" else (self.X_train, self.y_train)
        rows = X[y == label]
        return float(rows[:, selected].mean()) if rows.shape[0] else np.nan


_warm: set[str] = set()
_TRUSTING = partial(sklearn.config_context, assume_finite=True, skip_parameter_validation=True)


def _keeps(selector: str, params: dict) -> bool:
    """Whether it is a learner to which a number of features means something before the end.

    One keeps a budget throughout; another has none at all, and no cut makes it one with k features.
    """
    method = SELECTORS[selector]
    learner = method.call(**params) if method.learns else None
    return learner is not None and (learner.keeps or not learner.bounded)


def _judged(learner, k: int, decision: np.ndarray) -> dict:
    """What a learner predicts by a decision, with how many features, and at which cost."""
    known = {"used": learner.uses(k), "cost": getattr(learner, "cost_", None)}
    return {"predicted": learner.decide(decision), "decision": decision, **known}


def _scored(selector: str, params: dict, X, y: np.ndarray, seed: int):
    """The scores that a selector gives, and the learner if it is one."""
    method = SELECTORS[selector]
    if method.learns:
        learner = method.call(**params, **method.seeded(seed)).fit(X, y)
        return learner.scores_, learner
    scores = method.call(X, y, **params, **method.seeded(seed))
    return check_scores(selector, scores, X.shape[1]), None


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
    _files(task.setting)


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
    return {"rows": rows, "top": _top(task, part, ranked.order), "seconds": seconds}


def _stream(task: Task, part: Part, params: dict) -> dict:
    """Learn from the stream, stopping at checkpoints to measure.

    Progressive rows judge each sample before it was learned, test rows the held-out part. A learner
    that keeps a budget learns the stream once for each number of features; any other learns it once
    with all of them, its progressive rows are of all, and for the test rows its weights are cut.
    """
    started = perf_counter()
    stops = task.setting.protocol.stops(len(part.y_train))
    chunks = [part.X_train[a:b] for a, b in pairwise([0, *stops])]
    if _keeps(task.selector.name, params):
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
    return {"rows": rows, "top": _top(task, part, orders[largest]), "seconds": seconds}


def _streamed(task: Task, part: Part, chunks: list, params: dict, learned, features) -> tuple:
    """The rows of one stream, learned with so many features; the seconds and the last ranking."""
    part.warm_up(task.selector.name, params)
    method = SELECTORS[task.selector.name]
    learner = method.call(**params, **method.seeded(part.seed))
    classes = np.unique(part.y_train)
    rows, decisions, seen, learning = [], [], 0, 0.0
    for X in chunks:
        y = part.y_train[seen : seen + X.shape[0]]
        before = perf_counter()
        with _TRUSTING():
            decisions.append(learner.progress(X, y, classes=classes))
        learning += perf_counter() - before
        seen += len(y)
        decision = np.concatenate(decisions)
        prediction = _judged(learner, learned[1], decision)
        values = measure(part.kind, task.setting.measures, part.y_train[:seen], **prediction)
        rows.append(_row("progressive", *learned, seen, values, learning))
        order = ranking(learner.scores_)
        for label, k in features:
            values = part.measured(task.setting.measures, part.judge(learner, k), order[:k])
            rows.append(_row("test", label, k, seen, values, learning))
    return rows, learning, order


def _top(task: Task, part: Part, order: np.ndarray) -> list[str]:
    """The best features by name, or by number from 1; none where nothing was selected."""
    if task.selector.name == "none":
        return []
    best = order[: min(TOP, max(k for _, k in task.features))]
    return [part.names[j] if part.names else str(j + 1) for j in best]


def _row(part: str, label: str, k: int, seen: int, values: dict, seconds: float | None = None):
    values = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
    learned = {} if seconds is None else {"seconds": seconds}
    return {"part": part, "features": label, "k": k, "seen": seen, **learned, **values}


def _settings(task: Task, train: "_Rows") -> dict[str, Setting]:
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


@dataclass(frozen=True)
class _Rows:
    """Some rows of a set as a task sees it, in the order in which it meets them."""

    data: Data
    view: View
    chosen: np.ndarray
    groups: np.ndarray | None = None  # of all rows of the set, a number each

    @property
    def together(self) -> np.ndarray | None:
        """Equal numbers for those of its rows that no split may part."""
        return None if self.groups is None else self.groups[self.view.rows[self.chosen]]

    @property
    def y(self) -> np.ndarray:
        return self.view.y[self.chosen]

    @property
    def X(self) -> np.ndarray | csr_array:
        return self.view.take(self.data.X, self.chosen)

    def some(self, rows: np.ndarray) -> "_Rows":
        return replace(self, chosen=self.chosen[rows])


_at_work = threading.local()


def _shared(task: Task) -> tuple[_Rows, Part]:
    """Training rows and part of the task, kept until a task on another part comes along."""
    if getattr(_at_work, "part", None) != task.part:
        train, test = _rows(task)
        _at_work.content = train, _prepared(task, train, test)
        _at_work.part = task.part
    return _at_work.content


def _rows(task: Task) -> tuple[_Rows, _Rows]:
    """The rows to train on, in their order, and those to test on."""
    setting = task.setting
    data, groups, beside = _files(setting)
    rows = replace(_left(task, data, view(data, **setting.view)), groups=groups)
    if beside is None:
        place = task.seed("split"), task.fold, task.repeat
        train, test = setting.protocol.split(rows.y, setting.kind, *place, rows.together)
        return rows.some(train), rows.some(test)
    test = tested(data, beside, **setting.view)
    order = splits.shuffled(np.arange(len(rows.y)), task.seed("split"), task.repeat)
    return rows.some(order), _left(task, *test, like=rows.view.y)


def _files(setting) -> tuple[Data, np.ndarray | None, Data | None]:
    """What the files of a set hold: its rows, their groups and its test rows, where it has any."""
    data = _loaded(setting.label, setting.source, setting.fingerprint)
    kept = setting.together
    groups = None if kept is None else together.read(*kept, data.X.shape[0])
    return data, groups, None if setting.test is None else _loaded(setting.label, *setting.test)


def _loaded(label: str, source: Source, fingerprint: str) -> Data:
    data = load(source)
    if data.fingerprint != fingerprint:
        raise RuntimeError(f"{label}: the data changed while the experiment ran")
    return data


def _left(task: Task, data: Data, seen: View, like: np.ndarray | None = None) -> _Rows:
    """The rows that the ratio leaves; of several classes, the largest are those of training."""
    wanted = seen.y, task.ratio, task.seed("ratio")
    if seen.kind == MULTICLASS:
        return _Rows(data, seen, ratios.impose_tail(*wanted, like))
    return _Rows(data, seen, ratios.impose_ratio(*wanted, task.setting.ratio_by))


def _prepared(task: Task, train: _Rows, test: _Rows) -> Part:
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


def _stacked(above, below):
    return vstack((above, below), format="csr") if issparse(above) else np.vstack((above, below))
