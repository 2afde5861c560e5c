"""What one task does: split, prepare, rank once, cut at every feature count, classify, measure.

The same way serves filters with any classifier, online learners that classify by themselves, and
methods with parameters tuned on an inner part of the training rows.
"""

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
import sklearn
from scipy.sparse import csr_array, issparse

from imbfs import prepare, splits
from imbfs.classifiers import CLASSIFIERS, fit_predict
from imbfs.datasets import Data, View, load, view
from imbfs.measures import measure
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
    rankings: dict[str, Ranked] = field(default_factory=dict)

    def rank(self, selector: str, params: dict) -> Ranked:
        """The ranking by one selector, made when first asked for."""
        key = json.dumps([selector, params], sort_keys=True)
        if key not in self.rankings:
            self.rankings[key] = self._ranked(selector, params)
        return self.rankings[key]

    def _ranked(self, selector: str, params: dict) -> Ranked:
        self.warm_up(selector, params)
        started = perf_counter()
        scores, learner = _scored(selector, params, self.X_train, self.y_train, self.seed)
        return Ranked(ranking(scores), learner, perf_counter() - started)

    def warm_up(self, selector: str, params: dict) -> None:
        """Have kernels compiled, on a handful of rows, before the clock starts."""
        compiled = selector, self.kind, issparse(self.X_train)
        if compiled not in _warm:
            rows = np.unique(self.y_train, axis=0, return_index=True)[1]
            with suppress(Exception):  # so few rows may be too few; the real ones will tell
                _scored(selector, params, self.X_train[rows], self.y_train[rows], self.seed)
            _warm.add(compiled)

    def classify(self, ranked: Ranked, classifier: str, params: dict, k: int):
        """Predictions and decision values on the test rows, from the k best features."""
        if classifier == "own":
            learner = ranked.learner.cut(k)
            decision = learner.decision_function(self.X_test)
            return learner.decide(decision), decision
        columns = np.sort(ranked.order[:k])
        everything = k == self.X_train.shape[1]
        X_train = self.X_train if everything else self.X_train[:, columns]
        X_test = self.X_test if everything else self.X_test[:, columns]
        method = CLASSIFIERS[classifier]
        model = method.call(**params, **method.seeded(self.seed))
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            return fit_predict(model, X_train, self.y_train, X_test, self.kind)

    def measured(self, names, predicted, decision, selected) -> dict[str, float]:
        """The named measures of a prediction on the test rows."""
        return measure(self.kind, names, self.y_test, predicted, decision, selected, self.relevant)


_warm: set[tuple] = set()


def _scored(selector: str, params: dict, X, y: np.ndarray, seed: int):
    """The scores that a selector gives, and the learner if it is one."""
    method = SELECTORS[selector]
    if method.learns:
        learner = method.call(**params).fit(X, y)
        return learner.scores_, learner
    return method.call(X, y, **params, **method.seeded(seed)), None


def execute(task: Task) -> dict:
    """Rows of measures, the best features, what was tuned, and the seconds it took.

    Tasks on the same part that follow one another share its rows and rankings.
    """
    rows, part = _shared(task)
    started = perf_counter()
    settings = _settings(task, rows)
    tuning = perf_counter() - started
    streams = isinstance(task.setting.protocol, splits.Online)
    if streams and task.classifier.name == "own":
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


def _batch(task: Task, part: Part, settings: dict[str, Setting]) -> dict:
    """Rank on all training rows, then cut at every feature count."""
    rows, select, classify = [], {}, 0.0
    for label, k in task.features:
        selector, classifier = settings[label]
        ranked = part.rank(task.selector.name, selector)
        select[id(ranked)] = ranked.seconds
        started = perf_counter()
        predicted, decision = part.classify(ranked, task.classifier.name, classifier, k)
        values = part.measured(task.setting.measures, predicted, decision, ranked.order[:k])
        rows.append(_row("test", label, k, len(part.y_train), values))
        classify += perf_counter() - started
    seconds = {"select": sum(select.values()), "classify": classify}
    return {"rows": rows, "top": _top(task, part, ranked.order), "seconds": seconds}


