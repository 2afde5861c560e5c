"""What `imbfs benchmark` recommends for files whose truth is known, and docs/advice.md of it.

Usage: python benchmarks/advice.py [--files N] [--out FOLDER]

Files of a design differ in their samples alone. What is recommended for one is learned from all its
rows and measured on fresh ones, beside all features. What is in FOLDER/advice/files.csv is not
simulated again.
"""

import argparse
import contextlib
import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from growing.page import filled  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from imbfs.own.intake import take  # noqa: E402
from imbfs.own.nested import made  # noqa: E402
from imbfs.own.nested.compared import Asked  # noqa: E402
from imbfs.own.nested.decision import MARGIN  # noqa: E402
from imbfs.running.pipeline.part import Part  # noqa: E402
from imbfs.running.store import Store  # noqa: E402

DOCS = Path(__file__).parent.parent / "docs"
RARE, USUAL, FEATURES, FRESH = 40, 120, 60, 40  # fresh rows of each class are so many times more
# How far the rare class is from the other in every feature, in standard deviations, and the
# combination that is the best selection on average.
DESIGNS = {
    "noise": (np.zeros(FEATURES), ("naive_bayes", "5")),
    "few features count": (0.8 * 0.8 ** np.arange(FEATURES), ("svm", "5")),
    "half of the features count": (
        np.where(np.arange(FEATURES) < FEATURES // 2, 0.3, 0.0),
        ("naive_bayes", "40"),
    ),
    "every feature counts": (np.full(FEATURES, 0.2), ("naive_bayes", "40")),
    "ten features count": (np.where(np.arange(FEATURES) < 10, 0.45, 0.0), ("svm", "10")),
}
FILES = {"noise": 100}  # and half as many of the others
ASKED = Asked("auc", ("s2n", "fast", "mi"), ("naive_bayes", "svm"), (5, 10, 20, 40), repeats=3)


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, help="of each design")
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER")
    asked = parser.parse_args(arguments)
    path = asked.out / "advice" / "files.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = pd.read_csv(path).to_dict("records") if path.exists() else []
    done = {(row["design"], row["file"]) for row in rows}
    for design in DESIGNS:
        for file in range(asked.files or FILES.get(design, 50)):
            if (design, file) not in done:
                rows.append({"design": design, "file": file, **advised(design, file)})
                pd.DataFrame(rows).to_csv(path, index=False, lineterminator="\n")
    page = asked.out / "advice.md"
    if page.exists():
        page.write_text(filled(page.read_text(), {"advice": table(pd.read_csv(path))}))


def advised(design: str, file: int) -> dict:
    """What is recommended for one file, and the AUC on fresh rows of that and of others."""
    rng = np.random.default_rng([list(DESIGNS).index(design), file])
    X, y = drawn(design, RARE, USUAL, rng)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(FEATURES)])
    with TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        path, folder = Path(place) / "made.csv", Path(place) / "out"
        frame.assign(kind=np.where(y > 0, "rare", "usual")).to_csv(path, index=False)
        taken = take(path, "kind")
        comparison, content = made.prepare(taken, ASKED, folder)
        found, said = made.find(comparison, content, taken, Store(folder), 60.0, 1)
    true = truth(comparison, X, y, *drawn(design, FRESH * RARE, FRESH * USUAL, rng))
    choice, kept = tuple(vars(found.choice).values()), tuple(vars(found.kept).values())
    return {
        "nothing": "Nothing here predicts better than guessing" in said.advice,
        "selector": choice[0],
        "classifier": choice[1],
        "features": choice[2],
        "promised": round(found.recommended.interval("auc").value, 4),
        "true": round(true[choice], 4),
        "all_features": round(true[kept], 4),
        "best_selection": round(true["s2n(sided=two)", *DESIGNS[design][1]], 4),
    }


def drawn(design: str, rare: int, usual: int, rng) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat([1, -1], [rare, usual])
    X = rng.normal(size=(len(y), FEATURES))
    X[y > 0] += DESIGNS[design][0]
    return X, y


def truth(comparison, X, y, fresh_X, fresh_y) -> dict[tuple, float]:
    """The AUC on fresh rows of every combination, learned from all rows of the file."""
    scaler = StandardScaler().fit(X)
    rows = scaler.transform(X), y, scaler.transform(fresh_X), fresh_y
    part, found = Part(*rows, "binary", 0, None, None, False), {}
    for task in comparison.plan.tasks:
        if task.fold == task.repeat == 0:
            for label, k in task.features:
                ranked = part.rank(task.selector.name, task.selector.params, k)
                made_of = task.classifier.name, task.classifier.params
                prediction = part.classify(ranked, *made_of, k)
                value = part.measured(["auc"], prediction, ranked.order[:k])["auc"]
                found[task.selector.label, task.classifier.label, label] = value
    return found


def table(rows: pd.DataFrame) -> str:
    """A line for every design."""
    heads = [
        "what counts",
        "files",
        "all features",
        "best selection",
        "nothing here",
        "a selection",
    ]
    lines = [_line([*heads, "truly worse"]), _line(["---"] * 7)]
    for design, part in rows.groupby("design", sort=False):
        gain = (part["best_selection"] - part["all_features"]).mean()
        shares = [f"{one.mean():.0%}" for one in (part["nothing"], selected(part), worse(part))]
        mean = f"{part['all_features'].mean():.3f}"
        lines.append(_line([design, str(len(part)), mean, f"{gain:+.3f}", *shares]))
    return "\n".join(lines) + "\n"


def selected(rows: pd.DataFrame) -> pd.Series:
    """Whether a selection was recommended."""
    return rows["selector"] != "none"


def worse(rows: pd.DataFrame) -> pd.Series:
    """Whether what was recommended is truly worse than all features by more than MARGIN."""
    return rows["true"] < rows["all_features"] - MARGIN


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
