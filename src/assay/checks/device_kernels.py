"""Device kernels: which kernels the device ran while the candidate answered ordinary calls."""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.kernels import KernelsSeen
from assay.data.settings import Track
from assay.exam.device_code.library_device_code import library_code
from assay.exam.device_code.traced_kernels import traced
from assay.exam.exam import ContentKey
from assay.sandbox.host.planned_call import AT_START, Place, PlannedCall

_CALLS = 3


def trace_kernels(context: CheckContext) -> list[KernelsSeen]:
    """Calls of the own workload under the device's own trace. Raises Lost."""
    content = context.exam.content(ContentKey(0))
    calls = [PlannedCall(0, Place(0, AT_START), content, ()) for _ in range(_CALLS)]
    library = library_code(context.wall, context.device)
    return [traced(context.session, calls, context.deadline, library)]


CHECK = Check(
    CheckDeclaration(
        name="device kernels",
        text="Are the kernels that the device ran the candidate's own, or a library's?",
        kinds=(EvidenceKind.NO_KERNEL, EvidenceKind.DELEGATION),
        cost=Cost.CALLS,
        most=f"{_CALLS} calls, and {_CALLS} after the timing in each process",
        stages=(CheckStage.CALLED, CheckStage.TIMED),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.DEVICE,),
    ),
    trace_kernels,
)
