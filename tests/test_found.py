"""Sets with test rows of their own: how they are read, split and keyed, and what replaces them."""

import json

import numpy as np
import pytest

from imbfs.config import parse
from imbfs.datasets import DATASETS, PROBLEMS, Source, load, view
from imbfs.datasets.problems import Problem
from imbfs.datasets.table import Dataset
from imbfs.errors import UserError
from imbfs.methods import Method
from imbfs.running.pipeline import execute
from imbfs.running.plan import expand
from imbfs.selectors import SELECTORS
from imbfs.selectors.filters import fisher, s2n

TRAINING = "".join(f"{1 if i % 4 == 0 else -1} 1:{i} 3:1\n" for i in range(40))  # 10 : 30
TEST = "".join(f"{1 if i % 2 else -1} 1:{100 + i}\n" for i in range(20))  # 10 : 10
TEXT = """\
name: x
datasets: [{path: a.txt, test: b.txt}]
selectors: s2n
classifiers: naive_bayes
features: all
measures: auc
protocol: {online: {repeats: 2}}
"""


@pytest.fixture
def files(tmp_path):
    """A training file of three features, and a test file that has values of the first alone."""
    (tmp_path / "a.txt").write_text(TRAINING)
    (tmp_path / "b.txt").write_text(TEST)
    return tmp_path


def planned(folder, *changes: tuple[str, str]):
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return expand(parse(text, folder))


def tasks(folder, *changes):
    return planned(folder, *changes).tasks


@pytest.fixture
def spy(monkeypatch):
    """The first feature and the class of the rows that are ranked, and of those judged."""
    seen = {}
    from imbfs.classifiers import CLASSIFIERS
    from imbfs.classifiers.bayes import GaussianNaiveBayes

    class Seen(GaussianNaiveBayes):
        def decision_function(self, X):
            seen["test"] = _first(X)
            return super().decision_function(X)

    def ranked(X, y):
        if len(y) > 3:
            seen["train"], seen["y"], seen["columns"] = _first(X), y.tolist(), X.shape[1]
        return (s2n if set(y) <= {-1, 1} else fisher)(X, y)

    monkeypatch.setitem(SELECTORS, "s2n", Method(ranked, kinds=("binary", "multiclass")))
    bayes = Method(Seen, kinds=CLASSIFIERS["naive_bayes"].kinds)
    monkeypatch.setitem(CLASSIFIERS, "naive_bayes", bayes)
    return seen


def _first(X) -> list[float]:
    return (X.toarray() if hasattr(X, "toarray") else np.asarray(X))[:, 0].tolist()


@pytest.mark.parametrize("protocol", ["online", "holdout"])
def test_all_rows_are_trained_on_in_a_new_order_and_the_test_set_is_tested_on(files, spy, protocol):
    orders = []
    for task in tasks(files, ("online", protocol)):
        (row,) = execute(task)["rows"]
        assert (row["part"], row["seen"]) == ("test", 40)
        assert spy["columns"] == 3
        assert sorted(spy["train"]) == list(range(40))
        assert spy["test"] == list(range(100, 120))
        orders.append(spy["train"])
    assert orders[0] != orders[1] and orders[0] != sorted(orders[0])


def test_the_smaller_class_is_that_of_training(files, spy):
    # +1 is rare in training, and its feature 1 is large; -1 is rare in the test file.
    (files / "b.txt").write_text("1 1:33\n1 1:34\n1 1:35\n-1 1:5\n")
    (files / "a.txt").write_text("".join(f"{1 if i > 29 else -1} 1:{i} 2:1\n" for i in range(40)))
    row = execute(tasks(files)[0])["rows"][0]
    assert row["auc"] == 1.0


def test_further_columns_of_a_test_file_are_dropped(files, spy):
    (files / "b.txt").write_text(TEST.replace("1:100", "1:100 9:5"))
    execute(tasks(files)[0])
    assert spy["test"][0] == 100


