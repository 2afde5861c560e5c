"""Words, colours, lines and markers, the same in the figures and reports of every experiment."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from zlib import crc32

from imbfs.selectors import SELECTORS

BASELINES = {
    "none": {"color": "0.35", "linestyle": (0, (5, 2.5)), "marker": ""},
    "random": {"color": "0.6", "linestyle": ":", "marker": ""},
}
_WORDS = {
    "auc": "AUC",
    "prc": "area under the PR curve",
    "f_measure": "F-measure",
    "f_majority": "F of the majority",
    "g_mean": "g-mean",
    "sensitivity": "recall of the minority",
    "specificity": "recall of the majority",
    "features_used": "features with a weight",
    "zero_share": "share of scores exactly 0",
    "dead": "share of dead runs",
    "positive_share": "share predicted as minority",
    "cost": "cost of the minority picked",
    "minority_mean": "minority, fresh",
    "majority_mean": "majority, fresh",
    "minority_mean_seen": "minority, seen",
    "majority_mean_seen": "majority, seen",
    "micro_f1": "micro-F1",
    "mc_f1": "micro-F1 without the first class",
    "label_accuracy": "accuracy of each label",
    "ovr_f1": "micro-F1, classes one by one",
    "ovr_accuracy": "accuracy, classes one by one",
    "jaccard": "Jaccard index",
}
_NAMES = {"none": "all features", "random": "random features"}
# The palette of Okabe and Ito, safe for the colour-blind, without its yellow; then colours of Paul
# Tol that stay furthest from it and from one another, to red-green blind eyes too.
FEW = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
_MANY = [*FEW, "#332288", "#72190E", "#90C987", "#225555", "#666633", "#999933"]
_MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">"]
_WRAPPED = "d-"  # in front of a filter that scores pseudo-classes
_DASHES = [(0, (4, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1.5, 1))]


def words(measure: str, part: str = "test") -> str:
    """What an axis calls a measure."""
    named = _WORDS.get(measure, measure.replace("_", " "))
    return named if part == "test" else f"{part} {named}"


def name(label: str) -> str:
    """What a legend calls a selector."""
    return _NAMES.get(label, label)


def shortened(labels: Iterable[str]) -> dict[str, str]:
    """The labels with only those parameters in which the variants of a method differ.

    A filter on pseudo-classes is called as in [Yin2013]: `d-mi`.
    """
    given = {label: _parameters(label) for label in labels}
    short = {}
    for label, (method, own) in given.items():
        kin = [params for other, params in given.values() if other == method]
        differ = [f"{k}={v}" for k, v in own.items() if any(params.get(k) != v for params in kin)]
        short[label] = f"{method}({', '.join(differ)})" if differ else method
    return short


def _decomposed(params: dict[str, str]) -> str:
    return _WRAPPED + params.pop("scorer", "mi")


def _parameters(label: str) -> tuple[str, dict[str, str]]:
    """The method of a label and its parameters as written: `fast(K=5)` is fast with K = 5."""
    method, _, inside = label.removesuffix(")").partition("(")
    pairs = re.split(r", (?=\w+=)", inside) if inside else []
    if not all("=" in pair for pair in pairs):
        return label, {}  # no label of ours
    params = dict(pair.split("=", 1) for pair in pairs)
    return (_decomposed(params) if method == "decomposed" else method), params


def style(label: str, turn: int = 0) -> dict:
    """Colour, line and marker of a selector, the same in every figure of every experiment.

    They follow from its place in SELECTORS, the colour of a filter from that among the filters: no
    two of the first 13 share one, and those that follow have other markers. A variant such as
    `fast(K=5)` has the colour and marker of `fast` with another line, and so has `d-fast`, whose
    marker is half full; a `turn` takes the next line, and another marker after the last.
    """
    method, _, parameters = label.removeprefix(_WRAPPED).partition("(")
    parameters = _WRAPPED + parameters if label.startswith(_WRAPPED) else parameters
    if method in BASELINES:
        return BASELINES[method]
    place = crc32(method.encode())
    colour, marker = _looks().get(method, (FEW[place % len(FEW)], place % len(_MARKERS)))
    dash = turn + (crc32(parameters.encode()) if parameters else 0)
    return {
        "color": colour,
        "linestyle": _DASHES[dash % len(_DASHES)] if parameters or turn else "-",
        "marker": _MARKERS[(marker + turn // len(_DASHES)) % len(_MARKERS)],
        **({"fillstyle": "left"} if label.startswith(_WRAPPED) else {}),
    }


@cache
def _looks() -> dict[str, tuple[str, int]]:
    """Colour and number of the marker of every selector; the next marker where both are taken."""
    looks: dict[str, tuple[str, int]] = {}
    known = [key for key in SELECTORS if key not in BASELINES]
    filters = [key for key in known if not SELECTORS[key].learns]
    for place, method in enumerate(known):
        filter = method in filters
        colours, turn = (_MANY, filters.index(method)) if filter else (FEW, place)
        colour = colours[turn % len(colours)]
        markers = ((place + step) % len(_MARKERS) for step in range(len(_MARKERS)))
        free = (marker for marker in markers if (colour, marker) not in looks.values())
        looks[method] = colour, next(free, place % len(_MARKERS))
    return looks


def styles(labels: Sequence[str]) -> dict[str, dict]:
    """The style of every label, turned on where two would look alike."""
    chosen: dict[str, dict] = {}
    for label in labels:
        looks = (style(label, turn) for turn in range(len(_DASHES) * len(_MARKERS)))
        chosen[label] = next((k for k in looks if k not in chosen.values()), style(label))
    return chosen
