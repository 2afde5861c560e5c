"""Nothing executes what it reads, and names from data are shown as they are, wherever they go."""

import io
import os
import pickle
import re
import tarfile
import zipfile
from html.parser import HTMLParser

import numpy as np
import pytest
import seeds

from imbfs.cli.shared import say, show
from imbfs.config import load
from imbfs.datasets.archives import unpack
from imbfs.datasets.formats import read
from imbfs.errors import UserError, one_line, printable
from imbfs.showing.markup import FORMATS, Section, Sheet

NAMES = [
    "<script>alert(1)</script>",
    '"onmouseover="alert(1)',
    "</script><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "\x1b[31mred\x1b]0;title\x07",
    "[red]no[/blue]",
    r"a|b$x^2$\input{/etc/passwd}",
    "=1+1",
    "[link](http://evil) _it_ ![i](x) &lt;",
]


class Bomb:
    """What would make a folder when unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@pytest.fixture
def ran(tmp_path):
    """A folder that is there only if something was executed."""
    return tmp_path / "ran"


@pytest.mark.parametrize("where", ["a.npy", "a.npz", "a.mat", "a.csv", "a.parquet", "a.svm"])
def test_a_pickle_is_never_loaded_whatever_it_is_called(where, ran, tmp_path):
    path = tmp_path / where
    path.write_bytes(pickle.dumps(Bomb(ran)))
    with pytest.raises(UserError):
        read(path, **({"target": 0} if where in ("a.csv", "a.parquet") else {}))
    array = np.array([Bomb(ran)] * 2, dtype=object)
    np.savez(tmp_path / "b.npz", X=array, y=array, allow_pickle=True)
    with pytest.raises(UserError, match="which are never loaded"):
        read(tmp_path / "b.npz")
    assert not ran.exists()


@pytest.mark.parametrize("packed", [False, True])
def test_a_model_that_holds_a_pickle_is_not_loaded(packed, ran, tmp_path):
    from imbfs.streaming.model import read as read_model

    path = tmp_path / "m.npz"
    if packed:
        np.savez(path, model=np.array([Bomb(ran)], dtype=object))
    else:
        path.write_bytes(pickle.dumps(Bomb(ran)))
    with pytest.raises(UserError, match="m.npz: is "):
        read_model(path)
    assert not ran.exists()


def test_a_matlab_object_or_function_is_refused(tmp_path):
    from scipy.io import savemat

    savemat(tmp_path / "a.mat", {"X": {"f": "system('true')"}, "Y": np.ones((2, 1))})
    with pytest.raises(UserError, match="is a MATLAB object or struct"):
        read(tmp_path / "a.mat")


TAGS = ["!!python/object/apply:os.mkdir [{}]", "!!python/name:os.mkdir {}", "!!python/module:os {}"]


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("text", ["name: {}\n", "name: a\ndatasets: [{}]\n", "{}: 1\n"])
def test_a_tag_of_yaml_constructs_nothing(tag, text, ran, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text(text.format(tag.format(ran)))
    with pytest.raises(UserError, match="a.yaml: is not YAML: .*could not determine a constructor"):
        load(path)
    assert not ran.exists()


def member(name: str, kind: bytes, to: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


KINDS = {
    "a symbolic link": member("a", tarfile.SYMTYPE, "/etc/passwd"),
    "a hard link": member("a", tarfile.LNKTYPE, "../out"),
    "a device": member("a", tarfile.CHRTYPE),
    "a pipe": member("a", tarfile.FIFOTYPE),
    "a folder": member("a", tarfile.DIRTYPE),
}


@pytest.mark.parametrize("info", KINDS.values(), ids=KINDS)
def test_only_plain_files_come_out_of_an_archive(info, tmp_path):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(info)
    (tmp_path / "a.tar").write_bytes(file.getvalue())
    with pytest.raises(UserError, match="is no plain file"):
        unpack(tmp_path / "a.tar", {"a": tmp_path / "out"})
    assert not os.path.lexists(tmp_path / "out")


@pytest.mark.parametrize("name", ["../a", "/a", "x/../../a", "..\\a", "C:\\a", "\\\\host\\a"])
@pytest.mark.parametrize("pack", [seeds.zipped, seeds.tarred])
def test_a_name_that_leads_out_is_refused_whatever_is_asked_for(name, pack, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "archive").write_bytes(pack({name: b"x", "b": b"y"}))
    with pytest.raises(UserError, match="a path outside the archive"):
        unpack(tmp_path / "in" / "archive", {"b": tmp_path / "in" / "out", name: tmp_path / "no"})
    assert {path.name for path in tmp_path.rglob("*")} <= {"in", "archive", "out"}


def test_a_link_in_a_zip_is_refused(tmp_path):
    info = zipfile.ZipInfo("a")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(UserError, match="is no plain file"):
        unpack(tmp_path / "a.zip", {"a": tmp_path / "out"})


# Terminal


def test_what_a_terminal_obeys_is_spelled_out():
    assert printable("a\x1b[31m\r\x07b\x9b\u202e\ud800") == (r"a\x1b[31m\r\x07b\x9b\u202e\ud800")
    assert printable("äöü\n\t日本 \N{NO-BREAK SPACE}") == "äöü\n\t日本 \N{NO-BREAK SPACE}"
    assert one_line("a\r\nb\u2028c\x85d") == "a b c d"
    assert str(UserError("x\x1b\ny").within("a\nb")) == r"a b: x\x1b y"


def test_no_escape_in_a_name_reaches_a_terminal(capsys, monkeypatch):
    from rich.table import Table
    from rich.text import Text

    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    block = Table("name")
    for name in NAMES:
        say(name, "red", err=False)
        block.add_row(Text(name))
    show(block)
    said = capsys.readouterr().out
    assert "\x1b" not in said and "\x07" not in said
    assert said.count(r"\x1b[31mred") == 2
    assert said.count("[red]no[/blue]") == 2


def test_a_bar_shows_markup_in_names_as_it_is():
    from rich.console import Console

    from imbfs.running.progress import Bar

    console = Console(file=io.StringIO(), width=120, color_system=None)
    bar = Bar(2, 1, console)
    bar.title = "[red]no[/blue]\x1b[31m"
    bar.show()
    console.print(bar.bar.get_renderable())
    assert r"[red]no[/blue]\x1b[31m" in console.file.getvalue()


# Files


def sheet() -> Sheet:
    import pandas as pd

    rows = [[name, "1"] for name in NAMES]
    return Sheet([NAMES[0]], [Section(["name", "n"], rows, set())], pd.DataFrame(rows))


def test_markdown_makes_nothing_of_names():
    text = FORMATS["md"][1](sheet())
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == len(NAMES) + 2
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines)
    assert not re.search(r"(?<!\\)[<$&*`]|(?<!\\)\]\(|[\x00-\x09\x0b-\x1f]| _", text)


def test_latex_runs_nothing_of_names():
    text = FORMATS["latex"][1](sheet())
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert len(body.splitlines()) == len(NAMES)
    commands = set(re.findall(r"\\[a-zA-Z]+", body))
    assert commands == {
        r"\textless", r"\textgreater", r"\textbackslash", r"\textbar", r"\textasciicircum"
    }  # fmt: skip
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)[$#&%_](?! )", body)


def test_a_name_that_begins_as_a_formula_stands_in_csv_as_it_is():
    """CSV is read back by imbfs and by other programs: a sign in front would be another name."""
    assert "\n=1+1,1\n" in FORMATS["csv"][1](sheet())


class Tags(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, text):
        self.texts.append(text)


def test_a_page_of_a_selection_makes_nothing_of_names(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    lines = [",".join([*quoted, "class"])]
    for i in range(24):
        values = ",".join(f"{v:.3f}" for v in rng.normal(size=len(NAMES)))
        lines.append(f"{values},{('<b>bold</b>', '[red]')[i % 3 == 0]}")
    (tmp_path / "evil.csv").write_text("\n".join(lines) + "\n")
    answer = imbfs(
        "select", "evil.csv", "--target", "class", "--resamples", 2, "-m", "s2n", "-j", 1
    )
    assert answer.code == 0, answer.err
    assert "\x1b" not in answer.out + answer.err and "[red]" in answer.out
    page = Tags((tmp_path / "evil-selected" / "report.html").read_text())
    plain = [tag for tag, _ in page.found]
    assert plain.count("script") == 3  # the page's own
    assert "b" not in plain[: plain.index("main")]
    for _, attributes in page.found:
        assert not [key for key in attributes if key.startswith("on")]
        assert not str(attributes.get("href", "")).startswith("javascript:")
    assert all(a.get("src", "").startswith("data:image/png") for t, a in page.found if t == "img")
    for name in NAMES:
        assert any(name in text for text in page.texts), name


def test_a_config_that_is_drafted_says_what_was_meant_and_no_more(tmp_path):
    """Lines of a comment must not end where a name of the data wants them to."""
    from imbfs.own import drafting
    from imbfs.own.intake import take

    classes = np.array(["a\nselectors: ['os:mkdir']", "b\u2028seed: 7"] * 6)
    np.savez(tmp_path / "a.npz", X=np.random.default_rng(0).normal(size=(12, 3)), y=classes)
    config = tmp_path / "a.yaml"
    config.write_text(drafting.draft(take(tmp_path / "a.npz", None, None, None), config))
    experiment = load(config)
    assert experiment.seed == 0
    assert "none" in [choice.name for choice in experiment.selectors]


LONG = "a" * 300  # no file system has names as long


@pytest.mark.parametrize(
    "command",
    [
        ("select", LONG), ("init", LONG), ("benchmark", LONG), ("plan", LONG), ("run", LONG),
        ("stream", LONG, "--model", "m.npz"), ("predict", "a.csv", "--model", LONG),
        ("predict", LONG, "--model", "m.npz"), ("stream", "a.csv", "-t", "y", "--model", LONG),
        ("select", "a.csv", "-t", "y", "--read", f"labels={LONG}"), ("data", "show", LONG),
    ],
)  # fmt: skip
def test_a_name_too_long_for_a_file_is_told_in_one_line(command, imbfs, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n2,1\n3,0\n4,1\n")
    assert imbfs("stream", "a.csv", "-t", "y", "--model", "m.npz").code == 0
    answer = imbfs(*command)
    assert answer.code == 2
    assert answer.err.startswith("imbfs: ") and answer.err.count("\n") == 1
