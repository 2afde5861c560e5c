"""Rows that belong together, by a column, a file or as copies, whatever splits them."""

import numpy as np
import pandas as pd
import pytest

from imbfs.config import parse
from imbfs.datasets import Source, load, together
from imbfs.datasets.formats import read
from imbfs.errors import UserError
from imbfs.own.intake import take
from imbfs.running.pipeline.rows import rows_of
from imbfs.running.plan import expand
from imbfs.running.store import Store


def patients(path, n=30, each=6, d=40, ill=10, seed=0):
    """Noise that is nearly the same in all rows of a patient."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), each)
    X = rng.normal(size=(n, d))[who] + 0.05 * rng.normal(size=(n * each, d))
    frame = pd.DataFrame(X.round(4), columns=[f"g{j}" for j in range(d)])
    frame["patient"] = [f"P{i:02d}" for i in who]
    frame["relapse"] = np.where(who < ill, "yes", "no")
    frame.sample(frac=1, random_state=seed).to_csv(path, index=False)
    return path


def copies(path, n=100, rare=12, times=5, d=300, seed=0):
    """Noise whose rare rows are written several times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(4)
    rows = np.r_[np.repeat(np.arange(rare), times), np.arange(rare, n)]
    frame = pd.DataFrame(X[rows], columns=[f"g{j}" for j in range(d)])
    frame["kind"] = np.where(rows < rare, "rare", "usual")
    frame.to_csv(path, index=False)
    return path


def aucs(folder) -> np.ndarray:
    """The area of every fold."""
    rows = [row for record in Store(folder).records().values() for row in record["rows"]]
    return np.array([row["auc"] for row in rows])


def tasks(folder, entry: str, protocol="{cv: {repeats: 1, folds: 3}}"):
    text = f"name: x\nprotocol: {protocol}\ndatasets:\n  - {entry}\nselectors: [none]\n"
    return expand(parse(text, folder)).tasks


def parted(task, numbers: np.ndarray) -> set:
    """Numbers of rows that stand on both sides of the split of a task."""
    train, test = rows_of(task)
    return set(numbers[train.view.rows[train.chosen]]) & set(numbers[test.view.rows[test.chosen]])


def test_a_config_of_init_keeps_the_group_and_run_finds_nothing_in_noise(tmp_path, imbfs):
    path = patients(tmp_path / "a.csv")
    answer = imbfs("init", path, "-t", "relapse", "--group", "patient")
    assert answer.code == 0, answer.err
    only = ("--only", "selector=none", "--only", "classifier=svm", "--jobs", 1)
    assert imbfs("run", tmp_path / "a.yaml", *only).code == 0
    assert aucs(tmp_path / "results" / "a").mean() < 0.7
    text = (tmp_path / "a.yaml").read_text()
    assert "group: patient" in text
    loose = text.replace("group: patient", "drop: [patient]").replace("name: a", "name: loose")
    (tmp_path / "loose.yaml").write_text(loose)
    assert imbfs("run", tmp_path / "loose.yaml", *only).code == 0
    assert aucs(tmp_path / "results" / "loose").mean() > 0.95  # what the group is there for


@pytest.mark.parametrize("protocol", ["{cv: {repeats: 1, folds: 3}}", "{holdout: {repeats: 2}}"])
def test_no_split_of_a_run_parts_a_group_or_copies(tmp_path, protocol):
    copies(tmp_path / "a.csv", d=3)
    who = np.arange(148) // 2
    frame = pd.read_csv(tmp_path / "a.csv").assign(who=who)
    frame.to_csv(tmp_path / "a.csv", index=False)
    same = frame.groupby(["g0", "g1", "g2"], sort=False).ngroup().to_numpy()
    for task in tasks(tmp_path, "{path: a.csv, target: kind, read: {group: who}}", protocol):
        assert not parted(task, who) and not parted(task, same)
    apart = "{path: a.csv, target: kind, read: {group: who}, copies: apart}"
    both = [(parted(t, who), parted(t, same)) for t in tasks(tmp_path, apart, protocol)]
    assert not any(groups for groups, _ in both) and any(repeated for _, repeated in both)


def test_a_run_tells_of_copies_that_it_keeps_together(tmp_path, imbfs):
    path = copies(tmp_path / "a.csv", d=5)
    assert imbfs("init", path, "-t", "kind").code == 0
    answer = imbfs("run", tmp_path / "a.yaml", "--only", "selector=none", "--jobs", 1)
    assert "a: 48 rows repeat the features of an earlier one; no split parts them" in " ".join(
        answer.err.split()
    )
    text = (tmp_path / "a.yaml").read_text().replace("target:", "copies: apart\n    target:")
    (tmp_path / "a.yaml").write_text(text)
    assert "repeat" not in imbfs("plan", tmp_path / "a.yaml").out


def test_named_sets_are_split_as_they_are_unless_the_config_says_otherwise(tmp_path):
    data = load(Source("breast_cancer"))
    first = tasks(tmp_path, "breast_cancer")[0]
    assert together.copied(data) is None and first.setting.together is None
    digits = tasks(tmp_path, "{digits: {positive: 0}}")
    assert digits[0].key == tasks(tmp_path, "{digits: {positive: 0, copies: apart}}")[0].key


