"""Verdict: the three answers about one candidate, with everything they rest on.

Its fields are the keys of `--json`: other programs rely on them.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from assay.data.environment import Environment
from assay.data.evidence import Evidence
from assay.data.observations.explanation import Explanation
from assay.data.observations.measurement import ShapeTime, Timing
from assay.data.plan import Plan
from assay.data.record import SCHEMA_VERSION, Record
from assay.data.scoring.rubric import Rubric
from assay.data.settings import Level, Track
from assay.data.workload import Direction, Distribution, Layout


class Status(StrEnum):
    """Closed. Only `accepted` counts as success. Declared in order of precedence."""

    NOT_RUN = "not_run"
    INVALID_TASK = "invalid_task"
    BUILD_FAILED = "build_failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    DISHONEST = "dishonest"
    INCORRECT = "incorrect"
    SUSPICIOUS = "suspicious"
    ACCEPTED = "accepted"


class Correct(StrEnum):
    """Is it right?"""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Honest(StrEnum):
    """Is it honest?"""

    YES = "yes"
    NO = "no"
    SUSPICIOUS = "suspicious"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How one workload went."""

    OK = "ok"
    WRONG = "wrong"
    REFUSED = "refused"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    UNKNOWN = "unknown"
    NOT_RUN = "not_run"


class OwnWorkload(StrEnum):
    """Whether the task's own workload was asked as it is."""

    ASKED = "asked"
    SCALED = "scaled"  # at a smaller shape: memory, or an interpreter's speed, allowed no other


class WorkloadOutcome(Record):
    """One row of the verdict's table."""

    axes: dict[str, int]
    dtype: str
    layout: Layout
    distribution: Distribution
    direction: Direction
    outcome: Outcome
    error_budget_used: float | None


class Coverage(Record):
    """How much of what was asked the candidate answered, rightly or not."""

    asked: int  # workloads of the plan
    answered: int
    refused: int  # clearly; the rest ended the process, broke or did not fit the time
    share: float  # answered / asked
    words: str = ""  # which axes and sizes that is; empty only in records older than the field


class RelationOutcome(Record):
    """A relation that holds on the reference, and whether it holds on the candidate."""

    name: str
    holds: bool
    error_budget_used: float | None


class Limits(Record):
    """The physical floor of one workload on one device."""

    bytes: int
    flops: int
    sol_us: float
    sol_fraction: float | None  # None where nothing was timed, or memory binds and caches were warm
    bound: str
    board: str = ""
    time_us: float | None = None  # the median that these are shares of
    violation: bool | None = None  # that median lies below the floor
    iou: float | None = None  # achieved bandwidth over the board's
    mfu: float | None = None  # the products' least time over the time
    sol_score: float | None = None  # 1 at the floor, 0.5 at the first baseline
    bytes_per_s: float | None = None
    flops_per_s: float | None = None


class OwnShare(Record):
    """The share of the computing time spent in the candidate's own code, with 95 % interval."""

    share: float
    low: float
    high: float
    samples: int


class Verdict(Record):
    """One candidate of one task, judged."""

    schema_version: int = SCHEMA_VERSION
    task: str
    candidate: str
    candidate_id: str
    device: str
    level: Level
    track: Track
    status: Status
    correct: Correct
    honest: Honest
    reason: str
    evidence: tuple[Evidence, ...]
    workloads: tuple[WorkloadOutcome, ...]
    coverage: Coverage | None = None
    own_workload: OwnWorkload = OwnWorkload.ASKED
    task_remarks: tuple[str, ...] = ()  # what a reader must know of the task: "zeros pass it"
    left_out: tuple[str, ...] = ()  # what the level does not ask, in words
    relations: tuple[RelationOutcome, ...] = ()
    timing: tuple[Timing, ...] | None
    timing_reason: str
    shape_times: tuple[ShapeTime, ...] | None = None  # one a category; None: not asked for
    speedup_cv: float | None = None  # standard deviation / mean of the speedups of these
    speedup_cv_n: int = 0  # speedups that it is made of
    explanation: Explanation | None = None
    limits: Limits | None
    limits_reason: str = ""  # why there are none
    rubric: Rubric | None
    own_share: OwnShare | None
    environment: Environment
    plan: Plan | None
    stages: dict[str, float] = Field(default_factory=dict)  # seconds by stage
    elapsed_s: float
