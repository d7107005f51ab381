"""Sweep: the workloads a candidate is asked on, the task's own first.

The rule: every other workload was run on the reference and admitted by it, and is small. What is
tried follows from the level and the run's random numbers alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import torch

from assay.data.settings import Level
from assay.data.workload import Distribution, Layout, Workload
from assay.errors import TaskError
from assay.tasks.layouts import applies
from assay.tasks.points import HEAVY_STATE, LARGE_ELEMENTS, Point, Points
from assay.tasks.reference import Reference
from assay.tasks.shapes_only import SizeLimit
from assay.tasks.structure import Structure

# In the order in which they find faults; the first few of each are asked even at `quick`.
VALUES = (
    Distribution.SMALL,
    Distribution.OFFSET,
    Distribution.DYADIC,
    Distribution.LARGE,
    Distribution.NEGATIVE,
    Distribution.BLOCKS,
    Distribution.TIES,
    Distribution.OUTLIER,
    Distribution.ZEROS,
    Distribution.NORMAL,
    Distribution.UNIFORM,
)
Config = tuple[tuple[str, int], ...]
LONGEST_RUN_S = 1.0
TRIAL_ELEMENTS = 1 << 24
TRIAL_MULTIPLICATIONS = 1 << 31  # a small input can still ask for a huge product
UNKNOWN_SIZE = 1 << 12  # of a constructor whose parameters cannot be counted beforehand
RATE_ELEMENTS = 1 << 15  # a smaller run says little about the time of a larger one
LAYOUTS = (Layout.TRANSPOSED, Layout.STRIDED, Layout.EXPANDED, Layout.OFFSET)


@dataclass(frozen=True)
class Amount:
    """How much one level asks for."""

    values: int
    layouts: int
    non_finite: int
    hypercube: int
    large: int
    wide: int  # sizes that are stretched past 2^15 or 2^16, one at a time
    configs: int  # distinct constructor configurations, the own one included
    workloads: int
    seconds: float  # for trials; only a reference of 0.1 s a call and more comes near it


AMOUNTS = {
    Level.QUICK: Amount(4, 2, 1, 1, 0, 3, 5, 18, 6.0),
    Level.STANDARD: Amount(6, 3, 2, 3, 2, 6, 8, 28, 12.0),
    Level.FULL: Amount(11, 4, 4, 10, 4, 8, 12, 48, 40.0),
}


def sweep(reference: Reference, level: Level, rng: random.Random) -> tuple[Workload, ...]:
    """The own workload, then as many admitted ones as the level allows."""
    amount = AMOUNTS[level]
    points = Points(reference, rng)
    own = reference.own_workload()
    kept = [own]
    trial = _Trial(reference, amount, rng, points.light())
    for workload in _proposals(reference, points, amount, rng):
        if len(kept) >= amount.workloads or trial.over():
            break
        if workload not in [*kept, own.model_copy(update={"own": False})] and trial.admits(
            workload
        ):
            kept.append(workload)
    return tuple(kept)


class _Trial:
    """Runs proposals on the reference within the level's limits."""

    def __init__(
        self, reference: Reference, amount: Amount, rng: random.Random, light: Point
    ) -> None:
        self._reference = reference
        self._amount = amount
        self._rng = rng
        self._until_s = time.monotonic() + amount.seconds
        self._fastest: dict[Config, float] = {}  # seconds an element, by configuration
        self._configs = {reference.config(reference.own_axes)}
        own = reference.footprint(reference.own_axes)
        self._heavy = own is None or own.state_elements > HEAVY_STATE
        if self._heavy:  # values and layouts are asked there: it must not fall to the limit
            self._configs.add(reference.config(light))

    def over(self) -> bool:
        """True when the time for trials is spent."""
        return time.monotonic() > self._until_s

    def admits(self, workload: Workload) -> bool:
        """True where the reference accepts it; the own constructor is not built where heavy."""
        reference = self._reference
        config = reference.config(workload.axes)
        if config not in self._configs and len(self._configs) >= self._amount.configs:
            return False
        if self._heavy and config == reference.config(reference.own_axes):
            return self._plain(workload) and reference.footprint(workload.axes) is not None
        if self._too_heavy(workload) or not self._runs(workload):
            return False
        self._configs.add(config)
        return True

    def _too_heavy(self, workload: Workload) -> bool:
        """True where this configuration has too many parameters to construct for a trial."""
        reference = self._reference
        if not self._heavy and reference.config(workload.axes) == reference.config(
            reference.own_axes
        ):
            return False
        found = reference.footprint(workload.axes)
        if found is None:
            return self._heavy or max(workload.axes.values()) > UNKNOWN_SIZE
        return found.state_elements > HEAVY_STATE

    def _plain(self, workload: Workload) -> bool:
        return workload.distribution is Distribution.OWN and workload.layout is Layout.CONTIGUOUS

    def _runs(self, workload: Workload) -> bool:
        reference = self._reference
        shapes = reference.structures()
        try:
            inputs = reference.draw(workload, self._rng.getrandbits(31))
        except TaskError:
            return False
        plain = workload.model_copy(update={"layout": Layout.CONTIGUOUS})
        if workload.layout is not Layout.CONTIGUOUS:
            bare = reference.draw(plain, 0)
            if not applies(bare, workload.layout, shapes):
                return False
        return self._timed(workload, inputs)

    def _timed(self, workload: Workload, inputs: tuple[Any, ...]) -> bool:
        """Runs it, unless the fastest run so far foretells that it takes too long."""
        elements = sum(value.numel() for value in inputs if isinstance(value, torch.Tensor))
        if self._reference.largest_result(workload, inputs) > TRIAL_ELEMENTS:
            return False
        began_s = time.monotonic()
        config = self._reference.config(workload.axes)
        if elements * self._fastest.get(config, 0.0) > LONGEST_RUN_S:
            return False
        with SizeLimit(TRIAL_ELEMENTS, TRIAL_MULTIPLICATIONS):
            admitted = self._reference.admits(workload, inputs)
        if elements >= RATE_ELEMENTS:
            spent = (time.monotonic() - began_s) / elements
            self._fastest[config] = min(self._fastest.get(config, spent), spent)
        return admitted


