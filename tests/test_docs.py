"""The pages below docs/: every command in them is run, every block of YAML and Python taken."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
WITH_COMMANDS = [page for page in PAGES if "```sh" in page.read_text()]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.fixture
def place(tmp_path):
    """A folder with what a checkout has: claims and tables, but no records and no data."""
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    for tables in sorted((ROOT / "results").glob("*/tables")):
        shutil.copytree(tables, tmp_path / "results" / tables.parent.name / "tables")
        note = tables.parent / "run.json"
        if note.exists():
            shutil.copy(note, tmp_path / "results" / tables.parent.name)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_every_command_runs(page, place, imbfs):
    for text in blocks(page, "yaml"):
        name = re.match(r"name: (\w+)", text)[1]
        (place / f"{name}.yaml").write_text(re.sub(r"repeats: \d+", "repeats: 1", text))
    modules = [text for text in blocks(page, "python") if re.match(r"# \w+\.py\n", text)]
    for text in modules:
        (place / re.match(r"# (\w+\.py)\n", text)[1]).write_text(text)
    for command in "".join(blocks(page, "sh")).splitlines():
        program, *arguments = shlex.split(command)
        if program == "imbfs" and ">" not in arguments and not modules:  # they would stay imported
            answer = imbfs(*arguments)
            assert answer.code == 0, f"{command}\n{answer.out}\n{answer.err}"
        else:
            in_a_shell(command, place)


def in_a_shell(command: str, place: Path) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs}
    run = subprocess.run(
        command, shell=True, cwd=place, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"


def test_the_filter_that_is_added_does_what_the_page_says():
    (text,) = blocks(ROOT / "docs" / "adding_a_method.md", "python")
    space = {}
    exec(text, space)
    # Medians 3 and 1, quartiles 1 and 3: 2 / 2. The second feature is constant.
    X = np.array([[3.0, 7.0], [3.0, 7.0], [1.0, 7.0], [1.0, 7.0]])
    y = np.array([1, 1, -1, -1])
    assert space["median_gap"](X, y).tolist() == [1.0, 0.0]
    assert space["median_gap"](csr_array(X), y).tolist() == [1.0, 0.0]
