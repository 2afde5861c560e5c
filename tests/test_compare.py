"""Two experiments held against each other: settings, cells, noise, what is not there."""

import json
from pathlib import Path

import pandas as pd
import pytest
from outcomes import experiment, row

from imbfs.showing import compare, tables

CONFIG = """\
name: {name}
datasets: [breast_cancer, {{digits: {{positive: {positive}}}}}]
selectors: [{selectors}]
classifiers: naive_bayes
measures: [auc]
protocol: {{cv: {{repeats: {repeats}, folds: 3}}}}
tables: [{{summary: {{measure: auc}}}}]
"""


def config_of(name, positive=0, selectors="s2n, chi", repeats=2):
    return CONFIG.format(name=name, positive=positive, selectors=selectors, repeats=repeats)


def frame_of(values):
    """Results from {(set, selector): the aucs of its repeats}."""
    outcomes = [
        ((dataset, selector, "svm", repeat, 0), [row(auc=value)])
        for (dataset, selector), aucs in values.items()
        for repeat, value in enumerate(aucs)
    ]
    return tables.results(*experiment(outcomes))


FIRST = frame_of(
    {
        ("a", "s2n"): [0.5, 0.6],  # mean 0.55, sd 0.0707
        ("a", "chi"): [0.5, 0.6],
        ("b", "s2n"): [0.7, 0.7],  # no spread at all
        ("b", "chi"): [0.7, 0.7],
        ("a", "fast"): [0.9, 0.9],
    }
)
SECOND = frame_of(
    {
        ("a", "s2n"): [0.7, 0.8],  # + 0.2, exactly 2 sqrt(0.005 + 0.005)
        ("a", "chi"): [0.702, 0.802],  # a little more
        ("b", "s2n"): [0.7, 0.7],
        ("b", "chi"): [0.6, 0.6],
        ("a", "prc"): [0.9, 0.9],
    }
)


def test_a_cell_changed_if_the_means_are_further_apart_than_two_spreads():
    told = compare.cells(FIRST, SECOND).set_index(["dataset", "selector"])
    assert told["outcome"].to_dict() == {
        ("a", "chi"): "beyond noise",
        ("b", "chi"): "beyond noise",  # by 0.1, which is less, and nothing varies
        ("a", "s2n"): "within noise",
        ("b", "s2n"): "same",
        ("a", "fast"): "only in A",
        ("a", "prc"): "only in B",
    }
    assert list(told.index)[:2] == [("a", "chi"), ("b", "chi")]  # the largest first
    assert told.loc[("a", "s2n"), "difference"] == pytest.approx(0.2)
    assert told.loc[("a", "s2n"), "noise"] == pytest.approx(0.2)


def test_without_repeats_the_spread_is_not_known():
    told = compare.cells(frame_of({("a", "s2n"): [0.5]}), frame_of({("a", "s2n"): [0.9]}))
    assert list(told["outcome"]) == ["no spread"]


def test_only_the_last_checkpoint_is_compared():
    def stream(first, last):
        rows = [row(seen=50, auc=first), row(seen=100, auc=last)]
        return tables.results(*experiment([(("a", "pa", "own", 0, 0), rows)]))

    told = compare.cells(stream(0.1, 0.5), stream(0.3, 0.5))
    assert list(told["outcome"]) == ["same"]


@pytest.fixture
def two(tmp_path):
    """Two configs with the results of each."""
    given = {
        "one": (config_of("one"), FIRST),
        "two": (config_of("two", positive=1, selectors="s2n, fast", repeats=5), SECOND),
    }
    for name, (text, frame) in given.items():
        (tmp_path / f"{name}.yaml").write_text(text)
        folder = tmp_path / "results" / name
        (folder / "tables").mkdir(parents=True)
        frame.to_csv(folder / "tables/results.csv", index=False)
        ran = {"start": "2026-11-18T20:08:50+00:00", "end": None, "jobs": 1}
        runs = [{"imbfs": "0.1.0", "commit": "abc"}, {"imbfs": "0.2.0", "commit": name}]
        runs = [ran | run for run in runs]
        content = {"format": 1, "name": name, "config": text, "quick": False, "runs": runs}
        (folder / "run.json").write_text(json.dumps(content))
    return tmp_path


def test_settings_differ_name_by_name_and_in_the_versions_of_the_last_run(two):
    sides = [compare.side(two / f"{name}.yaml", two / "results") for name in ("one", "two")]
    assert [tuple(change) for change in compare.settings(*sides)] == [
        ("datasets.digits.positive", "0", "1"),
        ("selectors", "chi", "fast"),
        ("protocol.cv.repeats", "2", "5"),
        ("commit", "one", "two"),
    ]
    assert compare.settings(sides[0], sides[0]) == []
    path = two / "results/two/run.json"
    path.write_text(path.read_text().replace('"quick": false', '"quick": true'))
    cut = compare.side(two / "results/two", two / "results")
    assert [tuple(change) for change in compare.settings(sides[1], cut)] == [
        ("quick", "False", "True")
    ]


def test_one_entry_is_compared_with_a_list_of_it(two):
    one = compare.Side("one", {"classifiers": "svm"}, {}, None)
    listed = compare.Side("two", {"classifiers": ["svm", {"tree": {"depth": 3}}]}, {}, None)
    assert [tuple(c) for c in compare.settings(one, listed)] == [("classifiers", "-", "tree")]


@pytest.mark.parametrize("ending", ["one.yaml two.yaml", "results/one results/two"])
def test_configs_and_folders_give_the_same_comparison(ending, imbfs, two):
    answer = imbfs("compare", *ending.split(), "--out", "changes.csv")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "6 cells: 2 beyond noise, 1 within noise, 1 same, 1 only in A, 1 only in B." in lines
    told = [line.split() for line in lines]
    assert "a 1:20 chi svm 10 auc 0.550 0.752 +0.202 0.200".split() in told
    assert ["selectors", "chi", "fast"] in told
    written = pd.read_csv("changes.csv")
    assert len(written) == 6 and lines[-1] == "changes.csv"


def test_the_same_is_told_to_be_the_same(imbfs, two):
    answer = imbfs("compare", "one.yaml", "results/one")
    assert answer.code == 0
    assert answer.out.startswith("The settings are the same.\n5 cells: 5 same.")


def test_configs_without_results_are_compared_by_their_settings(imbfs, two):
    answer = imbfs("compare", "one.yaml", "two.yaml", "--results", "elsewhere")
    assert answer.code == 0
    assert "one.yaml and two.yaml: no results; cells are not compared." in answer.out
    assert "commit" not in answer.out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["one.yaml", "three.yaml"], "imbfs: three.yaml: cannot be read: "),
        (["one.yaml", "results"], "imbfs: results: holds no results, with a run.json."),
        (["one.yaml", "two.yaml", "--results", "no", "--out", "c"], "imbfs: --out c: one.yaml has"),
    ],
)
def test_what_is_not_there_cannot_be_compared(arguments, message, imbfs, two):
    answer = imbfs("compare", *arguments)
    assert answer.code == 2
    assert answer.err.startswith(message) and answer.err.count("\n") == 1
    assert not Path("c").exists()
