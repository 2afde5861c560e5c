"""The command as a user meets it: run, kill, resume, the same tables to the byte."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

from imbfs.running.store import FORMAT

PLANNED = 2 * 2 * 3 * 5  # datasets x repeats x folds x (4 selectors with naive_bayes, 1 with own)


def tables(folder: Path) -> dict[str, bytes]:
    """All tables but that of times, which differ from run to run."""
    found = {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}
    assert "results.csv" in found
    found.pop("seconds.csv", None)
    return found


def n_records(folder: Path) -> int:
    path = folder / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def group_ends(group: int, patience: float = 20.0) -> bool:
    """Whether every process that a command started ends by itself."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The tables of an uninterrupted run with one process."""
    from conftest import SMOKE
    from typer.testing import CliRunner

    from imbfs.cli import app

    folder = tmp_path_factory.mktemp("reference")
    (folder / "smoke.yaml").write_text(SMOKE)
    result = CliRunner().invoke(
        app, ["run", str(folder / "smoke.yaml"), "--jobs", "1", "--results", str(folder)]
    )
    assert result.exit_code == 0, result.output
    return folder / "smoke"


def test_a_run_ends_with_tables_and_figures(reference):
    assert n_records(reference) == PLANNED
    assert set(tables(reference)) == {
        "results.csv", "features.csv", "problems.csv", "summary_auc.csv", "summary_auc.md",
        "summary_g_mean.csv", "summary_g_mean.md", "ranks_auc.csv", "ranks_auc.md",
    }  # fmt: skip
    figures = {path.name for path in (reference / "figures").iterdir()}
    assert figures == {"curves_auc.png", "curves_g_mean.png", "ranks_auc.png"}


def test_run_json_says_how_the_results_were_made(reference):
    about = json.loads((reference / "run.json").read_text())
    assert yaml.safe_load(about["config"])["name"] == about["name"] == "smoke"
    (run,) = about["runs"]
    assert run["tasks"].pop("cpu_seconds") > 0
    assert run["tasks"] == {"planned": PLANNED, "before": 0, "ran": PLANNED, "failed": 0}
    assert run["start"] <= run["end"]
    assert {"imbfs", "python", "packages", "platform", "cores", "commit", "jobs"} <= set(run)
    assert "numpy" in run["packages"]


def test_a_finished_experiment_runs_nothing_again(imbfs, config):
    path = config(**SMALL, figures="absent")
    assert imbfs("run", path, "--jobs", 1).code == 0
    before = {p: p.stat().st_mtime_ns for p in Path("results").rglob("*.[cpm]*")}
    again = imbfs("run", path, "--jobs", 1)
    assert again.code == 0
    assert "6 tasks, 6 done before, 0 done now, 0 failed." in again.out
    assert "results/smoke/tables/results.csv" in again.out
    assert {p: p.stat().st_mtime_ns for p in Path("results").rglob("*.[cpm]*")} == before
    assert len(json.loads(Path("results/smoke/run.json").read_text())["runs"]) == 1


def test_tables_and_figures_follow_a_change_of_the_config_alone(imbfs, config):
    small = dict(datasets=["breast_cancer"], selectors=["s2n"], classifiers=["naive_bayes"])
    imbfs("run", config(**small), "--jobs", 1)
    again = imbfs("run", config(**small, figures=[{"ranks": {"measure": "g_mean"}}]), "--jobs", 1)
    assert "0 done now" in again.out
    assert Path("results/smoke/figures/ranks_g_mean.png").exists()


def test_two_jobs_write_the_same_tables_as_one(imbfs, config, reference):
    assert imbfs("run", config(), "--jobs", 2).code == 0
    assert tables(Path("results/smoke")) == tables(reference)


@pytest.mark.slow
@pytest.mark.parametrize("landed", [1, 20])
def test_a_killed_run_loses_nothing_and_ends_in_the_same_tables(
    landed, spawn, imbfs, config, reference, tmp_path
):
    folder = tmp_path / "results/smoke"
    process = spawn("run", config(), "--jobs", "2")
    while n_records(folder) < landed and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = n_records(folder)
    assert landed <= kept < PLANNED
    assert group_ends(process.pid)
    answer = imbfs("run", config(), "--jobs", 1)
    assert answer.code == 0
    assert f"{kept} done before, {PLANNED - kept} done now, 0 failed." in answer.out
    assert n_records(folder) == PLANNED
    assert tables(folder) == tables(reference)


