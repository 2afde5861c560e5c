"""Settings of a sweep: read from labels, joined over methods, compared by a measure."""

import math
import random
from itertools import product

import oracles
import pytest
from outcomes import comparison, experiment, row

from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Table, parse
from imbfs.errors import UserError
from imbfs.methods import Limit, Method, read_label, resolve
from imbfs.selectors import SELECTORS
from imbfs.showing import sheets, tables
from imbfs.showing.settings import settings, standing


@pytest.mark.parametrize(
    "table, entry",
    [
        (SELECTORS, "none"),
        (SELECTORS, {"fast": {"K": [5, 10, 20]}}),
        (
            SELECTORS,
            {"mbpa": {"C": [1, 0.5, 1e-5, 1e16], "g": [0, 1e-6], "theta": [0.1, math.inf]}},
        ),
        (SELECTORS, {"pa": {"variant": ["one", "two"], "zero": ["minority", "majority"]}}),
        (CLASSIFIERS, {"svm": {"C": {"tune": [0.1, 1]}}}),
    ],
)
def test_a_label_is_read_back_as_the_choice_it_stands_for(table, entry):
    for choice in resolve(table, entry, "method"):
        told = choice.params | dict.fromkeys(choice.tune, "tuned")
        assert read_label(table, choice.label) == (choice.name, told)


def test_a_label_of_infinity_and_of_text_that_looks_like_a_number_is_read_back():
    def odd(X, y, *, theta: Limit = 1.0, word: str = "a", flag: bool = False):
        """Takes all kinds."""

    table = {"odd": Method(odd)}
    entry = {"odd": {"theta": math.inf, "word": ["1", "true", "a b"], "flag": [True, False]}}
    choices = resolve(table, entry, "method")
    assert choices[0].label == "odd(theta=Infinity, word=1, flag=true)"
    assert [read_label(table, choice.label)[1] for choice in choices] == [c.params for c in choices]


@pytest.mark.parametrize(
    "label, message",
    [
        ("mbpaa(C=1)", "Did you mean 'mbpa'?"),
        ("mbpa(c=1)", "mbpa has no parameter 'c'"),
        ("mbpa(C=-1)", "mbpa.C: "),
        ("mbpa(C=1", "unknown method 'mbpa(C=1'"),
    ],
)
def test_a_label_of_no_choice_is_refused(label, message):
    with pytest.raises(UserError, match=message.replace("(", r"\(").replace("?", r"\?")):
        read_label(SELECTORS, label)


def test_a_setting_has_one_variant_of_every_method():
    # C is swept by both, loss by cs alone; random has neither, and belongs to all four
    labels = ["random", "pa", "pa(C=0.1)"]
    labels += ["cs", "cs(C=0.1)", "cs(loss=two)", "cs(C=0.1, loss=two)"]
    found = settings(labels)
    assert [setting.values for setting in found] == [
        {"C": 1.0, "loss": "one"},
        {"C": 1.0, "loss": "two"},
        {"C": 0.1, "loss": "one"},
        {"C": 0.1, "loss": "two"},
    ]
    assert found[3].labels == {"random": "random", "pa": "pa(C=0.1)", "cs": "cs(C=0.1, loss=two)"}


def test_a_setting_without_a_variant_of_some_method_is_none():
    assert [s.values for s in settings(["pa", "pa(C=0.1)", "mbpa"])] == [{"C": 1.0}]


def test_a_method_with_a_value_that_nobody_sweeps_belongs_to_all():
    # pa's variants are one and two, onpa's is plain by default
    found = settings(["pa", "pa(variant=two)", "onpa"])
    assert [s.values for s in found] == [{"variant": "one"}, {"variant": "two"}]
    assert {s.labels["onpa"] for s in found} == {"onpa"}


def test_without_a_sweep_there_is_one_setting():
    (setting,) = settings(["pa", "mbpa", "none"])
    assert setting.values == {}
    assert setting.agrees({"budget": "final"}) and not setting.agrees({"budget": "always"})
    assert not setting.agrees({"colour": "red"})


