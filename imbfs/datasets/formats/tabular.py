"""CSV and TSV files, samples in rows or, as microarray files have it, in columns."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np

from imbfs.datasets.data import Data
from imbfs.datasets.formats import text
from imbfs.datasets.formats.arrays import MISSING, assembled, check_names, is_number, numbered
from imbfs.datasets.formats.compression import content
from imbfs.datasets.formats.encoding import Texts, encoded
from imbfs.datasets.formats.labels import Unlabelled, beside, columns_in, labels_in
from imbfs.errors import Mendable, UserError, did_you_mean, first_of


def read(
    path: Path,
    *,
    target: str | int | None = None,
    ids: str | int | None = None,
    group: str | int | None = None,
    drop: list[str | int] | None = None,
    samples: Literal["rows", "columns"] = "rows",
    labels: str | None = None,
    unlabelled: Unlabelled = "error",
    header: text.Switch | None = None,
    separator: text.Separator | None = None,
    decimal: text.Decimal | None = None,
    comments: text.Switch | None = None,
    texts: Texts = "error",
    names: Literal["error", "number"] = "error",
) -> Data:
    """Read a table of numbers whose class is the column `target`, a name or a position (-1: last).

    With `labels` the classes stand in a second file, and `target` is a column of that. The column
    `group`, which may stand there too, names what rows have in common, such as the patient. It is
    no feature, nor are `ids` and those in `drop`; a first column without a name, or of texts that
    are all different, holds ids too. With samples in columns the first column holds the names of
    the features, the first row the ids of the samples, and `target` is a row (0: the first).
    Separator, decimal sign, whether there are names and which lines that begin with # are comments
    are found out, unless `separator`, `decimal`, `header` and `comments` say so.
    Columns of texts are refused, or become features of 0 and 1 (`texts`, see `encoding`); names
    used twice are refused, or numbered (`names`).
    """
    rows = text.rows_of(content(path), separator, comments)
    own = None if labels is not None else target
    wanted = [name for name in (own, ids, group, *(drop or [])) if isinstance(name, str)]
    if samples == "rows":
        table = _named(text.table(rows, header, wanted, decimal), names)
        if labels is None and target is None:
            shown = first_of(table.names or [f"0 to {table.width - 1}"])
            raise UserError(f"target: which column holds the class? Columns: {shown}.")
        own_group = None if labels is not None and group not in (table.names or ()) else group
        *parts, groups = _rows(table, own, ids, own_group, drop or [], texts)
    else:
        if group is not None and labels is None:
            raise UserError("group: needs the samples in rows, or a second file of labels.")
        begin = rows.numbers[0]
        classes = None if labels is not None else _class_row(rows, target)
        if not rows.lines:
            raise UserError("has a row of classes, and no other.")
        if header is None and rows.numbers[0] == begin:  # ids stand above the classes
            header = text.has_ids(rows)
        table = text.table(rows, header, wanted, decimal)
        parts, groups = _columns(table, classes, ids, drop or []), None
    X, features, sample_ids, found = parts
    if features and names == "number":
        features = numbered(features)
    if labels is not None:
        second, n_samples = beside(path, labels), X.shape[0]
        if sample_ids is None:
            _refuse_other_order(second, X, features)
        found = labels_in(second, n_samples, target=target, ids=sample_ids)
        if group is not None and groups is None:
            groups = labels_in(second, n_samples, target=group, ids=sample_ids)
    how = text.described(table, rows.comments)
    return assembled(X, found, features, unlabelled=unlabelled, groups=groups, how=how)


def _refuse_other_order(second: Path, X: np.ndarray, features: list[str] | None) -> None:
    """Refuse to match classes by order where numeric ids stand in both files in another one."""
    name, written = next(iter(columns_in(second).items()), ("", []))
    if features is None or name not in features or len(written) != len(X):
        return
    if not all(map(is_number, written)):
        return
    here, there = X[:, features.index(name)], np.array(written, dtype=np.float64)
    if len(np.unique(there)) == len(there) and np.array_equal(np.sort(here), np.sort(there)):
        if not np.array_equal(here, there):
            raise UserError(
                f"{second}: column {name!r} stands in both files, in another order. Match the "
                f"classes by it with ids: {name}."
            )


def taken(table: text.Table, target: int | None) -> tuple[np.ndarray, list[str] | None]:
    """The numbers of some lines of a table, and the texts of the column of the class."""
    if target is not None and target >= table.width:
        raise UserError(f"line {table.numbers[0]}: has {table.width} fields, too few.")
    frame = _frame(table, {target} - {None})
    X = _numbers(frame, [j for j in range(table.width) if j != target], table)
    return X, None if target is None else _texts(frame[target])


def position(names: list[str] | None, width: int, name: str | int, option: str) -> int:
    """Where the column of that name, or at that place, stands."""
    if isinstance(name, int):
        if -width <= name < width:
            return name % width
        raise UserError(f"{option}: there is no column {name}. They are 0 to {width - 1}.")
    if names is None:
        raise UserError(f"{option}: {name!r}: the columns have no names. Give a position.")
    if name not in names:
        hint = did_you_mean(name, names)
        raise UserError(f"{option}: there is no column {name!r}.{hint} Columns: {first_of(names)}.")
    return names.index(name)


def _named(table: text.Table, names: str) -> text.Table:
    return (
        replace(table, names=numbered(table.names)) if names == "number" and table.names else table
    )


def _rows(table: text.Table, target, ids, group, drop, encode: Texts):
    """Features, their names, and the ids, classes and groups of the samples, which are in rows."""
    names, width = table.names, table.width
    if names is not None:
        check_names([names[0] or "(the first column)", *names[1:]], width, "column")
    chosen = None if target is None else position(names, width, target, "target")
    if ids is not None:
        id_column = position(names, width, ids, "ids")
    else:
        id_column = 0 if chosen != 0 and _starts_with_ids(table) else None
    group_column = None if group is None else position(names, width, group, "group")
    if group_column is not None and group_column == chosen:
        raise UserError(f"group: {group!r} is the target.")
    texts = {position(names, width, name, "drop") for name in drop}
    texts |= {chosen, id_column, group_column} - {None}
    frame = _frame(table, texts)
    groups = None if group_column is None else _texts(frame[group_column])
    found = None if chosen is None else _texts(frame[chosen])
    sample_ids = None if id_column is None else _texts(frame[id_column])
    features = [j for j in range(width) if j not in texts]
    if encode == "encode":
        shown = {j: names[j] if names else j for j in features}
        X, told = encoded(frame, shown, table.numbers)
        return X, names and told, sample_ids, found, groups
    X = _numbers(frame, features, table)
    return X, names and [names[j] for j in features], sample_ids, found, groups


def _columns(table: text.Table, classes: list[str] | None, ids, drop):
    """The same of samples in columns, the class row taken out of the table before."""
    names, width = table.names, table.width
    if classes is not None and len(classes) != width:
        raise UserError(f"the row of the classes has {len(classes)} fields, the others {width}.")
    if ids is not None:
        id_column = position(names, width, ids, "ids")
    else:
        id_column = 0 if names is not None or _starts_with_ids(table) else None
    texts = {id_column} - {None} | {position(names, width, name, "drop") for name in drop}
    frame = _frame(table, texts)
    samples = [j for j in range(width) if j not in texts]
    features = None if id_column is None else _texts(frame[id_column])
    sample_ids = names and [names[j] for j in samples]
    found = classes and [classes[j] for j in samples]
    return _numbers(frame, samples, table).T, features, sample_ids, found


def _class_row(rows: text.Rows, target) -> list[str]:
    """Take the row of the classes, found by its first field or its place, out of the rows."""
    lines, separator = rows.lines, rows.separator
    names = [text.fields(line, separator)[0] for line in lines]
    if target is None:
        raise UserError(f"target: which row holds the class? Rows: {first_of(names)}.")
    if isinstance(target, int) and not -len(lines) <= target < len(lines):
        raise UserError(f"target: there is no row {target}. They are 0 to {len(lines) - 1}.")
    if isinstance(target, str) and target not in names:
        hint = did_you_mean(target, names)
        raise UserError(f"target: there is no row {target!r}.{hint} Rows: {first_of(names)}.")
    row = target if isinstance(target, int) else names.index(target)
    rows.numbers.pop(row)
    return text.fields(lines.pop(row), separator)


def _starts_with_ids(table: text.Table) -> bool:
    """Whether the first column has no name, or texts that are all different."""
    if table.names is not None and table.names[0] == "":
        return True

    def counts(field: str) -> bool:
        return is_number(field.replace(table.decimal, "."))

    if any(counts(field) or field in MISSING for field in table.first(20)):
        return False
    column = table.first()
    return len(set(column)) == len(column) > 1 and not any(map(counts, column))


def _frame(table: text.Table, texts: set[int]):
    """The table as pandas reads it, columns by position, those in `texts` as they are written."""
    import pandas as pd

    # Earlier versions round numbers wrongly unless told not to; later ones object to being told.
    version = tuple(map(int, pd.__version__.split(".")[:2]))
    exact = {} if version >= (3, 1) else {"float_precision": "round_trip"}
    frame = pd.read_csv(
        BytesIO(b"\n".join(table.lines)),
        sep=table.separator,
        decimal=table.decimal,
        header=None,
        names=range(table.width),
        index_col=False,
        dtype=dict.fromkeys(texts, str),
        keep_default_na=False,
        na_values=sorted(MISSING),
        skipinitialspace=True,
        skip_blank_lines=False,
        low_memory=False,
        **exact,
    )
    for j, kind in frame.dtypes.items():
        if j not in texts and kind.kind not in "biuf":
            _mend(frame, j, table.decimal)
    return frame


def _mend(frame, j: int, decimal: str) -> None:
    """Make numbers of a column of numbers that pandas leaves as texts: some of them are large."""
    plain = _plain(frame[j], decimal)
    if all(is_number(text) for text in plain.dropna()):
        frame[j] = plain.map(float, na_action="ignore").astype(np.float64)


def _plain(column, decimal: str):
    """Texts with a point as decimal sign; one beside decimal commas may stand for thousands."""
    turned = str.maketrans({".": "_", decimal: "."})
    return column.map(lambda text: str(text).strip().translate(turned), na_action="ignore")


def _numbers(frame, columns: list[int], table: text.Table) -> np.ndarray:
    import pandas as pd

    frame = frame[columns]
    for j, kind in frame.dtypes.items():
        if kind.kind not in "biuf":
            plain = _plain(frame[j], table.decimal)
            wrong = pd.to_numeric(plain, errors="coerce").isna() & frame[j].notna()
            row = int(wrong.to_numpy().argmax())
            name = repr(table.names[j]) if table.names else j
            said = (
                f"line {table.numbers[row]}: column {name} is not numeric. It has "
                f"{frame[j][row]!r}; write numbers, or leave the column out with drop."
            )
            raise Mendable(said, {"texts": "encode"})
    return np.ascontiguousarray(frame.to_numpy(dtype=np.float64))


def _texts(column) -> list[str]:
    return [value.strip() for value in column.fillna("").tolist()]
