"""Distributions: float and complex inputs redrawn so that a shortcut shows.

The rule: dtype and shape stay, and so does the structure the task's own generator promises;
integers and booleans keep the own draw (`integer_draws` draws those).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from assay.data.workload import Distribution
from assay.tasks.values.input_structure import Structure, structure_of
from assay.tasks.values.literal_values import with_literals
from assay.tasks.values.marked_values import close_masks
from assay.tasks.values.other_numbers import with_other_numbers
from assay.tasks.values.special_rows import masked_rows
from assay.tasks.values.value_generators import DRAWERS, DrawRequest

_PLANTED = (Distribution.NAN, Distribution.INF, Distribution.NANS, Distribution.BESIDE_INF)
_ALL_ONES = struct.unpack("<d", b"\xff" * 8)[0]
_NANS = (math.nan, _ALL_ONES)  # the usual one of a processor, and that of a GPU
_MORE = 4  # NaN beside the first in one row
_ELSEWHERE = 2  # and in other rows
_WHOLE = 1 << 12  # elements of a row that becomes NaN as a whole, at most


@dataclass(frozen=True)
class Values:
    """What is asked for: a distribution and its power of two."""

    distribution: Distribution
    scale: int = 0
    literals: tuple[float, ...] = ()  # numbers that some elements become


@dataclass(frozen=True)
class PlantedValue:
    """Where a non-finite value was put: which input, and the index of the element."""

    input: int
    index: tuple[int, ...]
    value: float
    more: tuple[tuple[int, ...], ...] = ()  # other elements that hold the same
    infinite: tuple[tuple[int, ...], ...] = ()  # elements that hold infinities beside it


@dataclass(frozen=True)
class Drawn:
    """The inputs of one call, and the planted element where there is one."""

    inputs: tuple[Any, ...]
    planted: PlantedValue | None = None


def redraw(own: Sequence[Any], values: Values, seed: int, shapes: Sequence[Structure]) -> Drawn:
    """The own draw with its float inputs drawn anew as `values` says.

    `shapes` is the structure of each input, seen on a draw large enough to show it.
    """
    distribution = values.distribution
    if distribution is Distribution.OWN:
        return Drawn(tuple(own))
    generator = torch.Generator().manual_seed(seed)
    inputs = list(own)
    if distribution is Distribution.MINUS_INF:
        return Drawn(masked_rows(inputs, shapes, generator, bool(values.scale)))
    if distribution in _PLANTED:
        return _plant(own, values, generator)
    free = [i for i, shape in enumerate(shapes) if shape is not Structure.FIXED]
    if distribution is Distribution.EQUAL:
        return Drawn(_with_equals(own, values, shapes, generator))
    lead = free[_below(len(free), generator)] if free else -1
    if distribution is Distribution.OUTLIER and values.scale:
        inputs = with_other_numbers(inputs, generator)
    if distribution is Distribution.OPPOSED:
        lead = free[0]
        close_masks(inputs, generator)  # what is masked must stay behind it all
    if distribution is Distribution.LITERALS:
        for index in (i for i in free if shapes[i] is not Structure.COMPLEX):
            made = with_literals(own[index], values.literals, generator)
            inputs[index] = _keep(own[index], made, shapes[index])
        return Drawn(tuple(inputs))
    for index in free:
        request = DrawRequest(own[index], generator, values.scale, leads=index == lead)
        if shapes[index] is Structure.COMPLEX:
            made = _in_parts(request, distribution)
        else:
            made = DRAWERS[distribution](request)
        inputs[index] = _keep(own[index], made, shapes[index])
    return Drawn(tuple(inputs))


def _in_parts(request: DrawRequest, distribution: Distribution) -> torch.Tensor:
    """Complex numbers, real and imaginary parts each by itself; among zeros some rows are real.

    The first one is, for whoever takes all for real where that is.
    """
    own = request.own
    parts = [DRAWERS[distribution](replace(request, own=part)) for part in (own.real, own.imag)]
    made = torch.complex(*parts)
    if distribution is not Distribution.ZEROS or not made.dim() or not made.numel():
        return made
    real = request.chosen(0.5, torch.Size((*made.shape[:-1], 1)))
    real.view(-1)[0] = True
    return torch.where(real, made.real.to(made.dtype), made)


def _with_equals(
    own: Sequence[Any], values: Values, shapes: Sequence[Structure], generator: torch.Generator
) -> tuple[Any, ...]:
    """One input of every form once more in the place of another: a difference of the two is zero.

    The free ones are scaled, so that what is added to that zero shows beside the rest.
    """
    inputs, forms = list(own), dict[object, list[int]]()
    for i, shape in enumerate(shapes):
        if shape is not Structure.FIXED:
            inputs[i] = own[i] * 2.0**values.scale
            forms.setdefault((shape, own[i].shape, own[i].dtype), []).append(i)
    for first, *others in forms.values():
        if others:
            chosen = others[_below(len(others), generator)]
            inputs[chosen] = torch.empty_like(own[chosen]).copy_(inputs[first])
    return tuple(inputs)


def structures(own: Sequence[Any]) -> tuple[Structure, ...]:
    """The structure of each input; what is no tensor is fixed."""
    return tuple(
        structure_of(value) if isinstance(value, torch.Tensor) else Structure.FIXED for value in own
    )


def _keep(own: torch.Tensor, made: torch.Tensor, shape: Structure) -> torch.Tensor:
    """`made` in the dtype, with the strides and the structure of the own draw."""
    if shape is Structure.SYMMETRIC:
        upper = made.triu()
        made = upper + upper.transpose(-1, -2) - torch.diag_embed(made.diagonal(dim1=-2, dim2=-1))
    if shape is Structure.ZEROS:
        made = torch.where(own == 0, torch.zeros_like(made), made)
    if shape is Structure.POSITIVE:
        made = made.abs()
    return torch.empty_like(own).copy_(made)


def _plant(own: Sequence[Any], values: Values, generator: torch.Generator) -> Drawn:
    """One element of one float input becomes NaN or an infinity; a structural zero never does.

    With a scale of one it is the last, with two the first: a check that skips the tail misses it.
    The sign bit of a NaN is drawn too, and several NaN of a row have either: what processors make
    of inf - inf has it set, and code that looks at bits takes such a NaN for the smallest number.
    So are its other bits: a GPU sets all of them, and what rounds by adding to the bits runs over.
    """
    places = [i for i, v in enumerate(own) if isinstance(v, torch.Tensor) and v.is_floating_point()]
    places = [
        i for i in places if own[i].numel() and own[i].element_size() > 1
    ]  # no code of eight bits
    if not places:
        return Drawn(tuple(own))
    chosen = places[_below(len(places), generator)]
    tensor = own[chosen].clone()
    spots = tensor.nonzero()
    spots = spots if len(spots) else torch.zeros(1, tensor.dim(), dtype=torch.int64)
    place = {1: -1, 2: 0}.get(values.scale, _below(len(spots), generator))
    index = tuple(int(i) for i in spots[place])
    sign = 1.0 if _below(2, generator) else -1.0
    endless = values.distribution is Distribution.INF
    if values.scale and not endless:
        sign = -1.0  # one of them has it set, whatever is drawn
    nan = _NANS[_below(len(_NANS), generator)]
    value = math.copysign(math.inf if endless else nan, sign)
    more = _beside(spots, index, generator) if values.distribution is Distribution.NANS else ()
    tensor[index] = value
    for turn, spot in enumerate(more):
        tensor[spot] = math.copysign(_NANS[turn // 2 % 2], sign if turn % 2 else -sign)
    beside = values.distribution is Distribution.BESIDE_INF
    infinite = _before(index, tensor, generator) if beside else ()
    for spot, infinity in zip(infinite, (math.inf, -math.inf), strict=False):
        tensor[spot] = infinity
    inputs = [tensor if i == chosen else v for i, v in enumerate(own)]
    return Drawn(tuple(inputs), PlantedValue(chosen, index, value, more, infinite))


def _before(
    index: tuple[int, ...], tensor: torch.Tensor, generator: torch.Generator
) -> tuple[tuple[int, ...], ...]:
    """The element before it in its row, and another farther ahead, where neither is a zero."""
    if not index or index[-1] == 0:
        return ()
    row, column = index[:-1], index[-1]
    places = [column - 1] + ([_below(column - 1, generator)] if column > 1 else [])
    return tuple((*row, place) for place in places if tensor[(*row, place)] != 0)


def _beside(
    spots: torch.Tensor, index: tuple[int, ...], generator: torch.Generator
) -> tuple[tuple[int, ...], ...]:
    """A few other elements of the same row, one or two of others, and all of another.

    A single number has none, and no row is filled that is very long. What is asked of a full row
    depends on the reference: a softmax of one number in every place is the same for all numbers.
    """
    if not index:
        return ()
    row = torch.tensor(index[:-1], dtype=torch.int64)
    alike = (spots[:, :-1] == row).all(1) & (spots[:, -1:] != index[-1]).all(1)
    others = spots[alike]
    chosen = [others[torch.randperm(len(others), generator=generator)[:_MORE]]]
    apart = spots[(spots[:, :-1] != row).any(1)]
    chosen.append(apart[torch.randperm(len(apart), generator=generator)[:_ELSEWHERE]])
    if len(apart):
        whole = apart[_below(len(apart), generator), :-1]
        alike = apart[(apart[:, :-1] == whole).all(1)]
        chosen += [alike] if len(alike) <= _WHOLE else []
    found = (tuple(int(i) for i in place) for place in torch.cat(chosen))
    return tuple(dict.fromkeys(found))


def _below(limit: int, generator: torch.Generator) -> int:
    return int(torch.randint(0, limit, (1,), generator=generator))
