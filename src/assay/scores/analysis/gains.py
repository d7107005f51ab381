"""Gains: how many times as fast one candidate is as the one before it.

The rule: no gain without an interval.

Of two verdicts: both speedups are over the same baseline under the same conditions, and each has a
95 % interval. The gain is their ratio r. Its interval is exp(log r +- 1.96 hypot(e1, e2)), where e
is the standard error that an interval implies, log(high / low) / (2 x 1.96). The gain is shown
where the interval lies above 1. Of equal kernels 2.5 % would be called faster.
"""

from __future__ import annotations

import math

from assay.data.scoring.pairs import Gain
from assay.scores.analysis.paired import LEVEL, Z, log_error
from assay.scores.graded import Graded

RATE = 1 - LEVEL
FALSE_GAINS = LEVEL / 2  # one side of the interval


def judged_gain(before: Graded, after: Graded) -> Gain | None:
    """The gain of two timed verdicts; None where an interval is missing."""
    errors = log_error(before), log_error(after)
    if not before.speedup or not after.speedup or errors[0] is None or errors[1] is None:
        return None
    middle = math.log(after.speedup / before.speedup)
    half = Z * math.hypot(errors[0], errors[1])
    return Gain(
        ratio=math.exp(middle),
        low=math.exp(middle - half),
        high=math.exp(middle + half),
        rate=RATE,
        method="ratio of two speedups over the same baseline, with the errors of their intervals",
    )
