"""Data sets for use from Python."""

from pathlib import Path

from imbfs.datasets import DATASETS, Data, Source
from imbfs.datasets import load as load_source


def load(
    set_or_file: str | Path,
    *,
    target: str | int | None = None,
    format: str | None = None,
    impute: bool = False,
    **read: object,
) -> Data:
    """The arrays of a set of `imbfs list datasets`, or of a file: X, y, classes, names.

    `y` holds places in `classes`, or a column of 0 and 1 for each label. Of a file, `target` is the
    column of the classes, and `format` and `read` what a config could say of it; with `impute`,
    missing values are let through.
    """
    if isinstance(set_or_file, str) and set_or_file in DATASETS:
        return load_source(Source(set_or_file))
    named = {"target": target, "format": format}
    options = read | {key: value for key, value in named.items() if value is not None}
    return load_source(Source(path=str(set_or_file), options=options, impute=impute))
