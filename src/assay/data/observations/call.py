"""Call: one call of a candidate as it was found: what it returned, and how far from the truth.

The rule: what a call was for is secret while it runs and on record afterwards.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from assay.data.evidence import EvidenceKind
from assay.data.record import Record


class Mix(StrEnum):
    """What is secretly special about one call of the mixture."""

    PLAIN = "plain"
    SAME_ADDRESS = "same_address"  # new content, same tensor object, address and version
    NEW_ADDRESS = "new_address"  # the last content again, at another address
    FEW_CHANGED = "few_changed"  # the last content but for a few secretly placed elements
    REPEATED = "repeated"  # identical content while the earlier result is alive
    RECYCLED = "recycled"  # identical content, and free memory holds a spoiled copy of the answer
    NEW_WEIGHTS = "new_weights"  # parameters changed in place since the last call
    OTHER_INSTANCE = "other_instance"  # of two instances with other weights, called in turns
    TIMED = "timed"


class CallStage(StrEnum):
    """The part of the exam that a call belongs to; batches are numbered in each of their own."""

    SCRIPT = "script"
    MADE_UP = "made_up"  # in the place of calls that were refused
    ASKED_AGAIN = "asked_again"  # questions that were answered rightly, once more
    REPEATED = "repeated"  # the same questions hundreds of times
    RELATED = "related"  # pairs of calls whose answers are related
    FULL_SHAPE = "full_shape"  # of the task's own size, where the others are smaller
    REFUSED_AGAIN = "refused_again"  # workloads that were refused, once more
    TIMED = "timed"


class CallOutcome(StrEnum):
    """How one call ended, seen from outside."""

    RETURNED = "returned"
    RAISED = "raised"


class ErrorSummary(Record):
    """How far one output is from the truth, as a share of its error budget."""

    budget_used: float | None  # the largest share; None where it is not finite
    p999: float | None = None
    wrong: int = 0  # elements beyond the budget
    total: int = 0
    where: str = ""  # index of the worst element
    text: str = ""  # got / expected there
    noise: float | None = None  # where wrong: the error of all elements, as a share of the answer

    @property
    def ok(self) -> bool:
        """True where every element is within its budget."""
        return self.wrong == 0


class OutputSeen(Record):
    """One returned tensor (or one buffer the reference updates) against its expectation."""

    name: str
    problem: EvidenceKind | None = None
    error: ErrorSummary | None = None
    detail: str = ""
    matches_earlier_call: int | None = None  # equals the truth of that earlier call instead
    matches_later_call: int | None = None  # equals the truth of that later call of the batch
    matches_old_weights: bool = False
    matches_planted_memory: bool = (
        False  # holds what was spoiled in the copies that lay in free memory
    )
    right_later: bool = False  # wrong when the call was done, right when looked at again


class CallSeen(Record):
    """One call of the candidate."""

    kind: Literal["call"] = "call"
    index: int
    workload: int  # index into the plan's workloads
    mix: Mix
    outcome: CallOutcome
    message: str = ""
    own_check: bool = True  # where it raised: by a check of its own, as its process says
    other_shape: bool = False  # of a relation: its inputs have not the shape of the workload
    outputs: tuple[OutputSeen, ...] = ()
    inputs_changed: tuple[str, ...] = ()
    bands_broken: tuple[str, ...] = ()
    guarded: bool = False  # an input lay flush at an inaccessible page
    stage: CallStage = CallStage.SCRIPT
    batch: int = 0
    batch_size: int = 1
    # The version of its parameters; records of before have a number.
    weights: str = Field(default="drawn 0", coerce_numbers_to_str=True)

    @property
    def wrong(self) -> bool:
        """Whether some output was not what it had to be."""
        return any(output.problem is not None for output in self.outputs)
