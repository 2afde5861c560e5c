"""MATLAB v7.3, which is HDF5, read by a process of its own: see `hdf5_reader`."""

import json
import math
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import numpy as np
from scipy.sparse import csc_array

from imbfs.datasets.formats import compression
from imbfs.errors import UserError
from imbfs.matrices import sound

# How long a variable may take: for a file of 1 GB, 17 minutes. A disk reads it in some seconds.
SECONDS = 10
BYTES_A_SECOND = 1 << 20


class Cells(list):
    """The texts and numbers of a cell array, each as a text."""


class Hdf5:
    """The variables of a file, which is read until the process is ended by `close`."""

    def __init__(self, path: Path, file: BinaryIO, plain: bool):
        if find_spec("h5py") is None:
            raise UserError("is MATLAB v7.3, which needs h5py (pip install h5py).")
        content = b"" if plain else file.read()
        self._size = path.stat().st_size if plain else len(content)
        self._seconds = SECONDS + self._size // BYTES_A_SECOND
        script = Path(__file__).with_name("hdf5_reader.py")
        # -P: the modules beside the script are none of those that it imports.
        command = [sys.executable, "-P", "-W", "ignore", str(script)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere)
        task = {"path": str(path.absolute()) if plain else None, "size": len(content)}
        task |= {"seconds": self._seconds, "most": compression.limit(self._size)}
        try:
            self._write(json.dumps(task).encode() + b"\n" + content)
            known = self._answer()
        except BaseException:
            self.close()
            raise
        self.names = [name for name in known["names"] if not name.startswith("#")]
        self.is_anndata = known["anndata"]

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.stdout.close()
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        self._process.wait()

    def value(self, name: str):
        """A variable: an array, a sparse matrix or a list of texts."""
        self._write(json.dumps(name).encode() + b"\n")
        reply = self._answer()
        if reply["kind"] in ("texts", "cells"):
            return reply["texts"] if reply["kind"] == "texts" else Cells(reply["texts"])
        arrays = [self._array(np.dtype(kind), shape) for kind, shape in reply["arrays"]]
        if reply["kind"] in ("array", "transposed"):
            return arrays[0].T if reply["kind"] == "transposed" else arrays[0]
        data, indices, indptr = arrays
        indptr = indptr.astype(np.int64)
        return sound(csc_array((data, indices, indptr), shape=(reply["rows"], len(indptr) - 1)))

    def _write(self, text: bytes) -> None:
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._lost() from None

    def _answer(self) -> dict:
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._lost()
        reply = json.loads(line)
        if "needed" in reply:
            compression.check_room(reply["needed"], self._size)
        if "refused" in reply:
            raise UserError(reply["refused"])
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply

    def _array(self, kind: np.dtype, shape: list[int]) -> np.ndarray:
        values = bytearray(math.prod(shape) * kind.itemsize)
        left = memoryview(values)
        while len(left):
            if not (count := self._process.stdout.readinto(left)):
                raise self._lost()
            left = left[count:]
        return np.frombuffer(values, kind).reshape(shape)

    def _lost(self) -> UserError:
        """Why the process has ended."""
        code = self._process.wait()
        if code < 0 and -code == _ALARM:
            said = f"was not read within {self._seconds} s, and is damaged or too large."
        else:
            said = "cannot be read: the HDF5 library crashed. It is damaged or too large."
        return UserError(said)


try:
    from signal import SIGALRM as _ALARM
except ImportError:  # Windows has none
    _ALARM = 0
