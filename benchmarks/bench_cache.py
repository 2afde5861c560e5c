"""Opening a set a second time, from the cache: milliseconds, and against parsing it."""

import os
import tempfile

from timing import best, show

from imbfs import datasets
from imbfs.datasets import Source, load

SETS = ("w8a", "news20", "covtype", "mnist")
ROUNDS = 5


def rows() -> list[tuple[str, float, str]]:
    """What was timed, the milliseconds, and the aim; nothing unless IMBFS_DATA names the sets."""
    if "IMBFS_DATA" not in os.environ:
        return []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["IMBFS_CACHE"] = folder
        seconds = best({name: lambda name=name: _anew(name) for name in SETS}, ROUNDS)
        del os.environ["IMBFS_CACHE"]
    return [(f"cache: second load of {n}, ms", 1e3 * s, "<= 20") for n, s in seconds.items()]


def _anew(name: str) -> None:
    """As a new process would: nothing of the file is remembered."""
    datasets._opened.cache_clear()
    datasets._content.cache_clear()
    load(Source(name))


if __name__ == "__main__":
    show(rows())
