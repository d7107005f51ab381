"""Timed shapes: one workload of every category of shapes, to be asked and timed.

The rule: each was run on the reference and admitted by it. A category of which no draw is admitted
is left out, and the verdict says so.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from assay.data.workload import Workload
from assay.exam.workloads.shape_points import Points
from assay.exam.workloads.workload_trials import TrialLimits, WorkloadTrials
from assay.tasks.references.reference import Reference

_LIMITS = TrialLimits(configs=9, seconds=8.0)
_DRAWS = 3  # of each category, where the reference refuses some


def timed_shapes(reference: Reference, rng: random.Random) -> Iterator[Workload]:
    """The first draw of each category that the reference admits."""
    points = Points(reference, rng)
    trials = WorkloadTrials(reference, _LIMITS, rng, points.light())
    plain = reference.own_workload().model_copy(update={"own": False})
    draws = [points.of_each_category() for _ in range(_DRAWS)]
    for category in draws[0]:
        proposed = [
            plain.model_copy(update={"axes": drawn[category], "category": category})
            for drawn in draws
        ]
        best = trials.best(proposed)
        if best is not None:
            yield best
