"""What is said of a selection: a table in the terminal, files, a page."""

import json
from base64 import b64encode
from pathlib import Path

from imbfs import __version__
from imbfs.datasets.describe import ratio
from imbfs.own import significance
from imbfs.own.intake import Intake
from imbfs.own.ranked import WHY
from imbfs.own.selecting import Selection
from imbfs.running.store import write_bytes
from imbfs.showing.markup import csv
from imbfs.showing.report.frame import page
from imbfs.showing.report.html import Html, details, el, many, section, table

_STABLE = 0.8  # share of half-samples from which a feature counts as stable
_LISTED = 500  # features on the page


def saw(intake: Intake) -> str:
    """A line on what a file holds."""
    n, d = intake.X.shape
    counts = intake.counts
    told = [f"{count:,} of {name}" for name, count in list(counts.items())[:4]]
    more = f", {len(counts) - 4} more classes" if len(counts) > 4 else ""
    classes = f"{', '.join(told)}{more} ({ratio(counts.values())})"
    return f"{n:,} samples, {d:,} features; {classes}"


def concluded(selection: Selection) -> list[str]:
    """What the table comes to, in words."""
    d, found = len(selection.table), selection.significant
    basis = f"q < {significance.LEVEL:g}, {selection.permutations:,} permutations"
    if found:
        said = f"{found:,} of {d:,} features are tied to the class beyond chance ({basis})."
    else:
        said = f"No feature is tied to the class beyond chance ({basis}): do not trust the ranking."
    stable = int((selection.chosen["selected"] >= _STABLE).sum())
    return [
        said,
        f"{stable} of the first {selection.k} features are stable: they come among the first "
        f"{selection.k} in at least {_STABLE:.0%} of {selection.resamples} random half-samples.",
    ]


def how(selection: Selection) -> list[str]:
    """How the columns came about."""
    labels = ", ".join(choice.label for choice in selection.methods)
    agreed = f"Selectors: {labels}. Features stand in the order of their mean rank (Borda)."
    return [
        agreed if len(selection.methods) > 1 else f"Selector: {labels}.",
        f"Unless others are named, they look at: {WHY}.",
        f"chosen: the share of {selection.resamples} random halves of every class in which the "
        f"feature is among the first {selection.k}.",
        "p: a permutation test of ranks (Mann-Whitney, Kruskal-Wallis), all features pooled; with "
        "groups, whole groups are permuted, and each feature stands against its own permutations "
        "first; "
        "q: p corrected by Benjamini and Hochberg: of the features with q below 0.05, at most 5% "
        "are expected to be there by chance.",
        "auc: how often a value of the minority is the larger one; 0.5 tells nothing.",
    ]


def terminal(selection: Selection, most: int = 20):
    """The first features, by rich, in 80 columns."""
    from rich.table import Table
    from rich.text import Text

    rows = selection.table.head(most)
    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    block.add_column("#", justify="right")
    block.add_column("feature", max_width=26, overflow="ellipsis", no_wrap=True)
    right = ["mean rank", "chosen", *(["auc"] if "auc" in rows else []), "q"]
    for name in right:
        block.add_column(name, justify="right", no_wrap=True)
    block.add_column("higher in", max_width=16, overflow="ellipsis", no_wrap=True)
    for row in rows.to_dict("records"):
        told = [f"{row['mean_rank']:,.1f}", f"{row['selected']:.0%}"]
        told += [f"{row['auc']:.3f}"] if "auc" in row else []
        q = Text(small(row["q"]), "green" if row["q"] < significance.LEVEL else "dim")
        block.add_row(str(row["rank"]), Text(row["feature"]), *told, q, Text(row["higher_in"]))
    return block


def small(p: float) -> str:
    """A probability in few characters."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def write(intake: Intake, selection: Selection, folder: Path, seed: int) -> list[Path]:
    """selected.csv, selected.json, two figures and a page; the same bytes for the same answer."""
    from imbfs.showing.figures import chosen

    rows, names = selection.chosen, list(selection.chosen["feature"])
    notes = [f"q = {small(q)}" for q in rows["q"]]
    classes = dict(sorted(intake.classes.items()))
    drawn = {
        "features": chosen.by_class(selection.X, intake.y, names, classes, notes),
        "heat_map": chosen.heat_map(selection.X, intake.y, names, classes),
    }
    note = made(intake, selection, seed)
    files = {
        "selected.csv": csv(selection.table).encode(),
        **{f"{name}.png": content for name, content in drawn.items()},
        "selected.json": (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode(),
        "report.html": rendered(intake, selection, drawn, note).encode(),
    }
    for name, content in files.items():
        write_bytes(folder / name, content)
    return [folder / name for name in files]


def made(intake: Intake, selection: Selection, seed: int) -> dict:
    """How a selection was made: the set, the methods, the numbers behind it."""
    return {
        "imbfs": __version__,
        "data": {**intake.spec, "fingerprint": intake.fingerprint},
        "samples": intake.X.shape[0],
        "features": intake.X.shape[1],
        "classes": intake.counts,
        "groups": None if intake.groups is None else len(set(intake.groups.tolist())),
        "methods": [choice.identity() for choice in selection.methods],
        "k": selection.k,
        "resamples": selection.resamples,
        "permutations": selection.permutations,
        "seed": seed,
        "significant": selection.significant,
        "warnings": list(intake.warnings),
    }


def rendered(intake: Intake, selection: Selection, drawn: dict[str, bytes], note: dict) -> str:
    """The page, in one file."""
    name = Path(intake.spec["path"]).name
    header = many(el("h1", name), el("p", f"{saw(intake)}.", class_="lead"))
    found = [el("p", el("b", text)) for text in concluded(selection)]
    warned = [el("p", text, class_="notice", role="note") for text in intake.warnings]
    figures = many(
        _image(drawn["features"], f"The first features of {name} by class"),
        _image(drawn["heat_map"], f"The first {selection.k} features over the samples"),
    )
    explained = el("ul", *(el("li", text) for text in how(selection)), class_="note")
    described = json.dumps(note, indent=1, ensure_ascii=False)
    main = many(
        *warned,
        section("found", "What was found", *found),
        section("figures", "The features by class", figures),
        section("ranking", "The ranking", explained, _listed(selection)),
        section("made", "How it was made", details("selected.json", el("pre", described))),
    )
    return page(f"{name}: imbfs select", header, main, source=name)


def _listed(selection: Selection) -> Html:
    rows = selection.table.head(max(_LISTED, selection.k))
    header = [name.replace("_", " ").replace("selected", "chosen") for name in rows.columns]
    told = [[_cell(key, value) for key, value in row.items()] for row in rows.to_dict("records")]
    caption = f"The first {len(rows):,} of {len(selection.table):,} features; all in selected.csv"
    return table(caption, header, told)


def _cell(key: str, value) -> str:
    if isinstance(value, str | int):
        return str(value)
    if key in ("p", "q"):
        return small(value)
    return f"{value:.0%}" if key == "selected" else f"{value:.4g}"


def _image(content: bytes, said: str) -> Html:
    source = f"data:image/png;base64,{b64encode(content).decode()}"
    return el("img", src=source, alt=said, class_="drawn")
