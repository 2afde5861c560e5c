"""A dask cluster of separate processes: the same bits, whatever becomes of its workers."""

import json
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from imbfs import __version__
from imbfs.config import load
from imbfs.running.backends import cluster as client_side
from imbfs.running.backends import node
from imbfs.running.backends.node import Call, Refusal, answer, home
from imbfs.running.plan import expand
from imbfs.running.runner import units_of

pytest.importorskip("distributed")

PAGE = Path(__file__).parent.parent / "docs/cluster.md"
LONG = 300  # seconds after which what is waited for will not come, on the slowest of machines
TASKS = 18  # 3 selectors, 2 classifiers, 3 folds

CONFIG = """\
name: far
datasets: [{path: mine.csv, target: state, positive: ill}]
selectors: [none, s2n, mine:held]
classifiers: [naive_bayes, nearest_neighbour]
features: [1, 2]
measures: [auc, g_mean]
protocol: {cv: {repeats: 1, folds: 3}}
figures: []
"""

# Refuses to run twice at once in a process, notes how many threads it may use, waits while told to.
MODULE = """\
import os, time
from pathlib import Path
from threadpoolctl import threadpool_info

FOLDER = Path(__file__).parent

def held(X, y):
    busy = FOLDER / f"{os.getpid()}.busy"
    busy.touch(exist_ok=False)
    try:
        threads = max(pool["num_threads"] for pool in threadpool_info())
        with open(FOLDER / f"{os.getpid()}.threads", "a") as notes:
            notes.write(f"{threads}\\n")
        time.sleep(0.05)
        while (FOLDER / "hold").exists():
            time.sleep(0.02)
    finally:
        busy.unlink()
    return X.std(axis=0)
"""


def said(program: str) -> list[str]:
    """The words of the command that docs/cluster.md starts a program with."""
    (line,) = re.findall(rf"^{program} .*$", PAGE.read_text(), re.M)
    return shlex.split(line)


class Cluster:
    """A scheduler and workers, each a process of its own, in another folder than the run.

    They are started as docs/cluster.md says, but for addresses and numbers.
    """

    def __init__(self, folder: Path):
        self.folder, self.started, self.workers = folder, [], []
        file = folder / "scheduler.json"
        self.scheduler = self.start(
            [word.replace("8786", "0") for word in said("dask scheduler")],
            *("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", file),
        )
        until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        _, _, _, *options = said("imbfs run")
        self.options = [word.replace("tcp://host:8786", self.address) for word in options]

    def start(self, command: list[str], *more, **environment) -> subprocess.Popen:
        kept = {name: os.environ[name] for name in os.environ if name != "IMBFS_DATA"}
        with open(self.folder / "log", "a") as log:
            process = subprocess.Popen(
                list(map(str, (sys.executable, "-m", *command, *more))),
                cwd=self.folder,
                env=kept | environment,
                stderr=log,
            )
        self.started.append(process)
        return process

    def worker(self, threads: int = 1, **environment) -> subprocess.Popen:
        here = {"tcp://host:8786": self.address, "4": "1"}  # so many workers a machine
        command = [here.get(word, word) for word in said("dask worker")]
        more = ("--host", "127.0.0.1", "--no-nanny", "--no-dashboard", "--nthreads", threads)
        self.workers.append(self.start(command, *more, **environment))
        return self.workers[-1]

    def have(self, number: int) -> list[subprocess.Popen]:
        """So many workers, those of an earlier test first."""
        self.end(*self.workers[number:])
        while len(self.workers) < number:
            self.worker()
        return list(self.workers)

    def end(self, *processes: subprocess.Popen) -> None:
        for process in processes:
            process.kill()
            process.wait()
            if process in self.workers:
                self.workers.remove(process)


def until(true, seconds: float = LONG) -> None:
    limit = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < limit, "it never came about"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, cache):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end(*made.started)


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    """A config with a file and a selector beside it."""
    folder = tmp_path_factory.mktemp("home")
    rows = [f"{i % 7},{i * i % 11 + 3 * (i % 3 == 0)},{'ill' if i % 3 == 0 else 'well'}\n"
            for i in range(60)]  # fmt: skip
    (folder / "mine.csv").write_text("age,dose,state\n" + "".join(rows))
    (folder / "mine.py").write_text(MODULE)
    (folder / "far.yaml").write_text(CONFIG)
    return folder


@pytest.fixture
def place(home_folder):
    """The folder of the config, without what an earlier test left there."""
    yield home_folder
    for pattern in ("*.busy", "*.threads", "hold"):
        for path in home_folder.glob(pattern):
            path.unlink()


@pytest.fixture(scope="module")
def reference(home_folder, tmp_path_factory):
    """What two processes of this machine give."""
    results = tmp_path_factory.mktemp("reference")
    command = (sys.executable, "-m", "imbfs", "run", home_folder / "far.yaml", "--jobs", "2")
    subprocess.run([*command, "--results", results], check=True, capture_output=True)
    return outcome(results)


