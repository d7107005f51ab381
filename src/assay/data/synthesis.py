"""Synthesis: what became of one composed task.

The rule: a composition is written only where it was audited and found sound; one that was dropped
is recorded with the reason.
"""

from __future__ import annotations

from assay.data.audit import AuditStatus
from assay.data.record import SCHEMA_VERSION, Record


class SynthesisRecord(Record):
    """One composition, audited."""

    schema_version: int = SCHEMA_VERSION
    assay: str
    seed: int
    number: int  # among the compositions of the seed
    task: str
    content_id: str
    dtype: str
    operators: tuple[str, ...]  # the native tasks that ask for each alone
    chain: str  # what it computes, in one line
    status: AuditStatus | None  # null: a file of the folder computes the same already
    reason: str
    path: str | None  # where it was written; null: dropped
