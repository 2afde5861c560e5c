"""LIBSVM text (`label index:value ...`), read whole or in chunks of rows.

Values are those of scikit-learn's load_svmlight_file, bit for bit. What it lets pass is refused:
nan and inf, `1_000`, a sign before an index, anything after `qid` but `:` and digits, NUL bytes,
a file without samples or without features.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from scipy.sparse import csr_array

from imbfs.datasets.data import Data
from imbfs.datasets.formats.compression import check_room, opened
from imbfs.datasets.formats.libsvm_kernels import LARGEST_INDEX, Rows, joined, parsed
from imbfs.errors import UserError
from imbfs.methods import Count

IndexBase = Literal["auto", "0", "1"]

_BLOCK = 1 << 20  # bytes read at a time
_LONGEST = 1 << 28  # bytes of a line: what has no line ends is not gathered for ever
# Digits are never given back: a long row of them would be tried in every way to cut it.
_NUMBER = re.compile(rb"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d++)?")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_PAIR = re.compile(rb"(\d++):(.*)", re.DOTALL)
_WORD = re.compile(rb"[^\s#]+")


def read(path: Path, *, n_features: Count | None = None, index_base: IndexBase = "auto") -> Data:
    """Read a file; a list of labels with a comma, anywhere in it, makes it a multi-label set.

    Indices count from 1 unless one of them is 0. Without `n_features` the largest index says how
    many features there are.
    """
    lines = Lines(path, index_base)
    rows = joined(list(lines))
    lines.check_labels(multilabel=lines.several > 0)
    n_features = lines.width(n_features)
    rows.indices -= lines.base
    classes = np.unique(rows.labels)
    y = np.searchsorted(classes, rows.labels).astype(np.int64, copy=False)
    if lines.several:
        check_room(8 * len(rows) * len(classes), rows.labels.nbytes + rows.data.nbytes)
        codes, y = y, np.zeros((len(rows), len(classes)), dtype=np.int64)
        y[np.repeat(np.arange(len(rows)), np.diff(rows.label_ptr)), codes] = 1
    plain = (int(label) if label.is_integer() else label for label in classes.tolist())
    how = f"indices from {lines.base}"
    return Data(_matrix(rows, n_features), y, tuple(plain), how=how)


def chunks(
    source: Path | BinaryIO,
    *,
    rows: Count = 10_000,
    n_features: Count | None = None,
    index_base: IndexBase = "auto",
    multilabel: bool = False,
) -> Iterator[tuple[csr_array, np.ndarray | list[tuple[float, ...]]]]:
    """Yield X and the labels as written, `rows` rows at a time, in constant memory.

    Labels come as an array, or with `multilabel` as a list of tuples. A file of which `n_features`
    or `index_base` is not given is read twice. A stream is read once and is not unpacked; it needs
    `n_features`, and counts from 1 unless told otherwise.
    """
    first = Lines(source, index_base)
    if not first.is_file and n_features is None:
        raise UserError(f"{first.name}: n_features: a stream cannot be read twice. Give a number.")
    if first.is_file and (n_features is None or index_base == "auto"):
        for _ in first:
            pass
        n_features = first.width(n_features)
    lines = Lines(source, str(first.base))
    for part in _regrouped(lines, rows):
        lines.check_labels(multilabel)
        lines.width(n_features)
        part.indices = part.indices - np.int32(lines.base)
        yield _matrix(part, n_features), _label_lists(part) if multilabel else part.labels


class Lines:
    """The rows of a file or stream, block by block, and what has been seen in them so far.

    `several` and `unlabelled` are the first lines with more and with less than one label, `widest`
    a line with the largest index; lines count from 1, and 0 stands for none. `n_lines` is how many
    there were, with those `before` the source.
    """

    def __init__(self, source: Path | BinaryIO, index_base: IndexBase, before: int = 0):
        self.is_file = isinstance(source, str | Path)
        self.name = str(source if self.is_file else getattr(source, "name", "stream"))
        self.base = 0 if index_base == "0" else 1
        self.largest, self.widest, self.several, self.unlabelled = -1, 0, 0, 0
        self._source = source
        self._least = 1 if index_base == "1" else 0
        self.n_lines = before

    def __iter__(self) -> Iterator[Rows]:
        found = False
        with opened(Path(self._source)) if self.is_file else nullcontext(self._source) as stream:
            for text in blocks(stream):
                rows = self.rows(text)
                found = found or len(rows) > 0
                yield rows
        if not found:
            raise UserError(f"{self.name}: is empty. Lines are read: label index:value ...")

    def width(self, n_features: int | None) -> int:
        """How many features there are; fewer than the largest index asks for are refused."""
        needed = self.largest + 1 - self.base
        if n_features is None and not self.widest:
            raise UserError(f"{self.name}: has no index:value pair. Give n_features.")
        if n_features is not None and n_features < needed:
            what = f"index {self.largest} asks for {needed} features, not n_features={n_features}."
            raise self._mistake(self.widest, what)
        return n_features or needed

    def check_labels(self, multilabel: bool) -> None:
        """Refuse a row that has not one label, unless it may have several."""
        if self.unlabelled and not multilabel:
            raise self._mistake(self.unlabelled, "has no label. A line starts with a number.")
        if self.several and not multilabel:
            raise self._mistake(self.several, "has several labels. Read it with multilabel=True.")

    def rows(self, text: bytes) -> Rows:
        """The rows of the next lines, which end in a newline."""
        if (place := text.find(b"\0")) >= 0:
            raise self._mistake(self._line(text, place), "has a NUL byte: this is not text.")
        rows, late, left = parsed(text, self._least)
        if (place := int(left["error"])) >= 0:
            raise self._mistake(self._line(text, place), _complaint(text, place, self._least))
        for slot, place in late.tolist():
            self._settle(rows, slot, place, text)
        self._note(text, left)
        self.n_lines += int(left["lines"])
        return rows

    def _settle(self, rows: Rows, slot: int, place: int, text: bytes) -> None:
        """Round the number at `place` as Python does and put it where the kernel left a gap."""
        word = _NUMBER.match(text, place)[0]
        value = float(word)
        if np.isinf(value):
            raise self._mistake(self._line(text, place), f"{_shown(word)} is too large a number.")
        if slot >= 0:
            rows.data[slot] = value
        else:
            rows.labels[-1 - slot] = value

    def _note(self, text: bytes, left: np.void) -> None:
        if left["widest"] >= 0 and left["largest"] > self.largest:
            self.largest, self.widest = int(left["largest"]), self._line(text, left["widest"])
        if left["zero"]:
            self.base = 0
        if left["several"] >= 0 and not self.several:
            self.several = self._line(text, left["several"])
        if left["unlabelled"] >= 0 and not self.unlabelled:
            self.unlabelled = self._line(text, left["unlabelled"])

    def _line(self, text: bytes, place: int) -> int:
        return self.n_lines + text.count(b"\n", 0, place) + 1

    def _mistake(self, line: int, what: str) -> UserError:
        return UserError(f"{self.name}: line {line}: {what}")


def blocks(stream: BinaryIO, size: int | None = None) -> Iterator[bytes]:
    """The content in pieces of whole lines, each ended by a newline.

    A NUL byte ends a piece, too: a file without lines is not gathered up to its end.
    """
    kept, n_kept = [], 0
    while block := stream.read(size or _BLOCK):
        cut = len(block) if b"\0" in block else block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*kept, block[:cut]])
            kept, n_kept = [], 0
        kept.append(block[cut:])
        n_kept += len(block) - cut
        if n_kept > _LONGEST:
            raise UserError(f"has a line of more than {_LONGEST:,} bytes, the most that is read.")
    if any(kept):
        yield b"".join([*kept, b"\n"])


def _regrouped(parts: Iterable[Rows], n: int) -> Iterator[Rows]:
    """The same rows, n at a time, and what is left at the end."""
    kept, count = [], 0
    for part in parts:
        kept.append(part)
        count += len(part)
        if count >= n:
            whole, left = joined(kept), count % n
            for start in range(0, count - left, n):
                yield whole.cut(start, start + n)
            kept, count = [whole.cut(count - left, count)], left
    if count:
        yield joined(kept)


def _matrix(rows: Rows, n_features: int) -> csr_array:
    return csr_array((rows.data, rows.indices, rows.indptr), shape=(len(rows), n_features))


def _label_lists(rows: Rows) -> list[tuple[float, ...]]:
    labels, ends = rows.labels.tolist(), rows.label_ptr.tolist()
    return [tuple(labels[ends[r] : ends[r + 1]]) for r in range(len(rows))]


def _complaint(text: bytes, place: int, least: int) -> str:
    """What is wrong with the word at `place`, where the kernel stopped."""
    before = _WORD.findall(text, text.rfind(b"\n", 0, place) + 1, place)
    word = _WORD.match(text, place)[0]
    shown = _shown(word)
    if "\\x" in shown:
        return f"{shown} is not text."
    if not before and b":" not in word:
        return f"label {shown} is no finite number. Write a number, or several with commas."
    pair = _PAIR.fullmatch(word)
    if pair is None:
        return f"{shown} is no index:value pair."
    if _NOT_FINITE.fullmatch(pair[2]):
        return f"{shown} is not finite. Fill in or drop such values."
    if not _NUMBER.fullmatch(pair[2]):
        return f"{shown} has no number after the colon."
    index = pair[1].decode().lstrip("0") or "0"
    if len(index) > 10 or int(index) > LARGEST_INDEX:
        return f"{shown} has an index beyond {LARGEST_INDEX}, the largest that is read."
    if int(index) < least:
        return f"{shown} has index 0 in a file that counts from 1. Read it with index_base '0'."
    previous = before[-1].split(b":")[0].decode()
    return f"index {index} follows index {previous}. Indices must increase within a line."


def _shown(word: bytes, most: int = 40) -> str:
    text = repr(word[:most].decode("utf-8", "backslashreplace"))
    return text + ("..." if len(word) > most else "")
