"""What mutated inputs once brought to light, each in its smallest form."""

import csv
import io
import json
import struct
import tracemalloc
import warnings

import numpy as np
import pytest
import seeds

from imbfs.config import dialect
from imbfs.datasets.archives import unpack
from imbfs.datasets.formats import libsvm, read
from imbfs.datasets.formats.arrays import indicator, is_number
from imbfs.errors import UserError
from imbfs.running.store import Store


@pytest.fixture
def refusal(tmp_path):
    """The one line in which a content is refused."""

    def refused(content: bytes, **options) -> str:
        path = tmp_path / "a"
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserError) as caught:
                read(path, **options)
        assert len(str(caught.value).splitlines()) == 1
        return str(caught.value).removeprefix(f"{path}: ")

    return refused


@pytest.fixture(autouse=True)
def usual_limit():
    """That of fields in CSV, which scipy's reader of ARFF lifts for the whole process."""
    before = csv.field_size_limit(2**17)
    yield
    csv.field_size_limit(before)


def npy(array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(**members: bytes) -> bytes:
    return seeds.zipped({f"{name}.npy": content for name, content in members.items()})


def idx_of(*shape: int) -> bytes:
    return bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)


X, Y = npy(np.eye(2)), npy(np.array([0, 1]))
ARFF = b"@relation 'r'\n@attribute a numeric\n@attribute c {x,y}\n@data\n%s\n"
REFUSED = {
    "a row of classes alone": (
        b"class,a,b\n",
        {"format": "csv", "samples": "columns", "target": "class"},
        "has a row of classes, and no other.",
    ),
    "a NUL behind the first bytes": (
        b"a,class\n" + b"1,x\n" * 20_000 + b"\0,y\n",
        {"format": "csv", "target": "class"},
        "is not text.",
    ),
    "a field too long for csv": (
        b'a,class\n"' + b"1" * 200_000 + b'",x\n2,y\n',
        {"format": "csv", "target": "class"},
        "cannot be read",
    ),
    "an index of 5,000 digits": (ARFF % (b"{" + b"9" * 5000 + b" 1}"), {}, "is no index and value"),
    "an escape sequence in a declared value": (
        (ARFF % b"1,z").replace(b"{x,y}", b"{\x1b[31m,y}"),
        {},
        r"Declared: \x1b[31m, y.",
    ),
    "images without pixels": (idx_of(2**32 - 1, 0), {"labels": "a"}, "and 0 features"),
    "an NPZ member that is no array": (npz(X=b"text", y=Y), {}, "X: is no valid NumPy file"),
    "an NPZ member without a name": (
        seeds.zipped({"": b"x", "X.npy": X}),
        {"format": "npz"},
        "there is no array 'y'",
    ),
    "a head with an odd escape": (
        npz(X=X.replace(b"'<f8'", rb"'\df'"), y=Y),
        {},
        "X: is no valid NumPy file",
    ),
    "texts that are not UTF-8": (npz(X=X, y=npy(np.array([b"\xff", b"a"]))), {}, "not UTF-8"),
    "indices that are no whole numbers": (
        npz(data=X, indices=npy(np.array([1e300])), indptr=Y, y=Y),
        {"format": "npz"},
        "its indices are no whole numbers",
    ),
    "a shape beyond 64 bits": (
        npz(
            data=npy(np.ones(1)),
            indices=npy(np.zeros(1, int)),
            indptr=npy(np.array([0, 1])),
            shape=npy(np.array([1, 2**64 - 1], dtype=np.uint64)),
            y=npy(np.zeros(1)),
        ),
        {"format": "npz"},
        "X: is no valid sparse matrix",
    ),
    "Parquet in name only": (b"PAR1" + bytes(20) + b"PAR1", {"target": 0}, "no valid Parquet file"),
}


@pytest.mark.parametrize("content, options, message", REFUSED.values(), ids=REFUSED)
def test_it_is_refused_in_one_line(content, options, message, refusal):
    assert message in refusal(content, **options)


def test_an_empty_line_where_the_look_at_a_file_ends_is_no_harm(tmp_path):
    (tmp_path / "a").write_bytes(b"1 1:1\n2 1:1" + b"\n" * (1 << 17))
    assert read(tmp_path / "a").X.shape == (2, 1)


def test_whole_numbers_of_many_digits_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;class\n1234567890123456789012345;1,5;x\n5;2;y\n")
    assert read(path, target="class").X.tolist() == [[1234567890123456789012345.0, 1.5], [5, 2]]


def test_classes_of_more_digits_than_a_number_has_are_texts(tmp_path):
    path, long = tmp_path / "a.csv", "1" * 400
    path.write_text(f"a,b,class\n1,2,{long}\n3,4,2\n")
    assert read(path, target="class").classes == (long, "2")


def test_a_long_row_of_digits_takes_no_longer_than_it_is(tmp_path):
    """Every digit was once tried as the end of the whole part: this test did not end."""
    digits = "1" * 1_000_000
    assert not is_number(digits + "x")
    (tmp_path / "a").write_text(f"1 1:{digits}x\n")
    with pytest.raises(UserError, match="has no number after the colon"):
        libsvm.read(tmp_path / "a")
    read_fields = b"@relation r\n@attribute a {x,'y z'}\n@attribute c {p,q}\n@data\n'y z'"
    (tmp_path / "b").write_bytes(read_fields + b" " * 300_000 + b"1,p\n")
    with pytest.raises(UserError, match="undeclared value"):
        read(tmp_path / "b")


