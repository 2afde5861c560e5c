"""Tables as a page shows them: spreads beside means, names as short as in figures."""

import re

import pandas as pd

from imbfs.measures import DESCRIPTIVE, MEASURES
from imbfs.showing.report.found import Found
from imbfs.showing.report.html import Html, details, el, many, table
from imbfs.showing.style import name, shortened, words
from imbfs.showing.tables import CELL, GROUP

ELSEWHERE = ("results", "features", "seconds", "problems", "claims")  # in a place of their own
_SELECTORS = ("selector", "against")  # the columns that hold their labels
_LONGEST = 600  # rows worth showing; a longer table is for downloading
_KINDS = {
    "summary": "By number of features",
    "average": "Averages over problems",
    "approaches": "Approaches",
    "ranks": "Mean ranks",
    "within": "Share of problems near the best",
    "differences": "Differences between selectors",
    "corrected": "Corrected tests, problem by problem",
    "stability": "Stability of the selections",
    "overlap": "Overlap of what two selectors select",
    "settings": "Settings of the parameters",
    "picks": "Costs picked",
    "claims": "Verdicts in every setting",
}
_DECIMAL = re.compile(r"-?\d*\.\d+(e[-+]?\d+)?$|-?\d+(\.\d+)?e[-+]?\d+$")


def others(found: Found) -> list[Html]:
    """Every table without a place of its own, folded except the first."""
    kinds = list(_KINDS)
    stems = [stem for stem in found.tables if stem not in ELSEWHERE]
    stems = [s for s in stems if not s.startswith(("beside_", "claims_settings"))]
    stems.sort(key=lambda stem: kinds.index(_kind(stem)) if _kind(stem) in kinds else len(kinds))
    return [_folded(found, stem, stem == stems[0]) for stem in stems]


def _folded(found: Found, stem: str, open: bool) -> Html:
    frame, notes = found.table(stem), found.notes(stem)
    said = many(*(el("p", note, class_="note") for note in notes))
    if len(frame):
        frame = _SHAPED.get(_kind(stem), lambda frame: frame)(frame)
    heading = many(title(stem), el("span", f"{len(frame)} rows", class_="count"))
    if 0 < len(frame) <= _LONGEST:
        return details(heading, said, _table(title(stem), frame, _measure(stem)), open=open)
    why = "Too long to show: see the downloads." if len(frame) else "It holds no row."
    return details(heading, said, el("p", why), open=open)


def title(stem: str) -> str:
    """What a page calls a table."""
    kind, measure = _kind(stem), _measure(stem)
    rest = stem.removeprefix(kind).strip("_").removeprefix(measure).strip("_")
    tail = [f"{text} features" if text.isdigit() else text for text in rest.split("_") if text]
    said = [_KINDS.get(kind, kind), f": {words(measure)}" if measure else ""]
    said = "".join([*said, f" ({', '.join(tail)})" if tail else ""])
    return said[:1].upper() + said[1:]


def _kind(stem: str) -> str:
    return stem.partition("_")[0]


def _measure(stem: str) -> str:
    """The measure in the name of a table, the longest that fits."""
    rest = stem.partition("_")[2] + "_"
    return max((key for key in MEASURES if rest.startswith(key + "_")), key=len, default="")


