"""Mutated inputs of every format are read or refused, and what watches over that is awake."""

import os
import subprocess
import sys
from pathlib import Path

import laws
import numpy as np
import pytest

from imbfs.errors import UserError

TESTS = Path(__file__).parent
COUNTS = {
    "config": 50,
    "claims": 50,
    "plan": 20,
    "method": 40,
    "run": 50,
    "matlab73": 25,
    "options": 50,
    "wide": 50,
}  # of those that take long


def fuzz(*arguments, folder, **environment):
    """Run the script in a process of its own; what it says and its exit code."""
    paths = [str(TESTS.parent), str(TESTS), str(folder), os.environ.get("PYTHONPATH", "")]
    answer = subprocess.run(
        [sys.executable, TESTS / "fuzz.py", *map(str, arguments), "--keep", folder / "kept"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True,
        text=True,
    )
    return answer.returncode, answer.stdout + answer.stderr


@pytest.mark.parametrize("name", laws.FORMATS)
def test_mutated_inputs_are_read_or_refused(name, tmp_path):
    """`make fuzz` reads more of them, each under limits of its own."""
    broken = {}
    for number in range(COUNTS.get(name, 200)):
        content, rng = laws.made(name, 0, number)
        if how := laws.judged(name, content, rng, tmp_path):
            broken[number] = how
    assert broken == {}


def test_the_same_seed_gives_the_same_inputs():
    first, again, other = (laws.made("csv", seed, 5)[0] for seed in (1, 1, 2))
    assert first == again != other


def test_most_mutated_inputs_are_new_and_some_are_read_still(tmp_path):
    made = {laws.made("libsvm", 0, number)[0] for number in range(200)}
    assert len(made - set(laws.seeds.LIBSVM)) > 150


def read_badly(content, folder, rng):
    """A reader that does everything wrong, a thing for every input."""
    import os
    import time
    import warnings

    kind = content[:1]
    if kind == b"t":
        raise KeyError("traceback")
    if kind == b"w":
        warnings.warn("a warning", stacklevel=1)
    if kind == b"l":
        error = UserError("")
        error.args = ("two\nlines",)
        raise error
    if kind == b"e":
        error = UserError("")
        error.args = ("\x1b[31m",)
        raise error
    if kind == b"m":
        np.ones(256 << 20, dtype=np.uint8)
    if kind == b"a":
        np.ones(20 << 30, dtype=np.uint8)
    if kind == b"d":
        os._exit(3)
    if kind == b"h":
        time.sleep(600)


def test_the_law_is_not_kept_by_tracebacks_warnings_and_several_lines(tmp_path, monkeypatch):
    monkeypatch.setitem(laws.FORMATS, "bad", laws.Format(lambda: [b"f"], read_badly))
    told = {kind: laws.judged("bad", kind, None, tmp_path) for kind in (b"t", b"w", b"l", b"e")}
    assert "KeyError: 'traceback'" in told[b"t"]
    assert told[b"w"] == "a warning leaks: a warning"
    assert "not told in one line" in told[b"l"] and "not told in one line" in told[b"e"]
    assert laws.judged("bad", b"fine", None, tmp_path) == ""


BAD = """
import laws, test_fuzz
def made(name, seed, number):
    return [b"f", b"m", b"a", b"d", b"h", b"f", b"t"][number], None
laws.made = made
laws.FORMATS = {"bad": laws.Format(lambda: [b"f"], test_fuzz.read_badly)}
"""


def test_memory_crashes_and_hangs_are_noticed_and_the_rest_goes_on(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BAD)
    code, told = fuzz(
        "bad", "--count", 7, "--seed", 7, "--jobs", 1, "--seconds", 10, folder=tmp_path
    )
    assert code == 1
    assert told.startswith("seed 7: 7 inputs")
    for number, how in (
        (1, "takes 2"),
        (2, "asks for too much memory"),
        (3, "the process died (exit code 3)"),
        (4, "was not read within 10 s"),
        (6, "KeyError"),
    ):
        assert f"bad-7-{number}: {how}" in told
    assert "5 broke the law" in told


@pytest.mark.parametrize("arguments, said", [(["nothing"], "no such format")])
def test_a_format_that_is_not_there_is_refused(arguments, said, tmp_path):
    code, told = fuzz(*arguments, folder=tmp_path)
    assert code == 1 and said in told
