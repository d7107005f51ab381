"""DeviceStopwatch: candidate, baselines and the null candidate raced on a device.

The rule: a sample is the time of a batch of secret length between the opening of the gate and the
device's own end, per call. Some of the timed calls, secretly chosen, are judged like any other.
Where calls are so short that what processes are apart by would hide one per cent, every side runs
in two of them. What the device is still at work for when a batch is called done is told.
"""

from __future__ import annotations

import contextlib
import statistics
import time

from assay.data.device import Device, DeviceReading
from assay.data.measurement import Measurement
from assay.data.observation import Observation, TimesSeen
from assay.data.progress import Report
from assay.data.settings import Level, Settings
from assay.devices.lease import device_key, lease
from assay.devices.registry import backend
from assay.measure.statistics import LEAST_ROUNDS, needs_more, paired_ratio
from assay.worker.host.baseline import CANDIDATE, NULL, BaselineLost
from assay.worker.host.cache_request import cache_remarks, place_remarks, warm_or_not
from assay.worker.host.device_measurement import cache_state, measurement
from assay.worker.host.energy import millijoules_per_call
from assay.worker.host.exam import Exam
from assay.worker.host.examiner import Examiner
from assay.worker.host.listening import left_running, sharing_remarks
from assay.worker.host.planned_call import BatchOptions
from assay.worker.host.process import Lost
from assay.worker.host.race import Race, Runner
from assay.worker.host.reading import CallFacts, read_call, returned
from assay.worker.host.session import Session
from assay.worker.host.stand import Stand
from assay.worker.host.tones import Weights
from assay.worker.host.twin import Twins

_ROUNDS = {Level.QUICK: (10, 20), Level.STANDARD: (15, 60), Level.FULL: (30, 200)}
_BUDGET_S = {Level.QUICK: 0.5, Level.STANDARD: 1.0, Level.FULL: 20.0}
_HALF_WIDTH = 0.003
_BATCH_S = 0.003
_JUDGED = {Level.QUICK: 2, Level.STANDARD: 2, Level.FULL: 6}
PROCESSES_OF_SHORT = 2  # of a side
SHORT_US = {Level.QUICK: 10.0, Level.STANDARD: 40.0, Level.FULL: 40.0}  # a call
_WARM_UP_S = 0.1  # a clock that has idled rises for some ten milliseconds
_LEASE_S = 600.0  # to wait for others who time on the same device

_TRIED = 3  # rounds that say whether calls are short


