"""Literal workloads: sizes and values at which one candidate may take another path.

The rule: as few workloads as hold the most. A workload gives each axis another number where the
inputs stay small, so that a number meets every axis. Numbers that are sizes of the task come first:
a kernel may be made for no more than these. Numbers that are compared come next. Every other size
stands beside a batch of one: a path for long rows may be one for a single row. What is drawn
follows from the secret, the reference and the candidate alone.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, zip_longest

from assay.data.axis import AxisRole
from assay.data.settings import Level
from assay.data.workload import Distribution, Workload
from assay.exam.workloads.shape_points import PAST_LARGE, SMALL_ELEMENTS, Point, Points
from assay.exam.workloads.workload_proposals import value_base
from assay.exam.workloads.workload_trials import TrialLimits, WorkloadTrials
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral
from assay.tasks.references.reference import Reference
from assay.tasks.values.input_structure import Structure

_LIKELY = (LiteralUse.COMPARED, LiteralUse.BOUND, LiteralUse.MODULUS, LiteralUse.TABLE)
_COMMON = frozenset(1 << k for k in range(15))  # tiles, of which every kernel has some
_LEAST = 3  # smaller sizes are asked of everybody
_RARE = 17  # of a number that nothing is compared with
_COMMON_VALUES = frozenset((0.5, 1.0, 2.0, 3.0, 4.0))  # every normal draw is near them
_BUDGETS = (SMALL_ELEMENTS, PAST_LARGE)
# Milder ones where the reference objects; a square or a cube of the largest is still finite.
_LARGEST_VALUES = (1e6, 1e4, 64.0, 8.0)
_SMALLEST_VALUE = 1e-12


@dataclass(frozen=True)
class LiteralAmounts:
    """How much one level asks of one candidate."""

    sizes: int  # workloads
    numbers: int  # distinct sizes of one axis that are tried
    values: int  # numbers that are planted, in one workload
    limits: TrialLimits

    @property
    def none(self) -> bool:
        """Whether the level draws no workloads of a candidate's numbers."""
        return not (self.sizes or self.values)

    @property
    def of_objects(self) -> LiteralAmounts:
        """Of numbers that the source does not show: fewer, as not all of them are numbers."""
        return replace(self, sizes=(self.sizes + 1) // 2, numbers=(self.numbers + 1) // 2)


LITERAL_AMOUNTS = {
    Level.SMOKE: LiteralAmounts(0, 0, 0, TrialLimits(configs=1, seconds=0.0)),
    Level.QUICK: LiteralAmounts(3, 8, 32, TrialLimits(configs=3, seconds=0.5)),
    Level.STANDARD: LiteralAmounts(6, 24, 64, TrialLimits(configs=4, seconds=1.5)),
    Level.FULL: LiteralAmounts(24, 96, 256, TrialLimits(configs=12, seconds=10.0)),
}


class LiteralWorkloads:
    """Draws workloads of one candidate's literals."""

    def __init__(self, reference: Reference, amounts: LiteralAmounts, rng: random.Random) -> None:
        self._reference = reference
        self._rng = rng
        self._amounts = amounts
        self._points = Points(reference, rng)
        light = self._points.light()
        self._trials = WorkloadTrials(reference, self._amounts.limits, rng, light)
        self._single = cycle((False, True))  # whether the next size stands in a single row
        self._plain = reference.own_workload().model_copy(update={"own": False})

    def draw(
        self, literals: Sequence[SourceLiteral], asked: Sequence[Workload]
    ) -> Iterator[Workload]:
        """Sizes, then values; none that the plan has already."""
        known = {(name, n) for w in asked for name, n in w.axes.items()}
        own = frozenset(self._reference.own_axes.values())
        yield from self._sized(wanted_sizes(literals, self._rng, own), known)
        yield from self._valued(wanted_values(literals)[: self._amounts.values])

    def _sized(self, sizes: list[int], known: set[tuple[str, int]]) -> Iterator[Workload]:
        names = self._points.sizes + self._points.batch + self._points.configs
        chosen = sizes[: self._amounts.numbers]
        open_ = [(name, n) for n in chosen for name in names if (name, n) not in known]
        found = 0
        while open_ and found < self._amounts.sizes and not self._trials.over():
            point = self._next(open_)
            if point is None:
                continue
            workload = self._plain.model_copy(update={"axes": point})
            if self._trials.best([workload]) is not None:
                found += 1
                open_[:] = [(name, n) for name, n in open_ if point[name] != n]
                yield workload

    def _next(self, open_: list[tuple[str, int]]) -> Point | None:
        """The first size that is left, with others beside it where there is room.

        The first is taken from the list: it is not tried twice.
        """
        name, n = open_.pop(0)
        single = name not in self._points.batch and next(self._single)
        for budget in _BUDGETS:
            point = self._points.with_sizes({name: n}, budget, single)
            if point is not None:
                return self._with_others({name: n}, open_, single) or point
        return None

    def _with_others(
        self, sizes: Point, open_: list[tuple[str, int]], single: bool
    ) -> Point | None:
        """As many axes as can have a size that is left, of the own constructor."""
        configs = {axis.name for axis in self._reference.axes if axis.role is AxisRole.CONFIG}
        best = None
        for name, n in open_:
            if name in sizes or name in configs or (single and name in self._points.batch):
                continue
            point = self._points.with_sizes({**sizes, name: n}, 2 * SMALL_ELEMENTS, single)
            if point is not None:
                sizes, best = {**sizes, name: n}, point
        return best

    def _valued(self, values: list[float]) -> Iterator[Workload]:
        structures = self._reference.structures()
        if not values or all(s is Structure.FIXED for s in structures):
            return
        base = self._plain.model_copy(
            update={
                "axes": value_base(self._reference, self._points),
                "distribution": Distribution.LITERALS,
            }
        )
        kept = [tuple(v for v in values if abs(v) <= most) for most in _LARGEST_VALUES]
        tried = [base.model_copy(update={"values": one}) for one in dict.fromkeys(kept) if one]
        best = self._trials.best(tried)
        if best is not None:
            yield best


def wanted_sizes(
    literals: Sequence[SourceLiteral], rng: random.Random, own: Collection[int] = ()
) -> list[int]:
    """Sizes in the order of their worth: at the task's own, at compared numbers, at the others.

    Of each number the likeliest size, then of each the next one. Among equals the secret decides.
    """
    sized = [one for one in literals if one.sizes]
    written = [one for one in sized if one.value >= _RARE and one.value in own]
    rest = [one for one in sized if one not in written]
    likely = [one for one in rest if one.use in _LIKELY]
    others = [one for one in rest if one.use not in _LIKELY and abs(one.value) >= _RARE]
    others = [one for one in others if one.value not in _COMMON]
    found: list[int] = []
    for group in (written, likely, others):
        uses = [[one for one in group if one.use is use] for use in LiteralUse]
        shuffled = [one for same in uses for one in rng.sample(same, len(same))]
        rare = [one for one in shuffled if abs(int(one.value)) not in _COMMON]
        common = [one for one in shuffled if abs(int(one.value)) in _COMMON]
        for some in (rare, common):
            turns = zip_longest(*(one.sizes for one in some))
            found += [n for turn in turns for n in turn if n is not None and n >= _LEAST]
    return list(dict.fromkeys(found))


def wanted_values(literals: Sequence[SourceLiteral]) -> list[float]:
    """Numbers that an input may hold; those with a fraction are no sizes, so they come first."""
    broken = [abs(float(one.value)) for one in literals if not one.is_integer]
    likely = [one for one in literals if one.is_integer and one.use in _LIKELY]
    whole = [abs(float(one.value)) for one in likely]
    found = [v for v in (*broken, *whole) if v >= _SMALLEST_VALUE and v not in _COMMON_VALUES]
    return list(dict.fromkeys(found))
