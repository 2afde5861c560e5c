"""Claims that a script's tables tell: what rows say, what is missing, what cannot be tested."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from imbfs.errors import UserError
from imbfs.showing import claims
from imbfs.showing.claims.predicates import rows
from imbfs.showing.claims.predicates.rows import Above, AllTrue, Below, Flips

ROOT = Path(__file__).parent.parent
TABLE = "s/tables/t.csv"


def told(predicate, **columns):
    """Place, value, margin and dead of every cell of a table, whose values come as text."""
    frame = pd.DataFrame({name: list(map(str, values)) for name, values in columns.items()})
    return [tuple(cell) for cell in predicate.cells(frame)]


def test_true_yes_and_one_are_in_favour_and_nothing_is_dead():
    cells = told(
        AllTrue(table=TABLE, column="ok"),
        r=[1, 2, 3, 4, 5, 6, 7],
        ok=["True", "yes", "1", "false", "no", "0", ""],
    )
    assert [cell[0] for cell in cells] == list("1234567")
    assert [cell[2] > 0 for cell in cells[:6]] == [True] * 3 + [False] * 3
    assert [cell[3] for cell in cells] == [False] * 6 + [True]


def test_a_count_is_true_if_it_is_as_large_as_another():
    cells = told(AllTrue(table=TABLE, column="ok", of="seeds"), ok=[10, 9, 0], seeds=[10, 10, 0])
    assert [cell[:3] for cell in cells[:2]] == [("row 1", 1.0, 1.0), ("row 2", 0.9, -0.1)]
    assert cells[2][3]  # 0 of 0 says nothing


def test_rows_are_held_against_a_number_or_another_column():
    columns = {"set": ["a", "b", "c"], "n": [49, 50, ""], "m": [50, 49, 1]}
    margins = [cell[2] for cell in told(Below(table=TABLE, column="n", bound=50), **columns)]
    assert margins[:2] == [1, 0]  # the bound itself is not below it
    cells = told(Below(table=TABLE, column="n", bound="m"), **columns)
    assert [cell[:3] for cell in cells[:2]] == [("a", 49, 1), ("b", 50, -1)] and cells[2][3]
    margins = [cell[2] for cell in told(Above(table=TABLE, column="m", bound=49.5), **columns)]
    assert margins == [0.5, -0.5, -48.5]


@pytest.mark.parametrize(
    "first, favour, live",
    [
        ([1, 1, 0, 2, 2], 4, 4),
        ([1, 1, 1, 1, 1], 0, 4),  # no change at all
        ([1, 2, 1, 2, 2], 2, 4),  # a change, but below already
        ([0, 1, 1, 2, 2], 2, 2),  # without those that are undecided
        ([0, 0, 1, 2, 2], 0, 0),
    ],
)
def test_an_order_flips_if_each_row_below_differs_from_each_above(first, favour, live):
    predicate = Flips(table=TABLE, column="first", along="r", at=1, undecided=0)
    cells = told(predicate, r=[0.2, 0.6, 1.0, 1.4, 1.8], first=first)
    alive = [cell for cell in cells if not cell[3]]
    assert (len(cells), len(alive)) == (4, live)
    assert sum(cell[2] > 0 for cell in alive) == favour
    assert cells[1][0] == "r 0.2 and 1.8"


def test_a_column_that_is_not_there_is_refused():
    for predicate in (
        Below(table=TABLE, column="nn", bound=1),
        Below(table=TABLE, column="n", bound="nn"),
        AllTrue(table=TABLE, column="n", of="nn"),
        Flips(table=TABLE, column="n", along="nn", at=1),
    ):
        with pytest.raises(UserError, match="unknown column 'nn'. Did you mean 'n'?"):
            told(predicate, n=[1])


SCRIPTED = {
    "where": "Fig. 4",
    "claim": "it flips",
    "script": "experiments/one/s.py",
    "tests": [{"below": {"table": TABLE, "column": "n", "bound": 50}}],
}
BEATS = {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}


@pytest.fixture
def project(tmp_path):
    """A paper with a claim on a script's table, and one that nobody can test."""

    def write(**changed):
        untestable = {"where": "Fig. 9", "claim": "so they say", "untestable": "the data are lost"}
        given = {"C1": SCRIPTED | changed, "C2": untestable}
        about = {"paper": "P", "experiment": "x", "datasets": ["a"], "claims": given}
        (tmp_path / "experiments/one").mkdir(parents=True, exist_ok=True)
        (tmp_path / "experiments/one/claims.yaml").write_text(yaml.safe_dump(about))
        (tmp_path / "experiments/one/s.py").write_text("")
        return tmp_path

    return write