def test_a_kill_before_the_first_result_loses_nothing(spawn, imbfs, config, reference, tmp_path):
    process = spawn("run", config(), "--jobs", "1")
    while not (tmp_path / "results/smoke/plan.json").exists() and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert imbfs("run", config(), "--jobs", 1).code == 0
    assert tables(tmp_path / "results/smoke") == tables(reference)


def test_a_torn_record_is_run_again(imbfs, config, reference, tmp_path):
    folder = tmp_path / "results/smoke"
    folder.mkdir(parents=True)
    whole = (reference / "records.jsonl").read_bytes()
    (folder / "records.jsonl").write_bytes(whole[: len(whole) // 2])
    kept = whole[: len(whole) // 2].count(b"\n")
    answer = imbfs("run", config(), "--jobs", 1)
    assert f"{kept} done before, {PLANNED - kept} done now" in answer.out
    assert tables(folder) == tables(reference)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGTERM], ids=["ctrl_c", "term"])
def test_a_signal_stops_soon_and_keeps_what_is_done(
    send, jobs, spawn, imbfs, config, reference, tmp_path
):
    path = config()
    process = spawn("run", path, "--jobs", jobs)
    while n_records(tmp_path / "results/smoke") < 5 and process.poll() is None:
        time.sleep(0.002)
    asked = time.monotonic()
    if send == signal.SIGINT:
        os.killpg(process.pid, send)  # as a terminal does: the whole process group
    else:
        process.send_signal(send)  # as schedulers do
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - asked < 10  # a second or two; more only on a machine under load
    assert "What is done is kept in results/smoke; the same command goes on from there." in err
    assert "Traceback" not in err
    assert imbfs("run", path, "--jobs", 1).code == 0
    assert tables(tmp_path / "results/smoke") == tables(reference)


def test_failed_tasks_are_told_counted_and_retried(imbfs, config):
    # A training fold has 6 or 7 rare samples: too few for 7 neighbours.
    path = config(
        datasets=[{"microarray": {"features": [5]}}],
        resampling=["none", {"smote": {"k": 7}}],
        selectors=["s2n"],
    )
    answer = imbfs("run", path, "--jobs", 1)
    assert answer.code == 1
    assert "12 tasks, 0 done before, 6 done now, 6 failed." in answer.out
    assert (
        "failed: UserError: smote: a class has 6 training samples, too few for k = 7" in answer.err
    )
    assert "first: microarray, natural, smote(k=7), s2n, naive_bayes, 0, 0;" in answer.err
    assert (
        "Incomplete: 6 of 12 tasks have no result, 6 of them failed."
        in Path("results/smoke/tables/summary_auc.md").read_text()
    )
    assert "failed   6" in imbfs("plan", path).out
    again = imbfs("run", path, "--jobs", 1)
    assert (again.code, "6 done before, 0 done now, 6 failed." in again.out) == (1, True)
    assert "0 done now, 6 failed." in imbfs("run", path, "--jobs", 1, "--retry-failed").out


def test_retry_failed_leaves_what_was_never_tried_alone(imbfs, config):
    assert "0 done now, 0 failed." in imbfs("run", config(), "--jobs", 1, "--retry-failed").out


def test_only_runs_a_part_and_the_tables_say_what_is_missing(imbfs, config):
    answer = imbfs(
        "run", config(), "--jobs", 1, "--only", "dataset=breast_cancer", "--only", "selector=s2n"
    )
    assert (answer.code, "6 tasks, 0 done before, 6 done now" in answer.out) == (0, True)
    text = Path("results/smoke/tables/summary_auc.md").read_text()
    assert f"Incomplete: {PLANNED - 6} of {PLANNED} tasks have no result." in text


@pytest.mark.parametrize(
    "only, message",
    [
        ("dataset=wine", "--only dataset=wine: no such dataset. Known: breast_cancer, microarray."),
        ("set=wine", "--only set=wine: write KEY=NAME, KEY one of dataset, ratio,"),
        ("dataset", "--only dataset: write KEY=NAME"),
    ],
)
def test_only_names_what_there_is(only, message, imbfs, config):
    answer = imbfs("run", config(), "--only", only)
    assert (answer.code, message in answer.err) == (2, True)


def test_quick_keeps_results_of_its_own(imbfs, config):
    path = config(figures=[{"curves": {"measure": "auc"}}])
    answer = imbfs("run", path, "--quick", "--jobs", 1)
    assert (answer.code, "smoke-quick: 30 tasks" in answer.out) == (0, True)
    assert Path("results/smoke-quick/tables/results.csv").exists()
    assert not Path("results/smoke").exists()
    assert imbfs("plot", "results").code == 0


def test_a_second_run_on_the_same_results_says_so_and_stops(imbfs, config):
    folder = Path("results/smoke")
    folder.mkdir(parents=True)
    with FileLock(folder / ".lock"):
        answer = imbfs("run", config(), "--jobs", 1)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "another run is at work here. Wait for it with --wait." in answer.err


@pytest.mark.slow
def test_a_second_run_may_wait(spawn, config, tmp_path):
    folder = tmp_path / "results/smoke"
    folder.mkdir(parents=True)
    path = config(selectors=["s2n"], datasets=["breast_cancer"], classifiers=["naive_bayes"])
    with FileLock(folder / ".lock"):
        process = spawn("run", path, "--jobs", "1", "--wait")
        time.sleep(4)
        assert process.poll() is None
        assert not (folder / "plan.json").exists()
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, "6 done now" in out) == (0, True)


