from fractions import Fraction
from functools import partial

import numpy as np
import oracles
import pytest
from scipy.sparse import csc_array, csr_array, random_array
from scipy.stats import chi2_contingency, contingency
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score

from imbfs.selectors import passes
from imbfs.selectors.cuts import bns, chi, ig, odds_ratio
from imbfs.selectors.filters import corr, f_statistic, fisher, none, pcc, random, s2n


def given(name, **parameters):
    """A filter and its oracle, with these parameters."""
    return partial(globals()[name], **parameters), partial(getattr(oracles, name), **parameters)


BINARY = {
    "s2n": (s2n, oracles.s2n),
    "s2n two": given("s2n", sided="two"),
    "fisher": (fisher, oracles.fisher),
    "fisher textbook": given("fisher", form="textbook"),
    "chi": (chi, oracles.chi),
    "pcc": (pcc, oracles.pcc),
    "pcc two": given("pcc", sided="two"),
    "ig": (ig, oracles.ig),
    "odds_ratio": (odds_ratio, oracles.odds_ratio),
    "odds_ratio two": given("odds_ratio", sided="two"),
    "odds_ratio counts": given("odds_ratio", zero="counts"),
    "odds_ratio two counts": given("odds_ratio", sided="two", zero="counts"),
    "bns": (bns, oracles.bns),
    "corr": (corr, oracles.corr),
    "f_statistic": (f_statistic, oracles.f_statistic),
}
SEVERAL = {
    "fisher": (fisher, oracles.fisher),
    "chi": (chi, oracles.chi_of_classes),
    "ig": (ig, oracles.ig_of_classes),
    "corr": (corr, oracles.corr),
    "corr maximum": given("corr", classes="maximum"),
    "corr codes": given("corr", classes="codes"),
    "f_statistic": (f_statistic, oracles.f_statistic),
}
every_filter = pytest.mark.parametrize("score, oracle", BINARY.values(), ids=BINARY)
every_filter_of_classes = pytest.mark.parametrize("score, oracle", SEVERAL.values(), ids=SEVERAL)
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


def binary(minority, majority):
    return np.random.default_rng(5).permutation([1] * minority + [-1] * majority)


def three_classes(n_samples):
    return np.random.default_rng(6).choice(3, size=n_samples, p=[0.7, 0.2, 0.1])


def by_oracle(oracle, X, y):
    return np.array([oracle(column, y.tolist()) for column in X.T.tolist()])


def same(scores, expected):
    np.testing.assert_allclose(scores, expected, rtol=1e-10, atol=1e-10)


@every_filter
@every_container
@pytest.mark.parametrize("minority, majority", [(6, 25), (1, 12), (1, 1), (9, 9)])
def test_scores_follow_the_equation(score, oracle, container, minority, majority):
    y = binary(minority, majority)
    X = oracles.awkward(y, seed=minority)
    scores = score(container(X), y)
    assert scores.dtype == np.float64 and scores.shape == (X.shape[1],)
    same(scores, by_oracle(oracle, X, y))


@every_filter_of_classes
@every_container
@pytest.mark.parametrize("sizes", [(28, 8, 4), (20, 19, 1, 7), (1, 1, 1), (13, 7, 11, 9, 5)])
def test_scores_of_more_classes_follow_the_equation(score, oracle, container, sizes):
    y = np.random.default_rng(6).permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = oracles.awkward(y, seed=1)
    same(score(container(X), y), by_oracle(oracle, X, y))


def test_fisher_of_more_classes_has_one_form():
    y = three_classes(40)
    X = oracles.awkward(y, seed=2)
    np.testing.assert_array_equal(fisher(X, y, form="textbook"), fisher(X, y))


def test_fisher_of_more_classes_is_the_f_statistic_up_to_its_degrees_of_freedom():
    y = three_classes(60)
    X = np.random.default_rng(0).normal(size=(60, 30)) + y[:, None]
    same(fisher(X, y) * (60 - 3) / (3 - 1), f_classif(X, y)[0])


def test_printed_fisher_of_two_classes_is_the_f_statistic_up_to_a_constant():
    y = binary(7, 30)
    X = np.random.default_rng(0).normal(size=(37, 30)) + y[:, None]
    same(fisher(X, y) * (7 * 30 / 37) * (37 - 2), f_classif(X, y)[0])


