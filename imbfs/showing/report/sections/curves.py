"""What the figures of a page are drawn from: results.csv as columns of codes, each text once."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from imbfs.measures import CLASS_MEANS
from imbfs.showing.report.sections.looks import looks
from imbfs.showing.style import words
from imbfs.showing.tables import CELL, COUNTS

VIEWS = (
    "number of features",
    "samples seen, test rows",
    "samples seen, progressive",
    "imposed ratio",
)
_FEATURES, _RATIO = 0, 3
_PARTS = {"test": 1, "progressive": 2}  # the view that shows a part over what was seen
_LINE = [*CELL, "measure"]
_CODED = ("resampling", "classifier", "measure", "features")


def block(frame: pd.DataFrame) -> dict:
    """Every line that a page can draw: over numbers of features, samples seen, imposed ratios."""
    rows = list(frame[frame["features"] != ""].itertuples(index=False))
    places = _Codes((row.dataset, row.ratio) for row in rows)
    codes = {key: _Codes(getattr(row, key) for row in rows) for key in _CODED}
    drawn = looks(list(dict.fromkeys(row.selector for row in rows)))
    selectors, axes, lines = _Codes(look["label"] for look in drawn), _Codes(), []
    for view, at, line in _lines(rows):
        first = line[0]
        place = first.dataset, "" if view == _RATIO else first.ratio
        where = [places[place], selectors[first.selector]]
        where += [codes[key][getattr(first, key)] for key in _CODED[:3]]
        where.append(-1 if view == _FEATURES else codes["features"][at])
        axis = axes[tuple(zip(*(_step(view, row) for row in line), strict=True))]
        values = [[_short(getattr(row, key)) for row in line] for key in ("mean", "sd")]
        lines.append([view, *where, axis, *values, int(max(row.missing for row in line))])
    return {
        "views": VIEWS,
        "sets": [_place(place, list(places)) for place in places],
        "selectors": drawn,
        "resamplings": list(codes["resampling"]),
        "classifiers": list(codes["classifier"]),
        "features": list(codes["features"]),
        "measures": [_measure(key) for key in codes["measure"]],
        "axes": list(axes),
        "lines": lines,
        "over": rows[0].over if rows else "",
    }


class _Codes(dict):
    """The number of every value, in the order of their coming."""

    def __init__(self, values: Iterable = ()):
        super().__init__()
        for value in values:
            self[value]

    def __missing__(self, value):
        self[value] = len(self)
        return self[value]


def _step(view: int, row) -> tuple[float, str]:
    """Where a row stands on the axis of a view, and what is written there."""
    if view == _FEATURES:
        return int(row.k), row.features
    if view == _RATIO:
        return float(row.ratio.removeprefix("1:")), row.ratio
    return int(row.seen), str(row.seen)


def _lines(rows: list) -> Iterator[tuple[int, str, list]]:
    """View, number of features and rows of every line; over all but features, of several rows."""
    ends: dict[tuple, dict[str, Any]] = {}
    streams: dict[tuple, list] = {}
    for row in rows:
        line = tuple(getattr(row, key) for key in _LINE)
        if row.part == "test":
            ends.setdefault(line, {})[row.features] = row  # the last checkpoint stays
        if not pd.isna(row.seen):
            streams.setdefault((_PARTS[row.part], row.features, *line), []).append(row)
    for line in ends.values():
        yield _FEATURES, "", sorted(line.values(), key=lambda row: row.k)
    several = [(key, line) for key, line in streams.items() if len(line) > 1]
    for (view, at, *_), line in sorted(several, key=lambda item: item[0][0]):
        yield view, at, line
    yield from _over_ratios(list(ends.values()))


def _over_ratios(ends: list[dict[str, Any]]) -> Iterator[tuple[int, str, list]]:
    """Lines over imposed ratios; one with all features alone stands beside every number of them."""
    counts = list(dict.fromkeys(at for line in ends for at in line if at != "all")) or ["all"]
    found: dict[tuple, list] = {}
    for line in ends:
        for row in line.values():
            key = (row.dataset, row.resampling, row.selector, row.classifier, row.measure)
            if row.ratio.startswith("1:"):
                for at in counts if set(line) == {"all"} else [row.features]:
                    found.setdefault((*key, at), []).append(row)
    for (*_, at), line in found.items():
        if len(line) > 1:
            yield _RATIO, at, sorted(line, key=lambda row: _step(_RATIO, row))


def _short(value: float) -> float | None:
    """Four digits, and of a large count all that are whole."""
    if math.isnan(value):
        return None
    return float(f"{value:.4g}") if abs(value) < 1000 else round(value)


def _place(place: tuple[str, str], every: list[tuple[str, str]]) -> str:
    """The set, and its ratio where any set has another than its own."""
    natural = all(ratio in ("natural", "") for _, ratio in every)
    return place[0] if natural or not place[1] else " · ".join(place)


def _measure(key: str) -> dict:
    free = key in CLASS_MEANS
    return {
        "name": words(key),
        "low": None if free else 0,
        "high": None if free or key in COUNTS else 1,
    }
