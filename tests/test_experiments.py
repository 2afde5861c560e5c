"""What the experiments rest on: choices made by a config, results of the configs that are here."""

import csv
import json
from pathlib import Path

import pytest

from imbfs.config import QUICK, load
from imbfs.methods import read_label
from imbfs.selectors import SELECTORS
from imbfs.showing.settings import written

ROOT = Path(__file__).parent.parent
PUBLISHED = sorted(path.parent for path in (ROOT / "results").glob("*/run.json"))
PUBLISHED = [folder for folder in PUBLISHED if not folder.name.endswith(QUICK)]


def test_the_parameters_of_ofs_pa_are_those_that_its_defaults_chose():
    table = ROOT / "results" / "ofs_pa_defaults" / "tables" / "settings_g_mean.csv"
    with table.open() as file:
        chosen = next(csv.DictReader(file))
    for selector in load(ROOT / "configs" / "ofs_pa.yaml").selectors:
        if selector.name != "ofs":
            assert written(selector.params["C"]) == chosen["C"]
            assert written(selector.params["g"]) == chosen["g"]


def test_the_parameters_were_chosen_on_other_orders_than_those_of_the_results():
    names = ("ofs_pa", "ofs_pa_defaults", "ofs_pa_sensitivity")
    assert len({load(ROOT / "configs" / f"{name}.yaml").seed for name in names}) == 3


def test_what_is_suspect_in_the_tables_of_yin_2013_is_told_by_their_numbers():
    sizes = {"cns": (30, 60), "lymph": (19, 58), "ovary": (16, 50), "nips": (40, 160)}  # Table 3
    twins = {"cns": "ovary", "ovary": "cns"}
    for name in ("table4", "table5"):
        rows = printed("yin2013", name)
        for (dataset, metric, method), (value, suspect) in rows.items():
            twin = twins.get(dataset)
            own, other = ([rows.get((d, metric, m)) for m in FOUR] for d in (dataset, twin))
            alike = method in FOUR and [v and v[0] for v in own] == [v and v[0] for v in other]
            marks = [f"the same as on {twin}"] * alike
            marks += [] if value or "NaN" in suspect else ["missing"]
            marks += ["printed as NaN"] * ("NaN" in suspect and not value)
            if metric == "auc":
                marks += ["below chance"] * (float(value) < 0.5)
                two = [rows[dataset, f, method][0] for f in ("f_rare", "f_major")]
                least = least_auc(*map(float, two), *sizes[dataset]) if all(two) else 0.0
                needs = least > float(value) + 0.01  # more than rounding explains
                marks += [f"its two F need {least:.2f} or more"] * needs
            assert suspect == "; ".join(marks)


FOUR = ("mi", "d-mi", "fisher", "d-fisher")


def printed(paper, name):
    with (ROOT / "experiments" / paper / "published" / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {(r["dataset"], r["metric"], r["method"]): (r["value"], r["suspect"]) for r in rows}


def least_auc(f_rare, f_major, n_rare, n_major):
    """The least AUC of a decision whose labels have these two F.

    With tp = a e and tn = b e, where e = fp + fn, a = F / 2(1 - F), and (a + b + 1) e = n. The ROC
    curve passes through (1 - tn / n_major, tp / n_rare) and never falls: the area right of that
    point is at least tp / n_rare * tn / n_major.
    """
    a, b = f_rare / (2 - 2 * f_rare), f_major / (2 - 2 * f_major)
    e = (n_rare + n_major) / (a + b + 1)
    return a * e / n_rare * b * e / n_major


@pytest.mark.parametrize("name", ["table2", "table3"])
def test_csfs_is_printed_as_the_best_in_every_column_of_liu_2017(name):
    with (ROOT / "experiments" / "liu2017" / "published" / f"{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for row in rows:
        columns.setdefault((row["dataset"], row["metric"]), {})[row["method"]] = float(row["value"])
        assert 0 < float(row["sd"]) < 0.1 < float(row["value"]) < 1
    assert len(rows) == 24 and [len(column) for column in columns.values()] == [6] * 4
    tied = {"CSFS", "RFS"}  # 98.50 both, by the accuracy on usps
    for place, column in columns.items():
        best = {method for method, value in column.items() if value == max(column.values())}
        assert best == (tied if place == ("usps", "accuracy") else {"CSFS"})


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda path: path.name)
def test_published_results_are_of_the_config_that_is_here(folder):
    kept = json.loads((folder / "run.json").read_text())
    assert kept["config"] == (ROOT / "configs" / f"{folder.name}.yaml").read_text()
    assert not kept["quick"]


def test_every_config_has_published_results():
    configs = {path.stem for path in (ROOT / "configs").glob("*.yaml")}
    assert {folder.name for folder in PUBLISHED} == configs


def test_the_parameters_of_ascw_are_those_that_its_defaults_chose():
    """The best of each method by mean F; loss and start tell methods apart, other fields do not."""
    table = ROOT / "results" / "ascw_defaults" / "tables" / "average_f_measure.csv"
    with table.open() as file:
        rows = [row for row in csv.DictReader(file) if row["classifier"] == "own"]
    best = {}
    for row in sorted(rows, key=lambda row: float(row["mean"])):
        name, params = read_label(SELECTORS, row["selector"])
        best[name, params.get("loss"), params.get("start")] = params
    used = [choice for choice in load(ROOT / "configs" / "ascw.yaml").selectors]
    learners = [choice for choice in used if SELECTORS[choice.name].learns]
    assert {(c.name, c.params.get("loss"), c.params.get("start")) for c in learners} == set(best)
    for choice in learners:
        chosen = best[choice.name, choice.params.get("loss"), choice.params.get("start")]
        # CSOAL is there with and without a budget of features.
        assert choice.params | {"budget": None} == chosen | {"budget": None}, choice.label
