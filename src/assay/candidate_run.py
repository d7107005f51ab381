"""CandidateRun: one candidate's calls and checks behind the wall; nothing is decided."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial

from assay.checks.check_contract import CheckContext, observed
from assay.checks.code_sampling import overlook
from assay.checks.leftovers import device_left_at_work
from assay.data.candidate import Candidate
from assay.data.check import CheckStage, Execution
from assay.data.observations.observation import (
    CheckMissing,
    EndCause,
    EndSeen,
    LeftoverSeen,
    Observation,
    TimesSeen,
)
from assay.data.progress import Report
from assay.exam.builds.deferred_warmup import DeferredWarmup, own_first
from assay.exam.candidate_build import Builder, Built
from assay.exam.exam import ContentKey
from assay.exam.exam_amounts import AMOUNTS
from assay.exam.full_shape.full_shape_exam import FullShapeExam
from assay.exam.leftover_work import unprobed, without_foreign_work
from assay.exam.pace import Pace, spared_end
from assay.exam.replica import ReplicaFactory, stand_still
from assay.exam.script import ScriptedBatch
from assay.exam.script_runner import ENOUGH_WRONG, ScriptRunner
from assay.full_shape_run import FullShapeRun
from assay.languages.language_registry import language
from assay.run_context import RunContext
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.shape_timing import ShapeTiming
from assay.timing.timing_turn import timing_turn

_ATTEMPTS = 3  # new beginnings without what did not fit the time
_FAULTS = {signal.SIGSEGV, signal.SIGBUS}


class CandidateRun:
    """One candidate's way through."""

    def __init__(self, run_context: RunContext, candidate: Candidate, report: Report) -> None:
        self._run_context = run_context
        self._candidate = candidate
        self._report = report
        self._script = run_context.script
        self._seen: list[Observation] = []
        self._phase = "build"
        self._left_out: list[Observation] = []
        self._context: CheckContext | None = None  # of the last process whose calls were made
        self._objects_read = False
        self._device_unseen = False  # whether others hid what the device does after some batch
        self.too_slow = False  # for its interpreter, on the own shape
        self.asked_full_shape = False

    def observe(self) -> list[Observation]:
        """Build, examine, look around; time where asked. Never raises for a candidate's fault."""
        self._prefetch = self._run_context.prefetch(self._script)
        late = self._attempt()
        for _ in range(_ATTEMPTS):
            if late is None:
                break
            self._leave_out(late)
            late = self._attempt()
        if late is not None:
            self._seen.append(late.model_copy(update={"optional": False}))
        if self._context is not None:
            self._check(CheckStage.ENDED, self._context)
        return self._seen

    def _leave_out(self, late: EndSeen) -> None:
        """Begin anew, without the sizes that need not fit the time."""
        kept = [batch for batch in self._script if not batch.stretched]
        slow = self._as_slow(late)
        self._script = [batch for batch in kept if slow.isdisjoint(batch.workloads)]
        self._left_out.append(late)
        self._seen, self._phase = list(self._left_out), "build"

    def _as_slow(self, late: EndSeen) -> set[int]:
        """The workload that was late; in an interpreter also the others that are as large."""
        if late.workload is None or not self._run_context.interprets(self._candidate):
            return set() if late.workload is None else {late.workload}
        exam = self._run_context.exam
        sizes = [exam.content(ContentKey(n)).elements for n in range(len(exam.plan.workloads))]
        return {n for n, size in enumerate(sizes) if n and size >= sizes[late.workload]}

    def _attempt(self) -> EndSeen | None:
        """One session; the end to excuse where only a size did not fit that need not."""
        self._context, run_context = None, self._run_context
        if run_context.has_idle_processor:
            self._prefetch.start()  # it may fork: nobody else may be at work in this process
        self._report("starting", None)
        session = Session(self._run_context.wall)
        self._seen.append(session.layers_seen())
        self._seen += unprobed(session.idle_probe)
        try:
            built = self._build(session)
            if built is not None and built.seen.ok:
                return self._run_script(session, built)
        finally:
            self._prefetch.stop()
            self._report("closing", None)
            session.close()
            if not run_context.lease.has_company:
                self._seen = without_foreign_work(self._seen, session.idle_probe)
        return None

    def _build(self, session: Session) -> Built | None:
        self._report("building", None)
        builder = Builder(self._run_context.exam, self._run_context.cache)
        try:
            limit_s = self._run_context.first_call_limit_s(self._candidate)
            settings = self._run_context.settings
            with self._run_context.lease.aside():
                built = builder.build(session, self._candidate, settings, limit_s)
        except ProcessLost as lost:
            self._note_end(lost, None)
            return None
        if built.late:
            self.too_slow, log = True, built.seen.log
            late = EndSeen(cause=EndCause.TIMED_OUT, phase=built.seen.phase, text=log)
            self._seen.append(late)
            return None
        self._seen.append(built.seen)
        if built.out_of_memory:
            cause, seen = EndCause.OUT_OF_MEMORY, built.seen
            self._seen.append(EndSeen(cause=cause, phase=seen.phase, text=seen.log))
        return built

    def _run_script(self, session: Session, built: Built) -> EndSeen | None:
        self._draw_from_objects(session)
        self._phase = "calls"
        script_runner = self._script_runner(session, built)
        script_runner.warmup = self._warmup(session, built)
        context = self._context = self._context_of(session, script_runner)
        try:
            self._check(CheckStage.BUILT, context)
            self._call(context)
            self._prefetch.stop()  # from here on the machine is the candidate's
            self._check(CheckStage.CALLED, context)
        except ProcessLost as lost:
            self._seen += script_runner.observations
            late = self._excused(lost, script_runner)
            if late is None:
                self._note_end(lost, script_runner)
            elif script_runner.wrong:  # it is wrong already: no second attempt
                self._seen.append(late)
                return None
            return late
        self._seen += script_runner.observations
        self._time(context)
        return None

    def _warmup(self, session: Session, built: Built) -> DeferredWarmup | None:
        """Where its kernels are compiled at the first call of a shape: the own shape goes first."""
        run_context = self._run_context
        warmup = run_context.warmup(self._candidate, session, built.compiling_s, self._report)
        if warmup is not None:
            self._script = own_first(self._run_context.exam, self._script)
        return warmup

    def _draw_from_objects(self, session: Session) -> None:
        """Once: what the built objects ask for beyond the source."""
        draws = self._run_context.draws
        if draws is not None and not self._objects_read:
            self._objects_read = True
            session.process.freeze()
            self._script = draws.from_objects(self._script, session.process.scratch)

    def _context_of(self, session: Session, script_runner: ScriptRunner) -> CheckContext:
        run_context = self._run_context
        return CheckContext(
            candidate=self._candidate,
            settings=run_context.settings,
            device=run_context.device,
            execution=run_context.execution(self._candidate),
            wall=run_context.wall,
            cache=run_context.cache,
            exam=run_context.exam,
            session=session,
            script_runner=script_runner,
            report=self._report,
            stage=CheckStage.BUILT,
            deadline=Deadline.after(run_context.settings.timeout_s),
            seen=(),
        )

    def _check(self, stage: CheckStage, context: CheckContext) -> None:
        """Every check that is due now; what each saw is kept, whatever the next does."""
        for seen in self._checked(replace(context, stage=stage)):
            self._seen.append(seen)

    def _checked(self, context: CheckContext) -> Iterator[Observation]:
        """What the checks see that are due, in their order. Raises Lost."""
        phase = self._phase
        for check in self._run_context.checks:
            if check.is_due(context):
                self._phase = check.phase or phase
                deadline = Deadline.after(context.settings.timeout_s)
                now = replace(context, seen=tuple(self._seen), deadline=deadline)
                yield from observed(check, now)
        self._phase = phase

    def _call(self, context: CheckContext) -> None:
        """The whole script; on a CPU the threads are sampled in passing."""
        among = replace(context, stage=CheckStage.AMONG_CALLS)
        run = partial(context.script_runner.run, self._script, partial(self._look, among))
        if context.execution is Execution.DEVICE:
            run()
        else:
            interpreted = context.execution is Execution.INTERPRETER
            self._seen.append(overlook(context.session, interpreted, run))

    def _look(self, context: CheckContext, number: int, thorough: bool) -> list[Observation]:
        """After a batch. What others do on the device looks like work that was left there.

        Where they are, it is looked at after the first batch and the drawn ones alone.
        """
        lease = self._run_context.lease
        company = lease.has_company
        now = replace(context, batch=number, thorough=thorough, has_company=company)
        found = list(self._checked(now))
        if not (company or lease.has_company):
            return found
        self._device_unseen = True
        found = [o for o in found if not _is_on_device(o)]
        if context.execution is Execution.DEVICE:
            session = context.session
            session.process.freeze()
            lease.give_way(lambda: self._report("waiting for others", None))
            known = any(map(_is_on_device, context.script_runner.observations))
            if (thorough or number == 0) and not known:
                found += self._left_at_work(session, self._alone("waiting to be alone", session))
        return found

    def _excused(self, lost: ProcessLost, script_runner: ScriptRunner) -> EndSeen | None:
        """The end on a size that need not fit time and memory, where one of these ran out."""
        workload = script_runner.spared()
        return None if workload is None else spared_end(self._phase, workload, lost.cause)

    def _script_runner(self, session: Session, built: Built, guarded: bool = True) -> ScriptRunner:
        settings, exam = self._run_context.settings, self._run_context.exam
        own = exam.content(ContentKey(0)).elements
        soft = min(AMOUNTS[settings.level].soft_budget_s, 0.5 * settings.timeout_s)
        interpreted = self._run_context.interprets(self._candidate)
        compiles = self._run_context.accelerated and not interpreted
        pace = Pace(settings.timeout_s, soft, built.first_call_s, own, interpreted, compiles)
        progress = lambda share: self._report("calling", share)  # noqa: E731
        enough = 1 if settings.first_fault else ENOUGH_WRONG
        script_runner = ScriptRunner(exam, session, pace, progress, guarded, enough)
        script_runner.instances.adopt(0)
        return script_runner

    def _note_end(self, lost: ProcessLost, script_runner: ScriptRunner | None) -> None:
        batch = script_runner.last if script_runner is not None else None
        workload = batch.calls[0].content_key.workload if batch is not None else None
        fault = lost.cause is EndCause.SIGNALLED and lost.code in _FAULTS
        guard_page = fault and batch is not None and self._survives_unguarded(batch)
        self._seen.append(
            EndSeen(
                cause=lost.cause,
                code=lost.code,
                phase=self._phase,
                workload=workload,
                guard_page=guard_page,
                text=lost.text,
            )
        )

    def _survives_unguarded(self, batch: ScriptedBatch) -> bool:
        """The same calls up to the fatal one, in a new process, with no input at a guard page."""
        session = Session(self._run_context.wall)
        try:
            builder = Builder(self._run_context.exam, self._run_context.cache)
            built = builder.build(session, self._candidate, self._run_context.settings)
            if not built.seen.ok:
                return False
            script_runner = self._script_runner(session, built, guarded=False)
            script = self._script
            end = script.index(batch) + 1 if batch in script else len(script)
            script_runner.run(script[:end])
            return True
        except ProcessLost:
            return False
        finally:
            session.close()

    def _time(self, context: CheckContext) -> None:
        untimed, full = self._untimed(context), self._run_context.full_shape
        if full is not None and not context.script_runner.wrong:
            self._ask_full_shape(context, full, untimed)
            return
        if untimed is None:
            self._phase = "timing"
            self._time_right(context, self._run_context.replicas(self._candidate))
            return
        alone = self._alone("waiting to be alone", context.session)
        self._seen += self._left_at_work(context.session, alone)
        self._seen.append(TimesSeen(reason=untimed))

    def _ask_full_shape(
        self, context: CheckContext, exam: FullShapeExam, untimed: str | None
    ) -> None:
        """At the task's own size; it is timed there alone."""
        self._phase, self.asked_full_shape = "full shape", True
        asked = (self._run_context, exam, self._candidate, context.script_runner, self._report)
        run = FullShapeRun(*asked)
        try:
            with self._alone("waiting to be alone", context.session):
                for seen in run.observe(untimed):  # kept where a process ends
                    self._seen.append(seen)
                for process in run.sessions:
                    self._check(
                        CheckStage.TIMED, replace(context, session=process, exam=run.looked_at)
                    )
        except ProcessLost as lost:
            self._note_end(lost, None)
        finally:
            run.close()

    def _untimed(self, context: CheckContext) -> str | None:
        """Why it is not timed."""
        if not context.settings.timing:
            return context.settings.untimed
        if self._run_context.interprets(self._candidate):
            return language(self._candidate.language).untimed
        return "not timed: the candidate is not right" if context.script_runner.wrong else None

    def _left_at_work(
        self, session: Session, alone: AbstractContextManager[None]
    ) -> list[LeftoverSeen | CheckMissing]:
        """On the device after all calls, where others hid it after a batch."""
        if not self._device_unseen or session.idle_probe is None:
            return []
        self._report("device at rest", None)
        return device_left_at_work(session, alone)

    def _time_right(self, context: CheckContext, replicas: ReplicaFactory) -> None:
        """Timed calls may change what other calls left alone, in each process that made them."""
        session, stopwatch = context.session, self._run_context.stopwatch(replicas)
        try:
            session.process.freeze()
            with self._run_context.lease.aside():  # others may be timed meanwhile
                stopwatch.build(context.script_runner, self._report)
            stopwatch.prepare(session, self._report)
            with self._alone("waiting to time", session, replicas), self._turn() as remark:
                self._report("preparing to time", None)
                self._seen += [] if remark is None else [remark]
                self._seen += self._left_at_work(session, nullcontext())
                self._seen += stopwatch.time(session, context.script_runner, self._report)
                self._time_shapes(context)
            for process in (session, *replicas.sessions):
                self._check(CheckStage.TIMED, replace(context, session=process))
        except ProcessLost as lost:
            self._note_end(lost, None)
        finally:
            replicas.close()

    @contextmanager
    def _alone(
        self, stage: str, session: Session, timed: ReplicaFactory | None = None
    ) -> Iterator[None]:
        """No other candidate's calls meanwhile; while this one waits its processes stand still."""
        lease = self._run_context.lease
        if not lease.is_needed:
            yield
            return
        stand_still(session, timed)
        with lease.alone(lambda: self._report(stage, None), calls_over=timed is not None):
            yield
            stand_still(session, timed)
            self._report("waiting to go on", None)

    def _time_shapes(self, context: CheckContext) -> None:
        """Beside the own shape one of every category, where that was asked for."""
        if context.settings.time_shapes:
            asked = (self._run_context, self._candidate, context.script_runner, self._report)
            for seen in ShapeTiming(*asked).time():  # what was seen before a process ended is kept
                self._seen.append(seen)

    def _turn(self) -> AbstractContextManager[CheckMissing | None]:
        """Nobody else of this user times meanwhile; a GPU's stopwatch sees to that itself."""
        if self._run_context.accelerated:
            return nullcontext()
        return timing_turn(self._run_context.device, self._report)


def _is_on_device(seen: Observation) -> bool:
    return isinstance(seen, LeftoverSeen) and seen.on_device
