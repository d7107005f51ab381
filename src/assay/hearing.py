"""Hearing: one task's exam, drawn once, and the candidates heard on it."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cached_property
from itertools import islice

from assay.data.candidate import Candidate
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observation import (
    HostFailed,
    LimitsSeen,
    NullPassed,
    Observation,
    SourceSeen,
    TaskBroken,
)
from assay.data.plan import Plan
from assay.data.progress import Report
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from assay.data.task import Task
from assay.data.workload import Workload
from assay.devices.device import DeviceBackend
from assay.devices.registry import backend
from assay.errors import HostError, TaskError
from assay.guard.given import Given, small_inputs
from assay.guard.narrowing import narrowings
from assay.judgement import Course, Judging
from assay.source_analysis.analysis import analyse, closing_reductions, findings
from assay.tasks.modes import in_other_mode
from assay.tasks.reference import Reference
from assay.tasks.sweep import swept
from assay.worker.bench import Bench
from assay.worker.host.exam import Exam
from assay.worker.host.fitting_shape import fitting_shape
from assay.worker.host.headstart import Headstart
from assay.worker.host.memory_need import alike, scaled, within_memory
from assay.worker.host.null_answers import nulls_passed
from assay.worker.host.reference_check import check_reference
from assay.worker.host.secret import Secret
from assay.worker.host.wall import Wall
from assay.worker.trial import Trial

_SCALED_SHARE = 0.25  # of the limit of a first call: a smaller shape is chosen to be quick


class Hearing:
    """Everything the candidates of one call share."""

    def __init__(self, wall: Wall, task: Task, settings: Settings, replay: Plan | None) -> None:
        self._wall = wall
        self._task = task
        self.settings = settings
        self._replay = replay
        self._backend = backend(settings.device)
        self._device = self._backend.describe()
        self._failure: Observation | None = None
        self._nulls: dict[str, list[NullPassed]] = {}  # by the plan's secret
        self._own_benches: dict[str, Bench] = {}  # of candidates judged at a shape of their own

    @cached_property
    def _bench(self) -> Bench | None:
        """The exam and its script; None where the task or our machinery failed."""
        try:
            exam = self._exam(Reference(self._task))
            check_reference(exam)
            return Bench.set_up(self._wall, exam, self.settings, self._device)
        except TaskError as error:
            self._failure = TaskBroken(text=str(error))
        except HostError as error:
            self._failure = HostFailed(text=str(error))
        except Exception as error:  # a fault of ours costs this task, not the whole run
            logging.getLogger(__name__).exception("drawing the exam of %s", self._task.id)
            self._failure = HostFailed(text=f"{type(error).__name__}: {error}")
        return None

    def _exam(self, reference: Reference, own: Workload | None = None) -> Exam:
        """Of the plan that is replayed, or of workloads found now: the own one, and others."""
        if self._replay is not None and own is None:
            return Exam(reference, self._replay)
        settings, secret = self.settings, Secret.draw()
        own = own or within_memory(reference)
        exam = Exam(reference, Plan.of(settings, secret.hex, (own,)))
        alone = not self._backend.accelerated and settings.at_once == 1
        with Headstart(exam, wanted=alone and settings.level is not Level.QUICK) as headstart:
            found = swept(reference, settings.level, secret.random("sweep"))
            for workload in islice(found, 1, None):  # the own one is admitted
                headstart.admit(alike(reference, workload, own))
            for workload in in_other_mode(reference, exam.plan.workloads):
                headstart.admit(workload)
        return exam

    def observe(self, candidate: Candidate, report: Report) -> list[Observation]:
        """What is seen of one candidate: its source, then its run."""
        report("drawing", None)
        bench = self._bench
        if bench is None:
            assert self._failure is not None
            return [self._failure]
        seen: list[Observation] = [self._read(candidate)]
        try:
            seen += self._tried(bench, candidate, report)
        except HostError as error:
            seen.append(HostFailed(text=str(error)))
        except TaskError as error:
            seen.append(TaskBroken(text=str(error)))
        except Exception as error:  # a fault of ours must not cost the other candidates
            logging.getLogger(__name__).exception("evaluating %s", candidate.name)
            seen.append(HostFailed(text=f"{type(error).__name__}: {error}"))
        return [*seen, self._limits]

    def _tried(self, bench: Bench, candidate: Candidate, report: Report) -> list[Observation]:
        """At the own shape, or at a smaller one where that is too slow for an interpreter."""
        trial, reason = Trial(bench, candidate, report), ""
        seen = trial.observe()
        limit_s = bench.first_call_limit_s(candidate)
        if trial.too_slow and limit_s is not None:
            report("scaling", None)
            smaller = self._smaller(bench, candidate, limit_s)
            if smaller is not None:
                bench = self._own_benches[candidate.id] = smaller
                reason = f"the interpreter takes longer than {limit_s:.0f} s for one call of it"
                seen = Trial(bench, candidate, report).observe()
        found = scaled(bench.exam.reference, bench.exam.plan.workloads[0], reason)
        return [*([found] if found else []), *seen, *self._nulls_passed(bench.exam)]

    def _nulls_passed(self, exam: Exam) -> list[NullPassed]:
        """Asked once for all candidates of an exam, after the first: most truths are known then."""
        secret = exam.plan.secret
        if secret not in self._nulls:
            self._nulls[secret] = nulls_passed(exam)
        return self._nulls[secret]

    def _smaller(self, bench: Bench, candidate: Candidate, limit_s: float) -> Bench | None:
        """An exam whose own workload the candidate's interpreter computes in time."""
        own = fitting_shape(bench, candidate, _SCALED_SHARE * limit_s)
        if own is None:
            return None
        with bench.exam.turn:  # one thread at a time runs the reference
            exam = self._exam(bench.exam.reference, own)
            exam.turn = bench.exam.turn
            check_reference(exam)
            return Bench.set_up(self._wall, exam, self.settings, self._device)

    @cached_property
    def _limits(self) -> LimitsSeen:
        assert self._bench is not None
        exam = self._bench.exam
        if found := scaled(exam.reference, exam.plan.workloads[0]):
            return LimitsSeen(reason=f"judged at a smaller shape than its own: {found.text}")
        return limits_seen(self._task, self._backend, self.settings)

    @cached_property
    def _given(self) -> Given:
        """What the source analysis is told; of gradients the sizes of inputs are not."""
        assert self._bench is not None
        reference = self._bench.exam.reference
        shapes = reference.input_shapes(reference.own_axes)
        return Given(self.settings.allow_packages, small_inputs(shapes))

    def _read(self, candidate: Candidate) -> Observation:
        """The source; where our analysis fails the other layers look, but unknown never passes."""
        try:
            report = analyse(candidate, self._given)
            found = (*findings(report, self.settings.track), *narrowings(candidate))
            return SourceSeen(findings=found, closing=closing_reductions(report))
        except Exception as error:
            logging.getLogger(__name__).exception("reading the source of %s", candidate.name)
            text = f"its source could not be analysed: {type(error).__name__}: {error}"
            unknown = Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.SUSPICIOUS, text=text)
            return SourceSeen(findings=(unknown,))

    def judge(self, candidate: Candidate, course: Course) -> Judgement:
        """The pure part."""
        bench = self._own_benches.get(candidate.id, self._bench)
        threads = self._wall.rooms.threads
        judging = Judging(self._task, self.settings, self._device, threads)
        if bench is not None:
            exam = bench.exam
            judging = replace(judging, plan=exam.plan, axes=exam.reference.axes)
        return judging.judgement(candidate, course)


def limits_seen(task: Task, device: DeviceBackend, settings: Settings) -> LimitsSeen:
    """The floor under every time of a task on a device; where there is none, why."""
    if not settings.timing:
        return LimitsSeen(reason="timing was switched off")
    if device.peaks() is None:
        return LimitsSeen(reason=f"no vendor peaks are known for {device.describe().name}")
    from assay.floor import floor_on  # its tracer imports Triton, 0.2 s that a CPU need not pay

    return floor_on(device, task, settings.tf32)
