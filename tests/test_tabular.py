"""CSV and TSV: every habit of writing one gives the same arrays, and no mistake gives any."""

import csv
import io

import numpy as np
import pytest

from imbfs.datasets.formats import read
from imbfs.errors import UserError

PLAIN = "age,dose,outcome\n60,1.5,relapse\n41,0,cured\n35,2.25,cured\n"


def parsed(folder, text: str | bytes, **options):
    path = folder / "a.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, **options)


def assert_plain(data, names=("age", "dose")):
    """The data of PLAIN, however it was written."""
    np.testing.assert_array_equal(data.X, [[60, 1.5], [41, 0], [35, 2.25]])
    assert data.X.dtype == np.float64 and data.X.flags.c_contiguous
    np.testing.assert_array_equal(data.y, [1, 0, 0])
    assert (data.names, data.classes) == (names, ("cured", "relapse"))


HABITS = {
    "plain": PLAIN,
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "decimal commas": PLAIN.replace(",", ";").replace(".", ","),
    "decimal commas and tabs": PLAIN.replace(",", "\t").replace(".", ","),
    "quotes": '"age","dose","outcome"\n60,"1.5","relapse"\n"41",0,cured\n35,2.25,"cured"\n',
    "a byte order mark": "\ufeff" + PLAIN,
    "CR LF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r"),
    "comments": "# of 2009\n" + PLAIN.replace("41,", "# a patient left\n41,"),
    "blank lines": "\n" + PLAIN.replace("41,", "\n  \n41,") + "\n\n",
    "spaces": PLAIN.replace(",", " , "),
    "no last line end": PLAIN.rstrip(),
    "exponents": PLAIN.replace("1.5", "15e-1").replace("41", "+4.1E1"),
    "ids": "id,age,dose,outcome\np1,60,1.5,relapse\np2,41,0,cured\np3,35,2.25,cured\n",
    "a first column without name": ",age,dose,outcome\n1,60,1.5,relapse\n2,41,0,cured\n"
    "3,35,2.25,cured\n",
    "row names as R writes them": "age dose outcome\np1 60 1.5 relapse\np2 41 0 cured\n"
    "p3 35 2.25 cured\n".replace(" ", "\t"),
}
HABITS["row names as R writes them"] = HABITS["row names as R writes them"].replace(" ", "\t")


BLANKS = {
    "blanks": PLAIN.replace(",", " "),
    "aligned by blanks": "  age dose   outcome\n   60  1.5   relapse\n   41    0     cured \n"
    "   35 2.25     cured\n",
    "blanks and quotes": '"age" "dose" "outcome"\n60 1.5 "relapse"\n41 0 "cured"\n'
    '35 2.25 "cured"\n',
    "blanks and decimal commas": PLAIN.replace(",", " ").replace(".", ","),
    "R's write.table": '"age" "dose" "outcome"\n"p 1" 60 1.5 "relapse"\n"p 2" 41 0 "cured"\n'
    '"p 3" 35 2.25 "cured"\n',
    "blanks, tabs and comments": "# written by hand\n" + PLAIN.replace(",", " \t "),
}
HABITS |= BLANKS


@pytest.mark.parametrize("text", HABITS.values(), ids=HABITS)
def test_the_same_table_is_read_from_every_habit(text, tmp_path):
    assert_plain(parsed(tmp_path, text, target="outcome"))


def test_the_target_is_a_name_or_a_place(tmp_path):
    for target in ("outcome", 2, -1):
        assert_plain(parsed(tmp_path, PLAIN, target=target))
    data = parsed(tmp_path, PLAIN, target=0, drop=["outcome"])
    assert (data.names, data.classes) == (("dose",), (35, 41, 60))


def test_ids_and_columns_to_drop_are_no_features(tmp_path):
    text = "outcome,age,number,dose,note\n" + "relapse,60,7,1.5,x\ncured,41,7,0,y\n"
    data = parsed(tmp_path, text, target="outcome", ids="number", drop=["note"])
    assert data.names == ("age", "dose")
    np.testing.assert_array_equal(data.X, [[60, 1.5], [41, 0]])


