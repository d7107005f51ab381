"""ChangeDirection: one thing to change in a kernel, said in a sentence.

The rule: a step follows one direction, so that what was measured after it says something about
it. The direction that answers the measured bottleneck comes first, then those tried least.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assay.data.generation.attempt import Attempt
from assay.generators.strategies.rules.task_view import IMPROVING, TaskView

DIRECTION = "direction"  # label of an ask


@dataclass(frozen=True)
class ChangeDirection:
    """What to change, and the bottlenecks that it answers."""

    name: str
    note: str
    answers: tuple[str, ...]


DIRECTIONS = (
    ChangeDirection(
        "traffic",
        "Move fewer bytes: fuse passes, keep intermediates in registers or on-chip memory.",
        ("memory",),
    ),
    ChangeDirection(
        "access",
        "Use memory better: wide aligned accesses, contiguous order, reuse within a tile.",
        ("memory", "latency"),
    ),
    ChangeDirection(
        "tiling",
        "Change the tile: another block size and shape, sized to registers and on-chip memory.",
        ("memory", "arithmetic", "latency"),
    ),
    ChangeDirection(
        "units",
        "Use the widest arithmetic units that the precision allows: matrix or vector instructions.",
        ("arithmetic",),
    ),
    ChangeDirection(
        "parallelism",
        "Occupy the device: more independent work, split reductions, balanced tails.",
        ("latency",),
    ),
    ChangeDirection(
        "overlap",
        "Hide waiting: prefetch the next tile, unroll, keep several loads in flight.",
        ("latency", "memory"),
    ),
    ChangeDirection(
        "launches",
        "Do it in fewer launches and less host work: one kernel, no allocation, a fixed grid.",
        ("launch",),
    ),
    ChangeDirection(
        "instructions",
        "Issue fewer instructions: hoist what repeats, cheaper exact forms, no needless casts.",
        ("arithmetic", "latency"),
    ),
)


def directions_for(view: TaskView, parent: Attempt, count: int = 1) -> tuple[ChangeDirection, ...]:
    """The next directions from this parent: least tried, then answering its bottleneck."""
    tried = Counter(
        one.labels.get(DIRECTION, "")
        for one in view.attempts
        if one.move in IMPROVING and parent.candidate in one.parents
    )
    binding = parent.bottleneck.lower()

    def rank(place: int) -> tuple[int, bool, int]:
        one = DIRECTIONS[place]
        answered = any(word in binding for word in one.answers)
        return tried[one.name], not answered, place

    places = sorted(range(len(DIRECTIONS)), key=rank)
    return tuple(DIRECTIONS[place] for place in places[:count])
