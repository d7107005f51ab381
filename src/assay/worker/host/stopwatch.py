"""Stopwatch: candidate and baselines on one clock, in rounds of random order.

The rule: a sample is the time of a batch of secret length, per call, by the clock that counts for
all sides. No content repeats from one batch to the next, nor within a batch unless warm caches were
asked for; some of the timed calls, secretly chosen, are judged like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.data.call import Mix
from assay.data.device import Device
from assay.data.measurement import Measurement
from assay.data.observation import Observation, TimesSeen
from assay.data.settings import Level, Settings
from assay.measure.statistics import needs_more, paired_ratio
from assay.worker.host.baseline import CANDIDATE, NULL, BaselineLost
from assay.worker.host.baseline_session import named, open_baseline
from assay.worker.host.cache_request import cache_remarks, place_remarks, warm_or_not
from assay.worker.host.content import Content, few_changed
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import SEEDED, Exam, Question
from assay.worker.host.examiner import Examiner
from assay.worker.host.lap_times import Laps, LapTimes
from assay.worker.host.planned_call import BatchOptions, Place, PlannedCall
from assay.worker.host.raw_call import BatchResult
from assay.worker.host.reading import CallFacts, output_bytes, read_call, returned
from assay.worker.host.session import Session
from assay.worker.host.wall import Wall

_ROUNDS = {Level.QUICK: (8, 12), Level.STANDARD: (10, 30), Level.FULL: (20, 100)}
_BUDGET_S = {Level.QUICK: 1.5, Level.STANDARD: 1.5, Level.FULL: 60.0}
_BATCH_S = 0.02  # long enough that thawing (about 0.1 ms) is noise
_MAX_CALLS = 64
_RING_BYTES = 192 << 20
_TARGET_HALF_WIDTH = 0.01
_JUDGED = 3

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class _Side:
    """One side of the comparison."""

    name: str
    session: Session


@dataclass(frozen=True)
class _Lap:
    """What is run of everybody in a row of rounds."""

    sides: list[_Side]
    times: LapTimes
    version: int  # of the weights
    warm: bool  # all calls of a batch at one place, on one content


@dataclass
class _Field:
    """The baselines that are left, the null candidate last, and why the others are not."""

    sides: list[_Side] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def drop(self, lost: BaselineLost) -> None:
        """Go on without one."""
        self.lost.append(str(lost))
        for side in [side for side in self.sides if side.name == lost.name]:
            self.sides.remove(side)
            side.session.close()

    def close(self) -> None:
        """End them all."""
        for side in self.sides:
            side.session.close()

    @property
    def complete(self) -> bool:
        """Whether there is something to compare with, and our own cost is known."""
        return len(self.sides) > 1 and self.sides[-1].name == NULL


class Stopwatch:
    """Times one candidate against the baselines and the null candidate."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings, device: Device) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._device = device
        self._rng = exam.secret.random("timing")

    def time(self, session: Session, examiner: Examiner, report: Report) -> list[Observation]:
        """Raises Lost only where the candidate's own process ends."""
        report("building baselines", None)
        version, others = examiner.instances.version(0), _Field()
        try:
            for name in (*self._settings.baselines, NULL):
                self._admit(others, name, version)
            found: list[Observation] = []
            for warm in warm_or_not(self._settings.cache):
                found += self._timed(_Side(CANDIDATE, session), others, (version, warm), report)
            return found
        finally:
            others.close()

    def _admit(self, others: _Field, name: str, version: int) -> None:
        """Built and holding the same weights as the candidate, or else lost."""
        try:
            session = open_baseline(self._wall, self._exam, self._settings, name)
            others.sides.append(_Side(name, session))
            if version != SEEDED and name != NULL:
                state, limit_s = self._exam.state(0, version), self._settings.timeout_s
                with named(name):
                    session.load_state(0, state, Deadline.after(limit_s))
        except BaselineLost as lost:
            others.drop(lost)

    def _timed(
        self, own: _Side, others: _Field, how: tuple[int, bool], report: Report
    ) -> list[Observation]:
        """Rounds until the noise is known; whoever is lost on the way is left out of new ones."""
        while others.complete:
            sides = [own, *others.sides]
            lap = _Lap(sides, LapTimes([Laps() for _ in sides]), *how)
            try:
                judged = self._rounds(lap, report)
                return [*judged, self._seen(lap, others.lost)]
            except BaselineLost as lost:
                others.drop(lost)
        return [TimesSeen(reason="no baseline could be run", lost=tuple(others.lost))]

    def _rounds(self, lap: _Lap, report: Report) -> list[Observation]:
        level = self._settings.level
        least, most = _ROUNDS[level]
        ends = time.monotonic() + _BUDGET_S[level]
        typical = self._typical_length(lap)
        found: list[Observation] = []
        judged = set(self._rng.sample(range(least), min(_JUDGED, least)))
        for number in range(most):
            report("timing", number / most)
            found += self._round(lap, typical, number in judged)
            if number + 1 >= least and (self._settled(lap.times) or time.monotonic() > ends):
                break
        return found

    def _typical_length(self, lap: _Lap) -> int:
        """Calls a batch so that the quickest side fills it, within the ring's memory."""
        fastest = min(
            self._run(lap, side, self._contents(lap, 2)).outside_ns / 2e9 for side in lap.sides[:-1]
        )
        room = max(2, _RING_BYTES // max(1, self._call_bytes))
        wanted = int(_BATCH_S / max(fastest, 1e-6)) + 1
        return max(2, min(wanted, room, _MAX_CALLS))

    def _round(self, lap: _Lap, typical: int, judge: bool) -> list[Observation]:
        """One batch each, in random order; the same secret length for all."""
        length = max(1, min(_MAX_CALLS, int(typical * self._rng.uniform(0.75, 1.0) + 0.5)))
        found: list[Observation] = []
        results: dict[int, BatchResult] = {}
        for number in self._rng.sample(range(len(lap.sides)), len(lap.sides)):
            contents = self._contents(lap, length)
            results[number] = self._run(lap, lap.sides[number], contents)
            if judge and number == 0:
                found += self._judge(lap, contents, results[number])
        lap.times.lengths.append(length)
        for number, result in results.items():
            laps = lap.times.sides[number]
            laps.outside_ns.append(result.outside_ns)
            laps.inside_ns.append(sum(c.record.inside_ns for c in result.calls if c.record))
        return found

    def _contents(self, lap: _Lap, length: int) -> list[Content]:
        """Contents that never occurred before: a few elements of each are new every time."""
        bases = [self._exam.content(Question(0, 200 + i)) for i in range(2)]
        drawn = 1 if lap.warm else length
        made = [few_changed(self._rng.choice(bases), self._rng) for _ in range(drawn)]
        return made * length if lap.warm else made

    def _run(self, lap: _Lap, side: _Side, contents: Sequence[Content]) -> BatchResult:
        sizes = output_bytes(self._exam.expectation(Question(0), lap.version))
        distinct = contents[:1] if lap.warm else contents
        calls = [PlannedCall(0, Place(0, f"t{i}"), c, sizes) for i, c in enumerate(distinct)]
        options = BatchOptions(copy_each=True, poison=False, check_inputs=False)
        deadline = Deadline.after(self._settings.timeout_s)
        with named(side.name):
            repeated = calls * len(contents) if lap.warm else calls
            return side.session.run(repeated, options, deadline)

    def _judge(
        self, lap: _Lap, contents: Sequence[Content], result: BatchResult
    ) -> list[Observation]:
        """One secretly chosen call of a timed batch; none that found what another one left."""
        index = self._rng.randrange(len(contents))
        if lap.warm and index and self._exam.reference.updates:
            return []
        seed = self._rng.getrandbits(32)
        expected = returned(self._exam.expectation_of(contents[index], lap.version, seed))
        facts = CallFacts(1_000_000 + index, 0, Mix.TIMED, -1, len(contents))
        return [read_call(result.calls[index], expected, facts)]

    def _settled(self, times: LapTimes) -> bool:
        ratio = paired_ratio(times.samples_us(1), times.samples_us(0), seed=0)
        return not needs_more(ratio, _TARGET_HALF_WIDTH)

    def _seen(self, lap: _Lap, lost: Sequence[str]) -> TimesSeen:
        times = lap.times
        clock = "inside, confirmed by outside" if times.inside else "outside"
        rounds = f"{len(times.lengths)} rounds in random order"
        places = "; inputs at one place" if lap.warm else ""
        cache = "warm" if lap.warm else self._cache(times)
        remarks = cache_remarks(self._settings.cache, cache, lap.warm)
        remarks += place_remarks(self._device, self._call_bytes, lap.warm)
        measurements = tuple(
            Measurement(
                subject=side.name,
                method=f"{clock}; null batch subtracted; {rounds}{places}",
                clock="inside" if times.inside else "outside",
                cache=cache,
                calls_per_sample=tuple(times.lengths),
                samples_us=tuple(times.samples_us(number)),
                remarks=remarks,
            )
            for number, side in enumerate(lap.sides[:-1])
        )
        share = min(times.inside_share(0), 1e6)
        return TimesSeen(measurements=measurements, inside_share=share, lost=tuple(lost))

    @property
    def _call_bytes(self) -> int:
        """Inputs and outputs of one call."""
        outputs = sum(output_bytes(self._exam.expectation(Question(0), 0)))
        return sum(t.nbytes for t in self._exam.content(Question(0)).tensors) + outputs

    def _cache(self, times: LapTimes) -> str:
        """Cold only where the ring of distinct inputs is larger than the last-level cache."""
        llc = self._device.caches.llc_bytes
        content = self._exam.content(Question(0))
        ring = min(times.lengths) * sum(t.nbytes for t in content.tensors)
        return "cold" if llc is not None and ring > llc else "warm"
