"""EvaluationContext: one task's exam, drawn once, and the candidates evaluated on it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from assay.candidate_run import CandidateRun
from assay.data.candidate import Candidate
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import (
    BuildSeen,
    CompiledSeen,
    EndCause,
    EndSeen,
    EvalModeSeen,
    HostFailed,
    LeftoverSeen,
    LimitsSeen,
    NullPassed,
    Observation,
    SourceSeen,
    TaskBroken,
)
from assay.data.plan import Plan
from assay.data.progress import Report
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.workload import Workload
from assay.devices.device_adapter import DeviceBackend
from assay.devices.device_company import DeviceProcess
from assay.devices.device_registry import backend
from assay.devices.device_shortage import DeviceShortage, lack_of_memory, shortage
from assay.errors import HostError, TaskError
from assay.exam.exam import ContentKey, Exam
from assay.exam.for_candidate.candidate_draws import source_literals
from assay.exam.full_shape.full_shape_exam import FullShapeExam, pinned_precision
from assay.exam.full_shape.full_shape_plan import (
    SMALL_BYTES,
    FullShapePlan,
    full_shape_plan,
    is_large,
)
from assay.exam.memory_need import alike, scaled, within_memory
from assay.exam.null_check import nulls_passed
from assay.exam.on_device.device_reference import DeviceReference
from assay.exam.prefetch.sweep_prefetch import SweepPrefetch
from assay.exam.reference_check import check_reference
from assay.exam.secret import Secret
from assay.exam.workloads.timed_shapes import timed_shapes
from assay.exam.workloads.workload_sweep import swept
from assay.fitting_shape import fitting_shape
from assay.judgement import JudgementBuilder, RunResult
from assay.languages.architecture import device_architecture
from assay.run_context import MOST_DEVICE_BYTES, RunContext
from assay.sandbox.host.wall import Wall
from assay.source_analysis.analysis import analyse, closing_reductions, findings
from assay.source_analysis.literals.branch_remarks import branch_remarks
from assay.source_analysis.narrowing import narrowings
from assay.source_analysis.task_facts import Given, small_inputs
from assay.tasks.references.reference import Reference
from assay.tasks.references.training_modes import in_other_mode
from assay.timing.device_lease import DeviceLease
from assay.timing.device_share import DeviceShare

if TYPE_CHECKING:
    from assay.profile.compile.compile_beside import CompileBeside

_SCALED_SHARE = 0.25  # of the limit of a first call: a smaller shape is chosen to be quick
_BY_COMPANY = (EndCause.TIMED_OUT, EndCause.OUT_OF_MEMORY)  # ends that others may bring about


class EvaluationContext:
    """Everything the candidates of one call share."""

    def __init__(self, wall: Wall, task: Task, settings: Settings, replay: Plan | None) -> None:
        self._wall = wall
        self._task = task
        self.settings = settings
        self._replay = replay
        self._backend = backend(settings.device)
        self._device = self._backend.describe()
        self._failure: Observation | None = None
        self._lease = DeviceLease(self._backend.accelerated, wall.judges_lock)
        self._drawing = threading.RLock()  # of the thread that draws the exam; others wait
        memory_bytes = self._device.memory_bytes if self._backend.accelerated else None
        self._share = DeviceShare(self._lease, memory_bytes)
        self._share.allow(settings.jobs, MOST_DEVICE_BYTES)
        self._full_plan: FullShapePlan | None = None  # once it was looked for
        self._nulls: dict[str, list[NullPassed]] = {}  # by the plan's secret
        self._plans: dict[str, Plan] = {}  # with what was drawn for each candidate
        self._compiler = self._rubric_compiler()

    @property
    def at_once(self) -> int:
        """How many candidates are judged at the same time."""
        return self._lease.at_once

    def judge_at_once(self, candidates: int, lanes: int = 1) -> None:
        """From now on so many at a time, or as many as a lane's part of a device's memory holds."""
        self._share.divide(lanes)
        if self._share.allow(candidates, MOST_DEVICE_BYTES) < candidates:
            with self._share.of_candidate(lambda: None):
                run_context = self._run_context
            if run_context is not None:
                self._share.allow(candidates, run_context.device_bytes)

    def close(self) -> None:
        """End the processes that stay from one candidate to the next, while nobody is timed."""
        drawn = self.__dict__.get("_drawn")
        if drawn is not None:
            with self._lease.shared():
                drawn.baseline_pool.dismiss()
        if self._compiler is not None:
            self._compiler.close()

    def _rubric_compiler(self) -> CompileBeside | None:
        """For a chip that compilers know, and where nobody is in a hurry."""
        arch = device_architecture(self._device.architecture)
        if arch is None or self.settings.level.is_short:
            return None
        from assay.profile.compile.compile_beside import CompileBeside  # a CPU never needs it

        return CompileBeside(arch)

    @property
    def _run_context(self) -> RunContext | None:
        """The exam and its script; None where the task or our machinery failed."""
        if "_drawn" in self.__dict__:
            return self._drawn
        with self._lease.aside(), self._drawing:  # it is drawn as candidates are built
            return self._drawn

    @cached_property
    def _drawn(self) -> RunContext | None:
        try:
            exam = self._exam(Reference(self._task))
            check_reference(exam)
            with self._lease.shared():  # from here on the device is used
                run_context = self._set_up(exam)
                with self._lease.others_kept_out():
                    _ = self._wall.idle_probe  # felt before any candidate is at work
            return run_context
        except TaskError as error:
            self._failure = self._of_task(error)
        except HostError as error:
            self._failure = HostFailed(text=str(error))
        except Exception as error:  # a fault of ours costs this task, not the whole run
            logging.getLogger(__name__).exception("drawing the exam of %s", self._task.id)
            self._failure = HostFailed(text=f"{type(error).__name__}: {error}")
        return None

    def _set_up(self, exam: Exam) -> RunContext:
        if self._backend.accelerated:
            there = self._backend.torch_device
            exam.device = DeviceReference(self._task.id, there, exam.plan.tf32)
        made = RunContext.set_up(self._wall, exam, self.settings, self._device, self._lease)
        return replace(made, full_shape=self._full_shape(exam), afterwards=lambda: self._limits)

    def _exam(self, reference: Reference, own: Workload | None = None) -> Exam:
        """Of the plan that is replayed, or of workloads found now: the own one, and others."""
        replay = self._replay
        if replay is not None and replay.is_drawn and own is None:
            return Exam(reference, replay.for_all)
        settings = self.settings
        secret = Secret.draw() if replay is None else Secret(replay.secret)
        if own is not None:
            secret = secret.derived("smaller shape", own.model_dump_json())
        own = own or self._fitting_own(reference)
        exam = Exam(reference, Plan.of(settings, secret.hex, (own,)))
        alone = not self._backend.accelerated and self.at_once == 1
        with SweepPrefetch(exam, wanted=alone and not settings.level.is_short) as prefetch:
            found = swept(reference, settings.level, secret.random("sweep"))
            for workload in islice(found, 1, None):  # the own one is admitted
                prefetch.admit(alike(reference, workload, own))
            if settings.time_shapes:
                for workload in timed_shapes(reference, secret.random("timed shapes")):
                    prefetch.admit(alike(reference, workload, own))
            for workload in in_other_mode(reference, exam.plan.workloads):
                prefetch.admit(workload)
        return exam

    def _fitting_own(self, reference: Reference) -> Workload:
        """The own workload as the judge's memory allows; small where a device judges the full."""
        if self._full_shape_plan(reference).cutting is None:
            return within_memory(reference)
        return within_memory(reference, SMALL_BYTES)

    def _full_shape_plan(self, reference: Reference) -> FullShapePlan:
        if self._full_plan is None:
            asked = self._backend.accelerated and is_large(reference)
            none = FullShapePlan(None)
            self._full_plan = full_shape_plan(reference, self._device) if asked else none
        return self._full_plan

    def _full_shape(self, exam: Exam) -> FullShapeExam | None:
        """What is asked at the full shape beside the exam, where that is smaller."""
        cutting = self._full_shape_plan(exam.reference).cutting
        if cutting is None or scaled(exam.reference, exam.plan.workloads[0]) is None:
            return None
        made = FullShapeExam.beside(exam, cutting, self._backend.torch_device)
        made.others = self._others
        try:
            with pinned_precision(exam.plan.tf32):
                made.expectation(ContentKey(0))  # it runs there
        except (TaskError, DeviceShortage, RuntimeError) as error:
            self._full_plan = FullShapePlan(None, f"it does not run on the device: {error}"[:300])
            return None
        finally:
            made.forget()
        return made

    def observe(self, candidate: Candidate, report: Report) -> list[Observation]:
        """What is seen of one candidate: its source, then its run."""
        with self._share.of_candidate(lambda: report("waiting for the device", None)):
            report("drawing", None)
            return self._observed(candidate, report)

    def _observed(self, candidate: Candidate, report: Report) -> list[Observation]:
        run_context = self._run_context
        if run_context is None:
            assert self._failure is not None
            return [self._failure]
        report("reading the source", None)
        seen: list[Observation] = [self._read(candidate)]
        compiling = self._compiler.start(candidate) if self._compiler is not None else None
        try:
            seen += self._judged_alike(run_context, candidate, report)
        except HostError as error:
            seen.append(HostFailed(text=str(error)))
        except TaskError as error:
            seen.append(self._of_task(error))
        except Exception as error:  # a fault of ours must not cost the other candidates
            logging.getLogger(__name__).exception("evaluating %s", candidate.name)
            lack = lack_of_memory(error)
            text = f"{type(error).__name__}: {error}" if lack is None else self._lacking(lack)
            seen.append(HostFailed(text=text))
        if compiling is not None and ran_to_its_end(seen):
            report("compiling for the rubric", None)
            seen.append(CompiledSeen(report=compiling.result()))
        report("limits", None)
        return [*seen, self._limits]

    def _of_task(self, error: TaskError) -> Observation:
        """Its own failure, unless a device lacked memory."""
        lack = lack_of_memory(error)
        return TaskBroken(text=str(error)) if lack is None else HostFailed(text=self._lacking(lack))

    def _lacking(self, lack: BaseException) -> str:
        return str(shortage(lack, self._others()))

    def _others(self) -> tuple[DeviceProcess, ...]:
        """Who else is on a device, and may hold memory there."""
        return self._wall.company.users() if self._backend.accelerated else ()

    def _judged_alike(
        self, run_context: RunContext, candidate: Candidate, report: Report
    ) -> list[Observation]:
        """The same as if nobody else were there: what company may have caused is asked alone.

        Processes share a device by turns: work of one looks like work that another left, and takes
        its time and memory. Processors of the host are told apart by the kernel.
        """
        seen = self._candidate_seen(run_context, candidate, report)
        had_company = self._backend.accelerated and self._lease.had_company
        if not had_company or not any(map(_by_company, seen)):
            return seen
        with self._lease.alone(lambda: report("waiting to be alone", None), quiet=True):
            return self._candidate_seen(run_context, candidate, report)

    def _candidate_seen(
        self, run_context: RunContext, candidate: Candidate, report: Report
    ) -> list[Observation]:
        """At the own shape, or at a smaller one where that is too slow for an interpreter."""
        own = run_context.for_candidate(candidate, self._replay)
        candidate_run, reason = CandidateRun(own, candidate, report), ""
        seen = candidate_run.observe()
        limit_s = run_context.first_call_limit_s(candidate)
        if candidate_run.too_slow and limit_s is not None:
            report("scaling", None)
            smaller = self._smaller(run_context, candidate, limit_s)
            if smaller is not None:
                run_context = smaller
                own = run_context.for_candidate(candidate, None)
                reason = f"the interpreter takes longer than {limit_s:.0f} s for one call of it"
                seen = CandidateRun(own, candidate, report).observe()
        self._plans[candidate.id] = own.exam.asked_plan
        exam = run_context.exam
        reason = reason or self._full_shape_plan(exam.reference).reason
        found = scaled(exam.reference, exam.plan.workloads[0], reason)
        found = None if candidate_run.asked_full_shape else found
        report("trivial answers", None)
        told = [found] if found else []
        mode = [EvalModeSeen()] if exam.reference.asked_in_eval else []
        return [*told, *mode, *seen, *self._nulls_passed(run_context.exam)]

    def _nulls_passed(self, exam: Exam) -> list[NullPassed]:
        """Asked once for all candidates of an exam, after the first: most truths are known then."""
        secret = exam.plan.secret
        with exam.turn:
            if secret not in self._nulls:
                self._nulls[secret] = nulls_passed(exam)
            return self._nulls[secret]

    def _smaller(
        self, run_context: RunContext, candidate: Candidate, limit_s: float
    ) -> RunContext | None:
        """An exam whose own workload the candidate's interpreter computes in time."""
        own = fitting_shape(run_context, candidate, _SCALED_SHARE * limit_s)
        if own is None:
            return None
        with run_context.exam.turn:  # one thread at a time runs the reference
            exam = self._exam(run_context.exam.reference, own)
            exam.turn = run_context.exam.turn
            check_reference(exam)
            return self._set_up(exam)

    @cached_property
    def _limits(self) -> LimitsSeen:
        assert self._run_context is not None
        exam = self._run_context.exam
        full = self._run_context.full_shape
        if full is None and (found := scaled(exam.reference, exam.plan.workloads[0])):
            return LimitsSeen(reason=f"judged at a smaller shape than its own: {found.text}")
        with exam.turn:
            return limits_seen(self._task, self._backend, self.settings)

    @cached_property
    def _given(self) -> Given:
        """What the source analysis is told; of gradients the sizes of inputs are not."""
        assert self._run_context is not None
        reference = self._run_context.exam.reference
        shapes = reference.input_shapes(reference.own_axes)
        hidden = frozenset(self._wall.packages.hidden)
        return Given(self.settings.allow_packages, small_inputs(shapes), hidden)

    def _read(self, candidate: Candidate) -> Observation:
        """The source; where our analysis fails the other layers look, but unknown never passes."""
        try:
            report = analyse(candidate, self._given)
            remarks = branch_remarks(source_literals(candidate))
            found = (*findings(report, self.settings.track), *narrowings(candidate), *remarks)
            return SourceSeen(findings=found, closing=closing_reductions(report))
        except Exception as error:
            logging.getLogger(__name__).exception("reading the source of %s", candidate.name)
            text = f"its source could not be analysed: {type(error).__name__}: {error}"
            unknown = Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.SUSPICIOUS, text=text)
            return SourceSeen(findings=(unknown,))

    def judge(self, candidate: Candidate, run_result: RunResult) -> Judgement:
        """The pure part."""
        run_context = self._run_context
        threads = self._wall.sandbox_limits.threads
        judging = JudgementBuilder(self._task, self.settings, self._device, threads)
        if run_context is not None:
            exam = run_context.exam
            plan = self._plans.get(candidate.id, exam.plan)
            judging = replace(judging, plan=plan, axes=exam.reference.axes)
        return judging.judgement(candidate, run_result)


def _by_company(seen: Observation) -> bool:
    """Whether other candidates on the same device may have brought it about."""
    if isinstance(seen, EndSeen):
        return seen.cause in _BY_COMPANY and not seen.optional
    return isinstance(seen, LeftoverSeen) and seen.on_device


def ran_to_its_end(seen: Sequence[Observation]) -> bool:
    """Whether there is a kernel whose compilation is of interest."""
    return not any(map(_is_end, seen))


def _is_end(seen: Observation) -> bool:
    """Whether there is no kernel that ran to the end."""
    if isinstance(seen, EndSeen):
        return not seen.optional
    if isinstance(seen, BuildSeen):
        return not seen.ok
    return isinstance(seen, HostFailed | TaskBroken)


def limits_seen(task: Task, device: DeviceBackend, settings: Settings) -> LimitsSeen:
    """The floor under every time of a task on a device; where there is none, why."""
    if not settings.timing:
        return LimitsSeen(reason=settings.untimed)
    if device.peaks() is None:
        return LimitsSeen(reason=f"no vendor peaks are known for {device.describe().name}")
    from assay.limits.task_floor import (
        floor_on,  # its tracer imports Triton, 0.2 s that a CPU need not pay
    )

    return floor_on(device, task, settings.tf32)
