"""RefusedValues: who answers one shape alone is asked special values there."""

from __future__ import annotations

import random

from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.exam.for_candidate.refused_values import admit_refused_values
from support.small_exam import make_exam


def test_values_that_were_refused_are_asked_at_a_shape_that_is_answered() -> None:
    exam = make_exam(Level.STANDARD)
    own, count = exam.plan.workloads[0], len(exam.plan.workloads)
    added = admit_refused_values(exam, {0}, random.Random(1))
    found = [exam.plan.workloads[number] for number in added]
    assert added == list(range(count, len(exam.plan.workloads))) and 3 <= len(added) <= 6
    assert all(one.axes == own.axes and one.layout is own.layout for one in found)
    kinds = [one.distribution for one in found]
    assert len(set(kinds)) == len(kinds) and kinds[:2] == [Distribution.LARGE, Distribution.NAN]
    assert not any(one.own for one in found)


def test_nothing_is_added_for_who_answers_all() -> None:
    exam = make_exam(Level.STANDARD)
    every = set(range(len(exam.plan.workloads)))
    assert admit_refused_values(exam, every, random.Random(1)) == []
