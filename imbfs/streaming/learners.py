"""Which learners can learn from a stream in constant memory, and how one is made."""

from imbfs.errors import UserError
from imbfs.methods import resolve
from imbfs.online.learner import RowLearner
from imbfs.selectors import SELECTORS


def names() -> list[str]:
    """The learners that keep nothing of the rows they have seen."""
    return sorted(
        name
        for name, method in SELECTORS.items()
        if method.learns and issubclass(method.call, RowLearner) and not method.call.keeps_rows
    )


def chosen(name: str, params: dict, features: int | None) -> dict:
    """All parameters of a learner, spelled out and checked."""
    known = names()
    if name not in known:
        method = SELECTORS.get(name)
        why = "is no online learner"
        if method is not None and method.streams:
            why = "keeps rows it has seen, so that its memory has no bound"
        raise UserError(f"--learner {name}: {why}. Those that are taken: {', '.join(known)}.")
    for key, value in params.items():
        if key == "keep":
            raise UserError("--param keep: give --features.")
        if isinstance(value, list | dict):
            raise UserError(f"--param {key}: one value, not {value}.")
    (choice,) = resolve(SELECTORS, {name: params}, "learner")
    return choice.params | {"keep": features}


def revision(name: str) -> int | str:
    """It changes when a learner's numbers do."""
    return SELECTORS[name].revision


def made(name: str, params: dict) -> RowLearner:
    """A learner that knows nothing yet."""
    return SELECTORS[name].call(**params)
