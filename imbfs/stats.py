"""Whether differences are more than chance, over folds and tasks, and how stable a selection is.

Values are arrays of a measure, higher is better: one row a task (a problem, say, or a fold), one
column a method. Selections are arrays of booleans, one row a fold, one column a feature. Thin over
scipy; scikit-posthocs, which tests compare with, would bring statsmodels and seaborn along.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from scipy import stats
from scipy.special import gammaln

from imbfs.errors import UserError

_ALL_SIGNS = 13  # tasks up to which Wilcoxon's test goes through all signs
_MOST_SUMS = 500_000  # of ranks, up to which Friedman's goes through all orders


@dataclass(frozen=True)
class Test:
    """A test statistic and its two-sided p-value."""

    __test__ = False  # pytest is not to take it for one of its own

    statistic: float
    p: float


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Friedman:
    """Mean rank of every method, 1 is best, and whether the methods differ at all."""

    ranks: np.ndarray
    n_tasks: int
    chi2: float
    F: float
    p: float


def paired_t(first: np.ndarray, second: np.ndarray) -> Test:
    """Student's paired t-test, t = mean(d) / sqrt(var(d) / n), of d = first - second.

    Too sure of itself on folds that share training rows: see `corrected_t`.
    """
    return _t_test(first, second, 0.0)


def corrected_t(first: np.ndarray, second: np.ndarray, test_to_train: float) -> Test:
    """Corrected resampled t-test, t = mean(d) / sqrt((1/n + n_test/n_train) var(d)), [Nadeau2003].

    For the n folds of a repeated cross-validation, whose training parts overlap; n_test/n_train is
    1/3 with four folds.
    """
    return _t_test(first, second, test_to_train)


def t_mean(values: np.ndarray) -> Interval:
    """The mean over tasks with t_{n-1} sqrt(var / n) on either side, Student's 95% interval.

    Of normal values it covers the mean 0.95 of the time, however few. Of exponential ones, which
    are skewed, 0.88 with 3 to 5 tasks, 0.90 with 10 and 0.92 with 20; drawing tasks with
    replacement covers less (0.70, 0.78, 0.86 and 0.90 with 3, 5, 10 and 20).
    """
    return corrected_mean(values, 0.0)


def corrected_mean(values: np.ndarray, test_to_train: float, *, level: float = 0.95) -> Interval:
    """Mean of n folds with t_{n-1} sqrt((1/n + n_test/n_train) var) on either side, [Nadeau2003].

    The interval that goes with `corrected_t`: folds of a repeated cross-validation share training
    rows, and their plain standard error is too small.
    """
    values = _complete(np.asarray(values, dtype=float)[:, None]).ravel()
    error = corrected_error(values, test_to_train)
    mean, reach = values.mean(), stats.t.ppf((1 + level) / 2, len(values) - 1) * error
    return Interval(float(mean), float(mean - reach), float(mean + reach))


def corrected_error(values: np.ndarray, test_to_train: float) -> float:
    """Standard error sqrt((1/n + n_test/n_train) var) of the mean of n folds, [Nadeau2003]."""
    n = len(values)
    if n < 2:
        raise UserError(f"interval: {n} value. Two at least have a variance.")
    return float(np.sqrt((1 / n + test_to_train) * np.var(values, ddof=1)))


def auc_error(value: float, n_pos: int, n_neg: int) -> float:
    """Standard error of an AUC A measured once on that many samples, [Hanley1982] Eq. (1) and (2).

    Of A (1 - A) + (n_pos - 1) (Q1 - A^2) + (n_neg - 1) (Q2 - A^2) over n_pos n_neg the root, with
    Q1 = A / (2 - A) and Q2 = 2 A^2 / (1 + A). It is 0 where A is 0 or 1.
    """
    A = max(value, 1 - value)  # the same with the classes swapped
    Q1, Q2 = A / (2 - A), 2 * A**2 / (1 + A)
    variance = A * (1 - A) + (n_pos - 1) * (Q1 - A**2) + (n_neg - 1) * (Q2 - A**2)
    return float(np.sqrt(max(0.0, variance) / (n_pos * n_neg)))


def binomial(share: float, n: int, *, level: float = 0.95) -> Interval:
    """The interval of Clopper and Pearson of a share of n, which need not be whole.

    Of all or none of n, the end on the other side is ((1 - level) / 2)^(1/n): about 1 - 3.7/n.
    """
    found, alpha = share * n, (1 - level) / 2
    low = stats.beta.ppf(alpha, found, n - found + 1) if found > 0 else 0.0
    high = stats.beta.ppf(1 - alpha, found + 1, n - found) if found < n else 1.0
    return Interval(float(share), float(low), float(high))


def wilcoxon(first: np.ndarray, second: np.ndarray) -> Test:
    """Wilcoxon's signed-rank test over tasks, T = min(R+, R-), [Demsar2006] Sec. 3.1.3.

    The ranks of tasks without a difference are split evenly. Exact for up to 50 tasks, or up to 13
    where there are ties or zeros; from the normal distribution otherwise.
    """
    d = _differences(first, second)
    if not d.any():
        return Test(len(d) * (len(d) + 1) / 4, 1.0)
    if len(d) <= _ALL_SIGNS:
        return _all_signs(d)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # older scipy: few tasks for the normal
        outcome = stats.wilcoxon(d, zero_method="zsplit")
    return Test(float(outcome.statistic), float(outcome.pvalue))


def _all_signs(d: np.ndarray) -> Test:
    """Wilcoxon's test by all 2^n signs of the ranks, of which equal sums are counted together.

    What scipy finds by going through them, hundreds of times faster.
    """
    twice = np.rint(2 * stats.rankdata(np.abs(d))).astype(int)  # ties have half ranks
    signed, split = twice[d != 0], twice[d == 0].sum() / 2
    sums = np.ones(1)
    for rank in signed:
        sums = np.pad(sums, (0, rank)) + np.pad(sums, (rank, 0))
    plus = twice[d > 0].sum()
    less, more = sums[: plus + 1].sum(), sums[plus:].sum()
    smaller = (min(plus, signed.sum() - plus) + split) / 2
    return Test(float(smaller), float(min(1.0, 2 * min(less, more) / sums.sum())))


def holm(p: np.ndarray) -> np.ndarray:
    """p-values adjusted for their number m: max of (m - rank + 1) p up to each one, [Holm1979]."""
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def wilcoxon_holm(values: np.ndarray) -> np.ndarray:
    """Wilcoxon's p of every two methods, adjusted by Holm over all pairs; 1 on the diagonal."""
    return _pairwise_holm(values, wilcoxon)


