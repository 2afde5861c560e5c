"""One task, checked against the same steps taken by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from imbfs import prepare, splits
from imbfs.config import parse
from imbfs.datasets import Source, load
from imbfs.methods import Method
from imbfs.online import MBPA
from imbfs.ranking import ranking
from imbfs.running.pipeline import _shared, execute
from imbfs.running.pipeline import part as parts
from imbfs.running.pipeline.part import Part, Ranked
from imbfs.running.plan import expand
from imbfs.selectors import SELECTORS
from imbfs.selectors.filters import s2n


def tasks(text: str):
    return expand(parse("name: x\n" + text)).tasks


CANCER = """\
datasets: breast_cancer
selectors: s2n
classifiers: naive_bayes
features: [3, 30]
measures: auc
preprocess: standardize
"""


def by_hand(task):
    """Training and test part of a task on breast cancer, standardized, with scikit-learn."""
    data = load(Source("breast_cancer"))
    X, y = np.asarray(data.X), np.where(data.y == 0, 1, -1)  # malignant, the smaller class
    train, test = task.setting.protocol.split(y, "binary", task.seed("split"), task.fold)
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def test_a_task_does_what_its_steps_do_by_hand():
    task = tasks(CANCER)[5]
    X_train, y_train, X_test, y_test = by_hand(task)
    order = ranking(s2n(X_train, y_train))
    result = execute(task)
    assert [(row["features"], row["k"], row["seen"]) for row in result["rows"]] == [
        ("3", 3, len(y_train)),
        ("30", 30, len(y_train)),
    ]
    for row in result["rows"]:
        columns = order[: row["k"]]
        model = GaussianNB().fit(X_train[:, columns], y_train)
        decision = np.diff(model.predict_joint_log_proba(X_test[:, columns])).ravel()
        assert row["auc"] == pytest.approx(roc_auc_score(y_test, decision), abs=1e-9)
    names = load(Source("breast_cancer")).names
    assert result["top"] == [names[j] for j in order]


@pytest.fixture
def spy(monkeypatch):
    """Record what the selector `s2n` is given, but for the handful of rows to warm up on."""
    seen = []

    def s2n_seen(X, y):
        if len(y) > 2:
            seen.append((np.array(X), np.array(y)))
        return s2n(X, y)

    monkeypatch.setitem(SELECTORS, "s2n", Method(s2n_seen))
    return seen


def test_a_ranking_is_made_once_for_all_feature_counts_and_classifiers(spy):
    text = CANCER.replace("naive_bayes", "[naive_bayes, svm, nearest_neighbour]")
    unit = tasks(text)[:3]
    assert len({task.part for task in unit}) == 1
    for task in unit:
        execute(task)
    assert len(spy) == 1


@pytest.mark.filterwarnings("ignore:Solver terminated early")
def test_selection_never_sees_a_test_row(spy):
    text = CANCER.replace("standardize", "none").replace(
        "naive_bayes", "[{svm: {C: {tune: [0.1, 1]}}}]"
    )
    for task in tasks(text)[:4]:
        spy.clear()
        execute(task)
        data = load(Source("breast_cancer"))
        y = np.where(data.y == 0, 1, -1)
        _, test = task.setting.protocol.split(y, "binary", task.seed("split"), task.fold)
        held_out = {row.tobytes() for row in np.asarray(data.X)[test]}
        assert len(spy) == 2  # once on the inner part for tuning, once on all training rows
        for X, _ in spy:
            assert not held_out & {row.tobytes() for row in X}


def test_ranking_on_all_rows_leaks_and_has_to_be_asked_for(spy):
    task = tasks(CANCER + "rank_on: all\n")[0]
    execute(task)
    (seen,) = spy
    assert len(seen[1]) == 569
    assert task.key != tasks(CANCER)[0].key
    X_train, y_train, X_test, y_test = by_hand(task)
    expected = s2n(np.vstack((X_train, X_test)), np.concatenate((y_train, y_test)))
    names = load(Source("breast_cancer")).names
    best = [names[j] for j in ranking(expected)[:30]]
    assert execute(task)["top"] == best != execute(tasks(CANCER)[0])["top"]


def test_tuning_chooses_by_the_inner_validation_part_alone():
    text = CANCER.replace("naive_bayes", "[{svm: {C: {tune: [1e-4, 1, 100]}}}]")
    task = tasks(text)[0]
    X_train, y_train, *_ = by_hand(task)
    result = execute(task)
    fit, held = splits.hold_out(y_train, "binary", 0.25, task.seed("tuning"))
    # The inner part is scaled anew on its own rows, which undoes the outer scaling.
    inner, validation = prepare.preprocess([("standardize", {})], X_train[fit], X_train[held])
    order = ranking(s2n(inner, y_train[fit]))
    for label, k in task.features:
        values = {}
        for C in (1e-4, 1, 100):
            from sklearn.svm import SVC

            columns = order[:k]
            model = SVC(kernel="linear", C=C).fit(inner[:, columns], y_train[fit])
            values[C] = roc_auc_score(
                y_train[held], model.decision_function(validation[:, columns])
            )
        chosen = result["tuned"][label]["classifier.C"]
        assert values[chosen] == pytest.approx(max(values.values()), abs=1e-9)


def test_a_selector_can_be_tuned_too():
    text = CANCER.replace("s2n", "[{fast: {K: {tune: [2, 20]}}}]")
    result = execute(tasks(text)[0])
    assert all(chosen["selector.K"] in (2, 20) for chosen in result["tuned"].values())


def test_an_imposed_ratio_reaches_the_learner(spy):
    task = tasks(CANCER + "ratios: 20\n")[0]
    execute(task)
    ((_, y),) = spy
    assert (np.sum(y > 0), np.sum(y < 0)) in [(13, 267), (14, 267), (13, 268), (14, 268)]


def test_resampling_changes_training_rows_only(spy):
    task = tasks(CANCER + "resampling: over\n")[0]
    result = execute(task)
    ((_, y),) = spy
    assert np.sum(y > 0) == np.sum(y < 0)
    assert result["rows"][0]["seen"] == len(y)


ONLINE = """\
datasets: breast_cancer
selectors: [mbpa, s2n]
classifiers: [own, naive_bayes]
features: [3, all]
measures: [auc, g_mean]
protocol: {online: {repeats: 1, checkpoints: 4}}
preprocess: standardize
"""


def streamed(selector: str, text: str = ONLINE):
    """The task of one selector that classifies by itself."""
    return tasks(text.replace("[mbpa, s2n]", selector).replace("[own, naive_bayes]", "own"))[0]


def test_a_stream_is_measured_as_it_is_learned_and_on_the_held_out_part():
    task = tasks(ONLINE)[0]
    assert (task.selector.name, task.classifier.name) == ("mbpa", "own")
    rows = execute(task)["rows"]
    assert [(row["part"], row["features"], row["seen"]) for row in rows] == [
        (part, features, seen)
        for seen in (114, 228, 341, 455)
        for part, features in (("progressive", "all"), ("test", "3"), ("test", "all"))
    ]
    X_train, y_train, X_test, y_test = by_hand(task)
    learner = MBPA()
    decision = learner.progress(X_train, y_train, classes=[-1, 1])
    assert rows[-3]["auc"] == pytest.approx(roc_auc_score(y_train, decision), abs=1e-9)
    held_out = learner.cut(3).decision_function(X_test)
    assert rows[-2]["auc"] == pytest.approx(roc_auc_score(y_test, held_out), abs=1e-9)


@pytest.mark.parametrize("selector", ["{mbpa: {budget: always}}", "ofs"])
def test_a_budget_that_is_kept_is_learned_once_for_each_number_of_features(selector):
    text = ONLINE.replace("[auc, g_mean]", "[auc, features_used, dead]")
    task = streamed(selector, text)
    X_train, y_train, X_test, y_test = by_hand(task)
    rows = execute(task)["rows"]
    learner = SELECTORS[task.selector.name].call
    for label, k in task.features:
        alone = learner(**task.selector.params, keep=k).fit(X_train, y_train)
        last = [row for row in rows if row["features"] == label][-1]
        assert last["part"] == "test" and last["seen"] == len(y_train)
        expected = roc_auc_score(y_test, alone.decision_function(X_test))
        assert last["auc"] == pytest.approx(expected, abs=1e-9)
        assert last["features_used"] == np.count_nonzero(alone.coef_) == k
        assert last["dead"] == 0
        progressive = [r for r in rows if (r["part"], r["features"]) == ("progressive", label)]
        before = learner(**task.selector.params, keep=k).progress(X_train, y_train, classes=[-1, 1])
        expected = roc_auc_score(y_train, before)
        assert progressive[-1]["auc"] == pytest.approx(expected, abs=1e-9)


def test_the_seconds_of_learning_grow_along_the_stream():
    for selector in ("mbpa", "ofs"):
        task = streamed(selector)
        result = execute(task)
        seconds = [r["seconds"] for r in result["rows"] if r["features"] == task.features[0][0]]
        assert seconds == sorted(seconds) and 0 < seconds[0] < seconds[-1]
        assert seconds[-1] <= result["seconds"]["select"]


def test_a_learner_draws_its_chance_from_the_seed_of_the_part():
    task = streamed("{onpa: {beta: 3}}")
    X_train, y_train, X_test, y_test = by_hand(task)
    learner = SELECTORS["onpa"].call(beta=3, seed=task.seed("method")).fit(X_train, y_train)
    expected = roc_auc_score(y_test, learner.decision_function(X_test))
    assert execute(task)["rows"][-1]["auc"] == pytest.approx(expected, abs=1e-9)


def test_a_filter_in_an_online_experiment_is_measured_on_the_held_out_part():
    (task,) = [t for t in tasks(ONLINE) if t.selector.name == "s2n"]
    rows = execute(task)["rows"]
    assert [(row["part"], row["k"], row["seen"]) for row in rows] == [
        ("test", 3, 455), ("test", 30, 455),
    ]  # fmt: skip


def test_an_undefined_measure_is_kept_as_nothing():
    text = ONLINE.replace("checkpoints: 4", "checkpoints: 400").replace("[mbpa, s2n]", "pa")
    first = execute(tasks(text)[0])["rows"][0]
    assert (first["part"], first["seen"], first["auc"]) == ("progressive", 1, None)


@pytest.mark.parametrize("protocol", ["cv", "holdout", "online"])
def test_several_classes_and_many_labels_go_the_same_way(protocol):
    text = f"""\
