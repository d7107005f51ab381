"""Shrinking: the smallest workload on which a wrong candidate is still wrong.

The rule: a new process, one plain call a try, judged against an expectation of its own. A try that
raises, ends or cannot be judged counts as not failing, and the search ends with its tries or time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.axis import Axis
from assay.data.candidate import Candidate
from assay.data.observations.call import CallSeen, Mix
from assay.data.settings import Settings
from assay.data.workload import Distribution, Layout, Workload
from assay.errors import TaskError
from assay.exam.answer_origin import AskedCall
from assay.exam.build_cache import BuildCache
from assay.exam.call_reading import CallFacts
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.exam.on_device.device_reading import read_asked
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED, Weights
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Expectations, Place, PlannedCall
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode, StateMatch
from assay.tasks.shapes.shape_categories import legal

MOST_TRIES = 40  # workloads that are asked
MOST_S = 10.0  # of shrinking, the build apart
_CALL_S = 5.0  # of one call, or of one constructor

_Key = tuple[tuple[tuple[str, int], ...], bool]


@dataclass(frozen=True)
class Failure:
    """One wrong call: what was asked, what came back and what should have."""

    workload: Workload
    seen: CallSeen
    raw: RawCall
    expectations: Expectations


class Shrinker:
    """One candidate in a process of its own, asked about any workload."""

    def __init__(self, wall: Wall, exam: Exam, cache: BuildCache | None) -> None:
        self._exam = exam
        self._cache = cache
        self._session = Session(wall)
        self._instances: dict[_Key, int] = {}
        self._until_s = time.monotonic() + MOST_S
        self.tries = 0

    def start(self, candidate: Candidate, settings: Settings) -> bool:
        """Build it anew; False where that fails. The time for shrinking begins here."""
        try:
            built = Builder(self._exam, self._cache).build(self._session, candidate, settings)
        except ProcessLost:
            return False
        self._instances[_key(self._exam)] = 0  # the build constructed it
        self._until_s = time.monotonic() + MOST_S
        return built.seen.ok

    def close(self) -> None:
        """End the process."""
        self._session.close()

    def fails(self, workload: Workload) -> Failure | None:
        """The wrong call on this workload; None where it is right or cannot be judged."""
        if self._over():
            return None
        self.tries += 1
        try:
            return self._ask(workload)
        except TaskError:
            return None
        except ProcessLost:
            self._until_s = 0.0  # nobody is left to ask
            return None

    def shrink(self, failure: Failure) -> Failure:
        """Ever smaller and plainer workloads, as long as one of them still fails."""
        axes = {axis.name: axis for axis in self._exam.reference.axes}
        asked = {failure.workload.model_dump_json()}
        while not self._over():
            for workload in simpler(failure.workload, axes):
                key = workload.model_dump_json()
                found = None if key in asked else self.fails(workload)
                asked.add(key)
                if found is not None:
                    failure = found
                    break
            else:
                break
        return failure

    def _over(self) -> bool:
        return self.tries >= MOST_TRIES or time.monotonic() > self._until_s

    def _ask(self, workload: Workload) -> Failure | None:
        exam = self._exam_of(workload)
        version = self._prepare(exam)
        if version is None:
            return None
        content_key = ContentKey(0)
        expectations = exam.expectation(content_key, version)
        if not all(e.in_domain for e in expectations):
            return None
        instance, place = self._instances[_key(exam)], Place(self.tries, ALONE)
        call = PlannedCall.judged(instance, place, exam.content(content_key), expectations)
        result = self._session.run([call], BatchOptions(), Deadline.after(_CALL_S))
        asked = AskedCall(
            ScriptedCall(content_key, ALONE, version, Mix.PLAIN), version, expectations
        )
        seen = read_asked(exam, result.calls[0], asked, CallFacts())
        if not any(output.problem for output in seen.outputs):
            return None
        return Failure(workload, seen, result.calls[0], expectations)

    def _exam_of(self, workload: Workload) -> Exam:
        """An exam of this workload alone, from the same secret."""
        plan = self._exam.plan.model_copy(update={"workloads": (workload,)})
        exam = Exam(self._exam.reference, plan)
        exam.device = self._exam.device
        return exam

    def _prepare(self, exam: Exam) -> Weights | None:
        """Construct where needed and load weights; the version in force, None where refused."""
        key, deadline = _key(exam), Deadline.after(_CALL_S)
        if key not in self._instances:
            number = len(self._instances)  # 0 is the one that the build made
            spec = exam.instances[0]
            request = spec.construct(number)
            if self._session.ask(request, deadline).code != ReplyCode.OK:
                return None
            self._instances[key] = number
        state = exam.state(0)
        match = self._session.load_state(self._instances[key], state, deadline)
        return SEEDED if match is StateMatch.NONE and state else FIRST_WEIGHTS


def _key(exam: Exam) -> _Key:
    """What its first instance was constructed with."""
    spec = exam.instances[0]
    return exam.reference.config(dict(spec.axes)), spec.training


def simpler(workload: Workload, axes: dict[str, Axis]) -> Iterator[Workload]:
    """Plainer versions of a workload, the boldest first: each differs in one respect."""
    base = workload.model_copy(update={"own": False})
    if base.layout is not Layout.CONTIGUOUS:
        yield base.model_copy(update={"layout": Layout.CONTIGUOUS})
    if base.distribution is not Distribution.OWN:
        yield base.model_copy(update={"distribution": Distribution.OWN, "scale": 0, "values": ()})
    for step in (_to_lowest, _to_half, _to_less):
        for name in sorted(base.axes, key=lambda n: -base.axes[n]):
            size = step(base.axes[name], axes[name]) if name in axes else base.axes[name]
            if size < base.axes[name]:
                yield base.model_copy(update={"axes": {**base.axes, name: size}})


def _to_lowest(size: int, axis: Axis) -> int:
    return max(1, axis.low)


def _to_half(size: int, axis: Axis) -> int:
    return max(1, legal(axis, size // 2))


def _to_less(size: int, axis: Axis) -> int:
    return max(1, legal(axis, size - axis.multiple_of))
