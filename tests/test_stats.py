"""Tests of significance, ranks and stability: published examples, oracles and scipy."""

import math
import warnings

import numpy as np
import oracles
import pytest
from scipy import stats as theirs

from imbfs import stats
from imbfs.errors import UserError

# AUC of C4.5 with and without two tunings, m and cf, on 14 sets: [Demsar2006] Table 6. The last two
# of the set voting are printed alike and ranked 2 and 3.
C45, M, CF, BOTH = range(4)
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def random_values(n=12, k=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k))


def selections(folds=20, d=40, k=10, seed=0, kept=0):
    """Random sets of k features of d, of which the first `kept` are always selected."""
    rng = np.random.default_rng(seed)
    Z = np.zeros((folds, d), dtype=bool)
    Z[:, :kept] = True
    for row in Z:
        row[kept + rng.choice(d - kept, k - kept, replace=False)] = True
    return Z


def test_the_paired_t_test_is_that_of_scipy():
    first, second = random_values(k=2).T
    expected = theirs.ttest_rel(first, second)
    found = stats.paired_t(first, second)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)
    assert stats.paired_t(second, first).statistic == pytest.approx(-expected.statistic)


def test_the_corrected_t_test_by_hand():
    # d = 1, 2, 3, 6: mean 3, variance 14/3; four folds, n_test/n_train = 1/3:
    # t = 3 / sqrt((1/4 + 1/3) 14/3) = 3 / sqrt(49/18) = 1.8183, p from t with 3 degrees.
    found = stats.corrected_t(np.array([2.0, 4, 6, 10]), np.array([1.0, 2, 3, 4]), 1 / 3)
    assert found.statistic == pytest.approx(3 / np.sqrt(49 / 18))
    assert found.p == pytest.approx(2 * theirs.t.sf(1.818275, 3), rel=1e-5)


def test_the_corrected_interval_holds_what_the_corrected_test_does_not_refuse():
    values = np.array([0.61, 0.72, 0.55, 0.80, 0.66])
    found = stats.corrected_mean(values, 1 / 3)
    assert found.value == pytest.approx(values.mean())
    for end in (found.low, found.high):
        assert stats.corrected_t(values, np.full(5, end), 1 / 3).p == pytest.approx(0.05)
    with pytest.raises(UserError, match="1 value"):
        stats.corrected_mean(values[:1], 1 / 3)


@pytest.mark.parametrize(
    ("value", "n_pos", "n_neg", "variance"),
    [
        # of no signal that of the Mann-Whitney statistic, (n_pos + n_neg + 1) / (12 n_pos n_neg)
        (0.5, 10, 30, 41 / 3600),
        # Q1 = 2/3, Q2 = 32/45, A^2 = 0.64: (0.16 + 9 * 2/75 + 4 * 16/225) / 50
        (0.8, 10, 5, (0.16 + 9 * 2 / 75 + 4 * 16 / 225) / 50),
        (1.0, 10, 30, 0.0),
        (0.0, 10, 30, 0.0),
    ],
)
def test_the_error_of_an_auc_is_that_of_hanley_and_mcneil(value, n_pos, n_neg, variance):
    np.testing.assert_allclose(stats.auc_error(value, n_pos, n_neg) ** 2, variance, atol=1e-15)


@pytest.mark.parametrize("found", [0, 1, 7, 31])
def test_binomial_agrees_with_scipy(found):
    exact = theirs.binomtest(found, 31).proportion_ci(method="exact")
    ours = stats.binomial(found / 31, 31)
    np.testing.assert_allclose((ours.low, ours.high), (exact.low, exact.high), atol=1e-12)


def test_the_corrected_t_test_keeps_its_level_on_overlapping_training_parts():
    # Means of the same noise in 5 x 4 folds: nothing differs, yet the plain test often says so.
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(200):
        loss = rng.normal(size=40)
        orders = [rng.permutation(40) for _ in range(5)]
        d = np.ravel([[loss[part].mean() for part in np.split(order, 4)] for order in orders])
        plain.append(stats.paired_t(d, np.zeros(20)).p < 0.05)
        corrected.append(stats.corrected_t(d, np.zeros(20), 1 / 3).p < 0.05)
    assert np.mean(plain) > 0.2
    assert np.mean(corrected) < 0.07