def outcome(results: Path) -> tuple[dict, dict]:
    """The tables to the byte, but for seconds; of every record, all but when it was made."""
    tables = {
        path.name: path.read_bytes()
        for path in sorted((results / "far/tables").iterdir())
        if not path.stem.startswith("seconds")
    }
    return tables, {record.pop("key"): record for record in records(results)}


def records(results: Path) -> list[dict]:
    path = results / "far/records.jsonl"
    whole = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    found = [json.loads(line) for line in whole]
    for record in found:
        del record["seconds"], record["run"], record["crc"]
    return found


def lines(err: str) -> list[str]:
    """All but how far the run was, which a machine under load has time to tell."""
    return [line for line in err.splitlines() if not re.match(r"\d+/\d+ tasks, ", line)]


def busy(folder: Path, process: subprocess.Popen) -> bool:
    return (folder / f"{process.pid}.busy").exists()


def let_go(folder: Path, *workers: subprocess.Popen, kill: subprocess.Popen | None = None) -> None:
    """Once all workers are at what they are held at, kill one if asked to, and let go on."""
    try:
        until(lambda: all(busy(folder, worker) for worker in workers))
        if kill:
            kill.kill()
            kill.wait()
    finally:
        (folder / "hold").unlink()


@pytest.mark.slow
def test_workers_with_any_number_of_threads_give_the_bits_of_processes(
    cluster, place, reference, imbfs, tmp_path
):
    workers = cluster.worker(threads=2), cluster.worker()
    (place / "hold").touch()  # so that both come to work
    Thread(target=let_go, args=(place, *workers)).start()
    answered = imbfs("run", place / "far.yaml", *cluster.options)
    assert answered.code == 0, answered.err
    assert f"{TASKS} done now, 0 failed." in answered.out
    assert answered.err.count("a worker has 2 threads, and takes one task at a time.") == 1
    assert outcome(tmp_path / "results") == reference
    for worker in workers:
        assert set((place / f"{worker.pid}.threads").read_text().split()) == {"1"}


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_time_and_nothing_else(
    cluster, place, reference, imbfs, tmp_path
):
    victim, other = cluster.have(2)
    (place / "hold").touch()

    killing = Thread(target=let_go, args=(place, victim, other), kwargs={"kill": victim})
    killing.start()
    answered = imbfs("run", place / "far.yaml", *cluster.options)
    killing.join()
    assert answered.code == 0, answered.err
    assert victim.wait() == -signal.SIGKILL and other.poll() is None
    cluster.end(victim)
    assert outcome(tmp_path / "results") == reference


@pytest.mark.slow
def test_a_file_that_a_worker_has_not_ends_the_run_in_one_line(
    cluster, place, imbfs, tmp_path, monkeypatch
):
    for file in place.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    cluster.have(1)
    # Planning reads it; before tasks go out, it is gone.
    monkeypatch.setattr(client_side, "home", lambda: [home(), (tmp_path / "mine.csv").unlink()][0])
    answered = imbfs("run", "far.yaml", *cluster.options)
    assert answered.code == 2
    assert len([line for line in lines(answered.err) if "no worker is there" not in line]) == 1
    assert f"{tmp_path / 'mine.csv'}: there is no such file. Files must be the same" in answered.err
    assert records(tmp_path / "results") == []


@pytest.mark.slow
def test_without_workers_or_scheduler_a_run_stops_in_one_line_and_goes_on_later(
    cluster, place, reference, spawn, imbfs, tmp_path
):
    command = ("run", place / "far.yaml", *cluster.options, "--patience", "0.02")
    (place / "hold").touch()
    (last,) = cluster.have(1)
    process = spawn(*command)
    until(lambda: busy(place, last) and records(tmp_path / "results"))
    cluster.end(last)
    _, err = process.communicate(timeout=LONG)
    assert process.returncode == 2
    told, reason = lines(err)
    assert told == "imbfs: no worker is there; waiting 1s for one."
    assert reason.endswith("no worker was there for 1s. What is done is kept; run again to go on.")

    worker = cluster.worker()
    process = spawn(*command[:-1], "2")
    until(lambda: busy(place, worker))
    cluster.end(cluster.scheduler)
    _, err = process.communicate(timeout=LONG)
    assert process.returncode == 2
    gone = f"--scheduler {cluster.address}: the scheduler is gone. What is done is kept"
    *waited, reason = lines(err)  # the worker may not have been there at first
    assert set(waited) <= {"imbfs: no worker is there; waiting 2m00s for one."}
    assert reason == f"imbfs: {gone}; run again to go on."

    (place / "hold").unlink()
    kept = len(records(tmp_path / "results"))
    answered = imbfs("run", place / "far.yaml", "--jobs", "1")
    assert f"{kept} done before, {TASKS - kept} done now, 0 failed." in answered.out
    assert outcome(tmp_path / "results") == reference


