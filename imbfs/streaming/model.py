"""The model file: arrays and one JSON text in an NPZ, without pickles, the same to the byte.

`selected` and `coef` are the features that it predicts with and their weights; the other arrays are
what learning goes on from.
"""

import io
import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import numpy as np
from annotated_types import Ge, Le, Len

from imbfs import jsonfiles
from imbfs.datasets.formats import compression, npz
from imbfs.errors import UserError
from imbfs.jsonfiles import Natural, Number, Written
from imbfs.online import memory
from imbfs.online.memory.plain import numbers
from imbfs.streaming.learners import made
from imbfs.streaming.reading.rows import Layout
from imbfs.streaming.reading.source import Place
from imbfs.streaming.tally import Checkpoint, Tally

VERSION = 2


@dataclass
class Model:
    """What was learned, from which stream, and how far."""

    learner: str
    params: dict
    layout: Layout
    classes: tuple[str | None, str | None]  # the other class, and the one to find
    n_features: int = 0
    epoch: int = 0
    place: Place = field(default_factory=Place)
    tally: Tally = field(default_factory=Tally)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    random: dict | None = None
    revision: int | str = 1  # of the learner
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def other_than(self, asked: "Model") -> str:
        """The first thing in which it is not what is asked for, or nothing."""
        pairs = {"--learner": (self.learner, asked.learner)}
        for key, value in asked.params.items():
            name = "--features" if key == "keep" else f"--param {key}"
            pairs[name] = self.params.get(key), value
        pairs["revision"] = self.revision, asked.revision
        pairs["--hash-bits"] = self.layout.hash_bits, asked.layout.hash_bits
        pairs["format"] = self.layout.format, asked.layout.format
        positive = self.classes[1]
        pairs["--positive"] = positive, asked.classes[1] or positive
        found = (
            f"{name}: {own}, not {other}" for name, (own, other) in pairs.items() if own != other
        )
        return next(found, "")

    def write(self, file: BinaryIO) -> None:
        """Write the file."""
        said = {"imbfs": "stream", "version": VERSION, **asdict(replace(self, arrays={}))}
        del said["arrays"]
        np.savez(file, model=np.array(json.dumps(said)), **self.arrays)

    def content(self) -> bytes:
        """The file."""
        file = io.BytesIO()
        self.write(file)
        return file.getvalue()


class _Layout(Written):
    format: Literal["libsvm", "csv"]
    hash_bits: Annotated[int, Ge(1), Le(31)] | None
    separator: str | None
    decimal: str | None
    names: list[str] | None
    target: int | None
    width: Natural | None


class _Place(Written):
    n_bytes: Natural
    n_lines: Natural
    start: Annotated[list[Natural], Len(2, 2)] | None


class _Tally(Written):
    tp: Natural
    fn: Natural
    tn: Natural
    fp: Natural


class _Checkpoint(Written):
    part: str
    epoch: Natural
    rows: Natural
    positives: Natural
    g_mean: Number | None
    sensitivity: Number | None
    specificity: Number | None
    features: Natural
    learned: Natural


class _Said(Written):
    """What a model file says beside its arrays."""

    learner: str
    params: dict
    layout: _Layout
    classes: Annotated[list[str | None], Len(2, 2)]
    n_features: Natural
    epoch: Natural
    place: _Place
    tally: _Tally
    checkpoints: list[_Checkpoint]
    random: dict | None
    revision: int | str


def read(path: Path) -> Model:
    """A model as it was written; anything else is refused."""
    if not os.path.isfile(path):
        raise UserError(f"{path}: there is no such model.")
    try:
        arrays = npz.arrays_of(path)
        said = jsonfiles.loads(str(arrays.pop("model")))
    except compression.TooMuch as error:
        raise error.within(str(path)) from None
    except (UserError, OSError, ValueError, KeyError, RecursionError):
        raise UserError(f"{path}: is damaged, or no model of imbfs stream.") from None
    if not isinstance(said, dict) or said.pop("imbfs", None) != "stream":
        raise UserError(f"{path}: is no model of imbfs stream.")
    if (version := said.pop("version", None)) != VERSION:
        raise UserError(f"{path}: is a model of version {version}; this imbfs reads {VERSION}.")
    try:
        jsonfiles.check(said, _Said)
        return _checked(Model(**_parts(said), arrays=arrays))
    except (TypeError, KeyError, ValueError, AttributeError):
        raise UserError(f"{path}: is damaged.") from None


def _parts(said: dict) -> dict:
    layout, place = said["layout"], said["place"]
    names = layout["names"]
    return said | {
        "layout": Layout(**layout | {"names": None if names is None else tuple(names)}),
        "classes": tuple(said["classes"]),
        "place": Place(**place | {"start": place["start"] and tuple(place["start"])}),
        "tally": Tally(**said["tally"]),
        "checkpoints": [Checkpoint(**checkpoint) for checkpoint in said["checkpoints"]],
    }


def _checked(model: Model) -> Model:
    """Refuse arrays that do not fit one another: nothing may be learned out of bounds."""
    arrays, n_features = model.arrays, model.n_features
    if not 0 <= n_features <= 2**31:
        raise ValueError("n_features")
    if n_features:
        selected = numbers(arrays, "selected", "i", None, below=n_features)
        numbers(arrays, "coef", "f", len(selected))
        memory.of(made(model.learner, model.params)).check(n_features, arrays)
    return model