def _wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Averages with a column for every number of features, as a summary has them."""
    if not {"features", "mean", "sd"} <= set(frame.columns):
        return frame
    rows = [key for key in frame.columns if key not in ("features", "mean", "sd", "n")]
    columns = [f"{count}{end}" for count in frame["features"].unique() for end in ("", " sd")]
    wide = frame.drop_duplicates([*rows, "features"]).set_index([*rows, "features"])
    mean, sd = (wide[key].unstack() for key in ("mean", "sd"))
    joined = pd.concat([mean, sd.add_suffix(" sd")], axis=1)[columns].fillna("")
    return joined.reindex(pd.MultiIndex.from_frame(frame[rows].drop_duplicates())).reset_index()


def _square(frame: pd.DataFrame) -> pd.DataFrame:
    """A row and a column for every selector, as the note on an overlap tells of them."""
    if not {*_SELECTORS, "jaccard", "corrected"} <= set(frame.columns):
        return frame
    names = shortened(dict.fromkeys([*frame["selector"], *frame["against"]]))
    labels = list(frame.columns[: frame.columns.get_loc("selector")])
    rows: dict[tuple, dict[str, str]] = {}
    for pair in frame.to_dict("records"):
        block, ends = tuple(pair[label] for label in labels), [pair[key] for key in _SELECTORS]
        for end in ends:
            rows.setdefault((*block, end), dict.fromkeys(names, ""))
        for (one, other), key in ((ends, "jaccard"), (ends[::-1], "corrected")):
            rows[*block, one][other] = pair[key]
    index = pd.MultiIndex.from_tuples(rows, names=[*labels, "selector"])
    square = pd.DataFrame(list(rows.values()), index=index)
    return square.rename(columns={key: name(text) for key, text in names.items()}).reset_index()


_SHAPED = {"average": _wide, "overlap": _square}


def _table(caption: str, frame: pd.DataFrame, measure: str) -> Html:
    best = _best(frame) if measure not in DESCRIPTIVE else {}
    names = _names(frame)
    frame, same = _telling(frame)
    spreads = [key for key in frame.columns if f"{key} sd" in frame.columns]
    if "mean" in frame.columns and "sd" in frame.columns:
        frame, spreads = frame.rename(columns={"sd": "mean sd"}), [*spreads, "mean"]
    kept = [k for k in frame.columns if k in spreads or k.removesuffix(" sd") not in spreads]
    rows = []
    for at, row in enumerate(frame.to_dict("records")):
        cells = {key: _cell(row[key], row.get(f"{key} sd", "")) for key in kept}
        cells |= {key: el("strong", cells[key]) for key in kept if (at, key) in best}
        cells |= {key: names[row[key]] for key in _SELECTORS if key in cells}
        rows.append(list(cells.values()))
    caption += f", {', '.join(same)}" if same else ""
    return table(caption, kept, rows)


def _telling(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The columns in which rows differ, and what the others say of all of them."""
    alike = [key for key in (*CELL, "group") if key in frame.columns and frame[key].nunique() == 1]
    alike = [key for key in alike if key != "selector" and len(frame) > 1]
    empty = [key for key in frame.columns if (frame[key] == "").all()]
    whole = ["missing"] if "missing" in frame.columns and (frame["missing"] == "0").all() else []
    quiet = ("natural", "none", "")
    same = [f"{key} {frame[key].iloc[0]}" for key in alike if frame[key].iloc[0] not in quiet]
    return frame.drop(columns=list(dict.fromkeys([*alike, *empty, *whole]))), same


def _best(frame: pd.DataFrame) -> set[tuple[int, str]]:
    """The highest mean of a column inside every group of selectors, where there are several."""
    spread = [key for key in frame.columns if f"{key} sd" in frame.columns]
    by = [key for key in (*GROUP, "group") if key in frame.columns]
    if not spread or not by or "selector" not in frame.columns:
        return set()
    values = frame[spread].apply(pd.to_numeric, errors="coerce")
    if "missing" in frame.columns:
        values = values.where(frame["missing"] == "0")
    groups = values.groupby([frame[key] for key in by])
    most = values.eq(groups.transform("max")) & (groups.transform("count") > 1)
    return {(at, key) for key in spread for at in most.index[most[key]]}


def _names(frame: pd.DataFrame) -> dict[str, Html]:
    """The selectors of a table under the names that figures give them, the label behind it."""
    labels = [v for key in _SELECTORS for v in frame.get(key, pd.Series(dtype=str))]
    short = shortened(list(dict.fromkeys(labels)))
    return {label: el("span", name(text), title=label) for label, text in short.items()}


def _cell(text: str, sd: str = "") -> str:
    """A number, or a mean with its spread; a share has three decimals even if it is 1."""
    if sd == "":
        return number(text)
    try:
        said = [f"{float(n):.3f}" if abs(float(text)) < 10 else number(n) for n in (text, sd)]
    except ValueError:
        said = [text, sd]
    return many(said[0], el("small", f" ± {said[1]}"))


def number(text: str) -> str:
    """Three decimals of a number that has any, and two digits of one too small for them."""
    if not _DECIMAL.match(text):
        return text
    value = float(text)
    return f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"
