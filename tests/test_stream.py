"""Streams: the same model however a stream comes, stops or goes on; mistakes in one line."""

import bz2
import csv
import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import numpy as np
import pytest
import streams
from streams import N_FEATURES, N_ROWS, TEXT

from imbfs.cli.shared import until_interrupted
from imbfs.datasets.formats import libsvm
from imbfs.errors import UserError
from imbfs.measures.classified import g_mean, sensitivity, specificity
from imbfs.selectors import SELECTORS
from imbfs.streaming import learners, model
from imbfs.streaming.learning import Learning, learn
from imbfs.streaming.reading.rows import CsvRows, Layout, chunks, hashed, with_target
from imbfs.streaming.reading.source import Place, Source
from imbfs.streaming.tally import Tally, next_checkpoint

SETTINGS = {
    "pa": {"variant": "two"},
    "mbpa": {"C": 0.1, "g": 1e-4},
    "cs": {"g": 1e-4, "budget": "always"},
    "ofs": {},
    "csoal": {"query": 0.5},
    "onpa": {"variant": "one", "rows": 100_000},
    "sbcw": {"batch": 70, "last_batch": "merge"},
    "ascw": {"batch": 70, "K": 3, "target": "auc", "unselected": "keep"},
}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "a.svm"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def pipe(monkeypatch):
    """Let a text come from standard input, through a pipe of the system."""
    threads = []

    def feed(text: bytes, times: int = 1):
        reads, writes = os.pipe()

        def write():
            with os.fdopen(writes, "wb") as end:
                for _ in range(times):
                    end.write(text)

        threads.append(Thread(target=write, daemon=True))
        threads[-1].start()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: reads))

    yield feed
    for thread in threads:
        thread.join(5)


def _weights(found, n_features=N_FEATURES):
    w = np.zeros(n_features + 1)
    w[found.arrays["selected"]] = found.arrays["coef"]
    return w


@pytest.mark.parametrize("name", SETTINGS)
def test_a_stream_teaches_what_the_loaded_file_does(name, data):
    loaded = libsvm.read(data)
    params = {key: value for key, value in SETTINGS[name].items() if key != "rows"}
    whole = SELECTORS[name].call(**params, keep=10).fit(loaded.X, loaded.y)
    found = _weights(streams.learned(data, streams.asked(name, **SETTINGS[name])))
    assert np.array_equal(found[1:], whole.coef_[0])
    assert np.count_nonzero(found) > 5


def test_every_online_learner_is_taken_and_tested():
    online = [name for name, method in SELECTORS.items() if method.streams]
    assert sorted(SETTINGS) == sorted(learners.LEARNERS) == sorted(online)


@pytest.mark.parametrize("name", SETTINGS)
def test_stopped_anywhere_and_resumed_it_is_the_same_to_the_byte(name, data, tmp_path):
    asked = {"name": name, **SETTINGS[name]}
    straight = streams.learned(data, streams.asked(**asked), epochs=2, size=9_000).content()
    assert (
        streams.learned(data, streams.asked(**asked), epochs=2).content() == straight
    )  # one chunk a pass
    part, kept = streams.asked(**asked), tmp_path / "part.npz"
    for n_chunks in (1, 4, 17):
        kept.write_bytes(
            streams.learned(data, part, epochs=2, size=9_000, stop_after=n_chunks).content()
        )
        part = model.read(kept)
    assert part.epoch == 1 and part.place.n_bytes > 0
    assert streams.learned(data, part, epochs=2, size=9_000).content() == straight


def test_new_features_may_come_late_and_far_out(tmp_path):
    path = tmp_path / "far.svm"
    rows = [(5000 + i, 2**20 + i, i + 4) for i in range(30)]
    far = b"".join(b"1 %d:2 %d:1\n-1 3:1 %d:0.5\n" % row for row in rows)
    path.write_bytes(TEXT + far)
    for params in ({}, {"budget": "always"}):
        found = streams.learned(path, streams.asked(keep=40, **params), size=700)
        loaded = libsvm.read(path)
        whole = SELECTORS["mbpa"].call(keep=40, **params).fit(loaded.X, loaded.y)
        assert np.array_equal(found.arrays["selected"] - 1, np.flatnonzero(whole.coef_[0]))
        assert found.arrays["selected"].max() > 2**20 and found.n_features == 2**21
        assert len(found.content()) < 40_000


