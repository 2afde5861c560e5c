"""Methods from outside imbfs: named by module or entry point, checked, versioned, run anywhere."""

import importlib
import json
import pickle
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from imbfs import Select, UserError, config, score
from imbfs.classifiers import CLASSIFIERS
from imbfs.methods import Method, check_scores, modules, read_label, resolve
from imbfs.running.plan import expand
from imbfs.selectors import SELECTORS

EXAMPLE = Path(__file__).parent.parent / "docs" / "example_package"

SOURCE = """\
    from typing import Annotated

    import numpy as np
    from annotated_types import Gt
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.ensemble import RandomForestClassifier

    def gap(X, y, *, power: Annotated[float, Gt(0)] = 1.0, anything=None):
        '''Gap of the class means, to a power.'''
        X = X.toarray() if hasattr(X, "toarray") else X
        return np.abs(X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)) ** power

    def drawn(X, y, *, seed=0):
        return np.random.default_rng(seed).random(X.shape[1])

    def classes(X, y):
        return X.max(axis=0) * len(np.unique(y))

    classes.kinds = ("binary", "multiclass")

    def model(*, C: Annotated[float, Gt(0)] = 1.0):
        return LogisticRegression(C=C)

    def forest(*, trees: int = 3, random_state=None):
        return RandomForestClassifier(trees, random_state=random_state)

    number = 3

    def swapped(y, X): ...
    def unreadable(X, y, *, a: "Missing" = 1): ...
    def odd(X, y, *, at=np.inf, of=print): ...
    def nothing(X, y): ...
    def undefined(X, y): return np.where(np.arange(X.shape[1]) == 1, np.nan, 1.0)
    def short(X, y): return np.zeros(3)
    def words(X, y): return np.array(["a"] * X.shape[1])
    def crash(X, y): raise RuntimeError("boom")
    def text(): return "no classifier"

    def labels(X, y): ...
    labels.kinds = "binary"

    class Thing: ...

    class Few(LogisticRegression):
        def decision_function(self, X): return np.zeros(2)

    class Nan(LogisticRegression):
        def decision_function(self, X): return np.full(X.shape[0], np.nan)
"""


@pytest.fixture
def module(tmp_path):
    """Write a module of the user's own beside the config."""

    def write(text: str = SOURCE, name: str = "mine"):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        return tmp_path / f"{name}.py"

    write()
    yield write
    for name in [key for key in sys.modules if key.partition(".")[0] in ("mine", "pack")]:
        del sys.modules[name]
    sys.path[:] = [path for path in sys.path if path not in modules._added]


@pytest.fixture
def own(config, module):
    """A small config with methods of its own."""

    def write(**replaced):
        small = {"datasets": ["breast_cancer"], "features": [3], "selectors": ["mine:gap"]}
        small |= {"classifiers": ["naive_bayes"], "protocol": {"cv": {"repeats": 1, "folds": 2}}}
        return config(**small | replaced)

    return write


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 10])
    return rng.normal(size=(40, 5)) + y[:, None] * np.arange(5), y


def tasks(path):
    return expand(config.load(path)).tasks


def table(folder: Path) -> str:
    return (folder / "tables" / "results.csv").read_text()


@pytest.mark.slow
def test_methods_beside_a_config_run_in_worker_processes_and_resume(imbfs, own, tmp_path):
    folder = tmp_path / "apart"
    folder.mkdir()
    path = own(
        selectors=["s2n", "mine:gap", {"mine:gap": {"power": [0.5, 2]}}, "mine:drawn"],
        classifiers=["mine:model", {"mine:model": {"C": {"tune": [0.1, 1]}}}, "mine:forest"],
    )
    for file in (path, tmp_path / "mine.py"):
        file.rename(folder / file.name)
    answer = imbfs("run", "apart/smoke.yaml", "--jobs", 2)
    assert answer.code == 0, answer.err
    several = table(tmp_path / "results/smoke")
    assert "mine:gap(power=0.5)" in several and "mine:model(C=tuned)" in several
    assert imbfs("run", "apart/smoke.yaml", "--jobs", 1, "--results", "one").code == 0
    assert table(tmp_path / "one/smoke") == several
    assert " 30 done before, 0 done now" in imbfs("run", "apart/smoke.yaml").out
    only = imbfs("plan", "apart/smoke.yaml", "--only", "selector=mine:gap")
    assert "smoke: 18 tasks" in only.out


@pytest.mark.slow
def test_they_run_on_a_dask_cluster_started_before_they_were_written(imbfs, own):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=":0"
    ) as cluster:
        dask = ("--backend", "dask", "--scheduler", cluster.scheduler_address)
        path = own(classifiers=["mine:model"])
        assert imbfs("run", path, *dask).code == 0
        mine = path.parent / "mine.py"  # a worker that lives on must not keep the old source
        mine.write_text(mine.read_text().replace("** power", "** -power"))
        assert imbfs("run", path, *dask).code == 0
    changed = table(Path("results/smoke"))
    assert imbfs("run", path, "--jobs", 1, "--results", "one").code == 0
    assert table(Path("one/smoke")) == changed


