"""Keys change with all that can change a result and with nothing else; seeds never with a method."""

import pytest

from imbfs.config import parse
from imbfs.errors import UserError
from imbfs.methods import MULTILABEL, Method
from imbfs.running.plan import expand
from imbfs.selectors import SELECTORS

BASE = {
    "name": "x",
    "datasets": "[breast_cancer]",
    "ratios": "[natural]",
    "selectors": "[s2n, {fast: {K: 10}}]",
    "classifiers": "[svm]",
    "features": "[5, 10%]",
    "measures": "[auc]",
    "protocol": "{cv: {repeats: 2, folds: 3}}",
    "preprocess": "standardize",
    "resampling": "none",
    "seed": "0",
}

LABELLING = {"selectors": "fisher", "measures": "[accuracy]"}


def tasks(folder=None, **changed):
    text = "\n".join(f"{key}: {value}" for key, value in (BASE | changed).items())
    return expand(parse(text, folder) if folder else parse(text)).tasks


def keys(**changed) -> set[str]:
    return {task.key for task in tasks(**changed)}


def test_a_plan_is_the_whole_grid():
    assert len(tasks()) == len(keys()) == 1 * 1 * 2 * 3 * 2 * 1
    assert len(tasks(ratios="[natural, 10]", classifiers="[svm, naive_bayes]")) == 48


def test_a_plan_says_what_every_problem_is():
    sets = "[{breast_cancer: {group: biology, ratios: [natural, 10]}}, {wine: {name: vins}}]"
    text = "\n".join(f"{k}: {v}" for k, v in (BASE | {"datasets": sets}).items())
    problems = expand(parse(text.replace("[s2n, {fast: {K: 10}}]", "none"))).problems
    # 357 : 212 is natural; for 1:10 the minority is cut to round(357 / 10); wine has three classes
    assert [tuple(problem.values()) for problem in problems] == [
        ("breast_cancer", "natural", "biology", 569, 30, 212, 357, ""),
        ("breast_cancer", "1:10", "biology", 393, 30, 36, 357, ""),
        ("vins", "natural", "", 178, 13, None, None, ""),
    ]


def test_a_plan_says_how_many_samples_a_long_tail_leaves():
    sets = "[{wine: {ratios: [natural, 4]}}]"
    problems = expand(
        parse("\n".join(f"{k}: {v}" for k, v in (BASE | LABELLING | {"datasets": sets}).items()))
    ).problems
    # 59, 71 and 48: 71, 71 / 2 = 35.5 and 71 / 4 = 17.75 of the largest, the next and the smallest
    assert [problem["samples"] for problem in problems] == [178, 71 + 36 + 18]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ratios": "1"}, "ratios: 1 leaves no long tail of classes"),
        ({"ratios": "40"}, r"ratio of 40 leaves 2 samples .*natural: 1.48\), but 3 are needed"),
        ({"ratios": "4", "ratio_by": "minority"}, "ratio_by: of several classes all may be cut"),
    ],
)
def test_a_long_tail_that_a_set_cannot_have_is_refused(changes, said):
    with pytest.raises(UserError, match=said):
        tasks(datasets="[wine]", **LABELLING, **changes)


