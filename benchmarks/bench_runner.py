"""What the runner costs on top of the work it carries out, on the quickstart."""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from timing import show

from imbfs.config import load
from imbfs.running import runner
from imbfs.running.pipeline import execute
from imbfs.running.plan import expand
from imbfs.running.store import Store

QUICKSTART = Path(__file__).parent.parent / "configs" / "quickstart.yaml"
ROUNDS = 5


def rows() -> list[tuple[str, float, str]]:
    """What was compared, the ratio of the two times, and the aim."""
    tasks = expand(load(QUICKSTART).cut_short()).tasks
    runner.attempt(tasks[:1])  # imports and compilation come before the clock starts
    bare, whole = [], []
    for _ in range(ROUNDS):
        bare.append(_seconds(lambda: [execute(task) for task in tasks]))
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder)).create()
            whole.append(_seconds(lambda: list(runner.run(tasks, store))))  # noqa: B023
    command = [sys.executable, "-m", "imbfs"]
    with tempfile.TemporaryDirectory() as folder:
        run = [*command, "run", str(QUICKSTART), "--quick", "--results", folder]
        subprocess.run(run, check=True, capture_output=True)
        finished = min(_seconds(lambda: _quietly(run)) for _ in range(ROUNDS))
    shown = min(_seconds(lambda: _quietly([*command, "--help"])) for _ in range(ROUNDS))
    return [
        ("runner: one process / the same tasks in a bare loop", min(whole) / min(bare), "<= 1.05"),
        ("runner: seconds a finished experiment takes to answer", finished, "<= 3"),
        ("runner: seconds --help takes to answer", shown, "<= 0.3"),
    ]


def _seconds(call) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started


def _quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    show(rows())
