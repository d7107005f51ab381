"""Shape categories of a workload: where in the heat map of robustness it counts.

The rule: a shape belongs to one range of sizes (that of its largest size), is a shape of powers of
two or not, and, where it has two sizes or more, is square or rectangular.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.workload import Category
from assay.tasks.shapes.shape_categories import RANGES


def categories_of(axes: Mapping[str, int]) -> tuple[Category, ...]:
    """The categories of a shape; none where it has no sizes."""
    sizes = list(axes.values())
    if not sizes:
        return ()
    found = [_range(max(sizes))]
    powers = all(size > 0 and size & (size - 1) == 0 for size in sizes)
    found.append(Category.POWER_OF_TWO if powers else Category.OTHER)
    if len(sizes) > 1:
        found.append(Category.SQUARE if len(set(sizes)) == 1 else Category.RECTANGULAR)
    return tuple(found)


def _range(size: int) -> Category:
    """The last range that begins at or below `size`: between two ranges it is the smaller one."""
    begun = [category for category, (low, _) in RANGES.items() if size >= low]
    return begun[-1] if begun else Category.TINY
