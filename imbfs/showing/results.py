"""Results that are there: which folders hold some, what experiment they answer, their tables."""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import get_args

from imbfs import __version__
from imbfs.config import Experiment, Figure, Table, parse
from imbfs.errors import UserError
from imbfs.running.store import FORMAT, Store, refuse_links


def stores(folder: Path, with_records: bool = False) -> list[Store]:
    """The experiment in this folder, or those below it, only those with records if asked."""
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder.")
    if (folder / "run.json").exists():
        return _written_here([Store(folder)])
    found = [Store(path.parent) for path in sorted(folder.glob("*/run.json"))]
    found = [store for store in found if store.path.exists() or not with_records]
    if not found:
        what = "records" if with_records else "results"
        raise UserError(f"{folder}: holds no {what}. Make some with imbfs run CONFIG.")
    _refuse_doubles(found)
    return _written_here(found)


def _written_here(stores: list[Store]) -> list[Store]:
    for store in stores:
        refuse_links(store.folder)
    return stores


def _refuse_doubles(stores: list[Store]) -> None:
    """Two folders with results of one experiment cannot both be shown as its results."""
    homes: dict[str, Path] = {}
    for store in stores:
        name = (store.read("run.json") or {}).get("name", store.folder.name)
        if name in homes:
            raise UserError(
                f"{store.folder}: holds results of {name}, and {homes[name]} does too. Move one of "
                "them away, or name it alone."
            )
        homes[name] = store.folder


def experiment(store: Store) -> Experiment:
    """The experiment as its run.json tells it."""
    kept = store.read("run.json")
    try:
        told = parse(kept["config"], importing=False)
    except UserError as error:
        raise error.within(f"{store.folder / 'run.json'}: config") from None
    return told.cut_short() if kept["quick"] else told


def earlier(folder: Path) -> tuple[list[dict], list[dict]]:
    """Records and plans of every experiment below a folder, as far as they can be read."""
    records, plans = [], []
    for path in sorted(folder.glob("*/plan.json")):
        with suppress(UserError):
            store = Store(path.parent)
            known = list(store.records().values())
            plans.append(store.read("plan.json"))
            records += known
    return records, plans


def write_tables(experiment: Experiment, store: Store, formats: list[str]):
    """Make the tables anew from the records: the tidy frame, and the files written."""
    from imbfs.showing import sheets, tables

    plan = store.read("plan.json")
    if plan is None or not store.path.exists():
        raise UserError(f"{store.folder}: holds no records. Make them with imbfs run CONFIG.")
    records = store.records()
    frame = tables.results(plan, records)
    if frame.empty:
        raise UserError(f"{store.folder}: no task has a result yet.")
    if experiment.rank_on == "all":
        frame = tables.marked(frame)
    return frame, sheets.write(store.folder, frame, plan, records, experiment.tables, formats)


def publish(experiment: Experiment, store: Store):
    """Write the tables and figures, remove those of another plan, and note what they rest on."""
    from imbfs.showing import figures

    frame, tables = write_tables(experiment, store, ["csv", "md"])
    paths = tables + figures.draw(store.folder, experiment.figures)
    for old in _ours(store.folder):
        if old not in paths:
            old.unlink()
    files = {str(path.relative_to(store.folder)): _hash(path) for path in paths}
    store.write("published.json", {"format": FORMAT, "of": _digest(store), "files": files})
    return frame, paths


def finished(store: Store) -> list[Path]:
    """Tables and figures that are there already; none unless all are as the records make them."""
    files = _published(store)
    whole = all(_hash(store.folder / name) == known for name, known in files.items())
    return [store.folder / name for name in files] if whole else []


def altered(store: Store) -> list[Path]:
    """Tables that are not what the records made them, though those are the same as then."""
    tables = {name: known for name, known in _published(store).items() if name.endswith(".csv")}
    return [
        store.folder / name for name, known in tables.items() if _hash(store.folder / name) != known
    ]


def _published(store: Store) -> dict[str, str]:
    """The files that were made of what is there now, with their hashes."""
    note = None
    with suppress(UserError):
        note = store.read("published.json")
    return note["files"] if note is not None and note["of"] == _digest(store) else {}


def _hash(path: Path) -> str | None:
    """The hash of a file; None if it is not there, or cannot be read."""
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    return None


def _digest(store: Store) -> str:
    """A hash of all that tables and figures are made of."""
    digest = hashlib.sha256(__version__.encode())
    digest.update((_hash(store.folder / "plan.json") or "").encode())
    digest.update(store.content())
    digest.update((store.read("run.json") or {}).get("config", "").encode())
    return digest.hexdigest()


def _ours(folder: Path) -> list[Path]:
    """The files that `publish` writes, by the names it gives them."""
    always = ("results.csv", "features.csv", "problems.csv", "seconds.csv")
    found = [folder / "tables" / name for name in always if (folder / "tables" / name).exists()]
    for place, model in (("tables", Table), ("figures", Figure)):
        for kind in get_args(model.model_fields["kind"].annotation):
            found += (folder / place).glob(f"{kind}_*")
    return found
