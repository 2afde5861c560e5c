"""Entries of the method tables, and how a config entry becomes one, every parameter spelled out.

A method's parameters, their types, bounds and defaults are read off its signature; nothing about
them is written down a second time.
"""

import inspect
import itertools
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from imbfs.errors import UserError, did_you_mean, lookup

BINARY, MULTICLASS, MULTILABEL = "binary", "multiclass", "multilabel"
EVERY_KIND = (BINARY, MULTICLASS, MULTILABEL)

Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Count = Annotated[int, Ge(1)]

# Given by the program, never by a config.
_SUPPLIED = {
    "self",
    "X",
    "y",
    "keep",
    "seed",
    "predicted",
    "decision",
    "selected",
    "relevant",
    "used",
    "class_mean",
    "parents",
}


@dataclass(frozen=True)
class Method:
    """A callable with the revision of its numbers and the kinds of task it can take.

    Bump `revision` when the numbers change on purpose: only this method's tasks run again.
    """

    call: Callable
    revision: int = 1
    kinds: tuple[str, ...] = (BINARY,)

    @property
    def learns(self) -> bool:
        """Whether it is a learner, which ranks features and classifies as well."""
        return inspect.isclass(self.call)

    @property
    def streams(self) -> bool:
        """Whether it is a learner that learns from a stream as it comes."""
        return hasattr(self.call, "progress")

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.call) or "").split("\n")[0]

    @property
    def takes_seed(self) -> bool:
        return "seed" in inspect.signature(self.call).parameters

    def seeded(self, seed: int) -> dict[str, int]:
        """The seed as an argument, for a method that takes one."""
        return {"seed": seed} if self.takes_seed else {}


@dataclass(frozen=True)
class Choice:
    """One method with every parameter fixed, except those in `tune`, chosen on training data."""

    name: str
    revision: int
    params: dict[str, Any]
    tune: dict[str, list] = field(default_factory=dict)
    label: str = ""

    def identity(self) -> dict:
        """All that can change its result; the label cannot."""
        return {
            "name": self.name,
            "revision": self.revision,
            "params": self.params,
            "tune": self.tune,
        }

    def candidates(self) -> list[dict[str, Any]]:
        """The parameter settings to try: one, unless something is tuned."""
        names = list(self.tune)
        values = itertools.product(*self.tune.values())
        return [self.params | dict(zip(names, combination, strict=True)) for combination in values]


class Inner(dict):
    """A choice as the value of another method's parameter: a dictionary, written as its label.

    It holds all that can change a result, and so the key of a task does.
    """

    def __init__(self, choice: Choice):
        identity = choice.identity()
        super().__init__({name: identity[name] for name in ("name", "revision", "params")})
        # Without the space, so that only the outer method's parameters are parted by ", ".
        self.label = choice.label.replace(", ", ",")

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Entries:
    """Marks a parameter whose value is an entry of a table, written as in a config."""

    table: Callable[[], dict[str, Method]]
    what: str

    def each(self, entry) -> list[Inner]:
        """The choices that an entry stands for."""
        if isinstance(entry, Inner):
            return [entry]
        choices = resolve(self.table(), entry, self.what)
        if any(choice.tune for choice in choices):
            raise UserError(f"a {self.what} is tuned as a whole: {{tune: [...]}} in its place.")
        return [Inner(choice) for choice in choices]

    def read(self, label: str) -> Inner:
        """The choice that a label stands for."""
        name, params = read_label(self.table(), re.sub(r",(?=\w+=)", ", ", label))
        return self.each({name: params})[0]


def entries(method: Method) -> dict[str, Entries]:
    """The parameters of a method whose values are entries of a table."""
    fields = parameters(method.call).model_fields
    return {
        key: mark for key, f in fields.items() for mark in f.metadata if isinstance(mark, Entries)
    }


def resolve(table: dict[str, Method], entry: str | dict, what: str) -> list[Choice]:
    """Spell out a config entry: a name, or {name: {parameter: value}}.

    A list of values makes one choice each; {tune: [...]} leaves the value to an inner validation.
    """
    if isinstance(entry, dict) and len(entry) == 1:
        name, given = next(iter(entry.items()))
        given = {} if given is None else given
    elif isinstance(entry, str):
        name, given = entry, {}
    else:
        raise UserError(f"{entry!r} is no {what}. Write a name, or {{name: {{parameter: value}}}}.")
    method = lookup(table, name, what)
    if not isinstance(given, dict):
        raise UserError(f"{name}: {given!r} are no parameters. Write {{parameter: value}}.")
    given = _spelled_out(method, name, given)
    tune = {key: value["tune"] for key, value in given.items() if _is_tuned(value)}
    for key, values in tune.items():
        if not isinstance(values, list) or not values:
            raise UserError(f"{name}.{key}.tune: {values!r} is no list of values to try.")
        tune[key] = [_checked(method, name, {key: value})[key] for value in values]
    fixed = {key: value for key, value in given.items() if key not in tune}
    choices = []
    for setting in _grid(name, fixed):
        # A tuned parameter stands under `tune` alone: its default can change nothing.
        params = _checked(method, name, setting | {key: tune[key][0] for key in tune})
        params = {key: value for key, value in params.items() if key not in tune}
        label = _label(name, setting, tune, method)
        choices.append(Choice(name, method.revision, params, tune, label))
    return choices


