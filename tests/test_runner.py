"""Tasks to records: failures are kept apart, the number of workers changes nothing."""

import json
import os
import signal
from itertools import groupby
from threading import Thread
from time import sleep

import pytest
from threadpoolctl import threadpool_info

from imbfs.config import parse
from imbfs.methods import Method
from imbfs.running import runner
from imbfs.running.backends import processes, workers
from imbfs.running.plan import expand
from imbfs.running.runner import attempt, missing, units_of
from imbfs.running.store import Store
from imbfs.selectors import SELECTORS

TEXT = """\
name: x
datasets: [breast_cancer, wine]
selectors: [none, fisher]
classifiers: [naive_bayes, nearest_neighbour]
features: [2, 5]
measures: [auc, g_mean]
protocol: {cv: {repeats: 2, folds: 2}}
"""


@pytest.fixture
def tasks():
    return expand(parse(TEXT)).tasks


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "x").create()


def results(store) -> dict[str, str]:
    """What a record says apart from the seconds it took."""
    return {key: json.dumps([r["status"], r.get("rows")]) for key, r in store.records().items()}


def test_a_unit_holds_the_tasks_that_share_a_ranking(tasks):
    units = units_of(tasks)
    assert sum(map(len, units)) == len(tasks)
    assert {len(unit) for unit in units} == {2}
    assert all(len({(t.part, t.selector.name) for t in unit}) == 1 for unit in units)


def test_what_is_done_is_not_done_again(tasks, store):
    list(runner.run(tasks[:7], store))
    left = missing(tasks, store.records())
    assert left == tasks[7:]
    list(runner.run(left, store))
    assert missing(tasks, store.records()) == []


def test_a_result_that_serves_every_repeat_is_made_once(store):
    fixed = TEXT.replace("{cv: {repeats: 2, folds: 2}}", "{holdout: {repeats: 3, part: fixed}}")
    tasks = expand(parse(fixed)).tasks
    landed = list(runner.run(tasks, store))
    assert 3 * len(landed) == len(tasks) and missing(tasks, store.records()) == []
    assert {record["key"] for record in landed} == {task.key for task in tasks if not task.repeat}


def test_what_takes_longest_begins_first_once_that_is_known(tasks, store, monkeypatch):
    def slow(X, y, *, form="printed"):
        sleep(0.2)
        return X.std(axis=0)

    monkeypatch.setitem(SELECTORS, "fisher", Method(slow))
    order = []
    cells = [task for task in tasks if task.setting.label == "breast_cancer"]
    list(runner.run(cells, store, watch=lambda unit: order.append(unit[0].selector.name)))
    assert order[:2] == ["none", "fisher"]  # as in the config
    assert order[2:] == ["fisher", "none"] * 3


def test_one_and_two_processes_give_the_same_bits(tasks, store, tmp_path):
    list(runner.run(tasks, store, jobs=1))
    other = Store(tmp_path / "y").create()
    list(runner.run(tasks, other, jobs=2))
    assert results(other) == results(store)


def test_a_task_that_raises_becomes_a_record_and_the_rest_goes_on(tasks, store, monkeypatch):
    broken = True

    def fisher(X, y, *, form="printed"):
        if broken:
            raise ArithmeticError("it broke\nbadly")
        return SELECTORS_fisher(X, y, form=form)

    SELECTORS_fisher = SELECTORS["fisher"].call
    monkeypatch.setitem(SELECTORS, "fisher", Method(fisher, kinds=("binary", "multiclass")))
    list(runner.run(tasks, store))
    records = store.records()
    failed = [record for record in records.values() if record["status"] == "failed"]
    assert len(failed) == len(tasks) / 2
    assert {record["error"] for record in failed} == {"ArithmeticError: it broke"}
    assert "Traceback" in failed[0]["trace"]
    assert "in fisher" in failed[0]["trace"]

    broken = False
    again = missing(tasks, records)
    assert again == missing(tasks, records, only_failed=True)
    assert {task.selector.name for task in again} == {"fisher"}
    list(runner.run(again, store))
    assert missing(tasks, store.records()) == []


def test_a_classifier_that_fails_leaves_the_others_of_its_unit_alone(monkeypatch):
    text = TEXT.replace("nearest_neighbour", "svm")
    unit = units_of(expand(parse(text)).tasks)[0]
    from imbfs.classifiers import CLASSIFIERS

    def svm(*, C=1.0, class_weight="none", solver="auto"):
        raise MemoryError

    monkeypatch.setitem(CLASSIFIERS, "svm", Method(svm, kinds=("binary",)))
    assert [record["status"] for record in attempt(unit)] == ["ok", "failed"]


def test_warnings_of_a_task_are_kept_with_it(tasks, monkeypatch):
    import warnings

    def fisher(X, y, *, form="printed"):
        warnings.warn("mind the gap", RuntimeWarning, stacklevel=1)
        return X.sum(axis=0)

    monkeypatch.setitem(SELECTORS, "fisher", Method(fisher, kinds=("binary", "multiclass")))
    unit = next(unit for unit in units_of(tasks) if unit[0].selector.name == "fisher")
    assert attempt(unit)[0]["warnings"] == ["RuntimeWarning: mind the gap"]


def test_timings_are_kept_apart(tasks, store):
    list(runner.run(tasks[:2], store))
    for record in store.records().values():
        seconds = record["seconds"]
        assert set(seconds) == {"select", "classify", "total", "cpu"}
        assert 0 < seconds["select"] + seconds["classify"]


def test_every_thread_that_attempts_tasks_may_use_one(tasks):
    found = []

    def work() -> None:  # as the threads of a dask worker do
        attempt(tasks[:1])
        found.append(max(pool["num_threads"] for pool in threadpool_info()))

    for _ in range(2):
        thread = Thread(target=work)
        thread.start()
        thread.join()
    assert found == [1, 1]


def _who(unit, parent):
    sleep(0.02)
    return os.getpid()


def test_a_worker_keeps_to_its_part_until_no_other_is_left(tasks):
    parts = [list(part) for _, part in groupby(units_of(tasks), key=lambda unit: unit[0].part)]
    assert len(parts) == 8 and {len(part) for part in parts} == {2}
    long = [[[task] for part in parts for unit in part for task in unit]]
    by_part, helped = {}, set()
    for task, worker in workers.spread(parts, 2, _who):
        by_part.setdefault(task.part, []).append(worker)
    assert sorted(map(len, by_part.values())) == [4] * 8
    alone = [part for part, found in by_part.items() if len(set(found)) == 1]
    assert len(alone) >= 7  # the last may be shared
    assert len({by_part[part][0] for part in alone}) == 2
    for _, worker in workers.spread(long, 2, _who):
        helped.add(worker)
    assert len(helped) == 2  # of a single part, both do something


def _blocked(unit, parent):
    return [{"blocked": signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())}]


def test_worker_processes_do_not_hear_ctrl_c(tasks, monkeypatch):
    workers.end_resting()  # those of another test may have been started otherwise
    monkeypatch.setattr(processes, "_follow", _blocked)
    landed = list(processes.on_processes([units_of(tasks)], 2))
    assert len(landed) == len(tasks) and all(records[0]["blocked"] for records in landed)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_worker_that_died_while_it_had_nothing_to_do_is_replaced(tasks, monkeypatch):
    monkeypatch.setattr(processes, "_follow", _blocked)
    list(processes.on_processes([units_of(tasks)], 2))
    (process,) = workers._resting[-1].executor._processes.values()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert len(list(processes.on_processes([units_of(tasks)], 2))) == len(tasks)