def test_a_file_without_names_is_seen_to_have_none(tmp_path):
    body = PLAIN.split("\n", 1)[1]
    assert_plain(parsed(tmp_path, body, target=-1), names=None)
    numbers = parsed(tmp_path, "5,1.5,0\n6,2.5,1\n", target=-1)
    np.testing.assert_array_equal(numbers.X, [[5, 1.5], [6, 2.5]])
    assert (numbers.names, numbers.classes) == (None, (0, 1))


def test_names_that_are_numbers_are_names_where_one_is_asked_for(tmp_path):
    asked = parsed(tmp_path, "10,30,class\n5,6,a\n7,8,b\n", target="class")
    assert asked.names == ("10", "30")
    cornered = parsed(tmp_path, ",0,1,2\n0,5,6,0\n1,7,8,1\n", target=-1)
    assert cornered.X.tolist() == [[5, 6], [7, 8]] and cornered.names == ("0", "1")


def test_a_first_row_that_counts_is_names_or_a_sample_as_header_says(tmp_path):
    text = "0,1,2\n5,6,0\n7,8,1\n"
    with pytest.raises(UserError, match="header: does the first row hold names or a sample"):
        parsed(tmp_path, text, target=-1)
    assert parsed(tmp_path, text, target=-1, header=False).X.shape == (3, 2)
    settled = parsed(tmp_path, text, target=-1, header=True)
    assert settled.X.shape == (2, 2) and settled.names == ("0", "1")


def test_no_sample_is_a_comment_and_no_comment_a_sample(tmp_path):
    """A line that begins with # is told by where it stands and how many fields it has."""
    rows = [f"#{i},{i}.5,{i % 3},{'ab'[i % 2]}" for i in range(40)]
    for header in ("#SampleID,x,z,class", "id,x,z,class"):
        for head in ((), ("# made by hand",), ("# by Anna, 2009", "#", "## of 40 rows")):
            data = parsed(tmp_path, "\n".join([*head, header, *rows]), target="class")
            assert (data.X.shape, data.names) == ((40, 2), ("x", "z"))
    assert parsed(tmp_path, "\n".join(rows), target=-1).X.shape == (40, 2)
    some = [row.replace("#", "p") if i % 5 else row for i, row in enumerate(rows)]
    named = "\n".join(["id,x,z,class", *some[:7], "# a day later", *some[7:]])
    assert parsed(tmp_path, named, target="class").X.shape == (40, 2)
    assert parsed(tmp_path, named, target="class", comments=True).X.shape == (32, 2)
    cut_off = named.replace("#10,10.5,1,a", "#10,10.5")
    with pytest.raises(UserError, match="line 13: has 2 fields. The first row has 4. For a comm"):
        parsed(tmp_path, cut_off, target="class")
    assert parsed(tmp_path, cut_off, target="class", comments=True).X.shape == (32, 2)
    with pytest.raises(UserError, match="line 9: has 1 fields"):
        parsed(tmp_path, named, target="class", comments=False)


def test_features_and_classes_of_a_second_file_may_begin_with_a_hash(tmp_path):
    (tmp_path / "y.csv").write_text("# of 2009\nsample,class\n#2,b\n#1,a\nq,a\n")
    data = parsed(tmp_path, "id,x\n#1,5\n#2,6\nq,7\n", labels="y.csv")
    np.testing.assert_array_equal(data.y, [0, 1, 0])
    np.testing.assert_array_equal(data.X[:, 0], [5, 6, 7])
    (tmp_path / "y.csv").write_text("# of 2009\n#1\n#2\n#1\n")
    data = parsed(tmp_path, "5\n6\n7\n", labels="y.csv")
    assert (data.classes, data.y.tolist()) == (("#1", "#2"), [0, 1, 0])


ODD = ("<0.01", "> 5", "#N/A", "#DIV/0!", "inf", "-Infinity", "0x1p3", "n.d.", "unknown", "12%")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_first_row_with_an_odd_value_is_no_header(odd, width, tmp_path):
    """Such a row is a sample: where it cannot be read, that is said, with its line."""
    rng = np.random.default_rng(0)
    rows = [[f"{v:.3f}" for v in row] + ["neg"] for row in rng.normal(size=(10, width))]
    rows[0][0], rows[0][-1], rows[5][-1] = odd, "pos", "pos"
    text = "\n".join(map(",".join, rows))
    for options in ({}, {"texts": "encode"}, {"target": "pos"}):
        with pytest.raises(UserError) as refused:
            parsed(tmp_path, text, **{"target": -1} | options)
        said = str(refused.value)
        expected = ("line 1: column 0 is not numeric", "sample 1, feature 1 is infinite", "header:")
        assert any(part in said for part in (*expected, "the columns have no names")), said