def paired_t_holm(values: np.ndarray) -> np.ndarray:
    """The p of the paired t-test of every two methods, adjusted like that of Wilcoxon."""
    return _pairwise_holm(values, paired_t)


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Mean rank of every method over tasks, 1 is best; ties share their mean rank.

    Refuses tasks that a method lacks.
    """
    return _ranks(values).mean(axis=0)


def friedman(values: np.ndarray) -> Friedman:
    """Friedman's test with the F statistic of Iman and Davenport, [Demsar2006] Sec. 3.2.2.

    chi2 = (k - 1) sum_j (R_j - N (k + 1) / 2)^2 / (A - N k (k + 1)^2 / 4) for N tasks, k methods,
    the sum R_j of a method's ranks and A of all their squares: that of [Demsar2006], corrected for
    ties. F = (N - 1) chi2 / (N (k - 1) - chi2). The p-value is exact, over all orders of the ranks
    within each task, for few tasks and methods (up to about 20 by 4, or 8 by 5); from F otherwise,
    but never under k!^(1 - N), the share of orders that agree in all tasks.
    """
    ranks = _ranks(values)
    N, k = ranks.shape
    between = np.sum((ranks.sum(axis=0) - N * (k + 1) / 2) ** 2)
    within = np.sum(ranks**2) - N * k * (k + 1) ** 2 / 4
    chi2 = (k - 1) * between / within if within > 0 else 0.0  # every task is one tie
    rest = N * (k - 1) - chi2
    F = (N - 1) * chi2 / rest if rest > 1e-9 else np.inf  # the same order in every task
    p = _all_orders(np.rint(2 * ranks).astype(np.int64))
    if p is None:
        p = stats.f.sf(F, k - 1, (k - 1) * (N - 1))
    least = max(np.exp((1 - N) * gammaln(k + 1)), np.finfo(float).tiny)
    return Friedman(ranks.mean(axis=0), N, float(chi2), float(F), float(max(p, least)))


def _ranks(values: np.ndarray) -> np.ndarray:
    values = _complete(values)
    N, k = values.shape
    if N < 2 or k < 2:
        raise UserError(f"ranks: {N} tasks and {k} methods. Give two of each at least.")
    return stats.rankdata(-values, axis=1)


def _all_orders(twice: np.ndarray) -> float | None:
    """P that the squares of the rank sums, of ranks times two, add up to no less than they do.

    Task by task, over the sums that can come about, in order: methods are alike, so that sums of
    the same numbers count together. None where there are too many.
    """
    N, k = twice.shape
    base = 2 * N * k + 1
    if base**k > 2**63:  # the sums, as digits of one number
        return None
    sums, chance = np.zeros((1, k), np.int64), np.ones(1)
    for ranks in twice:
        if len(sums) * factorial(k) > _MOST_SUMS:
            return None
        orders = np.array(sorted(set(permutations(ranks.tolist()))))
        reached = np.sort((sums[:, None] + orders).reshape(-1, k), axis=1)
        number = reached @ base ** np.arange(k)
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        sums = reached[first]
        chance = np.bincount(which, np.repeat(chance / len(orders), len(orders)))
    as_large = (sums**2).sum(axis=1) >= np.sum(twice.sum(axis=0) ** 2)
    return min(1.0, chance[as_large].sum())


def critical_difference(k: int, n_tasks: int, alpha: float = 0.05) -> float:
    """Nemenyi's CD = q_alpha sqrt(k (k + 1) / (6 N)) for mean ranks, [Demsar2006] Sec. 3.2.2.

    q is the quantile of the studentized range for k methods, over sqrt(2).
    """
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n_tasks)))


def nemenyi(values: np.ndarray) -> np.ndarray:
    """Nemenyi's p of every two methods, P(q > |R_i - R_j| / sqrt(k (k + 1) / (12 N))).

    q is the studentized range of k methods: p is under alpha where mean ranks differ by more than
    the critical difference, [Demsar2006] Sec. 3.2.2. 1 on the diagonal.
    """
    ranks, N = mean_ranks(values), len(values)
    k = len(ranks)
    apart = np.abs(ranks[:, None] - ranks)
    return stats.studentized_range.sf(apart / np.sqrt(k * (k + 1) / (12 * N)), k, np.inf)


def groups(ranks: np.ndarray, difference: float) -> list[list[int]]:
    """The largest sets of methods whose mean ranks differ by less than the critical difference.

    Methods by their column, the best first; a method apart from all others is in none. They are the
    bars of a critical-difference diagram.
    """
    ranks = np.asarray(ranks)
    order = np.argsort(ranks, kind="stable")
    found, reached = [], 0
    for start in range(len(order)):
        end = start + np.count_nonzero(ranks[order[start:]] - ranks[order[start]] < difference)
        if end - start > 1 and end > reached:
            found.append(order[start:end].tolist())
            reached = end
    return found


def stability(selected: np.ndarray, *, level: float = 0.95) -> Interval:
    """Phi = 1 - mean_f s_f^2 / (q (1 - q)), q = k/d, [Nogueira2018] Definition 4 and Corollary 9.

    s_f^2 is the unbiased variance of feature f being selected, k the mean number of features. 1 for
    the same features in every fold, about 0 for random ones; nan when all or none are selected. The
    interval is the paper's, for many folds: at 0.95 it covers Phi about 0.87 of the time with
    10 folds, and 0.8 with 5.
    """
    Z = np.asarray(selected, dtype=float)
    M, d = Z.shape
    if M < 2:
        raise UserError(f"stability: {M} selection. Two at least can agree or differ.")
    share = Z.mean(axis=0)
    q, own = share.mean(), Z.mean(axis=1)
    spread = q * (1 - q)
    if spread == 0:
        return Interval(np.nan, np.nan, np.nan)
    phi = 1 - M / (M - 1) * np.mean(share * (1 - share)) / spread
    influence = (Z @ share / d - own * q + phi / 2 * (2 * q * own - own - q + 1)) / spread
    error = 2 / M * np.sqrt(np.sum((influence - influence.mean()) ** 2))
    reach = stats.norm.ppf((1 + level) / 2) * error
    return Interval(float(phi), float(phi - reach), float(phi + reach))


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Jaccard's |A and B| / |A or B| of two selections, mean over folds; 1 if both are empty."""
    first, second = np.atleast_2d(first), np.atleast_2d(second)
    both, either = (first & second).sum(axis=1), (first | second).sum(axis=1)
    return float(np.mean(np.where(either > 0, both / np.maximum(either, 1), 1.0)))