def test_results_that_cannot_be_used_are_said_in_one_line(imbfs, config):
    path = config()
    Path("file").write_text("")
    answer = imbfs("run", path, "--results", "file")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "is, or lies below, a file, not a folder." in answer.err
    folder = Path("results/smoke")
    folder.mkdir(parents=True)
    record = {"format": FORMAT + 1, "key": "a", "status": "ok"}
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    answer = imbfs("run", path)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "was written by a newer imbfs" in answer.err
    for command in ("table", "plot"):
        assert "there is no such folder" in imbfs(command, "nowhere").err
        assert "holds no re" in imbfs(command, ".").err


BAD_PLANS = {
    "k larger than the number of features": ({"features": [2, 31]}, "datasets[0]: breast_cancer: features: 31 is more than the 30 features there are."),
    "a ratio the data cannot reach": ({"ratios": [1000]}, "datasets[0]: breast_cancer: ratios: a ratio of 1000 leaves 0 samples of the smaller class (natural: 1.68), but 3 are needed."),
    "fewer minority samples than folds": ({"datasets": ["microarray"], "protocol": {"cv": {"folds": 11}}}, "datasets[0]: microarray: protocol: 10 samples of the smaller class are fewer than the 11 it takes"),
    "a missing file": ({"datasets": [{"path": "gone.csv", "target": "t"}]}, "gone.csv: there is no such file."),
    "a dataset with one class": ({"datasets": [{"path": "one.csv", "target": "t"}]}, "one: has one class only (a)."),
    "NaN": ({"datasets": [{"path": "nan.csv", "target": "t"}]}, "nan.csv: sample 2, feature 'x' is missing."),
    "an infinite value": ({"datasets": [{"path": "inf.csv", "target": "t"}]}, "inf.csv: sample 2, feature 'x' is infinite."),
    "a class that does not occur": ({"datasets": [{"digits": {"positive": 11}}]}, "positive: no class 11. Classes: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9."),
    "nothing at hand": ({"datasets": ["w8a"]}, "none of its datasets is at hand."),
}  # fmt: skip


@pytest.mark.parametrize("change, message", BAD_PLANS.values(), ids=BAD_PLANS)
def test_what_the_data_do_not_allow_is_said_before_anything_runs(
    change, message, imbfs, config, monkeypatch, tmp_path
):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    Path("one.csv").write_text("x,t\n1,a\n2,a\n")
    Path("nan.csv").write_text("x,t\n1,a\n,b\n")
    Path("inf.csv").write_text("x,t\n1,a\n-inf,b\n")
    answer = imbfs("run", config(**change), "--jobs", 1)
    assert (answer.code, answer.err.count("imbfs: ")) == (2, 1)
    assert message in answer.err.splitlines()[-1]
    assert not Path("results").exists()


