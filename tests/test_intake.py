"""A user's own file taken in: what is mended with a warning, and what is refused in one line."""

import gzip

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csr_array, issparse

from imbfs.errors import UserError
from imbfs.own import drafting
from imbfs.own.intake import take

RNG = np.random.default_rng(0)


def table(path, rows=40, *, extra=None, target=None, separator=","):
    """A file of two features, a class of which 12 in 40 are ill, and further columns."""
    ill = target or ["ill" if i % 10 < 3 else "well" for i in range(rows)]
    values = np.random.default_rng(1).normal(size=(rows, 2)).round(3)
    columns = {"a": values[:, 0], "b": values[:, 1], **(extra or {}), "class": ill}
    lines = [separator.join(columns)]
    lines += [separator.join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def refused(*arguments, **options) -> str:
    with pytest.raises(UserError) as error:
        take(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def warned(intake) -> str:
    return "\n".join(intake.warnings)


def test_a_plain_file_is_taken_without_a_word(tmp_path):
    path = table(tmp_path / "a.csv")
    intake = take(path, "class")
    assert intake.X.shape == (40, 2)
    assert intake.names == ("a", "b")
    assert intake.classes == {1: "ill", -1: "well"}
    assert intake.counts == {"ill": 12, "well": 28}
    assert (intake.y == 1).sum() == 12
    assert intake.spec == {"path": str(path), "target": "class"}
    assert intake.warnings == ()


def test_positive_names_the_class_that_is_plus_one(tmp_path):
    intake = take(table(tmp_path / "a.csv"), "class", "well")
    assert intake.classes == {1: "well", -1: "ill"}
    assert (intake.y == 1).sum() == 28
    several = ["x", "y", "z", "y"] * 10
    intake = take(table(tmp_path / "b.csv", target=several), "class", "z")
    assert intake.classes == {1: "z", -1: "not z"}
    assert intake.kind == "binary"
    intake = take(table(tmp_path / "b.csv", target=several), "class")
    assert intake.kind == "multiclass"
    assert intake.classes == {0: "x", 1: "y", 2: "z"}


def test_the_target_may_be_a_place(tmp_path):
    path = table(tmp_path / "a.csv")
    for place in (2, -1, "2", "-1"):
        intake = take(path, place)
        assert intake.spec["target"] == "class"
        assert f"target: column {place} is 'class'" in intake.warnings
    assert "there is no column 7. They are 0 to 2" in refused(path, "7")


def test_a_name_that_is_a_number_is_a_name_first(tmp_path):
    path = table(tmp_path / "a.csv", extra={"1": ["u", "v"] * 20})
    intake = take(path, "1")
    assert set(intake.counts) == {"u", "v"}
    assert "target 1 is the column of that name, not column number 1" in intake.warnings


def test_texts_become_features_and_long_ones_are_left_out(tmp_path):
    extra = {
        "id": [f"P{i}" for i in range(40)],
        "sex": ["m", "w", "NA", "m"] * 10,
        "stage": ["I", "II", "III", "II"] * 10,
    }
    path = tmp_path / "a.csv"
    table(path, extra=extra, separator=";")
    intake = take(path, "class")
    expected = ("a", "b", "sex=w", "stage=I", "stage=II", "stage=III")
    assert intake.names == expected
    np.testing.assert_array_equal(intake.X[:4, 2], [0, 1, np.nan, 0])
    np.testing.assert_array_equal(intake.X[:4, 4], [0, 1, 0, 1])
    assert intake.missing == 10
    assert intake.spec["read"] == {"texts": "encode", "drop": ["id"]}
    assert intake.spec["impute"] == "median"
    assert "column 'id', more than 20 different texts, is left out" in warned(intake)
    assert "10 values are missing" in warned(intake)


def test_a_first_column_of_ids_is_told(tmp_path):
    path = tmp_path / "a.csv"
    table(path, extra={})
    lines = path.read_text().split("\n")
    named = ["patient," + lines[0], *(f"P{i},{line}" for i, line in enumerate(lines[1:]))]
    path.write_text("\n".join(named))
    intake = take(path, "class")
    assert intake.names == ("a", "b")
    assert "column 'patient', texts that all differ, holds ids" in warned(intake)


def test_a_number_spoilt_by_a_text_is_told_with_its_line(tmp_path):
    ages = [str(30 + i) for i in range(40)]
    ages[4] = "unknown"
    said = refused(table(tmp_path / "a.csv", extra={"age": ages}), "class")
    assert "line 6: column 'age' is not numeric. It has 'unknown' among numbers" in said


def test_names_used_twice_are_numbered(tmp_path):
    path = table(tmp_path / "a.csv", extra={"a.2": range(0, 80, 2)})
    path.write_text(path.read_text().replace("a,b,a.2", "a,a,a.2", 1))
    intake = take(path, "class", drop=["a.2"])
    assert intake.names == ("a", "a.3")
    assert "names used more than once were numbered: a, a.2, ..." in warned(intake)


def test_names_may_be_in_any_script(tmp_path):
    path = table(
        tmp_path / "daten.csv", extra={"Größe ✓": RNG.normal(size=40), "遺伝子": [1, 2] * 20}
    )
    intake = take(path, "class")
    assert intake.names[2:] == ("Größe ✓", "遺伝子")


def test_what_is_odd_is_warned_of(tmp_path):
    ill = ["ill" if i % 10 == 3 else "well" for i in range(40)]
    extra = {
        "sample_no": range(101, 141),
        "result": [int(label == "ill") for label in ill],
        "days": [50 + i if label == "ill" else i for i, label in enumerate(ill)],
        "unit": [1] * 40,
    }
    path = table(tmp_path / "a.csv", extra=extra, target=ill)
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines, lines[-1], lines[-1].replace("well", "ill")]))
    said = warned(take(path, "class"))
    assert "class 'ill' has 5 samples only" in said
    assert "2 rows repeat an earlier one, 1 of them in another class" in said
    assert "1 feature is constant" in said
    said = warned(take(table(path, extra=extra, target=ill), "class"))
    assert "'result' is the class under another name" in said
    assert "'days' parts the classes without error" in said
    assert "'sample_no' is a whole number that differs in every row" in said


