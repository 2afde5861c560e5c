"""Time imbfs against its peers: every comparison of benchmarks/bench_*.py, as ratios in one run.

Usage: python benchmarks/run.py [filters] [online] [runner]
"""

import sys
from importlib import import_module
from pathlib import Path

from timing import show

HERE = Path(__file__).parent


def main(wanted: list[str]) -> None:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    if unknown := set(wanted) - set(known):
        sys.exit(f"unknown benchmark {', '.join(unknown)}. Known: {', '.join(known)}.")
    print(f"{'work':56} {'ratio':>8}   aim")
    for name in wanted or known:
        show(import_module(f"bench_{name}").rows())


if __name__ == "__main__":
    main(sys.argv[1:])
