"""DeviceRounds: several candidates on one device, timed in rounds of random order behind a gate.

The rule: the round is the unit, and within a round everybody gets the same number of calls, each on
inputs that did not exist before the calls were queued. With warm caches all calls of a batch find
them at one place. Where one cannot be held behind the gate, nobody is: all are timed alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import PlannedCall
from assay.sandbox.host.session import Session
from assay.timing.baseline_session import named
from assay.timing.device_round_times import DeviceRoundTimes, GatedRun
from assay.timing.gate import Gate
from assay.timing.input_ring import InputRing

_PATIENCE_S = 0.5  # for queueing; who needs longer waits for the device
_LEAST_CALLS = 4
_OPEN_BATCH_S = 0.02  # thawing, some 0.1 ms, is part of a batch that is not held
_TRIES = 2  # to queue two calls, before somebody is said to wait for the device inside them
_SLIPS = 3  # rounds of one side that was not queued in time, before that is said


@dataclass(frozen=True)
class DeviceSide:
    """One side: a session with its inputs on the device."""

    name: str
    session: Session
    ring: InputRing
    gate: Gate
    gap_us: float | None = None  # between two launches, where it is known

    @classmethod
    def enter(
        cls, name: str, session: Session, calls: Sequence[PlannedCall], rng: random.Random
    ) -> DeviceSide:
        """Write its inputs and set up its gate."""
        return cls(name, session, InputRing(session, calls, rng), Gate(session), session.gap_us)

    def run(
        self,
        length: int,
        warm: bool,
        deadline: Deadline,
        held: bool = True,
        recorded: bool = False,
    ) -> GatedRun:
        """One batch, of which any answer may be judged; a warm one has all calls at one place.

        Of a recorded one the session's statement says which kernels ran.
        """
        laid = self.ring.laid[:1] * length if warm else self.ring.laid[:length]
        places = len(laid) if not warm else 1
        refresh = lambda: self.ring.refresh(places)  # noqa: E731
        with named(self.name):
            if held:
                return self.gate.run(laid, refresh, _PATIENCE_S, deadline, recorded)
            return self.gate.run_open(laid, refresh, deadline, recorded)


class DeviceRounds:
    """Candidates, baselines and the null candidate, which comes last.

    Each side but that one may run in several processes, which follow each other.
    """

    def __init__(
        self,
        device_sides: Sequence[DeviceSide],
        rng: random.Random,
        timeout_s: float,
        warm: bool = False,
        processes: int = 1,
    ) -> None:
        self.device_sides = list(device_sides)
        self._rng = rng
        self._timeout_s = timeout_s
        self._sides = (len(self.device_sides) - 1) // processes
        self._processes = processes
        self._warm = warm
        self._slips = 0
        self.held = True  # behind the gate, until somebody turns out to wait inside a call
        self.times = self._no_times()

    def _no_times(self, waiting: tuple[str, ...] = ()) -> DeviceRoundTimes:
        return DeviceRoundTimes(self._sides, self._warm, self.gaps_us, self._processes, waiting)

    @property
    def gaps_us(self) -> tuple[float, ...]:
        """Between two launches, by process; none where one of them does not know."""
        known = [device_side.gap_us for device_side in self.device_sides[:-1]]
        return tuple(gap for gap in known if gap is not None) if None not in known else ()

    def settle(self, longest: int, batch_s: float) -> int:
        """Warm up; the calls a batch that all can queue and that last `batch_s` at most."""
        for device_side in self.device_sides:
            if self.held and not any(self._run(device_side, 2).gated for _ in range(_TRIES)):
                self._let_through([device_side.name])
        length, least = longest, min(_LEAST_CALLS, longest)
        for device_side in self.device_sides:
            run = self._run(device_side, length)
            while self.held and not run.gated and length > least:
                length = max(least, length // 2)
                run = self._run(device_side, length)
            each_s = max(1e-7, run.outside_ns / 1e9 / length)
            limit_s = batch_s if self.held else max(batch_s, _OPEN_BATCH_S)
            length = max(least, min(length, int(limit_s / each_s)))
        return length

    def warm_up(self, length: int, seconds: float) -> None:
        """Rounds that count for nothing: clocks that idled rise, and caches fill."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            for device_side in self.device_sides:
                self._run(device_side, length)

    def _let_through(self, names: list[str]) -> None:
        """Nobody is held from here on, and what was timed behind the gate no longer counts."""
        self.held = False
        self.times = self._no_times(tuple(dict.fromkeys(names)))

    def round(self, length: int) -> int:
        """One batch of everybody, in random order; the place whose answer may be judged."""
        judged = 0 if self._warm else self._rng.randrange(length)
        order = self._rng.sample(range(len(self.device_sides)), len(self.device_sides))
        found = {place: self._run(self.device_sides[place], length) for place in order}
        late = [self.device_sides[place].name for place, run in found.items() if not run.gated]
        if self.held and late:  # one round that holds launches on one side alone compares nothing
            self._slips += 1
            if self._slips >= _SLIPS:
                self._let_through(late)
            return judged
        self.times.lengths.append(length)
        for place, run in found.items():
            self.times.runs[place].append(run)
        return judged

    def logs(self, length: int) -> list[Callable[[], str]]:
        """By process of the first side: one batch like any other, and what is said of its kernels.

        It counts for nothing.
        """
        return [partial(self._log, place, length) for place in self.times.processes_of(0)]

    def _log(self, place: int, length: int) -> str:
        side = self.device_sides[place]
        self._run(side, length, recorded=True)
        return side.session.statement()

    def _run(self, device_side: DeviceSide, length: int, recorded: bool = False) -> GatedRun:
        deadline = Deadline.after(self._timeout_s)
        return device_side.run(length, self._warm, deadline, self.held, recorded)