def read_label(table: dict[str, Method], label: str) -> tuple[str, dict[str, Any]]:
    """The name and all parameters, defaults included, of the choice that a label stands for.

    A parameter that was left to tuning is read as `tuned`.
    """
    match = re.fullmatch(r"(\w+)(?:\((.+)\))?", label)
    name, inside = match.groups() if match else (label, None)
    method = lookup(table, name, "method")
    pairs = [pair.partition("=") for pair in re.split(r", (?=\w+=)", inside or "") if pair]
    shown = {key: text for key, _, text in pairs}
    tuned = {key: text for key, text in shown.items() if text == "tuned"}
    given = {k: _long(method, name, k, text) for k, text in shown.items() if k not in tuned}
    return name, resolve(table, {name: given}, "method")[0].params | tuned


def check_parameters(estimator) -> None:
    """Refuse constructor parameters of the wrong type or out of bounds, as a config would."""
    given = {k: v for k, v in estimator.get_params(deep=False).items() if k not in _SUPPLIED}
    _checked(Method(type(estimator)), type(estimator).__name__, given)


@cache
def parameters(call: Callable) -> type[BaseModel]:
    """A model of the parameters that `call` takes from a config, read off its signature."""
    fields = {}
    for name, parameter in inspect.signature(call, eval_str=True).parameters.items():
        if name not in _SUPPLIED and parameter.kind is not parameter.VAR_KEYWORD:
            missing = parameter.default is parameter.empty
            fields[name] = (parameter.annotation, ... if missing else parameter.default)
    config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
    return create_model(call.__name__, __config__=config, **fields)


def describe(error: dict) -> str:
    """What a pydantic error says, in our words."""
    given = error.get("input")
    shown = "" if isinstance(given, dict | list) else f", not {given!r}"
    return f"{error['msg'][0].lower()}{error['msg'][1:]}{shown}."


def _checked(method: Method, name: str, given: dict) -> dict:
    """All parameters of the method, checked, defaults included."""
    model = parameters(method.call)
    for key in given:
        if key not in model.model_fields:
            known = ", ".join(model.model_fields) or "none"
            hint = did_you_mean(key, model.model_fields)
            raise UserError(f"{name} has no parameter {key!r}.{hint} Parameters: {known}.")
    given = {k: v.item() if isinstance(v, np.generic) else v for k, v in given.items()}
    try:
        checked = model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{name}.{first['loc'][0]}: {describe(first)}") from None
    return {key: getattr(checked, key) for key in model.model_fields}


def _spelled_out(method: Method, name: str, given: dict) -> dict:
    """The parameters with those in front that are entries of a table, given or not."""
    spelled = {}
    for key, mark in entries(method).items():
        value = given.get(key, parameters(method.call).model_fields[key].default)
        tuned = _is_tuned(value) and isinstance(value["tune"], list)
        values = value["tune"] if tuned else value if isinstance(value, list) else [value]
        try:
            inner = [one for entry in values for one in mark.each(entry)]
        except UserError as error:
            raise error.within(f"{name}.{key}") from None
        spelled[key] = {"tune": inner} if tuned else inner
    return spelled | {key: value for key, value in given.items() if key not in spelled}


def _is_tuned(value) -> bool:
    return isinstance(value, dict) and set(value) == {"tune"}


def _grid(name: str, given: dict) -> list[dict]:
    axes = []
    for key, value in given.items():
        values = value if isinstance(value, list) else [value]
        if not values:
            raise UserError(f"{name}.{key}: an empty list names no value.")
        axes.append([(key, v) for v in values])
    return [dict(combination) for combination in itertools.product(*axes)]


def _label(name: str, setting: dict, tune: dict, method: Method) -> str:
    """The name, with what differs from the defaults: `fast(K=5)`, `svm(C=tuned)`."""
    defaults = {k: f.default for k, f in parameters(method.call).model_fields.items()}
    shown = [f"{k}={_short(v)}" for k, v in setting.items() if v != defaults[k]]
    shown += [f"{k}=tuned" for k in tune]
    return f"{name}({', '.join(shown)})" if shown else name


def _short(value) -> str:
    return str(value) if isinstance(value, str | Inner) else json.dumps(value)


def _long(method: Method, name: str, key: str, text: str):
    """The value that `_short` wrote; text, unless the parameter takes what it reads as."""
    if key in entries(method):
        return entries(method)[key].read(text)
    with suppress(ValueError):  # of JSON, and a UserError too
        return _checked(method, name, {key: json.loads(text)})[key]
    return text