def test_a_ratio_is_imposed_on_both_by_the_same_rule_and_is_the_same_in_every_repeat(files, spy):
    # 10 : 30 and 10 : 10; at 1:5 the minority is cut, to 6 of 30 and to 2 of 10.
    chosen = []
    for task in tasks(files, ("selectors", "ratios: 5\nselectors")):
        execute(task)
        assert (spy["y"].count(1), spy["y"].count(-1)) == (6, 30)
        assert len(spy["test"]) == 12 and sum(int(x) % 2 for x in spy["test"]) == 2
        chosen.append((frozenset(spy["train"]), tuple(spy["test"])))
    assert chosen[0] == chosen[1]


def test_a_ratio_that_one_of_both_cannot_have_is_refused(files):
    with pytest.raises(UserError, match=r"datasets\[0\]: a: test: ratios: a ratio of 25 leaves 0"):
        tasks(files, ("selectors", "ratios: 25\nselectors"))
    with pytest.raises(UserError, match="test: ratios: 2 cannot be reached by dropping majority"):
        tasks(files, ("selectors", "ratios: 2\nratio_by: majority\nselectors"))


def test_the_tail_of_several_classes_is_that_of_training(files, spy):
    # 20, 16 and 4 of classes 0, 1, 2 in training; 4, 8 and 12 in the test file, whose tail would be
    # class 0. At 1:9 the factors are 1, 1/3 and 1/9: 20, 7 and 2; of 12, 4 (of 4), 4 and 1.
    classes = [0] * 20 + [1] * 16 + [2] * 4
    (files / "a.txt").write_text("".join(f"{k} 1:{i} 2:1\n" for i, k in enumerate(classes)))
    rows = [(k, 100 * k + i) for k, n in enumerate((4, 8, 12)) for i in range(1, n + 1)]
    (files / "b.txt").write_text("".join(f"{k} 1:{x}\n" for k, x in rows))
    chosen = []
    for task in tasks(files, ("selectors", "ratios: 9\nselectors"), ("auc", "accuracy")):
        execute(task)
        assert np.bincount(spy["y"]).tolist() == [20, 7, 2]
        assert np.bincount([int(x) // 100 for x in spy["test"]]).tolist() == [4, 4, 1]
        chosen.append((frozenset(spy["train"]), tuple(spy["test"])))
    assert chosen[0] == chosen[1]
    with pytest.raises(UserError, match="a: test: ratios: a ratio of 36 leaves 0"):
        tasks(files, ("selectors", "ratios: 36\nselectors"), ("auc", "accuracy"))


def test_the_view_is_taken_of_both_alike_but_for_a_sample(files, spy):
    (files / "a.txt").write_text("".join(f"{i % 4} 1:{i} 2:1 3:1\n" for i in range(40)))
    (files / "b.txt").write_text("".join(f"{i % 4} 1:{100 + i}\n" for i in range(20)) + "1 3:9\n")
    view = "positive: 1, negative: [2, 3], columns: 2, drop_empty: true, sample: {negative: 12}"
    execute(tasks(files, ("test: b.txt", f"test: b.txt, {view}"))[0])
    assert spy["columns"] == 2
    assert (spy["y"].count(1), spy["y"].count(-1)) == (10, 12)
    assert spy["test"] == [100 + i for i in range(20) if i % 4]  # nothing is left of the last row


def test_several_classes_keep_the_codes_of_training(files, spy):
    (files / "a.txt").write_text("".join(f"{i % 3 + 5} 1:{i % 3} 2:1\n" for i in range(30)))
    (files / "b.txt").write_text("7 1:2\n6 1:1\n5 1:0\n")
    measured = ("measures: auc", "measures: accuracy")
    assert execute(tasks(files, measured)[0])["rows"][0]["accuracy"] == 1.0
    (files / "b.txt").write_text("7 1:2\n5 1:0\n")
    with pytest.raises(UserError, match="a: test: has no row of class 6, which training has"):
        tasks(files, measured)


def test_labels_keep_the_columns_of_training(files):
    (files / "a.txt").write_text("".join(f"{i % 2},{i % 3 + 1} 1:{i % 2} 2:1\n" for i in range(24)))
    (files / "b.txt").write_text("0,2 1:0\n1,2 1:1\n0,3 1:0\n")
    changes = ("selectors: s2n", "selectors: none"), ("measures: auc", "measures: accuracy")
    task = tasks(files, *changes)[0]
    assert task.setting.kind == "multilabel"
    assert 0 <= execute(task)["rows"][0]["accuracy"] <= 1


@pytest.mark.parametrize(
    "training, test, message",
    [
        ("a.txt", "2 1:5\n-1 1:6\n", "a: test: class 2 is none of training's: -1, 1"),
        ("a.txt", "1 1:5\n1 1:6\n", "a: test: has one class only"),
        ("a.txt", "1,-1 1:5\n-1 1:6\n", "a: test: has one class a row where training has labels"),
        ("a.csv", "u,t\n1,p\n2,q\n", "a: test: has 1 features; training has 2"),
        ("a.csv", "v,u,t\n1,2,p\n2,3,q\n", "a: test: has features of other names"),
    ],
)
def test_a_test_set_that_does_not_fit_is_refused_at_planning(files, training, test, message):
    (files / "a.csv").write_text("u,v,t\n" + "".join(f"{i},{i},{'pqq'[i % 3]}\n" for i in range(9)))
    (files / "b").write_text(test)
    target = ", target: t" if training == "a.csv" else ""
    with pytest.raises(UserError, match=message):
        tasks(files, ("a.txt, test: b.txt", f"{training}, test: b{target}"))


def test_the_test_set_is_in_the_key_where_it_is_given_and_what_it_replaces_is_not(files):
    def keys(*changes):
        return {task.key for task in tasks(files, *changes)}

    given, held_out = keys(), keys((", test: b.txt", ""))
    assert not given & held_out
    assert held_out == keys(("test: b.txt", "test: held_out"))
    assert given == keys(("repeats: 2", "repeats: 2, test: 0.4, part: fixed"))
    assert held_out != keys((", test: b.txt", ""), ("repeats: 2", "repeats: 2, test: 0.4"))
    (files / "b.txt").write_text(TEST.replace("1:119", "1:120"))
    assert not given & keys()


def test_test_rows_that_change_meanwhile_are_not_mixed_in(files):
    task = tasks(files)[0]
    (files / "b.txt").write_text(TEST.replace("1:119", "1:120"))
    with pytest.raises(RuntimeError, match="the data changed while the experiment ran"):
        execute(task)


def test_tuning_takes_its_validation_part_from_training(files, spy):
    # Ten positives and thirty negatives of training: 4 are needed to keep a quarter.
    tuned = ("naive_bayes", "{svm: {C: {tune: [0.1, 1]}}}")
    result = execute(tasks(files, tuned)[0])
    assert set(result["tuned"]["all"]) == {"classifier.C"}
    with pytest.raises(UserError, match="tuning: 10 training samples .* are too few"):
        tasks(files, tuned, ("protocol", "tuning: {validation: 0.05}\nprotocol"))


def test_a_set_of_the_table_may_be_the_test_set(tmp_path, monkeypatch, spy):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    for name, text, read in [("small", TRAINING, {}), ("small.t", TEST, {"n_features": 3})]:
        (tmp_path / name).write_text(text)
        entry = Dataset("", text.count("\n"), 3, file=name, read=read)
        monkeypatch.setitem(DATASETS, name, entry)
    task = tasks(tmp_path, ("{path: a.txt, test: b.txt}", "{small: {test: small.t}}"))[0]
    assert task.setting.test[0] == Source("small.t")
    execute(task)
    assert spy["test"] == list(range(100, 120))
    (tmp_path / "small.t").unlink()
    plan = planned(tmp_path, ("{path: a.txt, test: b.txt}", "{small: {test: small.t}}"))
    assert plan.tasks == [] and "small.t: is not at hand" in plan.absent["small"]


@pytest.fixture
def posed(monkeypatch, tmp_path):
    """A problem whose paper tests on a set of its own, which is not at hand."""
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path))
    monkeypatch.setitem(DATASETS, "small", Dataset("", 40, 3, file="small"))
    monkeypatch.setitem(DATASETS, "small.t", Dataset("", 20, 1, file="small.t", url="http://x"))
    problem = Problem("small", {"positive": 1}, differs="smaller", test="small.t")
    monkeypatch.setitem(PROBLEMS, "paper/small", problem)
    (tmp_path / "small").write_text(TRAINING)
    return tmp_path


