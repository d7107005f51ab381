"""Graded: the flat view of one judged entry, all that a score may read.

The rule: `accepted` is the only success. What a verdict does not say stays None, and no score
counts it as success.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.data.candidate import Provenance
from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.measurement import Difference, Timing
from assay.data.run import Entry
from assay.data.scoring.score import Weighting
from assay.data.task import Task
from assay.data.verdict import Outcome, Status, Verdict

_RAN = frozenset({Status.DISHONEST, Status.INCORRECT, Status.SUSPICIOUS, Status.ACCEPTED})
_RETURNED = frozenset({Outcome.OK, Outcome.WRONG})
OPEN = "open"  # of an entry that has no verdict yet


@dataclass(frozen=True)
class GradedTask:
    """A task as scores see it."""

    name: str
    category: str = "uncategorised"
    operator: str = ""  # KernelEval's category; empty where it is none of the seven
    backward: bool = False
    source: str = field(default="", repr=False)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class GradedShape:
    """A speedup at one shape beside the own one."""

    category: str
    speedup: float
    candidate_us: float | None = None
    baseline_us: float | None = None


@dataclass(frozen=True)
class Graded:
    """One candidate of one task."""

    task: str
    candidate_id: str
    number: int = 0
    name: str = ""
    run: str = ""
    generator: str = ""
    device: str = ""
    backend: str = ""  # the kind of device: cpu, cuda, ...
    status: Status | None = None  # None: not judged yet
    called: bool = False  # it built, ran and returned something
    right: bool = False  # judged correct, honest or not
    coverage: float | None = None
    remarks: tuple[str, ...] = ()  # about the task
    speedup: float | None = None  # over the first baseline
    speedup_low: float | None = None
    speedup_high: float | None = None
    slower: bool = False  # shown to be slower than it
    candidate_us: float | None = None
    baseline_us: float | None = None
    shapes: tuple[GradedShape, ...] = ()
    sol_us: float | None = None
    iou: float | None = None
    mfu: float | None = None
    evidence: tuple[str, ...] = ()  # kinds that count against it
    provenance: Provenance = field(default_factory=Provenance)
    judged_s: float = 0.0

    @property
    def accepted(self) -> bool:
        """The only success."""
        return self.status is Status.ACCEPTED

    @property
    def tokens(self) -> int | None:
        """Read, written and cached; None where nothing is known."""
        made = self.provenance
        known = [n for n in (made.tokens_in, made.tokens_out, made.tokens_cached) if n is not None]
        return sum(known) if known else None

    def credit(self, weighting: Weighting) -> float:
        """What it counts: 0 unless accepted; by coverage, an unknown share counts nothing."""
        if not self.accepted:
            return 0.0
        return 1.0 if weighting is Weighting.PUBLISHED else (self.coverage or 0.0)


def graded_task(task: Task) -> GradedTask:
    """Categories come from the task's tags, else from the folder in its name."""
    tags = dict(tag.partition(":")[::2] for tag in task.tags)
    folder, slash, _ = task.id.rpartition("/")
    return GradedTask(
        name=task.id,
        category=tags.get("category") or (folder.rpartition("/")[2] if slash else "uncategorised"),
        operator=tags.get("kerneleval", ""),
        backward=task.direction.value == "backward",
        source=task.source,
        tags=task.tags,
    )


def graded(run: str, entry: Entry, verdict: Verdict | None) -> Graded:
    """One entry with its verdict, or without one where it was not judged yet."""
    made = entry.candidate.provenance
    by = made.generator
    common = Graded(
        task=entry.task.id,
        candidate_id=entry.candidate.id,
        number=entry.number,
        name=entry.candidate.name,
        run=run,
        generator=" ".join(filter(None, (by.name, by.version, by.model))) if by else "",
        provenance=made,
    )
    return common if verdict is None else with_verdict(common, verdict)


def with_verdict(common: Graded, verdict: Verdict) -> Graded:
    """The same entry, judged."""
    limits, timing = verdict.limits, stated_timing(verdict)
    counted = [e.kind.value for e in verdict.evidence if e.severity is not Severity.NOTE]
    return Graded(
        task=common.task,
        candidate_id=common.candidate_id,
        number=common.number,
        name=common.name,
        run=common.run,
        generator=common.generator,
        provenance=common.provenance,
        device=verdict.environment.device.name,
        backend=verdict.environment.device.kind,
        status=verdict.status,
        called=_called(verdict),
        right=verdict.correct.value == "yes",
        coverage=verdict.coverage.share if verdict.coverage else None,
        remarks=verdict.task_remarks,
        speedup=timing.speedup if timing else None,
        speedup_low=timing.speedup_low if timing else None,
        speedup_high=timing.speedup_high if timing else None,
        slower=timing is not None and timing.difference is Difference.SLOWER,
        candidate_us=timing.candidate_us if timing else None,
        baseline_us=timing.baseline_us if timing else None,
        shapes=shapes_of(verdict),
        sol_us=limits.sol_us if limits else None,
        iou=limits.iou if limits else None,
        mfu=limits.mfu if limits else None,
        evidence=tuple(dict.fromkeys(counted)),
        judged_s=verdict.elapsed_s,
    )


def stated_timing(verdict: Verdict) -> Timing | None:
    """The timing that a verdict states its speedup by: the first; None where it cannot be used."""
    first = next(iter(verdict.timing or ()), None)
    return first if first is not None and first.speedup > 0 else None


def _called(verdict: Verdict) -> bool:
    """It built and ran to an end, and at least one call returned an answer."""
    raised = {EvidenceKind.RAISED, EvidenceKind.UNSUPPORTED}
    if verdict.status not in _RAN or any(
        e.kind in raised and e.severity is Severity.CONVICTS for e in verdict.evidence
    ):
        return False
    rows = verdict.workloads
    return not rows or any(row.outcome in _RETURNED for row in rows)


def shapes_of(verdict: object) -> tuple[GradedShape, ...]:
    """Records that were made without shapes have none."""
    times = getattr(verdict, "shape_times", None) or ()
    return tuple(
        GradedShape(str(one.category), one.speedup, one.candidate_us, one.baseline_us)
        for one in times
        if one.speedup is not None and one.speedup > 0
    )