class DeviceStopwatch:
    """Times one candidate against the baselines."""

    def __init__(
        self, stand: Stand, twins: Twins, exam: Exam, settings: Settings, device: Device
    ) -> None:
        self._stand = stand
        self._twins = twins
        self._exam = exam
        self._settings = settings
        self._device = device
        self._reading = backend(settings.device).reading
        self._rng = exam.secret.random("timing")
        self._shared: tuple[str, ...] = ()  # what to say where others use the device
        self._lost: dict[str, str] = {}  # baselines that this candidate is not compared with

    def time(self, session: Session, examiner: Examiner, report: Report) -> list[Observation]:
        """Raises Lost only where a process of the candidate ends."""
        report("building baselines", None)
        version = examiner.instances.version(0)
        self._shared = sharing_remarks(session.pulse)
        try:
            own = [self._stand.enter(CANDIDATE, session)]
            if self._needs_twins(own[0], version):
                for _ in range(PROCESSES_OF_SHORT - 1):
                    own += self._another(version)
            found: list[Observation] = []
            for warm in warm_or_not(self._settings.cache):
                found += self._raced(own, version, warm, report)
            return found
        except Lost:
            self._stand.dismiss()  # the device they share may have suffered
            raise

    def _needs_twins(self, own: Runner, version: Weights) -> bool:
        """Whether a few calls on their own are short on the device."""
        with contextlib.suppress(BaselineLost):
            null = self._stand.baselines(version, self._settings.baselines)
            race = Race([own, *null], self._rng, self._timeout_s)
            length = race.settle(self._stand.most_calls, _BATCH_S)
            for _ in range(_TRIED):
                race.round(length)
            if race.held and race.times.lengths:
                return statistics.median(race.times.outside_us(0)) < SHORT_US[self._settings.level]
        return False

    def _another(self, version: Weights) -> list[Runner]:
        """One more process of the candidate, if it builds once more."""
        session = self._twins.another(version)
        return [] if session is None else [self._stand.enter(CANDIDATE, session)]

    def _raced(
        self, own: list[Runner], version: Weights, warm: bool, report: Report
    ) -> list[Observation]:
        """One race; whoever is lost on the way is left out of the next attempt."""
        count = len(own)
        while NULL not in self._lost:
            try:
                others = self._stand.baselines(version, self._lost, count)
                if others[:-1]:
                    race = Race([*own, *others], self._rng, self._timeout_s, warm, count)
                    with lease(device_key(self._device), _LEASE_S):
                        judged, readings = self._rounds(race, version, report)
                        return [*judged, *left_running(race.times), self._times(race, readings)]
                break
            except BaselineLost as lost:
                self._stand.drop(lost.name)
                self._lost[lost.name] = lost.reason
        return [TimesSeen(reason="no baseline could be run", lost=self._losses)]

    @property
    def _losses(self) -> tuple[str, ...]:
        return tuple(f"{name}: {reason}" for name, reason in self._lost.items())

    @property
    def _timeout_s(self) -> float:
        return self._settings.timeout_s

    def _rounds(
        self, race: Race, version: Weights, report: Report
    ) -> tuple[list[Observation], list[DeviceReading]]:
        level = self._settings.level
        least, most = _ROUNDS[level]
        typical = race.settle(self._stand.most_calls, _BATCH_S)
        race.warm_up(typical, _WARM_UP_S)
        ends = time.monotonic() + _BUDGET_S[level]
        found: list[Observation] = []
        readings: list[DeviceReading] = []
        judging = set(self._rng.sample(range(least), _JUDGED[level]))
        for number in range(most):
            report("timing", number / most)
            length = max(2, int(typical * self._rng.uniform(0.75, 1.0) + 0.5))
            index = race.round(length)
            readings.append(self._reading())
            timed = len(race.times.lengths)
            if number in judging and not (race.times.warm and self._exam.reference.updates):
                runner = race.runners[self._rng.choice(race.times.processes_of(0))]
                found.append(self._judge(runner, index, length, version))
            if timed >= least and (self._settled(race) or time.monotonic() > ends):
                break
        return found, readings

    def _judge(self, runner: Runner, index: int, length: int, version: Weights) -> Observation:
        """One secretly chosen call of a timed batch."""
        exam, content = self._exam, runner.ring.content(index)
        expected = exam.expectation_of(content, version, self._rng.getrandbits(32))
        options = BatchOptions(check_inputs=False)
        raw = runner.session.take(runner.ring.laid[index], options)
        facts = CallFacts.timed(index, length)
        return read_call(raw, returned(expected), facts)

    def _settled(self, race: Race) -> bool:
        times = race.times
        ratio = paired_ratio(times.samples_us(1), times.samples_us(0), seed=0)
        return not needs_more(ratio, _HALF_WIDTH)

    def _times(self, race: Race, readings: list[DeviceReading]) -> TimesSeen:
        times = race.times
        if len(times.lengths) < LEAST_ROUNDS:
            return TimesSeen(reason="calls were not queued in time", lost=self._losses)
        share = None if times.believed(0) else min(times.inside_share(0), 1e6)
        cache = cache_state(self._device, times, self._stand.call_bytes)
        names = [race.runners[times.processes_of(side)[0]].name for side in range(times.sides)]
        measured = [measurement(times, i, one, cache, readings) for i, one in enumerate(names)]
        if self._settings.level is Level.FULL:
            measured = [self._with_energy(race, i, one) for i, one in enumerate(measured)]
        said = cache_remarks(self._settings.cache, cache, times.warm)
        said += self._shared + place_remarks(self._device, self._stand.call_bytes, times.warm)
        measured = [one.model_copy(update={"remarks": one.remarks + said}) for one in measured]
        return TimesSeen(measurements=tuple(measured), inside_share=share, lost=self._losses)

    def _with_energy(self, race: Race, side: int, measured: Measurement) -> Measurement:
        length = max(measured.calls_per_sample)
        if not race.held:
            return measured
        runner = race.runners[race.times.processes_of(side)[0]]
        spent = millijoules_per_call(runner, length, self._reading)
        return measured.model_copy(update={"energy_mj": spent})
