"""Every mistake in a config is one line that names file, field and what would be right."""

import pytest

from imbfs.config import parse
from imbfs.datasets import Source
from imbfs.errors import UserError

BASE = """\
name: x
datasets: [breast_cancer]
selectors: [s2n]
"""

BAD = {
    # what is wrong: (change to the smoke config, what the message must contain)
    "unknown dataset": ({"datasets": ["brest_cancer"]}, "datasets[0]: unknown dataset 'brest_cancer'. Did you mean 'breast_cancer'?"),
    "unknown selector": ({"selectors": ["s2n", "fasst"]}, "selectors[1]: unknown selector 'fasst'. Did you mean 'fast'?"),
    "unknown classifier": ({"classifiers": ["smv"]}, "classifiers[0]: unknown classifier 'smv'. Did you mean 'svm'?"),
    "unknown measure": ({"measures": ["auk"]}, "measures[0]: unknown measure 'auk'. Did you mean 'auc'?"),
    "unknown key": ({"selektors": ["s2n"]}, "unknown key 'selektors'. Did you mean 'selectors'?"),
    "unknown protocol": ({"protocol": "cvv"}, "protocol: unknown protocol 'cvv'. Did you mean 'cv'?"),
    "unknown dataset option": ({"datasets": [{"digits": {"positiv": 0}}]}, "datasets[0]: unknown key 'positiv'. Did you mean 'positive'?"),
    "unknown resampling": ({"resampling": "smotee"}, "resampling[0]: unknown resampling 'smotee'. Did you mean 'smote'?"),
    "unknown preprocessing": ({"preprocess": ["standardise"]}, "preprocess[0]: unknown preprocessing step 'standardise'. Did you mean 'standardize'?"),
    "parameter a method lacks": ({"selectors": [{"fast": {"bins": 5}}]}, "selectors[0]: fast has no parameter 'bins'. Parameters: K."),
    "parameter of the wrong type": ({"selectors": [{"fast": {"K": "ten"}}]}, "selectors[0]: fast.K: input should be a valid integer, not 'ten'."),
    "parameter out of bounds": ({"selectors": [{"mbpa": {"C": 0}}]}, "selectors[0]: mbpa.C: input should be greater than 0, not 0."),
    "fractional folds": ({"protocol": {"cv": {"folds": 2.5}}}, "protocol: cv.folds: input should be a valid integer"),
    "one fold": ({"protocol": {"cv": {"folds": 1}}}, "protocol: cv.folds: input should be greater than or equal to 2, not 1."),
    "a percentage of 0": ({"features": ["0%"]}, "features[0]: '0%' is no number of features. Write 50, 5% (above 0, up to 100) or all."),
    "a percentage over 100": ({"features": ["101%"]}, "features[0]: '101%' is no number of features."),
    "a feature count of 0": ({"features": [0]}, "features[0]: 0 is no number of features."),
    "a negative ratio": ({"ratios": [-3]}, "ratios[0]: -3 is no ratio. Write natural, or majority per minority: 20."),
    "a ratio in words": ({"ratios": ["few"]}, "ratios[0]: 'few' is no ratio."),
    "no datasets": ({"datasets": []}, "datasets: "),
    "the name missing": ({"name": "absent"}, "name: is missing."),
    "a name that is a path": ({"name": "../x"}, "name: "),
    "a seed in words": ({"seed": "zero"}, "seed: input should be a valid integer, not 'zero'."),
    "a selector named twice": ({"selectors": ["s2n", "s2n"]}, "selectors: 's2n' is named twice."),
    "a dataset named twice": ({"datasets": ["wine", "wine"]}, "datasets: 'wine' is named twice."),
    "nothing to tune over": ({"classifiers": [{"svm": {"C": {"tune": []}}}]}, "classifiers[0]: svm.C.tune: [] is no list of values to try."),
    "a tuned value of the wrong type": ({"classifiers": [{"svm": {"C": {"tune": [1, "x"]}}}]}, "classifiers[0]: svm.C: input should be a valid number, not 'x'."),
    "a figure of an unmeasured measure": ({"figures": [{"curves": {"measure": "prc"}}]}, "figures[0].measure: 'prc' is not among the measures (auc, g_mean)."),
    "an unknown figure": ({"figures": [{"pie": {"measure": "auc"}}]}, "figures[0].kind: input should be 'curves', 'stream', 'time', 'ranks', 'points', 'average', 'within', 'differences' or 'approaches', not 'pie'."),
    "a stream of what is no stream": ({"figures": [{"stream": {"measure": "auc"}}]}, "figures[0].stream: is measured under the protocol online alone."),
    "percent of nobody knows what": ({"figures": [{"curves": {"measure": "auc", "x": "percent"}}], "selectors": ["s2n"], "classifiers": ["svm"]}, "figures: x: percent of breast_cancer: give its features in percent"),
    "quick names another dataset": ({"quick": {"datasets": ["wine"]}}, "quick.datasets: no dataset 'wine'."),
    "a group without a name": ({"datasets": [{"wine": {"group": " "}}]}, "datasets[0].group: ' ' cannot be the name of a group."),
    "a group that stands for all": ({"datasets": [{"wine": {"group": "all"}}]}, "datasets[0].group: 'all' cannot be the name of a group."),
    "a group that is a number": ({"datasets": [{"wine": {"group": 3}}]}, "datasets[0].group: input should be a valid string, not 3."),
    "an average over an unknown group": ({"tables": [{"average": {"measure": "auc", "group": "text"}}]}, "tables[0].group: unknown group 'text'. Known: all, each."),
    "an average of what is no quality": ({"measures": ["dead"], "figures": [{"average": {"measure": "dead"}}]}, "figures[0]: dead describes a run: no value of it is best."),
    "a test against nobody": ({"tables": [{"corrected": {"measure": "auc", "features": 2, "against": "chi"}}]}, "tables[0].against: unknown selector 'chi'."),
    "tuning by what is no quality": ({"tuning": {"measure": "dead"}}, "tuning.measure: dead describes a run: no value of it is best."),
    "learners that nobody hears": ({"classifiers": ["svm"], "learners": "own"}, "learners: own needs 'own' among the classifiers."),
    "an unknown way with learners": ({"learners": "both"}, "learners: input should be 'all' or 'own', not 'both'."),
    "a stream that ranks on all": ({"protocol": "online", "rank_on": "all"}, "rank_on: all: mbpa learns a stream, and test rows are no part of it."),
    "a part of its own kind": ({"protocol": {"online": {"part": "new"}}}, "protocol: online.part: input should be 'fresh' or 'fixed', not 'new'."),
    "folds beside a test set": ({"datasets": ["wine", {"a9a": {"test": "a9a.t"}}]}, "datasets[1].test: cross-validation tests on folds of a9a. Take the protocol holdout or online."),
    "a test set that is a number": ({"datasets": [{"wine": {"test": 3}}]}, "datasets[0].test: input should be a valid string, not 3."),
    "a test file in nobody's home": ({"datasets": [{"wine": {"test": "~nobody-there/a"}}]}, "datasets[0]: test: ~nobody-there/a: there is no such home folder."),
    "a tuned resampling": ({"resampling": {"smote": {"k": {"tune": [1, 2]}}}}, "tune: only parameters of selectors and classifiers can be tuned."),
}  # fmt: skip


