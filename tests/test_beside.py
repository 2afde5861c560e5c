"""What a paper prints beside what was measured."""

import pytest
from outcomes import experiment, row

from imbfs.config import Table, parse, printed
from imbfs.errors import UserError
from imbfs.showing import sheets, tables
from imbfs.showing.beside import Agreement, agreement, beside, read, within, written

CONFIG = """
name: x
datasets: [{wine: {name: red, positive: 0}}, {wine: {name: white, positive: 1}}]
selectors: [none, fast, {s2n: {sided: [one, two]}}]
classifiers: [svm, tree]
features: [5]
tables: [{beside: {printed: paper.csv, features: 5, %s}}]
"""
PRINTED = "dataset,metric,method,value,suspect\nW,AUC,S2N,0.8,\nW,AUC,FAST,,missing\n"


def outcomes(values, measure="auc", classifier="svm"):
    """One selector on one set, at 5 features, a value for every repeat."""
    for (dataset, selector), found in values.items():
        for repeat, value in enumerate(found):
            rows = [row("all" if selector == "none" else "5", **{measure: value})]
            yield (dataset, selector, classifier, repeat, 0), rows


def held(said, ran, **given):
    plan, records = experiment(list(ran))
    table = Table(kind="beside", printed="paper.csv", features=5, **given)
    lines = [{"sd": None, "metric": "auc", **line} for line in said]
    return beside(tables.results(plan, records), lines, table).to_dict("records")


def test_a_printed_value_is_inside_within_two_standard_deviations():
    ran = list(outcomes({("a", "fast"): (0.7, 0.8)}))  # mean 0.75, sd 0.0707107
    said = [{"dataset": "a", "method": "fast", "value": value} for value in (0.61, 0.60, 0.89)]
    rows = held(said, ran)
    assert [found["inside"] for found in rows] == ["yes", "no", "yes"]
    assert [found["difference"] for found in rows] == [0.14, 0.15, -0.14]


def test_a_value_that_is_not_printed_or_cannot_be_is_suspect():
    ran = list(outcomes({("a", "fast"): (0.7, 0.8)}))
    values = (0.5, 0, 1, None, 1.2, -0.1)
    rows = held([{"dataset": "a", "method": "fast", "value": value} for value in values], ran)
    assert [row["suspect"] for row in rows] == [""] * 3 + ["not printed"] + ["outside [0, 1]"] * 2
    told = {"dataset": "a", "method": "fast", "value": 1.2, "suspect": "a misprint"}
    assert held([told], ran)[0]["suspect"] == "a misprint"


def test_names_of_the_paper_stand_for_one_or_several_of_ours():
    ran = outcomes({("a", "fast"): (0.5,), ("b", "fast"): (0.6,), ("b", "s2n"): (0.7,)})
    said = [{"dataset": "A", "method": "F", "value": 0.5}]
    mapping = {"datasets": {"A": ["a", "b"]}, "methods": {"F": ["fast", {"selector": "s2n"}]}}
    rows = held(said, ran, **mapping)
    found = {(cell["dataset"], cell["selector"]): cell["mean"] for cell in rows}
    assert found.pop(("a", "s2n")) != found  # nan: it was not run there
    assert found == {("a", "fast"): 0.5, ("b", "fast"): 0.6, ("b", "s2n"): 0.7}


def test_a_ratio_may_be_a_set_of_its_own():
    ran = outcomes({("a-5", "fast"): (0.5,), ("a-10", "fast"): (0.6,)})
    line = {"dataset": "A", "method": "fast", "value": 0.5}
    mapping = {"A 1:5": "a-5", "A 1:10": "a-10"}
    rows = held([line | {"ratio": r} for r in ("1:10", "1:5")], ran, datasets=mapping)
    assert [found["mean"] for found in rows] == [0.6, 0.5]  # at 1:20, the only ratio there is


def test_a_set_at_several_ratios_is_taken_at_the_printed_one():
    plan, records = experiment(list(outcomes({("a", "fast"): (0.5, 0.6)})))
    for task, ratio in zip(plan["tasks"], ("1:5", "1:10"), strict=True):
        task[2] = ratio
    table = Table(kind="beside", printed="paper.csv", features=5)
    line = {"dataset": "a", "method": "fast", "metric": "auc", "value": 0.5, "sd": None}
    said = [line | {"ratio": ratio} for ratio in ("1:10", "1:5", "1:99")]
    found = beside(tables.results(plan, records), said, table)["mean"]
    assert found.tolist()[:2] == [0.6, 0.5] and found.isna().tolist() == [False, False, True]


