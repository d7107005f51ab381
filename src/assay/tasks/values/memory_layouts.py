"""Layouts: the same values, lying otherwise in memory.

The rule: what lies in the gaps of a storage is never a value a kernel may use: NaN in float
storages, the extreme of the type in integer ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.data.workload import Layout
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.shared_layouts import (
    TOGETHER,
    can_lie_together,
    lay_together,
    overlapping,
)

OFFSET_ELEMENTS = 3  # odd, so that no vector load stays aligned
# Layouts in which the first input, or all others, lie otherwise than the rest.
FIRST_APART = {
    Layout.FIRST_TRANSPOSED: Layout.TRANSPOSED,
    Layout.FIRST_EXPANDED: Layout.EXPANDED,
    Layout.FIRST_CHANNELS_LAST: Layout.CHANNELS_LAST,
}
REST_APART = {Layout.REST_TRANSPOSED: Layout.TRANSPOSED, Layout.REST_EXPANDED: Layout.EXPANDED}
APART = (*FIRST_APART, *REST_APART)
_CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
# A promise about values or rows holds for a repeated row.
_REPEATABLE = (Structure.FREE, Structure.POSITIVE, Structure.COMPLEX, Structure.FIXED)
_REPEATABLE_WITHIN = (Structure.FREE, Structure.POSITIVE, Structure.COMPLEX)  # a row of one value


def lay_out(inputs: Sequence[Any], layout: Layout, shapes: Sequence[Structure]) -> tuple[Any, ...]:
    """Every tensor input in `layout`; one that cannot take it stays contiguous."""
    if layout in TOGETHER:
        return lay_together(inputs, layout, shapes)
    first = next((n for n, value in enumerate(inputs) if isinstance(value, torch.Tensor)), 0)
    if layout is Layout.REST_EXPANDED:
        return tuple(
            _shared_by_heads(value, shape)
            if isinstance(value, torch.Tensor) and number != first
            else value
            for number, (value, shape) in enumerate(zip(inputs, shapes, strict=True))
        )
    return tuple(
        _one(value, _of_input(layout, number == first), shape)
        if isinstance(value, torch.Tensor)
        else value
        for number, (value, shape) in enumerate(zip(inputs, shapes, strict=True))
    )


def _of_input(layout: Layout, first: bool) -> Layout:
    """The layout of one input, where the first lies otherwise than the rest."""
    if layout not in APART:
        return layout
    lying = FIRST_APART if first else REST_APART
    return lying.get(layout, Layout.CONTIGUOUS)


def applies(inputs: Sequence[Any], layout: Layout, shapes: Sequence[Structure]) -> bool:
    """True where some input would really lie otherwise: its strides or offset differ."""
    if layout in TOGETHER:
        return can_lie_together(inputs, layout, shapes)
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if layout in APART and len(tensors) < 2:
        return False
    laid = lay_out(inputs, layout, shapes)
    return any(
        isinstance(old, torch.Tensor)
        and old.numel() > 1
        and (old.stride() != new.stride() or old.storage_offset() != new.storage_offset())
        for old, new in zip(inputs, laid, strict=True)
    )


def own_is_contiguous(inputs: Sequence[Any]) -> bool:
    """True where the task's own generator leaves every tensor contiguous."""
    return all(value.is_contiguous() for value in inputs if isinstance(value, torch.Tensor))


