"""Entries of the method tables, and how a config entry becomes one, every parameter spelled out.

A method's parameters, their types, bounds and defaults are read off its signature; nothing about
them is written down a second time. A name becomes a method in one place, `Methods.find`.
"""

from imbfs.methods.choices import Choice, Entries, Inner, entries, read_label, resolve
from imbfs.methods.known import Methods, Outside
from imbfs.methods.method import (
    BINARY,
    EVERY_KIND,
    MULTICLASS,
    MULTILABEL,
    Count,
    Finite,
    Limit,
    Method,
    NonNegative,
    Positive,
    read_only,
)
from imbfs.methods.modules import looking_in
from imbfs.methods.outside import check_scores, from_callable
from imbfs.methods.parameters import check_finite, check_parameters, describe, parameters

__all__ = [
    "BINARY",
    "EVERY_KIND",
    "MULTICLASS",
    "MULTILABEL",
    "Choice",
    "Count",
    "Entries",
    "Finite",
    "Inner",
    "Limit",
    "Method",
    "NonNegative",
    "Outside",
    "Positive",
    "Methods",
    "check_finite",
    "check_parameters",
    "check_scores",
    "describe",
    "entries",
    "from_callable",
    "looking_in",
    "parameters",
    "read_label",
    "read_only",
    "resolve",
]