def test_no_difference_and_a_constant_difference_have_a_t():
    values = np.array([1.0, 2.0, 4.0])
    assert stats.paired_t(values, values) == stats.Test(0.0, 1.0)
    assert stats.paired_t(values + 1, values) == stats.Test(np.inf, 0.0)
    assert stats.corrected_t(values, values + 1, 0.5) == stats.Test(-np.inf, 0.0)


def test_wilcoxon_by_demsar():
    # Sec. 3.1.3: R+ = 93, R- = 12, z = (12 - 52.5) / sqrt(14 15 29 / 24) = -2.54 without ties.
    found = stats.wilcoxon(DEMSAR[:, M], DEMSAR[:, C45])
    assert found.statistic == 12
    assert found.p == pytest.approx(2 * theirs.norm.sf(2.54), rel=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_wilcoxon_counts_all_signs(seed):
    first, second = random_values(n=8, k=2, seed=seed).T + np.array([[0.7], [0.0]])
    T, p = oracles.signed_ranks(list(first - second))
    found = stats.wilcoxon(first, second)
    assert found.statistic == T and found.p == pytest.approx(p)


@pytest.mark.parametrize("n", [2, 5, 9, 13, 14])
@pytest.mark.parametrize("digits", [0, 1, 6])
def test_wilcoxon_with_ties_and_zeros_is_that_of_scipy(n, digits):
    for seed in range(1 if n == 13 else 5):  # scipy goes through 2^13 signs, a second each
        d = np.round(np.random.default_rng([n, seed]).normal(0.5, 1.0, n), digits)
        if not d.any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            theirs_found = theirs.wilcoxon(d, zero_method="zsplit")
        found = stats.wilcoxon(d, np.zeros(n))
        assert found.statistic == theirs_found.statistic
        assert found.p == pytest.approx(theirs_found.pvalue, rel=1e-12)


def test_wilcoxon_of_equals_finds_nothing():
    # R+ = R- = half of 1 + 2 + 3.
    assert stats.wilcoxon(np.arange(3.0), np.arange(3.0)) == stats.Test(3.0, 1.0)


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.04, and never falls.
    np.testing.assert_allclose(stats.holm([0.03, 0.01, 0.04, 0.02]), [0.06, 0.04, 0.06, 0.06])
    np.testing.assert_allclose(stats.holm([0.9, 0.6]), [1.0, 1.0])
    assert stats.holm([]).size == 0


def test_holm_rejects_one_after_the_other():
    p = np.random.default_rng(0).uniform(size=20) ** 3
    p[5] = p[7]
    np.testing.assert_allclose(stats.holm(p), oracles.holm(list(p)))


def test_wilcoxon_holm_adjusts_over_all_pairs():
    values = random_values(k=3) + [0.0, 0.5, 2.0]
    p = stats.wilcoxon_holm(values)
    one = [theirs.wilcoxon(values[:, i] - values[:, j]).pvalue for i, j in [(0, 1), (0, 2), (1, 2)]]
    expected = oracles.holm(one)
    np.testing.assert_allclose([p[0, 1], p[0, 2], p[1, 2]], expected)
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(np.diag(p), 1)


def test_paired_t_holm_adjusts_over_all_pairs():
    values = random_values(k=3) + [0.0, 0.5, 2.0]
    p = stats.paired_t_holm(values)
    one = [theirs.ttest_rel(values[:, i], values[:, j]).pvalue for i, j in [(0, 1), (0, 2), (1, 2)]]
    np.testing.assert_allclose([p[0, 1], p[0, 2], p[1, 2]], oracles.holm(one))
    np.testing.assert_array_equal(p, p.T)


def test_friedman_by_demsar():
    # Sec. 3.2: mean ranks 3.143, 2.000, 2.893, 1.964; chi2 = 9.28, F = 3.69 with 3 and 39 degrees.
    # These are not corrected for ties: one of four values and three of two, in 14 sets.
    found = stats.friedman(DEMSAR)
    np.testing.assert_allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    untied = 1 - (1 * (4**3 - 4) + 3 * (2**3 - 2)) / (14 * (4**3 - 4))
    chi2 = found.chi2 * untied
    assert chi2 == pytest.approx(9.28, abs=0.005)
    assert 13 * chi2 / (14 * 3 - chi2) == pytest.approx(3.69, abs=0.005)
    assert found.F == pytest.approx(13 * found.chi2 / (14 * 3 - found.chi2))
    assert found.n_tasks == 14
    assert found.p == pytest.approx(theirs.f.sf(found.F, 3, 39), rel=0.2)


@pytest.mark.parametrize("values", [random_values(), np.round(random_values(n=30, k=6))])
def test_friedman_is_that_of_scipy_with_and_without_ties(values):
    expected = theirs.friedmanchisquare(*values.T).statistic
    assert stats.friedman(values).chi2 == pytest.approx(expected)


@pytest.mark.parametrize(("n", "k"), [(2, 2), (7, 2), (4, 3), (5, 3), (3, 4)])
@pytest.mark.parametrize("decimals", [9, 0])
def test_friedman_is_exact_over_all_orders_of_few_tasks(n, k, decimals):
    for seed in range(3):
        values = np.round(random_values(n=n, k=k, seed=seed), decimals)
        expected = oracles.friedman_p(values.tolist())
        assert stats.friedman(values).p == pytest.approx(expected, rel=1e-9)


def test_the_same_order_everywhere_may_be_chance():
    # Of the k!^N orders, k! agree in all tasks.
    for n, k in ((2, 2), (5, 3), (20, 4), (15, 9)):  # the last is too much to go through
        found = stats.friedman(np.tile(np.arange(k, 0.0, -1), (n, 1)))
        np.testing.assert_array_equal(found.ranks, np.arange(1, k + 1))
        assert found.F == np.inf
        assert found.p == pytest.approx(float(math.factorial(k)) ** (1 - n), rel=1e-6)
    for n, k in ((400, 9), (1200, 2)):
        assert stats.friedman(np.tile(np.arange(k, dtype=float), (n, 1))).p > 0
    for n, k in ((5, 3), (50, 9)):
        found = stats.friedman(np.ones((n, k)))
        assert (found.chi2, found.F, found.p) == (0, 0, 1)


@pytest.mark.parametrize(("n", "k", "draws", "fewest"), [(30, 8, 1000, 0.03), (6, 3, 300, 0.01)])
def test_friedman_holds_its_level_on_rounded_values(n, k, draws, fewest):
    rng = np.random.default_rng(n)
    p = np.array([stats.friedman(np.round(rng.normal(size=(n, k)))).p for _ in range(draws)])
    assert fewest < np.mean(p <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)


def test_ranks_share_ties():
    values = np.random.default_rng(0).integers(4, size=(9, 5)).astype(float)
    found = stats.mean_ranks(values)
    np.testing.assert_allclose(found, oracles.mean_ranks(values.tolist()))


def test_critical_differences_by_demsar():
    # Table 5(a), q at 0.05 for 2 to 10 methods, and at 0.10 for 4; Sec. 3.2 for 14 sets.
    q = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, printed in enumerate(q, start=2):
        factor = np.sqrt(k * (k + 1) / 6)
        assert stats.critical_difference(k, 1) / factor == pytest.approx(printed, abs=1.5e-3)
    assert stats.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert stats.critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)


