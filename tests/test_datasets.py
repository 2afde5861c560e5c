"""From a name or a file to arrays: what is read, what is refused, what is kept."""

import bz2
import gzip
import lzma
import os

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from imbfs.datasets import DATASETS, NotAtHand, Source, load, synthetic, view
from imbfs.datasets.data import Data
from imbfs.errors import UserError

LIBSVM = "+1 1:0.5 3:-2 # a comment\n-1 2:1\n-1 \n+1 3:4\n"
CSV = "age,dose,outcome\n60,1.5,relapse\n41,0,cured\n35,2,cured\n"


def written(folder, text: str, name: str):
    path = folder / name
    path.write_text(text)
    return Source(path=str(path), target="outcome" if "csv" in name else None)


@pytest.mark.parametrize("name", [n for n, d in DATASETS.items() if d.make])
def test_every_made_set_is_what_the_table_says(name):
    data = load(Source(name))
    entry = DATASETS[name]
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert np.isfinite(data.X).all()


@pytest.mark.data
@pytest.mark.parametrize("name", [n for n, d in DATASETS.items() if d.file])
def test_every_set_at_hand_is_what_the_table_says(name, data_folder):
    data = load(Source(name))
    assert data.fingerprint == DATASETS[name].fingerprint
    assert dict(zip(data.classes, np.bincount(data.y), strict=True)) == DATASETS[name].class_counts


def test_the_relevant_genes_of_the_microarray_differ_between_the_classes():
    data = synthetic.microarray()
    gap = data.X[data.y == 1].mean(axis=0) - data.X[data.y == 0].mean(axis=0)
    relevant = list(data.relevant)
    others = np.delete(np.abs(gap), relevant)
    assert len(relevant) == 20
    # Moved by 1 with a standard error of about 1/3 each, so 1/13 in the mean of twenty.
    assert np.abs(gap[relevant]).mean() == pytest.approx(1.0, abs=0.25)
    assert np.abs(others).mean() < 0.4


def test_libsvm_text_is_read_with_its_comments_and_empty_rows(tmp_path):
    data = load(written(tmp_path, LIBSVM, "a.txt"))
    assert issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, -2], [0, 1, 0], [0, 0, 0], [0, 0, 4]])
    assert data.classes == (-1, 1)
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1])


@pytest.mark.parametrize(
    "opener, suffix", [(gzip.open, "gz"), (bz2.open, "bz2"), (lzma.open, "xz")]
)
def test_compression_changes_nothing(opener, suffix, tmp_path):
    plain = load(written(tmp_path, LIBSVM, "a.txt"))
    path = tmp_path / f"a.txt.{suffix}"
    with opener(path, "wt") as file:
        file.write(LIBSVM)
    assert load(Source(path=str(path))).fingerprint == plain.fingerprint


def test_a_multi_label_libsvm_file_becomes_an_indicator(tmp_path):
    data = load(written(tmp_path, "1,3 1:1\n2 1:2\n1 2:1\n", "a.txt"))
    assert data.classes == (1, 2, 3)
    np.testing.assert_array_equal(data.y, [[1, 0, 1], [0, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_csv_is_read_with_its_names(separator, tmp_path):
    data = load(written(tmp_path, CSV.replace(",", separator), "a.csv"))
    np.testing.assert_array_equal(data.X, [[60, 1.5], [41, 0], [35, 2]])
    assert (data.names, data.classes) == (("age", "dose"), ("cured", "relapse"))
    np.testing.assert_array_equal(data.y, [1, 0, 0])


def test_a_second_load_comes_from_the_cache_and_a_damaged_cache_is_rebuilt(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    source = written(tmp_path, CSV, "a.csv")
    first = load(source)
    assert isinstance(first.X, np.memmap)
    (kept,) = (tmp_path / "cache").glob("*/X.npy")
    kept.write_bytes(kept.read_bytes()[:-8])
    os.utime(tmp_path / "a.csv")  # a new time of change: nothing in this process remembers the file
    again = load(source)
    assert again.fingerprint == first.fingerprint
    np.testing.assert_array_equal(again.X, [[60, 1.5], [41, 0], [35, 2]])


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("IMBFS_CACHE", str(blocked))
    assert load(Source("wine")).X.shape == (178, 13)


BAD_FILES = {
    "a missing value": ("age,outcome\n1,a\n,b\n", "a.csv", "sample 2, feature 'age' is missing."),
    "an infinite value": ("age,outcome\n1,a\ninf,b\n", "a.csv", "sample 2, feature 'age' is infinite."),
    "a missing class": ("age,outcome\n1,a\n2,\n", "a.csv", "sample 2 has no 'outcome'."),
    "a text feature": ("age,outcome\n1,a\nold,b\n", "a.csv", "column 'age' is not numeric."),
    "no such target": ("age,result\n1,a\n2,b\n", "a.csv", "there is no column 'outcome'. Columns: age, result."),
    "ragged rows": ("age,outcome\n1,a\n2,b,c\n", "a.csv", "is no valid CSV file"),
    "an empty file": ("", "a.txt", "is empty."),
    "nan in LIBSVM": ("+1 1:1\n-1 3:nan\n", "a.txt", "sample 2, feature 3 is missing."),
    "a broken pair": ("+1 1:1\n-1 2:abc\n", "a.txt", "is no valid LIBSVM file"),
}  # fmt: skip


@pytest.mark.parametrize("text, name, message", BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_refused_with_its_name(text, name, message, tmp_path):
    source = written(tmp_path, text, name)
    with pytest.raises(UserError) as refused:
        load(source)
    assert str(refused.value).startswith(source.path)
    assert message in str(refused.value)


def test_a_csv_without_target_asks_for_it(tmp_path):
    written(tmp_path, CSV, "a.csv")
    with pytest.raises(
        UserError, match="which column holds the class. Columns: age, dose, outcome"
    ):
        load(Source(path=str(tmp_path / "a.csv")))


def test_a_binary_and_a_truncated_file_are_refused(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"\x00\xff\xfe\x80")
    with pytest.raises(UserError, match="is not text"):
        load(Source(path=str(tmp_path / "a.bin")))
    (tmp_path / "a.txt.xz").write_bytes(lzma.compress(LIBSVM.encode() * 999)[:-20])
    with pytest.raises(UserError, match="cannot be read|is no valid"):
        load(Source(path=str(tmp_path / "a.txt.xz")))


def test_a_set_that_is_not_at_hand_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    with pytest.raises(NotAtHand, match=r"w8a: is not at hand. Get it from https://.*/w8a and put"):
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
