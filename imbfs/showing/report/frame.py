"""What every page has: its head, how it looks and what it does, all in one file."""

from functools import cache
from importlib.resources import files

from imbfs import __version__
from imbfs.showing.claims.verdicts import FAILS, HOLDS, PARTLY, UNTESTABLE
from imbfs.showing.report.html import Html, el, many

_SIGNS = {HOLDS: "✓", PARTLY: "◐", FAILS: "✗", UNTESTABLE: "–"}
_OF_MANY = {HOLDS: "hold", FAILS: "fail"}
_SCRIPTS = ("theme.js", "tables.js", "figure.js")


def page(
    title: str,
    header: Html,
    main: Html,
    blocks: Html | None = None,
    source: str = "committed tables",
) -> str:
    """A page that needs nothing else: no other file, no network, no server."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", _asset("page.css")),
    )
    toggle = el("button", "Dark or light", type="button", id="theme", hidden=True)
    skip = el("a", "To the content", href="#main", class_="skip")
    body = el(
        "body",
        skip,
        el("header", toggle, header),
        el("main", main, id="main", tabindex="-1"),
        el("footer", el("p", f"Made by imbfs {__version__} from {source}.")),
        blocks,
        *(el("script", _asset(name)) for name in _SCRIPTS),
    )
    return f"<!DOCTYPE html>\n{el('html', head, body, lang='en')}\n"


@cache
def _asset(name: str) -> Html:
    return Html((files(__package__) / "assets" / name).read_text(encoding="utf-8"))


def chip(verdict: str, text: str | None = None, incomplete: bool = False) -> Html:
    """A verdict as a sign, a word and a colour; an asterisk where its cells are not complete."""
    kind = f"chip {verdict.replace(' ', '-')}"
    star = el("abbr", "*", title="on fewer results than planned") if incomplete else None
    sign = el("span", _SIGNS[verdict], aria_hidden="true")
    return el("span", sign, f" {text or verdict}", star, class_=kind)


def tally(counts: dict[str, int]) -> Html:
    """How many claims came to which verdict, as chips over a bar."""
    parts = [
        el("span", class_=verdict.replace(" ", "-"), style=f"flex-grow:{count}")
        for verdict, count in counts.items()
    ]
    return many(el("div", *parts, class_="bar", aria_hidden="true"), chips(counts))


def chips(counts: dict[str, int]) -> Html:
    """How many claims came to which verdict."""
    said = {v: _OF_MANY.get(v, v) if n > 1 else v for v, n in counts.items()}
    return el("p", *(chip(v, f"{n} {said[v]}") for v, n in counts.items()), class_="chips")
