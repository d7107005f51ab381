"""RefusedValues: special values at a shape that a candidate answers, where it refused their own.

The rule: a refusal costs coverage and hides nothing. Large, small, special and marked values are
asked at small shapes; of who answers none of those they are asked at the smallest shape that it
does answer, as far as the reference admits them there.
"""

from __future__ import annotations

import random
from collections.abc import Set

from assay.data.workload import Distribution, Workload
from assay.exam.exam import Exam
from assay.exam.workloads.shape_points import Points
from assay.exam.workloads.workload_sizes import elements_of
from assay.exam.workloads.workload_trials import TrialLimits, WorkloadTrials

_FIRST = (
    Distribution.LARGE,
    Distribution.NAN,
    Distribution.OFFSET,
    Distribution.SMALL,
    Distribution.NEGATIVE,
    Distribution.MARKED,
    Distribution.MINUS_INF,
    Distribution.ZEROS,
)
_PLAIN = (Distribution.OWN, Distribution.NORMAL, Distribution.UNIFORM)
_MOST = 6  # workloads: a truth of a large shape takes a second
_LIMITS = TrialLimits(configs=2, seconds=2.0)


def admit_refused_values(exam: Exam, answered: Set[int], rng: random.Random) -> list[int]:
    """The numbers of the workloads that were added."""
    with exam.turn:
        lost = _lost(exam, answered)
        if not lost:
            return []
        base = exam.plan.workloads[min(answered, key=lambda number: elements_of(exam, number))]
        light = Points(exam.reference, rng).light()
        trials = WorkloadTrials(exam.reference, _LIMITS, rng, light)
        added: list[int] = []
        for one in lost:
            if len(added) == _MOST or trials.over():
                break
            update = {"distribution": one.distribution, "scale": one.scale, "own": False}
            workload = base.model_copy(update={**update, "layout": exam.plan.workloads[0].layout})
            if trials.best([workload]) is not None:
                added.append(len(exam.plan.workloads))
                exam.admit(workload)
        return added


def _lost(exam: Exam, answered: Set[int]) -> list[Workload]:
    """A workload of every kind of values of which none was answered, those that tell most first."""
    planned = exam.plan.workloads
    known = {planned[number].distribution for number in answered}
    lost = {w.distribution: w for w in reversed(planned) if w.distribution not in known}
    kinds = [d for d in (*_FIRST, *lost) if d in lost and d not in (*_PLAIN, Distribution.LITERALS)]
    return [lost[kind] for kind in dict.fromkeys(kinds)]
