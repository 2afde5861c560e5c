"""The tags of a MATLAB v5 file, looked through beforehand: scipy trusts them, and can crash."""

import io
import os
import struct
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from imbfs.datasets.formats.compression import check_room, limit
from imbfs.errors import UserError

_HEAD = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}
_KINDS = _NUMBERS | {_MATRIX, _COMPRESSED, 16, 17, 18}
# How many elements a matrix has, by its class: flags, dimensions, name, then the values.
_CHAR, _SPARSE, _DENSE = 4, 5, range(6, 16)
_ELEMENTS = {_CHAR: 4, _SPARSE: 6} | dict.fromkeys(_DENSE, 4)
_DEEPEST = 50  # matrices within matrices


@dataclass(frozen=True)
class _Element:
    """What it holds, where its tag and its values start, and how many bytes they take."""

    kind: int
    tag: int
    start: int
    size: int


def checked(file: BinaryIO) -> BinaryIO:
    """The file with its compressed elements unpacked, if it has any.

    One whose elements are of no known kind, run over its end, are too few or unpack to too much is
    refused.
    """
    end = file.seek(0, os.SEEK_END)
    file.seek(_HEAD - 2)
    order = "<" if file.read(2) == b"IM" else ">"
    elements = _elements(file, _HEAD, end, order)
    if all(element.kind != _COMPRESSED for element in elements):
        return file
    plain = _unpacked(file, elements, end)
    _elements(plain, _HEAD, plain.seek(0, os.SEEK_END), order)
    return plain


def _unpacked(file: BinaryIO, elements: list[_Element], size: int) -> BinaryIO:
    file.seek(0)
    plain = io.BytesIO()
    plain.write(file.read(_HEAD))
    for element in elements:
        if element.kind == _COMPRESSED:
            file.seek(element.start)
            stream = zlib.decompressobj()
            left = limit(size) - plain.tell()
            plain.write(stream.decompress(file.read(element.size), max(1, left)))
            check_room(plain.tell() + bool(stream.unconsumed_tail), size)
            if not stream.eof:
                raise UserError(f"is damaged at byte {element.start}.")
        else:
            file.seek(element.tag)
            plain.write(file.read(element.start + element.size - element.tag))
        plain.write(bytes(-plain.tell() % 8))
    return plain


def _elements(file: BinaryIO, at: int, end: int, order: str, depth: int = 0) -> list[_Element]:
    """Every element from `at` to `end`, those inside checked as well."""
    if depth > _DEEPEST:
        raise UserError(f"holds matrices within matrices, more than {_DEEPEST} deep.")
    found = []
    while at + 8 <= end:
        tag = at
        file.seek(at)
        kind, size = struct.unpack(f"{order}II", file.read(8))
        if kind >> 16:  # a small element keeps its size beside its kind, its values in the tag
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
            at += 8
        else:
            start = at + 8
            at = start + size + (-size % 8 if kind != _COMPRESSED else 0)
        if kind not in _KINDS or start + size > end:
            raise UserError(f"is damaged at byte {start}.")
        found.append(_Element(kind, tag, start, size))
        if kind == _MATRIX and size:
            inside = _elements(file, start, start + size, order, depth + 1)
            _check_matrix(file, start, inside, order)
    return found


def _check_matrix(file: BinaryIO, start: int, elements: list[_Element], order: str) -> None:
    if not elements or elements[0].size < 4:
        raise UserError(f"is damaged at byte {start}.")
    file.seek(elements[0].start)
    (flags,) = struct.unpack(f"{order}I", file.read(4))
    needed = _ELEMENTS.get(flags & 0xFF)
    if needed is None:
        return
    needed += bool(flags & 0x800)  # an imaginary part
    values = _NUMBERS | ({16, 17, 18} if flags & 0xFF == _CHAR else set())
    if len(elements) < needed or not {each.kind for each in elements[:needed]} <= values:
        raise UserError(f"is damaged at byte {start}.")
