"""Audit: what a task lets through that computes nothing.

The rule: a task is sound only where no null answer passes it, and a null answer counts as refused
only by a workload that is named.
"""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import SCHEMA_VERSION, Record
from assay.data.settings import Level
from assay.data.workload import Workload


class NullKind(StrEnum):
    """What a kernel that does not do the work could return. The simplest first."""

    ZEROS = "zeros"
    ONES = "ones"
    MEAN = "mean"  # one constant: the mean of an earlier answer
    COPY = "copy_of_an_input"
    AT_ZERO = "f(0)"  # the answer where every float input is zero
    PREVIOUS = "previous_answer"
    INPUT_INDEPENDENT = "input_independent"  # the mean answer to other inputs, same weights
    FIRST_TILE = "first_tile_only"
    HALF = "half_the_reduction"  # the second half along one dimension is not read


class AuditStatus(StrEnum):
    """What became of a task. The worst last."""

    SOUND = "sound"  # no null answer passes
    MENDED = "mended"  # some pass its own check; Assay's workloads refuse them all
    DEGENERATE = "degenerate"  # some pass every workload tried
    UNUSABLE = "unusable"  # the reference cannot be judged against
    NOT_RUN = "not_run"  # Assay itself failed


class NullFinding(Record):
    """One null answer that the task accepts on its own generator."""

    null: NullKind
    text: str  # in words, with the input and the dimension where there are any
    flat_tolerance: float | None  # the tightest flat one that accepts it; null: none does
    passes_contract: bool  # whether Assay's error budget accepts it on the task's own generator
    mended_by: Workload | None  # a workload on which it is refused; null: none found


class AuditRecord(Record):
    """One task, audited."""

    schema_version: int = SCHEMA_VERSION
    assay: str
    task: str
    content_id: str
    origin: str
    level: Level
    status: AuditStatus
    reason: str
    findings: tuple[NullFinding, ...]
    flat_axes: dict[str, int] | None  # where the flat check was made; null: none was
    contract_axes: dict[str, int] | None  # where the contract was first asked
    untried: int  # null answers left out for want of time
    elapsed_s: float
