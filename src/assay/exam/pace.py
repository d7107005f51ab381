"""Pace: how long a candidate's calls may take, and which of them it is too slow for.

The rule: only the candidate's own time counts, as seen from outside. What every candidate is due is
asked however slow it is; the hard limit ends what takes too long.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from assay.data.observations.observation import EndCause, EndSeen
from assay.exam.exam import Exam
from assay.exam.script import BatchKind, Need, ScriptedBatch, ScriptedCall
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import SandboxedProcess

_STRETCHED_S = 3.0  # of one batch; the reference took at most a second
COMPILED_S = 8.0  # where the kernel is compiled first
_MUST_CALL = 2  # calls of the own shape that are made however slow the candidate is
# Of the soft budget that is left: a batch is asked where its estimate is below.
_SHARE_LEFT = {Need.ORDINARY: 0.5, Need.OPTIONAL: 0.25, Need.STRETCHED: 0.25}
_SPARED = {
    EndCause.TIMED_OUT: "no answer within the time limit",
    EndCause.OUT_OF_MEMORY: "memory ran out",
}
_LAST_SHARE = 0.75  # of the hard limit: when it is spent nothing more is asked a second time


@dataclass(frozen=True)
class Pace:
    """How long things may take."""

    timeout_s: float  # of the candidate's own time, hard
    soft_budget_s: float  # what the calls should cost in all
    own_call_s: float  # measured from outside on the first call
    own_elements: int
    interpreted: bool = False  # kernels run in an interpreter: calls are few
    compiles: bool = False  # a new shape may be compiled for when it is first asked


def spared_end(phase: str, workload: int, cause: EndCause = EndCause.TIMED_OUT) -> EndSeen | None:
    """The end over a workload that need not fit time and memory: it costs coverage alone.

    None where it is an end of another kind, which nothing excuses.
    """
    if cause not in _SPARED:
        return None
    text = _SPARED[cause]
    return EndSeen(cause=cause, phase=phase, workload=workload, optional=True, text=text)


class Allowance:
    """What is left for one candidate."""

    def __init__(self, pace: Pace, exam: Exam, process: SandboxedProcess) -> None:
        self._pace = pace
        self._exam = exam
        self._process = process
        self._start_s = process.waited_s
        self._own_call_s = pace.own_call_s  # the first call is the slowest

    def saw(self, batch: ScriptedBatch, seconds: float) -> None:
        """A batch took so long."""
        if all(call.content_key.workload == 0 for call in batch.calls):
            self._own_call_s = min(self._own_call_s, seconds / len(batch.calls))

    def allows(self, batch: ScriptedBatch, own_calls: int) -> bool:
        """Whether a batch is asked, after so many calls of the own workload."""
        due = batch.need in (Need.DUE, Need.EMPTY)
        estimate_s = sum(self._estimate_s(call) for call in batch.calls)
        if due and self._pace.interpreted:  # an interpreter's speed says nothing of a kernel
            return estimate_s < 0.5 * self._left_s()
        if due or batch.kind is BatchKind.LOGGED:  # nobody is too slow for what everybody is asked
            return True
        if self._pace.interpreted and batch.stretched:
            return False
        if own_calls < _MUST_CALL and any(c.content_key.workload == 0 for c in batch.calls):
            return True
        left_s = self._pace.soft_budget_s - self._spent_s()
        return estimate_s < left_s * _SHARE_LEFT[batch.need]

    def deadline(self, batch: ScriptedBatch | None) -> Deadline:
        """The hard one; what need not fit gets a share of the soft one, or of what is left."""
        least_s = COMPILED_S if self._pace.compiles else _STRETCHED_S
        limit_s = inf
        if batch is not None and batch.stretched:
            limit_s = max(least_s, 0.25 * self._pace.soft_budget_s)
        elif batch is not None and self.spares(batch):
            limit_s = max(least_s, 0.25 * self._left_s())
        return Deadline.after(min(self._left_s(), limit_s))

    def spares(self, batch: ScriptedBatch) -> bool:
        """Whether a batch need not fit the time: of any size but the own in an interpreter."""
        return batch.stretched or (self._pace.interpreted and 0 not in batch.workloads)

    def has_time(self) -> bool:
        """Whether what was asked already may be asked again."""
        return self._spent_s() < _LAST_SHARE * self._pace.timeout_s

    def _spent_s(self) -> float:
        return self._process.waited_s - self._start_s

    def _left_s(self) -> float:
        return max(0.0, self._pace.timeout_s - self._spent_s())

    def _estimate_s(self, call: ScriptedCall) -> float:
        share = self._exam.content(call.content_key).elements / max(1, self._pace.own_elements)
        return self._own_call_s * max(share, 0.001)
