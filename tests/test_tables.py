"""From records to tables: means, spreads and ranks, and what is missing of them."""

import random
import statistics
from itertools import product

import numpy as np
import pandas as pd
import pytest
from outcomes import UNDEFINED, comparison, experiment, one_cell, random_experiment, row
from scipy.stats import rankdata

from imbfs.errors import UserError
from imbfs.measures import DESCRIPTIVE
from imbfs.showing import sheets, tables
from imbfs.showing.ranks import rank

# results


def test_folds_are_averaged_inside_repeats_before_the_spread_is_taken():
    plan, records = one_cell({(0, 0): 0.8, (0, 1): 0.9, (1, 0): 0.6, (1, 1): 0.7})
    (found,) = tables.results(plan, records).to_dict("records")
    # repeats 0.85 and 0.65: mean 0.75, sd = sqrt(2 * 0.1^2 / 1) = 0.141421
    assert found["mean"] == 0.75
    assert found["sd"] == 0.141421
    assert (found["n"], found["over"], found["missing"]) == (2, "repeats", 0)


def test_with_one_repeat_the_spread_is_over_folds():
    plan, records = one_cell({(0, 0): 0.8, (0, 1): 0.9, (0, 2): 1.0})
    (found,) = tables.results(plan, records).to_dict("records")
    assert (found["mean"], found["sd"], found["n"], found["over"]) == (0.9, 0.1, 3, "folds")


def test_a_single_result_has_no_spread(tmp_path):
    plan, records = one_cell({(0, 0): 0.8})
    frame = tables.results(plan, records)
    assert frame["n"].item() == 1 and np.isnan(frame["sd"].item())
    sheets.write(tmp_path, frame, plan, records, (), [])
    last = (tmp_path / "tables" / "results.csv").read_text().splitlines()[-1]
    assert last == "digits,1:20,none,fast,svm,test,10,10,80,auc,0.8,,1,folds,0"
    assert tables.summarise(frame, "auc").texts("±") == [["0.800"]]


def test_undefined_values_are_left_out_of_means():
    plan, records = one_cell({(0, 0): UNDEFINED, (0, 1): 0.9, (1, 0): 0.5, (1, 1): 0.7})
    (found,) = tables.results(plan, records).to_dict("records")
    assert found["mean"] == 0.75  # of 0.9 and (0.5 + 0.7) / 2
    assert (found["n"], found["missing"]) == (2, 0)


def test_a_measure_that_is_nowhere_defined_has_no_mean_but_a_row():
    plan, records = one_cell({(0, 0): UNDEFINED, (0, 1): UNDEFINED})
    (found,) = tables.results(plan, records).to_dict("records")
    assert np.isnan(found["mean"]) and np.isnan(found["sd"])
    assert (found["n"], found["missing"]) == (0, 0)


def test_a_repeat_with_a_missing_fold_counts_and_the_cell_says_so():
    plan, records = one_cell({(0, 0): 0.8, (0, 1): None, (1, 0): 0.6, (1, 1): "failed"})
    (found,) = tables.results(plan, records).to_dict("records")
    assert found["mean"] == 0.7
    assert (found["n"], found["missing"]) == (2, 2)


def test_repeats_stay_the_unit_while_only_one_of_them_is_done():
    plan, records = one_cell({(0, 0): 0.8, (0, 1): 0.9, (1, 0): None, (1, 1): None})
    (found,) = tables.results(plan, records).to_dict("records")
    assert (found["n"], found["over"], found["missing"]) == (1, "repeats", 2)
    assert np.isnan(found["sd"])


def test_records_that_are_not_in_the_plan_are_ignored():
    plan, records = one_cell({(0, 0): 0.8})
    other = {"key": "other", "status": "ok", "rows": [row(auc=0.1)]}
    frame = tables.results(plan, {"other": other, **records})
    assert frame["mean"].tolist() == [0.8]
    assert tables.completeness(plan, {"other": other, **records}) == (1, 1, 0)


def test_two_sets_with_the_same_content_share_a_record():
    plan, records = one_cell({(0, 0): 0.8})
    plan["tasks"].append([plan["tasks"][0][0], "copy", *plan["tasks"][0][2:]])
    frame = tables.results(plan, records)
    assert frame["dataset"].tolist() == ["digits", "copy"]
    assert frame["mean"].tolist() == [0.8, 0.8]
    assert tables.completeness(plan, records) == (2, 2, 0)


