"""Inference: the shape space of a task that came with a single shape.

The rule: an axis is kept only where the reference was seen to accept another value and some input
or parameter changed its shape with it, or, of a task without any, some output. Sites of equal value
that cannot vary alone vary together; literals of equal value in the same dimension of several
inputs are one size, and vary together even where the reference would bear them apart. Names, and
values of their own, tell sizes apart.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.data.axis import Axis, AxisRole
from assay.tasks.shapes.footprint import Footprint, Prober
from assay.tasks.shapes.source_sizes import FACTORS, Site

MAX_TRIALS = 240
VARIANT = "_variant"  # ends the name of a float's axis, whose sizes number its versions
MAX_SECONDS = 0.8  # a slow reference gets fewer axes rather than a long wait
SMALL_STEP = 16
POWERS = tuple(1 << k for k in range(10))
SMALLEST = (1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 64)
SMALL_CONFIG = 16  # below it a constructor's integer is a choice (kernel, stride), not a size
ROLES = (AxisRole.BATCH, AxisRole.SIZE, AxisRole.CONFIG, AxisRole.CONSTANT)
CHOICES = re.compile(
    r"kernel|stride|pad|dilat|group|axis|head|layer|depth|pool|window|repeat|num_block"
    r"|patch|expan|rank|top_?k|steps|ratio|scale|seed"
)
DIMENSION = re.compile(r"dims?$")  # the number of a dimension, or, where it is larger, its length


@dataclass(frozen=True)
class ShapeSpace:
    """Axes, and for each the keys of the sites it sets."""

    axes: tuple[Axis, ...]
    sites: dict[str, tuple[str, ...]]

    def sizes(self, values: dict[str, int]) -> dict[str, int]:
        """Axis values as values of sites."""
        return {key: v for name, v in values.items() for key in self.sites.get(name, ())}


def declared_space(axes: Iterable[Axis]) -> ShapeSpace:
    """The space of a task that declares its axes: each is the module-level name it is called."""
    kept = tuple(axes)
    return ShapeSpace(kept, {axis.name: (axis.name,) for axis in kept})


def infer_space(prober: Prober, sites: Iterable[Site]) -> ShapeSpace:
    """Axes found by trial on the reference."""
    own = prober.own()
    if own is None:
        return ShapeSpace((), {})
    tried = [site for site in sites if site.own < 1 << 31]
    whole = [site for site in tried if site.constant is None]
    constants = [site for site in tried if site.constant is not None]
    return _Inference(prober, own, {site.own for site in whole}).run(whole, constants)


def _is_choice(site: Site) -> bool:
    """Whether its name says that it is part of what the operator is."""
    name = site.key.lower()
    few = site.own < SMALL_CONFIG and DIMENSION.search(name)
    return bool(CHOICES.search(name) or few)


class _Inference:
    def __init__(self, prober: Prober, own: Footprint, values: set[int]) -> None:
        self._values = values
        self._prober = prober
        self._own = own
        self._axes: list[Axis] = []
        self._sites: dict[str, tuple[str, ...]] = {}
        self._keys: set[str] = set()
        self._until_s = time.thread_time() + MAX_SECONDS  # waiting for a core is not counted

    def run(self, sites: list[Site], constants: list[Site]) -> ShapeSpace:
        """Shared literals, sites alone in small steps, tied ones, alone in any step; floats."""
        self._keys = {site.key for site in (*sites, *constants)}
        sites = self._without_shared(self._without_indices(sites))
        left = [site for site in sites if not self._keep((site,), SMALL_STEP)]
        by_value: dict[int, list[Site]] = {}
        for site in left:
            by_value.setdefault(site.own, []).append(site)
        for group in by_value.values():
            tied = next((tied for tied in self._ties(group) if self._keep(tied, SMALL_STEP)), ())
            for site in group:
                if site not in tied:
                    self._keep((site,), site.own)
        for site in constants:
            self._keep_constant(site)
        order = {role: number for number, role in enumerate(ROLES)}
        self._axes.sort(key=lambda axis: order[axis.role])
        return ShapeSpace(tuple(self._axes), self._sites)

    def _without_indices(self, sites: list[Site]) -> list[Site]:
        """Keeps each end of a range together with the sizes it equals; the sites that are left."""
        for bound in [site for site in sites if site.bounds]:
            same = [site for site in sites if site.own == bound.own and not site.bounds]
            pairs = [(*same, bound), *((site, bound) for site in same if len(same) > 1)]
            tied = next((tied for tied in pairs if same and self._keep(tied, SMALL_STEP)), ())
            sites = [site for site in sites if site not in tied and site is not bound]
        return sites

    def _without_shared(self, sites: list[Site]) -> list[Site]:
        """Keeps literals that several inputs share in one dimension; the sites that are left."""
        shared: dict[tuple[int, int], list[Site]] = {}
        for site in sites:
            if site.place is not None and not site.bounds:
                shared.setdefault((site.own, site.place[1]), []).append(site)
        kept: list[Site] = []
        for group in shared.values():
            tensors = {site.place[0] for site in group if site.place is not None}
            if len(tensors) > 1 and self._keep(tuple(group), SMALL_STEP):
                kept += group
        return [site for site in sites if site not in kept]

    def _keep_constant(self, site: Site) -> None:
        """Adds a float that the constructor is given and that no shape depends on."""
        if self._prober.trials > MAX_TRIALS or time.thread_time() > self._until_s:
            return
        found = [self._prober.at({site.key: number}) for number in range(1, len(FACTORS))]
        if all(changed is not None and self._is_constant(changed) for changed in found):
            name = f"{self._argument(site, found[0])}{VARIANT}"
            axis = Axis(name=name, own=0, low=0, high=len(FACTORS) - 1, role=AxisRole.CONSTANT)
            self._axes.append(axis)
            self._sites[name] = (site.key,)

    def _is_constant(self, changed: Footprint) -> bool:
        own = self._own
        same = (changed.inputs, changed.state, changed.outputs) == (
            own.inputs,
            own.state,
            own.outputs,
        )
        return same and changed.init != own.init

    def _ties(self, group: list[Site]) -> Iterator[tuple[Site, ...]]:
        """Sites that may have to move together: all of them, else each pair."""
        if len(group) < 2:
            return
        yield tuple(group)
        if len(group) > 2:
            for i, one in enumerate(group):
                yield from ((one, other) for other in group[i + 1 :])

    def _keep(self, tied: tuple[Site, ...], max_step: int) -> bool:
        """Adds the axis that moves `tied`, if the reference accepts another value of it."""
        if self._prober.trials > MAX_TRIALS or time.thread_time() > self._until_s:
            return False
        found = self._another(tied, max_step)
        if found is None:
            return False
        step, value = found
        changed = self._at(tied, value)
        if changed is None or not self._is_size(tied, changed):
            return False
        axis = self._axis(tied, changed, step)
        if axis.low == axis.high or (axis.own == 1 and axis.role is not AxisRole.BATCH):
            return False
        self._axes.append(axis)
        self._sites[axis.name] = tuple(site.key for site in tied)
        return True

    def _axis(self, tied: tuple[Site, ...], changed: Footprint, step: int) -> Axis:
        return Axis(
            name=self._name(tied, changed),
            own=tied[0].own,
            low=self._low(tied, step),
            high=self._high(tied, step),
            role=self._role(changed),
            multiple_of=step,
        )

    def _at(self, tied: tuple[Site, ...], value: int) -> Footprint | None:
        """The footprint at `value`, where it is the same task in another size."""
        found = self._prober.at({site.key: value for site in tied})
        return found if found is not None and found.same_kind(self._own) else None

    def _another(self, tied: tuple[Site, ...], max_step: int) -> tuple[int, int] | None:
        """The smallest step that the reference accepts, and the value that it accepted."""
        own = tied[0].own
        steps = sorted(m for m in {*POWERS, *self._values, own} if own % m == 0 and m <= max_step)
        for step in steps:
            for value in (own + step, own - step):
                if value >= 1 and self._at(tied, value) is not None:
                    return step, value
            if not self._moves_shape(tied, own + step):
                return None
        return None

    def _moves_shape(self, tied: tuple[Site, ...], value: int) -> bool:
        """False where the value runs but leaves every shape as it was: not a size at all."""
        found = self._prober.at({site.key: value for site in tied})
        own = self._own
        if found is None or found.inputs != own.inputs or found.state != own.state:
            return True
        return self._only_makes and found.outputs != own.outputs

    @property
    def _only_makes(self) -> bool:
        """Whether there is neither a tensor among the inputs nor a parameter: `logspace(0, 1, n)`.

        Then a number that moves an output's shape is its size, whatever it is called.
        """
        return not self._own.state and all(shape is None for shape in self._own.inputs)

    def _is_size(self, tied: tuple[Site, ...], changed: Footprint) -> bool:
        if self._only_makes:
            return changed.outputs != self._own.outputs
        if changed.inputs != self._own.inputs:
            return not any(map(_is_choice, tied)) or self._only_inputs(changed)
        if changed.state == self._own.state or tied[0].own < SMALL_CONFIG:
            return False
        return not any(map(_is_choice, tied))

    def _only_inputs(self, changed: Footprint) -> bool:
        return changed.init == self._own.init and changed.state == self._own.state

    def _role(self, changed: Footprint) -> AxisRole:
        if not self._only_inputs(changed):
            return AxisRole.CONFIG
        inputs, outputs = (
            _moved(self._own.inputs, changed.inputs),
            _moved(self._own.outputs, changed.outputs),
        )
        follows = bool(outputs) and all(dim == 0 for _, dim in outputs)
        return AxisRole.BATCH if follows and all(dim == 0 for _, dim in inputs) else AxisRole.SIZE

    def _name(self, tied: tuple[Site, ...], changed: Footprint) -> str:
        first = tied[0]
        if "#" not in first.key:
            return first.key
        moved = _moved(self._own.inputs, changed.inputs)
        name = f"dim:{moved[0][0]}.{moved[0][1]}" if moved else self._argument(first, changed)
        return name if name not in self._sites else f"{name}'{first.key.split('#')[1]}"

    def _argument(self, site: Site, changed: Footprint | None) -> str:
        """The name of what a site sets: a module-level name, or the constructor's parameter."""
        if "#" not in site.key:
            return site.key
        name = changed.changed_argument(self._own) if changed is not None else ""
        taken = {*self._sites, *self._keys}
        return name if name and name not in taken else f"init:{site.key.split('#')[1]}"

    def _low(self, tied: tuple[Site, ...], multiple: int) -> int:
        own = tied[0].own
        for small in SMALLEST:
            if small * multiple >= own:
                break
            if self._at(tied, small * multiple) is not None:
                return small * multiple
        return own

    def _high(self, tied: tuple[Site, ...], multiple: int) -> int:
        own = tied[0].own
        high = max(2 * own, 64) // multiple * multiple
        return high if self._at(tied, high) is not None else own


def _moved(
    own: tuple[tuple[int, ...] | None, ...], other: tuple[tuple[int, ...] | None, ...]
) -> list[tuple[int, int]]:
    """(tensor, dimension) of every size that differs."""
    return [
        (index, dim)
        for index, (a, b) in enumerate(zip(own, other, strict=True))
        if a is not None and b is not None
        for dim, (size_a, size_b) in enumerate(zip(a, b, strict=True))
        if size_a != size_b
    ]
