"""Figures: what a config may ask for, which files there are, what is in them, how it looks."""

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from imbfs.config import Figure, parse
from imbfs.errors import UserError
from imbfs.selectors import SELECTORS
from imbfs.showing import figures, ranks, sheets, style, tables
from imbfs.showing.figures import chosen, panels

ROOT = Path(__file__).parent.parent

SELECTED = ("none", "random", "s2n", "fast")
ALWAYS = ("fast", "fast(budget=always)", "s2n")  # the second is run anew for every feature count


def wanted(kind, measure="auc", **given):
    return [Figure(kind=kind, measure=measure, **given)]


def experiment(
    folder,
    datasets=("digits:0", "wine"),
    selectors=SELECTED,
    classifiers=("svm", "own"),
    counts=("5", "20", "200"),
    resamplings=("none",),
    skip=(),
    repeats=2,
    measures=("auc", "g_mean"),
    groups=None,
    fewer=(),
):
    """Write the tables of a made-up experiment; `skip` names tasks that have not run.

    `groups` names the group of every set, `fewer` the sets without the largest number of features.
    """
    tasks, records = [], {}
    grid = product(datasets, resamplings, range(repeats), selectors, classifiers)
    for number, (dataset, resampling, repeat, selector, classifier) in enumerate(grid):
        key = f"key{number}"
        tasks.append([key, dataset, "1:20", resampling, selector, classifier, repeat, 0])
        if (dataset, selector, classifier, repeat) in skip:
            continue
        listed = ["all"] if selector == "none" else counts[:-1] if dataset in fewer else counts
        always = "always" in selector
        rows = []
        for seen in (40, 80) if classifier == "own" else (80,):
            for place, count in enumerate(listed if always else ["all"]):
                value = 0.4 + seen / 200 + repeat / 20 - place / 10
                rows += [_row("progressive", count, seen, value)] * (classifier == "own")
            for place, count in enumerate(listed):
                rank = SELECTED.index(selector) if selector in SELECTED else 4
                value = 0.5 + place / 10 + rank / 50 + repeat / 20
                rows.append(_row("test", count, seen, value))
        records[key] = {"key": key, "status": "ok", "rows": rows, "top": ["g1"]}
    plan = {"measures": list(measures), "tasks": tasks, "absent": {}}
    if groups:
        plan["problems"] = [{"dataset": name, "group": groups.get(name, "")} for name in datasets]
    sheets.write(folder, tables.results(plan, records), plan, records, (), [])
    return folder


