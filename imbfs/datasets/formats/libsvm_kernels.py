"""The byte parser of LIBSVM text: whole lines in, raw arrays out.

A text ends in a newline, which is neither blank nor digit: no scan needs to look for the end of the
text. What is wrong with a word is not told here; where it starts is, and nothing more is read.
Digits are taken eight at a time: a loop over them would end where no processor can foresee.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LARGEST_INDEX = 2**31 - 1

# What `parse` leaves: how many lines there were, how much it wrote, whether an index was 0, the
# largest one; and places in the text (-1: none): of a word that cannot be read, the first row
# without label, the first with more than one, and a row that holds the largest index.
LEFT = np.dtype(
    [(name, "i8") for name in ("lines", "rows", "values", "labels", "late", "zero", "largest")]
    + [(name, "i8") for name in ("error", "unlabelled", "several", "widest")]
)

NEWLINE, SPACE, HASH, PLUS, COMMA, MINUS, POINT, ZERO, NINE, COLON = b"\n #+,-.09:"
QUERY = tuple(b"qid:")
E, LOWER_CASE = ord("e"), 32  # the bit that makes E an e

EXACT, LATE, BAD = 0, 1, 2  # a number as it is; one to be read by Python; none at all
MOST_DIGITS = 19  # 10^19 < 2^64
MOST_SHIFT = 64
WORD = 8  # bytes that are read at once
POWERS = 10 ** np.arange(WORD + 1, dtype=np.uint64)
# 10^k as the sum of two floats, exact to 2^-106 of it, for |k| <= MOST_SHIFT.
_tens = [Fraction(10) ** k for k in range(-MOST_SHIFT, MOST_SHIFT + 1)]
TENS = np.array([(float(t), float(t - Fraction(float(t)))) for t in _tens])

# Without the interpreter's lock: a stream is parsed in one thread and learned from in another. And
# without counting references to arrays, which takes longer than all else: none is made here.
_kernel = njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
_inline = njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)


@dataclass
class Rows:
    """Row r has the values indptr[r]:indptr[r + 1] and the labels label_ptr[r]:label_ptr[r + 1]."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    labels: np.ndarray
    label_ptr: np.ndarray

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def cut(self, start: int, stop: int) -> "Rows":
        """The rows from start to stop; values and labels are not copied."""
        values = slice(self.indptr[start], self.indptr[stop])
        labels = slice(self.label_ptr[start], self.label_ptr[stop])
        return Rows(
            self.data[values],
            self.indices[values],
            self.indptr[start : stop + 1] - self.indptr[start],
            self.labels[labels],
            self.label_ptr[start : stop + 1] - self.label_ptr[start],
        )


