"""Stopwatch: candidate and baselines on one clock, in rounds of random order.

The rule: a sample is the time of a batch of secret length, per call, by the clock that counts for
all sides. No content repeats from one batch to the next, nor within a batch unless warm caches were
asked for; some of the timed calls, secretly chosen, are judged like any other. Where load hides
whether a clock is true, more rounds are run, up to a limit.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from assay.data.device import Device
from assay.data.observations.observation import Observation, TimesSeen
from assay.data.progress import Report
from assay.data.settings import Level, Settings
from assay.exam.call_reading import CallFacts
from assay.exam.exam import ContentKey, Exam
from assay.exam.replica import ReplicaFactory
from assay.exam.script_runner import ScriptRunner
from assay.exam.weight_scales import SEEDED, Weights
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import (
    BatchOptions,
    PlannedCall,
    output_bytes,
    timed_calls,
    update_positions,
)
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.timing.baseline import CANDIDATE, NULL, BaselineLost
from assay.timing.baseline_session import named, open_baseline
from assay.timing.cache_request import warm_or_not
from assay.timing.host_measurement import TimedRow, times_seen
from assay.timing.host_round_times import HostRoundTimes
from assay.timing.host_side import HostSide, SideEntry
from assay.timing.judged.farthest_answer import AnswerPool, farthest
from assay.timing.judged.judged_rounds import JudgedRounds, TakenCall
from assay.timing.judged.living_results import living_results, place_of_first
from assay.timing.load_watch import LoadWatch
from assay.timing.round_sampling import MakeRoundSampler, RoundSampling
from assay.timing.statistics.clock_agreement import ClockAnswer
from assay.timing.statistics.intervals import LEAST_ROUNDS, needs_more, paired_ratio

_ROUNDS = {
    Level.SMOKE: (10, 20),
    Level.QUICK: (15, 40),
    Level.STANDARD: (15, 60),
    Level.FULL: (20, 100),
}
_BUDGET_S = {Level.SMOKE: 1.0, Level.QUICK: 2.5, Level.STANDARD: 4.0, Level.FULL: 60.0}
_BATCH_S = 0.03  # thawing, waking and freezing are about 1 ms of it
_MAX_CALLS = 1024
_RING_BYTES = 384 << 20
_TARGET_HALF_WIDTH = 0.01
_FURTHER = 2  # times as many rounds where load hides the answer
_ALIVE, _ALIVE_S = 32, 2.0  # calls whose results are alive together at the end, and their time
_JUDGED = 2  # rounds drawn over all, and the last one
_COMPARED = 72  # answers; with a wrong one in 16 they miss it in 1 % of runs
_COMPARED_BYTES = 128 << 20  # of their contents and themselves
_OFFERED = 8  # of one round
_TRIED = 4  # calls that say how long a batch is to be
_LONG_S = 0.25  # a call; such a batch is one call


@dataclass(frozen=True)
class _Side:
    """One side of the comparison."""

    name: str
    session: Session


@dataclass
class _TimedTable:
    """What is run of everybody in a row of rounds."""

    sides: list[HostSide]
    version: Weights
    times: HostRoundTimes
    judged: JudgedRounds
    pool: AnswerPool
    sampling: RoundSampling | None = None
    length: int = 0  # calls of the candidate's last batch
    watch: LoadWatch = field(default_factory=LoadWatch)

    @property
    def warm(self) -> bool:
        """All calls of a batch at one place, on one content."""
        return self.sides[0].warm


@dataclass
class _Sides:
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

    def __init__(
        self,
        wall: Wall,
        replicas: ReplicaFactory | None,
        exam: Exam,
        settings: Settings,
        device: Device,
    ) -> None:
        self._wall = wall
        self._replicas = replicas  # None: the process that was examined is timed
        self._exam = exam
        self._settings = settings
        self._device = device
        self._rng = exam.secret.random("timing")
        self._make_sampler: MakeRoundSampler | None = None

    def sampled_by(self, make: MakeRoundSampler) -> Stopwatch:
        """Sample some rounds of the candidate's process."""
        self._make_sampler = make
        return self

    def build(self, script_runner: ScriptRunner, report: Report) -> None:
        """Nothing: a baseline's process is as fresh as the candidate's, so it is made to time."""

    def prepare(self, session: Session, report: Report) -> None:
        """Nothing: inputs are laid out in fresh processes."""

    def time(
        self, session: Session, script_runner: ScriptRunner, report: Report
    ) -> list[Observation]:
        """Raises Lost only where the candidate's own process ends.

        A process that was examined is slower than a fresh one: on two cores the reference against
        itself was 0.84 to 0.93 for LayerNorm, RMSNorm and cross-entropy, and 0.97 to 1.03 when both
        were fresh. Its heap is in pieces. So the candidate is timed in a fresh process too, which
        whoever made the twins closes.
        """
        report("building baselines", None)
        version, others = script_runner.instances.version(0), _Sides()
        fresh = self._replicas.another(version) if self._replicas else None
        try:
            for name in (*self._settings.baselines, NULL):
                self._admit(others, name, version)
            found: list[Observation] = []
            for warm in warm_or_not(self._settings.cache):
                own = _Side(CANDIDATE, fresh or session)
                found += self._timed(own, others, (version, warm), report)
            return found
        finally:
            others.close()

    def _admit(self, others: _Sides, name: str, version: Weights) -> None:
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
        self, own: _Side, others: _Sides, how: tuple[Weights, bool], report: Report
    ) -> list[Observation]:
        """Rounds until the noise is known; whoever is lost on the way is left out of new ones."""
        version, warm = how
        while others.complete:
            try:
                row = self._row([own, *others.sides], version, warm)
                self._rounds(row, report)
                self._take(row, row.length, last=True)
                judged = [self._judged(row, one) for one in self._chosen(row)]
                sampled = row.sampling.observations() if row.sampling else []
                return [*judged, *sampled, self._seen(row, others.lost)]
            except BaselineLost as lost:
                others.drop(lost)
        return [TimesSeen(reason="no baseline could be run", lost=tuple(others.lost))]

    def _row(self, sides: Sequence[_Side], version: Weights, warm: bool) -> _TimedTable:
        """Every side with its calls: planned, and all their pages touched by an untimed batch."""
        entry = SideEntry(self._rng, warm, self._settings.timeout_s)
        tried = self._calls(min(_TRIED, self._room))
        first = [HostSide.enter(s.name, s.session, tried, entry) for s in sides]
        length = self._fitting(first)
        calls = self._calls(length)
        entered = [HostSide.enter(s.name, s.session, calls, entry) for s in sides]
        for side in entered:
            side.run(length, self._deadline())
        judged = JudgedRounds(_JUDGED, self._rng)
        sampling = self._sampling(sides[0].session)
        times = HostRoundTimes([[] for _ in entered])
        most = min(_COMPARED, _COMPARED_BYTES // max(1, self._call_bytes))
        pool = AnswerPool(most, self._rng)
        return _TimedTable(entered, version, times, judged, pool, sampling)

    def _sampling(self, session: Session) -> RoundSampling | None:
        make = self._make_sampler
        return None if make is None else RoundSampling(make(session), self._rng)

    def _calls(self, length: int) -> list[PlannedCall]:
        expected = self._exam.expectation(ContentKey(0))
        sizes, updates = output_bytes(expected), update_positions(expected)
        return timed_calls(self._exam.timed_contents, length, sizes, updates)

    def _fitting(self, sides: Sequence[HostSide]) -> int:
        """Calls a batch so that the quickest side fills it, within the ring's memory."""
        fastest_s = min(self._call_s(side) for side in sides[:-1])
        if fastest_s > _LONG_S:
            return 1
        return max(2, min(int(_BATCH_S / fastest_s) + 1, self._room, _MAX_CALLS))

    def _call_s(self, side: HostSide) -> float:
        """Of one call, roughly; the first says whether more can be afforded."""
        first_s = side.run(1, self._deadline()).outside_ns / 1e9
        if first_s > _LONG_S:
            return first_s
        length = len(side.laid)
        batch_times = side.run(length, self._deadline())
        return min(batch_times.outside_ns, max(batch_times.inside_ns, 1000)) / 1e9 / length

    def _rounds(self, row: _TimedTable, report: Report) -> None:
        level = self._settings.level
        least, most = _ROUNDS[level]
        start = time.monotonic()
        row.watch = LoadWatch()
        examined = place_of_first(self._rng)
        for number in range(_FURTHER * most):
            report("timing", min(1.0, number / most))
            if number == examined:
                self._examine(row)
            self._sampled_round(row, number)
            self._round(row)
            spent = (time.monotonic() - start) / _BUDGET_S[level]
            if number + 1 < (LEAST_ROUNDS if spent > _FURTHER else least):
                continue
            if self._settled(row.times) or spent > _FURTHER:
                break
            if (number + 1 >= most or spent > 1.0) and not _hidden(row.times):
                break
        while row.sampling is not None and (
            row.sampling.needs_more or row.sampling.differs(row.times.ran_us(0))
        ):
            self._sampled_round(row, None)
        self._examine(row, last=True)

    def _examine(self, row: _TimedTable, last: bool = False) -> None:
        """Results that are alive together, unless something was found already."""
        if row.judged.strange is None:
            row.sides[0] = self._longer(row) if last else row.sides[0]
            own, deadline = row.sides[0], self._deadline()
            row.judged.strange = living_results(self._exam, own, self._rng, deadline, last)

    def _longer(self, row: _TimedTable) -> HostSide:
        """The candidate with calls enough for rings of results: a busy machine's batch is short."""
        own, call_s = row.sides[0], statistics.median(row.times.ran_us(0)) / 1e6
        length = min(_ALIVE, self._room, int(_ALIVE_S / max(call_s, 1e-9)))
        if length <= len(own.laid):
            return own
        entry = SideEntry(self._rng, row.warm, self._settings.timeout_s)
        return HostSide.enter(own.name, own.session, self._calls(length), entry)

    def _length(self, row: _TimedTable) -> int:
        typical = len(row.sides[0].laid)
        return max(1, min(typical, int(typical * self._rng.uniform(0.75, 1.0) + 0.5)))

    def _sampled_round(self, row: _TimedTable, number: int | None) -> None:
        """A batch of the candidate's alone, where one is due; without a number it is."""
        sampling, own, length = row.sampling, row.sides[0], self._length(row)
        if sampling is None or (number is not None and not sampling.is_due(number)):
            return
        row.length = length
        own.session.process.freeze()
        sampling.run(lambda: own.run(length, self._deadline()), length)
        self._take(row, length)

    def _round(self, row: _TimedTable) -> None:
        """One batch each, in random order; the same secret length for all."""
        row.length = length = self._length(row)
        all_batch_times = {}
        for number in self._rng.sample(range(len(row.sides)), len(row.sides)):
            side = row.sides[number]
            side.session.process.freeze()
            row.watch.look()
            all_batch_times[number] = side.run(length, self._deadline())
            if number == 0:
                self._take(row, length)
        row.times.add(length, [all_batch_times[number] for number in range(len(row.sides))])

    def _take(self, row: _TimedTable, length: int, last: bool = False) -> None:
        """Keep a secretly chosen call of the batch, or one that did not return."""
        own, judged = row.sides[0], row.judged
        failed = own.unanswered(length)
        if failed is not None:
            judged.failed = judged.failed or self._taken(row, failed, length)
            return
        if not last:
            self._offer(row, length)
        index = self._rng.randrange(length)
        if not (last or judged.is_drawn()) or self._found_changed(row, index):
            return
        taken = self._taken(row, index, length)
        if last:
            judged.last = taken
        else:
            judged.keep(taken)

    def _offer(self, row: _TimedTable, length: int) -> None:
        """Some answers of the batch, of which the farthest one of all rounds is judged."""
        places = [i for i in range(length) if not self._found_changed(row, i)]
        for place in self._rng.sample(places, min(_OFFERED, len(places))):
            row.pool.offer(partial(self._taken, row, place, length))

    def _taken(self, row: _TimedTable, index: int, length: int) -> TakenCall:
        own = row.sides[0]
        raw = own.session.take(own.laid[index], BatchOptions(check_inputs=False))
        return TakenCall(index, length, own.ring.content(0 if row.warm else index), raw)

    def _found_changed(self, row: _TimedTable, index: int) -> bool:
        """Whether a call found what another one left in its inputs."""
        return bool(row.warm and index and self._exam.reference.updates)

    def _chosen(self, row: _TimedTable) -> list[TakenCall]:
        """The drawn answers, and the one of many that is farthest from the reference."""
        found = farthest(self._exam, row.version, row.pool.kept)
        return [*row.judged.all, *([] if found is None else [found])]

    def _judged(self, row: _TimedTable, taken: TakenCall) -> Observation:
        facts = CallFacts.timed(taken.index, taken.length)
        return self._exam.judge_call(taken.raw, taken.content, row.version, facts)

    def _settled(self, times: HostRoundTimes) -> bool:
        if _hidden(times):
            return False
        quiet = times.quiet()
        ratio = paired_ratio(quiet.samples_us(1), quiet.samples_us(0), seed=0)
        return not needs_more(ratio, _TARGET_HALF_WIDTH)

    def _seen(self, row: _TimedTable, lost: Sequence[str]) -> TimesSeen:
        names = [side.name for side in row.sides[:-1]]
        content = self._exam.content(ContentKey(0))
        inputs_bytes = sum(t.nbytes for t in content.tensors)
        load = row.watch.load(row.times.quiet().waited())
        timed = TimedRow(names, row.times.quiet(), row.warm, load)
        seen = times_seen(timed, self._device, self._settings.cache, inputs_bytes, self._call_bytes)
        ran = {"ran_us": tuple(row.times.ran_us(0))} if row.sampling else {}
        sampled = {"sampled_ran_us": tuple(row.sampling.worked_us)} if row.sampling else {}
        return seen.model_copy(update={"lost": tuple(lost), **ran, **sampled})

    def _deadline(self) -> Deadline:
        return Deadline.after(self._settings.timeout_s)

    @property
    def _room(self) -> int:
        """Calls that the ring's memory holds."""
        return max(2, _RING_BYTES // max(1, self._call_bytes))

    @property
    def _call_bytes(self) -> int:
        """Inputs and outputs of one call."""
        outputs = sum(output_bytes(self._exam.expectation(ContentKey(0))))
        return sum(t.nbytes for t in self._exam.content(ContentKey(0)).tensors) + outputs


def _hidden(times: HostRoundTimes) -> bool:
    """Whether load hides what the candidate's clock is worth."""
    return times.quiet().answer(0) is ClockAnswer.UNKNOWN
