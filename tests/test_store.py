"""Records survive whatever happens to the process that writes them."""

import json
import os
import subprocess
from itertools import product

import pytest

from imbfs.errors import UserError
from imbfs.running.store import FORMAT, Store, write_text, write_whole


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "x").create()


def ok(key, value=1):
    row = {"part": "test", "features": "5", "k": 5, "seen": 10, "auc": value}
    return {"key": key, "status": "ok", "rows": [row], "top": ["f1"]}


def failed(key, error="E"):
    return {"key": key, "status": "failed", "error": error}


def test_records_come_back_as_they_were_appended(store):
    store.append([ok("a", 0.1 + 0.2), ok("b")])
    store.append([ok("c")])
    assert store.records()["a"] == {"format": FORMAT, **ok("a", 0.1 + 0.2)}
    assert list(store.records()) == ["a", "b", "c"]


def test_a_result_replaces_a_failure_and_never_the_other_way_round(store):
    store.append([failed("a", "first"), failed("b", "first"), ok("c")])
    store.append([ok("a"), failed("b", "second"), failed("c")])
    status = {key: (r["status"], r.get("error")) for key, r in store.records().items()}
    assert status == {"a": ("ok", None), "b": ("failed", "second"), "c": ("ok", None)}


def test_a_torn_last_line_is_ignored_and_cut_off_before_the_next_record(store):
    store.append([ok("a")])
    with open(store.path, "a") as file:
        file.write('{"format": 1, "key": "b", "sta')
    assert list(store.records()) == ["a"]
    with store.locked():
        store.append([ok("c")])
    assert list(store.records()) == ["a", "c"]


def test_a_file_that_is_one_torn_line_becomes_empty(store):
    store.path.write_text('{"format"')
    with store.locked():
        assert store.records() == {}
    assert store.path.read_text() == ""


def test_a_damaged_line_is_named_and_put_aside_by_the_next_run(store, capsys):
    store.append([ok("a")])
    with open(store.path, "a") as file:
        file.write("}{\n")
    store.append([ok("b")])
    with pytest.raises(UserError, match=r"records.jsonl: line 2 is damaged. imbfs run does its"):
        store.records()
    assert list(store.records(whole=False)) == ["a", "b"]
    with store.locked():
        assert list(store.records()) == ["a", "b"]
    assert capsys.readouterr().err == (
        f"{store.path}: 1 line was damaged; that work is done again.\n"
    )
    assert store.path.with_suffix(".damaged").read_text() == "}{\n"


def test_records_without_a_checksum_are_read_as_ever(store):
    store.path.write_text(json.dumps({"format": 1, **ok("a", 0.25)}) + "\n")
    store.append([ok("b")])
    with store.locked():
        found = [record["rows"][0]["auc"] for record in store.records().values()]
        assert found == [0.25, 1]


@pytest.mark.parametrize("field, value", [("top", {"total": 0.1}), ("rows", {}), ("top", "f1")])
def test_what_is_no_list_where_one_should_be_is_damage(store, field, value):
    store.path.write_text(json.dumps({"format": 1, **ok("a"), field: value}) + "\n")
    with pytest.raises(UserError, match="line 1 is damaged"):
        store.records()


