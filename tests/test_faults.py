"""Nothing is lost to a kill, a full disk, a folder that is read-only, or a damaged file."""

import json
import os
import random
import re
import shutil
import threading
import time
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from commands import KILLS, at_work, kill, mounted, one_line, remount, run, tables, until
from conftest import ROOT

from imbfs.running.store import Store

CONFIG = """\
name: grid
datasets: [breast_cancer, {microarray: {features: [5]}}]
selectors: [none, s2n, fisher]
classifiers: [naive_bayes, nearest_neighbour]
features: [2, 10]
measures: [auc]
protocol: {cv: {repeats: 2, folds: 3}}
tables: [{summary: {measure: auc}}]
figures: []
"""
PLANNED = 2 * 3 * 2 * 6
GRID = "run", "grid.yaml", "--jobs", 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The results of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "grid.yaml").write_text(CONFIG)
    assert run(folder, *GRID).code == 0
    return folder / "results/grid"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "grid.yaml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def done(place, whole):
    """A place where the run is over."""
    shutil.copytree(whole, place / "results/grid")
    return place


def left_over(folder) -> list[str]:
    """Temporary files of writers that were killed."""
    return [path.name for path in folder.rglob(".*") if re.fullmatch(r"\..+\.\d+", path.name)]


def test_a_run_killed_again_and_again_ends_in_the_same_tables(place, whole):
    rng, folder = random.Random(1), place / "results/grid"
    moments = sorted(rng.sample(range(progress(whole)), KILLS))
    kept, killed = 0, 0
    for number, moment in enumerate(moments):
        jobs = 2 if number % 5 == 4 else 1
        killed += kill(place, lambda m=moment: progress(folder) >= m, *GRID[:3], jobs)
        before, kept = kept, len(Store(folder).records())  # refuses a line that is not whole
        assert kept >= before
    assert killed > KILLS / 2  # some may have come too late
    answer = run(place, *GRID)
    assert f"{kept} done before, {PLANNED - kept} done now, 0 failed." in answer.out
    assert tables(folder) == tables(whole) and left_over(folder) == []


def progress(folder) -> int:
    """How far a run has come: lines of records, tables and figures."""
    records = folder / "records.jsonl"
    lines = records.read_bytes().count(b"\n") if records.exists() else 0
    return lines + sum(len(list((folder / home).glob("*"))) for home in ("tables", "figures"))


def save_often() -> None:
    from imbfs.streaming import going

    going.SAVE_EVERY, going._MOST_SAVING = 0.01, 1.0


def test_a_stream_killed_again_and_again_ends_in_the_same_model(tmp_path):
    rng = random.Random(2)
    values = ([rng.choice("-+") + "1"] + [f"{j}:{rng.random():.6f}" for j in range(1, 60)]
              for _ in range(9000))  # fmt: skip
    (tmp_path / "a.svm").write_text("".join(" ".join(row) + "\n" for row in values))
    asked = "stream", "a.svm", "--features", 5, "--epochs", 6, "--out", "a.csv", "--model"
    assert run(tmp_path, *asked, "whole.npz", setup=save_often).code == 0
    model, sheet = ((tmp_path / name).read_bytes() for name in ("whole.npz", "a.csv"))
    again, killed = (*asked, "a.npz", "--resume"), 0
    for _ in range(KILLS):
        saved = Saved(tmp_path / "a.npz", rng.randrange(4), rng.uniform(0, 0.02))
        killed += kill(tmp_path, saved, *again, setup=save_often)
    assert killed > KILLS / 2
    assert run(tmp_path, *again, setup=save_often).code == 0
    assert (tmp_path / "a.npz").read_bytes() == model
    assert (tmp_path / "a.csv").read_bytes() == sheet
    assert left_over(tmp_path) == []


class Saved:
    """Whether a file was replaced so many times, and some seconds went by since."""

    def __init__(self, path, times: int, then: float):
        self.path, self.times, self.then, self.seen = path, times, then, {self.state(path)}

    @staticmethod
    def state(path) -> int:
        return path.stat().st_mtime_ns if path.exists() else 0

    def __call__(self) -> bool:
        self.seen.add(self.state(self.path))
        if len(self.seen) <= self.times:
            return False
        time.sleep(self.then)
        return True


BODIES = {name: f"{name} 1:1\n-1 2:{name}\n".encode() * 9000 for name in ("1", "2", "3")}


class Slow(BaseHTTPRequestHandler):
    """Sends files in pieces, so that a kill meets a download."""

    def do_GET(self):
        body = BODIES[self.path.lstrip("/")]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for start in range(0, len(body), 1 << 14):
            try:
                self.wfile.write(body[start : start + (1 << 14)])
            except OSError:
                return  # whoever asked is dead
            time.sleep(0.01)

    def log_message(self, *arguments):
        pass


def offer(url: str) -> None:
    from imbfs.datasets import DATASETS, Dataset

    for name in BODIES:
        counts = {-1: 9000, int(name): 9000}
        DATASETS[f"set{name}"] = Dataset(
            "A set", 18000, 2, counts, file=f"{name}/{name}", remote=f"{url}/{name}"
        )


def arrived(folder, moment: int) -> bool:
    """Whether so many bytes are below a folder."""
    size = 0
    for home, _, names in os.walk(folder):  # which passes over what vanishes meanwhile
        for name in names:
            with suppress(FileNotFoundError):
                size += os.path.getsize(os.path.join(home, name))
    return size >= moment