@pytest.mark.parametrize("change, message", BAD.values(), ids=BAD)
def test_a_mistake_is_one_line_and_nothing_runs(change, message, config, imbfs, tmp_path):
    answer = imbfs("run", config(**change))
    assert answer.code == 2
    assert answer.err.startswith(f"imbfs: {tmp_path / 'smoke.yaml'}: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty."),
        ("# nothing\n", "is empty."),
        ("- a\n- b\n", "is a list, not a mapping"),
        ("just words", "is a str, not a mapping"),
        ("name: [1, 2\n", "is not YAML"),
        ("name: x\nname: y\n", "line 2: 'name' is given twice."),
        ("name: !!python/object/apply:os.system [ls]\n", "is not YAML"),
    ],
)
def test_what_is_no_config_is_said_in_one_line(text, message, config, imbfs):
    answer = imbfs("run", config(text))
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_a_missing_config_is_said_in_one_line(imbfs):
    answer = imbfs("run", "no.yaml")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "no.yaml: cannot be read: No such file or directory." in answer.err


def test_a_folder_and_a_binary_file_are_no_config(imbfs, tmp_path):
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in imbfs("run", tmp_path).err
    assert "is not text" in imbfs("run", "binary.yaml").err


def test_a_ratio_is_not_read_as_a_number_in_base_60():
    experiment = parse(BASE + "ratios: [natural, 1:20, 7.5]\n")
    assert experiment.ratios == (None, 20.0, 7.5)


