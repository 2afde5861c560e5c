"""The page of a comparison: the answer first, then what it rests on, in one file."""

import base64
from pathlib import Path

from imbfs.own.nested.compared import CANDIDATE
from imbfs.own.nested.estimate import Answer
from imbfs.own.nested.told import Told, rows_of
from imbfs.showing.report.frame import page
from imbfs.showing.report.html import Html, details, el, many, section, table
from imbfs.showing.style import words

_MOST_ROWS = 500


def draw(folder: Path, found: Answer, said: Told) -> list[Path]:
    """The figures of the answer, as files."""
    from imbfs.showing.figures import estimates

    shown = {
        row: {measure: of.interval(measure) for measure in found.measures}
        for row, of in rows_of(found).items()
    }
    return estimates.draw(folder, shown, found.largest, found.compared, found.measure)


def render(said: Told, found: Answer, drawn: list[Path], config: str) -> str:
    header = many(
        el("h1", said.title),
        el("p", said.advice, class_="lead"),
        el("p", said.about, class_="note"),
    )
    estimates = table(
        "Expected on new samples, with 95% intervals", said.header, said.rows, "plain"
    )
    below = el("p", said.below, class_="note")
    image = _image(drawn[0], "The estimates")
    parts = [section("expected", "What to expect", estimates, below, image)]
    for number, (title, paragraphs) in enumerate(said.parts.items()):
        inner = [el("p", part) for part in paragraphs if part]
        parts += [section(f"part-{number}", title, *inner)] if inner else []
    parts.append(
        section(
            "compared",
            "All that was compared",
            el("p", "Means over the very folds that one would choose by: their maximum is "
               "optimistic.", class_="note"),
            _image(drawn[1], "Means against the number of features"),
            _compared(found),
        )
    )  # fmt: skip
    parts.append(section("config", "The config", details("config.yaml", el("pre", config))))
    return page(f"{said.title} imbfs", header, many(*parts), source=said.source)


def _compared(found: Answer) -> Html:
    header = [*CANDIDATE, *(words(measure) for measure in found.measures), "chosen in"]
    rows = []
    for row in found.compared.head(_MOST_ROWS).to_dict("records"):
        values = [f"{row[f'{m}_mean']:.3f} ± {row[f'{m}_sd']:.3f}" for m in found.measures]
        rows.append([*(str(row[name]) for name in CANDIDATE), *values, str(row["chosen_in"])])
    more = len(found.compared) - len(rows)
    behind = f"; {more:,} more in compared.csv" if more > 0 else ""
    total = len(found.procedure.chosen)
    caption = f"Mean and sd over {total} outer folds, and in how many it was chosen{behind}"
    return table(caption, header, rows)


def _image(path: Path, alt: str) -> Html:
    content = base64.b64encode(path.read_bytes()).decode()
    return el("p", el("img", src=f"data:image/png;base64,{content}", alt=alt, class_="drawn"))