def test_keys_change_with_the_groups_and_with_nothing_else(tmp_path):
    path = patients(tmp_path / "a.csv", d=3)

    def keys(entry):
        return [task.key for task in tasks(tmp_path, entry)]

    plain = keys("{path: a.csv, target: relapse, read: {drop: [patient]}}")
    grouped = keys("{path: a.csv, target: relapse, read: {group: patient}}")
    assert not set(plain) & set(grouped)
    (tmp_path / "who.txt").write_text("\n".join(pd.read_csv(path)["patient"]) + "\n")
    by_file = "{path: a.csv, target: relapse, read: {drop: [patient]}, together: who.txt}"
    assert keys(by_file) == grouped  # the same rows together are the same tasks
    frame = pd.read_csv(path)
    frame["patient"] = frame["patient"].str.lower()
    frame.to_csv(path, index=False)
    assert keys("{path: a.csv, target: relapse, read: {group: patient}}") == grouped


def test_a_column_in_the_place_of_a_name_for_sets_is_refused(tmp_path):
    patients(tmp_path / "a.csv", d=3)
    entry = "{path: a.csv, target: relapse, group: patient, read: {%s}}"
    for option in ("drop: [patient]", "texts: encode, drop: [patient]"):
        with pytest.raises(UserError, match=r"write read: \{group: patient\}"):
            tasks(tmp_path, entry % option)
    assert tasks(tmp_path, "{path: a.csv, target: relapse, group: b, read: {group: patient}}")


# Columns of groups in every format that has columns


def test_the_column_of_groups_is_read_and_is_no_feature(tmp_path):
    frame = pd.DataFrame(
        {"who": ["b", "a", "b", "c"], "v": [1.0, 2, 3, 4], "kind": ["x", "x", "y", "y"]}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    rows = "\n".join(",".join(map(str, row)) for row in frame.to_numpy())
    (tmp_path / "a.arff").write_text(
        "@relation a\n@attribute who {a,b,c}\n@attribute v real\n@attribute kind {x,y}\n@data\n"
        f"{rows}\n"
    )
    for name in ("a.csv", "a.parquet", "a.arff"):
        data = read(tmp_path / name, target="kind", group="who")
        assert data.groups.tolist() == [0, 1, 0, 2] and data.names == ("v",)
        with pytest.raises(UserError, match="group: 'kind' is the target"):
            read(tmp_path / name, target="kind", group="kind")
    kept = load(Source(path=str(tmp_path / "a.csv"), options={"target": "kind", "group": "who"}))
    plain = load(Source(path=str(tmp_path / "a.csv"), options={"target": "kind", "drop": ["who"]}))
    assert kept.groups.tolist() == [0, 1, 0, 2] and plain.groups is None
    assert kept.fingerprint == plain.fingerprint


def test_groups_may_stand_beside_the_classes_in_a_second_file(tmp_path):
    (tmp_path / "genes.csv").write_text("gene,s1,s2,s3,s4\na,1,2,3,4\nb,5,6,7,9\n")
    (tmp_path / "pheno.csv").write_text("id,kind,who\ns4,x,p\ns3,x,q\ns2,y,p\ns1,y,r\n")
    options = {"samples": "columns", "read": {"labels": "pheno.csv"}}
    taken = take(tmp_path / "genes.csv", "kind", group="who", **options)
    assert taken.groups.tolist() == [0, 1, 2, 1]
    assert taken.spec["read"]["group"] == "who"


def test_rows_without_a_class_take_their_groups_with_them(tmp_path):
    rows = [(i, f"p{i // 2}", "" if i in (0, 5) else "xy"[i % 3 == 0]) for i in range(12)]
    text = "v,who,kind\n" + "".join(f"{v},{w},{k}\n" for v, w, k in rows)
    (tmp_path / "a.csv").write_text(text)
    taken = take(tmp_path / "a.csv", "kind", group="who", read={"unlabelled": "drop"})
    left = [int(w[1:]) for _, w, k in rows if k]
    assert len(taken.y) == 10
    np.testing.assert_array_equal(
        np.equal.outer(taken.groups, taken.groups), np.equal.outer(left, left)
    )


def test_a_row_without_a_group_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("v,who,kind\n1,a,x\n2,,y\n3,b,x\n4,b,y\n")
    with pytest.raises(UserError, match="sample 2 has no group"):
        take(tmp_path / "a.csv", "kind", group="who")


# Copies in select


def test_copies_of_rows_make_nothing_significant_or_stable(tmp_path):
    from imbfs.own import ranked
    from imbfs.own.selecting import select

    found = stable = 0
    for seed in range(4):
        intake = take(copies(tmp_path / f"{seed}.csv", seed=seed), "kind")
        selection = select(intake, ranked.choices(["auc"], "binary"), k=50, count=30, seed=seed)
        found += selection.significant
        stable += int((selection.table["selected"] >= 0.8).sum())
    assert found <= 1
    assert stable <= 80  # of 1,200; halves that share copies find 180
