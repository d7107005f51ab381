"""Device time: how long a device was busy, and for whom.

The rule: no instant counts twice. Where kernels of parallel streams overlap, the instant is shared
equally among them, so that the exclusive times add up to the busy time.
"""

from __future__ import annotations

from collections.abc import Sequence

Interval = tuple[float, float]  # start, end


def busy_us(intervals: Sequence[Interval]) -> float:
    """The length of the union of the intervals."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def exclusive_us(intervals: Sequence[Interval]) -> list[float]:
    """The share of the union that belongs to each interval, in the order given."""
    moments = sorted(
        moment
        for number, (start, end) in enumerate(intervals)
        if end > start
        for moment in ((start, 1, number), (end, 0, number))
    )
    shares, running, last = [0.0] * len(intervals), set[int](), 0.0
    for time, begins, number in moments:
        for one in running:
            shares[one] += (time - last) / len(running)
        last = time
        if begins:
            running.add(number)
        else:
            running.discard(number)
    return shares
