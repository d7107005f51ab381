"""Pairs: a candidate and the one that it was made into, for training on corrections and gains.

The rule: a pair states who judged it, where, and how sure a gain is. A gain within its interval is
no optimisation, and what others claim is marked as their claim.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from assay.data.candidate import ClaimedResult, SourceFile
from assay.data.record import SCHEMA_VERSION, Record


class StepOutcome(StrEnum):
    """What a step from one candidate to the next was. Closed; the first two make a pair."""

    ERROR_CORRECTION = "error_correction"  # a candidate that failed, then an accepted one
    OPTIMISATION = "optimisation"  # both accepted, and faster beyond the interval
    WITHIN_NOISE = "gain_within_noise"  # both accepted, and the interval holds "no gain"
    SLOWER = "slower"  # both accepted, and slower beyond the interval
    NOT_COMPARABLE = "not_comparable"  # both accepted, and not timed under the same conditions
    STILL_FAILING = "still_failing"
    BROKEN = "broken"  # an accepted candidate, then one that fails
    SAME_SOURCE = "same_source"  # nothing was changed
    REPEATED = "repeated"  # the same two sources of the same task were there before
    UNDECIDED = "undecided"  # suspicious, not judged, or our own failure on one side
    CLAIMED = "claimed"  # only others say how it went, and their claims were not asked for


class Split(StrEnum):
    """Which set the task of a pair belongs to."""

    TRAIN = "train"
    HELD_OUT = "held_out"


class ErrorSignature(Record):
    """An error with everything taken out that differs from run to run."""

    id: str  # hash of stage and words: the same error has the same one
    stage: str  # a status and the kind of evidence, or what a source calls it
    words: str  # normalised
    text: str  # as it was said


class Gain(Record):
    """How many times as fast the second is, with an interval."""

    ratio: float
    low: float
    high: float
    rate: float | None  # share of such intervals that hold the true ratio; None: not known
    method: str  # where the interval comes from, in words


class PairSide(Record):
    """One of the two candidates, as it was judged."""

    candidate_id: str
    name: str
    run: str
    number: int  # of the entry in its run
    language: str
    sources: tuple[SourceFile, ...]
    round: int | None
    status: str  # of the verdict; empty where there is none
    claimed: ClaimedResult | None = None  # what others say, where there is no verdict
    coverage: float | None = None
    latency_us: float | None = None
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None
    conditions: str = ""  # under which it was timed; times under others are not compared
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float | None = None
    error: ErrorSignature | None = None


class TrainingPair(Record):
    """Two candidates of one task, the second made from the first."""

    schema_version: int = SCHEMA_VERSION
    id: str  # hash of task and both candidates
    kind: StepOutcome
    claimed: bool  # the result is somebody else's claim, not a verdict
    split: Split
    task: str
    task_group: str  # near-identical tasks have the same: they are never split
    task_source: str
    task_entry: str
    generator: str
    model: str
    device: str  # empty where a claim does not say
    evaluator: str  # who judged, with version
    level: str
    track: str
    gain: Gain | None
    tokens: int | None  # that the second candidate cost
    before: PairSide
    after: PairSide


class PairSummary(Record):
    """How many pairs there are, and of what."""

    schema_version: int = SCHEMA_VERSION
    runs: tuple[str, ...]
    entries: int  # of tasks that count
    claimed_entries: int  # of those, with a claim and no verdict
    steps: int  # candidates with a predecessor
    outcomes: dict[str, int]  # of those steps: they add up to it
    pairs: int
    train: int
    held_out: int
    tasks: int  # with at least one pair
    task_groups: int  # of near-identical tasks, with at least one pair
    held_out_tasks: int  # of `tasks`
    left_out: dict[str, int] = Field(default_factory=dict)  # tasks by why they do not count
    interval_rate: float  # of the gains of verdicts
    false_gains: float  # of equal kernels compared, the share that would be called faster
    claimed_noise: float | None  # smallest claimed gain that counts, less one; None: no claims
    shape: str
    files: dict[str, int]  # rows by file
