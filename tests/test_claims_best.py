"""Claims about every method at its best number of features, about gains and about spreads."""

import pytest
from outcomes import experiment, row

from imbfs.config import checked
from imbfs.errors import UserError
from imbfs.showing import claims, tables
from imbfs.showing.claims import verdicts


def frame_of(values, measures=("auc",)):
    """Results from {(set, selector): {features: values of the repeats, or of several measures}}."""
    outcomes = []
    for (dataset, selector), curve in values.items():
        repeats = max(len(found) for found in curve.values())
        for repeat in range(repeats):
            rows = [
                row(str(count), k=100 if count == "all" else count, **_named(found[repeat]))
                for count, found in curve.items()
            ]
            outcomes.append(((dataset, selector, "svm", repeat, 0), rows))
    return tables.results(*experiment(outcomes, measures=measures))


def _named(found):
    return found if isinstance(found, dict) else {"auc": found}


def found(frame, predicate, **options):
    told = {"measure": "auc", **options}
    claim = {"where": "Table 2", "claim": "so it is", "tests": [{predicate: told}]}
    about = {"paper": "P", "experiment": "x", "datasets": ["a"], "claims": {"C1": claim}}
    (finding,) = verdicts.main(checked(claims.Paper, about), frame)
    return finding


def cells(finding):
    return {cell.place: cell.value for cell in finding.tested[0].cells}


CURVES = frame_of(
    {
        ("a", "fast"): {20: [0.6], 40: [0.9], 60: [0.9]},  # the fewest of equals: 40
        ("a", "s2n"): {20: [0.7], 40: [0.5], 60: [0.4]},
        ("a", "chi"): {20: [0.2], 40: [0.3], 60: [0.75]},
        ("a", "none"): {"all": [0.8]},
    }
)


def test_methods_are_compared_each_at_its_best():
    finding = found(CURVES, "beats", these="fast", those=["s2n", "chi", "none"], features="best")
    assert cells(finding) == pytest.approx(
        {
            "a best fast (40) - s2n (20)": 0.2,
            "a best fast (40) - chi (60)": 0.15,
            "a best fast (40) - none (all)": 0.1,
        }
    )
    assert finding.verdict == "holds" and not finding.incomplete
    # at 20 features alone fast is below s2n
    assert found(CURVES, "beats", these="fast", those="s2n", features=[20]).verdict == "fails"


def test_who_is_on_top_at_the_best_of_each():
    among = ["fast", "s2n", "chi", "none"]
    finding = found(CURVES, "top", these="fast", among=among, features="best")
    assert cells(finding) == pytest.approx({"a best fast (40) - none (all)": 0.1})
    finding = found(CURVES, "top", these=["fast", "chi"], among=among, features="best")
    assert finding.worst[:2] == ("a best chi (60) - none (all)", pytest.approx(-0.05))


def test_ties_leads_and_bounds_may_be_told_of_the_best():
    told = {"these": "chi", "those": "s2n", "features": "best"}
    assert found(CURVES, "ties", under=0.06, **told).verdict == "holds"  # 0.75 and 0.7
    assert found(CURVES, "ties", under=0.05, **told).verdict == "fails"
    assert cells(found(CURVES, "leads", **told)) == pytest.approx(
        {"a best chi (60) - s2n (20)": 0.05}
    )
    finding = found(CURVES, "exceeds", these="chi", above=0.7, features="best")
    assert cells(finding) == {"a best chi (60)": 0.75}


def test_the_best_by_another_measure_is_another():
    both = {20: [{"auc": 0.9, "g_mean": 0.1}], 40: [{"auc": 0.5, "g_mean": 0.7}]}
    flat = {20: [{"auc": 0.5, "g_mean": 0.5}], 40: [{"auc": 0.5, "g_mean": 0.5}]}
    frame = frame_of({("a", "fast"): both, ("a", "chi"): flat}, measures=("auc", "g_mean"))
    told = {"these": "fast", "those": "chi", "features": "best"}
    assert cells(found(frame, "beats", **told)) == {"a best fast (20) - chi (20)": 0.4}
    finding = found(frame, "beats", **told | {"measure": "g_mean"})
    assert cells(finding) == {"a best fast (40) - chi (20)": 0.2}
    more = found(frame, "leads", **told, more_than="g_mean")
    assert cells(more) == {"a best fast (20) - chi (20) (g_mean +0.200)": 0.4}


