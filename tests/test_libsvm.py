"""LIBSVM text: the values of scikit-learn's reader, line by line errors, chunks of any size."""

import bz2
import gzip
import io
import itertools
import lzma
import os
import re
import threading
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import random_array, vstack
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from imbfs.datasets.formats import libsvm
from imbfs.datasets.formats.libsvm import chunks, read
from imbfs.datasets.formats.libsvm_kernels import parsed
from imbfs.errors import UserError

OPENERS = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
SMALL = "+1 1:0.5 3:-2 # a comment\n-1 2:1\n-1 \n+1 3:4\n"


@pytest.fixture
def file(tmp_path):
    """Write a text into the test's folder."""

    def write(text: str | bytes, name: str = "a.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def peer(text: bytes, **options):
    """X and the labels of each row, by scikit-learn."""
    X, y = load_svmlight_file(io.BytesIO(text), multilabel=has_label_lists(text), **options)
    return X, [sorted(set(row)) if isinstance(row, tuple) else [row] for row in y]


def has_label_lists(text: bytes) -> bool:
    firsts = [words[0] for line in text.split(b"\n") if (words := line.split(b"#")[0].split())]
    return any(b"," in word and b":" not in word for word in firsts)


def labels_of(data) -> list[list]:
    if data.y.ndim == 1:
        return [[data.classes[code]] for code in data.y]
    return [[data.classes[j] for j in np.flatnonzero(row)] for row in data.y]


def assert_same_matrix(X, expected):
    assert X.shape == expected.shape
    np.testing.assert_array_equal(X.indptr, expected.indptr)
    np.testing.assert_array_equal(X.indices, expected.indices)
    assert X.data.tobytes() == expected.data.tobytes()  # the sign of zero too


def assert_same_as_peer(path, text: bytes, **options):
    data = read(path)
    X, labels = peer(text, **options)
    assert_same_matrix(data.X, X)
    assert labels_of(data) == labels


def test_a_small_file_by_hand(file):
    data = read(file(SMALL))
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, -2], [0, 1, 0], [0, 0, 0], [0, 0, 4]])
    assert (data.classes, data.names) == ((-1, 1), None)
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1])
    assert (data.X.data.dtype, data.X.indices.dtype, data.y.dtype) == ("f8", "i4", "i8")


def test_labels_that_are_no_whole_numbers_stay_floats(file):
    data = read(file("2 1:1\n0.5 1:1\n-3e0 1:1\n"))
    assert data.classes == (-3, 0.5, 2)
    assert [type(label) for label in data.classes] == [int, float, int]