def test_a_header_needs_names_above_most_columns_of_numbers(tmp_path):
    spectra = "age,400.1,400.2,500.5,class\n41,1,2,3,a\n57,4,5,6,b\n44,4,3,2,a\n"
    assert parsed(tmp_path, spectra, target="class").names == ("age", "400.1", "400.2", "500.5")
    assert parsed(tmp_path, spectra, target=-1, header=True).X.shape == (3, 4)
    with pytest.raises(UserError, match="header: does the first row hold names or a sample"):
        parsed(tmp_path, spectra, target=-1)
    probes = "1007_s_at,1053_at,class\n1,2,a\n3,4,b\n"  # probes begin with numbers
    assert parsed(tmp_path, probes, target=-1).names == ("1007_s_at", "1053_at")
    relapse = "age,dose,relapse\n41,1,relapse\n57,2,cured\n"
    assert parsed(tmp_path, relapse, target="relapse").X.shape == (2, 2)


def test_the_name_of_the_class_behind_names_that_are_numbers_makes_a_header(tmp_path):
    rng = np.random.default_rng(0)
    header = "101,102,103,104,class\n"
    apart, near = rng.normal(size=(60, 4)).round(3), rng.integers(90, 120, size=(60, 4))

    def text(values):
        return header + "".join(f"{','.join(map(str, v))},{i % 2}\n" for i, v in enumerate(values))

    data = parsed(tmp_path, text(apart), target=-1)
    assert (data.X.shape, data.classes) == ((60, 4), (0, 1))
    assert data.names == ("101", "102", "103", "104")
    with pytest.raises(UserError, match="header: does the first row hold names or a sample"):
        parsed(tmp_path, text(near), target=-1)
    for options in ({"target": -1, "header": True}, {"target": "class"}):
        assert parsed(tmp_path, text(near), **options).X.shape == (60, 4)
    for rows in ("7,1,unknown\n9,5,0\n8,6,1\n", "250,unknown\n5,3\n6,4\n7,5\n"):
        with pytest.raises(UserError, match="header: does"):  # a sample may have such values
            parsed(tmp_path, rows, target=-1)


def test_a_first_row_of_texts_above_texts_is_names_or_a_sample_as_header_says(tmp_path):
    text = "red,small,pos\nblue,large,neg\nred,large,pos\n"
    options = {"texts": "encode"}
    assert parsed(tmp_path, text, target=-1, **options).X.shape == (3, 2)  # some stand again
    with pytest.raises(UserError, match="the columns have no names"):
        parsed(tmp_path, text, target="pos", **options)
    named = f"colour,size,class\n{text}"
    assert parsed(tmp_path, named, target="class", **options).X.shape == (3, 2)
    with pytest.raises(UserError, match="header: does the first row hold names or a sample"):
        parsed(tmp_path, named, target=-1, **options)
    for given in (True, "yes"):
        assert parsed(tmp_path, named, target=-1, header=given, **options).X.shape == (3, 2)
    assert parsed(tmp_path, text, target=-1, header="no", **options).X.shape == (3, 2)


def test_a_header_that_is_one_name_short_is_made_of_names(tmp_path):
    with pytest.raises(UserError, match="line 2: has 3 fields. The first row has 2."):
        parsed(tmp_path, "0.5,1.5\n2.5,3.5,0\n4.5,5.5,1\n", target=-1)


WRITTEN = {
    "separator": ({"separator": "blanks"}, BLANKS["aligned by blanks"]),
    "a word": ({"separator": "semicolon"}, PLAIN.replace(",", ";")),
    "a sign": ({"separator": "|"}, PLAIN.replace(",", "|")),
    "a tab": ({"separator": "\\t"}, PLAIN.replace(",", "\t")),
    "decimal": ({"decimal": ","}, PLAIN.replace(",", ";").replace(".", ",")),
    "quoted": (
        {"decimal": ","},
        'age,dose,outcome\n60,"1,5",relapse\n41,0,cured\n35,"2,25",cured\n',
    ),
}