def test_the_class_among_the_features_is_found_when_it_is_a_text(tmp_path):
    ill = ["ill" if i % 10 < 3 else "well" for i in range(40)]
    copy = ["yes" if label == "ill" else "no" for label in ill]
    said = warned(take(table(tmp_path / "a.csv", extra={"relapsed": copy}, target=ill), "class"))
    assert "'relapsed=yes' is the class under another name" in said


@pytest.mark.parametrize(
    ("column", "said"),
    {
        "measurements": (
            RNG.normal(size=40).round(4),
            "looks continuous: 40 different numbers in 40",
        ),
        "ages": ([30 + i % 20 for i in range(40)], "looks continuous: 20 different numbers in 40"),
        "ids": ([f"P{i}" for i in range(40)], "looks like ids: 40 different texts in 40 rows"),
        "one class": (["x"] * 40, "has one class only (x). Two or more are needed."),
        "one sample": (["x"] * 39 + ["z"], "class 'z' has 1 sample. At least 2"),
        "a gap": (["x", "", "y", "y"] * 10, "sample 2 has no class."),
    }.values(),
)
def test_a_target_that_holds_no_classes_is_refused(tmp_path, column, said):
    path = table(tmp_path / "a.csv", target=list(column))
    assert said in refused(path, "class")


def test_two_of_a_class_are_enough_to_go_on(tmp_path):
    path = table(tmp_path / "a.csv", target=["x"] * 38 + ["z"] * 2)
    assert "class 'z' has 2 samples only" in warned(take(path, "class"))


def test_a_target_or_class_that_is_not_there_names_those_that_are(tmp_path):
    path = table(tmp_path / "a.csv")
    said = refused(path, "clas")
    assert "there is no column 'clas'. Did you mean 'class'? There are: a, b, class." in said
    assert "positive: no class 'sick'. Classes: ill, well." in refused(path, "class", "sick")
    assert "which column holds the class? Columns: a, b, class" in refused(path)
    assert "there is no such file" in refused(tmp_path / "b.csv", "class")


def genes_in_rows(path):
    X = RNG.normal(size=(6, 20)).round(3)
    lines = ["gene," + ",".join(f"s{i}" for i in range(20))]
    lines += ["class," + ",".join(["ill"] * 6 + ["well"] * 14)]
    lines += [f"g{j}," + ",".join(map(str, row)) for j, row in enumerate(X)]
    path.write_text("\n".join(lines))
    return X


def test_samples_in_columns_are_noticed(tmp_path):
    path = tmp_path / "genes.csv"
    X = genes_in_rows(path)
    said = refused(path, "class")
    assert "'class' is the name of a row: the samples stand in columns. Give --samples" in said
    intake = take(path, "class", samples="columns")
    np.testing.assert_array_equal(intake.X, X.T)
    assert intake.spec["read"] == {"samples": "columns"}
    assert "there is no row 'clas'. Did you mean 'class'" in refused(
        path, "clas", samples="columns"
    )


def test_groups_are_no_feature_and_keep_rows_together(tmp_path):
    patients = [f"p{i // 2}" for i in range(40)]
    path = table(tmp_path / "a.csv", extra={"patient": patients})
    intake = take(path, "class", group="patient")
    assert intake.names == ("a", "b")
    assert len(np.unique(intake.groups)) == 20
    assert (intake.groups[::2] == intake.groups[1::2]).all()
    assert intake.spec["read"] == {"group": "patient"}
    assert "group: there is no column 'nobody'" in refused(path, "class", group="nobody")
    assert "group: 'class' is the target" in refused(path, "class", group="class")


