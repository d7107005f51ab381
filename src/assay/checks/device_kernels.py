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
from assay.exam.device_code.traced_kernels import AGAIN, CHECK_NAME, asked_until_told, traced
from assay.exam.exam import ContentKey
from assay.sandbox.host.planned_call import Place, PlannedCall

_CALLS = 3
_PAUSE_S = 0.3  # before the recorder is asked again


def trace_kernels(
    context: CheckContext, sleep: Callable[[float], None] = time.sleep
) -> list[KernelsSeen | CheckMissing]:
    """Calls of the own workload under the device's own trace. Raises Lost."""
    content = context.exam.content(ContentKey(0))
    place = Place(0, context.exam.traced_spot)
    calls = [PlannedCall(0, place, content, ()) for _ in range(_CALLS)]
    library = library_code(context.wall, context.device)
    ask = lambda: traced(context.session, calls, context.deadline, library)  # noqa: E731
    return asked_until_told(ask, lambda: sleep(_PAUSE_S), context.settings.track)


CHECK = Check(
    CheckDeclaration(
        name=CHECK_NAME,
        text="Are the kernels that the device ran the candidate's own, or a library's?",
        kinds=(EvidenceKind.NO_KERNEL, EvidenceKind.DELEGATION),
        cost=Cost.CALLS,
        most=f"{_CALLS} calls, {_CALLS} after the timing in each process, and a timed batch there; "
        f"{AGAIN} times more where the recorder failed",
        stages=(CheckStage.CALLED, CheckStage.TIMED),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.DEVICE,),
    ),
    trace_kernels,
)
