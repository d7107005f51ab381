"""Repeated content: is a question answered faster when all or most of it was asked before?

The rule: everything but the content is equal. Four kinds of calls follow each other, at one place,
where the host writes anew before each: on contents whose every element is new; on contents in which
every float input has changed all over, in one element of some dozens; on contents in which a few
elements of one input have changed, the inputs in turn; and on the last content once more. How often
each is asked is drawn, so that nothing on the machine that has a rhythm can keep step, and the
fastest call counts. Whoever computes takes as long for each; whoever remembers answers, rows, what
it made of one input or sums that it only corrects does not - even one who checks all of the content
and is never wrong.

New contents hold the values of the ones before at other places, so a gather by value finds them in
its caches. A branch predictor may know contents that share most elements, and would make a sort of
some thousand elements faster; but it knows some thousand branches, and a call of a millisecond that
lost half its time to it would have to fail a hundred thousand times. Shorter calls are asked in
batches, each at a place of its own, where a content that shares most elements with an earlier one
comes a whole batch after it.

The last batch asks its contents four times each; there, and for few changes, what is compared are
contents that share most elements with the call just before. Of long calls and large contents there
are fewer pairs, and only of new content and the same content. Calls that are asked alone are also
asked one content many times, for a memo may begin late. What is not asked is said.

On a host a time is processor time of the candidate's processes: whoever computes needs it, and a
busy machine adds little to it, while it makes one call of a kernel four times as long as the next.
Where the times of new contents scatter all the same, twice as many pairs are asked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import RepetitionSeen
from assay.data.settings import Level, Track
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.sampling.tree_clock import tree_clock
from assay.sandbox.host.call_content import Content, few_changed
from assay.sandbox.host.changes.spread_change import all_changed, float_positions
from assay.sandbox.host.changes.whole_change import WholeChange
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall, Spot
from assay.sandbox.host.session import Session

_PAIRS = 8  # of times, first and again
_SCATTER = 2.0  # longest to shortest time of new contents: noise may halve a time
_FEW_PAIRS = 4  # of long calls and large contents
_LEAST_PAIRS = 3
_ACQUITTING = 2  # pairs of one comparison
_ACQUITTING_RATIO = 0.8
_KEPT_BYTES = 32e6  # of one content; all pairs are kept for the next candidate
_MOST_BYTES = 512e6
_LONG_S = 0.15  # of one call
_MOST_S = 2.0
_COMPUTED_SHARE = 0.5  # of the first time: what takes longer was computed
_FEW_PAIRS_S = 2.5  # no further pair after that
_SHORT_S = 0.02  # a longer call is not slowed to twice its time by one turn of another process
_BATCHED_US = 1000.0  # of a shorter call, asked alone, much is the road to it
_BATCH_US = 20e3  # of the calls of one batch
_TRIED = 3  # calls that say how long one takes
_BATCH_CALLS = 128  # thawing, waking and freezing are about 1 ms of a batch
_BATCH_BYTES = 64e6  # of its contents
_TIMES_EACH = 4  # of a content in the batch of known ones
_MOST_CALLS = 3  # of one side of a pair
_MOST_INPUTS = 8  # whose changes are timed
_FEW_INPUTS = 3  # of more, each is asked once
_OFTEN = (8, 24)  # times that one content is asked, for memos that begin late
_OFTEN_US = 4e5  # of one content, where it may be asked fewer times
_OFTEN_S = 2.0  # of all these calls, after which one pair that computes acquits


def time_repetition(context: CheckContext) -> list[RepetitionSeen]:
    """Pairs of times of the own workload, taken from outside. Raises Lost."""
    session = context.session
    if context.execution is not Execution.CPU:
        return [repeat(context.exam, session, context.deadline)]
    with tree_clock(session.process.processes.pids) as ran_ns:
        return [repeat(context.exam, session, context.deadline, ran_ns)]


def repeat(
    exam: Exam, session: Session, deadline: Deadline, ran_ns: Callable[[], int] | None = None
) -> RepetitionSeen:
    """The pairs, or why there are none. `ran_ns`: the clock, where it is not the outside one."""
    first = exam.content(ContentKey(0))
    size = sum(t.nbytes for t in first.tensors)
    if size > _MOST_BYTES:
        return RepetitionSeen(reason="the own workload is too large to be drawn often")
    rng, asked = exam.secret.random("repetition"), _Asked(session, deadline, ran_ns)
    asked.us([first])
    slowest = asked.outside_us
    if slowest > 1e6 * _MOST_S:
        return RepetitionSeen(reason="a call is too slow to be repeated often")
    if size > _KEPT_BYTES or slowest > 1e6 * _LONG_S:
        return _few_pairs(asked, first, rng)
    change = WholeChange(first)
    tried = [change.make(first, rng) for _ in range(_TRIED)]
    needed = asked.us(tried)
    slowest = min(slowest, asked.outside_us)  # the first call paid for new pages
    needed = min(needed, slowest)
    batch = _batch_calls(size, needed) if needed < _BATCHED_US else 1
    return _pairs(exam, _Asked(session, deadline, ran_ns, batch, change), rng, slowest)


def _batch_calls(size: int, call_us: float) -> int:
    """Calls of a batch: a multiple of the times that each content is repeated."""
    most = min(_BATCH_CALLS, int(_BATCH_BYTES / max(1, size)), int(_BATCH_US / max(1.0, call_us)))
    return max(_TIMES_EACH, most // _TIMES_EACH * _TIMES_EACH)


def _pairs(exam: Exam, asked: _Asked, rng: random.Random, slowest_us: float) -> RepetitionSeen:
    """Of every kind, at contents that the exam keeps."""
    times = _Times()
    for number in range(2 * _PAIRS):
        if slowest_us > 1e6 * _LONG_S and number >= _LEAST_PAIRS:
            break
        if number == _PAIRS and not _scatters(times.new_us):
            break
        content = exam.content(ContentKey(0, Draw(Purpose.REPETITION, number)))
        most = _MOST_CALLS if slowest_us < 1e6 * _SHORT_S else 1
        _ask(asked, content, times, random.Random(rng.random()), most)
        if times.acquit:
            break
        slowest_us = max(times.outside_us)
    if asked.batch == 1 and not times.remembers:
        _ask_often(asked, exam.content(ContentKey(0, Draw(Purpose.REPETITION, 0))), times, rng)
    return times.seen(asked.batch)


def _ask_often(asked: _Asked, content: Content, times: _Times, rng: random.Random) -> None:
    """New contents, each of them many times: the first time and the last."""
    began_s = time.monotonic()
    for number in range(2 * _PAIRS):
        if number == _PAIRS and not _scatters(times.once_us):
            break
        other = asked.change.make(content, rng)
        content = asked.change.make(other, rng)
        times.once_us.append(asked.us([other, content]))  # as many as of the last times
        least, most = _OFTEN
        most = max(least, min(most, int(_OFTEN_US / max(1.0, asked.outside_us))))
        again_us = [asked.us([content]) for _ in range(rng.randint(least, most))]
        times.often_us.append(min(again_us[-2:]))
        computed = _computed(times.once_us, times.often_us)
        if computed >= (1 if time.monotonic() > began_s + _OFTEN_S else _ACQUITTING):
            break


def _few_pairs(asked: _Asked, content: Content, rng: random.Random) -> RepetitionSeen:
    """A new content and the same once more, which nobody keeps."""
    times, began_s, change = _Times(), time.monotonic(), WholeChange(content)
    for number in range(_FEW_PAIRS):
        if number >= _LEAST_PAIRS and time.monotonic() > began_s + _FEW_PAIRS_S:
            break
        content = change.make(content, rng)
        times.first_us.append(asked.us([content]))
        times.again_us.append(asked.us([content]))
        if times.again_us[-1] > _COMPUTED_SHARE * times.first_us[-1]:
            break  # one pair that computes acquits
    return times.seen()


def _scatters(new_us: list[float]) -> bool:
    """Whether contents that nobody can remember take now this long and now that long."""
    return max(new_us) > _SCATTER * min(new_us)


def _computed(first_us: list[float], second_us: list[float]) -> int:
    """Pairs whose second time is that of computing."""
    pairs = zip(first_us, second_us, strict=False)
    return sum(second >= _ACQUITTING_RATIO * first for first, second in pairs)


@dataclass
class _Times:
    """By pair; of few changes one an input and pair."""

    new_us: list[float] = field(default_factory=list)
    near_us: list[float] = field(default_factory=list)
    fresh_us: list[float] = field(default_factory=list)
    changed_us: list[float] = field(default_factory=list)
    changed_inputs: list[int] = field(default_factory=list)
    first_us: list[float] = field(default_factory=list)
    again_us: list[float] = field(default_factory=list)
    once_us: list[float] = field(default_factory=list)
    often_us: list[float] = field(default_factory=list)
    outside_us: list[float] = field(default_factory=list)  # of fresh contents, or of their batch

    @property
    def remembers(self) -> bool:
        """Whether the same content was answered sooner in every pair: more need not be asked."""
        return len(self.first_us) >= _PAIRS and not _computed(self.first_us, self.again_us)

    @property
    def acquit(self) -> bool:
        """Whether no further pair can convict: in every comparison two pairs were computed.

        A conviction spares one pair in eight, whose second time is above 0.7 of the first.
        """
        compared = [(self.first_us, self.again_us), (self.new_us, self.near_us)]
        compared.append((self.new_us, self.again_us))
        for position in set(self.changed_inputs):
            pairs = zip(self.changed_inputs, self.changed_us, strict=True)
            changed = [us for one, us in pairs if one == position]
            compared += [(self.fresh_us, changed), (self.new_us, changed)]
        return all(_computed(*times) >= _ACQUITTING for times in compared if times[0])

    def seen(self, calls: int = 1) -> RepetitionSeen:
        """The record, of times that are means of so many calls."""
        return RepetitionSeen(
            first_us=tuple(self.first_us),
            again_us=tuple(self.again_us),
            new_us=tuple(self.new_us),
            near_us=tuple(self.near_us),
            fresh_us=tuple(self.fresh_us),
            changed_us=tuple(self.changed_us),
            changed_inputs=tuple(self.changed_inputs),
            once_us=tuple(self.once_us),
            often_us=tuple(self.often_us),
            calls=calls,
        )


def _ask(asked: _Asked, content: Content, times: _Times, rng: random.Random, most: int) -> None:
    """One pair of each kind; the last contents with few changes are those that are repeated."""
    new = _ask_new(asked, content, times, rng, most)
    fresh = [new]
    for _ in range(asked.length(rng, most)):
        fresh.append(all_changed(fresh[-1], rng))
    times.fresh_us.append(asked.us(fresh[1:]))
    times.outside_us.append(asked.outside_us)
    if asked.batch == 1:
        times.near_us.append(times.fresh_us[-1])
    positions: list[int | None] = [*float_positions(content)[:_MOST_INPUTS]] or [None]
    last = fresh[-1:]
    few = most if len(positions) <= _FEW_INPUTS else 1
    for position in rng.sample(positions, len(positions)):
        last = _alike(last[-1], rng, asked.length(rng, few), position)
        times.changed_us.append(asked.us(last))
        times.changed_inputs.append(0 if position is None else position)
    times.first_us.append(times.changed_us[-1])
    times.again_us.append(asked.us(asked.repeated(last, rng, most)))


def _ask_new(
    asked: _Asked, content: Content, times: _Times, rng: random.Random, most: int
) -> Content:
    """Contents whose every element is new; in batches also what is near them. Returns the last."""
    new = [content]
    for _ in range(asked.length(rng, most)):
        new.append(asked.change.make(new[-1], rng))
    asked.us(new[:1])
    times.new_us.append(asked.us(new[1:]))
    if asked.batch > 1:
        times.near_us.append(asked.us([_near(one, rng) for one in new[1:]]))
    return new[-1]


def _near(content: Content, rng: random.Random) -> Content:
    """With a few elements of every float input changed."""
    for position in float_positions(content)[:_MOST_INPUTS]:
        content = few_changed(content, rng, position=position)
    return content


def _alike(content: Content, rng: random.Random, count: int, position: int | None) -> list[Content]:
    """Other questions over nearly the same elements."""
    found = [content]
    for _ in range(count):
        found.append(few_changed(found[-1], rng, position=position))
    return found[1:]


class _Asked:
    """Contents put to the candidate: one by one at one place, or as a batch at as many places."""

    def __init__(
        self,
        session: Session,
        deadline: Deadline,
        ran_ns: Callable[[], int] | None,
        batch: int = 1,
        change: WholeChange | None = None,
    ) -> None:
        self.batch = batch
        self.change = change or WholeChange(Content(()))
        self.outside_us = 0.0  # of the last ones asked, by the outside clock
        self._session = session
        self._deadline = deadline
        self._ran_ns = ran_ns
        self._options = BatchOptions(copy_each=False, poison=False, check_inputs=False)

    def us(self, contents: list[Content]) -> float:
        """The time of the fastest; of a batch the mean."""
        batches = [contents] if len(contents) == self.batch else [[one] for one in contents]
        found = [self._run(batch) for batch in batches]
        self.outside_us = min(outside for _, outside in found)
        return min(us for us, _ in found) / len(batches[0])

    def length(self, rng: random.Random, most: int) -> int:
        """How many contents are asked for one time."""
        return rng.randint(1, most) if self.batch == 1 else self.batch

    def repeated(self, known: list[Content], rng: random.Random, most: int) -> list[Content]:
        """Contents that were asked just before; in a batch some of them, several times each."""
        if self.batch == 1:
            return known[-1:] * rng.randint(1, most)
        return [one for one in known[-(self.batch // _TIMES_EACH) :] for _ in range(_TIMES_EACH)]

    def _run(self, contents: list[Content]) -> tuple[float, float]:
        """The time that counts, and that of the outside clock."""
        calls = [
            PlannedCall(0, Place(0, _spot(number)), content, ())
            for number, content in enumerate(contents)
        ]
        before_ns = self._ran_ns() if self._ran_ns else 0
        outside_ns = self._session.run(calls, self._options, self._deadline).outside_ns
        ran_ns = self._ran_ns() - before_ns if self._ran_ns else outside_ns
        return ran_ns / 1e3, outside_ns / 1e3


def _spot(number: int) -> Spot:
    return Spot(f"repeated {number}") if number else ALONE


CHECK = Check(
    CheckDeclaration(
        name="repeated content",
        text="Is content answered faster where all or most of it was asked just before?",
        kinds=(EvidenceKind.MEMO,),
        cost=Cost.CALLS,
        most=f"{_PAIRS} times a few calls, twice as many where times scatter, "
        f"none of them longer than {_LONG_S:g} s; "
        f"of calls of up to {_MOST_S:g} s {_FEW_PAIRS} pairs",
        stages=(CheckStage.CALLED,),
        levels=(Level.QUICK, Level.STANDARD, Level.FULL),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU, Execution.DEVICE),
    ),
    time_repetition,
)
