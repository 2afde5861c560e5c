"""Tables as people read them, in every format and in the terminal."""

from io import StringIO
from itertools import product

import pandas as pd
import pytest
from outcomes import comparison, experiment, one_cell, random_experiment, row
from rich.console import Console

from imbfs.config import Table
from imbfs.errors import UserError
from imbfs.showing import sheets, tables
from imbfs.showing.averages.sheets import _stable
from imbfs.stats import Interval


def written(folder, plan, records, kind="summary", name="md", **given):
    """The text of one table, the only one besides those that are always written."""
    frame = tables.results(plan, records)
    table = Table(kind=kind, **{"measure": "auc", **given})
    *_, path = sheets.write(folder, frame, plan, records, [table], [name])
    return path.read_text()


def test_a_summary_in_markdown(tmp_path):
    outcomes = [
        (("digits", name, "svm", 0, fold), [row(f, auc=v + 0.1 * fold) for f, v in values.items()])
        for name, values in {
            "none": {"all": 0.5},
            "fast": {"50": 0.7, "5%": 0.4},
            "chi": {"50": 0.6, "5%": 0.8},
        }.items()
        for fold in (0, 1)
    ]
    # sd of v and v + 0.1 is 0.1 / sqrt(2) = 0.071; `none` has no rival at `all`, so no bold
    lines = written(tmp_path, *experiment(outcomes)).splitlines()
    assert lines[:2] == ["auc, mean ± sd over folds, by number of features.", ""]
    assert [[text.strip() for text in line.split("|")[4:-1]] for line in lines[2:]] == [
        ["selector", "50", "5%", "all"],
        ["-" * 8, "-" * 17, "-" * 17, "-" * 13],
        ["none", "", "", "0.550 ± 0.071"],
        ["fast", "**0.750 ± 0.071**", "0.450 ± 0.071", ""],
        ["chi", "0.650 ± 0.071", "**0.850 ± 0.071**", ""],
    ]
    assert len({len(line) for line in lines[2:]}) == 1


def test_a_summary_in_csv_has_mean_and_sd_apart(tmp_path):
    outcomes = comparison({"digits": {"fast": {"5%": 0.5}}})
    outcomes += [(("digits", "fast", "svm", 0, 1), [row("5%", auc=0.7)])]
    outcomes += [(("digits", "fast", "svm", 0, 2), None)]
    # sd = 0.2 / sqrt(2)
    assert written(tmp_path, *experiment(outcomes), name="csv") == (
        "dataset,ratio,classifier,selector,5%,5% sd,missing\ndigits,1:20,svm,fast,0.6,0.141421,1\n"
    )


def test_a_summary_shows_the_last_checkpoint_of_the_test_part(tmp_path):
    rows = [
        row("all", "progressive", 64, 50, auc=0.1),
        row(seen=50, auc=0.2),
        row("all", "progressive", 64, 100, auc=0.3),
        row(seen=100, auc=0.4),
    ]
    text = written(tmp_path, *experiment([(("digits", "pa", "own", 0, 0), rows)]), name="csv")
    assert text.splitlines() == [
        "dataset,ratio,classifier,selector,10,10 sd,missing",
        "digits,1:20,own,pa,0.4,,0",
    ]


def test_a_progressive_summary_has_a_file_of_its_own(tmp_path):
    rows = [
        row("5", "progressive", seen=40, auc=0.1),
        row("5", "progressive", seen=80, auc=0.3),
        row("5", seen=80, auc=0.2),
    ]
    outcomes = [(("digits", "pa", "own", 0, 0), rows)]
    outcomes += [(("digits", "mbpa", "own", 0, 0), [row("all", "progressive", auc=0.4)])]
    text = written(tmp_path, *experiment(outcomes), part="progressive")
    assert text == (tmp_path / "tables" / "summary_auc_progressive.md").read_text()
    lines = text.splitlines()
    assert lines[0] == "progressive auc, mean ± sd over folds, by number of features."
    assert [[text.strip() for text in line.split("|")[4:-1]] for line in lines[4:]] == [
        ["pa", "0.300", ""],
        ["mbpa", "", "0.400"],
    ]


