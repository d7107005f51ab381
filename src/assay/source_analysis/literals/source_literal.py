"""SourceLiteral: one number that stands in a candidate, and what the candidate does with it.

The rule: a literal is no finding. It says at which sizes, values and numbers of calls a candidate
may take another path, so that it is called there. Numbers that are compared come first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_LITERALS = 4096  # of one candidate: a table of weights is no list of branches
LARGEST_SIZE = 1 << 24
_SMALL_MASK = 100


class LiteralUse(StrEnum):
    """What a number is used for; those first that most often decide a path."""

    COUNTER = "counter"  # compared with what is counted from call to call
    COMPARED = "compared"  # with anything else
    BOUND = "bound"  # the length of an array, which holds no more
    MODULUS = "modulus"  # of a remainder
    TABLE = "table"  # an element of a list, a table or a set
    DIVISOR = "divisor"  # of a quotient, a shift or a bit mask
    LOOP = "loop"  # the bound of a loop
    PLAIN = "plain"


_RANK = {use: rank for rank, use in enumerate(LiteralUse)}


@dataclass(frozen=True)
class SourceLiteral:
    """A number, its use, and where it stands."""

    value: float
    use: LiteralUse = LiteralUse.PLAIN
    where: str = ""  # file:line, or the name of a built object
    other: str = ""  # what it is compared with, as the source writes it
    residue: int = 0  # the remainder that is asked for, of a modulus
    strict: bool = False  # a comparison of order: the path changes beside the number

    @property
    def is_integer(self) -> bool:
        """Whether it can be a size or a number of calls."""
        return math.isfinite(self.value) and self.value == int(self.value)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes at which the path may change: the most likely first, then neighbours, multiples."""
        if not self.is_integer or not 2 <= abs(self.value) <= LARGEST_SIZE:
            return ()
        n = abs(int(self.value))
        if self.use is LiteralUse.MODULUS:
            first = self.residue % n + n
            return tuple(dict.fromkeys((first, first + n, first + 1, first - 1)))
        # A number may be compared with an index, which is one less than a size.
        beyond = self.strict or _is_mask(n)
        near = (n + 2, n, n + 1, n - 1) if beyond else (n, n + 1, n - 1)
        return (*near, 2 * n)


def _is_mask(n: int) -> bool:
    """Whether it is the largest number of some bits."""
    return n > _SMALL_MASK and n & (n + 1) == 0


def ranked(literals: Iterable[SourceLiteral]) -> tuple[SourceLiteral, ...]:
    """Each number once, by its foremost use; in the order of their uses, then of the source."""
    best: dict[tuple[float, int], SourceLiteral] = {}
    for number, literal in enumerate(literals):
        if number == MOST_LITERALS:
            break
        key = (float(literal.value), literal.residue)
        known = best.get(key)
        if known is None or _worth(literal) < _worth(known):
            best[key] = literal
    return tuple(sorted(best.values(), key=lambda literal: _RANK[literal.use]))


def _worth(literal: SourceLiteral) -> tuple[int, bool]:
    """By its use; of two alike the one that says what it is compared with."""
    return _RANK[literal.use], not literal.other
