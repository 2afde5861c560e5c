"""Which tasks a comparison has, and carrying out as many as a budget allows, best first."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import product
from time import monotonic

from imbfs import splits
from imbfs.own.nested.compared import BASELINES
from imbfs.running import launch, runner
from imbfs.running.plan import Plan
from imbfs.running.progress import progress
from imbfs.running.store import FORMAT, Store
from imbfs.running.task import Setting, Task

Pair = tuple[str, str]  # the labels of a selector and a classifier
_SOME = 4  # tasks of a pair from which its time is told
_SLOW = 0.2  # share of the budget above which one repeat of a pair is called slow
_WIDENING = 0.5  # share of the budget for new pairs before the first ones are repeated
_EVER = 1e9  # minutes: nothing is left to do
_EVERY = 2.0  # seconds after which the time that was spent is noted


class Comparison:
    """The tasks of a nested comparison: those of the outer folds and those of the inner ones."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.tasks: dict[tuple[Pair, int], list[Task]] = {}
        setting = plan.tasks[0].setting  # there is one set
        protocol = splits.Inner(setting.protocol.repeats, setting.protocol.folds)
        inside = replace(setting, protocol=protocol)
        for task in plan.tasks:
            place = (task.selector.label, task.classifier.label), task.repeat
            self.tasks.setdefault(place, []).extend((task, *inner(task, inside)))
        self.repeats = 1 + max(repeat for _, repeat in self.tasks)
        pairs = dict.fromkeys(pair for pair, _ in self.tasks)
        self.pairs = sorted(pairs, key=self._rank)

    def _rank(self, pair: Pair) -> tuple:
        """Early selectors with every classifier come before later ones with the first."""
        selectors = list(dict.fromkeys(task.selector.label for task in self.plan.tasks))
        classifiers = list(dict.fromkeys(task.classifier.label for task in self.plan.tasks))
        place = selectors.index(pair[0])
        return place // 5, classifiers.index(pair[1]), place

    @property
    def needed(self) -> list[Pair]:
        """What is run whatever the budget: all and random features, and the first selector."""
        first = self.pairs[0][1]
        others = [p for p in self.pairs if p[1] == first and p[0] not in BASELINES][:1]
        return [p for p in self.pairs if p[1] == first and p[0] in BASELINES] + others

    @property
    def telling(self) -> int:
        """Tasks that tell whether a pair ranks as another: an outer fold and those inside it."""
        return 1 + self.plan.tasks[0].setting.protocol.folds

    def count(self) -> int:
        return sum(map(len, self.tasks.values()))


def inner(task: Task, setting: Setting) -> list[Task]:
    """The tasks that choose for one outer fold: a cross-validation of its training rows."""
    folds = setting.protocol.folds
    return [replace(task, setting=setting, fold=task.fold * folds + i) for i in range(folds)]


def rankings_of(records: dict[str, dict]) -> dict[str, tuple[str, ...]]:
    """The ranking by task, of the tasks that are done."""
    return {key: _ranking(one) for key, one in records.items() if one["status"] == "ok"}


def _ranking(record: dict) -> tuple[str, ...]:
    """The first features and a digest of the rest, up to the largest number of features.

    Where a record of an older version has no digest, its key: nothing ranks as it does.
    """
    complete = len(record["top"]) == max(row["k"] for row in record["rows"])
    return *record["top"], record.get("rest", "" if complete else record["key"])