def test_folds_that_saw_a_few_samples_more_are_one_cell():
    place = ("digits", "fast", "svm", 0)
    plan, records = experiment(
        [((*place, fold), [row(seen=seen, auc=0.5)]) for fold, seen in enumerate((80, 81))]
    )
    (found,) = tables.results(plan, records).to_dict("records")
    assert (found["n"], found["seen"]) == (2, 81)  # 80.5 rounded half up


def test_checkpoints_are_matched_by_number_and_test_comes_first():
    def stream(first, second, gain):
        return [
            row("all", "progressive", 64, first, auc=0.5 + gain),
            row("10", seen=first, auc=0.6 + gain),
            row("5", seen=first, auc=0.4 + gain),
            row("all", "progressive", 64, second, auc=0.7 + gain),
            row("10", seen=second, auc=0.8 + gain),
            row("5", seen=second, auc=0.6 + gain),
        ]

    plan, records = experiment(
        [(("digits", "pa", "own", r, 0), stream(50 + r, 100 + r, r / 10)) for r in (0, 1)]
    )
    found = tables.results(plan, records)[["part", "features", "seen", "mean", "n"]]
    assert found.to_numpy().tolist() == [
        ["test", "10", 51, 0.65, 2],
        ["test", "10", 101, 0.85, 2],
        ["test", "5", 51, 0.45, 2],
        ["test", "5", 101, 0.65, 2],
        ["progressive", "all", 51, 0.55, 2],
        ["progressive", "all", 101, 0.75, 2],
    ]


def test_rows_follow_the_plan_and_the_order_of_the_config():
    outcomes = [
        ((dataset, selector, classifier, 0, fold), [row("50", b=1, a=1), row("5", b=1, a=1)])
        for dataset, fold in product(("z", "a"), (0, 1))
        for selector, classifier in product(("s2n", "chi"), ("svm", "knn"))
    ]
    frame = tables.results(*experiment(outcomes, measures=("b", "a")))
    found = frame[["dataset", "selector", "classifier", "features", "measure"]]
    names = (("z", "a"), ("s2n", "chi"), ("svm", "knn"), ("50", "5"), ("b", "a"))
    assert found.to_numpy().tolist() == [list(line) for line in product(*names)]


def test_the_order_of_the_records_changes_no_byte(tmp_path):
    plan, records = random_experiment(seed=1)
    texts = []
    for seed in range(3):
        keys = list(records)
        random.Random(seed).shuffle(keys)
        shuffled = {key: records[key] for key in keys}
        folder = tmp_path / str(seed)
        frame = tables.results(plan, shuffled)
        paths = sheets.write(folder, frame, plan, shuffled, (), ["csv", "md", "latex"])
        texts.append([path.read_bytes() for path in paths])
    assert texts[0] == texts[1] == texts[2]


def test_a_cell_without_any_result_is_not_forgotten():
    plan, records = experiment(
        [(("digits", "fast", "svm", 0, 0), [row(auc=0.5)]), (("digits", "chi", "svm", 0, 0), None)]
    )
    found = tables.results(plan, records).to_dict("records")[1]
    assert (found["selector"], found["features"], found["n"], found["missing"]) == ("chi", "", 0, 1)


@pytest.mark.parametrize("outcome", [None, "failed"])
def test_without_any_result_the_frame_is_empty(outcome):
    plan, records = one_cell({(0, 0): outcome})
    assert tables.results(plan, records).empty
    assert tables.results({"measures": ["auc"], "tasks": [], "absent": {"w8a": "why"}}, {}).empty


@pytest.mark.parametrize("seed", range(5))
def test_results_are_what_the_statistics_module_says(seed):
    plan, records = random_experiment(seed)
    found = {}
    for line in tables.results(plan, records).to_dict("records"):
        place = line["dataset"], line["selector"], line["features"], line["measure"]
        found[place] = line
    assert len(found) == 20  # 2 sets x (1 + 2 + 2 numbers of features) x 2 measures
    for (dataset, selector, features, measure), line in found.items():
        repeats, done = {}, 0
        for key, *labels, repeat, _ in plan["tasks"]:
            if (labels[0], labels[3]) == (dataset, selector) and key in records:
                for entry in records[key].get("rows", []):
                    if entry["features"] == features:
                        done += 1
                        repeats.setdefault(repeat, []).append(entry[measure])
        means = [[v for v in values if v is not None] for values in repeats.values()]
        means = [statistics.mean(values) for values in means if values]
        assert line["mean"] == pytest.approx(statistics.mean(means), rel=1e-5)
        assert line["n"] == len(means)
        assert line["missing"] == 6 - done
        if len(means) > 1:
            assert line["sd"] == pytest.approx(statistics.stdev(means), rel=1e-5)


