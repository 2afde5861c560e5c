"""JSON that imbfs reads back is taken, made anew or refused in a line, whatever stands in it."""

import ctypes
import io
import json
import math
import os
import random
import zipfile
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import laws
import numpy as np
import pytest
from mutations import ODD, places, retyped

from imbfs.datasets import Source, _made, cache, load
from imbfs.datasets.cache import _About
from imbfs.errors import UserError
from imbfs.running.files import MODELS
from imbfs.streaming.model import read as read_model

FAMILIES = {
    "run": MODELS["run.json"],
    "plan": MODELS["plan.json"],
    "published": MODELS["published.json"],
    "budget": MODELS["budget.json"],
    "about": _About,
}

SOME = {"plan": 80, "about": 150}  # of those that take long; make fuzz draws more


@pytest.mark.parametrize("name", FAMILIES)
def test_every_value_of_another_type_is_taken_or_refused(name, tmp_path):
    content = json.loads(laws.FORMATS[name].inputs()[0].split(b"\n")[0])
    assert set(FAMILIES[name].model_fields) <= set(content)
    every = list(product(places(content), ODD))
    if name in SOME:
        every = random.Random(0).sample(every, SOME[name])
    broken = {}
    for place, odd in every:
        text = laws.sealed(name, retyped(content, place, odd))
        if how := laws.judged(name, text, random.Random(0), tmp_path):
            broken[place, repr(odd)[:30]] = how
    assert broken == {}


@contextmanager
def without_rights():
    """Let the rights of files hold for root too."""
    libc, head, kept = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522), (ctypes.c_uint32 * 6)()
    libc.capget(head, kept)
    fewer = type(kept)(*kept)
    fewer[0] &= ~(1 << 1 | 1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    libc.capset(head, fewer)
    try:
        yield
    finally:
        libc.capset(head, kept)


COMMANDS = {
    "plan": ["plan", "smoke.yaml"],
    "table": ["table", "results/smoke"],
    "plot": ["plot", "results/smoke"],
    "report": ["report", "results/smoke"],
    "compare": ["compare", "results/smoke", "results/smoke"],
    "run": ["run", "smoke.yaml", "--jobs", 1],
}
SMALL = {
    "datasets": ["breast_cancer"],
    "selectors": ["s2n"],
    "classifiers": "naive_bayes",
    "features": [2],
}


@pytest.fixture
def results(imbfs, config, tmp_path):
    assert imbfs("run", config(**SMALL), "--jobs", 1).code == 0
    return tmp_path / "results/smoke"


def told_in_one_line(answer) -> bool:
    return answer.code == 2 and answer.err.startswith("imbfs: ") and answer.err.count("\n") == 1


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="rights are dropped as on Linux")
@pytest.mark.parametrize("file", ["run.json", "records.jsonl", "plan.json", "published.json"])
def test_a_file_that_may_not_be_read_is_named_in_one_line(file, imbfs, results):
    (results / file).chmod(0)
    answers = {}
    with without_rights():
        for name, command in COMMANDS.items():
            answers[name] = imbfs(*command)
    bad = {name: each.err for name, each in answers.items() if each.code}
    assert all(map(told_in_one_line, (answers[name] for name in bad))), bad
    assert all(f"{file}: cannot be read: Permission denied." in text for text in bad.values())
    expected = {
        "run.json": {"run", "table", "plot", "report", "compare"},
        "records.jsonl": {"run", "plan", "table", "plot", "report"},
        "plan.json": {"table", "plot"},
        "published.json": set(),
    }[file]
    assert set(bad) == expected


@pytest.mark.parametrize("file", ["run.json", "records.jsonl", "plan.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_plain_file_is_not_waited_for(kind, file, imbfs, results):
    (results / file).unlink()
    if kind == "pipe":
        os.mkfifo(results / file)
    else:
        (results / file).symlink_to("/dev/zero")
    refused = [imbfs(*COMMANDS[name]) for name in ("table", "report", "run")]
    assert any(map(told_in_one_line, refused))
    assert all(told_in_one_line(each) or each.code == 0 for each in refused)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_cache_that_is_no_plain_file_is_made_again(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path))
    first = np.array(load(Source("wine")).X)
    (about,) = tmp_path.glob("*/about.json")
    about.unlink()
    if kind == "pipe":
        os.mkfifo(about)
    else:
        about.symlink_to("/dev/zero")
    _made.cache_clear()
    np.testing.assert_array_equal(load(Source("wine")).X, first)
    assert about.is_file() and not about.is_symlink()


def test_a_file_that_is_too_large_is_not_read(results, imbfs):
    with open(results / "run.json", "wb") as file:
        file.truncate(1 << 40)
    answer = imbfs("table", results)
    assert told_in_one_line(answer) and "run.json: is damaged, or not ours" in answer.err


def test_other_arrays_with_right_checksums_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path))
    first = load(Source("wine"))
    X, (folder,) = np.array(first.X), tmp_path.iterdir()
    text, _ = (folder / "about.json").read_text().splitlines()
    about = json.loads(text)
    (folder / "X.npy").unlink()
    np.save(folder / "X.npy", X[::-1])
    about["checks"]["X"] = cache._check(folder / "X.npy")
    text = json.dumps(about)
    (folder / "about.json").write_text(f"{text}\n{cache.zlib.crc32(text.encode())}\n")
    _made.cache_clear()
    again = load(Source("wine"))
    np.testing.assert_array_equal(again.X, X)


def test_a_model_that_says_anything_is_taken_or_refused(tmp_path):
    whole = io.BytesIO(laws._model())
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(str(np.load(io.BytesIO(members["model.npy"]))))
    taken = []
    every = random.Random(0).sample(list(product(places(said), ODD)), 300)
    for place, odd in [*every, (("tally", "fp"), 7), (("tally", "fp"), math.inf)]:
        text = io.BytesIO()
        np.save(text, np.array(json.dumps(retyped(said, place, odd))))
        (tmp_path / "m.npz").write_bytes(
            laws.seeds.zipped(members | {"model.npy": text.getvalue()})
        )
        try:
            model = read_model(tmp_path / "m.npz")
        except UserError:
            continue
        taken += [place] if place[:1] in (("tally",), ("place",), ("checkpoints",)) else []
        counts = [model.epoch, model.n_features, *vars(model.tally).values(), model.place.n_bytes]
        assert all(type(count) is int and count >= 0 for count in counts), (place, odd)
    assert ("tally", "fp") in taken  # another count is a count
