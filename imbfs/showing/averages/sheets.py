"""Tables over problems, as people read them: a section for every block of problems."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from imbfs.config import Table
from imbfs.showing import averages
from imbfs.showing.averages import Block
from imbfs.showing.averages.approaches import approaches
from imbfs.showing.averages.differences import ALPHA, Differences, differences
from imbfs.showing.averages.folds import corrected
from imbfs.showing.averages.groups import grouped, members, problems
from imbfs.showing.averages.selections import overlap, stability
from imbfs.showing.markup import Section, Sheet

_COMPLETE = "A problem counts where every selector has a complete value."


class _Part(NamedTuple):
    """What a table tells of one block: as texts, some of them bold, and as numbers."""

    block: Block
    texts: pd.DataFrame
    bold: set[tuple[int, str]] = set()
    numbers: pd.DataFrame = pd.DataFrame()


def sheet(frame: pd.DataFrame, plan: dict, records: dict[str, dict], table: Table) -> Sheet:
    """The table over problems that a config names."""
    frame = grouped(frame, problems(plan))
    note, make = _KINDS[table.kind]
    several = frame["resampling"].nunique() > 1
    parts = list(make(frame, plan, records, table))
    sections = [_section(part, several) for part in parts if len(part.texts)]
    numbers = [_labels(part.block, part.numbers, several) for part in parts if len(part.numbers)]
    notes = [note.format(**dict(table)), _COMPLETE]
    return Sheet(notes, sections, pd.concat(numbers) if numbers else pd.DataFrame())


def _section(part: _Part, several: bool) -> Section:
    texts = _labels(part.block, part.texts, several)
    bold = {(i, texts.columns.get_loc(name)) for i, name in part.bold}
    return Section(list(texts), texts.to_numpy().tolist(), bold)


def _labels(block: Block, rows: pd.DataFrame, several: bool) -> pd.DataFrame:
    """The rows with their group, classifier and, where there are several, resampling in front."""
    labels = {"group": block.group, "classifier": block.classifier}
    labels |= {"resampling": block.resampling} if several else {}
    labels = {name: label for name, label in labels.items() if label}
    return pd.concat([pd.DataFrame(labels, index=rows.index), rows], axis=1)


def _average(frame, plan, records, table: Table) -> Iterator[_Part]:
    for block in averages.blocks(frame, table):
        rows = averages.average(block)
        cells = rows.set_index(["features", "selector"])
        columns = {"selector": [*block.values.columns, "problems"]}
        bold = set()
        for features in block.counts:
            means, sds, n = (cells.loc[features, name] for name in ("mean", "sd", "n"))
            texts = [_spread(mean, sd) for mean, sd in zip(means, sds, strict=True)]
            columns[features] = [*texts, str(n.iloc[0])]
            bold |= {(i, features) for i in np.flatnonzero(means == means.max())}
        yield _Part(block, pd.DataFrame(columns if bold else {}), bold, rows)


def _within(frame, plan, records, table: Table) -> Iterator[_Part]:
    for block in averages.blocks(frame, table):
        values = block.at(table.features)
        shares = averages.within(values).dropna().rename(columns="{}%".format)
        numbers = shares.reset_index().assign(problems=len(values))
        texts = shares.map("{:.2f}".format).reset_index().assign(problems=str(len(values)))
        yield _Part(block, texts, set(), numbers)


def _differences(frame, plan, records, table: Table) -> Iterator[_Part]:
    for block in averages.blocks(frame, table):
        values = block.at(table.features)
        if (found := differences(values, table.against)) is not None:
            yield _ranks(block, found, len(values))
            texts = found.pairs.assign(difference=found.pairs["difference"].map("{:+.4f}".format))
            tests = ["t", "wilcoxon", "holm"]
            bold = {(i, name) for name in tests for i in np.flatnonzero(texts[name] < ALPHA)}
            texts[tests] = texts[tests].map("{:.2g}".format)
            ranks = {name: found.pairs[name].map(found.ranks) for name in ("selector", "against")}
            numbers = found.pairs.assign(
                rank=ranks["selector"],
                rank_against=ranks["against"],
                critical_difference=found.critical,
                problems=len(values),
            )
            yield _Part(block, texts, bold, numbers)


def _ranks(block: Block, found: Differences, n: int) -> _Part:
    """Mean ranks, those that the best is not critically different from in bold."""
    texts = found.ranks.map("{:.2f}".format).rename("mean rank").rename_axis("selector")
    texts = texts.reset_index().assign(**{"critical difference": f"{found.critical:.2f}"})
    near = np.flatnonzero(found.ranks <= found.ranks.min() + found.critical)
    return _Part(block, texts.assign(problems=str(n)), {(i, "mean rank") for i in near})


def _corrected(frame, plan, records, table: Table) -> Iterator[_Part]:
    for block, counts in corrected(frame, plan, records, table):
        texts = counts.astype(str)
        for test in ("naive", "corrected"):
            found = counts[f"{test} better"] + counts[f"{test} worse"]
            counts[f"{test} share"] = found / counts["problems"]
            texts[f"{test} share"] = counts[f"{test} share"].map("{:.0%}".format)
        yield _Part(block, texts, set(), counts)


def _approaches(frame, plan, records, table: Table) -> Iterator[_Part]:
    rows, problems, plain = approaches(frame, table)
    numbers = rows.assign(gain=rows["mean"] - plain, problems=problems)
    texts = numbers[["selector", "resampling", "classifier"]].assign(
        mean=[_spread(*pair) for pair in zip(rows["mean"], rows["sd"], strict=True)],
        gain=["" if np.isnan(gain) else f"{gain:+.3f}" for gain in numbers["gain"]],
        problems=str(problems),
    )
    best = {(i, "mean") for i in np.flatnonzero(rows["mean"] == rows["mean"].max())}
    yield _Part(Block("", "", "", rows), texts, best, numbers)


def _stability(frame, plan, records, table: Table) -> Iterator[_Part]:
    found = stability(plan, records, table.features)
    for resampling in found.index.unique("resampling"):
        values = found.xs(resampling, level="resampling")
        for group, own in members(frame, table.group).items():
            part = values[values.index.get_level_values("dataset").isin(own)]
            if part.empty:  # stability is undefined for all sets of the group
                continue
            numbers = _stable(part)
            pairs = zip(numbers["stability"], numbers["sd"], strict=True)
            ends = zip(numbers["low"], numbers["high"], strict=True)
            texts = numbers[["selector"]].assign(stability=[_spread(*pair) for pair in pairs])
            texts["95%"] = [f"{low:.3f} to {high:.3f}" for low, high in ends]
            texts["problems"] = str(len(part))
            best = np.flatnonzero(numbers["stability"] == numbers["stability"].max())
            bold = {(i, "stability") for i in best}
            yield _Part(Block(resampling, "", group, part), texts, bold, numbers)


def _stable(part: pd.DataFrame) -> pd.DataFrame:
    """Mean and sd over problems of every selector; the interval of the mean is that of the folds.

    Problems have nothing in common, so the squares of their errors add up.
    """
    value = part.map(lambda interval: interval.value)
    reach = part.map(lambda interval: interval.high - interval.value)
    mean, error = value.mean(), np.sqrt((reach**2).sum()) / len(part)
    told = {"stability": mean, "sd": value.std(ddof=1), "low": mean - error, "high": mean + error}
    return pd.DataFrame(told | {"problems": len(part)}).rename_axis("selector").reset_index()


def _overlap(frame, plan, records, table: Table) -> Iterator[_Part]:
    found = overlap(plan, records, table.features)
    for resampling in found.index.unique("resampling"):
        values = found.xs(resampling, level="resampling")
        for group, own in members(frame, table.group).items():
            part = values[values.index.get_level_values("dataset").isin(own)]
            n = part.index.nunique()
            means = part.groupby(["selector", "against"], sort=False)
            numbers = means.mean().reset_index().assign(problems=n)
            yield _Part(Block(resampling, "", group, part), _matrix(numbers), set(), numbers)


def _matrix(pairs: pd.DataFrame) -> pd.DataFrame:
    """A row and a column for every selector: Jaccard's above the diagonal, corrected below it."""
    names = list(dict.fromkeys([*pairs["selector"], *pairs["against"]]))
    texts = pd.DataFrame("", index=names, columns=names)
    for one, other, jaccard, beyond in pairs.iloc[:, :4].itertuples(index=False):
        texts.loc[one, other], texts.loc[other, one] = f"{jaccard:.2f}", f"{beyond:.2f}"
    return texts.rename_axis("selector").reset_index()


