"""How a table is written for reading: CSV, Markdown and LaTeX."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from imbfs.errors import one_line


@dataclass(frozen=True)
class Section:
    """A table as texts for reading, some of them bold."""

    header: list[str]
    rows: list[list[str]]
    bold: set[tuple[int, int]]


@dataclass(frozen=True)
class Sheet:
    """One or more sections under the same notes, and all of it as numbers for csv."""

    notes: list[str]
    sections: list[Section]
    numbers: pd.DataFrame


def texts(path: Path) -> pd.DataFrame:
    """The table in a CSV file, all of it as text; a ValueError or OSError if it cannot be read."""
    if path.exists() and not path.is_file():
        raise ValueError("it is no plain file")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def _markdown(sheet: Sheet) -> str:
    notes = [_in_markdown(note) + "\n" for note in sheet.notes]
    sections = []
    for section in sheet.sections:
        rows = _decorated(section, _in_markdown, "**{}**")
        widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        lines = [[t.ljust(w) for t, w in zip(row, widths, strict=True)] for row in rows]
        sections.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n".join([*notes, "\n\n".join(sections), ""])


def _latex(sheet: Sheet) -> str:
    lines = [rf"\noindent {_in_latex(note)}\par" for note in sheet.notes]
    for section in sheet.sections:
        rows = _decorated(section, _in_latex, r"\textbf{{{}}}")
        header, *body = (" & ".join(row) + r" \\" for row in rows)
        columns = "l" * len(section.header)
        lines.append(rf"\begin{{tabular}}{{{columns}}}  % needs the package booktabs")
        lines += [r"\toprule", header, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
        lines.append(r"\par\medskip" if section is not sheet.sections[-1] else "")
    return "\n".join(lines)


def _decorated(section: Section, escaped: Callable[[str], str], bold: str) -> list[list[str]]:
    """Header and rows, with the escapes and the bold of a format."""
    rows = [[escaped(text) for text in row] for row in section.rows]
    for i, j in section.bold:
        rows[i][j] = bold.format(rows[i][j])
    return [[escaped(text) for text in section.header], *rows]


def _in_markdown(text: str) -> str:
    """A text that is shown as it is: no table, emphasis, formula, tag or link comes of it."""
    return _MEANT.sub(r"\\\g<0>", one_line(text).translate(_MARKDOWN))


def _in_latex(text: str) -> str:
    return one_line(text).translate(_LATEX)


_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\|*`<~$&"})
# The end of a link's text, and an underscore that is not within a word.
_MEANT = re.compile(r"\](?=[(\[:])|(?<![A-Za-z0-9_])_|_(?![A-Za-z0-9_])")
_LATEX = str.maketrans({char: f"\\{char}" for char in "&%$#_{}"})
_LATEX |= {ord("["): "{[}", ord("*"): "{*}"}  # after a line break they would be its options
_LATEX |= {ord("|"): r"\textbar{}"}
_LATEX |= {ord("\\"): r"\textbackslash{}", ord("~"): r"\textasciitilde{}"}
_LATEX |= {ord("^"): r"\textasciicircum{}", ord("±"): r"$\pm$"}
_LATEX |= {ord("<"): r"\textless{}", ord(">"): r"\textgreater{}"}
FORMATS = {
    "csv": ("csv", lambda sheet: csv(sheet.numbers)),
    "md": ("md", _markdown),
    "latex": ("tex", _latex),
}
