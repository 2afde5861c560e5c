"""From any file to a `Data`: the format found out, the options checked, damage always noticed."""
# ruff: noqa: E501 (tables read best with one entry a line)

import bz2
import gzip
import inspect
import io
import lzma
import re
import struct
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array, issparse

from imbfs.datasets.formats import FORMATS, check_options, companions, libsvm, read, sniff
from imbfs.errors import UserError

X = np.array([[1, 0, 2.5], [0, 3, 0], [7, 0, 0], [4, 5, 1]])
Y = np.array([1, 2, 2, 1])


def idx(array) -> bytes:
    shape = np.shape(array)
    return (
        struct.pack(f">HBB{len(shape)}I", 0, 0x0E, len(shape), *shape)
        + array.astype(">f8").tobytes()
    )


def saved(save, *arguments, **arrays) -> bytes:
    file = io.BytesIO()
    save(file, *arguments, **arrays)
    return re.sub(rb"Created on: .{24}", b"Created on:".ljust(36), file.getvalue())


def rows(separator: str) -> str:
    lines = zip(X.tolist(), Y.tolist(), strict=True)
    return "".join(separator.join(map(str, [*values, label])) + "\n" for values, label in lines)


def pairs(row) -> str:
    return " ".join(f"{j + 1}:{value}" for j, value in enumerate(row) if value)


LIBSVM = "".join(f"{label} {pairs(row)}\n" for row, label in zip(X, Y, strict=True)).encode()
ARFF = "@relation r\n" + "".join(f"@attribute {a} real\n" for a in "abc")
ARFF = (ARFF + "@attribute y {1,2}\n@data\n" + rows(",")).encode()

# The same set in every format: its content, and the options that read it.
FILES = {
    "libsvm": ("libsvm", LIBSVM, {}),
    "csv": ("csv", b"a,b,c,y\n" + rows(",").encode(), {"target": "y"}),
    "tsv": ("csv", b"a\tb\tc\ty\n" + rows("\t").encode(), {"target": "y"}),
    "csv without names": ("csv", rows(";").encode(), {"target": -1}),
    "matlab": ("matlab", saved(savemat, {"X": X, "Y": Y}), {}),
    "packed matlab": ("matlab", saved(savemat, {"X": X, "Y": Y}, do_compression=True), {}),
    "sparse matlab": ("matlab", saved(savemat, {"X": csc_array(X), "Y": Y}), {}),
    "arff": ("arff", ARFF, {}),
    "commented arff": ("arff", b"% of old\n%\n\n" + ARFF.replace(b"@r", b"@R"), {}),
    "idx": ("idx", idx(X), {"labels": "labels"}),
    "npz": ("npz", saved(np.savez, X=X, y=Y), {}),
    "packed npz": ("npz", saved(np.savez_compressed, X=X, y=Y), {}),
    "npy": ("npz", saved(np.save, X), {"labels": "labels"}),
}


def written(folder, content: bytes, name: str = "noname"):
    (folder / "labels").write_bytes(b"1\n2\n2\n1\n")
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("format, content, options", FILES.values(), ids=FILES)
def test_every_format_is_known_by_its_content_and_gives_the_same(
    format, content, options, pack, tmp_path
):
    path = written(tmp_path, pack(content))
    assert sniff(path) == format
    data = read(path, **options)
    np.testing.assert_array_equal(data.X.toarray() if issparse(data.X) else data.X, X)
    assert data.X.dtype == np.float64 and data.y.dtype == np.int64
    np.testing.assert_array_equal(data.y, [0, 1, 1, 0])
    assert data.classes == (1, 2)


