"""Quirks: parameters that some models refuse or call otherwise, from `quirks.toml`.

The rule: a quirk changes what is sent, never the key of a request: the same question stays the
same question.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

_TABLE = Path(__file__).with_name("quirks.toml")


def sent_params(
    api: str, model: str, params: Mapping[str, Any], dropped: Sequence[str] = ()
) -> dict[str, Any]:
    """What the model is sent: without what it refuses, under the names that it knows."""
    left_out, names = set(dropped), dict[str, str]()
    for row in _rows():
        if row.get("api", api) == api and _meant(row, model):
            left_out |= set(row.get("drop", ()))
            names |= row.get("rename", {})
    return {names.get(name, name): value for name, value in params.items() if name not in left_out}


def _meant(row: Mapping[str, Any], model: str) -> bool:
    name = model.rpartition("/")[2].lower()
    return any(fnmatchcase(name, pattern) for pattern in row["models"])


@cache
def _rows() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(_TABLE.read_text(encoding="utf-8"))["quirk"])
