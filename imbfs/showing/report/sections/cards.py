"""Cards of what an experiment uses: its methods with formula and source, its sets."""

import inspect
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

import pandas as pd

from imbfs.classifiers import CLASSIFIERS
from imbfs.config import Experiment
from imbfs.datasets import DATASETS, way
from imbfs.measures import MEASURES
from imbfs.methods import Method
from imbfs.selectors import SELECTORS
from imbfs.showing.report.found import Found
from imbfs.showing.report.html import Html, el, many
from imbfs.showing.style import words

_KEY = re.compile(r"\[([A-Z][a-z]+\d{4})\]")
_UNKNOWN = ("Not a method of this version.", "A method from outside imbfs, by its module.")
_ENTRY = re.compile(r"^- \*\*(\w+)\*\* (.+)$", re.M)


@cache
def references() -> dict[str, str]:
    """The sources that docstrings cite, as the description of the package lists them."""
    try:
        return dict(_ENTRY.findall(metadata("imbfs").json.get("description", "")))
    except PackageNotFoundError:
        return {}


def methods(frame: pd.DataFrame) -> Html:
    """The selectors, classifiers and measures that a table of results names."""
    kinds = (
        ("Selectors", SELECTORS, frame["selector"]),
        ("Classifiers", CLASSIFIERS, frame["classifier"]),
        ("Measures", MEASURES, frame["measure"]),
    )
    return many(*(_kind(*kind) for kind in kinds))


def _kind(title: str, table: dict[str, Method], labels: pd.Series) -> Html:
    variants: dict[str, list[str]] = {}
    for label in labels.unique():
        variants.setdefault(label.partition("(")[0], []).append(label)
    cards = [_method(name, table.get(name), used) for name, used in variants.items()]
    return many(el("h3", title), el("div", *cards, class_="cards"))


def _method(name: str, method: Method | None, used: list[str]) -> Html:
    summary, deviation = _said(method)
    known = references()
    keys = [key for key in dict.fromkeys(_KEY.findall(summary)) if key in known]
    used = used if used != [name] else []
    called = words(name) if name in MEASURES else name
    return el(
        "article",
        el("h4", called),
        el("p", summary or _UNKNOWN[":" in name]),
        el("p", deviation, class_="note") if deviation else None,
        el("p", "As ", el("code", ", ".join(used))) if used else None,
        *(el("p", el("cite", f"[{key}] {known[key]}"), class_="note") for key in keys),
        class_="card",
    )


def _said(method: Method | None) -> tuple[str, str]:
    """The first line of a docstring, and the paragraph on what departs from the source."""
    if method is None:
        return "", ""
    paragraphs = (inspect.getdoc(method.call) or "").split("\n\n")
    found = (" ".join(p.split()) for p in paragraphs if p.startswith("Deviation:"))
    return method.summary, next(found, "")


def sets(found: Found) -> Html | None:
    """What every set is: rows, features, classes, its source, how it differs from the paper's."""
    config = found.config if isinstance(found.config, Experiment) else None
    sources = {one.label: one.source.name for one in config.datasets} if config else {}
    frame = found.table("problems")
    rows = _told(sources) if frame is None else frame.to_dict("records")
    cards = [_set(row, sources.get(row["dataset"])) for row in rows]
    there = {row["dataset"] for row in rows}
    absent = [_absent(label, source) for label, source in sources.items() if label not in there]
    if not cards and not absent:
        return None
    return many(
        el("div", *cards, class_="cards") if cards else None,
        el("h3", "Not at hand when this was run") if absent else None,
        el("ul", *absent) if absent else None,
    )


def _absent(label: str, source: str | None) -> Html:
    """A set without results: the command that would fetch it, or where to get it and put it."""
    entry = DATASETS.get(source)
    if entry is None or not entry.file:
        return el("li", el("b", label))
    if entry.remote:
        return el("li", el("b", label), ": ", el("code", f"imbfs data fetch {source}"))
    where = f"; it belongs at {entry.file} below the data directory."
    return el("li", el("b", label), f": {way(source)}", where)


def _told(sources: dict[str, str | None]) -> list[dict]:
    """What the table of sets knows, where an experiment has no table of its own."""
    nothing = dict.fromkeys(("ratio", "group", "minority", "majority", "differs"), "")
    rows = []
    for name, source in sources.items():
        if (entry := DATASETS.get(source)) is not None:
            counts = sorted((entry.class_counts or {}).values())
            size = {"samples": str(entry.n_samples), "features": str(entry.n_features)}
            pair = zip(("minority", "majority"), map(str, counts), strict=False)
            classes = dict(pair) if len(counts) == 2 else {}
            rows.append({**nothing, "dataset": name, **size, **classes})
    return rows


def _set(row: dict, source: str | None) -> Html:
    entry = DATASETS.get(source)
    natural = row["ratio"] in ("", "natural")
    name = row["dataset"] if natural else f"{row['dataset']} · {row['ratio']}"
    facts = {"rows": row["samples"], "features": row["features"], "group": row["group"]}
    if row["minority"] and row["majority"]:
        facts["classes"] = f"{_whole(row['minority'])} : {_whole(row['majority'])}"
    if entry is not None:
        facts["source"] = ", ".join(filter(None, (entry.summary, entry.citation)))
    pairs = [el("div", el("dt", key), el("dd", _whole(v))) for key, v in facts.items() if v]
    differs = el("p", el("b", "Differs: "), row["differs"]) if row["differs"] else None
    return el("article", el("h3", name), el("dl", *pairs), differs, class_="card")


def _whole(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text
