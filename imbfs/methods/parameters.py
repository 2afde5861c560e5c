"""The parameters of a method, read off its signature: types, bounds and defaults."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from imbfs.errors import UserError, did_you_mean
from imbfs.methods.method import Method

# Given by the program, never by a config.
SUPPLIED = {
    "self",
    "X",
    "y",
    "keep",
    "seed",
    "random_state",
    "predicted",
    "decision",
    "selected",
    "relevant",
    "used",
    "class_mean",
    "parents",
}

_ASKED = "Input should be "  # how pydantic begins


@cache
def parameters(call: Callable) -> type[BaseModel]:
    """A model of the parameters that `call` takes from a config, read off its signature.

    One without an annotation takes any value; `**name` takes any parameter.
    """
    fields, extra = {}, "forbid"
    for name, parameter in inspect.signature(call, eval_str=True).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
        elif name not in SUPPLIED and parameter.kind is not parameter.VAR_POSITIONAL:
            kind = Any if parameter.annotation is parameter.empty else parameter.annotation
            missing = parameter.default is parameter.empty
            fields[name] = (kind, ... if missing else parameter.default)
    config = ConfigDict(extra=extra, strict=True, arbitrary_types_allowed=True)
    return create_model(getattr(call, "__name__", "method"), __config__=config, **fields)


def checked(method: Method, name: str, given: dict) -> dict:
    """All parameters of the method, checked, defaults included."""
    model = parameters(method.call)
    for key in given if model.model_config["extra"] == "forbid" else ():
        if key not in model.model_fields:
            known = ", ".join(model.model_fields) or "none"
            hint = did_you_mean(key, model.model_fields)
            raise UserError(f"{name} has no parameter {key!r}.{hint} Parameters: {known}.")
    given = {k: v.item() if isinstance(v, np.generic) else v for k, v in given.items()}
    try:
        valid = model.model_validate(given)
    except ValidationError as error:
        first = _first(error.errors())
        raise UserError(f"{name}.{first['loc'][0]}: {describe(first)}") from None
    names = [*model.model_fields, *(valid.model_extra or ())]
    return {key: getattr(valid, key) for key in names}


def check_parameters(estimator) -> None:
    """Refuse constructor parameters of the wrong type or out of bounds, as a config would."""
    given = {k: v for k, v in estimator.get_params(deep=False).items() if k not in SUPPLIED}
    checked(Method(type(estimator)), type(estimator).__name__, given)


def check_finite(estimator, learned: np.ndarray) -> np.ndarray:
    """What an estimator has learned, weights for instance; infinite or NaN, it decides nothing."""
    if not np.isfinite(learned).all():
        raise UserError(
            f"{type(estimator).__name__} learned values that are not finite. Scale the features, "
            "or choose parameters that are less extreme."
        )
    return learned


def _first(errors: list[dict]) -> dict:
    """The first field's error: of a union, all that its members ask of the innermost value."""
    own = [error for error in errors if error["loc"][0] == errors[0]["loc"][0]]
    inner = max(own, key=lambda error: len(error["loc"]))
    same = [error for error in own if error["input"] is inner["input"]]
    asked = [error["msg"] for error in same if error["type"] != "none_required"]
    if not all(one.startswith(_ASKED) for one in asked):
        return inner
    each = dict.fromkeys(one.removeprefix(_ASKED) for one in asked)
    return inner | {"msg": _ASKED + " or ".join(each)}


def describe(error: dict) -> str:
    """What a pydantic error says, in our words."""
    given = error.get("input")
    shown = "" if isinstance(given, dict | list) else f", not {given!r}"
    return f"{error['msg'][0].lower()}{error['msg'][1:]}{shown}."
