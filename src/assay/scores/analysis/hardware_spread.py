"""Hardware spread: the speedup of one generator's kernel of one task, across devices.

The rule: every speedup is over the baseline that was measured on the same device.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assay.data.scoring.score_analysis import HardwareSpread
from assay.scores.graded import Graded


def hardware_spread(entries: Iterable[Graded]) -> tuple[HardwareSpread, ...]:
    """One row for each task that a generator solves on two devices or more, the widest first."""
    best: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for one in entries:
        if one.accepted and one.speedup is not None:
            seen = best[one.generator or one.run, one.task]
            seen[one.device] = max(one.speedup, seen.get(one.device, 0.0))
    rows = [
        HardwareSpread(
            generator=generator,
            task=task,
            speedups=seen,
            spread=max(seen.values()) / min(seen.values()),
        )
        for (generator, task), seen in best.items()
        if len(seen) > 1
    ]
    return tuple(sorted(rows, key=lambda row: -row.spread))
