"""Tables as people read them: CSV, Markdown and LaTeX files, and the terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.errors import lookup
from imbfs.running.store import write_text
from imbfs.showing.tables import completeness, features, rank, summarise

_ASTERISK = "* rests on fewer results than planned."


def write(
    folder: Path,
    frame: pd.DataFrame,
    plan: dict,
    records: dict[str, dict],
    tables: Sequence = (),
    formats: Sequence[str] = ("csv", "md"),
) -> list[Path]:
    """Write results.csv, features.csv and, in every format, the tables that a config names.

    If it names none: a summary of each measure and the ranks by the first. In csv a summary has
    mean and sd in columns of their own, and the number of tasks that are missing.
    """
    default = [*(("summary", name) for name in plan["measures"]), ("ranks", plan["measures"][0])]
    texts = {"results.csv": _csv(frame), "features.csv": _csv(features(plan, records))}
    for kind, measure in [(table.kind, table.measure) for table in tables] or default:
        sheet = _SHEETS[kind](frame, plan, measure)
        sheet = replace(sheet, notes=_incompleteness(plan, records) + sheet.notes)
        for name in formats:
            extension, render = lookup(_FORMATS, name, "format")
            texts[f"{kind}_{measure}.{extension}"] = render(sheet)
    for name, text in texts.items():
        write_text(folder / "tables" / name, text)
    return [folder / "tables" / name for name in texts]


@dataclass(frozen=True)
class _Section:
    """A table as texts for reading, some of them bold."""

    header: list[str]
    rows: list[list[str]]
    bold: set[tuple[int, int]]


@dataclass(frozen=True)
class _Sheet:
    """One or more sections under the same notes, and all of it as numbers for csv."""

    notes: list[str]
    sections: list[_Section]
    numbers: pd.DataFrame


def _summary_sheet(frame: pd.DataFrame, plan: dict, measure: str) -> _Sheet:
    summary = summarise(frame, measure)
    notes = [f"{measure}, mean ± sd over {frame['over'].iloc[0]}, by number of features."]
    if summary.missing.any():
        notes.append(_ASTERISK)
    pair = {"": summary.mean, " sd": summary.sd}
    numbers = {f"{c}{end}": part[c] for c in summary.mean for end, part in pair.items()}
    numbers = pd.DataFrame({**numbers, "missing": summary.missing}).reset_index(drop=True)
    numbers = pd.concat([_labels(summary, frame), numbers], axis=1)
    several = frame["resampling"].nunique() > 1
    sections = [_section(part, plan, measure, several) for part in _alike(frame)]
    return _Sheet(notes, sections, numbers)


def _alike(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The rows of sets measured at the same numbers of features, together; of those at none too."""
    counts = frame.groupby("dataset", sort=False)["features"].agg(lambda f: frozenset(f) - {""})
    some = next(filter(None, counts))
    for _, names in groupby(counts.items(), key=lambda item: item[1] or some):
        yield frame[frame["dataset"].isin([name for name, _ in names])]


def _section(frame: pd.DataFrame, plan: dict, measure: str, several: bool) -> _Section:
    summary = summarise(frame, measure)
    labels = _labels(summary, frame, several)
    values = pd.DataFrame(summary.texts(" ± "), columns=summary.mean.columns)
    shown = pd.concat([labels, values], axis=1)
    if summary.missing.any():
        shown["results"] = _rests_on(summary.missing, plan)
    best = zip(*summary.best.to_numpy().nonzero(), strict=True)
    bold = {(i, labels.shape[1] + j) for i, j in best}
    return _Section(list(shown), shown.to_numpy().tolist(), bold)


def _labels(summary, frame: pd.DataFrame, several: bool | None = None) -> pd.DataFrame:
    """The names of every row; the resampling only where there are several."""
    labels = summary.mean.index.to_frame(index=False)
    several = frame["resampling"].nunique() > 1 if several is None else several
    return labels if several else labels.drop(columns="resampling")


def _rests_on(missing: pd.Series, plan: dict) -> list[str]:
    """How many of the planned results every row has: `18 of 20*`."""
    planned = Counter((*task[1:4], task[5], task[4]) for task in plan["tasks"])
    rows = ((planned[cell], lacks) for cell, lacks in missing.items())
    return [f"{total - lacks} of {total}{'*' if lacks else ''}" for total, lacks in rows]


def _ranks_sheet(frame: pd.DataFrame, plan: dict, measure: str) -> _Sheet:
    ranks = rank(frame, measure)
    table = ranks.table
    rows = []
    for name, mean, sd, wins, cells in table.itertuples(index=False):
        digits = ["" if np.isnan(value) else f"{value:.2f}" for value in (mean, sd)]
        rows.append([name, *digits, str(wins), str(cells)])
    bold = {(i, 1) for i in np.flatnonzero(table["mean rank"] == table["mean rank"].min())}
    notes = [f"Mean rank by {measure}, 1 is best; a tie for the best is a win of each."]
    return _Sheet(notes + ranks.left_out, [_Section(list(table), rows, bold)], table)


