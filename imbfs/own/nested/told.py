"""The answer in plain words: what to do, what it is worth, and how sure that is."""

from collections import Counter
from dataclasses import dataclass
from statistics import median
from textwrap import fill

from imbfs.own.intake import Intake
from imbfs.own.nested.compared import Candidate
from imbfs.own.nested.decision import LEVEL, MARGIN
from imbfs.own.nested.estimate import Answer, Estimate
from imbfs.own.nested.schedule import Comparison, Spent
from imbfs.showing.style import words
from imbfs.stats import Interval

_PERFECT, _FEW = 0.99, 0.25  # a share of the features at random should not predict as well
_WIDTH = 79
_EXPECTED = "Expected on new samples, with 95% intervals"
_GOOD = 0.75  # an AUC worth having: too few samples to exclude it are too few to tell


@dataclass(frozen=True)
class Told:
    """A title, the advice, a table of estimates, a line below it, paragraphs under headings."""

    source: str
    title: str
    about: str
    advice: str
    header: list[str]
    rows: list[list[str]]
    below: str
    parts: dict[str, list[str]]


def tell(found: Answer, taken: Intake, name: str, comparison: Comparison, spent: Spent) -> Told:
    header = ["", *(words(measure) for measure in found.measures)]
    counts = ", ".join(f"{count:,} of {label}" for label, count in _counts(taken))
    name_of_rare, n_rare = next(iter(taken.independent.items()))
    rare = f"{n_rare:,} {_unit(taken)} of {name_of_rare}"
    return Told(
        name,
        f"Which method for {name}?",
        f"{len(taken.y):,} samples ({counts}), {taken.X.shape[1]:,} features.",
        _advice(found, rare),
        header,
        [[label, *_shown(of, found.measures)] for label, of in rows_of(found).items()],
        _below(found),
        {
            "Too good to be true?": _leak(found, taken),
            "Does selecting help?": [_gain(found, rare), _random(found)],
            "How sure is the choice?": [_picks(found), _optimism(found)],
            "How this was found": [_how(found, _unit(taken)), _several(taken), _same(found)],
            "Left out": _left_out(found, comparison, spent),
            "Warnings": [f"{line[0].upper()}{line[1:]}." for line in taken.warnings],
        },
    )


def rows_of(found: Answer) -> dict[str, Estimate]:
    """The estimates that are shown, by the words for them."""
    return {
        "recommended": found.recommended,
        "best of a search": found.procedure,
        "all features": found.baseline,
        "random features": found.yardstick,
    }


def text(told: Told) -> str:
    """The answer for a terminal of 80 columns."""
    widths = [
        max(len(row[i]) for row in (told.header, *told.rows)) for i in range(len(told.header))
    ]
    lines = [told.about, "", fill(told.advice, _WIDTH), "", f"{_EXPECTED}:", ""]
    lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (told.header, *told.rows)]
    lines += ["", fill(told.below, _WIDTH)]
    for title, paragraphs in told.parts.items():
        said = [fill(part, _WIDTH, subsequent_indent="  ") for part in paragraphs if part]
        lines += ["", title, *said] if said else []
    return "\n".join(lines)


def markdown(told: Told) -> str:
    lines = [f"# {told.title}", "", told.about, "", f"**{told.advice}**", "", f"{_EXPECTED}:", ""]
    lines += [_line(told.header), _line(["---"] * len(told.header)), *map(_line, told.rows)]
    lines += ["", told.below]
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


def _unit(taken: Intake) -> str:
    """What counts once in an interval."""
    if taken.groups is not None:
        return "groups"
    return "samples" if taken.together is None else "distinct samples"


def _advice(found: Answer, rare: str) -> str:
    choice = found.choice
    if found.nothing:
        few = _too_few(found, rare)
        return f"Nothing here predicts better than guessing.{few} Keep all features."
    if choice.selector == "none":
        return (
            f"Keep all features, and classify with {choice.classifier}: no selection is shown to "
            f"predict as well.{_blind(found, rare)}"
        )
    which = f"the {choice.features} features" if choice.features != "1" else "the one feature"
    return (
        f"Keep {which} that {choice.selector} ranks first, and classify with {choice.classifier}."
        f"{_blind(found, rare)}"
    )


def _too_few(found: Answer, rare: str) -> str:
    """Whether something good could have looked the same."""
    most = max(of.interval("auc").high for of in (found.procedure, found.baseline))
    if most < _GOOD:
        return ""
    return f" But {rare} are too few to tell: a true AUC of {most:.2f} could look the same."


def _blind(found: Answer, rare: str) -> str:
    """Whether features that are chosen blindly predict as well as what is recommended."""
    gain = found.above_random
    if gain.low > 0:
        return ""
    if gain.value <= MARGIN:
        return " Random features do as well."
    return f" Random features may do as well: {rare} are too few to tell."


