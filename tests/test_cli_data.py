"""`imbfs data` as a user meets it: what there is, how it looks, getting it, checking it."""

import functools
import http.server
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from typer.testing import CliRunner

from imbfs.cli.data import app, shown
from imbfs.datasets import DATASETS, Dataset, describe, fetch
from imbfs.datasets.data import Data
from imbfs.datasets.describe import n_repeated
from imbfs.errors import UserError

COMMANDS = ["list", "show", "fetch", "verify", "where", "clean"]

# Five samples, five features: row 3 is empty, feature 3 is constant (never there) and feature 5
# repeats feature 2; feature 4 is the same wherever it is there, but it is not in row 3.
TOY = "+1 1:1 2:2 4:7 5:2\n-1 1:3 4:7\n-1\n-1 1:1 4:7\n-1 2:4 4:7 5:4\n"


@pytest.fixture
def data(monkeypatch, tmp_path):
    """Run a command of `imbfs data` on a data directory of its own: code, out."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path / "data"))

    def call(*arguments, input=None):
        result = CliRunner().invoke(app, [str(a) for a in arguments], input=input)
        if isinstance(result.exception, UserError):
            return SimpleNamespace(code=2, out=result.output, error=str(result.exception))
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return SimpleNamespace(code=result.exit_code, out=result.output, error="")

    return call


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder that a server on this machine offers, and the addresses in it."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fetch, "WAITS", ())
    folder = tmp_path / "site"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        asked = []

        def log_message(self, *arguments):
            self.asked.append(self.path)

    serve = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        yield SimpleNamespace(folder=folder, url=url, asked=Quiet.asked)
        server.shutdown()
        thread.join()


@pytest.fixture
def toy(monkeypatch, site):
    """A set of the table whose file the site offers."""
    (site.folder / "toy").write_text(TOY)
    entry = Dataset(
        "A toy",
        5,
        5,
        {-1: 4, 1: 1},
        file="toy/toy",
        url=f"{site.url}/toy",
        remote=f"{site.url}/toy",
    )
    monkeypatch.setitem(DATASETS, "toy", entry)
    return entry


def put(folder: Path, text: str = TOY) -> Path:
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/toy").write_text(text)
    return folder / "toy/toy"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_in_its_help(command, data):
    assert f"Example: imbfs data {command}" in data(command, "--help").out


def test_the_commands_are_all_tested():
    assert [command.name or command.callback.__name__ for command in app.registered_commands] == (
        COMMANDS
    )


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from imbfs.cli.data import app; "
        "print({'numpy', 'scipy', 'sklearn', 'pandas', 'numba', 'requests'} & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout == "set()\n"


def test_list_shows_what_is_at_hand_and_counts_the_rest(data, toy):
    lines = data("list").out.splitlines()
    (line,) = [line for line in lines if line.startswith("breast_cancer ")]
    assert line.split() == ["breast_cancer", "binary", "569", "x", "30", "1:1.7", "at", "hand"]
    assert not any(line.startswith(("toy", "w8a")) for line in lines)
    absent = sum(entry.make is None for entry in DATASETS.values())
    assert lines[-1] == f"{absent} more are not at hand: imbfs data list --all"


def test_list_all_shows_every_set_in_eighty_columns(data, toy, tmp_path):
    put(tmp_path / "data")
    lines = data("list", "--all").out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *DATASETS]
    assert max(map(len, lines)) <= 80
    (line,) = [line for line in lines if line.startswith("w8a ")]
    assert line.split() == ["w8a", "binary", "49,749", "x", "300", "1:32.6", "-"]
    (line,) = [line for line in lines if line.startswith("toy ")]
    assert line.split()[-3:] == ["1:4.0", "at", "hand"]


def test_show_counts_what_is_empty_constant_and_repeated(data, toy, tmp_path):
    path = put(tmp_path / "data")
    answer = data("show", "toy")
    assert answer.code == 0
    facts = dict(line.strip().split("  ", 1) for line in answer.out.splitlines()[1:-2])
    assert {key: value.strip() for key, value in facts.items()} == {
        "kind": "binary",
        "at hand": str(path),
        "origin": toy.url,
        "shape": "5 x 5, sparse",
        "ratio": "1:4.0",
        "non-zeros": "11 (44.0%)",  # 4 + 2 + 0 + 2 + 3 of 25
        "empty rows": "1",
        "constant features": "1",
        "repeated features": "1",
        "missing values": "0",
    }
    # 4 to 1: the longest bar has 30 blocks, the other 30 / 4 rounded up.
    assert answer.out.splitlines()[-2:] == [
        f"  -1         4  80.0% {'█' * 30}",
        f"   1         1  20.0% {'█' * 8}",
    ]


def test_show_of_a_multi_label_set_counts_its_labels(data):
    from imbfs.datasets import Source, load

    y = load(Source("topics")).y
    out = data("show", "topics").out
    for label, count in zip("abcde", y.sum(axis=0), strict=True):
        assert f"  {label} {count:>9,} " in out
    rarest = y.sum(axis=0).min()
    assert f"1:{(300 - rarest) / rarest:.1f}" in out


def test_show_draws_twenty_classes_at_most(capsys):
    shown._echo_bars({label: 1 for label in range(38)}, 38)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "  ... and 18 more"


def test_show_of_a_set_that_is_not_at_hand_says_what_the_table_knows(data, toy):
    answer = data("show", "toy")
    assert answer.code == 0
    assert "  shape              5 x 5\n" in answer.out
    assert "  at hand            no\n" in answer.out
    assert "toy: is not at hand. imbfs data fetch toy gets it" in answer.out


def test_missing_values_are_counted_and_make_no_column_constant():
    X = np.array([[np.nan, 1.0, 2.0], [np.nan, 1.0, np.nan]])
    for matrix in (X, csr_array(X)):
        facts = dict(describe.facts(Data(matrix, np.array([0, 1]), ("a", "b"))))
        assert (facts["missing values"], facts["constant features"]) == ("3", "1")


def slow_n_repeated(X: np.ndarray) -> int:
    columns = [tuple(column) for column in X.T.tolist()]
    return sum(column in columns[:j] for j, column in enumerate(columns))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("form", [np.ascontiguousarray, csr_array], ids=["dense", "sparse"])
def test_repeated_columns_are_counted_as_by_comparing_every_pair(form, seed):
    X = np.random.default_rng(seed).integers(-1, 2, size=(4, 60)).astype(float)
    assert 0 < slow_n_repeated(X) < 60
    assert n_repeated(form(X)) == slow_n_repeated(X)


def test_a_stored_zero_a_negative_zero_and_the_order_of_storage_make_no_difference():
    assert n_repeated(np.array([[0.0, -0.0], [1.0, 1.0]])) == 1
    # Rows (5, 5) and (0, 0): the first stored backwards, the second with one zero written out.
    values, indices = np.array([5.0, 5.0, 0.0]), np.array([1, 0, 1])
    X = csr_array((values, indices, np.array([0, 2, 3])), shape=(2, 2))
    assert n_repeated(X) == 1
    np.testing.assert_array_equal(X.indices, [1, 0, 1])
    np.testing.assert_array_equal(X.data, [5.0, 5.0, 0.0])


def test_columns_of_the_same_values_in_other_rows_are_not_repeated():
    assert n_repeated(csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))) == 0


def test_a_long_dense_matrix_is_hashed_in_pieces():
    X = np.random.default_rng(0).standard_normal((2**21, 5))  # two columns at a time
    X[:, 4] = X[:, 0]
    assert n_repeated(X) == 1


def test_verify_says_of_every_set_how_it_is(data, toy, tmp_path):
    put(tmp_path / "data")
    answer = data("verify")
    assert answer.code == 0
    states = dict(line.split("  ", 1) for line in answer.out.splitlines())
    states = {name.strip(): state.strip() for name, state in states.items()}
    assert list(states) == list(DATASETS)
    assert states["toy"] == states["digits"] == "verified"
    assert states["w8a"] == "not at hand"


def test_verify_says_how_a_set_differs_and_fails(data, toy, tmp_path):
    put(tmp_path / "data", TOY.replace("+1", "-1", 1))
    answer = data("verify", "wine", "toy")
    assert answer.code == 1
    assert answer.out.splitlines() == [
        "wine  verified",
        "toy   differs: has classes {-1: 5}; the table says {-1: 4, 1: 1}.",
    ]


@pytest.mark.parametrize("command", ["verify", "show", "fetch"])
def test_an_unknown_name_is_refused(command, data):
    answer = data(command, "wein")
    assert answer.code == 2
    assert answer.error.startswith("unknown dataset 'wein'. Did you mean 'wine'?")


def test_fetch_gets_a_set_verifies_it_and_asks_once(data, toy, site, tmp_path):
    answer = data("fetch", "toy")
    assert (answer.code, answer.out) == (0, "toy: verified\n")
    assert (tmp_path / "data/toy/toy").read_text() == TOY
    assert data("fetch", "toy", "wine").out == "toy: verified\nwine: verified\n"
    assert site.asked == ["/toy"]


def test_a_set_that_the_table_knows_by_its_shape_alone_is_not_called_verified(
    data, toy, site, monkeypatch
):
    unseen = Dataset("Unseen", 5, 5, file="unseen/unseen", remote=f"{site.url}/toy")
    monkeypatch.setitem(DATASETS, "unseen", unseen)
    answer = data("fetch", "unseen")
    assert answer.code == 0
    assert answer.out.startswith("unseen: of the right shape; its values cannot be checked")
    assert data("verify", "unseen").out == answer.out.replace(": of", "  of", 1)


def test_fetch_goes_on_after_a_failure_and_tells_it(data, toy, site, monkeypatch):
    gone = Dataset("Gone", 1, 1, {0: 1}, file="gone/gone", remote=f"{site.url}/gone")
    monkeypatch.setitem(DATASETS, "gone", gone)
    answer = data("fetch", "gone", "toy")
    assert answer.code == 1
    assert answer.out.splitlines() == [
        f"gone: {site.url}/gone: the server answers 404 File not found.",
        "toy: verified",
    ]


def test_fetch_tells_where_to_get_what_has_no_address_of_its_own(data):
    answer = data("fetch", "colon")
    assert answer.code == 1
    assert answer.out.startswith("colon: is not at hand. Get it from https://")


def test_fetch_says_when_the_site_offers_something_else(data, toy, site, tmp_path):
    (site.folder / "toy").write_text("+1 1:1\n-1 2:1\n")
    answer = data("fetch", "toy")
    assert answer.code == 1
    assert answer.out == "toy: is 2 x 2; the table says 5 x 5.\n"
    (site.folder / "toy").write_text(TOY)
    again = data("fetch", "toy")
    path = tmp_path / "data/toy/toy"
    assert again.out == f"toy: is 2 x 2; the table says 5 x 5. Remove {path} to fetch it anew.\n"
    path.unlink()
    assert data("fetch", "toy").code == 0


def test_fetch_all_gets_what_has_an_address(data, toy, site, monkeypatch):
    for name in [n for n, entry in DATASETS.items() if entry.file and n not in ("toy", "colon")]:
        monkeypatch.delitem(DATASETS, name)
    answer = data("fetch", "--all")
    assert answer.code == 0
    assert "toy: verified" in answer.out.splitlines()
    assert "colon: is not at hand" in answer.out


@pytest.mark.parametrize("arguments", [[], ["wine", "--all"]], ids=["neither", "both"])
def test_fetch_wants_names_or_all(arguments, data):
    assert "name the sets to fetch, or give --all" in data("fetch", *arguments).error


def test_data_stands_for_the_environment_for_one_call(data, toy, tmp_path):
    put(tmp_path / "other")
    assert data("verify", "toy", "--data", tmp_path / "other").out == "toy  verified\n"
    assert os.environ["IMBFS_DATA"] == str(tmp_path / "data")
    assert data("verify", "toy").out == "toy  not at hand\n"


def test_data_leaves_the_environment_unset_where_it_was(data, tmp_path, monkeypatch):
    monkeypatch.delenv("IMBFS_DATA")
    data("where", "--data", tmp_path)
    assert "IMBFS_DATA" not in os.environ


def test_where_says_why(data, tmp_path, monkeypatch, toy):
    monkeypatch.setenv("IMBFS_CACHE", str(tmp_path / "cache"))
    put(tmp_path / "data")
    n_files = sum(entry.make is None for entry in DATASETS.values())
    data("verify", "toy")
    first, second = data("where").out.splitlines()
    assert first == f"data   {tmp_path / 'data'} (IMBFS_DATA): 1 of {n_files} sets"
    assert second.startswith(f"cache  {tmp_path / 'cache'} (IMBFS_CACHE): 1 parsed, 0.0 MB")
    assert f"{tmp_path} (--data): 0 of" in data("where", "--data", tmp_path).out
    monkeypatch.delenv("IMBFS_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert "imbfs (default; IMBFS_DATA is not set): 0 of" in data("where").out


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A cache with a parsed set, what a killed process left, and something of the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("IMBFS_CACHE", str(folder))
    (folder / ".new-abc").mkdir(parents=True)
    (folder / ".new-abc/X.npy").write_bytes(bytes(500_000))
    (folder / "thesis").mkdir()
    (folder / "thesis/chapter1.tex").write_text("precious")
    return folder


def test_clean_removes_what_was_parsed_and_nothing_else(data, kept):
    data("verify", "wine")
    assert len(list(kept.iterdir())) == 3
    answer = data("clean", "--yes")
    # 178 x 13 doubles and 178 integers are 0.02 MB.
    assert answer.out == f"{kept}: 0.5 MB freed.\n"
    assert [path.name for path in kept.iterdir()] == ["thesis"]
    assert (kept / "thesis/chapter1.tex").read_text() == "precious"
    assert data("clean").out == f"{kept}: nothing to remove.\n"


def test_clean_asks_first(data, kept):
    assert data("clean", input="n\n").code != 0
    assert (kept / ".new-abc").exists()
    assert data("clean", input="y\n").code == 0
    assert not (kept / ".new-abc").exists()


@pytest.mark.data
def test_w8a_is_shown_as_it_is(data, data_folder):
    out = data("show", "w8a", "--data", data_folder).out
    # 49,749 rows, of which 44,226 + 1,320 are not empty.
    assert f"  empty rows         {49_749 - 44_226 - 1_320:,}\n" in out
    assert "  shape              49,749 x 300, sparse\n" in out
    assert "  ratio              1:32.6\n" in out
    assert "   1     1,479   3.0% █\n" in out


@pytest.mark.data
def test_the_repeated_features_of_w8a_are_those_numpy_finds(data_folder, monkeypatch):
    from imbfs.datasets import Source, load

    monkeypatch.setenv("IMBFS_DATA", str(data_folder))
    X = load(Source("w8a")).X
    assert n_repeated(X) == 300 - np.unique(X.toarray(), axis=1).shape[1]


def test_a_file_is_no_set_to_show(imbfs):
    answer = imbfs("data", "show", "copies.csv")
    assert answer.code == 2
    assert answer.err.strip().endswith("no set of the table. imbfs init copies.csv looks at it.")
