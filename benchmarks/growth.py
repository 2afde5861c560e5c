"""Time and peak memory of every method against the size of the data, and docs/scale.md of them.

Usage: python benchmarks/growth.py [--draw] [--only METHOD ...] [--tiny] [--out FOLDER]

Every measurement has a process and one thread of its own, and is kept as soon as it is taken: what
is kept is not taken again. --draw measures nothing and writes figures and tables from what is kept.
"""

import argparse
import csv
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import pandas as pd  # noqa: E402
from growing import drawing, machine  # noqa: E402
from growing.measuring import Outcome, expected, measured  # noqa: E402
from growing.page import filled, parts  # noqa: E402
from growing.work import SIZES, TINY, Point, filters, learners, points, small  # noqa: E402

DOCS = Path(__file__).parent.parent / "docs"
COLUMNS = ["against", "method", "size", "seconds", "megabytes", "left_out"]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    parser.add_argument("--tiny", action="store_true", help="sizes of no interest, in seconds")
    parser.add_argument("--only", nargs="+", default=[], metavar="METHOD")
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER")
    asked = parser.parse_args(arguments)
    (asked.out / "scale").mkdir(parents=True, exist_ok=True)
    if not asked.draw:
        measure(asked.out / "scale" / "growth.csv", TINY if asked.tiny else SIZES, asked.only)
        note = json.dumps(machine.described(), indent=2)
        (asked.out / "scale" / "machine.json").write_text(note + "\n")
    if not (asked.draw or asked.tiny or asked.only):
        compare(asked.out / "scale" / "peers.csv")
    write(asked.out)


def write(docs: Path) -> None:
    """Draw the figures and fill in the page, from the files that measuring has left."""
    drawing.draw(pd.read_csv(docs / "scale" / "growth.csv"), docs / "scale")
    page = docs / "scale.md"
    if page.exists():
        page.write_text(filled(page.read_text(), parts(docs / "scale")))


def compare(path: Path) -> None:
    """Keep the ratios of `bench_stream.py`, unless they are kept or its peer is not at hand."""
    if path.exists() or not find_spec("vowpalwabbit"):
        return
    import bench_stream

    rows = [[work, f"{ratio:.4g}", aim] for work, ratio, aim in bench_stream.rows()]
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["work", "ratio", "aim"], *rows])


def measure(path: Path, sizes: dict[str, list[int]], only: list[str]) -> None:
    """Take what is missing from a file, and write it there line by line."""
    known = _kept(path)
    warm, last = set(), {}
    with open(path, "a", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            lines.writerow(COLUMNS)
        for point in points(sizes, only):
            curve = point[:2]
            if point not in known:
                known[point] = expected(point.size, last.get(curve)) or _taken(point, warm)
                lines.writerow(_line(point, known[point]))
                file.flush()
            last[curve] = point.size, known[point]
    _order(path, known)


def _order(path: Path, known: dict[Point, Outcome]) -> None:
    """Write what is kept curve by curve, whenever it was taken."""
    places = {method: place for place, method in enumerate([*learners(), *filters()])}

    def place(point: Point) -> tuple[int, int, int]:
        return list(SIZES).index(point.against), places[point.method], point.size

    with open(path, "w", newline="") as file:
        lines = [_line(point, known[point]) for point in sorted(known, key=place)]
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])


def _taken(point: Point, warm: set) -> Outcome:
    if point[:2] not in warm:
        small(point)()  # in this process, of which the others are copies
        warm.add(point[:2])
    outcome = measured(point)
    print(*_line(point, outcome), flush=True)
    return outcome


def _line(point: Point, outcome: Outcome) -> list:
    seconds, megabytes, left_out = outcome
    taken = ["", ""] if left_out else [f"{seconds:.4g}", f"{megabytes:.4g}"]
    return [point.against, point.method, point.size, *taken, left_out]


def _kept(path: Path) -> dict[Point, Outcome]:
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {
            Point(line["method"], line["against"], int(line["size"])): Outcome(
                *(float(line[name]) if line[name] else None for name in ("seconds", "megabytes")),
                line["left_out"],
            )
            for line in csv.DictReader(file)
        }


if __name__ == "__main__":
    main(sys.argv[1:])
