"""Growth of time and memory: how it is measured, and that docs/scale.md says what was measured."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TABLE = DOCS / "scale" / "growth.csv"
# What measuring is done with stands in for real work: 64 MB and half a second, too much of either.
CONTROLS = """
import numpy as np
from growing import measuring
from growing.work import Point

calls = {
    64: lambda: 0.5 * np.ones(8_000_000)[-1],
    500: lambda: 0.5 * np.ones(62_500_000)[-1],
    0: lambda: sum(1 for _ in iter(int, 1)),
}
measuring.MEMORY, measuring.SECONDS = 200_000_000, 0.2
measuring.small = lambda point: lambda: 0.0
measuring.work = lambda point: calls[point.size]
for size in calls:
    print(*measuring.measured(Point("control", "rows", size)), sep=",")
"""


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def ran(*arguments, **options) -> str:
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "benchmarks")))
    command = [sys.executable, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": paths}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_page_says_what_the_committed_table_gives():
    from growing.page import filled, parts

    page, made = (DOCS / "scale.md").read_text(), parts(DOCS / "scale")
    assert set(re.findall(r"<!-- (\w+) -->", page)) >= set(made) >= {"learners", "filters"}
    assert filled(page, made) == page
    assert filled(page, made | {"learners": "other\n"}) != page


def test_figures_are_drawn_from_the_table_alone(tmp_path):
    from growing.drawing import FIGURES, draw
    from matplotlib.image import imread

    draw(pd.read_csv(TABLE), tmp_path)
    note = json.loads((DOCS / "scale" / "machine.json").read_text())
    for name in FIGURES:
        drawn, kept = (imread(folder / f"{name}.png") for folder in (tmp_path, DOCS / "scale"))
        if f"matplotlib {version('matplotlib')}" in note["packages"]:
            np.testing.assert_allclose(drawn, kept, atol=0.02)  # processors round edges apart


def test_every_selector_is_measured():
    from imbfs.selectors import SELECTORS

    table = pd.read_csv(TABLE)
    for name, method in SELECTORS.items():
        axes = ("rows", "non-zeros", "features") if method.streams else ("dense", "sparse")
        taken = table[(table["method"] == name) & table["seconds"].notna()]
        assert set(taken["against"]) == set(axes), name


def test_what_does_not_hold_is_named_and_explained():
    page = (DOCS / "scale.md").read_text()
    failing = {name for name in re.findall(r"^\| (\w+).*\| no: .*\|$", page, re.M)}
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^- .*\n(?:  .*\n)*", page, re.M))))
    assert failing <= named


def test_measuring_works_on_tiny_sizes(tmp_path):
    (tmp_path / "scale").mkdir()
    shutil.copy(DOCS / "scale.md", tmp_path)
    kept = "against,method,size,seconds,megabytes,left_out\nrows,pa,600,0.123,45,\n"
    (tmp_path / "scale/growth.csv").write_text(kept)
    methods = ["pa", "cs always", "stream mbpa", "s2n"]
    ran(ROOT / "benchmarks/growth.py", "--tiny", "--only", *methods, "--out", tmp_path)
    with open(tmp_path / "scale/growth.csv") as file:
        lines = list(csv.DictReader(file))
    assert lines[0]["seconds"] == "0.123"
    assert len(lines) == len({(x["method"], x["against"], x["size"]) for x in lines}) == 18
    assert all(float(x["seconds"]) > 0 and float(x["megabytes"]) >= 0 for x in lines)
    page = (tmp_path / "scale.md").read_text()
    assert "| cs always " in page and "| s2n " in page and "Python 3" in page
    assert (tmp_path / "scale/learners.png").stat().st_size > 10_000


def test_a_process_of_its_own_tells_its_peak_and_keeps_to_its_limits():
    found, too_large, too_long = (line.split(",") for line in ran("-c", CONTROLS).splitlines())
    assert found[0] == "0.5" and 63 < float(found[1]) < 70
    assert too_large == ["None", "None", "memory"]
    assert too_long == ["None", "None", "time"]


def test_larger_sizes_are_left_out_once_the_time_is_up():
    from growing.measuring import SECONDS, Outcome, expected

    assert expected(100, None) is None
    assert expected(100, (10, Outcome(SECONDS / 11, 1.0))) is None
    assert expected(100, (10, Outcome(SECONDS / 9, 1.0))).left_out == "time"
    assert expected(100, (10, Outcome(left_out="memory"))).left_out == "memory"


def test_a_slope_is_that_of_the_upper_decades():
    from growing.slopes import slope

    sizes = np.array([1e2, 1e3, 1e4, 1e5])
    assert slope(sizes, 3e-6 * sizes**2) == pytest.approx(2.0)
    assert slope(sizes, np.array([1e9, 1.0, 10.0, 100.0])) == pytest.approx(1.0)
    assert np.isnan(slope(sizes[:1], sizes[:1]))


def curve(against: str, time: float, memory: float, at_the_end: float = 100.0):
    from growing.slopes import curves

    sizes = np.array([1e3, 1e4, 1e5])
    scale = sizes / sizes[-1]
    columns = {"size": sizes, "seconds": scale**time, "megabytes": at_the_end * scale**memory}
    return curves(pd.DataFrame(columns | {"against": against, "method": "x"}))["x", against]


def test_what_is_steeper_than_its_aim_does_not_hold():
    assert curve("rows", 1.1, 0.1).faults == []
    assert curve("rows", 2.0, 1.0).faults == ["time", "memory"]
    assert curve("dense", 1.0, 1.0, 900.0).faults == []
    assert curve("dense", 1.0, 2.0, 1e5).faults == ["memory"]
    # 200 samples of 100,000 features are 160 MB if all of their values are stored.
    assert curve("sparse", 1.0, 1.0, 70.0).faults == []
    assert curve("sparse", 1.0, 1.0, 90.0).faults == ["filled in"]


def test_rows_are_the_same_as_their_text_and_a_tenth_is_the_minority(tmp_path):
    from growing.made import blocks, texts

    from imbfs.datasets.formats.libsvm import read

    (tmp_path / "rows").write_bytes(b"".join(texts(70_000, 5_000, 8)))
    X, y = zip(*blocks(70_000, 5_000, 8), strict=True)
    assert len(X) == 2
    found, labels = read(tmp_path / "rows"), np.concatenate(y)
    assert (labels > 0).mean() == pytest.approx(0.1, abs=0.01)
    np.testing.assert_array_equal(found.y > 0, labels > 0)
    columns = np.concatenate([some.indices for some in X])
    np.testing.assert_array_equal(found.X.indices, columns)
    assert (np.diff(columns.reshape(70_000, 8), axis=1) > 0).all()
    values = np.concatenate([some.data for some in X])
    np.testing.assert_allclose(found.X.data, values, atol=2e-4)


def test_wide_rows_have_their_features_in_order():
    from growing.made import wide

    X = wide(1_000, 20, 0.05)
    assert X.nnz == 20 * 50 and X.has_canonical_format
    assert wide(30, 20, None).shape == (20, 30)