def alike(comparison: Comparison, rankings: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Selectors that rank the features as an earlier one does, and that one.

    With two classes `fisher`, `pcc`, `corr` and `f_statistic` always do, and on features of 0 and 1
    others do. `rankings` are by task; those of the first outer fold and of the folds inside it
    tell.
    """
    first: dict[tuple, str] = {}
    found: dict[str, str] = {}
    for pair in comparison.pairs:
        keys = [task.key for task in comparison.tasks[pair, 0][: comparison.telling]]
        if pair[0] not in BASELINES and all(key in rankings for key in keys):
            earlier = first.setdefault(tuple(rankings[key] for key in keys), pair[0])
            if earlier != pair[0]:
                found[pair[0]] = earlier
    return found


@dataclass
class Spent:
    """The seconds a comparison took so far, and the minutes for which it is finished."""

    of: str
    seconds: float = 0.0
    finished: float = -1.0  # minutes; a budget up to these changes nothing
    slow: dict[str, float] = field(default_factory=dict)  # minutes a pair would have taken

    @classmethod
    def read(cls, store: Store, comparison: Comparison) -> "Spent":
        keys = [task.key for tasks in comparison.tasks.values() for task in tasks]
        of = sha256(json.dumps(keys).encode()).hexdigest()[:16]
        kept = store.read("budget.json") or {}
        if kept.get("of") != of:
            return cls(of)
        return cls(**{name: kept[name] for name in ("of", "seconds", "finished", "slow")})

    def write(self, store: Store) -> None:
        store.write("budget.json", {"format": FORMAT, **vars(self)})


class Budget:
    """Hands out units while there is time, and learns from their records what the next will take.

    New pairs first, until half of the time is gone; then the repeats of those that are done; then,
    if time is left, the others.
    """

    def __init__(self, comparison: Comparison, records: dict, spent: Spent, minutes, jobs: int):
        self.comparison, self.spent, self.jobs = comparison, spent, jobs
        self.seconds = 60 * minutes
        self.rankings = rankings_of(records)
        self.done = set(self.rankings)
        self.before, self.started = spent.seconds, monotonic()
        self.pair_of = {t.key: p for (p, _), tasks in comparison.tasks.items() for t in tasks}
        self.took: dict[Pair, list[float]] = {}
        self.failed: set[Pair] = set()
        self.complete = True
        spent.slow = {}

    @property
    def gone(self) -> float:
        """Seconds since the first run of this comparison began."""
        return self.before + monotonic() - self.started

    def landed(self, record: dict) -> None:
        pair = self.pair_of[record["key"]]
        if record["status"] == "ok":
            self.rankings[record["key"]] = _ranking(record)
            self.took.setdefault(pair, []).append(record["seconds"]["total"])
        else:
            self.failed.add(pair)

    def units(self) -> Iterator[list[Task]]:
        pairs, needed = self.comparison.pairs, self.comparison.needed
        tried = []
        for pair in dict.fromkeys((*needed, *pairs)):
            if pair not in needed and self.gone > _WIDENING * self.seconds:
                break
            if (yield from self._of(pair, 0, pair in needed)):
                tried.append(pair)
        repeats = range(1, self.comparison.repeats)
        for repeat, pair in product(repeats, tried):
            yield from self._of(pair, repeat)
        for pair, repeat in product([p for p in pairs if p not in tried], [0, *repeats]):
            yield from self._of(pair, repeat)

    def _of(self, pair: Pair, repeat: int, needed: bool = False):
        """The units of a pair in one repeat, as long as they fit; returns whether all did."""
        tasks = self.comparison.tasks[pair, repeat]
        todo = [task for task in tasks if task.key not in self.done]
        for place, task in enumerate(todo):
            looking = (
                place % self.comparison.telling == 0
            )  # at every task would take as long as some
            if looking and pair[0] in alike(self.comparison, self.rankings):
                return False
            if not needed and not self._fits(pair, len(todo) - place):
                self.complete = False
                return False
            yield [task]
        return True

    def _fits(self, pair: Pair, tasks: int) -> bool:
        left = self.seconds - self.gone
        if pair in self.failed or left <= 0:
            return False
        took = self.took.get(pair, [])
        if len(took) < min(_SOME, tasks):
            return _named(pair) not in self.spent.slow
        wanted = sum(took) / len(took) * tasks / self.jobs
        if wanted > left and wanted > _SLOW * self.seconds:
            self.spent.slow[_named(pair)] = round(wanted / 60, 1)
        return wanted <= left


def _named(pair: Pair) -> str:
    return f"{pair[0]} with {pair[1]}"


def carry_out(comparison: Comparison, store: Store, minutes: float, how, config: dict) -> Spent:
    """Run what fits into the minutes that are left of the budget; what is done is kept."""
    spent = Spent.read(store, comparison)
    with store.locked(how.wait):
        if minutes <= spent.finished:
            return spent
        records = store.records()
        budget = Budget(comparison, records, spent, minutes, how.jobs)
        account = launch.Account(comparison.count(), len(budget.done & set(budget.pair_of)))
        tasks = [task for part in comparison.tasks.values() for task in part]
        with (
            launch.journal(store, config, how, account, tasks),
            progress(account.planned - account.before, how.jobs) as shown,
        ):
            shown.until = shown.started + max(0.0, budget.seconds - budget.before)
            _run(budget, store, how, account, shown)
        spent.seconds = budget.gone
        spent.finished = _EVER if budget.complete else minutes
        spent.write(store)
    return spent


def _run(budget: Budget, store: Store, how, account: launch.Account, shown) -> None:
    noted = 0.0
    parts = ([unit] for unit in budget.units())
    for record in runner.run_parts(parts, store, how.jobs, watch=shown.handed_out):
        budget.landed(record)
        account.landed(record)
        shown.landed(record)
        if monotonic() - noted > _EVERY:
            budget.spent.seconds = budget.gone
            budget.spent.write(store)
            noted = monotonic()
