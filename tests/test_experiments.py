"""What the experiments rest on: choices made by a config, results of the configs that are here."""

import csv
import json
from pathlib import Path

import pytest

from imbfs.config import load
from imbfs.showing.settings import written

ROOT = Path(__file__).parent.parent
PUBLISHED = sorted(path.parent for path in (ROOT / "results").glob("*/run.json"))


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


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda path: path.name)
def test_published_results_are_of_the_config_that_is_here(folder):
    kept = json.loads((folder / "run.json").read_text())
    assert kept["config"] == (ROOT / "configs" / f"{folder.name}.yaml").read_text()
    assert not kept["quick"]


def test_every_config_has_published_results():
    configs = {path.stem for path in (ROOT / "configs").glob("*.yaml")}
    assert {folder.name for folder in PUBLISHED} == configs