def test_numbers_are_read_as_people_write_them():
    experiment = parse(BASE + "classifiers: [{svm: {C: 1e-3}}]\nseed: 7\n")
    assert experiment.classifiers[0].params["C"] == 1e-3
    assert experiment.seed == 7


def test_a_single_value_stands_for_a_list_of_one():
    experiment = parse("name: x\ndatasets: wine\nselectors: none\nfeatures: 5%\nmeasures: auc\n")
    assert [d.label for d in experiment.datasets] == ["wine"]
    assert (experiment.features, experiment.measures) == (("5%",), ("auc",))


def test_a_list_of_values_makes_a_variant_each():
    experiment = parse(
        "name: x\ndatasets: wine\nselectors: [{fast: {K: [5, 10, 20]}}, {mbpa: {C: [1, 2], K: [3, 4]}}]"
    )
    assert [choice.label for choice in experiment.selectors] == [
        "fast(K=5)", "fast", "fast(K=20)",
        "mbpa(K=3)", "mbpa(K=4)", "mbpa(C=2, K=3)", "mbpa(C=2, K=4)",
    ]  # fmt: skip


def test_defaults_are_spelled_out():
    (choice,) = parse(BASE + "classifiers: svm\n").classifiers
    assert choice.params == {"C": 1.0, "class_weight": "none", "solver": "auto"}


def test_an_experiment_cannot_be_changed():
    experiment = parse(BASE)
    with pytest.raises(ValueError, match="frozen"):
        experiment.seed = 1


def test_own_paths_are_relative_to_the_config(tmp_path):
    text = "name: x\ndatasets: [{path: sub/my.csv.gz, target: t, positive: yes}]\nselectors: none\n"
    (dataset,) = parse(text, tmp_path).datasets
    assert dataset.source.path == str(tmp_path / "sub/my.csv.gz")
    assert dataset.label == "my:yes"


def test_a_table_set_takes_no_path():
    with pytest.raises(UserError, match="wine: 'target' is settled by the table"):
        parse("name: x\ndatasets: [{wine: {target: a}}]\nselectors: none\n")


def test_a_problem_of_a_paper_is_named_like_a_set_and_keeps_its_view():
    (dataset,) = parse("name: x\ndatasets: [han2016/w8a]\nselectors: none\n").datasets
    assert dataset.label == "han2016/w8a"
    assert dataset.source == Source("w8a")
    assert dataset.view == {"positive": 1, "drop_empty": True}
    text = "name: x\ndatasets: [{han2016/w8a: {ratios: [20], features: 5%}}]\nselectors: none\n"
    assert parse(text).datasets[0].ratios == (20.0,)
    with pytest.raises(UserError, match="'positive' is settled by the table"):
        parse("name: x\ndatasets: [{han2016/w8a: {positive: -1}}]\nselectors: none\n")


def test_a_file_takes_the_options_of_its_reader(tmp_path):
    text = "name: x\ndatasets: [{path: a.mat, read: {X: fea, y: gnd}}]\nselectors: none\n"
    (dataset,) = parse(text, tmp_path).datasets
    assert dataset.source.options == {"X": "fea", "y": "gnd"}


