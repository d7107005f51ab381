"""HostSide: one process of a comparison on a CPU, with its ring of calls.

The rule: contents change while the whole tree stands still, the clock starts when it is let go, and
nothing of the judge's own computes meanwhile: the library's threads spin for some milliseconds
after their last task, and would take a processor from whoever is timed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.sampling.processor_use import processors_ns
from assay.sandbox.host.activity import Scheduled, other_threads_compute, scheduled
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import Laid, PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import CallCode
from assay.sandbox.protocol.requests import PlanTimed, RunTimed
from assay.timing.baseline_session import named
from assay.timing.host_round_times import BatchTimes
from assay.timing.input_ring import InputRing

_SPINNING_S = 0.05  # the longest that our own threads spin
_LOOK_S = 0.001
_COMPUTED = 0.01  # of a batch; a thread that ran for less was not part of the work


@dataclass(frozen=True)
class HostSide:
    """A session whose calls are planned."""

    name: str
    session: Session
    ring: InputRing
    laid: tuple[Laid, ...]  # by call; in a warm row all of them find their inputs at one place
    warm: bool

    @classmethod
    def enter(
        cls, name: str, session: Session, calls: Sequence[PlannedCall], how: SideEntry
    ) -> HostSide:
        """Write its inputs and tell the child of its calls."""
        with named(name):
            ring = InputRing(session, calls, how.rng)
            first = ring.laid[0]
            laid = tuple(_at_place(one, first) if how.warm else one for one in ring.laid)
            plan = PlanTimed(tuple(one.call() for one in laid))
            session.ask(plan, Deadline.after(how.timeout_s))
            return cls(name, session, ring, laid, how.warm)

    def run(self, length: int, deadline: Deadline) -> BatchTimes:
        """One batch of the first calls, on contents that did not exist before."""
        process = self.session.process
        with named(self.name):
            process.freeze()
            self.ring.refresh(length, self.warm)
            _await_rest()
            before, ran_ns = self._scheduled(), self._ran_ns()
            reply, outside_ns = process.ask(RunTimed(length), deadline)
            after = self._scheduled()  # freezing wakes every thread, and they queue for that
            ran_ns = self._ran_ns() - ran_ns
            process.freeze()
            inside_ns = sum(self._inside_ns(length))
            waited = waited_ns(before, after, outside_ns)
            return BatchTimes(outside_ns, inside_ns, waited, 1000 * reply.count, ran_ns)

    def unanswered(self, length: int) -> int | None:
        """The first call of the last batch that did not return, as the child itself says."""
        for index, one in enumerate(self.laid[:length]):
            record = self.session.record(one)
            if record is None or record.code != CallCode.RETURNED:
                return index
        return None

    def _inside_ns(self, length: int) -> list[int]:
        records = (self.session.record(one) for one in self.laid[:length])
        return [record.inside_ns for record in records if record is not None]

    def _ran_ns(self) -> int:
        return processors_ns(self.session.process.processes.pids())

    def _scheduled(self) -> dict[str, Scheduled]:
        pids = self.session.process.processes.pids()
        return {path: one for pid in pids for path, one in scheduled(pid).items()}


@dataclass(frozen=True)
class SideEntry:
    """How sides enter a row of rounds."""

    rng: random.Random
    warm: bool
    timeout_s: float


def waited_ns(
    before: Mapping[str, Scheduled], after: Mapping[str, Scheduled], outside_ns: int
) -> int:
    """Of the thread that waited most among those that computed; an idle one delays nobody."""
    grown = [one.since(before.get(path, Scheduled(0, 0))) for path, one in after.items()]
    computed = [one for one in grown if one.ran_ns > _COMPUTED * outside_ns]
    return max((one.queued_ns for one in computed), default=0)


def _await_rest() -> None:
    """Until no other thread of this process computes, or they evidently do for another reason."""
    ends = time.monotonic() + _SPINNING_S
    while other_threads_compute() and time.monotonic() < ends:
        time.sleep(_LOOK_S)


def _at_place(one: Laid, first: Laid) -> Laid:
    """A call that finds its inputs where the first one does, and answers at its own place."""
    return replace(one, planned=first.planned, inputs=first.inputs, outer=first.outer)