POSED = ("{path: a.txt, test: b.txt}", "{paper/small: {name: s}}")


def test_without_the_test_set_of_a_paper_a_fixed_part_is_held_out_and_it_is_said(posed, spy, imbfs):
    plan = planned(posed, POSED)
    assert plan.problems[0]["differs"] == (
        "smaller; tested on a part held out, for small.t is not at hand"
    )
    held_out = []
    for task in plan.tasks:
        assert (task.setting.test, task.setting.protocol.part) == (None, "fixed")
        execute(task)
        held_out.append(spy["test"])
    assert held_out[0] == held_out[1] and len(held_out[0]) == 8
    (posed / "x.yaml").write_text(TEXT.replace(*POSED))
    said = "s: a part is held out to test on. small.t: is not at hand."
    assert said in imbfs("plan", "x.yaml").out
    assert said in imbfs("run", "x.yaml", "--jobs", 1).err
    assert "small.t, not at hand: a part is held out" in imbfs("data", "show", "paper/small").out


def test_with_the_test_set_of_a_paper_it_is_used(posed, spy, imbfs):
    (posed / "small.t").write_text(TEST)
    plan = planned(posed, POSED)
    assert plan.notes == [] and plan.problems[0]["differs"] == "smaller"
    assert plan.problems[0]["samples"] == 40
    execute(plan.tasks[0])
    assert spy["test"] == list(range(100, 120))
    (posed / "x.yaml").write_text(TEXT.replace(*POSED))
    assert "held out" not in imbfs("plan", "x.yaml").out
    assert "  small.t\n" in imbfs("data", "show", "paper/small").out


