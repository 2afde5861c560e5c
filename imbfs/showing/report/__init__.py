"""From committed tables to pages: one for every experiment, and one over all of them.

A page is one file that needs nothing else, the same to the byte whenever it is made.
"""

from pathlib import Path

from imbfs.running.store import refuse_links, write_text
from imbfs.showing.report import experiment, overview
from imbfs.showing.report.found import experiments
from imbfs.showing.report.judged import judgements

FILE = overview.FILE


def write(folder: Path, papers: Path) -> list[Path]:
    """Write the pages of the experiments in a folder; of several, the one over them comes first."""
    every = experiments(folder)
    alone = every[0].folder == folder
    told = judgements(folder.absolute().parent if alone else folder, papers)
    above = None if len(every) == 1 else f"../{FILE}"
    pages = {found.folder / FILE: experiment.render(found, told, above) for found in every}
    if above:
        pages = {folder / FILE: overview.render(every, told)} | pages
    for path in pages:
        refuse_links(path.parent)
    for path, text in pages.items():
        write_text(path, text)
    return list(pages)
