"""Inputs gone wrong: a valid one, changed in one to four ways by a seeded generator.

Every mutation is a function of bytes, another valid input and a `random.Random`; the same seed,
format and number give the same bytes on every machine.
"""

import random
import re
import struct
from collections.abc import Callable

Mutation = Callable[[bytes, bytes, random.Random], bytes]

NUMBERS = (
    b"0 -0 1 -1 2147483647 2147483648 -2147483649 4294967296 9223372036854775807 "
    b"18446744073709551616 1e308 1e309 -1e400 1e-400 4.9e-324 nan NaN inf -inf Infinity .5 5. "
    b"0x10 1_000 1e 00000001 +1 --1 1.7976931348623157e308 .inf .nan 0.1e1 1,5"
).split()
WORDS = (
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b" ",
    b",",
    b";",
    b":",
    b'"',
    b"'",
    b"#",
    b"%",
    b"{",
    b"}",
    b"[",
    b"]",
    b"?",
    b"\\",
    b"\0",
    b"\x1b[31m",
    b"\xff",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\x0b",
    b"[red]",
    b"[/red]",
    b"<script>",
    b"!!python/object/apply:os.system ['false']",
    b"&a [*a]",
    b"*a",
    b"<<: ",
    b"!!int x",
    b"!!timestamp x",
    b"- ",
    b"? ",
    b"| ",
    b"@data",
    b"@attribute ",
    b"qid:1",
    b"-C 3",
)
SIZES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
ENCODINGS = ("utf-16", "utf-16-be", "utf-32", "latin-1", "cp037", "utf-8-sig", "utf-7")
_TOKEN = re.compile(rb"[^\s,:;=\"'{}\[\]]+|[\s,:;=\"'{}\[\]]")
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_MOST = 1 << 20  # bytes of a mutated input


def mutated(inputs: list[bytes], rng: random.Random) -> bytes:
    """One of the inputs, changed; one in twenty is left as it is."""
    content, other = rng.choice(inputs), rng.choice(inputs)
    if rng.random() < 0.05:
        return content
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        content = rng.choice(MUTATIONS)(content, other, rng)[:_MOST]
    return content


def flip(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """Some bits the other way round."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8)) if content else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A few bytes replaced by any."""
    start, stop = _span(content, rng, 8)
    return content[:start] + rng.randbytes(stop - start) + content[stop:]


def delete(content: bytes, other: bytes, rng: random.Random) -> bytes:
    start, stop = _span(content, rng, 64)
    return content[:start] + content[stop:]


def insert(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A word that means something to some format, or any bytes."""
    at = rng.randint(0, len(content))
    word = rng.choice(WORDS) if rng.random() < 0.8 else rng.randbytes(rng.randint(1, 8))
    return content[:at] + word + content[at:]


def duplicate(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A part twice, or often."""
    start, stop = _span(content, rng, 256)
    times = rng.choice((2, 2, 3, 100, 2000))
    return content[:start] + content[start:stop] * times + content[stop:]


def swap(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """Two tokens in each other's place."""
    tokens = _TOKEN.findall(content)
    if len(tokens) < 2 or len(content) > 1 << 16:
        return content
    i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[i], tokens[j] = tokens[j], tokens[i]
    return b"".join(tokens)


def truncate(content: bytes, other: bytes, rng: random.Random) -> bytes:
    return content[: rng.randint(0, len(content))]


def number(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A number replaced by an extreme one."""
    found = [match.span() for match in _NUMBER.finditer(content[: 1 << 16])]
    if not found:
        return content
    start, stop = rng.choice(found)
    extreme = rng.choice(NUMBERS) if rng.random() < 0.95 else b"9" * 5000
    return content[:start] + extreme + content[stop:]


def nul(content: bytes, other: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(content))
    return content[:at] + bytes(rng.choice((1, 2, 4, 100))) + content[at:]


def encode(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """The text in another encoding; bytes that are none stand for themselves."""
    return content.decode("latin-1").encode(rng.choice(ENCODINGS), "replace")


def size(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """A number of one to eight bytes, mostly in the head, that says far too much or nothing."""
    width, code = rng.choice(((1, "B"), (2, "H"), (4, "I"), (4, "I"), (8, "Q")))
    if len(content) < width:
        return content
    reach = len(content) if rng.random() < 0.5 else min(len(content), 256)
    at = rng.randrange(max(1, reach - width))
    value = rng.choice(SIZES) & ((1 << 8 * width) - 1)
    return content[:at] + struct.pack(rng.choice("<>") + code, value) + content[at + width :]


def splice(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """The beginning of one input and the end of another."""
    return content[: rng.randint(0, len(content))] + other[rng.randint(0, len(other)) :]


MUTATIONS: tuple[Mutation, ...] = (
    flip,
    overwrite,
    delete,
    insert,
    insert,
    duplicate,
    swap,
    truncate,
    number,
    number,
    nul,
    encode,
    size,
    size,
    splice,
)


def _span(content: bytes, rng: random.Random, most: int) -> tuple[int, int]:
    start = rng.randint(0, len(content))
    return start, min(len(content), start + rng.randint(1, most))


ODD = (
    None,
    True,
    -1,
    7,
    10**40,
    1.5,
    float("inf"),
    float("nan"),
    "",
    "text",
    "2026-11-18T20:08:50",
    "../../x",
    "\x1b[31m\n",
    "\ud800",
    [],
    ["a"],
    [[]],
    {},
    {"a": {"b": [1]}},
)
Place = tuple[str | int, ...]


def places(content, here: Place = ()) -> list[Place]:
    """Every place in JSON at which a value stands, that of all of it first."""
    inside = content.items() if isinstance(content, dict) else ()
    inside = enumerate(content) if isinstance(content, list) else inside
    return [here, *(place for key, value in inside for place in places(value, (*here, key)))]


def retyped(content, place: Place, value):
    """JSON with another value at a place."""
    if not place:
        return value
    key, *rest = place
    changed = content.copy()
    changed[key] = retyped(content[key], tuple(rest), value)
    return changed


def some_retyped(content, rng: random.Random):
    """The same at one to three places, or a place left out, or one value deep within lists."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.choice(places(content))
        if place and isinstance(place[-1], str) and rng.random() < 0.15:
            above = content
            for key in place[:-1]:
                above = above[key]
            kept = {key: value for key, value in above.items() if key != place[-1]}
            content = retyped(content, place[:-1], kept)
        else:
            content = retyped(content, place, rng.choice(ODD))
    return content
