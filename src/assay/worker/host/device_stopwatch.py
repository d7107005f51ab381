"""DeviceStopwatch: candidate, baselines and the null candidate raced on a device.

The rule: a sample is the time of a batch of secret length between the opening of the gate and the
device's own end, per call. Some of the timed calls, secretly chosen, are judged like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from assay.data.call import Mix
from assay.data.device import Device, DeviceReading
from assay.data.measurement import Measurement
from assay.data.observation import Observation, TimesSeen
from assay.data.settings import Level, Settings
from assay.devices.lease import device_key, lease
from assay.devices.registry import adapter
from assay.measure.expectation import ExpectationRequest, expect
from assay.measure.statistics import needs_more, paired_ratio
from assay.worker.host.device_measurement import cache_state, measurement
from assay.worker.host.energy import millijoules_per_call
from assay.worker.host.exam import Exam
from assay.worker.host.examiner import Examiner
from assay.worker.host.planned_call import BatchOptions
from assay.worker.host.process import Lost
from assay.worker.host.race import Race, Runner
from assay.worker.host.reading import CallFacts, read_call, returned
from assay.worker.host.session import Session
from assay.worker.host.stand import BaselineLost, Stand

_ROUNDS = {Level.QUICK: (10, 20), Level.STANDARD: (15, 60), Level.FULL: (30, 200)}
_BUDGET_S = {Level.QUICK: 0.5, Level.STANDARD: 1.0, Level.FULL: 20.0}
_HALF_WIDTH = 0.003
_BATCH_S = 0.003
_JUDGED = {Level.QUICK: 2, Level.STANDARD: 2, Level.FULL: 6}
_LEASE_S = 600.0  # to wait for others who time on the same device

Report = Callable[[str, float | None], None]


class DeviceStopwatch:
    """Times one candidate against the baselines."""

    def __init__(self, stand: Stand, exam: Exam, settings: Settings, device: Device) -> None:
        self._stand = stand
        self._exam = exam
        self._settings = settings
        self._device = device
        self._reading = adapter(settings.device).reading
        self._rng = exam.secret.random("timing")

    def time(self, session: Session, examiner: Examiner, report: Report) -> list[Observation]:
        """Raises Lost only where the candidate's own process ends."""
        report("building baselines", None)
        version = examiner.version(0)
        try:
            others = self._stand.baselines(version)
        except (BaselineLost, Lost) as failure:
            self._stand.dismiss()
            return [TimesSeen(reason=f"the baseline could not be run: {failure}")]
        race = Race([self._stand.enter("candidate", session), *others], self._rng, self._timeout_s)
        try:
            with lease(device_key(self._device), _LEASE_S):
                judged, readings = self._rounds(race, version, report)
                return [*judged, self._times(race, readings)]
        except Lost:
            self._stand.dismiss()  # it may have been one of them
            raise

    @property
    def _timeout_s(self) -> float:
        return self._settings.timeout_s

    def _rounds(
        self, race: Race, version: int, report: Report
    ) -> tuple[list[Observation], list[DeviceReading]]:
        level = self._settings.level
        least, most = _ROUNDS[level]
        typical = race.settle(self._stand.most_calls, _BATCH_S)
        ends = time.monotonic() + _BUDGET_S[level]
        found: list[Observation] = []
        readings: list[DeviceReading] = []
        judging = set(self._rng.sample(range(least), _JUDGED[level]))
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
        cache = cache_state(self._device, times, self._stand.call_bytes)
        sides = enumerate(race.runners[:-1])
        measured = [measurement(times, i, one.name, cache, readings) for i, one in sides]
        if self._settings.level is Level.FULL:
            measured = [self._with_energy(race, i, one) for i, one in enumerate(measured)]
        return TimesSeen(measurements=tuple(measured), inside_share=share)

    def _with_energy(self, race: Race, side: int, measured: Measurement) -> Measurement:
        length = max(measured.calls_per_sample)
        spent = millijoules_per_call(race.runners[side], length, self._reading)
        return measured.model_copy(update={"energy_mj": spent})
