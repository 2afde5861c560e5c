"""ARFF: dense and sparse, one class or several labels, against scipy's reader where it can."""

import io
import math

import numpy as np
import pytest
from scipy.io import arff as scipy_arff
from scipy.sparse import issparse

from imbfs.datasets.formats import read
from imbfs.errors import UserError

WEATHER = """\
% of old
@RELATION weather

@attribute 'wind speed' numeric
@ATTRIBUTE outlook {sunny, overcast, 'light rain'}
@attribute humid {no,yes}   % not a comment in ARFF, so not written here
@attribute play {yes, no}

@DATA
1.5, sunny, no, no
% in between
2e1, 'light rain', yes, yes
-3, overcast, yes, no
""".replace("   % not a comment in ARFF, so not written here", "")


def parsed(folder, text: str, **options):
    path = folder / "a.arff"
    path.write_text(text)
    return read(path, **options)


def test_a_dense_file_by_hand(tmp_path):
    data = parsed(tmp_path, WEATHER)
    # Two values make one feature, 1 for the second declared; three make three.
    assert data.names == (
        "wind speed",
        "outlook=sunny",
        "outlook=overcast",
        "outlook=light rain",
        "humid",
    )
    np.testing.assert_array_equal(data.X, [[1.5, 1, 0, 0, 0], [20, 0, 0, 1, 1], [-3, 0, 1, 0, 1]])
    assert data.classes == ("no", "yes")
    np.testing.assert_array_equal(data.y, [0, 1, 0])


def test_the_target_and_what_is_dropped_are_named(tmp_path):
    data = parsed(tmp_path, WEATHER, target="outlook", drop=["play"])
    assert data.names == ("wind speed", "humid")
    assert data.classes == ("light rain", "overcast", "sunny")
    np.testing.assert_array_equal(data.y, [2, 0, 1])


SPARSE = """\
@relation text
@attribute a numeric
@attribute b {0,1}
@attribute c {1,0}
@attribute colour {red,green,blue}
@attribute kind {spam,ham}
@data
{0 2.5, 3 blue}
{1 1, 2 0, 4 ham}
{}
{ 0 -1 ,4 "ham" }
"""


def test_a_sparse_file_by_hand(tmp_path):
    data = parsed(tmp_path, SPARSE)
    assert issparse(data.X) and data.X.dtype == np.float64
    assert data.names == ("a", "b", "c", "colour=red", "colour=green", "colour=blue")
    # What is not there is 0, or the first value declared: c = 1, red, spam.
    expected = [
        [2.5, 0, 1, 0, 0, 1],
        [0, 1, 0, 1, 0, 0],
        [0, 0, 1, 1, 0, 0],
        [-1, 0, 1, 1, 0, 0],
    ]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    assert data.classes == ("ham", "spam")
    np.testing.assert_array_equal(data.y, [1, 0, 1, 0])


LABELLED = """\
@relation '{}'
@attribute happy {{0,1}}
@attribute sad {{1,0}}
@attribute x numeric
@attribute y numeric
@attribute calm {{FALSE,TRUE}}
@attribute loud numeric
@data
1,0,0.5,2,TRUE,0
0,1,1.5,3,FALSE,1
"""


def test_labels_stand_at_the_end_or_at_the_beginning(tmp_path):
    last = parsed(tmp_path, LABELLED.format("music"), n_labels=2)
    assert (last.names, last.classes) == (("happy", "sad", "x", "y"), ("calm", "loud"))
    np.testing.assert_array_equal(last.y, [[1, 0], [0, 1]])
    np.testing.assert_array_equal(last.X, [[1, 0, 0.5, 2], [0, 1, 1.5, 3]])
    first = parsed(tmp_path, LABELLED.format("music"), n_labels=-2, drop=["calm"])
    assert (first.names, first.classes) == (("x", "y", "loud"), ("happy", "sad"))
    np.testing.assert_array_equal(first.y, [[1, 0], [0, 1]])


def test_the_labels_that_meka_writes_into_the_relation_are_found(tmp_path):
    assert parsed(tmp_path, LABELLED.format("music: -C 2")).classes == ("happy", "sad")
    assert parsed(tmp_path, LABELLED.format("music: -C -2 -V")).classes == ("calm", "loud")
    one = parsed(tmp_path, LABELLED.format("music: -C 2"), target="loud")
    assert one.classes == (0, 1) and one.X.shape == (2, 5)