def _stream(task: Task, part: Part, params: dict) -> dict:
    """Learn from the stream, stopping at checkpoints to measure.

    Progressive rows judge each sample before it was learned, with all features; test rows judge the
    held-out part with the weights cut.
    """
    part.warm_up(task.selector.name, params)
    learner = SELECTORS[task.selector.name].call(**params)
    classes = np.unique(part.y_train)
    rows, decisions, seen, learning = [], [], 0, 0.0
    started = perf_counter()
    for stop in task.setting.protocol.stops(len(part.y_train)):
        X, y = part.X_train[seen:stop], part.y_train[seen:stop]
        before = perf_counter()
        decisions.append(learner.progress(X, y, classes=classes))
        learning += perf_counter() - before
        seen = stop
        decision = np.concatenate(decisions)
        predicted, known = learner.decide(decision), part.y_train[:seen]
        values = measure(part.kind, task.setting.measures, known, predicted, decision)
        rows.append(_row("progressive", "all", part.X_train.shape[1], seen, values))
        order = ranking(learner.scores_)
        for label, k in task.features:
            cut = learner.cut(k)
            decision = cut.decision_function(part.X_test)
            values = part.measured(task.setting.measures, cut.decide(decision), decision, order[:k])
            rows.append(_row("test", label, k, seen, values))
    seconds = {"select": learning, "classify": perf_counter() - started - learning}
    return {"rows": rows, "top": _top(task, part, order), "seconds": seconds}


def _top(task: Task, part: Part, order: np.ndarray) -> list[str]:
    """The best features by name, or by number from 1; none where nothing was selected."""
    if task.selector.name == "none":
        return []
    best = order[: min(TOP, max(k for _, k in task.features))]
    return [part.names[j] if part.names else str(j + 1) for j in best]


def _row(part: str, label: str, k: int, seen: int, values: dict[str, float]) -> dict:
    values = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
    return {"part": part, "features": label, "k": k, "seen": seen, **values}


def _settings(task: Task, rows: "_Rows") -> dict[str, Setting]:
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
    fit, validation = splits.hold_out(rows.y[rows.train], task.setting.kind, share, seed)
    inner = _prepared(task, rows, rows.train[fit], rows.train[validation])
    best: dict[str, tuple[float, Setting]] = {}
    for selector, classifier in candidates:
        ranked = inner.rank(task.selector.name, selector)
        for label, k in task.features:
            predicted, decision = inner.classify(ranked, task.classifier.name, classifier, k)
            name = task.setting.tuning["measure"]
            value = inner.measured([name], predicted, decision, ranked.order[:k])[name]
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
    """The set as this task sees it, and which of its rows are for training and for testing."""

    data: Data
    view: View
    kept: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def y(self) -> np.ndarray:
        return self.view.y[self.kept]

    def take(self, rows: np.ndarray) -> np.ndarray | csr_array:
        return self.view.take(self.data.X, self.kept[rows])


_at_work = threading.local()


def _shared(task: Task) -> tuple[_Rows, Part]:
    """Rows and part of the task, kept until a task on another part comes along."""
    if getattr(_at_work, "part", None) != task.part:
        rows = _rows(task)
        _at_work.content = rows, _prepared(task, rows, rows.train, rows.test)
        _at_work.part = task.part
    return _at_work.content


def _rows(task: Task) -> _Rows:
    setting = task.setting
    data = load(setting.source)
    if data.fingerprint != setting.fingerprint:
        raise RuntimeError(f"{setting.label}: the data changed while the experiment ran")
    seen = view(data, **setting.view)
    kept = splits.impose_ratio(seen.y, task.ratio, task.seed("ratio"), setting.ratio_by)
    train, test = setting.protocol.split(seen.y[kept], setting.kind, task.seed("split"), task.fold)
    return _Rows(data, seen, kept, train, test)


def _prepared(task: Task, rows: _Rows, train: np.ndarray, test: np.ndarray) -> Part:
    """Preprocessing learned on the training rows and resampling of these alone."""
    steps = [("impute", {})] if task.setting.source.impute else []
    steps += [(step.name, step.params) for step in task.setting.preprocess]
    X_train, X_test = prepare.preprocess(steps, rows.take(train), rows.take(test))
    y_train, y_test = rows.y[train], rows.y[test]
    resample = prepare.RESAMPLERS[task.resampling.name].call
    X_train, y_train = resample(
        X_train, y_train, seed=task.seed("resampling"), **task.resampling.params
    )
    kind, seed = task.setting.kind, task.seed("method")
    known = rows.data.relevant, rows.data.names
    return Part(X_train, y_train, X_test, y_test, kind, seed, *known)
