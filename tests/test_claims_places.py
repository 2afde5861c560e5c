"""Claims set by set: what a place is, what names stand for, and who leads by how much."""

import pandas as pd
import pytest
from outcomes import experiment, row

from imbfs.config import checked
from imbfs.errors import UserError
from imbfs.showing import claims, tables
from imbfs.showing.claims import sheets, verdicts

SVM, OTHER = "svm(class_weight=balanced)", "naive_bayes"


def frame_of(values, part="test", measures=("auc",)):
    """Results from {(set, ratio): {(selector, classifier): {features: {measure: value}}}}.

    A number in place of {measure: value} is the first measure.
    """
    outcomes, ratios = [], []
    for (dataset, ratio), methods in values.items():
        for (selector, classifier), counts in methods.items():
            rows = []
            for features, given in counts.items():
                given = given if isinstance(given, dict) else {measures[0]: given}
                k = 400 if features == "all" else features
                rows.append(row(str(features), part, k=k, **given))
            outcomes.append(((dataset, selector, classifier, 0, 0), rows))
            ratios.append(ratio)
    plan, records = experiment(outcomes, measures=measures)
    for task, ratio in zip(plan["tasks"], ratios, strict=True):
        task[2] = ratio
    return tables.results(plan, records)


def found(frame, kind, measure="auc", claim=(), **options):
    """What came of one test on one part; `claim` is said of the claim, `about` of the paper."""
    about = {"datasets": list(frame["dataset"].unique())} | options.pop("about", {})
    test = {kind: {"measure": measure, **options}}
    said = {"where": "Fig. 1", "claim": "so it is", "tests": [test], **dict(claim)}
    paper = {"paper": "P", "experiment": "x", **about, "claims": {"A1": said}}
    (finding,) = verdicts.main(checked(claims.Paper, paper), frame)
    return finding


def cells(finding):
    return {cell.place: cell.value for cell in finding.tested[0].cells}


BOTH = frame_of(
    {
        ("a", "1:5"): {("pa", "own"): {50: 0.7}, ("chi", SVM): {50: 0.6}, ("ig", SVM): {50: 0.5}},
        ("a", "1:20"): {("pa", "own"): {50: 0.5}, ("chi", SVM): {50: 0.6}, ("ig", SVM): {50: 0.5}},
    }
)


# places


def test_methods_meet_whose_classifiers_differ_if_each_has_but_one():
    finding = found(BOTH, "beats", these="pa", those="chi")
    assert cells(finding) == pytest.approx({"a 1:5 50 pa - chi": 0.1, "a 1:20 50 pa - chi": -0.1})
    assert (finding.verdict, finding.incomplete) == ("partly", False)


def test_methods_that_several_classifiers_judge_meet_by_the_same():
    methods = {(s, c): {50: v} for (s, c), v in JUDGED.items()}
    finding = found(frame_of({("a", "1:5"): methods}), "beats", these="chi", those="ig")
    assert cells(finding) == pytest.approx(
        {f"a {SVM} 50 chi - ig": 0.1, f"a {OTHER} 50 chi - ig": -0.2}
    )


JUDGED = {
    ("chi", SVM): 0.6,
    ("chi", OTHER): 0.7,
    ("ig", SVM): 0.5,
    ("ig", OTHER): 0.9,
    ("pa", "own"): 0.65,
}


@pytest.mark.parametrize(
    "classifier, expected", [(SVM, {"a 50 pa - CHI": 0.05}), (OTHER, {"a 50 pa - CHI": -0.05})]
)
def test_an_approach_says_by_which_classifier_a_selector_is_compared(classifier, expected):
    frame = frame_of({("a", "1:5"): {method: {50: v} for method, v in JUDGED.items()}})
    about = {"approaches": {"CHI": {"selector": "chi", "classifier": classifier}}}
    finding = found(frame, "beats", these="pa", those="CHI", about=about)
    assert cells(finding) == pytest.approx(expected)
    # without it, chi stands by each of two classifiers and pa by a third
    assert found(frame, "beats", these="pa", those="chi").verdict == "not testable"