def test_labels_of_a_sparse_file_that_are_not_there_are_what_is_declared_first(tmp_path):
    head = LABELLED.format("music").split("@data")[0]
    data = parsed(tmp_path, head + "@data\n{0 1, 2 0.5}\n{1 0}\n", n_labels=-2)
    np.testing.assert_array_equal(data.y, [[1, 1], [0, 0]])


def test_quotes_and_escapes_are_undone(tmp_path):
    text = (
        '@relation q\n@attribute \'it\\\'s, "so"\' real\n@attribute "a b" integer\n'
        "@attribute c {'x, y', 'x\\'s',z}\n@data\n1,2,'x, y'\n3,4,\"x's\"\n5,6,z\n"
    )
    data = parsed(tmp_path, text)
    assert data.names == ('it\'s, "so"', "a b")
    assert [data.classes[code] for code in data.y] == ["x, y", "x's", "z"]
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4], [5, 6]])


def test_missing_values_stay_only_where_they_will_be_filled_in(tmp_path):
    text = WEATHER.replace("1.5, sunny, no", "?, ?, ?")
    with pytest.raises(UserError, match="sample 1, feature 'wind speed' is missing"):
        parsed(tmp_path, text)
    data = parsed(tmp_path, text, impute="median")
    assert np.isnan(data.X[0]).all() and np.isfinite(data.X[1:]).all()
    with pytest.raises(UserError, match="sample 3 has no class"):
        parsed(tmp_path, WEATHER.replace("overcast, yes, no", "overcast, yes, ?"))


@pytest.mark.parametrize("seed", range(10))
def test_random_dense_files_are_read_as_scipy_reads_them(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 2500 if seed == 0 else 30), rng.integers(1, 8)
    lines = ["@relation r", *(f"@attribute a{j} numeric" for j in range(d))]
    lines += ["@attribute two {p,q}", "@attribute class {u,v-w,x}", "@data"]
    for _ in range(n):
        numbers = map(repr, (rng.standard_normal(d) * 10.0 ** rng.integers(-9, 9, d)).tolist())
        lines.append(",".join([*numbers, rng.choice(["p", "q"]), rng.choice(["u", "v-w", "x"])]))
    text = "\n".join(lines)
    data = parsed(tmp_path, text)
    expected, _ = scipy_arff.loadarff(io.StringIO(text))
    for j in range(d):
        np.testing.assert_array_equal(data.X[:, j], expected[f"a{j}"])
    np.testing.assert_array_equal(data.X[:, d], expected["two"] == b"q")
    classes = [data.classes[code] for code in data.y]
    assert classes == [value.decode() for value in expected["class"]]


@pytest.mark.parametrize("seed", range(10))
def test_a_sparse_file_says_what_the_dense_one_says(seed, tmp_path):
    rng = np.random.default_rng(seed)
    values = [None, ("0", "1"), ("1", "0"), ("a", "b"), ("k", "l", "m"), None]
    head = ["@relation r"]
    for j, declared in enumerate(values):
        kind = "numeric" if declared is None else "{" + ",".join(declared) + "}"
        head.append(f"@attribute a{j} {kind}")
    head += ["@attribute class {u,v}", "@data"]
    dense, sparse = list(head), list(head)
    for _ in range(12):
        row = [
            str(rng.choice([0, 0, 2.5, -1])) if declared is None else str(rng.choice(declared))
            for declared in [*values, ("u", "v")]
        ]
        first = ["0.0" if declared is None else declared[0] for declared in [*values, ("u", "v")]]
        kept = [f"{j} {v}" for j, (v, f) in enumerate(zip(row, first, strict=True)) if v != f]
        dense.append(",".join(row))
        sparse.append("{" + ", ".join(kept) + "}")
    one = parsed(tmp_path, "\n".join(dense))
    other = parsed(tmp_path, "\n".join(sparse))
    np.testing.assert_array_equal(one.X, other.X.toarray())
    np.testing.assert_array_equal(one.y, other.y)
    assert (one.names, one.classes) == (other.names, other.classes)


