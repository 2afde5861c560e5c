"""How benchmarks take time, and how they tell it."""

from collections.abc import Callable
from time import perf_counter


def best(work: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least seconds of each, taken in turn so that all meet the same noise."""
    for call in work.values():
        call()  # compiles, imports, warms caches
    seconds = dict.fromkeys(work, float("inf"))
    for _ in range(rounds):
        for name, call in work.items():
            started = perf_counter()
            call()
            seconds[name] = min(seconds[name], perf_counter() - started)
    return seconds


def show(rows: list[tuple[str, float, str]]) -> None:
    """A line for each comparison: what, the ratio, the aim."""
    for work, ratio, aim in rows:
        print(f"{work:56} {ratio:8.2f}   {aim}", flush=True)
