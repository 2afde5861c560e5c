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
        "a word for a separator": (["--read", "separator=dot"], "separator: 'dot' separates no"),
        "half a switch": (["--read", "comments=maybe"], "comments: input should be a valid"),
        "no option": (["--read", "heder=true"], "csv has no option 'heder'. Did you mean"),
        "an option of the command": (["--read", "drop=a"], "--read drop: give it as --drop"),
    }.values(),
)  # fmt: skip
def test_values_of_any_type_are_refused_in_one_line(options, said, imbfs, tmp_path):
    answer = imbfs("select", *plain(tmp_path), "--resamples", "2", "-j", "1", *options)
    assert answer.code == 2
    assert said in answer.err and len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["init", "select", "benchmark"])
def test_the_help_names_every_option_of_the_reader_of_csv(command, imbfs):
    import inspect

    from imbfs.datasets.formats import FORMATS

    shown = " ".join(imbfs(command, "--help").out.replace("│", " ").split())
    options = set(inspect.signature(FORMATS["csv"]).parameters)
    for name in options - {"path", "target", "group", "drop", "samples"}:
        assert f"{name}=" in shown


@pytest.mark.parametrize("command", ["init", "select", "benchmark"])
def test_how_the_file_was_read_is_printed(command, imbfs, tmp_path):
    X, y = rows()
    lines = [f"{a};{b};{c if i else ''}" for i, ((a, b, _), c) in enumerate(zip(X, y, strict=True))]
    text = "# by Anna\n#\nage;dose;class\n" + "\n".join(lines).replace(".", ",")
    (tmp_path / "a.csv").write_text(text)
    ready = ["a.csv", "-t", "class", *FAST.get(command, [])]
    answer = imbfs(command, *ready)
    assert answer.code == 2
    assert "sample 1 has no class. To leave out" in answer.err
    answer = imbfs(command, *ready, "--read", "unlabelled=drop")
    assert answer.code == 0, answer.err
    said = "read as CSV: separator ';', decimal ',', header yes, 2 comments, 1 row dropped"
    assert said in " ".join(answer.out.split())
    assert max(map(len, answer.out.split("\n\n")[0].splitlines()[:4])) <= 80


def test_how_a_file_is_written_can_be_said(imbfs, tmp_path):
    X, y = rows()
    lines = [f"#{i}|{a}|{b}|{c}" for i, ((a, b, _), c) in enumerate(zip(X, y, strict=True))]
    (tmp_path / "a.txt").write_text("\n".join(lines).replace(".", ","))
    read = ("separator=|", "decimal=,", "header=no", "comments=no")
    options = [word for option in read for word in ("--read", option)]
    answer = imbfs("init", "a.txt", "-t", "-1", *options)
    assert answer.code == 0, answer.err
    assert "40 samples, 2 features; 10 of ill, 30 of well" in answer.out
    assert "separator '|', decimal ',', header no, 0 comments" in " ".join(answer.out.split())
    again = imbfs("run", "a.yaml", *FAST["run"])
    assert again.code == 0, again.err


def test_method_reads_numbers_as_configs_do(imbfs, tmp_path):
    answer = imbfs(
        "select", *plain(tmp_path), "--resamples", "2", "-j", "1", "-m", "{mbpa: {C: 1e-3}}"
    )
    assert answer.code == 0, answer.err
    assert "mbpa(C=0.001)" in (tmp_path / "a-selected" / "selected.csv").read_text()