def test_indices_are_hashed_the_same_everywhere(data):
    found = streams.learned(data, streams.asked(keep=None, hash_bits=5))
    loaded = libsvm.read(data)
    folded = np.zeros((loaded.X.shape[1], 32))
    folded[np.arange(loaded.X.shape[1]), hashed(np.arange(1, loaded.X.shape[1] + 1), 5)] = 1
    whole = SELECTORS["mbpa"].call().fit(loaded.X @ folded, loaded.y)
    assert np.allclose(_weights(found, 31), whole.coef_[0], rtol=1e-9)
    # The first output of SplitMix64 from seed 0 is e220a8397b1dcdaf.
    assert hashed(np.array([0]), 30) == 0xE220A8397B1DCDAF >> 34


def test_checkpoints_measure_predictions_before_learning(imbfs, data, tmp_path):
    assert imbfs("stream", data, "--out", "seen.csv").code == 0
    with (tmp_path / "seen.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["rows"]) for row in rows] == [100, 200, 500, 1000, 2000, 3000]
    loaded = libsvm.read(data)
    scores = SELECTORS["mbpa"].call().progress(loaded.X, loaded.y, classes=[0, 1])
    for row in rows:
        n = int(row["rows"])
        y, guess = 2 * loaded.y[:n] - 1, np.where(scores[:n] > 0, 1, -1)
        for measure in (g_mean, sensitivity, specificity):
            assert float(row[measure.__name__]) == pytest.approx(measure(y, guess), abs=1e-6)


def test_a_tally_of_one_class_measures_nothing():
    tally = Tally()
    tally.add(np.array([-1, -1, -1]), np.array([True, False, False]))
    assert (tally.tn, tally.fp, tally.rows) == (2, 1, 3)
    assert np.isnan(tally.g_mean) and tally.specificity == pytest.approx(2 / 3)
    assert [next_checkpoint(n) for n in (0, 100, 499, 500, 9_999)] == [100, 200, 500, 1000, 10_000]


def _zst(text: bytes) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(text)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, _zst])
def test_packed_streams_and_pipes_are_the_plain_file(pack, imbfs, data, pipe, tmp_path):
    asked = "--features", 10, "--model"
    assert imbfs("stream", data, *asked, "plain.npz").code == 0
    packed = tmp_path / "packed"
    packed.write_bytes(pack(TEXT))
    assert imbfs("stream", packed, *asked, "packed.npz").code == 0
    for text in (TEXT, pack(TEXT)):
        pipe(text)
        assert imbfs("stream", "-", *asked, "piped.npz", "--force").code == 0
        assert (tmp_path / "piped.npz").read_bytes() == (tmp_path / "plain.npz").read_bytes()
    assert (tmp_path / "packed.npz").read_bytes() == (tmp_path / "plain.npz").read_bytes()


def test_a_pipe_goes_on_after_the_rows_it_had(imbfs, data, pipe, tmp_path):
    straight = streams.learned(data, streams.asked()).content()
    part = streams.learned(data, streams.asked(), size=9_000, stop_after=5)
    for text in (TEXT, gzip.compress(TEXT)):
        (tmp_path / "m.npz").write_bytes(part.content())
        pipe(text)
        answer = imbfs("stream", "-", "--features", 10, "--model", "m.npz", "--resume")
        assert answer.code == 0 and f"goes on after {part.tally.rows:,} rows" in answer.err
        assert (tmp_path / "m.npz").read_bytes() == straight


