"""Methods from outside that misbehave cost their own tasks a result, and nobody else's."""

import json

import pandas as pd
import pytest
from commands import run

from imbfs.running.store import Store

BAD = """\
import os, sys
import numpy as np
from sklearn.naive_bayes import GaussianNB

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class Own(BaseException):
    pass

def overwrites(X, y):
    X *= 0
    X += np.arange(X.shape[1])
    return np.arange(X.shape[1], dtype=float)

def unlocks(X, y):
    X.flags.writeable = True
    return overwrites(X, y)

def relabels(X, y):
    y[:] = 1
    return np.arange(X.shape[1], dtype=float)

class Overwriting(GaussianNB):
    def fit(self, X, y):
        super().fit(X, y)
        X[:] = 0
        return self

def exits(X, y):
    sys.exit(3)

def closes(X, y):
    raise GeneratorExit

def owns(X, y):
    raise Own("mine")

def mute(X, y):
    raise Mute

def strict(X, y):
    np.seterr(all="raise")
    return X.std(axis=0)

def underflows(X, y):
    return X.std(axis=0) + 1e-300 * np.full(X.shape[1], 1e-300)

def forks(X, y):
    if os.fork() == 0:
        raise SystemExit
    return X.std(axis=0)
"""
CONFIG = """\
name: bad
datasets: [breast_cancer]
selectors: [s2n, %s, fisher]
classifiers: [%s]
features: [2]
measures: [auc]
protocol: {holdout: {repeats: 1}}
preprocess: standardize
figures: []
"""


@pytest.fixture
def write(tmp_path):
    """A config that names methods of its own between ours."""

    def write(selectors: str, classifiers: str = "naive_bayes"):
        (tmp_path / "bad.py").write_text(BAD)
        (tmp_path / "bad.yaml").write_text(CONFIG % (selectors, classifiers))
        return tmp_path

    return write


def errors(folder) -> dict[tuple, str]:
    """Why tasks failed, by selector and classifier."""
    plan = json.loads((folder / "results/bad/plan.json").read_text())
    records = Store(folder / "results/bad").records()
    found = {(row[4], row[5]): records[row[0]] for row in plan["tasks"]}
    return {name: one["error"] for name, one in found.items() if one["status"] == "failed"}


def values(folder, name: str = "results") -> dict[tuple, float]:
    found = pd.read_csv(folder / name / "bad/tables/results.csv")
    return {(row.selector, row.classifier): row.mean for row in found.itertuples()}


def test_one_that_writes_into_its_arrays_fails_and_changes_nothing_for_others(write):
    folder = write("none")
    assert run(folder, "run", "bad.yaml", "--jobs", 1, "--results", "alone").code == 0
    alone = values(folder, "alone")
    folder = write("'bad:overwrites', none, 'bad:relabels'", "'bad:Overwriting', naive_bayes")
    answer = run(folder, "run", "bad.yaml", "--jobs", 1)
    assert answer.code == 1 and "Traceback" not in answer.err
    assert "10 tasks, 0 done before, 3 done now, 7 failed." in answer.out
    why = errors(folder)
    assert all("read-only" in reason for reason in why.values()), why
    assert {name[0] for name in why if name[1] == "naive_bayes"} == {
        "bad:overwrites",
        "bad:relabels",
    }
    found = values(folder)
    assert {name: found[name] for name in alone} == alone


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_is_no_exception_fails_its_task_alone(write, jobs):
    names = "exits", "closes", "owns", "mute"
    folder = write(", ".join(f"'bad:{name}'" for name in names))
    answer = run(folder, "run", "bad.yaml", "--jobs", jobs)
    assert answer.code == 1 and "Traceback" not in answer.err, answer.err
    assert "6 tasks, 0 done before, 2 done now, 4 failed." in answer.out
    assert {name[0]: reason for name, reason in errors(folder).items()} == {
        "bad:exits": "SystemExit: 3",
        "bad:closes": "GeneratorExit: ",
        "bad:owns": "Own: mine",
        "bad:mute": "Mute: (its text cannot be read: RuntimeError)",
    }


def test_how_a_method_has_numpy_treat_errors_is_its_own(write):
    answer = run(write("'bad:strict', 'bad:underflows'"), "run", "bad.yaml", "--jobs", 1)
    assert answer.code == 0, answer.out
    assert "4 tasks, 0 done before, 4 done now, 0 failed." in answer.out


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_process_that_a_method_forks_does_not_go_on_as_ours(write, jobs):
    folder = write("'bad:forks'")
    answer = run(folder, "run", "bad.yaml", "--jobs", jobs)
    assert answer.code == 0, answer.err
    assert "3 tasks, 0 done before, 3 done now, 0 failed." in answer.out
    assert (folder / "results/bad/records.jsonl").read_bytes().count(b"\n") == 3


def test_what_a_run_with_a_bad_method_made_is_done_again(write):
    folder = write("'bad:unlocks'")
    asked = "run", "bad.yaml", "--jobs", 1
    assert run(folder, *asked, "--only", "selector=fisher", "--results", "alone").code == 0
    right = values(folder, "alone")["fisher", "naive_bayes"]
    assert run(folder, *asked, "--only", "selector=s2n").code == 0
    assert run(folder, *asked).code == 0
    assert values(folder)["fisher", "naive_bayes"] != right
    first, second = json.loads((folder / "results/bad/run.json").read_text())["runs"]
    assert first["outside"] == {} and list(second["outside"]) == ["bad:unlocks"]
    made = [record["run"] for record in Store(folder / "results/bad").records().values()]
    assert made == [first["start"], second["start"], second["start"]]

    (folder / "bad.py").write_text(BAD.replace("X.flags.writeable = True", "return X[0]"))
    assert "2 done before, 1 done now" in run(folder, *asked).out
    assert values(folder)["fisher", "naive_bayes"] != right
    refused = run(folder, *asked, "--redo", "2001-01-01")
    assert refused.code == 2 and f"Runs: {first['start']}, {second['start']} (bad:u" in refused.err
    answer = run(folder, *asked, "--redo", second["start"])
    assert "2 records" in answer.err and "2 done before, 1 done now, 0 failed." in answer.out
    assert values(folder)["fisher", "naive_bayes"] == right
    assert (folder / "results/bad/records.undone").read_bytes().count(b"\n") == 2
    third = json.loads((folder / "results/bad/run.json").read_text())["runs"][2]
    assert third["outside"]["bad:unlocks"] != second["outside"]["bad:unlocks"]
    both = run(folder, *asked, "--redo", second["start"], "--retry-failed")
    assert both.code == 2 and "--redo and --retry-failed do not go together" in both.err
    again = run(folder, *asked, "--redo", second["start"])  # as after a kill
    assert again.code == 0 and "0 records" in again.err
