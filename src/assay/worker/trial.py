"""Trial: one candidate put to one exam behind the wall; everything seen, nothing decided."""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager, nullcontext

from assay.data.call import CallSeen
from assay.data.candidate import Candidate
from assay.data.observation import (
    CheckMissing,
    EndCause,
    EndSeen,
    ExplanationSeen,
    LayersSeen,
    LeftoverSeen,
    Observation,
    StateSeen,
    TimesSeen,
)
from assay.data.progress import Report
from assay.data.settings import Track
from assay.languages.registry import language
from assay.worker.bench import Bench
from assay.worker.host.ablation import ablate
from assay.worker.host.build import Builder, Built
from assay.worker.host.built_objects import built_objects
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Question
from assay.worker.host.exam_amounts import AMOUNTS
from assay.worker.host.examiner import ENOUGH_WRONG, Examiner
from assay.worker.host.failure import explain_failure
from assay.worker.host.foresight import Foresight
from assay.worker.host.kernel_records import traced_kernels
from assay.worker.host.listening import unfelt, without_the_machines
from assay.worker.host.pace import Pace, too_late
from assay.worker.host.process import Lost
from assay.worker.host.recurrence import recur
from assay.worker.host.refusals import ask_refused_again
from assay.worker.host.relating import relate
from assay.worker.host.repetition import repeat
from assay.worker.host.scratch import used_bytes
from assay.worker.host.script import ScriptedBatch
from assay.worker.host.session import Session
from assay.worker.host.shrinking import Shrinker
from assay.worker.host.timing_turn import timing_turn
from assay.worker.host.witness import overlook, watch
from assay.worker.sandbox.spec import Isolation

_SURVEY_TIMEOUT_S = 10.0  # for the child to compare its state
_ATTEMPTS = 3  # new beginnings without what did not fit the time
_MOST_WRITTEN = 512 << 20  # what compilers leave behind is a tenth of it
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
        if self._bench.settings.explain:
            self._explain()
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

    def _explain(self) -> None:
        """How a wrong candidate is wrong, found in a process of its own."""
        if not any(isinstance(o, CallSeen) and o.wrong for o in self._seen):
            return
        self._report("explaining", None)
        bench = self._bench
        shrinker = Shrinker(bench.wall, bench.exam, bench.cache)
        try:
            if shrinker.start(self._candidate, bench.settings):
                self._seen.append(explain_failure(bench.exam, shrinker, self._seen))
            else:
                self._seen.append(ExplanationSeen(reason="it did not build a second time"))
        finally:
            shrinker.close()

    def _attempt(self) -> EndSeen | None:
        """One session; the end to excuse where only a size did not fit that need not."""
        bench = self._bench
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
        interpreted = self._bench.interprets(self._candidate)
        try:
            self._survey(session, "after the build")
            self._examine_watched(session, examiner)
            self._foresight.stop()  # from here on the machine is the candidate's
            if not (examiner.wrong or interpreted):
                self._recur(examiner)
            self._note_written(session)
            self._survey(session, "after the calls")
            self._witness(session, examiner)
            if not examiner.wrong:  # some time has passed: is it still as it was?
                examiner.ask_again()
                ask_refused_again(examiner)
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
        self._time(session, examiner)
        return None

    def _examine_watched(self, session: Session, examiner: Examiner) -> None:
        """The whole script; on a CPU somebody looks at the threads in passing."""
        if self._bench.accelerated:
            examiner.run(self._script)
            return
        interpreted = self._bench.interprets(self._candidate)
        run = lambda: examiner.run(self._script)  # noqa: E731
        self._seen.append(overlook(session, interpreted, run))

    def _recur(self, examiner: Examiner) -> None:
        self._report("repeating", None)
        self._phase = "repeated calls"
        examiner.begin(None)
        self._seen += recur(examiner, self._bench.settings.level)
        if not examiner.wrong:
            self._seen += relate(examiner, self._bench.settings.level)
        self._phase = "calls"

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

    def _witness(self, session: Session, examiner: Examiner) -> None:
        """Whose code computes? Asked only of a candidate whose answers were right."""
        if examiner.wrong or self._bench.settings.track is Track.OPEN:
            return
        self._report("sampling", None)
        bench = self._bench
        interpreted = self._bench.interprets(self._candidate)
        if interpreted:
            self._seen.append(ablate(bench.wall, bench.exam, self._candidate, bench.settings))
        deadline = Deadline.after(bench.settings.timeout_s)
        if bench.accelerated:
            self._seen.append(traced_kernels(bench.exam, session, deadline))
        else:
            answered = examiner.answered()
            self._seen.append(watch(bench.exam, session, deadline, interpreted, answered))
        if not interpreted:
            self._seen.append(repeat(bench.exam, session, deadline))
        session.process.freeze()
        self._seen.append(built_objects(session.process.scratch))

    def _note_written(self, session: Session) -> None:
        """What lies in the scratch folder, where that is a file system of its own."""
        written = used_bytes(session.process.scratch)
        if self._bench.wall.isolation is Isolation.NAMESPACES and written > _MOST_WRITTEN:
            text = f"{written >> 20} MiB of files were written"
            self._seen.append(LeftoverSeen(when="after the calls", processes=0, text=text))

    def _survey(self, session: Session, when: str) -> None:
        for line in session.survey(Deadline.after(_SURVEY_TIMEOUT_S))[:200]:
            name, _, detail = line.partition("\t")
            seen = StateSeen(when=when, name=name[:200], detail=detail[:300])
            known = [o for o in self._seen if isinstance(o, StateSeen) and o.name == seen.name]
            audited = seen.name.startswith("audit.")  # each path or argument tells its own story
            if not known or (audited and seen.detail not in {o.detail for o in known}):
                self._seen.append(seen)

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

    def _time(self, session: Session, examiner: Examiner) -> None:
        settings = self._bench.settings
        if not settings.timing:
            self._seen.append(TimesSeen(reason="timing was switched off"))
        elif self._bench.interprets(self._candidate):
            self._seen.append(TimesSeen(reason=language(self._candidate.language).untimed))
        elif examiner.wrong:
            self._seen.append(TimesSeen(reason="not timed: the candidate is not right"))
        else:
            self._phase = "timing"
            bench = self._bench
            stopwatch = bench.stopwatch(self._candidate)
            try:
                with self._turn() as remark:
                    self._seen += [] if remark is None else [remark]
                    self._seen += stopwatch.time(session, examiner, self._report)
                if not bench.accelerated:
                    self._survey(session, "after the timing")
            except Lost as lost:
                self._note_end(lost, None)

    def _turn(self) -> AbstractContextManager[CheckMissing | None]:
        """Nobody else of this user times meanwhile; a GPU's stopwatch sees to that itself."""
        if self._bench.accelerated:
            return nullcontext()
        return timing_turn(self._bench.device, self._report)
