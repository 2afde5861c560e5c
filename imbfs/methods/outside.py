"""Methods from outside imbfs: what is at `package.module:name`, checked before anything runs."""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from imbfs.errors import UserError, did_you_mean
from imbfs.methods import modules
from imbfs.methods.method import BINARY, EVERY_KIND, Method
from imbfs.methods.parameters import SUPPLIED, parameters

ADDRESS = r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*"  # package.module:name

_LEARNER = ("fit", "decision_function", "decide", "keeps", "bounded", "uses")


def unread(**parameters) -> None:
    """From outside imbfs, and not imported."""
    raise RuntimeError("a method that was not imported cannot be called")


def from_address(address: str, what: str, kinds: tuple[str, ...]) -> Method:
    """The method at `package.module:name`, whose parameters are read off its signature.

    `kinds` are those it takes unless it says so itself, in an attribute of that name.
    """
    if not re.fullmatch(ADDRESS, address):
        raise UserError(f"{address!r} names no {what}. Write package.module:name.")
    home, _, name = address.partition(":")
    module = modules.imported(home, address)
    if not hasattr(module, name):
        known = [key for key in vars(module) if not key.startswith("_")]
        place = getattr(module, "__file__", None) or "built in"
        hint = did_you_mean(name, known)
        raise UserError(f"{address}: the module {home} ({place}) has no {name!r}.{hint}")
    call = getattr(module, name)
    method = from_callable(call, address, what, kinds)
    revision = modules.revision(module, call)
    return replace(method, revision=revision, home=modules.home(module))


def from_callable(
    call: Callable, name: str, what: str = "selector", kinds: tuple[str, ...] = (BINARY,)
) -> Method:
    """A function or class as a method of this name, or why it cannot be one."""
    if not callable(call):
        raise UserError(f"{name}: is a {type(call).__name__}, which cannot be called: no {what}.")
    try:
        taken = list(inspect.signature(call, eval_str=True).parameters.values())
        model = parameters(call)
    except Exception as error:  # whatever annotations may do
        raise UserError(f"{name}: its signature cannot be read: {modules.line(error)}.") from None
    given = ("X", "y", "seed") if what == "selector" else ("seed",)
    if inspect.isclass(call) or what == "selector":
        _check_shape(call, name, what, [parameter.name for parameter in taken])
    for key, field in model.model_fields.items():
        if not field.is_required() and not _is_plain(field.default):
            raise UserError(f"{name}: the default of {key} is no plain value: {field.default!r}.")
    for parameter in taken:
        required = parameter.default is parameter.empty and parameter.name in SUPPLIED
        if required and parameter.name not in given:
            raise UserError(f"{name}: {parameter.name!r} is no name for a parameter of a {what}.")
    return Method(call, kinds=_kinds(call, name, kinds), outside=True)


def check_scores(name: str, scores: object, n_features: int) -> np.ndarray:
    """The scores that a filter returned: a number a feature, none of them NaN."""
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "biuf":
        kind = scores.dtype if isinstance(scores, np.ndarray) else type(scores).__name__
        raise UserError(f"{name} returned {kind}, not an array of numbers.")
    if scores.shape != (n_features,):
        raise UserError(
            f"{name} returned an array of shape {scores.shape}, not one score for each of the "
            f"{n_features} features."
        )
    undefined = np.isnan(scores).sum()
    if undefined:
        raise UserError(f"{name} returned NaN for {undefined} of the {n_features} features.")
    return scores


def _check_shape(call: Callable, name: str, what: str, taken: list[str]) -> None:
    if what != "selector":
        lacks = [part for part in ("fit", "predict") if not hasattr(call, part)]
        if lacks:
            raise UserError(f"{name}: is no classifier: it has no {' and no '.join(lacks)}.")
    elif inspect.isclass(call):
        lacks = [part for part in _LEARNER if not hasattr(call, part)]
        if lacks:
            raise UserError(
                f"{name}: is no learner, without {', '.join(lacks)}. Derive it from imbfs.Learner."
            )
    elif taken[:2] != ["X", "y"]:
        raise UserError(
            f"{name}({', '.join(taken)}): a selector is a function of X and y, in this order, and "
            "its parameters."
        )


def _kinds(call: Callable, name: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    kinds = getattr(call, "kinds", usual)
    if not isinstance(kinds, tuple | list) or not kinds or not set(kinds) <= set(EVERY_KIND):
        raise UserError(f"{name}.kinds: {kinds!r} are not among {', '.join(EVERY_KIND)}.")
    return tuple(kinds)


def _is_plain(value: object) -> bool:
    """Whether a config could have given it: it goes into the key of a task."""
    try:
        return bool(json.dumps(value))
    except (TypeError, ValueError):
        return False
