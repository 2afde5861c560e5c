"""What every test may use: the command as a user runs it, a small config, data of its own."""

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent

SMOKE = """\
name: smoke
datasets: [breast_cancer, {microarray: {features: [5, 20]}}]
selectors: [none, s2n, fast, mbpa]
classifiers: [naive_bayes, own]
features: [2, 10]
measures: [auc, g_mean]
protocol: {cv: {repeats: 2, folds: 3}}
preprocess: standardize
"""


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """Parsed data is cached for the test session alone, once for all of its processes."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "cache"
    before = os.environ.get("IMBFS_CACHE")
    os.environ["IMBFS_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["IMBFS_CACHE"]
    else:
        os.environ["IMBFS_CACHE"] = before


@pytest.fixture
def imbfs(monkeypatch, capsys, tmp_path):
    """Run the command in this process, in a folder of its own: code, out, err.

    Unless told of `--jobs` it starts no others: the tests themselves are at work on all cores.
    """
    from imbfs import cli

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["imbfs", *map(str, arguments)])
        capsys.readouterr()
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call


@pytest.fixture
def config(tmp_path):
    """Write a config into the test's folder: SMOKE with some keys replaced, or text of its own.

    "absent" takes a key away. Figures take longer than the run, and are drawn if asked for.
    """

    def write(text: str | None = None, *, file: str = "smoke.yaml", **replaced):
        import yaml

        if text is None:
            content = yaml.safe_load(SMOKE) | {"figures": []} | replaced
            text = yaml.safe_dump({k: v for k, v in content.items() if v != "absent"})
        path = tmp_path / file
        path.write_text(textwrap.dedent(text))
        return path

    return write


def hear_ctrl_c() -> None:
    """Undo that a suite started in the background of a shell, and all it starts, ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def spawn(tmp_path):
    """Start the command in a process of its own, to be killed, interrupted or waited for."""
    started = []

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", "imbfs", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=hear_ctrl_c,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture(scope="session")
def data_folder():
    """The real data sets; tests that ask for them carry the marker `data`."""
    folder = os.environ.get("IMBFS_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("IMBFS_DATA does not name a folder with the real data sets")
    return Path(folder)


@pytest.fixture(autouse=True)
def fresh_part():
    """No test meets rankings that another made, perhaps with a method of its own."""
    yield
    if pipeline := sys.modules.get("imbfs.running.pipeline"):
        vars(pipeline._at_work).clear()