# seconds


def timed(seconds, part="test", **given):
    return row(part=part, auc=0.5, **({} if seconds is None else {"seconds": seconds}), **given)


def test_seconds_are_averaged_like_a_measure_and_are_none_of_the_results():
    outcomes = [
        (("digits", "pa", "own", repeat, fold), [timed(s, seen=40), timed(2 * s, seen=80)])
        for repeat, fold, s in ((0, 0, 0.1), (0, 1, 0.3), (1, 0, 0.4), (1, 1, 0.4))
    ]
    plan, records = experiment(outcomes)
    found = tables.seconds(plan, records)
    # repeats 0.2 and 0.4 at 40 samples, twice that at 80: sd = sqrt(2 * 0.1^2) and twice that
    columns = ["part", "features", "seen", "measure", "mean", "sd", "n"]
    assert found[columns].to_numpy().tolist() == [
        ["test", "10", 40, "seconds", 0.3, 0.141421, 2],
        ["test", "10", 80, "seconds", 0.6, 0.282843, 2],
    ]
    assert tables.results(plan, records)["measure"].unique().tolist() == ["auc"]


def test_only_records_that_tell_their_seconds_are_in_the_table_of_them():
    outcomes = [
        (("digits", "pa", "own", 0, 0), [timed(0.2)]),
        (("digits", "pa", "own", 1, 0), [timed(None)]),
        (("digits", "fast", "svm", 0, 0), [timed(None)]),
        (("wine", "pa", "own", 0, 0), None),
    ]
    (found,) = tables.seconds(*experiment(outcomes)).to_dict("records")
    assert (found["selector"], found["mean"], found["n"]) == ("pa", 0.2, 1)
    assert tables.seconds(*experiment(outcomes[1:])).empty
    assert tables.seconds(*experiment(outcomes[3:])).empty


def test_a_frame_gets_the_seconds_of_its_own_rows(tmp_path):
    outcomes = [
        (("digits", "pa", "own", 0, 0), [timed(0.2, seen=40), timed(0.3, seen=80)]),
        (("digits", "pa", "own", 0, 1), [timed(0.2, seen=41), timed(0.3, seen=81)]),
        (("digits", "fast", "svm", 0, 0), [timed(None)]),
        (("wine", "pa", "own", 0, 0), None),
    ]
    plan, records = experiment(outcomes)
    sheets.write(tmp_path, tables.results(plan, records), plan, records, (), [])
    frame = tables.read(tmp_path / "tables" / "results.csv")
    found = tables.timed(frame, tmp_path / "tables" / "seconds.csv")
    assert found["seconds"].fillna(0).tolist() == [0.2, 0.3, 0, 0]
    pd.testing.assert_frame_equal(found.drop(columns="seconds"), frame)
    with pytest.raises(UserError, match="gone.csv: there is no such table, and time is drawn"):
        tables.timed(frame, tmp_path / "gone.csv")


# parts


def progress():
    """pa was run anew for every number of features, mbpa once with all; fast has not run."""
    pa = [
        row(f, part, seen=seen, auc=value + gain)
        for part, gain in (("progressive", 0.1), ("test", 0))
        for f, value in (("5", 0.3), ("9", 0.5))
        for seen in (40, 80)
    ]
    mbpa = [row("all", "progressive", auc=0.7), row("5", auc=0.1), row("9", auc=0.2)]
    outcomes = [(("digits", "pa", "own", 0, 0), pa), (("digits", "mbpa", "own", 0, 0), mbpa)]
    outcomes += [((*place, 0, 0), None) for place in (("digits", "fast", "own"),)]
    outcomes += [(("digits", "chi", "svm", 0, 0), [row("5", auc=0.9)])]
    outcomes += [(("digits", "s2n", "svm", 0, 0), "failed")]
    return tables.results(*experiment(outcomes))


def test_a_part_has_its_own_rows_and_the_cells_that_lack_any():
    frame = progress()
    found = tables.rows_of(frame, "auc", "progressive")
    assert found["selector"].tolist() == ["pa"] * 4 + ["mbpa", "fast"]
    assert set(tables.rows_of(frame, "auc", "test")["selector"]) == set(frame["selector"])
    ends = tables.last(frame, "auc", "progressive")
    assert ends[["features", "seen"]].fillna(0).to_numpy().tolist() == [
        ["5", 80], ["9", 80], ["all", 80], ["", 0],
    ]  # fmt: skip


