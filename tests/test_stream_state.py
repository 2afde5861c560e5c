"""What learners carry from one part of a stream to the next, and what a model file keeps of it."""

import gzip
import signal
import subprocess
import sys
from time import monotonic, sleep

import numpy as np
import pytest
import streams
from scipy.sparse import csr_array
from streams import TEXT

from imbfs.datasets.formats import libsvm
from imbfs.errors import UserError
from imbfs.online import ASCW
from imbfs.selectors import SELECTORS
from imbfs.streaming import learning, model

HOARDERS = {
    "onpa with few rows": ("onpa", {"variant": "one", "rows": 60}),
    "sbcw, batches merged": ("sbcw", {"batch": 1050, "last_batch": "merge"}),
    "sbcw, weights carried": ("sbcw", {"batch": 300, "start": "last", "r": 4}),
    "ascw, last rows dropped": ("ascw", {"batch": 200, "K": 4, "last_batch": "drop"}),
    "ascw, average precision": ("ascw", {"batch": 90, "K": 3, "target": "average_precision"}),
}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "a.svm"
    path.write_bytes(TEXT)
    return path


@pytest.mark.parametrize("name", HOARDERS)
def test_rows_that_wait_go_into_the_model_and_come_back(name, data, tmp_path):
    learner, params = HOARDERS[name]
    straight = streams.learned(data, streams.asked(learner, **params), size=9_000).content()
    assert streams.learned(data, streams.asked(learner, **params)).content() == straight
    part, kept, waited = streams.asked(learner, **params), tmp_path / "part.npz", 0
    for n_chunks in (1, 3, 8):
        part = streams.learned(data, part, size=9_000, stop_after=n_chunks)
        kept.write_bytes(part.content())
        part = model.read(kept)
        waited += len(part.arrays["rows.signs" if learner == "onpa" else "waiting.signs"])
    assert waited
    assert streams.learned(data, part, size=4_000).content() == straight


def test_a_sample_of_the_minority_is_all_that_onpa_keeps(data):
    found = streams.learned(data, streams.asked("onpa", rows=60), size=9_000)
    assert len(found.arrays["rows.signs"]) == 60 < found.tally.positives / 3
    loaded = libsvm.read(data)
    minority = {row.tobytes() for row in loaded.X[loaded.y == 1].toarray()}
    ends, kept = found.arrays["rows.ends"], np.zeros((60, loaded.X.shape[1]))
    for row, (at, to) in enumerate(zip(ends, ends[1:], strict=False)):
        columns = found.arrays["rows.columns"][at:to] - 1
        kept[row, columns] = found.arrays["rows.values"][at:to]
    assert len({row.tobytes() for row in kept} & minority) == 60


@pytest.mark.parametrize("learner", ["sbcw", "ascw"])
def test_a_second_order_learner_needs_no_room_for_features_far_out(learner, tmp_path):
    path = tmp_path / "far.svm"
    far = b"".join(b"1 2:1 %d:3\n-1 2:1 7:1\n" % (2**31 - 1 - i % 5) for i in range(400))
    path.write_bytes(TEXT + far)
    found = streams.learned(path, streams.asked(learner, batch=100), size=9_000)
    assert found.n_features == 2**31 and found.arrays["selected"][-1] == 2**31 - 1
    loaded = libsvm.read(path)
    near, columns = np.unique(loaded.X.indices, return_inverse=True)
    X = csr_array((loaded.X.data, columns, loaded.X.indptr), shape=(len(loaded.y), len(near)))
    whole = SELECTORS[learner].call(batch=100, keep=10).fit(X, loaded.y)
    assert np.array_equal(found.arrays["coef"], whole.coef_[0][whole.coef_[0] != 0.0])


