"""Held results: is a result still what it was after many later calls?

The rule: a few early results, which the host chose secretly, stay alive and are read once more when
all calls have been made. The same memory must hold the same bits.
"""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import CheckSeen
from assay.exam.call_reading import tensors_of
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.host.session import HeldBatch
from assay.sandbox.host.tensor_bytes import same_bytes, span_bytes

NAME = "held results"


def read_held_results(context: CheckContext) -> list[CheckSeen]:
    """Every batch that was held, read once more. Raises Lost."""
    found = []
    for number, batch in enumerate(context.session.held):
        now = context.session.read_held(number, context.deadline)
        changed = sum(not _same(*pair) for pair in zip(batch.found, now, strict=True))
        if changed:
            found.append(_changed(context, batch, changed))
    return [CheckSeen(check=NAME, findings=tuple(found[:1]))]


def _changed(context: CheckContext, batch: HeldBatch, count: int) -> Evidence:
    axes = context.exam.plan.workloads[batch.workload].axes
    return Evidence(
        kind=EvidenceKind.RESULT_OVERWRITTEN,
        severity=Severity.CONVICTS,
        where=", ".join(f"{name}={size}" for name, size in axes.items()),
        text=f"{count} of {len(batch.found)} results that were kept alive changed in later calls",
    )


def _same(before: RawCall, now: RawCall) -> bool:
    """A call that raised has no result to keep."""
    pairs = list(zip(tensors_of(before), tensors_of(now), strict=False))
    return all(
        one is None or (other is not None and same_bytes(span_bytes(one), span_bytes(other)))
        for one, other in pairs
    )


CHECK = Check(
    CheckDeclaration(
        name=NAME,
        text="Is a result that is kept alive still the same after many later calls?",
        kinds=(EvidenceKind.RESULT_OVERWRITTEN,),
        cost=Cost.NOTHING,
        most="a few results of the secret script are read twice",
        stages=(CheckStage.CALLED,),
        executions=tuple(Execution),
    ),
    read_held_results,
)