def test_nemenyi_is_under_alpha_where_ranks_differ_by_more_than_the_critical_difference():
    values = random_values(n=20, k=5, seed=3) + np.linspace(0, 2, 5)
    p, ranks = stats.nemenyi(values), stats.mean_ranks(values)
    apart = np.abs(ranks[:, None] - ranks)
    for alpha in (0.01, 0.05, 0.1):
        beyond = apart > stats.critical_difference(5, 20, alpha)
        assert 0 < beyond.sum() < 20
        np.testing.assert_array_equal(p < alpha, beyond)
    np.testing.assert_array_equal(np.diag(p), 1)


@pytest.mark.parametrize(
    "values", [DEMSAR, random_values(n=9, k=6, seed=1)], ids=["printed", "any"]
)
def test_tests_over_all_methods_are_those_of_scikit_posthocs(values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posthocs = pytest.importorskip("scikit_posthocs")
        nemenyi = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
        paired = posthocs.posthoc_wilcoxon(values.T, zero_method="zsplit", p_adjust="holm")
    np.testing.assert_allclose(stats.nemenyi(values), nemenyi, atol=1e-6)
    np.testing.assert_allclose(stats.wilcoxon_holm(values), paired, atol=1e-9)


def test_groups_by_demsar():
    # At 0.10 C4.5 is apart from C4.5+m and from C4.5+m+cf, but not from C4.5+cf.
    ranks = stats.mean_ranks(DEMSAR)
    assert stats.groups(ranks, 1.12) == [[BOTH, M, CF], [CF, C45]]
    assert stats.groups(ranks, 1.25) == [[BOTH, M, CF, C45]]


def test_groups_are_the_largest_and_leave_out_the_lonely():
    ranks = np.array([1.0, 1.5, 2.5, 5.0, 9.0, 5.5])
    assert stats.groups(ranks, 1.2) == [[0, 1], [1, 2], [3, 5]]
    assert stats.groups(ranks, 0.1) == []
    assert stats.groups(ranks, 0.5) == []
    assert stats.groups(ranks, 10.0) == [[0, 1, 2, 3, 5, 4]]


@pytest.mark.parametrize(
    "compare", [stats.friedman, stats.nemenyi, stats.wilcoxon_holm, stats.paired_t_holm]
)
def test_ranks_over_unequal_sets_of_tasks_are_refused(compare):
    values = random_values()
    values[[2, 5], 1] = np.nan
    with pytest.raises(UserError, match="method 1 lacks 2 of 12 tasks"):
        compare(values)


@pytest.mark.parametrize("compare", [stats.paired_t, stats.wilcoxon])
def test_pairs_of_unequal_length_or_with_gaps_are_refused(compare):
    with pytest.raises(UserError, match="3 values against 4"):
        compare(np.ones(3), np.ones(4))
    with pytest.raises(UserError, match="lacks 1 of 3 tasks"):
        compare(np.ones(3), np.array([1.0, np.nan, 2.0]))


def test_too_little_to_compare_is_told():
    with pytest.raises(UserError, match="t-test: 1 pair"):
        stats.paired_t(np.ones(1), np.zeros(1))
    with pytest.raises(UserError, match="ranks: 1 tasks and 4 methods"):
        stats.friedman(random_values(n=1))
    with pytest.raises(UserError, match="stability: 1 selection"):
        stats.stability(selections(folds=1))
    for values in ([], [1.0]):
        with pytest.raises(UserError, match=f"interval: {len(values)} value"):
            stats.t_mean(np.array(values))
    with pytest.raises(UserError, match="lacks 1 of 2 tasks"):
        stats.t_mean(np.array([1.0, np.nan]))


def test_students_interval_is_that_of_scipy():
    values = random_values(n=7, k=1).ravel()
    found, error = stats.t_mean(values), theirs.sem(values)
    low, high = theirs.t.interval(0.95, 6, loc=values.mean(), scale=error)
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert stats.t_mean(np.full(3, 0.5)) == stats.Interval(0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("n", "of_exponential"), [(3, 0.885), (5, 0.883), (10, 0.900), (20, 0.919)]
)
def test_students_interval_covers_what_it_says(n, of_exponential):
    rng, draws = np.random.default_rng(n), 2000
    normal = rng.normal(size=(draws, n)), 0.0, 0.95
    skewed = rng.exponential(size=(draws, n)), 1.0, of_exponential
    for values, mean, stated in (normal, skewed):
        found = [stats.t_mean(row) for row in values]
        covered = np.mean([one.low <= mean <= one.high for one in found])
        assert abs(covered - stated) < 3 * np.sqrt(stated * (1 - stated) / draws)


@pytest.mark.parametrize(("folds", "stated"), [(5, 0.8), (10, 0.87)])
def test_the_interval_of_stability_covers_what_it_says(folds, stated):
    rng, draws = np.random.default_rng(folds), 1000
    chance = rng.beta(0.2, 1.8, size=100)  # of every feature to be selected
    phi = 1 - np.mean(chance * (1 - chance)) / (chance.mean() * (1 - chance.mean()))
    found = [stats.stability(rng.random((folds, 100)) < chance) for _ in range(draws)]
    covered = np.mean([one.low <= phi <= one.high for one in found])
    assert abs(covered - stated) < 0.05  # it depends a little on these chances


def test_stability_of_sets_of_one_size_is_kunchevas():
    for kept in (0, 4, 9):
        Z = selections(kept=kept)
        sets = [set(np.flatnonzero(row)) for row in Z]
        assert stats.stability(Z).value == pytest.approx(oracles.kuncheva(sets, Z.shape[1]))


def test_stability_is_one_for_the_same_sets_and_about_zero_for_random_ones():
    assert stats.stability(np.tile(selections(folds=1), (5, 1))) == stats.Interval(1.0, 1.0, 1.0)
    found = stats.stability(selections(folds=200))
    assert abs(found.value) < 0.01 and found.low < 0 < found.high


def test_stability_by_hand():
    # Two disjoint halves of 2 features: s_f^2 = 1/2, q = 1/2, 1 - (1/2) / (1/4) = -1.
    assert stats.stability(np.eye(2, dtype=bool)).value == -1
    # {a}, {a, b} of 4: s^2 = 0, 1/2, 0, 0, mean 1/8; q = 3/8; 1 - (1/8) / (15/64) = 7/15.
    found = stats.stability(np.array([[1, 0, 0, 0], [1, 1, 0, 0]], dtype=bool))
    assert found.value == pytest.approx(7 / 15)


def test_the_interval_of_the_stability_is_as_wide_as_the_jackknife_says():
    # Sets of different sizes, so that every term of the variance counts.
    rng = np.random.default_rng(0)
    Z = rng.uniform(size=(300, 50)) < rng.beta(0.5, 1.0, size=50) * rng.uniform(size=(300, 1))
    found = stats.stability(Z)
    without = [stats.stability(np.delete(Z, i, axis=0)).value for i in range(len(Z))]
    error = np.sqrt((len(Z) - 1) * np.var(without))
    reach = theirs.norm.ppf(0.975) * error
    assert found.high - found.value == pytest.approx(reach, rel=0.02)
    assert found.value - found.low == pytest.approx(reach, rel=0.02)


@pytest.mark.parametrize("value", [False, True])
def test_the_stability_of_all_or_no_features_is_undefined(value):
    assert np.isnan(stats.stability(np.full((3, 4), value)).value)


def test_overlap_by_hand():
    # {0, 1} and {1, 2}: 1/3; the same sets: 1; disjoint ones: 0; empty ones: 1.
    first = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]], dtype=bool)
    second = np.array([[0, 1, 1], [1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=bool)
    assert stats.overlap(first, second) == pytest.approx((1 / 3 + 1 + 0 + 1) / 4)
    assert stats.overlap(first[0], second[0]) == pytest.approx(1 / 3)


def test_agreement_is_kunchevas_fold_by_fold():
    first, second = selections(kept=4), np.flip(selections(kept=6), axis=0)
    pairs = [[set(np.flatnonzero(row)) for row in rows] for rows in zip(first, second, strict=True)]
    each = [oracles.kuncheva(pair, first.shape[1]) for pair in pairs]
    assert stats.agreement(first, second) == pytest.approx(np.mean(each))
    assert stats.agreement(first, first) == 1


def test_agreement_is_about_zero_by_chance_and_undefined_where_nothing_is_chosen():
    first, second = np.split(selections(folds=400), 2)
    assert abs(stats.agreement(first, second)) < 0.03
    assert np.isnan(stats.agreement(np.full((2, 4), True), np.full((2, 4), True)))
    with pytest.raises(UserError, match="different sizes"):
        stats.agreement(np.eye(2, dtype=bool), np.full((2, 2), True))
