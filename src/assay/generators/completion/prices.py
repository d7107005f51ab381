"""Prices: what tokens cost, from `prices.toml` beside this file, or as the user says.

The rule: a price that is not known is None, never zero, and so is what a call cost.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from assay.generators.completion.chat import Usage

_TABLE = Path(__file__).with_name("prices.toml")


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens. Without a price of its own a cached token is a read one."""

    read: float
    written: float
    cached: float | None = None

    def dollars(self, usage: Usage) -> float | None:
        """(in - cached) * read + cached * price of cached + out * written, over a million."""
        if usage.tokens_in is None or usage.tokens_out is None:
            return None
        cached = min(usage.tokens_cached or 0, usage.tokens_in)
        of_cached = self.read if self.cached is None else self.cached
        read = (usage.tokens_in - cached) * self.read + cached * of_cached
        return (read + usage.tokens_out * self.written) / 1e6


def price_of(model: str) -> Price | None:
    """The price of the first row whose pattern is the model's name; None where there is none."""
    name = model.rpartition("/")[2].lower()
    for row in _table()["price"]:
        if any(fnmatchcase(name, pattern) for pattern in row["models"]):
            return Price(row["read"], row["written"], row.get("cached"))
    return None


def prices_date() -> str:
    """When the table was written."""
    return str(_table()["date"])


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))