@pytest.mark.parametrize("options, text", WRITTEN.values(), ids=WRITTEN)
def test_separator_and_decimal_sign_may_be_given(options, text, tmp_path):
    assert_plain(parsed(tmp_path, text, target="outcome", **options))


def test_a_class_of_two_words_in_a_second_file_is_one(tmp_path):
    (tmp_path / "y.txt").write_text("type 1\ntype 2\ntype 1\n")
    data = parsed(tmp_path, "5\n6\n7\n", labels="y.txt")
    assert data.classes == ("type 1", "type 2")


MICROARRAY = "gene\ts1\ts2\ts3\nclass\tALL\tAML\tALL\ng1\t1\t2\t3\ng2\t4.5\t5\t6\n"


def test_samples_in_columns_with_the_class_in_a_named_row(tmp_path):
    data = parsed(tmp_path, MICROARRAY, samples="columns", target="class")
    np.testing.assert_array_equal(data.X, [[1, 4.5], [2, 5], [3, 6]])
    assert data.X.flags.c_contiguous
    assert (data.names, data.classes) == (("g1", "g2"), ("ALL", "AML"))
    np.testing.assert_array_equal(data.y, [0, 1, 0])


def test_samples_in_columns_with_the_class_in_the_first_row(tmp_path):
    text = MICROARRAY.split("\n", 1)[1]
    for target in (0, "class"):
        data = parsed(tmp_path, text, samples="columns", target=target)
        np.testing.assert_array_equal(data.X, [[1, 4.5], [2, 5], [3, 6]])
        np.testing.assert_array_equal(data.y, [0, 1, 0])
        assert data.names == ("g1", "g2")