datasets: [wine, topics]
selectors: [none, random]
classifiers: [svm, naive_bayes, nearest_neighbour]
features: 5
measures: [auc, prc, f_measure, g_mean, balanced_accuracy, accuracy]
protocol: {{{protocol}: {{repeats: 1}}}}
preprocess: standardize
"""
    done = tasks(text)
    assert {task.setting.kind for task in done} == {"multiclass", "multilabel"}
    for task in done:
        for row in execute(task)["rows"]:
            assert all(0 <= row[name] <= 1 for name in task.setting.measures)
            if task.setting.kind == "multiclass" and task.selector.name == "none":
                assert row["accuracy"] > 0.8


def test_several_classes_can_be_learned_online():
    text = ONLINE.replace("breast_cancer", "wine").replace("[mbpa, s2n]", "[pa, mbpa]")
    last = execute(tasks(text)[0])["rows"][-1]
    assert last["features"] == "all"
    assert last["auc"] > 0.9


def test_data_that_changed_meanwhile_is_not_mixed_in():
    task = tasks(CANCER)[0]
    changed = replace(task, setting=replace(task.setting, fingerprint="other"))
    with pytest.raises(RuntimeError, match="the data changed while the experiment ran"):
        execute(changed)


def test_recovery_is_measured_where_the_truth_is_known():
    text = """\
