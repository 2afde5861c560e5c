"""The nested comparison of `imbfs benchmark`: its estimate, its folds, its budget."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from imbfs import splits, stats
from imbfs.own.intake import take
from imbfs.own.nested import made, told
from imbfs.own.nested.compared import CANDIDATE, Asked
from imbfs.own.nested.estimate import Estimate, answer
from imbfs.own.nested.schedule import alike, carry_out, rankings_of
from imbfs.running.launch import How
from imbfs.running.store import Store

FEW = Asked(selectors=("s2n", "fast"), classifiers=("naive_bayes",), counts=(2, 5), repeats=2)


def table(path, n=48, n_features=12, gap=1.0, seed=0, minority=16, **columns):
    """A file of noise with `gap` between the classes in the first three features."""
    rng = np.random.default_rng(seed)
    kind = np.array(["rare"] * minority + ["usual"] * (n - minority))
    X = rng.normal(size=(n, n_features))
    X[:minority, :3] += gap
    frame = pd.DataFrame(X.round(6), columns=[f"g{j}" for j in range(n_features)])
    frame.assign(kind=kind, **columns).sample(frac=1, random_state=seed).to_csv(path, index=False)
    return path


def compare(path, folder, asked=FEW, minutes=60.0, jobs=1, **options):
    """The answer in Python, without the files."""
    taken = take(path, "kind", **options)
    comparison, _ = made.prepare(taken, asked, folder)
    carry_out(comparison, Store(folder), minutes, How(jobs), {})
    sizes = tuple(taken.independent.values())
    return answer(comparison, Store(folder).records(), asked.measure, sizes), comparison


def test_the_estimate_is_that_of_a_plain_double_loop(tmp_path):
    path = table(tmp_path / "a.csv", gap=0.6)
    asked = Asked(selectors=("s2n",), classifiers=("naive_bayes",), counts=(2, 4), repeats=1)
    found, comparison = compare(path, tmp_path / "out", asked)
    taken = take(path, "kind")
    X, y = np.asarray(taken.X), taken.y
    candidates = [("none", 12), ("s2n", 2), ("s2n", 4)]

    def value(selector, k, train, test):
        scaler = StandardScaler().fit(X[train])
        A, B = scaler.transform(X[train]), scaler.transform(X[test])
        rare, usual = A[y[train] > 0], A[y[train] < 0]
        apart = np.abs(rare.mean(axis=0) - usual.mean(axis=0)) / (
            rare.std(axis=0) + usual.std(axis=0)
        )
        scores = apart if selector == "s2n" else np.zeros(12)
        best = np.argsort(-scores, kind="stable")[:k]
        model = GaussianNB().fit(A[:, best], y[train])
        usual, rare = model.predict_joint_log_proba(B[:, best]).T
        return roc_auc_score(y[test], rare - usual)

    seed, values = comparison.plan.tasks[0].seed("split"), []
    for i, (train, test) in enumerate(
        StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y)
    ):
        own = splits.seed_for("inner", seed, i)
        inner = list(StratifiedKFold(4, shuffle=True, random_state=own).split(train, y[train]))
        means = [np.mean([value(*c, train[a], train[b]) for a, b in inner]) for c in candidates]
        order = sorted(range(3), key=lambda c: (-round(means[c], 9), candidates[c][1]))
        values.append(value(*candidates[order[0]], train, test))
    np.testing.assert_allclose(found.procedure.values["auc"], values, atol=1e-9)


def test_on_pure_noise_the_nested_interval_covers_a_half_and_the_maximum_is_above(tmp_path):
    """Of five sets all but one at least, and no optimism on average: 95% is not every one."""
    asked = Asked(
        selectors=("s2n", "fast"), classifiers=("naive_bayes",), counts=(1, 2, 5), repeats=1
    )
    maxima, means, covered = [], [], []
    for seed in range(5):
        shape = {"n": 120, "minority": 50, "n_features": 60}
        path = table(tmp_path / f"{seed}.csv", gap=0.0, seed=seed, **shape)
        found, _ = compare(path, tmp_path / f"out{seed}", asked)
        interval = found.procedure.interval("auc")
        covered.append(interval.low <= 0.5 <= interval.high)
        means.append(interval.value)
        maxima.append(found.largest)
    assert sum(covered) >= 4
    assert abs(np.mean(means) - 0.5) < 0.05
    assert np.mean(maxima) > max(0.53, np.mean(means) + 0.03)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    # 0.025 of a chance: all of 16 found by 0.7941 each, none by 0.2059 each
    [(1.0, 0.025 ** (1 / 16), 1.0), (0.0, 0.0, 1 - 0.025 ** (1 / 16))],
)
def test_an_interval_of_equal_folds_is_as_wide_as_the_rare_samples_leave_it(value, low, high):
    found = Estimate({"auc": np.full(8, value)}, [], 1 / 3, (16, 32)).interval("auc")
    np.testing.assert_allclose((found.value, found.low, found.high), (value, low, high))


def test_an_interval_that_is_wider_than_the_samples_leave_open_is_that_of_the_folds():
    values = np.array([0.7, 0.8, 0.75, 0.85])
    found = Estimate({"auc": values}, [], 1 / 3, (16, 32)).interval("auc")
    expected = stats.corrected_mean(values, 1 / 3)
    assert (found.low, found.high) == (expected.low, expected.high)


def test_folds_that_agree_by_chance_do_not_make_a_few_samples_many():
    """The AUC of two classes has at least the interval of Hanley and McNeil for so many samples."""
    values = {name: np.array([0.74, 0.76, 0.75, 0.75]) for name in ("auc", "g_mean")}
    two, three = (Estimate(values, [], 1 / 3, sizes) for sizes in ((16, 32), (16, 32, 40)))
    reach = 1.959964 * stats.auc_error(0.75, 16, 32)
    found = two.interval("auc")
    np.testing.assert_allclose([found.low, found.high], [0.75 - reach, 0.75 + reach], rtol=1e-6)
    errors = [stats.auc_error(0.75, n, 88 - n) for n in (16, 32, 40)]  # each against the rest
    assert three.interval("auc").low == pytest.approx(0.75 - 1.959964 * np.linalg.norm(errors) / 3)
    share = stats.binomial(0.75, 16)
    for found in (two.interval("g_mean"), three.interval("g_mean")):
        assert (found.low, found.high) == (pytest.approx(share.low), pytest.approx(share.high))


@pytest.mark.parametrize("measure", ["auc", "g_mean"])
@pytest.mark.parametrize("sizes", [(10, 30), (40, 120), (10, 30, 50)])
@pytest.mark.parametrize("others", [1.0, 0.8])
def test_worse_folds_never_have_a_tighter_interval(measure, sizes, others):
    """One of twenty folds gets worse, or all do."""
    for changed in (slice(1), slice(None)):
        ends = []
        for value in np.linspace(others, 0.5, 101):
            values = np.full(20, others)
            values[changed] = value
            found = Estimate({measure: values}, [], 1 / 3, sizes).interval(measure)
            assert found.high - found.low > 1 / sizes[0]
            ends.append((found.low, found.value))
        lows, means = np.array(ends).T
        assert (np.diff(means) < 0).all()
        assert (np.diff(lows) <= 1e-12).all()
        assert np.abs(np.diff(lows)).max() < 0.03  # without a jump


def test_no_interval_is_printed_without_width(tmp_path):
    path = table(tmp_path / "a.csv", gap=50.0)
    text = told_of(take(path, "kind"), FEW, tmp_path / "out")
    ends = re.findall(r"\((\d\.\d+)-(\d\.\d+)\)", text)
    assert "1.000 (0.79-1.00)" in text and all(low != high for low, high in ends)


def parts_of(comparison, taken, kept):
    """Training and test rows of every task of one pair, outer and inner."""
    for task in comparison.tasks[comparison.pairs[0], 0]:
        protocol, place = task.setting.protocol, (task.seed("split"), task.fold, task.repeat)
        yield protocol.split(taken.y, taken.kind, *place, kept)


def test_rows_of_one_group_are_never_parted(tmp_path):
    patient = np.arange(48) // 3  # three samples a patient, the rare ones five patients and one row
    path = table(tmp_path / "a.csv", patient=patient)
    taken = take(path, "kind", group="patient")
    comparison, content = made.prepare(taken, FEW, tmp_path / "out")
    assert content["datasets"][0]["read"] == {"group": "patient"}
    assert "patient" not in taken.names
    for train, test in parts_of(comparison, taken, taken.together):
        assert not set(taken.groups[train]) & set(taken.groups[test])
        assert len(set(taken.y[train])) == len(set(taken.y[test])) == 2


def test_groups_and_copies_stay_together_in_what_a_task_really_splits(tmp_path):
    from imbfs.running.pipeline import _shared

    path = table(tmp_path / "a.csv", patient=np.arange(48) // 2)
    comparison, _ = made.prepare(take(path, "kind", group="patient"), FEW, tmp_path / "out")
    frame = pd.read_csv(path)
    patient_of = dict(zip(frame["g0"].round(6), frame["patient"], strict=True))
    for task in comparison.tasks[comparison.pairs[0], 0]:
        train, part = _shared(task)
        seen = {patient_of[round(value, 6)] for value in train.X[:, 0]}
        assert len(seen) * 2 == len(train.chosen)
        assert len(part.y_test) % 2 == 0


def test_identical_rows_are_never_parted(tmp_path):
    path = table(tmp_path / "a.csv")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, *lines[1:20]]) + "\n")
    taken = take(path, "kind")
    kept = taken.together
    same = np.unique(taken.X, axis=0, return_inverse=True)[1].ravel()
    comparison, _ = made.prepare(taken, FEW, tmp_path / "out")
    for train, test in parts_of(comparison, taken, kept):
        assert not set(same[train]) & set(same[test])


def test_without_groups_and_copies_nothing_is_together(tmp_path):
    assert take(table(tmp_path / "a.csv"), "kind").together is None


def test_groups_and_copies_are_joined_where_they_meet(tmp_path):
    path = tmp_path / "a.csv"
    rows = [
        (1, "a", "x"),
        (2, "a", "y"),
        (2, "b", "x"),
        (3, "c", "y"),
        (4, "d", "x"),
        (5, "e", "y"),
    ]
    path.write_text("v,who,kind\n" + "".join(f"{v},{w},{k}\n" for v, w, k in rows))
    kept = take(path, "kind", group="who").together
    assert kept[0] == kept[1] == kept[2]  # one person's two rows, and another's copy of the second
    assert len(set(kept)) == 4


def test_folds_of_groups_are_as_even_as_those_of_single_rows():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(400) < 0.2, 1, -1)
    folds = splits.fold_of(y, rng.integers(150, size=400), 4, seed=1)
    share = [np.sum((folds == f) & (y > 0)) for f in range(4)]
    size = np.bincount(folds)
    assert max(share) - min(share) <= 3 and max(size) - min(size) <= 8


def test_single_rows_are_dealt_evenly_by_class():
    y = np.repeat([0, 1, 2], [10, 21, 40])
    folds = splits.fold_of(y, np.arange(71), 4, seed=0)
    for label in range(3):
        count = np.bincount(folds[y == label], minlength=4)
        assert count.max() - count.min() <= 1


def test_a_config_keeps_rows_together_under_every_protocol(tmp_path, config, imbfs):
    path = table(tmp_path / "a.csv")
    (tmp_path / "rows.txt").write_text("".join(f"{i // 2}\n" for i in range(48)))
    own = [{"path": str(path), "target": "kind", "together": "rows.txt"}]
    tuned = [{"svm": {"C": {"tune": [0.1, 1]}}}]
    given = {"datasets": own, "selectors": ["s2n"], "classifiers": tuned, "features": [2]}
    for protocol in ({"cv": {"repeats": 1, "folds": 3}}, {"holdout": {"repeats": 1}}):
        answered = imbfs("run", config(**given, protocol=protocol), "--jobs", 1)
        assert answered.code == 0 and "0 failed" in answered.out, answered.err
    (tmp_path / "rows.txt").write_text("1\n2\n")
    answered = imbfs("plan", config(**given))
    assert answered.code == 2 and "rows.txt has 2 lines for 48 rows" in answered.err
    (tmp_path / "rows.txt").unlink()
    assert "rows.txt: cannot be read" in imbfs("plan", config(**given)).err


@pytest.mark.parametrize("protocol", [splits.CV(folds=3), splits.Holdout(), splits.Online()])
def test_no_protocol_parts_rows_that_belong_together(protocol):
    y, together = np.where(np.arange(60) % 3 == 0, 1, -1), np.arange(60) // 2
    train, test = protocol.split(y, "binary", 5, 0, 0, together)
    assert not set(together[train]) & set(together[test])
    assert sorted([*train, *test]) == list(range(60)) and len(set(y[test])) == 2


def told_of(taken, asked, folder, minutes=60.0, jobs=1):
    """The answer in words, without figures and page."""
    comparison, content = made.prepare(taken, asked, folder)
    return told.text(made.find(comparison, content, taken, Store(folder), minutes, jobs)[1])


def recommendation(path, folder, asked=FEW, **options):
    """The answer and its recommendation.md, in one line."""
    taken = take(path, "kind", **options)
    comparison, content = made.prepare(taken, asked, folder)
    found, said = made.find(comparison, content, taken, Store(folder), 60.0, 1)
    both = [" ".join(one(said).replace("**", "").split()) for one in (told.text, told.markdown)]
    assert said.advice in both[0] and said.advice in both[1]
    return found, both[1]


def test_on_noise_it_says_that_nothing_predicts(tmp_path):
    path = table(tmp_path / "a.csv", n=160, minority=60, n_features=20, gap=0.0)
    found, text = recommendation(path, tmp_path / "out")
    assert found.nothing and found.choice.selector == "none"
    assert "Nothing here predicts better than guessing. Keep all features." in text


def test_of_few_rare_samples_it_says_that_they_are_too_few(tmp_path):
    path = table(tmp_path / "a.csv", minority=5, gap=0.0)
    found, text = recommendation(path, tmp_path / "out")
    most = max(found.procedure.interval("auc").high, found.baseline.interval("auc").high)
    assert "Nothing here predicts better than guessing. But 5 samples of rare are too few" in text
    assert f"a true AUC of {most:.2f} could look the same. Keep all features." in text


def test_rows_of_one_group_count_once_in_an_interval(tmp_path):
    path = table(tmp_path / "a.csv", n=240, minority=80, gap=50.0)
    frame = pd.read_csv(path).sort_values("kind", ignore_index=True)
    frame.assign(who=np.arange(240) // 10).to_csv(path, index=False)
    found, text = recommendation(path, tmp_path / "out", replace(FEW, repeats=1), group="who")
    one = found.recommended.interval("auc")
    assert (one.value, one.low) == (1.0, pytest.approx(0.025 ** (1 / 8)))
    assert "at least what so many groups leave open" in text


def test_rows_of_one_group_and_copies_are_not_told_as_samples(tmp_path):
    path = table(tmp_path / "a.csv", minority=6, gap=0.0)
    frame = pd.read_csv(path)
    pd.concat([frame] * 4).to_csv(path, index=False)
    frame.assign(who=np.arange(len(frame))).pipe(lambda one: pd.concat([one] * 4)).to_csv(
        tmp_path / "b.csv", index=False
    )
    for name, group, unit in (("a", None, "distinct samples"), ("b", "who", "groups")):
        asked = replace(FEW, repeats=1)
        _, text = recommendation(tmp_path / f"{name}.csv", tmp_path / name, asked, group=group)
        assert f"6 {unit} of rare are too few to tell" in text


def test_a_selection_that_helps_is_recommended_with_its_own_estimate(tmp_path):
    path = table(tmp_path / "a.csv", n=90, minority=30, n_features=200, gap=1.3)
    found, text = recommendation(path, tmp_path / "out")
    choice = found.choice
    assert choice.selector in ("s2n(sided=two)", "fast") and "Selecting helps." in text
    row = found.compared.set_index(CANDIDATE).loc[tuple(vars(choice).values())]
    mine = found.recommended.interval("auc")
    assert mine.value == pytest.approx(row["auc_mean"], abs=1e-6)
    assert f"| recommended | {mine.value:.3f} ({mine.low:.2f}-{mine.high:.2f}) |" in text
    times = f"chosen by the search in {int(row['chosen_in'])} of 8 outer folds"
    assert f"Recommended: {told.candidate(choice)}, {times}" in text
    gain, paired = found.above_random, "paired over the outer folds"
    ends = f"80% interval of the difference, {paired}: {gain.low:+.3f} to {gain.high:+.3f}"
    assert f"higher than with random features ({ends})." in text


def test_where_every_feature_counts_all_are_kept_and_it_says_so(tmp_path):
    path = table(tmp_path / "a.csv", n=120, minority=40)
    frame = pd.read_csv(path)
    numbers = frame.columns[frame.columns.str.startswith("g")]
    frame.loc[frame["kind"] == "rare", numbers[3:]] += 1.0  # as the first three have it
    frame.to_csv(path, index=False)
    found, text = recommendation(path, tmp_path / "out", replace(FEW, counts=(1, 2)))
    assert found.choice.selector == "none" and found.gain.high < 0
    assert "Keep all features, and classify with naive_bayes: no selection is shown" in text
    assert "Selecting costs something." in text and "Random" not in text.partition("Expected")[0]


def test_it_says_where_random_features_do_as_well(tmp_path):
    path = table(tmp_path / "a.csv", n=120, minority=40)
    frame = pd.read_csv(path)
    rng = np.random.default_rng(0)
    for name in frame.columns[frame.columns.str.startswith("g")]:  # all of them the same signal
        frame[name] = frame["g0"] + rng.normal(size=len(frame)).round(6) / 1000
    frame.to_csv(path, index=False)
    _, text = recommendation(path, tmp_path / "out")
    assert "Random features do as well." in text.partition("Expected")[0]


@pytest.mark.parametrize("group", [None, "who"])
def test_random_features_that_predict_perfectly_are_a_leak(tmp_path, group):
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(24), 6)
    X = rng.normal(size=(24, 80))[who] + 0.05 * rng.normal(size=(144, 80))
    frame = pd.DataFrame(X.round(4), columns=[f"g{j}" for j in range(80)])
    frame = frame.assign(who=who, kind=np.where(who < 8, "rare", "usual"))
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "a.csv", index=False)
    asked = replace(FEW, classifiers=("nearest_neighbour",), counts=(10,), repeats=1)
    drop = {"group": group} if group else {"drop": ["who"]}
    found, text = recommendation(tmp_path / "a.csv", tmp_path / "out", asked, **drop)
    said = "Random features predict as well as possible (AUC"
    if group:
        assert found.yardstick.interval("auc").value < 0.8 and said not in text
    else:
        assert f"## Too good to be true? {said}" in text and "if so, give --group." in text


def test_selectors_that_rank_alike_are_tried_once_and_named(tmp_path):
    path = table(tmp_path / "a.csv", n_features=30, gap=0.5)
    alike = ("fisher", "pcc", "corr", "f_statistic")  # all grow with the same F
    asked = replace(FEW, selectors=("fast", *alike), classifiers=("naive_bayes", "svm"))
    found, text = recommendation(path, tmp_path / "out", asked)
    others = ("pcc(sided=two)", "corr", "f_statistic")
    assert found.same == dict.fromkeys(others, "fisher")
    assert set(found.compared["selector"]) == {"none", "random", "fast", "fisher"}
    assert "tried once: fisher = pcc(sided=two) = corr = f_statistic." in text
    assert "Left out" not in text
    comparison, _ = made.prepare(take(path, "kind"), asked, tmp_path / "out")
    done = set(Store(tmp_path / "out").records())
    for name in others:  # the first outer fold and the four inside it tell
        tasks = [t.key for (p, _), every in comparison.tasks.items() if p[0] == name for t in every]
        assert len(done & set(tasks)) == 5


@pytest.mark.parametrize(("largest", "same"), [(100, {"fisher": "s2n(sided=two)"}), (120, {})])
def test_selectors_that_rank_alike_do_so_up_to_the_largest_count(tmp_path, largest, same):
    """They agree on the best 100 features, which a record keeps, and not on those behind."""
    frame = pd.read_csv(table(tmp_path / "a.csv", n_features=130))
    for place in range(100):  # one noise, and smaller and smaller gaps
        frame[f"g{place}"] = frame["g129"] + (300.0 - 2 * place) * (frame["kind"] == "rare")
    frame.loc[frame["kind"] == "rare", "g100":"g128"] *= 3.0
    frame.to_csv(tmp_path / "a.csv", index=False)
    asked = replace(FEW, selectors=("s2n", "fisher"), counts=(5, largest), repeats=1)
    found, _ = compare(tmp_path / "a.csv", tmp_path / "out", asked)
    assert found.same == same
    records = Store(tmp_path / "out").records()
    old = {
        key: {name: value for name, value in record.items() if name != "rest"}
        for key, record in records.items()
    }
    comparison, _ = made.prepare(take(tmp_path / "a.csv", "kind"), asked, tmp_path / "out")
    assert alike(comparison, rankings_of(old)) == same  # unknown is not the same


def test_the_same_answer_twice_with_two_processes_and_after_a_kill(tmp_path):
    taken = take(table(tmp_path / "a.csv"), "kind")
    asked = replace(FEW, selectors=("s2n",), repeats=1)
    first = told_of(taken, asked, tmp_path / "one")
    assert told_of(taken, asked, tmp_path / "two", jobs=2) == first
    kept = (tmp_path / "one" / "records.jsonl").read_bytes()
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "records.jsonl").write_bytes(kept[: len(kept) // 3])  # a torn line
    assert told_of(taken, asked, tmp_path / "three") == first


def test_a_budget_leaves_out_says_so_and_goes_on_where_it_stopped(tmp_path):
    taken = take(table(tmp_path / "a.csv"), "kind")
    records = tmp_path / "out" / "records.jsonl"
    text = told_of(taken, FEW, tmp_path / "out", minutes=0)
    assert "Left out" in text and "any classifier: fast" in text and "1 of 2 repeats" in text
    few = records.read_bytes()
    assert told_of(taken, FEW, tmp_path / "out", minutes=0) == text
    assert records.read_bytes() == few
    text = told_of(taken, FEW, tmp_path / "out")
    every = records.read_bytes()
    assert every.startswith(few) and "Left out" not in text
    keys = [json.loads(line)["key"] for line in every.splitlines()]
    assert len(set(keys)) == len(keys)
    assert told_of(taken, FEW, tmp_path / "out", minutes=90) == text
    assert records.read_bytes() == every


def test_a_class_of_several_is_told_in_balanced_measures(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [12, 15, 20])
    X = rng.normal(size=(47, 8)) + np.repeat([0, 1, 2], [12, 15, 20])[:, None]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]).assign(kind=y)
    frame.to_csv(tmp_path / "m.csv", index=False)
    found, comparison = compare(tmp_path / "m.csv", tmp_path / "out", FEW_CLASSES)
    assert found.procedure.interval("auc").value > 0.8
    assert "s2n" not in {pair[0] for pair in comparison.pairs}


FEW_CLASSES = Asked(selectors=("fisher",), classifiers=("naive_bayes",), counts=(2,), repeats=1)


def test_the_config_that_is_written_runs_and_finds_what_is_done(tmp_path, imbfs):
    path = table(tmp_path / "a.csv", patient=np.arange(48) // 2)
    answered = imbfs(
        "benchmark", path, "--target", "kind", "--group", "patient", "--selectors", "s2n",
        "--classifiers", "naive_bayes", "--features", "2", "--repeats", "1", "--jobs", "1",
        "--out", "mine",
    )  # fmt: skip
    assert answered.code == 0, answered.err
    advice = answered.out.split("\n\n")[1].replace("\n", " ")
    for name in ("recommendation.md", "report.html"):
        assert advice in (tmp_path / "mine" / name).read_text(), name
    assert "Keep" in answered.out and max(map(len, answered.out.splitlines())) <= 80
    assert (tmp_path / "mine" / "report.html").read_text().startswith("<!DOCTYPE html>")
    listed = pd.read_csv(tmp_path / "mine" / "compared.csv")
    assert listed["auc_mean"].between(0, 1).all() and list(listed)[:3] == CANDIDATE
    again = imbfs("run", "mine/config.yaml", "--results", ".", "--jobs", "1")
    assert again.code == 0, again.err
    assert "12 tasks, 12 done before" in again.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--measure", "acu"], "unknown measure 'acu'. Did you mean 'auc'?"),
        (["--measure", "features_used"], "no value of it is best"),
        (["--measure", "jaccard"], "no measure of binary data"),
        (["--selectors", "fats"], "unknown selector 'fats'"),
        (["--selectors", "ml_relieff"], "takes no binary data"),
        (["--classifiers", "own"], "does not go with every selector"),
        (["--features", "99"], "1 to 12"),
        (["--features", "five"], "no number of features"),
        (["--positive", "cat"], "Classes: rare, usual"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(arguments, said, tmp_path, imbfs):
    path = table(tmp_path / "a.csv")
    answered = imbfs("benchmark", path, "--target", "kind", "--out", "o", *arguments)
    assert answered.code == 2
    assert said in answered.err and len(answered.err.strip().splitlines()) == 1


@pytest.mark.parametrize("minority", [2, 3])
def test_too_few_of_a_class_are_refused_with_what_to_do(minority, tmp_path, imbfs):
    path = table(tmp_path / "a.csv", minority=minority)
    answered = imbfs("benchmark", path, "--target", "kind", "--out", "o")
    assert answered.code == 2
    assert f"class 'rare' has {minority} samples" in answered.err
    assert "at least 4" in answered.err and "imbfs select" in answered.err


def test_few_of_a_class_are_compared_with_fewer_folds(tmp_path):
    found, _ = compare(table(tmp_path / "a.csv", minority=5), tmp_path / "out", FEW_CLASSES)
    assert found.folds == 3


def test_groups_too_few_to_part_are_refused(tmp_path, imbfs):
    path = table(tmp_path / "a.csv", patient=np.repeat([0, 1, *range(2, 34)], [8, 8, *[1] * 32]))
    answered = imbfs("benchmark", path, "--target", "kind", "--group", "patient", "--out", "o")
    assert answered.code == 2 and "2 samples or groups" in answered.err