def joined(parts: list[Rows]) -> Rows:
    """All rows in one; a single part is not copied."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.indices for part in parts]),
        _joined_ends([part.indptr for part in parts]),
        np.concatenate([part.labels for part in parts]),
        _joined_ends([part.label_ptr for part in parts]),
    )


def _joined_ends(parts: list[np.ndarray]) -> np.ndarray:
    total = sum(int(part[-1]) for part in parts)
    kind = np.int32 if total < 2**31 else np.int64
    counts = np.concatenate([np.zeros(1, dtype=kind), *(np.diff(part) for part in parts)])
    return np.cumsum(counts, dtype=kind)


def parsed(text: bytes, least: int) -> tuple[Rows, np.ndarray, np.void]:
    """The rows of a text, the numbers left to Python, and a LEFT; see `parse`.

    A value takes a colon, a row a newline, a label a row or a comma: so much room is enough.
    """
    codes = np.frombuffer(text, dtype=np.uint8)
    n_lines, n_colons, n_commas = (np.count_nonzero(codes == byte) for byte in b"\n:,")
    rows = Rows(
        np.empty(n_colons),
        np.empty(n_colons, dtype=np.int32),
        np.empty(n_lines + 1, dtype=np.int32),
        np.empty(n_lines + n_commas),
        np.empty(n_lines + 1, dtype=np.int32),
    )
    late = np.empty((n_colons + n_lines + n_commas, 2), dtype=np.int64)
    left = np.zeros(1, dtype=LEFT)[0]
    left["lines"] = n_lines
    arrays = rows.data, rows.indices, rows.indptr, rows.labels, rows.label_ptr
    parse(codes, least, *arrays, late, left)
    return rows.cut(0, left["rows"]), late[: left["late"]], left


@_kernel
def parse(text, least, data, indices, indptr, labels, label_ptr, late, left):
    """Parse the lines of `text`; indices below `least` are an error.

    `late` gets (slot, place) of the numbers that two floats cannot tell how to round: slot k is
    data[k], slot -1 - k is labels[k].
    """
    left.rows = left.values = left.labels = left.late = left.zero = left.largest = 0
    left.error = left.unlabelled = left.several = left.widest = -1
    indptr[0] = label_ptr[0] = 0
    i = 0
    while i < text.size:
        i = _skip_blanks(text, i)
        if text[i] != NEWLINE and text[i] != HASH:
            i = _read_labels(text, i, labels, late, left)
            i = _skip_query(text, _skip_blanks(text, i))
            i = _read_pairs(text, i, least, data, indices, late, left)
            if left.error >= 0:
                return
            left.rows += 1
            indptr[left.rows] = left.values
            label_ptr[left.rows] = left.labels
        while text[i] != NEWLINE:
            i += 1
        i += 1


@_kernel
def _read_labels(text, i, labels, late, left):
    """Read `1` or `1,3`; a row that starts with a pair or a query has no label."""
    start, before = i, left.labels
    while True:
        value, end, kind = _read_number(text, i)
        if text[end] == COLON or (i == start and _skip_query(text, i) > i):
            left.labels = before
            left.unlabelled = start if left.unlabelled < 0 else left.unlabelled
            return start
        if kind == BAD or not (text[end] == COMMA or _ends_word(text[end])):
            left.error = start
            return end
        labels[left.labels] = value
        if kind == LATE:
            _leave(late, left, -1 - left.labels, i)
        left.labels += 1
        if text[end] != COMMA:
            if left.labels > before + 1 and left.several < 0:
                left.several = start
            return end
        i = end + 1


@_inline
def _read_pairs(text, i, least, data, indices, late, left):
    """Read `index:value` up to the end of the line; indices must increase."""
    k, last = left.values, least - 1
    row = i
    while left.error < 0:
        i = _skip_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            break
        index, colon = _read_index(text, i)
        if index <= last or index > LARGEST_INDEX or text[colon] != COLON:
            left.error = i
            break
        value, end, kind = _read_number(text, colon + 1)
        if kind == BAD or not _ends_word(text[end]):
            left.error = i
            break
        if kind == LATE:
            _leave(late, left, k, colon + 1)
        if index == 0:
            left.zero = 1
        data[k] = value
        indices[k] = index
        k += 1
        last, i = index, end
    left.values = k
    if last > left.largest or (left.widest < 0 and last >= least):
        left.largest, left.widest = last, row
    return i


@_inline
def _read_index(text, i):
    """The whole number that starts at i, -1 if none does, and where it ends."""
    number, end = _read_digits(text, i, np.uint64(0))
    if end == i:
        return -1, end
    if end - i >= MOST_DIGITS and end - i - _count_zeros(text, i) >= MOST_DIGITS:
        return LARGEST_INDEX + 1, end
    return np.int64(number), end


@_inline
def _read_number(text, i):
    """The decimal number that starts at i, where it ends, and whether it is EXACT, LATE or BAD."""
    if ZERO <= text[i] <= NINE and text[i + 1] == SPACE:  # most values of most sparse files
        return np.float64(text[i] - ZERO), i + 1, EXACT
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    start, shift = i, 0
    if ZERO <= text[i] <= NINE and text[i + 1] == POINT:  # most of the others
        mantissa, i = np.uint64(text[i] - ZERO), i + 1
    else:
        mantissa, i = _read_digits(text, i, np.uint64(0))
    digits = i - start
    if text[i] == POINT:
        point = i + 1
        mantissa, i = _read_digits(text, point, mantissa)
        shift = point - i
        digits -= shift
    if digits == 0:
        return 0.0, i, BAD
    if digits > MOST_DIGITS:
        digits -= _count_zeros(text, start)
    if text[i] | LOWER_CASE == E:
        exponent, i = _read_exponent(text, i + 1)
        if i < 0:
            return 0.0, -i, BAD
        shift += exponent
    value, kind = _round(mantissa, digits, shift)
    return (-value if negative else value), i, kind


@_inline
def _read_digits(text, i, number):
    """The number with the digits from i on at its end, as far as 64 bits go, and where they end."""
    n = WORD
    while n == WORD:
        word = _word(text, i)
        n = _count_digits(word)
        if n > 0:
            number = POWERS[n] * number + _digits_value(word << np.uint64(64 - 8 * n))
        i += n
    return number, i


@_inline
def _word(text, i):
    """The eight bytes from i on, the first the lowest; beyond the end of the text they are 0."""
    if i + WORD <= text.size:
        return _load(text, i)
    word = np.uint64(0)
    for k in range(text.size - i):
        word |= np.uint64(text[i + k]) << np.uint64(8 * k)
    return word


@intrinsic
def _load(_, text, i):
    """The eight bytes from i on, by one instruction; the machine has the lowest byte first."""

    def written(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        kind = context.get_value_type(types.uint64).as_pointer()
        return builder.load(builder.bitcast(place, kind), align=1)

    return types.uint64(text, i), written


@intrinsic
def _trailing_zeros(_, word):
    """How many of the lowest bits are 0."""

    def written(context, builder, signature, args):
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(word), written


@_inline
def _count_digits(word):
    """How many bytes of a word, from the lowest on, are digits.

    The highest bit of a byte is set by one of the sums if it is no digit; what is carried over from
    it changes only bytes above, which no longer count.
    """
    others = (word + np.uint64(0x4646464646464646)) | (word - np.uint64(0x3030303030303030))
    return _trailing_zeros(others & np.uint64(0x8080808080808080)) // WORD


@_inline
def _digits_value(word):
    """The number of eight digits, the first in the lowest byte; bytes of 0 are zeros before it.

    Neighbours are put together: digits to numbers below 100, these to numbers below 10^4, to one.
    """
    word &= np.uint64(0x0F0F0F0F0F0F0F0F)
    word = (word * np.uint64(10 * 2**8 + 1)) >> np.uint64(8)
    word &= np.uint64(0x00FF00FF00FF00FF)
    word = (word * np.uint64(100 * 2**16 + 1)) >> np.uint64(16)
    word &= np.uint64(0x0000FFFF0000FFFF)
    return (word * np.uint64(10_000 * 2**32 + 1)) >> np.uint64(32)


@_inline
def _count_zeros(text, i):
    """How many zeros a number begins with, before and after its point."""
    n = 0
    while text[i] == ZERO or text[i] == POINT:
        n += text[i] == ZERO
        i += 1
    return n


@_inline
def _read_exponent(text, i):
    """The exponent that starts at i and where it ends, negative if there is none."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    start, exponent = i, 0
    while ZERO <= text[i] <= NINE:
        exponent = min(10 * exponent + (text[i] - ZERO), 10**9)
        i += 1
    return (-exponent if negative else exponent), (i if i > start else -i)


