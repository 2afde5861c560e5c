"""How far tasks are in favour of a claim: margins by task, intervals, tests, agreement."""

import numpy as np
import pandas as pd
import pytest
from outcomes import experiment, row
from scipy import stats as scipy_stats
from test_claims import frame_of, paper_of, swept

from imbfs.showing import tables
from imbfs.showing.averages import groups
from imbfs.showing.claims import effects, judged, verdicts
from imbfs.showing.claims.survey import survey

MBPA = {"beats": {"these": "mbpa", "those": "pa", "measure": "g_mean"}}
STABLE = {"stable": {"these": "pa", "measure": "g_mean", "under": 0.1}}


def finding_of(frame, *tests, **given):
    (finding,) = verdicts.main(paper_of(*tests, **given), frame)
    return finding


def of_leads(leads, averaged=False, **options):
    """Sets with pa at 0.5, and mbpa above it by so much at 10% and twice so much at 50%."""
    outcomes = []
    for number, lead in enumerate(leads):
        for selector, by in (("pa", 0), ("mbpa", lead)):
            rows = [row("10%", k=1, g_mean=0.5 + by), row("50%", k=5, g_mean=0.5 + 2 * by)]
            outcomes.append(((f"s{number}", selector, "own", 0, 0), rows))
    frame = tables.results(*experiment(outcomes, measures=("g_mean",)))
    over = {"averaged": {"classifier": "own"}} if averaged else {}
    if averaged:
        frame = groups.grouped(frame, pd.DataFrame(columns=["dataset", "ratio", "group"]))
    test = {"beats": MBPA["beats"] | over | options}
    names = [f"s{number}" for number in range(len(leads))]
    return finding_of(frame, test, datasets=names)


def test_the_margin_of_a_task_is_the_mean_over_its_cells():
    finding = of_leads([0.1, -0.02], by=0.01)
    # (0.1 + 0.2) / 2 - 0.01 and (-0.02 - 0.04) / 2 - 0.01
    found = effects.margins(finding.tested[0])
    assert found == {("s0", "1:20"): pytest.approx(0.14), ("s1", "1:20"): pytest.approx(-0.04)}


def test_the_margin_of_a_task_in_an_average_is_its_own():
    leads = [0.1, -0.02, 0.03, 0.07]
    alone, average = of_leads(leads), of_leads(leads, averaged=True)
    assert (alone.cells, average.cells) == (8, 2)
    expected = {
        task: pytest.approx(value) for task, value in effects.margins(alone.tested[0]).items()
    }
    assert effects.margins(average.tested[0]) == expected


def test_how_sure_a_difference_is_does_not_change_how_large_it_is():
    leads = [0.1, -0.02, 0.03, 0.07]
    sure = of_leads(leads, averaged=True, significant=0.01)
    plain = effects.margins(of_leads(leads, averaged=True).tested[0])
    assert sure.favour == 0
    assert effects.margins(sure.tested[0]) == plain


def test_tests_of_a_claim_are_averaged_task_by_task():
    frame = frame_of(
        {
            # mbpa - pa: 0.2 in all cells; the range of pa is 0.05: 0.1 - 0.05
            "a": {"pa": [0.5, 0.5, 0.55], "mbpa": [0.7, 0.7, 0.75]},
            "b": {"pa": [0.5, 0.5, 0.5]},  # stable by 0.1
        }
    )
    (effect,) = effects.effects([finding_of(frame, MBPA, STABLE)])
    assert effect.tasks == 2
    assert effect.mean == pytest.approx(((0.2 + 0.05) / 2 + 0.1) / 2)
    assert np.isnan([effect.low, effect.high, effect.p, effect.adjusted]).all()  # two are too few


def test_cells_in_which_somebody_died_have_no_margin():
    alive = {"g_mean": [0.6, 0.6, 0.6], "dead": [0, 0, 0]}
    dying = {"g_mean": [0.1, 0.5, 0.1], "dead": [1, 0.5, 0.55]}  # dead at 10% and 100%
    frame = frame_of({"a": {"mbpa": alive, "pa": dying}}, measures=("g_mean", "dead"))
    found = effects.margins(finding_of(frame, MBPA, datasets=["a"]).tested[0])
    assert found == {("a", "1:20"): pytest.approx(0.1)}


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 6, 9])
def test_intervals_need_three_tasks_and_tests_six(n):
    values = np.random.default_rng(n).normal(0.1, 0.1, size=n)
    effect = effects.of_tasks({(str(i), ""): value for i, value in enumerate(values)})
    assert effect.tasks == n
    if n:
        assert effect.mean == pytest.approx(values.mean())
    assert np.isnan(effect.low) == (n < 3)
    if n >= 3:
        error = scipy_stats.sem(values)
        interval = scipy_stats.t.interval(0.95, n - 1, loc=values.mean(), scale=error)
        assert (effect.low, effect.high) == pytest.approx(interval)
        assert effect.low < effect.mean < effect.high
    assert np.isnan(effect.p) == (n < 6)
    if n >= 6:
        assert effect.p == pytest.approx(scipy_stats.wilcoxon(values).pvalue)


def test_p_values_are_adjusted_over_the_claims_that_have_one():
    # all six in favour: 2 / 2^6; one of six against, the smallest: 4 / 2^6; two tasks have none
    sure = of_leads([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    less = of_leads([-0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    found = effects.effects([less, of_leads([0.1, 0.2]), sure])
    assert [effect.p for effect in found][::2] == [4 / 64, 2 / 64]
    assert [effect.adjusted for effect in found][::2] == [4 / 64, 4 / 64]
    assert np.isnan(found[1].p) and np.isnan(found[1].adjusted)


def test_the_share_of_settings_that_agree_is_told_where_they_differ_for_the_claim():
    frame = swept()  # holds at C = 1, in two settings; fails at C = 0.1, in two
    paper = paper_of(MBPA, datasets=["a"], setting={"C": 1, "budget": "final"})
    findings = verdicts.main(paper, frame)
    (told,) = judged.judged(paper, findings, {"x": survey(paper, frame)})
    assert (told.agree, told.settings) == (2, 4)
    readings = {"one": {"pa": "pa"}, "other": {"pa": "pa(C=0.1)"}}
    about = {"datasets": ["a"], "readings": readings, "setting": {"reading": "one"}}
    apart = paper_of({"stable": {"these": "mbpa", "measure": "g_mean", "under": 0.1}}, **about)
    found = survey(apart, frame)
    (told,) = judged.judged(apart, verdicts.main(apart, frame), {"x": found})
    assert (told.agree, told.settings) == (None, None)
    telling = paper_of(MBPA, **about)
    (told,) = judged.judged(telling, verdicts.main(telling, frame), {"x": survey(telling, frame)})
    assert (told.agree, told.settings) == (2, 2)


def test_a_claim_that_parts_judge_differently_is_counted_as_partly():
    test = frame_of({"a": {"pa": [0.5, 0.5, 0.5]}})
    stream = frame_of({"a": {"pa": [0.1, 0.5, 0.9]}}, part="progressive")
    frame = pd.concat([test, stream], ignore_index=True)
    paper = paper_of(STABLE, datasets=["a"], parts=["test", "progressive"])
    found = verdicts.main(paper, frame)
    assert judged.counts(found) == {"holds": 0, "partly": 1, "fails": 0, "not testable": 0}
    assert judged.counts(found[:1])["holds"] == 1
