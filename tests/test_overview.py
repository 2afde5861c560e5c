"""The overview of all papers: counts, headline values, and the README that shows them."""

import re
import shutil
from pathlib import Path

import pytest

from imbfs.errors import UserError
from imbfs.showing import claims
from imbfs.showing.claims.overview import headlines, overview

ROOT = Path(__file__).parent.parent
PAPER = """\
paper: A paper
experiment: one
datasets: [a]
headlines:
  - {say: F, printed: "> 0.9", table: one/tables/t.csv, row: {dataset: a, k: 5}, why: nobody knows}
claims:
  A1: {where: Fig. 1, claim: it is so, untestable: nobody knows}
"""
TABLE = "dataset,k,mean\na,5,0.81249\na,10,0.9\nb,5,0.7\n"
COUNTS = {"holds": 1, "partly": 0, "fails": 2, "not testable": 1}


@pytest.fixture
def paper(tmp_path):
    def read(text=PAPER):
        (tmp_path / "claims.yaml").write_text(text)
        (tmp_path / "one/tables").mkdir(parents=True, exist_ok=True)
        (tmp_path / "one/tables/t.csv").write_text(TABLE)
        return claims.load(tmp_path / "claims.yaml")

    return read


def test_counts_and_headlines_stand_in_two_tables(paper, tmp_path):
    lines = overview({"p": paper()}, {"p": COUNTS}, tmp_path).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert cells[2] == ["p", "4", "1", "0", "2", "1"]
    assert cells[-1] == ["p", "F", "> 0.9", "0.812", "nobody knows"]


@pytest.mark.parametrize(
    "row, said",
    [
        ("{dataset: a}", "2 rows fit 'F'. One must"),
        ("{set: a}", "has no column 'set'"),
    ],
)
def test_a_headline_names_one_value(paper, tmp_path, row, said):
    text = PAPER.replace("{dataset: a, k: 5}", row)
    with pytest.raises(UserError, match=said):
        overview({"p": paper(text)}, {"p": COUNTS}, tmp_path)


def test_a_cell_that_is_not_there_yet_is_told_as_such(paper, tmp_path):
    told = headlines(paper(PAPER.replace("dataset: a,", "dataset: c,")), tmp_path)
    assert told == [["F", "> 0.9", "–", "nobody knows"]]
    found = paper()
    (tmp_path / "one/tables/t.csv").write_text("dataset,k,mean\na,5,\n")
    assert headlines(found, tmp_path) == [["F", "> 0.9", "–", "nobody knows"]]


@pytest.mark.parametrize("path", claims.papers(ROOT / "experiments").values(), ids=str)
def test_every_headline_has_its_value_in_the_committed_results(path):
    told = headlines(claims.load(path), ROOT / "results")
    assert told and all(0 < float(ours) < 1 for _, _, ours, _ in told)


def test_a_headline_of_an_experiment_without_results_is_left_out(paper, tmp_path):
    text = PAPER.replace("table: one", "table: two")
    told = overview({"p": paper(text)}, {"p": COUNTS}, tmp_path)
    assert "| p " in told and "> 0.9" not in told


def test_a_headline_of_a_missing_table_is_refused(paper, tmp_path):
    text = PAPER.replace("t.csv", "u.csv")
    with pytest.raises(UserError, match="u.csv: is no table"):
        overview({"p": paper(text)}, {"p": COUNTS}, tmp_path)


@pytest.mark.slow
def test_the_readme_shows_what_the_committed_tables_say(imbfs, tmp_path):
    for tables in sorted((ROOT / "results").glob("*/tables")):
        shutil.copytree(tables, tmp_path / "results" / tables.parent.name / "tables")
    answer = imbfs("verify", "all", "--experiments", ROOT / "experiments")
    assert answer.code == 0, answer.err
    told = (tmp_path / "results/overview.md").read_text()
    assert told == (ROOT / "results/overview.md").read_text()
    shown = re.search(r"<!-- overview -->\n(.*?)<!-- -->", (ROOT / "README.md").read_text(), re.S)
    assert shown[1].strip() == told.strip()
    for written in sorted((tmp_path / "results").glob("*/tables/claims.csv")):
        committed = ROOT / written.relative_to(tmp_path)
        assert written.read_text() == committed.read_text(), written
