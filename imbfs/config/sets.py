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

STEM = re.compile(r"(\.(csv|tsv|txt|libsvm|svm|mat|arff|npz|npy|parquet))?(\.(gz|bz2|xz|zst))?$")
HELD_OUT = "held_out"  # of a set, in place of the test set that a problem names
_VIEW = ("positive", "negative", "columns", "drop_empty", "sample")


def _group(name: str) -> str:
    if not name.strip() or name in (ALL, EACH):
        raise UserError(f"{name!r} cannot be the name of a group.")
    return name


class DatasetChoice(Strict):
    """A set of the table or a file of the user's own, the view taken of it, and what it overrides.

    `label` is what tables call it, `group` what other sets it is averaged with. `test` is a set of
    the table or a file whose rows it is tested on: then all of its own are for training. `together`
    is a file with a line for every row: no split parts rows with equal lines, nor those of equal
    values in the column `read: {group: COLUMN}`. `copies` says whether a split may part rows with
    the same features: not in a file of the user's own, unless it says so.
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
    test: str | None = None
    together: str | None = None
    copies: Literal["together", "apart"] | None = None

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        base = self.dataset or STEM.sub("", Path(self.path).name)
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
    def test_source(self) -> Source | None:
        """Where its test rows come from, if they are not held out of its own."""
        if self.test is None or self.test == HELD_OUT:
            return None
        impute = self.impute is not None
        if self.test in DATASETS:
            return Source(self.test, impute=impute)
        read = DATASETS[self.source.name].read if self.path is None else self.source.options
        # How many features there are is up to the training file.
        options = {name: value for name, value in read.items() if name != "n_features"}
        return Source(path=self.test, options=options, impute=impute)

    @property
    def keeps_copies(self) -> bool:
        """Whether rows with the same features stay together; named sets are split as papers do."""
        return self.copies == "together" if self.copies else self.path is not None

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


def _found(path, field: str, info: ValidationInfo) -> str:
    """A path as a config writes it, absolute, so that a worker started elsewhere finds it too."""
    try:
        path = Path(str(path)).expanduser()
    except RuntimeError:
        raise UserError(f"{field}: {path}: there is no such home folder.") from None
    return str(((info.context or {}).get("folder", Path()) / path).absolute())


def is_file_name(name: object, folder: Path = Path()) -> bool:
    """Whether it is a file, or called as files are, rather than a set of the table."""
    text = str(name)
    try:
        return STEM.sub("", text) != text or (folder / text).is_file()
    except (OSError, ValueError):  # no path at all
        return False


def _dataset(given, info: ValidationInfo):
    """`name`, `{name: {...}}` or `{path: ..., ...}`, as the keys of a DatasetChoice."""
    folder = (info.context or {}).get("folder", Path())
    if isinstance(given, str):
        given = {given: {}}
    if not isinstance(given, dict):
        raise UserError(
            f"{given!r} is no dataset. Write a name, {{name: {{...}}}} or {{path: ...}}."
        )
    if "path" in given:
        if "dataset" in given:
            raise UserError("unknown key 'dataset'. A file takes a name: to be called by.")
        given = {**given, "path": _found(given["path"], "path", info)}
    elif len(given) == 1:
        name, options = next(iter(given.items()))
        if name not in DATASETS | PROBLEMS and is_file_name(name, folder):
            raise UserError(f"{name!r} is a file. Write {{path: {name}}} for it.")
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
    if isinstance(test := given.get("test"), str) and test not in (HELD_OUT, *DATASETS):
        given = {**given, "test": _found(test, "test", info)}
    if isinstance(given.get("together"), str):
        given = {**given, "together": _found(given["together"], "together", info)}
    return given


NamedSet = Annotated[DatasetChoice, BeforeValidator(_dataset)]
