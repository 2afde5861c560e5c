"""Measures against slow versions, scikit-learn and imbalanced-learn, and worked by hand."""

import math

import numpy as np
import oracles
import pytest
from imblearn.metrics import geometric_mean_score
from sklearn import metrics

from imbfs.errors import UserError
from imbfs.measures import (
    CLASS_MEANS,
    DESCRIPTIVE,
    MEASURES,
    accuracy,
    auc,
    average_precision,
    balanced_accuracy,
    f_majority,
    f_measure,
    g_mean,
    jaccard,
    label_accuracy,
    mc_f1,
    measure,
    micro_f1,
    ovr_accuracy,
    ovr_f1,
    prc,
    recovery,
    sensitivity,
    specificity,
    subset_accuracy,
)
from imbfs.methods import BINARY, MULTICLASS, MULTILABEL

SEEDS = range(20)
RANKING = [auc, prc, average_precision]
LABELLING = [f_measure, f_majority, g_mean, sensitivity, specificity, balanced_accuracy, accuracy]

OF_PREDICTIONS = {
    name: method
    for name, method in MEASURES.items()
    if name != "recovery" and name not in DESCRIPTIVE
}


def binary(seed, n=60):
    """A prediction with many ties; both classes are there."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.2, 1, -1).astype(np.int8)
    y[:2] = 1, -1
    decision = np.round(rng.normal(size=n) + 0.7 * y) / 2
    return y, np.where(decision > 0, 1, -1), decision


def multiclass(seed, n=80, c=4):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(c), rng.choice(c, size=n - c, p=[0.6, 0.25, 0.1, 0.05]))
    decision = np.round(rng.normal(size=(n, c)) + 2 * np.eye(c)[y], 1)
    return y, decision.argmax(axis=1), decision


def multilabel(seed, n=50, labels=3):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, labels)) < 0.3).astype(np.int64)
    y[0], y[1] = 1, 0
    decision = np.round(rng.normal(size=(n, labels)) + y - 0.5, 1)
    return y, (decision > 0).astype(np.int64), decision


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("call", RANKING)
def test_ranking_measures_match_their_slow_versions(call, seed):
    y, _, decision = binary(seed)
    slow = getattr(oracles, call.__name__)(y.tolist(), decision.tolist())
    assert call(y, decision) == pytest.approx(slow, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_labelling_measures_match_their_slow_versions(seed):
    y, predicted, _ = binary(seed)
    slow = y.tolist(), predicted.tolist()
    assert f_measure(y, predicted) == pytest.approx(oracles.f_measure(*slow))
    assert f_majority(y, predicted) == pytest.approx(oracles.f_majority(*slow))
    assert g_mean(y, predicted) == pytest.approx(oracles.g_mean(*slow))
    assert sensitivity(y, predicted) == oracles.recall(*slow, +1)
    assert specificity(y, predicted) == oracles.recall(*slow, -1)


@pytest.mark.parametrize("seed", SEEDS)
def test_binary_measures_match_other_libraries(seed):
    y, predicted, decision = binary(seed)
    expected = {
        "auc": metrics.roc_auc_score(y, decision),
        "average_precision": metrics.average_precision_score(y, decision),
        "f_measure": metrics.f1_score(y, predicted),
        "f_majority": metrics.f1_score(y, predicted, pos_label=-1),
        "g_mean": geometric_mean_score(y, predicted, pos_label=1, average="binary"),
        "sensitivity": metrics.recall_score(y, predicted),
        "specificity": metrics.recall_score(y, predicted, pos_label=-1),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "accuracy": metrics.accuracy_score(y, predicted),
    }
    assert measure(BINARY, expected, y, predicted, decision) == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_multiclass_measures_match_other_libraries(seed):
    y, predicted, decision = multiclass(seed)
    own = np.eye(4, dtype=int)[y]
    expected = {
        "auc": metrics.roc_auc_score(own, decision, average="macro"),
        "average_precision": metrics.average_precision_score(own, decision, average="macro"),
        "f_measure": metrics.f1_score(y, predicted, average="macro"),
        "g_mean": geometric_mean_score(y, predicted, average="multiclass"),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "accuracy": metrics.accuracy_score(y, predicted),
        "micro_f1": metrics.f1_score(y, predicted, average="micro"),
        "label_accuracy": metrics.accuracy_score(own.ravel(), np.eye(4)[predicted].ravel()),
    }
    assert measure(MULTICLASS, expected, y, predicted, decision) == pytest.approx(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_multilabel_measures_match_other_libraries(seed):
    y, predicted, decision = multilabel(seed)
    columns = range(y.shape[1])
    recall = [metrics.balanced_accuracy_score(y[:, j], predicted[:, j]) for j in columns]
    spread = [geometric_mean_score(y[:, j], predicted[:, j]) for j in columns]
    expected = {
        "auc": metrics.roc_auc_score(y, decision, average="macro"),
        "average_precision": metrics.average_precision_score(y, decision, average="macro"),
        "f_measure": metrics.f1_score(y, predicted, average="macro"),
        "g_mean": np.mean(spread),
        "balanced_accuracy": np.mean(recall),
        "accuracy": 1 - metrics.hamming_loss(y, predicted),
        "micro_f1": metrics.f1_score(y, predicted, average="micro"),
        "label_accuracy": 1 - metrics.hamming_loss(y, predicted),
        "jaccard": metrics.jaccard_score(y, predicted, average="samples", zero_division=1),
        "subset_accuracy": metrics.accuracy_score(y, predicted),
    }
    assert measure(MULTILABEL, expected, y, predicted, decision) == pytest.approx(expected)


def two_segments():
    """20 positives, 2000 negatives; achievable points A (5, 5), B (10, 30) and the end."""
    y = np.repeat([1, -1, 1, -1, 1, -1], [5, 5, 5, 25, 10, 1970])
    return y, np.repeat([3.0, 2.0, 1.0], [10, 30, 1980])


def test_the_slow_version_interpolates_as_davis_and_goadrich_do():
    # Five more false positives come with each of the five true positives between A and B.
    a, b = oracles.achievable_points(*(part.tolist() for part in two_segments()))[1:3]
    assert (a, b) == ((5, 5), (10, 30))
    precision = [oracles.interpolated_precision(a, b, tp) for tp in range(5, 11)]
    np.testing.assert_allclose(precision, [5 / 10, 6 / 16, 7 / 22, 8 / 28, 9 / 34, 10 / 40])


def test_prc_by_hand():
    # 0..A: precision 1/2 over 5 positives: 2.5
    # A..B: 5 fp per tp, int_5^10 x / (6x - 20) dx = 5/6 + 20/36 ln(40/10) = 1.603497
    # B..end: 197 fp per tp, int_10^20 x / (198x - 1940) dx = 10/198 + 1940/198^2 ln(2020/40)
    #         = 0.244582;  (2.5 + 1.603497 + 0.244582) / 20 = 0.217404
    assert prc(*two_segments()) == pytest.approx(0.217404, abs=1e-6)


def test_prc_starts_from_zero_precision_when_a_majority_sample_comes_first():
    # (0, 1) to (1, 1): int_0^1 x / (x + 1) dx = 1 - ln 2
    assert prc(np.array([-1, 1]), np.array([2.0, 1.0])) == pytest.approx(1 - math.log(2))


def test_prc_is_exact_with_very_many_samples():
    # All tied: one segment from the origin, precision 1/1000 throughout.
    y = np.where(np.arange(1_000_000) % 1000 == 0, 1, -1)
    assert prc(y, np.zeros(1_000_000)) == pytest.approx(1e-3, rel=1e-12)


@pytest.mark.parametrize("call", RANKING)
def test_a_perfect_ranking_scores_one(call):
    y = np.array([-1, 1, -1, 1, -1])
    assert call(y, y.astype(float)) == 1.0


def test_a_constant_decision_is_as_good_as_chance():
    y = np.array([1, -1, -1, -1])
    values = [call(y, np.zeros(4)) for call in RANKING]
    assert values == [0.5, 0.25, 0.25]


def test_labelling_measures_by_hand():
    # tp 2, fn 1, fp 1, tn 4
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1])
    predicted = np.array([1, 1, -1, 1, -1, -1, -1, -1])
    values = [call(y, predicted) for call in LABELLING]
    expected = [2 / 3, 8 / 10, math.sqrt(2 / 3 * 4 / 5), 2 / 3, 4 / 5, (2 / 3 + 4 / 5) / 2, 6 / 8]
    assert values == pytest.approx(expected)


def test_f_measure_is_zero_when_the_minority_is_never_predicted():
    assert f_measure(np.array([1, -1, -1]), np.array([-1, -1, -1])) == 0.0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "make, kind", [(binary, BINARY), (multiclass, MULTICLASS), (multilabel, MULTILABEL)]
)
def test_the_order_of_samples_does_not_matter(make, kind, seed):
    data = make(seed)
    order = np.random.default_rng(seed).permutation(len(data[0]))
    names = [name for name, method in OF_PREDICTIONS.items() if kind in method.kinds]
    shuffled = measure(kind, names, *(part[order] for part in data))
    assert shuffled == pytest.approx(measure(kind, names, *data), rel=1e-12)


@pytest.mark.parametrize("call", RANKING)
def test_only_the_order_of_decisions_matters_and_infinity_is_their_end(call):
    y, _, decision = binary(0)
    infinite = decision.copy()
    infinite[decision == decision.max()] = np.inf
    infinite[decision == decision.min()] = -np.inf
    assert call(y, infinite) == call(y, decision)
    assert call(y, np.exp(decision)) == call(y, decision)


@pytest.mark.parametrize("call", RANKING)
def test_a_nan_decision_has_no_value(call):
    assert math.isnan(call(np.array([1, -1, 1]), np.array([0.0, np.nan, 1.0])))


@pytest.mark.parametrize("label", [1, -1])
def test_with_one_class_only_what_needs_the_other_is_nan(label):
    y = np.full(5, label)
    names = [name for name, method in OF_PREDICTIONS.items() if BINARY in method.kinds]
    values = measure(BINARY, names, y, y, np.arange(5.0))
    defined = {"accuracy", "sensitivity" if label > 0 else "specificity"}
    assert {name for name, value in values.items() if not math.isnan(value)} == defined
    assert all(values[name] == 1.0 for name in defined)


def test_one_class_or_constant_labels_only_give_nan_but_what_counts_right_ones():
    one, ones = np.full(4, 2), np.ones((4, 2), dtype=int)
    pooled = {"accuracy", "micro_f1", "label_accuracy"}
    for kind, y, defined in (
        (MULTICLASS, one, {*pooled, "mc_f1", "ovr_f1", "ovr_accuracy"}),
        (MULTILABEL, ones, {*pooled, "jaccard", "subset_accuracy"}),
    ):
        names = [name for name, method in OF_PREDICTIONS.items() if kind in method.kinds]
        decision = np.tile([-1.0, -1.0, 1.0], (4, 1)) if kind == MULTICLASS else y - 1.0
        values = measure(kind, names, y, y, decision)
        assert {name for name, value in values.items() if not math.isnan(value)} == defined
        assert all(values[name] == 1.0 for name in defined)


def test_classes_missing_from_y_are_left_out_of_the_mean():
    # Class 1 is predicted but not there; 0 has F = 2/3 (tp 1, fn 1), 2 has F = 1.
    y, predicted = np.array([0, 0, 2]), np.array([0, 1, 2])
    decision = np.eye(3)[predicted]
    values = measure(MULTICLASS, ["f_measure", "g_mean", "auc"], y, predicted, decision)
    # AUC: 0 against the rest (1 + 1/2) / 2, 2 against the rest 1; recalls 1/2 and 1.
    expected = {"f_measure": 5 / 6, "g_mean": math.sqrt(1 / 2), "auc": 7 / 8}
    assert values == pytest.approx(expected)


def test_labels_with_one_value_are_left_out_of_the_mean():
    y, predicted, decision = multilabel(0)
    never, always = np.zeros(len(y)), np.ones(len(y))
    constant = [np.column_stack((part, never, always)) for part in (y, predicted, decision)]
    names = ["auc", "prc", "f_measure", "g_mean", "balanced_accuracy"]
    expected = measure(MULTILABEL, names, y, predicted, decision)
    assert measure(MULTILABEL, names, *constant) == expected


def test_a_class_beyond_those_that_were_learned_counts_as_tied():
    # Classes 0 and 1 are ranked perfectly, 2 was never learned: (1 + 1 + 1/2) / 3.
    y = np.array([0, 1, 2])
    decision = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    value = measure(MULTICLASS, ["auc"], y, np.array([0, 1, 0]), decision)["auc"]
    assert value == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_measures_of_several_classes_match_their_slow_versions(seed):
    y, predicted, decision = multiclass(seed)
    rows = oracles.indicator(y, 4), oracles.indicator(predicted, 4)
    assert micro_f1(y, predicted) == pytest.approx(float(oracles.micro_f1(*rows)))
    assert mc_f1(y, predicted) == pytest.approx(float(oracles.mc_f1(y, predicted, 4)))
    slow = float(oracles.label_accuracy(*rows))
    assert label_accuracy(y, predicted, decision) == pytest.approx(slow)
    one_by_one = rows[0], (decision > 0.3).astype(int).tolist()
    assert ovr_f1(y, decision - 0.3) == pytest.approx(float(oracles.micro_f1(*one_by_one)))
    slow = float(oracles.label_accuracy(*one_by_one))
    assert ovr_accuracy(y, decision - 0.3) == pytest.approx(slow)


def test_classes_decided_one_by_one_by_hand():
    y = np.array([0, 1, 2, 2])
    # Right; two classes, one of them right; none; the right one. tp 3, fp 1, fn 1 of 12 labels.
    decision = np.array([[1.0, -1, -1], [0.5, 0.2, -1], [-1, -1, 0.0], [-2, -3, 0.1]])
    assert ovr_f1(y, decision) == pytest.approx(2 * 3 / (2 * 3 + 1 + 1))
    assert ovr_accuracy(y, decision) == pytest.approx(10 / 12)
    # A class beyond those that were learned is never given: one more missed, of 16 labels.
    beyond = np.append(y[:3], 3)
    assert ovr_f1(beyond, decision) == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))
    assert ovr_accuracy(beyond, decision) == pytest.approx(12 / 16)


@pytest.mark.parametrize("coding", [np.int64, bool])
@pytest.mark.parametrize("seed", SEEDS)
def test_measures_of_several_labels_match_their_slow_versions(seed, coding):
    y, predicted, decision = (part.astype(coding) for part in multilabel(seed))
    rows = y.astype(int).tolist(), predicted.astype(int).tolist()
    assert micro_f1(y, predicted) == pytest.approx(float(oracles.micro_f1(*rows)))
    assert jaccard(y, predicted) == pytest.approx(float(oracles.jaccard(*rows)))
    slow = float(oracles.label_accuracy(*rows))
    assert label_accuracy(y, predicted, decision) == pytest.approx(slow)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_one_class_a_sample_pooled_f1_is_accuracy_and_labels_share_every_mistake(seed):
    y, predicted, decision = multiclass(seed)
    assert micro_f1(y, predicted) == accuracy(y, predicted)
    errors = np.mean(y != predicted)
    assert label_accuracy(y, predicted, decision) == pytest.approx(1 - 2 * errors / 4)


def test_f1_of_all_classes_but_the_first_by_hand():
    # Of the four others two are found, one is taken for the first and one for another: tp 2, fn 2;
    # of three of the first one is not found: 2 * 2 / (2 * 2 + 2 + 1).
    y = np.array([0, 0, 0, 1, 1, 2, 2])
    predicted = np.array([0, 0, 2, 1, 0, 2, 1])
    assert mc_f1(y, predicted) == pytest.approx(4 / 7)
    # Both mistakes on the others counted false as well, as scikit-learn has it: 4 / (4 + 2 + 2).
    pooled = metrics.f1_score(y, predicted, labels=[1, 2], average="micro")
    assert pooled == pytest.approx(4 / 8)


@pytest.mark.parametrize("seed", SEEDS)
def test_f1_of_all_classes_but_the_first_is_the_pooled_one_if_the_others_are_never_mixed_up(seed):
    y, predicted, _ = multiclass(seed)
    predicted = np.where((y > 0) & (predicted > 0), y, predicted)
    pooled = metrics.f1_score(y, predicted, labels=[1, 2, 3], average="micro")
    assert mc_f1(y, predicted) == pytest.approx(pooled)


def test_f1_of_all_classes_but_the_first_needs_one_of_them():
    first = np.zeros(3, dtype=int)
    assert math.isnan(mc_f1(first, np.array([0, 0, 1])))
    assert mc_f1(np.array([0, 1, 2]), first) == 0.0


def test_measures_of_sets_of_labels_by_hand():
    # Samples share 1 of 2, 0 of 1, nothing of nothing, 2 of 2 labels; tp 3, fp 0, fn 2.
    y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 1]])
    predicted = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1]])
    assert jaccard(y, predicted) == (1 / 2 + 0 + 1 + 1) / 4
    assert subset_accuracy(y, predicted) == 2 / 4
    assert label_accuracy(y, predicted, predicted - 0.5) == 10 / 12
    assert micro_f1(y, predicted) == 6 / 8


def test_pooled_f1_needs_a_label():
    none = np.zeros((2, 3), dtype=int)
    assert math.isnan(micro_f1(none, none))
    assert math.isnan(micro_f1(none, 1 - none))


def test_a_class_that_was_never_learned_is_a_label_of_its_own():
    # Two classes were learned, and y has a third: one mistake is in two of three labels.
    y, decision = np.array([0, 1, 2, 1]), np.zeros((4, 2))
    assert label_accuracy(y, np.array([0, 1, 1, 1]), decision) == pytest.approx(1 - 2 / 12)
    # Three were learned, and y has the first two.
    assert label_accuracy(y[:2], np.array([0, 2]), np.zeros((2, 3))) == pytest.approx(1 - 2 / 6)
    assert mc_f1(y, np.array([0, 1, 1, 1])) == pytest.approx(4 / 5)


@pytest.mark.parametrize("name", ["micro_f1", "mc_f1", "label_accuracy", "jaccard"])
def test_what_pools_labels_is_refused_for_two_classes(name):
    with pytest.raises(UserError, match=f"{name} is no measure of binary data"):
        measure(BINARY, [name], *binary(0))


def test_sensitivity_is_refused_for_several_classes():
    with pytest.raises(UserError, match="sensitivity is no measure of multiclass data"):
        measure(MULTICLASS, ["sensitivity"], *multiclass(0))


def test_values_are_plain_floats():
    for kind, make in ((BINARY, binary), (MULTICLASS, multiclass), (MULTILABEL, multilabel)):
        names = [name for name, method in OF_PREDICTIONS.items() if kind in method.kinds]
        values = measure(kind, names, *make(0))
        assert list(values) == names
        assert {type(value) for value in values.values()} == {float}


def test_recovery_is_the_share_of_the_relevant_among_as_many_as_fit():
    relevant = np.array([2, 5, 7, 9])
    assert recovery(np.array([5, 1]), relevant) == 1 / 2
    assert recovery(np.array([2, 5, 7, 9, 0, 1]), relevant) == 1
    assert recovery(np.array([0, 1, 3, 4, 9]), relevant) == 1 / 4
    assert np.isnan(recovery(np.array([1]), None))
    assert np.isnan(recovery(None, relevant))


def test_class_means_are_of_the_test_rows_or_of_those_seen():
    told = {("test", 1): 1.0, ("test", -1): 2.0, ("training", 1): 3.0, ("training", -1): 4.0}
    y = np.array([1, -1])
    given = {"predicted": y, "decision": y, "class_mean": lambda *asked: told[asked]}
    assert list(measure("binary", CLASS_MEANS, y, **given).values()) == [1.0, 2.0, 3.0, 4.0]
    given["class_mean"] = None
    assert np.isnan(list(measure("binary", CLASS_MEANS, y, **given).values())).all()


def test_what_describes_a_run_needs_no_labels():
    y, decision = np.array([1, -1, -1, -1]), np.array([0.0, -0.0, 1e-300, -2.0])
    given = {"predicted": np.sign(decision), "decision": decision}
    names = [name for name in DESCRIPTIVE if name not in CLASS_MEANS]
    values = measure("binary", names, y, **given, used=3, cost=0.8)
    described = {"features_used": 3.0, "zero_share": 0.5, "dead": 0.0}
    assert values == described | {"positive_share": 0.25, "cost": 0.8}
    assert measure("binary", ["dead"], y, **given, used=0) == {"dead": 1.0}
    assert all(
        np.isnan(measure("binary", [name], y, **given)[name])
        for name in ("dead", "features_used", "cost")
    )
