"""A comparison from a user's file to a folder with its answer."""

from pathlib import Path

from imbfs.config import parse
from imbfs.errors import UserError
from imbfs.own.intake import Intake
from imbfs.own.nested import compared, page, told
from imbfs.own.nested.estimate import Answer, answer
from imbfs.own.nested.schedule import Comparison, carry_out
from imbfs.running import launch
from imbfs.running.plan import expand
from imbfs.running.store import Store, write_text


def make(
    taken: Intake, asked: compared.Asked, folder: Path, minutes: float, jobs: int
) -> tuple[str, list[Path]]:
    """Compare, choose, estimate; write the folder. The answer in words, and the files."""
    comparison, content = prepare(taken, asked, folder)
    found, said = find(comparison, content, taken, Store(folder), minutes, jobs)
    return told.text(said), _write(folder, said, found, content)


def find(
    comparison: Comparison, content: dict, taken: Intake, store: Store, minutes: float, jobs: int
) -> tuple[Answer, told.Told]:
    """Run what fits into the budget; the answer, and what is told of it."""
    config = {"name": content["name"], "config": _text(content), "quick": False}
    spent = carry_out(comparison, store, minutes, launch.How(jobs), config)
    sizes = tuple(taken.independent.values())
    found = _answered(comparison, store.records(), content["measures"][0], sizes)
    name = Path(taken.spec["path"]).name
    return found, told.tell(found, taken, name, comparison, spent)


def prepare(taken: Intake, asked: compared.Asked, folder: Path) -> tuple[Comparison, dict]:
    """The tasks of a comparison, and its config; the folder is made."""
    Store(folder).create()
    content = compared.config(taken, asked, folder.absolute().name)
    return Comparison(expand(parse(_text(content), folder.absolute()))), content


def _text(content: dict) -> str:
    return compared.written(content, ["All that imbfs benchmark may compare, best first."])


def _answered(comparison: Comparison, records: dict, measure: str, sizes: tuple) -> Answer:
    try:
        return answer(comparison, records, measure, sizes)
    except LookupError:
        failed = [record["error"] for record in records.values() if record["status"] == "failed"]
        why = f" The first failure: {failed[0]}" if failed else ""
        raise UserError(f"no method could be measured on all folds.{why}") from None


def _write(folder: Path, said: told.Told, found: Answer, content: dict) -> list[Path]:
    csv = folder / "compared.csv"
    write_text(csv, found.compared.to_csv(index=False, lineterminator="\n"))
    notes = folder / "recommendation.md"
    write_text(notes, told.markdown(said))
    config = folder / "config.yaml"
    write_text(config, compared.written(_ran(found, content), _notes(folder)))
    drawn = page.draw(folder, found, said)
    html = folder / "report.html"
    write_text(html, page.render(said, found, drawn, config.read_text(encoding="utf-8")))
    return [notes, csv, config, *drawn, html]


def _ran(found: Answer, content: dict) -> dict:
    """The config of what the answer rests on."""
    protocol = {"cv": {"repeats": found.repeats, "folds": found.folds}}
    changed = content | {"protocol": protocol}
    for place, key in enumerate(("selectors", "classifiers")):
        names = {pair[place].partition("(")[0] for pair in found.pairs}
        changed[key] = [one for one in content[key] if _name(one) in names]
    return changed


def _name(entry: str | dict) -> str:
    return entry if isinstance(entry, str) else next(iter(entry))


def _notes(folder: Path) -> list[str]:
    return [
        "What imbfs benchmark compared: the outer folds, for imbfs run to repeat and you to edit.",
        "The largest mean of its tables is optimistic; recommendation.md has the nested estimate.",
        "What is done already is found again with:",
        f"  imbfs run {folder / 'config.yaml'} --results {folder.parent}",
    ]