def test_results_are_shown_without_importing_anything(imbfs, own, tmp_path):
    settings = {"settings": {"measure": "auc"}}
    shown = {"tables": [settings], "figures": "absent"}
    path = own(selectors=[{"mine:gap": {"power": [1, 2]}}], **shown)
    assert imbfs("run", path, "--jobs", 1).code == 0
    (tmp_path / "mine.py").write_text("raise SystemExit('imported')")
    for command in ("table", "plot", "report"):
        answer = imbfs(command, "results/smoke")
        assert answer.code == 0, answer.err
    assert "mine:gap(power=1)" in table(tmp_path / "results/smoke")
    answer = imbfs("plan", path)
    assert answer.code == 2 and "importing mine failed: SystemExit: imported." in answer.err


def test_a_key_follows_the_source_and_nothing_else(own, module, tmp_path):
    path = own(selectors=["s2n", "mine:gap"])
    before = [task.key for task in tasks(path)]
    assert [task.key for task in tasks(path)] == before
    module(SOURCE + "\n    # a remark\n")
    after = [task.key for task in tasks(path)]
    assert [a == b for a, b in zip(after, before, strict=True)] == [True, False] * 2
    module(SOURCE)
    assert [task.key for task in tasks(path)] == before
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(path, elsewhere)
    (tmp_path / "mine.py").rename(elsewhere / "mine.py")
    moved = tasks(elsewhere / path.name)
    assert [task.key for task in moved] == before
    assert moved[1].selector.home == str(elsewhere)


