"""Valid inputs of everything that is read, small and of several shapes: mutations start here."""

import gzip
import io
import json
import tarfile
import zipfile
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).parent.parent

LIBSVM = [
    b"+1 1:0.5 3:-2e-3 10:4\n-1 2:1 3:.25\n-1 1:1\n",
    b"# a comment\n1 qid:3 0:1 5:2 # end\n2 qid:3 1:7\r\n\n3.5 2:1e5 \n",
    b"1,2 1:1 2:1\n2 1:3\n3,1 4:1.25\n",
    b"0 1:123456789012345678901234567890 2:0.1000000000000000055511151231257827\n1 1:1\n",
]
CSV = [
    b"a,b,class\n1,2.5,x\n3,-4e1,y\n5,6,x\n7,8,y\n",
    b'id;"g 1";g2;class\np1;1,5;2;u\np2;3;4,25;v\np3;0;1;u\n',
    b"1\t2\t0\n3\t4\t1\n5\t6\t0\n",
    b"# note\nname,x,colour,class\n,1,red,0\n,2,blue,1\n,NA,red,1\n",
    b'gene,s1,s2,s3\nclass,a,b,a\n"g,1",1,2,3\ng2,4,5,6\n',
]
ARFF = [
    b"@relation r\n@attribute a numeric\n@attribute 'b c' {x, 'y z'}\n@attribute class {p,q}\n"
    b"@data\n1,x,p\n2.5,'y z',q\n% comment\n?,x,q\n4,x,p\n",
    b"@RELATION 'm: -C 2'\n@ATTRIBUTE l1 {0,1}\n@ATTRIBUTE l2 {0,1}\n@ATTRIBUTE f REAL\n"
    b"@ATTRIBUTE g {u,v,w}\n@DATA\n{0 1,2 3.5}\n{1 1,3 v}\n{}\n",
    b"@relation d\n@attribute t string\n@attribute n integer\n@attribute k {a,b}\n@data\n"
    b"'it\\'s',1,a\n\"two, three\",2,b\n",
]
RECORD = {
    "format": 1,
    "key": "a",
    "status": "ok",
    "rows": [
        {"part": "test", "features": "2", "k": 2, "seen": 10, "auc": 0.5, "g_mean": 0.25},
        {"part": "test", "features": "5", "k": 5, "seen": 10, "auc": 0.75, "g_mean": None},
    ],
    "top": ["f1", "f2"],
    "seconds": {"total": 0.1},
}
PLAN = {
    "format": 1,
    "measures": ["auc", "g_mean"],
    "absent": [],
    "tasks": [[key, "set", "natural", "none", "s2n", "svm", 0, i] for i, key in enumerate("abc")],
}


RUN = json.dumps(
    {
        "format": 1,
        "name": "mine",
        "config": "name: mine\ndatasets: [wine]\nselectors: [s2n]\nmeasures: [auc]\n",
        "quick": False,
        "runs": [
            {
                "start": "2026-11-18T20:08:50+00:00",
                "end": "2026-11-18T20:09:04+00:00",
                "imbfs": "0.1.0",
                "commit": None,
                "python": "3.11.7",
                "packages": {"numpy": "2.4.6"},
                "platform": "Linux",
                "cores": 2,
                "jobs": 2,
                "only": [],
                "tasks": {"planned": 3, "before": 0, "ran": 3, "failed": 1, "cpu_seconds": 2.5},
                "outside": {"mine:gap": "0123456789abcdef"},
            },
            {"start": "2026-11-19T20:08:50+00:00", "end": None, "jobs": 1, "tasks": None},
        ],
    }
).encode()
WHOLE_PLAN = PLAN | {
    "name": "mine",
    "labels": ["dataset", "ratio"],
    "absent": {"w8a": "is not at hand"},
    "problems": [
        {
            "dataset": "set",
            "ratio": "natural",
            "group": "",
            "samples": 30,
            "features": 4,
            "minority": 10,
            "majority": None,
            "differs": "",
        }
    ],
    "printed": {
        "beside_p": [
            {"dataset": "set", "method": "s2n", "metric": "auc", "value": 0.5, "ratio": "natural"}
        ]
    },
    "test_share": 0.2,
}
PUBLISHED = json.dumps(
    {"format": 1, "of": "digest", "files": {"records.jsonl": "ab", "tables/a.csv": "cd"}}
).encode()


def budget() -> bytes:
    of = sha256(b"[]").hexdigest()[:16]  # of no tasks
    told = {"format": 1, "of": of, "seconds": 1.5, "finished": 5, "slow": {"s2n with svm": 2.5}}
    return json.dumps(told).encode()


def data():
    """A set of a few numbers, as a reader gives it."""
    from imbfs.datasets import Data

    X = np.arange(12.0).reshape(4, 3)
    names = ("a", "b", "c")
    y, groups = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    return Data(X, y, ("u", 7), names, relevant=(1,), groups=groups)


def about() -> bytes:
    """What the cache tells of it."""
    from imbfs.datasets import cache

    with TemporaryDirectory() as folder:
        told = data()
        place = Path(folder) / "set"
        cache._write(replace(told, fingerprint=cache._fingerprint(told)), place)
        return (place / "about.json").read_bytes()