def test_sets_not_at_hand_are_named_and_the_rest_is_run(imbfs, config, monkeypatch, tmp_path):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    path = config(datasets=["w8a", "breast_cancer"], selectors=["s2n"], classifiers=["naive_bayes"])
    answer = imbfs("run", path, "--jobs", 1)
    assert (answer.code, "6 done now" in answer.out) == (0, True)
    assert "w8a: is not at hand. imbfs data fetch w8a gets it" in answer.err
    assert "Not at hand: w8a." in Path("results/smoke/tables/summary_auc.md").read_text()
    assert "w8a: is not at hand." in imbfs("plan", path).out


def test_plan_counts_and_estimates_and_runs_nothing(imbfs, config):
    path = config(datasets=["breast_cancer"], selectors=["s2n"], classifiers=["naive_bayes"])
    before = imbfs("plan", path)
    assert (before.code, "smoke: 6 tasks" in before.out) == (0, True)
    assert ["done 0", "missing 6", "failed 0"] == [
        " ".join(line.split()) for line in before.out.splitlines()[1:4]
    ]
    assert "no earlier record" in before.out
    assert not Path("results").exists()
    imbfs("run", path, "--jobs", 1)
    wider = config(datasets=["breast_cancer"], selectors=["s2n", "fast"])
    assert "about" in imbfs("plan", wider).out


def test_a_csv_of_ones_own_runs_with_its_names(imbfs, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{a * (i % 4 == 0) + b:.3f},{'ill' if i % 4 == 0 else 'well'}"
            for i, (a, b) in enumerate(rng.normal(3, 1, (40, 2)))]  # fmt: skip
    (tmp_path / "mine.csv").write_text("age,dose,state\n" + "\n".join(rows) + "\n")
    (tmp_path / "mine.yaml").write_text(
        "name: mine\ndatasets: [{path: mine.csv, target: state, positive: ill}]\n"
        "selectors: [fast]\nclassifiers: [naive_bayes]\nfeatures: [1, 2]\nprotocol: {cv: {repeats: 1}}\n"
    )
    answer = imbfs("run", tmp_path / "mine.yaml", "--jobs", 1)
    assert answer.code == 0
    assert "mine:ill" in Path("results/mine/tables/results.csv").read_text()


@pytest.mark.parametrize("format, suffix", [("csv", "csv"), ("md", "md"), ("latex", "tex")])
def test_table_writes_every_format(format, suffix, imbfs, reference):
    answer = imbfs("table", reference, "--format", format)
    assert answer.code == 0
    assert (reference / f"tables/summary_auc.{suffix}").exists()
    assert max(map(len, answer.out.splitlines()[:20])) <= 80
    for extra in reference.glob("tables/*.tex"):
        extra.unlink()


@pytest.mark.parametrize("format", ["pdf", "svg"])
def test_plot_writes_every_format(format, imbfs, reference):
    answer = imbfs("plot", reference.parent, "--format", format)
    assert answer.code == 0
    drawn = reference / f"figures/curves_auc.{format}"
    assert str(drawn) in answer.out
    drawn.unlink()


def test_figures_are_drawn_from_the_tables_alone(imbfs, reference, tmp_path):
    import shutil

    shutil.copytree(reference / "tables", tmp_path / "kept/tables")
    shutil.copy(reference / "run.json", tmp_path / "kept")
    assert imbfs("plot", "kept").code == 0
    drawn = (tmp_path / "kept/figures/curves_auc.png").read_bytes()
    assert drawn == (reference / "figures/curves_auc.png").read_bytes()


