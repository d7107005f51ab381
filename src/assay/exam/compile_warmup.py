"""CompileWarmup: replicas of a candidate are called on every shape of the exam, so that it is
compiled.

A compiler that works when a kernel is first called makes another one for many a shape: a quarter of
a second each, and more than a stretched size is given for a row of 2^16. Replicas in sandboxes of
their own do that side by side, half of them beginning with the sizes that take longest.

The rule: a replica meets shapes, never an input that anybody is asked about, and nobody looks at
what it returns. The trusted side takes what its compiler left, and keeps it as it keeps a build.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.observations.observation import EndCause
from assay.data.settings import Settings
from assay.errors import HostError, TaskError
from assay.exam.build_cache import BuildCache
from assay.exam.candidate_build import Builder
from assay.exam.exam import Exam
from assay.exam.pace import COMPILED_S
from assay.exam.script import ScriptedBatch
from assay.languages.language_registry import language
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import WARM_UP, BatchOptions, Place, PlannedCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall, usable_threads
from assay.sandbox.protocol.replies import ReplyCode

_MOST_REPLICAS = 8  # processes side by side
_MOST_ELEMENTS = 1 << 24  # beyond this a shape costs more than its compilation


@dataclass
class ShapeQueue:
    """The shapes that are left to be called on, taken from either end."""

    plain: Iterable[int]
    stretched: frozenset[int]
    late: set[int] = field(default_factory=set)  # stretched ones that did not fit the time

    def __post_init__(self) -> None:
        self._left = deque([*self.plain, *sorted(self.stretched)])

    def __len__(self) -> int:
        return len(self._left)

    def take(self, last: bool) -> int | None:
        """The next workload, None where none is left."""
        with contextlib.suppress(IndexError):
            return self._left.pop() if last else self._left.popleft()
        return None


@dataclass(frozen=True)
class CompileWarmup:
    """Warms up the compiler for candidates of one exam."""

    wall: Wall
    exam: Exam
    cache: BuildCache
    settings: Settings

    def run(self, candidate: Candidate, script: list[ScriptedBatch]) -> frozenset[int]:
        """The stretched workloads of the script that did not fit the time."""
        shape_queue = self._shape_queue(script)
        first = self._built(candidate)
        if first is None:
            return frozenset()
        count = max(1, min(_MOST_REPLICAS, usable_threads() // 2, len(shape_queue)))
        with ThreadPoolExecutor(count) as pool:
            replicas = [pool.submit(self._call_all, first, shape_queue, last=False)]
            for number in range(1, count):
                last = number % 2 == 1
                replicas.append(pool.submit(self._build_and_call, candidate, shape_queue, last))
            left = [replica.result() for replica in replicas]
        self._keep(candidate, left)
        return frozenset(shape_queue.late)

    def _shape_queue(self, script: list[ScriptedBatch]) -> ShapeQueue:
        """One workload of each shape and layout."""
        asked = frozenset[int]().union(*(batch.workloads for batch in script))
        far = frozenset[int]().union(*(batch.workloads for batch in script if batch.stretched))
        known: dict[object, int] = {}
        for number in sorted(asked):
            workload = self.exam.plan.workloads[number]
            sizes = self.exam.reference.input_elements(workload.axes)
            if sum(sizes) <= _MOST_ELEMENTS:
                shape = (self.exam.instance_of(number), tuple(workload.axes.items()))
                known.setdefault((*shape, workload.layout), number)
        numbers = set(known.values())
        return ShapeQueue(sorted(numbers - far), far & numbers)

    def _built(self, candidate: Candidate) -> Session | None:
        """A replica ready to be called; None where it does not get that far."""
        session = Session(self.wall)
        with contextlib.suppress(ProcessLost):  # the candidate's own process will end the same way
            built = Builder(self.exam, self.cache).build(session, candidate, self.settings)
            if built.seen.ok:
                return session
        session.close()
        return None

    def _build_and_call(self, candidate: Candidate, shape_queue: ShapeQueue, last: bool) -> bytes:
        try:
            session = self._built(candidate)
        except HostError:  # one replica less
            return b""
        return b"" if session is None else self._call_all(session, shape_queue, last)

    def _call_all(self, session: Session, shape_queue: ShapeQueue, last: bool) -> bytes:
        """Shape after shape until none is left or the replica ends; what is in its scratch then."""
        constructed = {0}
        try:
            while (number := shape_queue.take(last)) is not None:
                try:
                    self._call(session, number, constructed)
                except ProcessLost as lost:
                    if lost.cause is EndCause.TIMED_OUT and number in shape_queue.stretched:
                        shape_queue.late.add(number)
                    break
            session.process.freeze()
            return scratch.snapshot(session.process.scratch)
        except (scratch.Unkeepable, HostError, OSError):
            return b""
        finally:
            session.close()

    def _call(self, session: Session, number: int, constructed: set[int]) -> None:
        """One call on a shape; who refuses it will do so again when it counts."""
        deadline = Deadline.after(COMPILED_S)
        instance = self.exam.instance_of(number)
        if instance not in constructed:
            spec = self.exam.instances[instance]
            request = spec.construct(instance)
            if session.ask(request, deadline).code != ReplyCode.OK:
                return
            constructed.add(instance)
        with contextlib.suppress(TaskError):
            call = PlannedCall(instance, Place(number, WARM_UP), self.exam.throw_away(number), ())
            session.run([call], BatchOptions(check_inputs=False), deadline)

    def _keep(self, candidate: Candidate, left: list[bytes]) -> None:
        archive = self.cache.load(candidate)
        if archive is not None:
            made = f"home/{language(candidate.language).compile_cache}"
            self.cache.store(candidate, scratch.joined(archive, left, made))
