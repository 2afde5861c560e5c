"""Tables as people read them: CSV, Markdown and LaTeX files, and the terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd

from imbfs.config import Table
from imbfs.config.shown import OVER_PROBLEMS
from imbfs.errors import lookup
from imbfs.measures import DESCRIPTIVE
from imbfs.running.store import write_text
from imbfs.showing import picks
from imbfs.showing.averages import sheets as over_problems
from imbfs.showing.averages.groups import problems
from imbfs.showing.beside import sheet as beside_sheet
from imbfs.showing.markup import FORMATS, Section, Sheet, csv
from imbfs.showing.ranks import rank
from imbfs.showing.settings import standing
from imbfs.showing.tables import LEAK, completeness, features, leaks, marked, seconds, summarise

_ASTERISK = "* rests on fewer results than planned."


def write(
    folder: Path,
    frame: pd.DataFrame,
    plan: dict,
    records: dict[str, dict],
    tables: Sequence[Table] = (),
    formats: Sequence[str] = ("csv", "md"),
) -> list[Path]:
    """Write results.csv, features.csv, problems.csv, seconds.csv and the tables of a config.

    The latter in every format; if it names none: a summary of each measure and the ranks by the
    first. In csv a summary has mean and sd in columns of their own, and the number of tasks that
    are missing. Without a record that tells its seconds there is no table of them. Where rankings
    saw the test rows, every table of what came of them says so.
    """
    chosen = features(plan, records)
    chosen = marked(chosen) if leaks(frame) else chosen
    texts = {"results.csv": csv(frame), "features.csv": csv(chosen)}
    if not (posed := problems(plan)).empty:
        texts["problems.csv"] = csv(posed)
    if not (times := seconds(plan, records)).empty:
        texts["seconds.csv"] = csv(times)
    for table in tables or _default(plan["measures"]):
        sheet = _sheet(frame, plan, records, table)
        sheet = replace(sheet, notes=_incompleteness(plan, records) + sheet.notes)
        if leaks(frame):
            sheet = replace(sheet, notes=[LEAK, *sheet.notes], numbers=marked(sheet.numbers))
        for name in formats:
            extension, render = lookup(FORMATS, name, "format")
            texts[f"{table.stem}.{extension}"] = render(sheet)
    for name, text in texts.items():
        write_text(folder / "tables" / name, text)
    return [folder / "tables" / name for name in texts]


def _default(measures: Sequence[str]) -> list[Table]:
    ranked = [name for name in measures if name not in DESCRIPTIVE][:1]
    wanted = {"summary": measures, "ranks": ranked}
    return [Table(kind=kind, measure=name) for kind, names in wanted.items() for name in names]


def _sheet(frame: pd.DataFrame, plan: dict, records: dict[str, dict], table: Table) -> Sheet:
    if table.kind in OVER_PROBLEMS:
        return over_problems.sheet(frame, plan, records, table)
    if table.kind == "picks":
        return picks.sheet(plan, records, table)
    if table.picks:
        frame = picks.errors(plan, records)
    return _SHEETS[table.kind](frame, plan, table)


def _summary_sheet(frame: pd.DataFrame, plan: dict, table: Table) -> Sheet:
    summary = summarise(frame, table.measure, table.part)
    said = table.measure if table.part == "test" else f"{table.part} {table.measure}"
    notes = [f"{said}, mean ± sd over {frame['over'].iloc[0]}, by number of features."]
    if summary.missing.any():
        notes.append(_ASTERISK)
    pair = {"": summary.mean, " sd": summary.sd}
    numbers = {f"{c}{end}": part[c] for c in summary.mean for end, part in pair.items()}
    numbers = pd.DataFrame({**numbers, "missing": summary.missing}).reset_index(drop=True)
    numbers = pd.concat([_labels(summary, frame), numbers], axis=1)
    several = frame["resampling"].nunique() > 1
    sections = [_section(alike, plan, table, several) for alike in _alike(frame)]
    return Sheet(notes, sections, numbers)


def _alike(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The rows of sets measured at the same numbers of features, together; of those at none too."""
    counts = frame.groupby("dataset", sort=False)["features"].agg(lambda f: frozenset(f) - {""})
    some = next(filter(None, counts))
    for _, names in groupby(counts.items(), key=lambda item: item[1] or some):
        yield frame[frame["dataset"].isin([name for name, _ in names])]


