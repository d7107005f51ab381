"""Clock: whether a child's own clock accounts for the time seen from outside; pure.

The rule: what is missing in a round is the outside time, less what an empty batch takes, less the
inside time. A round speaks against the clock where more is missing than empty batches scatter by
and than the child's waiting for a processor explains. A clock is a lie where most rounds speak
against it and half of the time or more is missing. Where load makes empty batches scatter so far
that a lie could hide, the answer is unknown. Waiting explains a quarter of the time at most.

False alarms: an honest side has a cost of its own like the empty batch. That more than half of
its n rounds lie beyond all empty ones but n // 8 is the chance that so many of the largest of 2n
values are its own: 3.5 % of seven rounds, 2.9 % of ten, 0.6 % of fourteen, before half of the time
must be missing too.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from enum import StrEnum

from assay.data.observations.measurement import ClockRound

LEAST_SHARE = 0.5  # an inside time below this share of the outside time is unexplained work
AGREEMENT = 0.05  # of the outside time; what is released after a call, for instance
_INFORMATIVE = 0.25  # of the outside time: empty batches that scatter by more hide half of it


class ClockAnswer(StrEnum):
    """What the rounds say of the inside clock."""

    CONFIRMED = "confirmed"
    SHORT = "short"  # it leaves time out, not enough to call it a lie: the outside time counts
    LIE = "lie"
    UNKNOWN = "unknown"


def scatter_us(rounds: Sequence[ClockRound]) -> float:
    """From the shortest empty batch to the longest, were all of one length.

    Of eight and more an eighth is left out at either end: one stray round is not the machine.
    """
    empty = sorted(one.empty_us / one.calls for one in rounds)
    aside = len(empty) // 8
    typical = statistics.median(one.calls for one in rounds)
    return (empty[-1 - aside] - empty[aside]) * typical


def uncertain_us(rounds: Sequence[ClockRound]) -> float:
    """What the median over rounds of an outside time may be off by: the scatter over sqrt(n)."""
    return scatter_us(rounds) / math.sqrt(len(rounds))


def net_us(rounds: Sequence[ClockRound]) -> float:
    """The outside time of a batch without our own cost, in the median."""
    return statistics.median(one.outside_us - one.empty_us for one in rounds)


def inside_share(rounds: Sequence[ClockRound]) -> float:
    """The inside time over the outside one, in the median."""
    return statistics.median(one.inside_us for one in rounds) / max(net_us(rounds), 1e-6)


def clock_answer(rounds: Sequence[ClockRound]) -> ClockAnswer:
    """Confirmed, short, a lie, or unknown."""
    scatter, net, uncertain = scatter_us(rounds), net_us(rounds), uncertain_us(rounds)
    missing = statistics.median(map(_unexplained_us, rounds))
    if missing <= max(AGREEMENT * net, min(uncertain, _INFORMATIVE * net)):
        return ClockAnswer.CONFIRMED if uncertain < max(net, 0.0) else ClockAnswer.UNKNOWN
    unexplained = [_missing_us(one) - one.waited_us > scatter for one in rounds]
    if 2 * sum(unexplained) > len(rounds):
        return ClockAnswer.LIE if inside_share(rounds) < LEAST_SHARE else ClockAnswer.SHORT
    hidden = scatter > _INFORMATIVE * net or _waited_share(rounds) > _INFORMATIVE
    return ClockAnswer.UNKNOWN if hidden else ClockAnswer.SHORT


def _missing_us(one: ClockRound) -> float:
    return one.outside_us - one.empty_us - one.inside_us


def _unexplained_us(one: ClockRound) -> float:
    """What is missing beyond waiting for a processor, which explains a part of the time at most."""
    explained = min(one.waited_us, _INFORMATIVE * max(one.outside_us - one.empty_us, 0.0))
    return max(0.0, _missing_us(one)) - explained


def _waited_share(rounds: Sequence[ClockRound]) -> float:
    return statistics.median(one.waited_us / max(one.outside_us, 1e-6) for one in rounds)
