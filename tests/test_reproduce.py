"""Every config and script in one go: order, progress, what is done, what is not at hand."""

import json
import os
import signal
import time
from pathlib import Path

import pandas as pd
import pytest

from imbfs.running.store import Store

SMALL = """\
name: {name}
datasets: [{datasets}]
selectors: [{selectors}]
classifiers: naive_bayes
features: [2]
measures: [auc]
protocol: {{cv: {{repeats: {repeats}, folds: 3}}}}
tables: []
figures: []
"""

CLAIMS = """\
paper: Nobody
experiment: large
datasets: [breast_cancer]
claims:
  A1:
    where: here
    claim: s2n exceeds nothing
    tests: [{exceeds: {these: s2n, measure: auc, features: 2, above: 0}}]
  A2:
    where: there
    claim: all is well
    script: experiments/nobody/well.py
    tests: [{all_true: {table: well/tables/well.csv, column: ok}}]
"""

SCRIPT = """\
import sys
from pathlib import Path

folder = Path(sys.argv[1]) / "well/tables"
folder.mkdir(parents=True, exist_ok=True)
with open(folder / "runs.txt", "a") as file:
    file.write("once more\\n")
(folder / "well.csv").write_text("ok\\n1\\n")
"""


@pytest.fixture
def project(tmp_path):
    """Two configs, the larger one first by name, and a paper with a script."""
    given = {
        "a.yaml": SMALL.format(
            name="large", datasets="breast_cancer", selectors="s2n, chi", repeats=3
        ),
        "b.yaml": SMALL.format(name="small", datasets="breast_cancer", selectors="s2n", repeats=1),
    }
    (tmp_path / "configs").mkdir()
    for name, text in given.items():
        (tmp_path / "configs" / name).write_text(text)
    (tmp_path / "experiments/nobody").mkdir(parents=True)
    (tmp_path / "experiments/nobody/claims.yaml").write_text(CLAIMS)
    (tmp_path / "experiments/nobody/well.py").write_text(SCRIPT)
    return tmp_path


def verdicts(name="large"):
    table = pd.read_csv(f"results/{name}/tables/claims.csv")
    return dict(zip(table["claim"], table["verdict"], strict=True))


def test_every_config_runs_the_shortest_first_then_scripts_then_claims(imbfs, project):
    answer = imbfs("reproduce", "--jobs", 1)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0] == "1/2 small: 3 of 3 tasks done; results/small"
    assert lines[1] == "2/2 large: 18 of 18 tasks done; results/large"
    assert lines[-1].split() == ["nobody", "2", "2", "2", "0", "0", "0"]
    assert verdicts() == {"A1": "holds", "A2": "holds"}
    assert Path("results/small/tables/results.csv").exists()


def test_what_is_done_is_not_done_again(imbfs, project):
    imbfs("reproduce", "--jobs", 1)
    paths = [Path(f"results/{name}/records.jsonl") for name in ("large", "small")]
    before = [path.read_bytes() for path in paths]
    answer = imbfs("reproduce", "--jobs", 1)
    assert answer.code == 0, answer.err
    assert [path.read_bytes() for path in paths] == before
    assert Path("results/well/tables/runs.txt").read_text().count("once more") == 1


def test_two_jobs_give_what_one_gives(imbfs, project):
    imbfs("reproduce", "--jobs", 1, "--results", "alone")
    answer = imbfs("reproduce", "--jobs", 2)
    assert answer.code == 0, answer.err
    assert "1/2 small: 3 of 3 tasks done; results/small" in answer.out.splitlines()
    assert "2/2 large: 18 of 18 tasks done; results/large" in answer.out.splitlines()
    for name in ("large", "small"):
        table = f"{name}/tables/results.csv"
        assert Path("results", table).read_bytes() == Path("alone", table).read_bytes()
        run = json.loads(Path("results", name, "run.json").read_text())["runs"][-1]
        assert (
            run["end"] and run["tasks"]["ran"] == run["tasks"]["planned"] - run["tasks"]["before"]
        )


def test_what_two_experiments_have_in_common_is_done_once(imbfs, project):
    imbfs("reproduce", "--jobs", 1)
    runs = [json.loads(Path(f"results/{name}/run.json").read_text()) for name in ("small", "large")]
    tasks = [run["runs"][-1]["tasks"] for run in runs]
    assert [each["ran"] for each in tasks] == [3, 15]  # the first repeat of s2n is in both
    assert [each["before"] for each in tasks] == [0, 3]
    small, large = (Store(Path(f"results/{name}")) for name in ("small", "large"))
    assert set(small.records()) < set(large.records())
    assert large.path.read_text().count("\n") == len(large.records()) == 18


