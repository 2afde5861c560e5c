"""MATLAB files of all versions, written by scipy and, as MATLAB lays out v7.3, by h5py."""

import gzip
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array, csr_array, issparse

from imbfs.datasets.formats import hdf5, read
from imbfs.errors import UserError

X = np.array([[1, 0, 2.5, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 6, 0, 0], [0, 0, 1, 1]])
Y = np.array([[2], [1], [1], [2], [1]])
TEXTS = np.array([["sick"], ["well"], ["well"], ["sick"], ["well"]], dtype=object)
INDICATOR = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0]])


def parsed(folder, variables: dict, *, version="5", **options):
    path = folder / "a.mat"
    savemat(path, variables, format=version)
    return read(path, **options)


@pytest.mark.parametrize("version", ["4", "5"])
def test_dense_variables_are_read(version, tmp_path):
    data = parsed(tmp_path, {"X": X, "Y": Y}, version=version)
    np.testing.assert_array_equal(data.X, X)
    assert data.X.flags.c_contiguous and data.X.dtype == np.float64
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1, 0])
    assert (data.classes, data.names) == ((1, 2), None)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32])
def test_every_kind_of_number_becomes_float64(kind, tmp_path):
    data = parsed(tmp_path, {"X": X.astype(kind), "Y": Y.astype(kind)})
    np.testing.assert_array_equal(data.X, X.astype(kind))
    assert data.X.dtype == np.float64 and data.classes == (1, 2)


def test_sparse_stays_sparse(tmp_path):
    data = parsed(tmp_path, {"X": csc_array(X), "Y": Y})
    assert isinstance(data.X, csr_array) and data.X.indices.dtype == np.int32
    assert data.X.has_sorted_indices
    np.testing.assert_array_equal(data.X.toarray(), X)


@pytest.mark.parametrize("sparse", [False, True])
def test_samples_may_run_in_columns(sparse, tmp_path):
    turned = csc_array(X.T) if sparse else X.T
    data = parsed(tmp_path, {"A": turned, "gnd": Y.T}, X="A", y="gnd", samples="columns")
    assert issparse(data.X) == sparse
    np.testing.assert_array_equal(data.X.toarray() if sparse else data.X, X)
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1, 0])


@pytest.mark.parametrize("kind", [np.asarray, csc_array])
def test_several_variables_are_one_set(kind, tmp_path):
    halves = {"A": kind(X[:3].T), "a": Y[:3].T, "B": kind(X[3:].T), "b": Y[3:].T}
    options = {"X": ["A", "B"], "y": ["a", "b"], "samples": "columns"}
    data = parsed(tmp_path, halves, **options)
    np.testing.assert_array_equal(data.X.toarray() if issparse(data.X) else data.X, X)
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1, 0])
    texts = parsed(tmp_path, halves | {"a": TEXTS[:3], "b": TEXTS[3:]}, **options)
    assert texts.classes == ("sick", "well") and texts.y.tolist() == [0, 1, 1, 0, 1]
    turned = {"a": INDICATOR[:3], "b": INDICATOR[3:]}
    labels = parsed(tmp_path, halves | turned, **options, y_samples="rows")
    np.testing.assert_array_equal(labels.y, INDICATOR)


def test_several_variables_must_fit(tmp_path):
    halves = {"A": X[:3], "a": Y[:3], "B": X[3:, :2], "b": Y[3:]}
    with pytest.raises(UserError, match="X: its variables do not fit below one another"):
        parsed(tmp_path, halves, X=["A", "B"], y=["a", "b"])
    with pytest.raises(UserError, match="X: "):
        parsed(tmp_path, halves, X=[], y=[])
    with pytest.raises(UserError, match="y: names 1 variables, and X 2"):
        parsed(tmp_path, halves | {"B": X[3:]}, X=["A", "B"], y="a")
    with pytest.raises(UserError, match="y: its variables do not fit below one another"):
        parsed(tmp_path, halves | {"B": X[3:], "a": TEXTS[:3]}, X=["A", "B"], y=["a", "b"])


