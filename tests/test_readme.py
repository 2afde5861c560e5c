"""What the README shows works as it stands there."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def block(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", README, re.S)
    return text


def test_the_config_for_ones_own_data_runs(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    ill = rng.random(150) < 0.3
    genes = rng.normal(size=(150, 40))
    genes[ill, :3] += 2
    lines = [",".join([f"g{j}" for j in range(40)] + ["diagnosis"])]
    for row, state in zip(genes, ill, strict=True):
        lines.append(",".join(f"{x:.4f}" for x in row) + (",relapse" if state else ",cured"))
    (tmp_path / "patients.csv").write_text("\n".join(lines) + "\n")
    text = block("yaml").replace("repeats: 5", "repeats: 1").replace("natural, 20", "natural, 9")
    (tmp_path / "mine.yaml").write_text(text)
    answer = imbfs("run", "mine.yaml", "--jobs", 1)
    assert answer.code == 0, answer.err
    assert "svm(C=tuned)" in (tmp_path / "results/mine/tables/results.csv").read_text()


def test_the_python_example_runs():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 60)), np.repeat([0, 0, 1], 30)
    names = {"X": X, "y": y, "labels": rng.integers(0, 2, size=(90, 4))}
    exec(block("python"), names)
    assert names["scores"].shape == (60,)
    assert names["X_small"].shape == (90, 50)


def test_the_commands_are_there(imbfs):
    shells = re.findall(r"```\n(.*?)```", README, re.S)
    named = set(re.findall(r"^imbfs ([a-z]+)", "\n".join(shells), re.M))
    listed = imbfs("--help").out
    assert {"run", "plan", "table", "plot", "list", "schema"} <= named
    assert all(f" {name} " in listed for name in named)


def test_every_paper_is_shown_with_a_figure_and_its_page():
    shown = re.search(r"\n## What came out\n(.*?)\n## ", README, re.S)[1]
    papers = sorted(path.parent.name for path in (ROOT / "experiments").glob("*/claims.yaml"))
    cells = [cell for cell in shown.split("|") if "<img" in cell]
    pages = [re.search(r"experiments/(\w+)/README.md", cell)[1] for cell in cells]
    assert sorted(pages) == papers
    assert all("alt=" in cell for cell in cells)
    findings = shown.partition("surprised us")[2]
    assert len(re.findall(r"^- \*\*", findings, re.M)) == 3
