"""Check declaration: what a check looks for, when and where it runs, and what it costs."""

from __future__ import annotations

from enum import StrEnum

from pydantic import field_validator

from assay.data.evidence import OF_THE_RUN, EvidenceKind
from assay.data.record import Record
from assay.data.settings import Level, Track


class Cost(StrEnum):
    """What a check takes beside the plain calls."""

    NOTHING = "nothing"  # it looks at what is there
    CALLS = "calls"  # more calls in the candidate's process
    PROCESS = "process"  # another process of the candidate


class CheckStage(StrEnum):
    """When a check runs."""

    BUILT = "after the build"
    AMONG_CALLS = "among the calls"  # after each batch, or as batches of the secret script
    CALLED = "after the calls"
    TIMED = "after the timing"
    ENDED = "after the run"  # the candidate's process has ended


class Execution(StrEnum):
    """How the candidate's kernels run."""

    CPU = "cpu"  # as compiled code
    INTERPRETER = "interpreter"  # of their language, on a CPU
    DEVICE = "device"  # of their own, such as a GPU


class CheckDeclaration(Record):
    """One check, as it declares itself."""

    name: str
    text: str  # what it asks, in one line
    kinds: tuple[EvidenceKind, ...]  # of evidence that it can lead to
    cost: Cost
    most: str  # the cost in words: how many calls, how long
    stages: tuple[CheckStage, ...]
    levels: tuple[Level, ...] = tuple(Level)
    tracks: tuple[Track, ...] = tuple(Track)
    executions: tuple[Execution, ...] = tuple(Execution)
    of_wrong: bool = False  # also of a candidate that has given a wrong answer already
    origin: str = "assay"  # the distribution that brings it
    missing: str = ""  # why it cannot run; then every verdict is `not_run`

    @field_validator("kinds")
    @classmethod
    def _are_findings(cls, kinds: tuple[EvidenceKind, ...]) -> tuple[EvidenceKind, ...]:
        if reserved := [kind.value for kind in kinds if kind in OF_THE_RUN]:
            raise ValueError(f"kinds that no check can find: {', '.join(reserved)}")
        return kinds
