"""Claims over averages: what a cell is of, each predicate by hand, readings and approaches."""

from pathlib import Path

import pandas as pd
import pytest
from outcomes import experiment, row
from scipy.stats import ttest_rel

from imbfs.config import checked, load
from imbfs.config.shown import BEST
from imbfs.errors import UserError
from imbfs.showing import claims, tables
from imbfs.showing.averages import groups
from imbfs.showing.claims import verdicts
from imbfs.showing.claims.survey import survey

ROOT = Path(__file__).parent.parent
SVM = {"averaged": {"classifier": "svm"}}


def frame_of(values, told=(), failed=()):
    """Results from {set: {approach: {features: auc}}}, with the group of every set that is told.

    An approach is a selector, or a tuple of it with its classifier and its resampling.
    """
    outcomes, resamplings = [], []
    for dataset, approaches in values.items():
        for approach, counts in approaches.items():
            given = (approach,) if isinstance(approach, str) else approach
            selector, classifier, resampling = (*given, *("svm", "none")[len(given) - 1 :])
            rows = [row(str(k), k=400 if k == "all" else k, auc=v) for k, v in counts.items()]
            lacks = (dataset, selector) in failed
            outcomes.append(((dataset, selector, classifier, 0, 0), "failed" if lacks else rows))
            resamplings.append(resampling)
    plan, records = experiment(outcomes)
    for task, resampling in zip(plan["tasks"], resamplings, strict=True):
        task[3] = resampling
    named = pd.DataFrame(list(dict(told).items()), columns=["dataset", "group"])
    return groups.grouped(tables.results(plan, records), named)


def paper_of(*tests, needs="all", **given):
    about = {"paper": "P", "experiment": "x", "datasets": ["a", "b"]} | given
    claim = {"where": "Fig. 1", "claim": "so it is", "needs": needs, "tests": list(tests)}
    return checked(claims.Paper, {**about, "claims": {"H1": claim}})


def found(frame, kind, **options):
    """What comes of one test on the sets of a frame, by the SVM unless the average is told."""
    about = options.pop("about", {})
    test = {kind: {"measure": "auc", **SVM, **options}}
    sets = {"datasets": list(frame["dataset"].unique())}
    (finding,) = verdicts.main(paper_of(test, **sets | about), frame)
    return finding


def cells(finding):
    return {cell.place: cell.value for cell in finding.tested[0].cells}


def over(group="all", classifier="svm"):
    return {"averaged": {"classifier": classifier, "group": group}}


TWO = frame_of(
    {
        "a": {"none": {"all": 0.7}, "fast": {10: 0.6, 50: 0.7}, "ig": {10: 0.5, 50: 0.9}},
        "b": {"none": {"all": 0.6}, "fast": {10: 0.8, 50: 0.7}, "ig": {10: 0.8, 50: 0.7}},
    },
    {"a": "text", "b": "biology"},
)


# beats


def test_a_cell_of_an_average_is_a_group_a_classifier_and_a_count():
    # at 10: (0.6 + 0.8) / 2 - (0.5 + 0.8) / 2 = 0.05; at 50: 0.7 - 0.8
    finding = found(TWO, "beats", these="fast", those="ig")
    expected = {"all problems svm 10 fast - ig": 0.05, "all problems svm 50 fast - ig": -0.1}
    assert cells(finding) == pytest.approx(expected)
    assert (finding.favour, finding.verdict, finding.incomplete) == (1, "partly", False)


@pytest.mark.parametrize(
    "group, expected", [("text", [0.1, -0.2]), ("biology", [0, 0]), ("sound", [])]
)
def test_an_average_is_over_the_problems_of_its_group(group, expected):
    finding = found(TWO, "beats", these="fast", those="ig", **over(group))
    assert list(cells(finding).values()) == pytest.approx(expected)
    assert all(place.startswith(f"{group} svm ") for place in cells(finding))
    assert (finding.verdict == "not testable") == (group == "sound")


def test_an_average_is_over_the_sets_that_a_claim_is_about():
    finding = found(TWO, "beats", these="fast", those="ig", about={"datasets": ["a"]})
    assert list(cells(finding).values()) == pytest.approx([0.1, -0.2])
    assert not finding.incomplete


def test_only_the_counts_that_are_named_are_looked_at():
    finding = found(TWO, "beats", these="fast", those="ig", features=10)
    assert list(cells(finding)) == ["all problems svm 10 fast - ig"]
    assert finding.verdict == "holds"


