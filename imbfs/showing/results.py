"""Results that are there: which folders hold some, what experiment they answer, their tables."""

from pathlib import Path

from imbfs.config import Experiment, parse
from imbfs.errors import UserError
from imbfs.running.store import Store


def stores(folder: Path) -> list[Store]:
    """The experiment in this folder, or those below it."""
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder.")
    if (folder / "run.json").exists():
        return [Store(folder)]
    found = [Store(path.parent) for path in sorted(folder.glob("*/run.json"))]
    if not found:
        raise UserError(f"{folder}: holds no results. Make some with imbfs run CONFIG.")
    return found


def experiment(store: Store) -> Experiment:
    """The experiment as its run.json tells it."""
    kept = store.read("run.json")
    try:
        told = parse(kept["config"])
    except UserError as error:
        raise error.within(f"{store.folder / 'run.json'}: config") from None
    return told.cut_short() if kept["quick"] else told


def earlier(folder: Path) -> tuple[list[dict], list[dict]]:
    """Records and plans of every experiment below a folder."""
    found = [Store(path.parent) for path in sorted(folder.glob("*/plan.json"))]
    records = [record for store in found for record in store.records().values()]
    return records, [store.read("plan.json") for store in found]


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
    return frame, sheets.write(store.folder, frame, plan, records, experiment.tables, formats)


def finished(store: Store) -> list[Path]:
    """Tables and figures that are there already; none if the records or the config are newer."""
    paths = sorted(store.folder.glob("tables/*")) + sorted(store.folder.glob("figures/*"))
    made_of = [store.path, store.folder / "run.json"]
    if not any(path.parent.name == "figures" for path in paths):
        return []
    oldest = min(path.stat().st_mtime for path in paths)
    return paths if all(path.stat().st_mtime <= oldest for path in made_of) else []
