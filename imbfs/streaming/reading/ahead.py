"""Items made in a thread of their own, a few ahead: blocks that are read, rows that are parsed."""

from collections.abc import Generator, Iterator
from contextlib import closing
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")
_ROOM = 2  # chunks that wait
_PATIENCE = 0.1  # seconds after which a side looks whether the other is still there
_END = object()


def ahead(items: Generator[Item], stop: Event) -> Iterator[Item]:
    """The items, made in another thread; none more once `stop` is set."""
    waiting, left = Queue(_ROOM), Event()
    maker = Thread(target=_make, args=(items, waiting, left), daemon=True)
    maker.start()
    try:
        while not stop.is_set():
            try:
                item, error = waiting.get(timeout=_PATIENCE)
            except Empty:
                continue
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        left.set()
        maker.join(timeout=1.0)  # it may be waiting for a pipe


def _make(items: Generator, waiting: Queue, left: Event) -> None:
    with closing(items):
        try:
            for item in items:
                _put(waiting, (item, None), left)
                if left.is_set():
                    return
            _put(waiting, (_END, None), left)
        except BaseException as error:
            _put(waiting, (None, error), left)


def _put(waiting: Queue, item: tuple, left: Event) -> None:
    while not left.is_set():
        try:
            return waiting.put(item, timeout=_PATIENCE)
        except Full:
            continue