def test_a_part_that_was_not_measured_is_an_empty_table(tmp_path):
    for name in ("csv", "md", "latex"):
        text = written(tmp_path, *one_cell({(0, 0): 0.8}), name=name, part="progressive")
        assert "selector" in text and "digits" not in text


def test_seconds_are_written_where_a_record_tells_them(tmp_path):
    for seconds in ({}, {"seconds": 0.25}):
        plan, records = experiment([(("a", "pa", "own", 0, 0), [row(auc=0.5, **seconds)])])
        paths = sheets.write(tmp_path, tables.results(plan, records), plan, records, (), [])
        assert ("seconds.csv" in [path.name for path in paths]) == bool(seconds)
    assert (tmp_path / "tables" / "seconds.csv").read_text().splitlines()[1] == (
        "a,1:20,none,pa,own,test,10,10,80,seconds,0.25,,1,folds,0"
    )
    assert "seconds" not in (tmp_path / "tables" / "results.csv").read_text()


def test_a_measure_that_describes_a_run_is_summarised_but_not_ranked(tmp_path):
    values = {"features_used": 3, "g_mean": 0.5}
    outcomes = [(("a", name, "own", 0, 0), [row(**values)]) for name in ("pa", "mbpa")]
    for measures, ranked in ((list(values), ["ranks_g_mean.md"]), (["features_used"], [])):
        plan, records = experiment(outcomes, measures=measures)
        frame = tables.results(plan, records)
        paths = sheets.write(tmp_path, frame, plan, records, formats=["md"])
        assert [path.name for path in paths][2:] == [
            *(f"summary_{name}.md" for name in measures),
            *ranked,
        ]
        assert "**" not in (tmp_path / "tables" / "summary_features_used.md").read_text()
        console = Console(width=80, file=StringIO())
        console.print(sheets.terminal_ranks(frame, "features_used"))
        assert "features_used: a · 1:20 · own" in console.file.getvalue()


def test_selectors_that_are_compared_stand_together(tmp_path):
    outcomes = [
        (("digits", selector, classifier, 0, 0), [row(auc=0.5)])
        for selector, classifier in product(("s2n", "chi"), ("svm", "knn"))
    ]
    text = written(tmp_path, *experiment(outcomes), name="csv")
    places = [line.split(",")[2:4] for line in text.splitlines()[1:]]
    assert places == [["svm", "s2n"], ["svm", "chi"], ["knn", "s2n"], ["knn", "chi"]]


@pytest.mark.parametrize(
    "lists, columns",
    [
        ((["50", "5"], ["50", "5"]), ["50", "5"]),
        ((["10", "100"], ["5", "20", "2%"]), ["5", "10", "20", "100", "2%"]),
        ((["all", "5"], ["10"]), ["5", "10", "all"]),
        ((["all", "5"], ["all", "5"]), ["all", "5"]),
    ],
)
def test_columns_follow_the_config_and_go_by_size_where_sets_differ(lists, columns):
    means = {f"set{i}": {"chi": dict.fromkeys(names, 0.5)} for i, names in enumerate(lists)}
    frame = tables.results(*experiment(comparison(means)))
    assert list(tables.summarise(frame, "auc").mean.columns) == columns


def test_the_resampling_is_a_column_only_where_there_are_several(tmp_path):
    plan, records = experiment(comparison({"digits": {"fast": {"5": 0.5}}}))
    plan["tasks"].append(["other", "digits", "1:20", "smote", "fast", "svm", 0, 0])
    records["other"] = {"key": "other", "status": "ok", "rows": [row("5", auc=0.6)], "top": []}
    assert written(tmp_path, plan, records, name="csv").splitlines() == [
        "dataset,ratio,resampling,classifier,selector,5,5 sd,missing",
        "digits,1:20,none,svm,fast,0.5,,0",
        "digits,1:20,smote,svm,fast,0.6,,0",
    ]