def test_the_module_that_defines_a_method_counts_too(own, module, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("from pack.inner import score\n")
    inner = tmp_path / "pack" / "inner.py"
    inner.write_text("def score(X, y):\n    return X.max(axis=0)\n")
    path = own(selectors=["pack:score"])
    before = tasks(path)[0].key
    assert tasks(path)[0].selector.home == str(tmp_path)
    inner.write_text("def score(X, y):\n    return X.min(axis=0)\n")
    for name in ("pack", "pack.inner"):  # as a new process would
        sys.modules.pop(name)
    assert tasks(path)[0].key != before


def test_two_configs_with_modules_of_one_name_get_each_their_own(own, module, tmp_path):
    path = own()
    first = tasks(path)[0].selector
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(path, other)
    (other / "mine.py").write_text("def gap(X, y, *, width: int = 2):\n    return X[0]\n")
    second = tasks(other / path.name)[0].selector
    assert (first.params, second.params) == ({"power": 1.0, "anything": None}, {"width": 2})
    assert tasks(path)[0].selector == first


def test_a_task_whose_source_is_gone_is_refused(own, module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (task, *_) = tasks(own())
    module(SOURCE + "\n    # edited since\n")
    found = SELECTORS.find("mine:gap")
    assert found.revision != task.selector.revision
    with pytest.raises(UserError, match="mine:gap: its source is another than when the tasks"):
        SELECTORS.ready(task.selector.name, task.selector.revision, task.selector.home)


def test_parameters_are_read_off_the_signature(own):
    path = own(selectors=[{"mine:gap": {"power": [1, 2.5], "anything": "x"}}])
    first, second = (choice for choice in config.load(path).selectors)
    assert first.label == "mine:gap(anything=x, power=1)"
    assert second.params == {"power": 2.5, "anything": "x"}
    assert read_label(SELECTORS, second.label) == ("mine:gap", {"power": 2.5, "anything": "x"})
    assert read_label(SELECTORS, "nowhere.to:find") == ("nowhere.to:find", {})


@pytest.mark.parametrize(
    "selector, message",
    [
        ("mien:gap", "there is no module 'mien' in .* or installed. Did you mean 'mine'?"),
        ("mine.inner:gap", "mine.inner:gap: there is no module 'mine.inner' in"),
        ("mine:gpa", r"the module mine \(.*mine.py\) has no 'gpa'. Did you mean 'gap'?"),
        ("mine:number", "mine:number: is a int, which cannot be called: no selector."),
        ("mine:swapped", r"mine:swapped\(y, X\): a selector is a function of X and y, in this"),
        ("os:system", r"os:system\(command\): a selector is a function of X and y"),
        ("mine:unreadable", "its signature cannot be read: NameError: name 'Missing' is not"),
        ("mine:odd", "the default of of is no plain value: <built-in function print>"),
        ("mine:labels", "mine:labels.kinds: 'binary' are not among binary, multiclass, multilabel"),
        ("mine:Thing", "mine:Thing: is no learner, without fit, .* Derive it from imbfs.Learner"),
        ("mine:", "'mine:' names no selector. Write package.module:name."),
        ("mine.gap", "unknown selector 'mine.gap'."),
        ({"mine:gap": {"power": 0}}, "mine:gap.power: input should be greater than 0, not 0."),
        ({"mine:gap": {"pwer": 1}}, "has no parameter 'pwer'. Did you mean 'power'?"),
    ],
    ids=str,
)
def test_a_selector_that_cannot_be_is_refused_in_one_line(imbfs, own, selector, message):
    answer = imbfs("plan", own(selectors=[selector]))
    assert answer.code == 2 and answer.err.count("\n") == 1
    assert answer.err.startswith("imbfs: ") and "smoke.yaml: selectors[0]" in answer.err
    with pytest.raises(UserError, match=message):
        config.load(own(selectors=[selector]))


@pytest.mark.parametrize(
    "name, message",
    [
        ("mine:Thing", "mine:Thing: is no classifier: it has no fit and no predict."),
        ("mine:number", "cannot be called: no classifier"),
        ("mine:gap", "mine:gap: 'X' is no name for a parameter of a classifier."),
    ],
)
def test_a_classifier_that_cannot_be_is_refused_in_one_line(own, name, message):
    with pytest.raises(UserError, match=message):
        config.load(own(classifiers=[name]))


def test_wrong_answers_are_told_with_the_method_and_what_it_returned(imbfs, own):
    wrong = [f"mine:{name}" for name in ("nothing", "undefined", "short", "words", "crash")]
    answer = imbfs("run", own(selectors=["s2n", *wrong], classifiers=["naive_bayes"]), "--jobs", 1)
    assert answer.code == 1
    for told in (
        "mine:nothing returned NoneType, not an array of numbers.",
        "mine:undefined returned NaN for 1 of the 30 features.",
        "mine:short returned an array of shape (3,), not one score for each of the 30 features.",
        "mine:words returned <U1, not an array of numbers.",
        "RuntimeError: boom",
    ):
        assert told in answer.err
    models = ["mine:text", "mine:Few", "mine:Nan"]
    answer = imbfs("run", own(selectors=["s2n"], classifiers=models), "--jobs", 1)
    assert answer.code == 1
    assert "mine:text made a str, which is no scikit-learn classifier" in answer.err
    assert "Few decided values of shape (2,) for 2" in answer.err
    assert "Nan decided NaN for some of 2" in answer.err


def test_kinds_are_those_that_a_method_names(own):
    with pytest.raises(UserError, match="selector mine:gap takes binary data; this set is multic"):
        tasks(own(datasets=["digits"]))
    assert tasks(own(datasets=["digits"], selectors=["mine:classes"], classifiers=["mine:model"]))


def test_a_module_from_outside_hides_nothing_that_is_installed(own, tmp_path):
    for name in ("random", "sklearn"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    assert tasks(own(classifiers=["sklearn.linear_model:LogisticRegression"]))
    found = importlib.reload(importlib.import_module("random"))
    assert Path(found.__file__).parent != tmp_path


def test_nothing_else_in_a_config_is_executed(imbfs, own, tmp_path, module):
    module("from pathlib import Path\nPath('seen').touch()", name="trap")
    for field in ("preprocess", "resampling", "measures", "protocol", "datasets"):
        assert imbfs("plan", own(**{field: ["trap:call"]})).code == 2
    assert imbfs("plan", own(description="trap:call", name="trap_call")).code == 0
    scorer = {"decomposed": {"scorer": "trap:call"}}
    assert imbfs("plan", own(selectors=[scorer])).code == 2
    assert not (tmp_path / "seen").exists()


def test_python_takes_an_address_or_a_function(module, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = data
    gap = SELECTORS.find("mine:gap").call
    expected = gap(X, 2 * y - 1, power=2.0)
    np.testing.assert_array_equal(score("mine:gap", X, y, power=2.0), expected)
    np.testing.assert_array_equal(score(gap, X, y, power=2.0), expected)
    for method in ("mine:gap", gap):
        select = clone(Select(method, k=2, params={"power": 2.0})).fit(X, y)
        assert select.get_support(indices=True).tolist() == [3, 4]
        again = pickle.loads(pickle.dumps(select))
        np.testing.assert_array_equal(again.transform(X), X[:, 3:])
    drawn = [Select("mine:drawn", k=1, seed=seed).fit(X, y).scores_ for seed in (0, 0, 1)]
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).all()
    with pytest.raises(UserError, match="gap.power: input should be greater than 0"):
        score(gap, X, y, power=-1)
    with pytest.raises(UserError, match="<lambda> returned list, not an array of numbers"):
        score(lambda X, y: [1.0], X, y)
    with pytest.raises(UserError, match="takes two classes only, and y has 3 classes"):
        score(gap, X, np.arange(40) % 3)


def test_scores_of_our_own_are_checked_alike():
    assert check_scores("s2n", np.array([np.inf, 0.0]), 2).tolist() == [np.inf, 0.0]
    with pytest.raises(UserError, match="s2n returned NaN for 1 of the 2 features"):
        check_scores("s2n", np.array([np.nan, 0.0]), 2)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The example package of the docs, installed where no other test meets it."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE, folder / "source")
    target = folder / "site"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", target]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    install = subprocess.run([*pip, *options, folder / "source"], capture_output=True, text=True)
    assert install.returncode == 0, install.stderr
    return target


@pytest.fixture
def example(site, monkeypatch):
    monkeypatch.syspath_prepend(str(site))
    yield site
    sys.modules.pop("imbfs_example", None)


@pytest.mark.slow
def test_the_example_package_is_found_by_its_entry_points(example, imbfs, config, tmp_path):
    path = config(
        datasets=["breast_cancer"],
        selectors=["s2n", "median_gap", {"median_gap": {"power": [2]}}],
        classifiers=["centroids", {"centroids": {"shrink": {"tune": [0, 0.5]}}}],
        features=[3],
        protocol={"cv": {"repeats": 1, "folds": 2}},
    )
    answer = imbfs("run", path, "--jobs", 1)
    assert "smoke: 12 tasks, 0 done before, 12 done now, 0 failed." in answer.out, answer.err
    assert "median_gap(power=2)" in table(tmp_path / "results/smoke")
    sys.path.remove(str(example))
    answer = imbfs("plan", path)
    assert "selectors[1]: unknown selector 'median_gap'" in answer.err


def test_what_installed_packages_bring_is_listed(imbfs, example):
    assert (
        "  median_gap      imbfs-example 1.0: |median+ - median-|" in imbfs("list", "selectors").out
    )
    assert "  centroids          imbfs-example 1.0: The class" in imbfs("list", "classifiers").out
    schema = json.loads(imbfs("schema").out)
    assert "median_gap" in schema["properties"]["selectors"]["anyOf"][0]["anyOf"][0]["enum"]


def test_an_entry_point_is_versioned_by_its_source(example):
    (choice,) = resolve(SELECTORS, "median_gap", "selector")
    (address,) = resolve(SELECTORS, "imbfs_example:median_gap", "selector")
    assert choice.revision == address.revision and choice.home == ""
    file = example / "imbfs_example.py"
    before = file.read_text()
    file.write_text(before + "# edited\n")
    assert resolve(SELECTORS, "median_gap", "selector")[0].revision != choice.revision
    file.write_text(before)


@pytest.fixture
def brought(tmp_path, monkeypatch, module):
    """Install a package that brings a selector, by the metadata alone."""

    def bring(name: str, address: str, package: str = "theirs"):
        info = tmp_path / f"{package}-2.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
        (info / "entry_points.txt").write_text(f"[imbfs.selectors]\n{name} = {address}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    return bring


def test_a_name_of_ours_is_refused_when_a_package_brings_it_too(imbfs, own, brought):
    brought("fast", "mine:gap")
    answer = imbfs("plan", own(selectors=["fast"]))
    told = "is the name of several, by imbfs, theirs 2.0. Write mine:gap instead."
    assert answer.code == 2 and told in answer.err
    assert imbfs("plan", own(selectors=["mine:gap", "s2n"])).code == 0
    assert "cannot be used: selector 'fast'" in imbfs("list", "selectors").out


def test_a_name_that_two_packages_bring_is_refused(own, brought):
    brought("gap", "mine:gap", "one")
    brought("gap", "mine:drawn", "two")
    with pytest.raises(UserError, match="several, by .*one 2.0.* Write mine:.* or mine:.* instead"):
        config.load(own(selectors=["gap"]))


def test_a_package_that_cannot_be_imported_is_told_and_listed(imbfs, own, brought):
    brought("broken", "nowhere:gap")
    assert "broken" in imbfs("list", "selectors").out
    answer = imbfs("plan", own(selectors=["broken"]))
    assert "broken of theirs 2.0: nowhere:gap: there is no module 'nowhere'" in answer.err
    assert imbfs("plan", own(selectors=["s2n"])).code == 0


def test_the_table_holds_and_iterates_over_ours_alone(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = list(SELECTORS)
    assert isinstance(SELECTORS["mine:gap"], Method) and SELECTORS["mine:gap"].outside
    assert list(SELECTORS) == before and "mine:gap" not in SELECTORS
    assert CLASSIFIERS["mine:model"].kinds == ("binary", "multiclass", "multilabel")
