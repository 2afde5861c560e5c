"""Verdicts in the terminal, by rich, in 80 columns."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from imbfs.showing.beside import SPREAD, Agreement
from imbfs.showing.claims import Paper, sheets
from imbfs.showing.claims.judged import Judged
from imbfs.showing.claims.survey import Survey
from imbfs.showing.claims.verdicts import FAILS, HOLDS, PARTLY, UNTESTABLE, VERDICTS

_COLOURS = {HOLDS: "green", PARTLY: "yellow", FAILS: "red", UNTESTABLE: "dim"}


def claims(paper: Paper, told: list[Judged]) -> Group:
    """Every claim with its verdict on each part, and what speaks most against it."""
    lines = [Text(f"{paper.paper}: {', '.join(paper.experiments)}", "bold")]
    for name, claim in paper.claims.items():
        lines.append(Text(f"{name} {claim.claim} ({claim.where})"))
        block = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
        for width in (1, 11, 13, 9, 40):
            block.add_column(width=width, overflow="fold")
        for one in told:
            f = one.finding
            if f.name == name:
                verdict = Text(sheets.verdict_text(f), _COLOURS[f.verdict])
                block.add_row("", f.part, verdict, sheets.favour_text(f), Text(_beside(one)))
        lines.append(block)
    if any(one.finding.incomplete for one in told):
        lines.append(Text(sheets.ASTERISK, "yellow"))
    return Group(*lines)


def _beside(told: Judged) -> str:
    """Effect, p and settings on a line, then the worst cell, or why there is nothing to tell."""
    f = told.finding
    named = {
        "effect": sheets.effect_text(told.effect),
        "p": sheets.p_text(told.effect),
        "settings": sheets.settings_text(told),
        "dead": str(f.dead) if f.dead else "",
    }
    first = ", ".join(f"{name} {text}" for name, text in named.items() if text)
    return "\n".join(filter(None, (first, f.why or sheets.worst_text(f))))


def settings(experiment: str, survey: Survey) -> Group:
    """In how many settings each claim holds."""
    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("claim", "part", "settings", *VERDICTS, "cells"):
        block.add_column(name, justify="left" if name in ("claim", "part") else "right")
    for row in survey.overall().to_dict("records"):
        counts = [str(row[name]) for name in ("settings", *VERDICTS)]
        block.add_row(Text(row["claim"]), row["part"], *counts, sheets.share_text(row["share"]))
    title = f"In every setting of {experiment}; cells: the share of them in favour"
    return Group(Text(title, "bold"), block)


def beside(told: dict[str, Agreement]) -> Group:
    """How many pairs of a printed value and a reading of ours are within our spread, by table."""
    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("table", "within", "of", "apart", "suspect", "not here"):
        block.add_column(name, justify="left" if name == "table" else "right", overflow="fold")
    for name, one in told.items():
        apart = f"{one.apart:.3f}" if one.sound else ""
        block.add_row(
            Text(name), *map(str, (one.inside, one.sound, apart, one.suspect, one.absent))
        )
    title = f"Printed values and readings of ours: pairs within {SPREAD} sd of ours"
    return Group(Text(title, "bold"), block)


def papers(counts: dict[str, dict[str, int]]) -> Table:
    """A line for every paper: how many of its claims are tested, hold, hold partly, fail."""
    block = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("paper", "claims", "tested", *VERDICTS):
        block.add_column(name, justify="left" if name == "paper" else "right")
    for paper, verdicts in counts.items():
        every = sum(verdicts.values())
        told = [Text(str(n), _COLOURS[v] if n else "dim") for v, n in verdicts.items()]
        block.add_row(Text(paper), str(every), str(every - verdicts[UNTESTABLE]), *told)
    return block
