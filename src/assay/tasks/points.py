"""Points: places in the shape space at which a kernel is likely to go wrong.

The rule: apart from the own one, a point is small: its other axes shrink until the inputs fit the
budget. Constructor axes stay at their own values unless the point is about them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator

from assay.data.axis import Axis, AxisRole
from assay.errors import TaskError
from assay.tasks.reference import Reference

SMALL_ELEMENTS = 1 << 16
LARGE_ELEMENTS = 1 << 20
HEAVY_STATE = 1 << 23  # parameters beyond this are not constructed again for small points
ODD_BATCHES = (3, 5, 7, 11, 13, 17)
_NARROW = 2  # other constructor sizes beside a stretched one
TAILS = (7, 15, 17, 31, 33, 63, 65, 127, 129, 255, 257, 511, 513, 1023, 1025, 2049)

Point = dict[str, int]


class Points:
    """Draws points for one reference."""

    def __init__(self, reference: Reference, rng: random.Random) -> None:
        self._reference = reference
        self._rng = rng
        self._axes = {axis.name: axis for axis in reference.axes}
        self.batch = [axis.name for axis in reference.axes if axis.role is AxisRole.BATCH]
        self.sizes = [axis.name for axis in reference.axes if axis.role is AxisRole.SIZE]
        self.configs = [axis.name for axis in reference.axes if axis.role is AxisRole.CONFIG]

    def base(self, budget: int = SMALL_ELEMENTS) -> Point:
        """The own point with a smaller batch: what every kernel for the task should support."""
        return self.fit(self._reference.own_axes, budget, self.configs)

    def light(self) -> Point:
        """The own point with constructor axes shrunk, where the own parameters are too many."""
        small = {
            name: _legal(self._axes[name], min(64, self._axes[name].own)) for name in self.configs
        }
        return self.fit({**self._reference.own_axes, **small}, SMALL_ELEMENTS, self.configs)

    def batches(self) -> Iterator[Point]:
        """A batch of one, an odd one, an empty one."""
        for value in (1, self._rng.choice(ODD_BATCHES), 0):
            changed = dict.fromkeys(self.batch, value)
            if changed:
                yield self._near_base(changed)

    def tail(self) -> Point:
        """Every size off the tile, the constructor's own."""
        return self._near_base({name: self._tail_of(name) for name in self.sizes})

    def beyond_own(self) -> Point:
        """Every size one past its own: a tail after as many full tiles as the own shape has."""
        changed = {}
        for name in self.sizes:
            axis = self._axes[name]
            past = axis.own + 1 if axis.own < axis.high else axis.own - 1
            changed[name] = _legal(axis, past)
        return self._near_base(changed)

    def one(self, name: str) -> Point:
        """One axis at its lowest value."""
        return self._near_base({name: self._axes[name].low})

    def config_tail(self) -> Point:
        """Another constructor configuration, off the tile, with the sizes off it too."""
        names = self.configs + self.sizes
        return self._near_base({name: self._tail_of(name) for name in names})

    def wide(self, name: str) -> Point:
        """One size past 2^15 or 2^16, every other as small as it may be."""
        past = self._rng.choice(((1 << 15) + 1, (1 << 16) + 1, (1 << 16) + 33))
        small = {other: axis.low for other, axis in self._axes.items() if other != name}
        for other in self.configs:
            if other != name:
                small[other] = _legal(self._axes[other], min(_NARROW, self._axes[other].own))
        stretched = {name: _legal(self._axes[name], past)}
        return self.fit({**small, **stretched}, LARGE_ELEMENTS, [name])

    def hypercube(self, count: int) -> list[Point]:
        """Latin hypercube over all axes in log space: each axis is cut into `count` strata."""
        columns = {name: self._strata(axis, count) for name, axis in self._axes.items()}
        points = [{name: column[i] for name, column in columns.items()} for i in range(count)]
        return [self.fit(point, SMALL_ELEMENTS, ()) for point in points]

    def _strata(self, axis: Axis, count: int) -> list[int]:
        low, high = math.log(axis.low), math.log(max(axis.low, min(axis.high, 4096)))
        places = [(i + self._rng.random()) / count for i in range(count)]
        self._rng.shuffle(places)
        return [_legal(axis, round(math.exp(low + (high - low) * place))) for place in places]

    def _tail_of(self, name: str) -> int:
        """A value one off a power of two, or one off the own size."""
        axis = self._axes[name]
        near = [axis.own - 1, axis.own + 1] if axis.own <= 2048 else []
        values = [v for v in (*TAILS, *near) if axis.low <= v <= max(axis.high, axis.own)]
        return _legal(axis, self._rng.choice(values) if values else axis.low)

    def _near_base(self, changed: Point, budget: int = SMALL_ELEMENTS) -> Point:
        """The own point with some axes changed; those and the constructor's stay as they are."""
        point = {**self._reference.own_axes, **changed}
        for name in self.batch:
            if name not in changed:
                point[name] = _legal(self._axes[name], self._rng.choice(ODD_BATCHES))
        return self.fit(point, budget, [*changed, *self.configs])

    def fit(self, point: Point, budget: int, pinned: Iterable[str]) -> Point:
        """`point` with the largest axes halved until the inputs fit, pinned ones after the others.

        A constructor axis at its own value shrinks only where the inputs would be large even so.
        """
        point, kept = dict(point), set(pinned)
        inputs, own = self.batch + self.sizes, self._reference.own_axes
        other = [name for name in self.configs if point[name] != own[name]]
        passes = (
            ([name for name in self.batch if name not in kept], budget),
            ([name for name in self.sizes if name not in kept], budget),
            (inputs + other, budget),
            (list(self._axes), max(budget, LARGE_ELEMENTS)),
        )
        for names, most in passes:
            while self._elements(point) > most and self._halve(point, names):
                pass
        return point

    def _halve(self, point: Point, names: list[str]) -> bool:
        open_ = [name for name in names if point[name] > self._axes[name].low]
        if not open_:
            return False
        name = max(open_, key=lambda n: point[n] / self._axes[n].low)
        odd = point[name] % 2  # a tail stays a tail
        point[name] = _legal(self._axes[name], point[name] // 2 | odd)
        return True

    def _elements(self, point: Point) -> int:
        """Elements of the largest input."""
        try:
            shapes = self._reference.input_shapes(point)
        except TaskError:
            return 0
        return max((math.prod(shape) for shape in shapes if shape is not None), default=0)


def _legal(axis: Axis, value: int) -> int:
    """The nearest value that the axis may take from below, its lowest one at least."""
    return max(axis.low, value // axis.multiple_of * axis.multiple_of)