@pytest.mark.parametrize("by, favour", [(0, 1), (0.04, 1), (0.05, 0), (-0.1, 1), (-0.11, 2)])
def test_the_lead_must_be_more_than_asked_and_below_0_it_may_be_behind_by_less(by, favour):
    assert found(TWO, "beats", these="fast", those="ig", by=by).favour == favour  # +0.05, -0.1


def test_all_features_are_a_baseline_at_every_count():
    # none: 0.65; fast 0.7 and 0.7, ig 0.65 and 0.8
    finding = found(TWO, "beats", these=["fast", "ig"], those="none")
    assert list(cells(finding).values()) == pytest.approx([0.05, 0.05, 0, 0.15])
    finding = found(TWO, "beats", these="none", those="ig", features=50)
    assert cells(finding) == pytest.approx({"all problems svm 50 none - ig": -0.15})


def test_all_features_are_a_baseline_at_every_count_set_by_set_too():
    finding = found(TWO, "beats", these="fast", those="none", averaged=None)
    expected = {"a 10": -0.1, "a 50": 0, "b 10": 0.2, "b 50": 0.1}
    assert cells(finding) == pytest.approx({f"{k} fast - none": v for k, v in expected.items()})
    finding = found(TWO, "beats", these="none", those="fast", averaged=None)
    assert list(cells(finding).values()) == pytest.approx([0.1, 0, -0.2, -0.1])


def test_nobody_has_to_beat_itself():
    finding = found(TWO, "beats", these=["fast", "ig"], those=["fast", "ig"], features=10)
    assert list(cells(finding).values()) == pytest.approx([0.05, -0.05])


@pytest.mark.parametrize("level, favour", [(0.05, 0), (0.1, 1)])
def test_a_difference_may_have_to_be_significant_over_problems(level, favour):
    # d = 0.02, 0.04, 0.06: t = 0.04 / (0.02 / sqrt(3)) = 3.46 with 2 degrees of freedom, p = 0.074
    fast, ig = [0.52, 0.64, 0.76], [0.5, 0.6, 0.7]
    values = zip("abc", fast, ig, strict=True)
    frame = frame_of({name: {"fast": {10: f}, "ig": {10: i}} for name, f, i in values})
    finding = found(frame, "beats", these="fast", those="ig", significant=level)
    assert cells(finding) == pytest.approx({"all problems svm 10 fast - ig (p = 0.074)": 0.04})
    assert ttest_rel(fast, ig).pvalue == pytest.approx(0.074, abs=5e-4)
    assert finding.favour == favour
    # as sure as it is, it is the wrong way round
    assert found(frame, "beats", these="ig", those="fast", significant=level).favour == 0


def test_of_one_problem_nothing_is_significant():
    frame = frame_of({"a": {"fast": {10: 0.9}, "ig": {10: 0.1}}})
    finding = found(frame, "beats", these="fast", those="ig", significant=0.05)
    assert cells(finding) == {"all problems svm 10 fast - ig (p = 1)": 0.8}
    assert finding.verdict == "fails"


@pytest.mark.parametrize("under, favour", [(0.05, 0), (0.06, 1), (0.1, 1), (0.11, 2)])
def test_a_tie_is_a_difference_of_less_than_a_bound_either_way(under, favour):
    for pair in ({"these": "fast", "those": "ig"}, {"these": "ig", "those": "fast"}):
        finding = found(TWO, "ties", **pair, under=under)  # 0.05 and -0.1
        assert (finding.favour, finding.cells) == (favour, 2)


# other predicates


def test_the_top_is_taken_where_the_last_of_these_is_before_the_first_of_the_others():
    values = {
        "fast": {10: 0.9, 20: 0.9, 50: 0.8},
        "ig": {10: 0.8, 20: 0.7, 50: 0.9},
        "chi": {10: 0.7, 20: 0.8, 50: 0.8},
        "pcc": {10: 0.6, 20: 0.6, 50: 0.1},
        "auc": {10: 1.0, 20: 1.0, 50: 1.0},  # not asked
    }
    among = ["fast", "ig", "chi", "pcc"]
    finding = found(frame_of({"a": values}), "top", these=["fast", "ig"], among=among)
    assert cells(finding) == pytest.approx(
        {
            "all problems svm 10 ig - chi": 0.1,
            "all problems svm 20 ig - chi": -0.1,
            "all problems svm 50 fast - chi": 0,  # a tie is not in favour
        }
    )
    assert (finding.favour, finding.cells) == (1, 3)


