"""What only the folds of a problem can tell: corrected tests."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from imbfs import stats
from imbfs.config import Table
from imbfs.errors import UserError
from imbfs.showing.averages import PROBLEM, Block, blocks, chosen
from imbfs.showing.averages.differences import ALPHA, paired
from imbfs.showing.tables import CELL, measured

_FOLD = ["repeat", "fold"]
_PAIR = ["selector", "against"]
_TESTS = ["naive", "corrected"]


def fold_values(plan: dict, records: dict[str, dict], measure: str) -> pd.DataFrame:
    """A measure on the test part of every fold, at the last checkpoint, by cell and features."""
    rows, planned = measured(plan, records, [measure])
    rows = rows[(rows["part"] == "test") & (rows["features"] != "")]
    rows = rows.drop_duplicates(["cell", "features", *_FOLD], keep="last").reset_index(drop=True)
    cells = pd.DataFrame(list(planned), columns=CELL).iloc[rows["cell"]].reset_index(drop=True)
    return pd.concat([cells, rows[["features", *_FOLD, measure]]], axis=1)


def corrected(
    frame: pd.DataFrame, plan: dict, records: dict[str, dict], table: Table
) -> Iterator[tuple[Block, pd.DataFrame]]:
    """On how many problems two selectors differ by t-tests over all folds, naive and corrected.

    The folds of repeated cross-validation share training samples: the naive test takes them for
    independent, the corrected one of [Nadeau2003] does not. A row for every two selectors, or each
    `against` one, with the number of problems where the first is better and worse by each test.
    """
    share, tests = told(plan, "test_share"), {}
    folds = fold_values(plan, records, table.measure)
    for block in blocks(frame, table):
        place = block.resampling, block.classifier
        if place not in tests:
            own = folds[folds["resampling"] == block.resampling]
            values = _by_classifier(own, table).get(block.classifier, pd.DataFrame())
            tests[place] = _tested(values, paired(values, table.against), share)
        counted = block.at(table.features).index
        yield block, _counted(tests[place], counted)


def _by_classifier(folds: pd.DataFrame, table: Table) -> dict[str, pd.DataFrame]:
    """Values at one number of features, a row for every fold, a column for every selector."""
    whole = folds.groupby("selector")["features"].transform(lambda names: set(names) == {"all"})
    folds = folds[(folds["features"] == str(table.features)) | whole]
    each = {
        name: own.pivot(index=[*PROBLEM, *_FOLD], columns="selector", values=table.measure)[
            own["selector"].unique()
        ]
        for name, own in folds.groupby("classifier", sort=False)
    }
    return chosen(each, table.classifier)


def _tested(values: pd.DataFrame, pairs: Iterator, share: float) -> pd.DataFrame:
    """For every problem and pair: +1 or -1 by each test where the difference is significant."""
    rows = []
    for one, other in pairs:
        for problem, folds in values[[one, other]].dropna().groupby(PROBLEM):
            pair = folds.to_numpy().T
            if len(folds) > 1:
                found = stats.paired_t(*pair), stats.corrected_t(*pair, share / (1 - share))
                signs = [np.sign(test.statistic) * (test.p < ALPHA) for test in found]
                rows.append((*problem, one, other, *signs))
    return pd.DataFrame(rows, columns=[*PROBLEM, *_PAIR, *_TESTS]).set_index(PROBLEM)


def _counted(tests: pd.DataFrame, counted: pd.Index) -> pd.DataFrame:
    """The number of problems where the first of a pair is better and worse, and of all tested."""
    own = tests[tests.index.isin(counted)].groupby(_PAIR, sort=False)
    counts = {}
    for test in _TESTS:
        for word, sign in (("better", 1), ("worse", -1)):
            counts[f"{test} {word}"] = own[test].agg(lambda signs, sign=sign: (signs == sign).sum())
    return pd.DataFrame({**counts, "problems": own.size()}).reset_index()


def told(plan: dict, key: str):
    """What a plan says, if the program that made it wrote that down."""
    if key not in plan:
        raise UserError("plan.json does not tell all that this table needs. Run imbfs run again.")
    return plan[key]
