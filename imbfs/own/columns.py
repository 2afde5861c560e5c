"""The columns of a table before it is read: names, the target, groups, what is no feature."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from imbfs.datasets import Data
from imbfs.datasets.formats import check_options, sniff
from imbfs.datasets.formats.compression import content, in_memory
from imbfs.errors import UserError, did_you_mean, first_of, shortened

USUAL = ("class", "target", "label", "labels", "y", "outcome", "diagnosis", "status", "response")
_SHOWN = 8


@dataclass(frozen=True)
class Looked:
    """What a file is before its numbers are read: `names` of its columns, `firsts` of its rows.

    Formats that have no columns to name have neither.
    """

    path: Path
    format: str
    names: list[str] | None = None
    firsts: list[str] | None = None
    transposed: bool = False
    labels: str | None = None

    @property
    def within(self) -> list[str] | None:
        """The names among which the target stands."""
        return self.firsts if self.transposed else self.names


def look(path: Path, options: dict, wanted: Sequence = ()) -> Looked:
    """Find out the format and the names of the columns, without reading the numbers.

    A name that is `wanted` is that of a column, where it stands in the first row.
    """
    return replace(_looked(path, options, wanted), labels=options.get("labels"))


def _looked(path: Path, options: dict, wanted: Sequence) -> Looked:
    try:
        form = options.get("format") or sniff(path)
        reader = {key: value for key, value in options.items() if key not in ("format", "impute")}
        reader = check_options(form, reader)
        if options.get("impute") not in (None, "median"):
            raise UserError(f"impute: {options['impute']!r} is unknown. Write impute=median.")
        with in_memory(path):
            if form == "csv":
                return _look_at_text(path, reader, wanted)
            if form == "parquet":
                return Looked(path, form, _parquet_names(path))
            if form == "arff":
                return Looked(path, form, _arff_names(path))
    except UserError as error:
        raise error if str(error).startswith(str(path)) else error.within(str(path)) from None
    return Looked(path, form)


def chosen(found: Looked, name, option: str = "target") -> tuple[str | int | None, list[str]]:
    """The column meant, by name or by place, and what is to be said of it."""
    names = found.within
    if found.labels is not None and (option == "target" or name not in (names or ())):
        place = _place(name)  # of a column of that file
        return name if place is None else place, []
    if name is None:
        return None, []
    if names is None and found.format == "csv":
        place = _place(name)
        return name if place is None else place, []
    if names is None and option == "target":
        return None, []
    if names is None:
        raise UserError(f"{found.path}: {option}: a {found.format} file has no columns to name.")
    if isinstance(name, str) and name in names:
        place = _place(name)
        other = place is not None and -len(names) <= place < len(names)
        if other and place % len(names) != names.index(name):
            return name, [f"{option} {name} is the column of that name, not column number {name}"]
        return name, []
    place = _place(name)
    if place is not None:
        return _by_place(found, place, option)
    raise UserError(f"{found.path}: {_absent(found, name, option)}")


def dropped(found: Looked, given: list) -> list:
    """The columns that --drop means, by name or by place."""
    if found.transposed:
        return given
    here = replace(found, labels=None)
    return [chosen(here, name, "drop")[0] for name in given]


def guessed(found: Looked) -> str | None:
    """The target that the name of a column suggests, if exactly one does."""
    names = found.within or []
    likely = [name for name in names if name.strip().lower() in USUAL]
    return likely[0] if len(likely) == 1 else None


def left_out(found: Looked, data: Data, options: dict, asked: list) -> list[str]:
    """Columns that are no features though nobody `asked` for that, and why."""
    drop = options.get("drop", [])
    many = "more than 20 different texts, is left out"
    said = [f"column {name!r}, {many}" for name in drop if name not in asked]
    if found.names is None or found.transposed or data.names is None:
        return said
    named = set(data.names)
    encoded = {name.rpartition("=")[0] for name in named if "=" in name}
    known = {options.get("target"), options.get("group"), *drop}
    first = found.names[0]
    if first and not {first, 0} & known and first not in named | encoded:
        said.append(f"column {first!r}, texts that all differ, holds ids and is no feature")
    return said


def _look_at_text(path: Path, options: dict, wanted: Sequence) -> Looked:
    from imbfs.datasets.formats import text

    rows = text.rows_of(content(path), options.get("separator"), options.get("comments"))
    if options.get("samples") == "columns":
        firsts = [text.fields(line, rows.separator)[0] for line in rows.lines]
        return Looked(path, "csv", None, firsts, True)
    wanted = [name for name in (*wanted, options.get("ids")) if isinstance(name, str)]
    table = text.table(rows, options.get("header"), wanted, options.get("decimal"))
    return Looked(path, "csv", table.names, table.first())


def _parquet_names(path: Path) -> list[str]:
    from imbfs.datasets.formats import parquet

    return [str(name) for name in parquet._frame(content(path)).columns]


def _arff_names(path: Path) -> list[str]:
    from imbfs.datasets.formats.arff_text import parsed

    return [attribute.name for attribute in parsed(content(path))[0]]


def _place(name) -> int | None:
    try:
        return int(name)
    except (TypeError, ValueError):
        return None


def _by_place(found: Looked, place: int, option: str) -> tuple[str | int, list[str]]:
    names, what = found.within, "row" if found.transposed else "column"
    if not -len(names) <= place < len(names):
        raise UserError(
            f"{found.path}: {option}: there is no {what} {place}. They are 0 to {len(names) - 1}, "
            "or -1 for the last."
        )
    name = names[place]
    if not name or names.count(name) > 1:
        return place, []
    return name, [f"{option}: {what} {place} is {name!r}"]


def _absent(found: Looked, name, option: str) -> str:
    names, what = found.within, "row" if found.transposed else "column"
    if not found.transposed and found.firsts and str(name) in found.firsts:
        return (
            f"{option}: {name!r} is the name of a row: the samples stand in columns. "
            "Give --samples columns."
        )
    hint = did_you_mean(name, names) if len(names) < 50_000 else ""
    last = f" (last: {shortened(names[-1])})" if len(names) > _SHOWN else ""
    there = f"{first_of(names, _SHOWN)}{last}"
    return f"{option}: there is no {what} {name!r}.{hint} There are: {there}."
