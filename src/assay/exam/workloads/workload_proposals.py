"""Proposals: which workloads are worth trying, in the order of their worth.

The rule: shapes near the own one, values and layouts are mandatory and come first, the kinds in
turn, so that time running short costs each kind its last ones. Sizes far from the own ones are
optional and come after all of these.

A proposal is one workload and what may take its place where the reference refuses it, or where a
null answer would pass it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from assay.data.contract import Decomposition
from assay.data.workload import Direction, Distribution, Layout, Workload
from assay.exam.workloads.shape_points import (
    FEW,
    HEAVY_STATE,
    LARGE_ELEMENTS,
    MODEST_RESULT,
    PAST,
    REMAINDERS,
    SMALL_ELEMENTS,
    Point,
    Points,
)
from assay.exam.workloads.stretched_shapes import Proposal, Stretching
from assay.exam.workloads.value_scales import FAR_BELOW, epsilon_scales, value_scales
from assay.exam.workloads.workload_trials import PLANTED
from assay.tasks.references.reference import Reference
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.shared_layouts import TOGETHER

# In the order in which they find faults; the first few of each are asked even at `quick`.
VALUES = (
    Distribution.SMALL,
    Distribution.OFFSET,
    Distribution.DYADIC,
    Distribution.LARGE,
    Distribution.TIES,
    Distribution.NEGATIVE,
    Distribution.BLOCKS,
    Distribution.OPPOSED,
    Distribution.SIGNED_ZEROS,
    Distribution.OUTLIER,
    Distribution.ZEROS,
    Distribution.UNIFORM,
    Distribution.SUBNORMAL,
    Distribution.NORMAL,
)
LAYOUTS = (
    Layout.TRANSPOSED,
    Layout.STRIDED,
    Layout.CHANNELS_LAST,
    Layout.EXPANDED,
    Layout.OFFSET,
)
# Asked off the tile: a tail that is wrong for large values or equal ones only shows there.
OFF_THE_TILE = (Distribution.TIES, Distribution.BLOCKS, Distribution.OUTLIER)
# Asked of several rows and of square matrices: where zeros lie is what they are about.
STRUCTURED = (Distribution.ZEROS, Distribution.SIGNED_ZEROS)
SHARED_LAYOUTS = (Layout.SLICED, *TOGETHER[:2], Layout.OVERLAPPING, Layout.MIRRORED)
# Asked from standard on: inputs that lie otherwise than each other, and orders of dimensions.
UNLIKE_LAYOUTS = (
    Layout.REST_TRANSPOSED,
    Layout.PERMUTED,
    Layout.CHUNKED,
    Layout.REPEATED_COLUMNS,
    Layout.FIRST_TRANSPOSED,
    Layout.REST_EXPANDED,
    Layout.FIRST_EXPANDED,
)
IMAGE_RANKS = (4, 5)  # of inputs that channels-last is a way to lie for
# With values that strain a kernel, what tells rows apart may be less than they may be wrong by.
ALIKE_APART = (Layout.REST_EXPANDED, Layout.FIRST_EXPANDED)
# Asked of more rows than the own batch has: a path for large inputs may read them as they lie.
STRIDED_LAYOUTS = (Layout.TRANSPOSED, Layout.STRIDED, Layout.SLICED)
# Values that a path for one layout must bear as that for another does.
BORNE_VALUES = (Distribution.LARGE, Distribution.OFFSET, Distribution.NEGATIVE)
ENDS = (1, 1, 2)  # a NaN at the last element, an infinity there, a NaN at the first
_PLAIN_SHARE = 0.5  # of the layouts, with the task's own values
_USUAL_TRIES = 3  # where the reference refuses one
FAR_LARGE = (32, 16, 8, 4, 2, 1)  # the ends of the ladder, found from outside
FAR_SMALL = (-32, -16, -8, -4, -2, -1)


@dataclass(frozen=True)
class ProposalCounts:
    """How much one level asks for."""

    values: int
    layouts: int
    unlike: int  # layouts in which inputs lie otherwise than each other, or dimensions are permuted
    shared: int  # layouts in which inputs or rows lie within or beside each other
    non_finite: int
    special_rows: int  # kinds of rows with several values that are not finite
    hypercube: int
    large: int
    wide: int  # sizes that are stretched past 2^15 or 2^16, one at a time
    ladder: int  # the largest power of two of the ladder's far ends; 0 leaves them out
    usual: int  # sizes that people use, one at a time
    tiny: int  # shapes of one or two items, of large and small values in turn
    roomy: bool = True  # stretched sizes are tried beside own ones too
    planted_far: bool = False  # a NaN in a batch past 2^16


class Proposals:
    """Draws proposals for one reference."""

    def __init__(
        self, reference: Reference, points: Points, amount: ProposalCounts, rng: random.Random
    ) -> None:
        self._points = points
        self._amount = amount
        self._rng = rng
        self._reference = reference
        self._plain = reference.own_workload().model_copy(update={"own": False})
        shapes = set(reference.structures())
        self._partners = sum(s is not Structure.FIXED for s in reference.structures())
        self._free = bool(shapes - {Structure.FIXED})
        self._signed = bool(shapes - {Structure.FIXED, Structure.POSITIVE})
        # Decompositions have no contract for what is not finite.
        self._decomposes = isinstance(reference.task.contract, Decomposition)
        self._base = self._at(value_base(reference, points))
        self._odd = self._at(points.odd()) if points.sizes or points.configs else self._base
        self._square = self._at(points.square()) if points.sizes else self._base

    def mandatory(self) -> Iterator[Proposal]:
        """Batches, then small shapes, values, layouts and planted values in turn."""
        for point in self._points.batches():
            yield (self._at(point),)
        kinds = (self._shapes(), self._valued(), self._layouts(), self._planted())
        turns = zip_longest(*kinds)
        yield from (one for one in chain.from_iterable(turns) if one is not None)

    def optional(self) -> Iterator[Proposal]:
        """Stretched sizes, then the categories of shapes and larger points."""
        points, amount = self._points, self._amount
        stretching = Stretching(
            points,
            self._plain,
            self._rng,
            self._free,
            amount.roomy,
            cubic=self._decomposes,
            integers=bool(self._reference.meaning.domains),
        )
        yield from islice(stretching.proposals(), amount.wide)
        if amount.planted_far and points.batch and not self._decomposes:
            far = self._at(points.wide(points.batch[0], PAST[0][0]))
            yield (far.model_copy(update={"distribution": PLANTED[0]}),)
        for _ in range(amount.usual):
            yield tuple(self._at(point) for point in islice(points.usual(), _USUAL_TRIES))
        if points.sizes or points.configs:
            yield from ((self._at(point),) for point in points.hypercube(amount.hypercube))
        if amount.large:
            yield (self._at(points.base(LARGE_ELEMENTS)),)

    def few(self) -> Iterator[Proposal]:
        """The three that refuse the most: off the tile, past its own size, special values.

        The last lie in steps in memory: a kernel that ignores strides shows.
        Others follow for those that the reference does not admit.
        """
        points = self._points
        batches = [self._at(point) for point in points.batches()]
        odd = self._odd if points.sizes or not batches else batches[1]
        mixed = odd.model_copy(update={"distribution": Distribution.NORMAL})
        yield (mixed, odd) if self._free else (odd,)
        yield self._past_own()
        where, layouts = self._off_the_tile(own_constructor=True), (Layout.STRIDED, odd.layout)
        if not self._decomposes:
            yield tuple(
                one.model_copy(update={"distribution": special, "layout": layout})
                for layout in layouts
                for one in (where, self._base)
                for special in PLANTED[:2]
            )
        yield from islice(self._valued(), len(layouts))
        yield from ((batch,) for batch in batches)

    def _past_own(self) -> Proposal:
        """One size more than twice its own, with other values where the reference admits them.

        Where the constructor has all sizes, another constructor.
        """
        points, rng = self._points, self._rng
        names = points.sizes or points.batch
        if not (names or points.configurable):
            return ()
        if points.sizes or not points.configurable:
            name = rng.choice(names)
            size = 2 * points.own(name) + rng.choice(REMAINDERS)
            far = self._at(points.wide_beside_own(name, size, 4 * SMALL_ELEMENTS))
        else:
            lone = {name: points.one(name)[name] for name in points.batch}
            far = self._at({**points.config_tail(), **lone})
        near = self._at(points.beyond_own())
        valued = [*self._meant()][:1]
        if self._free:
            distribution = rng.choice(self._values() or (Distribution.SMALL,))
            valued.append((distribution, self._scales(distribution)))
        update = [{"distribution": d, "scale": scales[0]} for d, scales in valued]
        return (*(far.model_copy(update=one) for one in update), far, near)

    def _at(self, point: Point) -> Workload:
        return self._plain.model_copy(update={"axes": point})

    def _shapes(self) -> Iterator[Proposal]:
        """A short reduction, tails, another configuration, a one."""
        points = self._points
        movable = points.sizes + points.configs
        if movable:
            short = self._at(points.short())
            mixed = short.model_copy(update={"distribution": Distribution.NORMAL})
            yield (mixed, short) if self._free else (short,)
        if points.sizes:
            yield (self._at(points.beyond_own()),)
            yield (self._at(points.tail()),)
        if points.configurable:
            yield (self._at(points.config_tail()),)
        lowest = self._rng.sample(movable, min(len(movable), 2 if self._amount.large else 1))
        yield from ((self._at(points.one(name)),) for name in lowest)
        if self._amount.large and points.sizes:
            yield (self._at(points.tail()),)
        if self._amount.large and points.batch:
            past = self._at(points.past_own_batch())
            strided = self._rng.sample(STRIDED_LAYOUTS, len(STRIDED_LAYOUTS))
            yield (*(past.model_copy(update={"layout": layout}) for layout in strided), past)
        if self._amount.large:
            yield from self._at_own_size()

    def _at_own_size(self) -> Iterator[Proposal]:
        """What a path for large inputs must bear too: rows of every kind of values, and a NaN."""
        own = self._at(self._points.base(LARGE_ELEMENTS))
        if self._free:
            asked = ((Distribution.KINDS, 0), (Distribution.KINDS, -5), (Distribution.LARGE, 3))
            yield tuple(
                own.model_copy(update={"distribution": values, "scale": scale})
                for values, scale in asked
            )
        if not self._decomposes:
            less = self._at(self._points.base(MODEST_RESULT))  # it takes ten runs to judge
            yield (less.model_copy(update={"distribution": PLANTED[0]}),)

    def _valued(self) -> Iterator[Proposal]:
        """Distributions; the first lies inside a larger storage, which every kernel must bear."""
        coded = (Distribution.CODES,) if self._reference.quantises_inputs else ()
        asked = [(d, self._scales(d)) for d in (*coded, *self._values())]
        for number, (distribution, scales) in enumerate([*self._meant(), *asked]):
            layout = Layout.OFFSET if number == 0 else self._plain.layout
            yield self._drawn(distribution, scales, layout)
        if self._free and self._amount.ladder:
            most = self._amount.ladder
            far = tuple(k for k in FAR_LARGE if k <= most)
            yield self._far_large(far)
            near = tuple(k for k in FAR_SMALL if -k <= most)
            yield self._far_small(near)
            epsilon = epsilon_scales(self._reference.meaning.constants.tiny_thresholds, self._rng)
            yield self._drawn(Distribution.SMALL, epsilon, self._plain.layout)
            for scale in (0, FAR_BELOW[1]) if self._signed else ():  # however little it tells
                yield self._drawn(Distribution.NEGATIVE, (scale,), self._plain.layout)
            yield from self._tiny()

    def _meant(self) -> Iterator[tuple[Distribution, tuple[int, ...]]]:
        """Integers over their domains, floats at the constants of the reference."""
        meaning = self._reference.meaning
        yield from ((Distribution.MARKED, extents) for extents in meaning.extents)
        if not self._free or self._plain.direction is Direction.BACKWARD:
            return  # which side a slope takes at a threshold is nobody's promise
        if meaning.constants.thresholds:
            yield Distribution.CONSTANTS, (0,)
        if meaning.constants.rounds:
            yield Distribution.CONSTANTS, (1,)

    def _tiny(self) -> Iterator[Proposal]:
        """Few items of large, of small and of equal values, in turn."""
        kinds = [Distribution.LARGE, Distribution.SMALL]
        if self._partners > 1:
            kinds.append(Distribution.EQUAL)
        for number in range(self._amount.tiny):
            distribution = kinds[number % len(kinds)]
            few = self._at(self._points.tiny(batch=1 if number % 4 in (1, 2) else max(FEW)))
            yield tuple(
                few.model_copy(update={"distribution": distribution, "scale": scale})
                for scale in self._scales(distribution)
            )

    def _values(self) -> tuple[Distribution, ...]:
        asked = VALUES[: self._amount.values] if self._free else ()
        left_out = set() if self._signed else {Distribution.NEGATIVE, Distribution.OPPOSED}
        if self._partners < 2:
            left_out.add(Distribution.OPPOSED)
        return tuple(d for d in asked if d not in left_out)

    def _drawn(
        self, distribution: Distribution, scales: tuple[int, ...], layout: Layout
    ) -> Proposal:
        """At the point for such values; at the base where the reference refuses that."""
        update = {"distribution": distribution, "layout": layout}
        where = [self._base]
        if distribution in OFF_THE_TILE:
            where.insert(0, self._odd)
        if distribution in STRUCTURED:
            where.insert(0, self._square)
        return tuple(
            one.model_copy(update={**update, "scale": scale}) for one in where for scale in scales
        )

    def _far_large(self, scales: tuple[int, ...]) -> Proposal:
        """The high end of the ladder, off the tile where the reference admits it there."""
        found = [
            self._odd.model_copy(update={"distribution": Distribution.LARGE, "scale": scale})
            for scale in scales
        ]
        return (*found, *self._drawn(Distribution.LARGE, scales, self._plain.layout))

    def _far_small(self, scales: tuple[int, ...]) -> Proposal:
        """The low end of the ladder, where a slope or an epsilon is all: with others by default."""
        found = self._drawn(Distribution.SMALL, scales, self._plain.layout)
        changed = self._points.other_defaults()
        other = tuple(one.model_copy(update={"axes": {**one.axes, **changed}}) for one in found)
        return (*other, *found) if changed else found

    def _scales(self, distribution: Distribution) -> tuple[int, ...]:
        return value_scales(distribution, self._rng)

    def _layouts(self) -> Iterator[Proposal]:
        """Contiguous where the own input is not, then the others as far as the level goes.

        Every other one is asked off the tile: a strided path has a tail of its own.
        """
        if self._plain.layout is not Layout.CONTIGUOUS:
            yield (self._base.model_copy(update={"layout": Layout.CONTIGUOUS}),)
        shapes = self._reference.input_shapes(self._base.axes)
        images = sum(len(shape) in IMAGE_RANKS for shape in shapes if shape is not None)
        chosen = [x for x in LAYOUTS if x is not Layout.CHANNELS_LAST or images]
        shared = () if self._reference.updates else SHARED_LAYOUTS[: self._amount.shared]
        same = [self._at(self._points.cube())] if self._points.sizes and self._points.batch else []
        turn = self._rng.randrange(2)
        unlike = list(UNLIKE_LAYOUTS[: self._amount.unlike])
        if unlike and images > 1:
            unlike.insert(0, Layout.FIRST_CHANNELS_LAST)
        for number, layout in enumerate((*chosen[: self._amount.layouts], *shared, *unlike)):
            odd = number % 2 == turn or layout in unlike  # one row lies in no other way
            where = (self._odd, self._base) if odd else (self._base,)
            where = (*same, *where) if layout in (Layout.SAME, Layout.MIRRORED) else where
            laid = [one.model_copy(update={"layout": layout}) for one in where]
            strained = () if layout in ALIKE_APART else self._with_values(laid)
            yield (*strained, *laid)
        if unlike and self._points.batch:
            lone = self._at(self._points.odd_item())
            yield (lone.model_copy(update={"layout": Layout.SLICED}),)

    def _with_values(self, laid: list[Workload]) -> Iterator[Workload]:
        """Now and then with values that strain a kernel, where the level asks for all of these."""
        asked = [d for d in BORNE_VALUES if d in self._values()]
        if not self._amount.large or not asked or self._rng.random() < _PLAIN_SHARE:
            return
        distribution = self._rng.choice(asked)
        for scale in self._scales(distribution):
            update = {"distribution": distribution, "scale": scale}
            yield from (one.model_copy(update=update) for one in laid)

    def _planted(self) -> Iterator[Proposal]:
        """A NaN or an infinity, at the base and sometimes off the tile."""
        if self._decomposes:
            return
        for number in range(self._amount.non_finite):
            distribution = PLANTED[number % 2]
            at_an_end = ENDS[number // 3 % len(ENDS)] if number % 3 == 2 else 0
            where = self._off_the_tile() if at_an_end else self._base
            update = {"distribution": distribution, "scale": at_an_end}
            yield (where.model_copy(update=update),)
        rows = (Distribution.MINUS_INF, Distribution.NANS, Distribution.BESIDE_INF)
        for distribution in rows[: self._amount.special_rows]:
            yield tuple(
                self._base.model_copy(update={"distribution": distribution, "scale": scale})
                for scale in self._scales(distribution)
            )

    def _off_the_tile(self, own_constructor: bool = False) -> Workload:
        """A shape whose last elements are a tail, where sizes are not fixed."""
        if self._points.configs and not (own_constructor and self._points.sizes):
            return self._at(self._points.config_tail())
        return self._at(self._points.tail()) if self._points.sizes else self._base


def value_base(reference: Reference, points: Points) -> Point:
    """The point for values and layouts: small, and of the own constructor unless that is heavy."""
    own = reference.footprint(reference.own_axes)
    if own is not None and own.state_elements > HEAVY_STATE:
        return points.light()
    return points.base()