def test_who_died_is_not_at_its_best():
    alive = {20: [{"auc": 0.6, "dead": 0}], 40: [{"auc": 0.9, "dead": 1}]}
    frame = frame_of({("a", "pa"): alive, ("a", "fast"): alive}, measures=("auc", "dead"))
    finding = found(frame, "exceeds", these="pa", above=0.7, features="best")
    assert cells(finding) == {"a best pa (20)": 0.6} and finding.dead == 0


def test_a_gain_is_a_share_of_what_the_other_has():
    # 0.9 / 0.75 - 1 = 0.2 over chi, 0.9 / 0.8 - 1 = 0.125 over none
    told = {"these": "fast", "features": "best"}
    over = found(CURVES, "gains", those=["chi", "none"], by=0.1, under=0.2, **told)
    assert cells(over) == pytest.approx(
        {"a best fast (40) - chi (60)": 0.2, "a best fast (40) - none (all)": 0.125}
    )
    assert (over.favour, over.worst.place) == (1, "a best fast (40) - chi (60)")  # 0.2 is not under
    assert found(CURVES, "gains", those="none", by=0.125, **told).favour == 0
    assert found(CURVES, "gains", those="none", by=0.12, **told).favour == 1
    at = found(CURVES, "gains", these="fast", those="s2n", features=[20, 40])
    assert cells(at) == pytest.approx({"a 20 fast - s2n": -1 / 7, "a 40 fast - s2n": 0.8})


def test_nothing_gains_on_nothing():
    frame = frame_of({("a", "fast"): {20: [0.5]}, ("a", "chi"): {20: [0.0]}})
    assert found(frame, "gains", these="fast", those="chi").verdict == "not testable"


SPREAD = frame_of(
    {
        ("a", "fast"): {20: [0.7, 0.9]},  # 0.8, sd 0.1414
        ("a", "s2n"): {20: [0.65, 0.67]},  # 0.66, sd 0.0141
        ("a", "chi"): {20: [0.64, 0.66]},  # 0.65, sd 0.0141
    }
)


def test_a_difference_may_have_to_be_larger_than_the_larger_spread():
    # 0.14 above s2n and 0.15 above chi, with a spread of 0.1414
    finding = found(SPREAD, "beats", these="fast", those=["s2n", "chi"], spreads=1)
    assert cells(finding) == pytest.approx({"a 20 fast - s2n": 0.14, "a 20 fast - chi": 0.15})
    assert (finding.favour, finding.worst.place) == (1, "a 20 fast - s2n")
    assert found(SPREAD, "beats", these="fast", those="s2n", spreads=0.9).favour == 1
    assert found(SPREAD, "beats", these="fast", those="chi", spreads=2).favour == 0
    assert found(SPREAD, "beats", these="s2n", those="fast", spreads=1).favour == 0
    at_best = found(SPREAD, "beats", these="fast", those="chi", spreads=1, features="best")
    assert at_best.favour == 1
    bound = found(SPREAD, "beats", these="fast", those="chi", spreads=1, by=0.2)
    assert bound.favour == 0  # both bounds must be passed


def test_without_a_spread_there_is_nothing_to_be_larger_than():
    finding = found(CURVES, "beats", these="fast", those="chi", spreads=1)
    assert finding.verdict == "not testable"


@pytest.mark.parametrize(
    ("predicate", "options", "said"),
    [
        ("beats", {"those": "chi", "features": "worst"}, "'worst' is no number of features"),
        ("beats", {"those": "chi", "features": ["best", 20]}, "'best' is no number of features"),
        (
            "beats",
            {"those": "chi", "features": "best", "averaged": {"classifier": "svm"}},
            "features: best is told set by set",
        ),
        (
            "beats",
            {"those": "chi", "spreads": 1, "averaged": {"classifier": "svm"}},
            "spreads: is told set by set",
        ),
        (
            "beats",
            {"those": "chi", "features": "best", "measure": "dead"},
            "dead describes a run: no value of it is best",
        ),
        ("gains", {"those": "chi", "by": -1}, "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_told_is_refused(predicate, options, said):
    with pytest.raises(UserError, match=said):
        found(CURVES, predicate, these="fast", **options)
