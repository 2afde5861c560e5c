"""A table of methods, and the one place where a name becomes a method."""

import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from imbfs.errors import UserError, lookup
from imbfs.methods import modules
from imbfs.methods.method import BINARY, EVERY_KIND, Method
from imbfs.methods.outside import from_address, unread


@dataclass(frozen=True)
class Outside:
    """What a table takes from outside imbfs: `what` it is, its entry points, the usual kinds."""

    what: str
    group: str
    kinds: tuple[str, ...] = (BINARY,)


class Methods(dict[str, Method]):
    """Our methods by name. Those from outside are found by `package.module:name` or entry point.

    It holds, and iterates over, ours alone; the others are imported when they are asked for.
    """

    def __init__(self, outside: Outside, methods: dict[str, Method]):
        super().__init__(methods)
        self.outside = outside
        self._imported: dict[str, Method] = {}

    def __missing__(self, name: str) -> Method:
        return self._imported[name] if name in self._imported else self.find(name)

    def find(self, name: str, what: str | None = None) -> Method:
        """The method of this name, or why there is none."""
        brought = self.brought().get(name, []) if isinstance(name, str) else []
        if len(brought) + (name in self) > 1:
            raise UserError(f"{self.outside.what} {name!r}: {self._clash(name, brought)}")
        if not brought and not (isinstance(name, str) and ":" in name):
            return lookup(self, name, what or self.outside.what)
        if not modules.importing():
            return Method(unread, kinds=EVERY_KIND, outside=True)
        address = brought[0].value if brought else name
        try:
            found = from_address(address, self.outside.what, self.outside.kinds)
        except UserError as error:
            raise (
                error.within(f"{name} of {_package(brought[0])}") if brought else error
            ) from None
        self._imported[name] = found
        return found

    def is_outside(self, name: str) -> bool:
        """Whether a name is that of a method from outside; nothing is imported to tell."""
        return name not in self and (":" in name or name in self.brought())

    def ready(self, name: str, revision: int | str, home: str) -> None:
        """Have a method from outside here, with the source that tasks were planned with."""
        if name in self:
            return
        if name not in self._imported or self._imported[name].revision != revision:
            with modules.looking_in(Path(home)):
                self.find(name)
        if self._imported[name].revision != revision:
            raise UserError(f"{name}: its source is another than when the tasks were planned.")

    def listed(self) -> list[tuple[str, str]]:
        """Every name with one line about it: ours, then those that installed packages bring."""
        rows = [(name, method.summary) for name, method in self.items()]
        for name, points in self.brought().items():
            try:
                rows.append((name, f"{_package(points[0])}: {self.find(name).summary}"))
            except UserError as error:
                rows.append((name, f"cannot be used: {error}"))
        return rows

    def brought(self) -> dict[str, list[EntryPoint]]:
        """The entry points of installed packages by name."""
        return _brought(self.outside.group, tuple(sys.path))

    def _clash(self, name: str, brought: list[EntryPoint]) -> str:
        owners = ["imbfs"] if name in self else []
        owners += map(_package, brought)
        addresses = " or ".join(point.value for point in brought)
        return f"is the name of several, by {', '.join(owners)}. Write {addresses} instead."


@cache
def _brought(group: str, path: tuple[str, ...]) -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        same = found.setdefault(point.name, [])
        same += [] if point in same else [point]
    return found


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an installed package"
