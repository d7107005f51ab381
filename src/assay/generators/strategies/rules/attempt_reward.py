"""AttemptReward: what an attempt was worth, as a number from nought to one.

    refused, quarantined or no candidate     0
    accepted, no gain beyond noise           0.2
    a gain                                   0.2 + 0.8 min(1, log2(new / best before))

The first accepted one is compared with the baseline. A return adds the best return among its
children, discounted: a draft that led to a fast kernel was worth more than its own speed.

The rule: what is quarantined is worth nothing, however fast it looks.
"""

from __future__ import annotations

import math

from assay.data.generation.attempt import Attempt, shows_gain
from assay.data.generation.search_state import TaskState

ACCEPTED = 0.2


def reward(one: Attempt, before: Attempt | None) -> float:
    """Of one attempt, against the best that was accepted before it."""
    if not one.accepted:
        return 0.0
    if not shows_gain(one, before) or not one.speedup:
        return ACCEPTED
    reached = before.speedup if before is not None and before.speedup else 1.0
    doublings = math.log2(max(1.0, one.speedup / reached))
    return ACCEPTED + (1 - ACCEPTED) * min(1.0, doublings)


def rewards(task: TaskState) -> dict[int, float]:
    """Of all attempts of a task, by number."""
    found: dict[int, float] = {}
    best: Attempt | None = None
    for one in task.attempts:
        found[one.number] = reward(one, best)
        if one.accepted and (best is None or shows_gain(one, best)):
            best = one
    return found


def returns(task: TaskState, discount: float) -> dict[int, float]:
    """Rewards with what the attempts led to: R = r + discount x max R of the children."""
    own, found = rewards(task), dict[int, float]()
    led_to: dict[str, float] = {}  # the best return among the children of a candidate
    for one in reversed(task.attempts):
        found[one.number] = own[one.number] + discount * led_to.get(one.candidate, 0.0)
        for parent in one.parents:
            led_to[parent] = max(led_to.get(parent, 0.0), found[one.number])
    return found