def test_a_fetch_killed_again_and_again_ends_with_whole_files(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    rng, killed = random.Random(3), 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        setup = partial(offer, f"http://127.0.0.1:{server.server_address[1]}")
        fetch = "data", "fetch", "set1", "set2", "set3", "--data", "data"
        for moment in sorted(rng.sample(range(sum(map(len, BODIES.values()))), KILLS)):
            there = partial(arrived, tmp_path / "data", moment)
            killed += kill(tmp_path, there, *fetch, setup=setup)
            for name, body in BODIES.items():
                path = tmp_path / "data" / name / name
                assert not path.exists() or path.read_bytes() == body
        assert killed > KILLS / 2
        answer = run(tmp_path, *fetch, setup=setup)
        server.shutdown()
    assert answer.out == "set1: verified\nset2: verified\nset3: verified\n"
    there = {p.name for p in (tmp_path / "data").rglob("*") if p.is_file()}
    assert there == {*BODIES, ".fetch.lock"}


def test_a_disk_that_fills_up_costs_nothing_that_is_done(place, whole):
    kept, refusals, size = 0, 0, 16
    with mounted(place / "results", f"size={size}k"):
        while (answer := run(place, *GRID)).code:
            refusals += 1
            torn = r"results/grid/records.jsonl: 1 line was damaged; that work is done again.\n"
            full = r"imbfs: results/grid\S*: cannot be written: no space is left\..*\n"
            assert answer.code == 2 and re.fullmatch(f"(?i)({torn})?{full}", answer.err)
            before, kept = kept, len(Store(place / "results/grid").records())
            assert kept >= before
            size += 20
            remount(place / "results", f"size={size}k")
        assert refusals >= 3 and f"{kept} done before" in answer.out
        assert tables(place / "results/grid") == tables(whole)
        assert left_over(place / "results") == []


def test_results_that_are_read_only_are_refused_before_anything_is_run(done, whole):
    with mounted(done / "kept", "size=1m") as kept:
        shutil.copytree(whole, kept / "grid")
        (kept / "grid/records.jsonl").unlink()
        remount(kept, "ro")
        asked = *GRID, "--results", "kept"
        one_line(run(done, *asked), 2, "kept/grid", "cannot be written: Read-only file system")
        one_line(run(done, "report", "kept/grid"), 2, "report.html: cannot be written")
        remount(kept, "rw")
        assert run(done, *asked).code == 0


DAMAGE = {
    "a digit of a measure": lambda b: re.sub(rb'"auc": 0\.9(\d)', rb'"auc": 0.8\1', b, count=1),
    "a byte in the middle": lambda b: flipped(b, b.index(b'"rows"', len(b) // 2)),
    "the last byte": lambda b: flipped(b, len(b) - 1),
    "a newline": lambda b: flipped(b, b.index(b"\n", len(b) // 2)),
    "truncated": lambda b: b[: random.Random(4).randrange(len(b))],
    "a hole": lambda b: b[: len(b) // 3] + bytes(300) + b[len(b) // 3 + 300 :],
}


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_records_are_told_of_and_the_others_kept(damage, done, capsys):
    store = Store(done / "results/grid")
    known, whole = store.records(), store.path.read_bytes()
    store.path.write_bytes(DAMAGE[damage](whole))
    with store.locked():
        kept = store.records()
    assert kept.items() < known.items()
    assert re.fullmatch(
        r"\S+/records.jsonl: (1 line was|\d lines were) damaged; that work is done again.\n",
        capsys.readouterr().err,
    )


def test_damaged_records_are_made_again(done, whole):
    path = done / "results/grid/records.jsonl"
    path.write_bytes(DAMAGE["a digit of a measure"](path.read_bytes()))
    answer = run(done, *GRID)
    one_line(answer, 0, "results/grid/records.jsonl: 1 line was damaged; that work is done again.")
    assert f"{PLANNED - 1} done before, 1 done now, 0 failed." in answer.out
    assert tables(done / "results/grid") == tables(whole)


def test_a_damaged_table_is_told_of_and_made_again(done, whole):
    folder = done / "results/grid"
    altered = [folder / "tables/results.csv", next(folder.glob("tables/summary*.csv"))]
    for table in altered:
        content = table.read_bytes()
        table.write_bytes(flipped(content, len(content) - 20))
        told = f"{table.relative_to(done)}: is not what the records of results/grid say."
        one_line(run(done, "report", "results/grid"), 0, told)
        assert run(done, *GRID).code == 0
        assert tables(folder) == tables(whole)
    for name in ("plan.json", "published.json"):
        content = (folder / name).read_text()
        (folder / name).write_text(content.replace("breast_cancer", "chest").replace(": ", " :"))
    one_line(run(done, "plot", "results/grid"), 2, "plan.json: is damaged")
    assert run(done, *GRID).code == 0
    assert tables(folder) == tables(whole)


def test_a_second_run_waits_for_the_first_and_a_killed_one_is_in_nobodys_way(place, whole):
    folder = place / "results/grid"
    with at_work(place, *GRID) as first:
        until(lambda: (folder / "run.json").exists(), first)
        one_line(run(place, *GRID), 2, "another run is at work here. Wait for it with --wait.")
        with at_work(place, *GRID, "--wait") as second:
            first.kill()
            second.join()
            assert second.exitcode == 0
    assert tables(folder) == tables(whole)
    assert [bool(one["end"]) for one in json.loads((folder / "run.json").read_text())["runs"]] == [
        False,
        True,
    ]


def test_make_faults_kills_more_often():
    assert "IMBFS_KILLS=20" in (ROOT / "Makefile").read_text()
