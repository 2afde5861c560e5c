"""One or more passes over a stream, in constant memory."""

from collections.abc import Callable
from functools import partial
from threading import Event

import numpy as np
from scipy.sparse import csr_array, issparse

from imbfs.errors import Unwritable, UserError
from imbfs.online import memory
from imbfs.streaming.learners import made
from imbfs.streaming.model import Model
from imbfs.streaming.reading.ahead import ahead
from imbfs.streaming.reading.labels import Labels
from imbfs.streaming.reading.rows import Chunk, CsvRows, LibsvmRows, chunks, with_target
from imbfs.streaming.reading.source import BLOCK, Place, Source
from imbfs.streaming.tally import Checkpoint, next_checkpoint

_LEAST_WIDTH = 1 << 12
_MOST_HELD = 64 << 20  # bytes of text that wait for a second label
_SLOW_BLOCK = 1 << 16  # bytes parsed at a time for learners of batches
_MOST_KNOWN = 1 << 30  # bytes of covariances


class Learning:
    """A learner at work on a stream; `so_far` is its model but for what the learner knows."""

    def __init__(self, model: Model, target: str | int | None = None):
        self.so_far = model
        self._target = target
        self._held: list[Chunk] = []
        self._learner = made(model.learner, model.params)
        self._memory = memory.of(self._learner)
        self._labels = Labels(*reversed(model.classes))
        self._next = next_checkpoint(model.tally.rows)
        if model.n_features:
            self._memory.recall(model.n_features, model.arrays)
            self._memory.random = model.random

    @property
    def model(self) -> Model:
        """All that was learned, up to the last row."""
        model = self.so_far
        model.classes = self._labels.known
        if model.n_features:
            selected, coef, _ = self._memory.in_use()
            model.arrays = self._memory.remembered() | {"selected": selected, "coef": coef}
            model.random = self._memory.random
        return model

    @property
    def progress(self) -> tuple[int, int, float]:
        """Bytes and rows of this pass and all, and the g-mean so far."""
        return self.so_far.place.n_bytes, self.so_far.tally.rows, self.so_far.tally.g_mean

    @property
    def block(self) -> int:
        """Bytes to learn at a time; it matters only for how soon it can stop."""
        return _SLOW_BLOCK if isinstance(self._memory, memory.BatchMemory) else BLOCK

    def features_in_use(self) -> int:
        """With how many features it would predict now."""
        return len(self._memory.in_use()[0]) if self.so_far.n_features else 0

    def reader(self, source: Source) -> LibsvmRows | CsvRows:
        """What makes rows of a stream's text."""
        layout = self.so_far.layout
        if layout.format == "libsvm":
            return LibsvmRows(source.name, layout)
        wanted = [self._target] if isinstance(self._target, str) else []
        return CsvRows(layout, partial(with_target, self._target), wanted)

    def take(self, chunk: Chunk) -> None:
        """Predict and learn every row, once both labels are known."""
        n_before = self.so_far.tally.rows + sum(map(len, self._held))
        told = self._labels.meet(chunk.labels, n_before)
        self._held.append(chunk)
        if told:
            self._release()
        elif chunk.place.n_bytes > _MOST_HELD:
            raise UserError(
                f"there is no label but {self._labels.negative} in {_MOST_HELD >> 20} MB. "
                "Say with --positive which is to be found."
            )

    def end_pass(self) -> None:
        """The stream is over, whether both labels came or not."""
        self._release()
        if self.so_far.tally.rows == 0:
            raise UserError("has no rows.")
        self.so_far.epoch += 1
        self.so_far.place = Place()
        if self.so_far.checkpoints[-1:] != [last := self._checkpoint(self.so_far.epoch)]:
            self.so_far.checkpoints.append(last)

    def _release(self) -> None:
        for chunk in self._held:
            if len(chunk):
                self._learn(chunk.X, self._labels.signs(chunk.labels))
            self.so_far.place = chunk.place
        self._held = []

    def _learn(self, X: csr_array | np.ndarray, signs: np.ndarray) -> None:
        X = self._fitted(X)
        self._memory.meet(X)
        start, tally = 0, self.so_far.tally
        while start < len(signs):
            stop = min(len(signs), start + self._next - tally.rows)
            part = X if stop - start == len(signs) else X[start:stop]
            scores = self._learner.advance(part, signs[start:stop])
            tally.add(signs[start:stop], self._learner.decide(scores) > 0)
            if tally.rows == self._next:
                self.so_far.checkpoints.append(self._checkpoint(self.so_far.epoch + 1))
                self._next = next_checkpoint(tally.rows)
            start = stop
        self._check_room()

    def _fitted(self, X: csr_array | np.ndarray) -> csr_array | np.ndarray:
        """The rows as wide as the learner, which grows by doubling where it must."""
        n_features = self.so_far.n_features
        if not issparse(X) or self.so_far.layout.hash_bits is not None:
            if not n_features:
                self._make_room(X.shape[1], f"{X.shape[1]:,} columns ask")
            return X if issparse(X) else np.ascontiguousarray(X)
        if X.shape[1] > n_features:
            self._grow(X.shape[1])
        X.resize(X.shape[0], self.so_far.n_features)
        return X

    def _grow(self, needed: int) -> None:
        room = max(_LEAST_WIDTH, needed, (self._learner.keep or 0) + 1)
        self._make_room(1 << (room - 1).bit_length(), f"index {needed - 1} asks")

    def _make_room(self, width: int, what: str) -> None:
        try:
            grow = self._memory.widen if self.so_far.n_features else self._memory.begin
            grow(width)
        except MemoryError:
            said = f"{what} for more memory than there is. Give --hash-bits 24, or fewer."
            raise UserError(said) from None
        self.so_far.n_features = width

    def _check_room(self) -> None:
        """Second-order learners know how features that were selected go together, each pair."""
        if self._memory.n_bytes > _MOST_KNOWN:
            raise UserError(
                f"{self.so_far.learner} has selected so many different features that what it knows "
                f"of their pairs takes over {_MOST_KNOWN >> 30} GB. Give --hash-bits 11 or another "
                "--learner."
            )

    def _checkpoint(self, epoch: int) -> Checkpoint:
        selected, _, learned = self._memory.in_use()
        return Checkpoint.of(self.so_far.tally, "progressive", epoch, len(selected), learned)


def learn(
    source: Source,
    learning: Learning,
    epochs: int,
    stop: Event,
    tell: Callable[[], None] = lambda: None,
    size: int | None = None,
) -> bool:
    """Pass over a stream `epochs` times; whether it came to an end before it was stopped."""
    size = size or learning.block
    model = learning.so_far
    beside = partial(ahead, stop=stop)  # one thread parses, another unpacks, this one learns
    read = iter if source.is_plain() else beside
    while model.epoch < epochs:
        reader = learning.reader(source)
        try:
            for chunk in beside(chunks(source, reader, model.place, size, read)):
                model.layout = reader.layout
                learning.take(chunk)
                tell()
            if stop.is_set():
                return False
            learning.end_pass()
        except Unwritable:  # the model, not the stream
            raise
        except UserError as error:
            raise _named(error, source.name) from None
    return True


def _named(error: UserError, name: str) -> UserError:
    return error if str(error).startswith(name) else error.within(name)