def test_capitals_do_not_matter_unless_they_decide(tmp_path):
    assert parsed(tmp_path, {"x": X, "y": Y}).X.shape == (5, 4)
    data = parsed(tmp_path, {"x": X[:2], "X": X, "Y": Y})
    assert data.X.shape == (5, 4)


@pytest.mark.parametrize("classes", [TEXTS, TEXTS.T, TEXTS.ravel().astype(str)])
def test_classes_may_be_texts(classes, tmp_path):
    data = parsed(tmp_path, {"X": X, "Y": classes})
    assert data.classes == ("sick", "well")
    np.testing.assert_array_equal(data.y, [0, 1, 1, 0, 1])


def test_a_cell_without_text_is_no_class(tmp_path):
    cells = TEXTS.copy()
    cells[2, 0] = ""
    with pytest.raises(UserError, match="sample 3 has no class"):
        parsed(tmp_path, {"X": X, "Y": cells})


@pytest.mark.parametrize(
    "written",
    [INDICATOR, INDICATOR.T, 2 * INDICATOR - 1, csc_array(INDICATOR.T), INDICATOR.astype(bool)],
)
def test_an_indicator_is_read_either_way_round(written, tmp_path):
    data = parsed(tmp_path, {"X": X, "Y": written})
    np.testing.assert_array_equal(data.y, INDICATOR)
    assert data.y.dtype == np.int64 and data.classes == (1, 2, 3)


def test_a_square_indicator_asks_which_way_round_it_is(tmp_path):
    variables = {"X": X[:3], "Y": INDICATOR[:3]}
    with pytest.raises(UserError, match="y_samples: do the samples of a square y run"):
        parsed(tmp_path, variables)
    rows = parsed(tmp_path, variables, y_samples="rows")
    np.testing.assert_array_equal(rows.y, INDICATOR[:3])
    columns = parsed(tmp_path, variables, y_samples="columns")
    np.testing.assert_array_equal(columns.y, INDICATOR[:3].T)


def test_names_and_ids_are_a_variable_or_a_file(tmp_path):
    names = np.array(["w", "x", "y", "z"], dtype=object)
    assert parsed(tmp_path, {"X": X, "Y": Y, "words": names}, names="words").names == tuple("wxyz")
    masses = parsed(tmp_path, {"X": X, "Y": Y, "mz": [[1.5, 2, 3, 4]]}, names="mz")
    assert masses.names == ("1.5", "2", "3", "4")
    (tmp_path / "words.gz").write_bytes(gzip.compress(b"w\nx\ny\nz\n"))
    assert parsed(tmp_path, {"X": X, "Y": Y}, names="words.gz").names == tuple("wxyz")


def test_classes_of_a_second_file_go_by_id_and_the_others_are_left_out(tmp_path):
    (tmp_path / "docs.txt").write_text("d1\nd2\nd3\nd4\nd5\n")
    (tmp_path / "y.csv").write_text("doc,year,part\nd4,9,Theory\nd2,9,Vision\nd5,9,Theory\n")
    options = {"labels": "y.csv", "target": "part", "ids": "docs.txt"}
    with pytest.raises(UserError, match="sample 1 has no class"):
        parsed(tmp_path, {"X": X}, **options)
    data = parsed(tmp_path, {"X": csc_array(X)}, **options, unlabelled="drop")
    np.testing.assert_array_equal(data.X.toarray(), X[[1, 3, 4]])
    assert [data.classes[code] for code in data.y] == ["Vision", "Theory", "Theory"]


