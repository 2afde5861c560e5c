"""A set of a config with what its files hold: its rows, its test rows, and what they allow."""

from dataclasses import dataclass, replace

import numpy as np

from imbfs import splits
from imbfs.config.sets import DatasetChoice
from imbfs.datasets import PROBLEMS, Data, NotAtHand, Source, View, load, tested, together, view
from imbfs.datasets.together import Together
from imbfs.errors import UserError


@dataclass(frozen=True)
class Found:
    """A set and the view of it; `test` is its test set with its fingerprint, seen as `beside`.

    `why` says why rows are held out instead of those that its paper tests on.
    """

    dataset: DatasetChoice
    protocol: splits.CV | splits.Holdout | splits.Online
    data: Data
    seen: View
    test: tuple[Source, str] | None = None
    beside: View | None = None
    why: str = ""
    together: Together | None = None

    @property
    def differs(self) -> str:
        """In what it departs from the paper that poses it."""
        posed = PROBLEMS.get(self.dataset.dataset)
        if not self.why:
            return posed.differs if posed else ""
        held_out = f"tested on a part held out, for {posed.test} is not at hand"
        return "; ".join(filter(None, [posed.differs, held_out]))

    @property
    def notes(self) -> list[str]:
        """What a user should know of how its rows are split."""
        told = [self.why] if self.why else []
        if self.together and self.together.copies:
            first = together.copied(self.data)
            if first is not None:
                count = int(np.sum(first != np.arange(len(first))))
                said = f"{count} rows repeat" if count > 1 else "1 row repeats"
                also = "; no split parts them (copies: apart allows it)."
                told.append(f"{self.dataset.label}: {said} the features of an earlier one{also}")
        return told

    def check_splittable(self, ratio: float | None, by: str, validation: float | None) -> None:
        """Refuse a ratio or a protocol that the class counts do not allow."""
        seen, beside = self.seen, self.beside
        if beside is None:
            y = seen.y if self.together is None else self._of_groups()
            splits.check_splittable(self.protocol, y, seen.kind, ratio, by, validation)
            return
        splits.check_splittable(splits.Given, seen.y, seen.kind, ratio, by, validation)
        try:
            splits.check_splittable(splits.Given, beside.y, beside.kind, ratio, by, like=seen.y)
        except UserError as error:
            raise error.within("test") from None

    def _of_groups(self) -> np.ndarray:
        """The classes of the groups of rows: those are what a split can part."""
        groups = together.again(self.data, self.together)[self.seen.rows]
        return np.unique(np.column_stack((groups, self.seen.y)), axis=0)[:, 1]


def find(dataset: DatasetChoice, protocol) -> Found:
    """The set of a config, with its test rows where a config or a paper names some."""
    data = load(dataset.source)
    seen = view(data, **dataset.view)
    _refuse_column_for_sets(dataset, data)
    kept = together.named(data, dataset.together, dataset.keeps_copies)
    source, why = _test_source(dataset, protocol)
    if why:  # the paper has one test set for all repeats, and so has what takes its place
        return Found(dataset, replace(protocol, part="fixed"), data, seen, why=why, together=kept)
    if source is None:
        return Found(dataset, protocol, data, seen, together=kept)
    test = load(source)
    try:
        beside = tested(data, test, **dataset.view)[1]
    except UserError as error:
        raise error.within("test") from None
    given = (source, test.fingerprint), beside
    return Found(dataset, protocol, data, seen, *given, together=kept)


def _refuse_column_for_sets(dataset: DatasetChoice, data: Data) -> None:
    """Refuse a column where the name of a group of sets stands: its rows would be parted."""
    name = dataset.group
    if dataset.path is None or name is None:
        return
    columns = {*(data.names or ()), *dataset.read.get("drop", [])}
    if name in columns or any(column.startswith(f"{name}=") for column in columns):
        raise UserError(
            f"group: {name!r} is a column of the file, and group: names sets that tables average "
            f"together. To keep the rows of one {name} together, write read: {{group: {name}}}."
        )


def _test_source(dataset: DatasetChoice, protocol) -> tuple[Source | None, str]:
    """Where the test rows come from; None if they are held out, and why if a paper has others."""
    posed = PROBLEMS.get(dataset.dataset)
    folds = isinstance(protocol, splits.CV)
    if folds or dataset.test is not None or posed is None or not posed.test:
        return dataset.test_source, ""
    try:
        load(Source(posed.test))
    except NotAtHand as error:
        return None, f"{dataset.label}: a part is held out to test on. {error}"
    return Source(posed.test), ""
