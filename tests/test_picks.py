"""Costs that learners pick beside the best of fixed ones: the table, and the predicate about it."""

import random
from itertools import product

import oracles
import pandas as pd
import pytest
from outcomes import experiment, row

from imbfs.config import Experiment, Table, checked
from imbfs.errors import UserError
from imbfs.showing import claims, picks, sheets, tables
from imbfs.showing.claims import verdicts

MEASURES = ("f_measure", "cost")
FIXED = {cost: f"ascw(cost={cost})" for cost in (0.6, 0.7, 0.8)}


def rows_of(online, test, cost=None, measure="f_measure"):
    """What a stream leaves: a checkpoint on the way that says something else, and the end."""
    early = {measure: 0.99, "cost": 0.99}
    end = [
        row("50", part, seen=80, **{measure: value, "cost": cost})
        for part, value in (("progressive", online), ("test", test))
    ]
    return [row("50", part, seen=40, **early) for part in ("progressive", "test")] + end


def told(runs, datasets=("a",), **given):
    """The table from {run: {selector: (online, test, cost), or None where it failed}}."""
    plan, records = planned(runs, datasets)
    return picks.picks(plan, records, given.get("measure", "f_measure"))


def planned(runs, datasets=("a",)):
    outcomes = [
        ((dataset, selector, "own", run, 0), "failed" if values is None else rows_of(*values))
        for dataset in datasets
        for run, selectors in runs.items()
        for selector, values in selectors.items()
    ]
    return experiment(outcomes, measures=MEASURES)


BY_HAND = {
    # the best online is 0.7, on the test part 0.8
    0: {
        "ascw": (0.5, 0.50, 0.72),
        FIXED[0.6]: (0.40, 0.40, 0.6),
        FIXED[0.7]: (0.52, 0.51, 0.7),
        FIXED[0.8]: (0.51, 0.56, 0.8),
    },
    # 0.6, the lowest of equals, and 0.7
    1: {
        "ascw": (0.5, 0.60, 0.66),
        FIXED[0.6]: (0.55, 0.53, 0.6),
        FIXED[0.7]: (0.55, 0.62, 0.7),
        FIXED[0.8]: (0.10, 0.10, 0.8),
    },
}