def test_a_test_set_is_one_of_the_table_or_a_file_read_like_that_of_training(tmp_path):
    text = "name: x\nprotocol: online\nselectors: none\ndatasets: [{}]\n"
    cases = {
        "{a9a: {test: a9a.t}}": Source("a9a.t"),
        "{liu2019/rcv1: {test: a9a.t}}": Source("a9a.t"),
        "{liu2019/rcv1: {test: held_out}}": None,
        "{liu2019/rcv1: {name: r}}": None,  # which one it is depends on what is at hand
        "{a9a.t: {test: mine/b}}": Source(path=str(tmp_path / "mine/b")),
        "{path: a, target: t, read: {n_features: 9, index_base: '0'}, test: b, impute: median}": (
            Source(
                path=str(tmp_path / "b"), options={"index_base": "0", "target": "t"}, impute=True
            )
        ),
    }
    for entry, source in cases.items():
        (dataset,) = parse(text.format(entry), tmp_path).datasets
        assert dataset.test_source == source, entry


def test_sets_are_grouped_by_name_also_those_of_a_paper():
    text = "name: x\ndatasets: [wine, {digits: {group: a b}}, {han2016/w7a: {group: web}}]\n"
    experiment = parse(text + "selectors: s2n\n")
    assert [dataset.group for dataset in experiment.datasets] == [None, "a b", "web"]


def test_over_problems_a_number_of_features_need_not_be_that_of_every_set():
    text = BASE.replace("[breast_cancer]", "[wine, {breast_cancer: {features: [2]}}]")
    text += "features: [2, 5]\ntables: [{within: {measure: auc, features: 5}}]\n"
    assert parse(text).tables[0].features == 5


def test_quick_cuts_repeats_and_takes_a_name_of_its_own():
    text = (
        BASE + "protocol: {cv: {repeats: 9}}\nfeatures: [1, 2]\nquick: {repeats: 2, features: 1}\n"
    )
    quick = parse(text).cut_short()
    assert (quick.name, quick.protocol.repeats, quick.features) == ("x-quick", 2, (1,))


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "preprocess: [{binarize: {threshold: [10, 1]}}]",
            "binarize: a step takes one value of each parameter",
        ),
        ("ratios: [3.3333333, 3.33333334]", "'1:3.33333' is named twice"),
        ("figures: [{curves: {measure: auc, x: per}}]", "figures[0].x"),
    ],
)
def test_what_would_mislead_is_refused(text, message):
    with pytest.raises(UserError) as refused:
        parse(BASE + text + "\n")
    assert message in str(refused.value)


def test_a_file_cannot_pass_for_a_set_of_the_table():
    with pytest.raises(UserError, match="unknown key 'dataset'"):
        parse("name: x\ndatasets: [{path: a.csv, dataset: w8a}]\nselectors: none\n")
    with pytest.raises(UserError, match="there is no such home folder"):
        parse("name: x\ndatasets: [{path: ~nobody-there/a.csv}]\nselectors: none\n")


def test_a_day_is_text_and_nests_have_a_limit():
    text = "name: x\ndatasets: [{path: a.csv, target: t, positive: 2020-01-01}]\nselectors: none\n"
    assert parse(text).datasets[0].positive == "2020-01-01"
    with pytest.raises(UserError, match="nested too deeply"):
        parse("name: " + "[" * 3000)


def test_a_file_among_the_names_of_sets_is_to_be_written_as_a_path(tmp_path):
    (tmp_path / "patients").write_text("a,class\n1,x\n")
    for name in ("gravier.csv", "a.tsv.gz", "patients"):
        with pytest.raises(UserError) as refused:
            parse(f"name: a\ndatasets: [{name}]\nselectors: [none]\n", tmp_path)
        said = f"datasets[0]: {name!r} is a file. Write {{path: {name}}} for it."
        assert str(refused.value) == said
