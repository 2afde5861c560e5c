"""HTML from Python: every text is escaped, except what is HTML already."""

import json
import re
from html import escape

_VOID = ("img", "input", "meta")
_NUMBER = re.compile(r"[-+−]?\d")


class Html(str):
    """Text that is HTML already."""


def el(name: str, /, *inner: str | None, **attributes: str | bool | None) -> Html:
    """An element; `class_` is class and `data_key` data-key, True a bare attribute, None none."""
    said = "".join(
        f" {_named(key)}" if value is True else f' {_named(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Html(f"<{name}{said}>")
    return Html(f"<{name}{said}>{many(*inner)}</{name}>")


def many(*inner: str | None) -> Html:
    """Some texts and elements behind one another."""
    return Html("".join(_safe(part) for part in inner if part is not None))


def _safe(part: str) -> str:
    return part if isinstance(part, Html) else escape(part)


def _named(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def data(key: str, content: object) -> Html:
    """JSON for the scripts of the page, which no text in it can end."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    inner = Html(text.replace("<", "\\u003c"))
    return el("script", inner, type="application/json", id=key)


def table(caption: str, header: list[str], rows: list[list[str]], kind: str = "sortable") -> Html:
    """A table that scrolls inside a box of its own; columns of numbers stand to the right."""
    right = [_numbers([row[i] for row in rows]) for i in range(len(header))]
    looks = ["number" if numbers else None for numbers in right]
    titles = zip(header, looks, strict=True)
    head = many(*(el("th", text, scope="col", class_=look) for text, look in titles))
    lines = many(*(_row(row, looks) for row in rows))
    inner = many(el("caption", caption), el("thead", el("tr", head)), el("tbody", lines))
    box = {"class_": "scroll", "tabindex": "0", "role": "region", "aria_label": caption}
    return el("div", el("table", inner, class_=kind), **box)


def _row(row: list[str], looks: list[str | None]) -> Html:
    first, *others = zip(row, looks, strict=True)
    cells = many(*(el("td", text, class_=look) for text, look in others))
    return el("tr", el("th", first[0], scope="row", class_=first[1]), cells)


def _numbers(texts: list[str]) -> bool:
    """Whether a column holds numbers and nothing else; elements are looked into."""
    plain = [re.sub("<[^>]*>", "", text) for text in texts]
    said = [text for text in plain if text and text != "–"]
    return bool(said) and all(_NUMBER.match(text) for text in said)


def details(summary: str | Html, *inner: str | None, open: bool = False) -> Html:
    """What is folded away until it is asked for."""
    return el("details", el("summary", summary), *inner, open=open)


def section(key: str, title: str, *inner: str | None) -> Html:
    """A landmark of the page under its heading."""
    heading = el("h2", title, id=f"{key}-title")
    return el("section", heading, *inner, id=key, aria_labelledby=f"{key}-title")
