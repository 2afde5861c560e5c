"""Decomposition: pseudo-classes from clusters, any filter on them, and how a config names it."""

import json
import pickle
from dataclasses import replace

import numpy as np
import oracles
import pytest
from scipy.sparse import csr_array

import imbfs
from imbfs.config import Experiment, parse
from imbfs.errors import UserError
from imbfs.methods import read_label, resolve
from imbfs.running import runner
from imbfs.running.plan import expand
from imbfs.running.store import Store
from imbfs.selectors import SELECTORS, filters
from imbfs.selectors.binned import bins
from imbfs.selectors.curves import roc
from imbfs.selectors.curves.fast import fast
from imbfs.selectors.decomposition import clusters
from imbfs.selectors.decomposition.clusters import cluster_counts, pseudo_classes
from imbfs.selectors.decomposition.decomposed import decomposed, scorers
from imbfs.selectors.neighbours.relief import relieff
from imbfs.showing.settings import written

every_scorer = pytest.mark.parametrize("scorer", sorted(scorers()))
every_clustering = pytest.mark.parametrize("clustering", ["kmeans", "em", "random"])
every_distance = pytest.mark.parametrize("distance", ["auto", "cosine", "euclidean"])
every_container = pytest.mark.parametrize("container", [np.asarray, csr_array])


@pytest.fixture(autouse=True)
def forgotten():
    clusters._recent.clear()