BAD = {
    "no X": ({"Y": Y, "fea": X}, {}, "there is no variable 'X'. Variables: Y, fea."),
    "no y": ({"X": X, "labels": Y}, {}, "there is no variable 'Y'. Variables: X, labels."),
    "nearly y": ({"X": X, "gnd": Y}, {"y": "gmd"}, "Did you mean 'gnd'?"),
    "two alike": ({"X": X, "abc": Y, "aBc": Y}, {"y": "ABC"}, "there is no variable 'ABC'."),
    "too few classes": ({"X": X, "Y": Y[:3]}, {}, "has 5 samples but classes for 3."),
    "the wrong way round": ({"X": X.T, "Y": Y}, {}, "has 4 samples but classes for 5."),
    "other labels": ({"X": X, "Y": INDICATOR + 1}, {}, "a label of 2 stands among the labels."),
    "texts": ({"X": TEXTS, "Y": Y}, {}, "X: holds texts, not numbers."),
    "complex": ({"X": X * 1j, "Y": Y}, {}, "X is 5 x 4 of type complex128."),
    "a cube": ({"X": np.ones((5, 2, 2)), "Y": Y}, {}, "X is 5 x 2 x 2 of type float64."),
    "a struct": ({"X": {"a": X}, "Y": Y}, {}, "X: is a MATLAB object or struct."),
    "missing": ({"X": np.where(X == 3, np.nan, X), "Y": Y}, {}, "sample 2, feature 2 is missing."),
    "too few names": ({"X": X, "Y": Y, "n": [[1, 2]]}, {"names": "n"}, "4 features but 2 names"),
}  # fmt: skip


@pytest.mark.parametrize("variables, options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_in_one_line(variables, options, message, tmp_path):
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, variables, **options)
    assert str(refused.value).startswith(f"{tmp_path / 'a.mat'}: ")
    assert message in str(refused.value)


@pytest.mark.parametrize("cut", [100, 200, -40])
def test_a_file_that_is_cut_off_is_refused(cut, tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"X": X, "Y": Y}, do_compression=True)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match="a.mat: "):
        read(path)


@pytest.mark.parametrize("at, value", [(129, 1), (133, 255), (145, 8), (176, 19), (177, 255)])
def test_a_tag_that_would_crash_scipy_is_refused(at, value, tmp_path):
    # Kind and size of the first variable, its complex flag, the kind of its values (9: double).
    path = tmp_path / "a.mat"
    savemat(path, {"X": X, "Y": Y})
    content = bytearray(path.read_bytes())
    assert content[176] == 9
    content[at] = value
    path.write_bytes(content)
    with pytest.raises(UserError, match="is damaged at byte"):
        read(path)


def test_a_file_of_the_other_byte_order_is_read(tmp_path):
    path = tmp_path / "a.mat"
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI"
    variables = b""
    for name, array in (("X", X), ("Y", Y)):
        parts = [(6, struct.pack(">II", 6, 0)), (5, struct.pack(">ii", *array.shape))]
        parts += [(1, name.encode()), (9, array.T.astype(">f8").tobytes())]
        body = b""
        for kind, values in parts:
            body += struct.pack(">II", kind, len(values)) + values + bytes(-len(values) % 8)
        variables += struct.pack(">II", 14, len(body)) + body
    path.write_bytes(head + variables)
    data = read(path)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, [1, 0, 0, 1, 0])