datasets: microarray
selectors: [fast, random]
classifiers: naive_bayes
features: [20, 2000]
measures: [recovery]
protocol: {holdout: {repeats: 1}}
"""
    by_fast, by_chance = (execute(task) for task in tasks(text))
    relevant = {f"g{j}" for j in load(Source("microarray")).relevant}
    for result in (by_fast, by_chance):
        found = len(relevant & set(result["top"][:20])) / 20
        assert [row["recovery"] for row in result["rows"]] == [found, 1.0]
    assert by_fast["rows"][0]["recovery"] > by_chance["rows"][0]["recovery"] + 0.2
    with pytest.raises(ValueError, match="recovery needs a set whose relevant features are known"):
        tasks(text.replace("microarray", "breast_cancer").replace(", 2000", ""))


def test_class_means_are_those_of_the_selected_features():
    text = """\
datasets: [{breast_cancer: {positive: malignant}}]
selectors: s2n
classifiers: naive_bayes
features: [3]
measures: [minority_mean, majority_mean, minority_mean_seen, majority_mean_seen]
protocol: {holdout: {repeats: 1}}
"""
    (task,) = tasks(text)
    result = execute(task)
    _, part = _shared(task)
    names = load(Source("breast_cancer")).names
    columns = [names.index(name) for name in result["top"]]
    for end, X, y in (("", part.X_test, part.y_test), ("_seen", part.X_train, part.y_train)):
        for name, label in (("minority", 1), ("majority", -1)):
            values = [X[i][j] for i in range(len(y)) if y[i] == label for j in columns]
            found = result["rows"][0][f"{name}_mean{end}"]
            assert found == pytest.approx(sum(values) / len(values))


def test_missing_values_are_filled_in_on_request(tmp_path):
    rows = [f"{i if i % 5 else ''},{i * i},{'a' if i % 3 else 'b'}" for i in range(60)]
    (tmp_path / "holes.csv").write_text("x,z,t\n" + "\n".join(rows) + "\n")
    text = """\