def test_a_config_may_hold_out_a_part_all_the_same_and_folds_need_no_test_set(posed):
    (posed / "small.t").write_text(TEST)
    held_out = planned(posed, (POSED[0], "{paper/small: {test: held_out}}"))
    assert held_out.notes == []
    assert held_out.tasks[0].setting.test is None
    assert held_out.tasks[0].setting.protocol.part == "fresh"
    folds = tasks(posed, POSED, ("{online: {repeats: 2}}", "cv"))
    assert folds[0].setting.test is None


def test_the_test_rows_of_every_problem_are_in_the_table():
    named = {name: problem.test for name, problem in PROBLEMS.items() if problem.test}
    assert named["liu2019/news20-1:5"] == "news20.t" and named["liu2019/rcv1"] == "rcv1.t"
    assert "tested on news20.t" in PROBLEMS["liu2019/news20-1:5"].summary
    for name, test in named.items():
        assert DATASETS[test].n_features == DATASETS[PROBLEMS[name].dataset].n_features


@pytest.mark.data
@pytest.mark.parametrize("name", ["a9a", "usps"])
def test_a_test_file_of_libsvm_is_tested_on(name, data_folder):
    positive = ", positive: 1" if name == "usps" else ""
    changes = (
        ("{path: a.txt, test: b.txt}", f"{{{name}: {{test: {name}.t{positive}}}}}"),
        ("features: all", "features: 20"),
        ("s2n", "mbpa"),
        ("naive_bayes", "own"),
    )
    task = tasks(data_folder, *changes)[0]
    rows = execute(task)["rows"]
    assert rows[-1]["seen"] == DATASETS[name].n_samples
    whole = load(Source(name))
    seen = view(whole, **task.setting.view)
    learner = SELECTORS["mbpa"].call(**task.selector.params)
    order = np.random.default_rng([task.seed("split"), 0]).permutation(len(seen.y))
    learner.fit(whole.X[order], seen.y[order])
    beside = load(Source(f"{name}.t"))
    y = np.where(np.array(beside.classes)[beside.y] == 1, 1, -1)
    from sklearn.metrics import roc_auc_score

    expected = roc_auc_score(y, learner.cut(20).decision_function(beside.X))
    assert rows[-1]["auc"] == pytest.approx(expected, abs=1e-9)
    assert json.loads(task.part)[0]["test"] == beside.fingerprint
