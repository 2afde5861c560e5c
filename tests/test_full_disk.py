"""A full disk and a read-only one under `imbfs stream`, `predict`, `data fetch` and what prints.

Every command answers in one line with exit code 2, leaves what was there as it was and nothing half
written, and goes on once there is room.
"""

import io
import signal
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from commands import mounted, one_line, remount, run
from conftest import hear_ctrl_c
from streams import N_ROWS, TEXT
from test_faults import BODIES, Slow, offer, save_often

from imbfs.datasets.fetch import RemoteFile, fetch
from imbfs.errors import UserError
from imbfs.streaming import model

FULL = "cannot be written: no space is left."
READ_ONLY = "cannot be written: Read-only file system."
ASKED = "stream", "a.svm", "--features", 10, "--out", "disk/a.csv", "--model", "disk/a.npz"
ALL, HALF = ("--epochs", 4), ("--epochs", 2)
TIMES = 24  # as often is TEXT in a.svm, which is then more than one chunk


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The files of streams that nothing happened to, half way and at the end, and predictions."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "disk").mkdir()
    (folder / "a.svm").write_bytes(TEXT * TIMES)
    assert run(folder, *ASKED, *HALF).code == 0
    half = files(folder / "disk")
    assert run(folder, *ASKED, *ALL, "--force").code == 0
    end = files(folder / "disk")
    assert run(folder, *PREDICT).code == 0
    return {"half": half, "end": end, "predicted": files(folder / "disk")["p.csv"]}


PREDICT = "predict", "a.svm", "--model", "disk/a.npz", "--out", "disk/p.csv"


@pytest.fixture
def place(tmp_path):
    """A folder with a stream, and in it a small disk."""
    (tmp_path / "a.svm").write_bytes(TEXT * TIMES)
    with mounted(tmp_path / "disk", "size=4m"):
        yield tmp_path


def files(folder) -> dict[str, bytes]:
    """All files in a folder, the hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put(folder, content: dict[str, bytes]) -> None:
    for name, text in content.items():
        (folder / name).write_bytes(text)


@contextmanager
def filled(folder, but: int = 0):
    """No room in a folder but for so many bytes, for a while."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))
    with ballast.open("r+b") as file:
        file.truncate(max(ballast.stat().st_size - but, 0))
    yield
    ballast.unlink()


def without_ballast(folder) -> dict[str, bytes]:
    return {name: text for name, text in files(folder).items() if name != "ballast"}


@pytest.mark.parametrize("setup", [save_often, None], ids=["on the way", "at the end"])
def test_a_model_that_cannot_be_saved_leaves_the_one_of_before(setup, place, whole):
    put(place / "disk", whole["half"])
    with filled(place / "disk", but=4096):
        answer = run(place, *ASKED, *ALL, "--resume", setup=setup)
        goes_on, _, answer.err = answer.err.partition("\n")
        assert goes_on == f"disk/a.npz: goes on after {2 * TIMES * N_ROWS:,} rows."
        one_line(answer, 2, f"imbfs: disk/a.npz: {FULL}")
        assert answer.err == f"imbfs: disk/a.npz: {FULL}\n"
        assert without_ballast(place / "disk") == whole["half"]
    assert run(place, *ASKED, *ALL, "--resume", setup=setup).code == 0
    assert files(place / "disk") == whole["end"]


def test_a_disk_that_fills_up_under_a_stream_costs_nothing_that_was_saved(place, whole):
    size, rows, refusals = 8, 0, 0
    remount(place / "disk", f"size={size}k")
    asked = *ASKED, *ALL, "--resume"
    while (answer := run(place, *asked, setup=save_often)).code:
        refusals += 1
        last = answer.err.splitlines()[-1]
        assert answer.code == 2 and last in [f"imbfs: disk/a.{x}: {FULL}" for x in ("npz", "csv")]
        assert "Traceback" not in answer.err and len(answer.err.splitlines()) <= 2
        left = files(place / "disk")
        assert left.keys() <= {"a.npz", "a.csv"}
        before = rows
        if "a.npz" in left:
            rows = model.read(place / "disk/a.npz").tally.rows
        assert rows >= before
        size += 8
        remount(place / "disk", f"size={size}k")
    assert refusals >= 3 and rows
    assert files(place / "disk") == whole["end"]