def test_samples_in_columns_may_have_numbers_as_ids(tmp_path):
    rng = np.random.default_rng(0)
    X, options = rng.normal(size=(8, 3)).round(3), {"samples": "columns", "target": "class"}

    def text(ids, values):
        genes = [f"g{j},{','.join(map(str, v))}" for j, v in enumerate(values.T.tolist())]
        return "\n".join([f"gene,{','.join(map(str, ids))}", "class" + ",a,b" * 4, *genes])

    counts, ids = rng.integers(0, 5000, size=(8, 3)), range(1000, 1008)
    for file, values in ((text(ids, X), X), (text(range(1, 9), counts), counts)):
        data = parsed(tmp_path, file, **options)
        np.testing.assert_array_equal(data.X, values)
        assert data.names == ("g0", "g1", "g2")
    with pytest.raises(UserError, match="header: does the first row hold names or a sample"):
        parsed(tmp_path, text(ids, counts), **options)
    assert parsed(tmp_path, text(ids, counts), **options, header=True).X.shape == (8, 3)
    (tmp_path / "y.csv").write_text("id,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in ids))
    file = "\n".join(line for line in text(ids, X).split("\n") if not line.startswith("class"))
    data = parsed(tmp_path, file, samples="columns", labels="y.csv")
    assert data.names == ("g0", "g1", "g2") and data.y.tolist() == [0, 1] * 4


def test_samples_in_columns_with_more_about_the_genes(tmp_path):
    text = "what,gene,s1,s2\nclass,,a,b\nkinase,g1,1,2\nreceptor,g2,3,4\n"
    options = {"samples": "columns", "target": "class", "ids": "gene", "drop": ["what"]}
    data = parsed(tmp_path, text, **options)
    np.testing.assert_array_equal(data.X, [[1, 3], [2, 4]])
    assert (data.names, data.classes) == (("g1", "g2"), ("a", "b"))


def test_samples_in_columns_without_any_names(tmp_path):
    (tmp_path / "y.txt").write_text("t\nn\nt\n")
    data = parsed(tmp_path, "8.5,7,9\n1,2,4\n", samples="columns", labels="y.txt")
    np.testing.assert_array_equal(data.X, [[8.5, 1], [7, 2], [9, 4]])
    assert data.names is None
    np.testing.assert_array_equal(data.y, [1, 0, 1])


def test_classes_of_a_second_file_go_by_id(tmp_path):
    # s2 and s1 stand in another order there, and s9 is nobody here.
    for header in ("", "sample,class\n"):
        (tmp_path / "y.csv").write_text(header + "s2,AML\ns9,AML\ns1,ALL\ns3,ALL\n")
        text = MICROARRAY.replace("class\tALL\tAML\tALL\n", "")
        data = parsed(tmp_path, text, samples="columns", labels="y.csv")
        np.testing.assert_array_equal(data.y, [0, 1, 0])
        assert data.classes == ("ALL", "AML")


def test_classes_of_a_second_file_go_by_order_where_there_are_no_ids(tmp_path):
    (tmp_path / "y.csv").write_text("sample,two,three\n9,x,B\n8,x,T\n7,y,M\n")
    options = {"labels": "y.csv", "target": "three", "drop": ["outcome"]}
    data = parsed(tmp_path, PLAIN, **options)
    assert (data.names, data.classes) == (("age", "dose"), ("B", "M", "T"))
    np.testing.assert_array_equal(data.y, [0, 2, 1])
    for text in ("B\nT\nM\n", "class\nB\nT\nM\n"):
        (tmp_path / "y.csv").write_text(text)
        again = parsed(tmp_path, PLAIN, labels="y.csv", drop=["outcome"])
        np.testing.assert_array_equal(again.y, data.y)


def test_blanks_between_numbers_with_decimal_commas_cut_them(tmp_path):
    data = parsed(tmp_path, "-9,09516 0\n1,5 1\n 2,25  0\n", target=-1)
    assert (data.X.tolist(), data.classes) == ([[-9.09516], [1.5], [2.25]], (0, 1))
    data = parsed(tmp_path, "1,5 2,5 a\n3,5 4,5 b\n", target=-1)
    assert data.X.tolist() == [[1.5, 2.5], [3.5, 4.5]]
    others = ("1,a 1\n2,a 2\n", "1, 2, 5\n3, 4, 5\n", "1 ,2 ,0\n3 ,4 ,1\n", "1,5 ,a\n2,6 ,b\n")
    for text in others:
        assert "separator ','" in parsed(tmp_path, text, target=-1).how
    data = parsed(tmp_path, "x,the class\n1,2 a\n3,4 b\n", target=-1)
    assert (data.names, data.classes) == (("x",), ("2 a", "4 b"))


def test_a_first_column_of_decimal_commas_holds_no_ids(tmp_path):
    body = "1,5;2;0\n2,5;4;1\n2,75;3;0\n"
    for options in ({}, {"decimal": ","}):
        data = parsed(tmp_path, f"x;z;class\n{body}", target="class", **options)
        assert data.names == ("x", "z")
        assert data.X.tolist() == [[1.5, 2], [2.5, 4], [2.75, 3]]
        assert parsed(tmp_path, body, target=-1, **options).X.shape == (3, 2)


def test_samples_without_a_class_are_refused_or_left_out(tmp_path):
    text = "id,age,class\np,1,a\nq,2,\nr,3,b\n"
    with pytest.raises(UserError, match=r"a.csv: sample 2 has no class\."):
        parsed(tmp_path, text, target="class")
    data = parsed(tmp_path, text, target="class", unlabelled="drop")
    np.testing.assert_array_equal(data.X, [[1], [3]])
    (tmp_path / "y.csv").write_text("r,b\np,a\n")
    options = {"labels": "y.csv", "drop": ["class"]}
    with pytest.raises(UserError, match="sample 2 has no class"):
        parsed(tmp_path, text, **options)
    data = parsed(tmp_path, text, **options, unlabelled="drop")
    np.testing.assert_array_equal(data.X, [[1], [3]])


def test_classes_are_numbers_where_all_of_them_are(tmp_path):
    def classes(*written):
        text = "x,y\n" + "".join(f"{i}.5,{label}\n" for i, label in enumerate(written))
        return parsed(tmp_path, text, target="y").classes

    assert classes("2", "10", "-1") == (-1, 2, 10)
    assert classes("1.0", "2.5") == (1, 2.5)
    assert classes("1", "two") == ("1", "two")
    assert classes("1_0", "10") == ("10", "1_0")
    assert classes("None", "Some") == ("None", "Some")


def test_missing_values_stay_only_where_they_will_be_filled_in(tmp_path):
    text = "a,b,y\n1,NA,0\n?,2.5,1\n,3,0\n"
    with pytest.raises(UserError, match=r"a.csv: sample 1, feature 'b' is missing\."):
        parsed(tmp_path, text, target="y")
    data = parsed(tmp_path, text, target="y", impute="median")
    np.testing.assert_array_equal(data.X, [[1, np.nan], [np.nan, 2.5], [np.nan, 3]])
    with pytest.raises(UserError, match="sample 2, feature 'b' is infinite"):
        parsed(tmp_path, "a,b,y\n1,2,0\n1,inf,1\n", target="y", impute="median")


def test_numbers_are_rounded_as_python_rounds_them(tmp_path):
    rng = np.random.default_rng(1)
    values = rng.standard_normal(2000) * 10.0 ** rng.integers(-200, 200, 2000)
    digits = rng.integers(1, 25, 2000)
    written = [f"{value:.{n}e}" for value, n in zip(values, digits, strict=True)]
    text = "x,y\n" + "".join(f"{value},{i % 2}\n" for i, value in enumerate(written))
    data = parsed(tmp_path, text, target="y")
    np.testing.assert_array_equal(data.X[:, 0], [float(value) for value in written])


@pytest.mark.parametrize("seed", range(20))
def test_random_tables_are_read_as_the_csv_module_and_float_read_them(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 40), rng.integers(1, 60)
    separator = rng.choice([",", ";", "\t"])
    quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, quoting=quoting)
    writer.writerow([f"g {j}, {separator}" for j in range(d)] + ["kind"])
    X = np.round(rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 6, d), 3)
    kinds = rng.choice(["b;r,ca", "n o", "x"], n)
    for row, kind in zip(X, kinds, strict=True):
        writer.writerow([*map(repr, row.tolist()), kind])
    data = parsed(tmp_path, file.getvalue(), target="kind")
    rows = list(csv.reader(io.StringIO(file.getvalue()), delimiter=separator))
    np.testing.assert_array_equal(data.X, [[float(v) for v in row[:-1]] for row in rows[1:]])
    assert data.names == tuple(name.strip() for name in rows[0][:-1])
    assert [data.classes[code] for code in data.y] == [row[-1] for row in rows[1:]]


