"""Delimited text cut into lines: separator, decimal sign and names found out from the content."""

import csv
from collections.abc import Collection
from dataclasses import dataclass

from imbfs.datasets.formats.arrays import MISSING, is_number
from imbfs.errors import UserError

_SAMPLE = 20  # lines looked at to find out how a file is written


@dataclass(frozen=True)
class Table:
    """The lines of a delimited text with their numbers in the file; `names` is its first row."""

    lines: list[bytes]
    numbers: list[int]
    separator: str
    decimal: str
    names: list[str] | None

    @property
    def width(self) -> int:
        return len(fields(self.lines[0], self.separator))

    def first(self, most: int | None = None) -> list[str]:
        """The first field of every line, or of the first few."""
        cut = self.separator.encode()
        lines = self.lines[:most]
        if any(line.startswith(b'"') for line in lines):
            return [fields(line, self.separator)[0] for line in lines]
        return [line.split(cut, 1)[0].decode().strip() for line in lines]


def lines_of(content: bytes) -> tuple[list[bytes], list[int]]:
    """The lines that hold something, with their numbers; those that start with # are comments."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in content:
        raise UserError("is not text.")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"line {line}: is not UTF-8 text. Save the file as UTF-8.") from None
    lines = content.splitlines()
    numbers = [
        number
        for number, line in enumerate(lines, 1)
        if line and not line.isspace() and not line.startswith(b"#")
    ]
    if not numbers:
        raise UserError("is empty.")
    if len(numbers) < len(lines):
        lines = [lines[number - 1] for number in numbers]
    return lines, numbers


def separator_of(lines: list[bytes]) -> str:
    """The first of tab, semicolon and comma that cuts the lines into as many fields each."""
    sample = lines[:_SAMPLE]
    for separator in "\t;,":
        first, *rest = (len(fields(line, separator)) for line in sample)
        if first > 1 and set(rest) <= {first} or len(set(rest)) == 1 and rest[0] == first + 1 > 2:
            return separator
    return max(",;\t", key=lambda separator: sample[0].count(separator.encode()))


def table(
    lines: list[bytes], numbers: list[int], header: bool | None, wanted: Collection[str] = ()
) -> Table:
    """The lines as a table; a row of another width is refused, naming its line.

    With `header=None` the first row holds names if it has a text above numbers, one field less
    than the others, or one of the names `wanted`. One that counts 0, 1, 2, ... may be either, and
    is refused. A name may be missing above the first column.
    """
    separator = separator_of(lines)
    sample = [fields(line, separator) for line in lines[:_SAMPLE]]
    decimal = "," if separator != "," and _decimal_commas(sample) else "."
    if header is None:
        header = _has_names(sample, decimal, wanted)
    names = sample[0] if header else None
    if header:
        lines, numbers = lines[1:], numbers[1:]
        if not lines:
            raise UserError("has names but no rows.")
        if len(names) + 1 == len(fields(lines[0], separator)):
            names = ["", *names]
    width = len(sample[0]) if names is None else len(names)
    check_widths(lines, numbers, separator, width)
    return Table(lines, numbers, separator, decimal, names)


def fields(line: bytes, separator: str) -> list[str]:
    text = line.decode()
    found = _unquoted(text, separator)[0] if '"' in text else text.split(separator)
    return [field.strip() for field in found]


def _unquoted(text: str, separator: str) -> tuple[list[str], bool]:
    """The fields of a line with quotes, and whether the last one is closed."""
    try:
        found, *after = csv.reader([text, ""], delimiter=separator, skipinitialspace=True)
    except csv.Error as error:
        raise UserError(f"{text[:20]!r}...: cannot be read ({error}).") from None
    return found, bool(after)  # an open quote takes the next line, which is empty, too


def check_widths(lines: list[bytes], numbers: list[int], separator: str, width: int) -> None:
    """Refuse a row of another width, naming its line."""
    cut = separator.encode()
    for line, number in zip(lines, numbers, strict=True):
        if b'"' in line:
            several, closed = _unquoted(line.decode(), separator)
            if not closed:
                raise UserError(f"line {number}: a quote is not closed on its line.")
            found = len(several)
        else:
            found = line.count(cut) + 1
        if found != width:
            raise UserError(f"line {number}: has {found} fields. The first row has {width}.")


def _decimal_commas(sample: list[list[str]]) -> bool:
    values = [field for row in sample for field in row]
    commas = any("," in value and is_number(value.replace(",", ".")) for value in values)
    return commas and not any("." in value and is_number(value) for value in values)


def _has_names(sample: list[list[str]], decimal: str, wanted: Collection[str]) -> bool:
    first, *rest = sample
    if any(name in first for name in wanted):
        return True
    if rest and len(rest[0]) == len(first) + 1:
        return True
    if first[0] == "" and _counts(first[1:]):
        return True
    if _counts(first):
        raise UserError("header: does the first row hold names or a sample? Say true or false.")
    for above, *below in zip(*sample, strict=False):
        below = [value.replace(decimal, ".") for value in below if value not in MISSING]
        numbers = [is_number(value) for value in below]
        text = above not in MISSING and not is_number(above.replace(decimal, "."))
        if text and numbers and all(numbers):
            return True
    # Rows that are named, under a corner that is not.
    return first[0] == "" and bool(rest) and not any(is_number(row[0]) for row in rest)


def _counts(row: list[str]) -> bool:
    places = range(len(row))
    return len(row) > 1 and row in ([str(i) for i in places], [str(i + 1) for i in places])