@pytest.fixture
def half_done():
    """fast lacks a fold and has the best mean, chi is complete, s2n failed, w8a is not at hand."""
    outcomes = [
        (("digits", "fast", "svm", 0, 0), [row(auc=0.9)]),
        (("digits", "fast", "svm", 0, 1), None),
    ]
    for name, value in (("chi", 0.5), ("pa", 0.4)):
        outcomes += [(("digits", name, "svm", 0, fold), [row(auc=value)]) for fold in (0, 1)]
    outcomes += [(("digits", "s2n", "svm", 0, fold), "failed") for fold in (0, 1)]
    return experiment(outcomes, absent={"w8a": "w8a: not at hand."})


def test_an_incomplete_grid_says_so_and_marks_its_cells(tmp_path, half_done):
    assert tables.completeness(*half_done) == (8, 5, 2)
    text = written(tmp_path, *half_done)
    lines = text.splitlines()
    assert lines[0] == "Incomplete: 3 of 8 tasks have no result, 2 of them failed."
    assert lines[2] == "Not at hand: w8a."
    assert r"\* rests on fewer results than planned." in lines
    cells = {line.split("|")[4].strip(): line.split("|")[5:7] for line in lines if "svm" in line}
    shown = {name: [text.strip() for text in values] for name, values in cells.items()}
    assert shown == {
        "fast": [r"0.900\*", r"1 of 2\*"],
        "chi": ["**0.500 ± 0.000**", "2 of 2"],  # the best of the complete ones
        "pa": ["0.400 ± 0.000", "2 of 2"],
        "s2n": ["", r"0 of 2\*"],
    }


@pytest.mark.parametrize("kind", ["summary", "ranks"])
@pytest.mark.parametrize("name, first", [("md", ""), ("latex", r"\noindent ")])
def test_every_table_for_reading_begins_with_what_is_missing(
    tmp_path, half_done, kind, name, first
):
    text = written(tmp_path, *half_done, kind=kind, name=name)
    assert text.startswith(f"{first}Incomplete: 3 of 8 tasks have no result, 2 of them failed.")
    assert "Not at hand: w8a." in text


def test_a_complete_grid_carries_no_such_note(tmp_path):
    text = written(tmp_path, *one_cell({(0, 0): 0.8}))
    assert "Incomplete" not in text and "Not at hand" not in text and "*" not in text


def test_ranks_in_markdown(tmp_path):
    means = {
        "a": {"s2n": {"5": 0.6}, "chi": {"5": 0.9}},
        "b": {"s2n": {"5": 0.6}, "chi": {"5": 0.7}},
    }
    assert written(tmp_path, *experiment(comparison(means)), kind="ranks").splitlines()[2:] == [
        "| selector | mean rank | sd   | wins | cells |",
        "| -------- | --------- | ---- | ---- | ----- |",
        "| chi      | **1.00**  | 0.00 | 2    | 2     |",
        "| s2n      | 2.00      | 0.00 | 0    | 2     |",
    ]


def test_ranks_of_nothing_comparable_are_empty_not_wrong(tmp_path):
    outcomes = comparison({"a": {"chi": {"5": 0.5}}, "b": {"s2n": {"5": 0.5}}})
    lines = written(tmp_path, *experiment(outcomes), kind="ranks").splitlines()
    assert "Cells left out, some selector has no value: 2." in lines
    assert [text.strip() for text in lines[-1].split("|")[2:6]] == ["", "", "0", "0"]


def test_latex_escapes_what_it_would_read(tmp_path):
    means = {"50%_of~me&#{x}^$\\": {"fast(K=[1])": {"5%": 0.5}, "chi": {"5%": 0.4}}}
    text = written(tmp_path, *experiment(comparison(means)), name="latex")
    assert r"50\%\_of\textasciitilde{}me\&\#\{x\}\textasciicircum{}\$\textbackslash{}" in text
    assert r"& fast(K={[}1]) & \textbf{0.500} \\" in text
    assert r"selector & 5\% \\" in text
    assert "$\\pm$" in text and "±" not in text
    assert text.count(r"\begin{tabular}{lllll}") == text.count(r"\end{tabular}") == 1


