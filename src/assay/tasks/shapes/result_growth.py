"""Result growth: how the tensors that a reference makes on its way grow with each size.

The rule: learned from small runs on real tensors, one for each size doubled, so that a large run is
foreseen and not made. Nothing is known of a reference that does not run there, or that makes other
tensors at other sizes. Powers are whole: what grows with a sum of sizes is said to grow with each,
and a window's edge (a convolution of n makes n - 2) does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2, prod

from assay.data.axis import Axis, AxisRole
from assay.errors import TaskError
from assay.tasks.shapes.shape_categories import legal

_FLAT = 0.1  # a power below it is none
_EDGE = 0.3  # what an edge adds to a power at small sizes
_USUAL = 12  # results of a reference; one that makes more takes as long at a smaller size

Run = Callable[[Mapping[str, int]], list[int]]  # elements of every result, in order


@dataclass(frozen=True)
class ResultGrowth:
    """Elements of every result at a small point, and the power of each size in them."""

    base: Mapping[str, int]
    elements: list[int]
    powers: Mapping[str, list[int]]  # by axis

    def elements_at(self, axes: Mapping[str, int]) -> list[int]:
        """Elements of every result at `axes`."""
        grown = {name: axes[name] / self.base[name] for name in self.powers}
        return [
            int(count * prod(grown[name] ** powers[i] for name, powers in self.powers.items()))
            for i, count in enumerate(self.elements)
        ]

    def largest(self, axes: Mapping[str, int]) -> int:
        """Elements of the largest result at `axes`."""
        return max(self.elements_at(axes), default=0)

    def burden(self, axes: Mapping[str, int]) -> int:
        """Elements of the largest result, or of all by twelves where there are many."""
        elements = self.elements_at(axes)
        return max([*elements, sum(elements) // _USUAL, 0])


def learn_growth(run: Run, base: Mapping[str, int], axes: Sequence[Axis]) -> ResultGrowth | None:
    """From one run at `base` and one for each axis; None where that does not say."""
    try:
        elements, powers = run(base), {}
        for axis in axes:
            if axis.role is AxisRole.CONSTANT:
                continue
            doubled = legal(axis, 2 * base[axis.name])
            made = run({**base, axis.name: doubled})
            if doubled <= base[axis.name] or len(made) != len(elements):
                return None
            steps = log2(doubled / base[axis.name])
            pairs = zip(elements, made, strict=True)
            powers[axis.name] = [_power(before, after, steps) for before, after in pairs]
    except TaskError:
        return None
    return ResultGrowth(base, elements, powers)


def _power(before: int, after: int, steps: float) -> int:
    found = log2(max(1, after) / max(1, before)) / steps
    return 0 if found < _FLAT else max(1, ceil(found - _EDGE))
