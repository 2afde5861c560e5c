"""The YAML that configs are written in: safe, and without the traps of version 1.1.

There `1:20` is the number 80 (base 60), `1e-3` a string and `no` false; here the first and the last
are text and the second is a number. A key given twice is an error.
"""

import re

import yaml

from imbfs.errors import UserError


def read(text: str):
    """The content of a YAML text; only plain data, nothing is ever executed."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise UserError(f"is not YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise UserError("is nested too deeply to be a config.") from None


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            name = getattr(key, "value", None)
            if isinstance(name, str) and name in seen:
                raise UserError(f"line {key.start_mark.line + 1}: {name!r} is given twice.")
            seen.add(name if isinstance(name, str) else None)
        return super().construct_mapping(node, deep)


_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")
_DATE = "tag:yaml.org,2002:timestamp"  # a class may be called by a year or a day: text
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (*_NUMBERS, _DATE)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _NUMBERS[0], re.compile(r"^[-+]?(0|[1-9][0-9]*)$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    _NUMBERS[1],
    re.compile(r"^[-+]?(\.inf|\.nan|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver(_NUMBERS[2], re.compile(r"^(true|false)$", re.I), list("tTfF"))