@every_container
def test_f_statistic_is_that_of_scikit_learn(container):
    rng = np.random.default_rng(0)
    for y in (three_classes(60), binary(7, 53), np.repeat([0, 1, 2, 3], [1, 1, 1, 57])):
        X = (rng.normal(size=(60, 30)) + y[:, None]) * (rng.random((60, 30)) < 0.5)
        same(f_statistic(container(X), y), f_classif(X, y)[0])


def test_f_statistic_by_hand():
    # Means 1, 3 and 8 of two each, 4 of all: between 2 (9 + 1 + 16) = 52, within 2 + 0 + 8 = 10.
    # (52 / 2) / (10 / 3).
    X, y = np.array([[0.0, 2, 3, 3, 6, 10]]).T, np.array([0, 0, 1, 1, 2, 2])
    same(f_statistic(X, y), [7.8])


@every_container
def test_f_statistic_of_a_class_for_every_sample_is_infinite_or_0(container):
    X = np.array([[1.0, 2, 3], [5, 5, 5], [0, 0, 1]]).T
    np.testing.assert_array_equal(f_statistic(container(X), np.arange(3)), [np.inf, 0, np.inf])


@every_filter_of_classes
def test_classes_that_have_no_samples_are_passed_over(score, oracle):
    y = three_classes(40)
    X = oracles.awkward(y, seed=3)
    np.testing.assert_array_equal(score(X, np.array([1, 4, 9])[y]), score(X, y))


@every_filter_of_classes
def test_two_classes_may_have_any_numbers(score, oracle):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=3)
    np.testing.assert_array_equal(score(X, np.where(y > 0, 7, 2)), score(X, y))


def test_corr_of_two_classes_is_the_two_sided_pcc_and_orders_as_fisher_does():
    y = binary(9, 30)
    X = np.random.default_rng(0).normal(size=(39, 200)) + 0.5 * y[:, None]
    np.testing.assert_array_equal(corr(X, y), pcc(X, y, sided="two"))
    np.testing.assert_array_equal(np.argsort(corr(X, y)), np.argsort(fisher(X, y)))


def test_corr_of_more_classes_by_hand():
    # Mean 2, squares 2 (4 + 1 + 9) = 28. Against the rest, whose codes have squares 2 * 4/6 = 4/3:
    # products 2 * -2, 2 * -1, 2 * 3; squared over 28 * 4/3: 12/28, 3/28, 27/28. With the codes,
    # of squares 4: products 2 * 2 + 2 * 3 = 10, 100 / (28 * 4).
    X, y = np.array([[0.0, 0, 1, 1, 5, 5]]).T, np.array([0, 0, 1, 1, 2, 2])
    same(corr(X, y), [42 / 28 / 3])
    same(corr(X, y, classes="maximum"), [27 / 28])
    same(corr(X, y, classes="codes"), [100 / 112])


def test_corr_of_more_classes_is_that_of_numpy_against_the_rest():
    y = three_classes(60)
    X = np.random.default_rng(0).normal(size=(60, 30)) + y[:, None]
    rest = np.array([np.corrcoef(X.T, y == k)[-1, :-1] ** 2 for k in range(3)])
    same(corr(X, y), rest.mean(axis=0))
    same(corr(X, y, classes="maximum"), rest.max(axis=0))
    same(corr(X, y, classes="codes"), np.corrcoef(X.T, y)[-1, :-1] ** 2)


def test_chi_and_ig_of_more_classes_by_hand():
    # Means 0, 1 and 5, cut 2: the third class is above it. Expected 2/3 above, 4/3 below of each:
    # (4/9)/(2/3) + (4/9)/(4/3) = 1 twice, and (16/9)/(2/3) + (16/9)/(4/3) = 4. log 3 - 2/3 bits.
    X, y = np.array([[0.0, 0, 1, 1, 5, 5]]).T, np.array([0, 0, 1, 1, 2, 2])
    same(chi(X, y), [6])
    same(ig(X, y), [np.log2(3) - 2 / 3])


def test_the_cut_of_classes_without_a_common_measure_is_still_the_mean_of_their_means():
    # Sizes of which no float holds the least common multiple.
    sizes = [97, 101, 103, 107, 109, 113, 127, 131, 137]
    y = np.repeat(np.arange(9), sizes)
    X = np.random.default_rng(0).normal(size=(len(y), 5)) + y[:, None]
    cuts = np.mean([X[y == k].mean(axis=0) for k in range(9)], axis=0)
    tables = [[[np.sum((y == k) & (x >= cut)), np.sum((y == k) & (x < cut))] for k in range(9)]
              for x, cut in zip(X.T, cuts, strict=True)]  # fmt: skip
    same(chi(X, y), [chi2_contingency(table).statistic for table in tables])


