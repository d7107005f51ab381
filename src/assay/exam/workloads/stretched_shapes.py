"""Stretching: one size of a task taken far beyond its own.

The rule: a size goes as far as the reference and the budget of elements let it, and what it stands
beside is chosen so that a fault in it shows. Each proposal is a workload and what may take its
place where the reference refuses it, or where a null answer would pass it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.workload import Distribution, Workload
from assay.exam.workloads.shape_points import MODEST, PAST, PAST_LARGE, Point, Points
from assay.tasks.values.integer_draws import Extent

MODERATE_LARGE = (7, 13)  # rungs at which an exponential has left the range of float32
MODERATE_SMALL = (-13, -8)  # rungs at which the usual epsilons weigh as much as the data
MANY_ROWS = (1 << 17, 1 << 18)  # a batch far beyond 16 bits, of a few columns each
CUBIC = (257, 129, 65)  # modest sizes where the work is cubic

Proposal = tuple[Workload, ...]


@dataclass(frozen=True)
class Stretching:
    """Draws stretched workloads for one reference."""

    points: Points
    plain: Workload  # what is not said otherwise
    rng: random.Random
    free: bool  # whether the values of some input may be redrawn
    roomy: bool  # whether sizes are tried beside own ones too
    cubic: bool  # whether the work grows with the cube of a size, as a decomposition's does
    integers: bool = False  # whether some input has integers that may be redrawn

    def proposals(self) -> Iterator[Proposal]:
        """Every size in turn, in a random order, up to four times over."""
        names = self.points.sizes + self.points.configs + self.points.batch
        self.rng.shuffle(names)
        strained = () if self.cubic else (self._peaked, self._faint)
        for ask in (self._far, self._modest, *strained):
            yield from (ask(name) for name in names)

    def _far(self, name: str) -> Proposal:
        """Beyond 16 bits; beside own sizes, or less far, where that tells nothing or takes ages."""
        rows = name in self.points.batch
        past = self.rng.randint(*MANY_ROWS) if rows else self.rng.choice(PAST[0])
        cheap = rows or not self.cubic
        found = [self.points.wide(name, past), *self._beside_own(name, past)] if cheap else []
        for size in self._beyond_own(self._sizes, name):
            found.append(self.points.wide(name, size, single=True))
            found += [self.points.wide_beside_own(name, size)] if self.roomy else []
        return self._with_integers(found, Extent.HIGHEST)

    def _beside_own(self, name: str, past: int) -> list[Point]:
        """The one that reaches furthest first: `past` may have been halved to less than 2^15."""
        if not self.roomy:
            return []
        points = [self.points.wide_beside_own(name, far) for far in (past, PAST[1][0])]
        return sorted(points, key=lambda point: -point[name])

    def _modest(self, name: str) -> Proposal:
        """Past a thousand or two: beside 2^16 elements a lost tail hardly weighs anything."""
        sizes = self._beyond_own(self._sizes[1:], name)
        self.rng.shuffle(sizes)
        points = [self.points.wide_beside_own(name, size, PAST_LARGE) for size in sizes]
        return self._with_integers(points, Extent.MIXED)

    def _with_integers(self, points: list[Point], extent: Extent) -> Proposal:
        """Each point with integers of that extent, and as it is: far sums and indices run over."""
        plain = [self._at(point) for point in points]
        if not self.integers:
            return tuple(plain)
        update = {"distribution": Distribution.MARKED, "scale": int(extent)}
        return tuple(w for one in plain for w in (one.model_copy(update=update), one))

    def _peaked(self, name: str) -> Proposal:
        """Alone and of large values: sums of exponentials and running maxima are strained."""
        return self._alone(name, PAST[1], Distribution.LARGE, MODERATE_LARGE[0])

    def _faint(self, name: str) -> Proposal:
        """Alone and of small values, beside which a constant that was slipped in shows."""
        return self._alone(name, PAST[0], Distribution.SMALL, MODERATE_SMALL[0])

    def _alone(
        self, name: str, sizes: tuple[int, ...], distribution: Distribution, scale: int
    ) -> Proposal:
        far = self._at(self.points.wide(name, self.rng.choice(sizes), alone=True))
        if far.axes[name] < PAST[1][0]:
            return ()  # it did not fit: a smaller one was asked before
        drawn = far.model_copy(update={"distribution": distribution, "scale": scale})
        return (drawn, far) if self.free else (far,)

    @property
    def _sizes(self) -> tuple[int, ...]:
        return CUBIC if self.cubic else MODEST

    def _beyond_own(self, sizes: tuple[int, ...], name: str) -> list[int]:
        return [size for size in sizes if size > self.points.own(name)]

    def _at(self, point: Point) -> Workload:
        return self.plain.model_copy(update={"axes": point})