@pytest.mark.parametrize("send", [signal.SIGINT, signal.SIGTERM], ids=["ctrl_c", "term"])
def test_a_signal_saves_the_model_and_resume_finishes_it(send, imbfs, tmp_path):
    (tmp_path / "big.svm").write_bytes(text := TEXT * 10)
    asked = "--features", "10", "--model", "m.npz"
    process = subprocess.Popen(
        [sys.executable, "-m", "imbfs", "stream", "-", *asked],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(text[:-100])  # the rest does not come: it will be waiting
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(send)
        assert process.wait(60) == 130
        said = process.stderr.read().decode()
    assert "the same command with --resume goes on" in said and len(said.splitlines()) == 1
    assert model.read(tmp_path / "m.npz").tally.rows < 10 * N_ROWS
    assert imbfs("stream", "big.svm", *asked, "--resume").code == 0
    straight = streams.learned(tmp_path / "big.svm", streams.asked()).content()
    assert (tmp_path / "m.npz").read_bytes() == straight


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl_c", "term"])
def test_the_second_signal_ends_the_process_as_usual(number):
    said = []
    usual = signal.signal(number, lambda *_: said.append("usual"))
    try:
        with until_interrupted() as stop:
            signal.raise_signal(number)
            assert stop.is_set() and said == []
            signal.raise_signal(number)
            assert said == ["usual"]
        signal.raise_signal(number)
        assert said == ["usual"] * 2
    finally:
        signal.signal(number, usual)


def test_memory_does_not_grow_with_the_stream(pipe):
    peaks = []
    block = TEXT * 5
    for times in (1, 25, 100):  # the first compiles, the second fills what waits
        pipe(block, times)
        tracemalloc.start()
        found = streams.learned("-", streams.asked())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.tally.rows == 5 * N_ROWS * times
    assert peaks[2] < peaks[1] + 12e6  # three blocks of 1 MB that wait, and what three more hold


def test_predictions_are_those_of_the_learner(imbfs, data, tmp_path):
    answer = imbfs("stream", data, "--features", 10, "--model", "m.npz", "--test", data)
    assert answer.code == 0
    loaded = libsvm.read(data)
    whole = SELECTORS["mbpa"].call(keep=10).fit(loaded.X, loaded.y)
    answer = imbfs("predict", "--model", "m.npz", data, "--out", "p.csv")
    assert answer.code == 0
    with (tmp_path / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["decision"]) for row in rows] == whole.decision_function(loaded.X).tolist()
    assert [int(row["class"]) for row in rows] == (2 * whole.predict(loaded.X) - 1).tolist()
    right = g_mean(2 * loaded.y - 1, 2 * whole.predict(loaded.X) - 1)
    assert f"g-mean {right:.4f}" in answer.err
    shown = imbfs("predict", "--model", "m.npz", data).out
    assert shown == (tmp_path / "p.csv").read_text()


def test_rows_without_a_known_label_are_predicted_too(imbfs, data, tmp_path):
    assert imbfs("stream", data, "--model", "m.npz").code == 0
    (tmp_path / "new.svm").write_text("1:0.5 7:2\n0 3:1\n")
    answer = imbfs("predict", "--model", "m.npz", "new.svm")
    assert answer.code == 0 and len(answer.out.splitlines()) == 3 and "g-mean" not in answer.err


CSV = "a,b,kind,c\n" + "".join(
    f"{i % 7},{i * 0.25:g},{'ill' if i % 7 > 4 else 'well'},{-i}\n" for i in range(397)
)


