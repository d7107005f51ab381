"""Small whole records for tests of what prints and stores them."""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.data.device import CacheSizes, Device
from assay.data.environment import Environment
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.measurement import Timing
from assay.data.plan import Plan
from assay.data.run import Judgement
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.data.verdict import Correct, Honest, Outcome, Status, Verdict, WorkloadOutcome
from assay.data.workload import Direction, Distribution, Layout

DEVICE = Device(
    kind="cpu",
    name="Sample CPU",
    architecture="x86_64",
    cores=2,
    memory_bytes=8 * 2**30,
    caches=CacheSizes(l1d_bytes=32 * 2**10, l2_bytes=2**20, llc_bytes=32 * 2**20),
)
ENVIRONMENT = Environment(
    assay="0.1.0",
    python="3.11",
    torch="2.13.0",
    platform="Linux",
    compiler="g++ 12",
    device=DEVICE,
    threads=2,
    layers_held=("network",),
    layers_missing=(),
)
TASK = Task(id="softmax", title="Softmax of rows", format="native", source="class Model: ...")
TIMING = Timing(
    baseline="eager",
    candidate_us=120.0,
    baseline_us=240.0,
    speedup=2.0,
    speedup_low=1.9,
    speedup_high=2.1,
    method="rounds in turns",
)
WRONG = Evidence(
    kind=EvidenceKind.WRONG_VALUE,
    severity=Severity.CONVICTS,
    where="output[0, 3]",
    text="got 0, expected 1",
)
_CORRECT = {Status.ACCEPTED: Correct.YES, Status.INCORRECT: Correct.NO}
_HONEST = {Status.ACCEPTED: Honest.YES, Status.DISHONEST: Honest.NO}


def row(cols: int, outcome: Outcome = Outcome.OK, used: float | None = 0.1) -> WorkloadOutcome:
    return WorkloadOutcome(
        axes={"rows": 4, "cols": cols},
        dtype="float32",
        layout=Layout.CONTIGUOUS,
        distribution=Distribution.OWN,
        direction=Direction.FORWARD,
        outcome=outcome,
        error_budget_used=used,
    )


def candidate(name: str = "kernel.py", text: str = "class ModelNew: ...") -> Candidate:
    return Candidate(
        name=name, language="torch", sources=(SourceFile(path="kernel.py", text=text),)
    )


def verdict(status: Status = Status.ACCEPTED, **changes: object) -> Verdict:
    fields = {
        "task": "softmax",
        "candidate": "kernel.py",
        "candidate_id": "0123456789abcdef",
        "device": "cpu",
        "level": Level.STANDARD,
        "track": Track.KERNEL,
        "status": status,
        "correct": _CORRECT.get(status, Correct.UNKNOWN),
        "honest": _HONEST.get(status, Honest.UNKNOWN),
        "reason": f"It is {status.value}.",
        "evidence": (),
        "workloads": (),
        "timing": None,
        "timing_reason": "" if changes.get("timing") else "not asked for",
        "limits": None,
        "rubric": None,
        "own_share": None,
        "environment": ENVIRONMENT,
        "plan": None,
        "elapsed_s": 1.5,
    }
    return Verdict.model_validate(fields | changes)


def judgement(judged: Candidate, settings: Settings, status: Status) -> Judgement:
    plan = Plan(
        secret="5ec7e7",
        level=settings.level,
        track=settings.track,
        device=settings.device,
        timing=settings.timing,
        baselines=settings.baselines,
        workloads=(),
    )
    made = verdict(status, candidate=judged.name, candidate_id=judged.id, plan=plan)
    return Judgement(task=TASK, candidate=judged, settings=settings, observations=(), verdict=made)