def idx() -> list[bytes]:
    images = bytes([0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2]) + bytes(range(12))
    reals = bytes([0, 0, 13, 2, 0, 0, 0, 3, 0, 0, 0, 1])
    return [images, reals + np.array([1.5, -2.0, 3.0], dtype=">f4").tobytes()]


IDX_LABELS = [bytes([0, 0, 8, 1, 0, 0, 0, 3, 0, 1, 0]), b"a\nb\na\n"]


def npy() -> list[bytes]:
    """Arrays that stand for X in an NPZ, or alone."""
    arrays = [np.arange(12.0).reshape(4, 3), np.asfortranarray(np.eye(4, dtype=">i2"))]
    return [_saved(array) for array in arrays]


def npz() -> list[bytes]:
    from scipy.sparse import csr_array

    dense, sparse, texts = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.savez(dense, X=np.arange(12.0).reshape(4, 3), y=np.array([0, 1, 0, 1]))
    X = csr_array(np.eye(4))
    np.savez(sparse, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=[1, 2, 1, 2])
    np.savez_compressed(texts, X=np.ones((4, 1)), y=np.array(["a", "b", "a", "b"]))
    return [file.getvalue() for file in (dense, sparse, texts)]


def zipped(members: dict[str, bytes], packed: bool = False) -> bytes:
    file = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    return file.getvalue()


def tarred(members: dict[str, bytes], mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def matlab(packed: bool = False) -> list[bytes]:
    from scipy.io import savemat
    from scipy.sparse import csc_array

    cells = np.array(["one", "two", "one"], dtype=object)
    sets = [
        {"X": np.arange(6.0).reshape(3, 2), "Y": np.array([[1], [2], [1]])},
        {"X": csc_array(np.eye(3)), "Y": cells},
        {"X": np.eye(3, dtype=np.int16), "Y": np.array(["ab", "cd", "ab"]), "s": {"a": 1.0}},
    ]
    return [_written(lambda f, s=s: savemat(f, s, do_compression=packed)) for s in sets]


def matlab73() -> list[bytes]:
    """MATLAB v7.3 as h5py writes it; none without the package."""
    try:
        import h5py
    except ImportError:
        return []

    def dense(file) -> None:
        with h5py.File(file, "w") as target:
            target["X"] = np.arange(6.0).reshape(2, 3)
            target.create_dataset("Y", data=np.ones((1, 3)), chunks=(1, 3), compression="gzip")
            for name in ("X", "Y"):
                target[name].attrs["MATLAB_class"] = np.bytes_("double")

    def sparse(file) -> None:
        with h5py.File(file, "w") as target:
            group = target.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(3)
            group["data"], group["ir"] = np.ones(3), np.arange(3, dtype=np.uint64)
            group["jc"] = np.arange(4, dtype=np.uint64)
            target["Y"] = np.array([[1.0, 2.0, 1.0]])

    return [_written(dense), _written(sparse)]


def parquet() -> list[bytes]:
    import pandas as pd

    plain = pd.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, None, 1, 2], "class": list("xyxy")})
    other = pd.DataFrame({"a": np.arange(50) % 3, "t": ["u", "v"] * 25, "class": [0, 1] * 25})
    return [plain.to_parquet(), other.to_parquet(compression="gzip"), plain.to_parquet(index=True)]


@cache
def configs() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((ROOT / "configs").glob("*.yaml")))


@cache
def claims() -> tuple[bytes, ...]:
    """The claims of the papers, each file cut to its first three claims to be read fast."""
    import yaml

    texts = []
    for path in sorted((ROOT / "experiments").glob("*/claims.yaml")):
        given = yaml.safe_load(path.read_text())
        kept = {n: c for n, c in given["claims"].items() if not c.get("script")}
        given["claims"] = dict(list(kept.items())[:3])
        texts.append(yaml.safe_dump(given, sort_keys=False).encode())
    return tuple(texts)


PRINTED = [
    b"dataset,method,metric,value\nset,s2n,auc,0.5\nset,fast,auc,\n",
    b"dataset,ratio,method,metric,value,sd,suspect\nset,1:5,s2n,auc,0.5,0.1,\n"
    b'"a,b",1:10,fast,g_mean,1e-3,,"why, so"\n',
]


def records() -> list[bytes]:
    failed = {"format": 1, "key": "b", "status": "failed", "error": "Traceback ..."}
    lines = [RECORD, failed, {**RECORD, "key": "c"}]
    return ["".join(json.dumps(line) + "\n" for line in lines[:n]).encode() for n in (1, 3)]


def model(folder: Path) -> bytes:
    """A model as `imbfs stream` writes it."""
    from typer.testing import CliRunner

    from imbfs.cli import app

    (folder / "rows.svm").write_bytes(b"1 1:1 2:2\n-1 2:1 3:1\n" * 20)
    named = [str(folder / "rows.svm"), "--model", str(folder / "model.npz"), "--features", "2"]
    CliRunner().invoke(app, ["stream", *named], catch_exceptions=False)
    return (folder / "model.npz").read_bytes()


def packed() -> list[bytes]:
    """The same text as gz, in two parts as well."""
    return [gzip.compress(LIBSVM[0]), gzip.compress(LIBSVM[0]) + gzip.compress(LIBSVM[0])]


def _saved(array: np.ndarray) -> bytes:
    return _written(lambda file: np.save(file, array))


def _written(write) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()