def test_formats_without_columns_need_no_target(tmp_path):
    X = np.round(RNG.random((20, 5)), 2) * (RNG.random((20, 5)) < 0.5)
    y = np.r_[np.ones(6), np.zeros(14)]
    rows = [
        " ".join([f"{int(label)}", *(f"{j + 1}:{v}" for j, v in enumerate(row) if v)])
        for label, row in zip(y, X, strict=True)
    ]
    libsvm = tmp_path / "a.txt.gz"
    libsvm.write_bytes(gzip.compress("\n".join(rows).encode()))
    savemat(tmp_path / "a.mat", {"fea": csr_array(X), "gnd": y[:, None], "trainIdx": [1, 2]})
    for path in (libsvm, tmp_path / "a.mat"):
        intake = take(path)
        assert issparse(intake.X)
        np.testing.assert_array_equal(intake.X.toarray(), X)
        assert intake.counts == {"1": 6, "0": 14}
        assert intake.names[0] == "feature 1"
    assert intake.spec["read"] == {"X": "fea", "y": "gnd"}
    assert "has no columns to name" in refused(libsvm, group="patient")


def test_several_labels_a_sample_ask_for_one(tmp_path):
    labels = (RNG.random((20, 3)) < 0.4).astype(float)
    savemat(tmp_path / "a.mat", {"X": RNG.normal(size=(20, 4)), "Y": labels})
    assert "several labels a sample. Choose one with --positive: 1, 2, 3" in refused(
        tmp_path / "a.mat"
    )
    assert take(tmp_path / "a.mat", positive=2).kind == "binary"


def test_thousands_of_columns_are_read(tmp_path):
    X = RNG.integers(0, 1000, size=(12, 5_000))
    header = ",".join(f"g{j}" for j in range(5_000)) + ",class"
    lines = [",".join(map(str, row)) + f",{'xy'[i % 3 == 0]}" for i, row in enumerate(X)]
    (tmp_path / "wide.csv").write_text("\n".join([header, *lines]))
    intake = take(tmp_path / "wide.csv", "class")
    np.testing.assert_array_equal(intake.X, X)
    assert intake.counts == {"y": 4, "x": 8}


