"""Value scales: at which powers of two a distribution is asked, and which milder ones come after.

The rule: the first is what is wanted; the others are for a reference that refuses it, or whose null
answers pass there.
"""

from __future__ import annotations

import math
import random

from assay.data.workload import Distribution
from assay.exam.workloads.stretched_shapes import MODERATE_LARGE, MODERATE_SMALL

OFFSETS = (7, 13)  # powers of two between 10^2 and 10^4
HARDLY_APART = (-5, -2)  # what equal inputs are of: a term that keeps them apart shows
NEAR_EPSILON = 1e-7  # a larger constant shows on the ladder
FAR_BELOW = (14, 17)  # below any "very small" start of a maximum that people write


def value_scales(distribution: Distribution, rng: random.Random) -> tuple[int, ...]:
    """A random power of two and milder ones.

    Among outliers whether numbers are others too, of minus infinities whether one row has no other,
    of blocks whether rows are nearly alike.
    """
    if distribution is Distribution.LARGE:
        return (rng.randint(*MODERATE_LARGE), 5, 3, 2, 1)
    if distribution is Distribution.SMALL:
        return (rng.randint(*MODERATE_SMALL), -7, -5, -3)
    if distribution is Distribution.OFFSET:
        return (rng.randint(*OFFSETS), OFFSETS[0])
    if distribution is Distribution.NEGATIVE:
        return (rng.randint(*FAR_BELOW), 7, 3, 0)
    if distribution is Distribution.OPPOSED:
        return (5, 3, 2)
    if distribution is Distribution.EQUAL:
        return (rng.randint(*HARDLY_APART), 0)
    if distribution in (Distribution.OUTLIER, Distribution.MINUS_INF, Distribution.BLOCKS):
        return (1, 0)
    return (0,)


def epsilon_scales(tiny: tuple[float, ...], rng: random.Random) -> tuple[int, ...]:
    """Where values are as small as a tiny constant that the reference adds to a result.

    There a largest of norm and epsilon is told from a root of their sum. None without a constant.
    """
    found = [epsilon for epsilon in tiny if epsilon < NEAR_EPSILON]
    near = round(math.log2(rng.choice(found))) if found else 0
    return (near, near - 2, near + 3) if found else ()