VARIANTS = {
    "one-based": "1 1:2 3:4\n-1 2:1\n",
    "zero-based": "1 0:2 3:4\n-1 2:1\n",
    "zero in the last line": "1 1:2 3:4\n-1 0:1\n",
    "only feature zero": "1 0:2\n-1 0:1\n",
    "explicit and negative zeros": "1 1:0 2:-0 3:-0.0 4:+0\n",
    "carriage returns": "1 1:2\r\n-1 2:1 \r\n\r\n",
    "no final newline": "1 1:2\n-1 2:1",
    "blank lines": "\n\n1 1:2\n  \n\t\n-1 2:1\n\n",
    "spaces and tabs": "  1\t1:2   3:4 \t \n-1 \v 2:1\f\n",
    "comments": "# top\n1 1:2 # 9:9\n-1 2:1#3:1\n#\n-1#\n",
    "a comment that is not ASCII": "1 1:2 # Größe, naïve: 3:4\n",
    "queries": "1 qid:7 1:2\n-1 qid:12\n",
    "rows without features": "1\n-1\n1 5:1\n-1\n",
    "signs": "+1 1:+2 2:-3\n-1 1:-.5 2:+.5\n",
    "exponents": "1e0 1:1e3 2:1E-3 3:-2.5e+10 4:5.e1 5:.5e1\n",
    "leading zeros": "01 0001:002.50 000000000000000000000000000002:0e0\n",
    "large indices": "1 1:1 2147483647:1\n",
    "label lists": "1,3 1:1\n2 1:2\n3,1,2 2:1\n",
    "empty label lists": "1,3 1:1\n 1:2\n2:5 3:1\nqid:4 1:1\n2\n",
    "labels given twice": "2,2 1:1\n1.5,-1e0 1:1\n",
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_every_variant_is_read_as_scikit_learn_reads_it(text, file):
    assert_same_as_peer(file(text), text.encode())


@pytest.mark.parametrize("size", [1, 5, 64])
@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS)
def test_where_blocks_end_changes_nothing(text, size, file, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK", size)
    assert_same_as_peer(file(text), text.encode())


def test_a_multi_label_file_becomes_an_indicator(file):
    data = read(file("3,1 1:1\n2 1:2\n 2:1\n"))
    assert data.classes == (1, 2, 3)
    np.testing.assert_array_equal(data.y, [[1, 0, 1], [0, 1, 0], [0, 0, 0]])


def test_the_first_index_can_be_told(file):
    path = file("1 1:5 2:6\n")
    np.testing.assert_array_equal(read(path).X.toarray(), [[5, 6]])
    np.testing.assert_array_equal(read(path, index_base="1").X.toarray(), [[5, 6]])
    np.testing.assert_array_equal(read(path, index_base="0").X.toarray(), [[0, 5, 6]])


def test_more_features_than_occur_can_be_told(file):
    assert read(file("1 1:5\n"), n_features=4).X.shape == (1, 4)
    assert read(file("1\n-1\n"), n_features=4).X.shape == (2, 4)
    assert read(file("1 2:5\n"), n_features=2).X.shape == (1, 2)


@pytest.mark.parametrize("kind", OPENERS)
def test_compression_is_told_by_content_not_by_name(kind, tmp_path):
    path = tmp_path / "a.txt"
    with OPENERS[kind](path, "wb") as packed:
        packed.write(SMALL.encode())
    assert_same_as_peer(path, SMALL.encode())


def generated(n_samples: int, seed: int = 0) -> bytes:
    """Rows of 12 values on average, 16 digits each."""
    X = random_array((n_samples, 300), density=0.04, format="csr", rng=seed)
    X.data -= 0.5
    y = np.random.default_rng(seed).choice([-1, 1], size=n_samples)
    text = io.BytesIO()
    dump_svmlight_file(X, y, text, zero_based=False)
    return text.getvalue()


def test_what_scikit_learn_writes_is_read_back(file):
    text = generated(3000)
    assert_same_as_peer(file(text), text)


def numbers(count: int) -> list[str]:
    """Decimal numbers of all lengths and sizes, many of them close to half way between floats."""
    rng = np.random.default_rng(0)
    size = 10.0 ** rng.uniform(-70, 70, count)
    plain = [repr(x) for x in rng.normal(size=count).tolist()]
    wide = [repr(x) for x in (rng.normal(size=count) * size).tolist()]
    cut = [f"{x:.{d}e}" for x, d in zip(size, rng.integers(0, 25, count), strict=True)]
    half_way = [str(2**53 + 2 * k + 1) for k in range(count // 10)]
    return plain + wide + cut + half_way


def test_numbers_are_rounded_as_python_rounds_them(file):
    words = numbers(10_000)
    X = read(file("".join(f"1 1:{word}\n" for word in words))).X
    assert X.data.tolist() == [float(word) for word in words]


EXTREMES = [
    "9007199254740993",  # 2^53 + 1, half way: to even
    "9007199254740993.0000000000000000001",  # more than half way
    "1e23",  # not exact in a float
    "18446744073709551615",  # 2^64 - 1
    "99999999999999999999",  # 20 digits
    "5e-324",
    "2.4703282292062327e-324",  # just below half of the smallest: 0
    "1.7976931348623157e308",
    "0." + "0" * 400 + "1e401",
    "1" + "0" * 400 + "e-400",
    "0e999999999999999999999",
    "1e-99999999999999999999",
    "4.35",
    "0.000001",
    "123456789012345678",
]


@pytest.mark.parametrize("word", EXTREMES)
def test_extreme_numbers_are_rounded_as_python_rounds_them(word, file):
    for sign in ("", "-"):
        data = read(file(f"{sign}{word} 1:{sign}{word}\n"))
        assert data.X.data.tobytes() == np.float64(sign + word).tobytes()
        assert data.classes == (float(sign + word),)


@pytest.mark.parametrize("zeros", range(25))
def test_digits_of_any_number_are_read_wherever_the_text_ends(zeros):
    for digits in range(1, 20):
        whole = "0" * zeros + "9876543210123456789"[:digits]
        for word in (whole, f"{whole}.", f".{whole}", f"-0.{whole}", f"3{whole[:8]}.{whole[:10]}"):
            text = f"1 {'0' * zeros}{digits}:{word}\n".encode()
            rows, late, left = parsed(text, least=0)
            assert left["error"] == -1 and len(late) == 0
            assert rows.indices.tolist() == [digits] and rows.data.tolist() == [float(word)]


def test_few_numbers_are_left_to_python():
    words = [repr(x) for x in np.random.default_rng(0).normal(size=1000).tolist()]
    rows, late, _ = parsed("".join(f"1 1:{word}\n" for word in words).encode(), least=0)
    assert (len(rows), len(late)) == (1000, 0)


BAD_LINES = {
    "no number": ("1:abc", "'1:abc' has no number after the colon."),
    "nothing after the colon": ("1:", "'1:' has no number after the colon."),
    "half an exponent": ("1:2e", "'1:2e' has no number after the colon."),
    "two numbers": ("1:2:3", "'1:2:3' has no number after the colon."),
    "an underscore": ("1:1_0", "'1:1_0' has no number after the colon."),
    "nothing before the colon": (":1", "':1' is no index:value pair."),
    "no colon": ("1", "'1' is no index:value pair."),
    "a name for an index": ("a:1", "'a:1' is no index:value pair."),
    "a negative index": ("-1:1", "'-1:1' is no index:value pair."),
    "a query that is no number": ("qid:x 1:1", "'qid:x' is no index:value pair."),
    "a query behind a pair": ("1:1 qid:3", "'qid:3' is no index:value pair."),
    "decreasing indices": ("3:1 2:1", "index 2 follows index 3. Indices must increase"),
    "repeated indices": ("3:1 3:1", "index 3 follows index 3. Indices must increase"),
    "index 2^31": ("2147483648:1", "'2147483648:1' has an index beyond 2147483647"),
    "an index of 25 digits": ("8" * 25 + ":1", f"'{'8' * 25}:1' has an index beyond 2147483647"),
    "a very long index": ("8" * 9999 + ":1", f"'{'8' * 40}'... has an index beyond 2147483647"),
    "nan": ("1:nan", "'1:nan' is not finite. Fill in or drop such values."),
    "infinity": ("1:-Inf", "'1:-Inf' is not finite. Fill in or drop such values."),
    "overflow": ("1:1 2:1e400", "'1e400' is too large a number."),
}


@pytest.mark.parametrize("pairs, message", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_pair_is_refused_with_its_line(pairs, message, file, monkeypatch):
    path = file(f"# top\n1 1:1\n\n-1 {pairs}\n1 1:1\n")
    for size in (1 << 20, 8):
        monkeypatch.setattr(libsvm, "_BLOCK", size)
        assert refusal(path).startswith(f"{path}: line 4: {message}")


BAD_LABELS = {
    "missing": ("1:2", "has no label. A line starts with a number."),
    "missing before a query": ("qid:2 1:2", "has no label. A line starts with a number."),
    "no number": ("abc 1:2", "label 'abc' is no finite number."),
    "nan": ("nan 1:2", "label 'nan' is no finite number."),
    "overflow": ("1e400 1:2", "'1e400' is too large a number."),
    "a comma too many": ("1, 1:2", "label '1,' is no finite number."),
    "only a comma": (", 1:2", "label ',' is no finite number."),
    "another alphabet": ("ж 1:2", "label 'ж' is no finite number."),
}


@pytest.mark.parametrize("line, message", BAD_LABELS.values(), ids=BAD_LABELS)
def test_a_bad_label_is_refused_with_its_line(line, message, file):
    path = file(f"1 1:1\n{line}\n1 1:1\n")
    assert refusal(path).startswith(f"{path}: line 2: {message}")


def refusal(path, **options) -> str:
    with pytest.raises(UserError) as refused:
        read(path, **options)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_index_zero_in_a_file_said_to_count_from_one_is_refused(file):
    path = file("1 1:1\n1 0:3\n")
    assert f"{path}: line 2: '0:3' has index 0 in a file that" in refusal(path, index_base="1")
    assert read(path).X.shape == (2, 2)


def test_fewer_features_than_the_largest_index_asks_for_are_refused(file):
    path = file("1 2:1\n1 5:3\n1 1:1\n")
    assert "line 2: index 5 asks for 5 features, not n_features=4" in refusal(path, n_features=4)
    assert "index 5 asks for 6 features" in refusal(path, n_features=5, index_base="0")
    path = file("1 2:1\n1 5:3\n1 0:1\n")
    assert "line 2: index 5 asks for 6 features" in refusal(path, n_features=5)


@pytest.mark.parametrize("text", ["", "\n\r\n \n", "# nothing\n"])
def test_a_file_without_samples_is_refused(text, file):
    path = file(text)
    assert refusal(path).startswith(f"{path}: is empty.")
    with pytest.raises(UserError, match="is empty"):
        list(chunks(path, n_features=1, index_base="1"))


def test_a_file_without_features_asks_for_their_number(file):
    assert refusal(file("1\n-1\n")).endswith("a.txt: has no index:value pair. Give n_features.")


@pytest.mark.parametrize("text", [b"1 1:1\n1 2:\x001\n", b"1 1:1\n1 2:1 # \0\n"])
def test_a_nul_byte_is_refused_wherever_it_is(text, file):
    assert refusal(file(text)).endswith("line 2: has a NUL byte: this is not text.")


def test_binary_content_is_refused(file):
    assert refusal(file(b"\x93\xff 1:1")).endswith(r"line 1: '\\x93\\xff' is not text.")
    assert "line 1: '1:\\x07' is not text." in refusal(file(b"1 1:\x07\n"))


def test_a_stream_that_is_binary_is_not_read_to_its_end():
    class Endless(io.RawIOBase):
        def read(self, size):
            return bytes(size)

    with pytest.raises(UserError, match="stream: line 1: has a NUL byte"):
        next(chunks(Endless(), n_features=1))


@pytest.mark.parametrize("kind", OPENERS)
def test_a_truncated_file_is_refused(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    with OPENERS[kind](path, "wb") as packed:
        packed.write(generated(200))
    path.write_bytes(path.read_bytes()[:-20])
    assert refusal(path).startswith(f"{path}: ")
    with pytest.raises(UserError, match=re.escape(str(path))):
        list(chunks(path, n_features=300, index_base="1"))


@pytest.mark.parametrize("rows", [1, 7, 64, 5000])
def test_chunks_together_are_what_one_read_gives(rows, file, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK", 3000)  # about a dozen rows
    path = file(generated(200))
    whole = read(path)
    parts = list(chunks(path, rows=rows))
    assert [X.shape[0] for X, _ in parts[:-1]] == [rows] * (len(parts) - 1)
    assert 0 < parts[-1][0].shape[0] <= rows
    assert_same_matrix(vstack([X for X, _ in parts], format="csr"), whole.X)
    labels = np.concatenate([y for _, y in parts])
    np.testing.assert_array_equal(labels, np.array(whole.classes)[whole.y])
    assert {X.indices.dtype for X, _ in parts} == {np.dtype("i4")}


def test_chunks_of_a_file_that_counts_from_zero_share_one_width(file):
    path = file("1 1:1\n2 2:1\n3 0:5 4:1\n")
    parts = [(X.toarray().tolist(), y.tolist()) for X, y in chunks(path, rows=2)]
    assert parts == [
        ([[0, 1, 0, 0, 0], [0, 0, 1, 0, 0]], [1, 2]),
        ([[5, 0, 0, 0, 1]], [3]),
    ]


def test_chunks_with_label_lists(file):
    path = file("3,1 1:1\n1:2\n2 1:2\n")
    labels = [y for _, y in chunks(path, rows=2, multilabel=True)]
    assert labels == [[(3.0, 1.0), ()], [(2.0,)]]
    with pytest.raises(UserError, match="line 2: has no label"):
        list(chunks(path))
    with pytest.raises(UserError, match="line 1: has several labels. Read it with multilabel=True"):
        list(chunks(file("3,1 1:1\n")))


def test_chunks_come_from_a_pipe_while_it_is_written():
    text = generated(2000)
    out, into = os.pipe()

    def write():
        with open(into, "wb") as end:
            end.write(text)

    writer = threading.Thread(target=write)
    writer.start()
    with open(out, "rb") as stream:
        parts = list(chunks(stream, rows=300, n_features=300))
        writer.join()
    assert_same_matrix(vstack([X for X, _ in parts], format="csr"), peer(text, n_features=300)[0])


def test_a_stream_must_be_told_what_cannot_be_seen_beforehand():
    with pytest.raises(UserError, match="stream: n_features: a stream cannot be read twice"):
        next(chunks(io.BytesIO(b"1 1:1\n")))
    with pytest.raises(UserError, match="line 2: '0:3' has index 0 in a file that counts from 1"):
        list(chunks(io.BytesIO(b"1 1:1\n1 0:3\n"), n_features=5))
    ((X, _),) = chunks(io.BytesIO(b"1 1:1\n1 0:3\n"), n_features=2, index_base="0")
    np.testing.assert_array_equal(X.toarray(), [[0, 1], [3, 0]])
    with pytest.raises(UserError, match="line 1: index 3 asks for 3 features, not n_features=2"):
        list(chunks(io.BytesIO(b"1 3:1\n"), n_features=2))


def peak(work) -> int:
    """The most bytes that arrays and objects took at a time."""
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_chunks_take_constant_memory_and_a_read_three_times_its_arrays(file, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK", 1 << 16)
    text = generated(2000)
    small, large = file(text, "small"), file(text * 16, "large")

    def stream(path):
        return lambda: [None for _ in chunks(path, rows=500, n_features=300)]

    assert peak(stream(large)) < 1.2 * peak(stream(small)) < large.stat().st_size / 4
    X = read(large).X
    arrays = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    assert peak(lambda: read(large)) < 3 * arrays


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    ["w7a/w7a.xz", "w7a/w7a.t.xz", "w8a/w8a.xz", "a9a/a9a.xz", "a9a/a9a.t.xz"]
    + ["usps/usps.t.libsvm.xz", "farm-ads/farm-ads-vect.xz", "news20/news20.bz2"],
)
def test_real_files_are_read_as_scikit_learn_reads_them(name, data_folder):
    path = data_folder / name
    with OPENERS[path.suffix[1:]](path) as packed:
        assert_same_as_peer(path, packed.read())


# What scikit-learn lets pass and we refuse: underscores in numbers; nan, inf and overflow; a sign
# before an index; `qid` with anything behind it; a text without samples or without features (it
# makes one); NUL bytes, behind which it finds no comment.
LAX = re.compile(rb"_|nan|inf|[+-]\d+:|qid(?!:\d+(\s|$))", re.IGNORECASE)

LABELS = ["1", "-1", "+2.5", "1,3", "0", "2 qid:3"]
PAIRS = ["0:4", "1:1", "2:-0.5", "3:1e3", "4:+.5", "5:9007199254740993", "6:0.1234567890123456789"]
PAIRS += ["7:1e-300", "12:1.", "99:nan", "100:1e309", "2147483647:1", "#1:2", "\t", "\r"]
ALPHABET = "0123456789+-.:,eE #_\t\r\n\0xnaifqd"


@st.composite
def mutated_lines(draw) -> bytes:
    """One to four lines, most of them good, then up to three letters put in, taken out, changed."""
    places = st.sets(st.integers(0, len(PAIRS) - 1), max_size=4)
    lines = draw(st.lists(st.tuples(st.sampled_from(LABELS), places), min_size=1, max_size=4))
    text = "\n".join(" ".join([label, *(PAIRS[k] for k in sorted(ks))]) for label, ks in lines)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        width = draw(st.integers(0, 1))
        text = text[:place] + draw(st.sampled_from(["", *ALPHABET])) + text[place + width :]
    return text.encode()


def is_lax(text: bytes, X, labels) -> bool:
    """Whether scikit-learn, which made X and labels of it, should have refused this text."""
    if X.nnz == 0 or not np.isfinite([*X.data, *itertools.chain(*labels)]).all():
        return True
    spoken = b"\n".join(line.split(b"#")[0] for line in text.split(b"\n"))
    return b"\0" in text or LAX.search(spoken) is not None


def test_mutated_lines_are_read_as_by_scikit_learn_or_refused(tmp_path):
    seen = Counter()
    path = tmp_path / "a.txt"

    @settings(
        max_examples=2000,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutated_lines())
    def check(text):
        path.write_bytes(text)
        try:
            expected = peer(text)
        except (ValueError, OverflowError):
            seen["refused by both"] += 1
            assert refusal(path).startswith(f"{path}: ")
            return
        try:
            data = read(path)
        except UserError:
            seen["refused by us"] += 1
            assert is_lax(text, *expected)
            return
        seen["read"] += 1
        assert_same_matrix(data.X, expected[0])
        assert labels_of(data) == expected[1]

    check()
    assert min(seen[case] for case in ("refused by both", "refused by us", "read")) > 100
