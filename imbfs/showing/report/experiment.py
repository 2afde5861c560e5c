"""The page of one experiment: verdicts first, then everything they rest on."""

import pandas as pd

from imbfs.showing import tables
from imbfs.showing.beside import written
from imbfs.showing.report.found import Found
from imbfs.showing.report.frame import chip, page, tally
from imbfs.showing.report.html import Html, data, details, el, many, section, table
from imbfs.showing.report.judged import Judged, Judgement
from imbfs.showing.report.sections import beside, cards, curves, made, shown
from imbfs.showing.report.sections.shown import number
from imbfs.showing.style import words

_TEST = ("claim", "part", "verdict")  # columns of a claim, not of a test


def render(found: Found, judgements: list[Judgement], overview: str | None = None) -> str:
    """The page as text; `overview` is the address of the page above it."""
    path = found.tables.get("results")
    frame = tables.read(path) if path else None
    drawn = curves.block(frame) if frame is not None else {"lines": []}
    parts = {
        "verdicts": ("Verdicts", _verdicts(found, judgements)),
        "beside": ("Printed values beside ours", _beside(found)),
        "figures": ("Figures", _figure() if drawn["lines"] else None),
        "tables": ("Tables", many(*shown.others(found)) or None),
        "methods": ("Methods", cards.methods(frame) if frame is not None else None),
        "sets": ("Data sets", cards.sets(found)),
        "run": ("How the run was made", made.shown(found)),
        "downloads": ("Tables to take away", made.downloads(found)),
    }
    parts = {key: part for key, part in parts.items() if part[1] is not None}
    links = [el("a", title, href=f"#{key}") for key, (title, _) in parts.items()]
    above = el("a", "← every experiment", href=overview) if overview else None
    header = many(
        el("p", above) if above else None,
        el("h1", found.name),
        el("p", found.description, class_="lead") if found.description else None,
        el("p", _size(frame), class_="note") if frame is not None else None,
        el("nav", *links, aria_label="On this page"),
    )
    body = [section(key, title, inner) for key, (title, inner) in parts.items()]
    main = many(*made.notices(found, frame), *body)
    return page(f"{found.name}: imbfs", header, main, data("curves", drawn))


def _size(frame: pd.DataFrame) -> str:
    """How much was compared."""
    counts = {
        "problems": len(frame[["dataset", "ratio"]].drop_duplicates()),
        "selectors": frame["selector"].nunique(),
        "classifiers": frame["classifier"].nunique(),
        "measures": frame["measure"].nunique(),
    }
    return " · ".join(f"{n} {key if n != 1 else key[:-1]}" for key, n in counts.items())


def _verdicts(found: Found, judgements: list[Judgement]) -> Html | None:
    told = []
    for judgement in judgements:
        own = judgement.only(found.key)
        if own.judged:
            told += [el("h3", judgement.paper), tally(own.counts)]
            told += [el("ol", *(_claim(one, found.key) for one in own.judged), class_="claims")]
            told += [el("p", note, class_="note") for note in own.asides]
            if judgement.notes:
                notes = el("ul", *(el("li", note) for note in judgement.notes), class_="note")
                told.append(notes)
    return many(_reading(), *told) if told else None


def _reading() -> Html:
    """What the numbers behind a verdict are."""
    said = (
        "The effect is the mean margin by which tasks are in favour, with Student's 95% "
        "interval over tasks; p is Wilcoxon's over tasks, corrected for the number of claims."
    )
    return el("p", said, class_="note")


def _claim(judged: Judged, here: str) -> Html:
    """A claim in our words, its verdict, and the tests behind it."""
    claim = judged.claim
    said = [el("b", judged.name), " ", claim.claim if claim else "", "."] if claim else []
    said = said or [el("b", judged.name)]
    facts = [f"{claim.where}"] if claim else []
    facts += ["a question of ours, not counted"] if judged.own else []
    facts += [f"{judged.part} part"] if judged.part != "test" else []
    facts += [f"tested on {judged.experiment}"] if judged.experiment != here else []
    facts += [f"{judged.favour} of {judged.cells} cells in favour"]
    facts += [*judged.effect, *judged.settings]
    share = 100 * judged.favour / max(1, judged.cells)
    bar = el("span", el("span", style=f"width:{share:.0f}%"), class_="share", aria_hidden="true")
    return el(
        "li",
        el("div", chip(judged.verdict, incomplete=judged.incomplete), bar, class_="verdict"),
        el("p", *said),
        el("p", "; ".join(facts), ".", class_="note"),
        details("The tests", _tests(judged)),
        id=judged.key,
    )


def _tests(judged: Judged) -> Html:
    frame = judged.tests.drop(columns=list(_TEST))
    frame = frame[[key for key in frame.columns if (frame[key] != "").any()]]
    frame = frame.assign(measure=frame["measure"].map(words)) if "measure" in frame else frame
    rows = [[number(text) for text in row] for row in frame.to_numpy()]
    return table(f"Tests of {judged.name}", list(frame.columns), rows, "plain")


def _beside(found: Found) -> Html | None:
    paths = written(found.folder)
    return many(*map(beside.shown, paths)) if paths else None


def _figure() -> Html:
    """Where the script of the page draws; without scripts, a word on that."""
    how = (
        "Move over a figure, or focus it and use the arrow keys, for values; "
        "press a name to take its line away."
    )
    return many(
        el("p", how, class_="note"),
        el("div", id="figure", class_="figure"),
        el("noscript", el("p", "The figures need JavaScript; the tables below do not.")),
    )
