"""What a paper claims and how each claim is tested: claims.yaml of its folder, read and checked.

A test names a predicate and what it is about; all tolerances stand in the file. No claim has Python
of its own: who reads the file can check the check.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from imbfs.config import checked, dialect, text_of
from imbfs.config.fields import Strict, listed
from imbfs.errors import UserError, lookup
from imbfs.showing.claims.predicates import (
    Beats,
    Exceeds,
    LevelsOff,
    Predicate,
    Rises,
    Stable,
)

FILE = "claims.yaml"

Names = Annotated[tuple[str, ...], BeforeValidator(listed), Field(min_length=1, strict=False)]
Folder = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


class Test(Strict):
    """One predicate with its options."""

    __test__ = False  # pytest takes it for one of its own

    beats: Beats | None = None
    stable: Stable | None = None
    rises: Rises | None = None
    levels_off: LevelsOff | None = None
    exceeds: Exceeds | None = None

    @model_validator(mode="after")
    def _one(self):
        if len(self.model_fields_set) != 1 or None in self._given.values():
            raise UserError(f"a test is one of {', '.join(type(self).model_fields)}, with options.")
        return self

    @property
    def _given(self) -> dict[str, Predicate | None]:
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}

    @property
    def kind(self) -> str:
        return next(iter(self._given))

    @property
    def predicate(self) -> Predicate:
        return self._given[self.kind]


class Claim(Strict):
    """A claim in our words, where the paper makes it, and the tests it must pass.

    `needs` says in how many cells: all of them, or most. `datasets` are all of the paper's unless
    given.
    """

    where: str
    claim: str
    needs: Literal["all", "most"] = "all"
    datasets: Names | None = None
    tests: Annotated[tuple[Test, ...], Field(min_length=1, strict=False)]


class Paper(Strict):
    """The claims of a paper, and the results they are tested on.

    `setting` names values of parameters where the experiment sweeps any: it must leave one setting.
    `sensitivity` is another experiment, in every setting of which the claims are tested too.
    """

    paper: str
    experiment: Folder
    sensitivity: Folder | None = None
    setting: dict[str, Any] = Field(default_factory=dict)
    parts: Annotated[
        tuple[Literal["test", "progressive"], ...], Field(min_length=1, strict=False)
    ] = ("test",)
    datasets: Names
    notes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    claims: Annotated[dict[str, Claim], Field(min_length=1)]

    @model_validator(mode="after")
    def _known_datasets(self):
        for name, claim in self.claims.items():
            for dataset in claim.datasets or ():
                try:
                    lookup(dict.fromkeys(self.datasets), dataset, "dataset")
                except UserError as error:
                    raise error.within(f"claims.{name}.datasets") from None
        return self

    def about(self, claim: Claim) -> tuple[str, ...]:
        """The sets that a claim is about."""
        return claim.datasets or self.datasets


def papers(folder: Path) -> dict[str, Path]:
    """The claims files below a folder of experiments, by paper."""
    found = {path.parent.name: path for path in sorted(folder.glob(f"*/{FILE}"))}
    if not found:
        raise UserError(f"{folder}: holds no paper with a {FILE}.")
    return found


def load(path: Path) -> Paper:
    """Read a claims file. Every mistake names the file, the field and what would be right."""
    try:
        given = dialect.read(text_of(path))
        return checked(Paper, given)
    except UserError as error:
        raise error.within(str(path)) from None