CHAIN = zip("abcdefg", "bcdefgh", strict=True)
LAUGHS = [f"{n}: &{n} [{', '.join([f'*{p}'] * 10)}]" for p, n in CHAIN]
YAMLS = {
    "!!int x": "a value cannot be read",
    "a: !!timestamp x": "is not YAML: could not determine a constructor for the tag",
    "a: !!bool x": "a value cannot be read",
    "a: " + "9" * 5000: "a value cannot be read",
    "a: &a [*a]": "line 1: holds itself, by an alias.",
    "\n".join(["a: &a [1, 2, 3, 4, 5, 6]", *LAUGHS]): "stands for more than 100,000 values",
    "a" * 200_001: "has 200,001 characters. No more than 200,000 are read.",
}


@pytest.mark.parametrize("text, message", YAMLS.items(), ids=range(len(YAMLS)))
def test_yaml_that_is_none_or_too_much_is_refused(text, message):
    with pytest.raises(UserError, match=message):
        dialect.read(text)


RECORDS = [
    {"key": ["a"]},
    {"status": "other"},
    {"rows": [{"part": "test"}]},
    {"rows": [{**seeds.RECORD["rows"][0], "auc": "0.5"}]},
    {"rows": [{**seeds.RECORD["rows"][0], "seen": None}]},
    {"rows": [{**seeds.RECORD["rows"][0], "auc": 10**400}]},
    {"rows": 3},
    {"top": [1]},
]


@pytest.mark.parametrize("change", RECORDS, ids=str)
def test_a_record_without_what_tables_take_from_it_is_damaged(change, tmp_path):
    (tmp_path / "records.jsonl").write_text(json.dumps(seeds.RECORD | change) + "\n")
    with pytest.raises(UserError, match="line 1 is damaged"):
        Store(tmp_path).records()


def test_a_record_nested_without_end_is_damaged(tmp_path):
    (tmp_path / "records.jsonl").write_text("[" * 100_000 + "\n")
    with pytest.raises(UserError, match="line 1 is damaged"):
        Store(tmp_path).records()


@pytest.mark.parametrize(
    "text, message",
    [
        ("dataset,method,metric,value\na,b,c\n", "line 2: has not as many fields as the first"),
        ("dataset,method,metric,value\na,b,c,1,2\n", "line 2: has not as many fields"),
        ("dataset,method,metric,value\na,b,c,1e999\n", "line 2: has a value that is not finite"),
        ("dataset,method,metric,value\na,b,c," + "1" * 200_000, "cannot be read"),
    ],
    ids=["few", "many", "infinite", "long"],
)
def test_a_printed_table_that_is_none_is_refused(text, message, tmp_path):
    from imbfs.config import Table, printed

    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(UserError, match=message):
        printed.read(Table(kind="beside", printed=str(tmp_path / "a.csv"), features=5))


def test_a_zip_whose_directory_leads_nowhere_is_refused(tmp_path):
    content = bytearray(seeds.zipped({"a": b"x", "": b"y"}))
    at = content.index(b"PK\1\2") + 42  # where the first member starts
    content[at : at + 4] = b"\xff\xff\xff\x7f"
    end = content.index(b"PK\5\6")
    content[end + 16 : end + 20] = struct.pack("<I", end)
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(UserError, match="is no zip or tar archive that can be read"):
        unpack(tmp_path / "a.zip", {"a": tmp_path / "out"})


def test_a_class_for_every_row_among_label_lists_takes_no_square_of_memory(tmp_path):
    rows = "".join(f"{n} 1:1\n" for n in range(30_000))
    (tmp_path / "a").write_text(f"1,2 1:1\n{rows}")
    tracemalloc.start()
    with pytest.raises(UserError, match="asks for 7,200,240,000 bytes"):
        libsvm.read(tmp_path / "a")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


def test_labels_of_three_values_are_refused():
    with pytest.raises(UserError, match="-1, 0 and 1 stand among the labels"):
        indicator(np.array([[1, 0], [-1, 1]]))


def test_a_record_with_half_a_letter_is_damaged(tmp_path):
    row = {"part": "test", "features": "5", "k": 5, "seen": 10, "auc": 0.5}
    record = {"format": 1, "key": "a", "status": "ok", "rows": [row], "top": ["\ud9bf"]}
    (tmp_path / "records.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.raises(UserError, match="line 1 is damaged"):
        Store(tmp_path).records()


@pytest.mark.parametrize("code", [0x110000, 0xD9BF])
@pytest.mark.parametrize("order", "<>")
def test_texts_of_numbers_that_are_no_letters_are_refused(code, order, tmp_path):
    text = np.array([ord("a"), code], f"{order}u4").view(f"{order}U2")
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=np.array([0, 1]), names=text)
    with pytest.raises(UserError, match="names: holds texts with what is no letter"):
        read(tmp_path / "a.npz", names="names")
