"""Parquet files, through pandas and pyarrow where it is installed."""

from io import BytesIO
from pathlib import Path

import numpy as np

from imbfs.datasets.data import Data
from imbfs.datasets.formats.arrays import assembled, brief
from imbfs.datasets.formats.compression import check_room, content
from imbfs.datasets.formats.encoding import Texts, encoded
from imbfs.datasets.formats.labels import Unlabelled
from imbfs.datasets.formats.tabular import position
from imbfs.errors import Mendable, UserError, first_of

MAGIC = b"PAR1"


def read(
    path: Path,
    *,
    target: str | int | None = None,
    ids: str | int | None = None,
    group: str | int | None = None,
    drop: list[str | int] | None = None,
    unlabelled: Unlabelled = "error",
    texts: Texts = "error",
) -> Data:
    """Read a table whose class is the column `target`; `group`, `ids` and `drop` are no features.

    The column `group` names what rows have in common, such as the patient. Columns of texts are
    refused, or become features of 0 and 1 (`texts`, see `encoding`).
    """
    frame = _frame(content(path))
    columns = [str(name) for name in frame.columns]
    if target is None:
        raise UserError(f"target: which column holds the class? Columns: {first_of(columns)}.")
    frame.columns = range(len(columns))
    chosen = position(columns, len(columns), target, "target")
    left_out = {position(columns, len(columns), name, "drop") for name in drop or []}
    groups = None
    if group is not None:
        place = position(columns, len(columns), group, "group")
        if place == chosen:
            raise UserError(f"group: {group!r} is the target.")
        left_out.add(place)
        groups = _labels(frame[place])
    if ids is not None:
        left_out.add(position(columns, len(columns), ids, "ids"))
    features = [j for j in range(len(columns)) if j != chosen and j not in left_out]
    rest = {"labels": _labels(frame[chosen]), "groups": groups, "unlabelled": unlabelled}
    rest["how"] = f"{len(columns)} columns"
    if texts == "encode":
        X, names = encoded(frame, {j: columns[j] for j in features})
        return assembled(X, names=names, **rest)
    for j, kind in frame[features].dtypes.items():
        if getattr(kind, "kind", "O") not in "biuf":
            said = f"column {columns[j]!r} is not numeric. Leave it out with drop."
            raise Mendable(said, {"texts": "encode"})
    X = frame[features].to_numpy(dtype=np.float64, na_value=np.nan)
    return assembled(X, names=[columns[j] for j in features], **rest)


def _frame(found: bytes):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("is Parquet, which needs pyarrow (pip install pyarrow).") from None
    try:
        file = pyarrow.parquet.ParquetFile(BytesIO(found))
        head = file.metadata
        check_room(8 * head.num_rows * head.num_columns, len(found))
        return file.read().to_pandas(ignore_metadata=True)
    except UserError:
        raise
    except Exception as error:  # pyarrow raises all sorts of them on a damaged file
        raise UserError(f"is no valid Parquet file ({brief(error)}).") from None


def _labels(column) -> np.ndarray | list[str]:
    if getattr(column.dtype, "kind", "O") in "biuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = zip(column, column.isna(), strict=True)
    return ["" if missing else str(value) for value, missing in values]
