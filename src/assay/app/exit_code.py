"""The exit code of many verdicts: the gravest one decides."""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.verdict import Status


def exit_code(statuses: Iterable[Status]) -> int:
    """0 every candidate accepted, 3 where we failed ourselves (`not_run`), else 1."""
    seen = set(statuses)
    if Status.NOT_RUN in seen:
        return 3
    return 0 if seen == {Status.ACCEPTED} else 1