def test_markdown_escapes_what_it_would_read(tmp_path):
    text = written(tmp_path, *experiment(comparison({"a|b*c\nd": {"fast": {"5": 0.5}}})))
    line = text.splitlines()[-1]
    assert line.startswith(r"| a\|b\*c d |")
    assert line.replace(r"\|", "").count("|") == 6


def test_without_wanted_tables_there_is_a_summary_per_measure_and_the_ranks(tmp_path):
    plan, records = random_experiment(0)
    paths = sheets.write(tmp_path, tables.results(plan, records), plan, records)
    assert [path.name for path in paths] == [
        "results.csv",
        "features.csv",
        "summary_auc.csv",
        "summary_auc.md",
        "summary_g_mean.csv",
        "summary_g_mean.md",
        "ranks_auc.csv",
        "ranks_auc.md",
    ]
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == sorted(
        path.name for path in paths
    )


def test_unknown_formats_and_measures_are_refused(tmp_path):
    plan, records = one_cell({(0, 0): 0.8})
    frame = tables.results(plan, records)
    with pytest.raises(UserError, match="unknown format 'word'"):
        sheets.write(tmp_path, frame, plan, records, (), ["word"])
    with pytest.raises(UserError, match="unknown measure 'acu'. Did you mean 'auc'"):
        tables.summarise(frame, "acu")


# the terminal


def shown(frame, width=80):
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(sheets.terminal(frame, "auc", width))
    return captured.get()


def test_the_terminal_shows_selectors_by_set():
    text = shown(tables.results(*experiment(comparison({"digits": {"fast": {"5": 0.5}}}))))
    assert [line.split() for line in text.splitlines() if line.strip()] == [
        ["auc:", "digits", "·", "1:20", "·", "svm"],
        ["5"],
        ["fast", "0.500"],
    ]


def test_the_terminal_names_the_resampling_where_there_are_several():
    plan, records = experiment(comparison({"digits": {"fast": {"5": 0.5}}}))
    plan["tasks"].append([plan["tasks"][0][0], "digits", "1:20", "smote", "fast", "svm", 0, 0])
    titles = [line for line in shown(tables.results(plan, records)).splitlines() if "auc" in line]
    assert [title.strip() for title in titles] == [
        "auc: digits · 1:20 · none · svm",
        "auc: digits · 1:20 · smote · svm",
    ]


def test_what_does_not_fit_the_terminal_is_named():
    values = {str(k): 0.5 for k in range(1, 13)}
    name = "mbpa(C=0.1, gravity=1e-05, synthesis=interpolate)"
    text = shown(tables.results(*experiment(comparison({"digits": {name: values}}))))
    assert max(map(len, text.splitlines())) <= 80
    header = text.splitlines()[1].split()
    hidden = [str(k) for k in range(1, 13) if str(k) not in header]
    assert header[0] == "1" and header[-1] == "12" and hidden
    assert f"Not shown for want of width: {', '.join(hidden)} features." in text


def test_the_terminal_marks_incomplete_cells(half_done):
    text = shown(tables.results(*half_done))
    assert "0.900*" in text and "0.500±0.000 " in text
    assert "* rests on fewer results than planned." in text


def test_the_best_is_green_unless_the_user_wants_no_colour(monkeypatch):
    means = {"digits": {"fast": {"5": 0.5}, "chi": {"5": 0.4}}}
    frame = tables.results(*experiment(comparison(means)))
    for variable, green in (("OTHER", True), ("NO_COLOR", False)):
        monkeypatch.setenv(variable, "1")
        console = Console(width=80, force_terminal=True, color_system="standard")
        with console.capture() as captured:
            console.print(sheets.terminal(frame, "auc"))
        (line,) = [line for line in captured.get().splitlines() if "0.500" in line]
        (other,) = [line for line in captured.get().splitlines() if "0.400" in line]
        assert ("\x1b[1;32m" in line) == green
        assert "\x1b[" not in other


