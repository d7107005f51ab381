"""ConfigSearch: the next point of a space, by what earlier points measured.

A pattern search: the neighbours of the best point so far, in an order drawn from the seed; where
all of them were tried, a point drawn from the whole space.

The rule: no point is proposed twice. The same history and seed give the same point. What is
searched is a mapping of names to values: it knows nothing of templates.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from assay.generators.templates.config_space import ConfigSpace, Point

_DRAWS = 1000


@dataclass(frozen=True)
class Trial:
    """A point that was tried, and how fast it was; None: refused, or not timed."""

    point: Point
    speedup: float | None


def next_point(space: ConfigSpace, trials: Sequence[Trial], seed: int) -> dict[str, str] | None:
    """A point that was not tried, or None where all were."""
    tried = {_key(one.point) for one in trials}
    if _key(space.default) not in tried:
        return space.default
    chance = random.Random(f"{seed}:{len(trials)}")
    timed = [one for one in trials if one.speedup is not None and space.holds(one.point)]
    ranked = sorted(timed, key=lambda one: one.speedup or 0.0, reverse=True)
    starts = [one.point for one in ranked[:2]] or [space.default]
    for start in starts:
        near = [one for one in space.neighbours(start) if _key(one) not in tried]
        if near:
            return chance.choice(near)
    return _drawn(space, tried, chance)


def _drawn(
    space: ConfigSpace, tried: set[tuple[tuple[str, str], ...]], chance: random.Random
) -> dict[str, str] | None:
    if space.size <= _DRAWS:
        left = [space.point(n) for n in range(space.size)]
        left = [one for one in left if _key(one) not in tried]
        return chance.choice(left) if left else None
    for _ in range(_DRAWS):
        found = space.point(chance.randrange(space.size))
        if _key(found) not in tried:
            return found
    return None


def _key(point: Point) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(point.items()))
