"""Which problems there are, and which of them are averaged together."""

from pathlib import Path

import pandas as pd

from imbfs.config.shown import ALL, EACH
from imbfs.errors import UserError
from imbfs.showing import markup

_COLUMNS = ["dataset", "ratio", "group", "samples", "features", "minority", "majority", "differs"]
_EVERY = "all problems"


def problems(plan: dict) -> pd.DataFrame:
    """What every set is at every ratio; nothing if the plan does not tell it."""
    frame = pd.DataFrame(plan.get("problems", []), columns=_COLUMNS)
    return frame.astype(dict.fromkeys(_COLUMNS[3:7], "Int64"))


def read(path: Path) -> pd.DataFrame:
    """The problems as problems.csv tells them; none without such a table."""
    if not path.exists():
        return pd.DataFrame(columns=_COLUMNS)
    try:
        frame = markup.texts(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}.") from None
    if list(frame.columns) != _COLUMNS:
        raise UserError(f"{path}: is no table of problems, with the columns {', '.join(_COLUMNS)}.")
    return frame


def grouped(frame: pd.DataFrame, told: pd.DataFrame) -> pd.DataFrame:
    """The frame with the `group` of every set that is told; empty where there is none."""
    groups = dict(zip(told["dataset"], told["group"], strict=True))
    return frame.assign(group=frame["dataset"].map(lambda name: groups.get(name, "")))


def members(frame: pd.DataFrame, wanted: str) -> dict[str, list[str]]:
    """The sets of every group that is wanted, by its name; all problems come last.

    Where there are no groups, and where one has all sets, all problems are alone.
    """
    groups = frame.drop_duplicates("dataset").set_index("dataset")["group"]
    named = {name: list(groups.index[groups == name]) for name in groups.unique() if name}
    if wanted not in (EACH, ALL):
        return {wanted: named.get(wanted, [])}
    several = wanted == EACH and list(groups.index) not in named.values()
    return (named if several else {}) | {_EVERY: list(groups.index)}
