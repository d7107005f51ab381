"""Points: places in the shape space at which a kernel is likely to go wrong.

The rule: apart from the own one, a point is small: its other axes shrink until the inputs fit the
budget. Constructor axes stay at their own values unless the point is about them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Iterator

from assay.data.axis import AxisRole
from assay.data.workload import Category
from assay.errors import TaskError
from assay.tasks.references.reference import Reference
from assay.tasks.shapes.shape_categories import legal, pick, proportions, shaped
from assay.tasks.shapes.source_sizes import FACTORS

SMALL_ELEMENTS = 1 << 16
LARGE_ELEMENTS = 1 << 20
MODEST_RESULT = 1 << 18  # small inputs of a product of pairs make a large one
PAST_LARGE = LARGE_ELEMENTS + (1 << 18)  # where 16-bit counters of 16 elements have run over
HEAVY_STATE = 1 << 23  # parameters beyond this are not constructed again for small points
ODD_BATCHES = (3, 5, 7, 11, 13, 17)
FEW = (3, 5, 7)  # other sizes beside a stretched one
NARROW_SIZE = 33  # sizes beside a batch past its own
SHORT_BATCHES = (17, 19, 23, 29, 31)
SHORT = 31  # elements of one item: a longer reduction cannot be, and its rounding stays small
PAST = (((1 << 16) + 1, (1 << 16) + 33), ((1 << 15) + 1,))  # beyond 16 bits without and with sign
MODEST = ((1 << 13) + 1, (1 << 11) + 1, (1 << 10) + 1)  # where the reference goes no further
ROOMY_ELEMENTS = (1 << 21) + (1 << 17)  # beside sizes of the task's own
_NARROW = 2  # other constructor sizes beside a stretched one
TILE = 32
REMAINDERS = (13, 14, 15, 21, 22, 23, 29, 30, 31)  # of vectors of 8 at least 5, of 16 at least 5
ODD_MOST = (1024, 512, 256, 128, 64, 32)  # of a size, the first that fits
SIDES = (68, 130)  # of what looks like a square matrix
TAILS = (7, 15, 17, 31, 33, 63, 65, 127, 129, 255, 257, 511, 513, 1023, 1025, 2049)

# Sides of images, widths of models, vocabularies.
USUAL = (
    *(96, 192, 224, 320, 384, 576, 640, 768, 960, 1000, 1280, 1536, 1920, 2560, 3072, 4096),
    *(5120, 6144, 8192, 11008, 14336, 30522, 32000, 50257),
)
USUAL_GROWTH = 64  # times the own size

Point = dict[str, int]


class Points:
    """Draws points for one reference."""

    def __init__(self, reference: Reference, rng: random.Random) -> None:
        self._reference = reference
        self._rng = rng
        sized = [axis for axis in reference.axes if axis.role is not AxisRole.CONSTANT]
        self._axes = {axis.name: axis for axis in sized}
        self._constants = [axis for axis in reference.axes if axis.role is AxisRole.CONSTANT]
        self.batch = [axis.name for axis in reference.axes if axis.role is AxisRole.BATCH]
        self.sizes = [axis.name for axis in reference.axes if axis.role is AxisRole.SIZE]
        self.configs = [axis.name for axis in reference.axes if axis.role is AxisRole.CONFIG]

    def base(self, budget: int = SMALL_ELEMENTS) -> Point:
        """The own point with a smaller batch: what every kernel for the task should support."""
        return self.fit(self._reference.own_axes, budget, self.configs)

    def light(self) -> Point:
        """The own point with constructor axes shrunk, where the own parameters are too many."""
        small = {
            name: legal(self._axes[name], min(64, self._axes[name].own)) for name in self.configs
        }
        return self.fit({**self._reference.own_axes, **small}, SMALL_ELEMENTS, self.configs)

    def own(self, name: str) -> int:
        """The own value of an axis."""
        return self._axes[name].own

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
        return self._near_base({name: self._past_own(name) for name in self.sizes})

    def one(self, name: str) -> Point:
        """One axis at its lowest value, the other sizes one past their own, or far past it.

        A path for a single row may be taken for large ones alone.
        """
        past = self._rng.choice((self._past_own, self._tail_past_own))
        others = {other: past(other) for other in self.sizes if other != name}
        return self._near_base({**others, name: self._axes[name].low})

    def config_tail(self) -> Point:
        """Another constructor configuration, off the tile, with the sizes off it too."""
        names = self.configs + self.sizes
        point = self._near_base({name: self._tail_of(name) for name in names})
        return {**point, **self._other_constants()}

    def odd(self) -> Point:
        """A few items whose sizes leave a remainder; the constructor's where there are no others.

        Sizes shrink before the batch does: a batch of one shows nothing of how rows lie.
        """
        names, batch = self.sizes or self.configs, self._few_items()
        for most in ODD_MOST:
            sizes = {name: self._odd_of(name, most) for name in names}
            point = {**self._reference.own_axes, **batch, **sizes}
            if self._elements(point) <= SMALL_ELEMENTS:
                return point
        return self.fit(point, SMALL_ELEMENTS, [*batch, *sizes, *self.configs])

    def odd_item(self) -> Point:
        """One item of such sizes: cut out of more, it is contiguous and lies as a part of them."""
        return {**self.odd(), **{name: self._axes[name].low for name in self.batch}}

    def square(self) -> Point:
        """A few items, all sizes alike: what looks like a square matrix is one."""
        side = self._rng.randint(*SIDES)
        sizes = {name: legal(self._axes[name], side) for name in self.sizes}
        batch = self._few_items()
        whole = {**self._reference.own_axes, **batch, **sizes}
        point = self.fit(whole, SMALL_ELEMENTS, [*batch, *self.configs])
        least = min((point[name] for name in sizes), default=0)
        return {**point, **{name: legal(self._axes[name], least) for name in sizes}}

    def cube(self) -> Point:
        """All axes of the inputs alike: the factors of a product are matrices of one shape.

        Of an odd side: whoever works in blocks has a rest there. Where that makes a large input the
        batch is that of a square.
        """
        point, side = self.square(), self._rng.randint(*SIDES) | 1
        alike = {name: legal(self._axes[name], side) for name in (*self.batch, *self.sizes)}
        return {**point, **alike} if self._elements({**point, **alike}) <= SMALL_ELEMENTS else point

    def _few_items(self) -> Point:
        return {
            name: legal(self._axes[name], self._rng.choice(ODD_BATCHES[1:])) for name in self.batch
        }

    @property
    def configurable(self) -> bool:
        """Whether the constructor can be given other values."""
        return bool(self.configs or self._constants)

    def _other_constants(self) -> Point:
        """Another version of every float that the constructor is given."""
        return {axis.name: self._rng.randint(1, axis.high) for axis in self._constants}

    def other_defaults(self) -> Point:
        """Another version of every float that the constructor takes by default."""
        names = self._reference.default_variants
        return {name: self._rng.randint(1, len(FACTORS) - 1) for name in names}

    def short(self) -> Point:
        """Every reduction at most 32 long, where the axes allow it: precision shows there."""
        names = self.sizes + self.configs
        point = {name: self._at_least(name, 2) for name in names}
        longest = self._rng.choice(names)
        room = SHORT // math.prod(n for name, n in point.items() if name != longest)
        axis = self._axes[longest]
        point[longest] = legal(axis, min(room, max(axis.high, axis.own)))
        for name in self.batch:
            point[name] = legal(self._axes[name], self._rng.choice(SHORT_BATCHES))
        return {name: point[name] for name in self._axes} | self._other_constants()

    def tiny(self, batch: int) -> Point:
        """One item or two of every size: what a long sum would average away shows.

        In a batch of several it is one more: of a softmax of one nothing shows.
        """
        least = 1 if batch == 1 else 2
        point = {
            name: self._at_least(name, self._rng.randint(least, least + 1)) for name in self.sizes
        }
        point.update({name: self._at_least(name, batch) for name in self.batch})
        return self.fit({**self._reference.own_axes, **point}, SMALL_ELEMENTS, self.configs)

    def past_own_batch(self) -> Point:
        """One more than the own batch: a last block that is nearly empty.

        The sizes are the own ones, unless that makes a large input.
        """
        past = {name: legal(self._axes[name], self._axes[name].own + 1) for name in self.batch}
        whole = {**self._reference.own_axes, **past}
        if self._elements(whole) <= PAST_LARGE:
            return whole
        narrow = {
            name: legal(self._axes[name], min(NARROW_SIZE, self._axes[name].own))
            for name in self.sizes
        }
        return self.fit({**whole, **narrow}, LARGE_ELEMENTS, [*past, *narrow, *self.configs])

    def wide(self, name: str, past: int, alone: bool = False, single: bool = False) -> Point:
        """One size at `past`, every other small (one, where it is to stand alone).

        With `single` the batch is one.

        Beside sizes of one a softmax is 1 whatever the scores are. A long batch is filled up.
        """
        point = {
            other: axis.low if alone else self._at_least(other, self._rng.choice(FEW))
            for other, axis in self._axes.items()
        }
        point.update({other: self._at_least(other, _NARROW) for other in self.configs})
        if single:
            point.update({other: self._axes[other].low for other in self.batch})
        point[name] = self._beyond(name, past)
        if name in self.batch and self.sizes:
            filled = self._rng.choice(self.sizes)
            least = {other: self._axes[other].low for other in (name, filled)}
            each = max(1, self._elements({**point, **least}))
            point[filled] = legal(self._axes[filled], LARGE_ELEMENTS // (past * each) + 1)
        return self._own_constants() | self.fit(point, PAST_LARGE, [name])

    def wide_beside_own(self, name: str, past: int, budget: int = ROOMY_ELEMENTS) -> Point:
        """One size at `past`, a batch of one, the other sizes the own ones.

        Some mean nothing when they are small: a group of one channel has no spread.
        """
        lone = {other: self._axes[other].low for other in self.batch}
        point = {**self._reference.own_axes, **lone, name: self._beyond(name, past)}
        return self.fit(point, budget, [name])

    def with_sizes(
        self, sizes: Point, budget: int = SMALL_ELEMENTS, single: bool = False
    ) -> Point | None:
        """Near the own point with these sizes; None where an axis cannot have its size.

        With `single` the batch is one, unless its size is given.
        """
        if any(legal(self._axes[name], n) != n for name, n in sizes.items()):
            return None
        lone = {name: self._axes[name].low for name in self.batch if single}
        point = self._own_constants() | self._near_base({**lone, **sizes}, budget)
        return point if all(point[name] == n for name, n in sizes.items()) else None

    def usual(self) -> Iterator[Point]:
        """One size at what people use, beside own ones, if any moves; several, in random order."""
        names = self.sizes or self.configs or self.batch
        if not names:
            return
        name = self._rng.choice(names)
        for n in self._rng.sample(USUAL, len(USUAL)):
            if self._axes[name].low <= n <= USUAL_GROWTH * self._axes[name].own:
                point = self.with_sizes({name: n})
                if point is not None:
                    yield point

    def hypercube(self, count: int) -> list[Point]:
        """Latin hypercube over all axes in log space, one category of shapes a point, in turn."""
        columns = {name: self._places(count) for name in self._axes}
        kinds = self._rng.sample(list(Category), len(Category))
        return [
            self._of_category(kinds[i % len(kinds)], [columns[name][i] for name in self._axes])
            for i in range(count)
        ]

    def of_each_category(self) -> dict[Category, Point]:
        """One point of every category for timing, each as large as a large one; none of no size."""
        columns = {name: self._places(len(Category)) for name in self._axes}
        return {
            category: self._of_category(
                category, [columns[name][i] for name in self._axes], LARGE_ELEMENTS
            )
            for i, category in enumerate(Category if columns else ())
        }

    def _of_category(
        self, category: Category, places: list[float], most: int = SMALL_ELEMENTS
    ) -> Point:
        """The point of a category at `places`, one for each axis."""
        inner = [i for i, name in enumerate(self._axes) if name not in self.batch]
        longest = self._rng.choice(inner or [0])
        bent = proportions(category, places, longest)
        names = list(self._axes)
        point = {
            name: pick(category, self._axes[name], place)
            for name, place in zip(names, bent, strict=True)
        }
        large = category is Category.LARGE
        budget = LARGE_ELEMENTS if large else most
        point = self.fit(point, budget, [names[longest]] if large else ())
        if category is Category.SQUARE:
            sides = [names[i] for i in inner] if len(inner) > 1 else names
            side = min(point[name] for name in sides)
            point.update({name: legal(self._axes[name], side) for name in sides})
        point = {name: legal(self._axes[name], shaped(category, n)) for name, n in point.items()}
        return point | self._own_constants()

    def _own_constants(self) -> Point:
        return {axis.name: axis.own for axis in self._constants}

    def _places(self, count: int) -> list[float]:
        """One random place in each of `count` equal parts of 0 to 1, in random order."""
        places = [(i + self._rng.random()) / count for i in range(count)]
        self._rng.shuffle(places)
        return places

    def _beyond(self, name: str, past: int) -> int:
        """The smallest legal value of an axis that is not below `past`."""
        axis = self._axes[name]
        return legal(axis, past + axis.multiple_of - 1)

    def _past_own(self, name: str) -> int:
        """One more than the own value of an axis, or one less at its end."""
        axis = self._axes[name]
        return legal(axis, axis.own + 1 if axis.own < axis.high else axis.own - 1)

    def _tail_past_own(self, name: str) -> int:
        """One off a power of two that is more than twice the own value, or one past that."""
        axis = self._axes[name]
        further = [v for v in TAILS if v > 2 * axis.own][:4]
        return legal(axis, self._rng.choice(further)) if further else self._past_own(name)

    def _at_least(self, name: str, value: int) -> int:
        """A small value of an axis, no larger than its own."""
        axis = self._axes[name]
        return legal(axis, min(value, axis.own))

    def _tail_of(self, name: str) -> int:
        """A value one off a power of two, or one off the own size."""
        axis = self._axes[name]
        near = [axis.own - 1, axis.own + 1] if axis.own <= 2048 else []
        values = [v for v in (*TAILS, *near) if axis.low <= v <= max(axis.high, axis.own)]
        return legal(axis, self._rng.choice(values) if values else axis.low)

    def _odd_of(self, name: str, most: int) -> int:
        """A few tiles of 32 and a remainder that holds a half and a quarter of a vector, or so."""
        axis = self._axes[name]
        tiles = self._rng.randint(1, max(1, min(axis.own, most) // TILE))
        return legal(axis, min(TILE * tiles + self._rng.choice(REMAINDERS), axis.high))

    def _near_base(self, changed: Point, budget: int = SMALL_ELEMENTS) -> Point:
        """The own point with some axes changed; those and the constructor's stay as they are."""
        point = {**self._reference.own_axes, **changed}
        for name in self.batch:
            if name not in changed:
                point[name] = legal(self._axes[name], self._rng.choice(ODD_BATCHES))
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
        return self._with_modest_results(point, max(budget, MODEST_RESULT), kept)

    def _with_modest_results(self, point: Point, most: int, kept: Collection[str]) -> Point:
        """With those sizes halved that make what is made on the way as large as it is."""
        made = self._reference.predicted_burden if self._reference.task.axes else lambda _: 0
        while (now := made(point)) > most:
            halves: list[Point] = []
            for name in self.batch + self.sizes:
                half = dict(point)
                if name not in kept and self._halve(half, [name]) and made(half) < now:
                    halves.append(half)
            if not halves:
                break
            point = min(halves, key=made)
        return point

    def _halve(self, point: Point, names: list[str]) -> bool:
        open_ = [name for name in names if point[name] > self._axes[name].low]
        if not open_:
            return False
        name = max(open_, key=lambda n: point[n] / self._axes[n].low)
        odd = point[name] % 2  # a tail stays a tail
        point[name] = legal(self._axes[name], point[name] // 2 | odd)
        return True

    def _elements(self, point: Point) -> int:
        """Elements of the largest input; of all together by twos where there are more."""
        try:
            sizes = self._reference.input_elements(point)
        except TaskError:
            return 0
        return max([*sizes, sum(sizes) // 2, 0])
