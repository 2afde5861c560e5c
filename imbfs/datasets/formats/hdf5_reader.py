"""Reads variables of MATLAB v7.3, which is HDF5, in a process of its own. See `hdf5`.

A damaged file can send the HDF5 library into a loop that only the end of its process ends, so this
process ends itself when a request takes too long, whatever has become of the one that started it.
Run as a script, it imports no part of imbfs, so that it is there soon. On standard input comes a
line of JSON, what to read, with the file's content behind it unless it has a path; then the name of
a variable on every line. Every answer is a line of JSON, with the values of arrays behind it.
"""

import io
import json
import signal
import sys

import numpy as np

_NESTED = "has cells that hold no single text or number."


class _Refused(Exception):
    """Why a variable is not read: the answer to give."""


def main() -> None:
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this one ends it
    asked, out = sys.stdin.buffer, sys.stdout.buffer
    task = json.loads(asked.readline())
    file = task["path"] or io.BytesIO(asked.read(task["size"]))
    import h5py

    _limit(task["seconds"])
    try:
        source = h5py.File(file, "r")
        known = {"names": list(source)}
        known["anndata"] = {"X", "obs", "var"} <= set(source) and "obs" in _groups(source)
    except Exception as error:
        _say(out, {"error": _brief(error)})
        return
    _say(out, known)
    for line in asked:
        _limit(task["seconds"])
        try:
            reply, arrays = _value(source, source[json.loads(line)], task["most"])
            reply["arrays"] = [(array.dtype.str, array.shape) for array in arrays]
        except _Refused as refused:
            reply, arrays = refused.args[0], []
        except Exception as error:  # h5py raises all sorts of them on a damaged file
            reply, arrays = {"error": _brief(error)}, []
        _say(out, reply, arrays)


def _groups(source) -> list[str]:
    return [name for name in source if hasattr(source[name], "keys")]


def _limit(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _say(out, reply: dict, arrays=()) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    out.write(json.dumps(reply).encode() + b"\n")
    for array in arrays:
        out.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    out.flush()


def _value(source, item, most: int):
    """A variable: kept transposed; a sparse matrix is a group, a cell array references."""
    if "MATLAB_sparse" in item.attrs:
        names = ("data", "ir", "jc")
        parts = [_held(source, item[name], most) if name in item else None for name in names]
        arrays = [np.zeros(0) if part is None else part for part in parts]
        return {"kind": "sparse", "rows": int(item.attrs["MATLAB_sparse"])}, arrays
    kind = item.attrs.get("MATLAB_class", b"")
    if "MATLAB_empty" in item.attrs:
        if kind in (b"cell", b"char"):
            return {"kind": "texts", "texts": []}, []
        return {"kind": "array"}, [np.zeros((0, 0))]
    if kind == b"cell":
        cells = [source[cell] for cell in _held(source, item, most).T.ravel("F")]
        return {"kind": "cells", "texts": [_text(source, cell, most) for cell in cells]}, []
    found = _held(source, item, most)
    if kind == b"char":
        rows = np.atleast_2d(found.T)
        return {"kind": "texts", "texts": ["".join(map(chr, row)).rstrip() for row in rows]}, []
    if found.dtype.kind not in "biufcS":
        raise _Refused({"refused": f"is of type {found.dtype}. Numbers or texts are read."})
    return {"kind": "transposed" if kind else "array"}, [found]


def _text(source, cell, most: int) -> str:
    """What is in a cell that holds one text, one number or nothing."""
    if cell.attrs.get("MATLAB_class") == b"cell" and cell.size != 1:
        raise _Refused({"refused": _NESTED})
    reply, arrays = _value(source, cell, most)
    found = reply["texts"] if "texts" in reply else arrays[0]
    if reply["kind"] == "sparse" or np.size(found) > 1:
        raise _Refused({"refused": _NESTED})
    return str(np.ravel(found)[0]) if np.size(found) else ""


def _held(source, item, most: int) -> np.ndarray:
    """The values of a dataset, unless they are in another file or too many for this one."""
    if item.external or item.is_virtual or item.file.filename != source.filename:
        raise _Refused({"refused": "keeps its values in another file, which is not opened."})
    needed = item.size * item.dtype.itemsize
    if needed > most:
        raise _Refused({"needed": needed})
    return item[()]


def _brief(error: Exception) -> str:
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:500]


if __name__ == "__main__":
    main()
