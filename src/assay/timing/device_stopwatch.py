"""DeviceStopwatch: candidate, baselines and the null candidate timed in rounds on a device.

The rule: a sample is the time of a batch of secret length between the opening of the gate and the
device's own end, per call. Some of the timed calls, secretly chosen, are judged like any other.
Where calls are so short that what processes are apart by would hide one per cent, every side runs
in two of them from `standard` on; where they probably are, a candidate's processes are built before
the device is held, and it is timed in them without being asked first. At the short levels one
process has to do, and intervals are wider by what processes are apart. What the device is still at
work for when a batch is called done is told.
"""

from __future__ import annotations

import contextlib
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from assay.data.device import Device, DeviceReading
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import Observation, TimesSeen
from assay.data.progress import Report
from assay.data.settings import Level, Settings
from assay.devices.device_registry import backend
from assay.devices.lease import device_key, lease
from assay.exam.call_reading import CallFacts
from assay.exam.device_code.recorded_batch import RecordedBatch
from assay.exam.exam import Exam
from assay.exam.leftover_work import of_candidate, sharing_remarks
from assay.exam.replica import ReplicaFactory
from assay.exam.script_runner import ScriptRunner
from assay.exam.weight_scales import Weights
from assay.sandbox.host.planned_call import BatchOptions
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.timing.baseline import CANDIDATE, NULL, BaselineLost
from assay.timing.baseline_pool import BaselinePool
from assay.timing.cache_request import cache_remarks, place_remarks, warm_or_not
from assay.timing.device_measurement import cache_state, measurement
from assay.timing.device_round_times import leftover_device_work
from assay.timing.device_rounds import DeviceRounds, DeviceSide
from assay.timing.energy import millijoules_per_call
from assay.timing.judged.judged_rounds import JudgedRounds, TakenCall
from assay.timing.statistics.intervals import LEAST_ROUNDS, needs_more, paired_ratio

_ROUNDS = {
    Level.SMOKE: (10, 12),
    Level.QUICK: (10, 20),
    Level.STANDARD: (15, 60),
    Level.FULL: (30, 200),
}
# Where nobody is held, launches and the copies of results are part of a batch, and scatter by more
# than a short call takes: a median of few rounds does not tell its time from nothing.
_OPEN_ROUNDS = 40
_BUDGET_S = {Level.SMOKE: 0.25, Level.QUICK: 0.5, Level.STANDARD: 1.0, Level.FULL: 20.0}
_HALF_WIDTH = 0.003
_BATCH_S = 0.003
_JUDGED = {
    Level.SMOKE: 1,
    Level.QUICK: 1,
    Level.STANDARD: 1,
    Level.FULL: 5,
}  # rounds, and the last one
PROCESSES_OF_SHORT = 2  # of a side
# A call; at the short levels one process a side times every call: a second one is a second build,
# and twice as many batches while nobody else may call.
SHORT_US = {Level.SMOKE: 0.0, Level.QUICK: 0.0, Level.STANDARD: 40.0, Level.FULL: 40.0}
_BYTES_PER_S = 1e12  # that a device moves at least; who computes more is asked, and timed in two
_WARM_UP_S = 0.1  # a clock that has idled rises for some ten milliseconds
_LEASE_S = 600.0  # to wait for others who time on the same device

_TRIED = 3  # rounds that say whether calls are short