def test_brackets_in_labels_are_no_markup():
    frame = tables.results(*experiment(comparison({"[red]": {"fast([b])": {"5": 0.5}}})))
    assert "[red]" in shown(frame) and "fast([b])" in shown(frame)


def test_sets_with_feature_counts_of_their_own_have_sections_of_their_own(tmp_path):
    outcomes = comparison({"wide": {"s2n": {"5": 0.5, "500": 0.6}}, "flat": {"s2n": {"2": 0.7}}})
    text = written(tmp_path, *experiment(outcomes))
    headers = [line.split() for line in text.splitlines() if "| dataset" in line]
    assert [header[9::2] for header in headers] == [["5", "500"], ["2"]]
    assert "5" in written(tmp_path, *experiment(outcomes), name="latex")


def test_the_terminal_shows_ranks_best_first():
    outcomes = comparison({"digits": {"s2n": {"5": 0.5}, "fast": {"5": 0.9}}})
    console = Console(width=80, record=True, quiet=False, file=StringIO())
    console.print(sheets.terminal_ranks(tables.results(*experiment(outcomes)), "auc"))
    lines = console.export_text().splitlines()
    assert "Mean rank by auc" in lines[0]
    assert [line.split()[:2] for line in lines[2:4]] == [["fast", "1.00"], ["s2n", "2.00"]]


# over problems


def grouped(means, classifiers=("svm",), **groups):
    """Plan and records of a comparison, with the groups of its sets."""
    outcomes = [outcome for name in classifiers for outcome in comparison(means, name)]
    plan, records = experiment(outcomes)
    told = [{"dataset": d, "ratio": "1:20", "group": g} for d, g in groups.items()]
    return plan | {"problems": told}, records


