"""Near copies of rows are told of, and rows that are as near as rows are are not."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from imbfs.datasets import Source, load, view
from imbfs.own import near_copies
from imbfs.own.intake import take

NAMES = {1: "rare", -1: "usual"}


def clouds(n=150, d=40, rare=30, latent=6, seed=0):
    """Measures that a few hidden ones drive, and classes a little apart."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < rare, 1, -1)
    hidden = rng.normal(size=(n, latent)) + 0.8 * (y == 1)[:, None]
    return hidden @ rng.normal(size=(latent, d)) + rng.normal(size=(n, d)), y


def jittered(X, y, by, times=2):
    """The rows of the rare class again, each value moved by a share of the spread of its column."""
    rng, rows = np.random.default_rng(1), np.repeat(np.flatnonzero(y == 1), times)
    moved = X[rows] + by * X.std(axis=0) * rng.normal(size=(len(rows), X.shape[1]))
    return np.vstack([X, moved]), np.r_[y, y[rows]]


def smote(X, y, n=60):
    """Rows between those of the rare class and a neighbour, added before any split."""
    rng, rare = np.random.default_rng(2), X[y == 1]
    apart = ((rare[:, None] - rare) ** 2).sum(axis=2)
    first = rng.integers(len(rare), size=n)
    second = np.argsort(apart, axis=1)[first, rng.integers(1, 6, size=n)]
    made = rare[first] + rng.random((n, 1)) * (rare[second] - rare[first])
    return np.vstack([X, made]), np.r_[y, np.ones(n, dtype=int)]


def told(X, y, together=None) -> str:
    return "".join(near_copies.told(X, y, NAMES, together))


@pytest.mark.parametrize("by", [0.001, 0.02, 0.1])
def test_jittered_copies_are_told_of(by):
    found = told(*jittered(*clouds(), by))
    assert found.startswith("100% of the rows of rare lie far nearer")
    assert "usual " not in found.partition("lie far")[0]


def test_rows_that_smote_made_are_told_of():
    assert "rows of rare" in told(*smote(*clouds()))


def test_rows_of_patients_are_told_of_unless_they_stay_together():
    X, _ = clouds(n=30)
    who = np.repeat(np.arange(30), 5)
    X = X[who] + 0.2 * np.random.default_rng(3).normal(size=(150, 40))
    y = np.where(who < 10, 1, -1)
    assert "rows of rare, 100% of the rows of usual" in told(X, y)
    assert told(X, y, who) == ""


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("latent", [1, 3, 12])
def test_ordinary_rows_are_not(seed, latent):
    assert told(*clouds(seed=seed, latent=latent)) == ""


def test_neither_are_those_of_tight_clusters():
    rng = np.random.default_rng(5)
    which = np.repeat(np.arange(4), 40)
    X = 30 * rng.normal(size=(4, 20))[which] + rng.normal(size=(160, 20))
    assert told(X, np.where(which == 0, 1, -1)) == ""


def test_whole_numbers_missing_values_and_constant_columns_are_no_copies():
    rng = np.random.default_rng(6)
    X, y = clouds()
    X = np.hstack([X.round(), np.ones((150, 2)), rng.integers(0, 2, size=(150, 5))])
    X[rng.random(X.shape) < 0.1] = np.nan
    assert told(X, y) == ""
    assert told(rng.integers(0, 3, size=(150, 30)) + 0.0, y) == ""
    assert told(np.full((150, 30), np.nan), y) == ""


def test_exact_copies_are_left_to_their_own_warning():
    X, y = jittered(*clouds(), 0.0)
    assert told(X, y) == ""


def test_small_sparse_and_very_long_sets_are_let_be():
    X, y = clouds(n=30, rare=10)
    assert told(*jittered(X, y, 0.01, times=0)) == ""
    assert told(csr_array(X), y) == ""
    many = np.zeros((2_000_000, 200), dtype=np.int8)
    assert len(near_copies.found(many, np.ones(2_000_000), None)[0]) == 0


def test_the_intake_warns(tmp_path):
    X, y = jittered(*clouds(), 0.05)
    frame = pd.DataFrame(X.round(3), columns=[f"g{j}" for j in range(40)])
    frame.assign(kind=[NAMES[code] for code in y]).to_csv(tmp_path / "a.csv", index=False)
    assert any("near copies" in line for line in take(tmp_path / "a.csv", "kind").warnings)


@pytest.mark.data
@pytest.mark.parametrize(
    "name", "golub shipp cns brain_tumor90 colon ovarian_ms prodata arcene isolet usps_all".split()
)
def test_sets_of_the_papers_have_none(name, data_folder):
    data = load(Source(name))
    y = view(data).y
    names = {code: str(code) for code in np.unique(y)}
    assert near_copies.told(data.X, y, names, None) == []