def test_moment_scores_by_hand():
    # Minority 3, 5: mean 4, scatter 2, variance 1. Majority 0, 1, 2, 1: mean 1, scatter 2,
    # variance 1/2.
    X = np.array([[3.0], [5.0], [0.0], [1.0], [2.0], [1.0]])
    y = np.array([1, 1, -1, -1, -1, -1])
    same(s2n(X, y), [3 / (1 + np.sqrt(0.5))])
    same(s2n(-X, y), [-3 / (1 + np.sqrt(0.5))])
    same(s2n(-X, y, sided="two"), [3 / (1 + np.sqrt(0.5))])
    same(fisher(X, y), [9 / 4])
    same(fisher(X, y, form="textbook"), [9 / 1.5])


def test_chi_by_hand():
    # Means 2 and 0, cut 1: tp 2 of 3, fp 1 of 6. Expected: 3 above and 6 below the cut, a third
    # and two thirds of each: 1, 2, 2, 4. (2-1)^2/1 + (1-2)^2/2 + (1-2)^2/2 + (5-4)^2/4 = 2.25.
    X = np.array([[3.0], [3.0], [0.0], [1.0], [0.0], [0.0], [0.0], [0.0], [-1.0]])
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1, -1])
    same(chi(X, y), [2.25])
    same(chi(csr_array(X), y), [2.25])


def test_chi_is_that_of_the_contingency_table():
    y = binary(12, 40)
    X = np.random.default_rng(3).normal(size=(52, 20)) + 0.3 * y[:, None]
    cuts = (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2
    for j, score in enumerate(chi(X, y)):
        above = X[:, j] >= cuts[j]
        table = [[np.sum(above & (y == c)), np.sum(~above & (y == c))] for c in (1, -1)]
        assert score == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_the_other_scores_of_the_cut_by_hand():
    # The table of the test above: tp 2, fp 1, fn 1, tn 5. Bits: H(1/3) - 1/3 H(1/3) - 2/3 H(1/6)
    # = 2/3 (0.918296 - 0.650022). Odds 2 * 5 / (1 * 1). F^-1 is 0.430727 of 2/3, -0.967422 of 1/6.
    X = np.array([[3.0], [3.0], [0.0], [1.0], [0.0], [0.0], [0.0], [0.0], [-1.0]])
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1, -1])
    np.testing.assert_allclose(ig(X, y), [0.178849], atol=1e-6)
    same(odds_ratio(X, y), [np.log(10)])
    same(odds_ratio(X, y, sided="two"), [np.log(10) ** 2])
    np.testing.assert_allclose(bns(X, y), [1.398149], atol=1e-6)


def test_pcc_by_hand():
    # Minority 3, 5 and majority 0, 1, 2, 1: mean 2, y mean -1/3. Products 4/3 * (1 + 3) + 2/3 *
    # (2 + 1 + 0 + 1) = 8; squares of x 1 + 9 + 4 + 1 + 0 + 1 = 16, of y 2 * 16/9 + 4 * 4/9 = 16/3.
    X = np.array([[3.0], [5.0], [0.0], [1.0], [2.0], [1.0]])
    y = np.array([1, 1, -1, -1, -1, -1])
    same(pcc(X, y), [8 / np.sqrt(16 * 16 / 3)])
    same(pcc(-X, y), [-8 / np.sqrt(16 * 16 / 3)])
    same(pcc(-X, y, sided="two"), [3 / 4])


def test_scores_of_the_table_are_those_of_other_libraries():
    y = binary(12, 40)
    X = np.random.default_rng(3).normal(size=(52, 20)) + 0.3 * y[:, None]
    above = X >= (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2
    same(ig(X, y) * np.log(2), [mutual_info_score(y, column) for column in above.T])
    tables = [[[np.sum(a[y == c]), np.sum(~a[y == c])] for c in (1, -1)] for a in above.T]
    odds = [contingency.odds_ratio(table, kind="sample").statistic for table in tables]
    same(odds_ratio(X, y), np.log(odds))


def test_pcc_is_the_correlation_of_numpy():
    y = binary(12, 40)
    X = np.random.default_rng(3).normal(size=(52, 20)) + 0.3 * y[:, None]
    same(pcc(X, y), np.corrcoef(X.T, y)[-1, :-1])


def test_a_zero_in_the_denominator_of_the_odds_becomes_1():
    # tp 2, fn 1, fp 0, tn 6: the product of fn and fp is 0 and becomes 1; so does fp alone.
    # Then fn 2, tp 1: the product becomes 1, or the counts 2 and 1.
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1, -1])
    X = np.zeros((9, 2))
    X[:2, 0] = X[0, 1] = 1.0
    same(odds_ratio(X, y), np.log([12, 6]))
    same(odds_ratio(X, y, zero="counts"), np.log([12, 3]))