def test_covariances_without_end_are_told(data, monkeypatch, imbfs):
    monkeypatch.setattr(learning, "_MOST_KNOWN", 9 * 40**2 * 8)
    answer = imbfs("stream", data, "--learner", "ascw")
    assert answer.code == 2 and "--hash-bits 11" in answer.err
    assert len(answer.err.splitlines()) == 1
    assert imbfs("stream", data, "--learner", "ascw", "--hash-bits", 5).code == 0


def test_a_second_order_learner_streams_packed_csv_and_predicts(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 6)).round(3), rng.random(700) < 0.2
    X[y, 2] += 1.5
    kinds = np.where(y, "y", "n")
    lines = ["a,b,c,d,e,f,kind"]
    lines += [",".join([*map(str, row), kind]) for row, kind in zip(X.tolist(), kinds, strict=True)]
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    asked = "--learner", "ascw", "--features", 2, "--target", "kind", "--positive", "y"
    answer = imbfs("stream", "t.csv.gz", *asked, "--model", "m.npz", "--test", "t.csv.gz")
    assert answer.code == 0 and "\ntest " in answer.out and "c (+" in answer.out, answer.err
    whole = ASCW(keep=2).fit(X, y)
    answer = imbfs("predict", "--model", "m.npz", "t.csv.gz")
    decisions = [float(line.split(",")[2]) for line in answer.out.splitlines()[1:]]
    assert np.allclose(decisions, whole.decision_function(X), rtol=1e-12)


KILLED = """
import sys
from imbfs import cli
from imbfs.streaming import going
going.SAVE_EVERY = 0.0
sys.argv = ["imbfs", "stream", "-", "--learner", "ascw", "--features", "10", "--model", "m.npz"]
cli.main()
"""


def test_a_killed_pass_goes_on_from_where_the_model_was_last_saved(imbfs, tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT * 4)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(TEXT * 4)  # it has not ended: the last rows may still be coming
        process.stdin.flush()
        kept, deadline = tmp_path / "m.npz", monotonic() + 300
        while not kept.exists() or model.read(kept).tally.rows == 0:
            assert process.poll() is None and monotonic() < deadline
            sleep(0.05)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert 0 < model.read(kept).tally.rows < 4 * streams.N_ROWS
    asked = "--learner", "ascw", "--features", 10, "--model"
    assert imbfs("stream", "a.svm", *asked, "m.npz", "--resume").code == 0
    assert imbfs("stream", "a.svm", *asked, "straight.npz").code == 0
    assert kept.read_bytes() == (tmp_path / "straight.npz").read_bytes()


def test_a_stream_that_has_become_shorter_is_not_gone_on_with(data, tmp_path):
    part = streams.learned(data, streams.asked(), size=9_000, stop_after=12)
    (tmp_path / "short.svm").write_bytes(TEXT[:90_000])
    (tmp_path / "short.svm.gz").write_bytes(gzip.compress(TEXT[:90_000]))
    for name in ("short.svm", "short.svm.gz"):
        with pytest.raises(UserError, match="ends before the place"):
            streams.learned(tmp_path / name, part)


@pytest.mark.parametrize("name", ["onpa with few rows", "sbcw, batches merged"])
def test_rows_and_covariances_out_of_bounds_are_refused(name, data, tmp_path):
    learner, params = HOARDERS[name]
    found = streams.learned(data, streams.asked(learner, **params), size=9_000, stop_after=12)
    path = tmp_path / "m.npz"
    path.write_bytes(found.content())
    with np.load(path) as file:
        content = dict(file)
    wrong = {key: array + 2**31 for key, array in content.items() if key.endswith("columns")}
    wrong |= {key: array[:-1] for key, array in content.items() if key.endswith(("ends", "mean"))}
    wrong |= {key: -array for key, array in content.items() if key.endswith(".features")}
    wrong |= {key: array[:, 1:] for key, array in content.items() if key.endswith("sigma")}
    assert len(wrong) > 2
    for key, array in wrong.items():
        np.savez(path, **content | {key: array})
        with pytest.raises(UserError, match="is damaged"):
            model.read(path)