def test_verdicts_on_a_script_stand_in_the_table_of_claims(imbfs, project):
    folder = project() / "results/s/tables"
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("dataset,n\na,30\nb,49\nc,60\n")
    answer = imbfs("verify", "one")
    assert answer.code == 0, answer.err
    table = pd.read_csv("results/x/tables/claims.csv", keep_default_na=False).set_index("claim")
    assert list(table["part"]) == ["script", "-"]
    assert list(table["verdict"]) == ["partly", "not testable"]
    assert table.loc["C1", ["test", "measure", "in favour", "cells", "worst"]].tolist() == [
        "below",
        "n",
        2,
        3,
        "c",
    ]
    assert table.loc["C2", "why"] == "the data are lost"
    assert "the data are lost" in answer.out
    assert "the data are lost" in Path("results/x/tables/claims.md").read_text()


def test_a_script_that_has_not_run_leaves_its_claim_untested(imbfs, project):
    other = {"all_true": {"table": "u/tables/u.csv", "column": "ok"}}
    folder = project(tests=[*SCRIPTED["tests"], other]) / "results/u/tables"
    folder.mkdir(parents=True)
    (folder / "u.csv").write_text("ok\n1\n")
    answer = imbfs("verify", "one")
    assert answer.code == 1
    assert answer.err.endswith(". Make them: python experiments/one/s.py\n")
    first = pd.read_csv("results/x/tables/claims.csv", keep_default_na=False).iloc[0]
    assert first[["verdict", "incomplete"]].tolist() == ["not testable", "yes"]
    assert first["why"] == "s/tables/t.csv is not there"


@pytest.mark.parametrize(
    "changed, message",
    [
        (
            {"script": None},
            "claims.C1: tests[0].below: looks at a table that a script writes. Name",
        ),
        ({"tests": [BEATS]}, "claims.C1: tests[0].beats: looks at no table that a script writes."),
        ({"tests": []}, "claims.C1: tests: a claim has some, or says why it is untestable."),
        ({"untestable": "so"}, "claims.C1: tests: a claim has some, or says why"),
        ({"script": "s.sh"}, "claims.C1.script: "),
        ({"script": "experiments/one/q.py"}, "claims.C1.script: there is no experiments/one/q.py."),
        (
            {"tests": [{"below": {"table": "../t.csv", "column": "n", "bound": 1}}]},
            "claims.C1.tests[0].below.table: ",
        ),
        (
            {"tests": [{"below": {"table": "s/tables/u.csv", "column": "n", "bound": 1}}]},
            "claims.C1: results/s/tables/u.csv: is missing from what experiments/one/s.py wrote.",
        ),
        (
            {"tests": [{"below": {"table": TABLE, "column": "m", "bound": 1}}]},
            "claims.C1: tests[0].below: s/tables/t.csv: unknown column 'm'.",
        ),
    ],
)
def test_a_mistake_about_a_script_is_one_line(changed, message, imbfs, project):
    folder = project(**changed) / "results/s/tables"
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("dataset,n\na,30\n")
    answer = imbfs("verify", "one")
    assert answer.code == 2
    assert answer.err.startswith(f"imbfs: experiments/one/claims.yaml: {message}"), answer.err
    assert answer.err.count("\n") == 1


def test_every_script_and_table_that_the_papers_name_is_there():
    named = 0
    for path in claims.papers(ROOT / "experiments").values():
        for claim in claims.load(path).claims.values():
            if claim.script is None:
                continue
            assert (ROOT / claim.script).exists()
            for test in claim.tests:
                named += 1
                assert list(
                    test.predicate.cells(rows.read(ROOT / "results" / test.predicate.table))
                )
    assert named
