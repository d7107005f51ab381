"""FullShapeRun: one candidate called and timed at the task's own shape, on the device.

The rule: a process of its own, built there. Calls follow each other at one place: the own content,
the same but for a few elements, another one. Every element of each answer is judged, and of timed
calls as many answers as of any other shape. Who is wrong is not timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.observations.call import CallOutcome, CallSeen, CallStage, Mix
from assay.data.observations.observation import (
    EndCause,
    EndSeen,
    FullShapeSeen,
    Observation,
    TimesSeen,
)
from assay.data.progress import Report
from assay.data.settings import Settings
from assay.devices.device_shortage import DeviceShortage, patiently
from assay.exam.call_reading import BatchId, CallFacts
from assay.exam.candidate_build import Builder, Built
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.full_shape.full_shape_exam import FullShapeExam
from assay.exam.replica import ReplicaFactory
from assay.exam.script_runner import ScriptRunner
from assay.exam.weight_scales import SEEDED, Weights
from assay.run_context import RunContext
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import BatchOptions, Place, PlannedCall, output_bytes
from assay.sandbox.host.session import Session
from assay.timing.baseline_pool import BaselinePool
from assay.timing.device_stopwatch import DeviceStopwatch
from assay.timing.stopwatch import Stopwatch

_CALLS = (
    (ContentKey(0), Mix.PLAIN),
    (ContentKey(0, variant=1), Mix.FEW_CHANGED),
    (ContentKey(0, Draw(number=1)), Mix.SAME_ADDRESS),
)
_WRONG = "not timed: the candidate is not right at the full shape"
_ALONE = "at the full shape one baseline fits beside the candidate"


@dataclass
class FullShapeRun:
    """One candidate at the full shape; closing it ends its processes."""

    run_context: RunContext
    exam: FullShapeExam
    candidate: Candidate
    script_runner: ScriptRunner
    report: Report
    sessions: list[Session] = field(default_factory=list)

    def observe(self, untimed: str | None) -> Iterator[Observation]:
        """What was seen, the times last; `untimed` says why there are none.

        Raises Lost where a process of the candidate ends.
        """
        exam = self.exam
        axes, parts = exam.plan.workloads[0].axes, exam.cutting.parts
        axis = None if parts is None else parts.axis
        number = self._number
        yield FullShapeSeen(axes=axes, number=number, axis=axis, blocks=exam.blocks)
        self.report("full shape", None)
        session, version = Session(self.run_context.wall), self.script_runner.instances.version(0)
        self.sessions.append(session)
        built = Builder(exam, self.run_context.cache).build(
            session, self.candidate, self.run_context.settings
        )
        if not built.seen.ok:
            yield self._not_built(built)
            yield TimesSeen(reason=untimed or _WRONG)
            return
        if version != SEEDED:
            session.load_state(0, exam.state(0, version), self._deadline())
        wrong = False
        for seen in self._called(session, version):
            wrong = wrong or seen.wrong or seen.outcome is CallOutcome.RAISED
            yield seen
        if wrong or untimed is not None:
            yield TimesSeen(reason=untimed or _WRONG)
        else:
            yield from self._timed(session)

    @property
    def looked_at(self) -> Exam:
        """Whose inputs fit the module that was built: those of the smaller shape take no memory."""
        small, reference = self.run_context.exam, self.exam.reference
        configs = [reference.config(one.plan.workloads[0].axes) for one in (small, self.exam)]
        return small if configs[0] == configs[1] else self.exam

    @property
    def _number(self) -> int:
        """Of the workload: behind all that are planned."""
        return len(self.run_context.exam.plan.workloads)

    def _deadline(self) -> Deadline:
        return Deadline.after(self.run_context.settings.timeout_s)

    def _not_built(self, built: Built) -> Observation:
        if built.out_of_memory:
            cause = EndCause.OUT_OF_MEMORY
            return EndSeen(cause=cause, phase="full shape", text=built.seen.log)
        return CallSeen(
            index=self.script_runner.calls_made,
            workload=self._number,
            mix=Mix.PLAIN,
            outcome=CallOutcome.RAISED,
            message=built.seen.log[-500:],
            stage=CallStage.FULL_SHAPE,
        )

    def _called(self, session: Session, version: Weights) -> Iterator[CallSeen]:
        """The first call that is wrong is the last."""
        exam, first = self.exam, self.script_runner.calls_made
        sizes = output_bytes(exam.expectation(ContentKey(0)))
        for number, (key, mix) in enumerate(_CALLS):
            self.report("full shape", number / len(_CALLS))
            content = exam.content(key)
            place = Place(0, exam.warm_up_spot)
            planned = PlannedCall(0, place, content, sizes)
            exam.forget()
            raw = session.run([planned], BatchOptions(), self._deadline()).calls[0]
            batch = BatchId(CallStage.FULL_SHAPE, number)
            facts = CallFacts(first + number, self._number, mix, batch, weights=version)
            seen = exam.judge_call(raw, content, version, facts)
            del raw, content, planned
            exam.forget()
            yield seen
            if seen.wrong:
                return

    def _timed(self, session: Session) -> Iterator[Observation]:
        """What is right stays known where the device lacks the memory to time it."""

        def timed() -> list[Observation]:
            return list(self._times(session))

        try:
            yield from patiently(timed, self.exam.forget, self.exam.others)
        except DeviceShortage as lack:
            yield TimesSeen(reason=str(lack))

    def _times(self, session: Session) -> Iterator[Observation]:
        context, settings = self.run_context, _one_baseline(self.run_context.settings)
        replicas = ReplicaFactory(
            context.wall, self.exam, context.cache, self.candidate, settings, self.sessions
        )
        pool = BaselinePool(context.wall, self.exam, settings)
        watch: Stopwatch | DeviceStopwatch
        if context.accelerated:
            watch = DeviceStopwatch(pool, replicas, self.exam, settings, context.device)
        else:
            watch = Stopwatch(context.wall, None, self.exam, settings, context.device)
        left_out = tuple(f"{name}: {_ALONE}" for name in context.settings.baselines[1:])
        try:
            for seen in watch.time(session, self.script_runner, self.report):
                yield self._of_full_shape(seen, left_out)
        finally:
            pool.dismiss()
            self.exam.forget()

    def _of_full_shape(self, seen: Observation, left_out: tuple[str, ...]) -> Observation:
        if isinstance(seen, CallSeen):
            return seen.model_copy(update={"workload": self._number})
        if isinstance(seen, TimesSeen):
            return seen.model_copy(update={"lost": (*seen.lost, *left_out)})
        return seen

    def close(self) -> None:
        """End its processes."""
        while self.sessions:
            self.sessions.pop().close()
        self.exam.forget()


def _one_baseline(settings: Settings) -> Settings:
    return settings.model_copy(update={"baselines": settings.baselines[:1]})