name: x
datasets: [{path: holes.csv, target: t, impute: median}]
selectors: fisher
classifiers: naive_bayes
features: 2
protocol: {holdout: {repeats: 1}}
"""
    (task,) = expand(parse(text, tmp_path)).tasks
    assert 0 <= execute(task)["rows"][0]["auc"] <= 1


@pytest.mark.parametrize("classifier", ["svm", "naive_bayes", "nearest_neighbour"])
def test_a_large_sparse_file_goes_through_every_classifier(classifier, tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for i in range(2_700):
        words = sorted(rng.choice(50, 5, replace=False) + (3 if i % 9 == 0 else 1))
        lines.append(f"{1 if i % 9 == 0 else -1} " + " ".join(f"{w}:1" for w in words))
    (tmp_path / "big.txt").write_text("\n".join(lines) + "\n")
    text = f"""\
name: x
datasets: [{{path: big.txt}}]
selectors: [fast, mbpa]
classifiers: {classifier}
features: [5, all]
protocol: {{holdout: {{repeats: 1, test: 0.2}}}}
"""
    for task in expand(parse(text, tmp_path)).tasks:
        assert all(row["auc"] > 0.5 for row in execute(task)["rows"])


def test_sparse_rows_are_filled_in_where_they_are_full_and_few_and_predict_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    dense = rng.normal(size=(60, 40)) * (
        rng.random((60, 40)) < np.r_[np.full(10, 0.5), [0.01] * 30]
    )
    X, y = csr_array(dense), np.where(dense[:, 0] + dense[:, 1] > 0, 1, -1)
    part = Part(X[:40], y[:40], X[40:], y[40:], "binary", 0, None, None, False)
    given, (full, empty) = (
        [],
        (Ranked(order, None, 0.0) for order in (range(40), range(39, -1, -1))),
    )
    real = parts.fit_predict
    monkeypatch.setattr(parts, "fit_predict", lambda *a: given.append(issparse(a[1])) or real(*a))
    first = part.classify(full, "naive_bayes", {}, 10)["decision"]
    part.classify(empty, "naive_bayes", {}, 10)
    monkeypatch.setattr(parts, "DENSE", 399)
    again = part.classify(full, "naive_bayes", {}, 10)["decision"]
    assert given == [False, True, True]
    np.testing.assert_allclose(first, again, rtol=1e-9)


def test_chance_differs_from_fold_to_fold_and_from_repeat_to_repeat():
    text = CANCER.replace("s2n", "random")
    orders = {tuple(execute(task)["top"]) for task in tasks(text)}
    assert len(orders) == 20


def test_every_repeat_draws_other_rows_for_a_ratio_and_for_resampling(spy):
    text = CANCER + "ratios: 20\nresampling: under\nprotocol: {cv: {repeats: 2, folds: 2}}\n"
    chosen = []
    for task in tasks(text):
        spy.clear()
        execute(task)
        chosen.append({row.tobytes() for row in spy[0][0]})
    assert len({frozenset(rows) for rows in chosen}) == 4
    assert {len(rows) for rows in chosen} <= {16, 18, 20}


def test_a_fixed_part_has_the_same_rows_in_every_repeat_in_a_new_order(spy):
    text = CANCER.replace("standardize", "none") + "ratios: 20\n"
    seen = {}
    for part in ("fresh", "fixed"):
        for task in tasks(text + f"protocol: {{online: {{repeats: 2, part: {part}}}}}\n"):
            spy.clear()
            execute(task)
            seen[part, task.repeat] = [row.tobytes() for row in spy[0][0]]
    assert sorted(seen["fixed", 0]) == sorted(seen["fixed", 1])
    assert seen["fixed", 0] != seen["fixed", 1]
    assert sorted(seen["fresh", 0]) != sorted(seen["fresh", 1])


def test_training_rows_come_shuffled(spy):
    execute(tasks(CANCER.replace("breast_cancer", "microarray").replace("[3, 30]", "[3]"))[0])
    ((_, y),) = spy
    assert not (np.diff(y) <= 0).all()  # the file has the rare class first


def test_the_first_of_equals_wins_the_tuning():
    text = CANCER.replace("naive_bayes", "[{svm: {solver: {tune: [auto, libsvm]}}}]")
    chosen = execute(tasks(text)[0])["tuned"]
    assert {setting["classifier.solver"] for setting in chosen.values()} == {"auto"}


def test_a_stream_is_tuned_by_its_largest_feature_count_and_says_so():
    text = ONLINE.replace("[mbpa, s2n]", "[{mbpa: {C: {tune: [1e-6, 1]}}}]").replace(
        "[own, naive_bayes]", "own"
    )
    result = execute(tasks(text)[0])
    assert len({setting["selector.C"] for setting in result["tuned"].values()}) == 1


@pytest.mark.parametrize("protocol", ["cv: {repeats: 2, folds: 3}", "holdout: {repeats: 2}"])
def test_several_classes_with_a_long_tail_are_split_and_measured(protocol):
    text = f"""\
