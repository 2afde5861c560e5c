"""The page over every experiment: what came of each paper's claims, then a card for each."""

from urllib.parse import quote

from imbfs.showing import beside
from imbfs.showing.claims.overview import COLUMNS
from imbfs.showing.claims.verdicts import VERDICTS
from imbfs.showing.report.found import Found
from imbfs.showing.report.frame import chip, chips, page, tally
from imbfs.showing.report.html import Html, details, el, many, section, table
from imbfs.showing.report.judged import Judged, Judgement
from imbfs.showing.tables import LEAK

FILE = "report.html"


def render(every: list[Found], judgements: list[Judgement]) -> str:
    """The overview as text, with links to the pages beside it."""
    pages = {found.key: f"{quote(found.key)}/{FILE}" for found in every}
    papers = [_paper(judgement, pages) for judgement in judgements]
    cards = [_card(found, judgements, pages[found.key]) for found in every]
    links = [el("a", "Papers", href="#papers")] if papers else []
    links.append(el("a", "Experiments", href="#experiments"))
    header = many(
        el("h1", "What the results say"),
        el("p", _lead(every, judgements), class_="lead"),
        chips(_counted(judgements)) if judgements else None,
        el("nav", *links, aria_label="On this page"),
    )
    main = many(
        section("papers", "Papers and their claims", *papers) if papers else None,
        section("experiments", "Experiments", el("div", *cards, class_="cards wide")),
    )
    return page("imbfs: what the results say", header, main)


def _lead(every: list[Found], judgements: list[Judgement]) -> str:
    claims = sum(sum(judgement.counts.values()) for judgement in judgements)
    told = f"{len(judgements)} papers, {claims} claims, " if judgements else ""
    return f"{told}{len(every)} experiments."


def _counted(told: list[Judgement]) -> dict[str, int]:
    """How many claims of all papers came to which verdict."""
    return {verdict: sum(one.counts[verdict] for one in told) for verdict in VERDICTS}


def _paper(judgement: Judgement, pages: dict[str, str]) -> Html:
    """How its claims fare, its headline values, and each claim with its verdict on every part."""
    home = pages.get(judgement.home)
    claims: dict[str, list[Judged]] = {}
    for one in judgement.judged:
        claims.setdefault(one.name, []).append(one)
    rows = [el("li", *_claim(parts, home)) for parts in claims.values()]
    asides = [el("p", note, class_="note") for note in judgement.asides]
    kind = "brief parts" if any(map(_part, judgement.judged)) else "brief"
    told, caption = judgement.headlines, f"What is printed in {judgement.paper.partition(',')[0]}"
    return el(
        "article",
        el("h3", judgement.paper),
        tally(judgement.counts),
        table(f"{caption}, and what came out", COLUMNS, told, "plain") if told else None,
        details("Every claim", el("ol", *rows, class_=kind), *asides, open=True),
        class_="paper",
    )


def _claim(parts: list[Judged], home: str | None) -> list[Html]:
    """The verdicts on a claim, and its words behind a link to the tests."""
    first = parts[0]
    verdicts = [
        el("span", chip(one.verdict, incomplete=one.incomplete), _part(one)) for one in parts
    ]
    words = first.claim.claim if first.claim else ""
    named = el("a", first.name, href=f"{home}#{quote(first.key)}") if home else first.name
    return [el("span", *verdicts), el("span", named, f" {words}")]


def _part(judged: Judged) -> Html | None:
    return None if judged.part == "test" else el("small", f" {judged.part}")


def _card(found: Found, judgements: list[Judgement], page: str) -> Html:
    """The name, the headline and what came of it."""
    told = [judgement.only(found.key) for judgement in judgements]
    counts = _counted(told)
    failed = found.tasks.get("failed", 0)
    return el(
        "article",
        el("h3", el("a", found.name, href=page)),
        el("p", found.description or "Tables of a script of its own."),
        el("p", LEAK, class_="notice") if found.leaks else None,
        chips(counts) if any(counts.values()) else None,
        el("p", _printed(found), class_="note") if _printed(found) else None,
        el("p", f"{failed} tasks failed in the last run.", class_="notice") if failed else None,
        class_="card",
    )


def _printed(found: Found) -> str:
    told = beside.within(beside.written(found.folder))
    return f"{told} pairs of a printed value and ours within our spread." if told else ""
