"""A measurement in a process of its own: seconds of the processor, and the most memory above what
the process had before. The process is a copy of one that has imported and compiled everything."""

import ctypes
import gc
import os
import resource
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from growing.work import Point, small, work

SECONDS = 30.0  # that a measurement may take
MEMORY = 4 << 30  # bytes that it may take
_SHORT, _REPEATS = 0.2, 5  # what takes less is taken again, and the best counts
_LOOK = 0.5  # seconds between two looks at how long it takes


class Outcome(NamedTuple):
    """Seconds and megabytes, or why there are none: `time` or `memory`."""

    seconds: float | None = None
    megabytes: float | None = None
    left_out: str = ""


def measured(point: Point) -> Outcome:
    """Do the work of a point in a process of its own."""
    call = work(point)
    receive, send = get_context("fork").Pipe(duplex=False)
    child = get_context("fork").Process(target=_tell, args=(point, call, send))
    child.start()
    send.close()
    outcome = _awaited(receive, child)
    child.join()
    if outcome is None:
        raise RuntimeError(f"{point}: its process ended with {child.exitcode}")
    return outcome


def expected(size: int, before: tuple[int, Outcome] | None) -> Outcome | None:
    """What is left out without trying, by the size before: too long if it grew in proportion."""
    if before is None:
        return None
    last, outcome = before
    if outcome.left_out:
        return outcome
    too_long = outcome.seconds * size / last > SECONDS
    return Outcome(left_out="time") if too_long else None


def _awaited(receive, child) -> Outcome | None:
    """What a process tells; one that takes too long is ended.

    A limit that the kernel keeps would make its clock of the processor a coarse one.
    """
    while not receive.poll(_LOOK):
        # Making data is not measured, and takes its time too.
        if _spent(child.pid) > 3 * SECONDS:
            child.kill()
            return Outcome(left_out="time")
    try:
        return receive.recv()
    except EOFError:
        return None


def _spent(process: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _tell(point: Point, call: Callable[[], float], send) -> None:
    small(point)()
    room = _memory("VmSize") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
    before = _settled()
    try:
        seconds = call()
        for _ in range(_REPEATS if seconds < _SHORT else 0):
            seconds = min(seconds, call())
    except MemoryError:
        send.send(Outcome(left_out="memory"))
        return
    send.send(Outcome(seconds, (_memory("VmHWM") - before) / 1e6))


def _settled() -> int:
    """Bytes in use once what is free is given back; the most so far is forgotten."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(name: str) -> int:
    """Bytes that the kernel tells of this process under a name."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return 1024 * int(line.split()[1])