def test_a_progressive_summary_has_a_column_of_its_own_for_all_features():
    found = tables.summarise(progress(), "auc", "progressive")
    assert found.mean.columns.tolist() == ["5", "9", "all"]
    assert found.texts("±") == [["0.400", "0.600", ""], ["", "", "0.700"], ["", "", ""]]
    assert found.missing.tolist() == [0, 0, 1]


def test_a_part_that_was_not_measured_has_an_empty_summary():
    frame = tables.results(*one_cell({(0, 0): 0.8}))
    assert tables.summarise(frame, "auc", "progressive").texts("±") == []


# measures that describe a run


@pytest.mark.parametrize("measure", DESCRIPTIVE)
def test_what_describes_a_run_has_no_best_and_no_ranks(measure):
    outcomes = [(("a", name, "own", 0, 0), [row(**{measure: 1})]) for name in ("pa", "mbpa")]
    frame = tables.results(*experiment(outcomes, measures=[measure]))
    assert not tables.summarise(frame, measure).best.any(axis=None)
    with pytest.raises(UserError, match=f"{measure} describes a run"):
        rank(frame, measure)


def test_counts_have_one_decimal_and_thousands_none():
    values = {"pa": (7, 10), "mbpa": (1000, 1005), "onpa": (54877, 54877)}
    outcomes = [
        (("a", name, "own", 0, fold), [row(features_used=pair[fold])])
        for name, pair in values.items()
        for fold in (0, 1)
    ]
    frame = tables.results(*experiment(outcomes, measures=["features_used"]))
    # sd = 3 / sqrt(2) = 2.1 and 5 / sqrt(2) = 3.5
    texts = tables.summarise(frame, "features_used").texts(" ± ")
    assert texts == [["8.5 ± 2.1"], ["1002 ± 4"], ["54877 ± 0"]]


# results.csv


def test_a_frame_is_read_back_as_it_was_written(tmp_path):
    names = ["NA", "null", "1e3", "007", 'a "quoted", name', "nan"]
    outcomes = [((name, "fast", "svm", 0, 0), [row(auc=1 / 3)]) for name in names]
    outcomes.append((("", "chi", "svm", 0, 0), None))
    plan, records = experiment(outcomes)
    frame = tables.results(plan, records)
    sheets.write(tmp_path, frame, plan, records, (), [])
    again = tables.read(tmp_path / "tables" / "results.csv")
    pd.testing.assert_frame_equal(again, frame)
    assert again["dataset"].tolist() == [*names, ""]
    assert b"\r" not in (tmp_path / "tables" / "results.csv").read_bytes()


def test_what_is_no_table_of_results_is_refused(tmp_path):
    path = tmp_path / "results.csv"
    with pytest.raises(UserError, match="there is no such table"):
        tables.read(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="is no table of results"):
        tables.read(path)
    path.write_text("")
    with pytest.raises(UserError, match="cannot be read"):
        tables.read(path)


# ranks


def ranks(outcomes):
    return rank(tables.results(*experiment(outcomes)), "auc")


def test_mean_ranks_by_hand_with_ties():
    found = ranks(
        comparison(
            {
                "a": {"s2n": {"5": 0.9, "9": 0.8}, "chi": {"5": 0.9, "9": 0.7}},
                "b": {"s2n": {"5": 0.6, "9": 0.5}, "chi": {"5": 0.7, "9": 0.4}},
            }
        )
    )
    # ranks of s2n: 1.5, 1, 2, 1 = 5.5 / 4; of chi: 1.5, 2, 1, 2 = 6.5 / 4
    assert found.table[["selector", "mean rank", "wins", "cells"]].to_numpy().tolist() == [
        ["s2n", 1.375, 3, 4],
        ["chi", 1.625, 2, 4],
    ]
    # deviations of s2n: 0.125, -0.375, 0.625, -0.375: sum of squares 0.6875
    assert found.table["sd"][0] == pytest.approx((0.6875 / 3) ** 0.5)
    assert found.left_out == []


def test_a_selector_with_all_features_alone_enters_every_cell():
    found = ranks(
        comparison(
            {"a": {"none": {"all": 0.8}, "chi": {"5": 0.7, "9": 0.9}, "s2n": {"5": 0.6, "9": 0.85}}}
        )
    )
    assert found.cells["none"].tolist() == [1, 3]
    assert len(found.cells) == 2


