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
from assay.data.device import Device
from assay.data.measurement import Measurement
from assay.data.observation import Observation, TimesSeen
from assay.data.settings import Level, Settings
from assay.measure.expectation import ExpectationRequest, expect
from assay.measure.statistics import needs_more, paired_ratio
from assay.worker.host.baseline import baseline, null_candidate
from assay.worker.host.build import Builder
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import SEEDED, Exam, Question
from assay.worker.host.examiner import Examiner
from assay.worker.host.process import Lost
from assay.worker.host.race import Race, Runner
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

Report = Callable[[str, float | None], None]


class DeviceStopwatch:
    """Times one candidate against the baselines."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings, device: Device) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._device = device
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
            judged = self._rounds(race, version, report)
            return [*judged, self._times(race)]
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

    def _rounds(self, race: Race, version: int, report: Report) -> list[Observation]:
        least, most = _ROUNDS[self._settings.level]
        ends = time.monotonic() + _BUDGET_S[self._settings.level]
        typical = race.settle(self._most_calls(), _BATCH_S)
        found: list[Observation] = []
        judging = set(self._rng.sample(range(least), _JUDGED))
        for number in range(most):
            report("timing", number / most)
            length = max(2, int(typical * self._rng.uniform(0.75, 1.0) + 0.5))
            index = race.round(length)
            if number in judging:
                found.append(self._judge(race.runners[0], index, length, version))
            if number + 1 >= least and (self._settled(race) or time.monotonic() > ends):
                break
        return found

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
        own, chosen = race.runners[0], race.runners[1]
        ratio = paired_ratio(race.samples_us(chosen), race.samples_us(own), seed=0)
        return not needs_more(ratio, _HALF_WIDTH)

    def _times(self, race: Race) -> TimesSeen:
        inside = all(race.believed(one) for one in race.runners[:-1])
        clock = "events inside, confirmed by the clock outside" if inside else "clock outside"
        rounds = f"{len(race.lengths)} rounds in random order"
        return TimesSeen(
            measurements=tuple(
                Measurement(
                    subject=runner.name,
                    method=f"{clock}; {self._gating(race, runner)}; {rounds}",
                    clock="inside" if inside else "outside",
                    cache=self._cache(race),
                    calls_per_sample=tuple(race.lengths),
                    samples_us=tuple(race.samples_us(runner)),
                )
                for runner in race.runners[:-1]
            ),
            inside_share=min(race.inside_share(race.runners[0]), 1e6)
            if not race.believed(race.runners[0])
            else None,
        )

    def _gating(self, race: Race, runner: Runner) -> str:
        return (
            "gated batches" if race.gated(runner) else "not gated: it waits for the device inside"
        )

    def _cache(self, race: Race) -> str:
        """Cold only where the ring of distinct inputs and answers is larger than the cache."""
        llc = self._device.caches.llc_bytes
        ring = statistics.median(race.lengths) * self._call_bytes(slots=False)
        return "cold" if llc is not None and ring > _CACHES * llc else "warm"


class _NotBuilt(Exception):
    """A baseline did not build."""