def test_parquet_is_known_by_its_content(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "noname"
    pd.DataFrame({"a": [1.5, 2], "y": ["u", "v"]}).to_parquet(path)
    assert sniff(path) == "parquet"
    assert read(path, target="y").classes == ("u", "v")


def test_matlab_version_4_has_only_its_name(tmp_path):
    content = saved(savemat, {"X": X, "Y": Y.astype(float)}, format="4")
    assert sniff(written(tmp_path, content, "a.mat")) == "matlab"
    assert sniff(written(tmp_path, gzip.compress(content), "a.mat.gz")) == "matlab"
    np.testing.assert_array_equal(read(written(tmp_path, content), format="matlab").X, X)


TEXTS = {
    "labels alone in some rows": (b"+1\n-1 3:1\n+1\n", "libsvm"),
    "several labels": (b"1,3 1:0.5\n2 2:1\n 1:1\n", "libsvm"),
    "a comment and a query": (b"# made\n1 qid:3 1:0.5 # 7:8\n", "libsvm"),
    "a wrong row among right ones": (b"1 1:2\n1 2:\n-1 1:1\n", "libsvm"),
    "one very long row": (b"1 " + b" ".join(b"%d:0.125" % j for j in range(1, 30_000)), "libsvm"),
    "times of day": (b"at,y\n12:30,1\n12:45,2\n", "csv"),
    "times of day in a text": (b"a,y\n1,see 12:30\n2,no\n", "csv"),
    "a comment with a time": (b"a,y\n1,2\n2,3 # at 12:30\n", "csv"),
    "one column": (b"1\n2\n", "csv"),
    "an address": (b"@home,y\n1,2\n", "csv"),
}


@pytest.mark.parametrize("content, format", TEXTS.values(), ids=TEXTS)
def test_texts_are_told_apart(content, format, tmp_path):
    assert sniff(written(tmp_path, content)) == format


NO_FILES = {
    "nothing": (b"", "is empty."),
    "blanks": (b" \n\n", "is empty."),
    "bytes": (bytes([0, 255, 254, 128]), "is not text, nor a binary format that is read."),
    "a pickle": (b"\x80\x04\x95abc", "is not text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text"),
    "a zip archive": (b"PK\3\4" + b"\0" * 26 + b"data.csv", "is a zip archive. Unpack it first."),
    "half an archive": (gzip.compress(LIBSVM)[:-9], "cannot be read: damaged or cut off"),
}


@pytest.mark.parametrize("content, message", NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_data_is_refused(content, message, tmp_path):
    path = written(tmp_path, content)
    with pytest.raises(UserError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)


def test_no_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(UserError, match="there is no such file"):
            read(path)


def test_the_name_of_the_file_is_said_once(tmp_path):
    path = written(tmp_path, b"+1 1:1\n-1 2:abc\n")
    with pytest.raises(UserError, match="line 2") as refused:
        read(path)
    assert str(refused.value).count(str(path)) == 1


def test_an_option_that_does_not_exist_names_those_that_do(tmp_path):
    path = written(tmp_path, FILES["csv"][1])
    with pytest.raises(UserError) as refused:
        read(path, targt="y")
    assert str(refused.value) == (
        f"{path}: csv has no option 'targt'. Did you mean 'target'? Options: target, ids, group, drop, "
        "samples, labels, unlabelled, header, separator, decimal, comments, texts, names."
    )
    with pytest.raises(UserError, match="unknown format 'cvs'. Did you mean 'csv'"):
        read(path, format="cvs")


def test_an_option_of_the_wrong_kind_is_refused():
    with pytest.raises(UserError, match="samples: input should be 'rows' or 'columns', not 'cols'"):
        check_options("csv", {"samples": "cols"})
    with pytest.raises(UserError, match="n_labels: .*not 'six'"):
        check_options("arff", {"n_labels": "six"})
    with pytest.raises(UserError, match="n_features: .*not 0"):
        check_options("libsvm", {"n_features": 0})
    assert check_options("matlab", {"X": "fea", "samples": "columns"}) == {
        "X": "fea",
        "samples": "columns",
    }


def test_the_options_of_libsvm_are_those_of_its_reader():
    known = inspect.signature(FORMATS["libsvm"], eval_str=True)
    assert known == inspect.signature(libsvm.read, eval_str=True)


def test_options_are_spelled_the_same_in_every_format():
    kinds = {}
    for reader in FORMATS.values():
        for name, option in inspect.signature(reader, eval_str=True).parameters.items():
            kinds.setdefault(name, set()).add(str(option.annotation))
    assert kinds["labels"] == {"str | None"}
    assert kinds["unlabelled"] == {"typing.Literal['error', 'drop']"}


def test_second_files_are_found_among_the_options(tmp_path):
    path = written(tmp_path, FILES["npy"][1])
    assert companions(path, {"labels": "labels", "names": "words", "target": "labels"}) == [
        tmp_path / "labels"
    ]
    assert companions(path, {}) == []


@pytest.mark.parametrize("format, content, options", FILES.values(), ids=FILES)
def test_damage_is_refused_in_one_line_or_leaves_a_whole_set(format, content, options, tmp_path):
    """Bytes changed, left out, doubled and cut off at random: never a traceback, never nonsense."""
    rng = np.random.default_rng(len(content))
    for _ in range(120):
        path = written(tmp_path, damaged(bytearray(content), rng))
        try:
            data = read(path, format=format, **options)
        except UserError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            continue
        assert data.X.shape[0] == data.y.shape[0] > 0
        assert np.isfinite(data.X.data if issparse(data.X) else data.X).all()
        assert data.y.ndim == 2 or data.y.max() < len(data.classes)
        assert data.names is None or len(data.names) == data.X.shape[1]


def damaged(content: bytearray, rng) -> bytes:
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(content)))
        until = at + int(rng.integers(1, 9))
        match rng.integers(4):
            case 0:
                content[at] = rng.integers(256)
            case 1:
                del content[at:until]
            case 2:
                content[at:at] = content[at:until]
            case 3:
                content[at:until] = rng.bytes(until - at)
    return bytes(content[: rng.integers(1, len(content))] if rng.random() < 0.2 else content)


