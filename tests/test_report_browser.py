"""Pages in a real browser: what they draw, how they answer mouse and keys, how they fit a phone."""

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from imbfs.showing import report

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.select import Select  # noqa: E402

ROOT = Path(__file__).parent.parent
SHOWN = ("ascw", "decomposition", "fast", "yin_synthetic")
EVIL = "<img src=x onerror=alert(1)>"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of some committed results and of one with a name that is markup."""
    folder = tmp_path_factory.mktemp("pages") / "results"
    for name in SHOWN:
        leave = shutil.ignore_patterns("figures", "*.html")
        shutil.copytree(ROOT / "results" / name, folder / name, ignore=leave)
    tables = folder / "evil" / "tables"
    shutil.copytree(folder / "yin_synthetic" / "tables", tables)
    text = (tables / "results.csv").read_text()
    (tables / "results.csv").write_text(
        text.replace("gaussians", EVIL).replace(",corr,", f",{EVIL},")
    )
    report.write(folder, ROOT / "experiments")
    return folder


@pytest.fixture(scope="module")
def chromium():
    """One browser for all tests; it must be Debian's, with its driver."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("chromium and chromium-driver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(driver))
    yield running
    running.quit()


@pytest.fixture
def visit(chromium, pages):
    """Open a page at some width, by day or by night; nothing may be said on the console."""

    def go(name="", width=1200, scheme="light"):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        chromium.get((pages / name / "report.html").as_uri())
        chromium.execute_script("localStorage.clear()")
        return chromium

    yield go
    assert chromium.get_log("browser") == []


def find(page, selector):
    return page.find_elements(By.CSS_SELECTOR, selector)


def one(page, selector):
    return page.find_element(By.CSS_SELECTOR, selector)


def choose(page, label):
    """The select under a label."""
    (found,) = [e for e in find(page, ".controls label") if e.text.startswith(label)]
    return Select(one(found, "select"))


def each(page, selector, what):
    """What a script says of every element e that a selector finds, in one go."""
    script = f"return [...document.querySelectorAll(arguments[0])].map((e) => {what})"
    return page.execute_script(script, selector)


def curves(page):
    return each(page, ".panel .curve", "e.getAttribute('d')")


def background(page):
    """How bright the page is, from 0 to 255."""
    colour = one(page, "body").value_of_css_property("background-color")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def legend(page):
    """Every name of the legend with the value beside it."""
    return dict(each(page, ".legend li button", "[e.title, e.lastChild.textContent]"))


@pytest.mark.parametrize("name", ["", *SHOWN])
def test_a_page_opens_without_a_word_on_the_console(visit, name):
    page = visit(name)
    assert one(page, "h1").is_displayed()
    assert bool(find(page, ".panel svg")) == bool(name)


def test_every_selector_has_a_line_and_a_place_in_the_legend(visit):
    page = visit("decomposition")
    assert len(curves(page)) == len(find(page, ".legend li")) == 8
    assert "all features" in one(page, ".legend").text


def test_pressing_a_name_takes_its_line_away_and_brings_it_back(visit):
    page = visit("decomposition")
    before = curves(page)
    one(page, '.legend button[title="mi"]').click()
    assert len(curves(page)) == len(before) - 1
    assert not find(page, '.panel [data-line="0"]')
    pressed = one(page, '.legend button[title="mi"]')
    assert pressed.get_attribute("aria-pressed") == "false"
    assert pressed == page.switch_to.active_element  # the focus stays where it was
    pressed.send_keys(Keys.ENTER)
    assert curves(page) == before


def test_all_lines_can_be_taken_away_and_brought_back(visit):
    page = visit("decomposition")
    hide = find(page, ".both button")
    hide[1].click()
    assert curves(page) == []
    hide[0].click()
    assert len(curves(page)) == 8


def test_choosing_a_measure_a_set_or_a_classifier_redraws(visit):
    page = visit("decomposition")
    seen = [curves(page)]
    for label, name in (("Measure", "AUC"), ("Data set", "nips"), ("Classifier", "tree")):
        choose(page, label).select_by_visible_text(name)
        assert curves(page) not in seen
        seen.append(curves(page))
    assert one(page, "figcaption").text == "AUC on nips"


def test_all_sets_stand_side_by_side_on_request(visit):
    page = visit("decomposition")
    choose(page, "Data set").select_by_visible_text("all 12, small")
    assert len(find(page, ".panel svg")) == 12
    assert len({e.location["y"] for e in find(page, ".panel svg")}) < 12


def test_focus_and_arrow_keys_show_values(visit):
    page = visit("decomposition")
    chart = one(page, ".panel svg")
    page.execute_script("arguments[0].focus()", chart)
    assert one(page, ".tip").is_displayed()
    assert one(page, ".legend h3").text == "160 features"
    last = legend(page)
    chart.send_keys(Keys.ARROW_LEFT)
    assert one(page, ".legend h3").text == "80 features"
    assert legend(page) != last
    places = []
    for _ in range(2):
        said = r"80 features: .+ 0\.\d{3} ± 0\.\d{3}, (\d) of 8"
        places.append(int(re.fullmatch(said, chart.get_attribute("aria-valuetext"))[1]))
        chart.send_keys(Keys.ARROW_UP if places[0] == 8 else Keys.ARROW_DOWN)
    assert abs(places[0] - places[1]) == 1
    chart.send_keys(Keys.HOME)
    assert one(page, ".legend h3").text == "5 features"


