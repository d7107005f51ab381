"""Race: several candidates on one device, timed in rounds of random order behind a gate.

The rule: the round is the unit, and within a round everybody gets the same number of calls, each on
inputs that did not exist before they were queued. The clock that counts is outside; the events
inside are finer, and are believed where both agree.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.worker.host.deadline import Deadline
from assay.worker.host.gate import Gate, GatedRun
from assay.worker.host.ring import Ring
from assay.worker.host.session import PlannedCall, Session

_PATIENCE_S = 0.5  # for queueing; who needs longer waits for the device
_LEAST_CALLS = 4
_AGREEMENT = 0.05  # of the outside time by which the inside may fall short,
_SLACK_US = 40.0  # and of one batch


@dataclass
class Runner:
    """One side: a session with its inputs on the device, and what was measured so far."""

    name: str
    session: Session
    ring: Ring
    gate: Gate
    runs: list[GatedRun] = field(default_factory=list)

    @classmethod
    def enter(
        cls, name: str, session: Session, calls: Sequence[PlannedCall], rng: random.Random
    ) -> Runner:
        """Write its inputs and set up its gate."""
        return cls(name, session, Ring(session, calls, rng), Gate(session))

    def run(self, length: int, judged: int, deadline: Deadline) -> GatedRun:
        """One batch; not counted."""
        laid, refresh = self.ring.laid[:length], lambda: self.ring.refresh(length, judged)
        return self.gate.run(laid, refresh, _PATIENCE_S, deadline)


class Race:
    """Candidates, baselines and the null candidate, which comes last."""

    def __init__(self, runners: Sequence[Runner], rng: random.Random, timeout_s: float) -> None:
        self.runners = list(runners)
        self._rng = rng
        self._timeout_s = timeout_s
        self.lengths: list[int] = []

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
        """One batch of everybody, in random order; the call whose answer may be judged."""
        self.lengths.append(length)
        judged = self._rng.randrange(length)
        for runner in self._rng.sample(self.runners, len(self.runners)):
            runner.runs.append(self._run(runner, length, judged))
        return judged

    def inside_us(self, runner: Runner) -> list[float]:
        """Per call, by the child's events."""
        return [run.inside_ns / 1e3 / n for run, n in self._rows(runner)]

    def outside_us(self, runner: Runner) -> list[float]:
        """Per call, by our own clock, less what the null candidate's batch took."""
        null = self.runners[-1].runs
        rows = zip(self._rows(runner), null, strict=True)
        return [max(0.01, (run.outside_ns - own.outside_ns) / 1e3 / n) for (run, n), own in rows]

    def launch_us(self, runner: Runner) -> list[float]:
        """Host time per call until it was queued, less what queueing nothing takes."""
        null = self.runners[-1].runs
        rows = zip(self._rows(runner), null, strict=True)
        return [max(0.0, (run.enqueue_ns - own.enqueue_ns) / 1e3 / n) for (run, n), own in rows]

    def gated(self, runner: Runner) -> bool:
        """Whether every batch was queued whole before the gate opened."""
        return all(run.gated for run in runner.runs)

    def inside_share(self, runner: Runner) -> float:
        """The inside time over the outside one."""
        outside = statistics.median(self.outside_us(runner))
        return statistics.median(self.inside_us(runner)) / max(outside, 1e-3)

    def believed(self, runner: Runner) -> bool:
        """Whether the events account for all the time seen from outside."""
        outside = statistics.median(self.outside_us(runner))
        inside = statistics.median(self.inside_us(runner))
        slack = _SLACK_US / statistics.median(self.lengths)
        return outside - inside <= _AGREEMENT * outside + slack

    def samples_us(self, runner: Runner) -> list[float]:
        """Per call, by the clock that counts for all of them."""
        trusted = all(self.believed(one) for one in self.runners[:-1])
        return self.inside_us(runner) if trusted else self.outside_us(runner)

    def close(self) -> None:
        """Give the gates back, after the sessions."""
        for runner in self.runners:
            runner.gate.close()

    def _rows(self, runner: Runner) -> list[tuple[GatedRun, int]]:
        return list(zip(runner.runs, self.lengths, strict=True))

    def _run(self, runner: Runner, length: int, judged: int = 0) -> GatedRun:
        return runner.run(length, judged, Deadline.after(self._timeout_s))
