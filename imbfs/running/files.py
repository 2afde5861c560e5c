"""Models of the JSON files of a results folder."""

from typing import Annotated

from annotated_types import Ge
from pydantic import Field, StrictInt, StrictStr

from imbfs.config.fields import MeasureName
from imbfs.jsonfiles import Moment, Natural, Number, Seconds, Written

_Label = StrictStr
_Planned = tuple[StrictStr, _Label, _Label, _Label, _Label, _Label, StrictInt, StrictInt]


class Counts(Written):
    """The tasks of a run; runs of old did not note their seconds."""

    planned: Natural
    before: Natural
    ran: Natural
    failed: Natural
    cpu_seconds: Seconds = 0.0


class Run(Written):
    """A run; one that was killed has no end and no tasks."""

    start: Moment
    end: Moment | None
    jobs: Annotated[Natural, Ge(1)]
    imbfs: str = ""
    commit: str | None = None
    python: str = ""
    packages: dict[str, str] = {}
    platform: str = ""
    tasks: Counts | None = None
    outside: dict[str, str] = {}


class RunFile(Written):
    """The config of an experiment and its runs."""

    format: Natural
    name: str
    config: str
    quick: bool
    runs: list[Run]


class Problem(Written):
    """What a set is at a ratio."""

    dataset: str
    ratio: str
    group: str
    samples: Natural
    features: Natural
    minority: Natural | None
    majority: Natural | None
    differs: str


class Printed(Written):
    """A value that a paper prints."""

    dataset: str
    method: str
    metric: str
    value: Number | None
    sd: Number | None = None
    ratio: str = ""
    suspect: str = ""


class PlanFile(Written):
    """The key of every task and its labels, and what is told of the data."""

    format: Natural
    measures: list[MeasureName]
    tasks: list[Annotated[_Planned, Field(strict=False)]]
    absent: dict[str, str]
    problems: list[Problem] = []
    printed: dict[str, list[Printed]] = {}
    test_share: Number = 0.0


class PublishedFile(Written):
    """The hash of what tables and figures rest on, and that of each of them."""

    format: Natural
    of: str
    files: dict[str, str]


class BudgetFile(Written):
    """What a comparison of `imbfs benchmark` took so far."""

    format: Natural
    of: str
    seconds: Seconds
    finished: Number
    slow: dict[str, Number]


MODELS = {
    "run.json": RunFile,
    "plan.json": PlanFile,
    "published.json": PublishedFile,
    "budget.json": BudgetFile,
}