class DeviceStopwatch:
    """Times one candidate against the baselines."""

    def __init__(
        self,
        baseline_pool: BaselinePool,
        replicas: ReplicaFactory,
        exam: Exam,
        settings: Settings,
        device: Device,
    ) -> None:
        self._baseline_pool = baseline_pool
        self._replicas = replicas
        self._exam = exam
        self._settings = settings
        self._device = device
        self._reading = backend(settings.device).reading
        self._rng = exam.secret.random("timing")
        self._shared: tuple[str, ...] = ()  # what to say where others use the device
        self._lost: dict[str, str] = {}  # baselines that this candidate is not compared with
        self._further: list[Session] = []  # processes of the candidate that were built ahead
        self._own: list[DeviceSide] = []  # its processes, with their inputs

    def build(self, script_runner: ScriptRunner, report: Report) -> None:
        """Raise the processes that are not there yet; other candidates may be timed meanwhile.

        Where calls are probably short there is a further one of the candidate's own. It stands
        still from then on. Raises Lost where it ends.
        """
        report("building baselines", None)
        if not self._are_probably_short():
            self._baseline_pool.open()
            return
        self._further += self._another_beside_baselines(script_runner.instances.version(0))
        for one in self._further:
            one.process.freeze()

    def _are_probably_short(self) -> bool:
        """As the last candidate's were; before there was one, by the bytes of a call."""
        known = self._baseline_pool.calls_are_short
        moved_us = 1e6 * self._baseline_pool.call_bytes / _BYTES_PER_S
        return moved_us < SHORT_US[self._settings.level] if known is None else known

    def prepare(self, session: Session, report: Report) -> None:
        """Lay out inputs, beside the calls of other candidates: the device is not held for it."""
        report("laying inputs", None)
        self._baseline_pool.build()
        self._own += [
            self._baseline_pool.enter(CANDIDATE, one) for one in (session, *self._further)
        ]

    def time(
        self, session: Session, script_runner: ScriptRunner, report: Report
    ) -> list[Observation]:
        """Raises Lost only where a process of the candidate ends."""
        version = script_runner.instances.version(0)
        self._shared = sharing_remarks(session.idle_probe)
        try:
            own = self._own or [self._baseline_pool.enter(CANDIDATE, session)]
            if len(own) == 1 and SHORT_US[self._settings.level]:
                # Else its processes were built ahead, and the rounds say what is short.
                self._baseline_pool.calls_are_short = self._needs_replicas(own[0], version)
                if self._baseline_pool.calls_are_short:
                    further = self._another_beside_baselines(version)
                    own = [*own, *(self._baseline_pool.enter(CANDIDATE, one) for one in further)]
            found: list[Observation] = []
            for warm in warm_or_not(self._settings.cache):
                found += self._raced(own, version, warm, report)
            return found
        except ProcessLost:
            self._baseline_pool.dismiss()  # the device they share may have suffered
            raise

    def _needs_replicas(self, own: DeviceSide, version: Weights) -> bool:
        """Whether a few calls on their own are short on the device."""
        with contextlib.suppress(BaselineLost):
            null = self._baseline_pool.baselines(version, self._settings.baselines)
            device_rounds = DeviceRounds([own, *null], self._rng, self._timeout_s)
            length = device_rounds.settle(self._baseline_pool.most_calls, _BATCH_S)
            for _ in range(_TRIED):
                device_rounds.round(length)
            return self._is_short(device_rounds)
        return False

    def _is_short(self, device_rounds: DeviceRounds) -> bool:
        """Whether the candidate's calls are, as far as rounds behind the gate say."""
        if not (device_rounds.held and device_rounds.times.lengths):
            return False
        call_us = statistics.median(device_rounds.times.outside_us(0))
        return call_us < SHORT_US[self._settings.level]

    def _another(self, version: Weights) -> list[Session]:
        """More processes of the candidate, as far as it builds once more."""
        made = (self._replicas.another(version) for _ in range(PROCESSES_OF_SHORT - 1))
        return [one for one in made if one is not None]

    def _another_beside_baselines(self, version: Weights) -> list[Session]:
        """The same, while as many processes of the baselines are raised that are not there."""
        with ThreadPoolExecutor(1) as pool:
            raised = pool.submit(self._baseline_pool.open, PROCESSES_OF_SHORT)
            try:
                return self._another(version)
            finally:
                raised.result()

    def _raced(
        self, own: list[DeviceSide], version: Weights, warm: bool, report: Report
    ) -> list[Observation]:
        """One row of rounds; whoever is lost on the way is left out of the next attempt."""
        count, probe = len(own), own[0].session.idle_probe
        while NULL not in self._lost:
            try:
                others = self._baseline_pool.baselines(version, self._lost, count)
                if others[:-1]:
                    device_rounds = DeviceRounds(
                        [*own, *others], self._rng, self._timeout_s, warm, count
                    )
                    with lease(device_key(self._device), _LEASE_S):
                        judged, readings = self._rounds(device_rounds, version, report)
                        if count > 1:
                            self._baseline_pool.calls_are_short = self._is_short(device_rounds)
                        return [
                            *judged,
                            *of_candidate(leftover_device_work(device_rounds.times), probe),
                            self._times(device_rounds, readings),
                        ]
                break
            except BaselineLost as lost:
                self._baseline_pool.drop(lost.name)
                self._lost[lost.name] = lost.reason
        return [TimesSeen(reason="no baseline could be run", lost=self._losses)]

    @property
    def _losses(self) -> tuple[str, ...]:
        return tuple(f"{name}: {reason}" for name, reason in self._lost.items())

    @property
    def _timeout_s(self) -> float:
        return self._settings.timeout_s

    def _rounds(
        self, device_rounds: DeviceRounds, version: Weights, report: Report
    ) -> tuple[list[Observation], list[DeviceReading]]:
        level = self._settings.level
        typical = device_rounds.settle(self._baseline_pool.most_calls, _BATCH_S)
        device_rounds.warm_up(typical, _WARM_UP_S)
        ends = time.monotonic() + _BUDGET_S[level]
        judged, index, length = JudgedRounds(_JUDGED[level], self._rng), 0, typical
        judges = not (device_rounds.times.warm and self._exam.reference.updates)
        readings: list[DeviceReading] = []
        least, track = self._amounts(device_rounds)[0], self._settings.track
        recorded_batch = RecordedBatch(least, self._rng, track)
        while not self._has_enough(device_rounds, ends):
            report("timing", len(device_rounds.times.lengths) / self._amounts(device_rounds)[1])
            length = int(typical * self._rng.uniform(0.75, 1.0) + 0.5)
            length = max(min(2, typical), length)
            if recorded_batch.is_due(len(device_rounds.times.lengths)):
                wall = device_rounds.device_sides[0].session.wall
                logs = device_rounds.logs(length)
                recorded_batch.make(logs, length, wall, self._device)
            index = device_rounds.round(length)
            readings.append(self._reading())
            if judges and judged.is_drawn():
                judged.keep(self._take(device_rounds, index, length))
        if judges:
            judged.last = self._take(device_rounds, index, length)
        answers = [self._judged(one, version) for one in judged.all]
        return [*answers, *recorded_batch.seen], readings

    def _has_enough(self, device_rounds: DeviceRounds, ends: float) -> bool:
        """Rounds that count; those before it turned out that somebody cannot be held do not."""
        least, most = self._amounts(device_rounds)
        timed = len(device_rounds.times.lengths)
        late = timed >= least and (time.monotonic() > ends or self._settled(device_rounds))
        return timed >= most or late

    def _amounts(self, device_rounds: DeviceRounds) -> tuple[int, int]:
        """How many rounds at least, and at most."""
        least, most = _ROUNDS[self._settings.level]
        if device_rounds.held:
            return least, most
        return max(least, _OPEN_ROUNDS), max(most, _OPEN_ROUNDS)

    def _take(self, device_rounds: DeviceRounds, index: int, length: int) -> TakenCall:
        """A secretly chosen call of the last batch, in one of the candidate's processes."""
        place = self._rng.choice(device_rounds.times.processes_of(0))
        side = device_rounds.device_sides[place]
        raw = side.session.take(side.ring.laid[index], BatchOptions(check_inputs=False))
        content, few = side.ring.given(index)
        return TakenCall(index, length, content, raw, few)

    def _judged(self, taken: TakenCall, version: Weights) -> Observation:
        facts = CallFacts.timed(taken.index, taken.length)
        with taken.few.made():
            return self._exam.judge_call(taken.raw, taken.content, version, facts)

    def _settled(self, device_rounds: DeviceRounds) -> bool:
        times = device_rounds.times
        ratio = paired_ratio(times.samples_us(1), times.samples_us(0), seed=0)
        return not needs_more(ratio, _HALF_WIDTH)

    def _times(self, device_rounds: DeviceRounds, readings: list[DeviceReading]) -> TimesSeen:
        times = device_rounds.times
        if len(times.lengths) < LEAST_ROUNDS:
            return TimesSeen(reason="calls were not queued in time", lost=self._losses)
        share = None if times.believed(0) else min(times.inside_share(0), 1e6)
        cache = cache_state(self._device, times, self._baseline_pool.call_bytes)
        names = [
            device_rounds.device_sides[times.processes_of(side)[0]].name
            for side in range(times.sides)
        ]
        measured = [measurement(times, i, one, cache, readings) for i, one in enumerate(names)]
        if self._settings.level is Level.FULL:
            measured = [self._with_energy(device_rounds, i, one) for i, one in enumerate(measured)]
        said = cache_remarks(self._settings.cache, cache, times.warm)
        said += self._shared + place_remarks(
            self._device, self._baseline_pool.call_bytes, times.warm
        )
        measured = [one.model_copy(update={"remarks": one.remarks + said}) for one in measured]
        return TimesSeen(measurements=tuple(measured), inside_share=share, lost=self._losses)

    def _with_energy(
        self, device_rounds: DeviceRounds, side: int, measured: Measurement
    ) -> Measurement:
        length = max(measured.calls_per_sample)
        if not device_rounds.held:
            return measured
        device_side = device_rounds.device_sides[device_rounds.times.processes_of(side)[0]]
        spent = millijoules_per_call(device_side, length, self._reading)
        return measured.model_copy(update={"energy_mj": spent})