@pytest.mark.parametrize(
    "change",
    [
        {"datasets": "[{digits: {positive: 0}}]"},
        {"datasets": "[{breast_cancer: {positive: benign}}]"},
        {"ratios": "[10]"},
        {"selectors": "[{s2n: {sided: two}}, {fast: {K: 11}}]"},
        {"classifiers": "[{svm: {C: 2}}]"},
        {"features": "[5]"},
        {"measures": "[prc]"},
        {"protocol": "{cv: {repeats: 2, folds: 4}}"},
        {"protocol": "{holdout: {repeats: 2}}"},
        {"preprocess": "minmax"},
        {"resampling": "under"},
        {"seed": "1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_can_change_a_result_changes_every_key(change):
    assert not keys() & keys(**change)


def test_what_cannot_change_a_result_leaves_the_keys_alone():
    assert keys(name="y") == keys()
    assert keys(selectors="[{s2n: {}}, fast]") == keys()
    assert keys() < keys(protocol="{cv: {repeats: 5, folds: 3}}")
    assert keys() < keys(classifiers="[svm, naive_bayes]")
    assert keys(datasets="[{breast_cancer: {name: other}}]") == keys()
    assert keys(tuning="{measure: prc}") == keys()


def test_tuning_is_in_the_key_of_what_is_tuned():
    tuned = {"classifiers": "[{svm: {C: {tune: [1, 2]}}}]"}
    assert not keys(**tuned) & keys(**tuned, tuning="{measure: prc}")
    assert not keys(**tuned) & keys()


def test_the_content_of_a_file_counts_and_not_its_place(tmp_path):
    text = "a,t\n" + "".join(f"{i},{i % 2}\n" for i in range(20))
    found = []
    for name, content in [("one", text), ("two", text), ("three", text.replace("19,", "20,"))]:
        (tmp_path / f"{name}.csv").write_text(content)
        data = f"[{{path: {name}.csv, target: t}}]"
        found.append([t.key for t in tasks(tmp_path, datasets=data, features="[1]")])
    assert found[0] == found[1]
    assert not set(found[0]) & set(found[2])


def test_a_new_revision_reruns_that_method_alone(monkeypatch):
    before = keys()
    monkeypatch.setitem(SELECTORS, "fast", Method(SELECTORS["fast"].call, revision=99))
    assert len(keys() & before) == 6


def test_seeds_depend_on_the_rows_and_never_on_the_method():
    for purpose in ("ratio", "split", "method", "resampling", "tuning"):
        by_rows = {}
        for task in tasks(ratios="[natural, 10]"):
            by_rows.setdefault((task.ratio, task.repeat, task.fold), set()).add(task.seed(purpose))
        assert all(len(seeds) == 1 for seeds in by_rows.values())
        distinct = {"ratio": 2, "split": 4}.get(purpose, 12)
        assert len(set.union(*by_rows.values())) == distinct


@pytest.mark.parametrize("protocol", ["holdout", "online"])
def test_a_fixed_part_is_drawn_alike_in_every_repeat(protocol):
    fresh, fixed = (
        tasks(protocol=f"{{{protocol}: {{repeats: 3, part: {part}}}}}", ratios="[natural, 10]")
        for part in ("fresh", "fixed")
    )
    for purpose, of_fixed, of_fresh in [("ratio", 1, 3), ("split", 2, 6), ("method", 6, 6)]:
        assert len({task.seed(purpose) for task in fixed}) == of_fixed
        assert len({task.seed(purpose) for task in fresh}) == of_fresh
    assert not {task.key for task in fixed} & {task.key for task in fresh}


def test_one_result_serves_every_repeat_where_neither_order_nor_seed_matters():
    def results(selector: str, classifier: str, part: str = "fixed", **changed) -> int:
        asked = {"selectors": f"[{selector}]", "classifiers": f"[{classifier}]"}
        protocol = f"{{holdout: {{repeats: 3, part: {part}}}}}"
        return len(keys(protocol=protocol, **asked, **changed))

    assert results("fisher", "svm") == results("none", "naive_bayes") == results("fgm", "own") == 1
    assert results("fisher", "svm", part="fresh") == 3
    assert results("mbpa", "own") == results("mbpa", "svm") == 3  # a stream comes in an order
    assert results("random", "svm") == results("fisher", "tree") == 3  # of a seed each
    assert results("fisher", "svm", resampling="[smote_under]") == 3
    assert results("fisher", "{svm: {C: {tune: [1, 10]}}}") == 3
    assert results("sklearn.feature_selection:f_classif", "svm") == 3  # unknown


def test_without_selection_only_all_features_are_measured():
    (task,) = tasks(selectors="[none]", protocol="{holdout: {repeats: 1}}")
    assert task.features == (("all", 30),)


def test_percentages_become_counts():
    assert tasks(features="[1%, 5%, 50%, 100%, all]")[0].features == (
        ("1%", 1), ("5%", 2), ("50%", 15), ("100%", 30), ("all", 30),
    )  # fmt: skip


def test_own_goes_with_selectors_that_classify():
    pairs = {
        (t.selector.name, t.classifier.name)
        for t in tasks(selectors="[s2n, pa]", classifiers="[svm, own]")
    }
    assert pairs == {("s2n", "svm"), ("pa", "svm"), ("pa", "own")}
    with pytest.raises(UserError, match="s2n ranks features but does not classify"):
        tasks(classifiers="[own]")


def test_learners_may_be_judged_by_their_own_decision_alone():
    both = {"selectors": "[s2n, pa]", "classifiers": "[svm, own]"}
    own = tasks(**both, learners="own")
    assert {(t.selector.name, t.classifier.name) for t in own} == {("s2n", "svm"), ("pa", "own")}
    assert {task.key for task in own} < keys(**both)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"features": "[31]"}, r"datasets\[0\]: breast_cancer: features: 31 is more than the 30"),
        ({"ratios": "[natural, 500]"}, r"ratios: a ratio of 500 leaves 1 samples"),
        ({"protocol": "{cv: {folds: 213}}"}, r"212 samples of the smaller class are fewer"),
        ({"datasets": "[wine]"}, r"wine: selector s2n takes binary data; this set is multiclass"),
        ({"datasets": "[topics]", "selectors": "[fisher]"}, "this set is multilabel"),
        ({"datasets": "[wine]", "selectors": "[fisher]", "measures": "[sensitivity]"}, "measure sensitivity takes binary"),
        ({"datasets": "[{wine: {positive: 9}}]"}, "positive: no class 9. Classes: 0, 1, 2"),
        ({"datasets": "[{path: no.csv, target: t}]"}, "no.csv: there is no such file"),
        ({"datasets": "[topics]", "selectors": "[none]", "resampling": "smote"}, "resampling smote takes binary or multiclass"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_at_planning(change, message):
    with pytest.raises(UserError, match=message):
        tasks(**change)


OF_CLASSES = [name for name, method in SELECTORS.items() if MULTILABEL not in method.kinds]
ON_TOPICS = {"datasets": "[topics]", "measures": "[accuracy]", "preprocess": "none"}


@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_selector_of_classes_is_refused_on_several_labels_at_planning(name):
    takes = " or ".join(SELECTORS[name].kinds)
    message = f"topics: selector {name} takes {takes} data; this set is multilabel"
    with pytest.raises(UserError, match=message):
        tasks(**ON_TOPICS, selectors=f"[none, {name}]")


@pytest.mark.parametrize("command", ["plan", "run"])
def test_the_refusal_is_one_line_and_nothing_runs(command, imbfs, tmp_path):
    config = tmp_path / "labels.yaml"
    text = BASE | ON_TOPICS | {"selectors": "[ml_relieff, fisher]"}
    config.write_text("\n".join(f"{key}: {value}" for key, value in text.items()))
    answer = imbfs(command, config)
    assert answer.code == 2 and answer.out == ""
    assert (
        answer.err.count("\n") == 1 and "selector fisher takes binary or multiclass" in answer.err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["labels.yaml"]


def test_selectors_of_labels_are_planned_on_several_labels_and_refused_on_classes():
    planned = tasks(**ON_TOPICS, selectors="[none, ml_f_statistic, ml_relieff, ncfs]")
    assert {task.selector.name for task in planned} == {
        "none",
        "ml_f_statistic",
        "ml_relieff",
        "ncfs",
    }
    with pytest.raises(UserError, match="ml_relieff takes multilabel data; this set is binary"):
        tasks(selectors="[ml_relieff]")


def test_sets_not_at_hand_are_listed_and_the_rest_is_planned(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    text = "name: x\ndatasets: [w8a, breast_cancer]\nselectors: [s2n]\n"
    plan = expand(parse(text))
    assert list(plan.absent) == ["w8a"]
    assert {task.setting.label for task in plan.tasks} == {"breast_cancer"}


def test_revisions_of_measures_and_protocols_count(monkeypatch):
    from imbfs.measures import MEASURES
    from imbfs.splits import PROTOCOLS

    tuned = {"classifiers": "[{svm: {C: {tune: [1, 2]}}}]", "tuning": "{measure: prc}"}
    plain, with_tuning = keys(), keys(**tuned)
    monkeypatch.setitem(MEASURES, "prc", Method(MEASURES["prc"].call, 9, MEASURES["prc"].kinds))
    assert keys() == plain
    assert not keys(**tuned) & with_tuning
    monkeypatch.setitem(MEASURES, "auc", Method(MEASURES["auc"].call, 9, MEASURES["auc"].kinds))
    assert not keys() & plain
    monkeypatch.undo()
    monkeypatch.setitem(PROTOCOLS, "cv", Method(PROTOCOLS["cv"].call, 9))
    assert not keys() & plain


def test_the_view_and_the_tuning_share_count():
    digits = "[{{digits: {{positive: 0, negative: {}}}}}]"
    assert not keys(datasets=digits.format("[1]")) & keys(datasets=digits.format("[2]"))
    tuned = {"classifiers": "[{svm: {C: {tune: [1, 2]}}}]"}
    assert not keys(**tuned) & keys(**tuned, tuning="{validation: 0.3}")


def test_too_few_samples_to_tune_on_are_refused():
    # Ten rare samples, seven or eight of them for training: too few to keep a twentieth aside.
    with pytest.raises(
        UserError, match="tuning: 6 training samples of the smaller class are too few"
    ):
        tasks(
            datasets="[microarray]", classifiers="[{svm: {C: {tune: [1, 2]}}}]",
            tuning="{validation: 0.05}",
        )  # fmt: skip


def test_a_held_out_part_without_the_smaller_class_is_refused():
    with pytest.raises(UserError, match="4 samples of the smaller class|leaves 4 samples"):
        tasks(ratios="[100]", protocol="{holdout: {test: 0.1}}")
