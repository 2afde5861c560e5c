"""A task that dies, hangs, eats all memory or loses its data costs itself and nothing else."""

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from commands import run

from imbfs.running.store import Store

BAD = """\
import os, signal, time
from pathlib import Path
import numpy as np

def hungry(X, y):
    kept = []
    while True:
        kept.append(np.empty(2**27))

def killed(X, y):
    os.kill(os.getpid(), signal.SIGKILL)

def crashes(X, y):
    os.kill(os.getpid(), signal.SIGSEGV)

def hangs(X, y):
    time.sleep(3600)

def spoils(X, y):
    Path("b.csv").unlink(missing_ok=True)
    Path("c.csv").write_text("x,t\\n1,u\\n2")
    Path("d.csv").write_text(Path("a.csv").read_text().replace("9", "8"))
    return X.std(axis=0)

def turns(X, y):
    with open("clocks", "a") as seen:
        for jump in ("-3d", "+5d", "-1d"):
            Path("clock").write_text(jump)
            print(time.time(), file=seen)
    return X.std(axis=0)
"""
CONFIG = """\
name: bad
datasets: [%s]
selectors: [%s]
classifiers: naive_bayes
features: [2]
measures: [auc]
protocol: {holdout: {repeats: 1}}
figures: []
"""


@pytest.fixture
def planned(tmp_path):
    """Write a config and the methods that it names."""

    def write(datasets: str, selectors: str) -> Path:
        (tmp_path / "bad.py").write_text(BAD)
        (tmp_path / "bad.yaml").write_text(CONFIG % (datasets, selectors))
        return tmp_path

    return write


def scarce_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))


def failed(folder: Path) -> dict[str, str]:
    """Why tasks failed, by the set and the selector of each."""
    plan = json.loads((folder / "results/bad/plan.json").read_text())
    records = Store(folder / "results/bad").records()
    found = {f"{row[1]} {row[4]}": records[row[0]] for row in plan["tasks"]}
    return {name: one["error"] for name, one in found.items() if one["status"] == "failed"}


def test_a_task_that_dies_hangs_or_eats_all_memory_fails_alone(planned):
    selectors = "none, 'bad:killed', s2n, 'bad:hangs', 'bad:hungry', 'bad:crashes', fisher"
    folder = planned("breast_cancer", selectors)
    asked = "run", "bad.yaml", "--jobs", 2, "--task-timeout", 8
    answer = run(folder, *asked, setup=scarce_memory)
    assert answer.code == 1 and "Traceback" not in answer.err
    assert "Fatal Python error" not in answer.err
    assert "7 tasks, 0 done before, 3 done now, 4 failed." in answer.out
    why = failed(folder)
    names = "killed", "hangs", "hungry", "crashes"
    assert set(why) == {f"breast_cancer bad:{name}" for name in names}
    assert why["breast_cancer bad:killed"] == (
        "WorkerDied: its process was killed (SIGKILL), as the system does for want of memory"
    )
    assert why["breast_cancer bad:crashes"].startswith("WorkerDied: ")
    assert why["breast_cancer bad:hangs"] == (
        "TimedOut: it took longer than the 8 s that --task-timeout gives"
    )
    assert "MemoryError: Unable to allocate 1.00 GiB" in why["breast_cancer bad:hungry"]
    assert all(f"1 failed: {reason}" in answer.err for reason in why.values())


def test_sets_that_vanish_or_change_after_planning_fail_and_the_rest_goes_on(planned):
    folder = planned(
        "{path: a.csv, target: t}, {path: b.csv, target: t}, {path: c.csv, target: t}, "
        "{path: d.csv, target: t}, {path: e.csv, target: t}",
        "'bad:spoils', none",
    )
    for number, name in enumerate("abcde"):
        rows = [f"{i * 7 % 10},{i * 3 % 10 + number},{'uv'[i % 4 == 0]}\n" for i in range(40)]
        (folder / f"{name}.csv").write_text("x,z,t\n" + "".join(rows))
    answer = run(folder, "run", "bad.yaml", "--jobs", 1)
    assert answer.code == 1 and "Traceback" not in answer.err
    assert "10 tasks, 0 done before, 4 done now, 6 failed." in answer.out
    why = failed(folder)
    assert {name.split()[0] for name in why} == {"b", "c", "d"}
    assert why["b none"].endswith("b.csv: there is no such file.")
    assert "c.csv: " in why["c none"]
    assert why["d none"] == "RuntimeError: d: the data changed while the experiment ran"
    assert len(re.findall(r"^2 failed: ", answer.err, re.M)) == 3
    assert (folder / "results/bad/tables/results.csv").exists()


def libfaketime() -> str:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        pytest.skip("setting the clock of a process takes libfaketime")
    return str(found[0])


def test_a_clock_that_jumps_makes_no_time_negative(planned):
    folder = planned("breast_cancer, microarray", "'bad:turns', none")
    (folder / "clock").write_text("+0d")
    faked = {
        "LD_PRELOAD": libfaketime(),
        "FAKETIME_TIMESTAMP_FILE": str(folder / "clock"),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    asked = [sys.executable, "-m", "imbfs", "run", "bad.yaml", "--jobs", "1"]
    ran = subprocess.run(asked, cwd=folder, env=os.environ | faked, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    clocks = [float(line) for line in (folder / "clocks").read_text().split()]
    assert max(clocks) - min(clocks) > 7 * 24 * 3600  # it did jump
    (one,) = json.loads((folder / "results/bad/run.json").read_text())["runs"]
    took = datetime.fromisoformat(one["end"]) - datetime.fromisoformat(one["start"])
    assert 0 <= took.total_seconds() < 3600
    for record in Store(folder / "results/bad").records().values():
        assert all(0 <= value < 3600 for value in record["seconds"].values())


def test_a_cluster_has_no_task_timeout(imbfs, config):
    asked = "--backend", "dask", "--scheduler", "tcp://127.0.0.1:1", "--task-timeout", 5
    answer = imbfs("run", config(), *asked)
    assert (answer.code, answer.err) == (
        2,
        "imbfs: --task-timeout is for processes of this machine, not for --backend dask.\n",
    )
