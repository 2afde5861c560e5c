"""From a name or a file to arrays: what is read, what is refused, what is kept."""

import bz2
import gzip
import lzma
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from imbfs.datasets import (
    DATASETS,
    PROBLEMS,
    NotAtHand,
    Source,
    _made,
    _opened,
    load,
    synthetic,
    verified,
    view,
)
from imbfs.datasets.data import Data
from imbfs.errors import UserError

LIBSVM = "+1 1:0.5 3:-2 # a comment\n-1 2:1\n-1 \n+1 3:4\n"
CSV = "age,dose,outcome\n60,1.5,relapse\n41,0,cured\n35,2,cured\n"


def written(folder, text: str, name: str):
    path = folder / name
    path.write_text(text)
    return Source(path=str(path), options={"target": "outcome"} if "csv" in name else {})


@pytest.mark.parametrize("name", [n for n, d in DATASETS.items() if d.make])
def test_every_made_set_is_what_the_table_says(name):
    data = load(Source(name))
    entry = DATASETS[name]
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert np.isfinite(data.X).all()


@pytest.mark.data
@pytest.mark.parametrize("name", [n for n, d in DATASETS.items() if d.fingerprint])
def test_every_set_at_hand_is_what_the_table_says(name, data_folder):
    data, entry = load(Source(name)), DATASETS[name]
    assert data.fingerprint == entry.fingerprint
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert (data.y.shape[1] if data.y.ndim == 2 else 0) == entry.labels


@pytest.mark.data
@pytest.mark.parametrize("name", [n for n, p in PROBLEMS.items() if p.counts])
def test_every_problem_has_the_counts_of_its_paper(name, data_folder):
    problem = PROBLEMS[name]
    seen = view(load(Source(problem.dataset)), **problem.view)
    assert (np.sum(seen.y < 0), np.sum(seen.y > 0)) == problem.counts


@pytest.mark.data
def test_the_digits_in_one_piece_are_those_of_both_files_pixels_column_by_column(data_folder):
    whole, files = load(Source("usps_all")), [load(Source(name)) for name in ("usps", "usps.t")]
    images = np.asarray(whole.X).reshape(-1, 16, 16).transpose(0, 2, 1).reshape(-1, 256)
    digits = np.array(whole.classes)[whole.y] % 10
    assert np.all(np.diff(whole.y[:7_291]) >= 0)  # sorted by class, as neither file is
    values = np.concatenate([data.X.toarray() for data in files])
    known = np.concatenate([np.array(data.classes)[data.y] - 1 for data in files])
    found, expected = (
        sorted(
            (int(k), row.tobytes()) for k, row in zip(told, np.rint(1000 * X) + 0.0, strict=True)
        )
        for told, X in ((digits, 2 * images - 1), (known, values))
    )
    assert found == expected


def test_what_cannot_be_checked_is_said_so_in_the_table():
    unseen = {name for name, entry in DATASETS.items() if entry.file and not entry.fingerprint}
    assert unseen == {
        "w8a.t", "real-sim", "rcv1", "rcv1.t", "news20.t", "prost", "ovary", "churn", "msrc",
        "trecvid",
    }  # fmt: skip
    assert all(DATASETS[name].url.startswith("http") for name in unseen)
    assert all(entry.citation for name, entry in DATASETS.items() if entry.file)


def test_the_relevant_genes_of_the_microarray_differ_between_the_classes():
    data = synthetic.microarray()
    gap = data.X[data.y == 1].mean(axis=0) - data.X[data.y == 0].mean(axis=0)
    relevant = list(data.relevant)
    others = np.delete(np.abs(gap), relevant)
    assert len(relevant) == 20
    # Moved by 1 with a standard error of about 1/3 each, so 1/13 in the mean of twenty.
    assert np.abs(gap[relevant]).mean() == pytest.approx(1.0, abs=0.25)
    assert np.abs(others).mean() < 0.4


@pytest.mark.parametrize(
    "opener, suffix", [(gzip.open, "gz"), (bz2.open, "bz2"), (lzma.open, "xz")]
)
def test_compression_changes_nothing(opener, suffix, tmp_path):
    plain = load(written(tmp_path, LIBSVM, "a.txt"))
    path = tmp_path / f"a.txt.{suffix}"
    with opener(path, "wt") as file:
        file.write(LIBSVM)
    assert load(Source(path=str(path))).fingerprint == plain.fingerprint


