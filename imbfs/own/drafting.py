"""A commented config for a file of the user's own, which `imbfs run` takes as it is."""

import re
from pathlib import Path

import yaml

from imbfs.config.sets import STEM
from imbfs.errors import one_line
from imbfs.measures import MEASURES
from imbfs.methods import MULTICLASS
from imbfs.own import ranked, told
from imbfs.own.intake import Intake

_MEASURES = ("auc", "prc", "g_mean", "f_measure", "micro_f1")
_FEATURES = (5, 10, 20, 50, 100, 200)
_TEXT = """\
# Written by imbfs init. {saw}
{warnings}name: {name}
datasets:
{datasets}
# Another ratio is imposed by leaving rows out: [natural, 20] adds 20 majority per minority sample.
ratios: [natural]

# All features (none) and random ones belong into every comparison; imbfs list selectors has more.
selectors: {selectors}
classifiers: {classifiers}
features: {features}
measures: {measures}

# {repeats} times {folds} folds; selection, preprocessing and tuning see the training folds alone.
protocol: {{cv: {{repeats: {repeats}, folds: {folds}}}}}
preprocess: standardize
seed: 0
"""


def name_of(path: Path) -> str:
    """The name of a file as an experiment may have it."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", STEM.sub("", path.name))
    return name if re.match(r"[A-Za-z0-9]", name) else f"mine{name}"


def draft(intake: Intake, config: Path) -> str:
    """The text of the config, to be kept at that path."""
    path = Path(intake.spec["path"])
    beside = path.absolute().parent == config.absolute().parent
    spec = {**intake.spec, "path": path.name if beside else str(path.absolute())}
    smallest, n_features = min(intake.independent.values()), intake.X.shape[1]
    measures = [name for name in _MEASURES if intake.kind in MEASURES[name].kinds]
    if intake.kind != MULTICLASS:
        measures.remove("micro_f1") if "micro_f1" in measures else None
    return _TEXT.format(
        saw=one_line(told.saw(intake)),
        warnings="".join(f"# Note: {one_line(line)}.\n" for line in intake.warnings),
        name=name_of(path),
        datasets=_indented(_dumped([spec], flow=False)),
        selectors=_dumped(["none", "random", *ranked.DEFAULT[intake.kind]]),
        classifiers="[svm, naive_bayes]",
        features=_dumped([k for k in _FEATURES if k < n_features] or [n_features]),
        measures=_dumped(measures),
        folds=max(2, min(4, smallest)),
        repeats=5,
    )


def _dumped(value, flow: bool = True) -> str:
    text = yaml.safe_dump(
        value, default_flow_style=flow, allow_unicode=True, sort_keys=False, width=10_000
    )
    return text.rstrip("\n")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
