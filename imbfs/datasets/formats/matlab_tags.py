"""The tags of a MATLAB v5 file, looked through beforehand: scipy trusts them, and can crash."""

import os
import struct
from typing import BinaryIO

from imbfs.errors import UserError

_HEAD = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}
_KINDS = _NUMBERS | {_MATRIX, _COMPRESSED, 16, 17, 18}
# How many elements a matrix has, by its class: flags, dimensions, name, then the values.
_CHAR, _SPARSE, _DENSE = 4, 5, range(6, 16)
_ELEMENTS = {_CHAR: 4, _SPARSE: 6} | dict.fromkeys(_DENSE, 4)


def check(file: BinaryIO) -> None:
    """Refuse a file whose elements are of no known kind, run over its end or are too few.

    Compressed elements carry a checksum of their own, which scipy looks at.
    """
    end = file.seek(0, os.SEEK_END)
    file.seek(_HEAD - 2)
    order = "<" if file.read(2) == b"IM" else ">"
    _elements(file, _HEAD, end, order)


def _elements(file: BinaryIO, at: int, end: int, order: str) -> list[tuple[int, int]]:
    """The kind and the place of every element from `at` to `end`, those inside checked as well."""
    found = []
    while at + 8 <= end:
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
        found.append((kind, start))
        if kind == _MATRIX and size:
            _check_matrix(file, start, _elements(file, start, start + size, order), order)
    return found


def _check_matrix(file: BinaryIO, start: int, elements: list[tuple[int, int]], order: str) -> None:
    if not elements:
        raise UserError(f"is damaged at byte {start}.")
    file.seek(elements[0][1])
    (flags,) = struct.unpack(f"{order}I", file.read(4))
    needed = _ELEMENTS.get(flags & 0xFF)
    if needed is None:
        return
    needed += bool(flags & 0x800)  # an imaginary part
    values = _NUMBERS | ({16, 17, 18} if flags & 0xFF == _CHAR else set())
    if len(elements) < needed or not {kind for kind, _ in elements[:needed]} <= values:
        raise UserError(f"is damaged at byte {start}.")
