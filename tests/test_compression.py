"""Opening files by their first bytes: what is unpacked, what is noticed, where it stops."""

import bz2
import gzip
import lzma
import sys

import numpy as np
import pytest

from imbfs.datasets.formats import compression
from imbfs.errors import UserError

TEXT = b"a line of text\n" * 5000 + np.random.default_rng(0).bytes(40_000)


def zstd(content: bytes) -> bytes:
    return pytest.importorskip("zstandard").compress(content)


PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_packed_file_is_unpacked_whatever_its_name(pack, tmp_path):
    path = tmp_path / "plain.txt"
    path.write_bytes(pack(TEXT))
    assert compression.content(path) == TEXT


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_two_packed_parts_in_a_row_are_one_content(pack, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(pack(TEXT[:1000]) + pack(TEXT[1000:]))
    assert compression.content(path) == TEXT


def test_a_plain_file_is_left_as_it_is(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(TEXT)
    assert compression.content(path) == TEXT


@pytest.mark.parametrize("cut", [12, 20_000, -1])
@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_file_that_is_cut_off_is_refused(pack, cut, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(pack(TEXT)[:cut])
    with pytest.raises(UserError, match="a: cannot be read: damaged or cut off"):
        compression.content(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_damaged_file_is_refused(pack, tmp_path):
    packed = bytearray(pack(TEXT))
    packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "a"
    path.write_bytes(packed)
    with pytest.raises(UserError, match="cannot be read: damaged or cut off"):
        compression.content(path)


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_bomb_is_stopped_before_it_fills_the_memory(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "BOMB_BYTES", 1 << 20)
    monkeypatch.setattr(compression, "BOMB_FOLD", 10)
    path = tmp_path / "a"
    path.write_bytes(pack(bytes(3 << 20)))
    with pytest.raises(UserError, match="unpacks to more than 1,048,576 bytes, which is refused"):
        compression.content(path)
    path.write_bytes(pack(bytes(1 << 20)))
    assert len(compression.content(path)) == 1 << 20


def test_much_that_is_packed_little_is_no_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "BOMB_BYTES", 1000)
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(TEXT))
    assert compression.content(path) == TEXT
    monkeypatch.setattr(compression, "MOST_BYTES", len(TEXT) - 1)
    with pytest.raises(UserError, match="which is refused"):
        compression.content(path)


def test_zstd_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "a"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(UserError, match=r"pip install zstandard"):
        compression.content(path)


def test_no_file_and_an_empty_file_are_refused(tmp_path):
    with pytest.raises(UserError, match="a: cannot be read"):
        compression.content(tmp_path / "a")
    with pytest.raises(UserError, match="is no plain file"):
        compression.content(tmp_path)
    (tmp_path / "b").write_bytes(b"")
    with pytest.raises(UserError, match="b: is empty"):
        compression.content(tmp_path / "b")
