"""Kernel placement: the five levels of one kernel, from its records alone.

The rule: a pure function, called wherever a rubric is shown or stored. The same records give the
same levels.
"""

from __future__ import annotations

from assay.data.candidate import Provenance
from assay.data.scoring.rubric import KernelFacts, Rubric
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.scores.rubric.automation_level import automation_level
from assay.scores.rubric.complexity_level import complexity_level
from assay.scores.rubric.hardware_level import hardware_level
from assay.scores.rubric.performance_level import KnownTime, efficiency, performance_level
from assay.scores.rubric.placed_level import PlacedLevel
from assay.scores.rubric.representation_level import representation_level

AXES = "KRHPA"
_NO_TASK = PlacedLevel(None, "the kernel was given without a task")
_NOT_JUDGED = PlacedLevel(None, "it was not judged")


def placed(
    task: Task, made: Provenance, facts: KernelFacts, verdict: Verdict, best: KnownTime | None
) -> Rubric:
    """All five levels of a judged kernel; `best` is the fastest other kernel that is stored."""
    complexity = complexity_level(task.tags, task.source)
    accepted = verdict.status is Status.ACCEPTED
    share = efficiency(verdict, complexity.level, best) if accepted else None
    performance = performance_level(verdict, complexity.level, best)
    levels = (
        complexity,
        representation_level(facts),
        hardware_level(facts, share),
        performance,
        automation_level(made),
    )
    return _rubric(levels, facts)


def placed_unjudged(made: Provenance, facts: KernelFacts) -> Rubric:
    """What source and binaries of a kernel show without a task: R, H and A."""
    levels = (
        _NO_TASK,
        representation_level(facts),
        hardware_level(facts),
        _NOT_JUDGED,
        automation_level(made),
    )
    return _rubric(levels, facts)


def _rubric(levels: tuple[PlacedLevel, ...], facts: KernelFacts) -> Rubric:
    complexity, representation, hardware, performance, automation = levels
    pairs = list(zip(AXES, levels, strict=True))
    return Rubric(
        complexity=complexity.level,
        representation=representation.level,
        hardware=hardware.level,
        performance=performance.level,
        automation=automation.level,
        reasons=tuple(one.line(letter) for letter, one in pairs),
        remarks=tuple(remark for one in levels for remark in one.remarks),
        line=" ".join(one.short(letter) for letter, one in pairs),
        facts=facts,
    )
