"""A report's data, gathered from entries and what is known of each.

The rule: one judgement is in memory at a time, and of each only what a page shows is kept. Numbers
keep the digits that a chart can show.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from assay.data.environment import Environment
from assay.data.evidence import OF_HONESTY
from assay.data.generator import Generator
from assay.data.limits import Peaks
from assay.data.observations.call import CallSeen
from assay.data.observations.explanation import Explanation
from assay.data.observations.observation import LimitsSeen, TimesSeen
from assay.data.published.recheck import Recheck
from assay.data.run import Entry, Judgement, Run
from assay.data.scoring.rubric import KernelRubric, Rubric, RubricProfile
from assay.data.verdict import Status, WorkloadOutcome
from assay.data.workload import Category
from assay.report import words
from assay.report.claimed.claimed_gains_text import claimed_gains_text
from assay.report.html.report_data import (
    NOT_STATED,
    OPEN,
    ReportData,
    ReportSamples,
    ReportTask,
    ReportVerdict,
    ReportWorkload,
)
from assay.report.html.reproduce_commands import VerdictOrigin, commands
from assay.report.html.score_curves import fast_p_curves
from assay.report.html.shape_robustness import categories_of
from assay.report.html.source_marks import marked
from assay.scores.analysis.claimed_gains import claimed_gains
from assay.scores.graded import Graded, GradedTask, graded, graded_task
from assay.scores.grouped import groups
from assay.scores.rubric.complexity_level import complexity_level
from assay.scores.rubric.rubric_profile import rubric_profile
from assay.scores.rubric.stored_placements import StoredKernel, facts_kept, stored_placements

_DIGITS = 4
_MOST_SAMPLES = 500  # of one subject: a density of more looks the same

Judged = Iterable[tuple[Entry, Judgement | None]]


@dataclass
class GatheredReport:
    """Takes judgements one after the other."""

    origin: VerdictOrigin
    with_records: bool = False  # the report holds what `--replay` reads
    tasks: dict[str, ReportTask] = field(default_factory=dict)
    environments: list[Environment] = field(default_factory=list)
    verdicts: list[ReportVerdict] = field(default_factory=list)
    scored: list[Graded] = field(default_factory=list)  # the same, as scores see them
    scored_tasks: dict[str, GradedTask] = field(default_factory=dict)
    kernels: list[StoredKernel] = field(default_factory=list)
    complexities: dict[str, int | None] = field(default_factory=dict)  # by task
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # categories by sizes

    def add(self, entry: Entry, judgement: Judgement | None) -> None:
        """Keep what the pages show of it."""
        task = entry.task
        self.tasks.setdefault(task.id, ReportTask(id=task.id, title=task.title, tags=task.tags))
        plain = ReportVerdict(
            number=entry.number,
            name=entry.candidate.name,
            id=entry.candidate.id,
            task=task.id,
            generator=generator_name(entry.candidate.provenance.generator),
            language=entry.candidate.language,
            status=OPEN,
            provenance=entry.candidate.provenance,
            sources=entry.candidate.sources,
        )
        seen = graded("", entry, judgement.verdict if judgement else None)
        self.scored.append(replace(seen, generator=plain.generator, device=""))
        self.scored_tasks.setdefault(task.id, graded_task(task))
        if judgement is not None:
            plain = self._judged(plain, judgement)
        self.verdicts.append(plain)
        self._keep_kernel(entry, judgement, plain.generator)

    def _keep_kernel(self, entry: Entry, judgement: Judgement | None, generator: str) -> None:
        """What the profile of its generator is made from; the rows of its tables are not."""
        task = entry.task
        if task.id not in self.complexities:
            self.complexities[task.id] = complexity_level(task.tags, task.source).level
        verdict = judgement.verdict if judgement is not None else None
        facts = facts_kept(verdict)
        if verdict is None or facts is None:  # open, or older than what a profile is made from
            return
        rows = {"workloads": (), "evidence": (), "relations": (), "plan": None}
        small = verdict.model_copy(update=rows)
        self.kernels.append(StoredKernel(entry, small, facts, generator))

    def _profiles(self) -> tuple[RubricProfile, ...]:
        """One for each generator and device whose records hold a rubric."""
        groups: dict[tuple[str, str], list[KernelRubric]] = defaultdict(list)
        for one in stored_placements(self.kernels):
            groups[one.generator, one.device].append(one)
        return tuple(
            rubric_profile(who, kernels, self.complexities)
            for who, kernels in sorted(groups.items())
        )

    def data(self, run: Run, title: str) -> ReportData:
        """The whole report."""
        settings = run.settings
        return ReportData(
            title=title,
            run=run.id,
            suite=run.suite,
            level=settings.level.value,
            track=settings.track.value,
            device=settings.device,
            assay=run.assay,
            started_at=run.started_at or None,
            statuses=tuple(status.value for status in reversed(Status)),
            categories=tuple(category.value for category in Category),
            honesty_kinds=tuple(kind.value for kind in OF_HONESTY),
            shapes=self.shapes,
            tasks=tuple(self.tasks[name] for name in sorted(self.tasks)),
            environments=tuple(self.environments),
            verdicts=tuple(self.verdicts),
            curves=fast_p_curves(groups(self.scored_tasks.values(), self.scored)),
            profiles=self._profiles(),
            claimed_gains=tuple(map(claimed_gains_text, claimed_gains(self.scored))),
        )

    def _judged(self, plain: ReportVerdict, judgement: Judgement) -> ReportVerdict:
        verdict = judgement.verdict
        errors, not_finite = _errors(judgement)
        for row in verdict.workloads:
            found = categories_of(row.axes)
            self.shapes.setdefault(_sizes(row), tuple(one.value for one in found))
        update = {
            "status": verdict.status.value,
            "correct": verdict.correct.value,
            "honest": verdict.honest.value,
            "reason": verdict.reason,
            "evidence": tuple(marked(one, judgement.candidate) for one in verdict.evidence),
            "workloads": tuple(_workload(row) for row in verdict.workloads),
            "coverage": verdict.coverage,
            "own_workload": verdict.own_workload.value,
            "task_remarks": verdict.task_remarks,
            "relations": verdict.relations,
            "timing": verdict.timing or (),
            "timing_reason": verdict.timing_reason,
            "samples": _samples(judgement),
            "errors": errors,
            "errors_not_finite": not_finite,
            "explanation": _explanation(verdict.explanation),
            "limits": verdict.limits,
            "limits_reason": verdict.limits_reason,
            "peaks": _peaks(judgement),
            "rubric": _rubric(verdict.rubric),
            "rubric_reasons": verdict.rubric.reasons if verdict.rubric else (),
            "rubric_remarks": verdict.rubric.remarks if verdict.rubric else (),
            "own_share": verdict.own_share,
            "environment": self._environment(verdict.environment),
            "stages": {name: _rounded(seconds) for name, seconds in verdict.stages.items()},
            "elapsed_s": verdict.elapsed_s,
            "commands": commands(self.origin, plain.number, judgement),
            "record": verdict.model_dump_json() if self.with_records and verdict.plan else "",
        }
        return plain.model_copy(update=update)

    def _environment(self, environment: Environment) -> int:
        if environment not in self.environments:
            self.environments.append(environment)
        return self.environments.index(environment)


def of_run(run: Run, judged: Judged, place: str, title: str = "") -> ReportData:
    """The report of a stored run; its title is the run's id where none is given."""
    gathered = GatheredReport(VerdictOrigin(run.suite, place))
    for entry, judgement in judged:
        gathered.add(entry, judgement)
    return gathered.data(run, title or f"Run {run.id}")