def test_a_script_that_changed_runs_again(imbfs, project):
    imbfs("reproduce", "--jobs", 1)
    with open("experiments/nobody/well.py", "a") as file:
        file.write("# changed\n")
    assert imbfs("reproduce", "--jobs", 1).code == 0
    assert Path("results/well/tables/runs.txt").read_text().count("once more") == 2


def test_committed_tables_of_a_script_do_not_spare_it_in_full(imbfs, project):
    imbfs("reproduce", "--jobs", 1)
    Path("results/well/published.json").unlink()  # as in a fresh clone
    assert imbfs("reproduce", "--jobs", 1).code == 0
    assert Path("results/well/tables/runs.txt").read_text().count("once more") == 2


def test_scripts_write_where_results_go(imbfs, project):
    assert imbfs("reproduce", "--jobs", 1, "--results", "elsewhere").code == 0
    assert Path("elsewhere/well/tables/well.csv").exists() and not Path("results").exists()


def test_cut_short_every_experiment_has_another_name_and_scripts_run_once(imbfs, project):
    for _ in range(2):
        answer = imbfs("reproduce", "--quick", "--jobs", 1)
        assert answer.code == 0, answer.err
    assert "/2 large-quick: 6 of 6 tasks done; results/large-quick" in answer.out
    assert verdicts("large-quick") == {"A1": "holds", "A2": "holds"}
    assert not Path("results/large").exists()
    assert Path("results/well/tables/runs.txt").read_text().count("once more") == 1


def test_sets_that_are_not_at_hand_are_listed_with_what_would_get_them(
    imbfs, project, monkeypatch, tmp_path
):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path / "nothing"))
    text = SMALL.format(name="absent", datasets="w8a", selectors="s2n", repeats=1)
    (project / "configs/c.yaml").write_text(text)
    answer = imbfs("reproduce", "--jobs", 1)
    assert answer.code == 0, answer.err
    assert "absent: none of its datasets is at hand." in answer.err
    assert "w8a: is not at hand. imbfs data fetch w8a gets it" in answer.err


def test_a_failed_task_or_script_is_told_at_the_end(imbfs, project):
    # A training fold has 6 or 7 rare samples: too few for 7 neighbours.
    text = SMALL.format(name="bad", datasets="microarray", selectors="s2n", repeats=1)
    (project / "configs/c.yaml").write_text(text + "resampling: {smote: {k: 7}}\n")
    (project / "experiments/nobody/broken.py").write_text("raise SystemExit(3)\n")
    answer = imbfs("reproduce", "--jobs", 1)
    assert answer.code == 1
    assert "bad: 0 of 3 tasks done, 3 failed" in answer.out
    assert "4 failed; the same command tries again." in answer.err
    assert verdicts() == {"A1": "holds", "A2": "holds"}


def test_two_configs_with_the_same_name_are_refused(imbfs, project):
    (project / "configs/c.yaml").write_text((project / "configs/a.yaml").read_text())
    answer = imbfs("reproduce")
    assert answer.code == 2
    assert answer.err == (
        "imbfs: configs/c.yaml: name: 'large' is that of configs/a.yaml too. Results are kept by "
        "name: give each one of its own.\n"
    )
    assert not Path("results").exists()


def test_a_folder_without_configs_is_refused(imbfs, project):
    answer = imbfs("reproduce", "--configs", "nowhere")
    assert answer.code == 2
    assert answer.err == "imbfs: nowhere: holds no config, such as quickstart.yaml.\n"


@pytest.mark.slow
def test_nothing_is_lost_when_it_is_interrupted(spawn, imbfs, project):
    text = SMALL.format(name="large", datasets="breast_cancer", selectors="s2n", repeats=200)
    (project / "configs/a.yaml").write_text(text)
    process = spawn("reproduce", "--jobs", 2)
    records = project / "results/large/records.jsonl"
    limit = time.monotonic() + 120
    while not records.exists() or records.read_bytes().count(b"\n") < 5:
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there." in err and "Traceback" not in err
    kept = records.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    assert kept.count(b"\n") < 600
    assert imbfs("reproduce", "--jobs", 1).code == 0
    assert records.read_bytes().startswith(kept)
    assert records.read_bytes().count(b"\n") == 600