BAD = {
    "a long row": ("a,b,y\n1,2,x\n\n1,2,3,x\n", {}, "line 4: has 4 fields. The first row has 3."),
    "a short row": ("a,b,y\n1,2,x\n1,x\n", {"impute": "median"}, "line 3: has 2 fields."),
    "an open quote": ('a,b,y\n1,2,x\n1,"2,x\n', {}, "line 3: a quote is not closed"),
    "an open quote after another": ('a,b,y\n1",",x\n1,2,x\n', {}, "line 2: a quote is not closed"),
    "no such column": ("a,b\n1,2\n", {}, "target: there is no column 'y'. Columns: a, b."),
    "nearly such a column": ("a,Y\n1,2\n", {}, "Did you mean 'Y'?"),
    "no such place": ("a,y\n1,2\n", {"target": 2}, "there is no column 2. They are 0 to 1."),
    "no target": ("a,b\n1,2\n", {"target": None}, "which column holds the class? Columns: a, b."),
    "a name without names": ("5,2\n3,4\n", {}, "the columns have no names. Give a position."),
    "a text": ("a,b,y\n1,2,x\n#\n1,old,z\n", {}, "line 4: column 'b' is not numeric. It has 'old'"),
    "texts only": ("a,b,y\nu,v,x\nu,w,z\n", {}, "line 2: column 'a' is not numeric."),
    "names twice": ("a,b,a,y\n1,2,3,x\n", {}, "2 columns are called 'a'. Rename them apart,"),
    "no name": ("a,,y\n1,2,x\n", {}, "column 2 has no name."),
    "names alone": ("a,b,y\n", {}, "has names but no rows."),
    "no features": ("y\nx\nz\n", {}, "has 2 samples with a class and 0 features."),
    "no samples": ("a,y\n1,\n2,\n", {"unlabelled": "drop"}, "has 0 samples with a class"),
    "comments alone": ("# a\n# b,y\n", {"comments": True}, "is empty."),
    "names like a comment alone": ("# a,y\n", {}, "has names but no rows."),
    "Latin 1": ("a,y\n1,x\n2,\xb5\n".encode("latin-1"), {}, "line 3: is not UTF-8 text."),
    "no such row": (MICROARRAY, {"samples": "columns"}, "no row 'y'. Rows: gene, class, g1"),
    "no row": (MICROARRAY, {"samples": "columns", "target": None}, "which row holds the class?"),
    "genes twice": (
        MICROARRAY.replace("g2", "g1"),
        {"samples": "columns", "target": "class"},
        "2 features are called 'g1'.",
    ),
    "a text in a column": (
        MICROARRAY.replace("4.5", "high"),
        {"samples": "columns", "target": "class"},
        "line 4: column 's1' is not numeric. It has 'high'",
    ),
    "no second file": ("a,b\n1,2\n", {"labels": "none.txt"}, "none.txt: cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("text, options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_with_file_and_line(text, options, message, tmp_path):
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, text, **{"target": "y"} | options)
    assert str(refused.value).startswith(f"{tmp_path / 'a.csv'}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


BAD_LABELS = {
    "too few": ("a\nb\n", {}, "has 2 classes. There are 3 samples."),
    "ragged": ("1,a\n2\n3,b\n", {}, "line 2: has 1 fields."),
    "no such column": ("i,a,b\n1,x,y\n2,x,y\n3,x,y\n", {"target": "c"}, "Columns: i, a, b."),
    "which column": ("i,a,b\n1,x,y\n2,x,y\n3,x,y\n", {}, "which column holds the class"),
}


@pytest.mark.parametrize("text, options, message", BAD_LABELS.values(), ids=BAD_LABELS)
def test_a_mistake_in_the_second_file_names_that_file(text, options, message, tmp_path):
    (tmp_path / "y.csv").write_text(text)
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, PLAIN, labels="y.csv", drop=["outcome"], **options)
    assert f"{tmp_path / 'y.csv'}: " in str(refused.value)
    assert message in str(refused.value)


def test_ids_that_do_not_say_which_sample_is_meant_are_refused(tmp_path):
    text = "id,x\np,1\nq,2\n"
    (tmp_path / "y.csv").write_text("p,a\nq,b\nq,c\n")
    with pytest.raises(UserError, match="several samples called 'q'"):
        parsed(tmp_path, text, labels="y.csv")
    (tmp_path / "y.csv").write_text("u,a\nv,b\nw,c\n")
    with pytest.raises(UserError, match="has no class for any of the samples 'p'"):
        parsed(tmp_path, text, labels="y.csv")


LOST = {
    "a torn first row": "#0 90 -3.1 > 5\n#1 91 0.7 a\ns2 92 0.5 b\ns3 93 0.5 b\n",
    "rows of another separator": "s0|90|1,5|a\n#1|91|2.4|b\n#2|92|2.8|b\n",
    "a first row without id": ",90.5,-1.37,a\n#1,91.5,-0.21,b\ns2,92.5,-0.10,b\n",
    "two odd values": "90.5;-;unknown;b\n91.5;-0.63;0.90;b\n92.5;0.42;-2.03;a\n93.5;1;1;a\n",
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST)
def test_a_row_that_is_hard_to_read_is_refused_and_not_left_out(text, tmp_path):
    with pytest.raises(UserError, match="fields|header: does|not numeric"):
        parsed(tmp_path, text, target=-1)


def test_a_series_matrix_of_geo_says_what_to_do(tmp_path):
    text = '!Series_title\t"Breast"\n!Sample_title\t"a"\t"b"\n"ID_REF"\t"GSM1"\t"GSM2"\n"g"\t1\t2\n'
    with pytest.raises(UserError, match="is a series matrix of GEO. Take its table alone"):
        parsed(tmp_path, text, target=-1)


def test_rows_of_different_lengths_are_told_before_a_header_is_asked_for(tmp_path):
    with pytest.raises(UserError, match="line 3: has 3 fields. The first row has 2."):
        parsed(tmp_path, "a,b\nc,d\ne,f,g\n", target=-1)


def test_points_beside_decimal_commas_are_not_read_as_decimal_points(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a;b;c\n1,5;987;x\n2,5;1.368;y\n")
    with pytest.raises(UserError, match="column 'b' is not numeric. It has '1.368'"):
        read(path, target="c", decimal=",")