def test_checkpoints_that_cannot_be_written_leave_the_model_saved(place, whole):
    put(place / "disk", {"a.csv": whole["half"]["a.csv"]})
    room = len(whole["end"]["a.npz"]) + 4095 & ~4095
    with filled(place / "disk", but=room):
        one_line(run(place, *ASKED, *ALL), 2, f"imbfs: disk/a.csv: {FULL}")
        expected = {"a.npz": whole["end"]["a.npz"], "a.csv": whole["half"]["a.csv"]}
        assert without_ballast(place / "disk") == expected
    assert run(place, *ASKED, *ALL, "--resume").code == 0
    assert files(place / "disk") == whole["end"]


def test_ctrl_c_on_a_full_disk_leaves_the_model_of_before(place, whole):
    put(place / "disk", whole["half"])
    asked = "stream", "-", *ASKED[2:], "--epochs", 1, "--force"
    with filled(place / "disk", but=4096), piped(place, *asked) as process:
        process.stdin.write(TEXT * TIMES * 8)  # more than is read and parsed ahead: it is learning
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 2  # while the pipe stays open
        assert process.stderr.read().decode() == f"imbfs: disk/a.npz: {FULL}\n"
        assert without_ballast(place / "disk") == whole["half"]
    assert run(place, *ASKED, *ALL, "--resume").code == 0
    assert files(place / "disk") == whole["end"]


def piped(folder, *arguments) -> subprocess.Popen:
    """A command that reads a pipe, in an interpreter of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "imbfs", *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_ctrl_c,
    )


def test_predictions_that_cannot_be_written_leave_those_of_before(place, whole):
    put(place / "disk", {"a.npz": whole["end"]["a.npz"], "p.csv": b"of before\n"})
    before = files(place / "disk")
    with filled(place / "disk", but=16 << 10):
        one_line(run(place, *PREDICT), 2, f"imbfs: disk/p.csv: {FULL}")
        assert without_ballast(place / "disk") == before
    assert run(place, *PREDICT).code == 0
    assert files(place / "disk") == before | {"p.csv": whole["predicted"]}


def test_predictions_on_a_full_disk_as_standard_output_are_told_of(place, whole):
    put(place / "disk", {"a.npz": whole["end"]["a.npz"]})
    command = [sys.executable, "-m", "imbfs", *PREDICT[:-2]]
    with filled(place / "disk"), (place / "disk/out").open("wb") as out:
        answer = subprocess.run(command, cwd=place, stdout=out, stderr=subprocess.PIPE)
    assert answer.returncode == 2
    assert answer.stderr.decode() == f"imbfs: standard output: {FULL}\n"


def test_predictions_of_a_file_that_goes_wrong_leave_those_of_before(tmp_path, whole):
    (tmp_path / "disk").mkdir()
    put(tmp_path / "disk", whole["end"] | {"p.csv": b"of before\n"})
    (tmp_path / "a.svm").write_bytes(TEXT * TIMES + b"1 x:1\n")
    one_line(run(tmp_path, *PREDICT), 2, "a.svm: line", "'x:1' is no index:value pair")
    assert files(tmp_path / "disk") == whole["end"] | {"p.csv": b"of before\n"}


def test_a_read_only_disk_is_told_of_before_anything_is_learned(place, whole):
    put(place / "disk", whole["half"])
    remount(place / "disk", "ro")
    learn = "stream", "a.svm", "--features", 10
    for option in ("--model", "--out"):
        for name in ("new", "far/off/new"):
            answer = run(place, *learn, option, f"disk/{name}")
            one_line(answer, 2, f"imbfs: disk/{name}: {READ_ONLY}")
    one_line(run(place, *ASKED, *ALL, "--resume"), 2, f"imbfs: disk/a.npz: {READ_ONLY}")
    one_line(run(place, *PREDICT), 2, f"imbfs: disk/p.csv: {READ_ONLY}")
    assert files(place / "disk") == whole["half"]
    remount(place / "disk", "rw")
    assert run(place, *ASKED, *ALL, "--resume").code == 0
    assert files(place / "disk") == whole["end"]


@contextmanager
def served(monkeypatch):
    """A server of the three sets: its address, and what it was asked for."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    asked = []

    class Counted(Slow):
        def do_GET(self):
            asked.append(self.path.lstrip("/"))
            super().do_GET()

    with ThreadingHTTPServer(("127.0.0.1", 0), Counted) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


