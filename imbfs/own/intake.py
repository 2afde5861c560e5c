"""A file of the user's own as the methods expect it, and what is worth a warning in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from imbfs.datasets import Data, Source, formats, load, together, view
from imbfs.datasets.formats import labels
from imbfs.errors import Mendable, UserError
from imbfs.methods import BINARY, MULTILABEL
from imbfs.own import columns, grouping, near_copies, warnings

_MENDS = 8  # ways in which a file may have to be read otherwise than at first
_READ_AGAIN = 5  # columns left out whose values are looked at


@dataclass(frozen=True)
class Intake:
    """The arrays of a file: `y` is +1 / -1 or 0..c-1, coded as `classes` says; NaN is missing.

    `spec` is the set as a config writes it. `groups` holds a number a row, the same for rows of one
    group; `copies` the first row with the same features; `together` a number that rows share which
    no split may part, for either reason. They are None where there are none. `how` says how the
    file was read.
    """

    X: np.ndarray | csr_array
    y: np.ndarray
    kind: str
    names: tuple[str, ...]
    classes: dict[int, str]
    groups: np.ndarray | None
    copies: np.ndarray | None
    together: np.ndarray | None
    spec: dict
    warnings: tuple[str, ...]
    missing: int
    fingerprint: str
    how: str

    @property
    def counts(self) -> dict[str, int]:
        """Samples of every class, by name, the minority first."""
        found = {name: int(np.sum(self.y == code)) for code, name in self.classes.items()}
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    @property
    def independent(self) -> dict[str, int]:
        """Like `counts`, but rows that no split may part count once."""
        if self.together is None:
            return self.counts
        found = {
            name: len(np.unique(self.together[self.y == code]))
            for code, name in self.classes.items()
        }
        return dict(sorted(found.items(), key=lambda pair: pair[1]))


def take(
    path: Path | str,
    target: str | int | None = None,
    positive=None,
    group: str | int | None = None,
    *,
    samples: str | None = None,
    drop: Sequence[str | int] = (),
    read: dict | None = None,
) -> Intake:
    """Read a file of any known format; what can be mended on the way is, with a warning.

    `target` is the name of a column or its place; `positive` the class that is +1, the smaller of
    two unless given; `group` a column whose rows belong together. `samples="columns"` is for genes
    in rows; `read` holds further options of the reader.
    """
    path = Path(path)
    options = dict(read or {}) | ({"samples": samples} if samples else {})
    options |= {"drop": list(drop)} if drop else {}
    found = columns.look(path, options, (target, group, *options.get("drop", [])))
    target, said = columns.chosen(found, target)
    if target is not None:
        options["target"] = target
    if group is not None:
        options["group"] = columns.chosen(found, group, "group")[0]
    if asked := columns.dropped(found, options.get("drop", [])):
        options["drop"] = asked
    data, options, impute = _read(path, options)
    warnings.refuse_odd_classes(path, data, target)
    seen = _viewed(path, data, positive)
    y, classes = seen.y, _classes(data, seen, positive)
    warnings.refuse_few(path, y, classes)
    told = [*said, *columns.left_out(found, data, options, asked), *_mended(options, found.within)]
    told += warnings.of(data, y, classes, found.names)
    left_out = _left_out(path, options) if data.groups is None else {}
    named = {*(found.names or ()), *left_out}
    told += grouping.suspected(data, y, left_out, named)
    kept = together.rows(data)
    told += near_copies.told(data.X, y, classes, kept)
    return Intake(
        data.X,
        y,
        seen.kind,
        data.names or tuple(f"feature {j + 1}" for j in range(data.X.shape[1])),
        classes,
        data.groups,
        together.copied(data),
        kept,
        _spec(path, options, impute, positive),
        tuple(told),
        warnings.n_missing(data.X),
        data.fingerprint,
        data.how,
    )


def _read(path: Path, options: dict) -> tuple[Data, dict, bool]:
    """The arrays, the options with which they could be read, and whether values are missing."""
    options, impute = dict(options), options.get("impute") is not None
    options.pop("impute", None)
    mended: dict = {}
    for _ in range(_MENDS):
        try:
            return load(Source(path=str(path), options=options, impute=impute)), options, impute
        except Mendable as error:
            more = {key: value for key, value in error.options.items() if key not in options}
            if drop := error.options.get("drop"):
                more["drop"] = [*options.get("drop", []), *drop]
                if "texts" in mended:  # perhaps there are no other columns of texts
                    options.pop("texts", None)
            if not more:
                raise
            impute = more.pop("impute", None) is not None or impute
            options |= more
            mended |= more
    raise UserError(f"{path}: cannot be read in any way that was tried.")


def _left_out(path: Path, options: dict) -> dict[str, np.ndarray]:
    """Columns that are no features, as numbers; each is read as if it were the group.

    Of a second file with the classes, those that look like ids there.
    """
    found, drop = {}, options.get("drop", [])
    beside = _ids_beside(path, options) if isinstance(options.get("labels"), str) else []
    for name in [*drop, *beside][:_READ_AGAIN]:
        others = [other for other in drop if other != name]
        try:
            again = formats.read(path, **options | {"drop": others, "group": name}, impute="median")
        except UserError:  # not every row has a value
            continue
        found[name] = again.groups.astype(np.float64)
    return found


def _ids_beside(path: Path, options: dict) -> list[str]:
    """Columns of the second file whose values repeat with one class each."""
    try:
        texts = labels.columns_in(labels.beside(path, options["labels"]))
    except UserError:  # an array
        return []
    target = options.get("target")
    if isinstance(target, int) and -len(texts) <= target < len(texts):
        target = list(texts)[target]
    classes = np.array(texts.pop(target, []))
    known = np.flatnonzero(classes != "")
    codes = np.unique(classes[known], return_inverse=True)[1]
    return [
        name
        for name, column in texts.items()
        if len(known) and grouping.looks_like_ids(np.array(column)[known], codes, 1 / len(texts))
    ]


def _viewed(path: Path, data: Data, positive):
    try:
        seen = view(data, positive=positive)
    except UserError as error:
        raise error.within(str(path)) from None
    if seen.kind == MULTILABEL:
        labels = ", ".join(map(str, data.classes[:8]))
        raise UserError(
            f"{path}: has several labels a sample. Choose one with --positive: {labels}, ..."
        )
    return seen


def _classes(data: Data, seen, positive) -> dict[int, str]:
    """What the codes stand for."""
    if seen.kind != BINARY:
        return {code: str(name) for code, name in enumerate(data.classes)}
    if data.y.ndim == 2 or len(data.classes) > 2:
        plus = positive if isinstance(positive, list | tuple) else [positive]
        name = ", ".join(map(str, plus))
        return {1: name, -1: f"not {name}"}
    first = int(seen.y[data.y[seen.rows] == 0][0])
    return {first: str(data.classes[0]), -first: str(data.classes[1])}


def _mended(options: dict, names: Sequence[str] | None) -> list[str]:
    said = []
    if options.get("names") == "number":
        twice = next((name for name, times in Counter(names).items() if times > 1), "x")
        said.append(f"names used more than once were numbered: {twice}, {twice}.2, ...")
    if options.get("texts") == "encode":
        said.append("columns of texts became features of 0 and 1, called column=text")
    return said


def _spec(path: Path, options: dict, impute: bool, positive) -> dict:
    """The set as a config writes it."""
    options = dict(options)
    spec = {"path": str(path), "target": options.pop("target", None), "positive": positive}
    spec |= {"impute": "median" if impute else None, "read": options or None}
    return {key: value for key, value in spec.items() if value is not None}