def without_names(path, columns):
    path.write_text("\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True)))
    return path


def test_a_file_without_names_is_taken_by_places(tmp_path):
    values = np.random.default_rng(1).normal(size=(40, 2)).round(3)
    ill = ["ill" if i % 10 < 3 else "well" for i in range(40)]
    patients = [f"p{i // 2}" for i in range(40)]
    columns = [*values.T, patients, range(3, 43), ill]
    path = without_names(tmp_path / "a.csv", columns)
    for target, group, drop in ((-1, 2, 3), ("-1", "2", "3"), ("4", "-3", "-2")):
        intake = take(path, target, group=group, drop=[drop])
        np.testing.assert_array_equal(intake.X, values)
        assert intake.counts == {"ill": 12, "well": 28}
        assert len(np.unique(intake.groups)) == 20
    assert "target: there is no column 5. They are 0 to 4." in refused(path, "5")
    assert "'class': the columns have no names. Give a position." in refused(path, "class")


def test_a_place_is_not_looked_for_among_the_values_of_the_first_row(tmp_path):
    columns = [[2, *range(39)], [0.5, 1.5] * 20, ["b", "a", "a", "b"] * 10, [3, 4] * 20]
    path = without_names(tmp_path / "a.csv", columns)
    for target in (2, "2"):
        intake = take(path, target, drop=["3"])
        assert intake.X.shape == (40, 2)
        assert intake.counts == {"a": 20, "b": 20}


def test_long_texts_of_a_file_without_names_are_left_out_by_their_place(tmp_path):
    columns = [[1, *range(39)], [f"P{i % 30}" for i in range(40)], ["b", "a", "a", "b"] * 10]
    intake = take(without_names(tmp_path / "a.csv", columns), -1)
    assert intake.X.shape == (40, 1)
    assert intake.spec["read"]["drop"] == [1]
    assert "column 1, more than 20 different texts, is left out" in warned(intake)


def test_drop_takes_a_place_as_target_does(tmp_path):
    path = table(tmp_path / "a.csv", extra={"c": range(40)})
    for place in (2, "2", "-2"):
        assert take(path, "class", drop=[place]).names == ("a", "b")


def test_texts_that_are_all_left_out_became_no_features(tmp_path):
    extra = {"id": [f"P{i}" for i in range(40)], "x": [f"Q{i}" for i in range(40)]}
    intake = take(table(tmp_path / "a.csv", extra=extra), "class")
    assert intake.spec["read"] == {"drop": ["id", "x"]}
    assert "became features" not in warned(intake)


def test_the_column_of_a_text_that_is_the_class_is_named_as_drop_takes_it(tmp_path):
    ill = ["ill" if i % 10 < 3 else "well" for i in range(40)]
    code = ["Z 00" if label == "ill" else "K7" for label in ill]
    path = table(tmp_path / "a.csv", extra={"ICD code": code}, target=ill)
    said = "'ICD code=Z 00' is the class under another name: give --drop 'ICD code'"
    assert said in warned(take(path, "class"))
    assert "under another name" not in warned(take(path, "class", drop=["ICD code"]))


def test_a_feature_with_gaps_parts_the_classes_where_it_has_a_value(tmp_path):
    values = [("" if i % 7 == 1 else 50 + i if i % 10 < 3 else i) for i in range(40)]
    said = warned(take(table(tmp_path / "a.csv", extra={"days": values}), "class"))
    assert "'days' parts the classes without error where there is a value: make" in said


def test_columns_that_are_listed_are_cut_short(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(" ".join(f"gene{j}" for j in range(3000)) + "\n")
    assert len(refused(path, "class")) < 400
    table(path, extra={"g" * 20_000: range(40)})
    for target in (None, "clas", "g" * 19_999):
        assert len(refused(path, target).replace("g" * 19_999, "")) < 600


def test_tables_of_r_are_taken(tmp_path):
    rows = [f'"s{i}" {i / 7:.3f} {i % 5} "{"ill" if i % 10 < 3 else "well"}"' for i in range(40)]
    (tmp_path / "khan.txt").write_text('"gene1" "gene2" "tumour"\n' + "\n".join(rows))
    intake = take(tmp_path / "khan.txt", "tumour")
    assert intake.names == ("gene1", "gene2")
    assert "separator blanks" in intake.how


def test_long_numbers_that_floats_cannot_tell_apart_are_classes_of_their_own(tmp_path):
    path = tmp_path / "a.csv"
    codes = ["999000000000000102", "999000000000000103", "225000000"] * 20
    path.write_text("x,class\n" + "".join(f"{i * i % 17},{code}\n" for i, code in enumerate(codes)))
    assert set(take(path, "class").classes.values()) == set(codes)


def test_classes_are_not_matched_by_order_where_both_files_have_numeric_ids(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,x\n" + "".join(f"{1000 + i},{i % 7}.5\n" for i in range(30)))
    rows = [f"{1029 - i},{'ab'[i % 2]}\n" for i in range(30)]
    (tmp_path / "b.csv").write_text("id,class\n" + "".join(rows))
    with pytest.raises(UserError, match="'id' stands in both files, in another order"):
        take(path, read={"labels": "b.csv"})
    assert take(path, read={"labels": "b.csv", "ids": "id"}).y.tolist() == [1, -1] * 15


def test_a_file_of_classes_without_end_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n2\n")
    with pytest.raises(UserError, match="/dev/zero: is no plain file"):
        take(path, read={"labels": "/dev/zero"})


def test_groups_that_are_few_or_of_another_size_in_a_class_are_told_of(tmp_path):
    path = tmp_path / "a.csv"
    sizes = [(8, "rare")] * 5 + [(2, "common")] * 20
    rows = [(g, c) for g, (size, c) in enumerate(sizes) for _ in range(size)]
    lines = [f"p{g},{(g * 7 + i * i) % 23}.5,{c}\n" for i, (g, c) in enumerate(rows)]
    path.write_text("p,x,class\n" + "".join(lines))
    told = take(path, "class", group="p").warnings
    assert any("class 'rare' has 5 groups only" in line for line in told)
    assert any("8.0 rows on average, those of 'common' 2.0" in line for line in told)


def test_groups_written_as_0_and_as_0_point_0_are_one(tmp_path):
    path = tmp_path / "a.csv"
    rows = [(f"{i % 10}.0" if i % 20 < 10 else f"{i % 10}", "ab"[i % 10 > 6]) for i in range(40)]
    path.write_text(
        "p,x,class\n" + "".join(f"{g},{i * i % 13},{c}\n" for i, (g, c) in enumerate(rows))
    )
    assert len(set(take(path, "class", group="p").groups)) == 10


def test_the_config_has_no_more_folds_than_the_smaller_class_has_groups(tmp_path):
    path = tmp_path / "a.csv"
    rows = [(i // 5, "ab"[i >= 40]) for i in range(50)]
    path.write_text(
        "p,x,class\n" + "".join(f"p{g},{i * i % 13},{c}\n" for i, (g, c) in enumerate(rows))
    )
    text = drafting.draft(take(path, "class", group="p"), tmp_path / "a.yaml")
    assert "folds: 2}" in text
