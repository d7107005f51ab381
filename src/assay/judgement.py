"""Judgements: observations of one candidate made into a record, with the place they come from.

The rule: no torch is imported here, so that a failure that is known already is written down in a
second, by the code that writes down all others.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import version

import assay
from assay.data.axis import Axis
from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.environment import Environment
from assay.data.observations.compilation import CompileReport
from assay.data.observations.observation import CompiledSeen, LayersSeen, Observation
from assay.data.plan import Plan
from assay.data.run import Judgement
from assay.data.scoring.rubric import KernelFacts
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.exam.build_cache import compiler
from assay.judge.decide import judge
from assay.judge.judge_input import JudgeInput
from assay.judge.source_locations import of_user
from assay.scores.rubric.binary_features import with_binaries
from assay.scores.rubric.kernel_placement import placed
from assay.source_analysis.kernel_features import source_facts


@dataclass(frozen=True)
class RunResult:
    """One candidate's way through: what was seen, and how long it took."""

    observations: tuple[Observation, ...]
    elapsed_s: float
    stages: dict[str, float] = field(default_factory=dict)  # seconds by stage


@dataclass(frozen=True)
class JudgementBuilder:
    """What all judgements of one call share."""

    task: Task
    settings: Settings
    device: Device
    threads: int
    plan: Plan | None = None  # None where it never came so far
    axes: tuple[Axis, ...] = ()

    def judgement(self, candidate: Candidate, run_result: RunResult) -> Judgement:
        """The pure part."""
        case = JudgeInput(
            task=self.task,
            axes=self.axes,
            candidate=candidate,
            settings=self.settings,
            plan=self.plan,
            observations=run_result.observations,
            environment=self._environment(run_result.observations),
            elapsed_s=run_result.elapsed_s,
            stages=run_result.stages,
        )
        return Judgement(
            task=self.task,
            candidate=candidate,
            settings=self.settings,
            observations=case.observations,
            verdict=_with_rubric(case, judge(case)),
            axes=case.axes,
        )

    def _environment(self, observations: tuple[Observation, ...]) -> Environment:
        layers = next((o for o in observations if isinstance(o, LayersSeen)), None)
        return Environment(
            assay=assay.__version__,
            python=platform.python_version(),
            torch=_torch_version(),
            platform=f"{sys.platform} {platform.machine()} {platform.release()}",
            compiler=compiler(),
            device=self.device,
            threads=self.threads,
            layers_held=layers.held if layers else (),
            layers_missing=layers.missing if layers else (),
            allow_packages=self.settings.allow_packages,
        )


def judged_again(before: Judgement) -> Judgement:
    """What the judge of today makes of what was seen then; nothing is run."""
    verdict = before.verdict
    case = JudgeInput(
        task=before.task,
        axes=before.axes,
        candidate=before.candidate,
        settings=before.settings,
        plan=verdict.plan,
        observations=before.observations,
        environment=verdict.environment,
        elapsed_s=verdict.elapsed_s,
        stages=verdict.stages,
    )
    return before.model_copy(update={"verdict": _with_rubric(case, judge(case))})


def kernel_facts(candidate: Candidate, reports: Iterable[CompileReport]) -> KernelFacts:
    """What source and binaries of a candidate show, with the user's paths."""
    facts = source_facts(candidate)
    features = tuple(
        one.model_copy(update={"where": of_user(one.where, candidate)}) for one in facts.features
    )
    return with_binaries(facts.model_copy(update={"features": features}), reports)


def _with_rubric(case: JudgeInput, verdict: Verdict) -> Verdict:
    """The verdict with its place on the rubric, which no answer of it depends on."""
    facts = kernel_facts(case.candidate, (seen.report for seen in case.seen(CompiledSeen)))
    made = case.candidate.provenance
    return verdict.model_copy(update={"rubric": placed(case.task, made, facts, verdict, None)})


def _torch_version() -> str:
    imported = sys.modules.get("torch")
    return str(imported.__version__) if imported is not None else version("torch")