def test_a_second_load_comes_from_the_cache_and_a_damaged_cache_is_rebuilt(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    source = written(tmp_path, CSV, "a.csv")
    first = load(source)
    assert isinstance(first.X, np.memmap)
    (kept,) = (tmp_path / "cache").glob("*/X.npy")
    kept.write_bytes(kept.read_bytes()[:-8])
    _opened.cache_clear()  # as in a new process
    again = load(source)
    assert again.fingerprint == first.fingerprint
    np.testing.assert_array_equal(again.X, [[60, 1.5], [41, 0], [35, 2]])


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("IMBFS_CACHE", str(blocked))
    assert load(Source("wine")).X.shape == (178, 13)


def test_a_set_that_is_not_at_hand_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    with pytest.raises(
        NotAtHand, match=r"w8a: is not at hand. imbfs data fetch w8a gets it; it belongs"
    ):
        load(Source("w8a"))


def test_a_file_that_differs_from_the_table_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    (tmp_path / "w8a").mkdir()
    (tmp_path / "w8a/w8a").write_text(LIBSVM)
    with pytest.raises(UserError, match="w8a: is 4 x 3; the table says 49749 x 300"):
        load(Source("w8a"))


def toy(y, classes) -> Data:
    return Data(np.zeros((len(y), 1)), np.array(y), classes)


def test_the_smaller_of_two_classes_is_plus_one():
    np.testing.assert_array_equal(view(toy([0, 1, 1], ("a", "b"))).y, [1, -1, -1])
    np.testing.assert_array_equal(view(toy([0, 0, 1], ("a", "b"))).y, [-1, -1, 1])
    np.testing.assert_array_equal(view(toy([0, 1], ("a", "b"))).y, [-1, 1])


def test_one_class_against_the_rest_or_against_some():
    data = toy([0, 1, 2, 2], (5, 6, 7))
    np.testing.assert_array_equal(view(data, positive=7).y, [-1, -1, 1, 1])
    np.testing.assert_array_equal(view(data, positive="7").y, [-1, -1, 1, 1])
    seen = view(data, positive=5, negative=[7])
    np.testing.assert_array_equal(seen.rows, [0, 2, 3])
    np.testing.assert_array_equal(seen.y, [1, -1, -1])
    assert view(data).kind == "multiclass"


def test_a_view_that_cannot_be_taken_is_refused():
    with pytest.raises(UserError, match="has one class only"):
        view(toy([0, 0], ("a",)))
    with pytest.raises(UserError, match="no class 'z'. Classes: a, b"):
        view(toy([0, 1], ("a", "b")), positive="z")
    with pytest.raises(UserError, match="is a positive class already"):
        view(toy([0, 1], ("a", "b")), positive="a", negative=["a"])
    with pytest.raises(UserError, match="needs positive beside it"):
        view(toy([0, 1], ("a", "b")), negative=["a"])


def test_a_view_may_take_some_columns_and_rows():
    X = np.array([[0.0, 0, 5], [1, 0, 0], [0, 2, 0], [0, 0, 0], [3, 0, 0]])
    data = Data(X, np.array([0, 0, 0, 1, 1]), ("a", "b"))
    seen = view(data, positive="b", columns=2, drop_empty=True)
    np.testing.assert_array_equal(seen.rows, [1, 2, 4])
    np.testing.assert_array_equal(seen.y, [-1, -1, 1])
    np.testing.assert_array_equal(seen.take(data.X, np.array([2, 0])), [[3, 0], [1, 0]])
    sparse = Data(csr_array(X), data.y, data.classes)
    again = view(sparse, positive="b", columns=2, drop_empty=True)
    np.testing.assert_array_equal(again.rows, seen.rows)
    np.testing.assert_array_equal(again.take(sparse.X, np.array([2])).toarray(), [[3, 0]])


def test_a_view_may_sample_a_side_and_always_the_same_rows():
    data = toy([0] * 50 + [1] * 20, ("a", "b"))
    seen = view(data, positive="b", sample={"negative": 10})
    assert (np.sum(seen.y < 0), np.sum(seen.y > 0)) == (10, 20)
    np.testing.assert_array_equal(seen.rows, view(data, positive="b", sample={"negative": 10}).rows)
    fewer = view(data, positive="b", sample={"negative": 5, "positive": 3})
    assert set(fewer.rows) < set(seen.rows) | set(range(50, 70))


def test_several_classes_may_be_positive():
    data = toy([0, 1, 2, 2], (5, 6, 7))
    np.testing.assert_array_equal(view(data, positive=[5, "6"]).y, [1, 1, -1, -1])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"columns": 2}, "columns: 2 is not between 1 and 1"),
        ({"sample": {"positive": 9}}, "sample: 9 of 1 positive rows cannot be kept"),
        ({"drop_empty": True}, "has one class only once its rows are chosen"),
    ],
)
def test_a_view_of_what_is_not_there_is_refused(options, message):
    with pytest.raises(UserError, match=message):
        view(toy([0, 0, 1], ("a", "b")), **options)


