"""DeviceStopwatch: candidate, baselines and the null candidate raced on a device.

The rule: a sample is the time of a batch of secret length between the opening of the gate and the
device's own end, per call. Some of the timed calls, secretly chosen, are judged like any other.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from assay.data.call import Mix
from assay.data.candidate import Candidate
from assay.data.device import Device, DeviceReading
from assay.data.measurement import Measurement
from assay.data.observation import Observation, TimesSeen
from assay.data.settings import Level, Settings
from assay.devices.lease import device_key, lease
from assay.devices.registry import adapter
from assay.measure.expectation import ExpectationRequest, expect
from assay.measure.statistics import needs_more, paired_ratio
from assay.worker.host.baseline import baseline, null_candidate
from assay.worker.host.build import Builder
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import SEEDED, Exam, Question
from assay.worker.host.examiner import Examiner
from assay.worker.host.process import Lost
from assay.worker.host.race import Race, Runner
from assay.worker.host.race_times import RaceTimes
from assay.worker.host.reading import (
    CallFacts,
    output_bytes,
    read_call,
    returned,
    update_positions,
)
from assay.worker.host.session import BatchOptions, Place, PlannedCall, Session
from assay.worker.host.wall import Wall

_ROUNDS = {Level.QUICK: (10, 20), Level.STANDARD: (15, 60), Level.FULL: (30, 200)}
_BUDGET_S = {Level.QUICK: 1.0, Level.STANDARD: 2.0, Level.FULL: 20.0}
_HALF_WIDTH = 0.003
_BATCH_S = 0.005
_MOST_CALLS = 128
_MEMORY_BYTES = 6 << 30  # of one side's inputs, answers and slots together
_CACHES = 3  # times the last-level cache that the ring has to be
_JUDGED = 3
_LEASE_S = 600.0  # to wait for others who time on the same device

Report = Callable[[str, float | None], None]


class DeviceStopwatch:
    """Times one candidate against the baselines."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings, device: Device) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._device = device
        self._reading = adapter(settings.device).reading
        self._rng = exam.secret.random("timing")

    def time(self, session: Session, examiner: Examiner, report: Report) -> list[Observation]:
        """Raises Lost only where the candidate's own process ends."""
        report("building baselines", None)
        version = examiner.version(0)
        others: list[tuple[str, Session]] = []
        try:
            for name, other in self._others():
                others.append((name, self._open(other, version)))
            runners = [self._enter(name, own) for name, own in [("candidate", session), *others]]
            race = Race(runners, self._rng, self._settings.timeout_s)
            with lease(device_key(self._device), _LEASE_S):
                judged, readings = self._rounds(race, version, report)
            return [*judged, self._times(race, readings)]
        except _NotBuilt as failure:
            return [TimesSeen(reason=f"the baseline could not be run: {failure}")]
        finally:
            for _, other_session in others:
                other_session.close()

    def _others(self) -> list[tuple[str, Candidate]]:
        task, chosen = self._exam.reference.task, self._settings.baseline
        names = [chosen] if chosen == "eager" else [chosen, "eager"]
        null = null_candidate(self._exam.expectation(Question(0), 0), "cuda")
        return [*((name, baseline(name, task)) for name in names), ("null", null)]

    def _open(self, candidate: Candidate, version: int) -> Session:
        """A baseline's session, built and holding the same weights as the candidate."""
        session = Session(self._wall)
        try:
            built = Builder(self._exam, None).build(session, candidate, self._settings)
            if not built.seen.ok:
                raise _NotBuilt(built.seen.log[-300:])
            if version != SEEDED and candidate.name != "null":
                state = self._exam.state(0, version)
                session.load_state(0, state, Deadline.after(self._settings.timeout_s))
        except Lost as lost:
            session.close()
            raise _NotBuilt(str(lost)) from lost
        except _NotBuilt:
            session.close()
            raise
        return session

    def _enter(self, name: str, session: Session) -> Runner:
        expected = self._exam.expectation(Question(0), 0)
        sizes, updates = output_bytes(expected), update_positions(expected)
        bases = [self._exam.content(Question(0, 200 + i)) for i in range(2)]
        calls = [
            PlannedCall(0, Place(0, f"t{i}"), bases[i % 2], sizes, updates=updates)
            for i in range(self._most_calls())
        ]
        return Runner.enter(name, session, calls, self._rng)

    def _most_calls(self) -> int:
        """As many as memory holds, within reason."""
        room = _MEMORY_BYTES // max(1, self._call_bytes(slots=True))
        return max(4, min(_MOST_CALLS, room))

    def _call_bytes(self, slots: bool) -> int:
        content = self._exam.content(Question(0))
        outputs = sum(output_bytes(self._exam.expectation(Question(0), 0)))
        return sum(t.nbytes for t in content.tensors) + outputs * (2 if slots else 1)

    def _rounds(
        self, race: Race, version: int, report: Report
    ) -> tuple[list[Observation], list[DeviceReading]]:
        least, most = _ROUNDS[self._settings.level]
        ends = time.monotonic() + _BUDGET_S[self._settings.level]
        typical = race.settle(self._most_calls(), _BATCH_S)
        found: list[Observation] = []
        readings: list[DeviceReading] = []
        judging = set(self._rng.sample(range(least), _JUDGED))
        for number in range(most):
            report("timing", number / most)
            length = max(2, int(typical * self._rng.uniform(0.75, 1.0) + 0.5))
            index = race.round(length)
            readings.append(self._reading())
            if number in judging:
                found.append(self._judge(race.runners[0], index, length, version))
            if number + 1 >= least and (self._settled(race) or time.monotonic() > ends):
                break
        return found, readings

    def _judge(self, runner: Runner, index: int, length: int, version: int) -> Observation:
        """One secretly chosen call of a timed batch."""
        exam, content = self._exam, runner.ring.content(index)
        contract = exam.reference.task.contract
        request = ExpectationRequest(seed=self._rng.getrandbits(32), contract=contract)
        expected = expect(exam.bound(0), content.inputs, exam.state(0, version), request)
        options = BatchOptions(check_inputs=False)
        raw = runner.session.take(runner.ring.laid[index], options)
        facts = CallFacts(1_000_000 + index, 0, Mix.TIMED, -1, length)
        return read_call(raw, returned(expected), facts)

    def _settled(self, race: Race) -> bool:
        times = race.times
        ratio = paired_ratio(times.samples_us(1), times.samples_us(0), seed=0)
        return not needs_more(ratio, _HALF_WIDTH)

    def _times(self, race: Race, readings: list[DeviceReading]) -> TimesSeen:
        times = race.times
        share = None if times.believed(0) else min(times.inside_share(0), 1e6)
        sides = enumerate(race.runners[:-1])
        measured = tuple(self._measurement(times, i, one.name, readings) for i, one in sides)
        return TimesSeen(measurements=measured, inside_share=share)

    def _measurement(
        self, times: RaceTimes, side: int, name: str, readings: list[DeviceReading]
    ) -> Measurement:
        clock = "events inside, confirmed outside" if times.inside else "clock outside"
        gated = times.gated(side)
        gating = "gated" if gated else "not gated: it waits for the device inside a call"
        return Measurement(
            subject=name,
            method=f"{clock}; {gating}; {len(times.lengths)} rounds in random order",
            clock="inside" if times.inside else "outside",
            cache=self._cache(times),
            calls_per_sample=tuple(times.lengths),
            samples_us=tuple(times.samples_us(side)),
            host_us=tuple(times.host_us(side)),
            launch_us=tuple(times.launch_us(side)),
            offset_us=times.offset_us() if times.inside else 0.0,
            gated=gated,
            clocks_mhz=tuple(r.sm_clock_mhz for r in readings if r.sm_clock_mhz),
            temperatures_c=tuple(r.temperature_c for r in readings if r.temperature_c),
            throttles=tuple({why for r in readings for why in r.throttle_reasons or ()}),
        )

    def _cache(self, times: RaceTimes) -> str:
        """Cold only where the ring of distinct inputs and answers is larger than the cache."""
        llc = self._device.caches.llc_bytes
        ring = statistics.median(times.lengths) * self._call_bytes(slots=False)
        return "cold" if llc is not None and ring > _CACHES * llc else "warm"


class _NotBuilt(Exception):
    """A baseline did not build."""
