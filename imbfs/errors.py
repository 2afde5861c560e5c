"""Mistakes of the user, told in one line."""

import errno
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

# What a terminal obeys, or cannot show: controls, escapes, turns of the direction, half characters.
_UNSHOWN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class UserError(ValueError):
    """A mistake in the user's input: printed in one line, without a traceback."""

    def __init__(self, text: str):
        super().__init__(one_line(str(text)))

    def within(self, place: str) -> "UserError":
        """The same mistake, with the place it was made in (a file, a field) in front."""
        return UserError(f"{place}: {self}")


class Unwritable(UserError):
    """A file or a folder that cannot be written: no room, no right, a disk that is read-only."""

    @classmethod
    def of(cls, path: object, error: OSError, then: str = "") -> "Unwritable":
        """What stood in the way of writing a path, and what to do then."""
        full = error.errno == errno.ENOSPC
        reason = "no space is left" if full else error.strerror or str(error)
        return cls(f"{path}: cannot be written: {reason}.{then and f' {then}'}")


class Mendable(UserError):
    """What a reader refuses as it stands, and the options with which it would take it."""

    def __init__(self, text: str, options: dict):
        super().__init__(text)
        self.options = options


def printable(text: str) -> str:
    """The text with everything that is no plain character spelled out; lines and tabs stay."""
    return _UNSHOWN.sub(_spelled, text)


def one_line(text: str) -> str:
    """The same, its lines behind one another."""
    return printable(" ".join(text.splitlines()))


def _spelled(found: re.Match) -> str:
    return found[0] if found[0] in "\n\t" else found[0].encode("unicode_escape").decode()


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """' Did you mean 'x'?', or nothing when no known name comes close."""
    written = {other.lower(): other for other in known}
    close = get_close_matches(str(name).lower(), written, n=1)
    return f" Did you mean {shortened(written[close[0]])!r}?" if close else ""


def shortened(text: str, most: int = 40) -> str:
    """A text cut to so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def first_of(names: Sequence[object], most: int = 8) -> str:
    """The first few names, each cut to what can be read, for a message."""
    shown = ", ".join(shortened(str(name)) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")


def lookup(table: dict, name: str, what: str):
    """Return table[name], or say which names exist."""
    if isinstance(name, str) and name in table:
        return table[name]
    raise UserError(
        f"unknown {what} {name!r}.{did_you_mean(name, table)} Known: {', '.join(sorted(table))}."
    )
