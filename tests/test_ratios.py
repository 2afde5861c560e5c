"""Imposed ratios: of two classes, and the long tail of several; rows are nested over ratios."""

import numpy as np
import oracles
import pytest

from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS
from imbfs.ratios import counts_at, counts_left, impose_ratio, impose_tail, tail_counts


def labels(n_minority: int, n_majority: int) -> np.ndarray:
    y = np.array([1] * n_minority + [-1] * n_majority)
    return np.random.default_rng(0).permutation(y)


def classes(*counts: int) -> np.ndarray:
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


def test_a_ratio_above_the_natural_one_drops_minority_samples():
    y = labels(50, 200)
    kept = impose_ratio(y, 20, seed=1)
    assert (np.sum(y[kept] > 0), np.sum(y[kept] < 0)) == (10, 200)


def test_a_ratio_below_the_natural_one_drops_majority_samples():
    y = labels(50, 200)
    kept = impose_ratio(y, 2, seed=1)
    assert (np.sum(y[kept] > 0), np.sum(y[kept] < 0)) == (50, 100)


def test_the_rows_of_a_harder_ratio_are_among_those_of_an_easier_one():
    y = labels(100, 1000)
    easy, hard = impose_ratio(y, 20, seed=3), impose_ratio(y, 50, seed=3)
    assert set(hard) < set(easy)


def test_no_ratio_keeps_every_row():
    assert len(impose_ratio(labels(5, 7), None, seed=0)) == 12


def test_a_ratio_may_be_reached_by_one_side_only():
    y = labels(50, 200)
    assert counts_at(y, 20, "minority") == counts_at(y, 20) == (10, 200)
    assert counts_at(y, 2, "majority") == counts_at(y, 2) == (50, 100)
    assert counts_at(y, 4, "majority") == counts_at(y, 4, "minority") == (50, 200)
    for ratio, by in [(20, "majority"), (2, "minority")]:
        with pytest.raises(UserError, match=f"{ratio} cannot be reached by dropping {by} samples"):
            impose_ratio(y, ratio, 0, by)


def test_a_long_tail_by_hand():
    # Of 1000, 900 and 800 at 1:100: 1000, 1000 / 10 and 1000 / 100.
    assert tail_counts(classes(1000, 900, 800), 100) == [1000, 100, 10]
    # The largest comes first, whichever class it is, and of equal ones the first.
    assert tail_counts(classes(900, 800, 1000), 100) == [100, 10, 1000]
    assert tail_counts(classes(500, 500, 500), 100) == [500, 50, 5]
    # The second has 30 and not the 100 that it might keep.
    assert tail_counts(classes(1000, 30, 20), 100) == [1000, 30, 10]
    # 64 / sqrt(10) = 20.24 and 6.4.
    assert tail_counts(classes(64, 64, 64), 10) == [64, 20, 6]
    assert tail_counts(classes(3, 2, 1), None) == [3, 2, 1]


@pytest.mark.parametrize("seed", range(20))
def test_a_long_tail_matches_its_slow_version(seed):
    rng = np.random.default_rng(seed)
    natural = rng.integers(1, 300, rng.integers(3, 12)).tolist()
    ratio = float(rng.uniform(1.01, 200))
    assert tail_counts(classes(*natural), ratio) == oracles.long_tail(natural, ratio)


def test_a_long_tail_is_what_is_left():
    y = classes(64, 60, 64, 20)
    kept = impose_tail(y, 10, seed=1)
    assert np.bincount(y[kept]).tolist() == tail_counts(y, 10) == [64, 14, 30, 6]
    assert len(set(kept)) == len(kept) and np.all(np.diff(kept) > 0)
    assert not np.array_equal(kept, impose_tail(y, 10, seed=2))
    np.testing.assert_array_equal(kept, impose_tail(y, 10, seed=1))


def test_the_rows_of_a_longer_tail_are_among_those_of_a_shorter_one():
    y = classes(200, 300, 250, 300)
    nested = [set(impose_tail(y, ratio, seed=3)) for ratio in (None, 1.5, 10, 50, 300)]
    assert len(nested[0]) == len(y)
    assert all(hard < easy for easy, hard in zip(nested, nested[1:], strict=False))


def test_the_order_of_classes_may_be_that_of_others():
    # In training class 2 is the largest and class 0 the smallest.
    y, training = classes(40, 30, 20), classes(5, 6, 7)
    assert tail_counts(y, 16, training) == [2, 10, 20]  # 40 / 16 = 2.5, to even; 40 / 4; 40 > 20
    kept = impose_tail(y, 16, seed=0, like=training)
    assert np.bincount(y[kept]).tolist() == [2, 10, 20]


def test_a_ratio_of_several_classes_is_above_one_and_cuts_them_all():
    y = classes(9, 8, 7)
    for ratio in (1, 0.5):
        with pytest.raises(UserError, match=f"ratios: {ratio:g} leaves no long tail"):
            counts_left(y, MULTICLASS, ratio)
    with pytest.raises(UserError, match="ratio_by: of several classes all may be cut"):
        counts_left(y, MULTICLASS, 2, "minority")
    assert counts_left(y, MULTICLASS, None, "minority") == [9, 8, 7]
    assert counts_left(labels(50, 200), BINARY, 20) == [10, 200]
