"""Stopwatch: candidate and baseline on one clock, in rounds of random order.

The rule: the clock that counts is outside. A sample is the outside time of a batch of secret
length, less that of the null candidate's batch of the same length in the same round, per call. The
inside timers replace it, on both sides, only where they agree with it. No content repeats, and
some of the timed calls, secretly chosen, are judged like any other.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

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
from assay.worker.host.content import Content, few_changed
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import SEEDED, Exam, Question
from assay.worker.host.examiner import Examiner
from assay.worker.host.planned_call import BatchOptions, Place, PlannedCall
from assay.worker.host.process import Lost
from assay.worker.host.raw_call import BatchResult
from assay.worker.host.reading import CallFacts, output_bytes, read_call, returned
from assay.worker.host.session import Session
from assay.worker.host.wall import Wall

_ROUNDS = {Level.QUICK: (8, 12), Level.STANDARD: (10, 30), Level.FULL: (20, 100)}
_BUDGET_S = {Level.QUICK: 6.0, Level.STANDARD: 20.0, Level.FULL: 120.0}
_BATCH_S = 0.02  # long enough that thawing (about 0.1 ms) is noise
_MAX_CALLS = 64
_RING_BYTES = 192 << 20
_TARGET_HALF_WIDTH = 0.01
_JUDGED = 3
_AGREEMENT = 0.1  # inside clocks are believed within 10 % of the outside one, and 20 us


@dataclass
class _Subject:
    """One side of the comparison."""

    name: str
    session: Session
    outside_ns: list[int] = field(default_factory=list)
    inside_ns: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Track:
    """What a session timed in must know of the others."""

    exam: Exam
    settings: Settings
    device: Device


class Stopwatch:
    """Times one candidate against one baseline and the null candidate."""

    def __init__(self, wall: Wall, exam: Exam, settings: Settings, device: Device) -> None:
        self._wall = wall
        self._track = _Track(exam, settings, device)
        self._rng = exam.secret.random("timing")
        self._lengths: list[int] = []

    def time(
        self, session: Session, examiner: Examiner, report: Callable[[str, float | None], None]
    ) -> list[Observation]:
        """Raises Lost only where the candidate's own process ends."""
        report("building baselines", None)
        version = examiner.version(0)
        others: list[_Subject] = []
        try:
            for name, other in self._others():
                others.append(_Subject(name, self._open(other, version)))
        except (Lost, _NotBuilt) as failure:
            _close(others)
            return [TimesSeen(reason=f"the baseline could not be run: {failure}")]
        try:
            subjects = [_Subject("candidate", session), *others]
            judged = self._rounds(subjects, version, report)
            return [*judged, self._times(subjects)]
        finally:
            _close(others)

    def _others(self) -> list[tuple[str, Candidate]]:
        exam, name = self._track.exam, self._track.settings.baseline
        expected = exam.expectation(Question(0), 0)
        return [
            (name, baseline(name, exam.reference.task)),
            ("null", null_candidate(expected)),
        ]

    def _open(self, candidate: Candidate, version: int) -> Session:
        """A baseline's session, built and holding the same weights as the candidate."""
        exam, settings = self._track.exam, self._track.settings
        session = Session(self._wall)
        builder = Builder(exam, None)
        built = builder.build(session, candidate, settings)
        if not built.seen.ok:
            session.close()
            raise _NotBuilt(built.seen.log[-300:])
        if version != SEEDED and candidate.name != "null":
            state = exam.state(0, version)
            session.load_state(0, state, Deadline.after(settings.timeout_s))
        return session

    def _rounds(
        self,
        subjects: list[_Subject],
        version: int,
        report: Callable[[str, float | None], None],
    ) -> list[Observation]:
        level = self._track.settings.level
        least, most = _ROUNDS[level]
        ends = time.monotonic() + _BUDGET_S[level]
        typical = self._typical_length(subjects, version)
        found: list[Observation] = []
        judged = set(self._rng.sample(range(least), min(_JUDGED, least)))
        for number in range(most):
            report("timing", number / most)
            found += self._round(subjects, (typical, version), number in judged)
            if number + 1 >= least and (self._settled(subjects) or time.monotonic() > ends):
                break
        return found

    def _typical_length(self, subjects: list[_Subject], version: int) -> int:
        """Calls a batch so that the quickest side fills it, within the ring's memory."""
        fastest = None
        for subject in subjects[:2]:
            result = self._run(subject, self._contents(2), version)
            seconds = result.outside_ns / 2e9
            fastest = seconds if fastest is None else min(fastest, seconds)
        exam = self._track.exam
        per_call = sum(t.nbytes for t in exam.content(Question(0)).tensors)
        per_call += sum(output_bytes(exam.expectation(Question(0), 0)))
        room = max(2, _RING_BYTES // max(1, per_call))
        wanted = int(_BATCH_S / max(fastest or 1e-6, 1e-6)) + 1
        return max(2, min(wanted, room, _MAX_CALLS))

    def _round(
        self, subjects: list[_Subject], typical: tuple[int, int], judge: bool
    ) -> list[Observation]:
        """One batch each, in random order; the same secret length for all."""
        length, version = typical
        length = max(1, min(_MAX_CALLS, int(length * self._rng.uniform(0.75, 1.0) + 0.5)))
        self._lengths.append(length)
        found: list[Observation] = []
        for subject in self._rng.sample(subjects, len(subjects)):
            contents = self._contents(length)
            result = self._run(subject, contents, version)
            subject.outside_ns.append(result.outside_ns)
            subject.inside_ns.append(sum(c.record.inside_ns for c in result.calls if c.record))
            if judge and subject.name == "candidate":
                found.append(self._judge(contents, result, version))
        return found

    def _contents(self, length: int) -> list[Content]:
        """Contents that never occurred before: a few elements of each are new every time."""
        exam = self._track.exam
        bases = [exam.content(Question(0, 200 + i)) for i in range(2)]
        return [few_changed(self._rng.choice(bases), self._rng) for _ in range(length)]

    def _run(self, subject: _Subject, contents: list[Content], version: int) -> BatchResult:
        exam = self._track.exam
        expected = exam.expectation(Question(0), version)
        sizes = output_bytes(expected)
        calls = [
            PlannedCall(0, Place(0, f"t{i}"), content, sizes) for i, content in enumerate(contents)
        ]
        options = BatchOptions(copy_each=True, poison=False, check_inputs=False)
        deadline = Deadline.after(self._track.settings.timeout_s)
        return subject.session.run(calls, options, deadline)

    def _judge(self, contents: list[Content], result: BatchResult, version: int) -> Observation:
        """One secretly chosen call of a timed batch."""
        exam = self._track.exam
        index = self._rng.randrange(len(contents))
        contract = exam.reference.task.contract
        request = ExpectationRequest(seed=self._rng.getrandbits(32), contract=contract)
        state = exam.state(0, version)
        expected = expect(exam.bound(0), contents[index].inputs, state, request)
        expected = returned(expected)
        facts = CallFacts(1_000_000 + index, 0, Mix.TIMED, -1, len(contents))
        return read_call(result.calls[index], expected, facts)

    def _settled(self, subjects: list[_Subject]) -> bool:
        samples = self._samples(subjects)
        ratio = paired_ratio(samples[1], samples[0], seed=0)
        return not needs_more(ratio, _TARGET_HALF_WIDTH)

    def _samples(self, subjects: list[_Subject]) -> list[list[float]]:
        """Microseconds per call by the clock that counts, candidate first, baseline second."""
        if self._inside_agrees(subjects):
            return [
                [ns / 1e3 / n for ns, n in zip(s.inside_ns, self._lengths, strict=True)]
                for s in subjects[:2]
            ]
        return [self._outside_us(s, subjects[-1]) for s in subjects[:2]]

    def _outside_us(self, subject: _Subject, null: _Subject) -> list[float]:
        rows = zip(subject.outside_ns, null.outside_ns, self._lengths, strict=True)
        return [max(1.0, ns - own) / 1e3 / n for ns, own, n in rows]

    def _inside_agrees(self, subjects: list[_Subject]) -> bool:
        return all(self._inside_share(s, subjects[-1]) is not None for s in subjects[:2])

    def _inside_share(self, subject: _Subject, null: _Subject) -> float | None:
        """Inside over outside; None where the inside clock leaves out more than noise explains.

        Only too little inside is a lie worth telling. More inside than outside minus null means
        that the null batch, which touches memory of its own, cost more than ours does here.
        """
        outside = statistics.median(self._outside_us(subject, null))
        rows = zip(subject.inside_ns, self._lengths, strict=True)
        inside = statistics.median(ns / 1e3 / n for ns, n in rows)
        if outside - inside > _AGREEMENT * outside + 20.0:
            return None
        return inside / outside

    def _times(self, subjects: list[_Subject]) -> TimesSeen:
        inside = self._inside_agrees(subjects)
        clock = "inside, confirmed by outside" if inside else "outside"
        method = f"{clock}; null batch subtracted; {len(self._lengths)} rounds in random order"
        rows = zip(subjects, self._samples(subjects), strict=False)
        measurements = tuple(
            Measurement(
                subject=subject.name,
                method=method,
                clock="inside" if inside else "outside",
                cache=self._cache(),
                calls_per_sample=tuple(self._lengths),
                samples_us=tuple(samples),
            )
            for subject, samples in rows
        )
        outside = statistics.median(self._outside_us(subjects[0], subjects[-1]))
        rows_in = zip(subjects[0].inside_ns, self._lengths, strict=True)
        share = statistics.median(ns / 1e3 / n for ns, n in rows_in) / max(outside, 1e-9)
        return TimesSeen(measurements=measurements, inside_share=min(share, 1e6))

    def _cache(self) -> str:
        """Cold only where the ring of distinct inputs is larger than the last-level cache."""
        llc = self._track.device.caches.llc_bytes
        content = self._track.exam.content(Question(0))
        ring = min(self._lengths) * sum(t.nbytes for t in content.tensors)
        return "cold" if llc is not None and ring > llc else "warm"


class _NotBuilt(Exception):
    """A baseline did not build."""


def _close(subjects: list[_Subject]) -> None:
    for subject in subjects:
        subject.session.close()