def test_what_is_measured_with_all_features_alone_is_taken_as_it_is():
    said = [{"dataset": "a", "method": "none", "value": 0.5}]
    (found,) = held(said, outcomes({("a", "none"): (0.5,)}))
    assert (found["mean"], found["features"]) == (0.5, "all")


def test_a_method_may_have_a_classifier_of_its_own():
    ran = [*outcomes({("a", "fast"): (0.5,)}), *outcomes({("a", "fast"): (0.6,)}, "auc", "tree")]
    said = [{"dataset": "a", "method": name, "value": 0.5} for name in ("fast", "F (C4.5)")]
    mapping = {"F (C4.5)": {"selector": "fast", "classifier": "tree"}}
    rows = held(said, ran, methods=mapping, classifier="svm")
    assert [(found["classifier"], found["mean"]) for found in rows] == [("svm", 0.5), ("tree", 0.6)]
    assert len(held(said[:1], ran)) == 2  # of each classifier, unless one is told


def test_the_table_says_what_is_suspect_and_counts_it_not(tmp_path):
    plan, records = experiment(
        list(outcomes({("a", "fast"): (0.7, 0.8), ("a", "s2n"): (0.9, 0.8)}))
    )
    line = {"dataset": "a", "metric": "auc", "sd": None, "ratio": "1:20"}
    plan["printed"] = {
        "beside_paper_5": [
            line | {"method": "fast", "value": 0.75, "suspect": ""},
            line | {"method": "s2n", "value": 0.1, "suspect": "a copy"},
            line | {"method": "chi", "value": None, "suspect": "missing"},
        ]
    }
    table = Table(kind="beside", printed="folder/paper.csv", features=5)
    frame = tables.results(plan, records)
    *_, path = sheets.write(tmp_path, frame, plan, records, [table], ["md"])
    text = path.read_text()
    assert path.name == "beside_paper_5.md"
    assert "Inside: 1 of 1 that are not suspect; they are 0.000 apart" in text
    assert "Suspect, and not counted: 2." in text and "Without a value of ours: 1." in text
    line = next(line for line in text.splitlines() if "| s2n" in line)
    cells = [text.strip() for text in line.split("|")[1:-1]]
    assert cells == ["a", "s2n", "s2n", "auc", "0.100", "0.850 ± 0.071", "+0.750", "no", "a copy"]


def at_several_counts(values, classifier="svm"):
    """Selectors on one set, from {selector: {features: values of the repeats}}."""
    for selector, curve in values.items():
        for repeat in range(len(next(iter(curve.values())))):
            rows = [row(str(f), k=0 if f == "all" else f, auc=v[repeat]) for f, v in curve.items()]
            yield ("a", selector, classifier, repeat, 0), rows


def test_ours_may_be_at_the_number_of_features_that_is_best_for_each(tmp_path):
    ran = [
        *at_several_counts({"fast": {5: (0.7, 0.8), 10: (0.9, 0.8), 20: (0.85, 0.85)}}),
        *at_several_counts({"s2n": {5: (0.6, 0.8), 10: (0.5, 0.5), 20: (None, None)}}),
        *at_several_counts({"none": {"all": (0.5, 0.7)}}),
        *at_several_counts({"fast": {5: (0.1, 0.1), 10: (0.2, 0.2), 20: (0.3, 0.3)}}, "tree"),
    ]
    plan, records = experiment(ran)
    said = [
        {"dataset": "a", "ratio": "1:20", "method": name, "metric": "auc", "value": 0.8, "sd": None}
        for name in ("fast", "s2n", "none", "chi")
    ]
    table = Table(kind="beside", printed="paper.csv", features="best")
    found = beside(tables.results(plan, records), said, table).to_dict("records")
    # of 0.85 twice, the one with fewer features
    assert [(cell["selector"], cell["classifier"], cell["features"]) for cell in found] == [
        ("fast", "svm", "10"), ("fast", "tree", "20"), ("s2n", "svm", "5"), ("none", "svm", "all"),
        ("chi", "", ""),
    ]  # fmt: skip
    assert [cell["mean"] for cell in found][:4] == [0.85, 0.3, 0.7, 0.6]
    plan["printed"] = {"beside_paper_best": said}
    *_, path = sheets.write(tmp_path, tables.results(plan, records), plan, records, [table], ["md"])
    text = path.read_text()
    assert path.name == "beside_paper_best.md"
    assert "beside ours at the number of features that is best for each" in text
    line = next(line for line in text.splitlines() if "| s2n" in line)
    cells = [text.strip() for text in line.split("|")[1:-1]]
    assert cells[:7] == ["a", "s2n", "s2n", "svm", "auc", "5", "0.800"]


