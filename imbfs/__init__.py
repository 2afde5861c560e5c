"""imbfs: feature selection on class-imbalanced data, compared as in the papers and on your own."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"
__all__ = ["Select", "UserError", "online", "score"]

if TYPE_CHECKING:
    from imbfs import online
    from imbfs.errors import UserError
    from imbfs.select import Select, score

_HOME = {"Select": "imbfs.select", "score": "imbfs.select", "UserError": "imbfs.errors"}


def __getattr__(name: str):
    """Import on first use: `imbfs --help` must not wait for scikit-learn."""
    if name == "online":
        return import_module("imbfs.online")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'imbfs' has no attribute {name!r}")
