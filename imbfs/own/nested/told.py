"""The answer in plain words: what to do, what it is worth, and how sure that is."""

from collections import Counter
from dataclasses import dataclass
from textwrap import fill

from imbfs.own.intake import Intake
from imbfs.own.nested.estimate import Answer, Candidate, Estimate
from imbfs.own.nested.schedule import Comparison, Spent
from imbfs.showing.style import words
from imbfs.stats import Interval

_SURE = 0.05
_WIDTH = 79
_EXPECTED = "Expected on new samples, with 95% intervals"


@dataclass(frozen=True)
class Told:
    """A title, the advice, a table of estimates, and paragraphs under headings."""

    source: str
    title: str
    about: str
    advice: str
    header: list[str]
    rows: list[list[str]]
    parts: dict[str, list[str]]


def tell(found: Answer, taken: Intake, name: str, comparison: Comparison, spent: Spent) -> Told:
    rows = {
        "recommended": found.procedure,
        "all features": found.baseline,
        "random features": found.yardstick,
    }
    header = ["", *(words(measure) for measure in found.measures)]
    counts = ", ".join(f"{count:,} of {label}" for label, count in _counts(taken))
    return Told(
        name,
        f"Which method for {name}?",
        f"{len(taken.y):,} samples ({counts}), {taken.X.shape[1]:,} features.",
        _advice(found.choice),
        header,
        [[label, *_shown(of, found.measures)] for label, of in rows.items()],
        {
            "Does selecting help?": [_gain(found, len(taken.y))],
            "How sure is the choice?": [_picks(found), _optimism(found)],
            "How this was found": [_how(found), _several(taken)],
            "Left out": _left_out(found, comparison, spent),
            "Warnings": [f"{line[0].upper()}{line[1:]}." for line in taken.warnings],
        },
    )


def text(told: Told) -> str:
    """The answer for a terminal of 80 columns."""
    widths = [
        max(len(row[i]) for row in (told.header, *told.rows)) for i in range(len(told.header))
    ]
    lines = [told.about, "", fill(told.advice, _WIDTH), "", f"{_EXPECTED}:", ""]
    lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (told.header, *told.rows)]
    for title, paragraphs in told.parts.items():
        said = [fill(part, _WIDTH, subsequent_indent="  ") for part in paragraphs if part]
        lines += ["", title, *said] if said else []
    return "\n".join(lines)


def markdown(told: Told) -> str:
    lines = [f"# {told.title}", "", told.about, "", f"**{told.advice}**", "", f"{_EXPECTED}:", ""]
    lines += [_line(told.header), _line(["---"] * len(told.header)), *map(_line, told.rows)]
    for title, paragraphs in told.parts.items():
        said = [part for part in paragraphs if part]
        lines += ["", f"## {title}", "", "\n\n".join(said)] if said else []
    return "\n".join(lines) + "\n"


def candidate(choice: Candidate) -> str:
    if choice.selector == "none":
        return f"all features with {choice.classifier}"
    return f"{choice.features} features by {choice.selector} with {choice.classifier}"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _counts(taken: Intake) -> list[tuple[str, int]]:
    found = list(taken.counts.items())
    if len(found) <= 4:
        return found
    return [(f"to {found[-1][1]:,} in each of {len(found)} classes", found[0][1])]


def _advice(choice: Candidate) -> str:
    if choice.selector == "none":
        return f"Keep all features, and classify with {choice.classifier}."
    which = f"the {choice.features} features" if choice.features != "1" else "the one feature"
    return (
        f"Keep {which} that {choice.selector} ranks first, and classify with {choice.classifier}."
    )


def _shown(of: Estimate, measures: list[str]) -> list[str]:
    found = [of.interval(measure) for measure in measures]
    return [f"{one.value:.3f} ({_ends(one)})" for one in found]


def _ends(one: Interval) -> str:
    """Two decimals, or as many as the ends differ in."""
    for decimals in range(2, 6):
        low, high = f"{one.low:.{decimals}f}", f"{one.high:.{decimals}f}"
        if low != high:
            break
    return f"{low}-{high}"