def test_the_best_number_of_features_is_told_of_beside_alone():
    with pytest.raises(UserError, match="features: best is told of the table beside alone"):
        parse(CONFIG.replace("beside: {printed: paper.csv, features: 5, %s}", BEST_WITHIN))
    (table,) = parse(CONFIG.replace("features: 5, %s", "features: best")).tables
    assert table.stem == "beside_paper_best"


BEST_WITHIN = "within: {measure: auc, features: best}"


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ("datasets: {W: rod}", "tables[0].datasets: unknown dataset 'rod'. Did you mean 'red'?"),
        ("methods: {S2N: s2n(sided=three)}", "tables[0].methods: unknown selector"),
        ("methods: {S2N: {selector: s2n, classifier: knn}}", "methods: unknown classifier 'knn'"),
        ("measures: {AUC: prc}", "tables[0].measures: unknown measure 'prc'. Known: auc"),
        ("classifier: knn", "tables[0].classifier: unknown classifier 'knn'"),
        ("measure: auc", "tables[0]: measure: is an option of"),
    ],
)
def test_names_that_are_not_of_the_experiment_are_refused(mapping, said):
    with pytest.raises(UserError) as error:
        parse(CONFIG % mapping)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "mapping", "said"),
    [
        (None, "classifier: svm", "paper.csv: cannot be read: No such file or directory."),
        ("", "classifier: svm", "paper.csv: is no printed table."),
        (
            "a,b\n1,2\n",
            "classifier: svm",
            "is no printed table. It has the columns",
        ),
        (PRINTED.replace("0.8", "high"), "classifier: svm", "line 2: could not convert"),
        (PRINTED, "datasets: {V: red}", "unknown printed dataset 'V'"),
        (PRINTED, "methods: {S2NN: s2n}", "unknown printed method 'S2NN'. Did you mean 'S2N'?"),
    ],
)
def test_a_file_that_is_no_printed_table_is_refused(text, mapping, said, tmp_path):
    if text is not None:
        (tmp_path / "paper.csv").write_text(text)
    (table,) = parse(CONFIG % mapping, tmp_path).tables
    with pytest.raises(UserError) as error:
        printed.read(table)
    assert said in str(error.value)


def test_the_file_is_found_beside_the_config_and_blanks_are_no_values(tmp_path):
    (tmp_path / "paper.csv").write_text(PRINTED)
    (table,) = parse(CONFIG % "datasets: {W: [red, white]}", tmp_path).tables
    first, second = printed.read(table)
    assert (first["value"], second["value"], second["suspect"]) == (0.8, None, "missing")


WRITTEN = """\
method,dataset,ratio,resampling,selector,classifier,measure,features,printed,printed sd,suspect,\
mean,sd,missing,difference,inside
x,a,natural,none,x,svm,auc,5,0.8,,,0.81,0.02,0,0.01,yes
x,b,natural,none,x,svm,auc,5,0.9,,,0.7,0.02,0,-0.2,no
y,b,natural,none,y,svm,auc,5,0.7,,printed twice,0.7,0.02,0,0.0,yes
y,c,natural,none,y,svm,auc,5,0.7,,,,,0,,
"""


def test_pairs_are_counted_that_are_inside_and_not_suspect(tmp_path):
    path = tmp_path / "one/tables/beside_table1_5.csv"
    path.parent.mkdir(parents=True)
    path.write_text(WRITTEN)
    assert written(tmp_path / "one") == [path] and written(tmp_path / "two") == []
    assert agreement(read(path)) == Agreement(1, 2, pytest.approx(0.105), suspect=1, absent=1)
    assert within([path, path]) == "2 of 4"
    assert within([]) == ""


def test_a_table_that_is_not_of_printed_values_is_refused(tmp_path):
    path = tmp_path / "beside_table1_5.csv"
    path.write_text("dataset,mean\na,0.5\n")
    with pytest.raises(UserError, match="beside_table1_5.csv: is no table of printed values"):
        read(path)