def clouds(sizes, d=6, seed=0):
    """A minority, and a majority around as many far centres as there are further sizes."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(groups), d)) + 30 * np.eye(len(sizes), d)[groups]
    order = rng.permutation(len(groups))
    return X[order], np.where(groups == 0, 1, -1)[order], groups[order]


def noise(minority=9, majority=30, d=20, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation([1] * minority + [-1] * majority)
    return rng.normal(size=(len(y), d)) + 0.5 * y[:, None], y


def cut(X, y, K="ratio", distance="auto", clustering="kmeans", starts=10, seed=0):
    return pseudo_classes(X, y, K, distance, clustering, starts, seed)


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize(
    "sizes, K, expected",
    [
        ([58, 19], "ratio", [3, 1]),  # 3.05
        ([39, 21], "ratio", [2, 1]),  # 1.86
        ([28, 20], "ratio", [1, 1]),  # 1.4
        ([30, 20], "ratio", [2, 1]),  # a half goes up
        ([100, 45, 10, 10], "ratio", [10, 5, 1, 1]),
        ([9, 1], "ratio", [5, 1]),  # one counts as two: 4.5
        ([1, 1], "ratio", [1, 1]),
        ([58, 19], 4, [4, 1]),
        ([58, 19], 1, [1, 1]),
        ([58, 30, 19], 4, [4, 4, 1]),
        ([5, 2], 100, [5, 1]),  # no more than samples
        ([20, 20], 4, [1, 1]),  # none is larger than the smallest
    ],
)
def test_the_number_of_clusters_by_hand(sizes, K, expected):
    assert cluster_counts(np.array(sizes), K).tolist() == expected


@pytest.mark.parametrize("clustering", ["kmeans", "em"])
@every_distance
@every_container
def test_clusters_far_apart_become_pseudo_classes(clustering, distance, container):
    X, y, groups = clouds([10, 10, 11, 9])
    pseudo, parents = cut(container(X), y, distance=distance, clustering=clustering)
    assert same_partition(pseudo, groups)
    assert parents.tolist() == [-1, -1, -1, 1]
    assert all(parents[pseudo[i]] == y[i] for i in range(len(y)))


@pytest.mark.parametrize("clustering", ["kmeans", "em"])
def test_with_more_starts_fewer_seeds_give_other_clusters(clustering):
    X, y = noise(d=3)

    def partitions(starts):
        cuts = (cut(X, y, 4, "euclidean", clustering, starts, seed)[0] for seed in range(10))
        return len({tuple((a[:, None] == a).ravel()) for a in cuts})

    assert partitions(starts=1) >= 8
    assert partitions(starts=10) <= 5


def test_cosine_goes_by_the_direction_and_euclid_by_the_place():
    # Two directions, each near the origin and far from it.
    rng = np.random.default_rng(0)
    direction, far = np.arange(40) % 2, np.arange(40) // 2 % 2
    X = (np.eye(2)[direction] + 0.01 * rng.normal(size=(40, 2))) * np.where(far, 100.0, 1.0)[
        :, None
    ]
    X, y = np.vstack([X, rng.normal(size=(20, 2))]), np.repeat([-1, 1], [40, 20])
    assert same_partition(cut(X, y, distance="cosine")[0][:40], direction)
    assert not same_partition(cut(X, y, distance="euclidean")[0][:40], direction)


@pytest.mark.parametrize("d, named", [(100, "euclidean"), (101, "cosine")])
def test_auto_takes_cosine_beyond_a_hundred_features(d, named):
    X, y = noise(d=d)
    X *= np.random.default_rng(1).gamma(1, size=(len(y), 1))
    labels = {distance: cut(X, y, distance=distance)[0] for distance in ("euclidean", "cosine")}
    assert not same_partition(labels["euclidean"], labels["cosine"])
    np.testing.assert_array_equal(cut(X, y)[0], labels[named])


@pytest.mark.parametrize("K", [2, 3, 7])
def test_random_cuts_into_parts_of_even_size_without_looking(K):
    X, y, groups = clouds([10, 15, 15])
    pseudo, parents = cut(X, y, K=K, clustering="random")
    sizes = np.bincount(pseudo)
    assert len(sizes) == len(parents) == K + 1 and np.ptp(sizes[:-1]) <= 1
    np.testing.assert_array_equal(pseudo, cut(X[::-1] * 7, y, K=K, clustering="random")[0])


@every_clustering
def test_several_large_classes_are_cut_each_by_itself(clustering):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2], [40, 10, 21]))
    X = rng.normal(size=(71, 5))
    pseudo, parents = cut(X, y, clustering=clustering)
    assert parents.tolist() == [0] * 4 + [1] + [2] * 2
    np.testing.assert_array_equal(parents[pseudo], y)


@every_scorer
@every_container
@pytest.mark.parametrize("K", [1, "ratio"])
def test_where_nothing_is_cut_nothing_changes(scorer, container, K):
    X, y = noise(20, 29 if K == "ratio" else 70)
    alone = SELECTORS[scorer].call(container(X), y)
    np.testing.assert_array_equal(decomposed(container(X), y, scorer=scorer, K=K), alone)


@every_clustering
@every_container
def test_a_filter_scores_the_pseudo_classes(clustering, container):
    X, y = noise()
    X = container(np.where(np.abs(X) < 0.3, 0, X))
    pseudo, parents = cut(X, y, clustering=clustering)
    assert len(parents) > 2
    expected = {
        "mi": bins.mi(X, pseudo),
        "fisher": filters.fisher(X, pseudo),
        "corr": filters.corr(X, pseudo),
        "relieff": relieff(X, pseudo),
        "hellinger": bins.hellinger(X, pseudo, parents=parents),
        "auc": roc.auc(X, pseudo, parents=parents),
        "fast": fast(X, pseudo, parents=parents),
    }
    for scorer, scores in expected.items():
        found = decomposed(X, y, scorer=scorer, clustering=clustering)
        np.testing.assert_array_equal(found, scores)
        assert (found != SELECTORS[scorer].call(X, y)).any()


def test_the_scores_follow_the_framework_of_the_paper():
    X, y, groups = clouds([8, 9, 7])
    scores = decomposed(X, y, scorer="fisher")
    by_class = [oracles.fisher(column, groups.tolist()) for column in X.T.tolist()]
    np.testing.assert_allclose(scores, by_class, rtol=1e-10)
    scores = decomposed(X, y, scorer={"mi": {"bins": 4}})
    by_class = [oracles.mi(column, groups.tolist(), 4) for column in X.T.tolist()]
    np.testing.assert_allclose(scores, by_class, rtol=1e-10)


def test_telling_the_parts_of_the_majority_apart_counts_nothing_where_pairs_are_compared():
    # Feature 1 tells the clouds of the majority apart, and the minority lies half in either;
    # feature 2 tells the minority from both.
    rng = np.random.default_rng(3)
    y, cloud = np.repeat([1, -1], [20, 40]), np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + np.column_stack([40 * cloud, y])
    for scorer in ("fast", "auc", "hellinger"):
        split, wanted = decomposed(X, y, scorer=scorer, distance="euclidean")
        assert wanted > split
    split, wanted = decomposed(X, y, scorer="fisher", distance="euclidean")
    assert split > wanted  # as in the paper: all pseudo-classes count alike


@every_scorer
def test_a_seed_fixes_it(scorer):
    X, y = noise()
    runs = []
    for seed in (1, 1, 2):
        clusters._recent.clear()
        runs.append(decomposed(X, y, scorer=scorer, seed=seed, clustering="random"))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert scorer == "none" or (runs[0] != runs[2]).any()


@every_scorer
def test_permuting_columns_permutes_scores(scorer):
    X, y, _ = clouds([10, 12, 9], d=12)
    order = np.random.default_rng(0).permutation(12)
    scores = decomposed(X[:, order], y, scorer=scorer)
    if scorer not in ("random", "mrmr"):  # those go by the index, mRMR among equals
        np.testing.assert_allclose(scores, decomposed(X, y, scorer=scorer)[order], rtol=1e-9)


@every_clustering
@every_distance
@every_container
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_rows_that_are_all_equal_or_zero_are_no_trouble(clustering, distance, container, value):
    X, y = noise(5, 20)
    X[y < 0] = value
    scores = decomposed(container(X), y, clustering=clustering, distance=distance)
    assert not np.isnan(scores).any()
    if clustering != "random":  # nothing to tell apart: one class as before
        np.testing.assert_array_equal(scores, bins.mi(X, y))


@every_clustering
@every_distance
def test_a_few_rows_that_differ_make_as_many_clusters(clustering, distance):
    X, y = noise(4, 20)
    X[y < 0] = np.eye(20)[np.arange(20) % 2]
    pseudo, parents = cut(X, y, distance=distance, clustering=clustering)
    assert sorted(set(pseudo)) == list(range(len(parents)))
    assert len(parents) == (6 if clustering == "random" else 3)


@every_scorer
@every_clustering
@pytest.mark.parametrize("K", ["ratio", 3, 1000])
@pytest.mark.parametrize("minority, majority", [(1, 9), (1, 1), (2, 3)])
def test_tiny_classes_and_large_numbers_are_no_trouble(scorer, clustering, K, minority, majority):
    X, y = noise(minority, majority)
    scores = decomposed(X, y, scorer=scorer, K=K, clustering=clustering)
    assert scores.shape == (20,) and not np.isnan(scores).any()


def test_a_class_may_fall_into_single_samples():
    X, y = noise(2, 5)
    pseudo, parents = cut(X, y, K=1000)
    assert sorted(pseudo) == [0, 1, 2, 3, 4, 5, 5] and parents.tolist() == [-1] * 5 + [1]


@every_clustering
def test_long_indices_and_other_containers_change_nothing(clustering):
    X, y = noise()
    X = np.where(np.abs(X) < 0.5, 0, X)
    rows = csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype("i8"), rows.indptr.astype("i8")
    expected = decomposed(csr_array(X), y, clustering=clustering)
    for given in (rows, rows.tocsc()):
        found = imbfs.score("decomposed", given, y, clustering=clustering)
        np.testing.assert_array_equal(found, expected)


@every_container
def test_nothing_is_written_into_the_data(container):
    X, y = noise()
    X = container(X)
    y.flags.writeable = False
    (X if container is np.asarray else X.data).flags.writeable = False
    assert not np.isnan(decomposed(X, y, distance="cosine")).any()


def test_filters_share_the_clustering_of_the_same_rows(monkeypatch):
    made = []
    plain = clusters._cut
    monkeypatch.setattr(clusters, "_cut", lambda *given: made.append(given) or plain(*given))
    X, y = noise()
    for scorer in ("mi", "fisher", "corr", "hellinger"):
        decomposed(X.copy(), y, scorer=scorer)
        decomposed(csr_array(X), y, scorer=scorer)
    assert len(made) == 2
    other = X.copy()
    other[0, 0] += 1e-9
    for changed in ({"K": 2}, {"seed": 1}, {"clustering": "em"}, {"distance": "cosine"}):
        decomposed(X, y, **changed)
    decomposed(other, y)
    decomposed(X, -y)
    assert len(made) == 8


def test_no_more_than_a_few_clusterings_are_remembered():
    X, y = noise(d=3)
    for seed in range(clusters.KEPT + 5):
        decomposed(X, y, clustering="random", seed=seed)
    assert len(clusters._recent) == clusters.KEPT


# In a config


def choices(**given):
    return resolve(SELECTORS, {"decomposed": given}, "selector")


def test_a_list_of_scorers_makes_one_choice_each():
    found = choices(scorer=["mi", {"mi": {"bins": [5, 20], "cut": "frequency"}}, "fisher"], K=3)
    assert [choice.label for choice in found] == [
        "decomposed(scorer=mi, K=3)",
        "decomposed(scorer=mi(bins=5,cut=frequency), K=3)",
        "decomposed(scorer=mi(bins=20,cut=frequency), K=3)",
        "decomposed(scorer=fisher, K=3)",
    ]
    assert found[1].params["scorer"]["params"] == {"bins": 5, "cut": "frequency"}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"scorer": ["mi", "fisher", "corr", {"corr": {"classes": ["maximum", "codes"]}}]},
        {"scorer": {"mi": {"bins": [3, 5], "cut": ["width", "frequency"]}}, "K": ["ratio", 4]},
        {"K": 2, "scorer": {"relieff": {"neighbours": 3, "samples": 20}}, "clustering": "random"},
    ],
)
def test_a_label_is_read_back_as_the_choice_it_stands_for(given):
    for choice in choices(**given):
        name, params = read_label(SELECTORS, choice.label)
        assert (name, params) == ("decomposed", choice.params)
        assert written(params["scorer"]) == written(choice.params["scorer"])


def test_the_scorer_is_always_told_and_comes_first():
    labels = [choice.label for given in ({}, {"scorer": "mi"}) for choice in choices(**given)]
    assert labels == ["decomposed(scorer=mi)"] * 2
    assert choices(K=3)[0].label == choices(K=3, scorer="mi")[0].label
    assert read_label(SELECTORS, "decomposed")[1] == choices()[0].params


def test_a_scorer_may_be_tuned_as_a_whole():
    (choice,) = choices(scorer={"tune": ["mi", {"mi": {"bins": [3, 5]}}]})
    assert choice.label == "decomposed(scorer=tuned)"
    assert [str(each["scorer"]) for each in choice.candidates()] == [
        "mi",
        "mi(bins=3)",
        "mi(bins=5)",
    ]
    assert read_label(SELECTORS, choice.label)[1]["scorer"] == "tuned"


def test_the_revision_of_the_scorer_is_in_the_identity(monkeypatch):
    before = json.dumps(choices(scorer="mi")[0].identity())
    monkeypatch.setitem(SELECTORS, "mi", replace(SELECTORS["mi"], revision=99))
    assert json.dumps(choices(scorer="mi")[0].identity()) != before


def test_a_choice_survives_the_way_to_a_worker():
    (choice,) = choices(scorer={"mi": {"bins": 5}})
    arrived = pickle.loads(pickle.dumps(choice))
    assert arrived == choice and str(arrived.params["scorer"]) == "mi(bins=5)"
    X, y = noise()
    np.testing.assert_array_equal(
        decomposed(X, y, **arrived.params), decomposed(X, y, scorer={"mi": {"bins": 5}})
    )


@pytest.mark.parametrize(
    "given, message",
    [
        ({"scorer": "s2n"}, "decomposed.scorer: unknown filter of several classes 's2n'. Known: a"),
        ({"scorer": "pa"}, "unknown filter of several classes 'pa'"),
        ({"scorer": "decomposed"}, "unknown filter of several classes 'decomposed'"),
        ({"scorer": "fischer"}, "'fischer'. Did you mean 'fisher'"),
        ({"scorer": ["mi", "x"]}, "unknown filter of several classes 'x'"),
        ({"scorer": {"mi": {"bin": 3}}}, "decomposed.scorer: mi has no parameter 'bin'"),
        ({"scorer": {"mi": {"bins": 0}}}, "decomposed.scorer: mi.bins: input should be greater"),
        ({"scorer": {"mi": {"bins": {"tune": [3]}}}}, "tuned as a whole"),
        ({"scorer": {"tune": []}}, "no list of values to try"),
        ({"scorer": []}, "an empty list names no value"),
        ({"scorer": 3}, "decomposed.scorer: 3 is no filter of several classes"),
        ({"K": 0}, "decomposed.K: input should be greater than or equal to 1"),
        ({"clustering": "dbscan"}, "decomposed.clustering: input should be 'kmeans', 'em' or"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(given, message):
    with pytest.raises(UserError) as refusal:
        choices(**given)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)
    base = {"name": "x", "datasets": ["wine"]}
    with pytest.raises(ValueError, match="decomposed"):
        Experiment.model_validate({**base, "selectors": [{"decomposed": given}]})


def test_it_is_used_from_python_by_the_name_of_its_scorer():
    X, y = noise()
    found = imbfs.score("decomposed", X, y, scorer={"corr": {"classes": "maximum"}}, seed=3)
    expected = decomposed(X, y, scorer={"corr": {"classes": "maximum"}}, seed=3)
    np.testing.assert_array_equal(found, expected)
    kept = imbfs.Select("decomposed", k=3, params={"scorer": "fisher"}).fit(X, y).get_support()
    assert kept.sum() == 3
    with pytest.raises(UserError, match="give each parameter one value"):
        imbfs.score("decomposed", X, y, scorer=["mi", "fisher"])


TEXT = """\
name: x
datasets: [breast_cancer, wine]
ratios: 4
selectors:
  - mi
  - decomposed: {scorer: [mi, {fisher: {form: textbook}}], clustering: [kmeans, random]}
classifiers: [naive_bayes, tree]
features: [2, 5]
measures: [g_mean]
protocol: {cv: {repeats: 1, folds: 2}}
"""


def test_one_and_two_processes_give_the_same_bits(tmp_path):
    tasks = expand(parse(TEXT.replace(", wine", ""))).tasks
    stores = [Store(tmp_path / str(jobs)).create() for jobs in (1, 2)]
    for jobs, store in enumerate(stores, start=1):
        list(runner.run(tasks, store, jobs=jobs))
    one, two = ({key: r["rows"] for key, r in s.records().items()} for s in stores)
    assert one == two and len(one) == len(tasks) == 20


def test_several_classes_run_too(tmp_path):
    tasks = expand(parse(TEXT.replace("breast_cancer, ", "").replace("ratios: 4\n", ""))).tasks
    store = Store(tmp_path / "x").create()
    list(runner.run(tasks, store))
    assert {record["status"] for record in store.records().values()} == {"ok"}