BAD = {
    "an undeclared value": (
        WEATHER.replace("1.5, sunny", "1.5, foggy"),
        {},
        "line 10: 'outlook' has the undeclared value 'foggy'. Declared: sunny, overcast, light",
    ),
    "no number": (
        WEATHER.replace("2e1", "fast"),
        {},
        "line 12: 'wind speed' has the undeclared value 'fast'. Declared: numbers.",
    ),
    "a short row": (
        WEATHER.replace("-3, ", ""),
        {},
        "line 13: has 3 values. There are 4 attributes.",
    ),
    "an undeclared sparse value": (
        SPARSE.replace("3 blue", "3 pink"),
        {},
        "line 8: 'colour' has the undeclared value 'pink'.",
    ),
    "a sparse index too far": (
        SPARSE.replace("3 blue", "7 blue"),
        {},
        "line 8: index 7 is not between 1 and 4.",
    ),
    "a sparse index twice": (
        SPARSE.replace("1 1, 2 0", "1 1, 1 0"),
        {},
        "line 9: index 1 is not between 2 and 4.",
    ),
    "no sparse pair": (
        SPARSE.replace("{1 1,", "{1,"),
        {},
        "line 9: '1, 2 0, 4 ham' is no index and value.",
    ),
    "a dense row among sparse ones": (
        SPARSE.replace("{}", "1,0,1,red,ham"),
        {},
        "line 10: is no sparse row",
    ),
    "a sparse row with a weight": (SPARSE.replace("{}", "{0 1}, {5}"), {}, "line 10: "),
    "no such target": (
        WEATHER,
        {"target": "Play"},
        "no attribute 'Play'. Did you mean 'play'? Attributes: wind speed, outlook, humid, play.",
    ),
    "no such labels": (WEATHER, {"n_labels": 4}, "n_labels: 4 of 4 attributes cannot be labels."),
    "labels of other values": (
        WEATHER,
        {"n_labels": -2},
        "'outlook' is no label of 0 and 1 for every sample.",
    ),
    "labels of other numbers": (
        LABELLED.format("m").replace("TRUE,0", "TRUE,7"),
        {"n_labels": 1},
        "a label of 7.0 stands among the labels.",
    ),
    "text": (
        WEATHER.replace("humid {no,yes}", "humid string"),
        {},
        "attribute 'humid' holds texts or dates, which are no features.",
    ),
    "a class of text": (
        WEATHER.replace("play {yes, no}", "play string"),
        {},
        "attribute 'play' holds texts or dates, which are no classes.",
    ),
    "names twice": (
        WEATHER.replace("humid {", "outlook {"),
        {},
        "two attributes are called 'outlook'. Rename one.",
    ),
    "no attribute": (
        WEATHER.replace("play {yes, no}", "play"),
        {},
        "line 7: is no valid @attribute.",
    ),
    "no declaration": (WEATHER.replace("@DATA", "data"), {}, "line 9: 'data' is no declaration."),
    "no data": (WEATHER.split("@DATA")[0], {}, "has no @data."),
    "no samples": (WEATHER.split("1.5")[0], {}, "has no samples."),
}


@pytest.mark.parametrize("text, options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_with_file_and_line(text, options, message, tmp_path):
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, text, **options)
    assert str(refused.value).startswith(f"{tmp_path / 'a.arff'}: ")
    assert message in str(refused.value)


def test_the_line_of_a_mistake_far_down_is_right(tmp_path):
    rows = [f"{i},u" for i in range(2500)]
    rows[2345] = "x,u"
    text = "@relation r\n@attribute a real\n@attribute c {u}\n@data\n" + "\n".join(rows)
    with pytest.raises(UserError, match="line 2350: 'a' has the undeclared value 'x'"):
        parsed(tmp_path, text)
    assert math.isclose(parsed(tmp_path, text.replace("x,u", "7,u")).X[2345, 0], 7)


def test_keel_names_the_class_among_its_outputs(tmp_path):
    head = "@relation abalone\n@attribute Sex {M, F}\n@attribute Length real[0.0,1.0]\n"
    head += "@attribute Class {positive, negative}\n@attribute Age integer [0, 9]\n"
    body = "@data\nM, 0.5, positive, 3\nF, 0.25, negative, 4\n"
    (tmp_path / "a.dat").write_text(f"{head}@inputs Sex, Length, Age\n@outputs Class\n{body}")
    data = read(tmp_path / "a.dat")
    assert (data.names, data.classes) == (("Sex", "Length", "Age"), ("negative", "positive"))
    np.testing.assert_array_equal(data.X, [[0, 0.5, 3], [1, 0.25, 4]])
    assert read(tmp_path / "a.dat", target="Sex").classes == ("F", "M")
    (tmp_path / "a.dat").write_text(f"{head}@output Class, Age\n{body}")
    with pytest.raises(UserError, match="there is no attribute 'Class, Age'"):
        read(tmp_path / "a.dat")
