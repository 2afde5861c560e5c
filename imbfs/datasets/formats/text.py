"""Delimited text cut into lines: separator, decimal sign and names found out from the content."""

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import dropwhile
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator

from imbfs.datasets.formats.arrays import MISSING, is_number
from imbfs.errors import UserError

_SAMPLE = 20  # lines looked at to find out how a file is written
_WORDS = {"comma": ",", "semicolon": ";", "\\t": "\t", "tab": "\t", "blank": " ", "blanks": " "}
_DIGIT = re.compile(rb"\d")
_BLANKS = re.compile(rb'("(?:[^"]|"")*")|\s+')
_ASK = (
    "header: does the first row hold names or a sample? Give header=yes or header=no "
    "(--read, or read: in a config), or the name of the target if it holds that."
)
_GEO = (
    "is a series matrix of GEO. Take its table alone (grep -v '^!' FILE > table.tsv) and a second "
    "file of the classes: --samples columns --read labels=FILE."
)
# What is no number and yet no name either: a limit of detection, an error of Excel, infinity.
_SIGNS = "<>=~\N{ALMOST EQUAL TO}\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO} "
_VALUE = re.compile(r"[+-]?(inf(inity)?|nan|0x[0-9a-f.]+(p[+-]?\d+)?)|#[A-Z/0]+[!?]?", re.I)


def _switched(given):
    return {"yes": True, "no": False}.get(given, given) if isinstance(given, str) else given


def _separator(given: str) -> str:
    found = _WORDS.get(given, given)
    if len(found) != 1 or found.isalnum() or found in "\"'.+-#\r\n":
        known = ", ".join(sorted(set(_WORDS) - {"\\t", "blank"}))
        raise UserError(f"{given!r} separates no fields. Write one sign, or {known}.")
    return found


Switch = Annotated[bool, BeforeValidator(_switched)]  # true or false; yes or no on a command line
Separator = Annotated[str, AfterValidator(_separator)]
Decimal = Literal[".", ","]


@dataclass(frozen=True)
class Rows:
    """The lines of a delimited text that hold rows, with their numbers in the file.

    `comments` counts the lines that were left out.
    """

    lines: list[bytes]
    numbers: list[int]
    separator: str
    comments: int = 0


