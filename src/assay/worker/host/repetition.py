"""Repetition: is a question answered faster when it is asked again?

The rule: everything but the content is equal. Each content is asked twice in a row, written anew by
the host before each of the two calls, at the same place, and right behind a call of another
content, so that caches and thread pools are as warm for the first as for the second. Whoever
computes takes as long the second time, whoever remembers does not - even one who checks all of the
content and is never wrong.
"""

from __future__ import annotations

from assay.data.observation import RepetitionSeen
from assay.worker.host.deadline import Deadline
from assay.worker.host.exam import Exam, Question
from assay.worker.host.planned_call import BatchOptions, Place, PlannedCall
from assay.worker.host.session import Session

_PAIRS = 8
_FIRST_NUMBER = 200  # contents that no other part of the examination uses
_MOST_BYTES = 32e6  # of one content; all pairs are kept for the next candidate
_MOST_S = 0.15  # of one call


def repeat(exam: Exam, session: Session, deadline: Deadline) -> RepetitionSeen:
    """Pairs of calls of the own workload, timed from outside."""
    if sum(t.nbytes for t in exam.content(Question(0)).tensors) > _MOST_BYTES:
        return RepetitionSeen(reason="the own workload is too large to be drawn often")
    options = BatchOptions(copy_each=False, poison=False, check_inputs=False)
    contents = [exam.content(Question(0, _FIRST_NUMBER + n)) for n in range(_PAIRS)]
    other = PlannedCall(0, Place(0, "m"), exam.content(Question(0)), ())
    first_us, again_us = [], []
    for content in contents:
        call = PlannedCall(0, Place(0, "m"), content, ())
        _, first, again = (
            session.run([one], options, deadline).outside_ns / 1e3 for one in (other, call, call)
        )
        if first > 1e6 * _MOST_S:
            return RepetitionSeen(reason="a call is too slow to be repeated often")
        first_us.append(first)
        again_us.append(again)
    return RepetitionSeen(first_us=tuple(first_us), again_us=tuple(again_us))