@every_container
def test_a_feature_without_true_positives_has_the_least_odds(container):
    # Lower in the whole minority: tp 0. The two-sided form is infinite with it.
    y = binary(3, 10)
    X = np.outer(y, [-1.0, -2.0])
    np.testing.assert_array_equal(odds_ratio(container(X), y), [-np.inf, -np.inf])
    np.testing.assert_array_equal(odds_ratio(container(X), y, sided="two"), [np.inf, np.inf])


def test_rates_of_bns_stay_where_the_normal_quantile_is_finite():
    # F^-1(0.9995) = 3.290527.
    y = binary(3, 10)
    np.testing.assert_allclose(bns(np.outer(y, [1.0, -1.0]), y), [6.581053] * 2, atol=1e-6)


@every_container
def test_the_label_and_its_opposite_correlate_fully(container):
    y = binary(3, 10)
    X = np.outer(np.where(y > 0, 0.3, 0.1), [1, -1])
    np.testing.assert_array_equal(pcc(container(X), y), [1, -1])
    np.testing.assert_array_equal(pcc(container(X), y, sided="two"), [1, 1])


@pytest.mark.parametrize("score", [ig, bns, partial(pcc, sided="two")])
def test_two_sided_scores_of_a_feature_and_of_its_opposite_agree(score):
    y = binary(13, 40)
    X = np.random.default_rng(9).normal(size=(53, 50)) + 0.5 * y[:, None]
    same(score(-X, y), score(X, y))


@every_container
def test_chi_counts_the_zeros_on_either_side_of_the_cut(container):
    # Cut at +1/2 and at -1/2: the zeros are all below, then all above.
    y = np.array([1, 1, -1, -1, -1])
    X = np.outer(y == 1, [1.0, -1.0])
    same(chi(container(X), y), [5, 5])


@every_container
def test_chi_loses_no_tie_with_the_cut(container):
    # Class means 14/3 and -8/3: the cut is exactly 1, though half the sum of the two means in
    # floats is above it. tp 3, fp 1; 4 above the cut: 6 (3*3 - 1*3)^2 / (3 * 3 * 4 * 2) = 3.
    X = np.array([[1.0], [1.0], [12.0], [5.0], [-5.0], [-8.0]])
    y = np.array([1, 1, 1, -1, -1, -1])
    same(chi(container(X), y), [3])


def test_chi_of_a_feature_and_of_its_opposite_tie():
    y = binary(13, 40)
    X = np.random.default_rng(9).normal(size=(53, 50)) + 0.5 * y[:, None]
    np.testing.assert_array_equal(chi(-X, y), chi(X, y))


@every_filter
@every_container
@pytest.mark.parametrize("value", [0.1, 1 / 3, -7e8 / 3, 0.0])
def test_a_constant_feature_scores_exactly_0(score, oracle, container, value):
    y = binary(101, 900)
    np.testing.assert_array_equal(score(container(np.full((1001, 2), value)), y), [0, 0])


@every_filter_of_classes
@every_container
def test_a_constant_feature_scores_exactly_0_with_more_classes(score, oracle, container):
    scores = score(container(np.full((1001, 1), 0.1)), three_classes(1001))
    np.testing.assert_array_equal(scores, [0])


@every_container
def test_separation_without_spread_is_infinite(container):
    y = binary(3, 10)
    X = np.outer(np.where(y > 0, 0.3, 0.1), [1, -1])
    np.testing.assert_array_equal(s2n(container(X), y), [np.inf, -np.inf])
    np.testing.assert_array_equal(s2n(container(X), y, sided="two"), [np.inf, np.inf])
    np.testing.assert_array_equal(fisher(container(X), y), [np.inf, np.inf])
    np.testing.assert_array_equal(fisher(container(X), y, form="textbook"), [np.inf, np.inf])
    np.testing.assert_array_equal(f_statistic(container(X), y), [np.inf, np.inf])
    np.testing.assert_array_equal(chi(container(X), y), [13, 13])


@every_filter
@every_container
def test_a_large_offset_cancels_nothing(score, oracle, container):
    y = binary(8, 30)
    X = np.random.default_rng(2).integers(0, 9, size=(38, 20)).astype(float)
    np.testing.assert_allclose(score(container(X + 2.0**27), y), score(X, y), rtol=1e-5)


