"""Estimates: a figure with its interval, by bootstrap over tasks.

The rule: the task is the unit of resampling, because candidates of one task stand and fall
together. The seed is fixed, so the same records give the same interval. numpy is imported when a
figure is asked for.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Floats = NDArray[np.float64]

SEED = 20_250_101
REPEATS = 1000
_LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A value and the interval of its bootstrap; None where nothing can be said."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def mapped(self, function: Callable[[float], float]) -> Estimate:
        """The estimate of an increasing function of the value."""
        value, low, high = (
            None if one is None else function(one) for one in (self.value, self.low, self.high)
        )
        return Estimate(value, low, high)


NOTHING = Estimate(None)
Statistic = Callable[["Indices"], float | None]


def bootstrap(count: int, statistic: Statistic, repeats: int = REPEATS) -> Estimate:
    """The statistic of all tasks, and the percentiles of it over resampled ones.

    `statistic` is given indices of tasks, some repeated. Replicates for which it has no value are
    left out; the interval is None where less than half of them have one, or for a single task.
    """
    import numpy as np

    value = statistic(np.arange(count)) if count else None
    if value is None or not math.isfinite(value):
        return NOTHING
    if count < 2:
        return Estimate(float(value))
    draw = np.random.default_rng(SEED)
    found = [statistic(draw.integers(0, count, count)) for _ in range(repeats)]
    kept = [one for one in found if one is not None and math.isfinite(one)]
    if 2 * len(kept) < repeats:
        return Estimate(float(value))
    return Estimate(float(value), *_percentiles(kept))


def _percentiles(values: Sequence[float] | Floats) -> tuple[float, float]:
    import numpy as np

    tail = 100 * (1 - _LEVEL) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


@functools.lru_cache(maxsize=2)
def _counts(tasks: int) -> Floats:
    """How often each task is in each resampled set: sums over sets are then matrix products."""
    import numpy as np

    draw = np.random.default_rng(SEED)
    return draw.multinomial(tasks, [1.0 / tasks] * tasks, REPEATS).astype(float)


def ratio(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """sum(above) / sum(below); each place is one task."""
    import numpy as np

    top, bottom = np.asarray(above, float), np.asarray(below, float)
    if not bottom.sum() > 0:
        return NOTHING
    value = float(top.sum() / bottom.sum())
    if len(top) < 2:
        return Estimate(value)
    counts = _counts(len(top))
    totals = counts @ bottom
    found = (counts @ top)[totals > 0] / totals[totals > 0]
    return Estimate(value, *_percentiles(found)) if 2 * len(found) >= REPEATS else Estimate(value)


def mean(values: Sequence[float]) -> Estimate:
    """The mean over tasks."""
    return ratio(values, [1.0] * len(values))


def geometric_mean(values: Sequence[float]) -> Estimate:
    """exp(mean of log x); each place is one task. Values are positive."""
    return mean([math.log(value) for value in values]).mapped(math.exp)


def median(values: Sequence[float]) -> Estimate:
    """The median over tasks."""
    import numpy as np

    array: NDArray[Any] = np.asarray(values, float)
    return bootstrap(len(array), lambda chosen: float(np.median(array[chosen])))


def geometric(values: Sequence[float]) -> float | None:
    """The geometric mean alone, without an interval; None of nothing."""
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else None