datasets: wine
ratios: [natural, 4, 12]
selectors: fisher
classifiers: naive_bayes
features: [3, all]
measures: [micro_f1, mc_f1, label_accuracy, accuracy]
protocol: {{{protocol}}}
preprocess: standardize
"""
    left = {}
    for task in tasks(text):
        part = _shared(task)[1]
        counts = np.bincount(np.concatenate((part.y_train, part.y_test)), minlength=3)
        left.setdefault(task.ratio, set()).add(tuple(counts.tolist()))
        for row in execute(task)["rows"]:
            assert row["micro_f1"] == row["accuracy"] > 0.5
            assert row["label_accuracy"] == pytest.approx(1 - 2 * (1 - row["accuracy"]) / 3)
            assert 0 < row["mc_f1"] <= 1
    # 71 of the second class, and of the first 71 / 2 or 71 / sqrt(12), of the third 71 / 4 or / 12.
    assert left == {None: {(59, 71, 48)}, 4.0: {(36, 71, 18)}, 12.0: {(20, 71, 6)}}


def test_labels_are_measured_together():
    text = """\
datasets: topics
selectors: none
classifiers: naive_bayes
features: all
measures: [micro_f1, jaccard, subset_accuracy, label_accuracy, accuracy]
protocol: {holdout: {repeats: 1}}
"""
    (row,) = execute(tasks(text)[0])["rows"]
    assert row["label_accuracy"] == row["accuracy"]
    assert 0 <= row["subset_accuracy"] <= row["jaccard"] <= row["accuracy"]
    assert row["micro_f1"] > 0