def cells(text):
    """The cells of every line of the Markdown tables in a text, headers and rules left out."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [row for row in rows if row[0] != "group" and not set(row[0]) <= {"-"}]


MEANS = {
    "a": {"none": {"all": 0.6}, "fast": {"5": 0.7, "50": 0.8}, "chi": {"5": 0.5, "50": 0.9}},
    "b": {"none": {"all": 0.8}, "fast": {"5": 0.9}, "chi": {"5": 0.5}},
}


def test_averages_in_markdown_tell_how_many_problems_they_are_of(tmp_path):
    text = written(tmp_path, *grouped(MEANS, a="text"), "average")
    assert text.startswith("auc, mean ± sd over problems, by number of features.\n")
    # sd of 0.7 and 0.9, as of 0.6 and 0.8, is 0.2 / sqrt(2) = 0.141
    assert cells(text) == [
        ["text", "svm", "none", "0.600", "0.600"],
        ["text", "svm", "fast", "**0.700**", "0.800"],
        ["text", "svm", "chi", "0.500", "**0.900**"],
        ["text", "svm", "problems", "1", "1"],
        ["all problems", "svm", "none", "0.700 ± 0.141", "0.600"],
        ["all problems", "svm", "fast", "**0.800 ± 0.141**", "0.800"],
        ["all problems", "svm", "chi", "0.500 ± 0.000", "**0.900**"],
        ["all problems", "svm", "problems", "2", "1"],
    ]


def test_averages_in_csv_have_a_row_for_every_number_of_features(tmp_path):
    text = written(tmp_path, *grouped(MEANS), "average", "csv", group="all")
    assert text == (tmp_path / "tables" / "average_auc_all.csv").read_text()
    assert text.splitlines() == [
        "group,classifier,selector,features,mean,sd,n",
        "all problems,svm,none,5,0.7,0.141421,2",
        "all problems,svm,fast,5,0.8,0.141421,2",
        "all problems,svm,chi,5,0.5,0,2",
        "all problems,svm,none,50,0.6,,1",
        "all problems,svm,fast,50,0.8,,1",
        "all problems,svm,chi,50,0.9,,1",
    ]


def test_averages_name_the_resampling_where_there_are_several(tmp_path):
    plan, records = grouped({"a": {"fast": {"5": 0.5}}, "b": {"fast": {"5": 0.7}}})
    plan["tasks"][1][1:4] = ["a", "1:20", "smote"]
    lines = written(tmp_path, plan, records, "average", "csv").splitlines()
    assert lines[0] == "group,classifier,resampling,selector,features,mean,sd,n"
    assert lines[1:] == [
        "all problems,svm,none,fast,5,0.5,,1",
        "all problems,svm,smote,fast,5,0.7,,1",
    ]


def test_shares_within_a_tolerance_have_a_column_for_each(tmp_path):
    plan, records = grouped(MEANS)
    found = cells(written(tmp_path, plan, records, "within", features=5))
    # a: the best is 0.7, none has 0.6; b: the best is 0.9, none has 0.8, 11% less
    assert found == [
        ["all problems", "svm", "none", *["0.00"] * 11, "2"],
        ["all problems", "svm", "fast", *["1.00"] * 11, "2"],
        ["all problems", "svm", "chi", *["0.00"] * 11, "2"],
    ]
    header = written(tmp_path, plan, records, "within", "csv", features=5).splitlines()[0]
    assert header.startswith("group,classifier,selector,0%,1%,") and header.endswith("10%,problems")


def test_differences_have_ranks_and_pairs(tmp_path):
    values = {f"set{i}": {"fast": {"5": 0.8 + i / 100}, "chi": {"5": 0.7}} for i in range(6)}
    ranks, pair = [], []
    for row_ in cells(written(tmp_path, *grouped(values), "differences", features=5)):
        (ranks if len(row_) == 6 else pair).append(row_[2:])
    # q(0.05, 2) = 1.960; 1.960 * sqrt(2 * 3 / (6 * 6)) = 0.80
    assert ranks == [["fast", "**1.00**", "0.80", "6"], ["chi", "2.00", "0.80", "6"]]
    # all six differ in the same direction: Wilcoxon's p is 2 / 2**6 = 0.03125
    (name, other, difference, t, wilcoxon, holm) = pair[0]
    assert (name, other, difference) == ("fast", "chi", "+0.1250")
    assert (wilcoxon, holm) == ("**0.031**", "**0.031**") and float(t.strip("*")) < 0.001
    text = written(tmp_path, *grouped(values), "differences", "csv", features=5, against="chi")
    header, numbers = (line.split(",") for line in text.splitlines())
    told = dict(zip(header, numbers, strict=True))
    assert (told["rank"], told["rank_against"], told["problems"]) == ("1", "2", "6")
    assert (tmp_path / "tables" / "differences_auc_5_chi.csv").exists()


def test_corrected_tests_tell_shares_of_the_problems(tmp_path):
    outcomes = []
    for fold, extra in enumerate((0.1, 0.2, 0.3, 0.2)):  # worked out in test_averages.py
        outcomes.append((("a", "fast", "svm", 0, fold), [row("5", auc=0.5)]))
        outcomes.append((("a", "chi", "svm", 0, fold), [row("5", auc=0.5 + extra)]))
    plan, records = experiment(outcomes)
    plan |= {"problems": [], "test_share": 0.5}
    found = cells(written(tmp_path, plan, records, "corrected", features=5, against="fast"))
    assert found == [["all problems", "svm", "chi", "fast", "1", "0", "0", "0", "1", "100%", "0%"]]


def test_stability_tells_group_and_selector_but_no_classifier(tmp_path):
    outcomes = [(("a", "fast", "svm", 0, fold), [row("5", auc=0.5)]) for fold in (0, 1)]
    plan, records = experiment(outcomes)  # the first features are g1 and g2 in every fold
    told = {"dataset": "a", "ratio": "1:20", "group": "", "features": 9}
    frame, table = tables.results(plan, records), Table(kind="stability", features=2)
    plan["problems"] = [told]
    *_, path = sheets.write(tmp_path, frame, plan, records, [table], ["md"])
    assert path.name == "stability_2.md"
    assert cells(path.read_text()) == [["all problems", "fast", "**1.000**", "1.000 to 1.000", "1"]]


def test_the_interval_of_a_mean_stability_is_that_of_its_problems_errors():
    intervals = {"fast": [Interval(0.5, 0.2, 0.8), Interval(0.7, 0.3, 1.1)]}
    (found,) = _stable(pd.DataFrame(intervals)).to_dict("records")
    # The mean is 0.6; reaches of 0.3 and 0.4 make one of sqrt(0.09 + 0.16) / 2 = 0.25.
    assert found["stability"] == pytest.approx(0.6) and found["problems"] == 2
    assert (found["low"], found["high"]) == pytest.approx((0.35, 0.85))


def test_overlap_is_a_square_with_jaccard_above_and_chance_taken_off_below(tmp_path):
    outcomes = [(("a", name, "svm", 0, 0), [row("5", auc=0.5)]) for name in ("fast", "chi", "mi")]
    plan, records = experiment(outcomes)
    for record, top in zip(records.values(), ("ab", "bc", "ab"), strict=True):
        record["top"] = list(top)
    told = {"dataset": "a", "ratio": "1:20", "group": "", "features": 8}
    frame, table = tables.results(plan, records), Table(kind="overlap", features=2)
    plan["problems"] = [told]
    *_, data, path = sheets.write(tmp_path, frame, plan, records, [table], ["csv", "md"])
    assert path.name == "overlap_2.md"
    # One of three shared; (1 - 1/2) / (2 - 1/2) beyond chance.
    assert "| group        | selector | fast | chi  | mi   |" in path.read_text()
    assert cells(path.read_text()) == [
        ["all problems", "fast", "", "0.33", "1.00"],
        ["all problems", "chi", "0.33", "", "0.33"],
        ["all problems", "mi", "1.00", "0.33", ""],
    ]
    assert data.read_text().splitlines()[:2] == [
        "group,selector,against,jaccard,corrected,problems",
        "all problems,fast,chi,0.333333,0.333333,1",
    ]


def test_approaches_are_told_with_what_they_gain_on_the_plain_one(tmp_path):
    means = {"a": {"none": {"all": 0.6}, "s2n": {"5": 0.9}, "fast": {"5": 0.5}}}
    plan, records = experiment(comparison(means))
    text = written(tmp_path, plan, records, "approaches", features=5)
    assert text == (tmp_path / "tables" / "approaches_auc_5.md").read_text()
    assert cells(text) == [
        ["selector", "resampling", "classifier", "mean", "gain", "problems"],
        ["s2n", "none", "svm", "**0.900**", "+0.300", "1"],
        ["none", "none", "svm", "0.600", "+0.000", "1"],
        ["fast", "none", "svm", "0.500", "-0.100", "1"],
    ]
    lines = written(tmp_path, plan, records, "approaches", "csv", features=5).splitlines()
    assert lines[:2] == [
        "selector,resampling,classifier,mean,sd,gain,problems",
        "s2n,none,svm,0.9,,0.3,1",
    ]


@pytest.mark.parametrize("kind", ["average", "within", "differences", "corrected", "approaches"])
def test_where_no_problem_is_complete_a_table_is_empty_not_wrong(tmp_path, kind):
    plan, records = grouped({"a": {"fast": {"5": 0.5}, "chi": {"5": 0.6}}})
    plan |= {"test_share": 0.5}
    plan["tasks"].append(["key9", *plan["tasks"][0][1:-1], 1])
    given = {} if kind == "average" else {"features": 5}
    for name in ("csv", "md", "latex"):
        text = written(tmp_path, plan, records, kind, name, **given)
        assert "fast" not in text and "chi" not in text


def test_problems_are_a_table_of_their_own(tmp_path):
    plan, records = grouped({"a": {"fast": {"5": 0.5}}})
    facts = {"samples": 30, "features": 8, "minority": None, "majority": None, "differs": "b, c"}
    plan["problems"] = [{"dataset": "a", "ratio": "natural", "group": "text", **facts}]
    sheets.write(tmp_path, tables.results(plan, records), plan, records, (), [])
    assert (tmp_path / "tables" / "problems.csv").read_text() == (
        "dataset,ratio,group,samples,features,minority,majority,differs\n"
        'a,natural,text,30,8,,,"b, c"\n'
    )