def test_the_values_shown_are_those_of_the_table(visit, pages):
    import pandas as pd

    page = visit("decomposition")
    frame = pd.read_csv(pages / "decomposition" / "tables" / "results.csv", dtype={"features": str})
    frame = frame[(frame["dataset"] == "cns60") & (frame["classifier"] == "svm")]
    frame = frame[(frame["measure"] == "f_measure") & frame["features"].isin(["160", "all"])]
    rows = zip(frame["selector"], frame["mean"], frame["sd"], strict=True)
    assert legend(page) == {label: f"{mean:.3f} ± {sd:.3f}" for label, mean, sd in rows}


def test_the_mouse_shows_the_nearest_line(visit):
    from selenium.webdriver import ActionChains

    page = visit("decomposition")
    chart = one(page, ".panel svg")
    page.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", chart
    )
    assert not one(page, ".tip").is_displayed()
    ActionChains(page).move_to_element_with_offset(chart, -200, -60).perform()
    assert one(page, ".tip").is_displayed()
    assert re.search(r"0\.\d{3} ± 0\.\d{3}", one(page, ".tip").text)
    assert one(page, ".legend h3").text in ("10 features", "20 features")
    assert 0 < one(page, ".tip").rect["y"] - chart.rect["y"] < chart.rect["height"] / 2


def test_learners_are_drawn_over_the_samples_they_have_seen(visit):
    page = visit("ascw")
    assert choose(page, "Against").first_selected_option.text == "samples seen, test rows"
    choose(page, "Against").select_by_visible_text("number of features")
    assert len(find(page, ".panel .mark")) > 5  # one count: marks side by side
    chart = one(page, ".panel svg")
    chart.send_keys(Keys.ARROW_RIGHT)
    first = chart.get_attribute("aria-valuetext")
    chart.send_keys(Keys.ARROW_RIGHT)
    assert chart.get_attribute("aria-valuetext") != first


def test_a_page_is_dark_where_the_system_is_and_where_one_asks(visit):
    assert background(visit("decomposition")) > 200
    page = visit("decomposition", scheme="dark")
    assert background(page) < 60
    one(page, "#theme").click()
    assert background(page) > 200
    page.refresh()
    assert background(page) > 200  # the choice is kept
    assert one(page, "#theme").get_attribute("aria-label") == "Dark colours"


def test_black_lines_are_light_by_night(visit):
    strokes = {}
    for scheme in ("light", "dark"):
        page = visit("ascw", scheme=scheme)
        strokes[scheme] = each(page, ".panel .curve", "getComputedStyle(e).stroke")
    assert "rgb(0, 0, 0)" in strokes["light"]
    assert "rgb(0, 0, 0)" not in strokes["dark"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["", "yin_synthetic"])  # large tables take minutes
def test_readers_of_screens_find_their_way(visit, name, scheme):
    """The rules of WCAG 2.1 A and AA, and good practice, as axe-core checks them."""
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    page = visit(name, scheme=scheme)
    page.execute_script((files(axe) / "axe.min.js").read_text(encoding="utf-8"))
    found = page.execute_async_script("axe.run(document).then(arguments[0])")
    assert len(found["passes"]) > 30
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []


@pytest.mark.parametrize("name", ["", *SHOWN])
def test_a_phone_scrolls_down_and_never_sideways(visit, name):
    page = visit(name, width=390)
    for folded in find(page, "details"):
        page.execute_script("arguments[0].open = true", folded)
    assert page.execute_script("return document.documentElement.scrollWidth") == 390
    wide = (
        "return [...document.querySelectorAll('.scroll')].some(e => e.scrollWidth > e.clientWidth)"
    )
    assert page.execute_script(wide) == bool(name)  # tables scroll inside their own box


def test_a_table_sorts_by_a_column_up_and_down(visit):
    page = visit("decomposition")
    table = one(page, "#beside table")

    def column():
        cells = each(page, "#beside > div:first-of-type tbody tr > :nth-child(4)", "e.textContent")
        return [float(text) for text in cells if re.match(r"\d", text)]

    head = one(table, "thead th:nth-child(4) button")
    assert column() != sorted(column())
    head.click()
    assert column() == sorted(column())
    head.click()
    assert column() == sorted(column(), reverse=True)
    assert one(table, "thead th:nth-child(4)").get_attribute("aria-sort") == "descending"


def test_a_table_shows_the_rows_that_hold_a_text(visit):
    page = visit("decomposition")
    one(page, "#beside .filter input").send_keys("nips")
    rows = each(page, "#beside > div:first-of-type tbody tr", "[e.textContent, e.hidden]")
    shown = [text for text, hidden in rows if not hidden]
    assert 0 < len(shown) < len(rows)
    assert all("nips" in text for text in shown)


def test_names_that_are_markup_stay_text(visit):
    page = visit("evil")
    assert EVIL in one(page, "figcaption").text
    assert EVIL in one(page, ".legend").text
    assert not find(page, "img")


def test_print_leaves_out_what_paper_cannot_do(visit):
    page = visit("decomposition", scheme="dark")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert background(page) == 255
    assert not one(page, "nav").is_displayed()
    assert one(page, ".panel svg").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_large_tables_are_unpacked_when_they_are_saved(visit, pages, tmp_path):
    from time import monotonic, sleep

    page = visit("fast")
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    link = one(page, 'a[download="results.csv.gz"]')
    page.execute_script("arguments[0].click()", link)
    saved, until = tmp_path / "results.csv", monotonic() + 10
    while not saved.exists() and monotonic() < until:
        sleep(0.05)
    assert saved.read_bytes() == (pages / "fast" / "tables" / "results.csv").read_bytes()
