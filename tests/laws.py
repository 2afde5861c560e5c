"""What is read, how, and the law for it: an input is read whole and sound, or refused in one line.

A Format has valid inputs; `finish` packs a mutated one (into an archive, say), so that damage gets
behind checksums, and `read` reads it as imbfs does and asserts that what comes out is sound.
"""

import bz2
import gzip
import io
import json
import lzma
import math
import os
import random
import re
import struct
import traceback
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import misbehaving
import numpy as np
import seeds
from mutations import mutated, some_retyped
from scipy.sparse import issparse

from imbfs.errors import UserError, printable

Read = Callable[[bytes, Path, random.Random], None]


@dataclass(frozen=True)
class Format:
    """Something that imbfs reads."""

    inputs: Callable[[], list[bytes]]
    read: Read
    finish: Callable[[bytes, random.Random], bytes] = lambda content, rng: content


def made(name: str, seed: int, number: int) -> tuple[bytes, random.Random]:
    """The mutated input of that number, and the generator for what else is random about it."""
    rng = random.Random(f"{seed} {name} {number}")
    format = FORMATS[name]
    return format.finish(mutated(_inputs(name), rng), rng), rng


def judged(name: str, content: bytes, rng: random.Random, folder: Path) -> str:
    """What law the reading of an input broke, or nothing."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            FORMATS[name].read(content, folder, rng)
        except UserError as error:
            told = str(error)
            if told != printable(told) or len(told.splitlines()) != 1:
                return f"is not told in one line that can be printed: {told!r}"
        except MemoryError:
            return "asks for too much memory"
        except Exception:
            return traceback.format_exc()
    return f"a warning leaks: {warned[0].message}" if warned else ""


@cache
def _inputs(name: str) -> list[bytes]:
    return list(FORMATS[name].inputs())


def sound(data) -> None:
    """Arrays that fit one another and hold nothing but finite numbers."""
    X, y = data.X, data.y
    assert X.ndim == 2 and X.dtype == np.float64 and min(X.shape) > 0
    assert np.isfinite(X.data if issparse(X) else X).all()
    assert len(y) == X.shape[0] and y.dtype == np.int64
    assert data.names is None or len(data.names) == X.shape[1]
    if issparse(X):
        X.check_format(full_check=True)
        assert X.has_sorted_indices
    if y.ndim == 2:
        assert set(np.unique(y)) <= {0, 1} and y.shape[1] == len(data.classes)
    else:
        assert set(np.unique(y)) == set(range(len(data.classes)))
        assert len(set(data.classes)) == len(data.classes)
    assert all(math.isfinite(c) for c in data.classes if not isinstance(c, str))


def _file(options: Callable[[random.Random], dict], name: str = "a") -> Read:
    """Read a file by its format, found out or given, with options that the generator picks."""

    def read(content: bytes, folder: Path, rng: random.Random) -> None:
        from imbfs.datasets import formats

        path = folder / name
        path.write_bytes(content)
        sound(formats.read(path, **options(rng)))

    return read


def _some(**choices) -> Callable[[random.Random], dict]:
    """Of every option one of the choices, None for none."""

    def pick(rng: random.Random) -> dict:
        picked = {option: rng.choice(several) for option, several in choices.items()}
        return {option: value for option, value in picked.items() if value is not None}

    return pick


def _csv_options(rng: random.Random) -> dict:
    if rng.random() < 0.2:
        return {"format": "csv", "samples": "columns", "target": rng.choice(["class", 0, 1])}
    targets = ("class", "class", -1, 0)
    some = _some(texts=("encode", None), names=("number", None), ids=(None, None, "id", 0))
    return {"format": "csv", "target": rng.choice(targets), **some(rng)}


def _table(content: bytes, rng: random.Random) -> bytes:
    """A CSV as people write them; every sample has a number of its own, 9....5, and no other line.

    Above it are comments, names or neither; ids and names may begin with #, and a value of the
    first row may be no number.
    """
    cut, n, width = rng.choice(",;\t| "), rng.randint(2, 30), rng.randint(1, 4)
    ids = rng.choice(("", "s", "#", "#" if rng.random() < 0.5 else "s"))
    rows = []
    for i in range(n):
        row = [f"9{i:04}.5", *(f"{rng.gauss(0, 1):.2f}" for _ in range(width)), rng.choice("ab")]
        mark = rng.choice(("#", "s")) if ids and rng.random() < 0.5 else ids
        rows.append([f"{mark}{i}", *row] if ids else row)
    for _ in range(rng.choice((0, 1, 1, 2))):
        rows[0][rng.choice([j for j, text in enumerate(rows[0]) if text[:1] != "9"])] = rng.choice(
            ODD
        )
    names = [*(["id"] if ids else []), "token", *(f"f{j}" for j in range(width)), "class"]
    if rng.random() < 0.3:
        names[0] = rng.choice(("#SampleID", "# id", "#", "" if ids else "#t"))
    if ids and rng.random() < 0.2:
        names = names[1:]  # as R writes them
    lines = [cut.join(row) for row in ([names] if rng.random() < 0.6 else []) + rows]
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.choice((0, 0, 1, rng.randint(0, len(lines))))
        lines.insert(at, rng.choice(("#", "# by Anna", f"# one{cut}two", "##", "#x,y;z")))
    return "\n".join(lines).encode()


def _read_table(content: bytes, folder: Path, rng: random.Random) -> None:
    """Every sample is there, and nothing else is."""
    from imbfs.datasets import formats

    path = folder / "table"
    path.write_bytes(content)
    options = {"texts": "encode", "target": rng.choice(("class", -1, -1))}
    data = formats.read(path, format="csv", impute="median", **options)
    samples = sorted(float(text) for text in re.findall(rb"9\d{4}\.5", content))
    assert sorted(np.nanmax(data.X, axis=1)) == samples, data.how


def _read_wide(content: bytes, folder: Path, rng: random.Random) -> None:
    """A sparse file, and the smallest piece of work on it."""
    from imbfs.datasets import formats
    from imbfs.selectors import SELECTORS

    path = folder / "wide"
    path.write_bytes(content)
    data = formats.read(path)
    sound(data)
    if data.y.ndim == 1 and len(data.classes) == 2:
        assert len(SELECTORS["s2n"].call(data.X, 2 * data.y - 1)) == data.X.shape[1]


def _wide(content: bytes, rng: random.Random) -> bytes:
    """One of its indices much larger, which mutations seldom leave in order."""
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    index = rng.choice((10**5, 10**6, 10**7, 10**8, 10**9, 2**31 - 2, 2**31))
    lines[place] += b" %d:1" % rng.randint(index // 2, index)
    return b"\n".join(lines)


def _read_options(content: bytes, folder: Path, rng: random.Random) -> None:
    """A word as --read and as --method of `imbfs select` take it."""
    from imbfs.cli.data_options import DataOptions, parsed
    from imbfs.own import ranked
    from imbfs.own.intake import take

    path = folder / "a.csv"
    path.write_bytes(
        b"id,a,b,class\n" + b"".join(b"p%d,%d,1,%d\n" % (i, i * i, i % 2) for i in range(8))
    )
    text = content.decode("utf-8", "surrogateescape").replace("\0", "")
    before = os.environ.get("IMBFS_CACHE")
    os.environ["IMBFS_CACHE"] = str(folder / "cache")
    try:
        if rng.random() < 0.5:
            ranked.choices([parsed(text, "--method")], "binary")
        else:
            name = rng.choice(READ)
            given = rng.choice((text, f"{name}={text}"))
            take(path, "class", read=DataOptions(path, read=[given]).reader)
    finally:
        del os.environ["IMBFS_CACHE"]
        os.environ |= {} if before is None else {"IMBFS_CACHE": before}


ODD = ("<0.01", "#N/A", "inf", "0x1p3", "n.d.", "unknown", "12%", "NA", "", "-", "> 5", "1,5")
READ = (
    "ids", "labels", "unlabelled", "header", "separator", "decimal", "comments", "texts", "names",
    "format", "impute", "group", "nothing",
)  # fmt: skip
VALUES = [
    b"2020-13-45", b"!!int x", b"[" * 3000, b"2020-01-01", b"{mbpa: {C: 1e-3}}", b"fast",
    b"{fast: {K: 5}}", b"true", b"no", b"yes", b"1e-3", b"[a, b]", b"{a: {b: c}}", b"null", b";",
    b"'", b'"\\t"', b"tab", b"drop", b"encode", b"-1", b"0", b"1_000", b"~", b".inf", b"&a [*a]",
    b"unlabelled=drop", b"header=no", b"header", b"=", b"a=", b"csv", b"median", b"number", b"id",
]  # fmt: skip


def _read_idx(content: bytes, folder: Path, rng: random.Random) -> None:
    """Half of the time the file of the classes is the mutated one."""
    images, labels = content, rng.choice(seeds.IDX_LABELS)
    if rng.random() < 0.5:
        images = seeds.idx()[0]
        labels = mutated(seeds.IDX_LABELS, rng)
    (folder / "labels").write_bytes(labels)
    _file(lambda rng: {"format": "idx", "labels": "labels", "sparse": rng.random() < 0.3})(
        images, folder, rng
    )


def _in_npz(content: bytes, rng: random.Random) -> bytes:
    """An array that is damaged, inside an archive that is not."""
    if content.startswith(b"PK"):
        return content
    whole = seeds.npz()[rng.randrange(3)]
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[rng.choice(sorted(members))] = content
    return seeds.zipped(members, packed=rng.random() < 0.5)


def _packed_elements(content: bytes, rng: random.Random) -> bytes:
    """The elements of a MATLAB file, as they are or packed, which gives them a right checksum."""
    if rng.random() < 0.5 or len(content) < 136:
        return content
    inside = zlib.compress(content[128:])
    return content[:128] + struct.pack("<II", 15, len(inside)) + inside


def _unpacks(name: str, pack: Callable[[bytes], bytes]) -> Format:
    """Text packed in some way, damaged before or after packing."""

    def finish(content: bytes, rng: random.Random) -> bytes:
        return mutated([pack(content)], rng) if rng.random() < 0.7 else pack(content)

    return Format(lambda: seeds.LIBSVM, _file(_some(), f"a.{name}"), finish)


def _zst(content: bytes) -> bytes:
    import zstandard

    return zstandard.compress(content)


MEMBERS = {"data/a.txt": b"1 1:1\n" * 20, "b": b"x", "data/c": b""}


def _read_archive(content: bytes, folder: Path, rng: random.Random) -> None:
    """Unpack two members; nothing but their targets may be there afterwards."""
    from imbfs.datasets.archives import unpack

    with TemporaryDirectory(dir=folder) as inner:
        place = Path(inner) / "deep"
        place.mkdir()
        archive = Path(inner) / "archive"
        archive.write_bytes(content)
        try:
            unpack(archive, {"data/a.txt": place / "one", "b": place / "two"})
        finally:
            left = {str(path.relative_to(inner)) for path in Path(inner).rglob("*")}
            assert left <= {"archive", "deep", "deep/one", "deep/two"}, left


def _read_stream(content: bytes, folder: Path, rng: random.Random) -> None:
    """Blocks of a file of LIBSVM text or CSV, large or small."""
    from imbfs.streaming.reading.rows import CsvRows, Layout, LibsvmRows, chunks, with_target
    from imbfs.streaming.reading.source import BLOCK, Place, Source

    path = folder / "stream"
    path.write_bytes(content)
    source = Source(str(path))
    format = source.format()
    if format == "csv":
        reader = CsvRows(Layout(format), partial(with_target, rng.choice(["class", -1])), ["class"])
    else:
        reader = LibsvmRows(source.name, Layout(format, rng.choice([None, 8])))
    n_lines = 0
    for chunk in chunks(source, reader, Place(), rng.choice([BLOCK, 16, 64])):
        assert chunk.labels is None or len(chunk.labels) == len(chunk)
        assert np.isfinite(chunk.X.data if issparse(chunk.X) else chunk.X).all()
        assert chunk.place.n_lines >= n_lines
        n_lines = chunk.place.n_lines


def _read_config(content: bytes, folder: Path, rng: random.Random) -> None:
    """A config as `imbfs run` loads it; what names code outside may not import anything here."""
    from imbfs.config import load

    path = folder / "config.yaml"
    path.write_bytes(content)
    experiment = load(path)
    experiment.cut_short()
    assert len({dataset.label for dataset in experiment.datasets}) == len(experiment.datasets)


def _read_claims(content: bytes, folder: Path, rng: random.Random) -> None:
    from imbfs.showing.claims import load

    path = folder / "claims.yaml"
    path.write_bytes(content)
    paper = load(path)
    for name in paper.experiments:
        paper.on(name)
    paper.cut_short()


def _read_printed(content: bytes, folder: Path, rng: random.Random) -> None:
    from imbfs.config import Table
    from imbfs.config.printed import read

    path = folder / "printed.csv"
    path.write_bytes(content)
    names = rng.choice([{}, {"s2n": "s2n"}])
    for row in read(Table(kind="beside", printed=str(path), features=5, methods=names)):
        assert {"dataset", "method", "metric", "value"} <= set(row)
        assert row["value"] is None or np.isfinite(row["value"])


def _read_records(content: bytes, folder: Path, rng: random.Random) -> None:
    """Records as a store reads them and tables take them."""
    from imbfs.running.store import Store
    from imbfs.showing import tables

    (folder / "records.jsonl").write_bytes(content)
    records = Store(folder).records()
    frame = tables.results(json.loads(json.dumps(seeds.PLAN)), records)
    tables.features(seeds.PLAN, records)
    tables.seconds(seeds.PLAN, records)
    assert list(frame.columns)


@cache
def _model() -> bytes:
    with TemporaryDirectory() as folder:
        return seeds.model(Path(folder))


def _in_model(content: bytes, rng: random.Random) -> bytes:
    """One member of the model damaged in an archive that is whole, or the archive itself."""
    if rng.random() < 0.3:
        return content
    with zipfile.ZipFile(io.BytesIO(_model())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = rng.choice([*members, "model.npy"])
    members[chosen] = mutated([members[chosen]], rng)
    return seeds.zipped(members)


def _read_model(content: bytes, folder: Path, rng: random.Random) -> None:
    """A model, and what it predicts."""
    from imbfs.streaming.model import read
    from imbfs.streaming.predicting import written
    from imbfs.streaming.reading.source import Source

    (folder / "m.npz").write_bytes(content)
    (folder / "new.svm").write_bytes(b"1 1:1 2:2\n-1 2:1 3:1\n")
    written(read(folder / "m.npz"), Source(str(folder / "new.svm")), io.StringIO())


def _read_run(content: bytes, folder: Path, rng: random.Random) -> None:
    """run.json as tables, reports, comparisons and the time of a run take it."""
    from imbfs.running import launch
    from imbfs.running.store import Store
    from imbfs.showing import compare, results
    from imbfs.showing.report import found
    from imbfs.showing.report.sections import made

    (folder / "run.json").write_bytes(content)
    (folder / "records.jsonl").write_bytes(b"")
    store = Store(folder)
    launch.seconds_a_task(store)
    with launch.journal(store, store.read("run.json"), launch.How(1), launch.Account(1, 0), []):
        pass
    one = found.found(folder)
    str(made.shown(one)), str(made.notices(one, None))
    results.altered(store)
    compare.side(folder, folder)
    results.experiment(store)


def _read_plan(content: bytes, folder: Path, rng: random.Random) -> None:
    """plan.json as tables and guesses of the time take it, with the records of its tasks."""
    from imbfs.config import Table
    from imbfs.running import cost
    from imbfs.running.store import Store
    from imbfs.showing import sheets, tables

    (folder / "plan.json").write_bytes(content)
    (folder / "records.jsonl").write_bytes(seeds.records()[-1])
    store = Store(folder)
    plan, records = store.read("plan.json"), store.records()
    cost.estimate([], list(records.values()), [plan])
    frame = tables.results(plan, records)
    asked = Table(kind="beside", printed="p.csv", features=2, methods={"s2n": "s2n"}).model_copy()
    sheets.write(folder, frame, plan, records, [Table(kind="ranks", measure="auc"), asked], ["csv"])


def _read_published(content: bytes, folder: Path, rng: random.Random) -> None:
    from imbfs.running.store import Store
    from imbfs.showing import results

    store = Store(folder)
    told = content.replace(b"digest", results._digest(store).encode())
    (folder / "published.json").write_bytes(told)
    results.finished(store), results.altered(store)


def _read_budget(content: bytes, folder: Path, rng: random.Random) -> None:
    from types import SimpleNamespace

    from imbfs.own.nested.schedule import Budget, Spent
    from imbfs.running.store import Store

    (folder / "budget.json").write_bytes(content)
    nothing = SimpleNamespace(tasks={}, pairs=[], needed=[], repeats=1)
    spent = Spent.read(Store(folder), nothing)
    list(Budget(nothing, {}, spent, 1.0, 1).units())


def _read_about(content: bytes, folder: Path, rng: random.Random) -> None:
    """A set in the cache with another about.json: the set, or it is parsed again."""
    from imbfs.datasets.cache import _fingerprint, _open, cached

    before = os.environ.get("IMBFS_CACHE")
    os.environ["IMBFS_CACHE"] = str(folder / "cache")
    try:
        cached(["x"], seeds.data)
        (place,) = (folder / "cache").iterdir()
        (place / "about.json").write_bytes(content)
        sound(cached(["x"], seeds.data))
        assert _fingerprint(_open(place)) == _open(place).fingerprint
    finally:
        del os.environ["IMBFS_CACHE"]
        os.environ |= {} if before is None else {"IMBFS_CACHE": before}


_BESIDE = """\
name: beside
datasets: [breast_cancer]
selectors: [%s s2n]
classifiers: naive_bayes
features: [2, 5]
measures: [auc]
protocol: {holdout: {repeats: 1}}
preprocess: standardize
"""


def _outcomes(folder: Path, others: str) -> list[dict]:
    """The records of s2n, and of another selector before it on the same rows."""
    from imbfs.config import parse
    from imbfs.running.backends.attempt import attempt
    from imbfs.running.plan import expand
    from imbfs.running.runner import units_of

    units = units_of(expand(parse(_BESIDE % others, folder)).tasks)
    return [record for unit in units for record in attempt(unit)]


@cache
def _alone() -> list[dict]:
    return _outcomes(Path(), "")[0]["rows"]


def _read_method(content: bytes, folder: Path, rng: random.Random) -> None:
    """Run a selector that misbehaves: its task alone may fail, and the record of that is whole."""
    from imbfs.running.store import Store

    expected = _alone()
    with TemporaryDirectory(dir=folder) as place:
        home = Path(place)
        (home / "misbehaved.py").write_bytes(content)
        first, second = _outcomes(home, "'misbehaved:score',")
        assert second["status"] == "ok" and second["rows"] == expected, second
        store = Store(home)
        store.append([first, second])
        kept = store.records()
    assert list(kept) == [first["key"], second["key"]]
    assert kept[first["key"]].items() >= json.loads(json.dumps(first)).items()
    if first["status"] == "failed":
        assert first["error"] and "\n" not in first["error"]


def sealed(name: str, content) -> bytes:
    """JSON as a file, with the checksum of a set's, so that damage gets behind it."""
    text = json.dumps(content)
    return f"{text}\n{zlib.crc32(text.encode())}\n".encode() if name == "about" else text.encode()


