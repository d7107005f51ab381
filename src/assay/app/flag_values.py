"""What was given for the flags of a command, looked at before the command is.

The rule: a value that no record could hold, or that would name a file by accident, is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import UsageError

_STDOUT = Path("-")


def check_values(values: Mapping[str, Any], to_stdout: tuple[str, ...] = ()) -> None:
    """A UsageError where one is no text, or is `-` and none of those that mean stdout by it."""
    for name, value in values.items():
        for text in _texts(value):
            _check_text(text)
        asked_stdout = value == _STDOUT or (name == "out" and value == str(_STDOUT))
        if asked_stdout and name not in to_stdout:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} -: name a file; this command does not write it to stdout")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{text!r} is not UTF-8: rename the file, or set LC_ALL=C.UTF-8 where its name is UTF-8"
        ) from error
