"""ARFF files (Weka, Mulan, MEKA): dense or sparse rows, one class or several labels."""

from pathlib import Path

import numpy as np
from scipy.sparse import csc_array, csr_array, hstack, issparse

from imbfs.datasets.data import Data
from imbfs.datasets.formats.arff_text import Attribute, parsed
from imbfs.datasets.formats.arrays import assembled
from imbfs.datasets.formats.compression import content
from imbfs.datasets.formats.labels import Unlabelled
from imbfs.errors import UserError, did_you_mean, first_of

_YES = {"1": 1, "true": 1, "yes": 1, "y": 1, "0": 0, "false": 0, "no": 0, "n": 0}


def read(
    path: Path,
    *,
    target: str | None = None,
    n_labels: int | None = None,
    group: str | None = None,
    drop: list[str] | None = None,
    unlabelled: Unlabelled = "error",
) -> Data:
    """Read an ARFF file whose class is the attribute `target`, the last one unless said otherwise.

    KEEL's files say otherwise in `@outputs`. With `n_labels` that many attributes at the end (at
    the beginning, if negative) are labels; MEKA's `-C` in the relation says so too. A nominal
    attribute of two values becomes one feature, 1 where the second is declared (the number itself
    where they are 0 and 1); one of more values becomes a feature each, `name=value`. In a sparse
    row what is not there is 0 or, of a nominal attribute, the first value declared. The attribute
    `group` names what rows have in common, such as the patient, and is no feature.
    """
    attributes, codes, meka, output = parsed(content(path))
    target = output if target is None else target
    if n_labels is None and target is None and meka is not None:
        n_labels = -meka
    if n_labels is None:
        chosen = [_position(attributes, target)]
    else:
        chosen = _label_positions(n_labels, len(attributes))
    dropped = {_position(attributes, name) for name in drop or []}
    groups = None
    if group is not None:
        place = _position(attributes, group)
        if place in chosen:
            raise UserError(f"group: {group!r} is the target.")
        dropped.add(place)
        column = codes[:, [place]].toarray() if issparse(codes) else codes[:, [place]]
        groups = _classes(column[:, 0], attributes[place], "groups")
    kept = [i for i in range(len(attributes)) if i not in dropped and i not in chosen]
    X, names = _features(codes[:, kept], [attributes[i] for i in kept])
    found = codes[:, chosen].toarray() if issparse(codes) else codes[:, chosen]
    how = f"{len(attributes)} attributes, {'sparse' if issparse(codes) else 'dense'} rows"
    if n_labels is None:
        found = _classes(found[:, 0], attributes[chosen[0]])
        return assembled(X, found, names, unlabelled=unlabelled, groups=groups, how=how)
    labels = [_label(found[:, k], attributes[i]) for k, i in enumerate(chosen)]
    classes = [attributes[i].name for i in chosen]
    labels = np.column_stack(labels)
    return assembled(X, labels, names, classes=classes, groups=groups, how=how)


def _features(codes, attributes: list[Attribute]):
    """The features, in the order of the attributes, and their names."""
    if all(attribute.is_plain for attribute in attributes):
        return codes, [attribute.name for attribute in attributes]
    blocks, names = [], []
    by_column = csc_array(codes) if issparse(codes) else codes
    for j, attribute in enumerate(attributes):
        column = by_column[:, [j]].toarray() if issparse(codes) else codes[:, [j]]
        block, its_names = _block(column, attribute)
        blocks.append(csr_array(block) if issparse(codes) else block)
        names += its_names
    return (hstack(blocks, format="csr") if issparse(codes) else np.hstack(blocks)), names


def _block(column: np.ndarray, attribute: Attribute) -> tuple[np.ndarray, list[str]]:
    if attribute.is_plain:
        return column, [attribute.name]
    if attribute.values is None:
        message = "holds texts or dates, which are no features. Leave it out with drop."
        raise UserError(f"attribute {attribute.name!r} {message}")
    if set(attribute.values) == {"0", "1"}:
        return 1 - column, [attribute.name]
    if len(attribute.values) <= 2:
        return column, [attribute.name]
    hot = (column == np.arange(len(attribute.values))).astype(np.float64)
    hot[np.isnan(column[:, 0])] = np.nan
    return hot, [f"{attribute.name}={value}" for value in attribute.values]


def _classes(codes: np.ndarray, attribute: Attribute, what: str = "classes"):
    """The class of every sample, or its group."""
    if attribute.numeric:
        return codes
    if attribute.values is None:
        raise UserError(f"attribute {attribute.name!r} holds texts or dates, which are no {what}.")
    return ["" if np.isnan(code) else attribute.values[int(code)] for code in codes]


def _label(codes: np.ndarray, attribute: Attribute) -> np.ndarray:
    """A column of the indicator."""
    if attribute.numeric:
        return codes
    values = [_YES.get(value.lower()) for value in attribute.values or ("",)]
    if None in values or np.isnan(codes).any():
        raise UserError(f"attribute {attribute.name!r} is no label of 0 and 1 for every sample.")
    return np.array(values)[codes.astype(np.int64)]


def _position(attributes: list[Attribute], name: str | None) -> int:
    names = [attribute.name for attribute in attributes]
    if name is None:
        return len(names) - 1
    if name in names:
        return names.index(name)
    raise UserError(
        f"there is no attribute {name!r}.{did_you_mean(name, names)} Attributes: {first_of(names)}."
    )


def _label_positions(n_labels: int, width: int) -> list[int]:
    if not 0 < abs(n_labels) < width:
        raise UserError(f"n_labels: {n_labels} of {width} attributes cannot be labels.")
    return list(range(width - n_labels, width)) if n_labels > 0 else list(range(-n_labels))