def _row(part, count, seen, value):
    share = float(count[:-1]) / 100 if "%" in count else 1
    k = int(400 * share) if count == "all" or "%" in count else int(count)
    measures = {"auc": value, "g_mean": value - 0.1, "features_used": k, "minority_mean": -value}
    seconds = {"seconds": seen / 8000 * (1 + k / 400)} if seen in (40, 80) else {}
    return {"part": part, "features": count, "k": k, "seen": seen, **measures, **seconds}


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Draw and return the figures by name instead of saving them."""

    def draw(specs, *args, **given):
        kept = {}
        monkeypatch.setattr(figures, "_save", lambda figure, path: kept.update({path.stem: figure}))
        figures.draw(experiment(tmp_path, *args, **given), specs)
        return kept

    return draw


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def line_of(axes, label):
    """The line that is drawn in the style of a selector."""
    look = style.style(label)
    (found,) = [
        line
        for line in axes.get_lines()
        if to_hex(line.get_color()) == to_hex(look["color"]) and line.get_marker() == look["marker"]
    ]
    return found


# what a config may ask for


CONFIG = """\
name: x
datasets: [breast_cancer, {digits: {positive: 0, features: [5%, 9]}}]
selectors: [pa]
classifiers: [own]
features: [5%, 20%]
measures: [g_mean, features_used]
"""


GROUPED = CONFIG.replace("features: [5%, 9]", "features: [5%, 9], group: text").replace(
    "features_used", "features_used, dead"
)


@pytest.mark.parametrize(
    "asked, why",
    [
        ("figures: [{ranks: {measure: features_used}}]", "figures[0]: features_used desc"),
        ("tables: [{ranks: {measure: features_used}}]", "tables[0]: features_used descri"),
        ("figures: [{ranks: {measure: g_mean, x: percent}}]", "figures[0]: x: is an option of cur"),
        ("figures: [{time: {measure: g_mean, part: test}}]", "figures[0]: part: is an option of c"),
        ("tables: [{ranks: {measure: g_mean, part: test}}]", "tables[0]: part: is an option of su"),
        ("figures: [{curves: {measure: g_mean, features: 9}}]", "figures[0]: features: is told of"),
        ("figures: [{curves: {measure: g_mean, x: ratio}}]", "figures[0]: features: is told of cu"),
        ("figures: [{points: {features: 9}}]", "figures[0]: measures: is missing."),
        ("figures: [{points: {measures: auc, features: 9}}]", "figures[0].measure: 'auc' is"),
        (
            "figures: [{time: {measure: g_mean, features: 0}}]",
            "figures[0].features: 0 is no number",
        ),
        (
            "figures: [{time: {measure: g_mean, features: 20%}}]\nprotocol: online",
            "figures[0].features: '20%' is not among those of digits:0 (5%, 9).",
        ),
        ("figures: [{time: {measure: g_mean}}]", "figures[0].time: is measured under the protoco"),
        ("figures: [{stream: {measure: g_mean}}]", "figures[0].stream: is measured under the pro"),
        (
            "tables: [{summary: {measure: g_mean, part: progressive}}]",
            "tables[0].progressive: is measured under the protocol online alone.",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused_before_anything_runs(asked, why):
    with pytest.raises(UserError) as refused:
        parse(CONFIG + asked)
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    "asked, why",
    [
        ("average: {measure: features_used}", ": features_used describes a run"),
        ("average: {measure: auc}", ".measure: 'auc' is not among the measures"),
        ("average: {features: 9}", ": features: is an option of"),
        ("average: {classifier: own}", ": measure: is missing."),
        ("average: {measure: g_mean, classifier: svm}", ".classifier: unknown classifier 'svm'. "),
        ("average: {measure: g_mean, group: txt}", ".group: unknown group 'txt'. Did you mean 't"),
        ("average: {measure: g_mean, x: percent}", ": "),
        ("average: {measure: g_mean, part: test}", ": part: is an option of"),
        ("within: {measure: g_mean}", ": features: is missing."),
        ("within: {measure: g_mean, features: 8}", ".features: 8 is not among those of breast_c"),
        ("differences: {measure: dead, features: 9}", ": dead describes a run"),
        ("approaches: {measure: g_mean}", ": features: is missing."),
        ("approaches: {measure: dead, features: 9}", ": dead describes a run"),
        ("approaches: {measure: g_mean, features: 9, group: text}", ": group: is an option of av"),
        ("approaches: {measure: g_mean, features: 9, classifier: own}", ": classifier: is an op"),
    ],
)
def test_what_cannot_be_shown_over_problems_is_refused_before_anything_runs(asked, why):
    for field in ("figures", "tables"):
        with pytest.raises(UserError) as refused:
            parse(GROUPED + f"{field}: [{{{asked}}}]")
        assert str(refused.value).startswith(f"{field}[0]{why}")


@pytest.mark.parametrize(
    "asked, why",
    [
        ("differences: {measure: g_mean, features: 9, against: fast}", ".against: unknown selecto"),
        ("stability: {features: 9, measure: g_mean}", ": measure: is an option of summary and"),
        ("stability: {}", ": features: is missing."),
        ("stability: {features: 5%}", ": features: '5%' is no number up to 100, which is how"),
        ("stability: {features: 101}", ": features: 101 is no number up to 100"),
        ("stability: {features: 9, classifier: own}", ": classifier: is an option of average and"),
        ("within: {measure: g_mean, features: 9, against: pa}", ": against: is an option of diff"),
    ],
)
def test_what_no_table_over_problems_can_be_told_is_refused(asked, why):
    with pytest.raises(UserError) as refused:
        parse(GROUPED + f"tables: [{{{asked}}}]")
    assert str(refused.value).startswith(f"tables[0]{why}")


def test_picks_need_a_measure_that_judges():
    table = "{printed: p.csv, features: 5%, methods: {A: pa}, of: picks}"
    asked = f"protocol: online\ntables: [{{beside: {table}}}]\n"
    with pytest.raises(UserError, match="picks: is told of measures that judge, and none is"):
        parse(CONFIG.replace("g_mean, features_used", "cost") + asked)


def test_files_over_problems_are_called_by_what_they_were_told():
    asked = """\
        tables:
          - average: {measure: g_mean}
          - average: {measure: g_mean, classifier: mean, group: all}
          - within: {measure: g_mean, features: 5%, group: text}
          - corrected: {measure: g_mean, features: 9, against: pa, classifier: own}
          - stability: {features: 9}
          - overlap: {features: 9, group: text}
    """
    assert [table.stem for table in parse(GROUPED + dedent(asked)).tables] == [
        "average_g_mean",
        "average_g_mean_mean_all",
        "within_g_mean_5_percent_text",
        "corrected_g_mean_9_own_pa",
        "stability_9",
        "overlap_9_text",
    ]


def test_what_can_be_shown_is_read():
    online = "protocol: online\nfigures: [{time: {measure: g_mean, features: 5%}}]\n"
    (time,) = parse(CONFIG + online).figures
    assert (time.kind, time.features, time.part) == ("time", "5%", "test")
    asked = "protocol: online\ntables: [{summary: {measure: features_used, part: progressive}}]\n"
    assert parse(CONFIG + asked).tables[0].part == "progressive"


# files


def test_the_default_set_is_drawn_from_results_csv_alone(tmp_path):
    experiment(tmp_path)
    (tmp_path / "tables" / "features.csv").unlink()
    (tmp_path / "tables" / "seconds.csv").unlink()
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["results.csv"]
    paths = figures.draw(tmp_path)
    names = ["curves_auc", "curves_g_mean", "stream_auc", "stream_g_mean", "ranks_auc"]
    assert paths == [tmp_path / "figures" / f"{name}.png" for name in names]
    assert sorted((tmp_path / "figures").iterdir()) == sorted(paths)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_letters_that_the_font_lacks_are_drawn_as_boxes_without_a_warning(tmp_path):
    experiment(tmp_path, datasets=("\u4e73\u764c", "wine"))
    assert len(figures.draw(tmp_path)) == 5


def test_without_a_stream_or_a_second_group_there_is_no_figure_of_them(tmp_path):
    experiment(tmp_path, datasets=("wine",), classifiers=("svm",))
    assert [p.stem for p in figures.draw(tmp_path)] == ["curves_auc", "curves_g_mean"]


@pytest.mark.parametrize(
    "kind, given",
    [
        ("curves", {}),
        ("stream", {}),
        ("time", {}),
        ("ranks", {}),
        ("average", {}),
        ("within", {"features": 5}),
        ("differences", {"features": 5}),
        ("approaches", {"features": 5}),
    ],
)
def test_the_same_table_gives_the_same_bytes(tmp_path, kind, given, monkeypatch):
    experiment(tmp_path, datasets=("wine",) if not given else ("wine", "digits"))
    # What is drawn is told by any format; how each is written, by any kind.
    formats = ("png", "pdf", "svg") if kind == "curves" else ("svg",)
    first = [p.read_bytes() for p in figures.draw(tmp_path, wanted(kind, **given), formats)]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    second = [p.read_bytes() for p in figures.draw(tmp_path, wanted(kind, **given), formats)]
    assert len(first) == len(formats)
    assert first == second
    assert not any(word in data for data in first for word in (b"CreationDate", b"<dc:date>"))


def test_every_resampling_has_a_file_of_its_own(tmp_path):
    experiment(tmp_path, datasets=("wine",), resamplings=("none", "smote(k=5)"))
    asked = [*wanted("curves"), *wanted("stream"), *wanted("time"), *wanted("ranks")]
    paths = figures.draw(tmp_path, asked)
    assert [path.stem for path in paths] == [
        "curves_auc_none",
        "curves_auc_smote_k=5",
        "stream_auc_none",
        "stream_auc_smote_k=5",
        "time_auc_none",
        "time_auc_smote_k=5",
        "ranks_auc",
    ]


def test_what_cannot_be_drawn_is_told(tmp_path):
    with pytest.raises(UserError, match=r"results.csv: there is no such table"):
        figures.draw(tmp_path)
    experiment(tmp_path)
    with pytest.raises(UserError, match=r"results.csv: unknown measure 'acu'. Did you mean 'auc'"):
        figures.draw(tmp_path, [Figure.model_construct(kind="stream", measure="acu")])
    with pytest.raises(UserError, match="unknown format 'bmp'"):
        figures.draw(tmp_path, wanted("ranks"), ["bmp"])
    (tmp_path / "tables" / "seconds.csv").unlink()
    with pytest.raises(UserError, match=r"seconds.csv: there is no such table, and time is drawn"):
        figures.draw(tmp_path, wanted("time"))


# what is in them


def test_a_curve_shows_the_means_of_the_table(drawn):
    figure = drawn(wanted("curves"))["curves_auc"]
    axes = figure.axes[0]
    # fast is the fourth selector: 0.5 + 3/50, + 1/10 for each step, + 0.025 for half the repeats
    np.testing.assert_allclose(
        line_of(axes, "fast").get_xydata(), [[5, 0.585], [20, 0.685], [200, 0.785]]
    )
    band = axes.collections[-1].get_paths()[0].vertices[:, 1]
    sd = 0.05 / np.sqrt(2)
    assert (band.min(), band.max()) == pytest.approx((0.585 - sd, 0.785 + sd), abs=1e-5)


def test_no_selection_is_a_dashed_line_across_and_random_a_dotted_one(drawn):
    axes = drawn(wanted("curves"))["curves_auc"].axes[0]
    whole = axes.get_lines()[0]
    np.testing.assert_allclose(whole.get_ydata(), [0.525, 0.525])
    assert whole.get_xdata() == [0, 1] and whole.get_linestyle() == "--"
    dotted = [line for line in axes.get_lines() if line.get_linestyle() == ":"]
    assert len(dotted) == 1 and dotted[0].get_color() == "0.6"


def test_panels_are_titled_and_axes_speak_in_words(drawn):
    figure = drawn(wanted("curves", "g_mean"))["curves_g_mean"]
    found = texts(figure)
    for text in ("digits:0 · 1:20", "wine · 1:20", "g-mean\nsvm", "g-mean\nown", "all features"):
        assert found.count(text) == 1
    assert {"s2n", "fast", "random features", "number of features"} <= set(found)


@pytest.mark.parametrize("counts, scale", [(("5", "100"), "linear"), (("5", "101"), "log")])
def test_the_axis_is_logarithmic_when_counts_span_more_than_twenty_times(drawn, counts, scale):
    axes = drawn(wanted("curves"), counts=counts)["curves_auc"].axes[0]
    assert axes.get_xscale() == scale
    assert axes.get_xticks().tolist() == [float(count) for count in counts]


def test_percent_as_written_or_of_all_features(drawn):
    for counts in (("5%", "25%"), ("20", "100")):  # 20 and 100 of 400
        figure = drawn(wanted("curves", x="percent"), counts=counts)["curves_auc_percent"]
        assert line_of(figure.axes[0], "fast").get_xdata().tolist() == [5, 25]
        assert "features, % of all" in texts(figure)


def test_percent_of_an_unknown_number_of_features_is_refused(drawn):
    with pytest.raises(UserError, match="how many features wine has is not known"):
        drawn(wanted("curves", x="percent"), ("wine",), ("fast",), ("svm",))


def test_a_single_number_of_features_stands_side_by_side(drawn):
    axes = drawn(wanted("curves"), counts=("40",), classifiers=("svm",))["curves_auc"].axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["40"]
    places = [line_of(axes, name).get_xydata().tolist() for name in ("s2n", "fast")]
    np.testing.assert_allclose(places, [[[0, 0.565]], [[1, 0.585]]])


def test_measures_stand_side_by_side_with_a_point_for_every_selector(drawn):
    spec = [Figure(kind="points", measures=["auc", "g_mean"], features=20, classifier="svm")]
    (figure,) = drawn(spec).values()
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["AUC", "g-mean"]
    # the fourth of four selectors, 0.2 apart: 1.5 steps to the right; 0.585 + 0.1, and 0.1 less
    np.testing.assert_allclose(line_of(axes, "fast").get_xydata(), [[0.3, 0.685], [1.3, 0.585]])
    assert "value\nsvm" in texts(figure) and "value\nown" not in texts(figure)


def test_a_classifier_from_outside_is_called_without_its_module_in_lines_that_fit(drawn):
    long = "sklearn.linear_model:LogisticRegressionWithAVeryLongName"
    (figure,) = drawn(wanted("curves"), classifiers=("svm", long)).values()
    said = [axes.get_ylabel() for axes in figure.axes]
    assert "AUC\nLogisticRegressionWith\nAVeryLongName" in said
    assert all(len(line) <= 22 for label in said for line in label.splitlines())


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_long_names_of_classes_stand_apart_below_the_features(monkeypatch, count):
    figure = None

    def keep(drawn, *_):
        nonlocal figure
        figure = drawn

    monkeypatch.setattr(chosen, "_png", keep)
    classes = {code: f"adenocarcinoma{code}" for code in range(count)}
    y = np.arange(60) % count
    X = np.random.default_rng(0).normal(size=(60, 4))
    chosen.by_class(X, y, ["a", "b", "c", "d"], classes, [""] * 4)
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert len(boxes) == count
        assert all(one.x1 + 2 < after.x0 for one, after in zip(boxes, boxes[1:], strict=False))


def test_curves_over_ratios_have_one_panel_for_a_set(monkeypatch, tmp_path):
    folder, kept = experiment(tmp_path, classifiers=("svm",)), {}
    path = folder / "tables" / "results.csv"
    header, *rows = path.read_text().splitlines()
    more = [row.replace(",1:20,", ",1:5,") for row in rows]
    more += [row.replace(",1:20,", ",natural,") for row in rows]
    path.write_text("\n".join([header, *rows, *more, ""]))
    monkeypatch.setattr(figures, "_save", lambda figure, path: kept.update({path.stem: figure}))
    figures.draw(folder, wanted("curves", x="ratio", features=20))
    figure = kept["curves_auc_ratio_20"]
    assert [axes.get_title() for axes in figure.axes] == ["digits:0", "wine"]
    np.testing.assert_allclose(
        line_of(figure.axes[0], "fast").get_xydata(), [[5, 0.685], [20, 0.685]]
    )
    assert "majority samples per minority sample, with 20 features" in texts(figure)


def test_class_means_may_be_negative(drawn):
    (figure,) = drawn(wanted("curves", "minority_mean"), measures=("minority_mean",)).values()
    assert figure.axes[0].get_ylim()[0] < -0.8


def test_many_sets_wrap_into_even_lines(drawn):
    names = tuple(f"set{i}" for i in range(5))
    figure = drawn(wanted("curves"), datasets=names, classifiers=("svm",))["curves_auc"]
    titles = [axes.get_title() for axes in figure.axes if axes.axison]
    assert titles == [f"{name} · 1:20" for name in names]
    assert len(figure.axes) == 6  # two lines of three


def test_panels_of_a_line_share_their_scale_unless_that_flattens_them(drawn):
    figure = drawn(wanted("curves"), classifiers=("svm",))["curves_auc"]
    first, second = figure.axes
    panels.scale(figure.axes, [_values(0.5, 0.7), _values(0.6, 0.8)], "auc")
    assert first.get_ylim() == second.get_ylim() == pytest.approx((0.485, 0.815))
    panels.scale(figure.axes, [_values(0.1, 0.2), _values(0.8, 0.9)], "auc")
    assert first.get_ylim() == pytest.approx((0.095, 0.205))
    assert second.get_ylim() == pytest.approx((0.795, 0.905))


def _values(*means):
    return pd.DataFrame({"mean": means, "sd": np.nan})


def test_a_stream_shows_progress_over_samples_seen(drawn):
    figure = drawn(wanted("stream"))["stream_auc"]
    assert [axes.get_title() for axes in figure.axes] == ["digits:0 · 1:20", "wine · 1:20"]
    np.testing.assert_allclose(
        line_of(figure.axes[0], "fast").get_xydata(), [[40, 0.625], [80, 0.825]]
    )
    assert "samples seen" in texts(figure)


def test_a_stream_is_of_one_number_of_features_the_largest_unless_given(drawn):
    given = {"selectors": ALWAYS, "classifiers": ("own",), "counts": ("5%", "25%")}
    # 0.4 + 40/200 + 0.025 and 0.4 + 80/200 + 0.025, 0.1 less with 25%
    for asked, name, values in (
        (wanted("stream"), "stream_auc", [0.525, 0.725]),
        (wanted("stream", features="5%"), "stream_auc_5_percent", [0.625, 0.825]),
    ):
        axes = drawn(asked, **given)[name].axes[0]
        (line,) = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
        np.testing.assert_allclose(line.get_xydata(), [[40, values[0]], [80, values[1]]])
        assert len(axes.get_lines()) == 3  # with those that know all features alone


def test_a_stream_that_was_not_measured_is_said_to_be_none(drawn):
    figure = drawn(wanted("stream"), classifiers=("svm",))["stream_auc"]
    assert texts(figure) == ["no AUC by samples seen was measured"]


def test_time_shows_the_test_part_over_seconds_at_the_largest_number_of_features(drawn):
    figure = drawn(wanted("time"), classifiers=("own",))["time_auc"]
    # 200 of 400 features: 40 / 8000 * 1.5 and 80 / 8000 * 1.5 seconds; fast gains 3/50 + 2/10
    line = line_of(figure.axes[0], "fast")
    np.testing.assert_allclose(line.get_xydata(), [[0.0075, 0.785], [0.015, 0.785]])
    assert line.get_markevery() == [1]  # the end
    assert figure.axes[0].get_xscale() == "log"
    whole = [line for line in figure.axes[0].get_lines() if line.get_color() == "0.35"]
    np.testing.assert_allclose(whole[0].get_xydata(), [[0.01, 0.525], [0.02, 0.525]])
    assert "seconds spent learning" in texts(figure)


def test_time_at_a_given_number_of_features(drawn):
    figure = drawn(wanted("time", features=20), classifiers=("own",))["time_auc_20"]
    line = line_of(figure.axes[0], "fast")
    np.testing.assert_allclose(line.get_xydata(), [[0.00525, 0.685], [0.0105, 0.685]])
    assert "seconds spent learning, with 20 features" in texts(figure)
    given = {"counts": ("5%", "20%"), "classifiers": ("own",)}
    figure = drawn(wanted("time", features="20%"), **given)["time_auc_20_percent"]
    assert "seconds spent learning, with 20% of the features" in texts(figure)


def test_time_where_nothing_was_measured_or_some_tasks_lack(drawn):
    figure = drawn(wanted("time", features=7), selectors=("fast",))["time_auc_7"]
    assert texts(figure) == ["no AUC by seconds spent learning, with 7 features was measured"]
    skip = {("wine", "fast", "own", 0), ("wine", "s2n", "own", 0), ("wine", "s2n", "own", 1)}
    figure = drawn(wanted("time"), classifiers=("own",), skip=skip)["time_auc"]
    assert any(text.endswith("incomplete cells: 2 (hollow or absent)") for text in texts(figure))
    assert line_of(figure.axes[1], "fast").get_markerfacecolor() == "white"


@pytest.mark.parametrize(
    "low, high, ticks",
    [
        (0.004, 30, [0.01, 0.1, 1, 10]),
        (0.0004, 0.009, [0.001, 0.003]),
        (0.0015, 0.006, [0.002, 0.005]),
        (0.3, 0.31, [0.2, 0.5]),
        (1, 1, [1, 1]),
    ],
)
def test_times_have_round_ticks(low, high, ticks):
    assert panels._round_between(low, high) == pytest.approx(ticks)


def test_progressive_curves_show_the_end_of_each_stream(drawn):
    asked = wanted("curves", x="percent", part="progressive")
    given = {"selectors": ALWAYS, "classifiers": ("svm", "own"), "counts": ("5%", "25%")}
    figure = drawn(asked, **given)["curves_auc_percent_progressive"]
    axes = figure.axes[0]
    (line,) = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    # at the end 0.4 + 80/200 + 0.025 for half the repeats, 0.1 less at the second count
    np.testing.assert_allclose(line.get_xydata(), [[5, 0.825], [25, 0.725]])
    assert "progressive AUC" in texts(figure) and len(figure.axes) == 2


def test_a_learner_measured_with_all_features_alone_goes_across_with_its_marker_at_the_end(drawn):
    asked = wanted("curves", x="percent", part="progressive")
    given = {"selectors": ALWAYS, "classifiers": ("own",), "counts": ("5%", "25%")}
    axes = drawn(asked, **given)["curves_auc_percent_progressive"].axes[0]
    across = [line for line in axes.get_lines() if list(line.get_xdata()) == [0, 1]]
    assert [line.get_marker() for line in across] == [
        style.style(name)["marker"] for name in ("fast", "s2n")
    ]
    np.testing.assert_allclose([line.get_ydata() for line in across], 0.825)
    assert all(line.get_markevery() == [1] for line in across)
    assert axes.get_xticks().tolist() == [5, 25]


def test_progressive_curves_of_all_features_alone_stand_side_by_side(drawn):
    given = {"selectors": ("fast", "s2n"), "classifiers": ("own",)}
    axes = drawn(wanted("curves", part="progressive"), **given)["curves_auc_progressive"].axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["400"]


def test_counts_are_not_held_below_one(drawn):
    given = {"measures": ("features_used",), "classifiers": ("own",)}
    figure = drawn(wanted("curves", "features_used"), **given)["curves_features_used"]
    assert figure.axes[0].get_ylim()[1] > 200
    assert "features with a weight" in texts(figure)


def test_by_default_what_describes_a_run_is_not_ranked(tmp_path):
    experiment(tmp_path, measures=("features_used", "auc"))
    assert "ranks_auc" in [path.stem for path in figures.draw(tmp_path)]
    experiment(tmp_path, measures=("features_used",))
    assert "ranks" not in {path.stem.split("_")[0] for path in figures.draw(tmp_path)}


def test_the_legend_stands_in_a_vacant_place_if_it_fits(drawn):
    names = tuple(f"set{i}" for i in range(7))
    figure = drawn(wanted("curves"), datasets=names, classifiers=("own",))["curves_auc"]
    assert not figure.legends and figure.axes[-1].get_legend() is not None
    figure = drawn(wanted("curves"), datasets=names[:6], classifiers=("own",))["curves_auc"]
    assert len(figure.legends) == 1


def test_ticks_of_a_long_list_are_round_and_carry_the_markers(drawn):
    counts = tuple(f"{p}%" for p in (2, 5, *range(10, 101, 10)))
    figure = drawn(wanted("curves", x="percent"), counts=counts)["curves_auc_percent"]
    assert figure.axes[0].get_xticks().tolist() == [2, 5, 10, 20, 50, 100]
    assert line_of(figure.axes[0], "fast").get_markevery() == [0, 1, 2, 3, 6, 11]


def test_labels_of_ticks_stand_a_space_apart():
    # Two labels of two digits take up 0.09 of the axis with no space between them, 0.135 with one;
    # from 20 to 120 there is 0.1 between neighbours.
    counts = list(range(20, 121, 10))
    assert panels._apart(counts, log=False) == [20, 40, 60, 80, 100, 120]
    assert panels._apart([20, 30, 40], log=False) == [20, 30, 40]
    assert panels._apart([10, 20, 50, 100, 200, 500, 1000], log=True) == [10, 20, 50, 200, 1000]


def test_a_natural_ratio_and_a_learner_of_its_own_need_no_words(drawn, monkeypatch):
    figure = drawn(wanted("curves"), classifiers=("own",))["curves_auc"]
    assert "AUC" in texts(figure) and "AUC\nown" not in texts(figure)
    assert panels._title(("wine", "natural"), [("wine", "natural")]) == "wine"
    assert panels._title(("wine", "natural"), [("a", "1:9"), ("wine", "natural")]) == (
        "wine · natural"
    )


def test_ranks_are_those_of_the_tables(drawn, tmp_path):
    figure = drawn(wanted("ranks"), classifiers=("svm",))["ranks_auc"]
    (axes,) = figure.axes
    table = ranks.rank(tables.read(tmp_path / "tables" / "results.csv"), "auc").table
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        style.name(label) for label in table["selector"]
    ]
    assert [line.get_xdata()[0] for line in axes.get_lines()] == table["mean rank"].tolist()
    assert "mean rank by AUC in 6 cells, 1 is best" in texts(figure)


def test_ranks_without_a_common_cell_say_so(drawn):
    skip = {("digits:0", "fast", "svm", 0), ("wine", "s2n", "svm", 1)}
    figure = drawn(wanted("ranks"), classifiers=("svm",), skip=skip)["ranks_auc"]
    assert texts(figure) == ["no cell has a complete value of every selector"]


def test_an_incomplete_grid_is_noted_and_its_markers_are_hollow(drawn):
    skip = {("wine", "fast", "svm", 0), ("wine", "s2n", "svm", 0), ("wine", "s2n", "svm", 1)}
    kept = drawn([*wanted("curves"), *wanted("ranks")], classifiers=("svm",), skip=skip)
    curves = kept["curves_auc"]
    assert "number of features\nincomplete cells: 2 (hollow or absent)" in texts(curves)
    assert line_of(curves.axes[1], "fast").get_markerfacecolor() == "white"
    assert len(curves.axes[1].get_lines()) == 3  # of none, random and fast; s2n has no result
    assert line_of(curves.axes[0], "fast").get_markerfacecolor() != "white"
    assert any(text.endswith("\nincomplete cells: 2") for text in texts(kept["ranks_auc"]))
    assert not any("incomplete" in text for text in texts(drawn(wanted("curves"))["curves_auc"]))


def test_a_learner_without_any_result_is_missed_in_the_stream(drawn):
    skip = {("wine", "fast", "own", 0), ("wine", "fast", "own", 1), ("wine", "s2n", "svm", 0)}
    figure = drawn(wanted("stream"), skip=skip)["stream_auc"]
    assert "samples seen\nincomplete cells: 1 (hollow or absent)" in texts(figure)
    assert len(figure.axes[1].get_lines()) == len(figure.axes[0].get_lines()) - 1


def test_names_are_drawn_as_they_are(tmp_path):
    experiment(tmp_path, datasets=("$a^$ \\frac", "100% _b_"), resamplings=("none", "$"))
    assert len(figures.draw(tmp_path, [*wanted("curves"), *wanted("stream")])) == 4


def test_a_panel_without_results_says_so(drawn):
    skip = {("wine", name, "svm", repeat) for name in SELECTED for repeat in (0, 1)}
    figure = drawn(wanted("curves"), classifiers=("svm",), skip=skip)["curves_auc"]
    assert "wine · 1:20" in texts(figure) and "no results" in texts(figure)


def test_one_repeat_has_lines_without_bands(drawn):
    axes = drawn(wanted("curves"), repeats=1)["curves_auc"].axes[0]
    assert len(line_of(axes, "fast").get_xdata()) == 3


def test_a_figure_draws_the_selectors_it_is_told(drawn):
    selectors = ("none", "fast(K=5, order=x)", "fast(K=9, order=x)", "chi")
    figure = drawn(wanted("curves", selectors=["none", "fast(K=9, order=x)"]), selectors=selectors)
    legend = {"all features", "fast"} & set(texts(figure["curves_auc"]))
    assert legend == {"all features", "fast"}
    assert not any("K=" in text or text == "chi" for text in texts(figure["curves_auc"]))


# styles


def test_every_selector_of_the_table_looks_different():
    looks = [tuple(map(str, style.style(name).values())) for name in SELECTORS]
    assert len(set(looks)) == len(SELECTORS)


def test_the_first_filters_have_colours_of_their_own_and_no_colour_is_grey():
    filters = [n for n, m in SELECTORS.items() if not m.learns and n not in style.BASELINES]
    colours = [style.style(name)["color"] for name in filters[:13]]
    assert len(set(colours)) == 13  # as many as there are colours
    channels = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in set(colours) - {"#000000"}]
    assert all(max(rgb) - min(rgb) > 40 for rgb in channels)


def test_methods_that_are_compared_in_a_committed_experiment_have_colours_of_their_own():
    for path in sorted((ROOT / "results").glob("*/tables/results.csv")):
        labels = style.shortened(tables.read(path)["selector"].unique()).values()
        methods = {label.partition("(")[0].removeprefix("d-") for label in labels}
        colours = [style.style(method)["color"] for method in methods]
        assert len(set(colours)) == len(methods), path


def test_a_style_does_not_depend_on_the_experiment():
    alone = style.styles(["fast"])["fast"]
    assert alone == style.styles(["none", "chi", "mbpa", "fast"])["fast"] == style.style("fast")


def test_variants_share_the_colour_and_differ_in_line_then_in_marker():
    labels = ["fast", *(f"fast(K={K})" for K in range(2, 9))]
    looks = list(style.styles(labels).values())
    assert len({look["color"] for look in looks}) == 1
    assert all(looks.count(look) == 1 for look in looks)
    assert [look["linestyle"] == "-" for look in looks] == [True] + [False] * 7
    assert len({look["marker"] for look in looks}) == 3  # of three dashed lines each, and the rest


def test_the_same_variant_has_the_same_line_whatever_the_method():
    learners = ("pa", "mbpa", "onpa", "cs")
    looks = style.styles([f"{name}{end}" for name in learners for end in ("", "(budget=always)")])
    assert len({looks[f"{name}(budget=always)"]["linestyle"] for name in learners}) == 1
    for name in learners:
        plain, always = looks[name], looks[f"{name}(budget=always)"]
        assert (plain["color"], plain["marker"]) == (always["color"], always["marker"])
        assert plain["linestyle"] == "-" != always["linestyle"]
    assert len({looks[name]["color"] for name in learners}) == 4


def test_filters_on_pseudo_classes_are_called_and_coloured_as_their_filter():
    labels = ["decomposed", "decomposed(scorer=fisher(form=textbook))", "decomposed(K=3)", "mi"]
    short = list(style.shortened(labels).values())
    assert short == ["d-mi", "d-fisher(form=textbook)", "d-mi(K=3)", "mi"]
    looks = style.styles(["mi", "d-mi", "fisher", "d-fisher"])
    for name in ("mi", "fisher"):
        own = {"linestyle": looks["d-mi"]["linestyle"], "fillstyle": "left"}
        assert looks[f"d-{name}"] == looks[name] | own
    assert looks["d-mi"]["linestyle"] != "-"


def test_unknown_labels_look_the_same_in_every_process():
    code = "from imbfs.showing.style import *; print(style('mystery'), style('fast(K=5)'))"
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    assert found.stdout.strip() == f"{style.style('mystery')} {style.style('fast(K=5)')}"


# over problems


THREE = {"datasets": ("a", "b", "c"), "groups": {"a": "text", "b": "text"}}


def test_averages_have_a_panel_for_every_group_and_a_line_of_them_for_every_classifier(drawn):
    figure = drawn(wanted("average"), **THREE)["average_auc"]
    titles = ["text, n = 2", "all problems, n = 3"]
    assert [axes.get_title() for axes in figure.axes] == titles * 3
    labels = [axes.get_ylabel() for axes in figure.axes[::2]]
    assert labels == ["AUC\nsvm", "AUC\nown", "AUC\nmean of classifiers"]
    # every set is alike: 0.5 + 3/50, + 1/10 for each step, + 0.025 for half the repeats
    for axes in figure.axes:
        points = line_of(axes, "fast").get_xydata()
        np.testing.assert_allclose(points, [[5, 0.585], [20, 0.685], [200, 0.785]])
        (whole,) = [line for line in axes.get_lines() if line.get_color() == "0.35"]
        np.testing.assert_allclose(whole.get_xydata(), [[5, 0.525], [20, 0.525], [200, 0.525]])
        assert axes.get_xscale() == "log"


def test_a_classifier_and_a_group_may_be_asked_for_alone(drawn):
    figure = drawn(wanted("average", classifier="svm", group="text"), **THREE)
    (axes,) = figure["average_auc_svm_text"].axes
    assert (axes.get_title(), axes.get_ylabel()) == ("text, n = 2", "AUC\nsvm")


def test_lines_break_where_the_problems_are_others(drawn):
    figure = drawn(wanted("average", classifier="svm", group="all"), fewer=("a",), **THREE)
    (axes,) = figure["average_auc_svm_all"].axes
    assert axes.get_title() == "all problems, n = 2–3"
    lines = [line for line in axes.get_lines() if line.get_color() == style.style("fast")["color"]]
    assert [line.get_xdata().tolist() for line in lines] == [[5, 20], [200]]
    alone = [line for line in axes.get_lines() if line.get_xdata().tolist() == [200]]
    assert len(alone) == 4 and all(line.get_marker() for line in alone)  # or it would not be seen


def test_percentages_are_drawn_where_there_are_no_counts(drawn):
    given = {"datasets": ("a", "b"), "classifiers": ("svm",)}
    for counts, places in ((("5%", "25%", "all"), [5, 25]), (("5%", "9", "all"), [9])):
        figure = drawn(wanted("average"), counts=counts, **given)["average_auc"]
        assert line_of(figure.axes[0], "fast").get_xdata().tolist() == places
        label = "features, % of all" if len(places) > 1 else "number of features"
        assert label in texts(figure)


def test_shares_within_a_tolerance_rise_with_it(drawn):
    figure = drawn(wanted("within", features=5, classifier="svm", group="all"), **THREE)
    (axes,) = figure["within_auc_5_svm_all"].axes
    # the best is fast with 0.585; s2n has 0.565, 3.4% less, random 0.545, 6.8%, none 0.525, 10.3%
    assert line_of(axes, "fast").get_ydata().tolist() == [1] * 11
    assert line_of(axes, "s2n").get_ydata().tolist() == [0] * 4 + [1] * 7
    dotted = [line for line in axes.get_lines() if line.get_linestyle() == ":"]
    assert dotted[0].get_ydata().tolist() == [0] * 7 + [1] * 4
    assert axes.get_ylabel() == "share of problems\nsvm"
    assert "tolerance, % of the best AUC with 5 features" in texts(figure["within_auc_5_svm_all"])


def test_a_diagram_has_every_selector_at_its_mean_rank_and_joins_those_alike(drawn):
    figure = drawn(wanted("differences", features=20, classifier="svm"), **THREE)
    figure = figure["differences_auc_20_svm"]
    # q(0.05, 4) = 2.569; sqrt(4 * 5 / (6 * n)) is 1.29 for 2 problems and 1.054 for 3
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["text, svm: n = 2, CD = 3.32", "all problems, svm: n = 3, CD = 2.71"]
    found = texts(figure.axes[1])
    # at 20 features random, s2n and fast gain 0.1 on none
    assert {"fast  1.00", "s2n  2.00", "3.00  random features", "4.00  all features"} <= set(found)
    bars = [line for line in figure.axes[1].get_lines() if line.get_linewidth() > 2]
    spans = [np.round(bar.get_xdata()).tolist() for bar in bars]
    assert spans == [[1, 3], [2, 4]]


def test_where_nothing_can_be_compared_the_figure_says_so(drawn):
    for kind, why in (("within", "no problem has"), ("differences", "no problem has")):
        asked = wanted(kind, features=5)
        skip = [("wine", "fast", "svm", 0)]
        figure = drawn(asked, ("wine",), classifiers=("svm",), skip=skip)[f"{kind}_auc_5"]
        assert texts(figure)[0].startswith(why)
    figure = drawn(wanted("differences", features=5), ("wine",))["differences_auc_5"]
    assert texts(figure) == ["no two problems have a complete value of every selector"]
    figure = drawn(wanted("within", features=7), ("wine",))["within_auc_7"]
    assert texts(figure) == ["no AUC by tolerance, % of the best AUC with 7 features was measured"]


def test_every_resampling_has_averages_of_its_own(tmp_path):
    experiment(tmp_path, datasets=("wine",), resamplings=("none", "smote(k=5)"))
    paths = figures.draw(tmp_path, wanted("average", classifier="mean"))
    assert [p.stem for p in paths] == ["average_auc_mean_none", "average_auc_mean_smote_k=5"]


def test_groups_come_from_problems_csv_and_without_it_there_are_none(drawn, tmp_path):
    experiment(tmp_path, **THREE)
    path = tmp_path / "tables" / "problems.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="problems.csv: is no table of problems, with the columns"):
        figures.draw(tmp_path, wanted("average"))
    path.unlink()
    figure = drawn(wanted("average", classifier="svm"), datasets=("a", "b"))["average_auc_svm"]
    assert [axes.get_title() for axes in figure.axes] == ["all problems, n = 2"]


def test_a_legend_names_only_the_parameters_in_which_the_variants_of_a_method_differ():
    labels = ["pa(C=10, g=1e-06)", "pa(C=10, g=1e-06, budget=always)", "onpa(C=10, variant=one)"]
    assert list(style.shortened([*labels, "fast(K=5)", "fast", "none"]).values()) == [
        "pa", "pa(budget=always)", "onpa", "fast(K=5)", "fast", "none",
    ]  # fmt: skip


def test_an_empty_list_of_figures_draws_none_and_reads_nothing(tmp_path):
    assert figures.draw(tmp_path, ()) == []
    experiment(tmp_path, datasets=("wine",))
    assert figures.draw(tmp_path) != []


def bars_of(axes):
    """Where each bar ends, by its label."""
    ends = [patch.get_x() + patch.get_width() for patch in axes.patches]
    return dict(zip([t.get_text() for t in axes.get_yticklabels()], ends, strict=True))


def test_approaches_are_bars_from_the_plain_one_with_the_best_on_top(drawn):
    given = {"datasets": ("a", "b"), "resamplings": ("none", "smote_under")}
    figure = drawn(wanted("approaches", features=20), **given)["approaches_auc_20"]
    (axes,) = figure.axes
    # whatever the classifier and resampling: none 0.525, and at 20 features random 0.645,
    # s2n 0.665, fast 0.685
    found = bars_of(axes)
    assert list(found)[:4] == [
        f"fast{r} + {c}" for r in ("", " + smote_under") for c in ("svm", "own")
    ]
    assert found == pytest.approx(
        {
            f"{name}{r} + {c}": value
            for name, value in (
                ("fast", 0.685),
                ("s2n", 0.665),
                ("random features", 0.645),
                ("all features", 0.525),
            )
            for r in ("", " + smote_under")
            for c in ("svm", "own")
        }
    )
    assert all(patch.get_x() == pytest.approx(0.525) for patch in axes.patches)
    (line,) = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    assert line.get_xdata() == pytest.approx([0.525, 0.525])
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first on top
    assert "AUC with 20 features, mean and sd over 2 problems" in texts(figure)


def test_approaches_without_the_plain_one_start_at_0(drawn):
    figure = drawn(wanted("approaches", features=20), ("wine",), ("fast", "s2n"), ("svm",))
    (axes,) = figure["approaches_auc_20"].axes
    assert [patch.get_x() for patch in axes.patches] == [0, 0]
    assert not [line for line in axes.get_lines() if line.get_linestyle() == "--"]


def test_approaches_without_a_common_problem_say_so(drawn):
    skip = [("a", "fast", "svm", 0), ("b", "fast", "own", 0)]
    figure = drawn(wanted("approaches", features=5), ("a", "b"), skip=skip)["approaches_auc_5"]
    assert texts(figure) == ["no problem has a complete value of every approach"]


COMMITTED = sorted(path.parent for path in (ROOT / "results").glob("*/run.json"))
FEW = ("quickstart", "hellinger", "yin_synthetic")  # painted in a second or two


def unpainted(figure, path):
    """Note that a figure was drawn; to paint it takes most of the time, and tells nothing new."""
    path.parent.mkdir(exist_ok=True)
    path.touch()


@pytest.mark.parametrize(
    "folder",
    [pytest.param(f, marks=() if f.name in FEW else pytest.mark.slow) for f in COMMITTED],
    ids=lambda folder: folder.name,
)
def test_every_figure_is_drawn_from_the_committed_tables_alone(
    folder, imbfs, tmp_path, monkeypatch
):
    monkeypatch.setenv("IMBFS_DATA", str(tmp_path / "nothing"))
    if folder.name not in FEW:
        monkeypatch.setattr(figures, "_save", unpainted)
    copy = tmp_path / "results" / folder.name
    shutil.copytree(folder / "tables", copy / "tables")
    shutil.copy(folder / "run.json", copy)
    answer = imbfs("plot", copy)
    assert answer.code == 0, answer.err
    names = sorted(path.name for path in (folder / "figures").glob("*.png"))
    assert sorted(path.name for path in (copy / "figures").glob("*.png")) == names
