"""The sets that a config names: those of the table, the papers' problems, files of one's own."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from imbfs.config.fields import Features, Ratios, Strict, listed
from imbfs.config.shown import ALL, EACH
from imbfs.datasets import DATASETS, PROBLEMS, Source
from imbfs.errors import UserError, lookup
from imbfs.methods import Count

_STEM = re.compile(r"(\.(csv|tsv|txt|libsvm|svm|mat|arff|npz|npy|parquet))?(\.(gz|bz2|xz|zst))?$")
_VIEW = ("positive", "negative", "columns", "drop_empty", "sample")


def _group(name: str) -> str:
    if not name.strip() or name in (ALL, EACH):
        raise UserError(f"{name!r} cannot be the name of a group.")
    return name


class DatasetChoice(Strict):
    """A set of the table or a file of the user's own, the view taken of it, and what it overrides.

    `label` is what tables call it, `group` what other sets it is averaged with.
    """

    dataset: str | None = None
    path: str | None = None
    target: str | int | None = None
    format: str | None = None
    read: dict[str, Any] = Field(default_factory=dict)
    name: str | None = None
    positive: Any = None
    negative: Any = None
    columns: Count | None = None
    drop_empty: bool = False
    sample: dict[Literal["positive", "negative"], Count] | None = None
    impute: Literal["median"] | None = None
    ratios: Ratios | None = None
    features: Features | None = None
    group: Annotated[str, AfterValidator(_group)] | None = None

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        base = self.dataset or _STEM.sub("", Path(self.path).name)
        return base if self.positive is None else f"{base}:{self._written(self.positive)}"

    @property
    def source(self) -> Source:
        impute = self.impute is not None
        if self.path is None:
            problem = PROBLEMS.get(self.dataset)
            return Source(problem.dataset if problem else self.dataset, impute=impute)
        named = {"target": self.target, "format": self.format}
        options = {name: value for name, value in named.items() if value is not None}
        return Source(path=self.path, options=self.read | options, impute=impute)

    @property
    def view(self) -> dict:
        """The options of the view that are given; the others change nothing."""
        if self.dataset in PROBLEMS:
            return PROBLEMS[self.dataset].view
        options = {name: getattr(self, name) for name in _VIEW}
        return {k: v for k, v in options.items() if v is not None and v is not False}

    @staticmethod
    def _written(positive) -> str:
        return "+".join(map(str, positive)) if isinstance(positive, list) else str(positive)


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(f"path: {path}: there is no such home folder.") from None


def _dataset(given, info: ValidationInfo):
    """`name`, `{name: {...}}` or `{path: ..., ...}`, as the keys of a DatasetChoice."""
    if isinstance(given, str):
        given = {given: {}}
    if not isinstance(given, dict):
        raise UserError(
            f"{given!r} is no dataset. Write a name, {{name: {{...}}}} or {{path: ...}}."
        )
    if "path" in given:
        if "dataset" in given:
            raise UserError("unknown key 'dataset'. A file takes a name: to be called by.")
        folder = (info.context or {}).get("folder", Path())
        # Absolute, so that a worker started elsewhere finds it too.
        given = {**given, "path": str((folder / _at_home(str(given["path"]))).absolute())}
    elif len(given) == 1:
        name, options = next(iter(given.items()))
        lookup(DATASETS | PROBLEMS, name, "dataset")
        if options is not None and not isinstance(options, dict):
            raise UserError(f"{name}: {options!r} are no options. Write {{key: value}}.")
        fixed = ("dataset", "path", "target", "format", "read", "impute")
        for key in (*fixed, *(_VIEW if name in PROBLEMS else ())):
            if key in (options or {}):
                raise UserError(f"{name}: {key!r} is settled by the table.")
        given = {"dataset": name, **(options or {})}
    else:
        raise UserError(f"{', '.join(map(str, given))}: write {{name: {{...}}}} or {{path: ...}}.")
    if given.get("negative") is not None:
        given = {**given, "negative": listed(given["negative"])}
    return given


NamedSet = Annotated[DatasetChoice, BeforeValidator(_dataset)]
