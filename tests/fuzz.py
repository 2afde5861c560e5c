"""Read thousands of mutated inputs of every format and tell which of them break the law.

    python tests/fuzz.py --seed 7 --count 10000 csv npz    the formats; all unless named
    python tests/fuzz.py --seed 7 --only 1234 csv          one input again, in this process

The law: an input is read, and what comes out is sound, or it is refused in one line. There is no
traceback, no leaking warning, no crash; a reader takes no more than SECONDS, and no more memory
than ROOM plus FOLD times its input. Every process is watched from outside by its parent.
"""

import argparse
import os
import random
import resource
import sys
import time
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

SECONDS = 20.0  # for one input; the machine may be busy
ROOM = 128 << 20  # bytes that a reader may take for any input
FOLD = 200  # and as many times the size of the input
LIMIT = 6 << 30  # bytes of address space beyond what a process starts with
_AT_ONCE = 2500  # inputs a process is given


def main() -> int:
    options = _options()
    import laws

    names = options.formats or list(laws.FORMATS)
    if unknown := set(names) - set(laws.FORMATS):
        sys.exit(f"{', '.join(unknown)}: no such format. Formats: {', '.join(laws.FORMATS)}.")
    if options.only is not None:
        return _again(names[0], options)
    print(f"seed {options.seed}: {options.count:,} inputs of each of {len(names)} formats")
    broken = 0
    for name in names:
        started = time.monotonic()
        found = watched(name, options.seed, options.count, options.jobs, options.seconds)
        kept = [_keep(options.keep, name, options.seed, *each) for each in found]
        broken += len(kept)
        spent = time.monotonic() - started
        print(f"{name:9} {options.count:,} read in {spent:.0f} s, {len(kept)} broke the law")
        for line in kept[:20]:
            print(f"  {line}")
        sys.stdout.flush()
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    return parser.parse_args()


def watched(name: str, seed: int, count: int, jobs: int, seconds: float) -> list[tuple[int, str]]:
    """The numbers of the inputs that broke the law, and how."""
    waiting = [range(i, min(i + _AT_ONCE, count)) for i in range(0, count, _AT_ONCE)]
    running, found = {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            worker = _Worker(name, seed, waiting.pop(0))
            running[worker.pipe] = worker
        for pipe in wait(list(running), timeout=0.2):
            found += running[pipe].hear()
        for worker in list(running.values()):
            found += worker.check(seconds)
            if worker.ended:
                del running[worker.pipe]
                if worker.left:
                    waiting.insert(0, worker.left)
    return sorted(found)


class _Worker:
    """A process that reads some inputs, and what is known of it."""

    def __init__(self, name: str, seed: int, numbers: range):
        self.pipe, other = get_context("spawn").Pipe(duplex=False)
        self.left, self.ended = numbers, False
        self.process = get_context("spawn").Process(target=_work, args=(other, name, seed, numbers))
        self.process.start()
        other.close()
        self.since = None  # the process is not ready yet

    def hear(self) -> list[tuple[int, str]]:
        found = []
        try:
            while self.pipe.poll():
                number, how = self.pipe.recv()
                self.since = time.monotonic()
                if number is not None:
                    self.left = range(number + 1, self.left.stop)
                    found += [(number, how)] if how else []
        except EOFError:
            self.ended = True
            self.process.join()
            found += self._lost(f"the process died (exit code {self.process.exitcode})")
        return found

    def check(self, seconds: float) -> list[tuple[int, str]]:
        if self.ended or self.since is None or time.monotonic() - self.since < seconds:
            return []
        self.process.kill()
        self.process.join()
        self.ended = True
        return self._lost(f"was not read within {seconds:g} s")

    def _lost(self, how: str) -> list[tuple[int, str]]:
        if not self.left:
            return []
        number = self.left[0]
        self.left = range(number + 1, self.left.stop)
        return [(number, how)]


def _work(pipe, name: str, seed: int, numbers: range) -> None:
    import laws

    with TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["IMBFS_CACHE"] = folder
        for content in laws.FORMATS[name].inputs():  # imports and compiles what is needed
            laws.judged(name, content, random.Random(0), Path(folder))
        start = _status("VmSize")
        resource.setrlimit(resource.RLIMIT_AS, (start + LIMIT, start + LIMIT))
        pipe.send((None, ""))
        for number in numbers:
            content, rng = laws.made(name, seed, number)
            before = _peak_from_here()
            how = laws.judged(name, content, rng, Path(folder))
            taken = _status("VmHWM") - before
            if not how and taken > ROOM + FOLD * len(content):
                how = f"takes {taken:,} bytes for an input of {len(content):,}"
            pipe.send((number, how))


def _peak_from_here() -> int:
    """Forget the peak so far, if it could hide another; the memory in use now."""
    now = _status("VmRSS")
    if _status("VmHWM") > now + ROOM // 8:
        Path("/proc/self/clear_refs").write_text("5")
    return now


def _status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))


def _keep(folder: Path, name: str, seed: int, number: int, how: str) -> str:
    """Write down the input, and how it broke the law; the line to tell of it."""
    import laws

    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / f"{name}-{seed}-{number}"
    stem.write_bytes(laws.made(name, seed, number)[0])
    stem.with_suffix(".why").write_text(how)
    return f"{stem}: {how.strip().splitlines()[-1][:160]}"


def _again(name: str, options: argparse.Namespace) -> int:
    import laws

    content, rng = laws.made(name, options.seed, options.only)
    with TemporaryDirectory() as folder:
        how = laws.judged(name, content, rng, Path(folder))
    print(f"{content[:2000]!r}\n{how or 'keeps the law'}")
    return 1 if how else 0


if __name__ == "__main__":
    sys.exit(main())
