"""Race: several candidates on one device, timed in rounds of random order behind a gate.

The rule: the round is the unit, and within a round everybody gets the same number of calls, each on
inputs that did not exist before the calls were queued. In a warm race all calls of a batch find
them at one place.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from assay.worker.host.baseline_session import named
from assay.worker.host.deadline import Deadline
from assay.worker.host.gate import Gate
from assay.worker.host.planned_call import PlannedCall
from assay.worker.host.race_times import GatedRun, RaceTimes
from assay.worker.host.ring import Ring
from assay.worker.host.session import Session

_PATIENCE_S = 0.5  # for queueing; who needs longer waits for the device
_LEAST_CALLS = 4


@dataclass(frozen=True)
class Runner:
    """One side: a session with its inputs on the device."""

    name: str
    session: Session
    ring: Ring
    gate: Gate
    gap_us: float | None = None  # between two launches, where it is known

    @classmethod
    def enter(
        cls, name: str, session: Session, calls: Sequence[PlannedCall], rng: random.Random
    ) -> Runner:
        """Write its inputs and set up its gate."""
        return cls(name, session, Ring(session, calls, rng), Gate(session), session.gap_us)

    def run(self, length: int, judged: int | None, deadline: Deadline) -> GatedRun:
        """One batch, of which one answer may be judged; without one, all calls at one place."""
        with named(self.name):
            if judged is None:
                again = self.ring.laid[:1] * length
                return self.gate.run(again, lambda: self.ring.refresh(1), _PATIENCE_S, deadline)
            laid, refresh = self.ring.laid[:length], lambda: self.ring.refresh(length, judged)
            return self.gate.run(laid, refresh, _PATIENCE_S, deadline)


class Race:
    """Candidates, baselines and the null candidate, which comes last.

    Each side but that one may run in several processes, which follow each other.
    """

    def __init__(
        self,
        runners: Sequence[Runner],
        rng: random.Random,
        timeout_s: float,
        warm: bool = False,
        processes: int = 1,
    ) -> None:
        self.runners = list(runners)
        self._rng = rng
        self._timeout_s = timeout_s
        sides = (len(self.runners) - 1) // processes
        self.times = RaceTimes(sides, warm, self.gaps_us, processes)

    @property
    def gaps_us(self) -> tuple[float, ...]:
        """Between two launches, by process; none where one of them does not know."""
        known = [runner.gap_us for runner in self.runners[:-1]]
        return tuple(gap for gap in known if gap is not None) if None not in known else ()

    def settle(self, longest: int, batch_s: float) -> int:
        """Warm up; the calls a batch that all can queue and that last `batch_s` at most."""
        length = longest
        for runner in self.runners:
            self._run(runner, min(2, length))
            run = self._run(runner, length)
            while not run.gated and length > _LEAST_CALLS:
                length = max(_LEAST_CALLS, length // 2)
                run = self._run(runner, length)
            each_s = max(1e-7, run.outside_ns / 1e9 / length)
            length = max(_LEAST_CALLS, min(length, int(batch_s / each_s)))
        return length

    def round(self, length: int) -> int:
        """One batch of everybody, in random order; the place whose answer may be judged."""
        judged = 0 if self.times.warm else self._rng.randrange(length)
        order = self._rng.sample(range(len(self.runners)), len(self.runners))
        found = {place: self._run(self.runners[place], length, judged) for place in order}
        self.times.lengths.append(length)
        for place, run in found.items():
            self.times.runs[place].append(run)
        return judged

    def _run(self, runner: Runner, length: int, judged: int = 0) -> GatedRun:
        deadline = Deadline.after(self._timeout_s)
        return runner.run(length, None if self.times.warm else judged, deadline)
