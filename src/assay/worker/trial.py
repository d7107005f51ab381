"""Trial: one candidate put to one exam behind the wall; everything seen, nothing decided."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial

from assay.checks.check import CheckContext, observed
from assay.checks.code_sampling import overlook
from assay.data.candidate import Candidate
from assay.data.check import CheckStage, Execution
from assay.data.observation import (
    CheckMissing,
    EndCause,
    EndSeen,
    LayersSeen,
    Observation,
    TimesSeen,
)
from assay.data.progress import Report
from assay.languages.registry import language
from assay.worker.bench import Bench
from assay.worker.host.build import Builder, Built
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Question
from assay.worker.host.exam_amounts import AMOUNTS
from assay.worker.host.examiner import ENOUGH_WRONG, Examiner
from assay.worker.host.foresight import Foresight
from assay.worker.host.listening import unfelt, without_the_machines
from assay.worker.host.pace import Pace, too_late
from assay.worker.host.process import Lost
from assay.worker.host.script import ScriptedBatch
from assay.worker.host.session import Session
from assay.worker.host.timing_turn import timing_turn
from assay.worker.host.twin import Twins
from assay.worker.sandbox.spec import Isolation

_ATTEMPTS = 3  # new beginnings without what did not fit the time
_FAULTS = {signal.SIGSEGV, signal.SIGBUS}


class Trial:
    """One candidate's way through."""

    def __init__(self, bench: Bench, candidate: Candidate, report: Report) -> None:
        self._bench = bench
        self._candidate = candidate
        self._report = report
        self._script = bench.script
        self._seen: list[Observation] = []
        self._phase = "build"
        self._left_out: list[Observation] = []
        self._context: CheckContext | None = None  # of the last process whose calls were made
        self.too_slow = False  # for its interpreter, on the own shape

    def observe(self) -> list[Observation]:
        """Build, examine, look around; time where asked. Never raises for a candidate's fault."""
        self._foresight = Foresight(self._bench.exam, self._script)
        self._rehearse()
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
        if late.workload is None or not self._bench.interprets(self._candidate):
            return set() if late.workload is None else {late.workload}
        exam = self._bench.exam
        sizes = [exam.content(Question(n)).elements for n in range(len(exam.plan.workloads))]
        return {n for n, size in enumerate(sizes) if n and size >= sizes[late.workload]}

    def _rehearse(self) -> None:
        """Have it compiled side by side; what does not fit the time there is not asked here."""
        if not self._bench.rehearses(self._candidate):
            return
        self._report("compiling", None)
        late = self._bench.late(self._candidate)
        self._script = [b for b in self._script if late.isdisjoint(b.workloads)]
        self._left_out += [too_late("calls", workload) for workload in sorted(late)]
        self._seen += self._left_out

    def _attempt(self) -> EndSeen | None:
        """One session; the end to excuse where only a size did not fit that need not."""
        self._context, bench = None, self._bench
        if not bench.accelerated and bench.settings.at_once == 1:
            self._foresight.start()  # it forks, so nobody else may be at work in this process
        session = Session(self._bench.wall)
        self._note_layers(session)
        self._seen += unfelt(session.pulse)
        try:
            built = self._build(session)
            if built is not None and built.seen.ok:
                return self._examine(session, built)
        finally:
            self._foresight.stop()
            session.close()
            self._seen = without_the_machines(self._seen, session.pulse)
        return None

    def _note_layers(self, session: Session) -> None:
        isolation = self._bench.wall.isolation
        missing = [] if isolation is Isolation.NAMESPACES else ["namespaces"]
        if isolation is Isolation.NONE:
            missing += ["landlock", "seccomp"]
        isolated = isolation is not Isolation.NONE
        seen = LayersSeen(held=session.layers, missing=tuple(missing), isolated=isolated)
        self._seen.append(seen)

    def _build(self, session: Session) -> Built | None:
        self._report("building", None)
        builder = Builder(self._bench.exam, self._bench.cache)
        try:
            limit_s = self._bench.first_call_limit_s(self._candidate)
            built = builder.build(session, self._candidate, self._bench.settings, limit_s)
        except Lost as lost:
            self._note_end(lost, None)
            return None
        if built.late:
            self.too_slow = True
            cause, text = EndCause.TIMED_OUT, built.seen.log
            self._seen.append(EndSeen(cause=cause, phase=built.seen.phase, text=text))
            return None
        self._seen.append(built.seen)
        if built.out_of_memory:
            cause = EndCause.OUT_OF_MEMORY
            self._seen.append(EndSeen(cause=cause, phase=built.seen.phase, text=built.seen.log))
        return built

    def _examine(self, session: Session, built: Built) -> EndSeen | None:
        self._phase = "calls"
        examiner = self._examiner(session, built)
        context = self._context = self._context_of(session, examiner)
        try:
            self._check(CheckStage.BUILT, context)
            self._call(context)
            self._foresight.stop()  # from here on the machine is the candidate's
            self._check(CheckStage.CALLED, context)
        except Lost as lost:
            self._seen += examiner.observations
            late = self._excused(lost, examiner)
            if late is None:
                self._note_end(lost, examiner)
            elif examiner.wrong:  # it is wrong already: no second attempt
                self._seen.append(late)
                return None
            return late
        self._seen += examiner.observations
        self._time(context)
        return None

    def _context_of(self, session: Session, examiner: Examiner) -> CheckContext:
        bench = self._bench
        return CheckContext(
            candidate=self._candidate,
            settings=bench.settings,
            device=bench.device,
            execution=bench.execution(self._candidate),
            wall=bench.wall,
            cache=bench.cache,
            exam=bench.exam,
            session=session,
            examiner=examiner,
            report=self._report,
            stage=CheckStage.BUILT,
            deadline=Deadline.after(bench.settings.timeout_s),
            seen=(),
        )

    def _check(self, stage: CheckStage, context: CheckContext) -> None:
        """Every check that is due now; what each saw is kept, whatever the next does."""
        for seen in self._checked(replace(context, stage=stage)):
            self._seen.append(seen)

    def _checked(self, context: CheckContext) -> Iterator[Observation]:
        """What the checks see that are due, in their order. Raises Lost."""
        phase = self._phase
        for check in self._bench.checks:
            if check.is_due(context):
                self._phase = check.phase or phase
                deadline = Deadline.after(context.settings.timeout_s)
                now = replace(context, seen=tuple(self._seen), deadline=deadline)
                yield from observed(check, now)
        self._phase = phase

    def _call(self, context: CheckContext) -> None:
        """The whole script; on a CPU the threads are sampled in passing."""
        among = replace(context, stage=CheckStage.AMONG_CALLS)

        def look(number: int, thorough: bool) -> list[Observation]:
            return list(self._checked(replace(among, batch=number, thorough=thorough)))

        run = partial(context.examiner.run, self._script, look)
        if context.execution is Execution.DEVICE:
            run()
        else:
            interpreted = context.execution is Execution.INTERPRETER
            self._seen.append(overlook(context.session, interpreted, run))

    def _excused(self, lost: Lost, examiner: Examiner) -> EndSeen | None:
        """The end of a candidate that was too slow on a size that need not fit the time."""
        workload = examiner.spared()
        if workload is None or lost.cause is not EndCause.TIMED_OUT:
            return None
        return too_late(self._phase, workload)

    def _examiner(self, session: Session, built: Built, guarded: bool = True) -> Examiner:
        level = self._bench.settings.level
        own = self._bench.exam.content(Question(0)).elements
        timeout_s = self._bench.settings.timeout_s
        soft = min(AMOUNTS[level].soft_budget_s, 0.5 * timeout_s)
        interpreted = self._bench.interprets(self._candidate)
        compiles = self._bench.accelerated and not interpreted
        pace = Pace(timeout_s, soft, built.first_call_s, own, interpreted, compiles)
        progress = lambda share: self._report("calling", share)  # noqa: E731
        enough = 1 if self._bench.settings.first_fault else ENOUGH_WRONG
        examiner = Examiner(self._bench.exam, session, pace, progress, guarded, enough)
        examiner.instances.adopt(0)
        return examiner

    def _note_end(self, lost: Lost, examiner: Examiner | None) -> None:
        batch = examiner.last if examiner is not None else None
        workload = batch.calls[0].question.workload if batch is not None else None
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
        session = Session(self._bench.wall)
        try:
            builder = Builder(self._bench.exam, self._bench.cache)
            built = builder.build(session, self._candidate, self._bench.settings)
            if not built.seen.ok:
                return False
            examiner = self._examiner(session, built, guarded=False)
            script = self._script
            end = script.index(batch) + 1 if batch in script else len(script)
            examiner.run(script[:end])
            return True
        except Lost:
            return False
        finally:
            session.close()

    def _time(self, context: CheckContext) -> None:
        settings, examiner = context.settings, context.examiner
        if not settings.timing:
            self._seen.append(TimesSeen(reason="timing was switched off"))
        elif self._bench.interprets(self._candidate):
            self._seen.append(TimesSeen(reason=language(self._candidate.language).untimed))
        elif examiner.wrong:
            self._seen.append(TimesSeen(reason="not timed: the candidate is not right"))
        else:
            self._phase = "timing"
            self._time_right(context, self._bench.twins(self._candidate))

    def _time_right(self, context: CheckContext, twins: Twins) -> None:
        """Timed calls may change what other calls left alone, in each process that made them."""
        session, stopwatch = context.session, self._bench.stopwatch(twins)
        try:
            with self._turn() as remark:
                self._seen += [] if remark is None else [remark]
                self._seen += stopwatch.time(session, context.examiner, self._report)
            for process in (session, *twins.sessions):
                self._check(CheckStage.TIMED, replace(context, session=process))
        except Lost as lost:
            self._note_end(lost, None)
        finally:
            twins.close()

    def _turn(self) -> AbstractContextManager[CheckMissing | None]:
        """Nobody else of this user times meanwhile; a GPU's stopwatch sees to that itself."""
        if self._bench.accelerated:
            return nullcontext()
        return timing_turn(self._bench.device, self._report)