def _proposals(
    reference: Reference, points: Points, amount: Amount, rng: random.Random
) -> Iterator[Workload]:
    """Workloads in order of worth: batches first, then shapes, values and layouts in turn."""
    dtype = reference.dtype
    for point in points.batches():
        yield Workload(axes=point, dtype=dtype)
    base = _base(reference, points)
    shapes = [Workload(axes=point, dtype=dtype) for point in _shapes(points, amount, rng)]
    values = list(_valued(reference, base, amount))
    layouts = [Workload(axes=base, dtype=dtype, layout=x) for x in LAYOUTS[: amount.layouts]]
    planted = [Workload(axes=base, dtype=dtype, distribution=d) for d in _planted(amount)]
    turns = zip_longest(shapes, values, layouts, planted)
    yield from (workload for workload in chain.from_iterable(turns) if workload is not None)


def _base(reference: Reference, points: Points) -> Point:
    """The point for values and layouts: small, and of the own constructor unless that is heavy."""
    own = reference.footprint(reference.own_axes)
    if own is not None and own.state_elements > HEAVY_STATE:
        return points.light()
    return points.base()


def _valued(reference: Reference, base: Point, amount: Amount) -> Iterator[Workload]:
    """Distributions; the first lies inside a larger storage, which every kernel must bear."""
    for number, distribution in enumerate(_values(reference, amount)):
        layout = Layout.OFFSET if number == 0 else Layout.CONTIGUOUS
        yield Workload(axes=base, dtype=reference.dtype, distribution=distribution, layout=layout)


def _values(reference: Reference, amount: Amount) -> tuple[Distribution, ...]:
    free = any(shape is not Structure.FIXED for shape in reference.structures())
    marked = (Distribution.MARKED,) if reference.has_marks() else ()
    return (*marked, *(VALUES[: amount.values] if free else ()))


def _planted(amount: Amount) -> list[Distribution]:
    return [Distribution.NAN, Distribution.INF, Distribution.NAN, Distribution.INF][
        : amount.non_finite
    ]


def _shapes(points: Points, amount: Amount, rng: random.Random) -> Iterator[Point]:
    """Tails, other configurations, ones, hypercube points and a few larger ones."""
    movable = points.sizes + points.configs
    if points.sizes:
        yield points.beyond_own()
        yield points.tail()
    if points.configs:
        yield points.config_tail()
    stretched = movable + points.batch
    for name in rng.sample(stretched, min(len(stretched), amount.wide)):
        yield points.wide(name)
    if movable:
        yield points.one(rng.choice(movable))
        yield from points.hypercube(amount.hypercube)
    if amount.large:
        yield points.base(LARGE_ELEMENTS)
        if points.sizes:
            yield points.tail()