@pytest.mark.slow
@pytest.mark.parametrize("content", ["another version", "a ruin"])
def test_a_worker_with_another_imbfs_is_refused(content, place, imbfs, tmp_path):
    package = tmp_path / "other/imbfs"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('a ruin')")
    said = "a worker cannot take tasks (ImportError: a ruin). It needs the imbfs that is here."
    if content == "another version":
        root = Path(client_side.__file__).parents[2]
        for file in root.iterdir():
            if file.name != "__init__.py":
                (package / file.name).symlink_to(file)
        text = (root / "__init__.py").read_text()
        (package / "__init__.py").write_text(text.replace(__version__, "0.0.9"))
        said = f"imbfs is 0.0.9, and {__version__} where the tasks come from."
    (tmp_path / "far").mkdir()
    cluster = Cluster(tmp_path / "far")
    try:
        cluster.worker(PYTHONPATH=str(package.parent))
        answered = imbfs("run", place / "far.yaml", *cluster.options)
    finally:
        cluster.end(*cluster.started)
    refusal = lines(answered.err)[-1]  # before it, perhaps, that no worker is there yet
    assert (answered.code, "Traceback" in answered.err, said in refusal) == (2, False, True)
    assert records(tmp_path / "results") == []


def units(folder: Path) -> list:
    return units_of(expand(load(folder / "far.yaml")).tasks)


def test_a_worker_with_another_package_refuses(place):
    here = home()
    other = replace(here, versions=here.versions | {"numba": "0.1"})
    refused = pickle.loads(pickle.dumps(Call(units(place)[0], other)))
    numba = here.versions["numba"]
    assert refused == Refusal(f"numba is {numba}, and 0.1 where the tasks come from")
    assert isinstance(answer(units(place)[0], here), list)


@pytest.mark.parametrize("error", [MemoryError(), PermissionError(13, "Permission denied")])
def test_data_that_a_worker_cannot_hold_fail_their_unit_alone(place, error, monkeypatch):
    def require(task):
        raise error

    monkeypatch.setattr(node, "require", require)
    answered = answer(units(place)[0], home())
    assert {record["status"] for record in answered} == {"failed"}
    assert type(error).__name__ in answered[0]["error"]


def test_a_unit_that_no_worker_survives_is_recorded_as_failed(place):
    from distributed.scheduler import KilledWorker, WorkerState

    worker = WorkerState(address="tcp://10.0.0.1:1", status=None, pid=1, name="a", server_id="a",
                         nthreads=1, memory_limit=0, local_directory="", nanny="")  # fmt: skip
    error = KilledWorker("imbfs-1", worker, 3)
    unit = units(place)[0]
    answered = client_side._records(unit, (type(error), error, None))
    assert [record["key"] for record in answered] == [task.key for task in unit]
    assert {record["status"] for record in answered} == {"failed"}
    assert (
        answered[0]["error"] == "RuntimeError: every worker that tried it died, perhaps for memory"
    )


def test_a_task_names_its_data_and_does_not_carry_them(place, tmp_path):
    for file in ("far.yaml", "mine.py"):
        (tmp_path / file).write_bytes((place / file).read_bytes())
    head, *rows = (place / "mine.csv").read_text().splitlines(keepends=True)
    (tmp_path / "mine.csv").write_text(head + 1000 * "".join(rows))
    small, large = (
        max(len(pickle.dumps(Call(unit, home()))) for unit in units(folder))
        for folder in (place, tmp_path)
    )
    assert large < 5000 < (tmp_path / "mine.csv").stat().st_size / 100
    assert abs(large - small) < 200  # a path is longer than another


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "tcp://no.such.host.invalid:8786", "smoke:8786"]
)
def test_an_address_without_a_scheduler_is_told_in_one_line(address, place, imbfs, monkeypatch):
    monkeypatch.setattr(client_side, "CONNECT", 0.5)
    answered = imbfs("run", place / "far.yaml", "--backend", "dask", "--scheduler", address)
    assert (answered.code, answered.err.count("\n")) == (2, 1)
    assert f"--scheduler {address}: no scheduler answers" in answered.err


def test_a_finished_experiment_needs_no_scheduler(place, imbfs, monkeypatch):
    monkeypatch.setattr(client_side, "CONNECT", 0.5)
    path = place / "far.yaml"
    assert imbfs("run", path, "--jobs", 1, "--only", "selector=s2n").code == 0
    options = ("--only", "selector=s2n", "--backend", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert imbfs("run", path, *options).code == 0


@pytest.mark.slow
def test_the_jobs_that_the_page_submits_are_workers_of_one_thread(tmp_path):
    pytest.importorskip("dask_jobqueue")
    (script,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    shown, submitted = script.split("cluster.scale(jobs=40)\n")  # which needs SLURM
    compile(submitted, "submit.py", "exec")
    made = subprocess.run([sys.executable, "-c", shown], cwd=tmp_path, capture_output=True)
    job = made.stdout.decode()
    assert "#SBATCH -t 12:00:00\nexport IMBFS_DATA=/shared/data\n" in job
    assert re.search(r"distributed.cli.dask_worker tcp://\S+ .*--nthreads 1 .*--lifetime 11h", job)
