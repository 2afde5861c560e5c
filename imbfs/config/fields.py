"""What the fields of a config may hold, each checked where it stands."""

import re
from itertools import chain
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from imbfs.errors import UserError, did_you_mean, lookup
from imbfs.measures import DESCRIPTIVE, MEASURES
from imbfs.methods import Choice, Method, resolve
from imbfs.ranking import feature_count
from imbfs.splits import PROTOCOLS


class Strict(BaseModel):
    """A part of a config: frozen, and no key it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given):
        for key in given if isinstance(given, dict) else ():
            if key not in cls.model_fields:
                hint = did_you_mean(key, cls.model_fields)
                raise UserError(f"unknown key {key!r}.{hint} Known: {', '.join(cls.model_fields)}.")
        return given


def _ratio(given) -> float | None:
    """'natural' (None), a number of majority samples per minority sample, or '1:20'."""
    if given == "natural":
        return None
    if isinstance(given, str) and (match := re.fullmatch(r"1:(\d+(\.\d+)?)", given)):
        given = float(match[1])
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e9:
        raise UserError(f"{given!r} is no ratio. Write natural, or majority per minority: 20.")
    return float(given)


def ratio_label(ratio: float | None) -> str:
    """How tables write a ratio."""
    return "natural" if ratio is None else f"1:{ratio:g}"


def listed(given):
    """A single value stands for a list of one."""
    return given if isinstance(given, list | tuple) else [given]


def _unique(entries: tuple) -> tuple:
    seen = set()
    for entry in entries:
        if entry in seen:
            raise UserError(f"{entry!r} is named twice.")
        seen.add(entry)
    return entries


def chosen_from(table: dict[str, Method], what: str, variants: bool = True):
    """The type of a config field that names methods of `table`, each a name or {name: {...}}.

    Without `variants` the methods are steps, and each takes one value of a parameter.
    """
    entry = Annotated[Any, AfterValidator(lambda given: _resolved(table, given, what, variants))]
    return Annotated[
        tuple[entry, ...],
        BeforeValidator(listed),
        Field(min_length=1, strict=False),
        AfterValidator(_flat),
    ]


def _resolved(table: dict[str, Method], given, what: str, variants: bool) -> list[Choice]:
    choices = resolve(table, given, what)
    if not variants and (len(choices) > 1 or choices[0].tune):
        raise UserError(
            f"{choices[0].name}: a step takes one value of each parameter, not several."
        )
    return choices


def _flat(nested) -> tuple[Choice, ...]:
    choices = tuple(chain.from_iterable(nested))
    _unique(tuple(choice.label for choice in choices))
    return choices


def _protocol(given):
    choices = resolve(PROTOCOLS, given, "protocol")
    if len(choices) > 1 or choices[0].tune:
        raise UserError("an experiment has one protocol; give each parameter one value.")
    return PROTOCOLS[choices[0].name].call(**choices[0].params)


def _name_in(table: dict, what: str):
    return AfterValidator(lambda name: lookup(table, name, what) and name)


def judging(measure: str) -> str:
    """Refuse a measure that describes a run, where the better of two values is asked for."""
    if measure in DESCRIPTIVE:
        raise UserError(f"{measure} describes a run: no value of it is best.")
    return measure


Protocol = Annotated[Any, AfterValidator(_protocol)]
Ratio = Annotated[Any, AfterValidator(_ratio)]
Ratios = Annotated[
    tuple[Ratio, ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
    AfterValidator(lambda ratios: _unique(tuple(map(ratio_label, ratios))) and ratios),
]
Features = Annotated[
    tuple[Annotated[Any, AfterValidator(feature_count)], ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
    AfterValidator(_unique),
]
MeasureName = Annotated[str, _name_in(MEASURES, "measure")]
JudgingMeasure = Annotated[MeasureName, AfterValidator(judging)]
MeasureNames = Annotated[
    tuple[MeasureName, ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
    AfterValidator(_unique),
]
