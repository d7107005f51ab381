"""Recycled memory: does it take an answer from memory that was freed?

The rule: one content is asked again and again. Before each call but the first the runner frees
marked copies of the answer, so that whoever returns what it finds there returns a wrong answer.
The batches are optional and stand anywhere in the script; their calls are judged like all others.
"""

from __future__ import annotations

from dataclasses import replace

from assay.checks.check_contract import Check
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import Mix
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.script import (
    BatchKind,
    Need,
    ScriptedBatch,
    ScriptedCall,
    is_large,
)
from assay.exam.workloads.workload_sizes import small_workloads
from assay.sandbox.host.planned_call import AT_START

_SPOILED_CALLS = 7  # after the first: free memory looks like the answer before each


def recycling_batches(exam: Exam) -> list[ScriptedBatch]:
    """The own workload twice, unless it is large, and a small one."""
    small = small_workloads(exam)[:1]
    return [_recycled(workload) for workload in (small if is_large(exam) else [0, 0, *small])]


def _recycled(workload: int) -> ScriptedBatch:
    plain = ScriptedCall(ContentKey(workload, Draw(number=1)), AT_START, None, Mix.PLAIN)
    calls = (plain,) + (replace(plain, mix=Mix.RECYCLED),) * _SPOILED_CALLS
    return ScriptedBatch(calls, True, BatchKind.RECYCLED, Need.OPTIONAL)


CHECK = Check(
    CheckDeclaration(
        name="recycled memory",
        text="Does it return memory that it found instead of computing?",
        kinds=(EvidenceKind.MEMO, EvidenceKind.WRONG_VALUE),
        cost=Cost.CALLS,
        most=f"up to three batches of {1 + _SPOILED_CALLS} calls, where time allows",
        stages=(CheckStage.AMONG_CALLS,),
        of_wrong=True,
    ),
    batches=recycling_batches,
)