def _spread(mean: float, sd: float) -> str:
    return f"{mean:.3f}" + ("" if np.isnan(sd) else f" ± {sd:.3f}")


_KINDS = {
    "average": ("{measure}, mean ± sd over problems, by number of features.", _average),
    "within": (
        "Share of problems where {measure} with {features} features is within a tolerance of that "
        "of the best selector; none and random do not count as the best.",
        _within,
    ),
    "differences": (
        "Selectors by {measure} with {features} features: mean ranks, bold within Nemenyi's "
        "critical difference of the best; mean differences over problems and the p-values of a "
        f"paired t-test, Wilcoxon's and Holm's correction of it, bold below {ALPHA}.",
        _differences,
    ),
    "corrected": (
        "Problems where {measure} with {features} features differs by a paired t-test over all "
        f"folds (p < {ALPHA}): naive, and corrected for training samples that folds share.",
        _corrected,
    ),
    "approaches": (
        "{measure} with {features} features by every selector, resampling and classifier, mean ± "
        "sd over problems that all of them have complete; gain: on all features, without "
        "resampling, by the first classifier.",
        _approaches,
    ),
    "stability": (
        "Stability of the {features} features selected in the folds of a problem, mean ± sd over "
        "problems, and the interval of 95% that its folds leave the mean: 1 if they are always the "
        "same, 0 as by chance.",
        _stability,
    ),
    "overlap": (
        "Overlap of the {features} features that two selectors select in the same fold, mean over "
        "folds and problems. Above the diagonal the share of all their features that both have "
        "(Jaccard); below it what they share beyond chance (Kuncheva): 1 if they select the same, "
        "0 as by chance.",
        _overlap,
    ),
}
