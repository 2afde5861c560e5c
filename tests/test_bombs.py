"""Little that would become much: refused in one line before there is room for it."""

import gzip
import io
import os
import struct
import subprocess
import sys
import tarfile
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import seeds
from scipy.io import savemat
from scipy.sparse import csc_array

from imbfs.datasets.archives import unpack
from imbfs.datasets.formats import compression, libsvm, read
from imbfs.errors import UserError

MEGABYTE = 1 << 20


def refused(call, *arguments, **options) -> str:
    """The line in which it is refused, after less than 16 MB were taken."""
    tracemalloc.start()
    try:
        with pytest.raises(UserError) as caught:
            call(*arguments, **options)
        assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    finally:
        tracemalloc.stop()
    return str(caught.value)


@pytest.fixture(autouse=True, scope="module")
def loaded():
    """Load compiled code before memory is counted."""
    libsvm.Lines(io.BytesIO(b""), "1").rows(b"1 1:1\n")


@pytest.fixture
def small_limit(monkeypatch):
    """What the environment allows: a megabyte, so that bombs can be small, too."""
    monkeypatch.setenv(compression.VARIABLE, "1M")


def test_the_limit_is_stated_and_the_environment_takes_its_place(monkeypatch):
    assert compression.limit(0) == 1 << 30
    assert compression.limit(10 << 20) == 2000 << 20
    assert compression.limit(1 << 40) == 64 << 30
    for given, most in (("5", 5), ("3K", 3072), ("16G", 16 << 30)):
        monkeypatch.setenv(compression.VARIABLE, given)
        assert compression.limit(1 << 40) == most
    monkeypatch.setenv(compression.VARIABLE, "much")
    with pytest.raises(UserError, match="IMBFS_MAX_BYTES: 'much' is no number of bytes, such as"):
        compression.limit(1)


@pytest.mark.data
def test_no_real_set_comes_near_the_limit(data_folder):
    """A tenth of what is allowed would do for the best packed and for the largest."""
    from imbfs.datasets import DATASETS, NotAtHand, find

    met = 0
    for name, entry in DATASETS.items():
        try:
            path = None if entry.make else find(name)
        except NotAtHand:
            continue
        if path is not None:
            with compression.opened(path) as file:
                size = sum(map(len, iter(partial(file.read, 1 << 20), b"")))
            assert size < compression.BOMB_BYTES / 10
            assert size < compression.BOMB_FOLD / 10 * path.stat().st_size
            met += 1
    assert met > 5


def test_a_bomb_says_how_the_limit_is_raised_and_is_read_then(small_limit, tmp_path, monkeypatch):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n-1 1:2\n" + b"# nothing more to say\n" * 100_000))
    said = refused(read, path)
    assert said == (
        f"{path}: unpacks to more than 1,048,576 bytes, which is refused. Where it is right, set "
        "IMBFS_MAX_BYTES higher."
    )
    monkeypatch.setenv(compression.VARIABLE, "4M")
    assert read(path).X.shape == (2, 1)


def test_what_is_packed_twice_is_not_unpacked_twice(tmp_path):
    path = tmp_path / "a.gz.gz"
    path.write_bytes(gzip.compress(gzip.compress(b"1 1:1\n" * 10)))
    assert refused(read, path) == f"{path}: is packed twice. Unpack it once."


def test_a_line_without_end_is_not_gathered(tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm, "_LONGEST", MEGABYTE)
    stream = io.BytesIO(b"1 " + b"1:1 " * MEGABYTE)
    assert "has a line of more than 1,048,576 bytes" in refused(list, libsvm.blocks(stream))


def test_archives_in_archives_count_as_they_are(small_limit, tmp_path):
    inner = seeds.zipped({"zeros": bytes(5 * MEGABYTE)}, packed=True)
    path = tmp_path / "a.zip"
    path.write_bytes(seeds.zipped({"inner.zip": inner}))
    unpack(path, {"inner.zip": tmp_path / "out"})
    assert (tmp_path / "out").read_bytes() == inner
    path.write_bytes(seeds.zipped({"zeros": bytes(2 * MEGABYTE)}, packed=True))
    assert "unpacks to more than 1,048,576 bytes" in refused(
        unpack, path, {"zeros": tmp_path / "out"}
    )


def test_a_tar_whose_head_unpacks_to_too_much_is_refused(small_limit, tmp_path):
    """tarfile takes in the whole of an extended head before it tells of any member."""
    info = tarfile.TarInfo("a")
    info.type, info.size = tarfile.XHDTYPE, 32 * MEGABYTE
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(info.tobuf() + bytes(32 * MEGABYTE)))
    assert "unpacks to more than 1,048,576 bytes" in refused(unpack, path, {"a": tmp_path / "out"})


def npy_head(shape: str, kind: str = "<f8") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize("shape", ["(4, 300000000)", "(4, 3000000000000000)", "(2, -5)"])
def test_an_array_is_not_made_room_for_before_its_head_is_believed(shape, tmp_path):
    (tmp_path / "labels").write_text("a\nb\na\nb\n")
    (tmp_path / "a.npy").write_bytes(npy_head(shape) + bytes(96))
    said = refused(read, tmp_path / "a.npy", labels="labels")
    assert "holds 96 bytes of values. Its head says" in said
    (tmp_path / "a.npz").write_bytes(
        seeds.zipped({"X.npy": npy_head(shape) + bytes(96), "y.npy": npy_head("(2,)") + bytes(16)})
    )
    assert "X: holds 96 bytes of values. Its head says" in refused(read, tmp_path / "a.npz")


