"""Units on a dask cluster: workers may come, go and be killed; what they give stays the same."""

import logging
import pickle
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from time import monotonic, sleep

from imbfs.errors import UserError
from imbfs.running.backends.attempt import Unit, failed
from imbfs.running.backends.node import Call, Refusal, home
from imbfs.running.progress import clock

CONNECT = 10.0  # seconds to wait for a scheduler
PATIENCE = 300.0  # seconds to wait for a worker when there is none
KEPT = "What is done is kept; run again to go on."

_POLL = 0.02  # seconds between looks at what has landed
_ASK = 1.0  # seconds between questions about the workers


def on_cluster(units: Iterable[Unit], scheduler: str, patience: float) -> Iterator[list[dict]]:
    """The records of each unit as they come; `patience` is for a cluster without any worker."""
    given = list(units)
    if not given:
        return
    with _connected(scheduler) as client:
        here = home()
        calls = [pickle.dumps(Call(unit, here)) for unit in given]
        futures = client.map(pickle.loads, calls, key="imbfs", pure=False)
        unit_of = dict(zip((future.key for future in futures), given, strict=True))
        landing = _landing(client, futures, _Workers(client, patience))
        del futures, given  # a result that has landed is wanted on no worker any more
        try:
            for future, result in landing:
                yield _records(unit_of.pop(future.key), result)
        except UserError as error:
            raise UserError(f"--scheduler {scheduler}: {error} {KEPT}") from None


def _connected(scheduler: str):
    """A client of the scheduler, which keeps to itself what dask logs."""
    try:
        from distributed import Client
    except ImportError:
        raise UserError("--backend dask needs an extra: pip install 'imbfs[dask]'.") from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return Client(scheduler, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise UserError(f"--scheduler {scheduler}: no scheduler answers ({reason}).") from None


def _landing(client, futures: list, workers: "_Workers") -> Iterator[tuple]:
    """Futures with what they gave, as they come."""
    from distributed import as_completed

    coming = as_completed(futures, client.loop, with_results=True, raise_errors=False)
    futures.clear()
    while not coming.is_empty():
        landed = coming.next_batch(block=False)
        yield from landed
        if not landed:
            workers.look()
            sleep(_POLL)


def _records(unit: Unit, result) -> list[dict]:
    """The records that a unit gave; whatever else came instead ends the run, or fails the unit."""
    from distributed.scheduler import KilledWorker

    if isinstance(result, BaseException):  # all futures are cancelled then
        raise UserError("the scheduler is gone.")
    if isinstance(result, Refusal):
        raise UserError(f"{result.why}.")
    if isinstance(result, list):
        return result
    error = result[1]
    if isinstance(error, KilledWorker):
        return failed(unit, RuntimeError("every worker that tried it died, perhaps for memory"))
    reason = f"{type(error).__name__}: {error}".split("\n")[0]
    raise UserError(f"a worker cannot take tasks ({reason}). It needs the imbfs that is here.")


class _Workers:
    """Looks whether a cluster has workers, and loses patience when there is none for long."""

    def __init__(self, client, patience: float):
        self.client, self.patience = client, patience
        self.asked = 0.0
        self.alone: float | None = None  # since when there is none
        self.advised = False

    def look(self) -> None:
        now = monotonic()
        if now - self.asked < _ASK:
            return
        self.asked = now
        with suppress(OSError):  # the scheduler is gone, as every future is about to tell
            self.heard(self.client.nthreads(), now)

    def heard(self, threads: dict[str, int], now: float) -> None:
        if threads:
            self.alone = None
            self.advise(max(threads.values()))
        elif self.alone is None:
            self.alone = now
            _tell(f"no worker is there; waiting {clock(self.patience)} for one.")
        elif now - self.alone > self.patience:
            raise UserError(f"no worker was there for {clock(self.patience)}.")

    def advise(self, most: int) -> None:
        if most > 1 and not self.advised:
            self.advised = True
            _tell(
                f"a worker has {most} threads, and takes one task at a time. For more of them, "
                "start dask worker with --nthreads 1 and --nworkers."
            )


def _tell(text: str) -> None:
    print(f"imbfs: {text}", file=sys.stderr, flush=True)
