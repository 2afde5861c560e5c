"""JSON that imbfs wrote and reads back: from plain files of a bounded size, checked by a model.

Results and caches may come from others. What is of another type than we write is refused here, so
that the code behind need not ask.
"""

import json
import stat
from datetime import datetime
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le
from pydantic import AfterValidator, AllowInfNan, BaseModel, ConfigDict, ValidationError

MOST = 1 << 28  # bytes of a file that is read

Number = Annotated[float, AllowInfNan(False)]
Natural = Annotated[int, Ge(0), Le(2**62)]
Seconds = Annotated[float, AllowInfNan(False), Ge(0)]


def _moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("has no time zone")
    return text


Moment = Annotated[str, AfterValidator(_moment)]  # as in 2026-11-18T20:08:50+00:00


class Written(BaseModel):
    """What we wrote; later versions may have written more keys."""

    model_config = ConfigDict(strict=True, extra="allow", hide_input_in_errors=True)


def text_of(path: Path) -> str:
    """The text of a plain file; a pipe, a device or a file that is too large is damage."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("is no plain file")
    with path.open("rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise ValueError(f"has more than {MOST:,} bytes")
    return content.decode()


def loads(text: str):
    """The content of a text; halves of letters, which cannot be written again, are refused."""
    content = json.loads(text)
    if r"\ud" in text.lower():
        json.dumps(content, ensure_ascii=False).encode()
    return content


def check(content, model: type[Written]) -> None:
    """Refuse content of other types by a ValueError, which says where the first of it is."""
    try:
        model.model_validate(content)
    except ValidationError as error:
        raise ValueError(".".join(map(str, error.errors()[0]["loc"]))) from None