@dataclass(frozen=True)
class Table:
    """The rows of a delimited text below its header, which is `names`, if it has one."""

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
    """The lines that hold something, with their numbers."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in content:
        raise UserError("is not text.")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"line {line}: is not UTF-8 text. Save the file as UTF-8.") from None
    lines = content.splitlines()
    numbers = [number for number, line in enumerate(lines, 1) if line and not line.isspace()]
    if not numbers:
        raise UserError("is empty.")
    if len(numbers) < len(lines):
        lines = [lines[number - 1] for number in numbers]
    return lines, numbers


def rows_of(
    content: bytes,
    separator: str | None = None,
    comments: bool | None = None,
    *,
    width: int | None = None,
    blanks: bool = True,
) -> Rows:
    """The rows of a text: its lines without the comments.

    Unless `comments` settles it, a line that begins with # may be a comment if it has one field
    where rows have several, or another number of fields than they have and stands above them. It is
    one if a blank or another # follows, or if it has no digit: a sample may be called #5, a header
    #SampleID. With a `width`, rows of so many fields came before.
    """
    lines, numbers = lines_of(content)
    if lines[0].startswith(b"!Series_"):
        raise UserError(_GEO)
    marked = [line.startswith(b"#") for line in lines]
    plain = [line for line, mark in zip(lines, marked, strict=True) if not mark][:_SAMPLE]
    plain = plain or lines[-_SAMPLE:]
    separator = separator or separator_of(plain, blanks)
    if separator == " ":
        lines, plain = list(map(_spaced, lines)), list(map(_spaced, plain))
    if comments is False or not any(marked):
        return Rows(lines, numbers, separator)
    begun, width = width is not None, width or len(fields(plain[-1], separator))
    whole = (i for i, line in enumerate(lines) if len(fields(line, separator)) == width)
    above = 0 if begun else next(whole) if all(marked) else marked.index(False)

    def is_comment(place: int) -> bool:
        line, found = lines[place], len(fields(lines[place], separator))
        if width == 1:
            return place < above and not line[1:2].strip()
        is_prose = not line[1:2].strip(b" \t#!") or not _DIGIT.search(line)
        return is_prose and found != width and (found == 1 or place < above)

    kept = [i for i, mark in enumerate(marked) if not mark or not (comments or is_comment(i))]
    if not kept and not begun:
        raise UserError("is empty.")
    n_comments = len(lines) - len(kept)
    return Rows([lines[i] for i in kept], [numbers[i] for i in kept], separator, n_comments)


def separator_of(lines: list[bytes], blanks: bool = True) -> str:
    """The first of tab, semicolon, comma and blanks that cuts the lines into as many fields each.

    The line of names may have one less. Blanks are tried where the first line has no other, or
    commas within numbers alone.
    """
    sample = lines[:_SAMPLE]
    counts = {cut: [len(fields(line, cut)) for line in sample] for cut in "\t;,"}
    most = max(counts, key=lambda cut: sample[0].count(cut.encode()))
    if blanks and most == "," and _are_decimal(sample):
        return " "
    if blanks and sample[0].count(most.encode()) == 0:
        counts[" "] = [len(fields(_spaced(line), " ")) for line in sample]
    for separator, (first, *rest) in counts.items():
        if first > 1 and set(rest) <= {first} or len(set(rest)) == 1 and rest[0] == first + 1 > 2:
            return separator
    return most if sample[0].count(most.encode()) else ","


def table(
    rows: Rows,
    header: bool | None = None,
    wanted: Collection[str] = (),
    decimal: str | None = None,
) -> Table:
    """The rows as a table; a row of another width is refused, naming its line.

    With `header=None` the first row holds names if most columns of numbers have a text above them,
    or if one of the names `wanted` is in it. Where both could be, the file is refused. A name may
    be missing above the first column.
    """
    lines, numbers, separator = rows.lines, rows.numbers, rows.separator
    sample = [fields(line, separator) for line in lines[:_SAMPLE]]
    if decimal is None:
        decimal = "," if separator != "," and _decimal_commas(sample) else "."
    if header is None:
        wanted = [name for name in wanted if not _stands_below(name, sample[0], rows)]
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


def described(table: Table, comments: int) -> str:
    """How a table was read, in words."""
    words = {cut: word for word, cut in _WORDS.items() if cut.isspace()}
    separator = words.get(table.separator, repr(table.separator))
    header = "yes" if table.names else "no"
    lines = "1 comment" if comments == 1 else f"{comments} comments"
    return f"separator {separator}, decimal {table.decimal!r}, header {header}, {lines}"


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


def _spaced(line: bytes) -> bytes:
    """A line with one blank between its fields."""
    line = line.strip()
    if b'"' not in line:
        return b" ".join(line.split())
    return _BLANKS.sub(lambda found: found[1] or b" ", line)


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
            said = f"line {number}: has {found} fields. The first row has {width}."
            if line.startswith(b"#"):
                said += " For a comment give comments=yes."
            raise UserError(said)


def _decimal_commas(sample: list[list[str]]) -> bool:
    values = [field for row in sample for field in row]
    commas = any("," in value and is_number(value.replace(",", ".")) for value in values)
    return commas and not any("." in value and is_number(value) for value in values)


def _are_decimal(sample: list[bytes]) -> bool:
    """Whether all commas stand within numbers if blanks cut the lines, into as many fields each."""
    rows = [fields(_spaced(line), " ") for line in sample]
    commas = [field for row in rows for field in row if "," in field]
    numbers = all(f == f.strip(",") and is_number(f.replace(",", ".")) for f in commas)
    return {len(row) for row in rows} == {max(len(rows[0]), 2)} and numbers


def _has_names(sample: list[list[str]], decimal: str, wanted: Collection[str]) -> bool:
    """Whether the first row holds names. In doubt the user is asked: no sample may be lost."""
    first, *rest = sample
    if len({len(row) for row in rest} | {len(first)}) > 1 and not _is_short(sample):
        return False  # which is refused
    if first[0] == "" and _counts(first[1:]):
        return True
    if _counts(first):
        raise UserError(_ASK)
    texts, others, apart, again = set(), 0, set(), False
    fewer = _is_short(sample)
    for above, *below in zip(["", *first] if fewer else first, *rest, strict=False):
        found = [value.replace(decimal, ".") for value in below if value not in MISSING]
        if not found or above in MISSING:
            continue
        is_value = _is_value(above.replace(decimal, "."))
        if 2 * sum(map(is_number, found)) > len(found):
            others += is_value
            texts |= set() if is_value else {above}
            apart |= {above} if _is_apart(above, found) else set()
        elif above in below:
            again = True  # as classes do; a column seldom holds its own name
    if len(texts) > others and (not again or len(texts) > 1 and not others):
        return True
    if texts and not again and len(apart) == others > 1:
        return True
    named = any(name in first and not is_number(name) for name in wanted)
    if named:
        return True
    if fewer and not others:
        return True
    if first[0] == "" and rest and not any(is_number(row[0]) for row in rest):
        if all(text.isdecimal() or not _is_value(text) for text in first):
            return True  # rows are named, under a corner that is not
        raise UserError(_ASK)
    if rest and (texts or not others and not again):
        raise UserError(_ASK)
    return False


def has_ids(rows: Rows) -> bool | None:
    """Whether the first row, of different whole numbers behind a text, holds the ids of samples.

    It does if they count or most values below are no whole numbers; else the user is asked. None if
    it is another row.
    """
    first, *rest = [fields(line, rows.separator) for line in rows.lines[:_SAMPLE]]
    ids = list(dropwhile(lambda field: field not in MISSING and not _is_value(field), first))
    begin = len(first) - len(ids)
    different = len(set(ids)) == len(ids) > 1 and all(map(str.isdecimal, ids))
    if not (rest and begin and different):
        return None
    below = [field for row in rest for field in row[begin:] if field not in MISSING]
    if _counts(ids) or 2 * sum(map(str.isdecimal, below)) < len(below):
        return True
    raise UserError(_ASK)


def _is_short(sample: list[list[str]]) -> bool:
    """Whether the first row has one field less than the others."""
    return {len(row) for row in sample[1:]} == {len(sample[0]) + 1}


def _stands_below(name: str, first: list[str], rows: Rows) -> bool:
    """Whether a text of the first row stands in another row of its column too, as a class does."""
    if name not in first:
        return False
    place, text = first.index(name), name.encode()
    others = (fields(line, rows.separator) for line in rows.lines[1:] if text in line)
    return any(len(row) > place and row[place] == name for row in others)


def _is_apart(above: str, below: list[str]) -> bool:
    """Whether a whole number is further from those below than these are from one another."""
    values = [float(value) for value in below if is_number(value)]
    if not above.isdecimal() or len(values) < 3:
        return False
    return min(abs(float(above) - value) for value in values) > max(values) - min(values) > 0


def _is_value(text: str) -> bool:
    """Whether a text is a number, or written where a number is not known."""
    bare = text.lstrip(_SIGNS).rstrip(" %")
    return is_number(bare) or _VALUE.fullmatch(text) is not None


def _counts(row: list[str]) -> bool:
    places = range(len(row))
    return len(row) > 1 and row in ([str(i) for i in places], [str(i + 1) for i in places])
