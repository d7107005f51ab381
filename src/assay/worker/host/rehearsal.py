"""Rehearsal: doubles of a candidate call it on every shape of the exam, so that it is compiled.

A compiler that works when a kernel is first called makes another one for many a shape: a quarter of
a second each, and more than a stretched size is given for a row of 2^16. Doubles in sandboxes of
their own do that side by side, half of them beginning with the sizes that take longest.

The rule: a double meets shapes, never an input that anybody is asked about, and nobody looks at
what it returns. The trusted side takes what its compiler left, and keeps it as it keeps a build.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.observation import EndCause
from assay.data.settings import Settings
from assay.errors import HostError, TaskError
from assay.languages.registry import language
from assay.worker.answers import ReplyCode
from assay.worker.host import scratch
from assay.worker.host.build import Builder
from assay.worker.host.build_cache import BuildCache
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Exam
from assay.worker.host.pace import COMPILED_S
from assay.worker.host.planned_call import WARM_UP, BatchOptions, Place, PlannedCall
from assay.worker.host.process import Lost
from assay.worker.host.script import ScriptedBatch
from assay.worker.host.session import Session
from assay.worker.host.wall import Wall, usable_threads

_MOST_DOUBLES = 8  # processes side by side
_MOST_ELEMENTS = 1 << 24  # beyond this a shape costs more than its compilation


@dataclass
class Scenes:
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
class Rehearsal:
    """Rehearses candidates for one exam."""

    wall: Wall
    exam: Exam
    cache: BuildCache
    settings: Settings

    def hold(self, candidate: Candidate, script: list[ScriptedBatch]) -> frozenset[int]:
        """The stretched workloads of the script that did not fit the time."""
        scenes = self._scenes(script)
        first = self._built(candidate)
        if first is None:
            return frozenset()
        count = max(1, min(_MOST_DOUBLES, usable_threads() // 2, len(scenes)))
        with ThreadPoolExecutor(count) as pool:
            doubles = [pool.submit(self._play, first, scenes, last=False)]
            for number in range(1, count):
                last = number % 2 == 1
                doubles.append(pool.submit(self._join_in, candidate, scenes, last))
            left = [double.result() for double in doubles]
        self._keep(candidate, left)
        return frozenset(scenes.late)

    def _scenes(self, script: list[ScriptedBatch]) -> Scenes:
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
        return Scenes(sorted(numbers - far), far & numbers)

    def _built(self, candidate: Candidate) -> Session | None:
        """A double ready to be called; None where it does not get that far."""
        session = Session(self.wall)
        with contextlib.suppress(Lost):  # the candidate's own process will end the same way
            built = Builder(self.exam, self.cache).build(session, candidate, self.settings)
            if built.seen.ok:
                return session
        session.close()
        return None

    def _join_in(self, candidate: Candidate, scenes: Scenes, last: bool) -> bytes:
        try:
            session = self._built(candidate)
        except HostError:  # one double less
            return b""
        return b"" if session is None else self._play(session, scenes, last)

    def _play(self, session: Session, scenes: Scenes, last: bool) -> bytes:
        """Shape after shape until none is left or the double ends; what is in its scratch then."""
        constructed = {0}
        try:
            while (number := scenes.take(last)) is not None:
                try:
                    self._call(session, number, constructed)
                except Lost as lost:
                    if lost.cause is EndCause.TIMED_OUT and number in scenes.stretched:
                        scenes.late.add(number)
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