def test_an_approach_may_be_a_name_for_a_variant_and_readings_say_which():
    values = {("pa(C=0.1)", "own"): {50: 0.7}, ("pa(C=10)", "own"): {50: 0.9}}
    frame = frame_of({("a", "1:5"): {**values, ("chi", SVM): {50: 0.8}}})
    about = {
        "approaches": {"PA": {"selector": "pa(C=0.1)"}},
        "readings": {"one": {}, "other": {"pa(C=0.1)": "pa(C=10)"}},
    }
    for reading, gap in (("one", -0.1), ("other", 0.1)):
        told = about | {"setting": {"reading": reading}}
        finding = found(frame, "beats", these="PA", those="chi", about=told)
        assert cells(finding) == pytest.approx({"a 50 PA - chi": gap})


def test_a_claim_may_be_about_some_ratios():
    for ratios, names in (([5], ["a 1:5"]), (["1:20", 5], ["a 1:5", "a 1:20"]), ([10], [])):
        finding = found(BOTH, "beats", these="pa", those="chi", claim={"ratios": ratios})
        assert list(cells(finding)) == [f"{name} 50 pa - chi" for name in names]
        assert finding.incomplete == (not names)


def test_what_is_missing_at_another_ratio_is_not_missed():
    frame = BOTH.copy()
    frame.loc[frame["ratio"] == "1:20", "missing"] = 1
    for ratio, incomplete in ((5, False), (20, True)):
        finding = found(frame, "beats", these="pa", those="chi", claim={"ratios": ratio})
        assert finding.incomplete == incomplete


# leads


MEASURES = ("f_measure", "auc", "average_precision")


def values_of(*values):
    return dict(zip(MEASURES, values, strict=True))


RACE = frame_of(
    {
        ("a", "1:5"): {
            ("mbpa", "own"): {50: values_of(0.6, 0.8, 0.5)},
            ("onpa", "own"): {50: values_of(0.5, 0.9, 0.6)},
            ("pa", "own"): {50: values_of(0.4, 0.85, 0.3)},
            ("chi", SVM): {50: values_of(0.3, 0.7, 0.4)},
            ("none", SVM): {"all": values_of(0.55, 0.7, 0.2)},
        }
    },
    measures=MEASURES,
)
THESE, THOSE = ["mbpa", "onpa"], ["pa", "chi"]


@pytest.mark.parametrize(
    "measure, name, lead",
    [
        ("f_measure", "mbpa - pa", 0.2),  # 0.6 - 0.4
        ("auc", "onpa - pa", 0.05),  # 0.9 - 0.85
        ("average_precision", "onpa - chi", 0.2),  # 0.6 - 0.4
    ],
)
def test_a_lead_is_that_of_the_best_of_these_over_the_best_of_those(measure, name, lead):
    finding = found(RACE, "leads", measure, these=THESE, those=THOSE)
    assert cells(finding) == pytest.approx({f"a 50 {name}": lead})
    for by, favour in ((lead - 0.01, 1), (lead, 0), (lead + 0.01, 0)):
        assert found(RACE, "leads", measure, these=THESE, those=THOSE, by=by).favour == favour


def test_all_features_stand_in_at_every_count():
    finding = found(RACE, "leads", "f_measure", these=THESE, those=[*THOSE, "none"])
    assert cells(finding) == pytest.approx({"a 50 mbpa - none": 0.05})


def test_a_lead_may_have_to_be_larger_than_those_by_other_measures():
    more = {"more_than": ["auc"]}
    finding = found(RACE, "leads", "f_measure", these=THESE, those=THOSE, **more)
    assert cells(finding) == pytest.approx({"a 50 mbpa - pa (auc +0.050)": 0.2})
    assert finding.tested[0].cells[0].margin == pytest.approx(0.15)
    more = {"more_than": ["auc", "average_precision"]}
    finding = found(RACE, "leads", "f_measure", these=THESE, those=THOSE, **more)
    told = "a 50 mbpa - pa (auc +0.050, average_precision +0.200)"
    assert finding.worst[:2] == (told, pytest.approx(0.2))  # as large is not larger
    # the lead itself must be there: 0.05 is more than mbpa's -0.05, and too little all the same
    options = {"these": "onpa", "those": "pa", "by": 0.1}
    more = {"more_than": {"measure": "auc", "these": "mbpa"}}
    assert found(RACE, "leads", "auc", **options, **more).favour == 0