def test_csv_is_learned_from_by_columns(imbfs, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    asked = "--target", "kind", "--positive", "ill", "--model", "m.npz"
    answer = imbfs("stream", "t.csv", *asked)
    assert answer.code == 0, answer.err
    rows = np.array([[i % 7, i * 0.25, -i] for i in range(397)], dtype=float)
    y = np.array([i % 7 > 4 for i in range(397)])
    whole = SELECTORS["mbpa"].call().fit(rows, y)
    found = model.read(tmp_path / "m.npz")
    assert np.array_equal(found.arrays["coef"], whole.coef_[0])
    assert "b (" in answer.out and "kind (" not in answer.out
    without = "\n".join(",".join(np.delete(line.split(","), 2)) for line in CSV.splitlines())
    (tmp_path / "new.csv").write_text(without + "\n")
    with_class = imbfs("predict", "--model", "m.npz", "t.csv")
    assert imbfs("predict", "--model", "m.npz", "new.csv").out == with_class.out
    assert "g-mean" in with_class.err
    (tmp_path / "new.csv").write_text("x,y\n1,2\n3,4\n")
    answer = imbfs("predict", "--model", "m.npz", "new.csv")
    assert answer.code == 2 and "other columns" in answer.err


def test_names_that_are_numbers_are_those_of_columns(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    for low, high, target in ((0, 9, "-1"), (90, 120, "class")):
        rows = rng.integers(low, high, size=(60, 3))
        lines = [f"{','.join(map(str, row))},{i % 2}" for i, row in enumerate(rows)]
        (tmp_path / "n.csv").write_text("\n".join(["101,102,103,class", *lines]))
        answer = imbfs("stream", "n.csv", "--target", target, "--positive", "1")
        assert answer.code == 0, answer.err
        assert "60" in answer.out
    answer = imbfs("stream", "n.csv", "--target", "-1", "--positive", "1")
    assert answer.code == 2 and "or the name of the target if it holds that" in answer.err


def test_a_row_of_the_names_of_a_model_is_not_predicted(imbfs, tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 3)).round(3)
    lines = [",".join(map(str, row)) for row in rows]
    labelled = [f"{line},{i % 2}" for i, line in enumerate(lines)]
    (tmp_path / "n.csv").write_text("\n".join(["101,102,103,class", *labelled]))
    (tmp_path / "new.csv").write_text("\n".join(["101,102,103", *lines]))
    (tmp_path / "bare.csv").write_text("\n".join(lines))
    asked = "--target", "class", "--positive", "1", "--model", "m.npz"
    assert imbfs("stream", "n.csv", *asked).code == 0
    answers = [imbfs("predict", "--model", "m.npz", f"{file}.csv") for file in ("new", "bare")]
    assert "60 rows predicted" in answers[1].err
    assert answers[0].out == answers[1].out


def test_csv_goes_on_without_its_first_line(tmp_path):
    (tmp_path / "t.csv").write_text(CSV)

    def asked():
        params = learners.chosen("mbpa", {}, 2)
        return model.Model("mbpa", params, Layout("csv"), (None, "ill"))

    def learned(found, **how):
        learning, stop = Learning(found, "kind"), Event()
        learn(Source(str(tmp_path / "t.csv")), learning, 1, stop, stop.set if how else int, 900)
        return learning.model

    (tmp_path / "m.npz").write_bytes(learned(asked(), once=True).content())
    part = model.read(tmp_path / "m.npz")
    assert 0 < part.tally.rows < 397
    assert learned(part).content() == learned(asked()).content()


MISTAKES = {
    "no such file": ("", ["none.svm"], "none.svm: there is no such file."),
    "nothing in it": ("", [], "is empty"),
    "not text": ("\0\1\2", [], "not text"),
    "not LIBSVM": ("1 3:1\n-1 x:2\n-1 4:1\n1 4:1\n", [], "line 2: 'x:2' is no index:value pair"),
    "not a number": ("1 3:1\n-1 3:nan\n", [], "line 2: '3:nan' is not finite"),
    "too far out": ("1 3:1\n-1 2147483648:1\n", [], "beyond 2147483647"),
    "three classes": ("1 3:1\n2 3:1\n3 3:1\n", [], "row 3: label 3 is the third, after 1 and 2"),
    "several labels": ("1,2 3:1\n1 4:1\n", [], "line 1: has several labels"),
    "no label": ("1 3:1\n3:1\n", [], "line 2: has no label"),
    "a filter": ("1 3:1\n", ["--learner", "fast"], "ascw, cs, csoal, mbpa, ofs, onpa, pa, sbcw"),
    "rows as batches": ("1 3:1\n", ["--learner", "sbcw", "--param", "batch=1"], "memory grows"),
    "no learner": ("1 3:1\n", ["--learner", "mbpaa"], "is no online learner"),
    "no parameter": ("1 3:1\n", ["--param", "D=1"], "no parameter 'D'"),
    "several values": ("1 3:1\n", ["--param", "C=[1, 2]"], "one value"),
    "no value": ("1 3:1\n", ["--param", "C"], "NAME=VALUE"),
    "a value of another kind": ("1 3:1\n", ["--param", "C=!!int x"], "a value cannot be read"),
    "too many rows to keep": (
        "1 3:1\n",
        ["--learner", "onpa", "--param", "rows=100000000000000"],
        "onpa.rows",
    ),
    "the stream as model": ("1 3:1\n", ["--model", "bad", "--force"], "bad: is read"),
    "the stream as checkpoints": ("1 3:1\n", ["--out", "./bad"], "bad: is read"),
    "a class of words": ("1 3:1\n", ["--positive", "ill"], "are numbers"),
    "a folder as model": ("1 3:1\n", ["--model", "."], "cannot be written"),
    "nothing to go on from": ("1 3:1\n", ["--resume"], "give --model"),
    "other test classes": ("1 3:1\n-1 2:1\n", ["--test", "other.svm"], "label 7 is the third"),
    "CSV without target": ("a,b\n1,2\n3,4\n", [], "which column holds the class? Columns: a, b"),
    "CSV with a gap": ("a,b\n1,2\n,4\n", ["--target", "b"], "line 3: feature 1 is missing"),
    "CSV of a class alone": ("b\nx\ny\n", ["--target", "b"], "no column but the class"),
    "sums too large": ("1 1:1e308 2:1e308 3:1e308\n", ["--hash-bits", "1"], "too large to add up"),
    "CSV hashed": ("a,b\n1,2\n", ["--hash-bits", "4"], "for LIBSVM"),
    "CSV classes": ("a,b\n1,x\n2,y\n", ["--target", "b"], "which class is to be found, x or y"),
    "two passes over a pipe": ("", ["-", "--epochs", "2"], "a pipe can be read once"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_in_one_line(name, imbfs, tmp_path):
    text, options, said = MISTAKES[name]
    (tmp_path / "bad").write_text(text)
    (tmp_path / "other.svm").write_text("7 1:1\n1 2:2\n")
    file = [] if options and options[0] in ("none.svm", "-") else ["bad"]
    answer = imbfs("stream", *file, *options)
    assert answer.code == 2 and said in answer.err, answer.err
    assert (tmp_path / "bad").read_text() == text
    assert len(answer.err.strip().splitlines()) == 1


def test_parameters_are_written_as_in_a_config(imbfs, data):
    assert imbfs("stream", data, "--param", "C=1e-3", "--model", "m.npz").code == 0
    assert model.read(Path("m.npz")).params["C"] == 1e-3


def test_predictions_do_not_replace_what_they_are_made_of(imbfs, data, tmp_path):
    assert imbfs("stream", data, "--model", "m.npz").code == 0
    before = Path(data).read_bytes(), (tmp_path / "m.npz").read_bytes()
    for out in (data, "m.npz"):
        answer = imbfs("predict", data, "--model", "m.npz", "--out", out)
        assert answer.code == 2 and "is read; what is written needs a name" in answer.err
    assert (Path(data).read_bytes(), (tmp_path / "m.npz").read_bytes()) == before


@pytest.mark.parametrize(("limit", "said"), [("16GB", "is no number of bytes"), ("9", "asks for")])
def test_a_limit_that_a_model_exceeds_is_told_as_such(limit, said, imbfs, data, monkeypatch):
    assert imbfs("stream", data, "--model", "m.npz").code == 0
    monkeypatch.setenv("IMBFS_MAX_BYTES", limit)
    answer = imbfs("predict", data, "--model", "m.npz")
    assert answer.code == 2 and said in answer.err and "IMBFS_MAX_BYTES" in answer.err


def test_one_class_alone_is_learned_with_a_warning(imbfs, tmp_path):
    (tmp_path / "one.svm").write_text("1 3:1\n1 4:1\n")
    answer = imbfs("stream", "one.svm", "--model", "m.npz")
    assert answer.code == 0 and "all rows are of class 1" in answer.err
    answer = imbfs("stream", "one.svm", "--positive", "1")
    assert answer.code == 0 and "all rows are of class 1" in answer.err


def test_a_class_to_find_that_is_the_larger_one_is_told(imbfs, data):
    assert "Was --positive 1 meant?" in imbfs("stream", data, "--positive", "-1").err
    assert imbfs("stream", data).err == ""


def test_a_model_that_does_not_fit_is_refused(imbfs, data, tmp_path):
    kept = tmp_path / "m.npz"
    assert imbfs("stream", data, "--features", 10, "--model", kept).code == 0
    whole = kept.read_bytes()

    def refused(said, *options):
        answer = imbfs("stream", data, "--features", 10, "--model", kept, *options)
        assert answer.code == 2 and said in answer.err, answer.err
        assert len(answer.err.strip().splitlines()) <= 2

    refused("is there already")
    refused("another --learner: mbpa, not ofs", "--resume", "--learner", "ofs")
    refused("another --param C: 1.0, not 0.5", "--resume", "--param", "C=0.5")
    refused("another --hash-bits", "--resume", "--hash-bits", 9)
    refused("another --positive: 1, not -1", "--resume", "--positive", -1)
    for damage in (b"", b"PK", whole[: len(whole) // 2], b"\x80\4K*."):
        kept.write_bytes(damage)
        refused("is damaged, or no model", "--resume")


def test_a_flipped_byte_never_gives_another_model(data, tmp_path):
    whole, path = streams.learned(data, streams.asked()).content(), tmp_path / "m.npz"
    refused = 0
    for place in range(7, len(whole), len(whole) // 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 32]) + whole[place + 1 :])
        try:
            assert model.read(path).content() == whole
        except UserError:
            refused += 1
    assert refused > 50


def test_a_stream_that_is_cut_off_is_told(imbfs, tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT)[:-5000])
    answer = imbfs("stream", "cut.gz")
    assert answer.code == 2 and "damaged or cut off" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_model_of_another_version_or_with_wild_arrays_is_refused(data, tmp_path):
    found = streams.learned(data, streams.asked())
    path = tmp_path / "m.npz"

    def refused(said, change=lambda text: text, **arrays):
        path.write_bytes(found.content())
        with np.load(path) as file:
            content = dict(file)
        content["model"] = np.array(json.dumps(change(json.loads(str(content["model"])))))
        np.savez(path, **content | arrays)
        with pytest.raises(ValueError, match=said):
            model.read(path)

    refused("version 1; this imbfs reads 2", lambda said: said | {"version": 1})
    refused("is no model of imbfs stream", lambda said: said | {"imbfs": "other"})
    refused("is damaged", lambda said: {k: v for k, v in said.items() if k != "place"})
    refused("is damaged", columns=np.full(len(found.arrays["columns"]), 2**40))
    refused("is damaged", kept=np.arange(50))
    refused("is damaged", lambda said: said | {"n_features": 2**40})
    refused("is damaged", coef=np.array(["a"] * len(found.arrays["coef"])))


def test_another_stream_is_not_gone_on_with(imbfs, data, tmp_path):
    part = streams.learned(data, streams.asked(), size=9_000, stop_after=5)
    (tmp_path / "m.npz").write_bytes(part.content())
    (tmp_path / "b.svm").write_bytes(streams.text(seed=1))
    answer = imbfs("stream", "b.svm", "--features", 10, "--model", "m.npz", "--resume")
    assert answer.code == 2 and "not the stream" in answer.err


def test_every_block_of_a_csv_has_as_many_columns_as_the_first():
    reader = CsvRows(Layout("csv"), partial(with_target, -1), [])
    X, labels = reader.rows(b"1,2,a\n3,4,b\n", 0)
    assert X.shape == (2, 2) and list(labels) == ["a", "b"]
    with pytest.raises(UserError, match="line 3: has 2 fields. The first row has 3."):
        reader.rows(b"5,a\n6,b\n", 2)


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_a_class_that_begins_with_a_hash_is_no_comment(size, tmp_path):
    rows = [f"{'#a' if i % 3 else 'b'},{i}.5,{i % 7}" for i in range(200)]
    rows[150:150] = ["# a day later", "#"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["# by Anna, 2009", "kind,x,z", *rows]))
    reader = CsvRows(Layout("csv"), lambda table: with_target("kind", table), ["kind"])
    parts = list(chunks(Source(str(path)), reader, Place(), size))
    labels = np.concatenate([part.labels for part in parts if len(part)])
    assert labels.tolist() == [row.split(",")[0] for row in rows if "," in row]
