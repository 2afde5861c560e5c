"""NPZ and NPY: dense, sparse, labels by name; what would have to be unpickled is refused."""

import lzma
import zipfile

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array, save_npz

from imbfs.datasets.formats import compression, read
from imbfs.errors import UserError

X = np.array([[1, 0, 2.5], [0, 3, 0], [0, 0, 0], [4, 0, 1]])
Y = np.array([1, 0, 0, 1])
SPARSE = csr_array(X)
PARTS = {"data": SPARSE.data, "indices": SPARSE.indices, "indptr": SPARSE.indptr, "shape": X.shape}


def parsed(folder, arrays: dict, **options):
    path = folder / "a.npz"
    np.savez_compressed(path, **arrays)
    return read(path, **options)


def test_dense_arrays_are_read(tmp_path):
    data = parsed(tmp_path, {"X": X.astype(np.float32), "y": Y[:, None]})
    np.testing.assert_array_equal(data.X, X)
    assert data.X.dtype == np.float64 and data.classes == (0, 1)
    np.testing.assert_array_equal(data.y, Y)


def test_arrays_may_be_called_otherwise_and_run_otherwise(tmp_path):
    kinds = np.array(["b", "a", "a", "b"])
    arrays = {"genes": X.T, "kind": kinds, "ids": np.array([b"u", b"v", b"w"])}
    data = parsed(tmp_path, arrays, X="genes", y="kind", samples="columns", names="ids")
    np.testing.assert_array_equal(data.X, X)
    assert (data.classes, data.names) == (("a", "b"), ("u", "v", "w"))


@pytest.mark.parametrize("prefix", ["", "X_"])
def test_the_parts_of_a_sparse_matrix_are_put_together(prefix, tmp_path):
    data = parsed(tmp_path, {prefix + name: part for name, part in PARTS.items()} | {"y": Y})
    assert isinstance(data.X, csr_array) and data.X.indices.dtype == np.int32
    np.testing.assert_array_equal(data.X.toarray(), X)


@pytest.mark.parametrize("kind", [csr_array, csc_array])
def test_what_scipy_saves_is_read(kind, tmp_path):
    save_npz(tmp_path / "a.npz", kind(X))
    (tmp_path / "y.txt").write_text("u\nv\nv\nu\n")
    data = read(tmp_path / "a.npz", labels="y.txt")
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.y, [0, 1, 1, 0])


def test_what_scipy_saves_as_coordinates_is_refused(tmp_path):
    save_npz(tmp_path / "a.npz", coo_array(X))
    with pytest.raises(UserError, match="there is no array 'X'"):
        read(tmp_path / "a.npz")


def test_an_indicator_may_be_sparse_and_have_names(tmp_path):
    topics = {"t_indptr": [0, 2, 2, 3, 4], "t_indices": [0, 2, 1, 2], "names": ["a", "b", "c"]}
    data = parsed(tmp_path, {"X": X} | topics, y="t", classes="names")
    np.testing.assert_array_equal(data.y, [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert data.classes == ("a", "b", "c")
    dense = parsed(tmp_path, {"X": X, "y": data.y})
    np.testing.assert_array_equal(dense.y, data.y)
    assert dense.classes == (1, 2, 3)


def test_an_npy_has_its_classes_in_a_second_file(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.testing.assert_array_equal(read(tmp_path / "X.npy", labels="y.npy").y, Y)
    np.save(tmp_path / "y.npy", np.array(["b", "a", "a", "b"]))
    assert read(tmp_path / "X.npy", labels="y.npy").classes == ("a", "b")
    with pytest.raises(UserError, match="labels: which file holds the classes"):
        read(tmp_path / "X.npy")


def test_numbers_of_another_byte_order_are_read(tmp_path):
    turned = PARTS | {"data": SPARSE.data.astype(">f8"), "y": Y.astype(">i4")}
    data = parsed(tmp_path, turned)
    np.testing.assert_array_equal(data.X.toarray(), X)
    np.testing.assert_array_equal(data.y, Y)


def test_a_packed_npz_is_read(tmp_path):
    np.savez(tmp_path / "a.npz", X=X, y=Y)
    packed = tmp_path / "a.npz.xz"
    packed.write_bytes(lzma.compress((tmp_path / "a.npz").read_bytes()))
    np.testing.assert_array_equal(read(packed).X, X)


class Trap:
    """Unpickling it would leave a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("name", ["X", "y"])
def test_a_pickle_is_refused_and_not_run(name, tmp_path):
    trap = np.array([Trap(tmp_path / "sprung")] * 4, dtype=object)
    np.savez(tmp_path / "a.npz", **{"X": X, "y": Y} | {name: trap})
    with pytest.raises(UserError, match=rf"{name}: holds Python objects \(a pickle\)"):
        read(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", trap)
    with pytest.raises(UserError, match="holds Python objects"):
        read(tmp_path / "a.npy", labels="y")
    assert not (tmp_path / "sprung").exists()


BAD = {
    "no X": ({"fea": X, "y": Y}, {}, "there is no array 'X'. Arrays: fea, y."),
    "no y": ({"X": X, "yy": Y}, {}, "there is no array 'y'. Did you mean 'yy'? Arrays: X, yy."),
    "too few classes": ({"X": X, "y": Y[1:]}, {}, "has 4 samples but classes for 3."),
    "times": ({"X": X, "y": Y.astype("M8[s]")}, {}, "y: is of type datetime64[s]."),
    "complex": ({"X": X * 1j, "y": Y}, {}, "X is 4 x 3 of type complex128."),
    "one dimension": ({"X": Y, "y": Y}, {}, "X is 4 of type int64."),
    "an index too far": (PARTS | {"indices": SPARSE.indices + 2, "y": Y}, {}, "is no valid sparse"),
    "a pointer beyond": (PARTS | {"indptr": [0, 2**30, 0, 0, 0], "y": Y}, {}, "is no valid sparse"),
    "an odd pointer": (PARTS | {"indptr": [0, 2, 9, 3, 5], "y": Y}, {}, "is no valid sparse"),
    "too few names": (
        {"X": X, "y": np.eye(4), "n": ["a"]},
        {"classes": "n"},
        "4 labels but 1 names",
    ),
    "nan among classes": ({"X": X, "y": [1, np.nan, 0, 1]}, {}, "sample 2 has no class."),
    "missing": (
        PARTS | {"data": SPARSE.data * np.nan, "y": Y},
        {},
        "sample 1, feature 1 is missing",
    ),
}


@pytest.mark.parametrize("arrays, options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_in_one_line(arrays, options, message, tmp_path):
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, arrays, **options)
    assert str(refused.value).startswith(f"{tmp_path / 'a.npz'}: ")
    assert message in str(refused.value)


def test_a_cut_off_archive_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=Y)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UserError, match="is no valid NumPy file"):
        read(path)


def test_a_bomb_inside_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "BOMB_BYTES", 1 << 16)
    monkeypatch.setattr(compression, "BOMB_FOLD", 100)
    with pytest.raises(UserError, match="asks for .* bytes, more than .*, which is refused"):
        parsed(tmp_path, {"X": np.zeros((4, 100_000)), "y": Y})


def test_a_head_that_promises_too_much_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=X, y=Y)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["X.npy"] = members["X.npy"].replace(
        b"(4, 3), }" + b" " * 13, b"(4, 3000000000000000), }"
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(UserError, match="X: holds 9. bytes of values. Its head says 960000000"):
        read(path)
