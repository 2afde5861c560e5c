"""When fewer features are recommended: the rule, with differences to all features worked by hand.

Four folds, n_test/n_train = 1/3: the error of a mean is sqrt(7/12 var), and the 80% interval goes
t_3 = 1.638 errors to either side.
"""

import numpy as np
import pytest

from imbfs.own.nested.compared import Candidate
from imbfs.own.nested.decision import decide, difference, not_worse

ALL = np.array([0.80, 0.70, 0.75, 0.85])


def decided(*differences, sizes=(), least=0.0):
    """The place of the recommended selection, by the differences of each to all features."""
    made = [Candidate("s2n", "svm", str(place)) for place in range(len(differences))]
    values = {one: ALL + np.array(gap) for one, gap in zip(made, differences, strict=True)}
    sizes = dict(zip(made, sizes or range(5, 5 + len(made)), strict=True))
    found = decide(ALL, values, sizes, least, 1 / 3)
    return None if found is None else int(found.features)


@pytest.mark.parametrize(
    ("gap", "fine"),
    [
        ([-0.10, -0.12, -0.08, -0.10], False),  # worse
        ([-0.015, -0.015, -0.015, -0.015], False),  # by little, and surely
        ([0.0, 0.0, 0.0, 0.0], True),
        ([0.05, 0.05, 0.05, 0.05], True),
        # mean 0, sd 0.0162, error 0.0123: from -0.0202
        ([0.014, -0.014, 0.014, -0.014], False),
        # mean 0, sd 0.0150, error 0.0115: from -0.0188
        ([0.013, -0.013, 0.013, -0.013], True),
        # mean 0.02, sd 0.154, error 0.118: from -0.17; higher, and nothing is known
        ([0.20, -0.10, 0.10, -0.12], False),
    ],
)
def test_not_worse_is_what_excludes_a_loss_that_matters(gap, fine):
    assert not_worse(np.array(gap), 1 / 3) is fine
    assert decided(gap) == (0 if fine else None)


def test_the_interval_of_a_difference_is_the_corrected_one_of_80_percent():
    found = difference(np.array([0.01, -0.01, 0.01, -0.01]), 1 / 3)
    # sqrt(7/12 * 4/3 * 0.0001) = 0.008819; t_3(0.9) = 1.63774
    np.testing.assert_allclose([found.value, found.low, found.high], [0, -0.014443, 0.014443], 1e-4)


def test_without_selections_all_features_are_kept():
    assert decided() is None


def test_of_selections_as_good_as_all_features_the_shortest_wins():
    assert decided([0.0] * 4, [0.0] * 4, [0.0] * 4, sizes=(10, 5, 20)) == 1


def test_within_one_standard_error_of_the_best_the_shortest_wins():
    best = [0.06, 0.06, 0.06, 0.06]
    # 0.01 behind. Its differences to the best have sd 0.0231, error 0.0176: within
    near = [0.03, 0.07, 0.03, 0.07]
    # 0.01 behind. sd 0.0115, error 0.0088: not within
    behind = [0.04, 0.06, 0.04, 0.06]
    assert decided(best, near, sizes=(50, 5)) == 1
    assert decided(best, behind, sizes=(50, 5)) == 0


def test_of_as_short_ones_within_one_standard_error_the_better_wins():
    assert decided([0.03, 0.07, 0.03, 0.07], [0.06] * 4, sizes=(5, 5)) == 1


def test_a_short_selection_that_is_worse_than_all_features_is_not_near_the_best():
    assert decided([0.05] * 4, [-0.3, 0.3, -0.3, 0.3], sizes=(50, 5)) == 0


def test_a_selection_behind_random_features_is_not_recommended():
    assert decided([0.0] * 4, least=0.776) is None  # all features have a mean of 0.775
    assert decided([0.0] * 4, least=0.775) == 0