def test_picks_by_hand():
    (found,) = told(BY_HAND).to_dict("records")
    expected = {
        "picked": 0.69,  # (0.72 + 0.66) / 2
        "best": 0.65,  # (0.7 + 0.6) / 2
        "error": 0.04,  # (0.02 + 0.06) / 2
        "error sd": 0.04 / 2**0.5,
        "lost": -0.03,  # (0.51 - 0.50 + 0.53 - 0.60) / 2
        "lost sd": 0.08 / 2**0.5,
        "best test": 0.75,
        "error test": 0.06,  # (0.08 + 0.04) / 2
        "error test sd": 0.04 / 2**0.5,
        "lost test": 0.04,  # (0.56 - 0.50 + 0.62 - 0.60) / 2
        "lost test sd": 0.04 / 2**0.5,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    names = ["measure", "dataset", "ratio", "resampling", "selector", "features", "costs"]
    assert [found[name] for name in names] == (
        ["f_measure", "a", "1:20", "none", "ascw", "50", "3: 0.6 to 0.8"]
    )
    assert (found["runs"], found["missing"]) == (2, 0)


@pytest.mark.parametrize("seed", range(5))
def test_picks_are_those_of_the_oracle(seed):
    rng = random.Random(seed)
    costs = [0.55, 0.6, 0.75, 0.9]
    fixed = {cost: f"ascw(cost={cost}, loss=hinge)" for cost in costs}
    runs = {
        run: {
            name: None if rng.random() < 0.05 else (rng.random(), rng.random(), rng.random())
            for name in ("ascw(loss=hinge)", *fixed.values())
        }
        for run in range(12)
    }
    (found,) = told(runs).to_dict("records")
    expected = oracles.picks(runs, "ascw(loss=hinge)", fixed)
    names = [name for name in expected if name in found]
    assert {"picked", "error", "error sd", "lost test", "runs"} <= set(names)
    assert {name: found[name] for name in names} == pytest.approx({n: expected[n] for n in names})
    assert found["missing"] == 12 - expected["runs"]


def test_who_is_compared_has_the_same_parameters_but_those_that_say_how_to_pick():
    value = (0.5, 0.5, 0.7)
    names = [
        "ascw",
        "ascw(K=19)",
        "ascw(loss=hinge)",
        "ascw(loss=hinge, target=auc)",  # picks by another measure
        "ascw(C=10)",  # nothing beside it
        "ascw(cost=0.7)",
        "ascw(cost=0.8, target=auc)",  # with a fixed cost the target says nothing
        "ascw(cost=0.9, loss=hinge)",
        "sbcw",  # has no cost
        "ascw(cost=tuned)",
    ]
    found = told({0: dict.fromkeys(names, value)})
    assert dict(zip(found["selector"], found["costs"], strict=True)) == {
        "ascw": "2: 0.7 to 0.8",
        "ascw(K=19)": "2: 0.7 to 0.8",
        "ascw(loss=hinge)": "1: 0.9 to 0.9",
    }


def test_every_problem_and_number_of_features_is_told_by_itself_in_the_order_of_the_plan():
    outcomes = []
    for dataset, (selector, cost) in product("ba", {"ascw": 0.75, FIXED[0.7]: 0.7}.items()):
        rows = []
        for features in ("50", "100"):
            values = {"f_measure": 0.5, "cost": cost + (0.1 if features == "100" else 0)}
            rows += [row(features, part, **values) for part in ("progressive", "test")]
        outcomes.append(((dataset, selector, "own", 0, 0), rows))
    outcomes.append((("a", "ascw", "svm", 0, 0), [row("50", f_measure=0.1, cost=None)]))
    found = picks.picks(*experiment(outcomes, measures=MEASURES), "f_measure")
    errors = zip(found["dataset"], found["features"], found["error"], strict=True)
    assert list(errors) == [
        ("b", "50", pytest.approx(0.05)),
        ("b", "100", pytest.approx(0.15)),
        ("a", "50", pytest.approx(0.05)),
        ("a", "100", pytest.approx(0.15)),
    ]
    assert found["error sd"].isna().all()  # one run


@pytest.mark.parametrize(
    "runs",
    [
        {0: {"ascw": (0.5, 0.5, 0.7)}},  # nobody with a fixed cost
        {0: {"ascw": (0.5, 0.5, 0.7), FIXED[0.6]: None}},  # or it failed
        {0: {FIXED[0.6]: (0.5, 0.5, 0.6)}},  # nobody who picks
        {0: {"pa": (0.5, 0.5, None)}},
    ],
)
def test_without_a_whole_run_there_is_nothing_to_tell(runs, tmp_path):
    assert told(runs).empty
    text = written(tmp_path, runs, "md")
    assert "Nobody picks a cost by f_measure beside the same at fixed costs." in text
    assert written(tmp_path, runs, "csv").count("\n") == 1


def written(folder, runs, name):
    plan, records = planned(runs)
    frame = tables.results(plan, records)
    table = Table(kind="picks", measure="f_measure")
    *_, path = sheets.write(folder, frame, plan, records, [table], [name])
    assert path.name == f"picks_f_measure.{name}"
    return path.read_text()


def test_the_table_in_markdown(tmp_path):
    broken = BY_HAND | {2: BY_HAND[0] | {FIXED[0.8]: None}}
    lines = written(tmp_path, broken, "md").splitlines()
    assert "Incomplete: 1 of 12 tasks have no result, 1 of them failed." in lines
    assert r"\* rests on fewer results than planned." in lines
    header, _, line = lines[-3:]
    texts = [[text.strip() for text in row.split("|")[1:-1]] for row in (header, line)]
    assert dict(zip(*texts, strict=True)) == {
        "dataset": "a",
        "ratio": "1:20",
        "selector": "ascw",
        "costs": "3: 0.6 to 0.8",
        "picked": "0.690",
        "best": "0.650",
        "error": "0.040 ± 0.028",
        "lost": "-0.030 ± 0.057",
        "best test": "0.750",
        "error test": "0.060 ± 0.028",
        "lost test": "0.040 ± 0.028",
        "runs": r"2 of 3\*",
    }


def test_printed_errors_stand_beside_ours(tmp_path):
    plan, records = planned(BY_HAND)
    said = {"dataset": "News", "metric": "F", "method": "ASCW1", "sd": None}
    names = {
        "datasets": {"News": "a"},
        "methods": {"ASCW1": "ascw"},
        "measures": {"F": "f_measure"},
    }
    table = Table(kind="beside", of="picks", printed="table4.csv", features=50, **names)
    plan["printed"] = {table.stem: [said | {"value": value} for value in (0.03, 0.9)]}
    frame = tables.results(plan, records)
    *_, path = sheets.write(tmp_path, frame, plan, records, [table], ["csv"])
    assert path.name == "beside_table4_50.csv"
    rows = pd.read_csv(path)[["mean", "sd", "difference", "inside"]].to_numpy().tolist()
    # As by hand above: an error of 0.04, sd 0.028; 0.03 is within two of these.
    sd = pytest.approx(0.04 / 2**0.5, abs=1e-6)
    assert rows == [[0.04, sd, 0.01, "yes"], [0.04, sd, -0.86, "no"]]
    records.clear()
    *_, path = sheets.write(tmp_path, frame[:0], plan, records, [table], ["md"])
    assert "Without a value of ours: 2." in path.read_text()


def test_what_was_written_is_read(tmp_path):
    assert picks.read(tmp_path / "tables").empty
    written(tmp_path, BY_HAND, "csv")
    found = picks.read(tmp_path / "tables")
    pd.testing.assert_frame_equal(found, told(BY_HAND), rtol=1e-5)
    (tmp_path / "tables/picks_auc.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="picks_auc.csv: is no table of picks."):
        picks.read(tmp_path / "tables")


# in a config


BASE = {
    "name": "x",
    "datasets": ["wine"],
    "selectors": [{"ascw": {"cost": [0.6, 0.7]}}, "ascw"],
    "classifiers": "own",
    "protocol": "online",
    "measures": ["f_measure", "cost"],
    "tables": [{"picks": {"measure": "f_measure"}}],
}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"protocol": "cv"}, "tables[0].picks: is measured under the protocol online alone."),
        ({"measures": "f_measure"}, "tables[0].picks: is told by the measure cost, which is not"),
        ({"tables": [{"picks": {"measure": "cost"}}]}, "tables[0]: cost describes a run"),
        ({"tables": [{"picks": {}}]}, "tables[0]: measure: is missing."),
        (
            {"tables": [{"picks": {"measure": "f_measure", "features": 5}}]},
            "tables[0]: features: is an option of",
        ),
    ],
)
def test_a_table_of_picks_that_cannot_be_is_refused(change, message):
    assert checked(Experiment, BASE).tables[0].stem == "picks_f_measure"
    with pytest.raises(UserError) as error:
        checked(Experiment, BASE | change)
    assert str(error.value).startswith(message)


