"""Features of a user's own file ranked: agreement, stability, significance, what is written."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import chi2, kruskal, mannwhitneyu

from imbfs.errors import UserError
from imbfs.own import ranked, resamples, significance
from imbfs.own.intake import take
from imbfs.own.selecting import select

FILES = {"selected.csv", "features.png", "heat_map.png", "selected.json", "report.html"}


def noise(n=40, d=300, minority=12, seed=0):
    rng = np.random.default_rng(seed)
    y = np.full(n, -1)
    y[rng.permutation(n)[:minority]] = 1
    return rng.normal(size=(n, d)), y


def written(path, X, y, names=None):
    header = ",".join([*(names or [f"g{j}" for j in range(X.shape[1])]), "class"])
    lines = [",".join([*(f"{v:.4f}" for v in row), str(c)]) for row, c in zip(X, y, strict=True)]
    path.write_text("\n".join([header, *lines]), encoding="utf-8")
    return path


# Agreement


def test_the_agreed_ranking_is_by_mean_rank_then_by_the_best_rank():
    # Means 2, 2, 2.5, 3.5; of the first two, the second was first somewhere.
    ranks = np.array([[2.0, 3.0, 1.0, 4.0], [2.0, 1.0, 4.0, 3.0]])
    assert ranked.agreed(ranks).tolist() == [1, 0, 2, 3]


def test_equal_scores_share_their_mean_rank():
    assert ranked.places(np.array([0.5, np.inf, 0.5, 0.1])).tolist() == [2.5, 1, 2.5, 4]


def test_default_selectors_take_the_kind_of_task():
    assert [c.name for c in ranked.choices([], "binary")] == [
        "auc",
        "s2n",
        "hellinger",
        "relieff",
    ]
    assert [c.name for c in ranked.choices([], "multiclass")][1] == "f_statistic"
    with pytest.raises(UserError, match="does not take multiclass"):
        ranked.choices(["s2n"], "multiclass")
    with pytest.raises(UserError, match="Did you mean 'relieff'"):
        ranked.choices(["relief_f"], "binary")


# Stability


def test_a_half_sample_has_half_of_every_class_and_whole_groups():
    y = np.array([1] * 7 + [-1] * 12 + [1] * 1)
    rows = resamples.half(y, None, 3)
    assert (y[rows] == 1).sum() == 4
    assert (y[rows] == -1).sum() == 6
    assert len(set(rows.tolist())) == 10
    groups = np.arange(20) // 2
    rows = resamples.half(y[np.argsort(y, kind="stable")], groups, 3)
    assert (np.bincount(groups[rows])[np.unique(groups[rows])] == 2).all()


def test_two_samples_of_a_class_are_both_kept():
    rows = resamples.half(np.array([1, 1] + [-1] * 10), None, 0)
    assert {0, 1} <= set(rows.tolist())


def test_groups_that_never_hold_both_classes_are_refused():
    with pytest.raises(UserError, match="half of them never hold"):
        resamples.half(np.array([1, -1, -1, -1]), np.array([0, 1, 1, 2]), 0)


def test_frequency_is_the_share_of_half_samples_with_the_feature_among_the_first():
    X, y = noise(d=30)
    X[:, 4] += 2 * y
    methods = ranked.choices([], "binary")
    seeds = resamples.seeds(0, 6)
    found = resamples.frequency(methods, X, y, k=5, seeds=seeds)
    counts = np.zeros(30)
    for seed in seeds:
        rows = resamples.half(y, None, seed)
        ranks = [ranked.places(ranked.scores(m, X[rows], y[rows], seed)) for m in methods]
        mean = np.mean(ranks, axis=0)
        order = sorted(range(30), key=lambda j: (mean[j], min(r[j] for r in ranks), j))
        counts[order[:5]] += 1
    np.testing.assert_array_equal(found, counts / 6)
    assert found[4] == 1
    assert found.sum() == pytest.approx(5)


# Significance


def test_the_statistic_is_that_of_mann_whitney_and_kruskal_wallis():
    X, y = noise(d=6)
    X = np.round(X, 1)  # some ties
    own = significance.statistics(significance.centred_ranks(X), y[None])[0]
    three = np.arange(40) % 3
    several = significance.statistics(significance.centred_ranks(X), three[None])[0]
    for j in range(6):
        parts = X[y == 1, j], X[y == -1, j]
        z = mannwhitneyu(*parts, method="asymptotic", use_continuity=False)
        assert chi2.sf(own[j], 1) == pytest.approx(z.pvalue)
        assert own[j] == pytest.approx(kruskal(*parts).statistic)
        assert several[j] == pytest.approx(kruskal(*(X[three == c, j] for c in range(3))).statistic)


def test_sparse_data_have_the_statistics_of_dense_ones():
    rng = np.random.default_rng(2)
    X = np.round(rng.normal(size=(30, 50)), 1) * (rng.random((30, 50)) < 0.3)
    X[:, 0] = 0
    y = np.where(np.arange(30) % 3 == 0, 1, -1)
    dense, _ = significance.p_values(X, y, seed=1, count=50)
    sparse, _ = significance.p_values(csr_array(X), y, seed=1, count=50)
    np.testing.assert_array_equal(dense, sparse)
    assert dense[0] == 1


def test_p_is_the_share_of_pooled_permutations_that_reach_the_feature():
    X, y = noise(n=14, d=5, minority=5, seed=3)
    X[:, 0] += y
    p, count = significance.p_values(X, y, seed=7, count=40)
    rng = np.random.default_rng(7)
    own = [kruskal(X[y == 1, j], X[y == -1, j]).statistic for j in range(5)]
    null = []
    for _ in range(40):
        new = rng.permutation(y)
        null += [kruskal(X[new == 1, j], X[new == -1, j]).statistic for j in range(5)]
    reached = [(np.array(null) >= value - 1e-9).sum() for value in own]
    np.testing.assert_allclose(p, (1 + np.array(reached)) / (1 + 200))
    assert count == 40


def test_p_comes_close_to_the_exact_test():
    X, y = noise(n=20, d=200, minority=6, seed=4)
    X[:, :5] += y[:, None]
    p, _ = significance.p_values(X, y, count=2000)
    exact = mannwhitneyu(X[y == 1], X[y == -1], method="exact").pvalue
    np.testing.assert_allclose(p, exact, rtol=0.1, atol=2e-4)


def test_whole_groups_change_their_class_and_mixed_ones_stay_as_they_are():
    groups = np.repeat(np.arange(8), 3)
    y = np.where(groups < 3, 1, -1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        new = significance.permuted(y, groups, rng).reshape(8, 3)
        assert (new == new[:, :1]).all()
        assert (new[:, 0] == 1).sum() == 3
    mixed = np.where(np.arange(24) % 3 == 0, 1, -1)
    for _ in range(5):
        new = significance.permuted(mixed, groups, rng).reshape(8, 3)
        assert ((new == 1).sum(axis=1) == 1).all()


@pytest.mark.parametrize("seed", range(6))
def test_on_pure_noise_no_feature_is_significant(seed, tmp_path):
    X, y = noise(d=500, minority=8, seed=seed)
    intake = take(written(tmp_path / "a.csv", X, y), "class")
    assert select(intake, ranked.choices(["auc"], "binary"), count=2).significant == 0


def test_groups_take_away_what_only_copies_made_significant():
    # Five rows a patient, nearly alike: 8 patients are few, whatever the number of rows.
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(8), 5)
    X = rng.normal(size=(8, 200))[groups] + 0.01 * rng.normal(size=(40, 200))
    y = np.where(groups < 3, 1, -1)
    alone, _ = significance.p_values(X, y, count=300)
    together, _ = significance.p_values(X, y, groups, count=300)
    assert alone.min() < 1e-4
    assert together.min() > 0.005


def of_patients(rng, shares, per=5, n=30, ill=10):
    """Noise of `per` rows a patient, the first columns the same in all rows of one, and classes."""
    groups = np.repeat(np.arange(n), per)
    constant, free = shares
    X = np.hstack([rng.normal(size=(n, constant))[groups], rng.normal(size=(n * per, free))])
    return X, np.where(rng.permutation(n) < ill, 1, -1)[groups], groups


@pytest.mark.parametrize("constant", [0, 6, 30])
def test_p_is_right_for_features_of_rows_and_of_whole_groups(constant):
    rng, found = np.random.default_rng(constant), []
    for seed in range(40):
        X, y, groups = of_patients(rng, (constant, 60 - constant))
        found.append(significance.p_values(X, y, groups, seed=seed, count=300)[0])
    for p in np.split(np.array(found), [constant], axis=1):
        for level in (0.05, 0.01) if p.size else ():
            off = 4 * np.sqrt(level * (1 - level) / p.size)
            assert abs((p <= level).mean() - level) < off


def test_with_groups_a_feature_is_found_as_by_the_test_that_suits_it():
    # A constant feature counts once a patient, one that differs freely in each row.
    rng = np.random.default_rng(8)
    X, y, groups = of_patients(rng, (20, 180))
    X += rng.uniform(0, 1, size=200) * (y == 1)[:, None]
    p, count = significance.p_values(X, y, groups, count=2000)
    once = np.unique(groups, return_index=True)[1]
    some, ill = X[once, :20], y[once] == 1
    exact = mannwhitneyu(some[ill], some[~ill], method="exact").pvalue
    np.testing.assert_allclose(p[:20], exact, rtol=0.25, atol=0.01)
    rows = mannwhitneyu(X[y == 1, 20:], X[y == -1, 20:]).pvalue
    for level in (0.05, 0.01, 0.001):
        assert (p[20:] <= level).sum() > 0.8 * (rows <= level).sum()
    assert p.min() < 0.1 / count


# The command


@pytest.fixture
def patients(tmp_path):
    X, y = noise(d=60, minority=12)
    X[:, 7] += 1.5 * y
    X[:, 9] -= 1.5 * y
    names = [f"g{j}" for j in range(60)]
    names[7], names[9] = "<b>Gen&7", "Größe"
    labels = np.where(y == 1, "relapse", "well")
    return written(tmp_path / "patients.csv", X, labels, names)


def test_select_ranks_and_writes_the_same_bytes_twice(imbfs, patients, tmp_path):
    first = imbfs("select", patients, "--target", "class", "--out", "a", "--resamples", 8, "-j", 1)
    assert first.code == 0, first.err
    assert "12 of relapse, 28 of well (1:2.3)" in first.out
    assert all(len(line) <= 80 for line in first.out.split("\n") if "/" not in line)
    assert {path.name for path in (tmp_path / "a").iterdir()} == FILES
    again = imbfs("select", patients, "--target", "class", "--out", "b", "--resamples", 8, "-j", 2)
    assert again.code == 0, again.err
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_the_table_tells_score_rank_direction_and_certainty(imbfs, patients, tmp_path):
    import pandas as pd

    answer = imbfs("select", patients, "--target", "class", "--k", 5, "--resamples", 8, "-j", 1)
    assert answer.code == 0, answer.err
    folder = tmp_path / "patients-selected"
    rows = pd.read_csv(folder / "selected.csv")
    assert len(rows) == 60
    assert set(rows["feature"][:2]) == {"<b>Gen&7", "Größe"}
    told = rows.set_index("feature")
    assert told.loc["<b>Gen&7", "higher_in"] == "relapse"
    assert told.loc["Größe", "higher_in"] == "well"
    assert (told["q"] < 0.05).sum() == 2
    assert told.loc["Größe", "selected"] == 1
    source = pd.read_csv(patients)
    means = source.groupby("class")["Größe"].mean()
    assert told.loc["Größe", "mean well"] == pytest.approx(means["well"], rel=1e-4)
    well, ill = (source["Größe"][source["class"] == c] for c in ("well", "relapse"))
    assert told.loc["Größe", "auc"] == pytest.approx(
        mannwhitneyu(ill, well).statistic / (len(ill) * len(well)), rel=1e-5
    )
    page = (folder / "report.html").read_text()
    assert "&lt;b&gt;Gen&amp;7" in page
    assert "<b>Gen" not in page
    note = json.loads((folder / "selected.json").read_text())
    assert note["k"] == 5
    assert [m["name"] for m in note["methods"]] == ["auc", "s2n", "hellinger", "relieff"]
    assert note["significant"] == 2


def test_methods_can_be_named_with_parameters(imbfs, patients, tmp_path):
    methods = ["--method", "fast", "-m", "{relieff: {neighbours: 3}}"]
    answer = imbfs("select", patients, "-t", "class", *methods, "--resamples", 2, "-j", 1)
    assert answer.code == 0, answer.err
    header = (tmp_path / "patients-selected" / "selected.csv").read_text().split("\n")[0]
    assert "rank fast" in header
    assert "rank relieff(neighbours=3)" in header


def test_several_classes_are_ranked(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 30))
    X[:, 3] += 2 * (y == 2)
    path = written(tmp_path / "a.csv", X, y)
    answer = imbfs("select", path, "--target", "class", "--resamples", 4, "-j", 1)
    assert answer.code == 0, answer.err
    line = next(line for line in answer.out.split("\n") if line.strip().startswith("1 "))
    assert line.split()[1] == "g3"
    assert line.split()[-1] == "2"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "clas"], "Did you mean 'class'?"),
        (["--target", "class", "--positive", "dead"], "no class 'dead'. Classes: relapse, well."),
        (["--target", "class", "--k", "61"], "--k 61: there are 60 features."),
        (["--target", "class", "--method", "fats"], "Did you mean 'fast'?"),
        (["--target", "class", "--read", "nonsense"], "write NAME=VALUE"),
        (["--target", "class", "--method", "{fast"], "is not YAML"),
    ],
)
def test_mistakes_end_with_one_line_and_code_2(imbfs, patients, options, said):
    answer = imbfs("select", patients, *options)
    assert answer.code == 2
    told = [line for line in answer.err.split("\n") if line.startswith("imbfs: ")]
    assert len(told) == 1
    assert said in told[0]
    assert answer.err.rstrip().endswith(told[0])


def test_init_writes_a_config_that_runs(imbfs, patients, tmp_path):
    answer = imbfs("init", patients)
    assert answer.code == 0, answer.err
    assert "'class' is taken as the class" in answer.err
    assert "40 samples, 60 features; 12 of relapse, 28 of well (1:2.3)" in answer.out
    assert "imbfs run" in answer.out
    planned = imbfs("plan", tmp_path / "patients.yaml")
    assert planned.code == 0, planned.err
    again = imbfs("init", patients)
    assert again.code == 2
    assert "Give --force to replace it" in again.err
    assert imbfs("init", patients, "--force", "--target", "class").code == 0


def test_init_of_an_awkward_file_writes_a_config_that_runs(imbfs, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["Größe;Stadium;Notiz;Diagnose: A"]
    for i in range(24):
        size = "NA" if i == 3 else f"{rng.normal():.2f}".replace(".", ",")
        lines.append(f"{size};{'I II III'.split()[i % 3]};Text {i};{['no', 'yes'][i % 12 == 0]}")
    path = tmp_path / "Meine Daten.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    answer = imbfs("init", path, "--target", "Diagnose: A", "--positive", "yes")
    assert answer.code == 0, answer.err
    assert "2 samples only" in answer.err
    run = imbfs("run", tmp_path / "Meine_Daten.yaml", "-j", 1, "--only", "selector=auc")
    assert run.code == 0, run.err


@pytest.mark.data
def test_golub_given_by_path_finds_the_known_markers(imbfs, data_folder, tmp_path):
    import pandas as pd

    path = data_folder / "golub_leukemia" / "golub_72x7129.csv.gz"
    answer = imbfs("select", path, "--target", "class", "--resamples", 5, "-j", 1)
    assert answer.code == 0, answer.err
    rows = pd.read_csv(tmp_path / "golub_72x7129-selected" / "selected.csv")
    # Zyxin, CD33 and cystatin C, which the paper and many after it name.
    assert {"X95735_at", "M23197_at", "M27891_at"} <= set(rows["feature"][:10])
    assert (rows["q"] < 0.05).sum() > 500


def test_no_p_is_below_the_share_of_one_labelling_of_the_groups():
    groups = np.repeat(np.arange(9), 6)
    y = np.isin(groups, [0, 1]).astype(int)
    X = np.random.default_rng(0).normal(size=(54, 20)) + 5 * y[:, None]
    p, _ = significance.p_values(X, y, groups, seed=0)
    assert p.min() >= 1 / 36  # nine choose two
