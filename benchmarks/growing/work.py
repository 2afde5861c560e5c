"""What is measured: every learner of streams and every other selector, and at which sizes."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import lru_cache, partial
from time import process_time
from typing import NamedTuple

import numpy as np

from growing import made
from imbfs.methods import BINARY
from imbfs.online.learner import TruncatedLearner
from imbfs.selectors import SELECTORS

KEEP = 50
N_SAMPLES, DENSITY = 200, 0.01  # of the data that filters get
N_FEATURES, PER_ROW = 100_000, 10  # of the rows that learners get
SIZES = {
    "rows": [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000],
    "non-zeros": [1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000],
    "features": [1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000],
    "dense": [1_000, 5_000, 10_000, 50_000, 100_000, 500_000],
    "sparse": [1_000, 5_000, 10_000, 50_000, 100_000, 500_000],
}
TINY = {
    "rows": [600, 1_200],
    "non-zeros": [300_000, 600_000],
    "features": [300, 900],
    "dense": [100, 300],
    "sparse": [300, 900],
}
WIDE = ("dense", "sparse")
STREAM = "stream mbpa"
# A search over lambdas and costs fits the same regression some hundred times.
_PARAMS = {"csfs": {"r": 1.5, "lam": 1.0}, "rfs": {"lam": 1.0}}
_BATCHES = ("sbcw", "ascw")  # which learn a hundred times slower than those that learn row by row


class Point(NamedTuple):
    """A method at a size: of rows, non-zeros or features of a stream, or of a wide set."""

    method: str
    against: str
    size: int


def points(sizes: dict[str, list[int]], only: list[str]) -> Iterator[Point]:
    """Everything that is measured, the smaller sizes first."""
    for turn in range(max(map(len, sizes.values()))):
        for against, some in sizes.items():
            for name in _methods(against) if turn < len(some) else []:
                if not only or name in only:
                    yield Point(name, against, some[turn])


def _methods(against: str) -> list[str]:
    """Which methods are measured against a size; the whole command against rows alone."""
    if against in WIDE:
        return filters()
    return [name for name in learners() if name != STREAM or against == "rows"]


def learners() -> dict[str, Callable]:
    """The learners of streams, with a budget always as well where they can do without."""
    found = {}
    for name, method in SELECTORS.items():
        if method.streams:
            found[name] = partial(method.call, keep=KEEP)
            if issubclass(method.call, TruncatedLearner):
                found[f"{name} always"] = partial(method.call, keep=KEEP, budget="always")
    return found | {STREAM: None}


def filters() -> list[str]:
    """All other selectors; of these, `fgm` and `l1svm` learn from all rows at once."""
    return [name for name, method in SELECTORS.items() if not method.streams]


def work(point: Point) -> Callable[[], float]:
    """What to do at this point: a call that returns the seconds of the processor it took."""
    if point.against in WIDE:
        X = _wide(point.size, None if point.against == "dense" else DENSITY)
        return partial(_scored, point.method, X)
    shape = _shape(point)
    if point.method == STREAM:
        return partial(_streamed, *shape)
    return partial(_learned, learners()[point.method], *shape)


def small(point: Point) -> Callable[[], float]:
    """The same work on little data, to compile and load what it needs."""
    against = point.against if point.against in WIDE else "rows"
    return work(Point(point.method, against, TINY[against][0]))


def _shape(point: Point) -> tuple[int, int, int]:
    """Rows, features and values a row of the stream at a point."""
    if point.against == "rows":
        return point.size, N_FEATURES, PER_ROW
    slow = point.method in _BATCHES
    if point.against == "features":
        return 10_000 if slow else 300_000, point.size, PER_ROW
    n_rows = 10_000 if slow else 100_000
    return n_rows, N_FEATURES, point.size // n_rows


def _learned(make: Callable, *shape: int) -> float:
    """Learn a stream block by block; making the blocks is not counted."""
    learner, seconds = make(), 0.0
    for X, y in made.blocks(*shape):
        started = process_time()
        learner.partial_fit(X, y, classes=[-1, 1])
        seconds += process_time() - started
    return seconds


def _streamed(*shape: int) -> float:
    """The whole command `imbfs stream`, reading text that another process writes into a pipe."""
    from imbfs import cli

    read, write = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.close(read)
        with os.fdopen(write, "wb") as pipe:
            for text in made.texts(*shape):
                pipe.write(text)
        os._exit(0)
    os.close(write)
    os.dup2(read, sys.stdin.fileno())
    os.close(read)
    sys.argv = ["imbfs", "stream", "-", "--learner", "mbpa", "--features", str(KEEP)]
    started = process_time()
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing):
        _called(cli.main)
    seconds = process_time() - started
    os.waitpid(writer, 0)
    return seconds


def _called(main: Callable) -> None:
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"imbfs stream ended with {end.code}") from None


def _scored(name: str, X) -> float:
    method, params = SELECTORS[name], _PARAMS.get(name, {})
    rng = np.random.default_rng(1)
    y = np.where(rng.permutation(X.shape[0]) < X.shape[0] // 5, 1, -1)
    if BINARY not in method.kinds:
        y = (rng.random((X.shape[0], 4)) < 0.3).astype(np.int8)
    started = process_time()
    if method.learns:
        method.call(**params).fit(X, y)
    else:
        method.call(X, y, **params)
    return process_time() - started


@lru_cache(maxsize=2)
def _wide(size: int, density: float | None):
    return made.wide(size, N_SAMPLES, density)
