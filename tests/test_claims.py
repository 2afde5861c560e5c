"""Claims: how they are written, tested cell by cell, judged, and shown in every setting."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from outcomes import experiment, row

from imbfs.config import checked
from imbfs.errors import UserError
from imbfs.showing import claims, tables
from imbfs.showing.claims import sheets, verdicts
from imbfs.showing.claims.effects import NOTE
from imbfs.showing.claims.judged import judged
from imbfs.showing.claims.survey import survey

ROOT = Path(__file__).parent.parent
COUNTS = ["10%", "50%", "100%"]


def frame_of(values, part="test", measures=("g_mean",), failed=()):
    """Results from {set: {selector: values at 10%, 50% and 100%, or {measure: values}}}."""
    outcomes = []
    for dataset, selectors in values.items():
        for selector, given in selectors.items():
            given = given if isinstance(given, dict) else {"g_mean": given}
            rows = [
                row(count, part, k, **{name: given.get(name, [0, 0, 0])[i] for name in measures})
                for i, (count, k) in enumerate(zip(COUNTS, (1, 5, 10), strict=True))
                if i < len(next(iter(given.values())))
            ]
            outcomes.append(((dataset, selector, "own", 0, 0), rows))
    outcomes += [((dataset, selector, "own", 0, 0), "failed") for dataset, selector in failed]
    return tables.results(*experiment(outcomes, measures=measures))


def paper_of(*tests, needs="all", **given):
    about = {"paper": "P", "experiment": "x", "datasets": ["a", "b"]} | given
    claim = {"where": "Fig. 1", "claim": "so it is", "needs": needs, "tests": list(tests)}
    return checked(claims.Paper, {**about, "claims": {"H1": claim}})


def found(frame, *tests, **given):
    """What comes of the one claim on the one part that there is."""
    (finding,) = verdicts.main(paper_of(*tests, **given), frame)
    return finding


BEATS = {"beats": {"these": ["mbpa", "onpa"], "those": "pa", "measure": "g_mean"}}
STABLE = {"stable": {"these": "pa", "measure": "g_mean", "under": 0.1}}


def test_a_cell_of_beats_is_a_set_a_count_and_a_pair():
    frame = frame_of(
        {
            # mbpa - pa: +.1 +.1 0; onpa - pa: +.2 -.1 +.1
            "a": {"pa": [0.5, 0.6, 0.7], "mbpa": [0.6, 0.7, 0.7], "onpa": [0.7, 0.5, 0.8]},
            # mbpa - pa: +.3 +.3 +.3; onpa - pa: +.1 +.1 +.1
            "b": {"pa": [0.1, 0.1, 0.1], "mbpa": [0.4, 0.4, 0.4], "onpa": [0.2, 0.2, 0.2]},
            "other": {"pa": [0.9, 0.9, 0.9], "mbpa": [0, 0, 0], "onpa": [0, 0, 0]},  # not asked
        }
    )
    finding = found(frame, BEATS)
    assert (finding.favour, finding.cells, finding.dead) == (10, 12, 0)  # a tie is not in favour
    assert finding.verdict == "partly"
    assert finding.worst[:2] == ("a 50% onpa - pa", -0.1)
    # (.1 + .1 + 0 + .2 - .1 + .1 + 3 * .3 + 3 * .1) / 12 = 1.6 / 12
    assert finding.tested[0].mean == pytest.approx(1.6 / 12)
    assert not finding.incomplete


def test_a_test_may_be_of_one_classifier_alone():
    values = {("pa", "svm"): 0.5, ("mbpa", "svm"): 0.6, ("pa", "own"): 0.5, ("mbpa", "own"): 0.4}
    outcomes = [
        (("a", selector, classifier, 0, 0), [row(auc=value)])
        for (selector, classifier), value in values.items()
    ]
    frame = tables.results(*experiment(outcomes))
    told = {"these": "mbpa", "those": "pa", "measure": "auc"}
    counts = []
    for classifier in ({}, {"classifier": "svm"}, {"classifier": "own"}, {"classifier": "tree"}):
        finding = found(frame, {"beats": told | classifier}, datasets=["a"])
        counts.append((finding.favour, finding.cells))
    assert counts == [(1, 2), (1, 1), (0, 1), (0, 0)]
    alone = frame[frame["classifier"] == "svm"]
    for classifier, cells in (("svm", 1), ("own", 0)):
        finding = found(alone, {"beats": told | {"classifier": classifier}}, datasets=["a"])
        assert finding.cells == cells


@pytest.mark.parametrize(
    "curve, inside",
    [([0.5, 0.55, 0.59], True), ([0.9, 0.8, 0.9], False), ([0.5, 0.7, 0.5], False)],
)  # ranges 0.09, 0.1 and 0.2: the bound itself is not under it
def test_a_stable_curve_has_a_range_under_the_tolerance(curve, inside):
    finding = found(frame_of({"a": {"pa": curve}}), STABLE, datasets=["a"])
    assert (finding.favour, finding.cells) == (int(inside), 1)
    assert finding.tested[0].mean == pytest.approx(max(curve) - min(curve))


@pytest.mark.parametrize(
    "curve, late, rising",
    [
        ([0.5, 0.6, 0.7], None, True),
        ([0.5, 0.6, 0.6], None, False),  # by 0.1, not more
        ([0.5, 0.7, 0.7], None, True),
        ([0.5, 0.7, 0.7], 0.05, False),  # nothing in the second half
        ([0.5, 0.6, 0.7], 0.05, True),
        ([0.7, 0.5, 0.6], 0.05, False),  # late, but not in all
    ],
)
def test_a_curve_rises_in_all_and_late(curve, late, rising):
    test = {"rises": {"these": "pa", "measure": "g_mean", "by": 0.1, "late": late}}
    finding = found(frame_of({"a": {"pa": curve}}), test, datasets=["a"])
    assert finding.favour == int(rising)
    assert finding.tested[0].mean == pytest.approx(curve[-1] - curve[0])


@pytest.mark.parametrize(
    "curve, levels",
    [
        ([0.5, 0.7, 0.72], True),
        ([0.5, 0.55, 0.57], False),  # it hardly rose
        ([0.5, 0.7, 0.8], False),  # it goes on rising
        ([0.5, 0.7, 0.6], False),  # or falls
    ],
)
def test_a_curve_levels_off_after_a_rise(curve, levels):
    test = {"levels_off": {"these": "pa", "measure": "g_mean", "by": 0.1, "under": 0.05}}
    finding = found(frame_of({"a": {"pa": curve}}), test, datasets=["a"])
    assert finding.favour == int(levels)
    assert finding.tested[0].mean == pytest.approx(abs(curve[2] - curve[1]))


def test_exceeds_looks_at_the_given_counts_alone():
    test = {"exceeds": {"these": "pa", "measure": "g_mean", "features": ["10%", "50%"]}}
    test["exceeds"]["above"] = 0.9
    finding = found(frame_of({"a": {"pa": [0.9, 0.95, 0.1]}}), test, datasets=["a"])
    assert (finding.favour, finding.cells) == (1, 2)  # 0.9 is not above 0.9
    assert finding.worst[:2] == ("a 10% pa", 0.9)


@pytest.mark.parametrize(
    "ups, needs, verdict",
    [
        (6, "all", "holds"),
        (5, "all", "partly"),
        (3, "all", "partly"),
        (2, "all", "fails"),
        (4, "most", "holds"),
        (3, "most", "partly"),  # half is not most
        (2, "most", "partly"),
        (1, "most", "fails"),
    ],
)
def test_the_verdict_follows_from_the_share_of_six_cells(ups, needs, verdict):
    signs = [0.1 if i < ups else -0.1 for i in range(6)]
    sets = {"a": signs[:3], "b": signs[3:]}
    values = {k: {"pa": [0.5] * 3, "mbpa": [0.5 + s for s in v]} for k, v in sets.items()}
    test = {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}
    assert found(frame_of(values), test, needs=needs).verdict == verdict


@pytest.mark.parametrize(
    "pa, mbpa, verdict",
    [
        ([0.5, 0.5, 0.5], [0.6, 0.6, 0.6], "holds"),  # stable, beaten
        ([0.1, 0.5, 0.5], [0.6, 0.6, 0.6], "partly"),  # beaten, not stable
        ([0.1, 0.5, 0.5], [0.0, 0.0, 0.0], "fails"),
    ],
)
def test_a_claim_holds_if_each_of_its_tests_does(pa, mbpa, verdict):
    tests = [STABLE, {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}]
    frame = frame_of({"a": {"pa": pa, "mbpa": mbpa}})
    assert found(frame, *tests, datasets=["a"]).verdict == verdict


def test_where_a_method_died_nobody_wins():
    alive = {"g_mean": [0.6, 0.6, 0.6], "dead": [0, 0, 0]}
    dying = {"g_mean": [0.1, 0.7, 0.1], "dead": [1, 0.5, 0.55]}  # dead at 10% and 100%
    frame = frame_of({"a": {"mbpa": alive, "pa": dying}}, measures=("g_mean", "dead"))
    test = {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}
    finding = found(frame, test, datasets=["a"])
    assert (finding.favour, finding.cells, finding.dead) == (0, 1, 2)
    test = {"beats": {"these": "pa", "those": "mbpa", "measure": "g_mean"}}
    finding = found(frame, test, datasets=["a"])
    assert (finding.favour, finding.cells, finding.dead) == (1, 1, 2)
    # a curve with a dead point is dead, and a claim about nothing else cannot be tested
    finding = found(frame, STABLE, datasets=["a"])
    assert (finding.verdict, finding.cells, finding.dead) == ("not testable", 0, 1)


def test_what_is_not_there_cannot_be_tested_and_says_so():
    frame = frame_of({"a": {"pa": [0.5, 0.5, 0.5]}})
    finding = found(frame, BEATS)
    assert (finding.verdict, finding.cells, finding.incomplete) == ("not testable", 0, True)
    two = frame_of({"a": {"pa": [0.5, 0.5]}})
    assert found(two, STABLE, datasets=["a"]).verdict == "not testable"  # no shape of two points


@pytest.mark.parametrize(
    "values, failed, incomplete",
    [
        ({"a": {"pa": [0.5] * 3}, "b": {"pa": [0.5] * 3}}, [], False),
        ({"a": {"pa": [0.5] * 3}}, [], True),  # a set is absent
        ({"a": {"pa": [0.5] * 3}}, [("b", "pa")], True),  # a task failed
        ({"a": {"pa": [0.5] * 3}, "b": {"pa": [0.5] * 3}}, [("b", "mbpa")], False),  # not asked
        ({"a": {"pa": [0.5] * 3}, "b": {"pa": [0.5] * 3}}, [("c", "pa")], False),
    ],
)
def test_a_verdict_on_an_incomplete_grid_says_so(values, failed, incomplete):
    finding = found(frame_of(values, failed=failed), STABLE)
    assert (finding.verdict, finding.incomplete) == ("holds", incomplete)


def test_each_part_is_judged_by_itself():
    test = frame_of({"a": {"pa": [0.5, 0.5, 0.5]}})
    stream = frame_of({"a": {"pa": [0.1, 0.5, 0.9]}}, part="progressive")
    frame = pd.concat([test, stream], ignore_index=True)
    paper = paper_of(STABLE, datasets=["a"], parts=["test", "progressive"])
    told = [(finding.part, finding.verdict) for finding in verdicts.main(paper, frame)]
    assert told == [("test", "holds"), ("progressive", "fails")]
    assert [finding.part for finding in verdicts.main(paper, test)] == ["test"]
    with pytest.raises(UserError, match="no results of progressive"):
        verdicts.main(paper_of(STABLE, datasets=["a"], parts=["progressive"]), test)


def test_only_the_last_checkpoint_counts():
    rows = [row(f, seen=s, g_mean=v) for s, v in ((50, 0.1), (100, 0.9)) for f in COUNTS]
    outcomes = [(("a", "pa", "own", 0, 0), rows)]
    frame = tables.results(*experiment(outcomes, measures=("g_mean",)))
    test = {"exceeds": {"these": "pa", "measure": "g_mean", "features": COUNTS, "above": 0.8}}
    assert found(frame, test, datasets=["a"]).verdict == "holds"


def test_curves_go_by_the_number_of_features_whatever_the_order_of_the_config():
    rows = [row(f, k=k, g_mean=v) for f, k, v in (("9", 9, 0.9), ("1", 1, 0.5), ("5", 5, 0.7))]
    frame = tables.results(*experiment([(("a", "pa", "own", 0, 0), rows)], measures=("g_mean",)))
    test = {"rises": {"these": "pa", "measure": "g_mean", "by": 0.3, "late": 0.1}}
    assert found(frame, test, datasets=["a"]).verdict == "holds"


def swept():
    """mbpa beats pa at C = 1 in all cells, at 0.1 in one of three; the budget changes nothing."""
    values = {}
    for budget in ("", "budget=always"):
        for C, mbpa in (("", [0.6, 0.6, 0.6]), ("C=0.1", [0.6, 0.4, 0.4])):
            inside = ", ".join(filter(None, (C, budget)))
            ending = f"({inside})" if inside else ""
            values |= {f"pa{ending}": [0.5, 0.5, 0.5], f"mbpa{ending}": mbpa}
    return frame_of({"a": values})


MBPA = {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}


def test_the_main_setting_is_the_one_that_the_file_names():
    frame = swept()
    assert found(frame, MBPA, datasets=["a"], setting={"C": 1, "budget": "final"}).favour == 3
    assert found(frame, MBPA, datasets=["a"], setting={"C": 0.1, "budget": "final"}).favour == 1
    with pytest.raises(UserError, match="2 settings of x agree with it. Name a value of C."):
        found(frame, MBPA, datasets=["a"], setting={"budget": "final"})
    with pytest.raises(UserError, match="no setting of x has C=7."):
        found(frame, MBPA, datasets=["a"], setting={"C": 7})


def test_a_survey_counts_settings_and_cells_by_value_of_each_parameter():
    told = survey(paper_of(MBPA, datasets=["a"]), swept())
    assert told.swept == ["C", "budget"]
    assert list(told.table["verdict"]) == ["holds", "fails", "holds", "fails"]
    shown = told.by_value().set_index(["parameter", "value"])
    columns = ["settings", "holds", "partly", "fails", "not testable", "share"]
    assert {place: list(shown.loc[place, columns]) for place in shown.index} == {
        ("every setting", ""): [4, 2, 0, 2, 0, 8 / 12],
        ("C", "1"): [2, 2, 0, 0, 0, 1.0],
        ("C", "0.1"): [2, 0, 0, 2, 0, 1 / 3],
        ("budget", "final"): [2, 1, 0, 1, 0, 4 / 6],
        ("budget", "always"): [2, 1, 0, 1, 0, 4 / 6],
    }


def test_the_survey_in_markdown(tmp_path):
    paper = paper_of(MBPA, datasets=["a"])
    paths = sheets.write_survey(tmp_path, paper, survey(paper, swept()))
    settings, parameters = (
        path.read_text().splitlines()[2:] for path in paths if path.suffix == ".md"
    )
    assert settings == [
        "| part | C   | budget | H1        |",
        "| ---- | --- | ------ | --------- |",
        "| test | 1   | final  | holds 3/3 |",
        "| test | 0.1 | final  | fails 1/3 |",
        "| test | 1   | always | holds 3/3 |",
        "| test | 0.1 | always | fails 1/3 |",
    ]
    assert parameters[2:] == [
        "| test | every setting |        | 0.67 (2 of 4) |",
        "| test | C             | 1      | 1.00 (2 of 2) |",
        "| test | C             | 0.1    | 0.33 (0 of 2) |",
        "| test | budget        | final  | 0.67 (1 of 2) |",
        "| test | budget        | always | 0.67 (1 of 2) |",
    ]


def test_the_findings_in_csv_and_markdown(tmp_path):
    values = {"a": {"pa": [0.5, 0.5, 0.5], "mbpa": [0.6, 0.6, 0.4]}}
    paper = paper_of(MBPA, STABLE)
    findings = verdicts.main(paper, frame_of(values))
    csv, markdown = sheets.write_findings(tmp_path, paper, judged(paper, findings, {}))
    # (.1 + .1 - .1) / 3 = 0.0333333; stable: 0.1 - 0; their mean on the one task is 0.0666667
    whole = ",1,0.0666667,,,,,,,,"
    assert csv.read_text().splitlines() == [
        "claim,part,verdict,test,measure,needs,test verdict,in favour,cells,dead,mean,worst,"
        "worst value,incomplete,tasks,effect,low,high,p by,p,p holm,settings agree,settings,why",
        "H1,test,partly,beats,g_mean,all,partly,2,3,0,0.0333333,a 100% mbpa - pa,-0.1,yes" + whole,
        "H1,test,partly,stable,g_mean,all,holds,1,1,0,0,,,yes" + whole,
    ]
    *notes, header, _, line = markdown.read_text().splitlines()
    assert notes[::2] == [
        "What the results of x say of P.",
        "H1 (Fig. 1): so it is.",
        r"\* rests on fewer results than planned, or on fewer sets than the paper's.",
        NOTE,
    ]
    texts = [[text.strip() for text in row.split("|")[1:-1]] for row in (header, line)]
    assert dict(zip(*texts, strict=True)) == {
        "claim": "H1",
        "part": "test",
        "verdict": r"partly\*",
        "in favour": "3/4",
        "effect": "+0.067",
        "p": "",
        "settings": "",
        "dead": "0",
        "mean": "beats g_mean 0.033, stable g_mean 0.000",
        "worst": "a 100% mbpa - pa: -0.100",
    }


def as_text(paper=(), claim=()):
    """A claims file with some keys of its own or of its claim replaced."""
    right = {"where": "Fig. 1", "claim": "so it is", "tests": [MBPA]} | dict(claim)
    about = {"paper": "P", "experiment": "x", "datasets": ["a"], "claims": {"H1": right}}
    return yaml.safe_dump(about | dict(paper))


def wrong(kind, **options):
    return {"claim": {"tests": [{kind: MBPA["beats"] | options}]}}


MISTAKES = {
    "unknown key 'expriment'. Did you mean 'experiment'?": {"paper": {"expriment": "x"}},
    "experiment: ": {"paper": {"experiment": "../x"}},
    "claims: ": {"paper": {"claims": {}}},
    "claims.H1.needs: ": {"claim": {"needs": "some"}},
    "claims.H1.datasets: unknown dataset 'A'.": {"claim": {"datasets": ["A"]}},
    "claims.H1.tests[0]: a test is one of beats, ties, s": {"claim": {"tests": [MBPA | STABLE]}},
    "claims.H1.tests[0]: unknown key 'beat'. Did you mean 'beats'?": wrong("beat"),
    "claims.H1.tests[0].beats.measure: unknown measure 'gmean'.": wrong("beats", measure="gmean"),
    "claims.H1.tests[0].beats.these[0]: unknown selector 'x'.": wrong("beats", these="x"),
    "claims.H1.tests[0].beats.classifier: unknown method 'svn'.": wrong("beats", classifier="svn"),
    "claims.H1.tests[0].beats: classifier: is told in averaged.": wrong(
        "beats", classifier="svm", averaged={"classifier": "svm"}
    ),
    "claims.H1.tests[0].stable: unknown key 'those'.": wrong("stable", under=0.1),
    "claims.H1.tests[0].stable.under: is missing.": {
        "claim": {"tests": [{"stable": {"these": "pa", "measure": "g_mean"}}]}
    },
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_in_a_claims_file_is_told_with_its_place(message, tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(as_text())
    assert claims.load(path).claims["H1"].tests[0].kind == "beats"
    path.write_text(as_text(**MISTAKES[message]))
    with pytest.raises(UserError) as error:
        claims.load(path)
    assert str(error.value).startswith(f"{path}: {message}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "a: {", "7"])
def test_a_file_that_is_no_mapping_is_refused(text, tmp_path):
    (tmp_path / "claims.yaml").write_text(text)
    with pytest.raises(UserError, match="claims.yaml: is "):
        claims.load(tmp_path / "claims.yaml")


@pytest.mark.parametrize("name, path", claims.papers(ROOT / "experiments").items())
def test_every_claims_file_of_the_project_is_right(name, path):
    paper = claims.load(path)
    assert name == path.parent.name
    assert paper.experiment != paper.sensitivity
    assert all(claim.where and claim.claim for claim in paper.claims.values())


@pytest.fixture
def project(tmp_path):
    """Experiments with one paper, and the results of its experiment and of its sweep."""
    folder = tmp_path / "experiments/one"
    folder.mkdir(parents=True)
    about = {"sensitivity": "y", "setting": {"C": 1}}
    (folder / "claims.yaml").write_text(as_text(about))
    values = {"pa": [0.5, 0.5, 0.5], "mbpa": [0.6, 0.6, 0.4]}
    for name, frame in {"x": frame_of({"a": values}), "y": swept()}.items():
        (tmp_path / "results" / name / "tables").mkdir(parents=True)
        frame.to_csv(tmp_path / "results" / name / "tables/results.csv", index=False)
    return tmp_path


def test_verify_shows_and_writes_the_verdicts_and_the_same_bytes_again(imbfs, project):
    answer = imbfs("verify", "one")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "H1 so it is (Fig. 1)" in lines
    # in the settings of y it holds twice and fails twice, and is never partly so
    assert lines[2].split() == "test partly 2/3 effect +0.033, settings 0% of 4".split()
    assert lines[3].strip() == "a 100% mbpa - pa: -0.100"
    assert "H1 test 4 2 0 2 0 0.67".split() in [line.split() for line in lines]
    names = ["x/tables/claims.csv", "x/tables/claims.md"]
    names += [
        f"y/tables/claims_{n}.{end}" for n in ("settings", "parameters") for end in ("csv", "md")
    ]
    assert lines[-6:] == [f"results/{name}" for name in names]
    before = [(Path("results") / name).read_bytes() for name in names]
    every = imbfs("verify").out.splitlines()
    assert every[:-3] == lines
    assert every[-3] == "results/overview.md"
    assert every[-2].split() == "paper claims tested holds partly fails not testable".split()
    assert every[-1].split() == ["one", "1", "1", "0", "1", "0", "0"]
    assert [(Path("results") / name).read_bytes() for name in names] == before


def test_verify_tells_how_many_printed_values_are_within_our_spread(imbfs, project):
    header = "method,dataset,ratio,resampling,selector,classifier,measure,features,printed,"
    header += "printed sd,suspect,mean,sd,missing,difference,inside\n"
    row = "x,a,natural,none,x,svm,auc,5,{},,,0.8,0.01,0,{},{}\n"
    text = header + row.format(0.8, 0, "yes") + row.format(0.9, -0.1, "no")
    (project / "results/x/tables/beside_table1_5.csv").write_text(text)
    answer = imbfs("verify", "all")
    assert answer.code == 0, answer.err
    lines = [line.split() for line in answer.out.splitlines()]
    assert max(map(len, answer.out.splitlines())) <= 80
    assert ["x", "table1_5", "1", "2", "0.050", "0", "0"] in lines


@pytest.fixture
def two_experiments(project):
    """The paper with a second claim, on another experiment than its own, and a third."""
    right = {"where": "Fig. 1", "claim": "so it is", "tests": [MBPA]}
    given = {"H1": right, "H2": right | {"experiment": "z"}, "H3": right}
    (project / "experiments/one/claims.yaml").write_text(as_text({"claims": given}))
    return project


def test_a_claim_may_be_tested_on_an_experiment_of_its_own(imbfs, two_experiments):
    frame = frame_of({"a": {"pa": [0.5, 0.5, 0.5], "mbpa": [0.6, 0.6, 0.6]}})
    (two_experiments / "results/z/tables").mkdir(parents=True)
    frame.to_csv(two_experiments / "results/z/tables/results.csv", index=False)
    answer = imbfs("verify", "one")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[0] == "P: x, z"
    told = pd.read_csv(two_experiments / "results/x/tables/claims.csv")
    assert dict(zip(told["claim"], told["verdict"], strict=True)) == {
        "H1": "partly",
        "H2": "holds",
        "H3": "partly",
    }
    text = (two_experiments / "results/x/tables/claims.md").read_text()
    assert text.startswith("What the results of x and z say of P.")


def test_claims_on_an_experiment_without_results_cannot_be_tested(imbfs, two_experiments):
    answer = imbfs("verify", "one")
    assert answer.code == 1
    assert answer.err == "Missing: all of z. Make them: imbfs run configs/z.yaml\n"
    assert "results/z: holds no results" in answer.out
    told = pd.read_csv(two_experiments / "results/x/tables/claims.csv").set_index("claim")
    assert list(told["verdict"]) == ["partly", "not testable", "partly"]
    assert told.loc["H2", ["in favour", "cells", "incomplete"]].tolist() == [0, 0, "yes"]


def test_verify_averages_over_the_groups_that_problems_csv_tells(imbfs, project):
    rows = "a,1:20,text,9,8,3,6,\nb,1:20,biology,9,8,3,6,\n"
    header = "dataset,ratio,group,samples,features,minority,majority,differs\n"
    (project / "results/x/tables/problems.csv").write_text(header + rows)
    sets = {"a": {"pa": [0.5], "mbpa": [0.6]}, "b": {"pa": [0.5], "mbpa": [0.4]}}
    frame_of(sets).to_csv(project / "results/x/tables/results.csv", index=False)
    over = [{"classifier": "own", "group": group} for group in ("text", "biology")]
    tests = [{"beats": MBPA["beats"] | {"averaged": average}} for average in over]
    about = {"datasets": ["a", "b"]}
    (project / "experiments/one/claims.yaml").write_text(as_text(about, {"tests": tests}))
    assert imbfs("verify", "one").code == 0
    told = pd.read_csv(project / "results/x/tables/claims.csv")
    assert told["test verdict"].tolist() == ["holds", "fails"]
    assert told["worst"][1] == "biology own 10% mbpa - pa"


def test_verify_goes_without_the_sensitivity_experiment(imbfs, project):
    (project / "results/y/tables/results.csv").unlink()
    answer = imbfs("verify", "all")
    assert answer.code == 1
    assert "results/y: holds no results; settings are not compared." in answer.out
    assert answer.err == "Missing: all of y. Make them: imbfs run configs/y.yaml\n"


def test_verify_reads_the_settings_of_an_experiment_whose_results_are_too_large_to_keep(
    imbfs, project
):
    before = imbfs("verify", "one").out.splitlines()
    (project / "results/y/tables/results.csv").unlink()
    answer = imbfs("verify", "one")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines() == before


def test_verify_says_how_many_planned_cells_are_missing(imbfs, project):
    values = {"pa": [0.5, 0.5, 0.5], "mbpa": [0.6, 0.6, 0.4]}
    frame = frame_of({"a": values}, failed=[("a", "onpa"), ("b", "pa")])
    frame.to_csv(project / "results/x/tables/results.csv", index=False)
    answer = imbfs("verify", "one")
    assert answer.code == 1  # whatever the verdicts
    assert answer.err == "Missing: 2 cells of x. Make them: imbfs run configs/x.yaml\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["two"], "imbfs: unknown paper 'two'. Known: one."),
        (["one", "--results", "nowhere"], "imbfs: nowhere/x: holds no results."),
        (["all", "--experiments", "nowhere"], "imbfs: nowhere: holds no paper with a claims.yaml."),
    ],
)
def test_verify_refuses_what_is_not_there(arguments, message, imbfs, project):
    answer = imbfs("verify", *arguments)
    assert answer.code == 2
    assert answer.err.startswith(message) and answer.err.count("\n") == 1


def test_verify_names_the_claims_file_and_the_table_of_a_measure_that_is_not_there(imbfs, project):
    path = project / "results/x/tables/results.csv"
    path.write_text(path.read_text().replace("g_mean", "auc"))
    answer = imbfs("verify", "one")
    assert answer.code == 2
    assert answer.err.startswith(
        "imbfs: experiments/one/claims.yaml: results/x/tables/results.csv: unknown measure 'g_mean'"
    )
