"""Repeated content: is a question answered faster when it is asked again?

The rule: everything but the content is equal. Before a content is asked, others are that differ
from it in a few elements: they leave caches, branch predictors and thread pools as the content
itself leaves them, so that a gather or a sort is as warm for the first call as for the second. The
host writes anew before every call, at the same place. How often it asks before and after is drawn,
so that nothing on the machine that has a rhythm can keep step, and the fastest call counts on both
sides. Whoever computes takes as long the second time, whoever remembers does not - even one who
checks all of the content and is never wrong.
"""

from __future__ import annotations

import random

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

_PAIRS = 8  # of times, first and again
_MOST_BYTES = 32e6  # of one content; all pairs are kept for the next candidate
_MOST_S = 0.15  # of one call
_SHORT_S = 0.02  # a longer call is not slowed to twice its time by one turn of another process
_MOST_CALLS = 3  # of one side of a pair


def time_repetition(context: CheckContext) -> list[RepetitionSeen]:
    """Pairs of times of the own workload, taken from outside. Raises Lost."""
    return [repeat(context.exam, context.session, context.deadline)]


def repeat(exam: Exam, session: Session, deadline: Deadline) -> RepetitionSeen:
    """The pairs, or why there are none."""
    if sum(t.nbytes for t in exam.content(ContentKey(0)).tensors) > _MOST_BYTES:
        return RepetitionSeen(reason="the own workload is too large to be drawn often")
    rng = exam.secret.random("repetition")
    asked = _Asked(session, deadline)
    slowest = asked.us([exam.content(ContentKey(0))])
    first_us, again_us = [], []
    for number in range(_PAIRS):
        if slowest > 1e6 * _MOST_S:
            return RepetitionSeen(reason="a call is too slow to be repeated often")
        content = exam.content(ContentKey(0, Draw(Purpose.REPETITION, number)))
        most = _MOST_CALLS if slowest < 1e6 * _SHORT_S else 1
        first_us.append(asked.us([*_alike(content, rng, most), content]))
        again_us.append(asked.us([content] * rng.randint(1, most)))
        slowest = max(first_us)
    return RepetitionSeen(first_us=tuple(first_us), again_us=tuple(again_us))


def _alike(content: Content, rng: random.Random, most: int) -> list[Content]:
    """Other questions over nearly the same elements."""
    return [few_changed(content, rng) for _ in range(rng.randint(1, most))]


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
        text="Is the same content answered faster the second time?",
        kinds=(EvidenceKind.MEMO,),
        cost=Cost.CALLS,
        most=f"{_PAIRS} pairs of a few calls, none of them longer than {_MOST_S:g} s",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU, Execution.DEVICE),
    ),
    time_repetition,
)
