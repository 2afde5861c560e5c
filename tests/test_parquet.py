"""Parquet tables, written by pandas."""

import sys

import numpy as np
import pandas as pd
import pytest

from imbfs.datasets.formats import read
from imbfs.errors import UserError


def parsed(folder, columns: dict, **options):
    pytest.importorskip("pyarrow")
    path = folder / "a.parquet"
    pd.DataFrame(columns).to_parquet(path)
    return read(path, **options)


TABLE = {"id": ["p", "q", "r"], "age": [60, 41, 35], "dose": [1.5, 0, 2], "out": ["x", "y", "x"]}


@pytest.mark.parametrize("target", ["out", -1, 3])
def test_a_table_is_read(target, tmp_path):
    data = parsed(tmp_path, TABLE, target=target, ids="id")
    np.testing.assert_array_equal(data.X, [[60, 1.5], [41, 0], [35, 2]])
    assert data.X.dtype == np.float64 and data.X.flags.c_contiguous
    assert (data.names, data.classes) == (("age", "dose"), ("x", "y"))
    np.testing.assert_array_equal(data.y, [0, 1, 0])


def test_classes_may_be_numbers_categories_or_truths(tmp_path):
    def classes(values):
        return parsed(tmp_path, {"x": [1, 2, 3], "y": values}, target="y").classes

    assert classes([2, 1, 2]) == (1, 2)
    assert classes([True, False, True]) == (0, 1)
    assert classes(pd.Categorical(["b", "a", "b"])) == ("a", "b")
    assert classes(pd.array([1, 2, 1], dtype="Int64")) == (1, 2)


def test_missing_values_stay_only_where_they_will_be_filled_in(tmp_path):
    columns = {"x": pd.array([1, None, 3], dtype="Int64"), "y": ["a", "b", "a"]}
    with pytest.raises(UserError, match="sample 2, feature 'x' is missing"):
        parsed(tmp_path, columns, target="y")
    data = parsed(tmp_path, columns, target="y", impute="median")
    np.testing.assert_array_equal(data.X, [[1], [np.nan], [3]])


BAD = {
    "no target": ({}, "target: which column holds the class? Columns: id, age, dose, out."),
    "no such target": ({"target": "outt"}, "there is no column 'outt'. Did you mean 'out'?"),
    "a text": ({"target": "out"}, "column 'id' is not numeric. Leave it out with drop."),
}


@pytest.mark.parametrize("options, message", BAD.values(), ids=BAD)
def test_a_mistake_is_told_in_one_line(options, message, tmp_path):
    with pytest.raises(UserError) as refused:
        parsed(tmp_path, TABLE, **options)
    assert str(refused.value).startswith(f"{tmp_path / 'a.parquet'}: ")
    assert message in str(refused.value)


def test_a_sample_without_a_class_is_refused(tmp_path):
    with pytest.raises(UserError, match="sample 2 has no class"):
        parsed(tmp_path, {"x": [1, 2, 3], "y": ["a", None, "b"]}, target="y")


def test_a_damaged_file_and_a_missing_package_are_told(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + bytes(50) + b"PAR1")
    with pytest.raises(UserError, match="is no valid Parquet file"):
        read(path, target="y")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"needs pyarrow \(pip install pyarrow\)"):
        read(path, target="y")