def test_without_a_result_of_every_one_there_is_no_top():
    finding = found(TWO, "top", these="fast", among=["ig", "chi"])
    assert (finding.verdict, finding.incomplete) == ("not testable", True)


@pytest.mark.parametrize(
    "curve, value, favour",
    [
        ([0.6, 0.7, 0.8, 0.7], 0.1, 1),
        ([0.6, 0.8, 0.7, 0.7], 0.1, 1),
        ([0.9, 0.8, 0.8, 0.7], 0.1, 0),  # the peak is at 10
        ([0.8, 0.8, 0.7, 0.7], 0.1, 0),  # or is shared with it
        ([0.6, 0.7, 0.8, 0.75], 0.05, 0),  # lower by 0.05, not by more
        ([0.6, 0.7, 0.8, 0.9], -0.1, 0),
    ],
)
def test_a_curve_peaks_at_some_counts_and_is_lower_with_the_most(curve, value, favour):
    frame = frame_of({"a": {"fast": dict(zip((10, 20, 50, 100), curve, strict=True))}})
    finding = found(frame, "peaks", these="fast", at=[20, 50], by=0.05)
    assert cells(finding) == pytest.approx({"all problems svm fast": value})
    assert finding.favour == favour


def test_a_curve_without_or_with_only_the_counts_of_a_peak_shows_none():
    frame = frame_of({"a": {"fast": {10: 0.5, 20: 0.6, 50: 0.5}}})
    for at in ([100], [10, 20, 50]):
        finding = found(frame, "peaks", these="fast", at=at, by=0)
        assert finding.verdict == "not testable"


@pytest.mark.parametrize("last, favour", [(0.65, 1), (0.7, 0), (0.8, 0)])
def test_a_curve_falls_from_the_fewest_features_to_the_most(last, favour):
    frame = frame_of({"a": {"fast": {10: 0.7, 20: 0.9, 50: last}}})
    finding = found(frame, "falls", these="fast", by=0)
    assert cells(finding) == pytest.approx({"all problems svm fast": 0.7 - last})
    assert finding.favour == favour


def test_a_curve_is_over_the_same_problems_at_every_count():
    # With b the curve would fall: 0.7 = (0.5 + 0.9) / 2 at 10, 0.6 at 50, where b is not measured.
    frame = frame_of(
        {"a": {"fast": {10: 0.5, 20: 0.5, 50: 0.6}}, "b": {"fast": {10: 0.9, 20: 0.9}}}
    )
    finding = found(frame, "rises", these="fast", by=0.05)
    assert cells(finding) == pytest.approx({"all problems svm fast": 0.1})
    finding = found(frame, "exceeds", these="fast", features=[10, 50], above=0.65)
    assert list(cells(finding).values()) == pytest.approx(
        [0.7, 0.6]
    )  # each over those that have it


NEAR = frame_of(
    {
        # within 1% of the best: fast | fast, ig | ig | fast, ig; auc is better still, on a by far
        "a": {"fast": {10: 0.9}, "ig": {10: 0.8}, "chi": {10: 0.1}, "auc": {10: 1.0}},
        "b": {"fast": {10: 0.9}, "ig": {10: 0.895}, "chi": {10: 0.1}, "auc": {10: 0.9}},
        "c": {"fast": {10: 0.885}, "ig": {10: 0.9}, "chi": {10: 0.1}, "auc": {10: 0.9}},
        "d": {"fast": {10: 0.9}, "ig": {10: 0.9}, "chi": {10: 0.9}, "auc": {10: 0.9}},
    }
)


def test_shares_of_problems_near_the_best_are_compared():
    finding = found(
        NEAR, "within", these="fast", those=["ig", "chi"], features=10, tolerance=1, by=0.25
    )
    # 3 of 4, 3 of 4 and 1 of 4
    expected = {"fast - ig at 1%": 0, "fast - chi at 1%": 0.5}
    assert cells(finding) == {f"all problems svm 10 {k}": v for k, v in expected.items()}
    assert finding.favour == 1
    finding = found(
        NEAR, "within", these="fast", those="chi", features=10, tolerance=[0, 2], by=0.5
    )
    # none but fast and chi set the best: fast 4 of 4, chi 1 of 4
    assert list(cells(finding).values()) == [0.75, 0.75]