def test_others_may_take_part_by_another_measure():
    more = {"measure": "average_precision", "these": "mbpa", "those": "pa"}  # 0.5 - 0.3
    finding = found(RACE, "leads", "f_measure", these="mbpa", those="chi", more_than=[more])
    assert cells(finding) == pytest.approx({"a 50 mbpa - chi (average_precision +0.200)": 0.3})
    assert finding.favour == 1


def test_without_a_value_of_everyone_there_is_no_lead():
    finding = found(RACE, "leads", these=THESE, those=["pa", "ofs"])
    assert (finding.verdict, finding.incomplete) == ("not testable", True)


def test_who_died_is_the_best_of_nobody_who_lives():
    methods = {
        ("mbpa", "own"): {50: {"auc": 0.7, "dead": 0}},
        ("pa", "own"): {50: {"auc": 0.8, "dead": 1}},
        ("cs", "own"): {50: {"auc": 0.6, "dead": 0}},
    }
    frame = frame_of({("a", "1:5"): methods}, measures=("auc", "dead"))
    finding = found(frame, "leads", these="mbpa", those=["pa", "cs"])
    assert cells(finding) == pytest.approx({"a 50 mbpa - cs": 0.1})
    finding = found(frame, "leads", these="mbpa", those="pa")
    assert (finding.verdict, finding.dead) == ("not testable", 1)


# parts


def test_a_claim_may_be_tested_on_parts_of_its_own():
    test = frame_of({("a", "1:5"): {("pa", "own"): {50: 0.7}, ("mbpa", "own"): {50: 0.6}}})
    stream = frame_of(
        {("a", "1:5"): {("pa", "own"): {50: 0.5}, ("mbpa", "own"): {"all": 0.6}}}, "progressive"
    )
    frame = pd.concat([test, stream], ignore_index=True)
    options = {"these": "mbpa", "those": "pa"}
    assert cells(found(frame, "beats", **options)) == pytest.approx({"a 50 mbpa - pa": -0.1})
    finding = found(frame, "beats", **options, claim={"parts": "progressive"})
    assert (finding.part, finding.verdict) == ("progressive", "holds")
    finding = found(
        frame, "beats", **options, about={"parts": ["progressive"]}, claim={"parts": ["test"]}
    )
    assert (finding.part, finding.verdict) == ("test", "fails")
    with pytest.raises(UserError, match=r"claims.A1.parts: there are no results of progressive\."):
        found(test, "beats", **options, claim={"parts": "progressive"})


PAIR = {"these": "mbpa", "those": "pa"}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"those": ["pa", "mbpa"]}, "leads: those: 'mbpa' is one of these."),
        ({"more_than": "f"}, "leads.more_than[0].measure: unknown measure 'f'."),
        ({"more_than": [{"these": "pa"}]}, "leads.more_than[0].measure: is missing."),
        (
            {"more_than": ["auc", {"measure": "auc", "those": ["pa", "x"]}]},
            "leads.more_than[1].those[1]: unknown selector 'x'.",
        ),
    ],
)
def test_a_mistake_in_a_lead_is_told_with_its_place(options, message):
    with pytest.raises(UserError) as error:
        found(RACE, "leads", "f_measure", **PAIR | options)
    assert str(error.value).startswith(f"claims.A1.tests[0].{message}")


@pytest.mark.parametrize(
    "claim, message",
    [
        ({"parts": "training"}, "claims.A1.parts[0]: "),
        ({"parts": []}, "claims.A1.parts: "),
        ({"ratios": "1-5"}, "claims.A1.ratios[0]: '1-5' is no ratio."),
    ],
)
def test_a_mistake_in_parts_and_ratios_of_a_claim_is_told_with_its_place(claim, message):
    with pytest.raises(UserError) as error:
        found(RACE, "leads", "f_measure", **PAIR, claim=claim)
    assert str(error.value).startswith(message)


def test_a_claim_that_is_not_told_of_a_part_has_an_empty_cell_there():
    rows = [("test", "A", "holds"), ("test", "B", "fails"), ("progressive", "B", "partly")]
    table = pd.DataFrame(rows, columns=["part", "claim", "cell"]).assign(C="1")
    wide = sheets._wide(table, ["part", "C"])
    assert wide.rows == [["test", "1", "holds", "fails"], ["progressive", "1", "", "partly"]]
