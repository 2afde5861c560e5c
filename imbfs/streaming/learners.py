"""Which learners learn from a stream in constant memory, and how one is made."""

from imbfs.errors import UserError
from imbfs.learner import OnlineLearner
from imbfs.methods import Method, resolve
from imbfs.online.pa import SampledONPA
from imbfs.selectors import SELECTORS

# ONPA by its definition keeps all rows of the minority; here there is a bound to them.
LEARNERS = {name: method for name, method in SELECTORS.items() if method.streams}
LEARNERS["onpa"] = Method(SampledONPA, kinds=SELECTORS["onpa"].kinds)


def chosen(name: str, params: dict, features: int | None) -> dict:
    """All parameters of a learner, spelled out and checked."""
    if name not in LEARNERS:
        known = ", ".join(sorted(LEARNERS))
        raise UserError(f"--learner {name}: is no online learner. Those there are: {known}.")
    for key, value in params.items():
        if key == "keep":
            raise UserError("--param keep: give --features.")
        if isinstance(value, list | dict):
            raise UserError(f"--param {key}: one value, not {value}.")
    (choice,) = resolve(LEARNERS, {name: params}, "learner")
    params = choice.params | {"keep": features}
    if made(name, params).by_row:
        raise UserError(
            "--param batch: with one row a batch, memory grows with every row. Give 2 or more."
        )
    return params


def revision(name: str) -> int | str:
    """It changes when a learner's numbers do."""
    return LEARNERS[name].revision


def made(name: str, params: dict) -> OnlineLearner:
    """A learner that knows nothing yet."""
    return LEARNERS[name].call(**params)