def version73(path, variables: dict):
    """Lay a file out as MATLAB does: a head of 512 bytes, then HDF5 with everything transposed."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            _version73(h5py, file, name, value)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116))


def _version73(h5py, file, name, value):
    if issparse(value):
        group = file.create_group(name)
        value = csc_array(value)
        group.attrs["MATLAB_sparse"] = np.uint64(value.shape[0])
        group["data"], group["ir"] = value.data, value.indices.astype(np.uint64)
        group["jc"] = value.indptr.astype(np.uint64)
    elif isinstance(value, str):
        characters = np.array([[ord(c)] for c in value], dtype=np.uint16)
        file[name] = characters if value else np.zeros(2, np.uint64)
        file[name].attrs["MATLAB_class"] = np.bytes_("char")
        if not value:
            file[name].attrs["MATLAB_empty"] = np.uint8(1)
    elif isinstance(value, list):
        for i, text in enumerate(value):
            _version73(h5py, file, f"#refs#/{name}{i}", text)
        cells = [file[f"#refs#/{name}{i}"].ref for i in range(len(value))]
        file.create_dataset(name, data=np.array([cells], dtype=object), dtype=h5py.ref_dtype)
        file[name].attrs["MATLAB_class"] = np.bytes_("cell")
    else:
        file[name] = np.asarray(value).T
        file[name].attrs["MATLAB_class"] = np.bytes_("double")


@pytest.mark.parametrize("features", [X, csc_array(X)])
@pytest.mark.parametrize("classes", [Y, Y.T, [2, 1, 1, 2, 1], INDICATOR.T])
def test_version_73_is_read_as_version_5(features, classes, tmp_path):
    path = tmp_path / "a.mat"
    version73(path, {"X": features, "Y": np.asarray(classes)})
    found = read(path)
    expected = parsed(tmp_path, {"X": features, "Y": classes})
    np.testing.assert_array_equal(found.y, expected.y)
    assert found.classes == expected.classes
    assert issparse(found.X) == issparse(features)
    dense = found.X.toarray() if issparse(found.X) else found.X
    np.testing.assert_array_equal(dense, X)


def test_cells_of_version_73_are_texts(tmp_path):
    path = tmp_path / "a.mat"
    version73(path, {"X": X, "Y": ["sick", "well", "well", "sick", "gone"]})
    data = read(path)
    assert data.classes == ("gone", "sick", "well")
    np.testing.assert_array_equal(data.y, [1, 2, 2, 1, 0])
    version73(path, {"X": X, "Y": ["sick", "well", "", "sick", "gone"]})
    with pytest.raises(UserError, match="sample 3 has no class"):
        read(path)


def test_version_73_is_read_from_a_packed_file_too(tmp_path):
    version73(tmp_path / "a.mat", {"X": X, "Y": Y})
    packed = tmp_path / "b"
    packed.write_bytes(gzip.compress((tmp_path / "a.mat").read_bytes()))
    np.testing.assert_array_equal(read(packed).X, X)


def test_one_class_in_version_73_is_not_enough_for_several_samples(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["X"], file["Y"] = X, 1.0
    with pytest.raises(UserError, match=f"has {len(X)} samples but classes for 1"):
        read(tmp_path / "a.mat")


def test_mistakes_in_version_73_are_told(tmp_path, monkeypatch):
    path = tmp_path / "a.mat"
    version73(path, {"X": X, "gnd": Y})
    with pytest.raises(UserError, match="there is no variable 'Y'. Variables: X, gnd"):
        read(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(UserError, match="is no MATLAB file, or damaged"):
        read(path)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(UserError, match=r"needs h5py \(pip install h5py\)"):
        read(path)


ENDLESS = Path(__file__).with_name("endless_hdf5.mat.gz")  # whose X the HDF5 library reads for ever


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_on_which_hdf5_does_not_end_is_refused(packed, tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.setattr(hdf5, "SECONDS", 1)
    content = ENDLESS.read_bytes()
    path = tmp_path / "a.mat"
    path.write_bytes(content if packed else gzip.decompress(content))
    with pytest.raises(UserError, match="X: was not read within 1 s, and is damaged or too large."):
        read(path)


def test_the_process_that_reads_version_73_ends_with_the_reading(tmp_path):
    path = tmp_path / "a.mat"
    version73(path, {"X": X, "Y": Y})
    with path.open("rb") as file:
        source = hdf5.Hdf5(path, file, True)
        np.testing.assert_array_equal(source.value("X"), X)
        source._process.kill()  # as a crash of the library does
        with pytest.raises(UserError, match="the HDF5 library crashed"):
            source.value("Y")
        source.close()
    assert source._process.poll() is not None


def test_texts_of_version_73_stay_as_they_are_and_cells_may_hold_numbers(tmp_path):
    h5py = pytest.importorskip("h5py")
    version73(tmp_path / "a.mat", {"X": X, "Y": ["x", "1.0", "1", "x", " x"]})
    assert read(tmp_path / "a.mat").classes == ("1", "x")
    with h5py.File(tmp_path / "a.mat", "a") as file:
        del file["Y"]
        file["Y"] = np.array([[ord(c) for c in text] for text in ("01", "x1", "x1", "01", "01")]).T
        file["Y"].attrs["MATLAB_class"] = np.bytes_("char")
    assert read(tmp_path / "a.mat").classes == ("01", "x1")


def test_version_73_with_an_empty_first_line_is_read(tmp_path):
    version73(tmp_path / "a.mat", {"X": X, "Y": Y})
    content = (tmp_path / "a.mat").read_bytes()
    (tmp_path / "a.mat").write_bytes(bytes(512) + content[512:])
    np.testing.assert_array_equal(read(tmp_path / "a.mat").X, X)