def test_some_labels_of_many_may_be_positive():
    y = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    data = Data(np.ones((5, 1)), y, ("earn", "acq", "corn"))
    assert view(data).kind == "multilabel"
    np.testing.assert_array_equal(view(data, positive="earn").y, [1, -1, 1, -1, -1])
    np.testing.assert_array_equal(view(data, positive=["earn", "acq"]).y, [1, 1, 1, -1, -1])
    seen = view(data, positive="earn", negative=["corn"])
    np.testing.assert_array_equal(seen.rows, [0, 2, 3])
    np.testing.assert_array_equal(seen.y, [1, 1, -1])


def test_touching_a_file_costs_no_second_parse_and_changing_it_does(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    source = written(tmp_path, CSV, "a.csv")
    first = load(source).fingerprint
    os.utime(tmp_path / "a.csv", (1, 1))
    assert load(source).fingerprint == first
    assert len(list((tmp_path / "cache").iterdir())) == 1
    written(tmp_path, CSV.replace("60", "61"), "a.csv")
    assert load(source).fingerprint != first


def test_the_second_file_counts_too(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    (tmp_path / "y.txt").write_text("u\nv\nv\n")
    source = Source(path=str(tmp_path / "x.csv"), options={"labels": "y.txt"})
    assert load(source).classes == ("u", "v")
    (tmp_path / "y.txt").write_text("u\nw\nw\n")
    assert load(source).classes == ("u", "w")


def flip(path, place) -> None:
    """Flip a bit in a copy of a file, which takes its place: the first may be mapped to memory."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize(
    "file, place",
    [("X.npy", -3), ("y.npy", -8), ("X.npy", 70), ("about.json", 30), ("about.json", -3)],
)
def test_a_changed_byte_in_the_cache_is_noticed_and_mended(file, place, tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path))
    first = load(Source("wine"))
    (kept,) = tmp_path.glob(f"*/{file}")
    whole = kept.read_bytes()
    flip(kept, place)
    _made.cache_clear()
    again = load(Source("wine"))
    np.testing.assert_array_equal(again.X, first.X)
    np.testing.assert_array_equal(again.y, first.y)
    assert kept.read_bytes() == whole


def test_what_a_killed_process_left_in_the_cache_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    killed = "import os, imbfs.datasets.cache as c; c._check = lambda _: os.kill(os.getpid(), 9);"
    code = "from imbfs.datasets import Source, load; load(Source('wine'))"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", killed + code])
    living = tmp_path / "cache" / f".new-{platform.node()}@{os.getpid()}@x"
    other = tmp_path / "cache" / f".new-{platform.node()}-2@99999999@x"
    for folder in (living, other):
        folder.mkdir()
    assert len(list((tmp_path / "cache").glob(".new-*"))) == 3  # of the first nothing is left
    _made.cache_clear()
    load(Source("wine"))
    assert set((tmp_path / "cache").glob(".new-*")) == {living, other}


def test_what_changes_after_it_was_opened_is_noticed_on_verifying(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path))
    first = np.array(load(Source("wine")).X)
    (kept,) = tmp_path.glob("*/X.npy")
    with kept.open("r+b") as file:
        file.seek(-3, os.SEEK_END)
        file.write(b"\x01")
    assert not np.array_equal(load(Source("wine")).X, first)
    np.testing.assert_array_equal(verified(Source("wine")).X, first)


def test_processes_that_parse_the_same_file_at_once_do_no_harm(tmp_path):
    rows = "".join(
        f"{i % 3 - 1} " + " ".join(f"{j}:{i % j + 1}" for j in range(1, 40)) + "\n"
        for i in range(3000)
    )
    (tmp_path / "big.txt").write_text(rows)
    code = (
        "import sys; from imbfs.datasets import Source, load, verified;"
        f"s = Source(path={str(tmp_path / 'big.txt')!r}); load(s); print(verified(s).fingerprint)"
    )
    environment = {**os.environ, "IMBFS_CACHE": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(4)
    ]
    answers = {process.communicate(timeout=60)[0] for process in started}
    assert len(answers) == 1
    assert all(process.returncode == 0 for process in started)
    left = [path.name for path in (tmp_path / "cache").iterdir()]
    assert len([name for name in left if not name.startswith(".new-")]) == 1
