"""Tags: what may have gone into a value, as far as the source shows.

The rule: tags are added and never removed, so a tag says "may"; a missing tag says "cannot", unless
an `UNKNOWN` tag stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Origin(StrEnum):
    """Where data comes from."""

    INPUT = "input"  # an argument of forward
    PARAMETER = "parameter"  # weights, buffers, what __init__ made
    KERNEL = "kernel"  # written or returned by a kernel of the candidate's own
    LIBRARY = "library"  # computed by a library
    PAST = "past"  # kept from an earlier call
    PREPARED = "prepared"  # computed before the first call, and no parameter or buffer
    CLOCK = "clock"  # read from a clock
    SURROUNDINGS = "surroundings"  # environment, arguments, stack, folders, other modules
    IDENTITY = "identity"  # the address of a Python object
    UNKNOWN = "unknown"  # made by a call the analysis could not resolve


class Weight(StrEnum):
    """How much a library computation can be."""

    LIGHT = "light"  # arithmetic, reductions, sorting: bookkeeping where the operand is tiny
    HEAVY = "heavy"  # dense algebra, layers, losses
    GENERATED = "generated"  # a kernel that a compiler made from torch code


class Guard(StrEnum):
    """Under what condition a statement runs; declared from certain to least certain."""

    NONE = "none"
    CONDITION = "condition"
    PHASE = "phase"  # it reads a clock, a counter, its surroundings or what an earlier call kept
    BENIGN = "benign"  # an empty input, a device or a package that is not there


@dataclass(frozen=True, slots=True)
class Tag:
    """One thing that may have gone into a value."""

    origin: Origin
    name: str = ""
    where: str = ""  # file:line
    weight: Weight = Weight.LIGHT
    guard: Guard = Guard.NONE
    on_input: bool = False  # a library computation whose operands hold forward's arguments
    small: bool = False  # an argument of far fewer elements than the largest: labels, offsets
    fed: bool = False  # a kernel stands between the library computation and the value

    def through_kernel(self) -> Tag:
        """The same computation, seen from behind a kernel that read it."""
        return replace(self, fed=True)