def _json(name: str, inputs: Callable[[], list[bytes]], read: Read) -> Format:
    """JSON of ours: values of other types within it, or damaged bytes."""

    def finish(content: bytes, rng: random.Random) -> bytes:
        if rng.random() < 0.3:
            return content
        text = rng.choice(_inputs(name)).split(b"\n")[0]
        return sealed(name, some_retyped(json.loads(text), rng))

    return Format(inputs, read, finish)


FORMATS = {
    "libsvm": Format(lambda: seeds.LIBSVM, _file(_some(format=("libsvm",)))),
    "sniffed": Format(
        lambda: [*seeds.LIBSVM, *seeds.CSV, *seeds.ARFF, *seeds.idx()], _file(_some())
    ),
    "csv": Format(lambda: seeds.CSV, _file(_csv_options)),
    "table": Format(lambda: [b""], _read_table, _table),
    "wide": Format(lambda: seeds.LIBSVM, _read_wide, _wide),
    "options": Format(lambda: VALUES, _read_options),
    "arff": Format(lambda: seeds.ARFF, _file(_some(format=("arff",), drop=(None, ["t"])))),
    "idx": Format(seeds.idx, _read_idx),
    "npz": Format(
        lambda: [*seeds.npy(), *seeds.npz()],
        _file(_some(format=("npz",), samples=(None, None, "columns"))),
        _in_npz,
    ),
    "matlab": Format(
        lambda: [*seeds.matlab(), *seeds.matlab(packed=True)],
        _file(_some(format=("matlab",), samples=(None, None, "columns"))),
        _packed_elements,
    ),
    "matlab73": Format(seeds.matlab73, _file(_some(format=("matlab",), samples=("columns", None)))),
    "parquet": Format(
        seeds.parquet,
        _file(_some(format=("parquet",), target=("class", -1), texts=("encode", None))),
    ),
    "gz": _unpacks("gz", gzip.compress),
    "bz2": _unpacks("bz2", bz2.compress),
    "xz": _unpacks("xz", lzma.compress),
    "zst": _unpacks("zst", _zst),
    "zip": Format(
        lambda: [seeds.zipped(MEMBERS), seeds.zipped(MEMBERS, packed=True)], _read_archive
    ),
    "tar": Format(
        lambda: [seeds.tarred(MEMBERS), seeds.tarred(MEMBERS, "w:gz"), seeds.tarred(MEMBERS)],
        _read_archive,
    ),
    "stream": Format(lambda: [*seeds.LIBSVM, *seeds.CSV], _read_stream),
    "config": Format(lambda: list(seeds.configs()), _read_config),
    "claims": Format(lambda: list(seeds.claims()), _read_claims),
    "printed": Format(lambda: seeds.PRINTED, _read_printed),
    "model": Format(lambda: [_model()], _read_model, _in_model),
    "records": Format(seeds.records, _read_records),
    "run": _json("run", lambda: [seeds.RUN], _read_run),
    "plan": _json("plan", lambda: [sealed("plan", seeds.WHOLE_PLAN)], _read_plan),
    "published": _json("published", lambda: [seeds.PUBLISHED], _read_published),
    "budget": _json("budget", lambda: [seeds.budget()], _read_budget),
    "method": Format(lambda: [b""], _read_method, lambda _, rng: misbehaving.drawn(rng)),
    "about": _json("about", lambda: [seeds.about()], _read_about),
}
