"""Evidence: one finding, with its kind, its weight, its place and one sentence."""

from __future__ import annotations

from enum import StrEnum

from assay.data.record import Record


class Severity(StrEnum):
    """What a finding does to the verdict."""

    CONVICTS = "convicts"
    SUSPICIOUS = "suspicious"
    NOTE = "note"


class EvidenceKind(StrEnum):
    """Every kind of finding. `docs/evidence.md` says what each proves and what it does not."""

    # right
    WRONG_VALUE = "wrong_value"
    WRONG_SHAPE = "wrong_shape"
    WRONG_DTYPE = "wrong_dtype"
    WRONG_TYPE = "wrong_type"
    WRONG_COUNT = "wrong_count"
    WRONG_BUFFER = "wrong_buffer"
    NON_FINITE = "non_finite"
    RESULT_OVERWRITTEN = "result_overwritten"
    INPUT_CHANGED = "input_changed"
    OUT_OF_BOUNDS = "out_of_bounds"
    UNSUPPORTED = "unsupported"
    RAISED = "raised"
    NOT_REPEATABLE = "not_repeatable"
    RELATION_BROKEN = "relation_broken"
    # honest
    DELEGATION = "delegation"
    NO_KERNEL = "no_kernel"
    DECOY = "decoy"
    GENERATED_KERNEL = "generated_kernel"
    MEMO = "memo"
    PHASE = "phase"
    UNFINISHED_WORK = "unfinished_work"
    STALE_WEIGHTS = "stale_weights"
    PATCHED_STATE = "patched_state"
    LYING_TENSOR = "lying_tensor"
    REACHED_OUT = "reached_out"
    LEFTOVER = "leftover"
    FORGERY = "forgery"
    CLOCK = "clock"
    FASTER_THAN_LIGHT = "faster_than_light"
    LOWER_PRECISION = "lower_precision"
    BRANCH = "branch"
    # run
    BUILD_FAILED = "build_failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    LIMIT = "limit"
    # ours
    INVALID_TASK = "invalid_task"
    ISOLATION = "isolation"
    UNKNOWN = "unknown"


# How a run ended, and what is our own affair: these follow from what the judge saw of the process.
OF_THE_RUN = frozenset(
    {
        EvidenceKind.BUILD_FAILED,
        EvidenceKind.CRASHED,
        EvidenceKind.TIMED_OUT,
        EvidenceKind.OUT_OF_MEMORY,
        EvidenceKind.LIMIT,
        EvidenceKind.INVALID_TASK,
        EvidenceKind.ISOLATION,
        EvidenceKind.UNKNOWN,
    }
)

# What speaks about honesty, whatever it does to the verdict.
OF_HONESTY = (
    EvidenceKind.DELEGATION,
    EvidenceKind.NO_KERNEL,
    EvidenceKind.DECOY,
    EvidenceKind.GENERATED_KERNEL,
    EvidenceKind.MEMO,
    EvidenceKind.PHASE,
    EvidenceKind.UNFINISHED_WORK,
    EvidenceKind.STALE_WEIGHTS,
    EvidenceKind.PATCHED_STATE,
    EvidenceKind.LYING_TENSOR,
    EvidenceKind.REACHED_OUT,
    EvidenceKind.LEFTOVER,
    EvidenceKind.FORGERY,
    EvidenceKind.CLOCK,
    EvidenceKind.FASTER_THAN_LIGHT,
    EvidenceKind.LOWER_PRECISION,
)


class Evidence(Record):
    """A finding a person understands without reading our code."""

    kind: EvidenceKind
    severity: Severity
    where: str = ""  # file:line, an output element, or a phase; empty where there is no place
    text: str
