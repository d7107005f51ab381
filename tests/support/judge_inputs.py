"""Synthetic cases: a plan of four workloads and observations made to order."""

from __future__ import annotations

from collections.abc import Iterable

from assay.data.axis import Axis, AxisRole
from assay.data.evidence import Evidence, EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, ErrorSummary, Mix, OutputSeen
from assay.data.observations.observation import (
    BuildSeen,
    EndCause,
    EndSeen,
    LayersSeen,
    Observation,
)
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.data.workload import Distribution, Layout, Workload
from assay.judge.judge_input import JudgeInput
from sample_records import DEVICE, ENVIRONMENT, candidate

OWN, OTHER_BATCH, OTHER_SIZE, TRANSPOSED = range(4)
WORKLOADS = (
    Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),
    Workload(axes={"rows": 1, "cols": 32}, dtype="float32"),
    Workload(axes={"rows": 16, "cols": 33}, dtype="float32", distribution=Distribution.NORMAL),
    Workload(axes={"rows": 16, "cols": 32}, dtype="float32", layout=Layout.TRANSPOSED),
)
AXES = (
    Axis(name="rows", own=16, high=64, role=AxisRole.BATCH),
    Axis(name="cols", own=32, high=64),
)
LAYERS = LayersSeen(held=("seccomp",), missing=(), isolated=True)
BUILT = BuildSeen(ok=True, phase="done", seconds=1.0, cached=False)


def plan() -> Plan:
    return Plan(
        secret="00" * 32,
        level=Level.QUICK,
        track=Track.KERNEL,
        device=DEVICE.kind,
        timing=True,
        baselines=("eager",),
        workloads=WORKLOADS,
    )


def case(
    *observations: Observation, track: Track = Track.KERNEL, planned: bool = True
) -> JudgeInput:
    """A case with exactly these observations."""
    return JudgeInput(
        task=Task(id="row_sum", format="native", source="class Model: ..."),
        axes=AXES,
        candidate=candidate(),
        settings=Settings(level=Level.QUICK, track=track),
        plan=plan() if planned else None,
        observations=observations,
        environment=ENVIRONMENT,
        elapsed_s=2.5,
    )


def good(index: int = 0, workload: int = OWN, used: float | None = 0.2) -> CallSeen:
    error = ErrorSummary(budget_used=used, total=16)
    return call(index, workload, OutputSeen(name="output", error=error))


def call(index: int, workload: int, *outputs: OutputSeen, mix: Mix = Mix.PLAIN) -> CallSeen:
    return CallSeen(
        index=index,
        workload=workload,
        mix=mix,
        outcome=CallOutcome.RETURNED,
        outputs=outputs,
    )


def bad(index: int, workload: int = OWN, **about: object) -> CallSeen:
    """A call with a wrong value, unless another problem is named."""
    error = ErrorSummary(
        budget_used=40.0, wrong=3, total=16, where="[2]", text="got 1.0, expected 2.0"
    )
    fields = {"name": "output", "problem": EvidenceKind.WRONG_VALUE, "error": error} | about
    return call(index, workload, OutputSeen.model_validate(fields))


def refused(index: int, workload: int, message: str = "ValueError: no") -> CallSeen:
    return CallSeen(
        index=index,
        workload=workload,
        mix=Mix.PLAIN,
        outcome=CallOutcome.RAISED,
        message=message,
    )


def ended(cause: EndCause, **about: object) -> EndSeen:
    fields = {"cause": cause, "phase": "calls", "workload": OWN, "text": "it ended"} | about
    return EndSeen.model_validate(fields)


def every_workload() -> tuple[Observation, ...]:
    """A candidate with nothing against it."""
    calls = [good(n, n) for n in range(len(WORKLOADS))]
    return (LAYERS, BUILT, *calls)


def kinds(evidence: Iterable[Evidence]) -> set[str]:
    return {e.kind.value for e in evidence}
