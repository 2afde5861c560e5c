"""Columns that look like the ids of patients are told of, and ordinary ones are not."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from imbfs.datasets import Data, formats
from imbfs.own import grouping
from imbfs.own.intake import take


def visits(path, name, ids, n=30, each=6, ill=10, **more):
    """Noise of several rows a patient, in no order."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(n), each)
    frame = pd.DataFrame(rng.normal(size=(n * each, 5)).round(4), columns=list("abcde"))
    frame[name] = np.array(ids(n))[who]
    frame["relapse"] = np.where(who < ill, "yes", "no")
    frame.assign(**more).sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


def said(intake) -> str:
    return "\n".join(line for line in intake.warnings if "are these patients" in line)


def texts(n):
    return [f"P{i:02d}" for i in range(n)]


def numbers(n):
    return 100 + np.random.default_rng(2).permutation(n)


@pytest.mark.parametrize("ids", [texts, numbers])
@pytest.mark.parametrize("n", [12, 30])
def test_a_column_of_patients_is_told_of_with_the_option(tmp_path, ids, n):
    path = visits(tmp_path / "a.csv", "patient id", ids, n=n, ill=n // 3)
    told = said(take(path, "relapse"))
    assert told == (
        f"'patient id' has {n} values in {6 * n} rows, one class each: are these patients? "
        "Then give --group 'patient id'"
    )
    assert "patient id" in said(take(path, "relapse", drop=["patient id"]))
    assert said(take(path, "relapse", group="patient id")) == ""


def test_columns_left_out_are_not_read_again_where_groups_are_given(tmp_path, monkeypatch):
    path = visits(tmp_path / "a.csv", "who", texts, ward=1.5, room=2.5)
    again, read = [], formats.read

    def counted(*arguments, **options):
        again.append(options.get("group"))
        return read(*arguments, **options)

    monkeypatch.setattr(formats, "read", counted)
    take(path, "relapse", drop=["ward", "room"])
    assert {"ward", "room"} <= set(again)
    again.clear()
    take(path, "relapse", drop=["ward", "room"], group="who")
    assert not {"ward", "room"} & set(again)


@pytest.mark.parametrize("command", ["init", "select"])
def test_the_commands_print_it(tmp_path, imbfs, command):
    answer = imbfs(command, visits(tmp_path / "a.csv", "who", numbers), "-t", "relapse")
    assert answer.code == 0
    assert "Then give --group who." in " ".join(answer.err.split())


def test_patients_that_stand_beside_the_classes_in_a_second_file_are_told_of(tmp_path):
    rng, who = np.random.default_rng(0), np.repeat(np.arange(20), 4)
    genes = pd.DataFrame(rng.normal(size=(6, 80)).round(3), columns=[f"s{i}" for i in range(80)])
    genes.insert(0, "gene", list("abcdef"))
    genes.to_csv(tmp_path / "genes.csv", index=False)
    pheno = pd.DataFrame({"id": [f"s{i}" for i in range(80)], "age": rng.integers(30, 80, 80)})
    pheno = pheno.assign(kind=np.where(who < 7, "ill", "well"), patient=[f"P{i}" for i in who])
    pheno.sample(frac=1, random_state=0).to_csv(tmp_path / "pheno.csv", index=False)
    options = {"samples": "columns", "read": {"labels": "pheno.csv"}}
    told = said(take(tmp_path / "genes.csv", "kind", **options))
    assert told.startswith("'patient' has 20 values in 80 rows, one class each")
    assert told.endswith("Then give --group patient")
    for place in (2, -2):
        assert said(take(tmp_path / "genes.csv", place, **options)) == told
    assert said(take(tmp_path / "genes.csv", "kind", group="patient", **options)) == ""


def test_measures_of_patients_are_named_behind_the_first(tmp_path):
    weight = np.repeat(np.random.default_rng(3).normal(70, 9, size=30).round(3), 6)
    path = visits(tmp_path / "a.csv", "who", texts, weight=weight)
    assert said(take(path, "relapse")).startswith("'who' has 30 values in 180 rows; 'weight' has")


def test_a_column_with_missing_values_or_two_classes_in_a_value_is_none(tmp_path):
    path = visits(tmp_path / "a.csv", "who", texts)
    frame = pd.read_csv(path)
    frame.loc[0, "relapse"] = "no" if frame.loc[0, "relapse"] == "yes" else "yes"
    frame.to_csv(path, index=False)
    assert said(take(path, "relapse")) == ""


def test_copies_of_the_whole_file_are_no_patients(tmp_path):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame["kind"] = np.where(np.arange(40) < 12, "x", "y")
    pd.concat([frame] * 4).to_csv(tmp_path / "a.csv", index=False)
    assert said(take(tmp_path / "a.csv", "kind")) == ""


def test_the_chance_is_the_share_of_all_ways_to_deal_the_classes():
    counts, classes = np.array([2, 3, 1, 2, 2]), np.array([1, 0, 0, 1, 0])
    values = np.repeat(np.arange(5), counts)
    pure = 0
    ways = list(combinations(range(10), 4))
    for rare in ways:
        y = np.isin(np.arange(10), rare)
        pure += all(len(set(y[values == value])) == 1 for value in range(5))
    assert grouping._chance(counts, classes) == pytest.approx(pure / len(ways))


def clinical(rng, n, rare):
    """Columns as hospitals have them, many of them strongly tied to the class."""
    y = np.where(rng.permutation(n) < rare, 1, -1)
    ill, tie = y == 1, rng.exponential(1.0, size=12)
    columns = [
        rng.normal(size=n) + tie[0] * ill,  # a measure
        (rng.normal(size=n) + tie[1] * ill).round(1),
        rng.normal(60, 12, size=n).round() + np.round(9 * tie[2]) * ill,  # years
        (rng.random(n) < 0.2 + 0.7 * ill * (tie[3] > 1)) * 1.0,  # yes or no
        np.clip(rng.poisson(1 + tie[4] * ill), 0, 4),  # a stage
        rng.poisson(3 + 4 * tie[5] * ill),  # a score
        rng.poisson(0.3 + 2 * tie[6] * ill) * rng.integers(1, 9, size=n),  # cigarettes, often none
        rng.integers(0, 12, size=n),  # a ward
        np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 40, size=n)),
        np.round(2 ** rng.normal(4 + tie[9] * ill)),  # a count of cells
        np.repeat(np.arange(n), 2)[:n] + 0.0,  # pairs of a patient and a control, maybe
        np.full(n, 1.0),
    ]
    return Data(np.column_stack(columns), (y == 1).astype(np.int64), ("no", "yes")), y


def test_ordinary_columns_are_not_told_of():
    rng = np.random.default_rng(6)
    for _ in range(200):
        n = int(rng.integers(20, 400))
        data, y = clinical(rng, n, int(rng.integers(4, n // 2)))
        assert grouping.suspected(data, y, {}, set()) == []
