"""CompileWarmup: replicas of a candidate are called on every shape of the exam, so that it is
compiled.

A compiler that works when a kernel is first called makes another one for many a shape: a quarter of
a second each, and more than a stretched size is given for a row of 2^16. Replicas in sandboxes of
their own do that side by side, half of them beginning with the sizes that take longest. Shapes that
probably share a compilation go to the same replica.

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
from assay.data.workload import Workload
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
_REPLICA_S = 1.5  # until a replica of a built candidate has its device and its kernel
_MOST_ELEMENTS = 1 << 24  # beyond this a shape costs more than its compilation


@dataclass
class ShapeQueue:
    """Groups of shapes that are left to be called on, taken from either end."""

    plain: Iterable[tuple[int, ...]]  # shapes of one group probably share a compilation
    stretched: frozenset[int]
    late: set[int] = field(default_factory=set)  # stretched ones that did not fit the time

    def __post_init__(self) -> None:
        self._left = deque([*self.plain, *((number,) for number in sorted(self.stretched))])

    def __len__(self) -> int:
        """The groups that are left."""
        return len(self._left)

    def take(self, last: bool) -> tuple[int, ...]:
        """The workloads of the next group, none where none is left."""
        with contextlib.suppress(IndexError):
            return self._left.pop() if last else self._left.popleft()
        return ()


def replica_count(groups: int, at_once: int = 1) -> int:
    """Processes side by side, for so many groups of shapes.

    Candidates that are judged at once share them: a driver makes one context after the other, and
    eight candidates with eight replicas each waited 28 s for theirs on an H200.
    """
    most = min(_MOST_REPLICAS, usable_threads() // 2) // at_once
    return max(1, min(most, groups))


def pays(compiling_s: float, groups: int, at_once: int = 1) -> bool:
    """Whether replicas are ready sooner than one process that compiles group after group."""
    rounds = -(-groups // replica_count(groups, at_once))
    return compiling_s * (groups - rounds) > _REPLICA_S


def specialisation(workload: Workload) -> tuple[object, ...]:
    """What of a shape a compiler probably distinguishes.

    Triton makes a variant for an argument of one, for one that 16 divides, and for constants that
    a kernel derives from sizes, mostly the next power of two. The true key is known to it alone.
    """
    layout = (workload.layout, workload.dtype)
    return (*map(_size_class, workload.axes.values()), layout)


def _size_class(size: int) -> tuple[bool, bool, int]:
    """One, a multiple of 16, and the next power of two; an empty axis is a class of its own."""
    return size == 1, size % 16 == 0, (size - 1).bit_length() if size else -1


@dataclass(frozen=True)
class CompileWarmup:
    """Warms up the compiler for candidates of one exam."""

    wall: Wall
    exam: Exam
    cache: BuildCache
    settings: Settings
    at_once: int = 1  # candidates that are judged at the same time

    def run(self, candidate: Candidate, script: list[ScriptedBatch]) -> frozenset[int]:
        """The stretched workloads of the script that did not fit the time.

        The candidate was built before, so that replicas begin with what its build left.
        """
        shape_queue = self.shape_queue(script)
        count = replica_count(len(shape_queue), self.at_once) if len(shape_queue) else 0
        with ThreadPoolExecutor(max(1, count)) as pool:
            replicas = [
                pool.submit(self._build_and_call, candidate, shape_queue, number % 2 == 1)
                for number in range(count)
            ]
            left = [replica.result() for replica in replicas]
        self._keep(candidate, left)
        return frozenset(shape_queue.late)

    def hand_over(self, candidate: Candidate, session: Session) -> None:
        """Lay what the replicas' compilers left beside what the candidate's own left.

        The candidate's process stands still between batches.
        """
        archive = self.cache.load(candidate)
        if archive is not None:
            session.process.freeze()
            with contextlib.suppress(OSError, scratch.Unkeepable):
                scratch.add_missing(session.process.scratch, archive, _made_by(candidate))

    def shape_queue(self, script: list[ScriptedBatch]) -> ShapeQueue:
        """One workload of each shape and layout but the own, in groups."""
        asked = frozenset[int]().union(*(batch.workloads for batch in script))
        far = frozenset[int]().union(*(batch.workloads for batch in script if batch.stretched))
        known: dict[object, int] = {}
        for number in sorted(asked):
            workload = self.exam.plan.workloads[number]
            sizes = self.exam.reference.input_elements(workload.axes)
            if sum(sizes) <= _MOST_ELEMENTS:
                shape = (self.exam.instance_of(number), tuple(workload.axes.items()))
                known.setdefault((*shape, workload.layout), number)
        numbers = sorted(set(known.values()) - {0})
        groups: dict[object, list[int]] = {}
        for number in numbers:
            if number not in far:
                workload = self.exam.plan.workloads[number]
                key = (self.exam.instance_of(number), specialisation(workload))
                groups.setdefault(key, []).append(number)
        return ShapeQueue([tuple(group) for group in groups.values()], far & set(numbers))

    def _built(self, candidate: Candidate, shape_queue: ShapeQueue) -> Session | None:
        """A replica ready to be called; None where it does not get that far, or comes too late."""
        session = Session(self.wall)
        if not len(shape_queue):  # a driver makes one context after the other: the last ones wait
            session.close()
            return None
        with contextlib.suppress(ProcessLost):  # the candidate's own process will end the same way
            built = Builder(self.exam, self.cache).build(session, candidate, self.settings)
            if built.seen.ok:
                return session
        session.close()
        return None

    def _build_and_call(self, candidate: Candidate, shape_queue: ShapeQueue, last: bool) -> bytes:
        try:
            session = self._built(candidate, shape_queue)
        except HostError:  # one replica less
            return b""
        return b"" if session is None else self._call_all(session, shape_queue, last)

    def _call_all(self, session: Session, shape_queue: ShapeQueue, last: bool) -> bytes:
        """Shape after shape until none is left or the replica ends; what is in its scratch then."""
        constructed, alive = {0}, True
        try:
            while alive and (group := shape_queue.take(last)):
                for number in group:
                    alive = self._survives(session, number, constructed, shape_queue)
                    if not alive:
                        break
            session.process.freeze()
            return scratch.snapshot(session.process.scratch)
        except (scratch.Unkeepable, HostError, OSError):
            return b""
        finally:
            session.close()

    def _survives(
        self, session: Session, number: int, constructed: set[int], shape_queue: ShapeQueue
    ) -> bool:
        try:
            self._call(session, number, constructed)
        except ProcessLost as lost:
            if lost.cause is EndCause.TIMED_OUT and number in shape_queue.stretched:
                shape_queue.late.add(number)
            return False
        return True

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
            self.cache.store(candidate, scratch.joined(archive, left, _made_by(candidate)))


def _made_by(candidate: Candidate) -> str:
    """The folder of its language's compiler."""
    return f"home/{language(candidate.language).compile_cache}"