def _incompleteness(plan: dict, records: dict[str, dict]) -> list[str]:
    planned, done, failed = completeness(plan, records)
    notes = []
    if done < planned:
        of_them = f", {failed} of them failed" if failed else ""
        notes.append(f"Incomplete: {planned - done} of {planned} tasks have no result{of_them}.")
    if plan["absent"]:
        notes.append(f"Not at hand: {', '.join(plan['absent'])}.")
    return notes


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def _markdown(sheet: _Sheet) -> str:
    notes = [note.translate(_MARKDOWN) + "\n" for note in sheet.notes]
    sections = []
    for section in sheet.sections:
        rows = _decorated(section, _MARKDOWN, "**{}**")
        widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        lines = [[t.ljust(w) for t, w in zip(row, widths, strict=True)] for row in rows]
        sections.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n".join([*notes, "\n\n".join(sections), ""])


def _latex(sheet: _Sheet) -> str:
    lines = [rf"\noindent {note.translate(_LATEX)}\par" for note in sheet.notes]
    for section in sheet.sections:
        rows = _decorated(section, _LATEX, r"\textbf{{{}}}")
        header, *body = (" & ".join(row) + r" \\" for row in rows)
        columns = "l" * len(section.header)
        lines.append(rf"\begin{{tabular}}{{{columns}}}  % needs the package booktabs")
        lines += [r"\toprule", header, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
        lines.append(r"\par\medskip" if section is not sheet.sections[-1] else "")
    return "\n".join(lines)


def _decorated(section: _Section, escapes: dict[int, str], bold: str) -> list[list[str]]:
    """Header and rows, with the escapes and the bold of a format."""
    rows = [[text.translate(escapes) for text in row] for row in section.rows]
    for i, j in section.bold:
        rows[i][j] = bold.format(rows[i][j])
    return [[text.translate(escapes) for text in section.header], *rows]


_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\|*`<~"} | {"\n": " "})
_LATEX = str.maketrans({char: f"\\{char}" for char in "&%$#_{}"})
_LATEX |= {ord("["): "{[}"}  # after a line break it would open an option
_LATEX |= {ord("\\"): r"\textbackslash{}", ord("~"): r"\textasciitilde{}"}
_LATEX |= {ord("^"): r"\textasciicircum{}", ord("±"): r"$\pm$"}
_LATEX |= {ord("<"): r"\textless{}", ord(">"): r"\textgreater{}"}
_SHEETS = {"summary": _summary_sheet, "ranks": _ranks_sheet}
_FORMATS = {
    "csv": ("csv", lambda sheet: _csv(sheet.numbers)),
    "md": ("md", _markdown),
    "latex": ("tex", _latex),
}


def terminal(frame: pd.DataFrame, measure: str, width: int = 80):
    """A summary for a terminal, by rich: a block for every group, as many columns as fit."""
    from rich.console import Group
    from rich.text import Text

    blocks, hidden = [], {}
    for part in _alike(frame):
        summary = summarise(part, measure)
        names = list(summary.mean.columns)
        longest = min(max(map(len, frame["selector"])), 24)
        fitting = min(max(1, (width - longest - 2) // 14), len(names))
        shown = np.linspace(0, len(names) - 1, fitting).round().astype(int)
        hidden |= {name: None for j, name in enumerate(names) if j not in shown}
        blocks += _blocks(summary, measure, shown, longest, frame["resampling"].nunique() > 1)
    notes = [Text(_ASTERISK, "yellow")] if (frame["missing"] > 0).any() else []
    if hidden:
        notes.append(Text(f"Not shown for want of width: {', '.join(hidden)} features.", "dim"))
    return Group(*blocks, *notes)


def terminal_ranks(frame: pd.DataFrame, measure: str):
    """The mean ranks for a terminal, by rich."""
    from rich.console import Group
    from rich.text import Text

    sheet = _ranks_sheet(frame, {}, measure)
    (section,) = sheet.sections
    block = _block(min(max(map(len, frame["selector"])), 40), section.header[1:])
    for i, (name, *cells) in enumerate(section.rows):
        style = "bold green" if (i, 1) in section.bold else ""
        block.add_row(Text(name, style), *(Text(cell, style) for cell in cells))
    return Group(Text(sheet.notes[0], "bold"), block, *map(Text, sheet.notes[1:]))


def _blocks(summary, measure: str, shown, longest: int, several: bool) -> Iterator:
    """A title and a table for every group of selectors that are compared."""
    from rich.text import Text

    texts, best = summary.texts("±"), summary.best.to_numpy()
    names = list(summary.mean.columns)
    for group, lines in groupby(enumerate(summary.mean.index), key=lambda line: line[1][:-1]):
        title = " · ".join(group if several else (*group[:2], group[3]))
        yield Text(f"{measure}: {title}", "bold")
        block = _block(longest, [names[j] for j in shown])
        for i, row in lines:
            cells = [Text(texts[i][j], "bold green" if best[i, j] else "") for j in shown]
            block.add_row(Text(row[-1]), *cells)
        yield block
        yield Text()


def _block(longest: int, columns: list[str]):
    from rich.table import Table
    from rich.text import Text

    block = Table(box=None, padding=(0, 2, 0, 0))
    block.add_column("", width=longest, overflow="fold")
    for name in columns:
        block.add_column(Text(name), justify="right", width=12, no_wrap=True)
    return block
