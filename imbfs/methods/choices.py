"""Choices: a config entry with every parameter spelled out, and the label it goes by in tables."""

import itertools
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from imbfs.errors import UserError, lookup
from imbfs.methods.known import Methods
from imbfs.methods.method import Method
from imbfs.methods.parameters import checked, parameters


@dataclass(frozen=True)
class Choice:
    """One method with every parameter fixed, except those in `tune`, chosen on training data."""

    name: str
    revision: int | str
    params: dict[str, Any]
    tune: dict[str, list] = field(default_factory=dict)
    label: str = ""
    home: str = ""  # the folder that a method from outside imbfs is imported from

    def identity(self) -> dict:
        """All that can change its result; the label and the folder cannot."""
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
    method = _found(table, name, what)
    if not isinstance(given, dict):
        raise UserError(f"{name}: {given!r} are no parameters. Write {{parameter: value}}.")
    given = _spelled_out(method, name, given)
    tune = {key: value["tune"] for key, value in given.items() if _is_tuned(value)}
    for key, values in tune.items():
        if not isinstance(values, list) or not values:
            raise UserError(f"{name}.{key}.tune: {values!r} is no list of values to try.")
        tune[key] = [checked(method, name, {key: value})[key] for value in values]
    fixed = {key: value for key, value in given.items() if key not in tune}
    choices = []
    for setting in _grid(name, fixed):
        # A tuned parameter stands under `tune` alone: its default can change nothing.
        params = checked(method, name, setting | {key: tune[key][0] for key in tune})
        params = {key: value for key, value in params.items() if key not in tune}
        label = _label(name, setting, tune, method)
        choices.append(Choice(name, method.revision, params, tune, label, method.home))
    return choices


def read_label(table: dict[str, Method], label: str) -> tuple[str, dict[str, Any]]:
    """The name and all parameters, defaults included, of the choice that a label stands for.

    A parameter that was left to tuning is read as `tuned`. A method from outside imbfs is not
    imported: its parameters are those that the label shows, which are all that the config gave.
    """
    match = re.fullmatch(r"([\w.:]+)(?:\((.+)\))?", label)
    name, inside = match.groups() if match else (label, None)
    pairs = [pair.partition("=") for pair in re.split(r", (?=\w+=)", inside or "") if pair]
    shown = {key: text for key, _, text in pairs}
    if isinstance(table, Methods) and table.is_outside(name):
        return name, {key: _plain(text) for key, text in shown.items()}
    method = lookup(table, name, "method")
    tuned = {key: text for key, text in shown.items() if text == "tuned"}
    given = {k: _long(method, name, k, text) for k, text in shown.items() if k not in tuned}
    return name, resolve(table, {name: given}, "method")[0].params | tuned


def _found(table: dict[str, Method], name: str, what: str) -> Method:
    """The method of that name; one of Methods knows those from outside imbfs too."""
    return table.find(name, what) if isinstance(table, Methods) else lookup(table, name, what)


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
    """The name, with what differs from the defaults: `fast(K=5)`, `svm(C=tuned)`.

    Of a method from outside imbfs all that was given, so that no label rests on its source.
    """
    defaults = {k: f.default for k, f in parameters(method.call).model_fields.items()}
    shown = [f"{k}={_short(v)}" for k, v in setting.items() if method.outside or v != defaults[k]]
    shown += [f"{k}=tuned" for k in tune]
    return f"{name}({', '.join(shown)})" if shown else name


def _short(value) -> str:
    return str(value) if isinstance(value, str | Inner) else json.dumps(value)


def _plain(text: str):
    """The value that `_short` wrote, of a parameter that nothing is known of."""
    with suppress(ValueError):
        return json.loads(text)
    return text


def _long(method: Method, name: str, key: str, text: str):
    """The value that `_short` wrote; text, unless the parameter takes what it reads as."""
    if key in entries(method):
        return entries(method)[key].read(text)
    with suppress(ValueError):  # of JSON, and a UserError too
        return checked(method, name, {key: json.loads(text)})[key]
    return text
