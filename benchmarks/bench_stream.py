"""One pass of `imbfs stream` over LIBSVM text, over what parsing that text alone takes.

Reading, parsing, predicting, learning and progressive measures, through the public parts of the
command; once with threads that read and parse ahead of learning and once without, plain and packed.
Times are taken in turn, and the best of several counts; the ratios mean something, the seconds do
not. Where Vowpal Wabbit's package is at hand (pip install vowpalwabbit; no extra brings it), its
first pass over the same rows is timed as well.
"""

import gzip
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import numpy as np
from timing import best, show

from imbfs.streaming import learners, learning
from imbfs.streaming.model import Model
from imbfs.streaming.reading.ahead import ahead
from imbfs.streaming.reading.rows import Layout, LibsvmRows, chunks
from imbfs.streaming.reading.source import Place, Source

REPEATS = 5
TIMES = 15  # that the rows come again
MINORITY = 0.03  # of the rows
SHAPES = {  # rows, features, values a row
    "like w8a": (40_000, 300, 12),
    "like news20": (8_000, 62_000, 80),
}
LEARNERS = {
    "mbpa": ("mbpa", {}, 50),
    "mbpa budget always": ("mbpa", {"budget": "always", "g": 1e-6}, 50),
    "ofs": ("ofs", {}, 50),
}


def rows() -> list[tuple[str, float, str]]:
    """(work, ratio, aim) for every comparison."""
    with TemporaryDirectory() as folder:
        return [
            row
            for name, shape in SHAPES.items()
            for row in _compare(name, _written(Path(folder), name, *shape))
        ]


def _compare(name: str, path: Path) -> list[tuple[str, float, str]]:
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), 6))
    work = {"parsing": lambda: _parse(path), "parsing gz": lambda: _parse(packed)}
    work |= {label: lambda how=how: _learn(path, *how) for label, how in LEARNERS.items()}
    work["mbpa gz"] = lambda: _learn(packed, *LEARNERS["mbpa"])
    work["mbpa, one thread"] = lambda: _learn(path, *LEARNERS["mbpa"], beside=False)
    work["mbpa gz, one thread"] = lambda: _learn(packed, *LEARNERS["mbpa"], beside=False)
    if find_spec("vowpalwabbit"):
        other = _for_vowpal(path)
        work["vw"] = lambda: _vowpal(other)
    seconds = best(work, REPEATS)
    told = [
        (f"{name}: stream {label} / parsing", seconds[label] / seconds["parsing"], "<= 2")
        for label in LEARNERS
    ]
    gz = seconds["mbpa gz"] / seconds["parsing gz"]
    told.append((f"{name}: stream mbpa gz / parsing gz", gz, "<= 2"))
    for kind in ("mbpa", "mbpa gz"):
        gain = seconds[f"{kind}, one thread"] / seconds[kind]
        told.append((f"{name}: {kind}, faster by threads", gain, ">= 1"))
    if "vw" in seconds:
        peer = seconds["vw"] / seconds["mbpa"]
        told.append((f"{name}: stream mbpa faster than vw", peer, ">= 1"))
    return told


def _parse(path: Path) -> None:
    for _ in chunks(Source(str(path)), LibsvmRows(path.name, Layout("libsvm")), Place()):
        pass


def _learn(path: Path, name: str, params: dict, keep: int, *, beside: bool = True) -> None:
    asked = Model(name, learners.chosen(name, params, keep), Layout("libsvm"), (None, None))
    learning.ahead = ahead if beside else lambda items, stop: items
    learning.learn(Source(str(path)), learning.Learning(asked), 1, Event())


def _written(folder: Path, name: str, n_rows: int, n_features: int, per_row: int) -> Path:
    """Rows of values between 0 and 1 in features as unequally frequent as words.

    A linear function of them says which few are of the minority.
    """
    rng = np.random.default_rng(0)
    frequency = 1.0 / np.arange(1, n_features + 1)
    drawn = rng.choice(n_features, (n_rows, per_row), p=frequency / frequency.sum()) + 1
    weights = rng.normal(size=n_features + 1)
    rows = [np.unique(columns) for columns in drawn]
    values = [rng.random(len(columns)).round(4) for columns in rows]
    sizes = np.array([weights[j] @ v for j, v in zip(rows, values, strict=True)])
    labels = np.where(sizes > np.quantile(sizes, 1 - MINORITY), 1, -1)
    lines = [
        f"{label} {' '.join(f'{j}:{v:g}' for j, v in zip(*row, strict=True))}\n"
        for label, *row in zip(labels, rows, values, strict=True)
    ]
    path = folder / f"{name.replace(' ', '_')}.svm"
    path.write_text("".join(lines) * TIMES)
    return path


def _for_vowpal(path: Path) -> Path:
    """The same rows as Vowpal Wabbit reads them: a bar after the label."""
    other = path.with_suffix(".vw")
    lines = path.read_text().splitlines()
    other.write_text("".join(line.replace(" ", " | ", 1) + "\n" for line in lines))
    return other


def _vowpal(path: Path) -> None:
    from vowpalwabbit import Workspace

    Workspace(f"-d {path} --loss_function hinge --binary --noconstant --quiet").finish()


if __name__ == "__main__":
    show(rows())
