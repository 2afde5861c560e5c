"""Pages of experiments: whole, closed to the network, escaped, the same every time; bad input."""

import gzip
import json
import os
import re
import shutil
from base64 import b64decode
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import yaml

from imbfs.datasets import DATASETS
from imbfs.selectors import SELECTORS
from imbfs.showing import report, style
from imbfs.showing.markup import csv
from imbfs.showing.report.html import Html, data, el, table
from imbfs.showing.report.sections.looks import looks, luminance

ROOT = Path(__file__).parent.parent
EXPERIMENTS = ROOT / "experiments"
VOID = {"input", "meta"}
LEFT_OUT = ("figures", "*.html", "*-quick")  # what is not committed may lie there too
EVIL = "<script>alert(1)</script>"
RESULTS = "dataset,ratio,resampling,selector,classifier,part,features,k,seen,measure,mean,sd,n,"
RESULTS += "over,missing"


class Page(HTMLParser):
    """A page taken apart: every element with its attributes, and what it says."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.elements, self.words = [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []
        self.said = {place: "".join(words) for place, words in self.words.items()}

    def handle_starttag(self, tag, attributes):
        assert len(attributes) == len(dict(attributes)), "an attribute is given twice"
        if tag not in ("a", "abbr", "b", "code", "small", "span", "strong", "cite"):
            assert "p" not in self.open, f"{tag} in a paragraph"
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        place = self.open[-1] if self.open else ""
        self.words.setdefault(place, []).append(data)

    def all(self, tag, **wanted):
        wanted = {key.rstrip("_"): value for key, value in wanted.items()}
        return [a for t, a in self.elements if t == tag and wanted.items() <= a.items()]

    def text(self):
        return " ".join(v for k, v in self.said.items() if k not in ("script", "style"))


@pytest.fixture(scope="session")
def committed(tmp_path_factory):
    """The pages of all committed results, in a copy of them."""
    folder = tmp_path_factory.mktemp("committed") / "results"
    shutil.copytree(ROOT / "results", folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    report.write(folder, EXPERIMENTS)
    return folder


def experiment(folder, name="mine", dataset="wine", selector="s2n", **run):
    """Write an experiment of two lines by hand."""
    (folder / "tables").mkdir(parents=True)
    told = {"format": 1, "name": name, "config": "name: mine\n", "quick": False, "runs": [], **run}
    (folder / "run.json").write_text(json.dumps(told))
    rows = [
        f'"{dataset}",natural,none,"{label}",svm,test,{k},{k},80,auc,0.{k}5,0.01,5,repeats,0'
        for label in (selector, "random")
        for k in (2, 8)
    ]
    (folder / "tables" / "results.csv").write_text("\n".join([RESULTS, *rows]) + "\n")
    return folder


def page_of(folder):
    return taken_apart((folder / "report.html").read_text(encoding="utf-8"))


taken_apart = cache(Page)  # several tests look at every page


def curves_of(folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    (block,) = re.findall(r'<script type="application/json" id="curves">(.*?)</script>', text, re.S)
    return json.loads(block)


# whole pages


def test_every_page_is_well_formed_and_has_its_landmarks(committed):
    paths = sorted(committed.rglob("report.html"))
    assert len(paths) > 20
    for path in paths:
        page = page_of(path.parent)
        for landmark in ("header", "main", "footer", "h1", "title", "nav"):
            assert len(page.all(landmark)) == 1, (path, landmark)
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        within = [a["href"][1:] for a in page.all("a") if a["href"].startswith("#")]
        assert within and set(within) <= set(ids)
        assert all(a["aria-labelledby"] in ids for a in page.all("section"))
        assert len(page.all("table")) == len(page.all("caption"))
        assert all("scope" in a for a in page.all("th"))


def test_a_page_loads_nothing(committed):
    for path in committed.rglob("report.html"):
        page = page_of(path.parent)
        for tag, attributes in page.elements:
            assert tag not in ("link", "img", "iframe", "object", "embed", "form", "base")
            assert "src" not in attributes and "srcset" not in attributes
            assert not any(name.startswith("on") for name in attributes)
        assert not re.search(r"url\(|@import", page.said["style"])
        assert not re.search(r"fetch\(|XMLHttpRequest|import\(|innerHTML", page.said["script"])


def test_every_page_is_under_5_megabytes(committed):
    assert max(path.stat().st_size for path in committed.rglob("report.html")) < 5e6


def test_pages_are_the_same_to_the_byte_when_made_again(committed, spawn, tmp_path):
    for name in ("hellinger", "yin_synthetic"):
        shutil.copytree(committed / name, tmp_path / "results" / name)
        (tmp_path / "results" / name / "report.html").unlink()
    made = []
    for seed in ("1", "2"):  # of hashes, so of the order of sets
        process = spawn("report", "--experiments", EXPERIMENTS, PYTHONHASHSEED=seed)
        assert process.wait() == 0, process.stderr.read()
        pages = sorted((tmp_path / "results").rglob("report.html"))
        made.append({path: path.read_bytes() for path in pages})
    assert len(made[0]) == 3
    assert made[0] == made[1]


# what stands on them


def test_verdicts_come_first_one_for_every_claim_and_part(committed):
    tables = sorted(committed.glob("*/tables/claims.csv"))
    assert tables
    for path in tables:
        page = page_of(path.parent.parent)
        assert page.all("section")[0]["id"] == "verdicts"
        claims = pd.read_csv(path)[["claim", "part"]].drop_duplicates().to_numpy().tolist()
        listed = [a["id"] for a in page.all("li") if "id" in a]
        assert set(listed) >= {f"claim-{claim}-{part}" for claim, part in claims}


def test_a_verdict_is_told_with_its_effect_its_test_and_the_settings_that_agree(committed):
    for path in sorted(committed.glob("*/tables/claims.csv")):
        text = page_of(path.parent.parent).text()
        table = pd.read_csv(path).drop_duplicates(["claim", "part"])
        assert text.count("effect +") + text.count("effect -") >= table["effect"].notna().sum()
        for row in table.dropna(subset=["p holm"]).to_dict("records"):
            told = f"effect {row['effect']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}] over"
            assert told in text and f"p {row['p holm']:.2g} (Wilcoxon, Holm)" in text


def test_a_claim_stands_on_the_page_of_the_experiment_it_is_tested_on(committed):
    (claim,) = [a["id"] for a in page_of(committed / "yin_synthetic").all("li") if "id" in a]
    assert claim == "claim-Y1-test"
    text = page_of(committed / "yin_synthetic").text()
    assert "900 against 100 rows of Gaussian data" in text  # the words of the claims file


def test_every_printed_value_that_we_have_stands_beside_ours(committed):
    tables = sorted(committed.glob("*/tables/beside_*.csv"))
    assert tables
    for folder in {path.parent.parent for path in tables}:
        ours = [pd.read_csv(p)["mean"].notna().sum() for p in folder.glob("tables/beside_*.csv")]
        assert len(page_of(folder).all("svg", class_="strip")) == sum(ours)


def test_the_figures_hold_every_mean_of_the_last_checkpoint(committed):
    for name in ("decomposition", "quickstart", "ascw"):
        frame = pd.read_csv(committed / name / "tables" / "results.csv", keep_default_na=False)
        expected = {}
        for row in frame.to_dict("records"):
            if row["part"] == "test" and row["features"] != "" and row["mean"] != "":
                cell = [row[key] for key in ("selector", "classifier", "resampling", "measure")]
                place = row["dataset"], row["ratio"]
                expected[(place, *cell, str(row["features"]))] = float(f"{float(row['mean']):.4g}")
        drawn = curves_of(committed / name)
        measures = list(dict.fromkeys(frame["measure"]))
        places = list(dict.fromkeys(zip(frame["dataset"], frame["ratio"], strict=True)))
        found = {}
        for view, place, selector, resampling, classifier, measure, _, axis, means, *_ in drawn[
            "lines"
        ]:
            if view == 0:
                cell = drawn["selectors"][selector]["label"], drawn["classifiers"][classifier]
                cell += drawn["resamplings"][resampling], measures[measure]
                for label, mean in zip(drawn["axes"][axis][1], means, strict=True):
                    if mean is not None:
                        found[(places[place], *cell, label)] = mean
        assert found.keys() == expected.keys()
        assert all(found[k] == pytest.approx(v, abs=1, rel=1e-9) for k, v in expected.items())


def test_lines_over_samples_seen_are_those_with_several_checkpoints(committed):
    frame = pd.read_csv(committed / "ascw" / "tables" / "results.csv")
    by = ["dataset", "ratio", "resampling", "selector", "classifier", "measure", "part", "features"]
    several = frame.groupby(by).size() > 1
    lines = [line for line in curves_of(committed / "ascw")["lines"] if line[0] in (1, 2)]
    assert len(lines) == several.sum() > 0


def test_lines_over_imposed_ratios_have_a_point_for_each_of_them(committed):
    frame = pd.read_csv(committed / "decomposition_ratios" / "tables" / "results.csv")
    drawn = curves_of(committed / "decomposition_ratios")
    lines = [line for line in drawn["lines"] if line[0] == 3]
    for line in lines:
        label = drawn["selectors"][line[2]]["label"]
        own = frame[(frame["dataset"] == drawn["sets"][line[1]]) & (frame["selector"] == label)]
        own = own[own["classifier"] == drawn["classifiers"][line[4]]]
        own = own[own["measure"] == list(frame["measure"].unique())[line[5]]]
        own = own[own["features"].astype(str).isin([drawn["features"][line[6]], "all"])]
        expected = dict(zip(own["ratio"], own["mean"], strict=True))
        shown = dict(zip(drawn["axes"][line[7]][1], line[8], strict=True))
        assert shown == pytest.approx(expected, rel=1e-3)
        assert line[8] and drawn["axes"][line[7]][0] == sorted(drawn["axes"][line[7]][0])
    assert {drawn["selectors"][line[2]]["label"] for line in lines} == set(frame["selector"])


def test_downloads_hold_the_tables_to_the_byte(committed):
    for folder in (committed / "ascw", committed / "fast"):
        links = page_of(folder).all("a")
        links = [a for a in links if a["href"].startswith("data:")]
        assert len(links) == len(list((folder / "tables").glob("*.csv")))
        for link in links:
            content = b64decode(link["href"].partition(",")[2])
            if "gzip" in link["href"]:
                content = gzip.decompress(content)
            assert (
                content == (folder / "tables" / link["download"].removesuffix(".gz")).read_bytes()
            )


def test_a_method_card_has_the_first_line_of_its_docstring(committed):
    text = page_of(committed / "hellinger").text()
    assert SELECTORS["hellinger"].summary in text


def test_a_set_says_how_it_differs_from_the_papers(committed):
    problems = pd.read_csv(committed / "decomposition" / "tables" / "problems.csv")
    text = page_of(committed / "decomposition").text()
    assert problems["differs"].dropna().map(lambda differs: differs in text).all()


def test_sets_not_at_hand_are_listed_with_the_command_or_the_place(committed):
    page = page_of(committed / "ascw").text()
    assert "Not at hand when this was run" in page
    assert "imbfs data fetch real-sim" in page and "imbfs data fetch rcv1" in page
    page = page_of(committed / "decomposition_large").text()
    assert f"Get it from {DATASETS['churn'].url}; it belongs at {DATASETS['churn'].file}" in page
    assert "Not at hand" not in page_of(committed / "quickstart").text()


def test_the_run_is_told_with_its_config(committed):
    run = json.loads((committed / "hellinger" / "run.json").read_text())
    page = page_of(committed / "hellinger")
    assert run["config"] in page.said["code"]
    assert run["runs"][-1]["packages"]["numpy"] in page.text()


@pytest.mark.parametrize("name", ["ofs_pa_defaults", "ascw_bound"])
def test_an_experiment_without_a_table_of_results_has_its_other_tables(committed, name):
    page = page_of(committed / name)
    sections = [a["id"] for a in page.all("section")]
    assert "figures" not in sections and "methods" not in sections
    assert "tables" in sections and page.all("table", class_="sortable")


def test_the_best_mean_of_a_group_is_bold(imbfs, tmp_path):
    folder = experiment(tmp_path / "mine")
    summary = (
        "dataset,classifier,selector,5,5 sd,missing\na,svm,s2n,0.9,0.1,0\na,svm,fast,0.8,0.1,0\n"
    )
    (folder / "tables" / "summary_auc.csv").write_text(summary + "a,svm,chi,0.95,0.1,2\n")
    assert imbfs("report", folder).code == 0
    assert page_of(folder).said["strong"] == "0.900"  # chi has more, but not all of its results


# the overview


def test_the_overview_has_a_card_for_every_experiment_that_leads_to_its_page(committed):
    page = page_of(committed)
    folders = {p.parent.name for p in committed.glob("*/tables")}
    links = {a["href"].partition("#")[0] for a in page.all("a")} - {""}
    assert links == {f"{name}/report.html" for name in folders}
    assert all((committed / link).exists() for link in links)
    assert len(page.all("article", class_="card")) == len(folders)


def counted(html):
    """The numbers of claims on the chips of some HTML, by verdict."""
    signs = r'<span class="chip [a-z-]+"><span aria-hidden="true">.</span> (\d+) ([\w ]+)'
    said = re.findall(signs, html)
    return {{"hold": "holds", "fail": "fails"}.get(word, word): int(n) for n, word in said}


def test_every_page_counts_claims_as_the_overview_of_the_readme_does(committed):
    lines = (ROOT / "results" / "overview.md").read_text().split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    header, _, *papers = rows
    text = (committed / "report.html").read_text()
    shown = re.findall(r'<article class="paper">.*?</article>', text, re.S)
    assert len(shown) == len(papers) == 5
    for paper, article in zip(papers, shown, strict=True):
        told = dict(zip(header[2:], map(int, paper[2:]), strict=True))
        told = {verdict: n for verdict, n in told.items() if n}
        home = yaml.safe_load((EXPERIMENTS / paper[0] / "claims.yaml").read_text())["experiment"]
        page = (committed / home / "report.html").read_text()
        assert counted(article) == told
        assert counted(re.search(r'<section id="verdicts".*?</ol>', page, re.S)[0]) == told
    assert f"5 papers, {sum(int(paper[1]) for paper in papers)} claims, " in text


def test_the_overview_shows_the_headline_values_that_the_readme_shows(committed):
    lines = (ROOT / "results" / "overview.md").read_text().split("\n\n")[1].splitlines()
    told = [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines[2:]]
    text = (committed / "report.html").read_text()
    bodies = re.findall(r"<caption>What is printed in .*?<tbody>(.*?)</tbody>", text, re.S)
    rows = [row for body in bodies for row in body.split("</tr>")[:-1]]
    shown = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    assert [[unescape(cell) for cell in row] for row in shown] == [
        [cell.replace("\\", "") for cell in row] for row in told
    ]
    assert len(bodies) == 5


def test_an_overlap_is_a_square_on_the_page(imbfs, tmp_path):
    folder = experiment(tmp_path / "mine")
    pairs = "all,s2n,chi,0.11,0.21,3\nall,s2n,mi,0.12,0.22,3\nall,chi,mi,0.13,0.23,3\n"
    header = "group,selector,against,jaccard,corrected,problems\n"
    (folder / "tables" / "overlap_8.csv").write_text(header + pairs)
    assert imbfs("report", folder).code == 0
    text = (folder / "report.html").read_text()
    body = re.search(r"Overlap of what two selectors select.*?<tbody>(.*?)</tbody>", text, re.S)[1]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("</tr>")[:-1]]
    assert [[re.sub("<.*?>", "", cell) for cell in row] for row in rows] == [
        ["s2n", "", "0.110", "0.120"],
        ["chi", "0.210", "", "0.130"],
        ["mi", "0.220", "0.230", ""],
    ]


def test_one_experiment_alone_has_no_page_over_it(imbfs, tmp_path):
    folder = experiment(tmp_path / "results" / "mine")
    for where in (tmp_path / "results", folder):
        answer = imbfs("report", where)
        assert answer.out.split() == [str(folder / "report.html")]
        assert "every experiment" not in page_of(folder).text()


# escaping


def test_names_from_data_are_text_and_nothing_else(imbfs, tmp_path):
    folder = experiment(
        tmp_path / "results" / "mine", EVIL, EVIL, f"fast(x={EVIL})", config=f"name: mine # {EVIL}"
    )
    experiment(tmp_path / "results" / "other", "other")
    tables = folder / "tables"
    beside = (
        "printed as,method,dataset,ratio,resampling,selector,classifier,measure,features,printed,"
    )
    beside += "printed sd,suspect,mean,sd,missing,difference,inside\n"
    row = ",".join([EVIL] * 9) + f",0.5,,{EVIL},0.4,0.1,0,-0.1,yes"
    (tables / "beside_table1.csv").write_text(beside + row + "\n")
    (tables / f"summary_{EVIL.replace('/', '')}.csv").write_text(
        f"selector,{EVIL}\n{EVIL},{EVIL}\n"
    )
    (tables / "summary_auc.csv").write_text(f"selector,5,5 sd\n{EVIL},{EVIL},{EVIL}\n")
    (tables / "summary_auc.md").write_text(f"{EVIL}\n\n| a |\n")
    problems = "dataset,ratio,group,samples,features,minority,majority,differs"
    (tables / "problems.csv").write_text(problems + "\n" + ",".join([EVIL] * 8) + "\n")
    claims = "claim,part,verdict,test,measure,in favour,cells,incomplete\n"
    (tables / "claims.csv").write_text(claims + f"{EVIL},{EVIL},holds,{EVIL},{EVIL},1,1,no\n")
    answer = imbfs("report", tmp_path / "results")
    assert answer.code == 0, answer.err
    for path in (folder, tmp_path / "results"):
        text = (path / "report.html").read_text()
        assert EVIL not in text
        assert len(Page(text).all("script")) == (4 if path == folder else 3)
        assert EVIL in Page(text).text()
    assert "claim-" + EVIL + "-" + EVIL in [a.get("id") for a in page_of(folder).all("li")]
    assert EVIL in curves_of(folder)["sets"]


def test_elements_escape_texts_and_attributes():
    assert el("p", "a < b & c", title='"x"') == '<p title="&quot;x&quot;">a &lt; b &amp; c</p>'
    assert el("p", el("b", "<"), None, hidden=True, id=None) == "<p hidden><b>&lt;</b></p>"
    assert "</script>" not in data("x", ["</script>"])[:-9]
    assert isinstance(el("p"), Html)


def test_columns_of_numbers_stand_to_the_right():
    cells = [["a", "0.5 ± 0.1", "-1", "x1"], ["b", "", "–", "2"]]
    drawn = Page(table("t", ["name", "mean", "least", "mixed"], cells))
    assert [a.get("class") for a in drawn.all("th", scope="col")] == [
        None,
        "number",
        "number",
        None,
    ]


# looks


def test_lines_have_the_colours_of_the_figures_and_light_ones_by_night():
    drawn = {look["label"]: look for look in looks(list(SELECTORS))}
    short = style.shortened(SELECTORS)
    colours = style.styles(list(short.values()))
    for label, look in drawn.items():
        if label not in style.BASELINES:
            assert look["day"] == colours[short[label]]["color"]
        night = [int(look["night"][i : i + 2], 16) for i in (1, 3, 5)]
        assert luminance(night) >= 0.25
    assert list(drawn)[-2:] == ["none", "random"]  # baselines last
    assert drawn["none"]["name"] == "all features"


def test_luminance_of_white_black_and_grey():
    # 119 / 255 = 0.4667; ((0.4667 + 0.055) / 1.055) ** 2.4 = 0.1845
    assert luminance([255, 255, 255]) == pytest.approx(1)
    assert luminance([0, 0, 0]) == 0
    assert luminance([119, 119, 119]) == pytest.approx(0.1845, abs=1e-4)


# the command


def test_failed_tasks_are_told_on_the_page_and_over_it(imbfs, config):
    # A training fold has 6 or 7 rare samples: too few for 7 neighbours.
    path = config(
        datasets=[{"microarray": {"features": [5]}}],
        resampling=["none", {"smote": {"k": 7}}],
        selectors=["s2n"],
    )
    assert imbfs("run", path, "--jobs", 1).code == 1
    experiment(Path("results/other"), "other")
    assert imbfs("report").code == 0
    text = page_of(Path("results/smoke")).text()
    assert "In the last run 6 of 12 tasks failed." in text
    assert "1 of 2 cells rest on fewer results than planned." in text
    assert "6 tasks failed in the last run." in page_of(Path("results")).text()


def test_a_config_of_another_version_is_told_on_the_page(imbfs, tmp_path):
    folder = experiment(
        tmp_path / "mine", config="name: mine\ndatasets: [wine]\nselectors: [later]\n"
    )
    assert imbfs("report", folder).code == 0
    assert "This version cannot read the config: config: selectors" in page_of(folder).text()


def refused(answer):
    assert answer.code == 2
    assert answer.err.count("\n") == 1, answer.err
    return answer.err


def test_folders_without_results_are_refused(imbfs, tmp_path):
    assert "results: there is no such folder." in refused(imbfs("report"))
    (tmp_path / "results").mkdir()
    assert "results: holds no results. Make some with imbfs run CONFIG." in refused(imbfs("report"))
    (tmp_path / "results" / "notes").mkdir()
    (tmp_path / "results" / "notes" / "a.txt").write_text("nothing of ours")
    assert "results: holds no results." in refused(imbfs("report"))
    assert "there is no such folder" in refused(imbfs("report", "results/notes/a.txt"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('{"format": 99}', "was written by a newer imbfs. Upgrade imbfs."),
        ("not JSON", "is damaged, or not ours."),
        ('{"format": 1, "tool": "other"}', "is damaged, or not ours."),
    ],
)
def test_runs_of_another_version_or_program_are_refused(imbfs, tmp_path, content, why):
    folder = experiment(tmp_path / "mine")
    (folder / "run.json").write_text(content)
    assert f"run.json: {why}" in refused(imbfs("report", folder))


def test_two_experiments_of_one_name_are_refused(imbfs, tmp_path):
    for place in ("a", "b"):
        experiment(tmp_path / "results" / place, "twin")
    assert "results/a and results/b: both are called twin." in refused(imbfs("report"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("results", "is no table of results"),
        ("claims", "is no table of verdicts"),
        ("beside_table1", "is no table of printed values"),
    ],
)
def test_a_table_that_is_none_of_ours_is_refused(imbfs, tmp_path, name, why):
    folder = experiment(tmp_path / "mine")
    (folder / "tables" / f"{name}.csv").write_text("a,b\n1,2\n")
    assert f"{name}.csv: {why}" in refused(imbfs("report", folder))


def test_an_empty_table_is_refused_by_name(imbfs, tmp_path):
    folder = experiment(tmp_path / "mine")
    (folder / "tables" / "summary_auc.csv").write_text("")
    assert "summary_auc.csv: cannot be read" in refused(imbfs("report", folder))


@pytest.mark.parametrize(
    "stem", ["differences_auc_5_svm", "stability_5", "overlap_5", "within_auc_5"]
)
def test_a_table_that_came_out_without_rows_is_told_of(imbfs, tmp_path, stem):
    folder = experiment(tmp_path / "mine")
    (folder / "tables" / f"{stem}.csv").write_text(csv(pd.DataFrame()))
    answer = imbfs("report", folder)
    assert answer.code == 0, answer.err
    assert "It holds no row." in (folder / "report.html").read_text()


def test_a_damaged_claims_file_is_refused_by_name(imbfs, tmp_path):
    folder = experiment(tmp_path / "mine")
    (tmp_path / "experiments" / "paper").mkdir(parents=True)
    (tmp_path / "experiments" / "paper" / "claims.yaml").write_text(
        "paper: P\nclaims: {A: {surpass: x}}\n"
    )
    assert "experiments/paper/claims.yaml: " in refused(imbfs("report", folder))


def test_open_shows_the_first_page(spawn, tmp_path):
    experiment(tmp_path / "results" / "one", "one")
    experiment(tmp_path / "results" / "two", "two")
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    process = spawn("report", "--open", BROWSER=f"{browser} %s", PATH=os.environ["PATH"])
    assert process.wait() == 0, process.stderr.read()
    assert seen.read_text().strip() == (tmp_path / "results" / "report.html").as_uri()


def test_help_has_an_example(imbfs):
    assert "imbfs report results/ --open" in imbfs("report", "--help").out
