"""What tasks will cost, and how many processes are worth it, by hand-worked cases."""

import json
from pathlib import Path

import pytest

from imbfs.config import parse
from imbfs.running.cost import Cost, estimate
from imbfs.running.plan import expand

TEXT = """\
name: x
datasets: [breast_cancer, wine]
selectors: [none, fisher]
classifiers: [naive_bayes, nearest_neighbour]
features: [2]
measures: [accuracy]
protocol: {cv: {repeats: 1, folds: 2}}
"""


@pytest.fixture(scope="module")
def tasks():
    return expand(parse(TEXT)).tasks


def known(tasks, seconds) -> tuple[list[dict], list[dict]]:
    """Records of some tasks, each with the seconds that a function of its labels says."""
    records = [
        {"key": task.key, "status": "ok", "seconds": {"total": 99.0, "cpu": seconds(*task.labels)}}
        for task in tasks
    ]
    return records, [{"tasks": [[task.key, *task.labels] for task in tasks]}]


def test_a_process_that_is_free_takes_the_next_unit():
    # One after the other 3 2 2 4 end at 3 5 7 11. Two processes: 3 and 2, then 2 follows the 2 and
    # ends at 4, then 4 follows the 3 and ends at 7. Three: 3 2 2, then 4 follows a 2: 6.
    cost = Cost((3.0, 2.0, 2.0, 4.0), 1, "")
    assert [cost.by(processes) for processes in (1, 2, 3, 4, 9)] == [11, 7, 6, 4, 4]


def test_beyond_some_number_of_processes_the_longest_unit_decides():
    assert Cost((3.0, 2.0, 2.0, 4.0), 1, "").enough == 3  # 11 seconds in shares of 4: 2.75
    assert Cost((4.0, 4.0, 4.0), 1, "").enough == 3
    assert Cost((0.1, 0.1, 0.1), 1, "").enough == 3  # though 0.1 + 0.1 + 0.1 > 3 * 0.1
    assert Cost((5.0,), 1, "").enough == 1
    assert Cost((0.0, 0.0), 1, "").enough == 1


def test_the_numbers_of_processes_told_of_end_where_more_gain_nothing():
    # 40 units of 3 minutes and one of 10: 130 minutes, and 13 shares of 10 minutes. Two processes:
    # 20 units each are 60 minutes, then the long one. Four: ten each, 30 + 10. Eight: 15 + 10.
    # Thirteen: three rounds are 39 units and 9 minutes, then 3 and 10 begin.
    cost = Cost((180.0,) * 40 + (600.0,), 7, "w8a relieff")
    assert cost.told(cores=4) == [
        "about 2h10m of a processor, by 7 earlier tasks",
        "processes 2: 1h10m, 4: 40m00s, 8: 25m00s, 13: 19m00s",
        "beyond 13 the longest unit decides, 10m00s (w8a relieff)",
    ]


def test_less_than_a_minute_is_not_worth_more_processes():
    # 100 units of 3 seconds: two processes need 150 seconds, 8 of them 13 rounds.
    assert Cost((3.0,) * 100, 7, "").told(cores=2)[1:] == [
        "processes 2: 2m30s, 8: 39s",
        "more than 8 would save less than a minute",
    ]


def test_lines_are_at_most_80_columns_wide():
    cost = Cost((359_000.0,) + (350_000.0,) * 5000, 123_456, "a/very-long_name " * 4 + "x" * 90)
    lines = cost.told(cores=96)
    assert max(map(len, lines)) == 80 - len("  time     ")
    assert lines[-1].endswith(" (a/very-long_name a/...)")


def test_one_unit_is_for_one_process():
    assert Cost((5.0,), 2, "wine none").told(cores=8) == [
        "about 5s of a processor, by 2 earlier tasks",
        "more than one process gains nothing",
    ]


def test_tasks_that_share_a_ranking_are_one_unit(tasks):
    def seconds(dataset, ratio, resampling, selector, classifier, repeat, fold):
        return {"naive_bayes": 1.0, "nearest_neighbour": 2.0}[classifier] * (1 + fold)

    # Of the like of a task there are two, fold 0 and fold 1: a mean of 1.5 and of 3. Two
    # classifiers make a unit of 4.5, and there are 2 sets x 2 folds x 2 selectors of them.
    cost = estimate(tasks, *known(tasks, seconds))
    assert cost.seconds == (4.5,) * 8
    assert (cost.rests_on, cost.longest, cost.enough) == (16, "breast_cancer none", 8)


def test_the_closest_of_what_is_known_is_taken(tasks):
    known_of = [t for t in tasks if t.setting.label == "wine" and t.selector.name == "fisher"]
    far = [t for t in tasks if t.setting.label == "breast_cancer" and t.selector.name == "none"]

    def seconds(dataset, ratio, resampling, selector, classifier, repeat, fold):
        return {"none": 1.0, "fisher": 5.0}[selector] if classifier == "naive_bayes" else 3.0

    cost = estimate(tasks, *known(known_of + far, seconds))
    # breast_cancer none: itself, 1 + 3; breast_cancer fisher: as on wine, 5 + 3; and so forth.
    assert cost.seconds == (4.0, 8.0, 4.0, 8.0) * 2
    only_wine = known(known_of, seconds)
    # Nothing is known of none: any task at all, on average (5 + 3) / 2 each.
    assert estimate(far, *only_wine).seconds == (8.0, 8.0)


def test_a_ratio_of_its_own_comes_first():
    sets = "{breast_cancer: {ratios: [natural, 9]}}"
    tasks = expand(parse(TEXT.replace("breast_cancer, wine", sets))).tasks

    def seconds(dataset, ratio, *rest):
        return 6.0 if ratio == "natural" else 1.0

    assert estimate(tasks, *known(tasks, seconds)).seconds == (12.0,) * 4 + (2.0,) * 4


def test_failed_tasks_and_old_records_without_processor_time(tasks):
    records, plans = known(tasks[:2], lambda *labels: 1.0)
    records[0]["status"] = "failed"
    assert estimate(tasks, records[:1], plans) is None
    del records[1]["seconds"]["cpu"]
    assert estimate(tasks[:2], records, plans).total == 2 * 99.0
    assert estimate([], records, plans) is None


def test_plan_tells_the_cost_from_the_records_of_any_experiment(imbfs, config, monkeypatch):
    path = config(TEXT, file="x.yaml")
    assert "time     no earlier record; a run with --quick gives one" in imbfs("plan", path).out
    Path("results/y").mkdir(parents=True)
    records, (plan,) = known(expand(parse(TEXT)).tasks[:4], lambda *labels: 30.0)
    lines = [json.dumps({"format": 1, "rows": [], "top": [], **record}) for record in records]
    Path("results/y/records.jsonl").write_text("\n".join(lines) + "\n")
    Path("results/y/plan.json").write_text(
        json.dumps({"format": 1, "measures": [], "absent": {}, **plan})
    )
    monkeypatch.setattr("imbfs.cli.runs.cores", lambda: 2)
    # 16 tasks of half a minute in 8 units of a minute.
    assert imbfs("plan", path).out.splitlines()[4:] == [
        "  time     about 8m00s of a processor, by 4 earlier tasks",
        "           processes 2: 4m00s, 8: 1m00s",
        "           beyond 8 the longest unit decides, 1m00s (breast_cancer none)",
    ]
