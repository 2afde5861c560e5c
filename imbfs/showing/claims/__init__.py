"""What a paper claims and how each claim is tested: claims.yaml of its folder, read and checked.

A test names a predicate and what it is about; all tolerances stand in the file. No claim has Python
of its own: who reads the file can check the check.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from imbfs.config import QUICK, checked, dialect, text_of
from imbfs.config.fields import Ratios, Strict, listed, ratio_label
from imbfs.config.shown import MEAN
from imbfs.errors import UserError, lookup
from imbfs.methods import read_label
from imbfs.selectors import SELECTORS
from imbfs.showing.claims.predicates import Exceeds, Names, Predicate, Under
from imbfs.showing.claims.predicates.comparisons import Beats, Gains, Ties, Top, Within
from imbfs.showing.claims.predicates.leads import Leads
from imbfs.showing.claims.predicates.picks import Picks
from imbfs.showing.claims.predicates.rows import Above, AllTrue, Below, Flips, Rows
from imbfs.showing.claims.predicates.shapes import Falls, LevelsOff, Peaks, Rises, Stable
from imbfs.showing.claims.view import About, Approach, Selector

FILE = "claims.yaml"

Folder = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Script = Annotated[str, Field(pattern=r"^[\w/.-]+\.py$")]
Parts = Annotated[
    tuple[Literal["test", "progressive"], ...],
    BeforeValidator(listed),
    Field(min_length=1, strict=False),
]


class Test(Strict):
    """One predicate with its options."""

    __test__ = False  # pytest takes it for one of its own

    beats: Beats | None = None
    ties: Ties | None = None
    stable: Stable | None = None
    rises: Rises | None = None
    falls: Falls | None = None
    levels_off: LevelsOff | None = None
    peaks: Peaks | None = None
    top: Top | None = None
    leads: Leads | None = None
    within: Within | None = None
    exceeds: Exceeds | None = None
    under: Under | None = None
    picks: Picks | None = None
    gains: Gains | None = None
    all_true: AllTrue | None = None
    below: Below | None = None
    above: Above | None = None
    flips: Flips | None = None

    @model_validator(mode="after")
    def _one(self):
        if len(self.model_fields_set) != 1 or None in self._given.values():
            raise UserError(f"a test is one of {', '.join(type(self).model_fields)}, with options.")
        return self

    @property
    def _given(self) -> dict[str, Predicate | Rows | None]:
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}

    @property
    def kind(self) -> str:
        return next(iter(self._given))

    @property
    def predicate(self) -> Predicate | Rows:
        return self._given[self.kind]


class Claim(Strict):
    """A claim in our words, where the paper makes it, and the tests it must pass.

    `needs` says in how many cells: all of them, or most. `experiment`, `parts` and `datasets` are
    those of the paper, and `ratios` all that there are, unless given. A claim that is tested on the
    tables of a `script` names it, and one that cannot be tested here says why: `untestable`. A
    question of our `own` is answered like a claim, and not counted among the paper's.
    """

    where: str
    claim: str
    experiment: Folder | None = None
    needs: Literal["all", "most"] = "all"
    parts: Parts | None = None
    datasets: Names | None = None
    ratios: Ratios | None = None
    script: Script | None = None
    untestable: str | None = None
    own: bool = False
    tests: Annotated[tuple[Test, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _told_by_one(self):
        if bool(self.tests) == bool(self.untestable):
            raise UserError("tests: a claim has some, or says why it is untestable.")
        for i, test in enumerate(self.tests):
            if isinstance(test.predicate, Rows) != bool(self.script):
                those = "looks at a table" if self.script is None else "looks at no table"
                raise UserError(
                    f"tests[{i}].{test.kind}: {those} that a script writes. "
                    f"{'Name the script.' if self.script is None else 'Its claim names a script.'}"
                )
        return self

    @property
    def measured(self) -> bool:
        """Whether it is tested on the results of an experiment."""
        return self.script is None and self.untestable is None


class Headline(Strict):
    """A value that a reader looks for: what is printed, and the cell of a table that answers it.

    `why` says in a few words what we think makes the difference, or that there is none.
    """

    say: str
    printed: str | float
    table: str
    row: dict[str, Any]
    column: str = "mean"
    why: str


class Paper(Strict):
    """The claims of a paper, and the results they are tested on.

    `setting` names values of parameters where the experiment sweeps any: it must leave one setting.
    `sensitivity` is another experiment, in every setting of which the claims are tested too. Where
    variants are readings of the paper and no sweep, `readings` says which selector each takes a
    name for, and they are the settings. `approaches` are names for selectors, which may have a
    resampling or a classifier of their own. `headlines` are what an overview shows of it.
    """

    paper: str
    experiment: Folder
    sensitivity: Folder | None = None
    setting: dict[str, Any] = Field(default_factory=dict)
    readings: dict[str, dict[str, Selector]] = Field(default_factory=dict)
    approaches: dict[str, Approach] = Field(default_factory=dict)
    parts: Parts = ("test",)
    datasets: Names
    notes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    headlines: Annotated[tuple[Headline, ...], Field(strict=False)] = ()
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

    @model_validator(mode="after")
    def _known_methods(self):
        for place, claim, predicate in self._predicates():
            if predicate.averaged is not None and self.parts_of(claim) != ("test",):
                raise UserError(f"{place}.averaged: there are averages of the part test alone.")
            for role, names in predicate.named.items():
                for i, name in enumerate(names):
                    try:
                        self._check(name, predicate)
                    except UserError as error:
                        raise error.within(f"{place}.{role}[{i}]") from None
        return self

    def _predicates(self) -> Iterator[tuple[str, Claim, Predicate]]:
        """Every predicate with the place it stands in and the claim it tests."""
        for name, claim in self._measured.items():
            for i, test in enumerate(claim.tests):
                yield f"claims.{name}.tests[{i}].{test.kind}", claim, test.predicate

    def _check(self, name: str, predicate: Predicate) -> None:
        """A method is a selector, a variant of one by its label, or an approach of the paper."""
        if name in self.approaches:
            if self.approaches[name].classifier == MEAN and predicate.averaged is None:
                raise UserError(f"{name!r} is a mean over classifiers. Say what is averaged.")
        else:
            lookup(SELECTORS, name.partition("(")[0], "selector")
            read_label(SELECTORS, name)

    @property
    def _measured(self) -> dict[str, Claim]:
        return {name: claim for name, claim in self.claims.items() if claim.measured}

    @property
    def experiments(self) -> tuple[str, ...]:
        """Those that claims are tested on, the paper's first."""
        named = (claim.experiment or self.experiment for claim in self._measured.values())
        return tuple(dict.fromkeys((self.experiment, *named)))

    def on(self, experiment: str) -> "Paper":
        """The paper with the claims that are tested on one experiment."""
        home = self.experiment if experiment == self.sensitivity else experiment
        own = {n: c for n, c in self._measured.items() if (c.experiment or self.experiment) == home}
        return self.model_copy(update={"experiment": experiment, "claims": own})

    def cut_short(self) -> "Paper":
        """The paper with its claims on the experiments that `--quick` runs."""
        claims = {
            name: claim.model_copy(update={"experiment": claim.experiment + QUICK})
            if claim.experiment
            else claim
            for name, claim in self.claims.items()
        }
        swept = self.sensitivity and self.sensitivity + QUICK
        named = {"experiment": self.experiment + QUICK, "sensitivity": swept, "claims": claims}
        return self.model_copy(update=named)

    def approach(self, name: str, labels: dict[str, str]) -> Approach:
        """What the name of a method stands for in a setting with these labels."""
        found = self.approaches.get(name) or Approach(selector=name)
        return found.model_copy(update={"selector": labels.get(found.selector, found.selector)})

    def about(self, claim: Claim) -> About:
        """The sets and ratios that a claim is about."""
        ratios = claim.ratios and tuple(map(ratio_label, claim.ratios))
        return About(claim.datasets or self.datasets, ratios)

    def parts_of(self, claim: Claim) -> tuple[str, ...]:
        """The parts that a claim is tested on."""
        return claim.parts or self.parts


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
        paper = checked(Paper, given)
        for name, claim in paper.claims.items():
            if (
                claim.script is not None
                and not (path.absolute().parents[2] / claim.script).exists()
            ):
                raise UserError(f"claims.{name}.script: there is no {claim.script}.")
        return paper
    except UserError as error:
        raise error.within(str(path)) from None
