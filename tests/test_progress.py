"""How a run tells how it goes on."""

import io
import re

import pytest
from rich.console import Console

from imbfs.config import parse
from imbfs.running import progress
from imbfs.running.plan import expand
from imbfs.running.runner import units_of

TEXT = """\
name: x
datasets: breast_cancer
selectors: [s2n, fisher, chi]
classifiers: [svm, naive_bayes]
protocol: {holdout: {repeats: 1}}
"""


@pytest.fixture
def units():
    return units_of(expand(parse(TEXT)).tasks)


def landed(task, status="ok"):
    return {"key": task.key, "status": status}


def test_lines_say_how_much_is_done_and_what_is_running(units, capsys, monkeypatch):
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    shown = progress.Lines(total=6, jobs=2)
    for unit in units:
        shown.handed_out(unit)
    for task in units[0]:
        shown.landed(landed(task))
    shown.landed(landed(units[1][0], "failed"))
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("3/6 tasks, 1 failed, ")
    assert last.endswith("left, running breast_cancer fisher, breast_cancer chi")


def test_lines_come_every_few_seconds_only(units, capsys):
    shown = progress.Lines(total=6, jobs=2)
    for unit in units:
        shown.handed_out(unit)
        for task in unit:
            shown.landed(landed(task))
    assert capsys.readouterr().err == ""


def test_a_bar_fits_a_terminal_of_80_columns(units):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80, color_system=None)
    bar = progress.Bar(total=6, jobs=2, console=console)
    with bar.bar:
        for unit in units:
            bar.handed_out(unit)
        bar.landed(landed(units[0][0]))
        bar.landed(landed(units[0][1], "failed"))
        bar.bar.refresh()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", screen.getvalue()).replace("\r", "\n")
    lines = [line for line in text.splitlines() if "2/6" in line]
    assert lines
    assert max(map(len, lines)) <= 80
    assert "1 failed" in lines[-1]
    assert "breast_cancer" in lines[-1]


def test_seconds_that_were_foretold_are_believed_until_a_part_is_done(units, monkeypatch):
    now = iter([0.0, 10.0, 700.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(now))
    shown = progress.Progress(total=1000, jobs=2, work=1000.0)
    shown.at("x")
    shown.landed(landed(units[0][0]))  # ten times as long as foretold, as a first task may take
    assert shown.left == pytest.approx(999 * (10 + 50) / (1 + 50))
    shown.landed(landed(units[0][1]), tasks=499)  # but not half of it all
    assert shown.left == pytest.approx(500 * (700 + 50) / (500 + 50))


@pytest.mark.parametrize(
    "seconds, text", [(3.4, "3s"), (90, "1m30s"), (7260, "2h01m"), (float("inf"), "?")]
)
def test_times_are_short(seconds, text):
    assert progress.clock(seconds) == text


def test_no_colour_where_none_is_wanted(imbfs, monkeypatch):
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in imbfs("run", "no.yaml").err


def test_over_several_experiments_the_time_left_goes_by_what_tasks_weigh(
    units, capsys, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    shown = progress.Lines(total=4, jobs=1, work=2 * 1.0 + 2 * 10.0)
    shown.at("1/2 short")
    for task in units[0]:
        shown.handed_out([task])
        now[0] += 6.0  # slower than thought, by six
        shown.landed(landed(task))
    shown.at("2/2 long")
    shown.handed_out(units[1])
    foretold = 0.05 * 22
    assert shown.left == pytest.approx(20 * (12 + foretold) / (2 + foretold))
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("2/2 long: 2/4 tasks, 0.2/s, 1m25s left")
    now[0] += 60.0
    shown.landed(landed(units[1][0]), seconds=10.0)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("2/2 long: 3/4 tasks, 0.0/s, 56s left")