@every_filter
@every_container
def test_permuting_columns_permutes_scores_to_the_bit(score, oracle, container):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=4)
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_array_equal(score(container(X[:, order]), y), score(container(X), y)[order])


@every_filter
@every_container
def test_nothing_is_written_into_the_data(score, oracle, container):
    y = binary(6, 25)
    X = container(oracles.awkward(y, seed=4))
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(score(X, y)).any()


@every_filter
@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float32])
def test_other_types_of_numbers_score_as_floats(score, oracle, kind):
    y = binary(6, 25)
    X = np.random.default_rng(1).integers(0, 2, size=(31, 10)).astype(kind)
    expected = score(X.astype(float), y)
    np.testing.assert_array_equal(score(X, y.astype(np.int8)), expected)
    same(score(csr_array(X), y.astype(float)), expected)


@every_filter
def test_long_indices_and_stored_zeros_change_nothing(score, oracle):
    y = binary(6, 25)
    X = oracles.awkward(y, seed=7)
    rows, columns = np.indices(X.shape).reshape(2, -1)
    stored = csr_array((X.ravel(), (rows, columns)), shape=X.shape)
    stored.indices, stored.indptr = stored.indices.astype("i8"), stored.indptr.astype("i8")
    same(score(stored, y), score(X, y))


@every_filter
def test_sparse_columns_score_as_sparse_rows(score, oracle):
    y = binary(6, 25)
    X = csc_array(oracles.awkward(y, seed=8))
    same(score(X, y), score(X.toarray(), y))


@every_filter
def test_a_sparse_matrix_too_large_to_be_dense_is_scored(score, oracle):
    X = random_array((200_000, 100_000), density=1e-6, format="csr", rng=0)
    y = np.where(np.arange(200_000) < 1000, 1, -1)
    assert not np.isnan(score(X, y)).any()


def test_none_takes_every_kind_of_label_and_prefers_no_feature():
    for y in (binary(2, 4), three_classes(6), np.eye(6, dtype=int)):
        np.testing.assert_array_equal(none(np.zeros((6, 3)), y), [1, 1, 1])


def test_random_is_an_order_that_the_seed_alone_decides():
    X, y = np.zeros((4, 50)), np.eye(4, dtype=int)
    scores = random(X, y, seed=1)
    assert sorted(scores) == list(range(50)) and scores.dtype == np.float64
    np.testing.assert_array_equal(scores, random(csr_array(X + 1), binary(1, 3), seed=1))
    assert (scores != random(X, y, seed=2)).any()


MOMENTS = ("s2n", "s2n two", "fisher", "fisher textbook", "pcc", "pcc two", "corr", "f_statistic")


@every_container
@pytest.mark.parametrize("name", MOMENTS)
def test_scores_do_not_depend_on_the_scale_however_large_or_small(name, container):
    score, oracle = BINARY[name]
    X, y = random_array((40, 6), density=0.6, rng=4).toarray() - 0.2, binary(12, 28)
    X[:, 5] = 0.7
    expected = score(container(X), y)
    same(expected, by_oracle(oracle, X, y))
    for power in (-1000, -600, -530, -260, -150, 150, 260, 505, 530, 1020):
        np.testing.assert_array_equal(score(container(np.ldexp(X, power)), y), expected)
        some = np.ldexp(X, [0, power, 0, 0, -power, 0])
        np.testing.assert_array_equal(score(container(some), y), expected)


@every_container
@pytest.mark.parametrize("power", [-600, 600])
@pytest.mark.parametrize("name", SEVERAL)
def test_neither_do_those_of_more_classes(name, power, container):
    score, _ = SEVERAL[name]
    X, y = random_array((40, 6), density=0.6, rng=4).toarray() - 0.2, three_classes(40)
    same(score(container(np.ldexp(X, power)), y), score(container(X), y))


@every_container
@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6, 1e9])
def test_a_scatter_loses_as_many_digits_as_its_mean_exceeds_its_deviation(ratio, container):
    X = np.random.default_rng(0).normal(size=(200, 3)) + ratio
    sizes = np.array([200])
    _, scatters = passes.moments(container(X), np.zeros(200, np.int64), sizes)
    exact = [float(oracles._scatter([Fraction(x) for x in column])) for column in X.T.tolist()]
    np.testing.assert_allclose(scatters[0], exact, rtol=1e-15 * (10 + ratio))
