"""The text of an ARFF file: its attributes, and its rows as numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from scipy.sparse import csr_array

from imbfs.errors import UserError

_TOKEN = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_TOKEN}|[^\s{{]+)(?:\s+|(?=\{{))(\{{.*\}}|\S.*)\s*$", re.I
)
_FIELD = re.compile(rf"\s*+({_TOKEN}(?=\s*+(?:,|$))|[^,]*+)\s*+(?:,|$)")
_PAIR = re.compile(rf"\s*+(\d{{1,18}})\s++({_TOKEN}|[^,\s]+)\s*+(?:,|$)")
_MEKA = re.compile(r"-C\s+(-?\d{1,9})(?!\d)")
_NUMERIC = {"numeric", "real", "integer"}
_ROWS = 1000  # rows held as text at a time


@dataclass(frozen=True)
class Attribute:
    """A column: a number, or one of the declared `values`; None for text and dates."""

    name: str
    values: tuple[str, ...] | None
    numeric: bool

    @property
    def is_plain(self) -> bool:
        """Whether the code of a value is the number it stands for."""
        return self.numeric or self.values in (("0", "1"), ("0",))


def parsed(
    found: bytes,
) -> tuple[list[Attribute], np.ndarray | csr_array, int | None, str | None]:
    """Attributes, codes, MEKA's number of labels, in the relation, and KEEL's name of the class.

    A code is a number as it is, or the place of a nominal value in its declaration, NaN where it
    is missing; there is one row a sample, sparse where the file has sparse rows.
    """
    lines = _lines(found)
    attributes, meka, output = _head(lines)
    return attributes, _codes(lines, attributes), meka, output


def _lines(found: bytes) -> Iterator[tuple[int, str]]:
    try:
        text = found.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = found.decode("latin-1")  # what Weka wrote before it wrote UTF-8
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def _head(
    lines: Iterator[tuple[int, str]],
) -> tuple[list[Attribute], int | None, str | None]:
    """The attributes, MEKA's number of labels, and what KEEL calls the output."""
    attributes, meka, output = [], None, None
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@relation":
            meka = (found := _MEKA.search(line)) and int(found[1])
        elif word == "@attribute":
            attributes.append(_attribute(line, number))
        elif word == "@data":
            return _distinct(attributes), meka, output
        elif word in ("@output", "@outputs"):
            output = _bare(line[len(word) :].strip()) or None
        elif word in ("@input", "@inputs"):
            continue
        else:
            raise UserError(f"line {number}: {line[:20]!r} is no declaration.")
    raise UserError("has no @data.")


def _attribute(line: str, number: int) -> Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise UserError(f"line {number}: is no valid @attribute.")
    name, kind = _bare(match[1]), match[2]
    if kind.startswith("{"):
        values = tuple(_fields(kind[1:-1]))
        return Attribute(name, values, False)
    return Attribute(name, None, re.split(r"[\s\[]", kind)[0].lower() in _NUMERIC)


def _distinct(attributes: list[Attribute]) -> list[Attribute]:
    seen = set()
    for attribute in attributes:
        if attribute.name in seen:
            raise UserError(f"two attributes are called {attribute.name!r}. Rename one.")
        seen.add(attribute.name)
    return attributes


def _codes(lines, attributes: list[Attribute]) -> np.ndarray | csr_array:
    """One row a sample: numbers as they are, nominal values as their place in the declaration."""
    first = next(lines, None)
    if first is None:
        raise UserError("has no samples.")
    lines = chain([first], lines)
    if first[1].startswith("{"):
        return _sparse(lines, attributes)
    parts = []
    while rows := list(islice(lines, _ROWS)):
        parts.append(_dense(rows, attributes))
    return np.concatenate(parts)


def _dense(rows: list[tuple[int, str]], attributes: list[Attribute]) -> np.ndarray:
    width = len(attributes)
    cells = []
    for number, line in rows:
        fields = _fields(line)
        if len(fields) != width:
            message = f"has {len(fields)} values. There are {width} attributes."
            raise UserError(f"line {number}: {message}")
        cells.append(fields)
    numbers = [number for number, _ in rows]
    codes = np.empty((len(rows), width))
    for j, column in enumerate(zip(*cells, strict=True)):
        codes[:, j] = _column(column, numbers, attributes[j])
    return codes


def _sparse(lines, attributes: list[Attribute]) -> csr_array:
    numbers, indptr, columns, texts = [], [0], [], []
    for number, line in lines:
        inside = line[1:-1].strip()
        if line[:1] + line[-1:] != "{}":
            raise UserError(f"line {number}: is no sparse row {{index value, ...}}.")
        for position, text in _pairs(inside, number, len(attributes)):
            columns.append(position)
            texts.append(text)
            numbers.append(number)
        indptr.append(len(columns))
    columns = np.array(columns, dtype=np.int32)
    values = np.zeros(len(columns))
    texts, numbers = np.array(texts, dtype=object), np.array(numbers)
    order = np.argsort(columns, kind="stable")
    for spots in np.split(order, np.flatnonzero(np.diff(columns[order])) + 1):
        if len(spots):
            values[spots] = _column(texts[spots], numbers[spots], attributes[columns[spots[0]]])
    return csr_array((values, columns, np.array(indptr)), shape=(len(indptr) - 1, len(attributes)))


def _pairs(inside: str, number: int, width: int) -> Iterator[tuple[int, str]]:
    at, last = 0, -1
    while at < len(inside):
        match = _PAIR.match(inside, at)
        if match is None:
            raise UserError(f"line {number}: {inside[at : at + 20]!r} is no index and value.")
        position, at = int(match[1]), match.end()
        if not last < position < width:
            message = f"index {position} is not between {last + 1} and {width - 1}."
            raise UserError(f"line {number}: {message}")
        last = position
        yield position, _bare(match[2])


def _column(texts, numbers, attribute: Attribute) -> np.ndarray:
    """The codes of some values of one attribute, NaN where one is missing."""
    if attribute.values is not None:
        code = {value: i for i, value in enumerate(attribute.values)} | {"?": np.nan}
        decode, declared = code.__getitem__, ", ".join(attribute.values[:8])
    elif attribute.numeric:
        decode, declared = _number, "numbers"
    else:
        return np.full(len(texts), np.nan)  # text: no feature, and refused where it is used
    try:
        return np.fromiter(map(decode, texts), dtype=np.float64, count=len(texts))
    except (KeyError, ValueError):
        for text, number in zip(texts, numbers, strict=True):
            if not _is_readable(decode, text):
                message = f"{attribute.name!r} has the undeclared value {text!r}."
                raise UserError(f"line {number}: {message} Declared: {declared}.") from None
        raise


def _is_readable(decode, text: str) -> bool:
    try:
        decode(text)
    except (KeyError, ValueError):
        return False
    return True


def _number(text: str) -> float:
    return np.nan if text == "?" else float(text)


def _fields(line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    found, at = [], 0
    while at <= len(line):
        match = _FIELD.match(line, at)
        found.append(_bare(match[1].rstrip()))
        at = match.end() + (match.end() == len(line) and not match[0].endswith(","))
    return found


def _bare(token: str) -> str:
    if token[:1] in ("'", '"') and len(token) > 1:
        return re.sub(r"\\(.)", r"\1", token[1:-1])
    return token