@pytest.mark.parametrize("under, favour", [(0.5, 1), (0.51, 2)])
def test_shares_tie_that_differ_by_less_than_a_bound(under, favour):
    told = {"features": 10, "tolerance": 1, "under": under}
    for pair in (
        {"these": ["ig", "chi"], "those": "fast"},
        {"these": "fast", "those": ["ig", "chi"]},
    ):
        assert found(NEAR, "within", **pair, **told).favour == favour  # 0 and 0.5


def test_the_best_is_that_of_all_who_are_named():
    among = ["auc", "chi"]
    finding = found(
        NEAR, "within", these="fast", those="ig", among=among, features=10, tolerance=[1, 2]
    )
    # with auc: fast on b and d, ig on b, c and d; at 2%, 0.882 of 0.9, fast on c too
    assert list(cells(finding).values()) == [-0.25, 0]


def test_the_best_average_of_all_stays_under_a_bound():
    # fast 0.7 at both counts, ig 0.65 and 0.8
    finding = found(TWO, "under", these=["fast", "ig"], below=0.8)
    assert cells(finding) == pytest.approx({"all problems svm 50 ig": 0.8})
    assert finding.verdict == "fails"  # 0.8 is not below it
    assert found(TWO, "under", these=["fast", "ig"], below=0.81).verdict == "holds"
    assert found(TWO, "under", these="fast", below=0.71).verdict == "holds"


# classifiers, approaches, readings


BOTH = frame_of(
    {
        "a": {
            **{("none", c): {"all": 0.6} for c in ("svm", "naive_bayes")},
            ("fast", "svm"): {10: 0.5},
            ("fast", "naive_bayes"): {10: 0.9},
            ("ig", "svm"): {10: 0.6},
            ("ig", "naive_bayes"): {10: 0.7},
        },
        "b": {
            **{(s, "svm"): {10: 0.1} for s in ("fast", "ig")},
            ("none", "svm"): {"all": 0.1},
        },
    }
)


def test_the_mean_over_classifiers_is_of_problems_that_each_has():
    finding = found(BOTH, "beats", these="fast", those="ig", **over(classifier="mean"))
    # of a alone: (0.5 + 0.9) / 2 - (0.6 + 0.7) / 2
    assert cells(finding) == pytest.approx({"all problems mean 10 fast - ig": 0.05})


def test_an_approach_has_a_classifier_of_its_own_and_is_compared_on_common_problems():
    about = {"approaches": {"FAST-NB": {"selector": "fast", "classifier": "naive_bayes"}}}
    finding = found(BOTH, "beats", these="FAST-NB", those=["ig", "none"], about=about)
    # of a alone: 0.9 - 0.6 and 0.9 - 0.6; with b, ig would have 0.35
    expected = {"FAST-NB - ig": 0.3, "FAST-NB - none": 0.3}
    assert cells(finding) == pytest.approx(
        {f"all problems svm 10 {k}": v for k, v in expected.items()}
    )


def test_an_approach_may_resample():
    values = {"s2n": {50: 0.9}, "none": {"all": 0.8}}
    values |= {
        ("s2n", "svm", "smote_under"): {50: 0.6},
        ("none", "svm", "smote_under"): {"all": 0.7},
    }
    about = {"approaches": {"SMUS": {"selector": "none", "resampling": "smote_under"}}}
    frame = frame_of({"a": values})
    finding = found(frame, "beats", these="s2n", those=["SMUS", "none"], about=about)
    expected = {"s2n - SMUS": 0.2, "s2n - none": 0.1}
    assert cells(finding) == pytest.approx(
        {f"all problems svm 50 {k}": v for k, v in expected.items()}
    )
    resampled = {"averaged": {"classifier": "svm", "resampling": "smote_under"}}
    finding = found(frame, "beats", these="s2n", those="none", **resampled)
    assert cells(finding) == pytest.approx({"all problems svm smote_under 50 s2n - none": -0.1})


READ = {
    "readings": {"toolbox": {"s2n": "s2n(sided=two)"}, "printed": {}},
    "setting": {"reading": "toolbox"},
}


