"""The schema that editors use accepts what the loader accepts, and refuses what it refuses."""

import json
from pathlib import Path

import jsonschema
import pytest

from imbfs.selectors import SELECTORS

CONFIGS = sorted((Path(__file__).parent.parent / "configs").glob("*.yaml"))


@pytest.fixture(scope="module")
def validator():
    from imbfs.config.schema import config_schema

    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_config_of_the_project_fits(path, validator):
    from imbfs.config import dialect

    validator.validate(dialect.read(path.read_text()))


BASE = {"name": "x", "datasets": ["wine"], "selectors": ["none"]}


@pytest.mark.parametrize(
    "change",
    [
        {"selectors": "fast"},
        {"selectors": [{"fast": {"K": 5}}, {"mbpa": {"C": [1, 2], "g": {"tune": [0, 0.1]}}}]},
        {"selectors": [{"decomposed": {"scorer": "mi", "K": [2, "ratio"]}}]},
        {"selectors": [{"decomposed": {"scorer": ["mi", {"mi": {"bins": [3, 5]}}]}}]},
        {"datasets": [{"digits": {"positive": 0, "ratios": ["natural", 20, "1:30"]}}]},
        {"datasets": [{"path": "a.csv", "target": "t", "positive": "ill"}]},
        {"datasets": [{"path": "a.csv", "target": "t", "read": {"group": "patient"}}]},
        {"datasets": [{"path": "a.csv", "together": "who.txt", "copies": "apart"}]},
        {"protocol": {"online": {"repeats": 3, "checkpoints": 5}}, "features": ["5%", 3, "all"]},
        {"figures": [{"curves": {"measure": "auc", "x": "percent"}}], "quick": {"repeats": 1}},
        {
            "protocol": {"online": {"part": "fixed"}},
            "classifiers": ["own", "svm"],
            "learners": "own",
        },
        {"features": [5], "figures": [{"points": {"measures": ["auc", "g_mean"], "features": 5}}]},
        {"features": [5], "figures": [{"curves": {"measure": "auc", "x": "ratio", "features": 5}}]},
        {"datasets": [{"wine": {"group": "food"}}, {"path": "a.csv", "group": "own"}]},
        {
            "datasets": [{"wine": {"test": "held_out"}}, {"path": "a.csv", "test": "b.csv"}],
            "protocol": "online",
        },
        {"figures": [{"average": {"measure": "auc", "classifier": "mean", "group": "all"}}]},
        {
            "features": [5],
            "tables": [
                {"stability": {"features": 5}},
                {"within": {"measure": "auc", "features": 5}},
            ],
        },
        {"tables": [{"beside": {"printed": "paper.csv", "features": "best"}}]},
        {
            "features": [5],
            "tables": [
                {
                    "beside": {
                        "printed": "paper.csv",
                        "features": 5,
                        "datasets": {"W": ["wine"]},
                        "methods": {"a": "none", "b": [{"selector": "none", "classifier": "svm"}]},
                        "measures": {"AUROC": "auc"},
                    }
                }
            ],
        },
    ],
)
def test_what_the_loader_accepts_fits(change, validator):
    from imbfs.config import Experiment

    Experiment.model_validate(BASE | change)
    validator.validate(BASE | change)


@pytest.mark.parametrize(
    "change",
    [
        {"selectors": "fasst"},
        {"selectors": [{"fast": {"bins": 5}}]},
        {"selectors": [{"fast": {"K": 0}}]},
        {"selectors": [{"decomposed": {"scorer": "s2n"}}]},
        {"selectors": [{"decomposed": {"scorer": {"mi": {"bin": 3}}}}]},
        {"selectors": [{"decomposed": {"scorer": {"fisher": {"form": "squared"}}}}]},
        {"datasets": [{"digits": {"positiv": 0}}]},
        {"protocol": {"cv": {"folds": 1}}},
        {"measures": ["auk"]},
        {"figures": [{"pie": {"measure": "auc"}}]},
        {"figures": [{"average": {}}]},
        {"figures": [{"average": {"measure": "auc", "features": 5}}]},
        {"features": [5], "tables": [{"stability": {"features": 5, "measure": "auc"}}]},
        {"features": [5], "tables": [{"within": {"measure": "auc"}}]},
        {"features": [5], "tables": [{"within": {"measure": "auc", "features": "best"}}]},
        {"protocol": {"holdout": {"part": "new"}}},
        {"learners": "both"},
        {"datasets": [{"wine": {"test": 3}}]},
        {"colour": "red"},
        {"features": [0]},
    ],
)
def test_what_the_loader_refuses_does_not_fit(change, validator):
    from imbfs.config import Experiment

    with pytest.raises(ValueError):
        Experiment.model_validate(BASE | change)
    assert not validator.is_valid(BASE | change)


def test_schema_prints_it_with_every_selector(imbfs):
    text = json.dumps(json.loads(imbfs("schema").out)["properties"]["selectors"])
    assert all(f'"{name}"' in text for name in SELECTORS)
