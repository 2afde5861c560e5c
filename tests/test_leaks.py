"""What was ranked on test rows says so wherever it is shown."""

import re
from pathlib import Path

import pandas as pd
import pytest

from imbfs.showing import tables

CONFIG = """
name: {name}
datasets: [{{wine: {{positive: 0}}}}]
selectors: [none, s2n, fast]
classifiers: [naive_bayes]
features: [2, 5]
measures: [auc]
protocol: {{cv: {{repeats: 1, folds: 3}}}}
rank_on: {rank_on}
tables:
  - summary: {{measure: auc}}
  - ranks: {{measure: auc}}
  - average: {{measure: auc}}
  - overlap: {{features: 5}}
figures: [{{curves: {{measure: auc}}}}, {{ranks: {{measure: auc}}}}]
"""


@pytest.fixture
def two(imbfs, tmp_path):
    """What two runs printed that differ in what they rank on alone; the first is honest."""
    said = {}
    for name, rank_on in {"honest": "training", "leaking": "all"}.items():
        Path(f"{name}.yaml").write_text(CONFIG.format(name=name, rank_on=rank_on))
        answer = imbfs("run", f"{name}.yaml", "--jobs", 1)
        assert answer.code == 0, answer.err
        said[name] = " ".join(answer.out.split())
    return said


def test_tables_figures_and_pages_of_a_leak_carry_a_mark_and_no_others(two, imbfs):
    assert tables.LEAK in two["leaking"] and tables.LEAK not in two["honest"]
    for command in ("table --format latex", "plot --format svg", "report"):
        command, *options = command.split()
        answer = imbfs(command, "results", *options)
        assert answer.code == 0, answer.err
    for name, leaks in {"honest": False, "leaking": True}.items():
        folder = Path("results") / name
        for path in [*folder.glob("tables/*.md"), *folder.glob("tables/*.tex")]:
            assert (tables.LEAK in path.read_text()) == leaks, path
        for path in folder.glob("figures/*.svg"):
            drawn = "".join(re.findall(r"<!-- (.*?) -->", path.read_text()))
            assert ("Ranked on all rows" in drawn) == leaks, path
        assert (tables.LEAK in (folder / "report.html").read_text()) == leaks
        every = sorted(path.stem for path in folder.glob("tables/*.csv"))
        assert len(every) == 7
        for stem in set(every) - {"problems", "seconds"}:
            frame = pd.read_csv(folder / "tables" / f"{stem}.csv")
            marked = list(frame.columns)[-1:] == ["ranked_on"] and set(frame.ranked_on) == {
                "all rows"
            }
            assert marked == leaks, stem
    cards = Path("results/report.html").read_text().split("<article")
    assert [tables.LEAK in card for card in cards[-2:]] == [False, True]


def test_marked_tables_are_read_compared_and_drawn_like_others(two, imbfs):
    frame = tables.read(Path("results/leaking/tables/results.csv"))
    assert tables.leaks(frame) and not tables.leaks(
        tables.read(Path("results/honest/tables/results.csv"))
    )
    answer = imbfs("compare", "results/honest", "results/leaking")
    assert answer.code == 0 and "rank_on" in answer.out
    Path("results/leaking/records.jsonl").unlink()
    assert imbfs("plot", "results/leaking").code == 0
