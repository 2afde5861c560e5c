"""The commands on streams larger than memory: `imbfs stream` and `imbfs predict`."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from imbfs.cli.shared import list_paths, say, until_interrupted
from imbfs.errors import Unwritable, UserError

_LEARNERS = "pa, mbpa, onpa, cs, ofs, csoal, sbcw or ascw"

StreamFile = Annotated[
    str,
    typer.Argument(metavar="FILE", help="LIBSVM text or CSV, plain or packed; - reads a pipe."),
]

Learner = Annotated[str, typer.Option("--learner", help=f"{_LEARNERS}.")]
Features = Annotated[
    int | None,
    typer.Option(
        "--features", min=1, help="Features to predict with; all (sbcw, ascw: 50) unless given."
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", help="A parameter of the learner, as in C=0.1; may be repeated."),
]
TestFile = Annotated[str | None, typer.Option("--test", help="A file to test on.")]
Epochs = Annotated[int, typer.Option("--epochs", min=1, help="Passes over FILE.")]
ModelOut = Annotated[Path | None, typer.Option("--model", help="Where to keep what was learned.")]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on where MODEL stopped, on the same stream.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a model that is there.")]
HashBits = Annotated[
    int | None,
    typer.Option("--hash-bits", min=1, max=30, help="Hash indices into 2^B columns."),
]
PositiveClass = Annotated[
    str | None,
    typer.Option("--positive", help="The class to find; the larger label unless given."),
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="CSV: the column of the class.")]
Checkpoints = Annotated[
    Path | None, typer.Option("--out", help="Checkpoints of progressive measures, as CSV.")
]


def stream(
    file: StreamFile,
    learner: Learner = "mbpa",
    features: Features = None,
    param: Parameters = None,
    test: TestFile = None,
    epochs: Epochs = 1,
    model: ModelOut = None,
    resume: Resume = False,
    force: Force = False,
    hash_bits: HashBits = None,
    positive: PositiveClass = None,
    target: Target = None,
    out: Checkpoints = None,
) -> None:
    """Learn from FILE row by row, in one pass and constant memory, and select features on the way.

    Every row is predicted, then learned; the measures are of these predictions. Ctrl-C saves the
    model, as does about every minute: --resume goes on from there to the very same result.

    Example: imbfs stream big.svm.gz --features 50 --model big.npz --out big.csv

    Example: zcat clicks*.gz | imbfs stream - --learner ofs --features 100 --hash-bits 22
    """
    from imbfs.streaming.going import going
    from imbfs.streaming.learning import learn
    from imbfs.streaming.reading.source import Source

    if resume and model is None:
        raise UserError("--resume: give --model, the file to go on from.")
    source, tests = Source(file), None if test is None else Source(test)
    if source.is_pipe and (epochs > 1 or test == "-"):
        raise UserError("-: a pipe can be read once. Give a file for --epochs and --test.")
    for path in (model, out):
        _check_writable(path, file, test)
    asked = _asked(source, learner, param, features, hash_bits, positive)
    learning, start = _begun(asked, model, resume, force, target)
    with until_interrupted() as stop, going(learning, model) as tell:
        ended = learn(source, learning, epochs, stop, tell)
    if not ended:
        _stopped(learning, model, start)
    _finish(learning, model, tests, out, start)


def predict(
    file: StreamFile,
    model: Annotated[Path, typer.Option("--model", help="A model that imbfs stream wrote.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The CSV; standard output unless given.")
    ] = None,
) -> None:
    """Predict the class of every row of FILE with a MODEL of imbfs stream, in constant memory.

    Example: imbfs predict --model big.npz new.svm --out predicted.csv
    """
    from imbfs.running.store import write_whole
    from imbfs.streaming.model import read
    from imbfs.streaming.predicting import written
    from imbfs.streaming.reading.source import Source

    _check_writable(out, file, str(model))
    found, source = read(model), Source(file)

    def write(file: BinaryIO) -> str:
        with TextIOWrapper(file, encoding="utf-8", newline="") as sheet:
            return written(found, source, sheet)

    if out is not None:
        say(write_whole(out, write))
        return
    try:
        summary = written(found, source, sys.stdout)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to flush
        if isinstance(error, BrokenPipeError):  # whoever read it has enough
            return
        raise Unwritable.of("standard output", error) from None
    say(summary)


def _asked(source, learner: str, param, features, hash_bits, positive):
    """The model that the options ask for, before it has seen a row."""
    from imbfs.streaming.learners import chosen, revision
    from imbfs.streaming.model import Model
    from imbfs.streaming.reading.labels import plain
    from imbfs.streaming.reading.rows import Layout

    params = chosen(learner, dict(_param(text) for text in param or []), features)
    format = source.format()
    if hash_bits is not None and format != "libsvm":
        raise UserError("--hash-bits: the columns of CSV are known. It is for LIBSVM text.")
    named = None if positive is None else plain(positive, format)
    layout = Layout(format, hash_bits)
    return Model(learner, params, layout, (None, named), revision=revision(learner))


def _begun(asked, path: Path | None, resume: bool, force: bool, target: str | None):
    """The learning that goes on from a model file or begins, and the rows it has had before."""
    from imbfs.streaming.learning import Learning
    from imbfs.streaming.model import read

    place = int(target) if target is not None and target.lstrip("-").isdigit() else target
    there = path is not None and os.path.exists(path)
    if there and not resume and not force:
        raise UserError(f"{path}: is there already. Give --resume to go on, --force to replace it.")
    if there and resume:
        known = read(path)
        if other := known.other_than(asked):
            raise UserError(f"{path}: was learned with another {other}.")
        say(f"{path}: goes on after {known.tally.rows:,} rows.")
        return Learning(known, place), known.tally.rows
    return Learning(asked, place), 0


def _check_writable(path: Path | None, *read: str | None) -> None:
    """Refuse before learning what could not be written after it, or is read."""
    from tempfile import TemporaryFile

    if path is None:
        return
    there = [name for name in read if name and os.path.exists(name)]
    if os.path.exists(path) and any(path.samefile(name) for name in there):
        raise UserError(f"{path}: is read; what is written needs a name of its own.")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        return  # a pipe or a device
    folder = next(folder for folder in path.absolute().parents if os.path.exists(folder))
    try:
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Unwritable.of(path, error) from None


def _param(text: str) -> tuple[str, object]:
    from imbfs.config import dialect

    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"--param {text}: write NAME=VALUE, as in C=0.1.")
    try:
        return name, dialect.read(value)
    except UserError as error:
        raise error.within(f"--param {text}") from None


def _stopped(learning, path: Path | None, start: int) -> None:
    from imbfs.streaming.going import save

    model = save(learning, path)
    kept = "Nothing is kept: there was no --model."
    if path is not None:
        kept = f"The model is in {path}; the same command with --resume goes on."
    say(f"Stopped after {model.tally.rows:,} rows ({model.tally.rows - start:,} now). {kept}")
    sys.stderr.flush()
    os._exit(130)  # the thread that reads may be waiting for a pipe


def _finish(learning, path: Path | None, tests, out: Path | None, start: int) -> None:
    """The end of a stream: the model, the checkpoints, the test, all told."""
    from imbfs.running.store import write_text
    from imbfs.streaming.going import save
    from imbfs.streaming.predicting import tested
    from imbfs.streaming.tally import sheet
    from imbfs.streaming.told import summary, warnings

    model = save(learning, path)
    for line in warnings(model):
        say(f"note: {line}", "yellow")
    checkpoints = list(model.checkpoints)
    if out is not None:
        write_text(out, sheet(checkpoints))
    if tests is not None:
        checkpoints.append(tested(model, tests))
    for line in summary(model, checkpoints):
        say(line, err=False)
    if out is not None:
        write_text(out, sheet(checkpoints))
    list_paths([file for file in (path, out) if file is not None])
