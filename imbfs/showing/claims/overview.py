"""Five papers at a glance: how many claims hold, and headline values beside the printed ones."""

from pathlib import Path

import pandas as pd

from imbfs.errors import UserError
from imbfs.showing import markup
from imbfs.showing.claims import Headline, Paper
from imbfs.showing.claims.verdicts import VERDICTS
from imbfs.showing.markup import FORMATS, Section, Sheet

FILE = "overview.md"
COLUMNS = ["value", "printed", "ours", "what we think of it"]


def overview(papers: dict[str, Paper], counts: dict[str, dict[str, int]], results: Path) -> str:
    """Two tables in Markdown: verdicts by paper, and what is printed beside what came out."""
    verdicts = [[name, str(sum(own.values())), *_texts(own)] for name, own in counts.items()]
    shown = [[name, *row] for name in counts for row in headlines(papers[name], results)]
    sections = [Section(["paper", "claims", *VERDICTS], verdicts, set())]
    if shown:
        sections.append(Section(["paper", *COLUMNS], shown, set()))
    _, render = FORMATS["md"]
    return "\n".join(render(Sheet([], [section], pd.DataFrame())) for section in sections)


def headlines(paper: Paper, results: Path) -> list[list[str]]:
    """The rows of a table with these columns; those of experiments without results are left out.

    A cell that is not there yet is told as –.
    """
    there = [line for line in paper.headlines if (results / Path(line.table).parts[0]).exists()]
    return [[line.say, str(line.printed), _value(line, results), line.why] for line in there]


def _texts(counts: dict[str, int]) -> list[str]:
    return [str(counts[verdict]) for verdict in VERDICTS]


def _value(line: Headline, results: Path) -> str:
    """The one value that a headline names, of a table of results; – where it is not there yet."""
    path = results / line.table
    try:
        table = markup.texts(path)
    except (OSError, ValueError):
        raise UserError(f"headlines: {path}: is no table.") from None
    if absent := [name for name in (*line.row, line.column) if name not in table]:
        raise UserError(f"headlines: {path}: has no column {absent[0]!r}.")
    for name, value in line.row.items():
        table = table[table[name] == str(value)]
    if len(table) > 1:
        raise UserError(f"headlines: {path}: {len(table)} rows fit {line.say!r}. One must.")
    value = "".join(table[line.column])
    return f"{float(value):.3f}" if value else "–"