def test_any_flipped_byte_is_noticed_or_changes_nothing(store):
    store.append([ok("a", 0.125), failed("b"), ok("c", 8.5)])
    whole, known = store.path.read_bytes(), store.records()
    for place, bit in product(range(len(whole)), (0, 2, 5)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << bit
        store.path.write_bytes(flipped)
        kept = store.records(whole=False)
        assert all(kept[key].items() >= known[key].items() for key in kept), place


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(store):
    with subprocess.Popen(["true"]) as gone:
        pass
    for number in (gone.pid, os.getpid()):
        (store.folder / f".run.json.imbfs-{number}").write_text("{")
    with store.locked():
        left = [path.name for path in store.folder.glob(".run*")]
        assert left == [f".run.json.imbfs-{os.getpid()}"]


@pytest.mark.parametrize("name", [".notes.20241118", ".a.imbfs-new", f".a.imbfs-{10**30}"])
def test_what_others_keep_in_the_folder_stays(store, name):
    (store.folder / name).write_text("mine")
    (store.folder / ".b.imbfs-4190000").mkdir()
    with store.locked():
        store.append([ok("a")])
    store.write("run.json", {"format": 1})
    assert (store.folder / name).read_text() == "mine"
    assert (store.folder / ".b.imbfs-4190000").is_dir()


def test_records_of_a_newer_version_are_refused(store):
    store.path.write_text(json.dumps({"format": FORMAT + 1, **ok("a")}) + "\n")
    with pytest.raises(UserError, match="line 1 was written by a newer imbfs. Upgrade"):
        store.records()


def test_only_one_may_hold_the_folder(store):
    with store.locked():
        with pytest.raises(UserError, match="another run is at work here. Wait for it with --wait"):
            with Store(store.folder).locked():
                pass
    with Store(store.folder).locked():
        assert True


def test_a_folder_that_is_a_file_or_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="is, or lies below, a file"):
            Store(folder).create()
    if os.path.isdir("/proc"):
        with pytest.raises(UserError, match="cannot be written"):
            Store("/proc" / tmp_path.relative_to("/")).create()


def test_a_damaged_json_file_is_named(store):
    (store.folder / "run.json").write_text("{")
    with pytest.raises(UserError, match="run.json: is damaged, or not ours. Remove it"):
        store.read("run.json")


@pytest.fixture
def full_disk(tmp_path):
    """A file system of 64 kB that a test fills up."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small file system takes root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_said_in_one_line_and_nothing_is_lost(full_disk):
    store = Store(full_disk / "x").create()
    kept = 0
    with pytest.raises(UserError, match="no space is left. What is done is kept; run again"):
        for kept in range(1000):
            store.append([{**ok(f"k{kept}"), "top": ["x" * 1000]}])
    assert 10 < kept < 100
    assert list(store.records()) == [f"k{i}" for i in range(kept)]
    with pytest.raises(UserError, match="plan.json: cannot be written: no space is left"):
        store.write("plan.json", {"x": "y" * 10_000})
    assert not list(store.folder.glob(".plan.json*"))


def test_what_a_run_made_is_undone_of_the_tasks_asked_for(store):
    store.run = "then"
    store.append([ok("a"), ok("b")])
    store.run = "now"
    store.append([ok("c")])
    assert store.undo({"then"}, {"a", "c"}) == 1
    assert list(store.records()) == ["b", "c"]
    assert store.undo({"then"}) == 1
    assert list(store.records()) == ["c"]


@pytest.mark.parametrize("name", ["records.jsonl", "run.json", "tables/results.csv", "report.html"])
@pytest.mark.parametrize("command", ["run", "table", "plot", "report"])
def test_results_are_not_written_through_links(tmp_path, imbfs, command, name):
    config = tmp_path / "linked.yaml"
    config.write_text(
        "name: linked\ndatasets: [wine]\nselectors: none\nclassifiers: naive_bayes\n"
        "measures: [accuracy]\nprotocol: {holdout: {repeats: 1}}\nfigures: []\n"
    )
    assert imbfs("run", config, "--jobs", 1).code == 0
    home = tmp_path / "results" / "linked"
    far = tmp_path / "far"
    (home / name).touch()
    far.write_bytes(before := (home / name).read_bytes())
    (home / name).unlink()
    (home / name).symlink_to(far)
    asked = ("run", config, "--jobs", 1) if command == "run" else (command, home)
    answer = imbfs(*asked)
    assert answer.code == 2 and f"{name}: is a link" in answer.err
    assert far.read_bytes() == before


def test_a_link_stays_and_a_pipe_is_written_as_it_is(tmp_path):
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(tmp_path / "far")
    write_text(link, "new")
    assert link.is_symlink() and (tmp_path / "far").read_text() == "new"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)
    write_text(pipe, "new")
    assert pipe.is_fifo() and os.read(end, 10) == b"new"
    os.close(end)
    assert {path.name for path in tmp_path.iterdir()} == {"link", "far", "pipe"}


def test_a_writer_that_fails_leaves_the_file_of_before(tmp_path):
    write_text(tmp_path / "a", "before")
    with pytest.raises(ZeroDivisionError):
        write_whole(tmp_path / "a", lambda file: file.write(b"x") / 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "before"