@pytest.mark.parametrize("what", ["datasets", "problems", "selectors", "classifiers", "measures"])
def test_list_has_one_line_each(what, imbfs):
    from importlib import import_module

    home = {"problems": "datasets"}.get(what, what)
    names = getattr(import_module(f"imbfs.{home}"), what.upper())
    lines = imbfs("list", what).out.splitlines()
    assert [line.split()[0] for line in lines] == list(names)
    assert all(len(line) <= 80 and len(line.split()) > 2 for line in lines)
    assert all(line in imbfs("list").out for line in lines)


@pytest.mark.parametrize(
    "command", [(), ("run",), ("plan",), ("table",), ("plot",), ("list",), ("schema",)]
)
def test_help_has_an_example(command, imbfs):
    answer = imbfs(*command, "--help")
    assert answer.code == 0
    assert f"imbfs {' '.join(command) or 'run'}" in " ".join(answer.out.split())
    assert "Example" in answer.out or not command


def test_version_and_no_arguments(imbfs):
    from imbfs import __version__

    assert imbfs("--version").out == f"imbfs {__version__}\n"
    assert "Usage" in imbfs().out


def test_dask_and_its_scheduler_go_together(imbfs, config):
    assert imbfs("run", config(), "--backend", "dask").code == 2
    assert imbfs("run", config(), "--scheduler", "tcp://127.0.0.1:1").code == 2


def test_help_does_not_wait_for_heavy_imports():
    import subprocess
    import sys

    code = (
        "import sys, imbfs.cli; heavy = {'numpy', 'sklearn', 'pandas', 'matplotlib', 'numba',"
        " 'pydantic', 'yaml', 'joblib'} & set(sys.modules); sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


SMALL = dict(datasets=["breast_cancer"], selectors=["s2n"], classifiers=["naive_bayes"])


def own(text: str) -> dict:
    """A config's dataset entry for a CSV with this content."""
    Path("mine.csv").write_text(text)
    return {"datasets": [{"path": "mine.csv", "target": "t"}], "features": [1]}


def test_tables_always_belong_to_the_data_of_the_plan(imbfs, config):
    texts = ["x,t\n" + "".join(f"{(i * k) % 7},{i % 3 == 0}\n" for i in range(60)) for k in (3, 5)]
    seen = []
    for text in (texts[0], texts[1], texts[0]):
        path = config(**SMALL | own(text))
        assert imbfs("run", path, "--jobs", 1).code == 0
        seen.append(Path("results/smoke/tables/results.csv").read_bytes())
    assert seen[0] == seen[2] != seen[1]


def test_what_a_kill_left_undrawn_is_drawn(imbfs, config):
    path = config(**SMALL, figures="absent")
    imbfs("run", path, "--jobs", 1)
    Path("results/smoke/figures/curves_g_mean.png").unlink()
    Path("results/smoke/tables/summary_auc.md").unlink()
    imbfs("run", path, "--jobs", 1)
    assert Path("results/smoke/figures/curves_g_mean.png").exists()
    assert Path("results/smoke/tables/summary_auc.md").exists()


def test_tables_and_figures_of_another_plan_do_not_linger(imbfs, config):
    imbfs("run", config(**SMALL, figures="absent"), "--jobs", 1)
    imbfs("table", "results/smoke", "--format", "latex")
    Path("results/smoke/tables/notes.txt").write_text("mine")
    imbfs("run", config(**SMALL, measures=["prc"], figures="absent"), "--jobs", 1)
    assert {p.name for p in Path("results/smoke/tables").iterdir()} == {
        "results.csv", "features.csv", "problems.csv", "summary_prc.csv", "summary_prc.md",
        "ranks_prc.csv", "ranks_prc.md", "notes.txt",
    }  # fmt: skip
    assert [p.name for p in Path("results/smoke/figures").iterdir()] == ["curves_prc.png"]


def test_all_tables_are_written_though_some_folder_has_no_records(imbfs, config):
    imbfs("run", config(**SMALL), "--jobs", 1)
    Path("results/committed").mkdir()
    Path("results/committed/run.json").write_text(Path("results/smoke/run.json").read_text())
    answer = imbfs("table", "results")
    assert (answer.code, "summary_auc.md" in answer.out) == (0, True)


def test_foreign_and_broken_files_are_one_line(imbfs, config):
    path = config(**SMALL)
    imbfs("run", path, "--jobs", 1)
    folder = Path("results/smoke")
    (folder / "run.json").write_text('{"format": 1}')
    assert "is damaged, or not ours" in imbfs("plot", folder).err
    (folder / "run.json").write_text('{"other": 1}')
    assert imbfs("table", folder).code == 2
    (folder / "records.jsonl").write_text('{"format": 1, "key": "a"}\n')
    assert "line 1 is damaged" in imbfs("plan", path).err
    (folder / "records.jsonl").unlink()
    (folder / "records.jsonl").mkdir()
    assert "cannot be read" in imbfs("run", path).err


def test_a_run_is_in_run_json_from_its_start(spawn, config, tmp_path):
    folder = tmp_path / "results/smoke"
    process = spawn("run", config(), "--jobs", "1")
    while n_records(folder) < 1 and process.poll() is None:
        time.sleep(0.002)
    process.kill()
    process.wait()
    (run,) = json.loads((folder / "run.json").read_text())["runs"]
    assert run["end"] is None
    assert run["start"]


def test_when_all_fails_old_results_of_another_plan_do_not_count(imbfs, config):
    micro = {"datasets": [{"microarray": {"features": [5]}}], "selectors": ["s2n"]}
    assert imbfs("run", config(**micro), "--jobs", 1).code == 0
    answer = imbfs("run", config(**micro, resampling={"smote": {"k": 7}}), "--jobs", 1)
    assert answer.code == 1
    assert "6 failed." in answer.out


@pytest.mark.slow
def test_ctrl_c_ends_a_long_computation_too(spawn, config, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1900, 30)), rng.integers(0, 2, 1900)
    lines = [",".join(map(str, row)) + f",{label}" for row, label in zip(X, y, strict=True)]
    header = ",".join([f"x{j}" for j in range(30)] + ["t"])
    (tmp_path / "slow.csv").write_text("\n".join([header, *lines]) + "\n")
    path = config(
        datasets=[{"path": "slow.csv", "target": "t"}], selectors=["none"],
        classifiers=[{"svm": {"C": 1e6, "solver": "libsvm"}}], features=[30],
        protocol={"holdout": {"repeats": 1}},
    )  # fmt: skip
    process = spawn("run", path, "--jobs", "1")
    while not (tmp_path / "results/smoke/run.json").exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(2)
    assert process.poll() is None  # deep in libsvm
    asked = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - asked < 6