# as a claim


def finding_of(runs, datasets=("a", "b"), of=("a", "b"), **given):
    """What comes of a claim about the picks on some sets."""
    plan, records = planned(runs, datasets)
    test = {"picks": {"these": "ascw", "measure": "f_measure", "under": 0.05, **given}}
    claim = {"where": "Table 4", "claim": "so it is", "tests": [test]}
    readings = {"readings": {"printed": {}}, "setting": {"reading": "printed"}}
    about = {"paper": "P", "experiment": "x", "datasets": list(of), **readings}
    paper = checked(claims.Paper, about | {"claims": {"A5": claim}})
    found = picks.picks(plan, records, "f_measure")
    (finding,) = verdicts.main(paper, tables.results(plan, records), found)
    return finding


@pytest.mark.parametrize("under, favour", [(0.05, 2), (0.04, 0), (0.03, 0)])
def test_costs_are_near_the_best_if_their_mean_error_is_under_a_bound(under, favour):
    finding = finding_of(BY_HAND, under=under)
    assert [cell[:2] for cell in finding.tested[0].cells] == [
        ("a 50 ascw", pytest.approx(0.04)),
        ("b 50 ascw", pytest.approx(0.04)),
    ]
    assert (finding.favour, finding.incomplete) == (favour, False)


def test_a_claim_about_picks_that_rests_on_less_says_so():
    assert finding_of(BY_HAND, of=["a"]).cells == 1
    assert finding_of(BY_HAND, ["a"], ["a", "b"]).incomplete
    finding = finding_of(BY_HAND | {2: BY_HAND[0] | {FIXED[0.8]: None}})
    assert (finding.favour, finding.incomplete) == (2, True)
    finding = finding_of({0: {"ascw": (0.5, 0.5, 0.7)}})
    assert (finding.verdict, finding.incomplete) == ("not testable", True)


def test_picks_are_not_averaged_over_problems():
    with pytest.raises(UserError, match=r"claims.A5.tests\[0\].picks.averaged: "):
        finding_of(BY_HAND, averaged={"classifier": "own"})


def test_verify_reads_the_tables_of_picks(imbfs, tmp_path):
    plan, records = planned(BY_HAND)
    frame = tables.results(plan, records)
    wanted = [Table(kind="picks", measure="f_measure")]
    sheets.write(tmp_path / "results/x", frame, plan, records, wanted, ["csv"])
    (tmp_path / "experiments/one").mkdir(parents=True)
    test = "picks: {these: ascw, measure: f_measure, under: 0.05}"
    (tmp_path / "experiments/one/claims.yaml").write_text(
        "{paper: P, experiment: x, readings: {printed: {}}, datasets: a, claims: {A5: {where: "
        f"Table 4, claim: so it is, tests: [{{{test}}}]}}}}}}"
    )
    answer = imbfs("verify", "one")
    assert answer.code == 0, answer.err
    (found,) = pd.read_csv(tmp_path / "results/x/tables/claims.csv").to_dict("records")
    assert (found["verdict"], found["cells"], found["mean"]) == ("holds", 1, 0.04)
