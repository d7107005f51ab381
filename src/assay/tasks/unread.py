"""Unread: something that is left out of what was read, and why.

The rule: nothing is dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unread:
    """A task or a candidate that could not be read."""

    where: str
    why: str
