"""JudgeInput: everything the judge is handed. What is not in it cannot sway a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from assay.data.axis import Axis
from assay.data.candidate import Candidate
from assay.data.environment import Environment
from assay.data.evidence import Evidence
from assay.data.observations.call import CallOutcome, CallSeen
from assay.data.observations.observation import (
    CheckSeen,
    FullShapeSeen,
    Observation,
    SourceSeen,
)
from assay.data.plan import Plan
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.workload import Workload

T = TypeVar("T")


@dataclass(frozen=True)
class JudgeInput:
    """One candidate, one task, what was asked for and what was seen."""

    task: Task
    axes: tuple[Axis, ...]  # declared by the task or inferred from it
    candidate: Candidate
    settings: Settings
    plan: Plan | None
    observations: tuple[Observation, ...]
    environment: Environment
    elapsed_s: float
    stages: dict[str, float] = field(default_factory=dict)  # seconds by stage

    def seen(self, kind: type[T]) -> Iterator[T]:
        """Observations of one kind, in order."""
        return (o for o in self.observations if isinstance(o, kind))

    @property
    def calls(self) -> list[CallSeen]:
        """Every call, in the order it was made."""
        return list(self.seen(CallSeen))

    @cached_property
    def workloads(self) -> tuple[Workload, ...]:
        """Those of the plan, and behind them the own one at its full shape where it was asked."""
        planned = () if self.plan is None else self.plan.workloads
        full = next(self.seen(FullShapeSeen), None)
        if full is None or not planned:
            return planned
        return (*planned, planned[0].model_copy(update={"axes": full.axes}))

    def is_own(self, workload: int) -> bool:
        """Whether it is the task's own workload, which must be answered."""
        full = next(self.seen(FullShapeSeen), None)
        return workload == 0 or (full is not None and workload == full.number)

    def place(self, workload: int | None) -> str:
        """The words for a workload; none where it is not known."""
        if self.plan is None or workload is None:
            return ""
        chosen = self.workloads[workload]
        sizes = ", ".join(f"{name}={size}" for name, size in chosen.axes.items())
        modes = {None: "", True: " train()", False: " eval()"}
        mode = modes[chosen.training]
        return f"{sizes} {chosen.layout} {chosen.distribution}{mode}".strip()

    @property
    def told(self) -> list[Evidence]:
        """What the source shows, before it is weighed against the rest."""
        return [e for source in self.seen(SourceSeen) for e in source.findings]

    @property
    def checked(self) -> list[Evidence]:
        """What checks state as evidence."""
        return [e for seen in self.seen(CheckSeen) for e in seen.findings]

    @cached_property
    def answered(self) -> frozenset[int]:
        """Workloads at whose own shape a call returned."""
        returned = (c for c in self.calls if c.outcome is CallOutcome.RETURNED)
        return frozenset(c.workload for c in returned if not c.other_shape)
