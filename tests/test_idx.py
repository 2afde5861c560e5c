"""IDX files, packed by hand with struct."""

import gzip
import struct

import numpy as np
import pytest
from scipy.sparse import csr_array

from imbfs.datasets.formats import read
from imbfs.errors import UserError

IMAGES = np.array([[[0, 1], [2, 255]], [[3, 0], [0, 0]], [[9, 8], [7, 6]]])
CODES = {"u1": 0x08, "i1": 0x09, ">i2": 0x0B, ">i4": 0x0C, ">f4": 0x0D, ">f8": 0x0E}


def idx(array, kind="u1") -> bytes:
    array = np.asarray(array)
    head = struct.pack(f">HBB{array.ndim}I", 0, CODES[kind], array.ndim, *array.shape)
    return head + array.astype(kind).tobytes()


def written(folder, images: bytes, labels: bytes | None = None):
    (folder / "images").write_bytes(images)
    if labels is not None:
        (folder / "labels").write_bytes(labels)
    return folder / "images"


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kind", [k for k in CODES if k != "i1"])
def test_images_become_rows(kind, sparse, tmp_path):
    path = written(tmp_path, idx(IMAGES, kind), idx([7, 0, 7]))
    data = read(path, labels="labels", sparse=sparse)
    assert isinstance(data.X, csr_array) == sparse
    dense = data.X.toarray() if sparse else data.X
    np.testing.assert_array_equal(dense, [[0, 1, 2, 255], [3, 0, 0, 0], [9, 8, 7, 6]])
    assert data.X.dtype == np.float64 and data.classes == (0, 7)
    np.testing.assert_array_equal(data.y, [1, 0, 1])


def test_bytes_with_a_sign_keep_it(tmp_path):
    path = written(tmp_path, idx([[-1, 2], [3, -128]], "i1"), idx([0, 1]))
    np.testing.assert_array_equal(read(path, labels="labels").X, [[-1, 2], [3, -128]])


def test_a_nan_that_signals_is_a_missing_value(tmp_path):
    values = struct.pack(">HBB2I", 0, 0x0D, 2, 2, 1) + b"\xff\xa9\xbd\xe2" + struct.pack(">f", 1.5)
    with pytest.raises(UserError, match="sample 1, feature 1 is missing"):
        read(written(tmp_path, values, idx([7, 0])), labels="labels")


def test_both_files_may_be_packed(tmp_path):
    path = written(tmp_path, gzip.compress(idx(IMAGES)), gzip.compress(idx([1, 2, 3])))
    assert read(path, labels="labels").classes == (1, 2, 3)


def test_classes_may_be_text(tmp_path):
    path = written(tmp_path, idx(IMAGES), b"cat\ndog\ncat\n")
    assert read(path, labels="labels").classes == ("cat", "dog")


BAD = {
    "no labels": (idx(IMAGES), idx([1, 2, 3]), {}, "labels: which file holds the classes?"),
    "too few labels": (
        idx(IMAGES),
        idx([1, 2]),
        {"labels": "labels"},
        "3 samples but classes for 2.",
    ),
    "labels for images": (idx([1, 2]), None, {}, "Are these the classes?"),
    "images for labels": (idx(IMAGES), idx(IMAGES), {"labels": "labels"}, "classes are 3 x 2 x 2."),
    "cut off": (
        idx(IMAGES)[:-1],
        idx([1, 2, 3]),
        {},
        "holds 11 bytes of values. Its head says 12.",
    ),
    "a cut head": (idx(IMAGES)[:9], None, {}, "is cut off."),
    "too long": (idx(IMAGES) + b"x", None, {}, "holds 13 bytes of values. Its head says 12."),
}


@pytest.mark.parametrize("images, labels, options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_in_one_line(images, labels, options, message, tmp_path):
    path = written(tmp_path, images, labels)
    with pytest.raises(UserError) as refused:
        read(path, **options)
    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)
