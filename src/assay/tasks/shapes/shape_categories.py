"""Categories: the eight kinds of shapes a kernel must be robust against.

The rule: a category says what values an axis may take there; where the axis has none of them, it
takes the nearest it has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.data.axis import Axis
from assay.data.workload import Category

TYPICAL = (2, 1024)


RANGES = {
    Category.TINY: (1, 16),
    Category.SMALL: (32, 128),
    Category.MEDIUM: (256, 1024),
    Category.LARGE: (2048, 8192),
}


def legal(axis: Axis, value: int) -> int:
    """The nearest value that the axis may take from below, its lowest one at least."""
    return max(axis.low, value // axis.multiple_of * axis.multiple_of)


def pick(category: Category, axis: Axis, place: float) -> int:
    """The value of `axis` at `place` (0 to 1) of what the category offers, in log space."""
    low, high = RANGES.get(category, TYPICAL)
    most = max(axis.high, axis.own)
    low, high = min(max(low, axis.low), most), max(min(high, most), axis.low)
    low = min(low, high)
    value = round(math.exp(math.log(low) + (math.log(high) - math.log(low)) * place))
    return legal(axis, shaped(category, value))


def shaped(category: Category, value: int) -> int:
    """`value` or a smaller one, of the kind of number that the category asks for."""
    if category is Category.POWER_OF_TWO:
        return 1 << (max(1, value).bit_length() - 1)
    return prime_up_to(value) if category is Category.OTHER else value


def prime_up_to(value: int) -> int:
    """The largest prime that is at most `value`, and 2 at least."""
    while value > 2 and any(value % k == 0 for k in range(2, math.isqrt(value) + 1)):
        value -= 1
    return max(2, value)


def proportions(category: Category, places: Sequence[float], longest: int) -> list[float]:
    """`places` of the axes, bent to a square or to one long side."""
    if category is Category.SQUARE:
        return [places[0]] * len(places)
    if category is Category.RECTANGULAR:
        bent = [place / 4 for place in places]
        bent[longest] = 1 - bent[longest]
        return bent
    return list(places)
