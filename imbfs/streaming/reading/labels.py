"""The two labels of a stream as signs; the class to find is +1."""

import numpy as np

from imbfs.datasets.formats.arrays import is_number
from imbfs.errors import UserError


class Labels:
    """Which label is found and which is the other, as far as they are known.

    Unless it is named, the class to find is the larger number of the two: a stream cannot be asked
    which is the rarer.
    """

    def __init__(self, positive: str | None = None, negative: str | None = None):
        self.positive, self.negative = positive, negative

    @property
    def known(self) -> tuple[str | None, str | None]:
        """The other class and the one to find; None for one that is not known yet."""
        return self.negative, self.positive

    def meet(self, labels: np.ndarray, n_before: int) -> bool:
        """Learn which labels there are from the next rows; whether signs can be told by now."""
        if self.are_known(labels):
            return True
        for label in _distinct(labels):
            if label in self.known:
                continue
            if self.negative is None:
                self.negative = label
            elif self.positive is None:
                self._order(label)
            else:
                row = n_before + int(np.argmax(_texts(labels) == label)) + 1
                raise UserError(
                    f"row {row}: label {label} is the third, after {self.negative} and "
                    f"{self.positive}. Two classes are learned."
                )
        return self.positive is not None

    def signs(self, labels: np.ndarray) -> np.ndarray:
        """+1 for the class to find, else -1."""
        if labels.dtype.kind == "f":
            positive = float(self.positive) if self.positive is not None else np.nan
            return 2 * (labels == positive).view(np.int8) - 1
        return 2 * (labels == self.positive).view(np.int8) - 1

    def are_known(self, labels: np.ndarray) -> bool:
        """Whether both classes are known, and these are of them."""
        kind = float if labels.dtype.kind == "f" else str
        if None in self.known:
            return False
        return bool(np.isin(labels, [kind(label) for label in self.known]).all())

    def _order(self, label: str) -> None:
        if not (is_number(self.negative) and is_number(label)):
            raise UserError(f"--positive: which class is to be found, {self.negative} or {label}?")
        self.negative, self.positive = sorted((self.negative, label), key=float)


def plain(label: str, format: str) -> str:
    """A label given by the user as labels of that format are written here."""
    if format != "libsvm":
        return label
    if not is_number(label):
        raise UserError(f"--positive {label}: labels of LIBSVM text are numbers.")
    return _shown(float(label))


def _distinct(labels: np.ndarray) -> list[str]:
    """The labels in the order in which they come."""
    found, first = np.unique(labels, return_index=True)
    order = np.argsort(first)
    return [_shown(label) for label in found[order].tolist()]


def _texts(labels: np.ndarray) -> np.ndarray:
    return np.array([_shown(label) for label in labels.tolist()])


def _shown(label: float | str) -> str:
    if isinstance(label, str):
        return label
    return str(int(label)) if label.is_integer() else repr(label)
