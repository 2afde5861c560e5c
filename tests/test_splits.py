"""Random choices about data: paired over methods, stratified over folds, refused in time."""

import numpy as np
import pytest

from imbfs.errors import UserError
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL
from imbfs.splits import (
    CV,
    Given,
    Holdout,
    Online,
    check_splittable,
    identity,
    seed_for,
)


def labels(n_minority: int, n_majority: int) -> np.ndarray:
    y = np.array([1] * n_minority + [-1] * n_majority)
    return np.random.default_rng(0).permutation(y)


def test_folds_are_stratified_and_cover_every_row_once():
    y = labels(10, 90)
    tests = [CV(folds=5).split(y, BINARY, seed=4, fold=f)[1] for f in range(5)]
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(100))
    assert [np.sum(y[test] > 0) for test in tests] == [2] * 5


@pytest.mark.parametrize("protocol", [CV(), Holdout(), Online()])
@pytest.mark.parametrize("kind", [BINARY, MULTICLASS, MULTILABEL])
def test_training_and_test_rows_never_meet_and_the_same_seed_gives_the_same(protocol, kind):
    rng = np.random.default_rng(0)
    y = {
        BINARY: labels(30, 70),
        MULTICLASS: rng.integers(0, 3, 100),
        MULTILABEL: rng.integers(0, 2, (100, 4)),
    }[kind]
    train, test = protocol.split(y, kind, seed=9, fold=0)
    again = protocol.split(y, kind, seed=9, fold=0)
    assert not set(train) & set(test)
    assert len(train) + len(test) == 100
    np.testing.assert_array_equal(train, again[0])
    other, _ = protocol.split(y, kind, seed=10, fold=0)
    assert not np.array_equal(train, other)


def test_training_rows_come_in_random_order():
    y = np.repeat([1, -1], 50)  # a file sorted by class
    train, _ = Online().split(y, BINARY, seed=0)
    assert 10 < np.sum(y[train[:40]] > 0) < 30


@pytest.mark.parametrize("protocol", [Holdout, Online])
def test_a_fixed_part_changes_its_order_alone_from_repeat_to_repeat(protocol):
    y = labels(30, 70)
    first, second = (protocol(part="fixed").split(y, BINARY, 5, repeat=r) for r in (0, 1))
    np.testing.assert_array_equal(first[1], second[1])
    assert sorted(first[0]) == sorted(second[0])
    assert not np.array_equal(first[0], second[0])


def test_the_identity_of_a_fresh_part_is_older_than_the_choice():
    # Records made before a part could be fixed must be found.
    holdout = {"protocol": "Holdout", "revision": 1, "test": 0.25}
    assert identity(Holdout()) == holdout
    assert identity(Online()) == {
        "protocol": "Online", "revision": 1, "test": 0.2, "checkpoints": 10,
    }  # fmt: skip
    assert identity(CV()) == {"protocol": "CV", "revision": 1, "folds": 4}
    assert identity(Holdout(part="fixed")) == holdout | {"part": "fixed"}


def test_given_test_rows_leave_nothing_of_how_some_are_held_out():
    one, other = Online(), Online(test=0.4, part="fixed", repeats=3)
    assert identity(one, given=True) == identity(other, given=True)
    assert identity(one, given=True)["checkpoints"] == 10


def test_checkpoints_are_even_and_end_with_the_last_sample():
    assert Online(checkpoints=4).stops(10) == [2, 5, 8, 10]
    assert Online(checkpoints=10).stops(3) == [1, 2, 3]


def test_a_seed_depends_on_every_part():
    seeds = {seed_for(0, "a", 1), seed_for(1, "a", 1), seed_for(0, "b", 1), seed_for(0, "a", 2)}
    assert len(seeds) == 4
    assert seed_for(0, "a", 1) == seed_for(0, "a", 1) < 2**32


def test_what_the_class_counts_do_not_allow_is_refused():
    y = labels(6, 60)
    check_splittable(CV(folds=6), y, BINARY, None)
    with pytest.raises(
        UserError, match="6 samples of the smaller class are fewer than the 7 it takes"
    ):
        check_splittable(CV(folds=7), y, BINARY, None)
    with pytest.raises(
        UserError, match=r"ratio of 30 leaves 2 samples .*natural: 10.*4 are needed"
    ):
        check_splittable(CV(folds=4), y, BINARY, 30)


def test_what_the_counts_of_several_classes_do_not_allow_is_refused():
    y = np.repeat([0, 1, 2], [60, 50, 40])  # at 1:10 60, 18.97 and 6 are left
    check_splittable(CV(folds=6), y, MULTICLASS, 10)
    with pytest.raises(
        UserError, match=r"ratio of 10 leaves 6 samples .*natural: 1.5\), but 7 are needed"
    ):
        check_splittable(CV(folds=7), y, MULTICLASS, 10)
    with pytest.raises(UserError, match="ratio of 1000 leaves 0 samples .*but 1 are needed"):
        check_splittable(Given, y, MULTICLASS, 1000)
    with pytest.raises(UserError, match="4 training samples .* 5 are needed"):
        check_splittable(Holdout(), y, MULTICLASS, 10, validation=0.2)
    with pytest.raises(UserError, match="a multi-label set keeps its natural ratio"):
        check_splittable(CV(), np.eye(9), MULTILABEL, 10)