def test_readings_take_a_name_for_different_variants_and_sweep_nothing():
    values = {"s2n": {10: 0.5}, "s2n(sided=two)": {10: 0.7}, "odds_ratio": {10: 0.6}}
    frame = frame_of({"a": values})
    finding = found(frame, "beats", these="s2n", those="odds_ratio", about=READ)
    assert list(cells(finding).values()) == pytest.approx([0.1])
    printed = READ | {"setting": {"reading": "printed"}}
    finding = found(frame, "beats", these="s2n", those="odds_ratio", about=printed)
    assert list(cells(finding).values()) == pytest.approx([-0.1])
    # as a sweep there would be no such setting: odds_ratio has a parameter `sided` too
    with pytest.raises(UserError, match="no setting of x has sided=two"):
        about = {"setting": {"sided": "two"}}
        found(frame, "beats", these="s2n", those="odds_ratio", about=about)


def test_a_variant_may_be_named_by_its_label():
    values = {"s2n": {10: 0.5}, "s2n(sided=two)": {10: 0.7}}
    for average in (SVM["averaged"], None):
        finding = found(
            frame_of({"a": values}),
            "beats",
            these="s2n(sided=two)",
            those="s2n",
            averaged=average,
            about={**READ, "setting": {"reading": "printed"}},
        )
        assert list(cells(finding).values()) == pytest.approx([0.2])


def test_a_survey_is_over_readings():
    values = {"s2n": {10: 0.5}, "s2n(sided=two)": {10: 0.7}, "odds_ratio": {10: 0.6}}
    test = {"beats": {"these": "s2n", "those": "odds_ratio", "measure": "auc", **SVM}}
    told = survey(paper_of(test, datasets=["a"], **READ), frame_of({"a": values}))
    assert told.swept == ["reading"]
    assert list(zip(told.table["reading"], told.table["verdict"], strict=True)) == [
        ("toolbox", "holds"),
        ("printed", "fails"),
    ]


@pytest.mark.parametrize(
    "failed, sets, group, incomplete",
    [
        ((), "ab", "all", False),
        ((), "abc", "all", True),  # the paper has a set more
        ((("b", "chi"),), "ab", "all", True),  # of another method: b counts for nobody
        ((("b", "chi"),), "ab", "biology", True),
        ((("b", "chi"),), "ab", "text", False),
        ((("b", "chi"),), "a", "all", False),  # not asked
    ],
)
def test_an_average_that_rests_on_less_than_planned_says_so(failed, sets, group, incomplete):
    values = {name: {s: {10: 0.5} for s in ("fast", "ig", "chi")} for name in "ab"}
    frame = frame_of(values, {"a": "text", "b": "biology"}, failed)
    about = {"datasets": list(sets)}
    finding = found(frame, "beats", these="fast", those="ig", about=about, **over(group))
    assert finding.incomplete == incomplete
    assert finding.cells == (0 if group == "biology" else 1)


def test_an_average_is_over_the_ratios_that_a_claim_is_about():
    frame = TWO.assign(ratio=TWO["dataset"].map({"a": "1:5", "b": "1:20"}))
    test = {"beats": {"these": "fast", "those": "ig", "measure": "auc", **SVM}}
    for ratios, expected in ((None, [0.05, -0.1]), ([5], [0.1, -0.2]), (["1:20"], [0, 0])):
        about = {"where": "Fig. 1", "claim": "so it is", "tests": [test], "ratios": ratios}
        paper = {"paper": "P", "experiment": "x", "datasets": ["a", "b"], "claims": {"H1": about}}
        (finding,) = verdicts.main(checked(claims.Paper, paper), frame)
        assert list(cells(finding).values()) == pytest.approx(expected)
        assert finding.incomplete == (ratios is not None)  # one of the sets has no such ratio


def test_a_lead_on_average_is_that_of_the_best_averages():
    # fast 0.7 and 0.7, ig 0.65 and 0.8, none 0.65
    finding = found(TWO, "leads", these=["fast", "ig"], those="none", by=0.05)
    names = ["all problems svm 10 fast - none", "all problems svm 50 ig - none"]
    assert cells(finding) == pytest.approx(dict(zip(names, [0.05, 0.15], strict=True)))
    assert finding.favour == 1


# how they are written