CLAIMS = """\
paper: Nobody
experiment: smoke
setting: {C: 1}
parts: [test, progressive]
datasets: [breast_cancer]
claims:
  A1:
    where: here
    claim: mbpa exceeds what can be reached
    tests: [{exceeds: {these: mbpa, measure: g_mean, features: [2, all], above: 1}}]
"""


def test_verdicts_follow_from_a_run_and_outlive_the_next(imbfs, config, tmp_path):
    (tmp_path / "experiments/nobody").mkdir(parents=True)
    (tmp_path / "experiments/nobody/claims.yaml").write_text(CLAIMS)
    sweep = {
        "datasets": ["breast_cancer"],
        "selectors": ["pa", {"mbpa": {"C": [1, 0.1]}}],
        "classifiers": "own",
        "protocol": {"online": {"repeats": 2, "checkpoints": 2}},
    }
    assert imbfs("run", config(**sweep), "--jobs", 1).code == 0
    answer = imbfs("verify")
    assert answer.code == 0, answer.err
    # pa has no variant with C = 0.1: one setting; at 2 features on the test part, all on the other
    assert [line.split()[:3] for line in answer.out.splitlines()[2:6:2]] == [
        ["test", "fails", "0/1"],
        ["progressive", "fails", "0/1"],
    ]
    assert "setting of" not in answer.out
    written = Path("results/smoke/tables/claims.csv").read_bytes()
    imbfs("run", config(**sweep, tables=[{"settings": {"measure": "auc"}}]), "--jobs", 1)
    assert Path("results/smoke/tables/settings_auc.md").exists()
    assert not Path("results/smoke/tables/ranks_auc.md").exists()
    assert Path("results/smoke/tables/claims.csv").read_bytes() == written