def _gain(found: Answer, n_samples: int) -> str:
    """The difference to all features, and whether it means anything."""
    named, gain, p = words(found.measure), found.gain, found.test.p
    if not (found.procedure.values[found.measure] - found.baseline.values[found.measure]).any():
        return f"Choosing did no better or worse than all features in any fold, in {named}."
    start = "" if found.choice.selector != "none" else (
        "All rows together speak for all features; in the outer folds the choice often fell on "
        "fewer. With what was chosen there, "
    )  # fmt: skip
    said = (
        f"{start}{named} is {abs(gain.value):.3f} {'higher' if gain.value > 0 else 'lower'} than "
        f"with all features (95% interval of the difference {gain.low:+.3f} to {gain.high:+.3f}, "
        f"p = {p:.2g}, paired over the outer folds): with {n_samples:,} samples that is "
    )
    if p < _SURE:
        better = "selecting helps" if gain.value > 0 else "selecting costs something"
        return f"{said}more than chance explains; {better}."
    if start:
        return f"{said}within what chance gives. Nothing here speaks for selecting."
    return (
        f"{said}within what chance gives. All features may do as well; select for the sake of a "
        "short list rather than for a better prediction."
    )


def _picks(found: Answer) -> str:
    total = len(found.procedure.chosen)
    selectors = Counter(choice.selector for choice, n in found.picks for _ in range(n))
    listed = ", ".join(f"{name} {n}" for name, n in selectors.most_common(5))
    others = len(selectors) - 5
    more = f" and {others} other{'s' if others > 1 else ''}" if others > 0 else ""
    first, times = found.picks[0]
    return (
        f"The choice was made anew for each of {total} outer folds, on the rest of the rows. The "
        f"most frequent was {candidate(first)}, {times} of {total} times. By selector: "
        f"{listed}{more}."
    )


def _optimism(found: Answer) -> str:
    named, value = words(found.measure), found.procedure.interval(found.measure).value
    best = (
        f"The best mean {named} of the {len(found.compared):,} combinations compared is "
        f"{found.largest:.3f} (compared.csv and the page list all). "
    )
    if found.largest - value < 0.0005:
        return best + "Choosing anew in every outer fold came to the same: nothing is optimistic."
    return (
        f"{best}That one was picked for being the best, and is too good to be "
        f"expected again; {value:.3f} is what choosing in this way gave on rows that took no part "
        "in the choice."
    )


def _how(found: Answer) -> str:
    f, r = found.folds, found.repeats
    again = f", {r} times with new folds" if r > 1 else ""
    return (
        f"Nested stratified cross-validation: {f} outer folds{again}; for each, {f} inner folds of "
        f"its training rows choose the combination with the best mean {words(found.measure)} (of "
        "equals, the one with fewest features), which is then measured on the outer test rows. The "
        "recommendation is what the same choice gives on all rows. Random features are a "
        "yardstick and never chosen; with all features the classifier is chosen in the same way. "
        f"Intervals: mean of the {f * r} outer folds -+ t sqrt((1/{f * r} + 1/{f - 1}) variance), "
        "after Nadeau and Bengio (2003), since training rows overlap."
    )


def _several(taken: Intake) -> str:
    if len(taken.classes) == 2:
        return ""
    return (
        "With several classes AUC and F-measure are means over the classes, each against the rest, "
        "and g-mean is the geometric mean of all recalls."
    )


def _left_out(found: Answer, comparison: Comparison, spent: Spent) -> list[str]:
    missing = [pair for pair in comparison.pairs if pair not in found.pairs]
    classifiers: dict[str, list[str]] = {}
    for selector, classifier in missing:
        classifiers.setdefault(selector, []).append(classifier)
    by: dict[str, list[str]] = {}
    every = len({pair[1] for pair in comparison.pairs})
    for selector, of in classifiers.items():
        which = "any classifier" if len(of) == every else ", ".join(of)
        by.setdefault(which, []).append(selector)
    lines = [f"With {which}: {', '.join(of)}." for which, of in by.items()]
    slow = [f"{name} about {minutes:g} min a repeat" for name, minutes in spent.slow.items()]
    lines += [f"Too slow for the budget: {'; '.join(slow)}."] if slow else []
    if found.repeats < comparison.repeats:
        lines.append(f"{found.repeats} of {comparison.repeats} repeats were completed.")
    if lines:
        lines.append(
            "What fits into a budget depends on the speed of the machine. The same command with "
            "more --minutes goes on from here."
        )
    return lines