def _below(found: Answer) -> str:
    times, total = found.procedure.chosen.count(found.choice), len(found.procedure.chosen)
    said = (
        f"Recommended: {candidate(found.choice)}, chosen by the search in {times} of {total} outer "
        "folds."
    )
    if found.choice == found.kept:
        return said
    return f"{said} It was picked on these very folds: expect rather what the search gave."


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


def _leak(found: Answer, taken: Intake) -> list[str]:
    """A warning where a few random features predict as if rows were known before."""
    value = found.yardstick.interval(found.measure).value
    many = median(int(choice.features) for choice in found.yardstick.chosen)
    if value < _PERFECT or many > _FEW * taken.X.shape[1]:
        return []
    remedy = "" if taken.groups is not None else ": if so, give --group"
    return [
        f"Random features predict as well as possible ({words(found.measure)} {value:.3f}). Rows "
        "of one patient, or near copies, may stand on both sides of the splits, and then no "
        f"number here can be trusted{remedy}. Otherwise nearly every feature tells the class."
    ]


def _gain(found: Answer, rare: str) -> str:
    """The selection that comes nearest beside all features, and what that means."""
    if found.contender is None:
        return "No selection was measured in all folds."
    gain, which = found.gain, candidate(found.contender)
    which = which if found.contender == found.choice else f"the best selection, {which},"
    said = f"With {which} {_difference(found.measure, gain, candidate(found.kept))}."
    if found.nothing:
        return said
    if found.contender == found.choice:
        if gain.low > 0:
            return f"{said} Selecting helps."
        return f"{said} A loss of more than {MARGIN} is excluded: fewer features are enough."
    if gain.high < 0:
        return f"{said} Selecting costs something."
    if gain.low <= -MARGIN:
        return f"{said} A loss of more than {MARGIN} is not excluded: {rare} are too few to tell."
    if found.search_gain < 0:
        return (
            f"{said} But it is the best of many: searching for the best anew in every fold lost "
            f"{-found.search_gain:.3f}."
        )
    return f"{said} Random features do better."


def _random(found: Answer) -> str:
    than = _difference(found.measure, found.above_random, "random features")
    return f"With what is recommended {than}."


def _difference(measure: str, gain: Interval, other: str) -> str:
    higher = "higher" if gain.value > 0 else "lower"
    return (
        f"{words(measure)} is {abs(gain.value):.3f} {higher} than with {other} ({LEVEL:.0%} "
        "interval of the difference, paired over the outer folds: "
        f"{gain.low:+.3f} to {gain.high:+.3f})"
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
        f"{best}A combination that is picked for being the best is too good to be expected again; "
        f"{value:.3f} is what a search for the best gave on rows that took no part in it."
    )


def _how(found: Answer, unit: str) -> str:
    f, r = found.folds, found.repeats
    again = f", {r} times with new folds" if r > 1 else ""
    return (
        f"Nested stratified cross-validation: {f} outer folds{again}; for each, {f} inner folds of "
        f"its training rows search for the combination with the best mean {words(found.measure)} "
        "(of equals, the one with fewest features), which is then measured on the outer test rows. "
        "What is recommended is measured on the same rows: all features, with the classifier that "
        f"suits them best, unless the search is not behind them and the {LEVEL:.0%} interval of "
        "the difference of a selection to them, paired over the outer folds, excludes a loss of "
        f"more than {MARGIN}; of such selections, the one with fewest features within one standard "
        "error of the best. Random features are a yardstick and never recommended; they and the "
        "classifier of all features are chosen as the search chooses. "
        f"Intervals: mean of the {f * r} outer folds -+ t sqrt((1/{f * r} + 1/{f - 1}) variance), "
        "after Nadeau and Bengio (2003), since training rows overlap; at least what so many "
        f"{unit} leave open, for AUC after Hanley and McNeil (1982), for other measures the "
        "binomial interval of a share of the rare class."
    )


def _several(taken: Intake) -> str:
    if len(taken.classes) == 2:
        return ""
    return (
        "With several classes AUC and F-measure are means over the classes, each against the rest, "
        "and g-mean is the geometric mean of all recalls."
    )


def _same(found: Answer) -> str:
    by: dict[str, list[str]] = {}
    for name, first in found.same.items():
        by.setdefault(first, [first]).append(name)
    if not by:
        return ""
    named = "; ".join(" = ".join(names) for names in by.values())
    return f"Selectors that rank these features alike are tried once: {named}."


def _left_out(found: Answer, comparison: Comparison, spent: Spent) -> list[str]:
    missing = [
        pair for pair in comparison.pairs if pair not in found.pairs and pair[0] not in found.same
    ]
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
