"""What `imbfs benchmark` recommends for files whose truth is known, and the page about it."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture
def advice(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import advice

    return advice


@pytest.fixture
def committed():
    return pd.read_csv(DOCS / "advice" / "files.csv")


def test_the_page_says_what_the_committed_files_give(advice, committed):
    from growing.page import filled

    page = (DOCS / "advice.md").read_text()
    assert filled(page, {"advice": advice.table(committed)}) == page
    assert filled(page, {"advice": "other\n"}) != page


def test_on_noise_it_says_nine_times_in_ten_that_nothing_predicts(committed):
    noise = committed[committed["design"] == "noise"]
    assert len(noise) == 100 and noise["nothing"].mean() >= 0.9


def test_a_selection_that_helps_is_recommended_more_often_than_not(advice, committed):
    for design in ("few features count", "ten features count"):
        files = committed[committed["design"] == design]
        assert (files["best_selection"] - files["all_features"]).mean() > 0.04
        assert advice.selected(files).mean() > 0.5, design


def test_what_is_recommended_is_seldom_worse_than_all_features(advice, committed):
    for design, files in committed.groupby("design"):
        assert advice.worse(files).mean() <= 0.1, design


def test_a_file_is_simulated_with_the_real_comparison(advice, monkeypatch):
    asked = replace(advice.ASKED, selectors=("s2n",), counts=(5,), repeats=1)
    monkeypatch.setattr(advice, "ASKED", asked)
    monkeypatch.setattr(advice, "FRESH", 2)
    row = advice.advised("noise", 0)
    assert row == advice.advised("noise", 0)
    assert row["selector"] in ("none", "s2n(sided=two)") and 0 < row["true"] < 1