def claims_alone(run: Run, claims: Iterable[Recheck], title: str) -> ReportData:
    """The report of claims of which no kernel was judged."""
    data = GatheredReport(VerdictOrigin(run.suite)).data(run, title)
    return data.model_copy(update={"claims": tuple(claims)})


def call_run(asked: str, judgement: Judgement) -> Run:
    """What stands for a run where verdicts come from one call of a command: nothing is stored."""
    version = judgement.verdict.environment.assay
    return Run(id="", suite=asked, settings=judgement.settings, assay=version, started_at=0)


def generator_name(generator: Generator | None) -> str:
    """Name and version, and the model where there is one."""
    if generator is None:
        return NOT_STATED
    name = " ".join(part for part in (generator.name, generator.version) if part)
    return f"{name} ({generator.model})" if generator.model else name


def _workload(row: WorkloadOutcome) -> ReportWorkload:
    return ReportWorkload(
        sizes=_sizes(row),
        dtype=row.dtype,
        layout=row.layout.value,
        values=row.distribution.value,
        direction=row.direction.value,
        outcome=row.outcome.value,
        budget_used=None if row.error_budget_used is None else _rounded(row.error_budget_used),
    )


def _sizes(row: WorkloadOutcome) -> str:
    return " ".join(f"{name}={size}" for name, size in row.axes.items())


def _errors(judgement: Judgement) -> tuple[tuple[float, ...], int]:
    """The share of its budget that each output of each call used, and how many are not finite."""
    seen = [
        output.error.budget_used
        for call in judgement.observations
        if isinstance(call, CallSeen)
        for output in call.outputs
        if output.error is not None
    ]
    finite = tuple(_rounded(used, 3) for used in seen if used is not None)
    return finite, len(seen) - len(finite)


def _samples(judgement: Judgement) -> tuple[ReportSamples, ...]:
    times = [one for one in judgement.observations if isinstance(one, TimesSeen)]
    return tuple(
        ReportSamples(
            subject=one.subject,
            cache=one.cache,
            samples_us=tuple(_rounded(sample) for sample in _thinned(one.samples_us)),
        )
        for seen in times
        for one in seen.measurements
    )


def _thinned(samples: tuple[float, ...]) -> tuple[float, ...]:
    """Every n-th, so that at most as many are left as a density can show."""
    return samples[:: math.ceil(len(samples) / _MOST_SAMPLES) or 1]


def _peaks(judgement: Judgement) -> Peaks | None:
    seen = (one.peaks for one in judgement.observations if isinstance(one, LimitsSeen))
    return next(seen, None)


def _rubric(rubric: Rubric | None) -> dict[str, int]:
    """Every axis that has a place."""
    found = rubric.model_dump() if rubric else {}
    return {name: value for name, value in found.items() if isinstance(value, int)}


def _explanation(found: Explanation | None) -> str:
    if found is None:
        return ""
    lines = [f"{found.pattern.value}: {found.text}"]
    lines += [f"fails {condition}" for condition in found.failure_conditions]
    if found.smallest is not None:
        lines.append(f"smallest failing workload: {words.workload(found.smallest)}")
    lines += [f"{list(e.index)}: expected {e.expected}, got {e.got}" for e in found.worst]
    return "\n".join(lines)


def _rounded(value: float, digits: int = _DIGITS) -> float:
    """Significant digits, so that the file holds no noise."""
    return float(f"{value:.{digits}g}")
