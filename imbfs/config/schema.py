"""The JSON schema of a config, with the names of all methods and what each of them takes."""

from copy import deepcopy

from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Experiment, Figure, Table
from imbfs.config.shown import BEST, Shown
from imbfs.datasets import DATASETS, PROBLEMS
from imbfs.datasets.formats import FORMATS
from imbfs.measures import MEASURES
from imbfs.methods import Method, Methods, entries, parameters
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.selectors import SELECTORS
from imbfs.splits import PROTOCOLS

_METHODS = {
    "selectors": SELECTORS,
    "classifiers": CLASSIFIERS,
    "resampling": RESAMPLERS,
    "preprocess": PREPROCESSORS,
}
# What a config may say of a named problem.
_OVERRIDES = ("name", "ratios", "features", "group", "test")
_COUNT = {"type": "integer", "minimum": 1}
_RATIO = {"anyOf": [{"const": "natural"}, {"type": "number"}, {"type": "string"}]}
_FEATURES = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"const": "all"},
        {"type": "string", "pattern": "%$"},
    ]
}
_TEXT = {"type": "string"}
_ADDRESS = r"^[\w.]+:\w+$"  # of a method from outside imbfs
_OURS = {
    "type": "object",
    "properties": dict.fromkeys(("selector", "classifier", "resampling"), _TEXT),
    "required": ["selector"],
    "additionalProperties": False,
}


def config_schema() -> dict:
    """A schema that editors complete from: keys, names, parameters and their bounds."""
    properties = {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "datasets": _one_or_more(_dataset()),
        "ratios": _one_or_more(_RATIO),
        "ratio_by": {"enum": ["either", "minority", "majority"]},
        "rank_on": {"enum": ["training", "all"]},
        "learners": {"enum": ["all", "own"]},
        "features": _one_or_more(_FEATURES),
        "measures": _one_or_more({"enum": list(MEASURES)}),
        "protocol": _methods(PROTOCOLS, grid=False),
        "tuning": _model(Experiment.model_fields["tuning"].annotation),
        "seed": {"type": "integer"},
        "figures": {"type": "array", "items": _by_kind(Figure)},
        "tables": {"type": "array", "items": _by_kind(Table)},
        "quick": {
            "type": "object",
            "properties": {
                "repeats": {"type": "integer", "minimum": 1},
                "datasets": {"type": "array", "items": {"type": "string"}},
                "features": _one_or_more(_FEATURES),
            },
            "additionalProperties": False,
        },
    }
    for field, table in _METHODS.items():
        properties[field] = _one_or_more(_methods(table))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "imbfs experiment",
        "type": "object",
        "properties": {name: properties[name] for name in Experiment.model_fields},
        "required": [n for n, f in Experiment.model_fields.items() if f.is_required()],
        "additionalProperties": False,
    }


def _one_or_more(item: dict) -> dict:
    return {"anyOf": [item, {"type": "array", "items": item, "minItems": 1}]}


def _methods(table: dict[str, Method], grid: bool = True) -> dict:
    """A name, or {name: {parameter: value}}; a value may be a list, or {tune: [...]}.

    Of methods from outside imbfs the names alone are known: package.module:name, and entry points.
    """
    named = {name: _parameters(method, grid) for name, method in table.items()}
    if not isinstance(table, Methods):
        return {"anyOf": [{"enum": list(table)}, _exactly_one(named)]}
    anything = {"type": ["object", "null"]}
    brought = dict.fromkeys(table.brought(), anything)
    address = {"type": "string", "pattern": _ADDRESS}
    one = {**_exactly_one(brought | named), "patternProperties": {_ADDRESS: anything}}
    return {"anyOf": [{"enum": list(brought | named)}, address, one]}


def _parameters(method: Method, grid: bool) -> dict:
    schema = parameters(method.call).model_json_schema()
    inner = {name: _methods(mark.table()) for name, mark in entries(method).items()}
    given = {}
    for name, value in schema.get("properties", {}).items():
        value = {key: part for key, part in value.items() if key not in ("title", "default")}
        value = inner.get(name, value)
        several = {"type": "array", "items": value, "minItems": 1}
        tuned = {"type": "object", "properties": {"tune": several}, "required": ["tune"]}
        given[name] = {"anyOf": [value, several, tuned]} if grid else value
    return {
        "type": ["object", "null"],
        "description": method.summary,
        "properties": given,
        "additionalProperties": False,
    }


def _dataset() -> dict:
    label = {"type": ["string", "number"]}
    options = {
        "name": {"type": "string"},
        "positive": _one_or_more(label),
        "negative": _one_or_more(label),
        "columns": _COUNT,
        "drop_empty": {"type": "boolean"},
        "sample": {
            "type": "object",
            "properties": dict.fromkeys(
                ("positive", "negative"), {"type": "integer", "minimum": 1}
            ),
            "additionalProperties": False,
        },
        "impute": {"const": "median"},
        "ratios": _one_or_more(_RATIO),
        "features": _one_or_more(_FEATURES),
        "group": {"type": "string", "description": "Sets of one group are averaged together."},
        "test": {"type": "string"},
        "together": {
            "type": "string",
            "description": "A file with a line for every row: no split parts rows of equal lines.",
        },
        "copies": {
            "enum": ["together", "apart"],
            "description": "Whether a split may part rows with the same features.",
        },
    }
    view = {"type": ["object", "null"], "properties": options, "additionalProperties": False}
    own = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "target": {"type": ["string", "integer"]},
            "format": {"enum": list(FORMATS)},
            "read": {
                "type": "object",
                "description": "Options of the reader. group: the column, such as the patient, "
                "whose rows no split parts.",
            },
            **options,
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    posed = {"type": ["object", "null"], "properties": {k: options[k] for k in _OVERRIDES}}
    named = {name: {**view, "description": d.summary} for name, d in DATASETS.items()}
    named |= {name: {**posed, "additionalProperties": False} for name in PROBLEMS}
    return {"anyOf": [{"enum": list(named)}, _exactly_one(named), own]}


def _exactly_one(properties: dict) -> dict:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }


def _by_kind(model: type[Shown]) -> dict:
    """{kind: {option: ...}} for each kind the model knows, with the options of that kind."""
    options = _model(model)
    kinds = options["properties"].pop("kind")["enum"]
    return _exactly_one({kind: _of_kind(model, deepcopy(options), kind) for kind in kinds})


def _of_kind(model: type[Shown], options: dict, kind: str) -> dict:
    for option, kinds in model.of_kinds.items():
        if kind not in kinds:
            del options["properties"][option]
    if kind == "beside":
        options["properties"]["features"]["anyOf"].append({"const": BEST})
    return {**options, "required": model.needs(kind)}


def _model(model) -> dict:
    schema = model.model_json_schema()
    schema.pop("title", None)
    for name, value in schema["properties"].items():
        value.pop("title", None)
        if name == "measure":
            schema["properties"][name] = {"enum": list(MEASURES)}
        if name == "features":
            value.update(_FEATURES)
        if name == "measures":
            schema["properties"][name] = _one_or_more({"enum": list(MEASURES)})
    if "printed" in schema["properties"]:
        schema["properties"] |= _printed()
    return {key: value for key, value in schema.items() if key != "$defs"}


def _printed() -> dict:
    """What the names of a printed table stand for."""
    own = {
        "datasets": _one_or_more(_TEXT),
        "methods": _one_or_more({"anyOf": [_TEXT, _OURS]}),
        "measures": _one_or_more({"enum": list(MEASURES)}),
    }
    return {name: {"type": "object", "additionalProperties": of} for name, of in own.items()}