def test_where_all_features_are_listed_they_are_one_cell():
    found = ranks(comparison({"a": {"none": {"all": 0.8}, "chi": {"5": 0.7, "all": 0.9}}}))
    assert found.cells["none"].tolist() == [1, 2]
    found = ranks(comparison({"a": {"none": {"all": 0.8}, "chi": {"all": 0.9}}}))
    assert found.cells["none"].tolist() == [2]


def test_incomplete_cells_are_left_out_of_the_ranks_and_counted():
    means = {"a": {"s2n": {"5": 0.9, "9": 0.8}, "chi": {"5": 0.8, "9": 0.7}}}
    outcomes = comparison({**means, "b": means["a"]})
    outcomes.append((("b", "chi", "svm", 0, 1), "failed"))
    found = ranks(outcomes)
    assert (len(found.cells), found.incomplete) == (2, 2)
    assert found.cells.index.get_level_values("dataset").unique().tolist() == ["a"]
    assert found.left_out == ["Cells left out, not complete: 2."]


def test_a_set_that_a_selector_has_not_begun_is_incomplete():
    outcomes = comparison({"a": {"s2n": {"5": 0.9}, "chi": {"5": 0.8}}, "b": {"s2n": {"5": 0.9}}})
    outcomes.append((("b", "chi", "svm", 0, 0), None))
    found = ranks(outcomes)
    assert (len(found.cells), found.incomplete) == (1, 1)


def test_cells_that_not_every_selector_has_are_left_out():
    outcomes = comparison({"a": {"chi": {"5": 0.9}, "pa": {"5": 0.8}}})
    outcomes += comparison({"a": {"pa": {"5": 0.7}}}, classifier="own")
    outcomes += comparison({"b": {"chi": {"5": None}, "pa": {"5": 0.8}}})
    found = ranks(outcomes)
    assert (len(found.cells), found.unequal, found.incomplete) == (1, 2, 0)
    assert found.left_out == ["Cells left out, some selector has no value: 2."]


def test_a_selector_without_any_result_is_named_and_does_not_empty_the_ranks():
    outcomes = comparison({"a": {"s2n": {"5": 0.9}, "chi": {"5": 0.8}}})
    outcomes.append((("a", "fast", "svm", 0, 0), "failed"))
    found = ranks(outcomes)
    assert found.table["selector"].tolist() == ["s2n", "chi"]
    assert found.left_out == ["Not ranked, without any result: fast."]


def test_of_many_that_are_not_ranked_some_are_named():
    names = [f"s{i}" for i in range(12)]
    outcomes = comparison({"a": {"s2n": {"5": 0.9}, "chi": {"5": 0.8}}})
    outcomes += [(("a", name, "svm", 0, 0), "failed") for name in names]
    (told,) = ranks(outcomes).left_out
    assert told == "Not ranked, without any result: " + ", ".join(names[:10]) + " and 2 more."


@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(6, 2, 5)) / 4  # sets x numbers of features x selectors
    outcomes = comparison(
        {
            f"set{i}": {f"s{j}": {"5": values[i, 0, j], "9": values[i, 1, j]} for j in range(5)}
            for i in range(6)
        }
    )
    found = ranks(outcomes)
    expected = rankdata(-values.reshape(12, 5), axis=1).mean(axis=0)
    np.testing.assert_allclose(found.cells.mean()[[f"s{j}" for j in range(5)]], expected)
    assert found.table["mean rank"].is_monotonic_increasing


# features


def test_features_are_counted_once_a_ranking_and_the_most_chosen_come_first():
    outcomes = [
        (("digits", "fast", classifier, 0, fold), [row(auc=0.5)])
        for fold in (0, 1)
        for classifier in ("svm", "own")
    ]
    plan, records = experiment(outcomes)
    tops = [["a", "b"], ["a", "b"], ["c", "a"], ["c", "a"]]
    for key, top in zip(records, tops, strict=True):
        records[key]["top"] = top
    found = tables.features(plan, records)
    # a stands first in one fold and second in the other; b and c in one fold each.
    assert found[["feature", "share", "mean_place"]].to_numpy().tolist() == [
        ["a", 1.0, 1.5], ["c", 0.5, 1.0], ["b", 0.5, 2.0],
    ]  # fmt: skip
    assert set(found["selector"]) == {"fast"}