@pytest.mark.parametrize("seed", range(20))
def test_settings_are_the_combinations_that_every_method_agrees_with(seed):
    rng = random.Random(seed)
    axes = {"C": [0.1, 1.0, 10.0], "g": [0.0, 0.01], "budget": ["final", "always"]}
    labels = []
    for method in ("pa", "mbpa", "cs"):
        grid = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
        kept = rng.sample(grid, rng.randint(6, len(grid)))
        entries = [{method: params} for params in kept]
        labels += [resolve(SELECTORS, entry, "selector")[0].label for entry in entries]
    expected = oracles.settings([read_label(SELECTORS, label) for label in labels])
    found = [setting.values for setting in settings(labels)]
    assert len(found) == len(expected) > 0
    assert all(combination in found for combination in expected)


SWEEP = {
    # C = 1: pa (0.2 + 0.4 + 0.6) / 3 = 0.4, mbpa 0.8, mean 0.6; C = 0.1: pa 0.7, mbpa 0.9, mean 0.8
    "a": {
        "pa": {"5": 0.2, "10": 0.4},
        "pa(C=0.1)": {"5": 0.7, "10": 0.7},
        "mbpa": {"5": 0.8, "10": 0.8},
        "mbpa(C=0.1)": {"5": 0.9, "10": 0.9},
    },
    "b": {"pa": {"5": 0.6}, "pa(C=0.1)": {"5": 0.7}, "mbpa": {"5": 0.8}, "mbpa(C=0.1)": {"5": 0.9}},
}


def written(folder, plan, records, name="md"):
    """The text of the table of settings."""
    wanted = [Table(kind="settings", measure="auc")]
    *_, path = sheets.write(folder, tables.results(plan, records), plan, records, wanted, [name])
    assert path.stem == "settings_auc"
    return path.read_text()


def test_the_best_setting_comes_first(tmp_path):
    text = written(tmp_path, *experiment(comparison(SWEEP)), name="csv")
    assert text == "C,mean,pa,mbpa\n0.1,0.8,0.7,0.9\n1,0.6,0.4,0.8\n"


def test_settings_in_markdown_and_latex(tmp_path):
    plan, records = experiment(comparison(SWEEP))
    assert written(tmp_path, plan, records).splitlines() == [
        "Settings by auc: mean over methods, of each over sets and features.",
        "",
        "| C   | mean      | pa    | mbpa  |",
        "| --- | --------- | ----- | ----- |",
        "| 0.1 | **0.800** | 0.700 | 0.900 |",
        "| 1   | 0.600     | 0.400 | 0.800 |",
    ]
    text = written(tmp_path, plan, records, name="latex")
    assert r"0.1 & \textbf{0.800} & 0.700 & 0.900 \\" in text


def test_equal_settings_keep_the_order_of_the_config():
    means = {"a": {"pa(C=0.1)": {"5": 0.5}, "pa": {"5": 0.5}, "pa(C=10)": {"5": 0.7}}}
    table = standing(tables.results(*experiment(comparison(means))), "auc").table
    assert list(table["C"]) == ["10", "0.1", "1"]


def test_a_setting_that_lacks_results_is_left_out_and_counted(tmp_path):
    outcomes = comparison({"a": {"pa": {"5": 0.2}, "pa(C=0.1)": {"5": 0.9}, "mbpa": {"5": 0.5}}})
    outcomes += [(("a", "mbpa(C=0.1)", "svm", 0, 0), "failed")]
    outcomes += [(("a", "pa(C=10)", "svm", 0, 0), [row("5", auc=None)])]  # undefined
    outcomes += [(("a", "mbpa(C=10)", "svm", 0, 0), [row("5", auc=0.9)])]
    plan, records = experiment(outcomes)
    result = standing(tables.results(plan, records), "auc")
    assert list(result.table["C"]) == ["1"]
    assert result.incomplete == 2
    text = written(tmp_path, plan, records)
    assert "Settings left out, not complete: 2." in text


def test_methods_without_a_common_setting_give_an_empty_table(tmp_path):
    means = {name: {"5": 0.5} for name in ("pa", "pa(C=2)", "mbpa(C=3)", "mbpa(C=4)")}
    text = written(tmp_path, *experiment(comparison({"a": means})), name="csv")
    assert text == "mean\n"


def test_a_config_may_ask_for_settings_of_what_is_better_when_higher():
    text = "{name: x, datasets: wine, selectors: none, measures: [g_mean, dead], tables: [%s]}"
    (table,) = parse(text % "{settings: {measure: g_mean}}").tables
    assert (table.kind, table.measure) == ("settings", "g_mean")
    with pytest.raises(UserError, match="describes a run"):
        parse(text % "{settings: {measure: dead}}")
