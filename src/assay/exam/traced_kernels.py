"""Kernel records: what the device ran while the candidate answered a few ordinary calls."""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import ReplyCode

_FIELDS = 7


def traced(session: Session, calls: Sequence[PlannedCall], deadline: Deadline) -> KernelsSeen:
    """These calls under the device's own trace."""
    reply = session.trace(calls, deadline)
    statement = session.statement()
    if reply.code != ReplyCode.OK:
        reason = statement.strip().splitlines()[-1:] or ["the trace failed"]
        return KernelsSeen(calls=len(calls), reason=reason[0][:300])
    found = tuple(one for one in map(_kernel, statement.splitlines()) if one is not None)
    return KernelsSeen(calls=len(calls), kernels=found)


def _kernel(line: str) -> KernelSeen | None:
    """One line of the child's; None where it is none of ours."""
    parts = line.split("\t")
    if len(parts) != _FIELDS or not all(part.isdigit() for part in parts[1:5]):
        return None
    launches, spent_ns, registers, shared = map(int, parts[1:5])
    return KernelSeen(
        name=parts[0],
        launches=launches,
        total_us=spent_ns / 1e3,
        registers=registers,
        shared_bytes=shared,
        grid=parts[5],
        block=parts[6],
    )
