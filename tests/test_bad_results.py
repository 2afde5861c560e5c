"""Results that are no good: of another version, failed, empty, twice there."""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

CLAIMS = {
    "paper": "P",
    "experiment": "smoke",
    "datasets": ["breast_cancer"],
    "claims": {
        "A1": {
            "where": "here",
            "claim": "s2n exceeds nothing",
            "tests": [{"exceeds": {"these": "s2n", "measure": "auc", "features": 2, "above": 0}}],
        }
    },
}
SMALL = {
    "datasets": ["breast_cancer"],
    "selectors": ["s2n"],
    "classifiers": "naive_bayes",
    "features": [2],
    "tables": [{"summary": {"measure": "auc"}}],
    "figures": [{"curves": {"measure": "auc"}}],
}


@pytest.fixture
def project(imbfs, config, tmp_path):
    """A paper, a config, and its results."""
    (tmp_path / "experiments/one").mkdir(parents=True)
    (tmp_path / "experiments/one/claims.yaml").write_text(yaml.safe_dump(CLAIMS))
    path = config(**SMALL)
    assert imbfs("run", path, "--jobs", 1).code == 0
    return tmp_path


def refused(answer, *parts):
    assert answer.code == 2, (answer.out, answer.err)
    assert answer.err.startswith("imbfs: ") and answer.err.count("\n") == 1
    assert all(part in answer.err for part in parts), answer.err


COMMANDS = {
    "verify": ["verify", "one"],
    "compare": ["compare", "smoke.yaml", "results/smoke"],
    "plot": ["plot", "results/smoke"],
    "table": ["table", "results/smoke"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_newer_version_wrote_is_refused(command, imbfs, project):
    assert imbfs(*COMMANDS[command]).code == 0
    path = project / "results/smoke/run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    refused(imbfs(*COMMANDS[command]), "run.json: was written by a newer imbfs")


@pytest.mark.parametrize("command", [*COMMANDS, "report"])
@pytest.mark.parametrize("what", ["text", "infinity", "pipe"])
def test_a_table_with_anything_in_it_is_taken_or_refused(what, command, imbfs, project):
    (project / "results/smoke/records.jsonl").unlink()
    asked = (COMMANDS | {"report": ["report", "results"]})[command]
    for path in sorted((project / "results/smoke/tables").glob("*.csv")):
        before = path.read_text()
        header, *lines = before.splitlines()
        path.unlink()
        if what == "pipe":
            os.mkfifo(path)
        else:
            value = {"text": "abc", "infinity": "1e999"}[what]
            rows = [",".join([value] * (1 + header.count(","))) for _ in lines]
            path.write_text("\n".join([header, *rows]) + "\n")
        answer = imbfs(*asked)
        if answer.code not in (0, 1) or path.name == "results.csv" and command != "table":
            refused(answer, "")
        path.unlink()
        path.write_text(before)


@pytest.mark.parametrize("command", ["verify", "compare", "plot"])
def test_a_table_with_the_columns_of_another_version_is_refused(command, imbfs, project):
    path = project / "results/smoke/tables/results.csv"
    path.write_text(path.read_text().replace(",missing", ",lost"))
    (project / "results/smoke/records.jsonl").unlink()
    refused(imbfs(*COMMANDS[command]), "results.csv: is no table of results, with the columns")


def test_results_with_failed_tasks_are_judged_and_said_to_be_incomplete(imbfs, config, project):
    # A training fold has 6 or 7 rare samples: too few for 7 neighbours.
    bad = SMALL | {"datasets": ["breast_cancer", "microarray"], "resampling": {"smote": {"k": 7}}}
    assert imbfs("run", config(**bad), "--jobs", 1).code == 1
    about = CLAIMS | {"datasets": ["breast_cancer", "microarray"]}
    (project / "experiments/one/claims.yaml").write_text(yaml.safe_dump(about))
    answer = imbfs("verify", "one")
    assert answer.code == 1
    assert "holds*" in answer.out
    assert answer.err == "Missing: 1 cell of smoke. Make them: imbfs run configs/smoke.yaml\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "all", "--results", "empty"],
        ["compare", "smoke.yaml", "empty"],
        ["plot", "empty"],
        ["table", "empty"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_empty_folder_of_results_is_refused(arguments, imbfs, project):
    Path("empty").mkdir()
    refused(
        imbfs(*arguments), "holds no results" if arguments[0] != "table" else "holds no records"
    )


@pytest.mark.parametrize("command", ["plot", "table"])
def test_two_folders_of_one_experiment_are_refused_together_and_not_alone(command, imbfs, project):
    shutil.copytree(project / "results/smoke", project / "results/smoke_before")
    refused(
        imbfs(command, "results"),
        "results/smoke_before: holds results of smoke, and results/smoke does too.",
    )
    assert imbfs(command, "results/smoke_before").code == 0
    assert imbfs("compare", "results/smoke", "results/smoke_before").code == 0


def test_results_of_another_experiment_are_not_judged(imbfs, project):
    about = CLAIMS | {"experiment": "other"}
    (project / "experiments/one/claims.yaml").write_text(yaml.safe_dump(about))
    shutil.copytree(project / "results/smoke", project / "results/other")
    refused(imbfs("verify", "one"), "results/other/run.json tells of smoke.")


def test_an_unknown_predicate_is_refused(imbfs, project):
    path = project / "experiments/one/claims.yaml"
    path.write_text(path.read_text().replace("exceeds:", "excels:"))
    refused(
        imbfs("verify", "one"), "claims.A1.tests[0]: unknown key 'excels'. Did you mean 'exceeds'?"
    )
