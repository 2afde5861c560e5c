"""The page "which selector should I use" says what the committed tables say."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "which_selector.md").read_text()
SHOWN = re.findall(r"<!-- (\S+\.csv)(.*?) -->\n((?:\|.*\n)+)", PAGE)


def frame(path: str, filters: str) -> pd.DataFrame:
    """The rows of a table that a note such as `; group=text; classifier=svm` leaves."""
    rows = pd.read_csv(ROOT / "results" / path, dtype={"features": str})
    for part in filter(None, filters.split("; ")):
        column, _, value = part.partition("=")
        rows = rows[rows[column] == value]
    return rows


def cells(text: str) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a table in Markdown."""
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text.splitlines()]
    return rows[0], rows[2:]


def held(rows: pd.DataFrame, selector: str, column: str) -> float:
    """The value of a selector in a table, of the number of features that a column names."""
    mine = rows[rows["selector"] == selector]
    if "features" in rows:
        mine, column = mine[mine["features"] == column], "mean"
    (value,) = mine[column]
    return value


@pytest.mark.parametrize("path, filters, text", SHOWN, ids=[p + f for p, f, _ in SHOWN])
def test_every_value_is_that_of_its_table(path, filters, text):
    rows = frame(path, filters)
    header, body = cells(text)
    for selector, *values in body:
        for column, told in zip(header[1:], values, strict=True):
            value = held(rows, selector.strip("`"), column)
            places = len(told.partition(".")[2])
            assert told == ("" if pd.isna(value) else f"{value:.{places}f}")
            assert told == "" or places >= 2


def test_every_table_says_where_it_is_from():
    assert len(SHOWN) == len(re.findall(r"^\|---", PAGE, re.M)) > 8


def test_numbers_in_the_text_are_those_of_its_tables():
    told = {float(cell) for _, _, text in SHOWN for cell in re.findall(r"\d\.\d+", text)}
    prose = re.sub(r"<!--.*?-->|^\|.*$|`[^`]*`", "", PAGE, flags=re.M)
    # "about 0.01" is how close is level, and of no table.
    named = set(re.findall(r"\d\.\d+", prose)) - {"0.01"}
    assert named
    for number in named:
        places = len(number.partition(".")[2])
        assert any(f"{value:.{places}f}" == number for value in told), number


def test_all_and_random_features_are_in_every_comparison_of_filters():
    for path, _, text in SHOWN:
        if "average" in path or "summary" in path:
            assert "| `none` |" in text and "| `random` |" in text


def best(path: str, filters: str, column: str, leaving: tuple[str, ...] = ()) -> str:
    rows = frame(path, filters)
    values = {name: held(rows, name, column) for name in rows["selector"] if name not in leaving}
    return max(values, key=lambda name: -1 if pd.isna(values[name]) else values[name])


def test_the_advice_follows_from_the_tables():
    average = "fast/tables/average_auc.csv"
    for features in ("10", "50", "200"):
        assert best(average, "; group=all problems; classifier=svm", features) == "none"
    everyone = frame(average, "; group=all problems; classifier=svm")
    top = held(
        everyone, best(average, "; group=all problems; classifier=svm", "50", ("none",)), "50"
    )
    for method in ("fast", "auc", "ig", "s2n(sided=two)"):
        assert top - held(everyone, method, "50") < 0.01
    ranks = pd.read_csv(ROOT / "results/ofs_pa/tables/ranks_g_mean.csv")
    assert ranks.sort_values("mean rank")["selector"].iloc[0].startswith("mbpa")
    labels = "csfs_multilabel/tables/summary_micro_f1.csv"
    for dataset in ("scene", "birds", "msrcv2"):
        assert best(labels, f"; dataset={dataset}", "20").startswith("ncfs")
    classes = "csfs_multiclass/tables/summary_ovr_f1.csv"
    assert best(classes, "; dataset=usps", "20") == "csfs"
    assert best(classes, "; dataset=yaleb", "20") == "mrmr"