def agreement(first: np.ndarray, second: np.ndarray) -> float:
    """(|A and B| - k^2/d) / (k - k^2/d) of two selections of k, mean over folds, [Kuncheva2007].

    1 for the same features, about 0 for random ones; nan when all or none are selected.
    """
    first, second = np.atleast_2d(first), np.atleast_2d(second)
    k, d = first.sum(axis=1), first.shape[1]
    if (k != second.sum(axis=1)).any():
        raise UserError("agreement: selections of different sizes. Compare as many features.")
    if ((k == 0) | (k == d)).any():
        return np.nan
    return float(np.mean(((first & second).sum(axis=1) - k**2 / d) / (k - k**2 / d)))


def _pairwise_holm(values: np.ndarray, test: Callable[..., Test]) -> np.ndarray:
    values = _complete(values)
    first, second = np.triu_indices(values.shape[1], k=1)
    pairs = zip(first, second, strict=True)
    p = np.eye(values.shape[1])
    p[first, second] = holm([test(values[:, i], values[:, j]).p for i, j in pairs])
    return np.maximum(p, p.T)


def _t_test(first, second, test_to_train: float) -> Test:
    """No difference anywhere is t = 0; the same one everywhere is infinitely many deviations."""
    d = _differences(first, second)
    n = len(d)
    if n < 2:
        raise UserError(f"t-test: {n} pair of values. Two at least have a variance.")
    mean, error = d.mean(), np.sqrt((1 / n + test_to_train) * d.var(ddof=1))
    t = mean / error if error else np.sign(mean) * np.inf if mean else 0.0
    return Test(float(t), float(2 * stats.t.sf(abs(t), n - 1)))


def _differences(first, second) -> np.ndarray:
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if (n := len(first)) != (m := len(second)):
        raise UserError(f"{n} values against {m}: a paired test needs the same tasks.")
    return np.diff(_complete(np.column_stack((second, first))), axis=1).ravel()


def _complete(values) -> np.ndarray:
    """The values, if every method has one for every task: other means cannot be compared."""
    values = np.asarray(values, dtype=float)
    lacking = np.isnan(values).sum(axis=0)
    if lacking.any():
        told = f"method {lacking.argmax()} lacks {lacking.max()} of {len(values)} tasks"
        raise UserError(f"{told}. Compare methods over tasks that all of them have.")
    return values