SECTIONS = {
    "labels": "nips1994-1999_sections.csv",
    "target": "section9",
    "ids": "nips1987-1999_docs.txt.gz",
    "names": "nips1987-1999_vocab.txt.gz",
    "unlabelled": "drop",
}
MULTILABEL = {"X": "data", "y": "target"}

# File, options, samples x features, samples a class (or labels a sample, for several labels).
REAL = [
    ("usps/USPS.mat", {"X": "Train_DAT", "y": "trainlabels", "samples": "columns"}, (7291, 256), [1005, 731, 658, 652, 556, 664, 645, 542, 644, 1194]),
    ("isolet/Isolet.mat", {}, (1560, 617), [60] * 26),
    ("yaleb/YaleB_32x32_ori.mat", {"X": "fea", "y": "gnd"}, (2414, 1024), [64] * 10 + [60, 59, 60, 63, 62, 63, 63] + [64] * 21),
    ("arcene/arcene.mat", {}, (200, 10_000), [112, 88]),
    ("dorothea/dorothea.mat", {"X": "X_train", "y": "Y_train"}, (800, 100_000), [722, 78]),
    ("dorothea/dorothea.mat", {"X": "X_valid", "labels": "dorothea_valid.labels"}, (350, 100_000), [316, 34]),
    ("cns_pomeroy/CNS.mat", {}, (60, 7129), [21, 39]),
    ("ovarian_ms/ovariancancer_216x4000.mat", {"X": "obs", "y": "grp"}, (216, 4000), [121, 95]),
    ("prodata_seldi/prodata_167x13488.mat", {"y": "group", "names": "mz"}, (167, 13_488), [55, 64, 35, 13]),
    ("ng20_cai/20Newsgroups.mat", {"X": "fea", "y": "gnd"}, (18_846, 26_214), [799, 973, 985, 982, 963, 988, 975, 990, 996, 994, 999, 991, 984, 990, 987, 997, 910, 940, 775, 628]),
    ("nips/nips1987-1999_counts.mat", {"X": "counts", **SECTIONS}, (896, 20_149), [265, 96, 53, 66, 48, 97, 45, 155, 71]),
    ("cluto_text/la1.mat.xz", {"X": "dtm", "y": "classid"}, (3204, 31_472), [354, 555, 341, 943, 273, 738]),
    ("cluto_text/reviews.mat.xz", {"X": "dtm", "y": "classid"}, (4069, 18_483), [999, 1133, 1388, 137, 412]),
    ("golub_leukemia/golub_72x7129.csv.gz", {"labels": "labels.csv", "target": "class3", "drop": ["class"]}, (72, 7129), [38, 9, 25]),
    ("shipp_dlbcl/shipp_77x7129.csv.gz", {"target": "class"}, (77, 7129), [58, 19]),
    ("brain_tumor90/brain_tumor_90x7129.csv.gz", {"target": "class"}, (90, 7129), [10, 6, 10, 60, 4]),
    ("covtype/covtype.csv.xz", {"target": -1}, (581_012, 54), [211_840, 283_301, 35_754, 2747, 9493, 17_367, 20_510]),
    ("mnist/t10k-images-idx3-ubyte.gz", {"labels": "t10k-labels-idx1-ubyte.gz", "sparse": True}, (10_000, 784), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]),
    ("enron_spam/enron.npz.xz", {"names": "enron_vocab.txt.xz"}, (33_715, 55_898), [16_545, 17_170]),
    ("reuters21578_json/reuters_counts.npz.xz", {"y": "t", "classes": "topics"}, (21_578, 45_362), 14_300 / 21_578),
    ("multilabel/scene.arff.gz", {"n_labels": 6}, (2407, 294), 1.074),
    ("multilabel/emotions.mat", MULTILABEL, (593, 72), 1.868),
    ("multilabel/yeast.mat", MULTILABEL, (2417, 103), 4.237),
    ("multilabel/MSRCv2_partiallabel.mat", MULTILABEL, (1758, 48), 1.0),
]  # fmt: skip