FETCH = "data", "fetch", "set1", "set2", "set3", "--data", "data"
VERIFIED = "set1: verified\nset2: verified\nset3: verified\n"


def fetched(folder) -> dict[str, bytes]:
    """All files below a folder but the lock."""
    found = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found.pop(".fetch.lock", None)
    return found


def test_a_disk_that_fills_up_under_a_fetch_keeps_the_sets_that_are_whole(tmp_path, monkeypatch):
    with served(monkeypatch) as (url, asked), mounted(tmp_path / "data", "size=64k") as data:
        there = []
        for kilobytes in (64, 200, 300):
            remount(data, f"size={kilobytes}k")
            answer = run(tmp_path, *FETCH, setup=partial(offer, url))
            one_line(answer, 2, f"imbfs: data: {FULL}")
            assert answer.out == "".join(f"set{name}: verified\n" for name in there)
            assert fetched(data) == {name: BODIES[name] for name in there}
            assert not list(data.glob(".fetching-*"))
            there.append(str(len(there) + 1))
        remount(data, "size=1m")
        assert run(tmp_path, *FETCH, setup=partial(offer, url)).out == VERIFIED
        assert fetched(data) == BODIES and asked == ["1", "1", "2", "2", "3", "3"]


def test_an_archive_that_a_full_disk_has_no_room_to_unpack_leaves_nothing(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner", bytes(1 << 20))
    monkeypatch.setitem(BODIES, "zip", packed.getvalue())
    with served(monkeypatch) as (url, _), mounted(tmp_path / "data", "size=64k") as data:
        wanted = [RemoteFile(f"{url}/zip", "a", member="inner")]
        with pytest.raises(UserError) as refused:
            fetch(wanted, data)
        assert str(refused.value) == f"{data}: {FULL}"
        assert fetched(data) == {} and not list(data.glob(".fetching-*"))
        remount(data, "size=2m")
        fetch(wanted, data)
        assert fetched(data) == {"a": bytes(1 << 20)}


def test_a_fetch_onto_a_read_only_disk_is_told_of_once(tmp_path, monkeypatch):
    with served(monkeypatch) as (url, asked), mounted(tmp_path / "data", "size=1m,ro") as data:
        one_line(run(tmp_path, *FETCH, setup=partial(offer, url)), 2, f"imbfs: data: {READ_ONLY}")
        below = *FETCH[:-1], "data/below"
        answer = run(tmp_path, *below, setup=partial(offer, url))
        one_line(answer, 2, f"imbfs: data/below: {READ_ONLY}")
        assert answer.out == "" and asked == []
        remount(data, "rw")
        assert run(tmp_path, *FETCH, setup=partial(offer, url)).out == VERIFIED


def test_a_cache_on_a_full_disk_is_done_without(tmp_path, monkeypatch):
    with served(monkeypatch) as (url, _), mounted(tmp_path / "cache", "size=8k") as cache:
        answer = run(tmp_path, *FETCH, setup=partial(offer, url), IMBFS_CACHE=str(cache))
        assert (answer.code, answer.out, answer.err) == (0, VERIFIED, "")
        assert list(cache.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, which is always full")
@pytest.mark.parametrize("command", ["list", "--help", "schema", "data list", "run a.yaml"])
def test_what_cannot_be_printed_is_told_in_one_line(command, tmp_path):
    config = "{name: a, datasets: [breast_cancer], selectors: [random], classifiers: [naive_bayes],"
    config += " features: [1], measures: [auc], protocol: {cv: {repeats: 1, folds: 2}}}"
    (tmp_path / "a.yaml").write_text(config)
    told = [sys.executable, "-m", "imbfs", *command.split()]
    with open("/dev/full", "w") as full:
        answer = subprocess.run(told, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    assert answer.returncode == 2 and "Traceback" not in answer.stderr
    assert answer.stderr.splitlines()[-1] == f"imbfs: standard output: {FULL}"
    if command == "run a.yaml":  # all was done, and is there for the next time
        again = subprocess.run(told, capture_output=True, cwd=tmp_path, text=True)
        assert again.returncode == 0 and "2 done before, 0 done now" in again.stdout
