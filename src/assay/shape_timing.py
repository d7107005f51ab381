"""ShapeTiming: one candidate timed at a drawn shape of every category, beside its own shape.

The rule: the same stopwatch as for the own shape, in fresh processes, for a short while, against
the first baseline alone. A shape that the candidate did not answer is not timed. Timed calls are
judged as those of the workload that they are of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.observations.call import CallSeen
from assay.data.observations.observation import Observation, ShapeTimesSeen, TimesSeen
from assay.data.plan import Plan
from assay.data.progress import Report
from assay.data.settings import Cache, Level, Settings
from assay.data.workload import Workload
from assay.exam.exam import Exam
from assay.exam.replica import ReplicaFactory
from assay.exam.script_runner import ScriptRunner
from assay.run_context import RunContext
from assay.sandbox.host.session import Session
from assay.timing.baseline_pool import BaselinePool
from assay.timing.device_stopwatch import DeviceStopwatch
from assay.timing.stopwatch import Stopwatch


@dataclass(frozen=True)
class ShapeTiming:
    """Times the shapes of one candidate's plan that have a category."""

    run_context: RunContext
    candidate: Candidate
    script_runner: ScriptRunner
    report: Report

    def time(self) -> Iterator[Observation]:
        """What was seen of each shape. Raises Lost where a process of the candidate ends."""
        answered = self.script_runner.answered()
        for number, workload in enumerate(self.run_context.exam.plan.workloads):
            if workload.category is None:
                continue
            if number in answered:
                yield from self._timed(number, workload)
            else:
                yield _seen(workload, TimesSeen(reason="it did not answer this shape"))

    def _timed(self, number: int, workload: Workload) -> list[Observation]:
        context = self.run_context
        exam = _exam_at(context.exam, number, workload)
        settings = _short(context.settings)
        replicas = ReplicaFactory(context.wall, exam, context.cache, self.candidate, settings)
        pool = BaselinePool(context.wall, exam, settings)
        try:
            session = replicas.another(self.script_runner.instances.version(0))
            if session is None:
                return [_seen(workload, TimesSeen(reason="it did not build a second time"))]
            watch = self._stopwatch(pool, replicas, exam, settings)
            found = self._raced(watch, session)
        finally:
            pool.dismiss()
            replicas.close()
        return [_of_shape(one, number, workload) for one in found]

    def _stopwatch(
        self, pool: BaselinePool, replicas: ReplicaFactory, exam: Exam, settings: Settings
    ) -> Stopwatch | DeviceStopwatch:
        """On a CPU the session that it is given is fresh already: it needs no other."""
        context = self.run_context
        if context.accelerated:
            return DeviceStopwatch(pool, replicas, exam, settings, context.device)
        return Stopwatch(context.wall, None, exam, settings, context.device)

    def _raced(self, watch: Stopwatch | DeviceStopwatch, session: Session) -> list[Observation]:
        return watch.time(session, self.script_runner, self.report)


def _exam_at(exam: Exam, number: int, workload: Workload) -> Exam:
    """An exam whose own workload is that shape, with contents that nothing else is asked with."""
    labels = [exam.secret.seed("shape", number, part) for part in range(4)]
    secret = b"".join(label.to_bytes(8, "little") for label in labels).hex()
    plan = Plan.model_validate(
        exam.plan.model_dump()
        | {"secret": secret, "workloads": (workload,), "drawn_for": "", "shared": None}
    )
    made = Exam(exam.reference, plan)
    made.turn = exam.turn  # one thread at a time runs the reference
    return made


def _short(settings: Settings) -> Settings:
    """The same for a short while, against one baseline, in one state of the caches."""
    cache = Cache.WARM if settings.cache is Cache.WARM else Cache.COLD
    update = {"level": Level.SMOKE, "baselines": settings.baselines[:1], "cache": cache}
    return settings.model_copy(update=update)


def _of_shape(seen: Observation, number: int, workload: Workload) -> Observation:
    """Times stand apart from those of the own shape; calls are of their workload."""
    if isinstance(seen, TimesSeen):
        return _seen(workload, seen)
    if isinstance(seen, CallSeen):
        return seen.model_copy(update={"workload": number})
    return seen


def _seen(workload: Workload, times: TimesSeen) -> ShapeTimesSeen:
    assert workload.category is not None
    return ShapeTimesSeen(category=workload.category, axes=workload.axes, times=times)
