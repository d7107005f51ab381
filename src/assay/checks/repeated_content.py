"""Repeated content: is a question answered faster when all or most of it was asked before?

The rule: everything but the content is equal. Three kinds of calls follow each other, at one place,
where the host writes anew before each: on contents in which every float input has changed all over;
on contents in which a few elements of one input have changed, the inputs in turn; and on the last
content once more. All of them are nearly the same elements, so that caches, branch predictors and
thread pools are as warm for one as for the other, and a gather or a sort is too. How often each is
asked is drawn, so that nothing on the machine that has a rhythm can keep step, and the fastest call
counts. Whoever computes takes as long for each; whoever remembers answers, rows or what it made of
one input does not - even one who checks all of the content and is never wrong.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import RepetitionSeen
from assay.data.settings import Track
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.sandbox.host.call_content import Content, few_changed
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.host.spread_change import all_changed, float_positions

_PAIRS = 8  # of times, first and again
_MOST_BYTES = 32e6  # of one content; all pairs are kept for the next candidate
_MOST_S = 0.15  # of one call
_SHORT_S = 0.02  # a longer call is not slowed to twice its time by one turn of another process
_MOST_CALLS = 3  # of one side of a pair
_MOST_INPUTS = 3  # whose changes are timed


def time_repetition(context: CheckContext) -> list[RepetitionSeen]:
    """Pairs of times of the own workload, taken from outside. Raises Lost."""
    return [repeat(context.exam, context.session, context.deadline)]


def repeat(exam: Exam, session: Session, deadline: Deadline) -> RepetitionSeen:
    """The pairs, or why there are none."""
    first = exam.content(ContentKey(0))
    if sum(t.nbytes for t in first.tensors) > _MOST_BYTES:
        return RepetitionSeen(reason="the own workload is too large to be drawn often")
    rng, times = exam.secret.random("repetition"), _Times()
    asked = _Asked(session, deadline)
    slowest = asked.us([first])
    for number in range(_PAIRS):
        if slowest > 1e6 * _MOST_S:
            return RepetitionSeen(reason="a call is too slow to be repeated often")
        content = exam.content(ContentKey(0, Draw(Purpose.REPETITION, number)))
        most = _MOST_CALLS if slowest < 1e6 * _SHORT_S else 1
        _ask(asked, content, times, random.Random(rng.random()), most)
        slowest = max(times.fresh_us)
    return RepetitionSeen(
        first_us=tuple(times.first_us),
        again_us=tuple(times.again_us),
        fresh_us=tuple(times.fresh_us),
        changed_us=tuple(times.changed_us),
        changed_inputs=tuple(times.changed_inputs),
    )


@dataclass
class _Times:
    """By pair; of few changes one an input and pair."""

    fresh_us: list[float] = field(default_factory=list)
    changed_us: list[float] = field(default_factory=list)
    changed_inputs: list[int] = field(default_factory=list)
    first_us: list[float] = field(default_factory=list)
    again_us: list[float] = field(default_factory=list)


def _ask(asked: _Asked, content: Content, times: _Times, rng: random.Random, most: int) -> None:
    """One pair of each kind; the last content with few changes is the one that is repeated."""
    fresh = [content]
    for _ in range(rng.randint(1, most)):
        fresh.append(all_changed(fresh[-1], rng))
    asked.us(fresh[:1])
    times.fresh_us.append(asked.us(fresh[1:]))
    positions: list[int | None] = [*float_positions(content)[:_MOST_INPUTS]] or [None]
    last = fresh[-1]
    for position in rng.sample(positions, len(positions)):
        few = _alike(last, rng, most, position)
        times.changed_us.append(asked.us(few))
        times.changed_inputs.append(0 if position is None else position)
        last = few[-1]
    times.first_us.append(times.changed_us[-1])
    times.again_us.append(asked.us([last] * rng.randint(1, most)))


def _alike(content: Content, rng: random.Random, most: int, position: int | None) -> list[Content]:
    """Other questions over nearly the same elements."""
    found = [content]
    for _ in range(rng.randint(1, most)):
        found.append(few_changed(found[-1], rng, position=position))
    return found[1:]


class _Asked:
    """Contents put to the candidate one by one, all at one place."""

    def __init__(self, session: Session, deadline: Deadline) -> None:
        self._session = session
        self._deadline = deadline
        self._options = BatchOptions(copy_each=False, poison=False, check_inputs=False)

    def us(self, contents: list[Content]) -> float:
        """The time of the fastest."""
        calls = [PlannedCall(0, Place(0, ALONE), content, ()) for content in contents]
        return min(
            self._session.run([call], self._options, self._deadline).outside_ns / 1e3
            for call in calls
        )


CHECK = Check(
    CheckDeclaration(
        name="repeated content",
        text="Is content answered faster where all or most of it was asked just before?",
        kinds=(EvidenceKind.MEMO,),
        cost=Cost.CALLS,
        most=f"{_PAIRS} times a few calls, none of them longer than {_MOST_S:g} s",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU, Execution.DEVICE),
    ),
    time_repetition,
)
