"""Streams for tests, and what comes of learning from them."""

from threading import Event

import numpy as np

from imbfs.streaming import learners, model
from imbfs.streaming.learning import Learning, learn
from imbfs.streaming.reading.rows import Layout
from imbfs.streaming.reading.source import Source

N_ROWS, N_FEATURES = 3_000, 90


def text(n_rows=N_ROWS, n_features=N_FEATURES, seed=0) -> bytes:
    """Rows of six features; a row is rare if it has one of the first three."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n_rows):
        columns = np.sort(rng.choice(n_features, 6, replace=False)) + 1
        values = rng.integers(1, 500, 6) / 100
        label = 1 if columns[0] <= 3 and rng.random() < 0.8 else -1
        pairs = " ".join(f"{j}:{v:g}" for j, v in zip(columns, values, strict=True))
        lines.append(f"{label} {pairs}\n")
    return "".join(lines).encode()


TEXT = text()


def asked(name="mbpa", keep=10, hash_bits=None, **params):
    params = learners.chosen(name, params, keep)
    return model.Model(name, params, Layout("libsvm", hash_bits), (None, None))


def learned(path, asked, *, epochs=1, size=1 << 20, stop_after=None):
    """The model after a stream, or after so many chunks of it."""
    learning, stop, chunks = Learning(asked), Event(), []

    def tell():
        chunks.append(1)
        if len(chunks) == stop_after:
            stop.set()

    ended = learn(Source(str(path)), learning, epochs, stop, tell, size)
    assert ended == (stop_after is None)
    return learning.model
