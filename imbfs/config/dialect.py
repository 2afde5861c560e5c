"""The YAML that configs are written in: safe, and without the traps of version 1.1.

There `1:20` is the number 80 (base 60), `1e-3` a string and `no` false; here the first and the last
are text and the second is a number. A key given twice is an error.
"""

import re

import yaml

from imbfs.errors import UserError


def read(text: str):
    """The content of a YAML text; only plain data, nothing is ever executed."""
    if len(text) > LONGEST:
        raise UserError(f"has {len(text):,} characters. No more than {LONGEST:,} are read.")
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise UserError(f"is not YAML: {' '.join(str(error).split())}.") from None
    except UserError:
        raise
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        # From a value that is not what its tag says, such as !!int x.
        raise UserError(f"is not YAML: a value cannot be read ({error}).") from None
    except RecursionError:
        raise UserError("is nested too deeply to be a config.") from None


class _Loader(yaml.SafeLoader):
    def get_single_node(self):
        node = super().get_single_node()
        if node is not None:
            _size(node, {})
        return node

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            name = getattr(key, "value", None)
            if isinstance(name, str) and name in seen:
                raise UserError(f"line {key.start_mark.line + 1}: {name!r} is given twice.")
            seen.add(name if isinstance(name, str) else None)
        return super().construct_mapping(node, deep)


def _size(node, known: dict[int, int | None]) -> int:
    """How many values a node stands for, aliases written out; too many, or no end, is refused."""
    if id(node) in known:
        if known[id(node)] is None:
            raise UserError(f"line {node.start_mark.line + 1}: holds itself, by an alias.")
        return known[id(node)]
    known[id(node)] = None
    inside = node.value if isinstance(node.value, list) else []
    parts = (part for item in inside for part in (item if isinstance(item, tuple) else (item,)))
    known[id(node)] = total = 1 + sum(_size(part, known) for part in parts)
    if total > _MOST:
        raise UserError(f"line {node.start_mark.line + 1}: stands for more than {_MOST:,} values.")
    return total


LONGEST = 200_000  # characters of a file
_MOST = 100_000  # values of a file, those that aliases stand for as often as they are named
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")
_DATE = "tag:yaml.org,2002:timestamp"  # a class may be called by a year or a day: text
_PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")
# Tags that ask for a date, bytes, a set or pairs stand for nothing that a config can hold.
_Loader.yaml_constructors = {
    tag: make
    for tag, make in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.rpartition(":")[2] in _PLAIN
}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (*_NUMBERS, _DATE)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _NUMBERS[0], re.compile(r"^[-+]?(0|[1-9][0-9]*)$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    _NUMBERS[1],
    re.compile(r"^[-+]?(\.inf|\.nan|([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][-+]?[0-9]++)?)$"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver(_NUMBERS[2], re.compile(r"^(true|false)$", re.I), list("tTfF"))