def test_an_idx_is_not_made_room_for_before_its_head_is_believed(tmp_path):
    (tmp_path / "a").write_bytes(bytes([0, 0, 14, 2]) + struct.pack(">2I", 2**31, 8) + bytes(64))
    assert "Its head says 137438953472" in refused(read, tmp_path / "a", labels="a")


def test_a_sparse_matrix_of_too_many_rows_is_refused_by_its_classes(tmp_path):
    path = tmp_path / "a.mat"
    tall = csc_array(([1.0], ([0], [0])), shape=(2**31 - 2, 1))
    savemat(path, {"X": tall, "Y": np.ones((3, 1))})
    assert "has 2147483646 samples but classes for 3" in refused(read, path)
    savemat(path, {"X": tall, "Y": tall})
    assert "asks for 17,179,869,168 bytes" in refused(read, path)


def test_a_compressed_variable_is_unpacked_up_to_the_limit(small_limit, tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"X": np.zeros((500, 1000)), "Y": np.arange(500) % 2}, do_compression=True)
    assert path.stat().st_size < 10_000
    assert "more than 1,048,576, which is refused" in refused(read, path)


def test_values_that_an_hdf5_file_only_declares_are_not_made(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.mat"
    with h5py.File(path, "w") as file:
        file.create_dataset("X", shape=(10**5, 10**5), chunks=(100, 100), dtype="f8")
        file["Y"] = np.ones((1, 3))
    assert "X: asks for 80,000,000,000 bytes" in refused(read, path)


def test_values_that_an_hdf5_file_has_elsewhere_are_not_opened(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret").write_bytes(bytes(48))
    path = tmp_path / "a.mat"
    with h5py.File(path, "w") as file:
        place = [(str(tmp_path / "secret"), 0, 48)]
        file.create_dataset("X", shape=(2, 3), dtype="f8", external=place)
        file["Y"] = np.ones((1, 3))
    assert "X: keeps its values in another file" in refused(read, path)


def test_rows_that_a_parquet_file_counts_but_hardly_holds_are_not_made(small_limit, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"a": np.zeros(300_000), "class": np.zeros(300_000)}), path)
    assert path.stat().st_size < 50_000
    assert "asks for 4,800,000 bytes" in refused(read, path, target="class")


WIDE = {
    "libsvm": lambda path: path.write_text("1 1:1 3:2\n-1 2:1 1000000000:1\n" * 8),
    "npz": lambda path: np.savez(
        path,
        data=np.ones(4), indices=np.array([0, 1, 2, 999_999_999]), indptr=np.arange(5),
        shape=np.array([4, 10**9]), y=np.array([0, 1, 0, 1]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("format", WIDE)
def test_a_few_values_do_not_ask_for_a_thousand_million_features(format, tmp_path, imbfs):
    name = {"libsvm": "a.svm"}.get(format, f"a.{format}")
    WIDE[format](tmp_path / name)
    said = f"{name}: has 1,000,000,000 features, for which methods take 256 GB. Count those in use"
    assert said in refused(read, tmp_path / name)
    for command in ("select", "benchmark", "init"):
        answer = imbfs(command, name)
        assert (answer.code, answer.err.count("\n")) == (2, 1) and said in answer.err
    config = (
        f"name: a\ndatasets: [{{path: {name}}}]\nselectors: [s2n]\nprotocol: {{cv: {{folds: 2}}}}"
    )
    (tmp_path / "a.yaml").write_text(config)
    answer = imbfs("run", "a.yaml", "-j", "1")
    assert answer.code in (1, 2) and said in answer.err and "Traceback" not in answer.err


@pytest.mark.parametrize("name", ["a.mat", "a.txt", "a.csv"])
def test_a_file_is_looked_at_before_all_of_it_is_hashed(name, tmp_path, imbfs):
    for size, said in ((1 << 36, "is not text"), (1 << 40, "more than")):
        with (tmp_path / name).open("wb") as file:
            file.write(b"a,class\n1,0\n" if name == "a.csv" else b"")
            file.truncate(size)
        for command in ("select", "benchmark"):
            answer = imbfs(command, name, "-t", "class")
            assert (answer.code, answer.err.count("\n")) == (2, 1) and said in answer.err


def test_a_file_larger_than_memory_is_told_of(tmp_path):
    """In a process whose memory is limited: its own is given back when it ends."""
    (tmp_path / "a.csv").write_bytes(b"a,class\n" + b"1,0\n2,1\n" * 20_000)
    os.truncate(tmp_path / "a.csv", 1 << 35)
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "from imbfs.cli import main; main()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, "select", "a.csv", "-t", "class"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 2
    assert answer.stderr == "imbfs: a.csv: takes more memory to be read than there is.\n"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_config_without_end_is_not_read(command, tmp_path, imbfs):
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    answer = imbfs(command, "zero.yaml")
    assert answer.code == 2 and "has more than 800,000 bytes, and is no config." in answer.err


def test_a_link_into_another_hdf5_file_is_not_followed(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.mat", "w") as file:
        file["X"] = np.eye(3)
    path = tmp_path / "a.mat"
    with h5py.File(path, "w") as file:
        file["X"] = h5py.ExternalLink(str(tmp_path / "other.mat"), "/X")
        file["Y"] = np.ones((1, 3))
    assert "X: keeps its values in another file" in refused(read, path)
