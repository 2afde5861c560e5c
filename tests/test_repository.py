"""What holds for the repository as a whole: layers, configs, citations, words."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "imbfs").rglob("*.py"))

# Left to right: a layer may import itself and what stands before it, and nothing behind it.
LAYERS = [
    ["imbfs.errors", "imbfs.types", "imbfs.jsonfiles", "imbfs.leftovers"],
    ["imbfs.matrices"],
    ["imbfs.methods", "imbfs.ranking", "imbfs.ratios", "imbfs.stats"],
    ["imbfs.splits", "imbfs.measures", "imbfs.prepare", "imbfs.datasets", "imbfs.classifiers"],
    ["imbfs.learner"],
    ["imbfs.online"],
    ["imbfs.selectors"],
    ["imbfs.select", "imbfs.loading", "imbfs.config"],
    ["imbfs.running.found", "imbfs.running.task", "imbfs.running.files"],
    ["imbfs.running.plan"],
    ["imbfs.running.pipeline.rows", "imbfs.running.pipeline.part"],
    ["imbfs.running.pipeline", "imbfs.running.store", "imbfs.running.progress"],
    ["imbfs.running.backends.attempt", "imbfs.running.backends.workers"],
    ["imbfs.running.backends.processes", "imbfs.running.backends.node"],
    ["imbfs.running.backends.cluster"],
    ["imbfs.running.backends", "imbfs.running.runner"],
    ["imbfs.running.launch", "imbfs.running.cost"],
    ["imbfs.running.several"],
    ["imbfs.showing.tables", "imbfs.showing.markup", "imbfs.showing.style"],
    ["imbfs.showing.scripts"],
    ["imbfs.showing.ranks", "imbfs.showing.settings", "imbfs.showing.beside"],
    ["imbfs.showing.averages", "imbfs.showing.picks"],
    ["imbfs.showing.sheets", "imbfs.showing.figures"],
    ["imbfs.showing.results", "imbfs.showing.claims", "imbfs.showing.compare"],
    ["imbfs.showing.report"],
    ["imbfs.own"],
    ["imbfs.streaming"],
    ["imbfs.cli.shared"],
    ["imbfs.cli.data_options"],
    [
        "imbfs.cli.benchmarking",
        "imbfs.cli.claims",
        "imbfs.cli.comparing",
        "imbfs.cli.data",
        "imbfs.cli.names",
        "imbfs.cli.own",
        "imbfs.cli.results",
        "imbfs.cli.runs",
        "imbfs.cli.streams",
    ],
    ["imbfs.cli.reproducing"],
    ["imbfs.cli"],
    ["imbfs.__main__"],
]


def name_of(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def layer_of(module: str) -> int:
    for number, layer in enumerate(LAYERS):
        if any(module == home or module.startswith(home + ".") for home in layer):
            return number
    raise AssertionError(f"{module} stands in no layer: add it to LAYERS")


def imports_of(path: Path) -> set[str]:
    """Every module of imbfs that a file imports, anywhere in it."""
    found = set()
    known = {name_of(module) for module in MODULES}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & known or {node.module}
    return {module for module in found if module.startswith("imbfs.")}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way(path):
    if name_of(path) in ("imbfs", "imbfs.running", "imbfs.showing"):
        return
    here = layer_of(name_of(path))
    for module in imports_of(path):
        assert layer_of(module) <= here, f"{name_of(path)} imports {module}, which stands behind it"


def test_only_figures_imports_matplotlib():
    importers = [
        name_of(p)
        for p in MODULES
        if re.search(r"^\s*(from|import) matplotlib", p.read_text(), re.M)
    ]
    assert importers
    assert all(name.startswith("imbfs.showing.figures") for name in importers)


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.name)
def test_every_config_plans(path, imbfs):
    answer = imbfs("plan", path)
    assert answer.code == 0, answer.err


def test_every_cited_key_resolves_in_the_readme():
    cited = set()
    for path in MODULES + sorted((ROOT / "tests").glob("*.py")):
        cited |= set(re.findall(r"\[([A-Z][a-z]+\d{4})\]", path.read_text()))
    readme = (ROOT / "README.md").read_text()
    assert cited
    assert {key for key in cited if f"**{key}**" not in readme} == set()


def test_make_targets_named_in_the_readme_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / "README.md").read_text(), re.M))
    assert {"demo", "test", "reproduce-all", "bench", "clean"} <= targets
    assert named <= targets


def test_files_named_in_the_docs_exist():
    for page in [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]:
        text = page.read_text()
        targets = re.findall(r"\]\((?!http|#)([^)#]+)\)", text)
        for target in targets + re.findall(r'(?:src|href)="([^"]+)"', text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_path_of_a_machine_is_committed():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    foreign = re.compile(rb"(?<![\w./])/(home|root|Users|work)/[a-z]")
    found = []
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and name != "tests/test_repository.py":
            found += [name] if foreign.search(path.read_bytes()) else []
    assert found == []