def _one(tensor: torch.Tensor, layout: Layout, shape: Structure) -> torch.Tensor:
    if layout is Layout.OWN:
        return tensor
    if layout is Layout.TRANSPOSED and tensor.dim() >= 2:
        return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout is Layout.STRIDED and tensor.dim() >= 1:
        return strided(tensor)
    if layout is Layout.OFFSET:
        return offset(tensor)
    if layout is Layout.EXPANDED and tensor.dim() >= 2 and shape in _REPEATABLE:
        return expanded(tensor)
    if layout is Layout.REPEATED_COLUMNS and tensor.dim() >= 2 and shape in _REPEATABLE_WITHIN:
        return tensor.narrow(-1, 0, 1).clone().expand(tensor.shape) if tensor.numel() else tensor
    if layout is Layout.PERMUTED and tensor.dim() >= 3:
        return tensor.transpose(-2, -3).contiguous().transpose(-2, -3)
    if layout is Layout.OVERLAPPING:
        return overlapping(tensor, shape)
    if layout is Layout.SLICED and tensor.dim() >= 2:
        return sliced(tensor)
    if layout is Layout.CHUNKED and tensor.dim() >= 2:
        return chunked(tensor)
    if layout is Layout.CHANNELS_LAST and tensor.dim() in _CHANNELS_LAST:
        return tensor.contiguous(memory_format=_CHANNELS_LAST[tensor.dim()])
    return tensor.contiguous()


def filler(dtype: torch.dtype) -> float | int | bool:
    """The value in the gaps."""
    if dtype.is_floating_point or dtype.is_complex:
        return float("nan")
    return True if dtype is torch.bool else torch.iinfo(dtype).max


def strided(tensor: torch.Tensor) -> torch.Tensor:
    """Every second element, along the last dimension, of a storage twice as large."""
    shape = (*tensor.shape[:-1], 2 * tensor.shape[-1])
    storage = torch.full(shape, filler(tensor.dtype), dtype=tensor.dtype, device=tensor.device)
    view = storage[..., ::2]
    view.copy_(tensor)
    return view


def sliced(tensor: torch.Tensor) -> torch.Tensor:
    """A part of wider rows, and of more of them: dimensions that lie apart cannot be merged.

    A single item is cut in one dimension, and so is contiguous: its first stride tells no size.
    """
    shape, lone = list(tensor.shape), tensor.shape[0] == 1
    for dim in (1,) if lone else range(max(1, tensor.dim() - 2), tensor.dim()):
        shape[dim] += OFFSET_ELEMENTS
    storage = torch.full(shape, filler(tensor.dtype), dtype=tensor.dtype, device=tensor.device)
    view = storage[tuple(slice(0, size) for size in tensor.shape)]
    return view.copy_(tensor)


def chunked(tensor: torch.Tensor) -> torch.Tensor:
    """The middle third of rows three times as wide: queries, keys and values are made together."""
    storage = tensor.new_full((*tensor.shape[:-1], 3 * tensor.shape[-1]), filler(tensor.dtype))
    return storage.chunk(3, dim=-1)[1].copy_(tensor) if tensor.numel() else tensor.contiguous()


def offset(tensor: torch.Tensor) -> torch.Tensor:
    """Contiguous, but beginning an odd number of elements into its storage."""
    size = tensor.numel() + 2 * OFFSET_ELEMENTS
    storage = torch.full((size,), filler(tensor.dtype), dtype=tensor.dtype, device=tensor.device)
    view = storage[OFFSET_ELEMENTS : OFFSET_ELEMENTS + tensor.numel()].view(tensor.shape)
    view.copy_(tensor)
    return view


def _shared_by_heads(tensor: torch.Tensor, shape: Structure) -> torch.Tensor:
    """Expanded along what comes before the rows, of more than three dimensions; else as usual."""
    dim = tensor.dim() - 3
    if dim < 1 or tensor.shape[dim] < 2 or shape not in _REPEATABLE:
        return _one(tensor, Layout.EXPANDED, shape)
    return tensor.narrow(dim, 0, 1).clone().expand(tensor.shape)


def expanded(tensor: torch.Tensor) -> torch.Tensor:
    """The first slice of the first dimension longer than one, repeated with stride 0."""
    for dim, size in enumerate(tensor.shape):
        if size > 1:
            return tensor.narrow(dim, 0, 1).clone().expand(tensor.shape)
    return tensor.contiguous()
