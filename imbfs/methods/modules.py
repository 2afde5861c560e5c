"""Modules from outside imbfs: where they are looked for, how they are imported and versioned.

Naming a method imports its module. That is the one way in which a config executes code; results
that are only shown execute nothing.
"""

import hashlib
import importlib
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import PathFinder
from pathlib import Path
from threading import RLock
from types import ModuleType

from imbfs.errors import UserError, did_you_mean

_folder: ContextVar[Path | None] = ContextVar("folder", default=Path())
_added: list[str] = []  # folders of the user's that are in sys.path by our doing
_lock = RLock()  # a worker of dask has several threads
_read: dict[str, bytes] = {}  # modules that we imported, and the source they had


@contextmanager
def looking_in(folder: Path | None) -> Iterator[None]:
    """Look for modules in this folder too; with None, import nothing and take names on trust."""
    before = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(before)


def importing() -> bool:
    """Whether modules are imported at all."""
    return _folder.get() is not None


def imported(name: str, address: str) -> ModuleType:
    """The module, imported again if its file was edited since, or is another one now."""
    try:
        with _lock:
            _look()
            _forget_what_changed(name)
            fresh = name not in sys.modules
            module = importlib.import_module(name)
            if fresh:
                _read[name] = _source(module)
            return module
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise UserError(f"{address}: importing {name} failed: {line(error)}.") from None
        files = [path.stem for folder in _folders() for path in Path(folder).glob("*.py")]
        raise UserError(
            f"{address}: there is no module {error.name!r} in {' or '.join(_folders())}, or "
            f"installed.{did_you_mean(error.name, files)}"
        ) from None
    except (Exception, SystemExit) as error:  # whatever a module does when it is imported
        raise UserError(f"{address}: importing {name} failed: {line(error)}.") from None


def home(module: ModuleType) -> str:
    """The folder of the user's that it was imported from; none if it is installed."""
    path = getattr(module, "__file__", None)
    if path is None:
        return ""
    above = module.__name__.count(".") + (Path(path).stem == "__init__")
    root = str(Path(path).absolute().parents[above])
    return root if root in _folders() else ""


def revision(module: ModuleType, call: Callable) -> str:
    """A hash of the source of the module, of the one that defines `call`, and of the version.

    Where there is no file, the version alone: of the package, or of Python.
    """
    defining = sys.modules.get(getattr(call, "__module__", ""), module)
    top = sys.modules.get(module.__name__.partition(".")[0], module)
    version = getattr(top, "__version__", "")
    sources = list(dict.fromkeys(map(_source, (module, defining))))
    if not any(sources) and not version:
        version = platform.python_version()
    digest = hashlib.sha256(str(version).encode())
    for source in sources:
        digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest()[:16]


def line(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _folders() -> list[str]:
    """Beside the config, and where the command was started."""
    places = (_folder.get() or Path(), Path())
    return list(dict.fromkeys(str(place.absolute()) for place in places))


def _look() -> None:
    """Have the user's folders in sys.path, behind all others: nothing installed is hidden."""
    sys.path[:] = [path for path in sys.path if path not in _added]
    _added[:] = [folder for folder in _folders() if folder not in sys.path]
    sys.path += _added
    importlib.invalidate_caches()


def _forget_what_changed(name: str) -> None:
    if name not in _read or name not in sys.modules:
        return
    top = name.partition(".")[0]
    spec = PathFinder.find_spec(top)
    moved = spec is not None and spec.origin != getattr(sys.modules.get(top), "__file__", None)
    if moved or _source(sys.modules[name]) != _read[name]:
        for table in (sys.modules, _read):
            for known in [key for key in table if key == top or key.startswith(f"{top}.")]:
                del table[known]


def _source(module: ModuleType) -> bytes:
    path = getattr(module, "__file__", None)
    return Path(path).read_bytes() if path and Path(path).is_file() else b""
