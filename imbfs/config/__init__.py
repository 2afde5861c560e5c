"""From YAML to a frozen Experiment. Whatever is wrong is said before anything runs."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from imbfs.classifiers import CLASSIFIERS
from imbfs.config import dialect
from imbfs.config.fields import (
    Features,
    JudgingMeasure,
    MeasureNames,
    Protocol,
    Ratios,
    Strict,
    chosen_from,
    listed,
)
from imbfs.config.refusals import refuse_what_is_not_there
from imbfs.config.sets import NamedSet
from imbfs.config.shown import Figure, Table, kind_outside
from imbfs.errors import UserError, did_you_mean
from imbfs.methods import Count, describe, looking_in
from imbfs.prepare import PREPROCESSORS, RESAMPLERS
from imbfs.selectors import SELECTORS
from imbfs.splits import Holdout, Online, Share

_LONGEST = 4 * dialect.LONGEST  # bytes of a text file: no character has more than four
QUICK = "-quick"  # behind the name of an experiment that is cut short


class Tuning(Strict):
    """How `{tune: [...]}` is decided: by a measure on a share of the training part."""

    measure: JudgingMeasure = "auc"
    validation: Share = 0.25


class Quick(Strict):
    """What `--quick` cuts."""

    repeats: Count = 1
    datasets: Annotated[tuple[str, ...], Field(strict=False)] | None = None
    features: Features | None = None


class Experiment(Strict):
    """A config, read and checked: what `imbfs run` carries out."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    description: str = ""
    datasets: Annotated[
        tuple[NamedSet, ...], BeforeValidator(listed), Field(min_length=1, strict=False)
    ]
    ratios: Ratios = (None,)
    ratio_by: Literal["either", "minority", "majority"] = "either"
    rank_on: Literal["training", "all"] = "training"  # all: leakage, to show what it does
    selectors: chosen_from(SELECTORS, "selector")
    classifiers: chosen_from(CLASSIFIERS, "classifier") = Field(("svm",), validate_default=True)
    learners: Literal["all", "own"] = "all"  # own: no other classifier judges a learner's selection
    features: Features = ("all",)
    measures: MeasureNames = ("auc", "g_mean", "f_measure")
    protocol: Protocol = Field("cv", validate_default=True)
    resampling: chosen_from(RESAMPLERS, "resampling") = Field(("none",), validate_default=True)
    preprocess: chosen_from(PREPROCESSORS, "preprocessing step", variants=False) = Field(
        ("none",), validate_default=True
    )
    tuning: Tuning = Tuning()
    seed: int = 0
    figures: (
        Annotated[tuple[Annotated[Figure, BeforeValidator(kind_outside)], ...], Field(strict=False)]
        | None
    ) = None  # a default set; an empty list is none
    tables: Annotated[
        tuple[Annotated[Table, BeforeValidator(kind_outside)], ...], Field(strict=False)
    ] = ()
    quick: Quick = Quick()

    @model_validator(mode="after")
    def _consistent(self):
        labels = [dataset.label for dataset in self.datasets]
        for label in labels:
            if labels.count(label) > 1:
                raise UserError(f"datasets: {label!r} is named twice. Give each a name of its own.")
        for label in self.quick.datasets or ():
            if label not in labels:
                raise UserError(
                    f"quick.datasets: no dataset {label!r}.{did_you_mean(label, labels)} "
                    f"Known: {', '.join(labels)}."
                )
        refuse_what_is_not_there(self)
        _refuse_learners_without_own(self)
        _refuse_leaking_streams(self)
        _refuse_folds_beside_a_test_set(self)
        if any(step.tune for step in self.preprocess) or any(r.tune for r in self.resampling):
            raise UserError("tune: only parameters of selectors and classifiers can be tuned.")
        return self

    @property
    def tunes(self) -> bool:
        """Whether any parameter is left to tuning."""
        return any(choice.tune for choice in (*self.selectors, *self.classifiers))

    @property
    def has_own(self) -> bool:
        """Whether learners are judged by their own decision."""
        return any(classifier.name == "own" for classifier in self.classifiers)

    def cut_short(self) -> "Experiment":
        """The experiment that `--quick` runs, under a name of its own."""
        quick = self.quick
        keep = quick.datasets or [dataset.label for dataset in self.datasets]
        datasets = [d for d in self.datasets if d.label in keep]
        if quick.features:
            datasets = [d.model_copy(update={"features": None}) for d in datasets]
        return self.model_copy(
            update={
                "name": self.name + QUICK,
                "protocol": replace(
                    self.protocol, repeats=min(quick.repeats, self.protocol.repeats)
                ),
                "datasets": tuple(datasets),
                "features": quick.features or self.features,
            }
        )


def _refuse_learners_without_own(experiment: Experiment) -> None:
    if experiment.learners == "own" and not experiment.has_own:
        raise UserError("learners: own needs 'own' among the classifiers.")


def _refuse_leaking_streams(experiment: Experiment) -> None:
    """A stream is learned from its own rows alone: there is nothing that could leak."""
    if not (isinstance(experiment.protocol, Online) and experiment.has_own):
        return
    for selector in experiment.selectors if experiment.rank_on == "all" else ():
        if SELECTORS[selector.name].streams:
            raise UserError(
                f"rank_on: all: {selector.name} learns a stream, and test rows are no part of it. "
                "Rank on training, or leave out the classifier own."
            )


def _refuse_folds_beside_a_test_set(experiment: Experiment) -> None:
    for i, dataset in enumerate(experiment.datasets):
        if dataset.test_source and not isinstance(experiment.protocol, Holdout):
            raise UserError(
                f"datasets[{i}].test: cross-validation tests on folds of {dataset.label}. "
                "Take the protocol holdout or online."
            )


def load(path: Path) -> Experiment:
    """Read a config. Every mistake names the file, the field and what would be right."""
    try:
        return parse(text_of(path), path.parent)
    except UserError as error:
        raise error.within(str(path)) from None


def text_of(path: Path) -> str:
    """The text of a file, or why it cannot be read; it is not read past what a config may hold."""
    try:
        with path.open("rb") as file:
            found = file.read(_LONGEST + 1)
        if len(found) > _LONGEST:
            raise UserError(f"has more than {_LONGEST:,} bytes, and is no config.")
        return found.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise UserError(f"cannot be read: {reason}.") from None


def parse(text: str, folder: Path = Path(), *, importing: bool = True) -> Experiment:
    """Read the text of a config whose paths and modules are relative to `folder`.

    Unless `importing`, methods from outside imbfs are taken on trust: nothing is executed.
    """
    given = dialect.read(text)
    if given is None:
        raise UserError("is empty. See configs/quickstart.yaml for an example.")
    with looking_in(folder if importing else None):
        return checked(Experiment, given, folder=folder)


def checked(model: type[Strict], given: object, **context) -> Strict:
    """The content of a YAML file as a model of it; the first mistake is told with its field."""
    if not isinstance(given, dict):
        raise UserError(f"is a {type(given).__name__}, not a mapping of keys such as name: ...")
    try:
        return model.model_validate(given, context=context)
    except ValidationError as error:
        raise UserError(_worded(error.errors()[0])) from None


def _worded(error: dict) -> str:
    """A pydantic error as `field[2].key: what is wrong.`"""
    place = ""
    for part in error["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, UserError):
        text = str(cause)
    elif error["type"] == "missing":
        text = "is missing."
    else:
        text = describe(error)
    return f"{place}: {text}" if place else text
