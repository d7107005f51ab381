"""Sizes a user gives for a task's axes: `--at NAME=SIZE`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.errors import UsageError


def axes_at(given: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    """The axes that are named; a UsageError lists the known ones."""
    found = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in known or not value.isdigit():
            raise UsageError(f"--at {text}: give NAME=SIZE with one of {', '.join(known)}")
        found[name] = int(value)
    return found