BEATS = {"these": "fast", "those": "ig", "measure": "auc"}
APPROACH = {"approaches": {"ALL": {"selector": "fast", "classifier": "mean"}}}
MISTAKES = {
    "beats: significant: is told over problems.": ("beats", BEATS | {"significant": 0.05}, {}),
    "beats.significant: ": ("beats", BEATS | SVM | {"significant": 1.5}, {}),
    "beats.averaged.classifier: is missing.": ("beats", BEATS | {"averaged": {}}, {}),
    "beats.averaged.classifier: unknown method 'svn'. Did you mean 'svm'?": (
        "beats",
        BEATS | {"averaged": {"classifier": "svn"}},
        {},
    ),
    "beats: dead describes a run": ("beats", BEATS | SVM | {"measure": "dead"}, {}),
    "beats.averaged: there are averages of the part test alone.": (
        "beats",
        BEATS | SVM,
        {"parts": ["test", "progressive"]},
    ),
    "beats.these[0]: 'ALL' is a mean over classifiers. Say what is averaged.": (
        "beats",
        BEATS | {"these": "ALL"},
        APPROACH,
    ),
    "beats.those[1]: unknown selector 'all'.": (
        "beats",
        BEATS | SVM | {"those": ["ig", "all"]},
        APPROACH,
    ),
    "beats.these[0]: s2n.sided: ": ("beats", BEATS | {"these": "s2n(sided=three)"}, {}),
    "top: among: names nobody besides these.": (
        "top",
        {"these": ["fast", "ig"], "among": "ig", "measure": "auc"},
        {},
    ),
    "leads: more_than: is told set by set": ("leads", BEATS | SVM | {"more_than": "g_mean"}, {}),
    "within.averaged: is missing.": ("within", BEATS | {"features": 10, "tolerance": 1}, {}),
    "within: under: is told instead of by.": (
        "within",
        BEATS | SVM | {"features": 10, "tolerance": 1, "by": 0.1, "under": 0.1},
        {},
    ),
    "within.tolerance[0]: ": ("within", BEATS | SVM | {"features": 10, "tolerance": 11}, {}),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_in_a_test_over_averages_is_told_with_its_place(message):
    kind, options, about = MISTAKES[message]
    with pytest.raises(UserError) as error:
        paper_of({kind: options}, **about)
    assert str(error.value).startswith(f"claims.H1.tests[0].{message}")


@pytest.mark.parametrize(
    "about, message",
    [
        ({"readings": {"x": {"s2n": "s3n"}}}, "readings.x.s2n: unknown method 's3n'."),
        ({"approaches": {"x": {"selector": "fats"}}}, "approaches.x.selector: unknown method"),
        ({"approaches": {"x": {"classifier": "svm"}}}, "approaches.x.selector: is missing."),
    ],
)
def test_a_mistake_in_readings_and_approaches_is_told_with_its_place(about, message):
    with pytest.raises(UserError) as error:
        paper_of({"beats": BEATS | SVM}, **about)
    assert str(error.value).startswith(message)


PAPERS = claims.papers(ROOT / "experiments")


@pytest.mark.parametrize("path", PAPERS.values(), ids=list(PAPERS))
def test_claims_are_about_what_the_configs_measure(path):
    paper = claims.load(path)
    for name in paper.experiments:
        planned = load(ROOT / "configs" / f"{name}.yaml")
        sets = {dataset.label: dataset.features or planned.features for dataset in planned.datasets}
        for claim in paper.on(name).claims.values():
            assert set(paper.about(claim).datasets) <= set(sets)
            for test in claim.tests:
                _check(test.predicate, paper, planned, set().union(*sets.values()))


def _read(paper):
    return {name for reading in paper.readings.values() for name in reading}


def _check(predicate, paper, planned, counts):
    selectors, classifiers, resamplings = (
        {choice.label for choice in choices}
        for choices in (planned.selectors, planned.classifiers, planned.resampling)
    )
    assert set(predicate.measures) <= set(planned.measures)
    assert predicate.classifier in {None, *classifiers}
    if paper.readings:
        assert set(predicate.methods) <= {*selectors, *paper.approaches, *_read(paper)}
    for field in ("features", "at"):
        told = getattr(predicate, field, None) or ()
        assert told == BEST or set(told) <= counts
    if predicate.averaged is not None:
        assert predicate.averaged.classifier in classifiers | {"mean"}
        assert predicate.averaged.group in {"all", *(d.group for d in planned.datasets)}
    for reading in paper.readings.values():
        for method in predicate.methods:
            approach = paper.approach(method, reading)
            assert approach.selector in selectors
            assert (approach.classifier or "mean") in classifiers | {"mean"}
            assert (approach.resampling or "none") in resamplings
