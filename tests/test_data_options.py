"""The data options of init, select and benchmark: the same ones, and printed commands that run."""

import shlex

import numpy as np
import pytest

import imbfs.cli

SHARED = {"target", "positive", "group", "drop", "samples", "read"}
FAST = {
    "select": ["--resamples", "2", "-j", "1", "-m", "auc"],
    "benchmark": [
        "--minutes", "0", "--selectors", "s2n", "--classifiers", "naive_bayes", "--features", "1",
        "--repeats", "1", "-j", "1",
    ],
    "run": ["-j", "1", "--only", "selector=auc", "--only", "classifier=naive_bayes"],
}  # fmt: skip


def rows(n=40):
    """Features, classes and patients of some samples."""
    rng = np.random.default_rng(3)
    y = ["ill" if i % 4 == 0 else "well" for i in range(n)]
    X = rng.normal(size=(n, 3)).round(3) + np.array([[label == "ill"] for label in y])
    return X, y


def plain(folder):
    X, y = rows()
    lines = [
        "a,b,c,class",
        *(",".join([*map(str, x), label]) for x, label in zip(X, y, strict=True)),
    ]
    (folder / "a.csv").write_text("\n".join(lines))
    return ["a.csv", "-t", "class"]


def blank_names(folder):
    X, y = rows()
    lines = ["the patient,a,the leak's,other,the class"]
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        lines.append(f"p{i // 2},{x[0]},{label},{x[1]},{label if i else ''}")
    (folder / "my folder").mkdir()
    (folder / "my folder" / "my data.csv").write_text("\n".join(lines))
    return [
        "my folder/my data.csv", "--target", "the class", "--drop", "the leak's", "--drop", "other",
        "--read", "unlabelled=drop", "--positive", "well",
    ]  # fmt: skip


def groups(folder):
    X, y = rows()
    lines = ["patient,a,b,class"]
    lines += [
        f"p{i // 2},{x[0]},{x[1]},{label}" for i, (x, label) in enumerate(zip(X, y, strict=True))
    ]
    (folder / "g.csv").write_text("\n".join(lines))
    return ["g.csv", "-t", "-1", "--group", "patient"]


def genes_in_rows(folder):
    X, y = rows()
    lines = ["gene," + ",".join(f"s{i}" for i in range(len(y)))]
    lines += [f"g{j}," + ",".join(map(str, column)) for j, column in enumerate(X.T)]
    (folder / "genes.csv").write_text("\n".join(lines))
    lines = [f"s{i},{i % 7},{label}" for i, label in enumerate(y)]
    (folder / "the classes.csv").write_text("\n".join(["id,age,state", *reversed(lines)]))
    return [
        "genes.csv", "--samples", "columns", "--read", "labels=the classes.csv", "-t", "state",
    ]  # fmt: skip


def without_names(folder):
    X, y = rows()
    lines = [
        f"{x[0]},{i % 7},{label},{x[1]}" for i, (x, label) in enumerate(zip(X, y, strict=True))
    ]
    (folder / "n.csv").write_text("\n".join(lines))
    return ["n.csv", "-t", "-2", "--drop", "1"]


def test_the_three_commands_share_their_data_options():
    import typer

    known = typer.main.get_command(imbfs.cli.app).commands
    told = {}
    for name in ("init", "select", "benchmark"):
        params = {param.name: param for param in known[name].params}
        assert set(params) >= SHARED
        told[name] = [(params[key].opts, params[key].help) for key in sorted(SHARED)]
    assert told["init"] == told["select"] == told["benchmark"]


@pytest.mark.parametrize("make", [plain, blank_names, groups, genes_in_rows, without_names])
def test_the_commands_that_init_prints_run_as_they_stand(make, imbfs, tmp_path):
    answer = imbfs("init", *make(tmp_path))
    assert answer.code == 0, answer.err
    commands = [shlex.split(line) for line in answer.out.split("Next:")[1].strip().splitlines()]
    assert [command[:2] for command in commands] == [["imbfs", name] for name in FAST]
    seen = answer.out.splitlines()[1]
    for _, name, *arguments in commands:
        again = imbfs(name, *arguments, *FAST[name])
        assert again.code == 0, again.err
        assert name == "run" or seen in again.out.splitlines()


@pytest.mark.parametrize(
    ("options", "said"),
    {
        "a day": (["-m", "2020-13-45"], "unknown selector '2020-13-45'"),
        "a false tag": (["-m", "!!int x"], "--method !!int x: is not YAML"),
        "a date": (["-m", "!!timestamp 2020-01-01"], "!!timestamp 2020-01-01: is not YAML"),
        "brackets": (["-m", "[" * 3000], "is nested too deeply"),
        "a date for a word": (["--read", "texts=2020-01-01"], "texts: input should be 'error' or"),
        "a set": (["--read", "labels=!!set {a}"], "--read labels !!set {a}: is not YAML"),
        "a NUL": (["--read", 'labels="\\0"'], "is no path of a file"),
        "a number for a switch": (["--read", "header=1"], "header: input should be a valid"),
        "another way to fill in": (["--read", "impute=mean"], "impute: 'mean' is unknown"),
        "no option": (["--read", "heder=true"], "csv has no option 'heder'. Did you mean"),
        "an option of the command": (["--read", "drop=a"], "--read drop: give it as --drop"),
    }.values(),
)  # fmt: skip
def test_values_of_any_type_are_refused_in_one_line(options, said, imbfs, tmp_path):
    answer = imbfs("select", *plain(tmp_path), "--resamples", "2", "-j", "1", *options)
    assert answer.code == 2
    assert said in answer.err and len(answer.err.strip().splitlines()) == 1


def test_method_reads_numbers_as_configs_do(imbfs, tmp_path):
    answer = imbfs(
        "select", *plain(tmp_path), "--resamples", "2", "-j", "1", "-m", "{mbpa: {C: 1e-3}}"
    )
    assert answer.code == 0, answer.err
    assert "mbpa(C=0.001)" in (tmp_path / "a-selected" / "selected.csv").read_text()
