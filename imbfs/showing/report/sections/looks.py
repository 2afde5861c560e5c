"""How a report draws a selector: the colours, lines and markers of the figures, for a browser."""

from collections.abc import Sequence

from imbfs.showing.style import BASELINES, name, shortened, styles

_LIGHT = 0.25  # luminance that stands out from a dark page
_DOTS = [1, 1.65]
_BLACK, _WHITE = "#000000", "#f2f2f2"


def looks(labels: Sequence[str]) -> list[dict]:
    """Name, colour by day and by night, dashes and marker of every label, baselines last."""
    short = shortened(labels)
    drawn = styles(list(short.values()))
    found = [_look(label, short[label], drawn[short[label]]) for label in labels]
    return sorted(found, key=lambda look: look["label"] in BASELINES)


def _look(label: str, short: str, style: dict) -> dict:
    colour, line = _hex(style["color"]), style["linestyle"]
    return {
        "label": label,
        "name": name(short),
        "day": colour,
        "night": night(colour),
        "dash": _DOTS if line == ":" else [] if line == "-" else list(line[1]),
        "marker": style["marker"],
        "half": "fillstyle" in style,
    }


def _hex(colour: str) -> str:
    """A grey is a number in the figures."""
    return colour if colour.startswith("#") else "#" + f"{round(255 * float(colour)):02x}" * 3


def night(colour: str) -> str:
    """A colour with as much white in it as a dark page needs; black becomes white."""
    if colour == _BLACK:
        return _WHITE
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    for tenths in range(11):
        mixed = [round(part + (255 - part) * tenths / 10) for part in parts]
        if luminance(mixed) >= _LIGHT:
            break
    return "#" + "".join(f"{part:02x}" for part in mixed)


def luminance(parts: Sequence[int]) -> float:
    """The relative luminance of red, green and blue, as the rules of accessibility have it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in parts)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
