"""How a run was made, what of it is missing, and its tables to take away."""

import gzip
from base64 import b64encode
from datetime import datetime
from pathlib import Path

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing.report.found import Found
from imbfs.showing.report.html import Html, details, el, many, table
from imbfs.showing.tables import CELL, LEAK

_LARGE = 60_000  # bytes from which a table is compressed


def notices(found: Found, frame: pd.DataFrame | None) -> list[Html]:
    """What a reader must know first: leaks, failed tasks, missing results, an unknown config."""
    told = [LEAK] if found.leaks else []
    if failed := found.tasks.get("failed", 0):
        told.append(f"In the last run {failed} of {found.tasks['planned']} tasks failed.")
    if frame is not None:
        cells = frame.groupby(CELL)["missing"].max()
        if lacking := int((cells > 0).sum()):
            told.append(f"{lacking} of {len(cells)} cells rest on fewer results than planned.")
    if isinstance(found.config, UserError):
        told.append(f"This version cannot read the config: {_within(found)}")
    return [el("p", text, class_="notice", role="note") for text in told]


def _within(found: Found) -> str:
    """Why the config cannot be read, without the folder it lies in."""
    return str(found.config).removeprefix(f"{found.folder / 'run.json'}: ")


def shown(found: Found) -> Html:
    """The runs with their versions, and the config to run it again."""
    if found.run is None:
        return el("p", "No run.json: a script of its own made these tables.")
    runs = found.run["runs"]
    header = ["start", "took", "imbfs", "commit", "python", "processes", "ran", "failed"]
    rows = [_run(run) for run in runs]
    packages = runs[-1].get("packages", {}) if runs else {}
    said = ", ".join(f"{name} {version}" for name, version in packages.items())
    again = f"{found.name.removesuffix('-quick')}.yaml"
    quick = " --quick" if found.run["quick"] else ""
    return many(
        table("Every run that did something", header, rows, "plain") if rows else None,
        el("p", f"{runs[-1].get('platform', '')}; {said}.", class_="note") if runs else None,
        el("p", "Run it again: ", el("code", f"imbfs run {again}{quick}"), ", with this config."),
        details(f"Config, {again}", el("pre", el("code", found.run["config"]), tabindex="0")),
    )


def _run(run: dict) -> list[str]:
    tasks = run.get("tasks") or {}
    said = [run["start"][:16].replace("T", " "), _took(run), run.get("imbfs", "")]
    said += [(run.get("commit") or "–")[:10], run.get("python", ""), str(run["jobs"])]
    return [*said, str(tasks.get("ran", "")), str(tasks.get("failed", ""))]


def _took(run: dict) -> str:
    if run["end"] is None:
        return "–"
    start, end = (datetime.fromisoformat(run[key]) for key in ("start", "end"))
    minutes, seconds = divmod(int((end - start).total_seconds()), 60)
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"


def downloads(found: Found) -> Html:
    """A link to every table, which holds the table itself."""
    links = [el("li", _link(path)) for path in found.tables.values()]
    return el("ul", *links, class_="downloads")


def _link(path: Path) -> Html:
    content = path.read_bytes()
    said = el("small", f" {_size(len(content))}")
    if len(content) < _LARGE:
        href = f"data:text/csv;base64,{b64encode(content).decode()}"
        return many(el("a", path.name, href=href, download=path.name), said)
    packed = b64encode(gzip.compress(content, mtime=0)).decode()
    href, name = f"data:application/gzip;base64,{packed}", f"{path.name}.gz"
    return many(el("a", path.name, href=href, download=name, data_packed=True), said)


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"
