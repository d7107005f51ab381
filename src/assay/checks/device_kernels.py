"""Device kernels: which kernels the device ran while the candidate answered ordinary calls.

The rule: an empty record convicts where the runner's own small kernels are in it. Where these are
missing, kernels are recorded without times, or the driver was asked for launches that left no
record, the recorder failed: it is asked again, and what it does not tell then is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.observation import CheckMissing
from assay.data.settings import Track
from assay.exam.device_code.library_device_code import library_code
from assay.exam.device_code.traced_kernels import is_blank, traced
from assay.exam.exam import ContentKey
from assay.sandbox.host.planned_call import Place, PlannedCall

_NAME = "device kernels"
_CALLS = 3
_AGAIN = 2  # where nothing was recorded, so far apart:
_PAUSE_S = 0.3


def trace_kernels(
    context: CheckContext, sleep: Callable[[float], None] = time.sleep
) -> list[KernelsSeen | CheckMissing]:
    """Calls of the own workload under the device's own trace. Raises Lost."""
    content = context.exam.content(ContentKey(0))
    place = Place(0, context.exam.traced_spot)
    calls = [PlannedCall(0, place, content, ()) for _ in range(_CALLS)]
    library = library_code(context.wall, context.device)
    seen = traced(context.session, calls, context.deadline, library)
    for _ in range(_AGAIN):
        if not is_blank(seen):
            return [seen]
        sleep(_PAUSE_S)
        seen = traced(context.session, calls, context.deadline, library)
    if not is_blank(seen) or (seen.marked and not (seen.kernels or seen.unrecorded)):
        return [seen]
    reason = f"the device's recorder told {_said(seen)}, {1 + _AGAIN} times"
    essential = context.settings.track is Track.KERNEL
    missing = CheckMissing(check=_NAME, reason=reason, essential=essential)
    told = any(kernel.total_us > 0.0 for kernel in seen.kernels)
    return [seen, missing] if told else [missing]  # what is told may convict


def _said(seen: KernelsSeen) -> str:
    if seen.unrecorded:
        return f"nothing of {seen.unrecorded} launches"
    return "kernels without times" if seen.kernels else "not even the judge's own kernel"


CHECK = Check(
    CheckDeclaration(
        name=_NAME,
        text="Are the kernels that the device ran the candidate's own, or a library's?",
        kinds=(EvidenceKind.NO_KERNEL, EvidenceKind.DELEGATION),
        cost=Cost.CALLS,
        most=f"{_CALLS} calls, and {_CALLS} after the timing in each process; "
        f"{_AGAIN} times more where the recorder failed",
        stages=(CheckStage.CALLED, CheckStage.TIMED),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.DEVICE,),
    ),
    trace_kernels,
)
