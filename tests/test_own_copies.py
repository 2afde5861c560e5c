"""Parsed copies of a user's own files: told of, bounded, or not kept at all."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from imbfs.datasets import Source, _opened, cache, load

ROWS = "".join(f"{i % 5},{i * i % 7},{'ab'[i % 3 > 0]}\n" for i in range(60))
CONFIG = {
    "datasets": [{"path": "own.csv", "target": "class"}],
    "selectors": ["s2n"],
    "classifiers": "naive_bayes",
    "features": [1],
    "protocol": {"cv": {"repeats": 1, "folds": 2}},
}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file of one's own and an empty cache."""
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.csv").write_text("x,y,class\n" + ROWS)
    _opened.cache_clear()
    return tmp_path / "own.csv"


def copies(file) -> set[str]:
    return {path.name for path in (file.parent / "cache").glob("*")}


def test_a_copy_is_told_of_once(imbfs, own, config):
    said = f"A parsed copy of this file is kept in {own.parent / 'cache'} (beyond 2 GB of such"
    first = imbfs("init", own, "--target", "class")
    assert first.code == 0 and first.err.count(said) == 1
    _opened.cache_clear()
    assert said not in imbfs("select", own, "-t", "class", "--resamples", 2, "-j", 1).err
    (name,) = copies(own)
    assert name.startswith("own-")
    assert "1 parsed" in imbfs("data", "where").out
    imbfs("data", "clean", "--yes")
    assert copies(own) == set()


def test_a_set_of_the_table_is_not(imbfs, own):
    load(Source("wine"))
    assert "copy" not in imbfs("data", "verify", "wine").err


@pytest.mark.parametrize("command", ["init", "select", "benchmark", "run", "plan"])
def test_without_a_cache_no_copy_is_kept(command, imbfs, own, config, tmp_path):
    asked = {
        "init": [own, "--target", "class"],
        "select": [own, "-t", "class", "--resamples", 2, "-j", 1],
        "benchmark": [own, "-t", "class", "--minutes", 0, "-j", 1, "--repeats", 1],
        "run": [config(**CONFIG), "--jobs", 1],
        "plan": [config(**CONFIG)],
    }[command]
    answer = imbfs(command, *asked, "--no-cache")
    assert answer.code == 0, answer.err
    assert copies(own) == set() and "copy" not in answer.err
    assert "IMBFS_NO_CACHE" not in os.environ
    if command == "init":
        assert answer.out.count(" --no-cache\n") == 3


def test_without_a_cache_the_results_are_the_same(imbfs, own, config):
    table = own.parent / "results/smoke/tables/results.csv"
    assert imbfs("run", config(**CONFIG), "--jobs", 1).code == 0
    kept = table.read_bytes()
    _opened.cache_clear()
    again = imbfs("run", config(**CONFIG), "--jobs", 1, "--no-cache")
    assert "2 done before, 0 done now" in again.out
    imbfs("run", config(**CONFIG), "--jobs", 1, "--no-cache", "--results", "other")
    assert (own.parent / "other/smoke/tables/results.csv").read_bytes() == kept


def test_copies_beyond_the_room_go_but_none_that_is_open(own, monkeypatch):
    def read(number: int):
        path = own.with_name(f"{number}.csv")
        path.write_text("x,class\n" + "".join(f"{i + number},{i % 2}\n" for i in range(2000)))
        return load(Source(path=str(path), options={"target": "class"}))

    def place(data) -> str:
        return Path(data.y.filename).parent.name

    opened = read(0)
    first, code = place(opened), "import sys; from imbfs.datasets import *; "
    code += f"d = load(Source(path={str(own)!r}, options=dict(target='class'))); "
    code += "print(d.y.filename, flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    elsewhere = Path(other.stdout.readline()).parent.name
    monkeypatch.setattr(cache, "OWN_BYTES", 100_000)  # a copy has 32,000 and some
    for number, name in enumerate([first, elsewhere]):
        os.utime(own.parent / "cache" / name / "about.json", (number, number))
    names = []
    for number in range(1, 6):
        names.append(place(read(number)))
        _opened.cache_clear()
    assert copies(own) == {first, elsewhere, *names[-2:]}
    other.communicate()
    np.testing.assert_array_equal(opened.X[:, 0], np.arange(2000))