@pytest.mark.data
@pytest.mark.parametrize("file, options, shape, counts", REAL)
def test_real_files_are_what_their_sources_say(file, options, shape, counts, data_folder):
    if not (data_folder / file).is_file():
        pytest.skip(f"{file} is not at hand")
    data = read(data_folder / file, **options)
    assert data.X.shape == shape
    if data.y.ndim == 1:
        assert np.bincount(data.y).tolist() == counts
    else:
        assert data.y.sum() / len(data.y) == pytest.approx(counts, abs=5e-4)


SHEETS = {
    "xlsx": ("[Content_Types].xml", "xl/workbook.xml"),
    "ods": ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
}


@pytest.mark.parametrize("suffix", [*SHEETS, "xls"])
def test_a_spreadsheet_is_to_be_saved_as_csv(suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    if suffix == "xls":
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    else:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(*SHEETS[suffix])
    with pytest.raises(UserError, match="is a spreadsheet. Save its sheet as CSV, and read that."):
        read(path)


def test_a_file_of_anndata_is_to_be_written_as_csv(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        file["X"] = [[1.0, 2.0]]
        file.create_group("obs"), file.create_group("var")
    with pytest.raises(UserError, match="is an AnnData file .h5ad.. Write it as CSV, in Python"):
        read(tmp_path / "a.h5ad")


def test_the_page_on_reading_has_every_option_of_every_format():
    page = (Path(__file__).parent.parent / "docs" / "reading.md").read_text()
    titles = {"csv": "CSV", "matlab": "MATLAB", "parquet": "Parquet"}
    for name, reader in FORMATS.items():
        title = titles.get(name, name.upper())
        lines = [row for row in page.split("\n") if row.startswith("|")]
        told = [row for row in lines if title in row or "all but" in row and title not in row]
        for option, parameter in inspect.signature(reader).parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert any(f"`{option}`" in row for row in told), (name, option)
