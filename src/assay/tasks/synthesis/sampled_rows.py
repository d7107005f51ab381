"""SampledRows: a few rows of numbers on which a chain is tried before it is written.

The rule: a step counts only where it changes its input and leaves values that differ from each
other, of a size that every float dtype holds. What saturates, or cancels, is refused here; the
audit then asks with torch.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, pstdev

from assay.tasks.synthesis.chain_operators import Pairwise, Pointwise, RowMap, RowReduction

ROWS, COLUMNS = 24, 32
LARGEST = 50.0  # a row of 4096 such values still sums within float16
LEAST_SPREAD = 0.1  # standard deviation over the mean's size
LEAST_DISTINCT = 0.3  # share of values that differ from all others by a thousandth of the spread


@dataclass(frozen=True)
class SampledRows:
    """Rows; after a reduction each has one value."""

    rows: tuple[tuple[float, ...], ...]

    @classmethod
    def drawn(cls, number: int) -> SampledRows:
        """Standard normal values, other ones for each number."""
        source = random.Random(f"rows {number}")
        return cls(tuple(tuple(source.gauss() for _ in range(COLUMNS)) for _ in range(ROWS)))

    @property
    def values(self) -> list[float]:
        """All of them."""
        return [x for row in self.rows for x in row]

    def pointwise(self, step: Pointwise) -> SampledRows | None:
        """None where the step is refused."""
        return self._kept(lambda row: [step.of(x) for x in row])

    def pairwise(self, step: Pairwise, other: SampledRows) -> SampledRows | None:
        """With a second input."""
        pairs = zip(self.rows, other.rows, strict=True)
        made = [[step.of(x, y) for x, y in zip(row, more, strict=True)] for row, more in pairs]
        return SampledRows(tuple(map(tuple, made))) if usable(made) else None

    def mapped(self, step: RowMap) -> SampledRows | None:
        """Row by row."""
        return self._kept(step.of)

    def reduced(self, step: RowReduction) -> SampledRows | None:
        """One value a row."""
        return self._kept(lambda row: [step.of(row)])

    def _kept(self, change: Callable[[tuple[float, ...]], list[float]]) -> SampledRows | None:
        try:
            made = [change(row) for row in self.rows]
        except (ValueError, OverflowError):  # outside the function's domain
            return None
        same = [list(row) for row in self.rows] == made
        return None if same or not usable(made) else SampledRows(tuple(map(tuple, made)))


def usable(rows: list[list[float]]) -> bool:
    """Whether the values are finite, moderate and different from each other."""
    values = [x for row in rows for x in row]
    if not all(math.isfinite(x) for x in values) or max(map(abs, values)) > LARGEST:
        return False
    spread = pstdev(values)
    if spread < LEAST_SPREAD * max(abs(fmean(values)), 0.1):
        return False
    distinct = {round(x / spread * 1000) for x in values}
    return len(distinct) >= LEAST_DISTINCT * len(values)