@_inline
def _round(mantissa, digits, shift):
    """mantissa * 10^shift, rounded once, or LATE where that takes more than two floats.

    With a + b = mantissa and t + u = 10^shift, the product is p + e + a u + b t, where p + e = a t
    exactly (Dekker) and what is left out and rounded off is below 2^-100 of p. Where adding and
    taking away as much gives the same float, that is the nearest one.
    """
    if mantissa <= np.uint64(2**53) and digits <= MOST_DIGITS and -22 <= shift <= 22:
        power = TENS[MOST_SHIFT + abs(shift), 0]  # both exact
        return (mantissa / power if shift < 0 else mantissa * power), EXACT
    if digits > MOST_DIGITS or abs(shift) > MOST_SHIFT:
        return 0.0, LATE
    t, u = TENS[MOST_SHIFT + shift]
    a = np.float64(mantissa)
    b = np.float64(np.int64(mantissa - np.uint64(a)))
    p = a * t
    rest = _product_error(a, t, p) + (a * u + b * t)
    doubt = p * 2.0**-100
    value = p + (rest - doubt)
    return value, (EXACT if value == p + (rest + doubt) else LATE)


@_inline
def _product_error(a, b, product):
    """a * b - product, exactly: each factor is split into halves of 26 bits (Dekker, 1971)."""
    a_high = a * 134217729.0 - (a * 134217729.0 - a)  # 2^27 + 1
    b_high = b * 134217729.0 - (b * 134217729.0 - b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@_inline
def _skip_query(text, i):
    """Where `qid:7` ends if it stands at i, else i."""
    end = i
    for byte in QUERY:
        if text[end] != byte:
            return i
        end += 1
    index, end = _read_index(text, end)
    return end if index >= 0 and _ends_word(text[end]) else i


@_inline
def _skip_blanks(text, i):
    while _is_blank(text[i]):
        i += 1
    return i


@_inline
def _is_blank(byte):
    """Whether bytes.split() would split here, within a line."""
    return byte == SPACE or (9 <= byte <= 13 and byte != NEWLINE)


@_inline
def _ends_word(byte):
    return _is_blank(byte) or byte == NEWLINE or byte == HASH


@_inline
def _leave(late, left, slot, place):
    late[left.late, 0] = slot
    late[left.late, 1] = place
    left.late += 1
