"""Foreign lines: JSON that somebody else wrote, read one record at a time.

The rule: what cannot be read is the user's to mend: one line with the place, never a traceback.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.errors import UsageError, reason_of

_MOST_LINE = 64 * 2**20  # characters; a longer line is no record


class ForeignRecord(BaseModel):
    """A record of another system: what we do not read of it is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Kind = TypeVar("Kind", bound=ForeignRecord)


def opened_text(path: Path) -> IO[str]:
    """The file as text, unpacked where it is gzip."""
    try:
        if path.suffix == ".gz":
            return gzip.open(path, "rt", encoding="utf-8", errors="replace")
        return path.open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def json_lines(path: Path, kind: type[Kind]) -> Iterator[Kind]:
    """Every line that is not empty, as a record of that kind."""
    with opened_text(path) as file:
        number = 0
        while line := _line(file, path):
            number += 1
            if line.strip():
                yield parsed(line, kind, f"{path}:{number}")


def parsed(text: str | dict[str, Any], kind: type[Kind], place: str) -> Kind:
    """One record; a UsageError names the place and the first thing that is wrong."""
    try:
        return kind.model_validate(_whole_text(json.loads(text) if isinstance(text, str) else text))
    except (ValueError, RecursionError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        field = ".".join(map(str, first["loc"])) if first else ""
        why = f"{field or 'the record'}: {first['msg']}" if first else f"no JSON: {error}"
        raise UsageError(f"{place}: {why}") from error


def finite(value: object) -> float | None:
    """A number that a record may hold; None for anything else, true and false among them."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _whole_text(found: Any) -> Any:
    """The same without halves of surrogate pairs, which JSON can hold and no text file can."""
    said = json.dumps(found, ensure_ascii=False)
    try:
        said.encode()
    except UnicodeEncodeError:
        return json.loads(said.encode("utf-8", "replace"))
    return found


def _line(file: IO[str], path: Path) -> str:
    try:
        found = file.readline(_MOST_LINE)
    except (OSError, EOFError) as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error
    if len(found) == _MOST_LINE:
        raise UsageError(f"{path} holds a line of {_MOST_LINE} characters or more: no such format")
    return found
