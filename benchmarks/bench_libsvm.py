"""Reading LIBSVM text against scikit-learn, as ratios of times taken in one run.

Both read the same plain file, to its end. The generated files are a wide one of word counts and a
narrow one of 16 digits a value; with IMBFS_DATA set to the folder of the real data sets, w8a and
news20 themselves are read as well.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import random_array
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from timing import best, show

from imbfs.datasets.formats.compression import opened
from imbfs.datasets.formats.libsvm import chunks, read

ROUNDS = 5
REAL = {"w8a": "w8a/w8a.xz", "news20": "news20/news20.bz2"}


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    with tempfile.TemporaryDirectory() as folder:
        return [row for path in _files(Path(folder)) for row in _compare(path)]


def _compare(path: Path) -> list[tuple[str, float, str]]:
    known = {"n_features": read(path).X.shape[1], "index_base": "1"}
    seconds = best(
        {
            "scikit-learn": lambda: load_svmlight_file(str(path)),
            "read": lambda: read(path),
            "chunks": lambda: [None for _ in chunks(path, **known)],
        },
        ROUNDS,
    )
    return [
        (
            f"{path.name}: {ours} faster than scikit-learn",
            seconds["scikit-learn"] / seconds[ours],
            ">= 5",
        )
        for ours in ("read", "chunks")
    ]


def _files(folder: Path) -> Iterator[Path]:
    counts = random_array((10_000, 50_000), density=0.002, format="csr", rng=0)
    counts.data = np.ceil(12 * counts.data**4)
    yield _written(counts, folder / "counts")
    yield _written(random_array((10_000, 100), density=0.5, format="csr", rng=0), folder / "digits")
    if data := os.environ.get("IMBFS_DATA"):
        for name, packed in REAL.items():
            with opened(Path(data) / packed) as content, open(folder / name, "wb") as plain:
                shutil.copyfileobj(content, plain)
            yield folder / name


def _written(X, path: Path) -> Path:
    y = np.random.default_rng(0).choice([-1, 1], size=X.shape[0])
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path


if __name__ == "__main__":
    show(rows())