def _section(frame: pd.DataFrame, plan: dict, table: Table, several: bool) -> Section:
    summary = summarise(frame, table.measure, table.part)
    labels = _labels(summary, frame, several)
    values = pd.DataFrame(summary.texts(" ± "), columns=summary.mean.columns)
    shown = pd.concat([labels, values], axis=1)
    if summary.missing.any():
        shown["results"] = _rests_on(summary.missing, plan)
    best = zip(*summary.best.to_numpy().nonzero(), strict=True)
    bold = {(i, labels.shape[1] + j) for i, j in best}
    return Section(list(shown), shown.to_numpy().tolist(), bold)


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


def _ranks_sheet(frame: pd.DataFrame, plan: dict, table: Table) -> Sheet:
    ranks = rank(frame, table.measure)
    ranked = ranks.table
    rows = []
    for name, mean, sd, wins, cells in ranked.itertuples(index=False):
        digits = ["" if np.isnan(value) else f"{value:.2f}" for value in (mean, sd)]
        rows.append([name, *digits, str(wins), str(cells)])
    bold = {(i, 1) for i in np.flatnonzero(ranked["mean rank"] == ranked["mean rank"].min())}
    notes = [f"Mean rank by {table.measure}, 1 is best; a tie for the best is a win of each."]
    return Sheet(notes + ranks.left_out, [Section(list(ranked), rows, bold)], ranked)


def _settings_sheet(frame: pd.DataFrame, plan: dict, table: Table) -> Sheet:
    compared, incomplete = standing(frame, table.measure)
    texts = compared.map(lambda value: value if isinstance(value, str) else f"{value:.3f}")
    notes = [f"Settings by {table.measure}: mean over methods, of each over sets and features."]
    if incomplete:
        notes.append(f"Settings left out, not complete: {incomplete}.")
    bold = {
        (i, compared.columns.get_loc("mean"))
        for i in np.flatnonzero(compared["mean"] == compared["mean"].max())
    }
    return Sheet(notes, [Section(list(texts), texts.to_numpy().tolist(), bold)], compared)


def _incompleteness(plan: dict, records: dict[str, dict]) -> list[str]:
    planned, done, failed = completeness(plan, records)
    notes = []
    if done < planned:
        of_them = f", {failed} of them failed" if failed else ""
        notes.append(f"Incomplete: {planned - done} of {planned} tasks have no result{of_them}.")
    if plan["absent"]:
        notes.append(f"Not at hand: {', '.join(plan['absent'])}.")
    return notes


_SHEETS = {
    "summary": _summary_sheet,
    "ranks": _ranks_sheet,
    "settings": _settings_sheet,
    "beside": beside_sheet,
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
    notes = [Text(LEAK, "yellow")] if leaks(frame) else []
    notes += [Text(_ASTERISK, "yellow")] if (frame["missing"] > 0).any() else []
    if hidden:
        notes.append(Text(f"Not shown for want of width: {', '.join(hidden)} features.", "dim"))
    return Group(*blocks, *notes)


def terminal_ranks(frame: pd.DataFrame, measure: str):
    """The mean ranks for a terminal, by rich; a summary of a measure that ranks nothing."""
    if measure in DESCRIPTIVE:
        return terminal(frame, measure)
    from rich.console import Group
    from rich.text import Text

    sheet = _ranks_sheet(frame, {}, Table(kind="ranks", measure=measure))
    (section,) = sheet.sections
    block = _block(min(max(map(len, frame["selector"])), 40), section.header[1:])
    for i, (name, *cells) in enumerate(section.rows):
        style = "bold green" if (i, 1) in section.bold else ""
        block.add_row(Text(name, style), *(Text(cell, style) for cell in cells))
    notes = [Text(LEAK, "yellow")] if leaks(frame) else []
    return Group(Text(sheet.notes[0], "bold"), block, *map(Text, sheet.notes[1:]), *notes)


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
